/* SPDX-License-Identifier: Apache-2.0 */
/* Fill, ZerosLike, OnesLike, Empty: tensors of one value. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"
#include "ops/array/value.h"

#include <string.h>

bool value_fill(struct kctx *k, struct tensor *out, const void *value, struct status *st)
{
    struct nd_copy copy;
    nd_begin(&copy, out->dtype, value, out->data);
    nd_axis(&copy, out->num_elems, 0, 1);
    return nd_run(k, &copy, st);
}

static void zero_piece(void *arg, int64_t begin, int64_t end)
{
    memset((char *)arg + begin, 0, (size_t)(end - begin));
}

void value_zero(struct kctx *k, struct tensor *out)
{
    enum { ONE_PIECE = 1 << 15 };
    if (dtype_is_managed(out->dtype))
        return;
    int64_t bytes = (int64_t)tensor_bytes(out);
    if (bytes <= ONE_PIECE)
        memset(out->data, 0, (size_t)bytes);
    else
        kernel_loop(k, bytes, 0.05, zero_piece, out->data);
}

/* --- Fill --- */

static bool fill_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    const struct tensor *dims = infer_const(c, 0);
    if (!infer_want_rank(c, infer_input(c, 0), 1, &out, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &out, st))
        return false;
    for (int64_t i = 0; dims && i < dims->num_elems; i++) {
        if (tensor_index(dims, i) < 0)
            return status_invalid(st, "Fill dimensions must be >= 0");
    }
    if (!infer_const_shape(c, 0, &out, st))
        return false;
    infer_set(c, 0, out);
    infer_set_handle(c, 0, infer_handle_in(c, 1));
    return true;
}

static bool fill_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    const int rank = grad_shape_of(g, dy)->rank;
    if (grad_as_python(g) && rank >= 0) {
        int32_t all[SHAPE_MAX_RANK];
        for (int i = 0; i < rank; i++)
            all[i] = i;
        grad_name(g, "Const");
        grad_set(g, 1, grad_op2(g, "Sum", dy, grad_const_i32s(g, all, rank)));
        return grad_done(g, st);
    }
    struct output axes = grad_op3(g, "range=Range", grad_const_i32(g, 0), grad_op1(g, "Rank", dy),
                                  grad_const_i32(g, 1));
    grad_set(g, 1, grad_op2(g, "Sum", dy, axes));
    return grad_done(g, st);
}

