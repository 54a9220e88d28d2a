/* SPDX-License-Identifier: Apache-2.0 */
/* HashTable, HashTableV2: a table that is filled once.
 *
 * It is filled as a whole or not at all; afterwards finding takes no lock. */
#include "base/mem.h"
#include "ops/lookup/store.h"
#include "ops/lookup/table.h"

struct hash_table {
    struct table base;
    bool filled; /* atomic; set after all else, under lock */
    struct store store;
};

static bool is_filled(struct table *t)
{
    return __atomic_load_n(&((struct hash_table *)t)->filled, __ATOMIC_ACQUIRE);
}

static void hash_release(struct table *t)
{
    store_release(&((struct hash_table *)t)->store);
    table_release_common(t);
    mem_free(t);
}

static int64_t hash_size(struct table *t)
{
    return is_filled(t) ? ((struct hash_table *)t)->store.num : 0;
}

static bool hash_find(struct table *t, const struct tensor *keys, const struct tensor *none,
                      void *out, struct status *st)
{
    const struct store *s = &((struct hash_table *)t)->store;
    if (!is_filled(t))
        return status_precondition(st, "Table not initialized.");
    return store_find_rows(s, keys, none->data, out, st);
}

static bool hash_insert(struct table *t, const struct tensor *keys, const struct tensor *values,
                        struct status *st)
{
    (void)t, (void)keys, (void)values;
    return status_unimplemented(st,
                                "Insert not supported by InitializableLookupTable implementations");
}

static bool hash_remove(struct table *t, const struct tensor *keys, struct status *st)
{
    (void)t, (void)keys;
    return status_unimplemented(st,
                                "Remove not supported by InitializableLookupTable implementations");
}

static bool hash_take_all(struct table *t, struct tensor *keys, struct tensor *values,
                          struct status *st)
{
    if (!is_filled(t))
        return status_fail(st, STATUS_ABORTED, "HashTable is not initialized.");
    return store_sorted(&((struct hash_table *)t)->store, keys, values, &t->value_shape, st);
}

/* --- filling --- */

static bool same_value(int dtype, const void *a, const void *b)
{
    switch (dtype) {
    case DT_FLOAT:
        return *(const float *)a == *(const float *)b;
    case DT_DOUBLE:
        return *(const double *)a == *(const double *)b;
    case DT_STRING:
        return str_eq(tstr_view(a), tstr_view(b));
    default:
        return memcmp(a, b, dtype_size(dtype)) == 0;
    }
}

static void add_value(struct strbuf *b, int dtype, const void *p)
{
    switch (dtype) {
    case DT_FLOAT:
        strbuf_printf(b, "%g", (double)*(const float *)p);
        break;
    case DT_DOUBLE:
        strbuf_printf(b, "%g", *(const double *)p);
        break;
    case DT_STRING:
        strbuf_add(b, tstr_data(p), tstr_len(p));
        break;
    case DT_BOOL:
        strbuf_printf(b, "%d", *(const bool *)p);
        break;
    case DT_INT32:
        strbuf_printf(b, "%d", (int)*(const int32_t *)p);
        break;
    default:
        strbuf_printf(b, "%lld", (long long)*(const int64_t *)p);
    }
}

static bool fail_other_value(const struct tensor *keys, int64_t i, int dtype, const void *has,
                             const void *value, struct status *st)
{
    struct strbuf b = {0};
    strbuf_puts(&b, "HashTable has different value for same key. Key ");
    add_value(&b, keys->dtype, (const char *)keys->data + (size_t)i * dtype_size(keys->dtype));
    strbuf_puts(&b, " has ");
    add_value(&b, dtype, has);
    strbuf_puts(&b, " and trying to add value ");
    add_value(&b, dtype, value);
    status_precondition(st, "%s", strbuf_text(&b));
    strbuf_release(&b);
    return false;
}

