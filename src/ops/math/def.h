/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms for defining elementwise ops: one row an op. Further members of OP_DEF come last:
 *     BINARY_OP(mul, "Mul", "x times y.", TYPES, KERNEL_TYPES, .grad = mul_grad) */
#ifndef LEAT_OPS_MATH_DEF_H
#define LEAT_OPS_MATH_DEF_H

#include "op/grad.h"
#include "op/infer.h"
#include "ops/math/ewise.h"

/* Pieces of type sets. */
#define T_FLOATS "bfloat16, half, float, double"
#define T_COMPLEX "complex64, complex128"
#define T_REALS                                                                                    \
    "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
#define T_INTS "int8, int16, int32, int64, uint8, uint16, uint32, uint64"

#define UNARY_DEF(id_, name_, text, types_, ...)                                                   \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"x: T"},                                                             \
                   .outputs = {"y: T"},                                                            \
                   .attrs = {"T: {" types_ "}"},                                                   \
                   .shape = infer_unchanged,                                                       \
                   __VA_ARGS__}
#define UNARY_OP(id_, name_, text, types_, kernel_types, ...)                                      \
    UNARY_DEF(id_, name_, text, types_, __VA_ARGS__);                                              \
    EWISE_KERNEL(id_, name_, "T: {" kernel_types "}", ewise_run_unary)

#define BINARY_DEF(id_, name_, text, types_, ...)                                                  \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"x: T", "y: T"},                                                     \
                   .outputs = {"z: T"},                                                            \
                   .attrs = {"T: {" types_ "}"},                                                   \
                   .shape = infer_binary,                                                          \
                   __VA_ARGS__}
#define BINARY_OP(id_, name_, text, types_, kernel_types, ...)                                     \
    BINARY_DEF(id_, name_, text, types_, __VA_ARGS__);                                             \
    EWISE_KERNEL(id_, name_, "T: {" kernel_types "}", ewise_run_binary)

/* z = the gradient of a unary op, from its result y and the gradient dy of that. */
#define GRAD_OP(id_, name_, text, types_, kernel_types, ...)                                       \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"y: T", "dy: T"},                                                    \
                   .outputs = {"z: T"},                                                            \
                   .attrs = {"T: {" types_ "}"},                                                   \
                   .shape = infer_unchanged,                                                       \
                   __VA_ARGS__};                                                                   \
    EWISE_KERNEL(id_, name_, "T: {" kernel_types "}", ewise_run_same)

/* k x, as a graph node. */
static inline struct output grad_scaled(struct grad_ctx *g, struct output x, double k)
{
    return grad_mul(g, grad_const_like(g, x, k), x);
}

#endif
