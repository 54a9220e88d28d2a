/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of elementwise ops: one loop for every op, type and form of broadcasting.
 *
 * An op is a tile function (op/kernel.h: ewise_fn) per type: out[j] = f(in[0][j], ...), n elements,
 * operands contiguous or single. The engine finds the tile function when the kernel is made,
 * broadcasts, reuses the memory of inputs that die, and splits big tensors over the pool. Half and
 * bfloat16 run as float, tile by tile, and are rounded once an op. */
#ifndef LEAT_OPS_MATH_EWISE_H
#define LEAT_OPS_MATH_EWISE_H

#include "op/kernel.h"
#include "ops/math/bcast.h"
#include "ops/math/ewise_table.h"

enum ewise_check { /* what is looked for in the second operand before a loop */
                   EWISE_CHECK_NONE,
                   EWISE_CHECK_ZERO,       /* INVALID_ARGUMENT "Integer division by zero" */
                   EWISE_CHECK_ZERO_TRUNC, /* the same, INTERNAL, as TensorFlow has it for
                                              TruncateDiv and TruncateMod */
                   EWISE_CHECK_NEGATIVE,   /* INVALID_ARGUMENT: negative powers of integers */
};

/* How one op runs on one type: the kernel state of elementwise ops. */
struct ewise_loop {
    ewise_fn fn;
    uint8_t num_in;
    uint8_t check;            /* enum ewise_check */
    uint8_t narrow;           /* 0, or DT_HALF, DT_BFLOAT16: fn works on float */
    bool narrow_out;          /* ... and gives float */
    uint8_t bytes[BCAST_MAX]; /* of an element of each operand, as it lies in memory */
    uint8_t out_bytes;
    float cost_ns; /* of an element */
};

/* The tile function of an op for a type at this machine's instruction level, or NULL. */
ewise_fn ewise_find(enum ewise_id id, int dtype);
/* The same for KERNEL_DEF's ewise member: float and double alone. */
ewise_fn ewise_for_fusion(enum ewise_id id, int dtype);
/* For ewise_of of ops that give bool: operands all float, all double, or all bool. */
ewise_fn ewise_for_bool(enum ewise_id id, const int *in_types, int num_in);

/* Fills a loop for operands of in_type; UNIMPLEMENTED where there is none. */
MUST_CHECK bool ewise_loop_init(struct ewise_loop *l, enum ewise_id id, int num_in, int in_type,
                                int out_type, struct status *st);
/* An init function's body: types from the kernel's node. */
MUST_CHECK bool ewise_init(struct kernel *k, void *state, enum ewise_id id, struct status *st);

/* n elements; operand i is single where bit i of `scalars` is set. Big ones run on the pool. */
void ewise_run(struct pool *pool, const struct ewise_loop *l, void *out, const void *const *in,
               unsigned scalars, int64_t n);

/* The same with operands spread as b says. */
void ewise_run_spread(struct pool *pool, const struct ewise_loop *l, void *out,
                      const void *const *in, const struct bcast *b);

/* Run functions; state: struct ewise_loop. */
bool ewise_run_unary(struct kctx *c, struct status *st);
bool ewise_run_binary(struct kctx *c, struct status *st);  /* broadcasts */
bool ewise_run_same(struct kctx *c, struct status *st);    /* two operands of one shape */
bool ewise_run_ternary(struct kctx *c, struct status *st); /* broadcasts */

/* The output, of n elements, in the memory of an input that may be overwritten if there is one. */
struct tensor *ewise_out(struct kctx *c, const struct ewise_loop *l, const struct shape *shape,
                         int64_t n, struct status *st) MUST_CHECK;

/* A kernel of a table op: EWISE_KERNEL(add, "Add", "T: {float, double}", ewise_run_binary); the
 * second form is for an op that shares another's expression. */
#define EWISE_KERNEL(id_, op_, types_, run_) EWISE_KERNEL_OF(id_, id_, op_, types_, run_)
#define EWISE_KERNEL_OF(id_, expr_, op_, types_, run_)                                             \
    static bool id_##_init(struct kernel *k, void *state, struct status *st)                       \
    {                                                                                              \
        return ewise_init(k, state, EW_##expr_, st);                                               \
    }                                                                                              \
    static ewise_fn id_##_ewise(int dtype)                                                         \
    {                                                                                              \
        return ewise_for_fusion(EW_##expr_, dtype);                                                \
    }                                                                                              \
    KERNEL_DEF(id_##_cpu) = {.op = op_,                                                            \
                             .device = "CPU",                                                      \
                             .types = {types_},                                                    \
                             .state_bytes = sizeof(struct ewise_loop),                             \
                             .init = id_##_init,                                                   \
                             .run = run_,                                                          \
                             .ewise = id_##_ewise}

#endif
