/* SPDX-License-Identifier: Apache-2.0 */
/* The global step: made, found, checked. */
#include "leat/global_step.h"

#include "build/mk.h"
#include "build/optimizer.h"

static const char NAME[] = "global_step";

/* An integer scalar, as far as is known; else the invalid output and an error. */
static TF_Output checked(TF_Graph *g, TF_Output step)
{
    TF_DataType type = leat_dtype(g, step);
    int64_t dims[1];
    int rank = leat_static_shape(g, step, dims, 1);
    if (type != TF_INT64 && type != TF_INT32)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "Existing \"global_step\" does not have integer type: data type %d",
                         (int)type);
    if (rank > 0)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "Existing \"global_step\" is not scalar: it has rank %d", rank);
    return step;
}

TF_Output leat_get_global_step(TF_Graph *g)
{
    TF_Output found[2];
    struct leat_variable_parts parts;
    if (!g)
        return MK_NONE;
    int n = leat_get_collection(g, LEAT_GLOBAL_STEP, NULL, found, 2);
    if (n > 1)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "Multiple tensors in global_step collection.");
    if (n == 1)
        return checked(g, found[0]);
    if (leat_find_variable_named(g, NAME, &parts))
        return checked(g, parts.ref);
    TF_Operation *op = TF_GraphOperationByName(g, NAME);
    return op && optimizer_find_variable(g, (TF_Output){op, 0}, &parts) ? checked(g, parts.ref)
                                                                        : MK_NONE;
}

TF_Output leat_create_global_step(TF_Graph *g)
{
    TF_Output step = MK_NONE;
    if (!g)
        return step;
    if (leat_valid(leat_get_global_step(g)))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "\"global_step\" already exists.");
    leat_with_scope(g, NULL)
        step = leat_get_variable(g, NAME, leat_shape(), .dtype = TF_INT64, .trainable = 0,
                                 .initializer = leat_init_zeros());
    leat_add_to_collection(g, LEAT_GLOBAL_STEP, step);
    return step;
}

TF_Output leat_get_or_create_global_step(TF_Graph *g)
{
    TF_Output step = leat_get_global_step(g);
    return leat_valid(step) || !g || !leat_graph_ok(g) ? step : leat_create_global_step(g);
}
