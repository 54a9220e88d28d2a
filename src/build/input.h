/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of input pipelines: the nodes that are the same in all of them. */
#ifndef LEAT_BUILD_INPUT_H
#define LEAT_BUILD_INPUT_H

#include "build/mk.h"
#include "leat/input.h"

struct input_queue {
    TF_Graph *g;
    const char *op, *name; /* "FIFOQueueV2"; name: "fifo_queue", or the current scope */
    const char *prefix;    /* of the names of its operations; may be NULL: name */
    int64_t capacity, min_after_dequeue, seed, seed2; /* the last three: a shuffling queue's */
    struct leat_outputs example;                      /* whose types and shapes elements have */
    bool rows;                                        /* example's rows are elements */
    bool partial;                                     /* shapes may be unknown in part */
};

/* INVALID_ARGUMENT where a shape is not known. */
TF_Output input_queue_make(const struct input_queue *q);
/* What puts `values` into it. */
TF_Operation *input_enqueue(const struct input_queue *q, TF_Output queue,
                            struct leat_outputs values);
/* The queue runner with these fillers, and the two ways to close. */
void input_run(const struct input_queue *q, TF_Output queue, TF_Operation *const *fillers, int n);
/* How full it is, as a summary. */
void input_summary(const struct input_queue *q, TF_Output queue);

#endif
