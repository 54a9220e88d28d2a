/* SPDX-License-Identifier: Apache-2.0 */
/* CheckNumerics: passes a tensor on if all its elements are finite. */
#include <math.h>

#include "base/mem.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

enum found { FOUND_NAN = 1, FOUND_INF = 2 };

#define SCAN(name, type, value)                                                                    \
    static int name(const void *data, int64_t n)                                                   \
    {                                                                                              \
        const type *x = data;                                                                      \
        bool finite = true;                                                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            finite &= isfinite(value) != 0;                                                        \
        int found = 0;                                                                             \
        for (int64_t i = 0; i < n && !finite; i++)                                                 \
            found |= isnan(value) ? FOUND_NAN : isinf(value) ? FOUND_INF : 0;                      \
        return found;                                                                              \
    }
SCAN(scan_f32, float, x[i])
SCAN(scan_f64, double, x[i])
SCAN(scan_f16, struct f16, f16_to_f32(x[i]))
SCAN(scan_bf16, struct bf16, bf16_to_f32(x[i]))

static bool check_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    int found;
    switch (x->dtype) {
    case DT_FLOAT:
        found = scan_f32(x->data, x->num_elems);
        break;
    case DT_DOUBLE:
        found = scan_f64(x->data, x->num_elems);
        break;
    case DT_HALF:
        found = scan_f16(x->data, x->num_elems);
        break;
    default:
        found = scan_bf16(x->data, x->num_elems);
    }
    if (found) {
        struct str message = attrs_string(kernel_attrs(c), "message");
        return status_invalid(st, "%.*s : Tensor had %s values",
                              (int)min_i64((int64_t)message.n, 4096), message.p,
                              found == FOUND_NAN   ? "NaN"
                              : found == FOUND_INF ? "Inf"
                                                   : "Inf and NaN");
    }
    kernel_out_share(c, 0, x);
    return true;
}

/* The gradient is checked too; its message begins by saying so. */
static bool check_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    struct str message = attrs_string(grad_attrs(g), "message");
    struct strbuf text = {0};
    strbuf_puts(&text, "Not a number (NaN) or infinity (Inf) values detected in gradient. ");
    strbuf_add(&text, message.p, message.n);
    struct attr attr = {(char *)"message", attr_string(str_of(strbuf_text(&text)))};
    strbuf_release(&text);
    grad_set(g, 0, grad_opv(g, "CheckNumerics", 1, &dy, 1, &attr));
    return grad_done(g, st);
}

OP_DEF(check_numerics) = {
    .name = "CheckNumerics",
    .summary =
        "Passes a tensor on; fails with the message if it has an element that is not finite.",
    .inputs = {"tensor: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {bfloat16, half, float, double}", "message: string"},
    .flags = OP_STATEFUL,
    .shape = infer_unchanged,
    .grad = check_grad,
};
KERNEL_DEF(check_numerics_cpu) = {
    .op = "CheckNumerics",
    .device = "CPU",
    .flags = KERNEL_ALIAS,
    .run = check_run,
};
