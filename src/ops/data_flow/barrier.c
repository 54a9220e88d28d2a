/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: tuples whose components arrive apart, under a key; a tuple that is whole goes to a
 * queue, from which batches are taken in the order in which their keys were first seen.
 *
 * What is incomplete is in a map; the rest, waiting included, is the queue's. The queue's lock is
 * never taken under the barrier's. */
#include "ops/data_flow/barrier.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "ops/data_flow/maker.h"

static void entry_free(struct barrier_entry *e, int n)
{
    for (int i = 0; e && i < n; i++)
        tensor_clear(&e->values[i]);
    mem_free(e);
}

/* --- keys: texts that may hold any byte, in a map whose keys may not hold NUL --- */

char *barrier_key_text(struct str key)
{
    struct strbuf b = {0};

    for (size_t i = 0; i < key.n; i++) {
        if (key.p[i] == 0 || key.p[i] == 1)
            strbuf_printf(&b, "\1%c", key.p[i] + '1');
        else
            strbuf_add(&b, &key.p[i], 1);
    }
    return strbuf_take(&b);
}

void barrier_key_of_text(const char *text, struct strbuf *out)
{
    for (const char *p = text; *p; p++) {
        char c = *p;
        if (c == 1)
            c = (char)(*++p - '1');
        strbuf_add(out, &c, 1);
    }
}

/* --- the object --- */

static void drop_incomplete(struct barrier *b)
{
    const char *key;
    void *e;

    for (int64_t i = 0; strmap_next(&b->incomplete, &i, &key, &e);)
        entry_free(e, b->num_types);
    strmap_release(&b->incomplete);
    b->incomplete = (struct strmap){0};
}

static void release(struct resource *r)
{
    struct barrier *b = (struct barrier *)r;

    drop_incomplete(b);
    barrier_drop_untaken(b);
    queue_unref(b->ready);
    for (int i = 0; i < b->num_types; i++)
        shape_clear(&b->shapes[i]);
    mem_free(b->shapes);
    mem_free(b->types);
    mem_free(b->name);
    lock_release_memory(&b->lock);
    mem_free(b);
}

static void describe(struct resource *r, struct strbuf *out)
{
    struct barrier *b = (struct barrier *)r;

    lock_take(&b->lock);
    strbuf_printf(out, "Barrier %s: %lld incomplete%s; ", b->name,
                  (long long)b->incomplete.num_live, b->closed ? ", closed" : "");
    lock_drop(&b->lock);
    queue_type.describe((struct resource *)b->ready, out);
}

const struct resource_type barrier_type = {
    .name = "N10tensorflow7barrier7BarrierE", .release = release, .describe = describe};

/* The queue's elements: index, key, components. */
static struct queue *ready_queue(const struct barrier *b)
{
    char *name = mem_printf("%s_queue", b->name);
    int *types = mem_new_array(int, b->num_types + 2);
    struct shape *shapes = mem_new_array(struct shape, b->num_types + 2);

    types[0] = DT_INT64;
    types[1] = DT_STRING;
    for (int i = 0; i < b->num_types; i++) {
        types[i + 2] = b->types[i];
        shapes[i + 2] = b->shapes[i];
    }
    struct queue_spec spec = {.kind = QUEUE_PRIORITY,
                              .capacity = INT32_MAX,
                              .num_types = b->num_types + 2,
                              .types = types,
                              .num_shapes = b->num_types + 2,
                              .shapes = shapes};
    struct queue *q = queue_new(&spec, name);

    mem_free(types);
    mem_free(shapes);
    mem_free(name);
    return q;
}

struct barrier *barrier_new(const char *name, int num_types, const int *types,
                            const struct shape *shapes)
{
    struct barrier *b = mem_new(struct barrier);

    resource_init(&b->base, &barrier_type);
    lock_init(&b->lock, "barrier", LOCK_RANK_RESOURCE);
    b->name = mem_strdup(name);
    b->num_types = num_types;
    b->types = mem_new_array(int, num_types);
    b->shapes = mem_new_array(struct shape, num_types);
    for (int i = 0; i < num_types; i++) {
        b->types[i] = types[i];
        b->shapes[i] = shape_copy(&shapes[i]);
    }
    b->next_index = INT64_MIN;
    b->ready = ready_queue(b);
    return b;
}

static struct resource *make(void *arg, struct status *st)
{
    const struct maker_args *m = arg;
    const struct attr_value *types = attrs_list(m->k->attrs, "component_types");
    const struct attr_value *shapes = attrs_list(m->k->attrs, "shapes");
    int *t = mem_new_array(int, types->n + 1);

    (void)st;
    for (int64_t i = 0; i < types->n; i++)
        t[i] = types->types[i];
    struct barrier *b = barrier_new(m->name, (int)types->n, t, shapes->shapes);

    mem_free(t);
    return &b->base;
}

