/* SPDX-License-Identifier: Apache-2.0 */
/* What build/layer.h says. */
#include "build/layer.h"

#include "base/mem.h"

/* Whether the variable scope `name` has a variable of this name. */
static bool is_taken(TF_Graph *g, const char *name, const char *variable)
{
    char *full = mem_printf("%s%s/%s", leat_current_variable_scope(g, NULL), name, variable);
    bool taken = TF_GraphOperationByName(g, full) != NULL;
    mem_free(full);
    return taken;
}

void layer_open(TF_Graph *g, const char *name, const char *kind, const char *variable,
                const char *made_at)
{
    int reuse;
    leat_push_caller(g, made_at);
    leat_current_variable_scope(g, &reuse);
    char *own = mem_strdup(name && *name ? name : kind);
    if ((!name || !*name) && reuse == LEAT_NO_REUSE) {
        for (int i = 1; is_taken(g, own, variable); i++) {
            mem_free(own);
            own = mem_printf("%s_%d", kind, i);
        }
    }
    leat_push_variable_scope(g, own, LEAT_NO_REUSE);
    mem_free(own);
}

TF_Output layer_activate(TF_Graph *g, TF_Output x, enum leat_activation activation)
{
    static const char *const ops[] = {NULL,      "Relu", "Relu6",   "Elu",      "Selu",
                                      "Sigmoid", "Tanh", "Softmax", "Softplus", "Softsign"};
    if (activation == LEAT_LINEAR)
        return x;
    if (activation < LEAT_LINEAR || activation > LEAT_SOFTSIGN)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "no activation has the number %d",
                         (int)activation);
    return mk_unary(g, ops[activation], NULL, x);
}

TF_Output layer_bias(TF_Graph *g, TF_Output x, TF_Output bias, enum leat_data_format format)
{
    if (!leat_valid(x) || !leat_valid(bias))
        return MK_NONE;
    TF_OperationDescription *d = leat_begin(g, "BiasAdd", NULL, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, x);
    leat_add_input(d, bias);
    TF_SetAttrString(d, "data_format", format == LEAT_CHANNELS_FIRST ? "NCHW" : "NHWC", 4);
    return leat_output_of(leat_finish(d), 0);
}

TF_Output layer_kernel(TF_Graph *g, struct leat_shape shape, TF_DataType dtype,
                       struct leat_initializer initializer)
{
    return leat_get_variable(g, "kernel", shape, .dtype = dtype, .initializer = initializer);
}

TF_Output layer_bias_variable(TF_Graph *g, int64_t n, TF_DataType dtype,
                              struct leat_initializer initializer)
{
    if (initializer.kind == LEAT_INIT_DEFAULT)
        initializer = leat_init_zeros();
    return leat_get_variable(g, "bias", leat_shape(n), .dtype = dtype, .initializer = initializer);
}

bool layer_pair(TF_Graph *g, struct leat_ints numbers, const int64_t *fallback, const char *what,
                int64_t *out)
{
    bool given = numbers.n == 1 || numbers.n == 2;
    if (given) {
        out[0] = numbers.v[0];
        out[1] = numbers.v[numbers.n - 1];
    } else if (numbers.n == LEAT_NOT_GIVEN && fallback) {
        out[0] = fallback[0];
        out[1] = fallback[1];
        return true;
    }
    if (given && out[0] >= 1 && out[1] >= 1)
        return true;
    leat_fail(g, NULL, TF_INVALID_ARGUMENT, "%s must be one or two positive numbers", what);
    return false;
}
