/* SPDX-License-Identifier: Apache-2.0 */
/* StringStrip: strings without the blanks at their ends. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

static bool strip_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        struct str s = tstr_view(&tensor_str(in)[i]);
        while (s.n && text_is_blank(s.p[0]))
            s = str_make(s.p + 1, s.n - 1);
        while (s.n && text_is_blank(s.p[s.n - 1]))
            s.n--;
        if (!text_set(&tensor_str(out)[i], s, st))
            return false;
    }
    return out != NULL;
}

OP_DEF(string_strip) = {
    .name = "StringStrip",
    .summary = "Strings without the blanks at their ends.",
    .inputs = {"input: string"},
    .outputs = {"output: string"},
    .shape = infer_unchanged,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(string_strip_cpu) = {.op = "StringStrip", .device = "CPU", .run = strip_run};
