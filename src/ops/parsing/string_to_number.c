/* SPDX-License-Identifier: Apache-2.0 */
/* StringToNumber: text as numbers, by ops/parsing/number.h. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/parsing/number.h"

static bool put_number(struct tensor *out, int64_t i, struct str s)
{
    switch (out->dtype) {
    case DT_INT32:
        return number_int32(s, &tensor_i32(out)[i]);
    case DT_INT64:
        return number_int64(s, &tensor_i64(out)[i]);
    case DT_DOUBLE:
        return number_double(s, &tensor_f64(out)[i]);
    default:
        return number_float(s, &tensor_f32(out)[i]);
    }
}

static bool run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        struct str s = tstr_view(&tensor_str(in)[i]);
        if (!put_number(out, i, s))
            return status_invalid(st, "StringToNumberOp could not correctly convert string: %.*s",
                                  s.n > 200 ? 200 : (int)s.n, s.p);
    }
    return out != NULL;
}

OP_DEF(string_to_number) = {
    .name = "StringToNumber",
    .summary = "The numbers that strings are the text of.",
    .inputs = {"string_tensor: string"},
    .outputs = {"output: out_type"},
    .attrs = {"out_type: {float, double, int32, int64} = DT_FLOAT"},
    .shape = infer_unchanged,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(string_to_number_cpu) = {.op = "StringToNumber", .device = "CPU", .run = run};
