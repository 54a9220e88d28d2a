/* SPDX-License-Identifier: Apache-2.0 */
/* What a running kernel of a plug-in calls (kernels.h). Its outputs are struct tensors that share
 * the buffers of the client's TF_Tensors, so that numbers cross without a copy. */
#include "api/kernel_call.h"
#include "api/string_layout.h"
#include "base/mem.h"
#include "leat/strings.h"

int TF_NumInputs(TF_OpKernelContext *ctx)
{
    return ctx ? kernel_num_inputs(ctx->c) : 0;
}

int TF_NumOutputs(TF_OpKernelContext *ctx)
{
    return ctx ? kernel_num_outputs(ctx->c) : 0;
}

static TF_Tensor *get_input(const struct kctx *c, int i, struct status *st)
{
    const struct tensor *t = c->in[i];
    if (!dtype_is_ref(t->dtype))
        return api_tensor_from_internal(t, st);
    struct tensor value;
    if (!variable_read(kernel_ref(c, i), &value, st))
        return NULL;
    TF_Tensor *made = api_tensor_from_internal(&value, st);
    tensor_clear(&value);
    return made;
}

void TF_GetInput(TF_OpKernelContext *ctx, int i, TF_Tensor **tensor, TF_Status *status)
{
    struct status st = {0};
    TF_Tensor *made = NULL;
    if (!ctx || i < 0 || i >= kernel_num_inputs(ctx->c))
        status_fail(&st, STATUS_OUT_OF_RANGE, "input index out of range");
    else if (!tensor)
        status_invalid(&st, "TF_GetInput: no place for the tensor");
    else
        made = get_input(ctx->c, i, &st);
    if (made)
        *tensor = made;
    api_return(status, &st);
}

void TF_SetOutput(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor, TF_Status *status)
{
    struct status st = {0};
    struct tensor value;
    if (!ctx || i < 0 || i >= kernel_num_outputs(ctx->c))
        status_fail(&st, STATUS_OUT_OF_RANGE, "output index out of range");
    else if (api_tensor_to_internal(tensor, &value, &st))
        kernel_out_take(ctx->c, i, &value);
    api_return(status, &st);
}

static void keep_allocated(TF_OpKernelContext *ctx, int i, const TF_Tensor *t)
{
    int n = kernel_num_outputs(ctx->c);
    if (!ctx->allocated)
        ctx->allocated = mem_new_array(struct TF_Tensor, n);
    struct TF_Tensor *kept = &ctx->allocated[i];
    if (kept->buf) {
        shape_clear(&kept->shape);
        buffer_unref(kept->buf);
    }
    *kept = *t;
    kept->shape = shape_copy(&t->shape);
    kept->buf = buffer_ref(t->buf);
}

/* TF_TStrings of an output are freed with it, as in TensorFlow 2.4; those of other tensors that a
 * client makes are freed by the client. */
static TF_Tensor *allocate(TF_DataType dtype, const int64_t *dims, int num_dims, size_t len)
{
    if (dtype != TF_STRING || leat_get_string_layout() != LEAT_STRINGS_TSTRING)
        return TF_AllocateTensor(dtype, dims, num_dims, len);
    TF_Tensor *t = api_tstring_tensor(dims, num_dims);
    if (!t || t->bytes <= len)
        return t;
    TF_DeleteTensor(t);
    return NULL;
}

TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *context, int index, TF_DataType dtype,
                             int64_t *dims, int num_dims, size_t len)
{
    if (!context)
        return NULL;
    if (index < 0 || index >= kernel_num_outputs(context->c)) {
        status_invalid(&context->st, "TF_AllocateOutput: there is no output %d", index);
        return NULL;
    }
    TF_Tensor *t = allocate(dtype, dims, num_dims, len);
    if (t)
        keep_allocated(context, index, t);
    else
        status_exhausted(&context->st,
                         "TF_AllocateOutput: output %d of type %d and %zu bytes cannot be had",
                         index, (int)dtype, len);
    return t;
}

void TF_OpKernelContext_Failure(TF_OpKernelContext *ctx, TF_Status *status)
{
    if (ctx && status && status_ok(&ctx->st))
        status_copy(&ctx->st, &status->s);
}

TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext *ctx, int i)
{
    if (!ctx || i < 0 || i >= kernel_num_outputs(ctx->c))
        return (TF_DataType)DT_INVALID;
    return (TF_DataType)ctx->c->kernel->output_types[i];
}

int64_t TF_StepId(TF_OpKernelContext *ctx)
{
    return ctx && ctx->c->env ? ctx->c->env->step_id : 0;
}

/* --- the end of a call --- */

static bool is_set(const struct kctx *c, int i)
{
    return c->out[i].dtype != DT_INVALID;
}

static bool check_output(const struct kctx *c, int i, struct status *st)
{
    const struct kernel *k = c->kernel;
    if (dtype_is_ref(k->output_types[i])) /* there is no way to give one */
        return status_unimplemented(st,
                                    "Output %d of {{node %s}} is a reference, which a kernel of "
                                    "this API cannot set",
                                    i, k->node_name);
    if (!is_set(c, i))
        return status_internal(st, "Missing %d-th output from {{node %s}}", i, k->node_name);
    if (c->out[i].dtype != kernel_output_type(c, i))
        return status_internal(st,
                               "Output %d of type %s does not match declared output type %s for "
                               "node {{node %s}}",
                               i, dtype_name(c->out[i].dtype), dtype_name(k->output_types[i]),
                               k->node_name);
    return true;
}

/* Output i becomes what was allocated for it, if nothing else was set. When the kernel kept no
 * tensor of it nobody can write to it any more. */
static bool settle(struct TF_OpKernelContext *call, int i, struct status *st)
{
    struct TF_Tensor *t = &call->allocated[i];
    struct tensor value;
    if (!t->buf)
        return true;
    bool ok = true;
    if (!is_set(call->c, i)) {
        ok = api_tensor_to_internal(t, &value, st);
        if (ok)
            kernel_out_take(call->c, i, &value);
    }
    struct buffer *mine = t->buf;
    t->buf = NULL;
    shape_clear(&t->shape);
    bool shared = call->c->out[i].buf == mine;
    buffer_unref(mine);
    if (shared && __atomic_load_n(&mine->refs, __ATOMIC_ACQUIRE) == 1)
        mine->borrowed = false;
    return ok;
}

bool kernel_call_end(struct TF_OpKernelContext *call, struct status *st)
{
    int n = kernel_num_outputs(call->c);
    bool ok = status_ok(&call->st);
    status_move(st, &call->st);
    for (int i = 0; call->allocated && i < n; i++)
        ok = settle(call, i, st) && ok;
    mem_free(call->allocated);
    for (int i = 0; ok && i < n; i++)
        ok = check_output(call->c, i, st);
    for (int i = 0; !ok && i < n; i++)
        tensor_clear(&call->c->out[i]);
    return ok;
}
