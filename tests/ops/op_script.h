/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for ops that make sense in company alone: a few nodes, then runs of one session, in order.
 * What a variable, a stack or a tensor array holds after one run is there in the next. The whole is
 * done twice, with the optimiser and without.
 *
 * A node is "name = Op(inputs) attrs"; "name@1 = ..." stands on /cpu:1. Inputs: name, name:1, ^name
 * (control), [a, b] (a list), or a tensor's text in braces, {float [2] 1 2}, which becomes a Const.
 * Attrs and tensors are written as in op_case.h. Two more forms: "x = Feed({float [2] 1 2})", a
 * Placeholder that every run feeds so, and "dx = Gradient(y, x)", what TF_AddGradients makes of
 * them (of sum(y)).
 *
 * A run is "a b:1 c -> float [] 1 | int32 [] 2" (fetches and their values; what has no outputs is a
 * target), "a b" (targets), or "a ! CODE: words" (an error). "building ! CODE: words" as the only
 * run: the last node is refused.
 */
#ifndef LEAT_TESTS_OPS_OP_SCRIPT_H
#define LEAT_TESTS_OPS_OP_SCRIPT_H

#include <stddef.h>

struct op_script {
    const char *ops; /* those that it is a row of, separated by blanks */
    const char *nodes[32];
    const char *runs[16];
    int producer; /* as in op_case.h */
    const char *note;
};

int op_scripts_main(const struct op_script *scripts, size_t n, int argc, char **argv);

#endif
