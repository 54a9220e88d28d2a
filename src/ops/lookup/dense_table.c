/* SPDX-License-Identifier: Apache-2.0 */
/* MutableDenseHashTable and its V2 form: keys and values in the rows of two tensors, the buckets.
 *
 * A key lies at the first free bucket of the sequence that its hash begins (steps of 1, 2, 3...).
 * One key stands for a free bucket and another for one whose key was removed; neither can be put.
 * Hashes and growth are TensorFlow's, since exports and imports are the buckets as they lie. */
#include <string.h>

#include "base/mem.h"
#include "ops/lookup/hash.h"
#include "ops/lookup/table.h"

struct dense_table {
    struct table base;
    struct tensor free_key, gone_key; /* gone_key: DT_INVALID where keys are never removed */
    uint64_t free_hash, gone_hash;
    float max_load;
    /* guarded by base.lock */
    struct tensor keys, values; /* [buckets, elements] */
    int64_t num_buckets;        /* a power of two */
    int64_t num;                /* keys that are there */
};

static struct dense_table *dense_of(struct table *t)
{
    return (struct dense_table *)t;
}

static void dense_release(struct table *t)
{
    struct dense_table *d = dense_of(t);
    tensor_clear(&d->free_key);
    tensor_clear(&d->gone_key);
    tensor_clear(&d->keys);
    tensor_clear(&d->values);
    table_release_common(t);
    mem_free(d);
}

static int64_t dense_size(struct table *t)
{
    rwlock_read(&t->lock);
    int64_t n = dense_of(t)->num;
    rwlock_drop(&t->lock);
    return n;
}

/* --- keys --- */

/* A key that is not in the table yet, or one of its own. */
struct key {
    const struct tensor *of;
    int64_t row;
    uint64_t hash;
};

static uint64_t hash_elem(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_STRING: {
        const struct tstr *s = &tensor_str(t)[i];
        return table_hash(tstr_data(s), tstr_len(s));
    }
    case DT_INT32:
        return (uint64_t)(int64_t)tensor_i32(t)[i];
    default:
        return (uint64_t)tensor_i64(t)[i];
    }
}

static struct key key_at(const struct dense_table *d, const struct tensor *keys, int64_t row)
{
    int64_t n = d->base.key_elems;
    uint64_t hash = n == 1 ? hash_elem(keys, row) : 0;
    for (int64_t i = 0; n > 1 && i < n; i++)
        hash = table_hash_join(hash, hash_elem(keys, row * n + i));
    return (struct key){keys, row, hash};
}

static bool same_key(const struct dense_table *d, const struct key *k, const struct tensor *keys,
                     int64_t row)
{
    int64_t n = d->base.key_elems;
    size_t bytes = (size_t)n * dtype_size(keys->dtype);
    if (keys->dtype != DT_STRING)
        return memcmp((const char *)k->of->data + (size_t)k->row * bytes,
                      (const char *)keys->data + (size_t)row * bytes, bytes) == 0;
    for (int64_t i = 0; i < n; i++)
        if (!str_eq(tstr_view(&tensor_str(k->of)[k->row * n + i]),
                    tstr_view(&tensor_str(keys)[row * n + i])))
            return false;
    return true;
}

static bool is_free(const struct dense_table *d, const struct key *k)
{
    return k->hash == d->free_hash && same_key(d, k, &d->free_key, 0);
}

static bool is_gone(const struct dense_table *d, const struct key *k)
{
    return d->gone_key.dtype && k->hash == d->gone_hash && same_key(d, k, &d->gone_key, 0);
}

static bool want_usual(const struct dense_table *d, const struct key *k, struct status *st)
{
    if (is_free(d, k))
        return status_invalid(st, "Using the empty_key as a table key is not allowed");
    if (is_gone(d, k))
        return status_invalid(st, "Using the deleted_key as a table key is not allowed");
    return true;
}

