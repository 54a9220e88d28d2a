/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops of connectionist temporal classification share. */
#ifndef LEAT_OPS_NN_CTC_H
#define LEAT_OPS_NN_CTC_H

#include "op/infer.h"
#include "op/kernel.h"

/* Scores [time, batch, classes] of input 0, float or double; the last class is the blank. */
struct ctc {
    const struct tensor *x;
    int64_t time, batch, classes;
    const int32_t *lengths; /* of each in the batch */
};

/* Input 0, and lengths in input `lengths`. */
MUST_CHECK bool ctc_check(const struct kctx *c, int lengths, struct ctc *k, struct status *st);
/* The lengths lie in 0..time; the code is what a longer one is told as. */
MUST_CHECK bool ctc_check_lengths(const struct ctc *k, enum status_code too_long,
                                  struct status *st);
/* The scores at a time of one of the batch, as doubles. */
void ctc_row(const struct ctc *k, int64_t t, int64_t b, double *row);
static inline void ctc_put(struct tensor *t, int64_t i, double x)
{
    if (t->dtype == DT_DOUBLE)
        tensor_f64(t)[i] = x;
    else
        tensor_f32(t)[i] = (float)x;
}
double ctc_log_add(double a, double b); /* log(exp a + exp b) */

/* What was decoded: label lists one behind the other, in the order of the batch. */
struct ctc_labels {
    int64_t *lengths; /* batch */
    int32_t *labels;
    int64_t total;
};
/* Gives them as a sparse matrix of outputs [i], [i + step], [i + 2 * step]: indices, values, shape.
 */
MUST_CHECK bool ctc_put_labels(struct kctx *c, const struct ctc_labels *l, int64_t batch, int i,
                               int step, struct status *st);

#endif
