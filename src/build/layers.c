/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of leat/layers.h but for normalisation and cells. */
#include "build/layer.h"
#include "leat/nn.h"

void leat_layers_dense_args_init(struct leat_layers_dense_args *args)
{
    *args = (struct leat_layers_dense_args){.made_at = NULL};
}

void leat_layers_conv2d_args_init(struct leat_layers_conv2d_args *args)
{
    *args = (struct leat_layers_conv2d_args){LEAT_LAYERS_CONV2D_DEFAULTS_};
}

void leat_layers_pooling2d_args_init(struct leat_layers_pooling2d_args *args)
{
    *args = (struct leat_layers_pooling2d_args){LEAT_LAYERS_POOLING2D_DEFAULTS_};
}

void leat_layers_dropout_args_init(struct leat_layers_dropout_args *args)
{
    *args = (struct leat_layers_dropout_args){LEAT_LAYERS_DROPOUT_DEFAULTS_};
}

/* ---- dense ---- */

/* Elements of a vector by constant places. */
static TF_Output pick(TF_Graph *g, TF_Output x, TF_Output places)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "GatherV2") {
        TF_Output axis = mk_i32(g, "axis", 0);
        y = mk_op(g, "GatherV2", leat_current_scope(g), leat_outputs(x, places, axis));
    }
    return y;
}

/* x [.., n] times kernel [n, units], of any rank: by matrices. */
static TF_Output outer_product(TF_Graph *g, TF_Output x, int rank, TF_Output kernel, int64_t n,
                               int64_t units)
{
    int64_t outer[MK_MAX_RANK];
    TF_Output y = MK_NONE;
    for (int i = 0; i < rank - 1; i++)
        outer[i] = i;
    leat_with_scope(g, "Tensordot") {
        TF_Output axes = mk_i32s(g, "axes", leat_ints(rank - 1));
        TF_Output kept = mk_i32s(g, "free", (struct leat_ints){outer, rank - 1});
        TF_Output shape = mk_shape(g, "Shape", x);
        TF_Output kept_dims = pick(g, shape, kept);
        TF_Output last_dim = pick(g, shape, axes);
        TF_Output rows =
            mk_op(g, "Prod", NULL, leat_outputs(kept_dims, mk_i32s(g, "Const", leat_ints(0))));
        TF_Output columns =
            mk_op(g, "Prod", NULL, leat_outputs(last_dim, mk_i32s(g, "Const", leat_ints(0))));
        TF_Output order = mk_concat(g, "concat", leat_outputs(kept, axes), 0);
        TF_Output matrix = mk_pack(g, "stack", leat_outputs(rows, columns));
        TF_Output turned = mk_op(g, "Transpose", "transpose", leat_outputs(x, order));
        TF_Output flat = mk_op(g, "Reshape", NULL, leat_outputs(turned, matrix)), w = MK_NONE;
        leat_with_scope(g, "transpose") {
            TF_Output perm = mk_i32s(g, "perm", leat_ints(0, 1));
            w = mk_op(g, "Transpose", leat_current_scope(g), leat_outputs(kernel, perm));
        }
        w = mk_reshape(g, "Reshape", w, leat_ints(n, units));
        TF_Output product = mk_op(g, "MatMul", NULL, leat_outputs(flat, w));
        TF_Output width = mk_i32s(g, "Const", leat_ints(units));
        TF_Output dims = mk_concat(g, "concat", leat_outputs(kept_dims, width), 0);
        y = mk_op(g, "Reshape", leat_current_scope(g), leat_outputs(product, dims));
    }
    return y;
}

static TF_Output dense(const struct leat_layers_dense_args *a, int rank, int64_t n)
{
    TF_Graph *g = a->g;
    TF_DataType dtype = leat_dtype(g, a->x);
    TF_Output kernel = layer_kernel(g, leat_shape(n, a->units), dtype, a->kernel_initializer);
    TF_Output bias =
        a->no_bias ? MK_NONE : layer_bias_variable(g, a->units, dtype, a->bias_initializer);
    if (!leat_valid(kernel))
        return MK_NONE;
    TF_Output y = rank == 2 ? mk_op(g, "MatMul", NULL, leat_outputs(a->x, kernel))
                            : outer_product(g, a->x, rank, kernel, n, a->units);
    if (!a->no_bias)
        y = layer_bias(g, y, bias, LEAT_CHANNELS_LAST);
    return layer_activate(g, y, a->activation);
}

