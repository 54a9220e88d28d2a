/* SPDX-License-Identifier: Apache-2.0 */
/* Bitcast: the same bytes as elements of another type. The buffer is shared where its elements are
 * aligned for the new type. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/array/text.h"

#include <string.h>

/* The shape under the new element size; false where the last dim does not fit. */
static bool recast(const struct shape *in, int64_t from, int64_t to, int64_t *dims, int *rank)
{
    *rank = in->rank;
    for (int i = 0; i < in->rank; i++)
        dims[i] = shape_dim(in, i);
    if (from > to) {
        if (in->rank == SHAPE_MAX_RANK)
            return false;
        dims[(*rank)++] = from / to;
    } else if (from < to) {
        if (in->rank == 0)
            return false;
        int64_t last = dims[--*rank];
        return last == DIM_UNKNOWN || last == to / from;
    }
    return true;
}

static bool bitcast_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0);
    int64_t from = (int64_t)dtype_size(infer_input_type(c, 0)),
            to = (int64_t)dtype_size(infer_output_type(c, 0)), dims[SHAPE_MAX_RANK];
    int rank;
    infer_set(c, 0, infer_unknown(c));
    if (in->rank < 0)
        return true;
    if (from < to && !infer_want_rank_min(c, in, 1, &in, st))
        return false;
    if (!recast(in, from, to, dims, &rank))
        return status_invalid(st, "Cannot bitcast due to shape. %lld does not match %lld",
                              (long long)infer_dim(in, -1), (long long)(to / from));
    infer_set(c, 0, infer_make(c, dims, rank));
    return true;
}

static bool bitcast_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int type = kernel_output_type(c, 0), rank;
    int64_t dims[SHAPE_MAX_RANK];
    size_t to = dtype_size(type), align = to < 8 ? to : 8;
    if (!recast(&in->shape, (int64_t)dtype_size(in->dtype), (int64_t)to, dims, &rank))
        return status_invalid(st, "Cannot bitcast from %d to %d", in->dtype, type);
    struct shape shape = shape_make(dims, rank);
    int64_t elems;
    bool ok = shape_num_elems(&shape, &elems, st);
    if (ok && (uintptr_t)in->data % align == 0) {
        struct tensor same = tensor_copy(in);
        shape_clear(&same.shape);
        same.shape = shape;
        same.dtype = type;
        same.num_elems = elems;
        kernel_out_take(c, 0, &same);
        return true;
    }
    struct tensor *out = ok ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    if (elems > 0)
        memcpy(out->data, in->data, tensor_bytes(out));
    return true;
}

OP_DEF(bitcast) = {
    .name = "Bitcast",
    .summary = "The bytes of the input taken as elements of another type.",
    .inputs = {"input: T"},
    .outputs = {"output: type"},
    .attrs = {"T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
              "int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}",
              "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
              "int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}"},
    .shape = bitcast_shape,
    .no_grad = "undefined: Bitcast",
};
KERNEL_DEF(bitcast_cpu) = {
    .op = "Bitcast", .device = "CPU", .run = bitcast_run, .flags = KERNEL_ALIAS};
