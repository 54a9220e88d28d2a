/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* UnicodeScript: the scripts of code points. */
#include "codec/unicode_script.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool script_init(struct kernel *k UNUSED, void *state, struct status *st)
{
    struct unicode_scripts **s = state;
    *s = unicode_scripts_new(st);
    return *s != NULL;
}

static void script_release(void *state)
{
    unicode_scripts_free(*(struct unicode_scripts **)state);
}

static bool script_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct unicode_scripts *s = *(struct unicode_scripts **)kernel_state(c);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        if (!unicode_script_of(s, tensor_i32(in)[i], &tensor_i32(out)[i], st))
            return false;
    }
    return out != NULL;
}

OP_DEF(unicode_script) = {
    .name = "UnicodeScript",
    .summary = "The numbers that ICU has for the scripts of code points; -1: no code point.",
    .inputs = {"input: int32"},
    .outputs = {"output: int32"},
    .shape = infer_unchanged,
    .no_grad = "undefined: it takes integers",
};
KERNEL_DEF(unicode_script_cpu) = {.op = "UnicodeScript",
                                  .device = "CPU",
                                  .state_bytes = sizeof(struct unicode_scripts *),
                                  .init = script_init,
                                  .release = script_release,
                                  .run = script_run};
