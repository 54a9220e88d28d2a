/* SPDX-License-Identifier: Apache-2.0 */
/* AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: sparse tensors
 * kept under numbers, so that queues and batches carry a number for each. A number is taken once.
 * The map is a resource of the session, found by container and shared_name. */
#include <string.h>

#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "ops/sparse/coords.h"

struct kept { /* one sparse tensor; coordinates of rank num_dims, a row an entry */
    int64_t n, num_dims;
    int64_t *rows, *dims;
    struct tensor values;
};

struct tensors_map {
    struct resource base;
    struct lock lock;
    struct u64map kept; /* guarded by lock: number + 1 -> struct kept */
    int64_t next;       /* guarded by lock */
};

static void kept_free(struct kept *k)
{
    if (!k)
        return;
    mem_free(k->rows);
    mem_free(k->dims);
    tensor_clear(&k->values);
    mem_free(k);
}

static void map_release(struct resource *r)
{
    struct tensors_map *m = (struct tensors_map *)r;
    uint64_t key;
    void *value;
    for (int64_t i = 0; u64map_next(&m->kept, &i, &key, &value);)
        kept_free(value);
    u64map_release(&m->kept);
    lock_release_memory(&m->lock);
    mem_free(m);
}

static const struct resource_type map_type = {"N10tensorflow16SparseTensorsMapE", map_release,
                                              NULL};

static struct resource *map_make(void *arg UNUSED, struct status *st UNUSED)
{
    struct tensors_map *m = mem_new(struct tensors_map);
    resource_init(&m->base, &map_type);
    lock_init(&m->lock, "tensors map", LOCK_RANK_RESOURCE);
    return &m->base;
}

static struct tensors_map *map_get(struct kctx *c, const char **name, struct status *st)
{
    const char *container;
    resource_names(c, true, &container, name);
    return (struct tensors_map *)resource_find_or_make(c->env->container_resources, container,
                                                       &map_type, *name, map_make, NULL, st);
}

/* --- adding --- */

/* Entries begin..begin + n of inputs 0 and 1, without their first `drop` coordinates. */
static struct kept *kept_new(const struct kctx *c, int64_t begin, int64_t n, int drop,
                             struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 1), *dims = kernel_in(c, 2);
    const int64_t rank = tensor_dim(ix, 1);
    struct kept *k = mem_new(struct kept);
    struct shape shape = shape_make(&n, 1);
    const size_t item = dtype_size(values->dtype);
    k->n = n;
    k->num_dims = rank - drop;
    bool ok = tensor_new(&k->values, values->dtype, &shape, st);
    if (ok && !elems_copy(values->dtype, k->values.data,
                          (const char *)values->data + (size_t)begin * item, n))
        ok = status_exhausted(st, "no memory to copy strings");
    shape_clear(&shape);
    if (!ok) {
        kept_free(k);
        return NULL;
    }
    k->rows = mem_new_array(int64_t, n * k->num_dims + 1);
    k->dims = mem_new_array(int64_t, k->num_dims + 1);
    for (int64_t i = 0; i < n; i++)
        memcpy(k->rows + i * k->num_dims, tensor_i64(ix) + (begin + i) * rank + drop,
               (size_t)k->num_dims * sizeof *k->rows);
    memcpy(k->dims, tensor_i64(dims) + drop, (size_t)k->num_dims * sizeof *k->dims);
    return k;
}

/* Takes k. */
static int64_t map_put(struct tensors_map *m, struct kept *k)
{
    lock_take(&m->lock);
    const int64_t number = m->next++;
    u64map_put(&m->kept, (uint64_t)number + 1, k);
    lock_drop(&m->lock);
    return number;
}

static bool check_rows(const struct kctx *c, struct status *st)
{
    if (tensor_rank(kernel_in(c, 0)) == 2 && tensor_rank(kernel_in(c, 1)) == 1 &&
        tensor_dim(kernel_in(c, 0), 0) != kernel_in(c, 1)->num_elems)
        return status_invalid(st,
                              "indices and values rows (indexing dimension) must match. (indices = "
                              "%lld, values = %lld)",
                              (long long)tensor_dim(kernel_in(c, 0), 0),
                              (long long)kernel_in(c, 1)->num_elems);
    return sparse_check(c, 0, st);
}

static bool add_run(struct kctx *c, struct status *st)
{
    const char *name;
    struct shape scalar = {0};
    struct tensor *out = check_rows(c, st) ? kernel_out(c, 0, &scalar, st) : NULL;
    struct kept *k = out ? kept_new(c, 0, kernel_in(c, 1)->num_elems, 0, st) : NULL;
    struct tensors_map *m = k ? map_get(c, &name, st) : NULL;
    if (!m) {
        kept_free(k);
        return false;
    }
    tensor_i64(out)[0] = map_put(m, k);
    resource_unref(&m->base);
    return true;
}

