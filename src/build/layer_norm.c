/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation as a layer: images by one fused op, matrices by tf.nn's nodes. */
#include <string.h>

#include "build/layer.h"
#include "leat/nn.h"

void leat_layers_batch_normalization_args_init(struct leat_layers_batch_normalization_args *args)
{
    *args =
        (struct leat_layers_batch_normalization_args){LEAT_LAYERS_BATCH_NORMALIZATION_DEFAULTS_};
}

struct norm { /* the layer's variables */
    TF_Output gamma, beta, mean, variance;
};

static TF_Output state(TF_Graph *g, const char *name, int64_t n, TF_DataType dtype, bool ones,
                       bool trainable)
{
    return leat_get_variable(g, name, leat_shape(n), .dtype = dtype, .trainable = trainable,
                             .initializer = ones ? leat_init_ones() : leat_init_zeros());
}

/* average -= (average - now) * (1 - momentum), added to the collection "update_ops". The fused
 * kind computes 1 - momentum in the graph. */
static void move_average(TF_Graph *g, TF_Output average, TF_Output now, double momentum,
                         TF_Output momentum_tensor)
{
    struct leat_variable_parts parts;
    TF_OperationDescription *d = NULL;
    if (!leat_find_variable(g, average, &parts) || !leat_valid(now))
        return;
    leat_with_scope(g, "AssignMovingAvg")
        leat_with_colocation(g, average.oper) {
            TF_Output decay = leat_valid(momentum_tensor)
                                  ? mk_math(g, "Sub", "sub", mk_n(1), mk_t(momentum_tensor))
                                  : mk_scalar(g, "decay", parts.dtype, 1 - momentum);
            TF_Output gap = mk_math(g, "Sub", "sub", mk_t(parts.read), mk_t(now));
            TF_Output step = mk_math(g, "Mul", "mul", mk_t(gap), mk_t(decay));
            d = leat_begin(g, "AssignSub", leat_current_scope(g), NULL);
            if (d) {
                leat_add_input(d, average);
                leat_add_input(d, step);
                leat_add_to_collection(g, LEAT_UPDATE_OPS, leat_output_of(leat_finish(d), 0));
            }
        }
}

static TF_Output fused(const struct leat_layers_batch_normalization_args *a, const struct norm *v)
{
    TF_Graph *g = a->g;
    bool first = a->data_format == LEAT_CHANNELS_FIRST;
    const struct leat_floats none = {NULL, 0};
    TF_Output mean = a->training ? mk_floats(g, "Const", none) : v->mean;
    TF_Output variance = a->training ? mk_floats(g, "Const", none) : v->variance;
    TF_OperationDescription *d = leat_begin(g, "FusedBatchNormV3", NULL, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, a->x);
    leat_add_input(d, v->gamma);
    leat_add_input(d, v->beta);
    leat_add_input(d, mean);
    leat_add_input(d, variance);
    TF_SetAttrFloat(d, "epsilon", (float)a->epsilon);
    TF_SetAttrString(d, "data_format", first ? "NCHW" : "NHWC", 4);
    TF_SetAttrBool(d, "is_training", a->training);
    TF_Operation *op = leat_finish(d);
    TF_Output momentum = mk_scalar(g, "Const", TF_FLOAT, a->momentum);
    if (op && a->training) {
        move_average(g, v->mean, leat_output_of(op, 1), a->momentum, momentum);
        move_average(g, v->variance, leat_output_of(op, 2), a->momentum, momentum);
    }
    return leat_output_of(op, 0);
}

static TF_Output by_nodes(const struct leat_layers_batch_normalization_args *a,
                          const struct norm *v)
{
    TF_Graph *g = a->g;
    TF_Output mean = v->mean, variance = v->variance;
    if (a->training) {
        struct leat_mean_and_variance m = leat_moments(g, a->x, .axis = leat_ints(0));
        mean = m.mean;
        variance = m.variance;
        move_average(g, v->mean, mean, a->momentum, MK_NONE);
        move_average(g, v->variance, variance, a->momentum, MK_NONE);
    }
    return leat_batch_normalization(g, a->x, mean, variance, v->beta, v->gamma, a->epsilon);
}

TF_Output leat_layers_batch_normalization_fn(const struct leat_layers_batch_normalization_args *a)
{
    int64_t dims[MK_MAX_RANK];
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    TF_Graph *g = a->g;
    int rank = mk_dims(g, a->x, dims);
    int axis = rank == 4 && a->data_format == LEAT_CHANNELS_FIRST ? 1 : rank - 1;
    if ((rank != 2 && rank != 4) || dims[axis] < 1)
        return leat_fail(g, a->made_at, TF_INVALID_ARGUMENT,
                         "batch_normalization: x must have rank 2 or 4, not %d, and a known number "
                         "of channels",
                         rank);
    TF_DataType dtype = leat_dtype(g, a->x);
    if (dtype == TF_HALF || dtype == TF_BFLOAT16)
        dtype = TF_FLOAT;
    if (dtype != TF_FLOAT && rank == 4)
        return leat_fail(g, a->made_at, TF_UNIMPLEMENTED, "batch_normalization: images of type %d",
                         (int)dtype);
    layer_open(g, a->name, "batch_normalization", "gamma", a->made_at);
    struct norm v;
    v.gamma = state(g, "gamma", dims[axis], dtype, true, true);
    v.beta = state(g, "beta", dims[axis], dtype, false, true);
    v.mean = state(g, "moving_mean", dims[axis], dtype, false, false);
    v.variance = state(g, "moving_variance", dims[axis], dtype, true, false);
    if (leat_valid(v.gamma) && leat_valid(v.beta) && leat_valid(v.mean) && leat_valid(v.variance))
        y = rank == 4 ? fused(a, &v) : by_nodes(a, &v);
    leat_pop(g);
    leat_pop(g);
    return y;
}
