/* SPDX-License-Identifier: Apache-2.0 */
/* MutableHashTable, MutableHashTableOfTensors and their V2 forms: tables that take and lose keys
 * at any time. The values are scalars, or vectors of one length. */
#include "base/mem.h"
#include "ops/lookup/store.h"
#include "ops/lookup/table.h"

struct mutable_table {
    struct table base;
    struct store store; /* guarded by base.lock */
};

static struct store *store_of(struct table *t)
{
    return &((struct mutable_table *)t)->store;
}

static void mutable_release(struct table *t)
{
    store_release(store_of(t));
    table_release_common(t);
    mem_free(t);
}

static int64_t mutable_size(struct table *t)
{
    rwlock_read(&t->lock);
    int64_t n = store_of(t)->num;
    rwlock_drop(&t->lock);
    return n;
}

static bool mutable_find(struct table *t, const struct tensor *keys, const struct tensor *none,
                         void *out, struct status *st)
{
    rwlock_read(&t->lock);
    bool ok = store_find_rows(store_of(t), keys, none->data, out, st);
    rwlock_drop(&t->lock);
    return ok;
}

static bool put_all(struct store *s, const struct tensor *keys, const struct tensor *values,
                    struct status *st)
{
    if (!store_reserve(s, keys->num_elems, st))
        return false;
    for (int64_t i = 0; i < keys->num_elems; i++) {
        int64_t row = store_find(s, keys->data, i);
        if (row < 0 && (row = store_add(s, keys->data, i)) < 0)
            return status_exhausted(st, "no memory for a table's key");
        if (!store_set(s, row, (const char *)values->data + (size_t)i * s->value_bytes, st))
            return false;
    }
    return true;
}

static bool mutable_insert(struct table *t, const struct tensor *keys, const struct tensor *values,
                           struct status *st)
{
    rwlock_write(&t->lock);
    bool ok = put_all(store_of(t), keys, values, st);
    rwlock_drop(&t->lock);
    return ok;
}

static bool mutable_import(struct table *t, const struct tensor *keys, const struct tensor *values,
                           struct status *st)
{
    rwlock_write(&t->lock);
    store_release(store_of(t));
    bool ok = put_all(store_of(t), keys, values, st);
    rwlock_drop(&t->lock);
    return ok;
}

static bool mutable_remove(struct table *t, const struct tensor *keys, struct status *st)
{
    (void)st;
    rwlock_write(&t->lock);
    for (int64_t i = 0; i < keys->num_elems; i++) {
        int64_t row = store_find(store_of(t), keys->data, i);
        if (row >= 0)
            store_remove(store_of(t), row);
    }
    rwlock_drop(&t->lock);
    return true;
}

static bool mutable_take_all(struct table *t, struct tensor *keys, struct tensor *values,
                             struct status *st)
{
    rwlock_read(&t->lock);
    bool ok = store_sorted(store_of(t), keys, values, &t->value_shape, st);
    rwlock_drop(&t->lock);
    return ok;
}

static struct table *mutable_copy(struct table_facts *f, struct note_reader *in, struct status *st)
{
    struct mutable_table *m = mem_new(struct mutable_table);
    (void)in;
    if (f->key_shape.rank != 0 || !table_init_facts(&m->base, &table_mutable_kind, f, st)) {
        mem_free(m);
        (void)(status_ok(st) && status_invalid(st, "A mutable hash table's keys are scalars"));
        return NULL;
    }
    store_init(&m->store, m->base.key_dtype, m->base.value_dtype, m->base.value_elems);
    return &m->base;
}

const struct table_kind table_mutable_kind = {
    .name = "mutable",
    .make = mutable_copy,
    .release = mutable_release,
    .size = mutable_size,
    .find = mutable_find,
    .insert = mutable_insert,
    .remove = mutable_remove,
    .import = mutable_import,
    .take_all = mutable_take_all,
};

/* --- the ops --- */