/* The bucket of k, or -1; then *room is the first bucket that could take it, or -1. */
static int64_t find_bucket(const struct dense_table *d, const struct key *k, int64_t *room)
{
    int64_t at = (int64_t)(k->hash & (uint64_t)(d->num_buckets - 1));
    *room = -1;
    for (int64_t step = 1; step <= d->num_buckets; step++) {
        if (same_key(d, k, &d->keys, at))
            return at;
        struct key there = {&d->keys, at, d->free_hash};
        if (same_key(d, &there, &d->free_key, 0)) {
            *room = *room < 0 ? at : *room;
            return -1;
        }
        if (*room < 0 && d->gone_key.dtype && same_key(d, &there, &d->gone_key, 0))
            *room = at;
        at = (at + step) & (d->num_buckets - 1);
    }
    return -1;
}

/* --- buckets --- */

static char *row_of(const struct tensor *t, int64_t row, int64_t elems)
{
    return (char *)t->data + (size_t)row * (size_t)elems * dtype_size(t->dtype);
}

static bool copy_row(struct tensor *to, int64_t row, const struct tensor *from, int64_t at,
                     int64_t elems, struct status *st)
{
    return elems_copy(to->dtype, row_of(to, row, elems), row_of(from, at, elems), elems) ||
           status_exhausted(st, "no memory for a table's row");
}

/* n free buckets in place of what d has, which *keys and *values take. */
static bool new_buckets(struct dense_table *d, int64_t n, struct tensor *keys,
                        struct tensor *values, struct status *st)
{
    const struct table *t = &d->base;
    struct shape k = shape_2(n, t->key_elems), v = shape_2(n, t->value_elems);
    struct tensor new_keys = {0}, new_values = {0};
    bool ok = tensor_new(&new_keys, t->key_dtype, &k, st) &&
              tensor_new(&new_values, t->value_dtype, &v, st);
    for (int64_t i = 0; ok && i < n; i++)
        ok = copy_row(&new_keys, i, &d->free_key, 0, t->key_elems, st);
    if (!ok) {
        tensor_clear(&new_keys);
        tensor_clear(&new_values);
        return false;
    }
    if (!dtype_is_managed(t->value_dtype) && tensor_bytes(&new_values))
        memset(new_values.data, 0, tensor_bytes(&new_values));
    *keys = tensor_take(&d->keys);
    *values = tensor_take(&d->values);
    d->keys = new_keys;
    d->values = new_values;
    d->num_buckets = n;
    d->num = 0;
    return true;
}

static bool put(struct dense_table *d, const struct key *k, const struct tensor *values,
                struct status *st)
{
    int64_t room, at = find_bucket(d, k, &room);
    if (at < 0 && room < 0)
        return status_internal(st, "A table of %lld buckets has no room for a key",
                               (long long)d->num_buckets);
    if (at < 0) {
        if (!copy_row(&d->keys, room, k->of, k->row, d->base.key_elems, st))
            return false;
        d->num++;
        at = room;
    }
    return copy_row(&d->values, at, values, k->row, d->base.value_elems, st);
}

static bool rebucket(struct dense_table *d, int64_t n, struct status *st)
{
    struct tensor keys, values;
    int64_t old = d->num_buckets;
    if (!new_buckets(d, n, &keys, &values, st))
        return false;
    bool ok = true;
    for (int64_t i = 0; ok && i < old; i++) {
        struct key k = key_at(d, &keys, i);
        if (!is_free(d, &k) && !is_gone(d, &k))
            ok = put(d, &k, &values, st);
    }
    tensor_clear(&keys);
    tensor_clear(&values);
    return ok;
}

static bool grow(struct dense_table *d, int64_t more, struct status *st)
{
    int64_t n = d->num_buckets, need = d->num + more;
    while ((float)need > (float)n * d->max_load) {
        if (n > INT64_MAX / 2)
            return status_exhausted(st, "A table of %lld keys", (long long)need);
        n *= 2;
    }
    return n == d->num_buckets || rebucket(d, n, st);
}

/* --- what tables answer --- */

/* The number of keys, whose first dim alone may be a batch. */
static bool count_keys(const struct dense_table *d, const struct tensor *keys, int64_t *n,
                       struct status *st)
{
    const struct table *t = &d->base;
    *n = tensor_rank(keys) == 0 ? 1 : tensor_dim(keys, 0);
    if (*n <= keys->num_elems && keys->num_elems == *n * t->key_elems)
        return true;
    int64_t dims[2] = {*n, t->key_elems};
    struct shape want = shape_make(dims, 1 + t->key_shape.rank);
    char *w = table_shape_text(&want), *have = table_shape_text(&keys->shape);
    status_invalid(st, "Expected key shape %s got %s", w, have);
    mem_free(w);
    mem_free(have);
    return false;
}

