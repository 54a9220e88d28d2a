/* SPDX-License-Identifier: Apache-2.0 */
/* PyFunc, PyFuncStateless, EagerPyFunc: values computed by the front end's function, which the
 * token names. */
#include "base/mem.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/script_hook.h"

static bool check_types(const struct kctx *c, const char *token, const struct tensor *out,
                        struct status *st)
{
    for (int i = 0; i < kernel_num_outputs(c); i++)
        if (out[i].dtype != kernel_output_type(c, i))
            return status_invalid(st, "%d-th value returned by %s is %s, but expects %s", i, token,
                                  dtype_name(out[i].dtype), dtype_name(kernel_output_type(c, i)));
    return true;
}

static bool call_run(struct kctx *c, struct status *st)
{
    int n = kernel_num_outputs(c);
    struct str token = attrs_string(kernel_attrs(c), "token");
    struct tensor *out = mem_new_array(struct tensor, n + 1);
    char *name = mem_strndup(token.p, token.n);
    bool ok = script_hook_call(name, c->in, kernel_num_inputs(c), out, n, st) &&
              check_types(c, name, out, st);
    for (int i = 0; ok && i < n; i++)
        kernel_out_take(c, i, &out[i]);
    for (int i = 0; i < n; i++)
        tensor_clear(&out[i]);
    mem_free(out);
    mem_free(name);
    return ok;
}

#define CALLER(id, op_name, more, async, text)                                                     \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"input: Tin"},                                                                  \
        .outputs = {"output: Tout"},                                                               \
        .attrs = {"token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0", async},        \
        .flags = more,                                                                             \
        .shape = infer_unknown_outputs,                                                            \
        .no_grad = "the function is the front end's",                                              \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_BLOCKING, .run = call_run}
CALLER(py_func, "PyFunc", OP_STATEFUL, NULL,
       "What a function of the front end makes of values; called anew at each run.");
CALLER(py_func_stateless, "PyFuncStateless", 0, NULL,
       "What a function of the front end without state makes of values.");
CALLER(eager_py_func, "EagerPyFunc", OP_STATEFUL, "is_async: bool = false",
       "What a function of the front end that computes with ops makes of values.");
