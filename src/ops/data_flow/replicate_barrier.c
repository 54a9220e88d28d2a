/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers as other processes keep copies of them. An insertion is told as it came, since what it
 * does follows from what is there; a take by the tuples that it took, whose order among the
 * insertions does not matter then. */
#include <string.h>

#include "base/mem.h"
#include "ops/data_flow/barrier.h"

enum { NOTE_PART = 1, NOTE_WHOLE, NOTE_INSERTED, NOTE_TAKEN, NOTE_CLOSED };
enum { NUM_TYPES, NEXT_INDEX, NUM_NUMBERS };
enum { MAX_COMPONENTS = 100000 };

/* --- what nobody has been given --- */

static void tuple_clear(const struct barrier *b, struct barrier_tuple *t)
{
    for (int k = 0; k < b->num_types; k++)
        tensor_clear(&t->values[k]);
    tensor_clear(&t->key);
    mem_free(t->values);
}

void barrier_keep_untaken(struct barrier *b, const struct tensor *tuple)
{
    b->untaken = vec_reserve(b->untaken, &b->cap_untaken, b->num_untaken + 1, sizeof *b->untaken);
    struct barrier_tuple *t = &b->untaken[b->num_untaken++];

    *t = (struct barrier_tuple){.index = *tensor_i64(&tuple[0]),
                                .key = tensor_copy(&tuple[1]),
                                .values = mem_new_array(struct tensor, b->num_types)};
    for (int k = 0; k < b->num_types; k++)
        t->values[k] = tensor_copy(&tuple[k + 2]);
}

void barrier_drop_untaken(struct barrier *b)
{
    for (int64_t i = 0; i < b->num_untaken; i++)
        tuple_clear(b, &b->untaken[i]);
    mem_free(b->untaken);
}

/* False: there is none of this index and key. */
static bool forget_untaken(struct barrier *b, int64_t index, struct str key)
{
    for (int64_t i = 0; i < b->num_untaken; i++) {
        struct barrier_tuple *t = &b->untaken[i];

        if (t->index != index || !str_eq(tstr_view(tensor_str(&t->key)), key))
            continue;
        tuple_clear(b, t);
        b->num_untaken--;
        memmove(t, t + 1, (size_t)(b->num_untaken - i) * sizeof *t);
        return true;
    }
    return false;
}

/* --- what is told --- */

void barrier_log_inserted(struct barrier *b, const struct tensor *keys, const struct tensor *values,
                          int component, int64_t rows, const struct noted *op)
{
    struct note n = {.kind = NOTE_INSERTED};

    if (!changes_logged(&b->base) || rows == 0)
        return;
    struct tensor some_keys = tensor_rows(keys, 0, rows), some = tensor_rows(values, 0, rows);

    note_put_int(&n, component);
    note_put(&n, &some_keys);
    note_put(&n, &some);
    tensor_clear(&some_keys);
    tensor_clear(&some);
    /* a step whose insertion failed is not over, and what it inserted is not to be undone */
    const struct noted part = {.key = rows == keys->num_elems ? op->key : 0};

    changes_log(&b->base, &n, 1, &part);
}

void barrier_log_closed(struct barrier *b, bool cancel, const struct noted *op)
{
    struct note n = {.kind = NOTE_CLOSED};

    if (!changes_logged(&b->base))
        return;
    note_put_int(&n, cancel);
    changes_log(&b->base, &n, 1, op);
}

void barrier_log_taken(struct barrier *b, const struct tensor *outputs, const struct noted *op)
{
    struct note n = {.kind = NOTE_TAKEN};
    const struct tensor *indices = &outputs[0], *keys = &outputs[1];

    if (!changes_logged(&b->base))
        return;
    note_put(&n, indices);
    note_put(&n, keys);
    lock_take(&b->lock);
    for (int64_t i = 0; i < indices->num_elems; i++)
        (void)forget_untaken(b, tensor_i64(indices)[i], tstr_view(&tensor_str(keys)[i]));
    changes_log(&b->base, &n, 1, op);
    lock_drop(&b->lock);
}

/* --- all there is --- */

static struct note note_of_barrier(const struct barrier *b)
{
    const int64_t numbers[NUM_NUMBERS] = {b->num_types, b->next_index};
    struct note n = {.kind = NOTE_MAKE};
    int64_t *types = mem_new_array(int64_t, b->num_types);

    for (int k = 0; k < b->num_types; k++)
        types[k] = b->types[k];
    note_put_ints(&n, numbers, NUM_NUMBERS);
    note_put_ints(&n, types, b->num_types);
    for (int k = 0; k < b->num_types; k++)
        note_put_shape(&n, &b->shapes[k]);
    mem_free(types);
    return n;
}