static bool dense_find(struct table *t, const struct tensor *keys, const struct tensor *none,
                       void *out, struct status *st)
{
    struct dense_table *d = dense_of(t);
    int64_t n, room;
    if (!count_keys(d, keys, &n, st))
        return false;
    size_t bytes = (size_t)t->value_elems * dtype_size(t->value_dtype);
    bool ok = true;
    rwlock_read(&t->lock);
    for (int64_t i = 0; ok && i < n; i++) {
        struct key k = key_at(d, keys, i);
        ok = want_usual(d, &k, st);
        int64_t at = ok ? find_bucket(d, &k, &room) : -1;
        const void *from = at >= 0 ? row_of(&d->values, at, t->value_elems) : none->data;
        if (ok &&
            !elems_copy(t->value_dtype, (char *)out + (size_t)i * bytes, from, t->value_elems))
            ok = status_exhausted(st, "no memory for what a table gives");
    }
    rwlock_drop(&t->lock);
    return ok;
}

static bool dense_insert(struct table *t, const struct tensor *keys, const struct tensor *values,
                         struct status *st)
{
    struct dense_table *d = dense_of(t);
    int64_t n;
    if (!count_keys(d, keys, &n, st))
        return false;
    rwlock_write(&t->lock);
    bool ok = grow(d, n, st);
    for (int64_t i = 0; ok && i < n; i++) {
        struct key k = key_at(d, keys, i);
        ok = want_usual(d, &k, st) && put(d, &k, values, st);
    }
    rwlock_drop(&t->lock);
    return ok;
}

static bool dense_remove(struct table *t, const struct tensor *keys, struct status *st)
{
    struct dense_table *d = dense_of(t);
    int64_t n, room;
    if (!count_keys(d, keys, &n, st))
        return false;
    bool ok = d->gone_key.dtype || status_invalid(st, "This table has no deleted_key");
    rwlock_write(&t->lock);
    for (int64_t i = 0; ok && i < n; i++) {
        struct key k = key_at(d, keys, i);
        ok = want_usual(d, &k, st);
        int64_t at = ok ? find_bucket(d, &k, &room) : -1;
        if (at < 0)
            continue;
        ok = copy_row(&d->keys, at, &d->gone_key, 0, t->key_elems, st);
        d->num -= ok;
    }
    rwlock_drop(&t->lock);
    return ok;
}

static bool dense_import(struct table *t, const struct tensor *keys, const struct tensor *values,
                         struct status *st)
{
    struct dense_table *d = dense_of(t);
    int64_t n = keys->num_elems / t->key_elems;
    if (n < 1 || (n & (n - 1)))
        return status_invalid(st, "An import has a power of two of buckets, not %lld",
                              (long long)n);
    if (keys->num_elems != n * t->key_elems || values->num_elems != n * t->value_elems)
        return status_invalid(st, "An import of %lld buckets has %lld values", (long long)n,
                              (long long)values->num_elems);
    struct tensor new_keys, new_values;
    if (!tensor_dup(keys, &new_keys, st))
        return false;
    if (!tensor_dup(values, &new_values, st)) {
        tensor_clear(&new_keys);
        return false;
    }
    rwlock_write(&t->lock);
    struct tensor old_keys = d->keys, old_values = d->values;
    d->keys = new_keys;
    d->values = new_values;
    d->num_buckets = n;
    d->num = 0;
    for (int64_t i = 0; i < n; i++) {
        struct key k = key_at(d, &d->keys, i);
        d->num += !is_free(d, &k) && !is_gone(d, &k);
    }
    rwlock_drop(&t->lock);
    tensor_clear(&old_keys);
    tensor_clear(&old_values);
    return true;
}

static bool dense_take_all(struct table *t, struct tensor *keys, struct tensor *values,
                           struct status *st)
{
    rwlock_read(&t->lock);
    bool ok =
        tensor_dup(&dense_of(t)->keys, keys, st) && tensor_dup(&dense_of(t)->values, values, st);
    rwlock_drop(&t->lock);
    return ok;
}

