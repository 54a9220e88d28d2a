/* SPDX-License-Identifier: Apache-2.0 */
/* StridedSliceAssign, ResourceStridedSliceAssign, TensorStridedSliceUpdate: x[spec] = value, for
 * the two kinds of variable and for a copy. The value has exactly the slice's shape. */
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/strided.h"
#include "ops/array/text.h"

struct assign_state {
    struct strided_masks masks;
};

static bool assign_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    ((struct assign_state *)state)->masks = strided_masks(k->attrs);
    return true;
}

static bool fail_value(const struct shape *slice, const struct shape *value, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(slice, &a);
    shape_print(value, &b);
    status_unimplemented(st,
                         "sliced l-value shape %s does not match r-value shape %s. Automatic "
                         "broadcasting not yet implemented.",
                         strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool write_slice(struct kctx *c, struct tensor *x, struct status *st)
{
    const struct tensor *value = kernel_in(c, 4);
    struct strided_spec spec = {.begin = kernel_in(c, 1),
                                .end = kernel_in(c, 2),
                                .strides = kernel_in(c, 3),
                                .masks = ((const struct assign_state *)kernel_state(c))->masks};
    struct strided_plan plan;
    if (x->dtype != value->dtype)
        return status_invalid(st, "l-value dtype %s does not match r-value dtype %s",
                              dtype_name(x->dtype), dtype_name(value->dtype));
    if (!strided_plan_make(&spec, &x->shape, &plan, st))
        return false;
    struct shape final = shape_make(plan.final, plan.final_rank);
    int64_t taken = 0;
    bool ok = shape_num_elems(&final, &taken, st);
    if (ok && taken > 0 && !shape_equal(&final, &value->shape))
        ok = fail_value(&final, &value->shape, st);
    shape_clear(&final);
    if (!ok || taken == 0)
        return ok;
    int64_t steps[SHAPE_MAX_RANK];
    struct nd_copy copy;
    nd_steps(&x->shape, steps);
    nd_begin(&copy, x->dtype, value->data, x->data);
    copy.dst += strided_axes(&plan, steps, false, &copy) * (int64_t)dtype_size(x->dtype);
    return nd_run(c, &copy, st);
}

static bool write_variable(struct kctx *c, struct variable *v, struct status *st)
{
    struct tensor *x;
    if (!variable_write_begin(v, false, &x, st))
        return false;
    bool ok = write_slice(c, x, st);
    variable_write_end(v);
    return ok;
}

static bool assign_run(struct kctx *c, struct status *st)
{
    struct variable *v = kernel_ref(c, 0);
    if (!write_variable(c, v, st))
        return false;
    kernel_out_ref(c, 0, v);
    return true;
}

static bool resource_assign_run(struct kctx *c, struct status *st)
{
    struct variable *v = (struct variable *)resource_from_input(c, 0, &variable_type, st);
    bool ok = v && write_variable(c, v, st);
    variable_unref(v);
    return ok;
}

static bool update_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out_forward(c, 0, 0, &in->shape, st);
    if (!out)
        return false;
    if (out->data != in->data)
        memcpy(out->data, in->data, tensor_bytes(out));
    return write_slice(c, out, st);
}

OP_DEF(strided_slice_assign) = {
    .name = "StridedSliceAssign",
    .summary = "Writes a value to the places of a variable that a strided slice takes.",
    .inputs = {"ref: Ref(T)", "begin: Index", "end: Index", "strides: Index", "value: T"},
    .outputs = {"output_ref: Ref(T)"},
    .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
              "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
    .shape = infer_unchanged,
    .no_grad = "undefined: StridedSliceAssign",
};
KERNEL_DEF(strided_slice_assign_cpu) = {.op = "StridedSliceAssign",
                                        .device = "CPU",
                                        .state_bytes = sizeof(struct assign_state),
                                        .init = assign_init,
                                        .run = assign_run};

OP_DEF(resource_strided_slice_assign) = {
    .name = "ResourceStridedSliceAssign",
    .summary = "Writes a value to the places of a resource variable that a strided slice takes.",
    .inputs = {"ref: resource", "begin: Index", "end: Index", "strides: Index", "value: T"},
    .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
              "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = "undefined: ResourceStridedSliceAssign",
};
KERNEL_DEF(resource_strided_slice_assign_cpu) = {.op = "ResourceStridedSliceAssign",
                                                 .device = "CPU",
                                                 .state_bytes = sizeof(struct assign_state),
                                                 .init = assign_init,
                                                 .run = resource_assign_run};

OP_DEF(tensor_strided_slice_update) = {
    .name = "TensorStridedSliceUpdate",
    .summary = "The input with a value at the places that a strided slice takes.",
    .inputs = {"input: T", "begin: Index", "end: Index", "strides: Index", "value: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0",
              "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
    .shape = infer_unchanged,
    .no_kernel = "updates are for plain types",
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(tensor_strided_slice_update_cpu) = {
    .op = "TensorStridedSliceUpdate",
    .device = "CPU",
    .types =
        {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "
         "uint64, complex64, complex128, bool}"},
    .state_bytes = sizeof(struct assign_state),
    .init = assign_init,
    .run = update_run};