static void put_text(struct note *n, const char *text)
{
    struct strbuf key = {0};

    barrier_key_of_text(text, &key);
    note_put_bytes(n, key.p, key.n);
    strbuf_release(&key);
}

/* Which components are there, and those. */
static struct note note_of_part(const struct barrier *b, const char *text,
                                const struct barrier_entry *e)
{
    struct note n = {.kind = NOTE_PART};
    int64_t *which = mem_new_array(int64_t, b->num_types), num = 0;

    for (int k = 0; k < b->num_types; k++) {
        if (e->values[k].dtype != DT_INVALID)
            which[num++] = k;
    }
    note_put_int(&n, e->index);
    put_text(&n, text);
    note_put_ints(&n, which, num);
    for (int64_t i = 0; i < num; i++)
        note_put(&n, &e->values[which[i]]);
    mem_free(which);
    return n;
}

static void tell(struct resource *r, note_say_fn say, void *arg)
{
    struct barrier *b = (struct barrier *)r;
    const char *text;
    void *entry;

    lock_take(&b->lock);
    struct note n = note_of_barrier(b);
    say(arg, &n);
    for (int64_t i = 0; strmap_next(&b->incomplete, &i, &text, &entry);) {
        n = note_of_part(b, text, entry);
        say(arg, &n);
    }
    for (int64_t i = 0; i < b->num_untaken; i++) {
        const struct barrier_tuple *t = &b->untaken[i];

        n = (struct note){.kind = NOTE_WHOLE};
        note_put_int(&n, t->index);
        note_put(&n, &t->key);
        for (int k = 0; k < b->num_types; k++)
            note_put(&n, &t->values[k]);
        say(arg, &n);
    }
    if (b->closed) {
        n = (struct note){.kind = NOTE_CLOSED};
        note_put_int(&n, b->cancelled);
        say(arg, &n);
    }
    lock_drop(&b->lock);
}

/* --- a copy --- */

static bool fail(struct status *st)
{
    return status_invalid(st, "A note of a barrier does not fit it");
}

static struct resource *make(const char *name, struct note_reader *in, struct status *st)
{
    int64_t v[NUM_NUMBERS], num;
    struct barrier *b = NULL;

    if (!note_get_ints(in, v, NUM_NUMBERS, st))
        return NULL;
    const int64_t *from = note_get_list(in, &num, st);

    if (!from || v[NUM_TYPES] < 1 || v[NUM_TYPES] > MAX_COMPONENTS || num != v[NUM_TYPES]) {
        (void)(from ? fail(st) : false);
        return NULL;
    }
    int *types = mem_new_array(int, num);
    struct shape *shapes = mem_new_array(struct shape, num);
    bool ok = true;

    for (int64_t k = 0; ok && k < num; k++) {
        types[k] = (int)from[k];
        ok = (from[k] > 0 && from[k] < DT_REF && dtype_size(types[k]) > 0) || fail(st);
        ok = ok && note_get_shape(in, &shapes[k], st);
    }
    if (ok) {
        b = barrier_new(name, (int)num, types, shapes);
        b->next_index = v[NEXT_INDEX];
    }
    for (int64_t k = 0; k < num; k++)
        shape_clear(&shapes[k]);
    mem_free(shapes);
    mem_free(types);
    return b ? &b->base : NULL;
}

static bool fits(const struct barrier *b, int64_t k, const struct tensor *t)
{
    return t->dtype == b->types[k] && shape_compatible(&b->shapes[k], &t->shape);
}

static bool apply_part(struct barrier *b, struct note_reader *in, struct status *st)
{
    int64_t index, num;
    struct tensor *key;
    const int64_t *which;

    if (!note_get_ints(in, &index, 1, st) || !(key = note_get(in, st)) ||
        !(which = note_get_list(in, &num, st)))
        return false;
    if (key->dtype != DT_UINT8 || in->n - in->at != num || num >= b->num_types)
        return fail(st);
    for (int64_t i = 0; i < num; i++) {
        if (which[i] < 0 || which[i] >= b->num_types || !fits(b, which[i], &in->values[in->at + i]))
            return fail(st);
    }
    char *text = barrier_key_text((struct str){key->data, (size_t)key->num_elems});
    struct barrier_entry *e = mem_zalloc(sizeof *e + (size_t)b->num_types * sizeof e->values[0]);

    e->index = index;
    lock_take(&b->lock);
    const bool known = strmap_has(&b->incomplete, text);
    for (int64_t i = 0; !known && i < num; i++) {
        tensor_clear(&e->values[which[i]]);
        e->values[which[i]] = tensor_take(&in->values[in->at + i]);
    }
    if (!known)
        strmap_put(&b->incomplete, text, e);
    lock_drop(&b->lock);
    if (known)
        mem_free(e);
    mem_free(text);
    return !known || fail(st);
}