/* The two keys that stand for no key; gone may be NULL. */
static bool set_keys(struct dense_table *d, const struct tensor *none, const struct tensor *gone,
                     struct status *st)
{
    if (!tensor_dup(none, &d->free_key, st))
        return false;
    d->free_hash = key_at(d, &d->free_key, 0).hash;
    if (!gone)
        return true;
    if (!tensor_dup(gone, &d->gone_key, st))
        return false;
    struct key k = key_at(d, &d->gone_key, 0);
    d->gone_hash = k.hash;
    return !is_free(d, &k) || status_invalid(st, "Empty and deleted keys cannot be equal");
}

/* --- copies in other processes --- */

static void dense_tell(struct table *t, struct note *n)
{
    const struct dense_table *d = dense_of(t);
    note_put_bytes(n, &d->max_load, sizeof d->max_load);
    note_put(n, &d->free_key);
    if (d->gone_key.dtype)
        note_put(n, &d->gone_key);
}

static bool read_dense(struct dense_table *d, struct note_reader *in, struct status *st)
{
    enum { FIRST_BUCKETS = 4 };
    const struct table *t = &d->base;
    struct tensor none[2] = {0};
    if (!note_get_bytes(in, &d->max_load, sizeof d->max_load, st))
        return false;
    bool ok = d->max_load > 0 && d->max_load < 1 && (in->n - in->at == 1 || in->n - in->at == 2);
    for (int i = in->at; ok && i < in->n; i++)
        ok = in->values[i].dtype == t->key_dtype && in->values[i].num_elems == t->key_elems;
    if (!ok)
        return status_invalid(st, "A note of a dense table has no such keys");
    const struct tensor *key = in->values + in->at;
    return set_keys(d, key, in->n - in->at == 2 ? key + 1 : NULL, st) &&
           new_buckets(d, FIRST_BUCKETS, &none[0], &none[1], st);
}

static struct table *dense_copy(struct table_facts *f, struct note_reader *in, struct status *st)
{
    struct dense_table *d = mem_new(struct dense_table);
    if (!table_init_facts(&d->base, &table_dense_kind, f, st)) {
        mem_free(d);
        return NULL;
    }
    if (read_dense(d, in, st))
        return &d->base;
    dense_release(&d->base);
    return NULL;
}

const struct table_kind table_dense_kind = {
    .name = "dense",
    .tell = dense_tell,
    .make = dense_copy,
    .release = dense_release,
    .size = dense_size,
    .find = dense_find,
    .insert = dense_insert,
    .remove = dense_remove,
    .import = dense_import,
    .take_all = dense_take_all,
    .scalar_is_row = true,
};

/* --- making --- */

static bool want_attrs(int64_t buckets, float max_load, const struct shape *value,
                       struct status *st)
{
    if (!(max_load > 0 && max_load < 1))
        return status_invalid(st, "max_load_factor must be between 0 and 1, got: %g",
                              (double)max_load);
    if (buckets < 4 || (buckets & (buckets - 1)))
        return status_invalid(st,
                              "Number of buckets must be at least 4 and a power of 2, got: %lld",
                              (long long)buckets);
    if (value->rank == 0 || value->rank == 1)
        return true;
    char *text = table_shape_text(value);
    status_invalid(st, "Empty value must be a scalar or a vector, got shape %s", text);
    mem_free(text);
    return false;
}

static bool want_keys(const struct kctx *c, struct status *st)
{
    const struct tensor *free_key = kernel_in(c, 0);
    if (tensor_rank(free_key) > 1) {
        char *text = table_shape_text(&free_key->shape);
        status_invalid(st, "Empty key must be a scalar or a vector, got shape %s", text);
        mem_free(text);
        return false;
    }
    if (kernel_num_inputs(c) < 2 || shape_equal(&free_key->shape, &kernel_in(c, 1)->shape))
        return true;
    char *a = table_shape_text(&free_key->shape), *b = table_shape_text(&kernel_in(c, 1)->shape);
    status_invalid(st, "Empty and deleted keys must have same shape, got shapes: %s and %s", a, b);
    mem_free(a);
    mem_free(b);
    return false;
}

