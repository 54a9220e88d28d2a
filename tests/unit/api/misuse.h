/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of misuse: a graph with a session, short ways to build, and a table of misdeeds with
 * the code and words that each must end in. The codes are TensorFlow 1.15's where it has one. */
#ifndef LEAT_TESTS_MISUSE_H
#define LEAT_TESTS_MISUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

struct bench { /* a graph, a session on it, and the status of the last call */
    TF_Graph *g;
    TF_Session *s;
    TF_Status *st;
};
struct misuse {
    const char *name;
    void (*act)(struct bench *b); /* leaves what it ended in in b->st */
    TF_Code code;
    const char *words; /* in the message */
};
void bench_open(struct bench *b);
void bench_close(struct bench *b);
/* Each on a bench of its own; how many ended otherwise, which are printed. */
int misuse_check(const struct misuse *rows, size_t n);

TF_Output m_const(struct bench *b, const char *name, TF_DataType type, const int64_t *dims,
                  int rank, const void *bytes, size_t n);
TF_Output m_scalar(struct bench *b, const char *name, float v);
TF_Output m_bool(struct bench *b, const char *name, bool v);
TF_Output m_in(struct bench *b, const char *name, const int64_t *dims, int rank); /* float */
TF_Output m_op(struct bench *b, const char *op, const char *name, int n, const TF_Output *in);
TF_Output m_op1(struct bench *b, const char *op, const char *name, TF_Output x);
TF_Output m_op2(struct bench *b, const char *op, const char *name, TF_Output x, TF_Output y);
TF_Output m_variable(struct bench *b, const char *name); /* float scalar, a reference */
TF_Tensor *m_tensor(float v);
/* Runs; values that come back are given back. */
void m_run(struct bench *b, int num_feeds, const TF_Output *feeds, float value, int num_fetches,
           const TF_Output *fetches);
void m_fetch(struct bench *b, TF_Output y);
void m_import(struct bench *b, const char *bytes, size_t n);

#endif
