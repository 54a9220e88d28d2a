/* SPDX-License-Identifier: Apache-2.0 */
/* StridedSlice and its gradient: NumPy's basic slicing. Slices that take whole rows share the
 * buffer. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/strided.h"
#include "ops/array/text.h"
#include "ops/array/value.h"

/* --- shape --- */

/* begin, end and strides (inputs 1 to 3) are vectors of one length. */
static bool want_spec(struct infer_ctx *c, const struct shape **out, struct status *st)
{
    const struct shape *s[3];
    for (int i = 0; i < 3; i++) {
        if (!infer_want_rank(c, infer_input(c, i + 1), 1, &s[i], st))
            return false;
    }
    return infer_merge(c, s[0], s[1], out, st) && infer_merge(c, *out, s[2], out, st);
}

static bool slice_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *spec_shape;
    if (!want_spec(c, &spec_shape, st))
        return false;
    struct strided_spec spec = {.strides = infer_const(c, 3),
                                .masks = strided_masks(infer_attrs(c))};
    infer_set(c, 0, infer_unknown(c));
    if (in->rank < 0 || infer_dim(spec_shape, 0) < 0 || !spec.strides)
        return true;
    spec.begin = infer_const(c, 1);
    spec.end = infer_const(c, 2);
    struct strided_plan plan;
    if (!strided_plan_make(&spec, in, &plan, st))
        return false;
    infer_set(c, 0, infer_make(c, plan.final, plan.final_rank));
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

static bool grad_shape_fn(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    if (!infer_const_shape(c, 0, &out, st))
        return false;
    infer_set(c, 0, out);
    return true;
}

/* --- gradients --- */

static struct output with_masks(struct grad_ctx *g, const char *op, const struct output *inputs,
                                int n)
{
    static const char *const names[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                        "shrink_axis_mask"};
    struct attr attrs[ARRAY_LEN(names)];
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        attrs[i] = (struct attr){(char *)names[i], attr_int(attrs_int(grad_attrs(g), names[i]))};
    return grad_opv(g, op, n, inputs, ARRAY_LEN(names), attrs);
}

static bool slice_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), begin = grad_in(g, 1);
    struct output shape = grad_shape_as(g, x, grad_type_of(g, begin));
    struct output inputs[] = {shape, begin, grad_in(g, 2), grad_in(g, 3), grad_dy(g, 0)};
    grad_set(g, 0, with_masks(g, "StridedSliceGrad", inputs, 5));
    return grad_done(g, st);
}

static bool slice_grad_grad(struct grad_ctx *g, struct status *st)
{
    struct output inputs[] = {grad_dy(g, 0), grad_in(g, 1), grad_in(g, 2), grad_in(g, 3)};
    grad_set(g, 4, with_masks(g, "StridedSlice", inputs, 4));
    return grad_done(g, st);
}

/* --- kernels --- */

struct mask_state {
    struct strided_masks masks;
};

static bool mask_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    ((struct mask_state *)state)->masks = strided_masks(k->attrs);
    return true;
}

static bool plan_of(struct kctx *c, const struct shape *in, struct strided_plan *plan,
                    struct status *st)
{
    struct strided_spec spec = {.begin = kernel_in(c, 1),
                                .end = kernel_in(c, 2),
                                .strides = kernel_in(c, 3),
                                .masks = ((const struct mask_state *)kernel_state(c))->masks};
    return strided_plan_make(&spec, in, plan, st);
}

static bool share_rows(struct kctx *c, const struct strided_plan *p, const struct shape *shape,
                       struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor rows =
        p->rank == 0 ? tensor_copy(in) : tensor_rows(in, p->begin[0], p->begin[0] + p->size[0]);
    struct tensor out;
    bool ok = tensor_reshaped(&rows, shape, &out, st);
    tensor_clear(&rows);
    if (ok)
        kernel_out_take(c, 0, &out);
    return ok;
}

static bool slice_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct strided_plan plan;
    if (!plan_of(c, &in->shape, &plan, st))
        return false;
    struct shape shape = shape_make(plan.final, plan.final_rank);
    if (plan.rows) {
        bool ok = share_rows(c, &plan, &shape, st);
        shape_clear(&shape);
        return ok;
    }
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t steps[SHAPE_MAX_RANK];
    struct nd_copy copy;
    nd_steps(&in->shape, steps);
    nd_begin(&copy, in->dtype, in->data, out->data);
    copy.src += strided_axes(&plan, steps, true, &copy) * (int64_t)dtype_size(in->dtype);
    return nd_run(c, &copy, st);
}

OP_DEF(strided_slice) = {
    .name = "StridedSlice",
    .summary = "The elements that ranges with strides, one for each axis, take from the input.",
    .inputs = {"input: T", "begin: Index", "end: Index", "strides: Index"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
              "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
    .shape = slice_shape,
    .grad = slice_grad,
};
KERNEL_DEF(strided_slice_cpu) = {.op = "StridedSlice",
                                 .device = "CPU",
                                 .flags = KERNEL_ALIAS,
                                 .state_bytes = sizeof(struct mask_state),
                                 .init = mask_init,
                                 .run = slice_run};

static bool fail_dy(const struct tensor *dy, const struct shape *wanted, struct status *st)
{
    return array_fail_shapes(st, "shape of dy was ", &dy->shape, " instead of ", wanted, "");
}

static bool grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *wanted = kernel_in(c, 0), *dy = kernel_in(c, 4);
    struct shape shape;
    struct strided_plan plan;
    if (tensor_rank(wanted) != 1)
        return array_fail_shape(st, "shape must be 1-D, got shape.shape = ", &wanted->shape);
    if (!kernel_shape_from(wanted, &shape, st))
        return false;
    bool ok = plan_of(c, &shape, &plan, st);
    if (ok) {
        struct shape final = shape_make(plan.final, plan.final_rank);
        ok = shape_equal(&final, &dy->shape) || fail_dy(dy, &final, st);
        shape_clear(&final);
    }
    struct tensor *out = ok ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    value_zero(c, out);
    if (dy->num_elems == 0)
        return true;
    int64_t steps[SHAPE_MAX_RANK];
    struct nd_copy copy;
    nd_steps(&out->shape, steps);
    nd_begin(&copy, dy->dtype, dy->data, out->data);
    copy.dst += strided_axes(&plan, steps, false, &copy) * (int64_t)dtype_size(dy->dtype);
    return nd_run(c, &copy, st);
}

OP_DEF(strided_slice_grad) = {
    .name = "StridedSliceGrad",
    .summary = "Zeros of the given shape, with dy at the places that the slice would take.",
    .inputs = {"shape: Index", "begin: Index", "end: Index", "strides: Index", "dy: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
              "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
    .shape = grad_shape_fn,
    .grad = slice_grad_grad,
};
KERNEL_DEF(strided_slice_grad_cpu) = {.op = "StridedSliceGrad",
                                      .device = "CPU",
                                      .state_bytes = sizeof(struct mask_state),
                                      .init = mask_init,
                                      .run = grad_run};
