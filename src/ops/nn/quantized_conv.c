/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedConv2D: images and filters of small integers. What stands for zero is taken off both
 * while they are widened to 32 bits; then it is a convolution like any other (math/conv.h). */
#include "op/qrange.h"
#include "ops/nn/conv2d.h"

/* --- shape --- */

static bool conv_shape(struct infer_ctx *c, struct status *st)
{
    qrange_infer_limits(c, 1);
    return conv2d_infer(c, st) && qrange_infer_scalars(c, 2, st);
}

/* --- kernel --- */

static bool conv_init(struct kernel *k, void *state, struct status *st)
{
    struct conv2d_state *s = state;
    if (!conv2d_state_init(s, k->attrs, st))
        return false;
    if (s->attrs.stride[0] != s->attrs.stride[1])
        return status_invalid(st, "Current implementation only supports equal length strides in "
                                  "the row and column dimensions.");
    return (s->attrs.dilation[0] == 1 && s->attrs.dilation[1] == 1) ||
           status_invalid(st, "Current implementation only supports dilated rate as 1 in the row "
                              "and column dimensions.");
}

/* t's integers less what stands for zero; NULL: no memory. */
static const int32_t *widened(struct kctx *c, const struct tensor *t, struct qrange r,
                              struct status *st)
{
    const uint32_t zero = (uint32_t)qrange_zero(r, DT_QUINT8);
    const uint8_t *x = t->data;
    int32_t *y = kernel_scratch(c, max_i64(t->num_elems, 1) * (int64_t)sizeof *y, st);
    for (int64_t i = 0; y && i < t->num_elems; i++)
        y[i] = (int32_t)(x[i] - zero);
    return y;
}

static bool want_four(const struct tensor *t, const char *what, struct status *st)
{
    return tensor_rank(t) == 4 ||
           status_invalid(st, "%s must be rank 4 but is rank %d", what, tensor_rank(t));
}

static bool conv_run(struct kctx *c, struct status *st)
{
    struct conv2d_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *f = kernel_in(c, 1);
    struct qrange rx, rf;
    struct math_conv_shape m;
    if (!want_four(x, "input", st) || !want_four(f, "filter", st) || !qrange_in(c, 2, &rx, st) ||
        !qrange_in(c, 4, &rf, st))
        return false;
    if (tensor_dim(x, 3) != tensor_dim(f, 2))
        return status_invalid(st, "input and filter must have the same depth: %lld vs %lld",
                              (long long)tensor_dim(x, 3), (long long)tensor_dim(f, 2));
    if (!conv2d_sizes(&s->attrs, DT_INT32, shape_dims(&x->shape), shape_dims(&f->shape), &m, st))
        return false;
    struct math_conv_args args = {.x = widened(c, x, rx, st)};
    args.filter = args.x ? widened(c, f, rf, st) : NULL;
    return args.filter && conv2d_forward(c, s, &m, args, st) &&
           qrange_out(c, 1, qrange_of_product(rx, rf, DT_QUINT8), st);
}

OP_DEF(quantized_conv2d) = {
    .name = "QuantizedConv2D",
    .summary = "Images of quantised numbers convolved with a bank of filters.",
    .inputs = {"input: Tinput", "filter: Tfilter", "min_input: float", "max_input: float",
               "min_filter: float", "max_filter: float"},
    .outputs = {"output: out_type", "min_output: float", "max_output: float"},
    .attrs = {"Tinput: " QTYPES, "Tfilter: " QTYPES, "out_type: " QTYPES " = DT_QINT32",
              "strides: list(int)", "padding: {'SAME', 'VALID'}",
              "dilations: list(int) = [1,1,1,1]"},
    .shape = conv_shape,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has one of quint8 to qint32 alone",
};
KERNEL_DEF(quantized_conv2d_cpu) = {
    .op = "QuantizedConv2D",
    .device = "CPU",
    .types = {"Tinput: {quint8}", "Tfilter: {quint8}", "out_type: {qint32}"},
    .flags = KERNEL_EXPENSIVE,
    .state_bytes = sizeof(struct conv2d_state),
    .init = conv_init,
    .release = conv2d_release,
    .run = conv_run};
