/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as other processes keep copies of them: keys and values that went in, keys that went, or
 * all. Where changes are logged the ops that change tables run one at a time, and nothing is told
 * while one of them runs. */
#include <string.h>

#include "base/mem.h"
#include "ops/lookup/table.h"

enum { KEY_DTYPE, VALUE_DTYPE, NUM_TYPES };
enum { MAX_KIND = 16 };

/* Elements that cannot be sent: such tables stay where they are. */
static bool is_told(const struct table *t)
{
    return changes_logged(&t->base) && t->value_dtype != DT_VARIANT;
}

static void put_all(struct note *n, struct table *t)
{
    struct tensor keys = {0}, values = {0};
    struct status st = {0};
    n->failed = !t->kind->take_all(t, &keys, &values, &st);
    if (!n->failed) {
        note_put(n, &keys);
        note_put(n, &values);
    }
    tensor_clear(&keys);
    tensor_clear(&values);
    status_clear(&st);
}

void table_log(struct kctx *c, struct table *t, enum table_change what, const struct tensor *keys,
               const struct tensor *values)
{
    struct note n = {.kind = what};
    if (!is_told(t))
        return;
    note_put(&n, keys);
    if (values)
        note_put(&n, values);
    changes_log(&t->base, &n, 1, &(struct noted){.key = changes_key(c)});
}

void table_log_all(struct kctx *c, struct table *t)
{
    struct note n = {.kind = TABLE_ALL};
    if (!is_told(t) || (t->kind->filled && !t->kind->filled(t)))
        return;
    put_all(&n, t);
    changes_log(&t->base, &n, 1, &(struct noted){.key = changes_key(c)});
}

static void tell(struct resource *r, note_say_fn say, void *arg)
{
    struct table *t = (struct table *)r;
    struct note n = {.kind = NOTE_MAKE};
    const int64_t types[NUM_TYPES] = {t->key_dtype, t->value_dtype};
    if (!is_told(t))
        return;
    note_put_bytes(&n, t->kind->name, strlen(t->kind->name));
    note_put_ints(&n, types, NUM_TYPES);
    note_put_shape(&n, &t->key_shape);
    note_put_shape(&n, &t->value_shape);
    if (t->kind->tell)
        t->kind->tell(t, &n);
    say(arg, &n);
    if (t->kind->filled && !t->kind->filled(t))
        return;
    n = (struct note){.kind = TABLE_ALL};
    put_all(&n, t);
    say(arg, &n);
}

/* --- a copy --- */

static const struct table_kind *read_kind(struct note_reader *in, struct status *st)
{
    static const struct table_kind *const kinds[] = {&table_hash_kind, &table_mutable_kind,
                                                     &table_dense_kind};
    const struct tensor *t = note_get(in, st);
    for (size_t i = 0; t && t->dtype == DT_UINT8 && i < ARRAY_LEN(kinds); i++) {
        const size_t n = strlen(kinds[i]->name);
        if (t->num_elems == (int64_t)n && memcmp(t->data, kinds[i]->name, n) == 0)
            return kinds[i];
    }
    (void)(t && status_unimplemented(st, "A note of a table of a kind that is not known"));
    return NULL;
}

static bool read_facts(struct note_reader *in, struct table_facts *f, struct status *st)
{
    int64_t v[NUM_TYPES];
    if (!note_get_ints(in, v, NUM_TYPES, st))
        return false;
    const int64_t key = v[KEY_DTYPE], value = v[VALUE_DTYPE];
    if ((key != DT_INT32 && key != DT_INT64 && key != DT_STRING) || value <= 0 || value > DT_REF ||
        dtype_size((int)value) == 0)
        return status_invalid(st, "A note of a table has types that are none");
    f->key_dtype = (int)key;
    f->value_dtype = (int)value;
    return note_get_shape(in, &f->key_shape, st) && note_get_shape(in, &f->value_shape, st) &&
           ((shape_known(&f->key_shape) && shape_known(&f->value_shape)) ||
            status_invalid(st, "A note of a table has shapes that are not known"));
}

static struct resource *make(const char *name, struct note_reader *in, struct status *st)
{
    struct table_facts f = {.key_shape = {0}};
    const struct table_kind *kind = read_kind(in, st);
    (void)name;
    struct table *t = kind && read_facts(in, &f, st) ? kind->make(&f, in, st) : NULL;
    shape_clear(&f.key_shape);
    shape_clear(&f.value_shape);
    return t ? &t->base : NULL;
}

static bool apply(struct resource *r, int kind, struct note_reader *in, struct status *st)
{
    struct table *t = (struct table *)r;
    const bool removes = kind == TABLE_REMOVED;
    const struct tensor *keys = note_get(in, st), *values = NULL;
    if (!keys || (!removes && !(values = note_get(in, st))))
        return false;
    if (keys->dtype != t->key_dtype || (values && values->dtype != t->value_dtype))
        return status_invalid(st, "A note of a table has keys or values of another type");
    if (removes)
        return table_want_keys(t, keys, st) && t->kind->remove(t, keys, st);
    if (!table_want_values(t, keys, values, kind == TABLE_ALL, st))
        return false;
    if (kind == TABLE_INSERTED)
        return t->kind->insert(t, keys, values, st);
    return kind == TABLE_ALL ? t->kind->import(t, keys, values, st)
                             : status_unimplemented(st, "A change of kind %d of a table", kind);
}

REPLICATED_DEF(table) = {.type = &table_type, .tell = tell, .make = make, .apply = apply};
