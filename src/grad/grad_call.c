/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of calls: the function's own gradient is called with the inputs and the gradients of
 * the results. It runs the body again, so that is refused for bodies with effects. */
#include "base/mem.h"
#include "grad/function_grad.h"
#include "grad/grad_ctx.h"
#include "grad/grad_impl.h"
#include "graph/function.h"

/* The type of a gradient for input i; of a variable, that of what it holds. */
int grad_input_gradient_type(struct grad_ctx *g, int i)
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
        types[i] = grad_input_gradient_type(g, i);
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

bool grad_check_repeatable(struct grad_ctx *g, const struct attr_func *f, struct status *st)
{
    return function_repeatable(g->graph, f->name) ||
           status_unimplemented(st,
                                "The gradient of function '%s' would run its body again, which "
                                "draws random numbers or has effects",
                                f->name);
}

bool grad_set_call(struct grad_ctx *g, const struct attr_func *f, struct status *st)
{
    if (!grad_check_repeatable(g, f, st))
        return false;
    grad_call_function(g, f);
    return grad_done(g, st);
}

/* --- branches --- */

bool grad_type_has_gradient(int type)
{
    return dtype_is_float(type) || dtype_is_complex(type) || type == DT_VARIANT;
}

/* Which inputs get gradients, and what those are. */
static void find_xs(struct grad_ctx *g, int first, struct grad_branches *out, int *args)
{
    const int n = grad_num_inputs(g);
    int *x = arena_array(&g->arena, int, n + 1), *types = arena_array(&g->arena, int, n + 1);

    for (int i = first; i < n; i++) {
        int type = grad_input_gradient_type(g, i);

        if (!grad_type_has_gradient(type) || (g->w && !walk_flows_to(g->w, grad_in(g, i))))
            continue;
        args[out->num_x] = i - first;
        types[out->num_x] = type;
        x[out->num_x++] = i;
    }
    out->x = x;
    out->types = types;
}

static const bool *find_inputs(struct grad_ctx *g, int first, struct grad_branches *out)
{
    const int n = grad_num_inputs(g), num_y = grad_num_outputs(g);
    struct output *in = arena_array(&g->arena, struct output, n + num_y + 1);
    bool *has_dy = arena_array(&g->arena, bool, num_y + 1);

    for (int i = first; i < n; i++)
        in[out->num_inputs++] = grad_in(g, i);
    for (int i = 0; i < num_y; i++) {
        has_dy[i] = grad_type_has_gradient(grad_type_of(g, grad_out(g, i))) && grad_has_dy(g, i);
        if (has_dy[i])
            in[out->num_inputs++] = grad_dy(g, i);
    }
    out->inputs = in;
    return has_dy;
}

bool grad_make_branches(struct grad_ctx *g, const struct attr_func *const *f, int num_f, int first,
                        struct grad_branches *out, struct status *st)
{
    const char **names = arena_array(&g->arena, const char *, num_f);
    int *args = arena_array(&g->arena, int, grad_num_inputs(g) + 1);

    *out = (struct grad_branches){.names = names};
    find_xs(g, first, out, args);
    struct function_gradient want = {.num_args = grad_num_inputs(g) - first,
                                     .num_rets = grad_num_outputs(g),
                                     .x = args,
                                     .types = out->types,
                                     .num_x = out->num_x,
                                     .has_dy = find_inputs(g, first, out),
                                     .depth = g->r->depth};

    for (int i = 0; i < num_f; i++) {
        if (!grad_check_repeatable(g, f[i], st))
            return false;
        char *name = function_add_gradient(g->graph, f[i], &want, st);

        if (!name)
            return false;
        names[i] = arena_strdup(&g->arena, name);
        mem_free(name);
    }
    return true;
}
