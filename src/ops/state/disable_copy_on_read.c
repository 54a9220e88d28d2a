/* SPDX-License-Identifier: Apache-2.0 */
/* DisableCopyOnRead: in the saving part of SavedModels that TensorFlow 2.6 and later wrote. There
 * it ends a mode of the variable; here a variable's mode follows from how it is used, and nothing
 * is to be done. */
#include "op/infer.h"
#include "op/kernel.h"

static bool disable_run(struct kctx *c, struct status *st)
{
    (void)c;
    (void)st;
    return true;
}

static bool disable_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *scalar;
    return infer_want_rank(c, infer_input(c, 0), 0, &scalar, st);
}

OP_DEF(disable_copy_on_read) = {
    .name = "DisableCopyOnRead",
    .summary = "Says that a variable will not be read in parts; of files of TensorFlow 2.",
    .inputs = {"resource: resource"},
    .flags = OP_STATEFUL,
    .shape = disable_shape,
    .no_grad = "it has no outputs",
};
KERNEL_DEF(disable_copy_on_read_cpu) = {
    .op = "DisableCopyOnRead", .device = "CPU", .run = disable_run};
