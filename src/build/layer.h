/* SPDX-License-Identifier: Apache-2.0 */
/* What the layers share: their scopes, activations, and numbers given once for two dims. */
#ifndef LEAT_BUILD_LAYER_H
#define LEAT_BUILD_LAYER_H

#include "build/mk.h"
#include "leat/layers.h"

/* Opens the variable scope of a layer that has variables (one of them called `variable`); name
 * NULL: kind, with a number where that is taken. Two leat_pop end it. */
void layer_open(TF_Graph *g, const char *name, const char *kind, const char *variable,
                const char *made_at);
TF_Output layer_activate(TF_Graph *g, TF_Output x, enum leat_activation activation);
/* x + bias, a new variable "bias" of n zeros (or as initialised). */
TF_Output layer_bias(TF_Graph *g, TF_Output x, TF_Output bias, enum leat_data_format format);
/* The variables of a layer; the bias's default is zeros. */
TF_Output layer_kernel(TF_Graph *g, struct leat_shape shape, TF_DataType dtype,
                       struct leat_initializer initializer);
TF_Output layer_bias_variable(TF_Graph *g, int64_t n, TF_DataType dtype,
                              struct leat_initializer initializer);
/* One or two numbers, each at least one, as two; not given: fallback. false: an error was recorded,
 * saying what. */
bool layer_pair(TF_Graph *g, struct leat_ints numbers, const int64_t *fallback, const char *what,
                int64_t *out);

#endif
