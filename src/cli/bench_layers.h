/* SPDX-License-Identifier: Apache-2.0 */
/* Layers, losses and optimizers of the training cases, node by node as TensorFlow 1.15's Python
 * makes them. */
#ifndef LEAT_CLI_BENCH_LAYERS_H
#define LEAT_CLI_BENCH_LAYERS_H

#include "cli/bench.h"

TF_Output op1(struct maker *m, const char *op, TF_Output a);
TF_Output op2(struct maker *m, const char *op, TF_Output a, TF_Output b);
TF_Output op3(struct maker *m, const char *op, TF_Output a, TF_Output b, TF_Output c);
/* axis < 0: the op has none (AddN, Pack's default). */
TF_Output op_list(struct maker *m, const char *op, const TF_Output *list, int n, int axis);
TF_Output op_slice(struct maker *m, TF_Output x, const int32_t *begin, const int32_t *size, int n);

TF_Output layer_dense(struct maker *m, TF_Output x, int64_t in, int64_t out);
/* Convolution with bias and relu, stride 1; the filter is h x w. */
TF_Output layer_conv(struct maker *m, TF_Output x, const int64_t filter[4], const char *padding);
TF_Output layer_max_pool(struct maker *m, TF_Output x, int64_t h, int64_t w, int64_t stride_h,
                         int64_t stride_w, const char *padding);
TF_Output layer_dropout(struct maker *m, TF_Output x, const int32_t *shape, int n, float rate);
/* Sparse softmax cross-entropy, its mean. */
TF_Output layer_loss(struct maker *m, TF_Output logits, TF_Output labels);
TF_Output layer_mean(struct maker *m, TF_Output x, const int32_t *axes, int n);

enum train_rule { TRAIN_SGD, TRAIN_MOMENTUM, TRAIN_ADAM };

/* A table of rows of which a step reads some: only those are updated (Adam's averages decay all).
 */
struct train_table {
    TF_Output table; /* the reference, one of the maker's variables or a slot */
    TF_Output ids, rows;
    int64_t dims[2];
    int num_dims;
};

/* Makes `p` a training step of every variable of p->m and of these tables. */
void bench_train(struct bench_part *p, TF_Output loss, enum train_rule rule, float rate,
                 const struct train_table *tables, int num_tables);

#endif
