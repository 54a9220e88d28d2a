/* SPDX-License-Identifier: Apache-2.0 */
/* What rows (op_case.h) and scripts (op_script.h) share: comparing values and errors, sessions with
 * and without the optimiser, and the printing of rows. */
#ifndef LEAT_TESTS_OPS_OP_CHECK_H
#define LEAT_TESTS_OPS_OP_CHECK_H

#include <stdbool.h>

#include "tensorflow/c/c_api.h"

bool check_same_shape(const TF_Tensor *a, const TF_Tensor *b); /* and type */
/* Of one shape and type. rel and abs both 0: by type. Integers and strings exactly. */
bool check_same_values(const TF_Tensor *got, const TF_Tensor *want, double rel, double abs);
/* The inferred shape of o, where there is one, allows the value's. */
bool check_inferred_shape(TF_Graph *g, TF_Output o, const TF_Tensor *value, TF_Status *st);
/* want: "CODE" or "CODE: words of the message". */
bool check_error_is(const TF_Status *st, const char *want);
const char *check_code_name(const TF_Status *st);
TF_Session *check_open_session(TF_Graph *g, bool optimise, int devices, TF_Status *st);
/* A graph that says it is of that version (0: today's): ops that newer ones may not use. */
TF_Graph *check_new_graph(int producer);
bool check_op_exists(const char *op);

/* "<tab>name=text", bytes that are not printable as \xHH; nothing where text is NULL. */
void check_print_field(const char *name, const char *text);

#endif
