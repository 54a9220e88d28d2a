/* SPDX-License-Identifier: Apache-2.0 */
/* What the optimizers' ops share: one kernel for all of them, which finds its inputs by name. */
#ifndef LEAT_OPS_TRAINING_APPLY_H
#define LEAT_OPS_TRAINING_APPLY_H

#include "math/optimizer.h"
#include "op/infer.h"
#include "op/kernel.h"

enum { APPLY_MAX_VARS = 4, APPLY_MAX_SCALARS = 7 };

/* Where the inputs of a node are and what its attrs say; the same for all its steps. */
struct apply {
    struct math_update update; /* kind, dtype and attrs; the rest is filled in at each step */
    int num_vars;
    int vars[APPLY_MAX_VARS]; /* input indices: the variable, then its slots as math wants them */
    const char *var_names[APPLY_MAX_VARS];
    int num_scalars;
    struct apply_scalar {
        int input;
        const char *name;
        size_t field; /* offset of the double in struct math_update */
    } scalars[APPLY_MAX_SCALARS];
    int grad, indices; /* indices: -1 in dense updates */
};

bool apply_init(struct kernel *k, void *state, struct status *st);
bool apply_run(struct kctx *c, struct status *st);
bool apply_shape(struct infer_ctx *c, struct status *st);

/* The definition of one op. */
#define APPLY_KERNEL(id, op_name, types_text)                                                      \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {types_text},                                                 \
                            .state_bytes = sizeof(struct apply),                                   \
                            .init = apply_init,                                                    \
                            .run = apply_run}
#define APPLY_NO_GRAD "undefined: a training update has no gradient"
#define APPLY_NO_KERNEL "TensorFlow's kernels are for floating-point types alone"
#define APPLY_FLOATS "T: {bfloat16, half, float, double}"
#define APPLY_FLOATS_NO_BF16 "T: {half, float, double}"

/* Four ops of a family: plain and sparse, on references and on resources. in(V) is the list of
 * inputs of the dense op where V is the type of a variable; in_sparse(V) that of the sparse one. */
#define APPLY_OP(id, op_name, text, in, more)                                                      \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {in("Ref(T)")},                                                        \
                  .outputs = {"out: Ref(T)"},                                                      \
                  .attrs = {"T: numbertype", more},                                                \
                  .shape = apply_shape,                                                            \
                  .no_grad = APPLY_NO_GRAD,                                                        \
                  .no_kernel = APPLY_NO_KERNEL}
#define APPLY_RESOURCE_OP(id, op_name, text, in, more)                                             \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {in("resource")},                                                      \
                  .attrs = {"T: numbertype", more},                                                \
                  .flags = OP_STATEFUL,                                                            \
                  .shape = apply_shape,                                                            \
                  .no_grad = APPLY_NO_GRAD,                                                        \
                  .no_kernel = APPLY_NO_KERNEL}
/* A list of attrs as one macro argument. */
#define APPLY_ATTRS(...) __VA_ARGS__
#define APPLY_LOCKING "use_locking: bool = false"
#define APPLY_INDICES "Tindices: {int32, int64}"

#define APPLY_DENSE(id, name, text, in, more, types)                                               \
    APPLY_OP(apply_##id, "Apply" name, text ".", in, APPLY_ATTRS(more));                           \
    APPLY_KERNEL(apply_##id, "Apply" name, types);                                                 \
    APPLY_RESOURCE_OP(resource_apply_##id, "ResourceApply" name, text ", by resource handles.",    \
                      in, APPLY_ATTRS(more));                                                      \
    APPLY_KERNEL(resource_apply_##id, "ResourceApply" name, types)
#define APPLY_SPARSE(id, name, text, in, more, types)                                              \
    APPLY_OP(sparse_apply_##id, "SparseApply" name, text " for some rows.", in,                    \
             APPLY_ATTRS(APPLY_INDICES, more));                                                    \
    APPLY_KERNEL(sparse_apply_##id, "SparseApply" name, types);                                    \
    APPLY_RESOURCE_OP(resource_sparse_apply_##id, "ResourceSparseApply" name,                      \
                      text " for some rows, by resource handles.", in,                             \
                      APPLY_ATTRS(APPLY_INDICES, more));                                           \
    APPLY_KERNEL(resource_sparse_apply_##id, "ResourceSparseApply" name, types)

#endif