static struct table *make_with(struct kctx *c, const struct shape *value, struct status *st)
{
    struct mutable_table *m = mem_new(struct mutable_table);
    struct shape scalar = shape_scalar();
    if (!table_init(&m->base, &table_mutable_kind, c, &scalar, value, st)) {
        mem_free(m);
        return NULL;
    }
    store_init(&m->store, m->base.key_dtype, m->base.value_dtype, m->base.value_elems);
    return &m->base;
}

static struct table *make_scalars(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    return make_with(c, &scalar, st);
}

static struct table *make_vectors(struct kctx *c, struct status *st)
{
    const struct shape *value;
    if (!attrs_get_shape(kernel_attrs(c), "value_shape", &value, st))
        return NULL;
    if (value->rank == 1)
        return make_with(c, value, st);
    char *text = table_shape_text(value);
    status_invalid(st, "Default value must be a vector, got shape %s", text);
    mem_free(text);
    return NULL;
}

static bool scalars_run(struct kctx *c, struct status *st)
{
    return table_give(c, make_scalars, st);
}

static bool vectors_run(struct kctx *c, struct status *st)
{
    return table_give(c, make_vectors, st);
}

/* Says what stands behind the handle: a scalar for each key, values of value_shape. */
static bool make_shape(struct infer_ctx *c, struct status *st)
{
    const struct attrs *attrs = infer_attrs(c);
    const struct attr_value *value = attrs_find(attrs, "value_shape");
    const struct shape *shapes[] = {
        infer_scalar(c), value && value->kind == ATTR_SHAPE ? &value->shape : infer_scalar(c)};
    int types[] = {attrs_type(attrs, "key_dtype"), attrs_type(attrs, "value_dtype")};
    if (!table_infer_make(c, st))
        return false;
    if (infer_output_type(c, 0) == DT_RESOURCE)
        infer_set_handle(c, 0, (struct infer_handle){2, types, shapes});
    return true;
}

/* clang-format off */
#define KERNELS(id, op_name, fn, long_values)                                                      \
    KERNEL_DEF(id##_any) = {.op = op_name, .device = "CPU",                                        \
        .types = {"key_dtype: {int32, int64, string}", "value_dtype: {float, double, int32}"},     \
        .run = fn};                                                                                \
    KERNEL_DEF(id##_long) = {.op = op_name, .device = "CPU",                                       \
        .types = {"key_dtype: {int64}", "value_dtype: " long_values}, .run = fn};                  \
    KERNEL_DEF(id##_text) = {.op = op_name, .device = "CPU",                                       \
        .types = {"key_dtype: {string}", "value_dtype: {int64, bool}"}, .run = fn}
#define MAKER(id, op_name, handle, fn, long_values, more, text)                                    \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .outputs = {"table_handle: " handle},                                                      \
        .attrs = {"container: string = ''", "shared_name: string = ''",                            \
                  "use_node_name_sharing: bool = false", "key_dtype: type", "value_dtype: type",   \
                  more},                                                                    \
        .flags = OP_STATEFUL,                                                                      \
        .shape = make_shape,                                                                       \
        .no_grad = "it has no inputs",                                                             \
    };                                                                                             \
    KERNELS(id, op_name, fn, long_values)
/* clang-format on */
#define ALL "{int64, string, variant}"
#define PLAIN "{int64, string}"
MAKER(mutable_hash_table_v2, "MutableHashTableV2", "resource", scalars_run, ALL, NULL,
      "A table from keys to scalars that takes and loses keys at any time.");
MAKER(mutable_hash_table, "MutableHashTable", "Ref(string)", scalars_run, ALL, NULL,
      "A table from keys to scalars that changes; MutableHashTableV2 takes its place.");
MAKER(mutable_hash_table_of_tensors_v2, "MutableHashTableOfTensorsV2", "resource", vectors_run,
      PLAIN, "value_shape: shape = []",
      "A table from keys to vectors that takes and loses keys at any time.");
MAKER(mutable_hash_table_of_tensors, "MutableHashTableOfTensors", "Ref(string)", vectors_run, PLAIN,
      "value_shape: shape = []",
      "A table from keys to vectors that changes; MutableHashTableOfTensorsV2 takes its place.");
