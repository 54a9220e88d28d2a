/* SPDX-License-Identifier: Apache-2.0 */
/* Pad and PadV2: the input with zeros, or a given value, around it. */
#include "ops/array/pad.h"
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"
#include "ops/array/value.h"

/* --- shape --- */

bool pad_infer_amounts(struct infer_ctx *c, const struct shape **in, const struct tensor **amounts,
                       struct status *st)
{
    const struct shape *pads;
    int64_t n;
    *amounts = NULL;
    *in = infer_input(c, 0);
    if (!infer_want_rank(c, infer_input(c, 1), 2, &pads, st) ||
        !infer_want_dim(c, infer_dim(pads, 1), 2, &n, st))
        return false;
    n = infer_dim(pads, 0);
    if (n > SHAPE_MAX_RANK)
        return status_invalid(st, "Shape must be at most rank %d but is rank %lld", SHAPE_MAX_RANK,
                              (long long)n);
    if (n >= 0 ? !infer_want_rank(c, *in, (int)n, in, st)
               : (*in)->rank >= 0 && !infer_want_dim(c, n, (*in)->rank, &n, st))
        return false;
    *amounts = infer_const(c, 1);
    for (int64_t i = 0; *amounts && i < (*amounts)->num_elems; i++) {
        if (tensor_index(*amounts, i) < 0)
            return status_invalid(st, "Paddings must be non-negative");
    }
    return true;
}

bool pad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    const struct tensor *pads;
    int64_t dims[SHAPE_MAX_RANK];
    if (!pad_infer_amounts(c, &in, &pads, st))
        return false;
    infer_set(c, 0, infer_of_rank(c, in->rank));
    if (!pads || in->rank < 0)
        return true;
    for (int i = 0; i < in->rank; i++)
        dims[i] = infer_dim_add(shape_dim(in, i), infer_dim_add(tensor_index(pads, 2 * i),
                                                                tensor_index(pads, 2 * i + 1)));
    infer_set(c, 0, infer_make(c, dims, in->rank));
    return true;
}

/* --- gradient: the part of dy that lies over the input --- */

static bool pad_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), pads = grad_in(g, 1);
    if (grad_as_python(g)) {
        struct output column = grad_column(g, grad_rank(g, x));
        struct output zeros = grad_const_i32s(g, (int32_t[]){0, 0}, 2);
        struct output before = grad_op3(g, "Slice", pads, zeros, column);
        before = grad_reshape(g, before, grad_const_i32s(g, (int32_t[]){-1}, 1));
        struct output own = grad_shape_as(g, x, grad_type_of(g, pads));
        grad_set(g, 0, grad_op3(g, "Slice", grad_dy(g, 0), before, own));
        return grad_done(g, st);
    }
    struct attr type = {(char *)"out_type", attr_type(grad_type_of(g, pads))};
    struct output size = grad_opv(g, "Shape", 1, &x, 1, &type);
    /* the first column of paddings */
    struct output spec[] = {pads, grad_const_i32s(g, (int32_t[]){0, 0}, 2),
                            grad_const_i32s(g, (int32_t[]){0, 1}, 2),
                            grad_const_i32s(g, (int32_t[]){1, 1}, 2)};
    struct output begin = grad_opv(g, "strided_slice=StridedSlice", 4, spec, 3,
                                   (struct attr[]){{(char *)"begin_mask", attr_int(1)},
                                                   {(char *)"end_mask", attr_int(1)},
                                                   {(char *)"shrink_axis_mask", attr_int(2)}});
    grad_set(g, 0, grad_op3(g, "Slice", grad_dy(g, 0), begin, size));
    return grad_done(g, st);
}

/* --- kernel --- */

bool pad_read_amounts(struct kctx *c, const struct pad_words *words, struct pad_amount *amounts,
                      struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *pads = kernel_in(c, 1);
    if (tensor_rank(pads) != 2 || tensor_dim(pads, 1) != 2)
        return array_fail_shape(st, "paddings must be a matrix with 2 columns: ", &pads->shape);
    if (tensor_dim(pads, 0) != tensor_rank(in))
        return array_fail_shapes(st, "The first dimension of paddings must be the rank of inputs",
                                 &pads->shape, words->shapes, &in->shape, "");
    for (int i = 0; i < tensor_rank(in); i++) {
        amounts[i].before = tensor_index(pads, 2 * i);
        amounts[i].after = tensor_index(pads, 2 * i + 1);
        if (amounts[i].before < 0 || amounts[i].after < 0)
            return status_invalid(st, "%s%lld%s%lld", words->negative, (long long)amounts[i].before,
                                  words->amounts, (long long)amounts[i].after);
    }
    return true;
}

static const struct pad_words pad_words = {"Paddings must be non-negative: ", " ", " "};

static bool pad_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct tensor *value = kernel_num_inputs(c) > 2 ? kernel_in(c, 2) : NULL;
    int rank = tensor_rank(in);
    struct pad_amount amounts[SHAPE_MAX_RANK];
    int64_t dims[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], at = 0;
    if (!pad_read_amounts(c, &pad_words, amounts, st))
        return false;
    if (value && tensor_rank(value) != 0)
        return array_fail_shape(st, "constant_values must be a scalar. Found: ", &value->shape);
    for (int i = 0; i < rank; i++) {
        if (!size_add(tensor_dim(in, i), amounts[i].before, &dims[i]) ||
            !size_add(dims[i], amounts[i].after, &dims[i]))
            return status_invalid(st, "Pad: dimension %d would be too long", i);
    }
    struct shape shape = shape_make(dims, rank);
    if (shape_equal(&shape, &in->shape)) {
        shape_clear(&shape);
        kernel_out_share(c, 0, in);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    if (!value)
        value_zero(c, out);
    else if (!value_fill(c, out, value->data, st))
        return false;
    if (in->num_elems == 0)
        return true;
    nd_steps(&in->shape, from);
    nd_steps(&out->shape, to);
    struct nd_copy copy;
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < rank; i++) {
        at += amounts[i].before * to[i];
        nd_axis(&copy, tensor_dim(in, i), from[i], to[i]);
    }
    copy.dst += at * (int64_t)dtype_size(in->dtype);
    return nd_run(c, &copy, st);
}

OP_DEF(pad) = {
    .name = "Pad",
    .summary = "The input with zeros around it: paddings[i] says how many before and after axis i.",
    .inputs = {"input: T", "paddings: Tpaddings"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32"},
    .shape = pad_shape,
    .grad = pad_grad,
    .no_kernel = "resources and variants have no zero",
};
KERNEL_DEF(pad_cpu) = {.op = "Pad",
                       .device = "CPU",
                       .types = {"T: {numbertype, bool, string}"},
                       .run = pad_run,
                       .flags = KERNEL_ALIAS};

OP_DEF(pad_v2) = {
    .name = "PadV2",
    .summary =
        "The input with a value around it: paddings[i] says how many before and after axis i.",
    .inputs = {"input: T", "paddings: Tpaddings", "constant_values: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32"},
    .shape = pad_shape,
    .grad = pad_grad,
};
KERNEL_DEF(pad_v2_cpu) = {.op = "PadV2", .device = "CPU", .run = pad_run, .flags = KERNEL_ALIAS};