static bool put_all(struct store *s, const struct tensor *keys, const struct tensor *values,
                    struct status *st)
{
    if (!store_reserve(s, keys->num_elems, st))
        return false;
    for (int64_t i = 0; i < keys->num_elems; i++) {
        const char *value = (const char *)values->data + (size_t)i * s->value_bytes;
        int64_t row = store_find(s, keys->data, i);
        if (row >= 0 && !same_value(s->value_dtype, store_row(s, row), value))
            return fail_other_value(keys, i, s->value_dtype, store_row(s, row), value, st);
        if (row >= 0)
            continue;
        row = store_add(s, keys->data, i);
        if (row < 0)
            return status_exhausted(st, "no memory for a table's key");
        if (!store_set(s, row, value, st))
            return false;
    }
    return true;
}

static bool hash_fill(struct table *t, const struct tensor *keys, const struct tensor *values,
                      struct status *st)
{
    struct hash_table *h = (struct hash_table *)t;
    rwlock_write(&t->lock);
    bool ok = true;
    if (h->filled) {
        if (keys->num_elems != h->store.num)
            ok = status_precondition(st, "Table was already initialized with different data.");
    } else {
        ok = put_all(&h->store, keys, values, st);
        if (ok)
            __atomic_store_n(&h->filled, true, __ATOMIC_RELEASE);
        else
            store_release(&h->store);
    }
    rwlock_drop(&t->lock);
    return ok;
}

static struct table *hash_copy(struct table_facts *f, struct note_reader *in, struct status *st)
{
    struct hash_table *h = mem_new(struct hash_table);
    (void)in;
    if (f->key_shape.rank != 0 || f->value_shape.rank != 0 ||
        !table_init_facts(&h->base, &table_hash_kind, f, st)) {
        mem_free(h);
        (void)(status_ok(st) && status_invalid(st, "A hash table's keys and values are scalars"));
        return NULL;
    }
    store_init(&h->store, h->base.key_dtype, h->base.value_dtype, 1);
    return &h->base;
}

const struct table_kind table_hash_kind = {
    .name = "hash",
    .make = hash_copy,
    .release = hash_release,
    .size = hash_size,
    .find = hash_find,
    .insert = hash_insert,
    .remove = hash_remove,
    .import = hash_fill,
    .take_all = hash_take_all,
    .fill = hash_fill,
    .filled = is_filled,
};

/* --- the ops --- */

static struct table *make(struct kctx *c, struct status *st)
{
    struct hash_table *h = mem_new(struct hash_table);
    struct shape scalar = shape_scalar();
    if (!table_init(&h->base, &table_hash_kind, c, &scalar, &scalar, st)) {
        mem_free(h);
        return NULL;
    }
    store_init(&h->store, h->base.key_dtype, h->base.value_dtype, 1);
    return &h->base;
}

static bool make_run(struct kctx *c, struct status *st)
{
    return table_give(c, make, st);
}

#define MAKER(id, op_name, handle, text)                                                           \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .outputs = {"table_handle: " handle},                                                      \
        .attrs = {"container: string = ''", "shared_name: string = ''",                            \
                  "use_node_name_sharing: bool = false", "key_dtype: type", "value_dtype: type"},  \
        .flags = OP_STATEFUL,                                                                      \
        .shape = table_infer_make,                                                                 \
        .no_grad = "it has no inputs",                                                             \
    };                                                                                             \
    KERNEL_DEF(id##_any) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"key_dtype: {int32, int64, string}",                         \
                                      "value_dtype: {float, double, int32, string}"},              \
                            .run = make_run};                                                      \
    KERNEL_DEF(id##_long) = {.op = op_name,                                                        \
                             .device = "CPU",                                                      \
                             .types = {"key_dtype: {int64, string}", "value_dtype: {int64}"},      \
                             .run = make_run};                                                     \
    KERNEL_DEF(id##_bool) = {.op = op_name,                                                        \
                             .device = "CPU",                                                      \
                             .types = {"key_dtype: {string}", "value_dtype: {bool}"},              \
                             .run = make_run}
MAKER(hash_table_v2, "HashTableV2", "resource", "A table from keys to values that is filled once.");
MAKER(hash_table, "HashTable", "Ref(string)",
      "A table from keys to values that is filled once; HashTableV2 takes its place.");
