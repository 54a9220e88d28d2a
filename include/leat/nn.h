/* SPDX-License-Identifier: Apache-2.0 */
/* What networks are made of besides single ops: reductions, moments, normalisations, dropout,
 * cross-entropies, embeddings and the losses that sample classes.
 *
 * Nodes, names and numbers are those of tf.reduce_* and tf.nn.* of TensorFlow 1.15. In C each macro
 * takes the members of its struct after made_at, in order or by name; the _fn functions take the
 * struct. Errors: leat_graph_status; an invalid output passes through. Any thread. */
#ifndef LEAT_NN_H
#define LEAT_NN_H

#include "leat/constant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reductions ---- */

struct leat_reduce_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    struct leat_ints axis; /* not given: all; negative ones count from the end */
    bool keepdims;         /* those of size one stay */
    const char *name;
};
LEAT_EXPORT void leat_reduce_args_init(struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_sum_fn(const struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_mean_fn(const struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_max_fn(const struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_min_fn(const struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_prod_fn(const struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_any_fn(const struct leat_reduce_args *args);
LEAT_EXPORT TF_Output leat_reduce_all_fn(const struct leat_reduce_args *args);

struct leat_mean_and_variance {
    TF_Output mean, variance;
};
/* The mean and the mean squared distance from it, over axis (which must be given). */
LEAT_EXPORT struct leat_mean_and_variance leat_moments_fn(const struct leat_reduce_args *args);

/* ---- normalisation, dropout ---- */

/* (x - mean) * scale / sqrt(variance + epsilon) + offset; offset and scale may be left out. */
struct leat_batch_normalization_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x, mean, variance, offset, scale;
    double variance_epsilon; /* 0.001 */
    const char *name;
};
LEAT_EXPORT void leat_batch_normalization_args_init(struct leat_batch_normalization_args *args);
LEAT_EXPORT TF_Output leat_batch_normalization_fn(const struct leat_batch_normalization_args *args);

/* x / sqrt(max(sum of squares over axis, epsilon)) */
struct leat_l2_normalize_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    struct leat_ints axis; /* not given: all */
    double epsilon;        /* 1e-12 */
    const char *name;
};
LEAT_EXPORT void leat_l2_normalize_args_init(struct leat_l2_normalize_args *args);
LEAT_EXPORT TF_Output leat_l2_normalize_fn(const struct leat_l2_normalize_args *args);

/* Each element is, independently, zero with probability rate, else multiplied by 1 / (1 - rate). */
struct leat_dropout_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output x;
    double rate;           /* in [0, 1); no default */
    TF_Output rate_tensor; /* counts, if given */
    TF_Output noise_shape; /* int32: dims of size 1 are kept or dropped as one; not given: x's */
    int64_t seed;
    const char *name;
};
LEAT_EXPORT void leat_dropout_args_init(struct leat_dropout_args *args);
LEAT_EXPORT TF_Output leat_dropout_fn(const struct leat_dropout_args *args);

/* strength * sum(x^2), as a float scalar: tf.keras.regularizers.l2. */
LEAT_EXPORT TF_Output leat_l2_regularizer(TF_Graph *g, TF_Output x, double strength);

/* ---- cross-entropies, one value an example ---- */

struct leat_cross_entropy_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output labels, logits;
    double pos_weight; /* of the weighted one: how much a positive example counts; 1 */
    const char *name;
};
LEAT_EXPORT void leat_cross_entropy_args_init(struct leat_cross_entropy_args *args);
/* max(x, 0) - x z + log(1 + exp(-|x|)) of logits x and labels z in [0, 1], elementwise. */
LEAT_EXPORT TF_Output
leat_sigmoid_cross_entropy_with_logits_fn(const struct leat_cross_entropy_args *args);
LEAT_EXPORT TF_Output
leat_weighted_cross_entropy_with_logits_fn(const struct leat_cross_entropy_args *args);
/* Labels are distributions over the last dim; gradients flow into them too. */
LEAT_EXPORT TF_Output
leat_softmax_cross_entropy_with_logits_v2_fn(const struct leat_cross_entropy_args *args);
/* Labels are class numbers, of one dim less than logits:
 * tf.nn.sparse_softmax_cross_entropy_with_logits. */
LEAT_EXPORT TF_Output
leat_sparse_softmax_cross_entropy_fn(const struct leat_cross_entropy_args *args);

/* ---- embeddings ---- */

enum leat_partition_strategy { LEAT_PARTITION_MOD = 0, LEAT_PARTITION_DIV };

/* Rows of a table by number. Tables are variables (their gradients are slices) or tensors; of
 * several, each holds a part of the rows: row i is row i / n of table i % n (mod), or tables follow
 * one another, the first i % n with one row more (div). */
struct leat_embedding_lookup_args {
    const char *made_at;
    TF_Graph *g;
    struct leat_outputs params; /* the tables: leat_outputs(w), leat_outputs(w0, w1) */
    TF_Output ids;              /* int32 or int64, any shape */
    enum leat_partition_strategy partition_strategy;
    double max_norm; /* longer rows are scaled to this length; 0: as they are */
    const char *name;
};
LEAT_EXPORT void leat_embedding_lookup_args_init(struct leat_embedding_lookup_args *args);
/* ids' shape followed by that of a row. */
LEAT_EXPORT TF_Output leat_embedding_lookup_fn(const struct leat_embedding_lookup_args *args);

/* ---- losses that sample classes ---- */

/* Classes to compare with, as the candidate samplers give them. */
struct leat_sampled_values {
    TF_Output candidates;             /* int64 [num_sampled] */
    TF_Output true_expected_count;    /* float [batch, num_true] */
    TF_Output sampled_expected_count; /* float [num_sampled] */
};
struct leat_sampled_loss_args {
    const char *made_at;
    TF_Graph *g;
    struct leat_outputs weights; /* [num_classes, dim], or several tables as of embedding_lookup */
    TF_Output biases;            /* [num_classes] */
    TF_Output labels;            /* int64 [batch, num_true] */
    TF_Output inputs;            /* [batch, dim] */
    int64_t num_sampled, num_classes;
    int64_t num_true;                          /* 1 */
    struct leat_sampled_values sampled_values; /* not given: log-uniform, each class once */
    int remove_accidental_hits; /* -1: as 1.15: no for NCE, yes for sampled softmax */
    enum leat_partition_strategy partition_strategy;
    int64_t seed; /* of the sampler */
    const char *name;
};
LEAT_EXPORT void leat_sampled_loss_args_init(struct leat_sampled_loss_args *args);
/* Noise-contrastive estimation (Gutmann and Hyvarinen 2010): [batch]. */
LEAT_EXPORT TF_Output leat_nce_loss_fn(const struct leat_sampled_loss_args *args);
/* Jean et al. 2014: [batch]; for training only. */
LEAT_EXPORT TF_Output leat_sampled_softmax_loss_fn(const struct leat_sampled_loss_args *args);

#ifdef __cplusplus
}
#else

#define LEAT_AXIS_NOT_GIVEN_ .axis = {NULL, LEAT_NOT_GIVEN},
#define LEAT_BATCH_NORMALIZATION_DEFAULTS_ .variance_epsilon = 1e-3,
#define LEAT_L2_NORMALIZE_DEFAULTS_ .axis = {NULL, LEAT_NOT_GIVEN}, .epsilon = 1e-12,
#define LEAT_DROPOUT_DEFAULTS_ .rate = __builtin_nan(""), .seed = LEAT_INT_NOT_GIVEN,
#define LEAT_CROSS_ENTROPY_DEFAULTS_ .pos_weight = 1,
#define LEAT_SAMPLED_LOSS_DEFAULTS_                                                                \
    .num_true = 1, .remove_accidental_hits = -1, .seed = LEAT_INT_NOT_GIVEN,

#define LEAT_REDUCE_CALL_(f, ...)                                                                  \
    LEAT_CALL_(f, leat_reduce_args, LEAT_AXIS_NOT_GIVEN_, .g, __VA_ARGS__)
/* (g, x, .axis = leat_ints(0, 1), .keepdims, .name) */
#define leat_reduce_sum(...) LEAT_REDUCE_CALL_(leat_reduce_sum_fn, __VA_ARGS__)
#define leat_reduce_mean(...) LEAT_REDUCE_CALL_(leat_reduce_mean_fn, __VA_ARGS__)
#define leat_reduce_max(...) LEAT_REDUCE_CALL_(leat_reduce_max_fn, __VA_ARGS__)
#define leat_reduce_min(...) LEAT_REDUCE_CALL_(leat_reduce_min_fn, __VA_ARGS__)
#define leat_reduce_prod(...) LEAT_REDUCE_CALL_(leat_reduce_prod_fn, __VA_ARGS__)
#define leat_reduce_any(...) LEAT_REDUCE_CALL_(leat_reduce_any_fn, __VA_ARGS__)
#define leat_reduce_all(...) LEAT_REDUCE_CALL_(leat_reduce_all_fn, __VA_ARGS__)
#define leat_moments(...) LEAT_REDUCE_CALL_(leat_moments_fn, __VA_ARGS__)
/* (g, x, mean, variance, .offset, .scale, .variance_epsilon, .name) */
#define leat_batch_normalization(...)                                                              \
    LEAT_CALL_(leat_batch_normalization_fn, leat_batch_normalization_args,                         \
               LEAT_BATCH_NORMALIZATION_DEFAULTS_, .g, __VA_ARGS__)
/* (g, x, .axis, .epsilon, .name) */
#define leat_l2_normalize(...)                                                                     \
    LEAT_CALL_(leat_l2_normalize_fn, leat_l2_normalize_args, LEAT_L2_NORMALIZE_DEFAULTS_, .g,      \
               __VA_ARGS__)
/* (g, x, .rate, .rate_tensor, .noise_shape, .seed, .name) */
#define leat_dropout(...)                                                                          \
    LEAT_CALL_(leat_dropout_fn, leat_dropout_args, LEAT_DROPOUT_DEFAULTS_, .g, __VA_ARGS__)
/* (g, labels, logits, .name) */
#define LEAT_CROSS_ENTROPY_CALL_(f, ...)                                                           \
    LEAT_CALL_(f, leat_cross_entropy_args, LEAT_CROSS_ENTROPY_DEFAULTS_, .g, __VA_ARGS__)
#define leat_sigmoid_cross_entropy_with_logits(...)                                                \
    LEAT_CROSS_ENTROPY_CALL_(leat_sigmoid_cross_entropy_with_logits_fn, __VA_ARGS__)
#define leat_weighted_cross_entropy_with_logits(...)                                               \
    LEAT_CROSS_ENTROPY_CALL_(leat_weighted_cross_entropy_with_logits_fn, __VA_ARGS__)
#define leat_softmax_cross_entropy_with_logits_v2(...)                                             \
    LEAT_CROSS_ENTROPY_CALL_(leat_softmax_cross_entropy_with_logits_v2_fn, __VA_ARGS__)
#define leat_sparse_softmax_cross_entropy(...)                                                     \
    LEAT_CROSS_ENTROPY_CALL_(leat_sparse_softmax_cross_entropy_fn, __VA_ARGS__)
/* (g, tables, ids, .partition_strategy, .max_norm, .name) */
#define leat_embedding_lookup(...)                                                                 \
    LEAT_CALL_(leat_embedding_lookup_fn, leat_embedding_lookup_args, LEAT_NO_DEFAULTS_, .g,        \
               __VA_ARGS__)
/* (g, weights, biases, labels, inputs, num_sampled, num_classes, .num_true...) */
#define leat_nce_loss(...)                                                                         \
    LEAT_CALL_(leat_nce_loss_fn, leat_sampled_loss_args, LEAT_SAMPLED_LOSS_DEFAULTS_, .g,          \
               __VA_ARGS__)
#define leat_sampled_softmax_loss(...)                                                             \
    LEAT_CALL_(leat_sampled_softmax_loss_fn, leat_sampled_loss_args, LEAT_SAMPLED_LOSS_DEFAULTS_,  \
               .g, __VA_ARGS__)

#endif

#endif
