/* SPDX-License-Identifier: Apache-2.0 */
/* The shape context's insides, for infer.c and infer_helpers.c alone. */
#ifndef LEAT_OP_INFER_CTX_H
#define LEAT_OP_INFER_CTX_H

#include "base/arena.h"
#include "op/infer.h"

struct kept_shape { /* a shape that the arena holds and that owns a block outside */
    struct shape *shape;
    struct kept_shape *next;
};
struct const_state { /* what was asked of an input, for messages and so that it is computed once */
    bool asked, partial_asked;
    const struct tensor *value;
    const struct shape *partial; /* NULL: nothing known */
};

struct infer_ctx {
    const struct infer_call *call;
    struct arena arena;
    struct kept_shape *kept; /* shapes of more than 4 dims, to be cleared */
    const struct shape **outputs;
    struct infer_handle *handles_out;
    struct const_state *consts; /* one per input */
    struct shape unknown, scalar;
    bool any_handle;
};

/* Takes *s into the context. */
const struct shape *infer_keep(struct infer_ctx *c, struct shape s);

#endif
