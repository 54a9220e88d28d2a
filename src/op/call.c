/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a function by a kernel. The call owns copies of the inputs until the body has taken
 * them, and itself until the body is over. */
#include "op/call.h"

#include "base/mem.h"

struct call {
    struct kctx *c;
    int num_inputs;
    struct tensor inputs[];
};

bool kernel_take_results(struct kctx *c, struct tensor *results, int n, struct status *st)
{
    const int want = kernel_num_outputs(c);

    if (n < want)
        return status_internal(st, "Missing %d-th output from {{node %s}}", n,
                               c->kernel->node_name);
    for (int i = 0; i < want; i++) {
        if (results[i].dtype != kernel_output_type(c, i))
            return status_internal(st,
                                   "Output %d of type %s does not match declared output type %s "
                                   "for node {{node %s}}",
                                   i, dtype_name(results[i].dtype),
                                   dtype_name(kernel_output_type(c, i)), c->kernel->node_name);
    }
    for (int i = 0; i < want; i++)
        kernel_out_take(c, i, &results[i]);
    return true;
}

static void call_over(void *arg, struct status *st, struct tensor *results, int n)
{
    struct call *call = arg;
    struct kctx *c = call->c;
    struct status out = {0};

    status_move(&out, st);
    if (status_ok(&out) && !kernel_take_results(c, results, n, &out))
        ASSERT(!status_ok(&out));
    for (int i = 0; i < call->num_inputs; i++)
        tensor_clear(&call->inputs[i]);
    mem_free(call);
    kernel_done(c, &out);
    status_clear(&out);
}

void kernel_call(struct kctx *c, const struct attr_func *f, int first, int n)
{
    struct call *call = mem_zalloc(sizeof *call + sizeof(struct tensor) * (size_t)n);

    call->c = c;
    call->num_inputs = n;
    for (int i = 0; i < n; i++)
        call->inputs[i] = tensor_copy(kernel_in(c, first + i));
    c->env->run_function(c->env, c, f, call->inputs, n, call_over, call);
}

static bool scalar_truth(const struct tensor *t, bool *out, struct status *st)
{
    switch (t->dtype) {
    case DT_FLOAT:
        *out = *(const float *)t->data != 0;
        return true;
    case DT_DOUBLE:
        *out = *(const double *)t->data != 0;
        return true;
    case DT_INT32:
        *out = *(const int32_t *)t->data != 0;
        return true;
    case DT_UINT8:
    case DT_INT8:
    case DT_BOOL:
        *out = *(const uint8_t *)t->data != 0;
        return true;
    case DT_UINT16:
    case DT_INT16:
        *out = *(const uint16_t *)t->data != 0;
        return true;
    case DT_INT64:
        *out = *(const int64_t *)t->data != 0;
        return true;
    case DT_STRING:
        *out = tstr_len(&tensor_str(t)[0]) > 0;
        return true;
    default:
        return status_invalid(st, "%s cannot be converted to a boolean", dtype_name(t->dtype));
    }
}

bool kernel_truth(const struct tensor *t, bool *out, struct status *st)
{
    if (t->shape.rank == 0)
        return scalar_truth(t, out, st);
    *out = t->num_elems > 0;
    return true;
}