static void keep_status(void *arg, struct status *st, struct tensor *values)
{
    (void)values;
    status_move(arg, st);
}

static bool apply_whole(struct barrier *b, struct note_reader *in, struct status *st)
{
    const int n = b->num_types + 2;
    struct status error = {0};

    if (in->n != n || in->values[0].dtype != DT_INT64 || in->values[0].num_elems != 1 ||
        in->values[1].dtype != DT_STRING || in->values[1].num_elems != 1)
        return fail(st);
    for (int k = 0; k < b->num_types; k++) {
        if (!fits(b, k, &in->values[k + 2]))
            return fail(st);
    }
    struct shape scalar = shape_scalar();
    struct tensor index = tensor_take(&in->values[0]);
    bool ok = tensor_reshaped(&index, &scalar, &in->values[0], st);

    tensor_clear(&index);
    if (!ok)
        return false;
    lock_take(&b->lock);
    barrier_keep_untaken(b, in->values);
    lock_drop(&b->lock);
    queue_enqueue(b->ready, in->values, &(struct queue_wait){.done = keep_status, .arg = &error});
    if (status_ok(&error))
        return true;
    status_move(st, &error);
    return false;
}

static bool apply_inserted(struct barrier *b, struct note_reader *in, struct status *st)
{
    int64_t component;
    struct tensor *keys, *values;

    if (!note_get_ints(in, &component, 1, st) || !(keys = note_get(in, st)) ||
        !(values = note_get(in, st)))
        return false;
    bool ok = component >= 0 && component < b->num_types && keys->dtype == DT_STRING &&
              tensor_rank(keys) == 1 && values->dtype == b->types[component] &&
              tensor_rank(values) > 0 && tensor_dim(values, 0) == keys->num_elems;
    if (!ok)
        return fail(st);
    struct shape row = shape_make(shape_dims(&values->shape) + 1, tensor_rank(values) - 1);

    ok = shape_compatible(&b->shapes[component], &row) || fail(st);
    shape_clear(&row);
    return ok && (keys->num_elems == 0 ||
                  barrier_insert(b, keys, values, (int)component, &(struct noted){.key = 0}, st));
}

/* --- what others took --- */

struct named { /* an element of the queue */
    int64_t index;
    struct str key;
};

static bool is_named(const struct tensor *element, const void *arg)
{
    const struct named *n = arg;

    return *tensor_i64(&element[0]) == n->index &&
           str_eq(tstr_view(tensor_str(&element[1])), n->key);
}

static bool apply_taken(struct barrier *b, struct note_reader *in, struct status *st)
{
    struct tensor *indices, *keys;

    if (!(indices = note_get(in, st)) || !(keys = note_get(in, st)))
        return false;
    bool ok = indices->dtype == DT_INT64 && keys->dtype == DT_STRING &&
              indices->num_elems == keys->num_elems;
    for (int64_t i = 0; ok && i < indices->num_elems; i++) {
        const struct named n = {tensor_i64(indices)[i], tstr_view(&tensor_str(keys)[i])};

        lock_take(&b->lock);
        ok = forget_untaken(b, n.index, n.key);
        lock_drop(&b->lock);
        ok = ok && queue_drop(b->ready, is_named, &n);
    }
    return ok || fail(st);
}

static bool apply(struct resource *r, int kind, struct note_reader *in, struct status *st)
{
    struct barrier *b = (struct barrier *)r;
    int64_t cancel;

    switch (kind) {
    case NOTE_PART:
        return apply_part(b, in, st);
    case NOTE_WHOLE:
        return apply_whole(b, in, st);
    case NOTE_INSERTED:
        return apply_inserted(b, in, st);
    case NOTE_TAKEN:
        return apply_taken(b, in, st);
    case NOTE_CLOSED:
        return note_get_ints(in, &cancel, 1, st) &&
               barrier_close(b, cancel != 0, &(struct noted){.key = 0}, st);
    default:
        return status_unimplemented(st, "A change of kind %d of a barrier", kind);
    }
}

REPLICATED_DEF(barrier) = {.type = &barrier_type, .tell = tell, .make = make, .apply = apply};
