/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of elementwise ops that runs as one: its program, and its loop over tiles.
 *
 * The program is fixed when the kernel is made. Values are numbered: 0 .. num_in - 1 are the node's
 * inputs, num_in + k is the result of instruction k; the last instruction's result is output 0,
 * results of others may be outputs too. A call first says what each value is (full: as big as the
 * output; single; spread: broadcast), then runs the tiles. */
#ifndef LEAT_OPS_MATH_FUSED_H
#define LEAT_OPS_MATH_FUSED_H

#include "math/chain.h"
#include "ops/math/bcast.h"
#include "ops/math/ewise.h"

enum {
    FUSED_MAX_INPUTS = 32,
    FUSED_MAX_OPS = 48,
    FUSED_MAX_VALUES = FUSED_MAX_INPUTS + FUSED_MAX_OPS,
    FUSED_ARGS = 3,
    FUSED_MAX_OUTPUTS = 4,
    FUSED_TILE_BYTES = 8192,
    FUSED_MAX_REGS = 8,    /* tiles of results that are alive at once */
    FUSED_MAX_SPREADS = 6, /* inputs that are broadcast otherwise than as single elements */
    FUSED_MAX_DIMS = 6,    /* merged dims of such an input */
};

struct fused_op {
    ewise_fn fn;
    struct kernel *kernel; /* the same op by itself */
    uint8_t num_args;
    uint8_t chain;     /* enum math_chain_op that does the same, or MATH_CHAIN_NUM */
    uint8_t num_uses;  /* of its result inside */
    uint8_t reg;       /* where its tile lies */
    int8_t out;        /* which output its result is, -1: none */
    bool bias;         /* operand 1 is a vector along the last dim of operand 0 */
    bool like_first;   /* operands after the first are scalars or of its shape */
    bool same_shape;   /* refuses operands that differ in shape */
    bool by_one_value; /* its numbers depend on whether an operand is single (Pow) */
    int16_t args[FUSED_ARGS];
};

struct fused { /* the kernel's state; owns ops and their kernels */
    int num_in, num_ops, num_outs, num_regs;
    uint8_t bytes[FUSED_MAX_VALUES]; /* of an element of each value */
    int most_bytes;
    int16_t results[FUSED_MAX_OUTPUTS]; /* the instruction of each output */
    bool whole;                         /* it may run in tiles */
    bool update;                        /* input 0 is a variable; the last instruction changes it */
    bool particular;                    /* some instruction has rules of its own about shapes */
    double cost_ns;
    struct fused_op *ops;
};

struct fused_spread { /* how an input is broadcast: merged dims of the output, and steps in the
                         input */
    int rank;
    int64_t dims[FUSED_MAX_DIMS], steps[FUSED_MAX_DIMS];
};

enum fused_kind {
    FUSED_FULL,
    FUSED_SINGLE,
    FUSED_SPREAD,
    FUSED_TILE, /* made tile by tile, by an instruction */
};

struct fused_value {
    uint8_t kind;   /* enum fused_kind */
    uint8_t spread; /* which of the call's spreads */
    const char *data;
};

/* Instructions that run one after the other over a tile: either one by its tile function, or
 * several as a chain, whose results in between are in registers alone. */
struct fused_run {
    int16_t last; /* instruction whose result it leaves */
    int16_t x;    /* chains: the value that goes through the steps, -1: not a chain */
    int16_t first_step, num_steps;
};
struct fused_step {
    uint8_t op; /* enum math_chain_op */
    int16_t y;  /* value, -1: none */
};

struct fused_call { /* one run over tiles; on the caller's stack */
    const struct fused *f;
    struct fused_value values[FUSED_MAX_VALUES];
    struct fused_spread spreads[FUSED_MAX_SPREADS];
    int num_spreads;
    struct fused_run runs[FUSED_MAX_OPS];
    struct fused_step steps[FUSED_MAX_OPS];
    int num_runs, num_steps;
    char *out[FUSED_MAX_OUTPUTS]; /* of instructions that are FUSED_TILE */
    int64_t n;                    /* elements of the output */
    int64_t tile;                 /* elements; pieces of the loop begin at multiples of it */
    int64_t period;               /* of the spreads that have one and are expanded once; 0: none */
    bool stream;                  /* outputs go past the caches */
    bool prefetch;
    bool gives_up;         /* tiles cannot do it: the ops' own kernels shall */
    struct tensor *target; /* updates: the variable's value, where output 0 goes */
};

MUST_CHECK bool fused_init(struct kernel *k, void *state, struct status *st);
void fused_release(void *state);

/* Fills n elements of each out; the values of inputs and of instructions that are not FUSED_TILE
 * have their data. */
void fused_run_tiles(struct pool *pool, struct fused_call *call);

#endif
