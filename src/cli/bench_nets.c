/* SPDX-License-Identifier: Apache-2.0 */
/* The deep training cases of `leat bench`: a recurrent network, unrolled as static_rnn does it, and
 * a residual one with batch normalisation. */
#include <math.h>

#include "cli/bench_layers.h"

/* ---- lstm: 28 steps of 28 numbers, 128 units, the last output classified */

enum { SEQUENCES = 128, STEPS = 28, INPUTS = 28, UNITS = 128 };

struct cell {
    TF_Output kernel, bias, forget;
    TF_Output c, h; /* the state */
};

static void unstack(struct maker *m, TF_Output x, TF_Output out[STEPS])
{
    const struct make_attr attrs[] = {attr_int("num", STEPS), attr_int("axis", 1)};
    const TF_Output all =
        make(m, &(struct make_node){
                    .op = "Unpack", .inputs = &x, .num_inputs = 1, .attrs = attrs, .num_attrs = 2});
    for (int i = 0; i < STEPS; i++)
        out[i] = (TF_Output){all.oper, i};
}

static void cell_step(struct maker *m, struct cell *cell, TF_Output x)
{
    const TF_Output both[2] = {x, cell->h};
    const TF_Output gates =
        op2(m, "BiasAdd", op2(m, "MatMul", op_list(m, "ConcatV2", both, 2, 1), cell->kernel),
            cell->bias);
    const TF_Output in[2] = {make_int(m, 1), gates};
    const struct make_attr four = attr_int("num_split", 4);
    const TF_Output i =
        make(m, &(struct make_node){
                    .op = "Split", .inputs = in, .num_inputs = 2, .attrs = &four, .num_attrs = 1});
    const TF_Output j = {i.oper, 1}, f = {i.oper, 2}, o = {i.oper, 3};
    const TF_Output keep =
        op2(m, "Mul", cell->c, op1(m, "Sigmoid", op2(m, "Add", f, cell->forget)));
    const TF_Output take = op2(m, "Mul", op1(m, "Sigmoid", i), op1(m, "Tanh", j));
    cell->c = op2(m, "Add", keep, take);
    cell->h = op2(m, "Mul", op1(m, "Tanh", cell->c), op1(m, "Sigmoid", o));
}

static void build_lstm(struct bench_part *p, int part)
{
    (void)part;
    struct maker *m = &p->m;
    const int64_t batch = SEQUENCES, gates = 4 * UNITS;
    const TF_Output x = bench_input(p, TF_FLOAT, (int64_t[]){batch, STEPS, INPUTS}, 3, 0);
    const TF_Output y = bench_input(p, TF_INT32, &batch, 1, 10);
    TF_Output steps[STEPS];
    unstack(m, x, steps);
    struct cell cell = {
        .kernel = make_variable(m, (int64_t[]){INPUTS + UNITS, gates}, 2,
                                sqrtf(6.0f / (INPUTS + UNITS + 4 * UNITS))),
        .bias = make_variable(m, &gates, 1, 0),
        .forget = make_scalar(m, 1),
    };
    const TF_Output shape = make_ints(m, (int32_t[]){SEQUENCES, UNITS}, 2);
    cell.c = cell.h = op2(m, "Fill", shape, make_scalar(m, 0));
    for (int i = 0; i < STEPS; i++)
        cell_step(m, &cell, steps[i]);
    bench_train(p, layer_loss(m, layer_dense(m, cell.h, UNITS, 10), y), TRAIN_ADAM, 1e-3f, NULL, 0);
}

/* ---- resnet20: 32 x 32 images, three stages of three blocks of two convolutions */

static TF_Output filter(struct maker *m, int64_t size, int64_t in, int64_t out)
{
    return make_variable(m, (int64_t[]){size, size, in, out}, 4,
                         sqrtf(6.0f / (float)(size * size * (in + out))));
}

static TF_Output filled(struct maker *m, int64_t n, float value)
{
    return op2(m, "Fill", make_ints(m, (int32_t[]){(int32_t)n}, 1), make_scalar(m, value));
}

/* A running average of a statistic moves towards the batch's. */
static void follow(struct bench_part *p, int64_t n, float start, TF_Output batch)
{
    struct maker *m = &p->m;
    const TF_Output moving = make_slot(m, &n, 1, filled(m, n, start));
    const TF_Output away = op2(m, "Sub", op1(m, "Identity", moving), batch);
    ASSERT(p->num_extra < (int)ARRAY_LEN(p->extra));
    p->extra[p->num_extra++] =
        op2(m, "AssignSub", moving, op2(m, "Mul", away, make_scalar(m, 0.003f))).oper;
}

static TF_Output batch_norm(struct bench_part *p, TF_Output x, int64_t n)
{
    struct maker *m = &p->m;
    const TF_Output scale = make_variable_from(m, &n, 1, filled(m, n, 1));
    const TF_Output offset = make_variable_from(m, &n, 1, filled(m, n, 0));
    const TF_Output none = filled(m, 0, 0);
    const TF_Output in[] = {x, scale, offset, none, none};
    const struct make_attr attrs[] = {attr_float("epsilon", 1e-5f), attr_bool("is_training", true)};
    const TF_Output y = make(m, &(struct make_node){.op = "FusedBatchNormV3",
                                                    .inputs = in,
                                                    .num_inputs = 5,
                                                    .attrs = attrs,
                                                    .num_attrs = 2});
    follow(p, n, 0, (TF_Output){y.oper, 1});
    follow(p, n, 1, (TF_Output){y.oper, 2});
    return y;
}

static TF_Output block(struct bench_part *p, TF_Output x, int64_t in, int64_t out, int64_t stride)
{
    struct maker *m = &p->m;
    TF_Output y = make_conv(m, x, filter(m, 3, in, out), stride);
    y = op1(m, "Relu", batch_norm(p, y, out));
    y = batch_norm(p, make_conv(m, y, filter(m, 3, out, out), 1), out);
    if (in != out)
        x = make_conv(m, x, filter(m, 1, in, out), stride);
    return op1(m, "Relu", op2(m, "Add", y, x));
}

static void build_resnet20(struct bench_part *p, int part)
{
    (void)part;
    struct maker *m = &p->m;
    const int64_t batch = 128;
    TF_Output x = bench_input(p, TF_FLOAT, (int64_t[]){batch, 32, 32, 3}, 4, 0);
    const TF_Output y = bench_input(p, TF_INT32, &batch, 1, 10);
    x = make_conv(m, x, filter(m, 3, 3, 16), 1);
    x = op1(m, "Relu", batch_norm(p, x, 16));
    int64_t in = 16;
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < 3; i++) {
            const int64_t out = 16 << stage;
            x = block(p, x, in, out, in != out ? 2 : 1);
            in = out;
        }
    }
    x = layer_mean(m, x, (int32_t[]){1, 2}, 2);
    bench_train(p, layer_loss(m, layer_dense(m, x, 64, 10), y), TRAIN_MOMENTUM, 0.1f, NULL, 0);
}

const struct bench_case bench_net_cases[] = {
    {"lstm", BENCH_STEPS, "128 units, 28 steps of 28, batch 128, Adam", 1, NULL, build_lstm},
    {"resnet20", BENCH_STEPS, "CIFAR's ResNet-20, batch 128, momentum", 1, NULL, build_resnet20},
    {0},
};
