/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: values that share counted buffers. */
#include "tensor/tensor.h"

#include <string.h>

#include "tensor/block.h"

static bool out_of_memory(int dtype, const struct shape *shape, struct status *st)
{
    struct strbuf text = {0};
    shape_print(shape, &text);
    status_exhausted(st, "OOM when allocating tensor with shape%s and type %s", strbuf_text(&text),
                     dtype_name(dtype));
    strbuf_release(&text);
    return false;
}

bool tensor_new(struct tensor *t, int dtype, const struct shape *shape, struct status *st)
{
    int64_t n;
    if (UNLIKELY(!dtype_valid(dtype) || dtype_is_ref(dtype)))
        return status_invalid(st, "Cannot make a tensor of type %s (%d)", dtype_name(dtype), dtype);
    if (!shape_num_elems(shape, &n, st))
        return false;
    struct buffer *b = buffer_try(dtype, n);
    if (UNLIKELY(!b))
        return out_of_memory(dtype, shape, st);
    *t = (struct tensor){
        .dtype = dtype, .shape = shape_copy(shape), .num_elems = n, .data = b->data, .buf = b};
    return true;
}

struct tensor tensor_copy(const struct tensor *t)
{
    struct tensor r = *t;
    r.shape = shape_copy(&t->shape);
    buffer_ref(r.buf);
    return r;
}

void tensor_clear(struct tensor *t)
{
    shape_clear(&t->shape);
    buffer_unref(t->buf);
    *t = (struct tensor){0};
}

bool tensor_dup(const struct tensor *t, struct tensor *out, struct status *st)
{
    struct tensor made = {0};
    if (!tensor_new(&made, t->dtype, &t->shape, st))
        return false;
    if (!elems_copy(t->dtype, made.data, t->data, t->num_elems)) {
        tensor_clear(&made);
        return out_of_memory(t->dtype, &t->shape, st);
    }
    *out = made;
    return true;
}

bool tensor_reshaped(const struct tensor *t, const struct shape *shape, struct tensor *out,
                     struct status *st)
{
    int64_t n;
    if (!shape_num_elems(shape, &n, st))
        return false;
    if (n != t->num_elems)
        return status_invalid(st, "A tensor with %lld elements cannot be seen as one with %lld",
                              (long long)t->num_elems, (long long)n);
    struct tensor r = *t;
    r.shape = shape_copy(shape);
    buffer_ref(r.buf);
    *out = r;
    return true;
}

struct tensor tensor_rows(const struct tensor *t, int64_t begin, int64_t end)
{
    const int64_t *dims = shape_dims(&t->shape);
    ASSERT(t->shape.rank >= 1 && 0 <= begin && begin <= end && end <= dims[0]);
    int64_t row = dims[0] ? t->num_elems / dims[0] : 0;
    int64_t cut[SHAPE_MAX_RANK];
    memcpy(cut, dims, sizeof(*cut) * (size_t)t->shape.rank);
    cut[0] = end - begin;
    return (struct tensor){.dtype = t->dtype,
                           .shape = shape_make(cut, t->shape.rank),
                           .num_elems = row * (end - begin),
                           .data = (char *)t->data + (size_t)(row * begin) * dtype_size(t->dtype),
                           .buf = buffer_ref(t->buf)};
}

bool tensor_from(struct tensor *t, int dtype, const int64_t *dims, int rank, const void *elems,
                 struct status *st)
{
    if (rank < 0 || rank > SHAPE_MAX_RANK)
        return status_invalid(st, "A tensor of rank %d cannot be made", rank);
    struct shape shape = shape_make(dims, rank);
    struct tensor made = {0};
    bool ok = tensor_new(&made, dtype, &shape, st);
    if (ok && !elems_copy(dtype, made.data, elems, made.num_elems)) {
        tensor_clear(&made);
        ok = out_of_memory(dtype, &shape, st);
    }
    shape_clear(&shape);
    if (ok)
        *t = made;
    return ok;
}
