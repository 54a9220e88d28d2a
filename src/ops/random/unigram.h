/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions over 0..n-1 given by weights: fixed ones, drawn from in constant time, and counts
 * that grow as classes are seen, drawn from in logarithmic time. Both draw the numbers that
 * TensorFlow's unigram samplers draw. Neither locks anything. */
#ifndef LEAT_OPS_RANDOM_UNIGRAM_H
#define LEAT_OPS_RANDOM_UNIGRAM_H

#include "math/rng.h"
#include "op/attr.h"

/* --- fixed weights --- */
struct unigram_alias {
    float keep; /* how likely a draw of this slot stays with it */
    int32_t other;
};
struct unigram_fixed {
    int64_t n;
    float *weights;              /* n; owned */
    float total;                 /* of weights */
    struct unigram_alias *slots; /* n; owned */
};
/* From FixedUnigramCandidateSampler's attrs. */
MUST_CHECK bool unigram_fixed_init(struct unigram_fixed *u, const struct attrs *attrs,
                                   struct status *st);
void unigram_fixed_release(struct unigram_fixed *u);
int64_t unigram_fixed_draw(const struct unigram_fixed *u, struct math_philox_stream *s);
float unigram_fixed_probability(const struct unigram_fixed *u, int64_t i); /* 0 outside 0..n-1 */

/* --- counts, each 1 at first --- */
struct unigram_counts {
    int64_t n;
    int32_t *counts; /* n; owned */
    int32_t *tree;   /* Fenwick tree of counts, from index 1; owned */
    int32_t total;   /* of counts */
};
MUST_CHECK bool unigram_counts_init(struct unigram_counts *u, int64_t n, struct status *st);
void unigram_counts_release(struct unigram_counts *u);
int64_t unigram_counts_draw(const struct unigram_counts *u, struct math_philox_stream *s);
float unigram_counts_probability(const struct unigram_counts *u, int64_t i); /* 0 <= i < n */
/* Counts i, 0 <= i < n, once more; at the greatest total of all nothing changes. */
void unigram_counts_add(struct unigram_counts *u, int64_t i);

#endif
