/* SPDX-License-Identifier: Apache-2.0 */
/* Clipping, as leat/clip.h says. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "build/mk.h"
#include "leat/clip.h"

TF_Output leat_clip_to_range(TF_Graph *g, TF_Output x, double least, double greatest)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "clip_by_value") {
        TF_Output low = mk_math(g, "Minimum", "Minimum", mk_t(x), mk_n(greatest));
        if (!leat_valid(low))
            return MK_NONE;
        TF_Output bound = mk_scalar(g, "y", leat_dtype(g, x), least);
        y = mk_op(g, "Maximum", leat_current_scope(g), leat_outputs(low, bound));
    }
    return y;
}

TF_Output leat_clip_by_norm(TF_Graph *g, TF_Output x, double clip_norm, struct leat_ints axes)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "clip_by_norm") {
        TF_Output square = mk_math(g, "Mul", "mul", mk_t(x), mk_t(x));
        TF_Output sum = mk_reduce(g, "Sum", "Sum", square, axes, true);
        TF_Output some = mk_math(g, "Greater", "Greater", mk_t(sum), mk_n(0));
        /* the root of zero has no gradient: it is taken of one there */
        TF_Output ones = mk_ones_like(g, sum);
        TF_Output safe = mk_op(g, "Select", NULL, leat_outputs(some, sum, ones));
        TF_Output root = mk_unary(g, "Sqrt", NULL, safe);
        TF_Output norm = mk_op(g, "Select", NULL, leat_outputs(some, root, sum));
        TF_Output up = mk_math(g, "Mul", "mul", mk_t(x), mk_n(clip_norm));
        TF_Output down = mk_math(g, "Maximum", "Maximum", mk_t(norm), mk_n(clip_norm));
        TF_Output ratio = mk_math(g, "RealDiv", "truediv", mk_t(up), mk_t(down));
        y = mk_unary(g, "Identity", leat_current_scope(g), ratio);
    }
    return y;
}

TF_Output leat_global_norm(TF_Graph *g, const struct leat_grad *grads, int n)
{
    TF_Output y = MK_NONE;
    if (n <= 0 || !grads)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "global_norm: there are no gradients");
    TF_Output *halves = mem_new_array(TF_Output, n);
    int num_halves = 0;
    leat_with_scope(g, "global_norm") {
        for (int i = 0; i < n; i++)
            if (leat_valid(grads[i].values))
                leat_with_colocation(g, grads[i].values.oper)
                    halves[num_halves++] = mk_unary(g, "L2Loss", NULL, grads[i].values);
        if (num_halves == 0) {
            y = leat_fail(g, NULL, TF_INVALID_ARGUMENT, "global_norm: no gradient is given");
        } else {
            TF_Output all = mk_pack(g, "stack", (struct leat_outputs){halves, num_halves});
            TF_Output half =
                mk_reduce(g, "Sum", "Sum", all, (struct leat_ints){NULL, LEAT_NOT_GIVEN}, false);
            if (leat_valid(half)) {
                TF_Output two = mk_scalar(g, "Const", leat_dtype(g, half), 2);
                TF_Output sum = mk_math(g, "Mul", "mul", mk_t(half), mk_t(two));
                y = mk_unary(g, "Sqrt", "global_norm", sum);
            }
        }
    }
    mem_free(halves);
    return y;
}

/* What every gradient is multiplied by; NaN where the norm is not finite. */
static TF_Output global_scale(TF_Graph *g, TF_Output norm, double clip_norm)
{
    TF_DataType dtype = leat_dtype(g, norm);
    TF_Output of_norm = mk_math(g, "RealDiv", "truediv", mk_n(1), mk_t(norm));
    TF_Output one = mk_scalar(g, "Const", dtype, 1);
    TF_Output of_clip = mk_math(g, "RealDiv", "truediv", mk_t(one), mk_n(clip_norm));
    TF_Output least = mk_math(g, "Minimum", "Minimum", mk_t(of_norm), mk_t(of_clip));
    TF_Output scale = mk_math(g, "Mul", "mul", mk_n(clip_norm), mk_t(least));
    TF_Output finite = mk_unary(g, "IsFinite", NULL, norm);
    TF_Output nan = mk_scalar(g, "Const", dtype, NAN);
    return mk_op(g, "Select", NULL, leat_outputs(finite, scale, nan));
}

TF_Output leat_clip_by_global_norm(TF_Graph *g, const struct leat_grad *grads, int n,
                                   double clip_norm, struct leat_grad *out)
{
    TF_Output norm = leat_global_norm(g, grads, n);
    if (!leat_valid(norm))
        return norm;
    leat_with_scope(g, "clip_by_global_norm") {
        TF_Output scale = global_scale(g, norm, clip_norm);
        for (int i = 0; i < n; i++) {
            char name[64];
            out[i] = grads[i];
            if (!leat_valid(grads[i].values))
                continue;
            snprintf(name, sizeof name, "clip_by_global_norm/_%d", i);
            leat_with_colocation(g, grads[i].values.oper) {
                TF_Output y = mk_math(g, "Mul", "mul", mk_t(grads[i].values), mk_t(scale));
                out[i].values = mk_unary(g, "Identity", name, y);
            }
        }
    }
    return norm;
}