static bool check_order(const struct tensor *ix, const int64_t *dims, struct status *st)
{
    const int64_t n = tensor_dim(ix, 0), rank = tensor_dim(ix, 1), *rows = tensor_i64(ix);
    for (int64_t i = 1; i < n; i++)
        if (coords_compare(rows + (i - 1) * rank, rows + i * rank, rank) >= 0)
            return status_invalid(st,
                                  "indices[%lld] is out of order. Many sparse ops require sorted "
                                  "indices.",
                                  (long long)i);
    return sparse_check_inside(ix, dims, "AddManySparseToTensorsMap", st);
}

/* Numbers go to rows with entries first, in their order, and then to the others. */
static bool add_rows(struct kctx *c, struct tensors_map *m, int64_t *numbers, int64_t num,
                     struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0);
    const int64_t n = tensor_dim(ix, 0), rank = tensor_dim(ix, 1);
    for (int64_t row = 0; row < num; row++)
        numbers[row] = -1;
    for (int64_t begin = 0, end; begin < n; begin = end) {
        const int64_t row = tensor_i64(ix)[begin * rank];
        for (end = begin + 1; end < n && tensor_i64(ix)[end * rank] == row;)
            end++;
        struct kept *k = kept_new(c, begin, end - begin, 1, st);
        if (!k)
            return false;
        numbers[row] = map_put(m, k);
    }
    for (int64_t row = 0; row < num; row++) {
        struct kept *k = numbers[row] < 0 ? kept_new(c, 0, 0, 1, st) : NULL;
        if (numbers[row] < 0 && !k)
            return false;
        if (k)
            numbers[row] = map_put(m, k);
    }
    return true;
}

static bool add_many_run(struct kctx *c, struct status *st)
{
    const char *name;
    if (!check_rows(c, st))
        return false;
    const int64_t *dims = tensor_i64(kernel_in(c, 2)), rank = kernel_in(c, 2)->num_elems;
    if (rank < 2)
        return status_invalid(st, "Rank of input SparseTensor should be > 1, but saw rank: %lld",
                              (long long)rank);
    if (!check_order(kernel_in(c, 0), dims, st))
        return false;
    struct shape shape = shape_make(dims, 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    struct tensors_map *m = out ? map_get(c, &name, st) : NULL;
    bool ok = m && add_rows(c, m, tensor_i64(out), dims[0], st);
    resource_unref(m ? &m->base : NULL);
    return ok;
}

/* --- taking --- */

struct taken { /* of one call */
    struct kept **v;
    int64_t num, num_dims, entries;
};

static bool take_all(struct kctx *c, struct tensors_map *m, const char *name, struct taken *t,
                     struct status *st)
{
    const struct tensor *handles = kernel_in(c, 0);
    const int want = kernel_output_type(c, 1);
    for (int64_t i = 0; i < handles->num_elems; i++) {
        const int64_t number = tensor_i64(handles)[i];
        lock_take(&m->lock);
        struct kept *k = number >= 0 ? u64map_find(&m->kept, (uint64_t)number + 1) : NULL;
        if (k)
            u64map_remove(&m->kept, (uint64_t)number + 1);
        lock_drop(&m->lock);
        if (!k)
            return status_invalid(st, "Unable to find SparseTensor: %lld in map: %s",
                                  (long long)number, name);
        t->v[t->num++] = k;
        t->entries += k->n;
        if (k->values.dtype != want)
            return status_invalid(
                st, "Requested SparseTensor of type %s but SparseTensor[%lld].values.dtype() == %s",
                dtype_name(want), (long long)i, dtype_name(k->values.dtype));
        if (k->num_dims != t->v[0]->num_dims)
            return status_invalid(st,
                                  "Inconsistent rank across SparseTensors: rank prior to "
                                  "SparseTensor[%lld] was: %lld but rank of SparseTensor[%lld] is: "
                                  "%lld",
                                  (long long)i, (long long)t->v[0]->num_dims + 1, (long long)i,
                                  (long long)k->num_dims + 1);
    }
    t->num_dims = t->num ? t->v[0]->num_dims : 0;
    return true;
}

static bool join(struct kctx *c, const struct taken *t, struct status *st)
{
    const int64_t rank = t->num_dims + 1;
    struct shape shapes[3] = {shape_make((const int64_t[]){t->entries, rank}, 2),
                              shape_make(&t->entries, 1), shape_make(&rank, 1)};
    struct tensor *out[3] = {NULL};
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        out[i] = ok ? kernel_out(c, i, &shapes[i], st) : NULL;
        ok = out[i] != NULL;
        shape_clear(&shapes[i]);
    }
    if (!ok)
        return false;
    int64_t *rows = tensor_i64(out[0]), *dims = tensor_i64(out[2]), done = 0;
    const size_t item = dtype_size(out[1]->dtype);
    memset(dims, 0, (size_t)rank * sizeof *dims);
    dims[0] = t->num;
    for (int64_t i = 0; i < t->num; i++) {
        const struct kept *k = t->v[i];
        for (int64_t e = 0; e < k->n; e++) {
            rows[(done + e) * rank] = i;
            memcpy(rows + (done + e) * rank + 1, k->rows + e * k->num_dims,
                   (size_t)k->num_dims * sizeof *rows);
        }
        for (int64_t d = 0; d < k->num_dims; d++)
            dims[d + 1] = max_i64(dims[d + 1], k->dims[d]);
        if (!elems_copy(out[1]->dtype, (char *)out[1]->data + (size_t)done * item, k->values.data,
                        k->n))
            return status_exhausted(st, "no memory to copy strings");
        done += k->n;
    }
    return true;
}

