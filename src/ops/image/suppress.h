/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops that suppress boxes share: how much boxes overlap, and the choice by score. */
#ifndef LEAT_OPS_IMAGE_SUPPRESS_H
#define LEAT_OPS_IMAGE_SUPPRESS_H

#include "op/floats.h"

/* How much items i and j are alike. */
typedef float (*alike_fn)(const void *arg, int64_t i, int64_t j);

struct suppress {
    const float *scores;
    int64_t num;
    alike_fn alike;
    const void *arg;
    float threshold;       /* of likeness, from which on an item goes */
    float score_threshold; /* what does not exceed it is never chosen */
    float sigma;           /* over 0: likeness below it lowers scores (soft suppression) */
    int64_t most;          /* how many are chosen; negative: no limit but what there is */
    bool half;             /* every result of arithmetic is rounded to half */
    bool once;             /* what was chosen is not looked at again */
};
struct candidate {
    float score;
    int32_t item, begin; /* compared with those chosen before `begin` */
};
struct chosen {
    int32_t *items; /* `kept` of them; the last one stands for itself and all behind it */
    float *scores;
    struct candidate *heap;
    int64_t kept, n;
};
/* Room for choosing among num, in c's scratch; it serves any number of calls. */
MUST_CHECK bool chosen_room(struct kctx *c, int64_t num, struct chosen *out, struct status *st);
/* The best by score, those left out that are too much like one chosen before. */
void suppress_choose(const struct suppress *s, struct chosen *out);

struct boxes {
    const float *corners; /* of box i: four from i * step on; any two opposite corners */
    int64_t step;
    bool half;
};
/* The area that two boxes share over that of both together: an alike_fn of a struct boxes. */
float boxes_alike(const void *boxes, int64_t i, int64_t j);

#endif
