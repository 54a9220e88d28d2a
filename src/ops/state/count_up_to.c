/* SPDX-License-Identifier: Apache-2.0 */
/* A counter in a variable: gives its value and adds one, until a limit. */
#include "op/infer.h"
#include "op/kernel.h"

struct count_state {
    int64_t limit;
};

static bool count_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    ((struct count_state *)state)->limit = attrs_int(k->attrs, "limit");
    return true;
}

/* Counts in *now and tells the value before; false at the limit. */
static bool count(struct tensor *now, int64_t limit, int64_t *before)
{
    *before = tensor_index(now, 0);
    if (*before >= limit)
        return false;
    if (now->dtype == DT_INT32)
        tensor_i32(now)[0] = (int32_t)((uint32_t)*before + 1);
    else
        tensor_i64(now)[0] = *before + 1;
    return true;
}

static bool count_in(struct kctx *c, struct variable *v, struct status *st)
{
    const struct count_state *s = kernel_state(c);
    struct tensor *now;
    struct shape scalar = shape_scalar();
    int64_t before = 0;
    if (v->dtype != kernel_output_type(c, 0))
        return status_invalid(st, "the counter is a variable of type %s, not %s",
                              dtype_name(v->dtype), dtype_name(kernel_output_type(c, 0)));
    if (!variable_write_begin(v, false, &now, st))
        return false;
    bool is_scalar = tensor_rank(now) == 0;
    bool ok = is_scalar && count(now, s->limit, &before);
    variable_write_end(v);
    if (!is_scalar)
        return status_invalid(st, "input is not a scalar");
    if (!ok)
        return status_fail(st, STATUS_OUT_OF_RANGE, "Reached limit of %lld", (long long)s->limit);
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (out && out->dtype == DT_INT32)
        tensor_i32(out)[0] = (int32_t)before;
    else if (out)
        tensor_i64(out)[0] = before;
    return out != NULL;
}

static bool count_run(struct kctx *c, struct status *st)
{
    return count_in(c, kernel_ref(c, 0), st);
}

static bool resource_count_run(struct kctx *c, struct status *st)
{
    struct variable *v = (struct variable *)resource_from_input(c, 0, &variable_type, st);
    const bool ok = v && count_in(c, v, st);
    variable_unref(v);
    return ok;
}

static bool count_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(count_up_to) = {
    .name = "CountUpTo",
    .summary = "The value of a counter, which grows by one; an error at the limit.",
    .inputs = {"ref: Ref(T)"},
    .outputs = {"output: T"},
    .attrs = {"limit: int", "T: {int32, int64}"},
    .shape = count_shape,
    .no_grad = "undefined: counting has no gradient",
};
KERNEL_DEF(count_up_to_cpu) = {
    .op = "CountUpTo",
    .device = "CPU",
    .state_bytes = sizeof(struct count_state),
    .init = count_init,
    .run = count_run,
};

static bool resource_count_shape(struct infer_ctx *c, struct status *st)
{
    const struct infer_handle h = infer_handle_in(c, 0);
    const struct shape *s;
    if (h.n == 0)
        return status_invalid(st, "Handle has no shape/type information.");
    if (!infer_want_rank(c, h.shapes[0], 0, &s, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

OP_DEF(resource_count_up_to) = {
    .name = "ResourceCountUpTo",
    .summary = "The value of a counter behind a handle, which grows by one; an error at the limit.",
    .inputs = {"resource: resource"},
    .outputs = {"output: T"},
    .attrs = {"limit: int", "T: {int32, int64}"},
    .flags = OP_STATEFUL,
    .shape = resource_count_shape,
    .no_grad = "undefined: counting has no gradient",
};
KERNEL_DEF(resource_count_up_to_cpu) = {
    .op = "ResourceCountUpTo",
    .device = "CPU",
    .state_bytes = sizeof(struct count_state),
    .init = count_init,
    .run = resource_count_run,
};
