/* SPDX-License-Identifier: Apache-2.0 */
/* Operations joined into one, and the initializers of variables. */
#include <stdlib.h>
#include <string.h>

#include "build/build.h"

static int by_device(const void *a, const void *b)
{
    TF_Operation *const *x = a, *const *y = b;
    return strcmp(TF_OperationDevice(*x), TF_OperationDevice(*y));
}

static TF_Operation *join(TF_Graph *g, TF_Operation *const *ops, int n, const char *name)
{
    leat_push_control_dependencies(g, ops, n);
    TF_Operation *op = leat_no_op(g, .name = name);
    leat_pop(g);
    return op;
}

/* One node a device, and one for all. ops: sorted by device. */
static TF_Operation *join_devices(TF_Graph *g, TF_Operation **ops, int n)
{
    TF_Operation **parts = mem_new_array(TF_Operation *, n);
    int num_parts = 0;
    bool ok = true;
    for (int i = 0; i < n;) {
        const char *device = TF_OperationDevice(ops[i]);
        int end = i;
        while (end < n && strcmp(TF_OperationDevice(ops[end]), device) == 0)
            end++;
        leat_push_device(g, device[0] ? device : NULL);
        parts[num_parts] = join(g, ops + i, end - i, NULL);
        leat_pop(g);
        ok = ok && parts[num_parts++];
        i = end;
    }
    TF_Operation *all = ok ? join(g, parts, num_parts, leat_current_scope(g)) : NULL;
    mem_free(parts);
    return all;
}

TF_Operation *leat_group(TF_Graph *g, TF_Operation *const *ops, int n, const char *name)
{
    if (!g || n < 0 || (n > 0 && !ops)) {
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, "leat_group: %d operations", n);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        if (!ops[i]) {
            (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, "leat_group: operation %d is not valid",
                            i);
            return NULL;
        }
    }
    TF_Operation **own = mem_new_array(TF_Operation *, n + 1);
    for (int i = 0; i < n; i++)
        own[i] = ops[i];
    leat_push_scope(g, name ? name : "group_deps");
    qsort(own, (size_t)n, sizeof *own, by_device);
    bool one = n == 0 || by_device(&own[0], &own[n - 1]) == 0;
    TF_Operation *out;
    if (one) {
        const char *device = n > 0 ? TF_OperationDevice(own[0]) : "";
        leat_push_device(g, device[0] ? device : NULL);
        out = join(g, own, n, leat_current_scope(g));
        leat_pop(g);
    } else {
        out = join_devices(g, own, n);
    }
    leat_pop(g);
    mem_free(own);
    return out;
}

TF_Operation *leat_variables_initializer(TF_Graph *g, const TF_Output *variables, int n,
                                         const char *name)
{
    TF_Operation **ops = mem_new_array(TF_Operation *, n > 0 ? n : 1);
    bool ok = n >= 0 && (n == 0 || variables);
    if (!ok)
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, "leat_variables_initializer: %d variables",
                        n);
    for (int i = 0; ok && i < n; i++) {
        struct leat_variable_parts v;
        ok = leat_find_variable(g, variables[i], &v) != 0;
        if (ok)
            ops[i] = v.init;
        else
            (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                            "leat_variables_initializer: output %d is no variable", i);
    }
    TF_Operation *out = ok ? leat_group(g, ops, n, name ? name : "init") : NULL;
    mem_free(ops);
    return out;
}

TF_Operation *leat_global_variables_initializer(TF_Graph *g)
{
    int n = leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0);
    TF_Output *vars = mem_new_array(TF_Output, n + 1);
    int got = leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, vars, n);
    TF_Operation *op = leat_variables_initializer(g, vars, got < n ? got : n, NULL);
    mem_free(vars);
    return op;
}
