/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and other tensors kept within bounds.
 *
 *     leat_compute_gradients(opt, loss, vars, none, grads);
 *     leat_clip_by_global_norm(g, grads, n, 5.0, grads);
 *     train = leat_apply_gradients(opt, grads, vars);
 *
 * Slices stay slices: their values are clipped as they are, rows named twice counted twice, as in
 * TensorFlow 1.15. Nodes and names are 1.15's. Errors: leat_graph_status.
 * Any thread. */
#ifndef LEAT_CLIP_H
#define LEAT_CLIP_H

#include "leat/gradients.h"
#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* max(least, min(x, greatest)), elementwise: tf.clip_by_value. (The op ClipByValue, which takes
 * tensors, is another node with the same result.) */
LEAT_EXPORT TF_Output leat_clip_to_range(TF_Graph *g, TF_Output x, double least, double greatest);
/* x * clip_norm / max(|x|, clip_norm), |x| the square root of the sum of squares over axes (n < 0
 * or LEAT_NOT_GIVEN: all). */
LEAT_EXPORT TF_Output leat_clip_by_norm(TF_Graph *g, TF_Output x, double clip_norm,
                                        struct leat_ints axes);
/* The square root of the sum of all squares of grads[0, n); those that are invalid outputs are left
 * out. INVALID_ARGUMENT when none is left. */
LEAT_EXPORT TF_Output leat_global_norm(TF_Graph *g, const struct leat_grad *grads, int n);
/* Every gradient times clip_norm / max(global norm, clip_norm) into out[0, n), which may be grads;
 * all NaN when the norm is not finite. Returns the global norm before. */
LEAT_EXPORT TF_Output leat_clip_by_global_norm(TF_Graph *g, const struct leat_grad *grads, int n,
                                               double clip_norm, struct leat_grad *out);

#ifdef __cplusplus
}
#endif

#endif