static bool fill_run(struct kctx *c, struct status *st)
{
    const struct tensor *dims = kernel_in(c, 0), *value = kernel_in(c, 1);
    struct shape shape;
    if (tensor_rank(dims) != 1)
        return array_fail_shape(st, "dims must be a vector, got shape ", &dims->shape);
    if (tensor_rank(value) != 0)
        return array_fail_shape(st, "value must be a scalar, got shape ", &value->shape);
    if (!kernel_shape_from(dims, &shape, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out && value_fill(c, out, value->data, st);
}

OP_DEF(fill) = {
    .name = "Fill",
    .summary = "A tensor of the given shape, each element of which is the given scalar.",
    .inputs = {"dims: index_type", "value: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "index_type: {int32, int64} = DT_INT32"},
    .shape = fill_shape,
    .grad = fill_grad,
};
KERNEL_DEF(fill_cpu) = {.op = "Fill", .device = "CPU", .run = fill_run};

/* --- ZerosLike, OnesLike --- */

static bool zeros_of_variants(struct kctx *c, const struct tensor *in, struct status *st)
{
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        const struct variant *v = ((struct variant **)in->data)[i];
        if (!v || !v->type->zeros)
            return status_unimplemented(st, "ZerosLike: zeros of variants of type '%s'",
                                        v ? v->type->name : "");
        struct variant *zeros = v->type->zeros(v, st);
        if (!zeros)
            return false;
        ((struct variant **)out->data)[i] = zeros;
    }
    return out != NULL;
}

static bool zeros_like_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (in->dtype == DT_VARIANT)
        return zeros_of_variants(c, in, st);
    if (in->dtype == DT_STRING) { /* cleared when made */
        struct tensor *out = kernel_out(c, 0, &in->shape, st);
        return out != NULL;
    }
    struct tensor *out = kernel_out_forward(c, 0, 0, &in->shape, st);
    if (!out)
        return false;
    value_zero(c, out);
    return true;
}

OP_DEF(zeros_like) = {
    .name = "ZerosLike",
    .summary = "Zeros in the shape of the input.",
    .inputs = {"x: T"},
    .outputs = {"y: T"},
    .attrs = {"T: type"},
    .shape = infer_unchanged,
    .no_grad = "the result does not depend on the input's values",
    .no_kernel = "a resource has no zero",
};
KERNEL_DEF(zeros_like_cpu) = {.op = "ZerosLike",
                              .device = "CPU",
                              .types = {"T: {numbertype, bool, string, variant}"},
                              .run = zeros_like_run};

union one {
    uint8_t b[16];
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f;
    double d;
    struct c64 c;
    struct c128 z;
};

static union one one_of(int dtype)
{
    union one v = {{0}};
    switch (dtype) {
    case DT_FLOAT:
        v.f = 1;
        break;
    case DT_DOUBLE:
        v.d = 1;
        break;
    case DT_HALF:
        v.u16 = f16_from_f32(1).bits;
        break;
    case DT_BFLOAT16:
        v.u16 = bf16_from_f32(1).bits;
        break;
    case DT_COMPLEX64:
        v.c.re = 1;
        break;
    case DT_COMPLEX128:
        v.z.re = 1;
        break;
    default: /* integers and bool */
        switch (dtype_size(dtype)) {
        case 1:
            v.u8 = 1;
            break;
        case 2:
            v.u16 = 1;
            break;
        case 4:
            v.u32 = 1;
            break;
        default:
            v.u64 = 1;
        }
    }
    return v;
}

static bool ones_like_run(struct kctx *c, struct status *st)
{
    struct tensor *out = kernel_out_forward(c, 0, 0, &kernel_in(c, 0)->shape, st);
    if (!out)
        return false;
    union one v = one_of(out->dtype);
    return value_fill(c, out, &v, st);
}

OP_DEF(ones_like) = {
    .name = "OnesLike",
    .summary = "Ones in the shape of the input.",
    .inputs = {"x: T"},
    .outputs = {"y: T"},
    .attrs = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool}"},
    .shape = infer_unchanged,
    .no_grad = "the result does not depend on the input's values",
};
KERNEL_DEF(ones_like_cpu) = {.op = "OnesLike", .device = "CPU", .run = ones_like_run};

/* --- Empty --- */

static bool empty_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    if (!infer_const_shape(c, 0, &out, st))
        return false;
    infer_set(c, 0, out);
    return true;
}

/* Always cleared: uninitialised memory could tell what it held before. */
static bool empty_run(struct kctx *c, struct status *st)
{
    const struct tensor *dims = kernel_in(c, 0);
    struct shape shape;
    if (tensor_rank(dims) != 1)
        return array_fail_shape(st, "shape must be a vector of int32, got shape ", &dims->shape);
    if (!kernel_shape_from(dims, &shape, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    value_zero(c, out);
    return true;
}

OP_DEF(empty) = {
    .name = "Empty",
    .summary = "A tensor of the given shape, whose values the caller means to set.",
    .inputs = {"shape: int32"},
    .outputs = {"output: dtype"},
    .attrs = {"dtype: type", "init: bool = false"},
    .flags = OP_STATEFUL,
    .shape = empty_shape,
    .no_grad = "undefined: Empty",
};
KERNEL_DEF(empty_cpu) = {.op = "Empty", .device = "CPU", .run = empty_run};
