/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and attrs from the texts of a case table (tests/ops/op_case.h). */
#ifndef LEAT_TESTS_OPS_OP_TEXT_H
#define LEAT_TESTS_OPS_OP_TEXT_H

#include <stdbool.h>

#include "tensorflow/c/c_api.h"

struct case_tensor {
    bool is_const, is_var, is_resource, unknown_shape, any_value;
    int list; /* "*N": starts a list of N; 0: none */
    bool empty_list;
    TF_Tensor *t;
};
/* Ends the program with a message on a malformed text: tables are our own. */
struct case_tensor case_tensor_parse(const char *text);
void case_attrs_set(TF_OperationDescription *d, const char *text);
void case_bad(const char *text, const char *why);

/* Element i as a number (complex: part 0 real, 1 imaginary); strings are not numbers. */
double case_elem(const TF_Tensor *t, long i, int part);
void case_elem_set(TF_Tensor *t, long i, double v);
/* Element i of a string tensor; n gets its length. */
const char *case_string(const TF_Tensor *t, long i, size_t *n);
void case_print(const TF_Tensor *t);
const char *case_type_name(int dtype);

#endif
