/* SPDX-License-Identifier: Apache-2.0 */
/* CumulativeLogsumexp: the logarithm of running sums of exponentials along one axis. */
#include <float.h>
#include <math.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static struct output scan_node(struct grad_ctx *g, struct output x, bool turn)
{
    struct output in[] = {x, grad_in(g, 1)};
    struct attr attrs[] = {
        {(char *)"exclusive", attr_bool(attrs_bool(grad_attrs(g), "exclusive"))},
        {(char *)"reverse", attr_bool(attrs_bool(grad_attrs(g), "reverse") != turn)}};
    return grad_opv(g, "CumulativeLogsumexp", 2, in, 2, attrs);
}

/* exp(scan back(log part - y) + x), for the part of the gradient above zero, or the one below: the
 * logarithm of what is not of the part is the lowest number. */
static struct output part_grad(struct grad_ctx *g, struct output dy)
{
    const double lowest = grad_type_of(g, dy) == DT_DOUBLE  ? -DBL_MAX
                          : grad_type_of(g, dy) == DT_FLOAT ? -(double)FLT_MAX
                                                            : -65504.0;
    struct output zero = grad_const_like(g, dy, 0), ones = grad_op1(g, "OnesLike", dy);
    struct output low = grad_mul(g, ones, grad_const_like(g, dy, lowest));
    struct output logs =
        grad_op3(g, "Select", grad_op2(g, "Greater", dy, zero), grad_op1(g, "Log", dy), low);
    struct output back = scan_node(g, grad_sub(g, logs, grad_out(g, 0)), true);
    return grad_op1(g, "Exp", grad_add(g, back, grad_in(g, 0)));
}

static bool log_scan_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set(g, 0, grad_sub(g, part_grad(g, dy), part_grad(g, grad_neg(g, dy))));
    return grad_done(g, st);
}

struct lines { /* num elements, step apart, from each of so many places */
    int64_t num, step;
    bool exclusive, reverse;
};

/* log(exp(a) + exp(b)); NaN is left out, as TensorFlow has it. */
#define LOG_SCAN(T, EXP, LOG1P, LOWEST)                                                            \
    static void scan_##T(const struct lines *l, const T *x, T *y)                                  \
    {                                                                                              \
        T sum = (LOWEST);                                                                          \
        for (int64_t i = 0; i < l->num; i++) {                                                     \
            const int64_t at = (l->reverse ? l->num - 1 - i : i) * l->step;                        \
            const T v = x[at], most = sum < v ? v : sum, least = v < sum ? v : sum;                \
            const T next = most + LOG1P(EXP(least - most));                                        \
            y[at] = l->exclusive ? sum : next;                                                     \
            sum = next;                                                                            \
        }                                                                                          \
    }
LOG_SCAN(float, expf, log1pf, -FLT_MAX)
LOG_SCAN(double, exp, log1p, -DBL_MAX)
#undef LOG_SCAN

static void scan_half(const struct lines *l, const struct f16 *x, struct f16 *y)
{
    float sum = -65504;
    for (int64_t i = 0; i < l->num; i++) {
        const int64_t at = (l->reverse ? l->num - 1 - i : i) * l->step;
        const float v = f16_to_f32(x[at]), most = sum < v ? v : sum, least = v < sum ? v : sum;
        const struct f16 next = f16_from_f32(most + log1pf(expf(least - most)));
        y[at] = l->exclusive ? f16_from_f32(sum) : next;
        sum = f16_to_f32(next);
    }
}

static bool log_scan_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *axes = kernel_in(c, 1);
    const int rank = tensor_rank(x);
    if (tensor_rank(axes) != 0)
        return status_invalid(st, "ScanOp: axis must be a scalar, not a tensor of rank %d",
                              tensor_rank(axes));
    int64_t axis = tensor_index(axes, 0);
    if (axis < -rank || axis >= rank)
        return status_invalid(st, "ScanOp: Expected scan axis in the range [%d, %d), but got %lld",
                              -rank, rank, (long long)axis);
    axis = axis < 0 ? axis + rank : axis;
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y || x->num_elems == 0)
        return y != NULL;
    struct lines l = {.num = tensor_dim(x, (int)axis),
                      .step = 1,
                      .exclusive = attrs_bool(kernel_attrs(c), "exclusive"),
                      .reverse = attrs_bool(kernel_attrs(c), "reverse")};
    for (int i = (int)axis + 1; i < rank; i++)
        l.step *= tensor_dim(x, i);
    for (int64_t i = 0; i < x->num_elems / l.num; i++) {
        const int64_t at = i / l.step * l.step * l.num + i % l.step;
        if (x->dtype == DT_FLOAT)
            scan_float(&l, tensor_f32(x) + at, tensor_f32(y) + at);
        else if (x->dtype == DT_DOUBLE)
            scan_double(&l, tensor_f64(x) + at, tensor_f64(y) + at);
        else
            scan_half(&l, (const struct f16 *)x->data + at, (struct f16 *)y->data + at);
    }
    return true;
}

OP_DEF(cumulative_logsumexp) = {
    .name = "CumulativeLogsumexp",
    .summary = "Logarithms of running sums of exp(x) along an axis.",
    .inputs = {"x: T", "axis: Tidx"},
    .outputs = {"out: T"},
    .attrs = {"exclusive: bool = false", "reverse: bool = false", "T: {half, float, double}",
              "Tidx: {int32, int64} = DT_INT32"},
    .shape = infer_unchanged,
    .grad = log_scan_grad,
};
KERNEL_DEF(cumulative_logsumexp_cpu) = {
    .op = "CumulativeLogsumexp", .device = "CPU", .run = log_scan_run};
