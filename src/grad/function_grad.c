/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of function bodies: the body gets an argument more for each result, the gradient walk
 * runs in it, and what it finds takes the place of the results. */
#include "grad/function_grad.h"

#include "base/mem.h"
#include "grad/grad_walk.h"

enum { MAX_GRADIENT_DEPTH = 32 };

static bool instantiate(struct graph *library, const char *name, const struct attrs *attrs,
                        int depth, struct function_body *out, struct status *st);

static struct node *add_node(struct graph *g, const char *op, const char *name, int type, int index,
                             const struct output *in, struct status *st)
{
    char *unique = graph_unique_name(g, name, true);
    struct node_desc *d = node_desc_new(g, op, unique);

    mem_free(unique);
    if (type != DT_INVALID)
        node_desc_attr(d, "T", attr_type(type));
    if (index >= 0)
        node_desc_attr(d, "index", attr_int(index));
    if (in)
        node_desc_input(d, *in);
    return node_finish(d, st);
}

/* An argument more for the gradient of each result. */
static bool add_dys(struct function_body *b, struct output *dys, struct status *st)
{
    struct node **args = mem_new_array(struct node *, b->num_args + b->num_rets);

    for (int i = 0; i < b->num_args; i++)
        args[i] = b->args[i];
    mem_free(b->args);
    b->args = args;
    for (int i = 0; i < b->num_rets; i++) {
        int type = dtype_base(output_type(b->rets[i]->inputs[0]));
        struct node *n = add_node(b->graph, "_Arg", "dy", type, b->num_args + i, NULL, st);

        if (!n)
            return false;
        b->args[b->num_args + i] = n;
        dys[i] = (struct output){n, 0};
    }
    b->num_args += b->num_rets;
    return true;
}

static bool set_rets(struct function_body *b, const struct grad_value *dxs, int n,
                     struct status *st)
{
    mem_free(b->rets);
    b->rets = mem_new_array(struct node *, n);
    b->num_rets = n;
    for (int i = 0; i < n; i++) {
        struct output dx = dxs[i].values, x = {b->args[i], 0};

        if (!output_valid(dx)) {
            struct node *zeros = add_node(b->graph, "ZerosLike", "zeros", DT_INVALID, -1, &x, st);

            if (!zeros)
                return false;
            dx = (struct output){zeros, 0};
        }
        b->rets[i] = add_node(b->graph, "_Retval", "dx", dtype_base(output_type(dx)), i, &dx, st);
        if (!b->rets[i])
            return false;
    }
    return true;
}

static bool differentiate(struct function_body *b, struct status *st)
{
    const int num_x = b->num_args, num_y = b->num_rets;
    struct output *ys = mem_new_array(struct output, num_y);
    struct output *dys = mem_new_array(struct output, num_y);
    struct output *xs = mem_new_array(struct output, num_x);
    struct grad_value *dxs = mem_new_array(struct grad_value, num_x);

    for (int i = 0; i < num_y; i++)
        ys[i] = b->rets[i]->inputs[0];
    for (int i = 0; i < num_x; i++)
        xs[i] = (struct output){b->args[i], 0};
    bool ok =
        add_dys(b, dys, st) &&
        grad_walk(
            b->graph,
            &(struct grad_request){
                .ys = ys, .dys = dys, .xs = xs, .num_ys = num_y, .num_xs = num_x, .dense = true},
            dxs, st);

    ok = ok && set_rets(b, dxs, num_x, st);
    mem_free(ys);
    mem_free(dys);
    mem_free(xs);
    mem_free(dxs);
    return ok;
}

static char *registered_gradient(struct graph *library, const char *name)
{
    struct function *f = graph_function(library, name);
    char *grad = NULL;

    if (!f)
        return NULL;
    lock_take(&library->library->lock);
    if (f->grad_name)
        grad = mem_strdup(f->grad_name);
    lock_drop(&library->library->lock);
    return grad;
}

static bool gradient_of(struct graph *library, const struct attrs *attrs, int depth,
                        struct function_body *out, struct status *st)
{
    const struct attr_func *f;

    if (!attrs_get_func(attrs, "f", &f, st))
        return false;
    char *grad = registered_gradient(library, f->name);
    bool ok;

    if (grad) {
        ok = instantiate(library, grad, &f->attrs, depth + 1, out, st);
    } else {
        ok = instantiate(library, f->name, &f->attrs, depth + 1, out, st);
        if (ok && !differentiate(out, st)) {
            status_append(st, " [while making the gradient of function '%s']", f->name);
            function_body_clear(out);
            ok = false;
        }
    }
    mem_free(grad);
    return ok;
}

static bool instantiate(struct graph *library, const char *name, const struct attrs *attrs,
                        int depth, struct function_body *out, struct status *st)
{
    *out = (struct function_body){0};
    if (strcmp(name, "SymbolicGradient") != 0)
        return function_instantiate(library, name, attrs, out, st);
    if (depth > MAX_GRADIENT_DEPTH)
        return status_invalid(st, "SymbolicGradient: gradients of gradients, more than %d deep",
                              MAX_GRADIENT_DEPTH);
    return gradient_of(library, attrs, depth, out, st);
}

bool function_or_gradient(struct graph *library, const char *name, const struct attrs *attrs,
                          struct function_body *out, struct status *st)
{
    return instantiate(library, name, attrs, 0, out, st);
}
