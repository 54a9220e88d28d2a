/* SPDX-License-Identifier: Apache-2.0 */
/* TF_AddGradients: the gradient walk, with the C++ names (gradients/MatMul_1). */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "grad/grad_walk.h"

static bool arrays_ok(TF_Graph *g, const TF_Output *y, int ny, const TF_Output *x, int nx,
                      const TF_Output *dy, struct status *st)
{
    if (!g || ny < 0 || nx < 0 || (ny > 0 && !y) || (nx > 0 && !x) || (nx > 0 && !dy))
        return status_invalid(st, "TF_AddGradients: a NULL graph or array");
    return true;
}

static bool prefix_ok(struct graph *g, const char *prefix, struct status *st)
{
    if (!prefix)
        return true;
    char *unique = graph_unique_name(g, prefix, false);
    bool ok = strcmp(unique, prefix) == 0 ||
              status_invalid(st,
                             "prefix [%s] conflicts with existing node names in the "
                             "graph",
                             prefix);
    mem_free(unique);
    return ok;
}

void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y, int ny, TF_Output *x,
                               int nx, TF_Output *dx, TF_Status *status, TF_Output *dy)
{
    struct status st = {0};
    if (arrays_ok(g, y, ny, x, nx, dy, &st) && prefix_ok(api_graph(g), prefix, &st)) {
        struct grad_request r = {.ys = api_outputs(y),
                                 .num_ys = ny,
                                 .xs = api_outputs(x),
                                 .num_xs = nx,
                                 .dys = api_outputs(dx),
                                 .prefix = prefix,
                                 .dense = true};
        struct grad_value *out = mem_new_array(struct grad_value, nx + 1);
        bool ok = grad_walk(api_graph(g), &r, out, &st);
        for (int i = 0; i < nx; i++) {
            bool has = ok && output_valid(out[i].values);
            dy[i] = has ? (TF_Output){api_oper(out[i].values.node), out[i].values.index}
                        : (TF_Output){NULL, -1};
        }
        mem_free(out);
    }
    api_return(status, &st);
}

void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output *dx,
                     TF_Status *status, TF_Output *dy)
{
    TF_AddGradientsWithPrefix(g, NULL, y, ny, x, nx, dx, status, dy);
}