TF_Output leat_layers_dense_fn(const struct leat_layers_dense_args *a)
{
    if (!a || !a->g)
        return MK_NONE;
    int64_t dims[MK_MAX_RANK];
    int rank = mk_dims(a->g, a->x, dims);
    if (rank < 2 || dims[rank - 1] < 1)
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                         "dense: The last dimension of the inputs to `Dense` should be defined, of "
                         "rank 2 or more; rank is %d",
                         rank);
    if (a->units < 1)
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "dense: units is %lld",
                         (long long)a->units);
    layer_open(a->g, a->name, "dense", "kernel", a->made_at);
    TF_Output y = dense(a, rank, dims[rank - 1]);
    leat_pop(a->g);
    leat_pop(a->g);
    return y;
}

/* ---- images ---- */

/* Four numbers in the order of the format: 1, two, 1. */
static void four(enum leat_data_format format, const int64_t *two, int64_t *out)
{
    bool first = format == LEAT_CHANNELS_FIRST;
    out[0] = 1;
    out[1] = first ? 1 : two[0];
    out[2] = first ? two[0] : two[1];
    out[3] = first ? two[1] : 1;
}

static void set_window(TF_OperationDescription *d, const char *attr, enum leat_data_format format,
                       const int64_t *two)
{
    int64_t v[4];
    four(format, two, v);
    TF_SetAttrIntList(d, attr, v, 4);
}

static void set_layout(TF_OperationDescription *d, enum leat_padding padding,
                       enum leat_data_format format)
{
    TF_SetAttrString(d, "padding", padding == LEAT_SAME ? "SAME" : "VALID",
                     padding == LEAT_SAME ? 4 : 5);
    TF_SetAttrString(d, "data_format", format == LEAT_CHANNELS_FIRST ? "NCHW" : "NHWC", 4);
}

/* The number of channels of images, or -1 with an error recorded. */
static int64_t channels_of(TF_Graph *g, TF_Output x, enum leat_data_format format, const char *what)
{
    int64_t dims[MK_MAX_RANK];
    int rank = mk_dims(g, x, dims);
    int axis = format == LEAT_CHANNELS_FIRST ? 1 : 3;
    if (rank == 4 && dims[axis] > 0)
        return dims[axis];
    leat_fail(g, NULL, TF_INVALID_ARGUMENT,
              "%s: The channel dimension of the inputs should be defined, of rank 4; rank is %d",
              what, rank);
    return -1;
}

static TF_Output convolve(const struct leat_layers_conv2d_args *a, const int64_t *size,
                          const int64_t *strides, const int64_t *dilation, int64_t channels)
{
    TF_Graph *g = a->g;
    TF_DataType dtype = leat_dtype(g, a->x);
    TF_Output kernel = layer_kernel(g, leat_shape(size[0], size[1], channels, a->filters), dtype,
                                    a->kernel_initializer);
    TF_Output bias =
        a->no_bias ? MK_NONE : layer_bias_variable(g, a->filters, dtype, a->bias_initializer);
    if (!leat_valid(kernel))
        return MK_NONE;
    mk_i32s(g, "dilation_rate", (struct leat_ints){dilation, 2});
    TF_OperationDescription *d = leat_begin(g, "Conv2D", NULL, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, a->x);
    leat_add_input(d, kernel);
    set_window(d, "strides", a->data_format, strides);
    set_window(d, "dilations", a->data_format, dilation);
    set_layout(d, a->padding, a->data_format);
    TF_Output y = leat_output_of(leat_finish(d), 0);
    if (!a->no_bias)
        y = layer_bias(g, y, bias, a->data_format);
    return layer_activate(g, y, a->activation);
}

TF_Output leat_layers_conv2d_fn(const struct leat_layers_conv2d_args *a)
{
    static const int64_t ones[2] = {1, 1};
    int64_t size[2], strides[2], dilation[2];
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    TF_Graph *g = a->g;
    leat_push_caller(g, a->made_at);
    int64_t channels = channels_of(g, a->x, a->data_format, "conv2d");
    bool ok = channels > 0 && layer_pair(g, a->kernel_size, NULL, "conv2d: kernel_size", size) &&
              layer_pair(g, a->strides, ones, "conv2d: strides", strides) &&
              layer_pair(g, a->dilation_rate, ones, "conv2d: dilation_rate", dilation);
    if (ok && a->filters < 1)
        leat_fail(g, NULL, TF_INVALID_ARGUMENT, "conv2d: filters is %lld", (long long)a->filters);
    leat_pop(g);
    if (!ok || a->filters < 1)
        return y;
    layer_open(g, a->name, "conv2d", "kernel", a->made_at);
    y = convolve(a, size, strides, dilation, channels);
    leat_pop(g);
    leat_pop(g);
    return y;
}

