/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of build/draw.h. */
#include "build/draw.h"

TF_Output random_uniform_of(TF_Graph *g, TF_Output shape, TF_DataType dtype, double least,
                            double greatest, int64_t seed)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "random_uniform") {
        int64_t seed1, seed2;
        TF_Output low = mk_scalar(g, "min", dtype, least);
        TF_Output high = mk_scalar(g, "max", dtype, greatest);
        TF_OperationDescription *d = leat_begin(g, "RandomUniform", NULL, NULL);
        if (!d)
            return MK_NONE;
        leat_get_seed(g, seed, &seed1, &seed2);
        leat_add_input(d, shape);
        TF_SetAttrType(d, "dtype", dtype);
        TF_SetAttrInt(d, "seed", seed1);
        TF_SetAttrInt(d, "seed2", seed2);
        TF_Output unit = leat_output_of(leat_finish(d), 0);
        TF_Output width = mk_math(g, "Sub", "sub", mk_t(high), mk_t(low));
        TF_Output scaled = mk_math(g, "Mul", "mul", mk_t(unit), mk_t(width));
        y = mk_op(g, "Add", leat_current_scope(g), leat_outputs(scaled, low));
    }
    return y;
}
