/* SPDX-License-Identifier: Apache-2.0 */
/* The demo's networks: softmax regression, a perceptron, and networks of two convolutions, for the
 * digits of 8x8 pixels and for MNIST's of 28x28. */
#include <math.h>

#include "cli/demo.h"

enum { CLASSES = 10 };

static TF_Output weights(TF_Graph *g, struct leat_shape shape, double stddev)
{
    return leat_variable(g, "W", leat_truncated_normal(g, shape, .stddev = stddev));
}

static TF_Output biases(TF_Graph *g, int64_t n)
{
    return leat_variable(g, "b", leat_zeros(g, leat_shape(n)));
}

static TF_Output flatten(TF_Graph *g, TF_Output x, int64_t n)
{
    return leat_reshape(g, x, leat_const_ints(g, ((int32_t[]){-1, (int32_t)n}), leat_shape(2)));
}

/* x W + b; the deviation is He's for what goes on through relu. */
static TF_Output dense(TF_Graph *g, TF_Output x, int64_t in, int64_t out)
{
    TF_Output y = {0};
    leat_with_scope(g, "dense") {
        TF_Output w = weights(g, leat_shape(in, out), sqrt(2.0 / (double)in));
        y = leat_bias_add(g, leat_matmul(g, x, w), biases(g, out));
    }
    return y;
}

static TF_Output conv_relu(TF_Graph *g, TF_Output x, int64_t size, int64_t in, int64_t out)
{
    TF_Output y = {0};
    leat_with_scope(g, "conv") {
        TF_Output w =
            weights(g, leat_shape(size, size, in, out), sqrt(2.0 / (double)(size * size * in)));
        TF_Output sum = leat_conv2d(g, x, w, .strides = leat_ints(1, 1, 1, 1), .padding = "SAME");
        y = leat_relu(g, leat_bias_add(g, sum, biases(g, out)));
    }
    return y;
}

static TF_Output pool(TF_Graph *g, TF_Output x)
{
    return leat_max_pool(g, x, .ksize = leat_ints(1, 2, 2, 1), .strides = leat_ints(1, 2, 2, 1),
                         .padding = "SAME");
}

static void inputs(struct net *net, int64_t side)
{
    net->images = leat_placeholder(net->graph, .dtype = TF_FLOAT,
                                   .shape = leat_shape(-1, side, side, 1), .name = "images");
    net->labels =
        leat_placeholder(net->graph, .dtype = TF_INT32, .shape = leat_shape(-1), .name = "labels");
}

static TF_Output losses(const struct net *net)
{
    return leat_sparse_softmax_cross_entropy_with_logits(net->graph, net->logits, net->labels);
}

static TF_Output all(TF_Graph *g)
{
    return leat_const_int(g, 0);
}

static void minimise(struct net *net, TF_Output loss, leat_optimizer *by)
{
    net->train = leat_minimize(by, loss);
    leat_optimizer_free(by);
}

static void digits_softmax(struct net *net, int64_t side)
{
    TF_Graph *g = net->graph;
    inputs(net, side);
    net->logits = dense(g, flatten(g, net->images, side * side), side * side, CLASSES);
    net->loss = leat_mean(g, losses(net), all(g));
    minimise(net, net->loss, leat_gradient_descent(g, .learning_rate = 0.5));
}

/* Half of what it is given is left out at random while it trains (net->keep is fed). */
static TF_Output dropout(struct net *net, TF_Output x)
{
    TF_Graph *g = net->graph;
    net->keep = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(), .name = "keep");
    return leat_dropout(g, x, .rate_tensor = leat_sub(g, leat_const_float(g, 1), net->keep));
}

static void digits_mlp(struct net *net, int64_t side)
{
    TF_Graph *g = net->graph;
    inputs(net, side);
    TF_Output x = flatten(g, net->images, side * side);
    x = dropout(net, leat_relu(g, dense(g, x, side * side, 512)));
    net->logits = dense(g, x, 512, CLASSES);
    net->loss = leat_mean(g, losses(net), all(g));
    minimise(net, net->loss, leat_adam(g, .learning_rate = 1e-3));
}

void demo_small_net(struct net *net, int64_t side)
{
    TF_Graph *g = net->graph;
    inputs(net, side);
    TF_Output x = flatten(g, net->images, side * side);
    x = leat_relu(g, dense(g, x, side * side, 64));
    net->logits = dense(g, x, 64, CLASSES);
    net->loss = leat_mean(g, losses(net), all(g));
}

/* Two convolutions, a pooling after each where asked, a hidden layer with dropout. */
static void two_convolutions(struct net *net, int64_t side, int64_t size, int64_t hidden,
                             bool pool_twice)
{
    TF_Graph *g = net->graph;
    inputs(net, side);
    TF_Output x = conv_relu(g, net->images, size, 1, 32);
    x = conv_relu(g, pool_twice ? pool(g, x) : x, size, 32, 64);
    int64_t left = pool_twice ? side / 4 : side / 2, flat = left * left * 64;
    x = dropout(net, leat_relu(g, dense(g, flatten(g, pool(g, x), flat), flat, hidden)));
    net->logits = dense(g, x, hidden, CLASSES);
    net->loss = leat_mean(g, losses(net), all(g));
    /* the rate falls to a third in each 600 steps, so that the last steps settle */
    TF_Output step = leat_variable(g, "step", leat_const_int(g, 0), .trainable = 0);
    TF_Output falling = leat_exponential_decay(g, step, 1e-3, 600, 1.0 / 3);
    leat_optimizer *adam = leat_adam(g, .learning_rate_tensor = falling);
    net->train = leat_minimize(adam, net->loss, .global_step = step);
    leat_optimizer_free(adam);
}

static void digits_cnn(struct net *net, int64_t side)
{
    two_convolutions(net, side, 3, 128, false);
}

/* The workshop's program: from zeros, and the sum of the batch's losses goes down. */
static void mnist_softmax(struct net *net, int64_t side)
{
    TF_Graph *g = net->graph;
    inputs(net, side);
    TF_Output w = leat_variable(g, "W", leat_zeros(g, leat_shape(side * side, CLASSES)));
    TF_Output x = flatten(g, net->images, side * side);
    net->logits = leat_bias_add(g, leat_matmul(g, x, w), biases(g, CLASSES));
    net->loss = leat_mean(g, losses(net), all(g));
    minimise(net, leat_sum(g, losses(net), all(g)),
             leat_gradient_descent(g, .learning_rate = 0.003));
}

static void mnist_cnn(struct net *net, int64_t side)
{
    two_convolutions(net, side, 5, 1024, true);
}

const struct model digits_models[NUM_DIGITS_MODELS] = {
    {"softmax", "softmax regression", digits_softmax, 60, 0, 50, 0.93},
    {"mlp", "perceptron, 512 hidden", digits_mlp, 60, 0, 50, 0.97},
    {"cnn", "two convolutions", digits_cnn, 30, 0, 50, 0.98},
};
const struct model mnist_models[NUM_MNIST_MODELS] = {
    {"mnist_softmax", "MNIST, softmax regression", mnist_softmax, 2, 1000, 100, 0.91},
    {"mnist_cnn", "MNIST, two convolutions", mnist_cnn, 4, 0, 100, 0.99},
};