static bool take_run(struct kctx *c, struct status *st)
{
    const char *name;
    if (!kernel_want_vector(c, 0, st))
        return false;
    struct tensors_map *m = map_get(c, &name, st);
    if (!m)
        return false;
    struct taken t = {.v = mem_new_array(struct kept *, kernel_in(c, 0)->num_elems + 1)};
    bool ok = take_all(c, m, name, &t, st) && join(c, &t, st);
    for (int64_t i = 0; i < t.num; i++)
        kept_free(t.v[i]);
    mem_free(t.v);
    resource_unref(&m->base);
    return ok;
}

/* --- definitions --- */

static bool add_shape(struct infer_ctx *c, struct status *st)
{
    int64_t n, rank;
    infer_set(c, 0, infer_scalar(c));
    return sparse_infer(c, 0, &n, &rank, st);
}

static bool add_many_shape(struct infer_ctx *c, struct status *st)
{
    int64_t n, rank;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    return sparse_infer(c, 0, &n, &rank, st);
}

static bool take_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *handles;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, DIM_UNKNOWN));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, infer_vector(c, DIM_UNKNOWN));
    return infer_want_rank(c, infer_input(c, 0), 1, &handles, st);
}

#define SPARSE_INPUTS                                                                              \
    {                                                                                              \
        "sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"                         \
    }
#define NAMED "container: string = ''", "shared_name: string = ''"
OP_DEF(add_sparse_to_tensors_map) = {
    .name = "AddSparseToTensorsMap",
    .summary = "Keeps a sparse tensor under a number.",
    .inputs = SPARSE_INPUTS,
    .outputs = {"sparse_handle: int64"},
    .attrs = {"T: type", NAMED},
    .flags = OP_STATEFUL,
    .shape = add_shape,
    .no_grad = "undefined: a number has none",
};
KERNEL_DEF(add_sparse_to_tensors_map_cpu) = {
    .op = "AddSparseToTensorsMap", .device = "CPU", .run = add_run};

OP_DEF(add_many_sparse_to_tensors_map) = {
    .name = "AddManySparseToTensorsMap",
    .summary = "Keeps each row of a sparse tensor under a number.",
    .inputs = SPARSE_INPUTS,
    .outputs = {"sparse_handles: int64"},
    .attrs = {"T: type", NAMED},
    .flags = OP_STATEFUL,
    .shape = add_many_shape,
    .no_grad = "undefined: a number has none",
};
KERNEL_DEF(add_many_sparse_to_tensors_map_cpu) = {
    .op = "AddManySparseToTensorsMap", .device = "CPU", .run = add_many_run};

OP_DEF(take_many_sparse_from_tensors_map) = {
    .name = "TakeManySparseFromTensorsMap",
    .summary = "Sparse tensors kept under numbers, as rows of one.",
    .inputs = {"sparse_handles: int64"},
    .outputs = {"sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"},
    .attrs = {"dtype: type", NAMED},
    .flags = OP_STATEFUL,
    .shape = take_shape,
    .no_grad = "undefined: a number has none",
};
KERNEL_DEF(take_many_sparse_from_tensors_map_cpu) = {
    .op = "TakeManySparseFromTensorsMap", .device = "CPU", .run = take_run};
