/* SPDX-License-Identifier: Apache-2.0 */
/* DeserializeSparse and DeserializeManySparse: what serialize_sparse.c makes, back, several sparse
 * tensors put together as one with dims in front. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"
#include "op/tensor_variant.h"
#include "ops/parsing/tensor_bytes.h"

struct part { /* one sparse tensor */
    struct tensor t[3];
};
enum { INDICES, VALUES, SHAPE };

struct parts {
    struct part *v;
    int64_t n;
};

static bool get(const struct tensor *in, int64_t i, struct tensor *out, struct status *st)
{
    if (in->dtype == DT_VARIANT) {
        const struct tensor *t = tensor_variant_get(((struct variant *const *)in->data)[i]);
        if (!t)
            return status_invalid(st, "Could not parse serialized variant");
        *out = tensor_copy(t);
        return true;
    }
    struct status why = {0};
    if (tensor_from_bytes(tstr_view(&tensor_str(in)[i]), out, &why) == BYTES_OK)
        return true;
    status_clear(&why);
    return status_invalid(st, "Could not parse serialized proto");
}

static bool bad_part(int64_t i, int k, const char *want, const struct tensor *t, struct status *st)
{
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st,
                   "Expected `serialized_sparse[%lld, %d]` to represent %s but received shape %s",
                   (long long)i, k, want, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool check_part(const struct part *p, int64_t i, int dtype, int64_t rank, struct status *st)
{
    const struct tensor *ix = &p->t[INDICES], *values = &p->t[VALUES], *shape = &p->t[SHAPE];
    if (values->dtype != dtype)
        return status_invalid(
            st, "Requested SparseTensor of type %s but SparseTensor[%lld].values.dtype() == %s",
            dtype_name(dtype), (long long)i, dtype_name(values->dtype));
    if (ix->dtype != DT_INT64 || tensor_rank(ix) != 2)
        return bad_part(i, INDICES, "an index matrix", ix, st);
    if (tensor_rank(values) != 1)
        return bad_part(i, VALUES, "a values vector", values, st);
    if (shape->dtype != DT_INT64 || tensor_rank(shape) != 1)
        return bad_part(i, SHAPE, "a shape vector", shape, st);
    if (tensor_dim(ix, 0) != values->num_elems)
        return status_invalid(st,
                              "Expected row counts of SparseTensor[%lld].indices and "
                              "SparseTensor[%lld].values to match but they do not: %lld vs. %lld",
                              (long long)i, (long long)i, (long long)tensor_dim(ix, 0),
                              (long long)values->num_elems);
    if (tensor_dim(ix, 1) != shape->num_elems)
        return status_invalid(st,
                              "Expected column counts of SparseTensor[%lld].indices to match size "
                              "of SparseTensor[%lld].shape but they do not: %lld vs. %lld",
                              (long long)i, (long long)i, (long long)tensor_dim(ix, 1),
                              (long long)shape->num_elems);
    if (shape->num_elems != rank)
        return status_invalid(
            st,
            "Inconsistent rank across SparseTensors: rank prior to "
            "SparseTensor[%lld] was: %lld but rank of SparseTensor[%lld] is: %lld",
            (long long)i, (long long)rank, (long long)i, (long long)shape->num_elems);
    return true;
}

static bool read_parts(struct kctx *c, const struct tensor *in, struct parts *parts,
                       struct status *st)
{
    int dtype = kernel_output_type(c, 1);
    int64_t bytes;
    if (!size_mul(parts->n, (int64_t)sizeof(*parts->v), &bytes))
        return status_exhausted(st, "too many sparse tensors");
    parts->v = kernel_scratch(c, max_i64(bytes, 1), st);
    if (!parts->v)
        return false;
    memset(parts->v, 0, (size_t)bytes);
    for (int64_t i = 0; i < parts->n; i++) {
        struct part *p = &parts->v[i];
        for (int k = 0; k < 3; k++) {
            if (!get(in, 3 * i + k, &p->t[k], st))
                return false;
        }
        if (!check_part(p, i, dtype, i ? parts->v[0].t[SHAPE].num_elems : p->t[SHAPE].num_elems,
                        st))
            return false;
    }
    return true;
}

static void release_parts(struct parts *parts)
{
    for (int64_t i = 0; parts->v && i < parts->n; i++) {
        for (int k = 0; k < 3; k++)
            tensor_clear(&parts->v[i].t[k]);
    }
}

/* The shape: the dims in front, then the greatest of each dim of the parts. */
static bool put_shape(struct kctx *c, const struct shape *front, const struct parts *parts,
                      struct status *st)
{
    int64_t rank = parts->v[0].t[SHAPE].num_elems, first = front->rank - 1;
    struct shape s = shape_1(first + rank);
    struct tensor *out = kernel_out(c, 2, &s, st);
    if (!out)
        return false;
    int64_t *dims = tensor_i64(out);
    memset(dims, 0, (size_t)(first + rank) * sizeof(*dims));
    for (int64_t d = 0; d < first; d++)
        dims[d] = shape_dim(front, (int)d);
    for (int64_t i = 0; i < parts->n; i++) {
        for (int64_t d = 0; d < rank; d++)
            dims[first + d] = max_i64(dims[first + d], tensor_i64(&parts->v[i].t[SHAPE])[d]);
    }
    return true;
}

static bool put_elements(struct kctx *c, const struct shape *front, const struct parts *parts,
                         struct status *st)
{
    int64_t rank = parts->v[0].t[SHAPE].num_elems, first = front->rank - 1, total = 0, at = 0;
    for (int64_t i = 0; i < parts->n; i++)
        total += parts->v[i].t[VALUES].num_elems;
    struct shape rows = shape_2(total, first + rank), vector = shape_1(total);
    struct tensor *ix = kernel_out(c, 0, &rows, st);
    struct tensor *values = ix ? kernel_out(c, 1, &vector, st) : NULL;
    if (!values)
        return false;
    int64_t *row = tensor_i64(ix);
    size_t size = dtype_size(values->dtype);
    for (int64_t i = 0; i < parts->n; i++) {
        const struct tensor *from = &parts->v[i].t[INDICES], *v = &parts->v[i].t[VALUES];
        if (!elems_copy(values->dtype, (char *)values->data + (size_t)at * size, v->data,
                        v->num_elems))
            return status_exhausted(st, "no memory for strings");
        at += v->num_elems;
        for (int64_t k = 0; k < v->num_elems; k++, row += first + rank) {
            int64_t rest = i;
            for (int64_t d = first - 1; d >= 0; d--) {
                row[d] = rest % shape_dim(front, (int)d);
                rest /= shape_dim(front, (int)d);
            }
            memcpy(row + first, tensor_i64(from) + k * rank, (size_t)rank * sizeof(*row));
        }
    }
    return true;
}

static bool bad_input(const struct tensor *in, const char *words, struct status *st)
{
    struct strbuf text = {0};
    shape_print(&in->shape, &text);
    status_invalid(st, "Serialized sparse should have %s %s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in);
    struct parts parts = {.n = in->num_elems / 3};
    if (rank == 0)
        return bad_input(in, "non-zero rank", st);
    if (tensor_dim(in, rank - 1) != 3)
        return bad_input(in, "3 as the last dimension", st);
    if (parts.n == 0)
        return bad_input(in, "at least 1 serialized tensor, but has a zero dimension", st);
    bool ok = read_parts(c, in, &parts, st) && put_shape(c, &in->shape, &parts, st) &&
              put_elements(c, &in->shape, &parts, st);
    release_parts(&parts);
    return ok;
}

static bool shape_of(struct infer_ctx *c, bool many, struct status *st)
{
    const struct shape *s;
    int64_t three;
    if (!(many ? infer_want_rank(c, infer_input(c, 0), 2, &s, st)
               : infer_want_rank_min(c, infer_input(c, 0), 1, &s, st)) ||
        !infer_want_dim(c, infer_dim(s, -1), 3, &three, st))
        return false;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, DIM_UNKNOWN));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static bool one_shape(struct infer_ctx *c, struct status *st)
{
    return shape_of(c, false, st);
}

static bool many_shape(struct infer_ctx *c, struct status *st)
{
    return shape_of(c, true, st);
}

OP_DEF(deserialize_sparse) = {
    .name = "DeserializeSparse",
    .summary = "Serialized sparse tensors of any shape as one sparse tensor.",
    .inputs = {"serialized_sparse: Tserialized"},
    .outputs = {"sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"},
    .attrs = {"dtype: type", "Tserialized: {string, variant} = DT_STRING"},
    .shape = one_shape,
    .no_grad = "undefined: serialized tensors have no gradient",
};
KERNEL_DEF(deserialize_sparse_cpu) = {.op = "DeserializeSparse", .device = "CPU", .run = run};

OP_DEF(deserialize_many_sparse) = {
    .name = "DeserializeManySparse",
    .summary = "A batch of serialized sparse tensors as one sparse tensor.",
    .inputs = {"serialized_sparse: string"},
    .outputs = {"sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"},
    .attrs = {"dtype: type"},
    .shape = many_shape,
    .no_grad = "undefined: serialized tensors have no gradient",
};
KERNEL_DEF(deserialize_many_sparse_cpu) = {
    .op = "DeserializeManySparse", .device = "CPU", .run = run};
