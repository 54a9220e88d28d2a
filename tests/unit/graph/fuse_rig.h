/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of fusion: one graph, run by a session that fuses and by one that does not. */
#ifndef LEAT_TESTS_FUSE_RIG_H
#define LEAT_TESTS_FUSE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"

enum { MAX_FEEDS = 12, MAX_NODES = 60 };

struct rig {
    TF_Graph *g;
    TF_Session *fused, *plain;
    TF_Status *st;
    int type;
    bool tame; /* what is fed has no special values, which long sums would all turn to NaN */
    TF_Output feeds[MAX_FEEDS];
    TF_Tensor *values[MAX_FEEDS];
    int num_feeds;
    TF_Output nodes[MAX_NODES];
    int num_nodes;
};

struct rig rig_new(int type);
void rig_free(struct rig *r);
/* The same numbers in every run of the test. */
uint32_t rig_pick(uint32_t below);
/* A placeholder that is fed random values, some of them NaN, infinite or huge. */
TF_Output rig_feed(struct rig *r, const int64_t *dims, int rank);
/* An op of one or two operands, named n0, n1... */
TF_Output rig_node(struct rig *r, const char *op, int num_in, TF_Output a, TF_Output b);
/* Any op of n operands. */
TF_Output rig_op(struct rig *r, const char *op, const char *name, int n, const TF_Output *in);
/* A vector of int32. */
TF_Output rig_ints(struct rig *r, const char *name, int n, const int32_t *v);
/* Runs both sessions, the fusing one twice, and compares every bit of the results, or every word of
 * the error, whose code it returns. */
TF_Code rig_compare(struct rig *r, const TF_Output *fetches, int n);

#endif
