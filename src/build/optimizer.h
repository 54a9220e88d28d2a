/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the optimizers share: the rule of each, as a row, and the optimizer's state. */
#ifndef LEAT_BUILD_OPTIMIZER_H
#define LEAT_BUILD_OPTIMIZER_H

#include "build/mk.h"
#include "leat/gradients.h"

enum { MAX_HYPER = 5, MAX_SLOTS = 3 };

struct leat_optimizer;

enum slot_start {
    START_ZEROS, /* "Initializer/zeros" */
    START_ONES,  /* "Initializer/ones" */
    START_FULL,  /* "Initializer/Const", of opt->initial_accumulator */
    START_TENSOR /* the same, but a constant in the scope where the optimizer is applied */
};

struct slot_rule {
    const char *name; /* NULL ends the list */
    enum slot_start start;
};

struct optimizer_rule {
    const char *op; /* ApplyMomentum, SparseApplyMomentum, ResourceApplyMomentum... end with it */
    struct slot_rule slots[MAX_SLOTS];
    const char *hyper[MAX_HYPER]; /* names of the constants; the first is the rate */
    /* Inputs of the update: v variable, s t u its slots, a to e the constants, p q the powers of
     * Adam's betas, g gradient, i its indices. */
    const char *dense, *sparse; /* sparse NULL: done by the function below */
    TF_Operation *(*update_sparse)(struct leat_optimizer *opt,
                                   const struct leat_variable_parts *var,
                                   const struct leat_grad *grad);
};

struct slots { /* of one variable */
    TF_Operation *var;
    struct leat_variable_parts slot[MAX_SLOTS];
};

struct leat_optimizer { /* heap; the caller's */
    TF_Graph *g;
    const struct optimizer_rule *rule;
    char *name;
    double hyper[MAX_HYPER];
    TF_Output rate; /* given as a tensor, or invalid */
    double initial_accumulator;
    bool use_locking, use_nesterov, has_nesterov;
    TF_Output constants[MAX_HYPER]; /* of the application being built */
    struct slots *slots;
    int64_t num_slots, cap_slots;
    struct leat_variable_parts powers[2]; /* Adam's; ref invalid until made */
    bool allreduce; /* gradients are averaged between processes, in buckets of so many bytes */
    int64_t allreduce_bytes;
    struct sync_replicas *sync; /* owned; not NULL: leat_sync_replicas, which applies by another */
};

/* The variable that v is or reads. false: an error was recorded. */
bool optimizer_find_variable(TF_Graph *g, TF_Output v, struct leat_variable_parts *out);
/* Makes the slots (and powers) that vars[0, n) lack. false: an error was recorded. */
bool optimizer_make_slots(struct leat_optimizer *opt, const struct leat_variable_parts *vars,
                          int n);
/* Those of a variable, or NULL. */
struct slots *optimizer_find_slots(struct leat_optimizer *opt, TF_Operation *var);
/* What a variable holds now: its read node, or a new node of a resource. */
TF_Output optimizer_read(TF_Graph *g, const struct leat_variable_parts *var);
/* A constant, cast to the variable's type. */
TF_Output optimizer_constant(struct leat_optimizer *opt, int which, TF_DataType dtype);

/* The update of var by a gradient, in its scope and placed with it; NULL after an error. */
TF_Operation *optimizer_update(struct leat_optimizer *opt, const struct leat_variable_parts *var,
                               const struct leat_grad *grad);
/* Updates by slices that no single op does. */
TF_Operation *optimizer_sparse_descent(struct leat_optimizer *opt,
                                       const struct leat_variable_parts *var,
                                       const struct leat_grad *grad);
TF_Operation *optimizer_sparse_adam(struct leat_optimizer *opt,
                                    const struct leat_variable_parts *var,
                                    const struct leat_grad *grad);
/* After updates[0, n): Adam's powers move on. Writes the operations made to out[0, 2); how many, or
 * -1 after an error. */
int optimizer_move_powers(struct leat_optimizer *opt, TF_Operation *const *updates, int n,
                          TF_Operation **out);

#endif