static TF_Output pool(const struct leat_layers_pooling2d_args *a, const char *op, const char *kind)
{
    int64_t size[2], strides[2];
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, kind, a->made_at) {
        if (!leat_valid(a->x))
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "%s: x is an invalid output", kind);
        if (!layer_pair(g, a->pool_size, NULL, "pooling: pool_size", size) ||
            !layer_pair(g, a->strides, size, "pooling: strides", strides))
            return y;
        TF_OperationDescription *d = leat_begin(g, op, NULL, NULL);
        if (!d)
            return y;
        leat_add_input(d, a->x);
        set_window(d, "ksize", a->data_format, size);
        set_window(d, "strides", a->data_format, strides);
        set_layout(d, a->padding, a->data_format);
        y = leat_output_of(leat_finish(d), 0);
    }
    return y;
}

TF_Output leat_layers_max_pooling2d_fn(const struct leat_layers_pooling2d_args *a)
{
    return pool(a, "MaxPool", "max_pooling2d");
}

TF_Output leat_layers_average_pooling2d_fn(const struct leat_layers_pooling2d_args *a)
{
    return pool(a, "AvgPool", "average_pooling2d");
}

/* ---- dropout, flatten ---- */

/* x on the side that is taken: where `when` is as pred is in a step. */
static TF_Output switch_to(TF_Graph *g, const char *name, TF_Output x, TF_Output pred, bool when)
{
    TF_Output y = MK_NONE;
    leat_with_colocation(g, x.oper) {
        TF_OperationDescription *d = leat_begin(g, "Switch", name, NULL);
        if (d) {
            leat_add_input(d, x);
            leat_add_input(d, pred);
            y = leat_output_of(leat_finish(d), when);
        }
    }
    return y;
}

/* Dropout where training_tensor is true in a step, else x. */
static TF_Output drop_if(const struct leat_layers_dropout_args *a)
{
    TF_Graph *g = a->g;
    TF_Output y = MK_NONE;
    leat_with_scope(g, "cond") {
        TF_Output side =
            mk_op(g, "Switch", NULL, leat_outputs(a->training_tensor, a->training_tensor));
        TF_Output yes = mk_unary(g, "Identity", "switch_t", leat_output(side, 1));
        mk_unary(g, "Identity", "switch_f", side);
        TF_Output pred = mk_unary(g, "Identity", "pred_id", a->training_tensor);
        bool fixed = mk_num_elements(g, a->x) >= 0; /* then its shape is a constant */
        TF_Output in =
            switch_to(g, fixed ? "dropout/mul/Switch" : "dropout/Shape/Switch", a->x, pred, true);
        TF_Output dropped = MK_NONE;
        if (leat_valid(in) && leat_valid(yes))
            leat_with_control_dependencies(g, &yes.oper, 1)
                dropped = leat_dropout(g, in, .rate = a->rate, .seed = a->seed, .name = "dropout");
        TF_Output whole = switch_to(g, "Identity/Switch", a->x, pred, false);
        TF_Output same = mk_unary(g, "Identity", NULL, whole);
        TF_OperationDescription *d = leat_begin(g, "Merge", NULL, NULL);
        if (d) {
            leat_add_input_list(d, (const TF_Output[]){same, dropped}, 2);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

TF_Output leat_layers_dropout_fn(const struct leat_layers_dropout_args *a)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    if (!leat_valid(a->x))
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "dropout: x is an invalid output");
    leat_with_composite(a->g, a->name, "dropout", a->made_at) {
        if (leat_valid(a->training_tensor))
            y = drop_if(a);
        else if (a->training)
            y = leat_dropout(a->g, a->x, .rate = a->rate, .seed = a->seed, .name = "dropout");
        else
            y = mk_unary(a->g, "Identity", NULL, a->x);
    }
    return y;
}

TF_Output leat_layers_flatten(TF_Graph *g, TF_Output x, const char *name)
{
    int64_t dims[MK_MAX_RANK];
    TF_Output y = MK_NONE;
    if (!g)
        return y;
    int rank = mk_dims(g, x, dims);
    if (rank == 0 || !leat_valid(x))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "flatten: x is %s",
                         rank == 0 ? "a scalar" : "an invalid output");
    leat_with_composite(g, name, "flatten", NULL) {
        if (rank > 0 && dims[0] >= 0) {
            y = mk_reshape(g, "Reshape", x, leat_ints(dims[0], -1));
        } else {
            TF_Output batch = mk_slice1(g, "strided_slice", mk_shape(g, "Shape", x), 0, 0, true);
            leat_with_scope(g, "Reshape") {
                TF_Output rest = mk_i32(g, "shape/1", -1);
                TF_Output shape = mk_pack(g, "shape", leat_outputs(batch, rest));
                y = mk_op(g, "Reshape", leat_current_scope(g), leat_outputs(x, shape));
            }
        }
    }
    return y;
}
