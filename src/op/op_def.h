/* SPDX-License-Identifier: Apache-2.0 */
/* What an op is: one constant struct, in the file that also holds its shape function, gradient
 * and CPU kernel. A build step collects every OP_DEF, so writing one is all it takes.
 *
 * Spec texts (parsed and checked by op/op.h; the names, types and defaults are TensorFlow 1.15's):
 *   argument   "x: T"  "x: float"  "xs: N * T"  "xs: Tlist" (Tlist a list(type) attr)  "ref:
 * Ref(T)" attr       "T: type"  "T: {float, double} = DT_FLOAT"  "N: int >= 1"  "s: string = 'a'"
 *              "p: {'SAME', 'VALID'}"  "l: list(int) >= 0 = [1, 1]"  "f: func"  "v: tensor"
 *              "s: shape = {}"  "b: bool = false"  "x: float = 1e-4"
 *              in type sets `numbertype` stands for TensorFlow's seventeen numeric types,
 *              `realnumbertype` for the twelve real ones */
#ifndef LEAT_OP_OP_DEF_H
#define LEAT_OP_OP_DEF_H

#include "base/base.h"
#include "base/status.h"

enum { OP_MAX_INPUTS = 20, OP_MAX_OUTPUTS = 12, OP_MAX_ATTRS = 20 };

enum op_flags {
    OP_STATEFUL = 1, /* never folded, merged or dropped; placed once */
    OP_COMMUTATIVE = 2,
    OP_AGGREGATE = 4,
    OP_UNINIT_OK = 8,      /* a reference input may hold no value yet */
    OP_CHECKS = 16,        /* is there to fail: runs when something waits for it, read or not */
    OP_UNINIT_VALUES = 32, /* OP_UNINIT_OK, and then comes as its shape where it is a value */
};

struct infer_ctx; /* op/infer.h */
struct grad_ctx;  /* op/grad.h */

struct op_def {
    const char *name;        /* "MatMul" */
    const char *summary;     /* one sentence */
    const char *description; /* more, or NULL */
    const char *inputs[OP_MAX_INPUTS];
    const char *outputs[OP_MAX_OUTPUTS];
    const char *attrs[OP_MAX_ATTRS];
    unsigned flags;    /* enum op_flags */
    int deprecated_at; /* GraphDef producer version from which it is deprecated; 0: not */
    const char *deprecated_why;
    /* Sets the shape of each output it knows something of; the rest stay unknown. */
    bool (*shape)(struct infer_ctx *c, struct status *st);
    /* Sets the gradient of each input; exactly one of grad and no_grad is given. */
    bool (*grad)(struct grad_ctx *g, struct status *st);
    const char *no_grad; /* why there is none */
    /* Why the CPU has no kernel for it, or for some listed type; else NULL. */
    const char *no_kernel;
};

#define OP_DEF(id)                                                                                 \
    extern const struct op_def leat_op_def_##id;                                                   \
    const struct op_def leat_op_def_##id

#endif