static bool make_init(struct kernel *k, void *state, struct status *st)
{
    const struct attr_value *types = attrs_list(k->attrs, "component_types");
    const struct attr_value *shapes = attrs_list(k->attrs, "shapes");
    struct strbuf text = {0};

    if (!maker_init(k, state, st))
        return false;
    if (attrs_int(k->attrs, "capacity") != -1)
        return status_invalid(st,
                              "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
                              "through a queue to enforce a limited capacity.");
    if (shapes->n != types->n)
        return status_invalid(st, "All of the component shapes must be specified");
    for (int64_t i = 0; i < shapes->n; i++) {
        const struct shape *s = &shapes->shapes[i];

        if (s->rank < 0 || shape_known(s))
            continue;
        shape_print(s, &text);
        status_invalid(st, "Shape %s is not fully defined", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    return true;
}

static bool make_run(struct kctx *c, struct status *st)
{
    return maker_run(c, &barrier_type, make, st);
}

/* --- insertion --- */

struct insertion { /* of one call */
    struct barrier *b;
    const struct tensor *keys, *values;
    int component;
    int64_t index; /* of keys that are new */
    bool any_new;
    struct barrier_entry **whole; /* those that became so; num of them, with rows their key's */
    int64_t *rows;
    int64_t num;
    int64_t done; /* rows */
    const struct noted *op;
};

static bool fail_new_key(const struct barrier *b, struct str key, int64_t i, struct status *st)
{
    return status_fail(st, STATUS_CANCELLED,
                       "Barrier %s is closed, but attempted to insert a brand new key: %.*s.  "
                       "Pending enqueues cancelled: %d.  Insertion index: %lld.  Number of "
                       "incomplete keys: %lld.",
                       b->name, (int)key.n, key.p, b->cancelled, (long long)i,
                       (long long)b->incomplete.num_live);
}

static bool is_whole(const struct barrier *b, const struct barrier_entry *e)
{
    for (int k = 0; k < b->num_types; k++) {
        if (e->values[k].dtype == DT_INVALID)
            return false;
    }
    return true;
}

static bool insert_value(struct insertion *in, struct barrier_entry *e, struct str key, int64_t row,
                         struct status *st)
{
    struct tensor *value = &e->values[in->component];

    if (value->dtype != DT_INVALID)
        return status_invalid(st, "Key %.*s already has a value for component %d in barrier %s",
                              (int)key.n, key.p, in->component, in->b->name);
    return queue_row(QUEUE_PRIORITY, in->values, row, value, st);
}

static bool insert_row(struct insertion *in, int64_t row, struct status *st)
{
    struct barrier *b = in->b;
    const struct str key = tstr_view(&tensor_str(in->keys)[row]);
    char *text = barrier_key_text(key);
    struct barrier_entry *e = strmap_find(&b->incomplete, text);
    bool ok = e || !b->closed || fail_new_key(b, key, row, st);

    if (ok && !e) {
        e = mem_zalloc(sizeof *e + (size_t)b->num_types * sizeof e->values[0]);
        e->index = b->next_index;
        in->any_new = true;
        strmap_put(&b->incomplete, text, e);
    }
    ok = ok && insert_value(in, e, key, row, st);
    if (ok && is_whole(b, e)) {
        strmap_remove(&b->incomplete, text);
        in->whole[in->num] = e;
        in->rows[in->num++] = row;
    }
    mem_free(text);
    return ok;
}

/* Under the lock. What came before a row that fails stays, as in TensorFlow. */
static bool insert_rows(struct insertion *in, struct status *st)
{
    struct barrier *b = in->b;
    const int64_t n = in->keys->num_elems;
    bool ok = true;

    if (b->closed && (b->cancelled || (n > 0 && b->incomplete.num_live == 0)))
        return status_fail(st, STATUS_CANCELLED,
                           "Barrier %s is closed.  Pending enqueues cancelled: %d.  Number of new "
                           "insertions: %lld.  Number of incomplete keys: %lld.",
                           b->name, b->cancelled, (long long)n, (long long)b->incomplete.num_live);
    for (; ok && in->done < n; in->done += ok)
        ok = insert_row(in, in->done, st);
    if (in->any_new)
        b->next_index++;
    return ok;
}

/* --- from whole tuples to the queue --- */

static bool tuple_of(const struct insertion *in, int64_t i, struct tensor *tuple, struct status *st)
{
    struct barrier_entry *e = in->whole[i];
    const struct str key = tstr_view(&tensor_str(in->keys)[in->rows[i]]);
    struct shape scalar = shape_scalar();

    if (!tensor_from(&tuple[0], DT_INT64, NULL, 0, &e->index, st) ||
        !tensor_new(&tuple[1], DT_STRING, &scalar, st))
        return false;
    if (!tstr_set(tensor_str(&tuple[1]), key.p, key.n))
        return status_exhausted(st, "no memory for a key");
    for (int k = 0; k < in->b->num_types; k++)
        tuple[k + 2] = tensor_take(&e->values[k]);
    return true;
}

static void keep_status(void *arg, struct status *st, struct tensor *values)
{
    (void)values;
    status_move(arg, st);
}

/* The queue has room for ever, so that this does not wait. */
static bool enqueue_tuple(struct barrier *b, struct tensor *tuple, struct status *st)
{
    struct status error = {0};

    queue_enqueue(b->ready, tuple, &(struct queue_wait){.done = keep_status, .arg = &error});
    if (status_ok(&error))
        return true;
    status_move(st, &error);
    return false;
}

static bool enqueue_whole(const struct insertion *in, struct tensor *tuples, struct status *st)
{
    const int n = in->b->num_types + 2;
    bool ok = true;

    for (int64_t i = 0; ok && i < in->num; i++)
        ok = enqueue_tuple(in->b, tuples + i * n, st);
    return ok;
}

/* Under the lock: what is whole becomes tuples, and copies of the barrier hear of the rows. */
static bool tuples_of(const struct insertion *in, struct tensor *tuples, struct status *st)
{
    const int n = in->b->num_types + 2;
    bool ok = true;

    for (int64_t i = 0; ok && i < in->num; i++) {
        ok = tuple_of(in, i, tuples + i * n, st);
        if (ok && changes_logged(&in->b->base))
            barrier_keep_untaken(in->b, tuples + i * n);
    }
    barrier_log_inserted(in->b, in->keys, in->values, in->component, in->done, in->op);
    return ok;
}

static void free_insertion(struct insertion *in, struct tensor *tuples)
{
    for (int64_t i = 0; i < in->num * (in->b->num_types + 2); i++)
        tensor_clear(&tuples[i]);
    for (int64_t i = 0; i < in->num; i++)
        entry_free(in->whole[i], in->b->num_types);
    mem_free(tuples);
    mem_free(in->whole);
    mem_free(in->rows);
}

bool barrier_insert(struct barrier *b, const struct tensor *keys, const struct tensor *values,
                    int component, const struct noted *op, struct status *st)
{
    const int64_t n = keys->num_elems;
    struct insertion in = {.b = b,
                           .keys = keys,
                           .values = values,
                           .component = component,
                           .whole = mem_new_array(struct barrier_entry *, n),
                           .rows = mem_new_array(int64_t, n),
                           .op = op};

    lock_take(&b->lock);
    bool ok = insert_rows(&in, st);
    const bool last = ok && b->closed && b->incomplete.num_live == 0;
    struct tensor *tuples = mem_new_array(struct tensor, in.num * (b->num_types + 2));
    const bool made = tuples_of(&in, tuples, st);
    lock_drop(&b->lock);
    ok = made && enqueue_whole(&in, tuples, st) && ok;
    free_insertion(&in, tuples);
    if (last)
        barrier_close_queue(b, false);
    return ok;
}

/* --- closing --- */

void barrier_close_queue(struct barrier *b, bool cancel)
{
    struct status ignored = {0};

    /* closed twice is no error here */
    queue_close(b->ready, cancel, &(struct queue_wait){.done = keep_status, .arg = &ignored});
    status_clear(&ignored);
}

bool barrier_close(struct barrier *b, bool cancel, const struct noted *op, struct status *st)
{
    lock_take(&b->lock);
    bool ok = !(b->closed && (b->cancelled || !cancel));
    bool empty = false;

    if (ok) {
        b->cancelled = cancel;
        b->closed = true;
        if (cancel)
            drop_incomplete(b);
        barrier_log_closed(b, cancel, op);
        empty = b->incomplete.num_live == 0;
    }
    lock_drop(&b->lock);
    if (!ok)
        return status_fail(st, STATUS_CANCELLED, "Barrier '%s' is already closed.", b->name);
    if (empty)
        barrier_close_queue(b, cancel);
    return true;
}

bool barrier_check_take(struct barrier *b, bool small, int64_t *n, struct status *st)
{
    const int64_t ready = queue_size(b->ready);
    int64_t total = ready;

    lock_take(&b->lock);
    const bool closed = b->closed;
    if (closed && small)
        *n = *n < ready ? *n : ready;
    else
        total += b->incomplete.num_live;
    lock_drop(&b->lock);
    return !closed || (total > 0 && total >= *n) ||
           status_fail(st, STATUS_OUT_OF_RANGE,
                       "Barrier '%s' is closed and has insufficient elements (requested %lld, "
                       "total size %lld)",
                       b->name, (long long)*n, (long long)total);
}

int64_t barrier_num_incomplete(struct barrier *b)
{
    lock_take(&b->lock);
    int64_t n = b->incomplete.num_live;
    lock_drop(&b->lock);
    return n;
}

static bool barrier_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_vector(c, 2));
    return true;
}

OP_DEF(barrier) = {
    .name = "Barrier",
    .summary = "Puts tuples together whose components arrive apart, each under a key.",
    .outputs = {"handle: Ref(string)"},
    .attrs = {"component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []",
              "capacity: int = -1", "container: string = ''", "shared_name: string = ''"},
    .flags = OP_STATEFUL,
    .shape = barrier_shape,
    .no_grad = BARRIER_NO_GRAD,
};
KERNEL_DEF(barrier_cpu) = {.op = "Barrier",
                           .device = "CPU",
                           .state_bytes = sizeof(struct maker),
                           .init = make_init,
                           .release = maker_release,
                           .run = make_run};
