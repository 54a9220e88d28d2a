/* SPDX-License-Identifier: Apache-2.0 */
/* From an op and a type to its tile function: asked once, when a kernel is made. */
#include "math/vec.h"
#include "ops/math/ewise.h"
#include "ops/math/simd_tiles.h"
#include "ops/math/tile.h"

ewise_fn ewise_find(enum ewise_id id, int dtype)
{
    ewise_fn fn = SIMD_CALL(tile_arith)((int)id, dtype);
    fn = fn ? fn : SIMD_CALL(tile_compare)((int)id, dtype);
    fn = fn ? fn : tile_find_steps((int)id, dtype);
    fn = fn ? fn : tile_find_int((int)id, dtype);
    return fn ? fn : tile_find_complex((int)id, dtype);
}

ewise_fn ewise_for_fusion(enum ewise_id id, int dtype)
{
    return dtype == DT_FLOAT || dtype == DT_DOUBLE ? ewise_find(id, dtype) : NULL;
}

ewise_fn ewise_for_bool(enum ewise_id id, const int *in_types, int num_in)
{
    int dtype = in_types[0];
    for (int i = 1; i < num_in; i++) {
        if (in_types[i] != dtype)
            return NULL;
    }
    bool fits = dtype == DT_FLOAT || dtype == DT_DOUBLE || dtype == DT_BOOL;
    return fits ? ewise_find(id, dtype) : NULL;
}

/* Rough, to split loops by. */
static float cost_of(enum ewise_id id, int in_type)
{
    bool f64 = in_type == DT_DOUBLE;
    switch (id) {
#define X(name, vec)                                                                               \
    case EW_##name:                                                                                \
        return dtype_is_complex(in_type) ? 40 : (float)math_vec_cost_ns(MATH_VEC_##vec, f64);
        EWISE_VEC_UNARY(X)
#undef X
    case EW_pow:
    case EW_atan2:
    case EW_xlogy:
    case EW_mod:
    case EW_floor_mod:
        return f64 ? 6 : 3;
    case EW_digamma:
    case EW_bessel_i0e:
    case EW_bessel_i1e:
        return 20;
    case EW_zeta:
    case EW_polygamma:
    case EW_igamma:
    case EW_igammac:
    case EW_igamma_grad_a:
    case EW_gamma_sample_grad:
        return 300;
    default:
        return dtype_size(in_type) > 4 ? 0.5f : 0.25f;
    }
}

bool ewise_loop_init(struct ewise_loop *l, enum ewise_id id, int num_in, int in_type, int out_type,
                     struct status *st)
{
    bool narrow = in_type == DT_HALF || in_type == DT_BFLOAT16;
    ewise_fn fn = ewise_find(id, in_type); /* few narrow types have their own */
    *l =
        (struct ewise_loop){.fn = fn || !narrow ? fn : ewise_find(id, DT_FLOAT),
                            .num_in = (uint8_t)num_in,
                            .narrow = (uint8_t)(narrow ? in_type : 0),
                            .narrow_out = narrow && out_type == in_type,
                            .out_bytes = (uint8_t)dtype_size(out_type),
                            .cost_ns = cost_of(id, narrow ? DT_FLOAT : in_type) + (narrow ? 1 : 0)};
    for (int i = 0; i < num_in; i++)
        l->bytes[i] = (uint8_t)dtype_size(in_type);
    return l->fn ||
           status_unimplemented(st, "no elementwise kernel for type %s", dtype_name(in_type));
}

bool ewise_init(struct kernel *k, void *state, enum ewise_id id, struct status *st)
{
    return ewise_loop_init(state, id, k->num_inputs, dtype_base(k->input_types[0]),
                           dtype_base(k->output_types[0]), st);
}
