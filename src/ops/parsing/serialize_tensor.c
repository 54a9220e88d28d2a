/* SPDX-License-Identifier: Apache-2.0 */
/* SerializeTensor and ParseTensor: a tensor as the bytes of a TensorProto, and back. */
#include "op/infer.h"
#include "op/kernel.h"
#include "op/tensor_proto.h"
#include "ops/parsing/tensor_bytes.h"

static bool serialize_run(struct kctx *c, struct status *st)
{
    struct tensor *out = kernel_out(c, 0, &(struct shape){.rank = 0}, st);
    return out && tensor_to_bytes(kernel_in(c, 0), &tensor_str(out)[0], st);
}

OP_DEF(serialize_tensor) = {
    .name = "SerializeTensor",
    .summary = "A tensor as the bytes of a TensorProto message.",
    .inputs = {"tensor: T"},
    .outputs = {"serialized: string"},
    .attrs = {"T: type"},
    .shape = infer_scalars,
    .no_grad = "bytes have no gradient",
};
KERNEL_DEF(serialize_tensor_cpu) = {.op = "SerializeTensor", .device = "CPU", .run = serialize_run};

static bool parse_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor t;
    if (tensor_rank(in) != 0) {
        struct strbuf text = {0};
        shape_print(&in->shape, &text);
        status_invalid(st, "Expected `serialized` to be a scalar, got shape: %s",
                       strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    struct str bytes = tstr_view(&tensor_str(in)[0]);
    struct status why = {0};
    enum bytes_result result = tensor_from_bytes(bytes, &t, &why);
    if (result == BYTES_NO_MESSAGE) {
        status_invalid(st, "Could not parse `serialized` as TensorProto: %s", status_message(&why));
        status_clear(&why);
        return false;
    }
    if (result == BYTES_NO_TENSOR) {
        status_move(st, &why);
        return false;
    }
    if (t.dtype != kernel_output_type(c, 0)) {
        status_invalid(st, "Type mismatch between parsed tensor (%s) and dtype (%s)",
                       dtype_name(t.dtype), dtype_name(kernel_output_type(c, 0)));
        tensor_clear(&t);
        return false;
    }
    kernel_out_take(c, 0, &t);
    return true;
}

OP_DEF(parse_tensor) = {
    .name = "ParseTensor",
    .summary = "The tensor that the bytes of a TensorProto message stand for.",
    .inputs = {"serialized: string"},
    .outputs = {"output: out_type"},
    .attrs = {"out_type: type"},
    .shape = infer_unknown_outputs,
    .no_grad = "bytes have no gradient",
};
KERNEL_DEF(parse_tensor_cpu) = {.op = "ParseTensor", .device = "CPU", .run = parse_run};
