/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes that tell which variables have no value. */
#include <string.h>

#include "base/mem.h"
#include "build/build.h"
#include "build/mk.h"
#include "build/optimizer.h"
#include "leat/global_step.h"

/* x[begin:end], open at the ends that the masks name. */
static TF_Output slice(TF_Graph *g, TF_Output x, int begin, int end, bool from_first, bool to_last)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "strided_slice") {
        TF_Output from = mk_i32s(g, "stack", leat_ints(begin));
        TF_Output to = mk_i32s(g, "stack_1", leat_ints(end));
        TF_Output by = mk_i32s(g, "stack_2", leat_ints(1));
        y = leat_strided_slice(g, x, from, to, by, .begin_mask = from_first, .end_mask = to_last,
                               .name = leat_current_scope(g));
    }
    return y;
}

static TF_Output mask_shape(TF_Graph *g, int n)
{
    return mk_i32s(g, "Shape", leat_ints(n));
}

/* The elements of the vector x of n where mask is true, as tf.boolean_mask makes it: general in the
 * ranks, of which both are one here. */
static TF_Output boolean_mask(TF_Graph *g, TF_Output x, TF_Output mask, int n)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "boolean_mask") {
        TF_Output size = mk_reduce(g, "Prod", "Prod", slice(g, mask_shape(g, n), 0, 1, 0, 0),
                                   leat_ints(0), false);
        TF_Output before = slice(g, mask_shape(g, n), 0, 0, 1, 0);
        TF_Output after = slice(g, mask_shape(g, n), 1, 0, 0, 1), shape = MK_NONE;
        leat_with_scope(g, "concat") {
            TF_Output middle = mk_pack(g, "values_1", leat_outputs(size));
            TF_Output axis = mk_i32(g, "axis", 0);
            shape = leat_concat_v2(g, leat_outputs(before, middle, after).v, 3, axis,
                                   .name = leat_current_scope(g));
        }
        TF_Output values = leat_reshape(g, x, shape);
        TF_Output flat = mk_reshape(g, "Reshape", mask, leat_ints(-1));
        TF_Output where = leat_where(g, flat);
        TF_Output which = leat_squeeze(g, where, .squeeze_dims = leat_ints(1));
        leat_with_scope(g, "GatherV2") {
            TF_Output axis = mk_i32(g, "axis", 0);
            y = leat_gather_v2(g, values, which, axis, .name = leat_current_scope(g));
        }
    }
    return y;
}

static TF_Output strings(TF_Graph *g, const char *const *texts, int n)
{
    return leat_const_array(g, TF_STRING, texts, leat_shape(n), .name = "Const");
}

/* In the scope: of n variables. */
static TF_Output report(TF_Graph *g, const TF_Output *vars, int n)
{
    TF_Output *set = mem_new_array(TF_Output, n + 1), y = MK_NONE;
    const char **names = mem_new_array(const char *, n + 1);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        struct leat_variable_parts v;
        ok = optimizer_find_variable(g, vars[i], &v);
        if (!ok)
            break;
        names[i] = TF_OperationName(v.ref.oper);
        set[i] = v.is_resource ? leat_var_is_initialized_op(g, v.ref)
                               : leat_is_variable_initialized(g, v.ref);
    }
    if (ok)
        leat_with_device(g, "/cpu:0") {
            if (n == 0) {
                y = strings(g, names, 0);
            } else {
                TF_Output all = mk_pack(g, "stack", (struct leat_outputs){set, n});
                TF_Output unset = leat_logical_not(g, all);
                y = boolean_mask(g, strings(g, names, n), unset, n);
            }
        }
    mem_free(set);
    mem_free(names);
    return y;
}

TF_Output leat_report_uninitialized_variables(TF_Graph *g, struct leat_outputs variables,
                                              const char *name)
{
    TF_Output *own = NULL, y = MK_NONE;
    if (!g || variables.n < LEAT_NOT_GIVEN || (variables.n > 0 && !variables.v))
        return y;
    if (variables.n < 0) {
        int num_global = leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0);
        int num_local = leat_get_collection(g, LEAT_LOCAL_VARIABLES, NULL, NULL, 0);
        own = mem_new_array(TF_Output, num_global + num_local + 1);
        (void)leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, own, num_global);
        (void)leat_get_collection(g, LEAT_LOCAL_VARIABLES, NULL, own + num_global, num_local);
        variables = (struct leat_outputs){own, num_global + num_local};
    }
    leat_with_scope(g, name ? name : "report_uninitialized_variables")
        y = report(g, variables.v, variables.n);
    mem_free(own);
    return y;
}
