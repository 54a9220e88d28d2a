/* SPDX-License-Identifier: Apache-2.0 */
/* Layers with their variables: tf.layers.* and the LSTM cell of TensorFlow 1.15, in its names
 * ("dense/kernel", "dense/MatMul", "dense_1/..."), numbers and defaults.
 *
 *     TF_Output h = leat_layers_dense(g, x, 128, .activation = LEAT_RELU);
 *     TF_Output y = leat_layers_dense(g, h, 10);
 *
 * Variables are references, made with leat_get_variable under a variable scope of the layer's name;
 * without a name that is the kind's, made unique. A layer whose name was given is shared by making
 * it again in a variable scope that says reuse. Errors: leat_graph_status. Any thread. */
#ifndef LEAT_LAYERS_H
#define LEAT_LAYERS_H

#include "leat/variable.h"

#ifdef __cplusplus
extern "C" {
#endif

enum leat_activation {
    LEAT_LINEAR = 0,
    LEAT_RELU,
    LEAT_RELU6,
    LEAT_ELU,
    LEAT_SELU,
    LEAT_SIGMOID,
    LEAT_TANH,
    LEAT_SOFTMAX,
    LEAT_SOFTPLUS,
    LEAT_SOFTSIGN
};
enum leat_padding { LEAT_VALID = 0, LEAT_SAME };
enum leat_data_format { LEAT_CHANNELS_LAST = 0, LEAT_CHANNELS_FIRST };

/* activation(x kernel + bias) over the last dim, which must be known; outer dims as they are. */
struct leat_layers_dense_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    int64_t units;
    enum leat_activation activation;
    bool no_bias;
    struct leat_initializer kernel_initializer; /* Glorot's uniform */
    struct leat_initializer bias_initializer;   /* zeros, if not given */
    const char *name;                           /* dense */
};
LEAT_EXPORT void leat_layers_dense_args_init(struct leat_layers_dense_args *args);
LEAT_EXPORT TF_Output leat_layers_dense_fn(const struct leat_layers_dense_args *args);

/* activation(conv(x, kernel) + bias) of images [batch, height, width, channels], or channels first.
 */
struct leat_layers_conv2d_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    int64_t filters;
    struct leat_ints kernel_size;   /* leat_ints(5) or leat_ints(height, width) */
    struct leat_ints strides;       /* 1 */
    struct leat_ints dilation_rate; /* 1 */
    enum leat_padding padding;
    enum leat_data_format data_format;
    enum leat_activation activation;
    bool no_bias;
    struct leat_initializer kernel_initializer, bias_initializer;
    const char *name; /* conv2d */
};
LEAT_EXPORT void leat_layers_conv2d_args_init(struct leat_layers_conv2d_args *args);
LEAT_EXPORT TF_Output leat_layers_conv2d_fn(const struct leat_layers_conv2d_args *args);

/* The greatest, or the mean, of each window. */
struct leat_layers_pooling2d_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    struct leat_ints pool_size; /* one number or two */
    struct leat_ints strides;   /* not given: pool_size */
    enum leat_padding padding;
    enum leat_data_format data_format;
    const char *name;
};
LEAT_EXPORT void leat_layers_pooling2d_args_init(struct leat_layers_pooling2d_args *args);
LEAT_EXPORT TF_Output leat_layers_max_pooling2d_fn(const struct leat_layers_pooling2d_args *args);
LEAT_EXPORT TF_Output
leat_layers_average_pooling2d_fn(const struct leat_layers_pooling2d_args *args);

/* leat_dropout while training, else x. */
struct leat_layers_dropout_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    double rate; /* 0.5 */
    bool training;
    TF_Output training_tensor; /* a bool scalar that decides at each step; counts, if given */
    int64_t seed;
    const char *name;
};
LEAT_EXPORT void leat_layers_dropout_args_init(struct leat_layers_dropout_args *args);
LEAT_EXPORT TF_Output leat_layers_dropout_fn(const struct leat_layers_dropout_args *args);

/* [batch, the rest]; name NULL: flatten. */
LEAT_EXPORT TF_Output leat_layers_flatten(TF_Graph *g, TF_Output x, const char *name);

/* Normalises each channel by the batch's mean and variance (training) or by their moving averages;
 * the updates of these are in the collection "update_ops", for the train operation to wait for. */
