/* SPDX-License-Identifier: Apache-2.0 */
/* Random tensors of a shape that is a tensor, as tf.random_uniform makes them. */
#ifndef LEAT_BUILD_DRAW_H
#define LEAT_BUILD_DRAW_H

#include "build/mk.h"

/* Evenly from [least, greatest), under a scope random_uniform. seed LEAT_INT_NOT_GIVEN: the graph's
 * rules. */
TF_Output random_uniform_of(TF_Graph *g, TF_Output shape, TF_DataType dtype, double least,
                            double greatest, int64_t seed);

#endif
