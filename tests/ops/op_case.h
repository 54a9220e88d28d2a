/* SPDX-License-Identifier: Apache-2.0 */
/* Case tables of ops: one row checks values, inferred shapes against real ones, the gradient
 * against finite differences, and errors, all through the C API.
 *
 * A program tests/ops/test_<family>.c holds a table and ends with
 *     int main(int argc, char **argv) { return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
 * }
 *
 * A tensor is a text: "float [2,3] 1 2 3 4 5 6", "int32 [] 7", "string [2] 'a' 'b c'",
 * "complex64 [1] 1+2i", "bool [2] 1 0"; values nan, inf, -inf; too few values repeat the last, so
 * "double [4,4] 0.5" is filled. In front of an input, `const` makes it a Const of the graph instead
 * of a fed Placeholder (shape functions see its value), `var` a reference variable that was
 * assigned the value, `res` a resource variable of it (what those hold after the op follows the
 * op's own outputs in .out), `?` a placeholder of unknown shape. An expected "float [2] ~" checks
 * type and shape only. Attrs: "T=float keep_dims=true axes=[0,1] padding='SAME' shape=[2,-1]
 * Tlist=[float,int32] f=0.5 value=(float [2] 1 2)"; a type name is a type, a quoted text a string,
 * a number with a dot or exponent a float. Attrs that follow from inputs may be left out. An input
 * of the form "*3 ..." starts a list argument of three: the next two entries belong to it; "*0" is
 * an empty one.
 */
#ifndef LEAT_TESTS_OPS_OP_CASE_H
#define LEAT_TESTS_OPS_OP_CASE_H

#include <stddef.h>

struct op_case {
    const char *op;
    const char *attrs; /* may be NULL */
    const char *in[16];
    const char *out[8];
    const char *error; /* "INVALID_ARGUMENT" or "INVALID_ARGUMENT: words in the message": expected
                          instead of values */
    unsigned grad;     /* bit i: check the gradient of every float output by input i (double inputs;
                          float ones     for ops that have no double, and are linear or nearly so) */
    double rel, abs; /* tolerance of values; 0: by type (float 1e-5, 1e-6; double 1e-12, 1e-14; half
                        1e-3...) */
    int producer;    /* the version of TensorFlow's graphs that the row's is of; 0: today's */
    const char *note; /* what the row is for, printed when it fails */
};

int op_cases_main(const struct op_case *cases, size_t n, int argc, char **argv);

#ifndef ARRAY_LEN
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#endif

#endif
