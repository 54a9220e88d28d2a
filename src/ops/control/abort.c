/* SPDX-License-Identifier: Apache-2.0 */
/* Abort: ends the process, for graphs that test what stands around them. */
#include <stdio.h>
#include <stdlib.h>

#include "op/infer.h"
#include "op/kernel.h"

static bool abort_run(struct kctx *c, struct status *st UNUSED)
{
    struct str text = attrs_string(kernel_attrs(c), "error_msg");
    if (attrs_bool(kernel_attrs(c), "exit_without_error"))
        exit(0);
    fprintf(stderr, "Abort_op intentional failure; %.*s\n", (int)text.n, text.p);
    abort();
}

OP_DEF(abort) = {
    .name = "Abort",
    .summary = "Ends the process: with an error, or without one.",
    .attrs = {"error_msg: string = ''", "exit_without_error: bool = false"},
    .flags = OP_CHECKS,
    .shape = infer_no_outputs,
    .no_grad = "no inputs",
};
KERNEL_DEF(abort_cpu) = {.op = "Abort", .device = "CPU", .run = abort_run};
