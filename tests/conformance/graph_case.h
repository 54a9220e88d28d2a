/* SPDX-License-Identifier: Apache-2.0 */
/* A conformance graph's folder: frozen_model.pb, what to feed and which values are expected.
 *
 * `NODE.prediction.csv` has the values of output 0 of NODE, or of output K when it is
 * `NODE.K.prediction.csv`, one a line, `.shape` the dimensions; `/` in a name is written `____`.
 * `.prediction_inbw.csv` are inner nodes, used where there is no prediction;
 * `NAME.placeholder.csv` is what to feed. */
#ifndef LEAT_TESTS_CONFORMANCE_GRAPH_CASE_H
#define LEAT_TESTS_CONFORMANCE_GRAPH_CASE_H

#include "common/text.h"
#include "tensorflow/c/c_api.h"

struct golden {
    char *file;       /* without .csv, for messages */
    TF_Output output; /* oper is NULL where the graph has no such output */
    TF_Tensor *value; /* NULL: the file holds no value of its shape */
};

struct graph_case {
    struct golden *goldens, *feeds;
    size_t num_goldens, num_feeds;
};

/* Reads the folder; false, with the reason, for a file that is malformed. */
bool graph_case_read(struct graph_case *c, const char *folder, TF_Graph *graph, struct text *why);
void graph_case_release(struct graph_case *c);

#endif
