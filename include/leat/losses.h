/* SPDX-License-Identifier: Apache-2.0 */
/* tf.losses.*: scalar losses of a batch, weighted, gathered in the collection "losses".
 *
 *     TF_Output loss = leat_losses_sparse_softmax_cross_entropy(g, labels, logits);
 *     TF_Output all = leat_losses_get_total_loss(g);        with the regularisation losses
 *
 * The first tensor is the truth, the second what the network gives. Each element's loss is
 * multiplied by its weight (a number, or a tensor that is a scalar or has the losses' rank and dims
 * of theirs or 1), and the products are reduced. Nodes, names and numbers are TensorFlow 1.15's.
 * Errors (INVALID_ARGUMENT: shapes that do not fit): leat_graph_status. Any thread. */
#ifndef LEAT_LOSSES_H
#define LEAT_LOSSES_H

#include "leat/constant.h"

#ifdef __cplusplus
extern "C" {
#endif

enum leat_reduction {
    LEAT_REDUCTION_SUM_BY_NONZERO_WEIGHTS = 0, /* sum / number of elements whose weight is not 0 */
    LEAT_REDUCTION_NONE,                       /* every element's */
    LEAT_REDUCTION_SUM,
    LEAT_REDUCTION_MEAN,               /* sum / sum of the weights */
    LEAT_REDUCTION_SUM_OVER_BATCH_SIZE /* sum / number of elements */
};

struct leat_loss_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output labels, predictions;
    double weight;     /* of every element; 1 */
    TF_Output weights; /* counts, if given */
    enum leat_reduction reduction;
    double delta;           /* huber: where squares become lines; 1 */
    double epsilon;         /* log: added inside the logarithms; 1e-7 */
    double label_smoothing; /* sigmoid and softmax: labels move this far towards even ones; 0 */
    int axis;               /* cosine_distance: of the vectors, which have length 1; no default */
    const char *loss_collection; /* "losses"; NULL: none */
    const char *name;
};
LEAT_EXPORT void leat_loss_args_init(struct leat_loss_args *args);

LEAT_EXPORT TF_Output leat_losses_absolute_difference_fn(const struct leat_loss_args *args);
LEAT_EXPORT TF_Output leat_losses_cosine_distance_fn(const struct leat_loss_args *args);
/* Labels 0 or 1, logits. */
LEAT_EXPORT TF_Output leat_losses_hinge_loss_fn(const struct leat_loss_args *args);
LEAT_EXPORT TF_Output leat_losses_huber_loss_fn(const struct leat_loss_args *args);
LEAT_EXPORT TF_Output leat_losses_log_loss_fn(const struct leat_loss_args *args);
LEAT_EXPORT TF_Output leat_losses_mean_squared_error_fn(const struct leat_loss_args *args);
/* Labels of several classes at once, logits of the same shape. */
LEAT_EXPORT TF_Output leat_losses_sigmoid_cross_entropy_fn(const struct leat_loss_args *args);
/* Distributions over the last dim, logits of the same shape. No gradient by the labels. */
LEAT_EXPORT TF_Output leat_losses_softmax_cross_entropy_fn(const struct leat_loss_args *args);
/* Class numbers [..] or [.., 1], logits [.., classes]. */
LEAT_EXPORT TF_Output
leat_losses_sparse_softmax_cross_entropy_fn(const struct leat_loss_args *args);
/* Of losses that the caller computed (labels: the losses; predictions not given). */
LEAT_EXPORT TF_Output leat_losses_compute_weighted_loss_fn(const struct leat_loss_args *args);

/* Adds what the caller made to "losses". */
LEAT_EXPORT void leat_losses_add_loss(TF_Graph *g, TF_Output loss);
/* The sum of "losses" and, with regularization, of "regularization_losses"; 0 when there are none.
 * tf.losses.get_total_loss. */
LEAT_EXPORT TF_Output leat_losses_get_total_loss(TF_Graph *g, bool regularization);

#ifdef __cplusplus
}
#else

#define LEAT_LOSS_DEFAULTS_                                                                        \
    .weight = 1, .delta = 1, .epsilon = 1e-7, .axis = INT32_MIN, .loss_collection = "losses",
#define LEAT_LOSS_CALL_(f, ...) LEAT_CALL_(f, leat_loss_args, LEAT_LOSS_DEFAULTS_, .g, __VA_ARGS__)
/* (g, labels, predictions, .weight, .weights, .reduction, .loss_collection, .name...) */
#define leat_losses_absolute_difference(...)                                                       \
    LEAT_LOSS_CALL_(leat_losses_absolute_difference_fn, __VA_ARGS__)
#define leat_losses_cosine_distance(...)                                                           \
    LEAT_LOSS_CALL_(leat_losses_cosine_distance_fn, __VA_ARGS__)
#define leat_losses_hinge_loss(...) LEAT_LOSS_CALL_(leat_losses_hinge_loss_fn, __VA_ARGS__)
#define leat_losses_huber_loss(...) LEAT_LOSS_CALL_(leat_losses_huber_loss_fn, __VA_ARGS__)
#define leat_losses_log_loss(...) LEAT_LOSS_CALL_(leat_losses_log_loss_fn, __VA_ARGS__)
#define leat_losses_mean_squared_error(...)                                                        \
    LEAT_LOSS_CALL_(leat_losses_mean_squared_error_fn, __VA_ARGS__)
#define leat_losses_sigmoid_cross_entropy(...)                                                     \
    LEAT_LOSS_CALL_(leat_losses_sigmoid_cross_entropy_fn, __VA_ARGS__)
#define leat_losses_softmax_cross_entropy(...)                                                     \
    LEAT_LOSS_CALL_(leat_losses_softmax_cross_entropy_fn, __VA_ARGS__)
#define leat_losses_sparse_softmax_cross_entropy(...)                                              \
    LEAT_LOSS_CALL_(leat_losses_sparse_softmax_cross_entropy_fn, __VA_ARGS__)
#define leat_losses_compute_weighted_loss(...)                                                     \
    LEAT_LOSS_CALL_(leat_losses_compute_weighted_loss_fn, __VA_ARGS__)

#endif

#endif
