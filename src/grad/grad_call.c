/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of calls: the function's own gradient is called with the inputs and the gradients of
 * the results. It runs the body again, so that is refused for bodies with effects. */
#include "base/mem.h"
#include "grad/grad_ctx.h"
#include "graph/function.h"

/* The type of a gradient for input i; of a variable, that of what it holds. */
static int gradient_type(struct grad_ctx *g, int i)
{
    struct infer_result h;
    int type = grad_type_of(g, grad_in(g, i));

    if (type != DT_RESOURCE || !output_handle(grad_in(g, i), &h))
        return type;
    type = h.handles[0].dtypes[0];
    infer_result_clear(&h);
    return type;
}

static struct node *add_gradient(struct grad_ctx *g, const struct attr_func *f)
{
    const int n = grad_num_inputs(g), all = n + grad_num_outputs(g);
    struct output *in = arena_array(&g->arena, struct output, all + 1);
    int *types = arena_array(&g->arena, int, all + 1);
    struct attrs attrs = {0};

    for (int i = 0; i < n; i++) {
        in[i] = grad_in(g, i);
        types[i] = gradient_type(g, i);
    }
    attrs_set(&attrs, "Tout", attr_list(ATTR_TYPE, types, n));
    for (int i = n; i < all; i++)
        in[i] = grad_dy(g, i - n);
    attrs_set(&attrs, "f", attr_func(f->name, &f->attrs));
    struct node *node = grad_node(g, &(struct grad_build){.op = "SymbolicGradient",
                                                          .inputs = in,
                                                          .num_inputs = all,
                                                          .list_sizes = &all,
                                                          .attrs = &attrs});

    attrs_clear(&attrs);
    return node;
}

void grad_call_function(struct grad_ctx *g, const struct attr_func *f)
{
    struct node *n = add_gradient(g, f);

    for (int i = 0; n && i < grad_num_inputs(g); i++)
        grad_set(g, i, grad_node_out(g, n, i));
}

bool grad_set_call(struct grad_ctx *g, const struct attr_func *f, struct status *st)
{
    if (!function_repeatable(g->graph, f->name))
        return status_unimplemented(st,
                                    "The gradient of function '%s' would run its body again, "
                                    "which draws random numbers or has effects",
                                    f->name);
    grad_call_function(g, f);
    return grad_done(g, st);
}
