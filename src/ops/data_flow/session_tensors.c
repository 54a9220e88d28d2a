/* SPDX-License-Identifier: Apache-2.0 */
/* Values that a client leaves in its session: a handle is fetched, and fed to later steps. */
#include "op/session_store.h"

#include <string.h>

#include "base/mem.h"
#include "op/infer.h"

static const struct resource_type value_type = {.name = "N10tensorflow6TensorE"};

static bool offer(struct kctx *c, char **handle, struct status *st)
{
    struct tensor t;

    return kernel_in_keep(c, 0, &t, st) && session_store_offer(c, &t, handle, st);
}

static bool handle_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    char *handle;

    if (!offer(c, &handle, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    bool ok = out && (tstr_set(tensor_str(out), handle, strlen(handle)) ||
                      status_exhausted(st, "no memory for a handle"));

    mem_free(handle);
    return ok;
}

static bool handle_v2_run(struct kctx *c, struct status *st)
{
    struct tensor out;
    char *handle;

    if (!offer(c, &handle, st))
        return false;
    bool ok = resource_make_handle(c, "TensorHandle", handle, &value_type, &out, st);

    if (ok)
        kernel_out_take(c, 0, &out);
    mem_free(handle);
    return ok;
}

static bool get_run(struct kctx *c, struct status *st)
{
    struct tensor t;

    if (!kernel_want_scalar(c, 0, st) ||
        !session_store_get(c, tstr_view(tensor_str(kernel_in(c, 0))), &t, st))
        return false;
    if (t.dtype == kernel_output_type(c, 0)) {
        kernel_out_take(c, 0, &t);
        return true;
    }
    status_internal(st, "Output 0 of type %s does not match declared output type %s",
                    dtype_name(t.dtype), dtype_name(kernel_output_type(c, 0)));
    tensor_clear(&t);
    return false;
}

static bool delete_run(struct kctx *c, struct status *st)
{
    return kernel_want_scalar(c, 0, st) &&
           session_store_delete(c, tstr_view(tensor_str(kernel_in(c, 0))), st);
}

static bool want_handle(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    return infer_want_rank(c, infer_input(c, 0), 0, &s, st);
}

#define HANDLE_NO_GRAD "a handle is no number"

OP_DEF(get_session_handle) = {
    .name = "GetSessionHandle",
    .summary = "A handle of a value, which the session keeps if the handle is fetched.",
    .inputs = {"value: T"},
    .outputs = {"handle: string"},
    .attrs = {"T: type"},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = HANDLE_NO_GRAD,
};
KERNEL_DEF(get_session_handle_cpu) = {.op = "GetSessionHandle", .device = "CPU", .run = handle_run};

OP_DEF(get_session_handle_v2) = {
    .name = "GetSessionHandleV2",
    .summary = "A handle of a value, which the session keeps if the handle is fetched.",
    .inputs = {"value: T"},
    .outputs = {"handle: resource"},
    .attrs = {"T: type"},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = HANDLE_NO_GRAD,
};
KERNEL_DEF(get_session_handle_v2_cpu) = {
    .op = "GetSessionHandleV2", .device = "CPU", .run = handle_v2_run};

OP_DEF(get_session_tensor) = {
    .name = "GetSessionTensor",
    .summary = "The value that the session keeps under a handle.",
    .inputs = {"handle: string"},
    .outputs = {"value: dtype"},
    .attrs = {"dtype: type"},
    .flags = OP_STATEFUL,
    .shape = want_handle,
    .no_grad = HANDLE_NO_GRAD,
};
KERNEL_DEF(get_session_tensor_cpu) = {.op = "GetSessionTensor", .device = "CPU", .run = get_run};

OP_DEF(delete_session_tensor) = {
    .name = "DeleteSessionTensor",
    .summary = "Forgets the value that the session keeps under a handle.",
    .inputs = {"handle: string"},
    .flags = OP_STATEFUL,
    .shape = want_handle,
    .no_grad = HANDLE_NO_GRAD,
};
KERNEL_DEF(delete_session_tensor_cpu) = {
    .op = "DeleteSessionTensor", .device = "CPU", .run = delete_run};
