/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around a step of stochastic dual coordinate ascent: names of examples as
 * fingerprints, and weights shrunk towards 0 by the L1 norm's share (S. Shalev-Shwartz and T.
 * Zhang, "Accelerated Proximal Stochastic Dual Coordinate Ascent", 2012). */
#include <math.h>

#include "codec/hash.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool fprint_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (!kernel_want_vector(c, 0, st))
        return false;
    const struct shape s = shape_2(in->num_elems, 2);
    struct tensor *out = kernel_out(c, 0, &s, st);
    for (int64_t i = 0; out && i < in->num_elems; i++)
        hash_farm128(tstr_view(&tensor_str(in)[i]), (uint64_t *)tensor_i64(out) + 2 * i);
    return out != NULL;
}

static bool fprint_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &s, st))
        return false;
    infer_set(c, 0, infer_matrix(c, infer_dim(s, 0), 2));
    return true;
}

OP_DEF(sdca_fprint) = {
    .name = "SdcaFprint",
    .summary = "The 128-bit fingerprint of each string, as two numbers.",
    .inputs = {"input: string"},
    .outputs = {"output: int64"},
    .shape = fprint_shape,
    .no_grad = "strings are no numbers",
};
KERNEL_DEF(sdca_fprint_cpu) = {.op = "SdcaFprint", .device = "CPU", .run = fprint_run};

static void shrink(struct tensor *w, float by)
{
    float *v = tensor_f32(w);
    for (int64_t i = 0; i < w->num_elems; i++) {
        const float left = fabsf(v[i]) - by, sign = (float)((v[i] > 0) - (v[i] < 0));
        v[i] = isnan(v[i]) ? v[i] : sign * (left > 0 ? left : 0);
    }
}

static bool shrink_run(struct kctx *c, struct status *st)
{
    const float by = attrs_float(kernel_attrs(c), "l1") / attrs_float(kernel_attrs(c), "l2");
    for (int i = 0; i < kernel_num_inputs(c); i++) {
        struct variable *v = kernel_ref(c, i);
        struct tensor *now;
        if (!variable_write_begin(v, false, &now, st))
            return false;
        if (now->dtype == DT_FLOAT)
            shrink(now, by);
        variable_write_end(v);
    }
    return true;
}

OP_DEF(sdca_shrink_l1) = {
    .name = "SdcaShrinkL1",
    .summary = "Moves each weight l1 / l2 nearer to 0, and to 0 where it is nearer.",
    .inputs = {"weights: num_features * Ref(float)"},
    .attrs = {"num_features: int >= 0", "l1: float", "l2: float"},
    .shape = infer_no_outputs,
    .no_grad = "no outputs",
};
KERNEL_DEF(sdca_shrink_l1_cpu) = {.op = "SdcaShrinkL1", .device = "CPU", .run = shrink_run};
