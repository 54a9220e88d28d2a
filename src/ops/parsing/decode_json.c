/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeJSONExample: Examples in JSON to their bytes. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/parsing/json.h"

static bool run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    struct strbuf bytes = {0};
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < in->num_elems; i++) {
        strbuf_clear(&bytes);
        ok = json_example(tstr_view(&tensor_str(in)[i]), &bytes, st);
        if (ok && bytes.n && !tstr_set(&tensor_str(out)[i], bytes.p, bytes.n))
            ok = status_exhausted(st, "no memory for %zu bytes", bytes.n);
    }
    strbuf_release(&bytes);
    return ok;
}

OP_DEF(decode_json_example) = {
    .name = "DecodeJSONExample",
    .summary = "Example messages from JSON to their binary form.",
    .inputs = {"json_examples: string"},
    .outputs = {"binary_examples: string"},
    .shape = infer_unchanged,
    .no_grad = "undefined: messages have no gradient",
};
KERNEL_DEF(decode_json_example_cpu) = {
    .op = "DecodeJSONExample", .device = "CPU", .flags = KERNEL_EXPENSIVE, .run = run};
