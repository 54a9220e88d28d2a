/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of the training cases; see bench_layers.h. */
#include "cli/bench_layers.h"

#include <math.h>

TF_Output op1(struct maker *m, const char *op, TF_Output a)
{
    return make_op(m, op, 1, &a);
}

TF_Output op2(struct maker *m, const char *op, TF_Output a, TF_Output b)
{
    return make_op(m, op, 2, (TF_Output[]){a, b});
}

TF_Output op3(struct maker *m, const char *op, TF_Output a, TF_Output b, TF_Output c)
{
    return make_op(m, op, 3, (TF_Output[]){a, b, c});
}

TF_Output op_list(struct maker *m, const char *op, const TF_Output *list, int n, int axis)
{
    const TF_Output at = axis < 0 ? (TF_Output){0} : make_int(m, axis);
    return make(
        m,
        &(struct make_node){
            .op = op, .list = list, .num_list = n, .inputs = &at, .num_inputs = axis < 0 ? 0 : 1});
}

TF_Output op_slice(struct maker *m, TF_Output x, const int32_t *begin, const int32_t *size, int n)
{
    return op3(m, "Slice", x, make_ints(m, begin, n), make_ints(m, size, n));
}

static TF_Output add_bias(struct maker *m, TF_Output x, int64_t n)
{
    return op2(m, "BiasAdd", x, make_variable(m, &n, 1, 0));
}

TF_Output layer_dense(struct maker *m, TF_Output x, int64_t in, int64_t out)
{
    const TF_Output w = make_variable(m, (int64_t[]){in, out}, 2, sqrtf(6.0f / (float)(in + out)));
    return add_bias(m, op2(m, "MatMul", x, w), out);
}

TF_Output layer_conv(struct maker *m, TF_Output x, const int64_t filter[4], const char *padding)
{
    const float fan = (float)(filter[0] * filter[1] * (filter[2] + filter[3]));
    const TF_Output in[] = {x, make_variable(m, filter, 4, sqrtf(6.0f / fan))};
    const struct make_attr attrs[] = {attr_ints("strides", (int64_t[]){1, 1, 1, 1}, 4),
                                      attr_text("padding", padding)};
    const TF_Output y =
        make(m, &(struct make_node){
                    .op = "Conv2D", .inputs = in, .num_inputs = 2, .attrs = attrs, .num_attrs = 2});
    return op1(m, "Relu", add_bias(m, y, filter[3]));
}

TF_Output layer_max_pool(struct maker *m, TF_Output x, int64_t h, int64_t w, int64_t stride_h,
                         int64_t stride_w, const char *padding)
{
    const struct make_attr attrs[] = {
        attr_ints("ksize", (int64_t[]){1, h, w, 1}, 4),
        attr_ints("strides", (int64_t[]){1, stride_h, stride_w, 1}, 4),
        attr_text("padding", padding)};
    return make(
        m, &(struct make_node){
               .op = "MaxPool", .inputs = &x, .num_inputs = 1, .attrs = attrs, .num_attrs = 3});
}

TF_Output layer_dropout(struct maker *m, TF_Output x, const int32_t *shape, int n, float rate)
{
    const TF_Output sizes = make_ints(m, shape, n);
    const struct make_attr random[] = {attr_type("dtype", TF_FLOAT), attr_int("seed", 87654321)};
    const TF_Output u = make(m, &(struct make_node){.op = "RandomUniform",
                                                    .inputs = &sizes,
                                                    .num_inputs = 1,
                                                    .attrs = random,
                                                    .num_attrs = 2});
    const TF_Output kept = op2(m, "GreaterEqual", u, make_scalar(m, rate));
    const struct make_attr to = attr_type("DstT", TF_FLOAT);
    const TF_Output mask =
        make(m, &(struct make_node){
                    .op = "Cast", .inputs = &kept, .num_inputs = 1, .attrs = &to, .num_attrs = 1});
    return op2(m, "Mul", op2(m, "Mul", x, make_scalar(m, 1 / (1 - rate))), mask);
}

TF_Output layer_mean(struct maker *m, TF_Output x, const int32_t *axes, int n)
{
    return op2(m, "Mean", x, make_ints(m, axes, n));
}

TF_Output layer_loss(struct maker *m, TF_Output logits, TF_Output labels)
{
    const TF_Output each = op2(m, "SparseSoftmaxCrossEntropyWithLogits", logits, labels);
    return layer_mean(m, each, (int32_t[]){0}, 1);
}
