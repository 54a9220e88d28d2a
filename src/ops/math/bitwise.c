/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of integers: and, or, exclusive or, not, shifts, counts. */
#include "ops/math/def.h"
#include "ops/math/tile.h"

#define NO_GRAD .no_grad = "integers have no gradient"

BINARY_OP(bitwise_and, "BitwiseAnd", "The bits set in both x and y.", T_INTS, T_INTS, NO_GRAD,
          .flags = OP_COMMUTATIVE);
BINARY_OP(bitwise_or, "BitwiseOr", "The bits set in x or in y.", T_INTS, T_INTS, NO_GRAD,
          .flags = OP_COMMUTATIVE);
BINARY_OP(bitwise_xor, "BitwiseXor", "The bits set in one of x and y.", T_INTS, T_INTS, NO_GRAD,
          .flags = OP_COMMUTATIVE);
UNARY_OP(invert, "Invert", "The bits not set in x.", T_INTS, T_INTS, NO_GRAD);
BINARY_OP(left_shift, "LeftShift", "x times 2 to the power y; y is at most the width less 1.",
          T_INTS, T_INTS, NO_GRAD);
BINARY_OP(right_shift, "RightShift",
          "x over 2 to the power y, rounded down; y is at most the width less 1.", T_INTS, T_INTS,
          NO_GRAD);

/* --- PopulationCount: sign does not matter --- */

TILE_UNARY(count_8, uint8_t, uint8_t, __builtin_popcount(x))
TILE_UNARY(count_16, uint16_t, uint8_t, __builtin_popcount(x))
TILE_UNARY(count_32, uint32_t, uint8_t, __builtin_popcount(x))
TILE_UNARY(count_64, uint64_t, uint8_t, __builtin_popcountll(x))

static bool population_count_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    size_t bytes = dtype_size(dtype_base(k->input_types[0]));
    *(struct ewise_loop *)state = (struct ewise_loop){.fn = bytes == 1   ? count_8
                                                            : bytes == 2 ? count_16
                                                            : bytes == 4 ? count_32
                                                                         : count_64,
                                                      .num_in = 1,
                                                      .bytes = {(uint8_t)bytes},
                                                      .out_bytes = 1,
                                                      .cost_ns = 0.5f};
    return true;
}

OP_DEF(population_count) = {
    .name = "PopulationCount",
    .summary = "The number of bits set in x.",
    .inputs = {"x: T"},
    .outputs = {"y: uint8"},
    .attrs = {"T: {" T_INTS "}"},
    .shape = infer_unchanged,
    NO_GRAD,
};
KERNEL_DEF(population_count_cpu) = {
    .op = "PopulationCount",
    .device = "CPU",
    .state_bytes = sizeof(struct ewise_loop),
    .init = population_count_init,
    .run = ewise_run_unary,
};
