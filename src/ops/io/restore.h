/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors read out of a checkpoint one after another: each is handed on before the next is read, so
 * that one at a time is in memory besides those that somebody keeps. */
#ifndef LEAT_OPS_IO_RESTORE_H
#define LEAT_OPS_IO_RESTORE_H

#include "ops/io/common.h"

struct restore {
    struct kctx *c;   /* inputs 0 to 2: prefix, tensor_names, shape_and_slices */
    const int *types; /* of each tensor */
    int n;
    /* Whether tensor i may have this shape; NULL: any. In format V2 all are asked, and found to be
     * there, before the first is read. */
    bool (*fits)(void *arg, int i, const struct shape *shape, struct status *st);
    /* Takes *t, also where it fails. In the order of the file. */
    bool (*take)(void *arg, int i, struct tensor *t, struct status *st);
    void *arg;
};

/* With TensorFlow's words for what is wrong. */
MUST_CHECK bool restore_tensors(const struct restore *r, struct status *st);

#endif