struct leat_layers_batch_normalization_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x; /* of rank 2, channels last; or images */
    bool training;
    double momentum, epsilon;          /* 0.99, 0.001 */
    enum leat_data_format data_format; /* of images */
    const char *name;                  /* batch_normalization */
};
LEAT_EXPORT void
leat_layers_batch_normalization_args_init(struct leat_layers_batch_normalization_args *args);
LEAT_EXPORT TF_Output
leat_layers_batch_normalization_fn(const struct leat_layers_batch_normalization_args *args);

/* ---- the LSTM cell: tf.nn.rnn_cell.BasicLSTMCell ---- */

enum { LEAT_CELL_NAME_MAX = 240 };
/* By value; its variables are the graph's. kernel is an invalid output after an error. */
struct leat_lstm_cell {
    TF_Graph *g;
    int64_t num_units;
    double forget_bias;
    TF_Output kernel, bias;
    char scope[LEAT_CELL_NAME_MAX + 2];
};
struct leat_lstm_state {
    TF_Output c, h; /* [batch, num_units] each */
};
/* A cell for inputs of input_size numbers, with variables NAME/kernel and NAME/bias; name NULL:
 * basic_lstm_cell; forget_bias is usually 1. */
LEAT_EXPORT struct leat_lstm_cell leat_basic_lstm_cell(TF_Graph *g, int64_t num_units,
                                                       int64_t input_size, double forget_bias,
                                                       const char *name);
/* Zeros for a batch. */
LEAT_EXPORT struct leat_lstm_state leat_lstm_zero_state(const struct leat_lstm_cell *cell,
                                                        int64_t batch);
/* The state after x [batch, input_size]; its h is the output. */
LEAT_EXPORT struct leat_lstm_state leat_lstm_step(const struct leat_lstm_cell *cell, TF_Output x,
                                                  struct leat_lstm_state state);

#ifdef __cplusplus
}
#else

#define LEAT_LAYER_ONE_                                                                            \
    {                                                                                              \
        NULL, LEAT_NOT_GIVEN                                                                       \
    }
#define LEAT_LAYERS_CONV2D_DEFAULTS_                                                               \
    .kernel_size = LEAT_LAYER_ONE_, .strides = LEAT_LAYER_ONE_, .dilation_rate = LEAT_LAYER_ONE_,
#define LEAT_LAYERS_POOLING2D_DEFAULTS_ .pool_size = LEAT_LAYER_ONE_, .strides = LEAT_LAYER_ONE_,
#define LEAT_LAYERS_DROPOUT_DEFAULTS_ .rate = 0.5, .seed = LEAT_INT_NOT_GIVEN,
#define LEAT_LAYERS_BATCH_NORMALIZATION_DEFAULTS_ .momentum = 0.99, .epsilon = 1e-3,

/* (g, x, units, .activation, .no_bias, .kernel_initializer, .bias_initializer, .name) */
#define leat_layers_dense(...)                                                                     \
    LEAT_CALL_(leat_layers_dense_fn, leat_layers_dense_args, LEAT_NO_DEFAULTS_, .g, __VA_ARGS__)
/* (g, x, filters, leat_ints(5), .strides, .padding = LEAT_SAME, .activation...) */
#define leat_layers_conv2d(...)                                                                    \
    LEAT_CALL_(leat_layers_conv2d_fn, leat_layers_conv2d_args, LEAT_LAYERS_CONV2D_DEFAULTS_, .g,   \
               __VA_ARGS__)
/* (g, x, leat_ints(2), leat_ints(2), .padding, .data_format, .name) */
#define leat_layers_max_pooling2d(...)                                                             \
    LEAT_CALL_(leat_layers_max_pooling2d_fn, leat_layers_pooling2d_args,                           \
               LEAT_LAYERS_POOLING2D_DEFAULTS_, .g, __VA_ARGS__)
#define leat_layers_average_pooling2d(...)                                                         \
    LEAT_CALL_(leat_layers_average_pooling2d_fn, leat_layers_pooling2d_args,                       \
               LEAT_LAYERS_POOLING2D_DEFAULTS_, .g, __VA_ARGS__)
/* (g, x, .rate, .training, .training_tensor, .seed, .name) */
#define leat_layers_dropout(...)                                                                   \
    LEAT_CALL_(leat_layers_dropout_fn, leat_layers_dropout_args, LEAT_LAYERS_DROPOUT_DEFAULTS_,    \
               .g, __VA_ARGS__)
/* (g, x, .training, .momentum, .epsilon, .data_format, .name) */
#define leat_layers_batch_normalization(...)                                                       \
    LEAT_CALL_(leat_layers_batch_normalization_fn, leat_layers_batch_normalization_args,           \
               LEAT_LAYERS_BATCH_NORMALIZATION_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
