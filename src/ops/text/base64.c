/* SPDX-License-Identifier: Apache-2.0 */
/* EncodeBase64 and DecodeBase64: codec/base64.h over the strings of a tensor. */
#include "codec/base64.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

static bool encode_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    bool pad = attrs_bool(kernel_attrs(c), "pad");
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        struct str s = tstr_view(&tensor_str(in)[i]);
        char *to = tstr_resize(&tensor_str(out)[i], base64_encoded_size(s.n, pad));
        if (!to)
            return status_exhausted(st, "no memory for strings");
        base64_encode(s, pad, to);
    }
    return out != NULL;
}

OP_DEF(encode_base64) = {
    .name = "EncodeBase64",
    .summary = "Strings as base64 text, safe in URLs.",
    .inputs = {"input: string"},
    .outputs = {"output: string"},
    .attrs = {"pad: bool = false"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(encode_base64_cpu) = {.op = "EncodeBase64", .device = "CPU", .run = encode_run};

static bool decode_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        struct str s = tstr_view(&tensor_str(in)[i]);
        struct tstr *y = &tensor_str(out)[i];
        size_t n;
        char *to = tstr_resize(y, base64_decoded_max(s.n));
        if (!to)
            return status_exhausted(st, "no memory for strings");
        if (!base64_decode(s, to, &n, st))
            return false;
        if (!tstr_resize(y, n))
            return status_exhausted(st, "no memory for strings");
    }
    return out != NULL;
}

OP_DEF(decode_base64) = {
    .name = "DecodeBase64",
    .summary = "The bytes behind base64 text that is safe in URLs.",
    .inputs = {"input: string"},
    .outputs = {"output: string"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(decode_base64_cpu) = {.op = "DecodeBase64", .device = "CPU", .run = decode_run};