/* The two keys and the first buckets. */
static bool set_up(struct dense_table *d, struct kctx *c, int64_t buckets, struct status *st)
{
    struct tensor none[2] = {0};
    return set_keys(d, kernel_in(c, 0), kernel_num_inputs(c) > 1 ? kernel_in(c, 1) : NULL, st) &&
           new_buckets(d, buckets, &none[0], &none[1], st);
}

static struct table *make(struct kctx *c, struct status *st)
{
    const struct attrs *attrs = kernel_attrs(c);
    int64_t buckets = attrs_int(attrs, "initial_num_buckets");
    float max_load = attrs_float(attrs, "max_load_factor");
    const struct shape *value;
    if (!attrs_get_shape(attrs, "value_shape", &value, st) ||
        !want_attrs(buckets, max_load, value, st) || !want_keys(c, st))
        return NULL;
    struct dense_table *d = mem_new(struct dense_table);
    if (!table_init(&d->base, &table_dense_kind, c, &kernel_in(c, 0)->shape, value, st)) {
        mem_free(d);
        return NULL;
    }
    d->max_load = max_load;
    if (set_up(d, c, buckets, st))
        return &d->base;
    resource_unref(&d->base.base);
    return NULL;
}

/* The old op has no key for removed ones: its kernel has never worked in TensorFlow either. */
static bool make_run(struct kctx *c, struct status *st)
{
    if (kernel_num_inputs(c) < 2)
        return status_invalid(st, "Unknown input name: deleted_key");
    return table_give(c, make, st);
}

/* A third part behind the handle says that it is a dense table. */
static bool make_shape(struct infer_ctx *c, struct status *st)
{
    const struct attrs *attrs = infer_attrs(c);
    const struct attr_value *value = attrs_find(attrs, "value_shape");
    const struct shape *key;
    for (int i = 0; i < infer_num_inputs(c) && infer_output_type(c, 0) == DT_RESOURCE; i++)
        if (!infer_want_rank_max(c, infer_input(c, i), 1, &key, st))
            return false;
    const struct shape *shapes[] = {
        infer_input(c, 0), value && value->kind == ATTR_SHAPE ? &value->shape : infer_unknown(c),
        infer_scalar(c)};
    int types[] = {attrs_type(attrs, "key_dtype"), attrs_type(attrs, "value_dtype"), DT_INT64};
    if (!table_infer_make(c, st))
        return false;
    if (infer_output_type(c, 0) == DT_RESOURCE)
        infer_set_handle(c, 0, (struct infer_handle){3, types, shapes});
    return true;
}

/* clang-format off */
#define LIST(...) __VA_ARGS__
#define MAKER(id, op_name, handle, ins, text)                                                      \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {ins},                                                                           \
        .outputs = {"table_handle: " handle},                                                      \
        .attrs = {"container: string = ''", "shared_name: string = ''",                            \
                  "use_node_name_sharing: bool = false", "key_dtype: type", "value_dtype: type",   \
                  "value_shape: shape = []", "initial_num_buckets: int = 131072",                  \
                  "max_load_factor: float = 0.8"},                                                 \
        .flags = OP_STATEFUL,                                                                      \
        .shape = make_shape,                                                                       \
        .no_grad = "what a table holds has no gradient",                                           \
    };                                                                                             \
    KERNEL_DEF(id##_any) = {.op = op_name, .device = "CPU",                                        \
        .types = {"key_dtype: {int32, int64, string}", "value_dtype: {float, double, int32}"},     \
        .run = make_run};                                                                          \
    KERNEL_DEF(id##_long) = {.op = op_name, .device = "CPU",                                       \
        .types = {"key_dtype: {int64, string}", "value_dtype: {int64, bool}"}, .run = make_run};   \
    KERNEL_DEF(id##_variant) = {.op = op_name, .device = "CPU",                                    \
        .types = {"key_dtype: {int64}", "value_dtype: {variant}"}, .run = make_run}
/* clang-format on */
MAKER(mutable_dense_hash_table_v2, "MutableDenseHashTableV2", "resource",
      LIST("empty_key: key_dtype", "deleted_key: key_dtype"),
      "A table that keeps its keys and values in two tensors, its buckets.");
MAKER(mutable_dense_hash_table, "MutableDenseHashTable", "Ref(string)", "empty_key: key_dtype",
      "A table that keeps its keys and values in two tensors; MutableDenseHashTableV2 takes its "
      "place.");
