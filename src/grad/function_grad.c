/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of function bodies: the body gets an argument more for each result, the gradient walk
 * runs in it, and what it finds takes the place of the results. */
#include "grad/function_grad.h"

#include "base/mem.h"
#include "grad/grad_walk.h"
#include "graph/function_make.h"

enum { MAX_GRADIENT_DEPTH = 32, MAX_FUNCTIONS = 10000 };

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

/* An argument more for the gradient of each result that has one. */
static bool add_dys(struct function_body *b, const bool *wanted, struct output *dys,
                    struct status *st)
{
    struct node **args = mem_new_array(struct node *, b->num_args + b->num_rets);

    for (int i = 0; i < b->num_args; i++)
        args[i] = b->args[i];
    mem_free(b->args);
    b->args = args;
    for (int i = 0; i < b->num_rets; i++) {
        int type = dtype_base(output_type(b->rets[i]->inputs[0]));

        if (wanted && !wanted[i])
            continue;
        struct node *n = add_node(b->graph, "_Arg", "dy", type, b->num_args, NULL, st);

        if (!n)
            return false;
        b->args[b->num_args++] = n;
        dys[i] = (struct output){n, 0};
    }
    return true;
}

/* Zeros like x; like what it holds, where x is a variable. */
static struct output zeros_like(struct function_body *b, struct output x, int type,
                                struct status *st)
{
    if (output_type(x) == DT_RESOURCE) {
        char *name = graph_unique_name(b->graph, "value", true);
        struct node_desc *d = node_desc_new(b->graph, "ReadVariableOp", name);

        mem_free(name);
        node_desc_attr(d, "dtype", attr_type(type));
        node_desc_input(d, x);
        x = (struct output){node_finish(d, st), 0};
        if (!x.node)
            return x;
    }
    return (struct output){add_node(b->graph, "ZerosLike", "zeros", DT_INVALID, -1, &x, st), 0};
}

/* The gradients of the body's results by the arguments that are wanted (x NULL: the first num_x);
 * zeros where there are none. Results without a gradient coming in count as constants. */
static bool differentiate(struct function_body *b, const struct function_gradient *want,
                          struct output *dxs, struct status *st)
{
    const int *x = want->x, *types = want->types, num_x = want->num_x;
    const int num_y = b->num_rets;
    struct output *ys = mem_new_array(struct output, num_y);
    struct output *dys = mem_new_array(struct output, num_y);
    struct output *xs = mem_new_array(struct output, num_x);
    struct grad_value *found = mem_new_array(struct grad_value, num_x);
    struct grad_request r = {
        .ys = ys, .dys = dys, .xs = xs, .num_xs = num_x, .dense = true, .depth = want->depth + 1};

    for (int i = 0; i < num_x; i++)
        xs[i] = (struct output){b->args[x ? x[i] : i], 0};
    bool ok = add_dys(b, want->has_dy, dys, st);

    for (int i = 0; i < num_y; i++) {
        if (!dys[i].node)
            continue;
        dys[r.num_ys] = dys[i];
        ys[r.num_ys++] = b->rets[i]->inputs[0];
    }
    ok = ok && (r.num_ys == 0 || grad_walk(b->graph, &r, found, st));
    for (int i = 0; ok && i < num_x; i++) {
        dxs[i] = found[i].values;
        if (!output_valid(dxs[i]))
            dxs[i] = zeros_like(b, xs[i], types ? types[i] : DT_FLOAT, st);
        ok = output_valid(dxs[i]);
    }
    mem_free(ys);
    mem_free(dys);
    mem_free(xs);
    mem_free(found);
    return ok;
}

/* --- SymbolicGradient --- */

static bool set_rets(struct function_body *b, const struct output *dxs, int n, struct status *st)
{
    mem_free(b->rets);
    b->rets = mem_new_array(struct node *, n);
    b->num_rets = n;
    for (int i = 0; i < n; i++) {
        b->rets[i] =
            add_node(b->graph, "_Retval", "dx", dtype_base(output_type(dxs[i])), i, &dxs[i], st);
        if (!b->rets[i])
            return false;
    }
    return true;
}

static bool make_gradient(struct function_body *b, struct status *st)
{
    const int n = b->num_args;
    struct output *dxs = mem_new_array(struct output, n);
    bool ok = differentiate(b, &(struct function_gradient){.num_x = n}, dxs, st) &&
              set_rets(b, dxs, n, st);

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
        if (ok && !make_gradient(out, st)) {
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

/* --- gradient functions --- */

/* Nodes that the gradients need. */
static struct node **needed(struct graph *g, const struct output *dxs, int n, int64_t *count)
{
    struct node **list = mem_new_array(struct node *, g->num_nodes + 1);
    bool *seen = mem_new_array(bool, g->num_nodes + 1);
    int64_t num = 0, kept = 0;

    for (int i = 0; i < n; i++) {
        if (!seen[dxs[i].node->id])
            list[num++] = dxs[i].node;
        seen[dxs[i].node->id] = true;
    }
    for (int64_t at = 0; at < num; at++) {
        struct node *to = list[at];

        for (int64_t k = 0; k < to->num_inputs + to->num_control_inputs; k++) {
            struct node *from =
                k < to->num_inputs ? to->inputs[k].node : to->control_inputs[k - to->num_inputs];

            if (from && !seen[from->id])
                list[num++] = from;
            if (from)
                seen[from->id] = true;
        }
    }
    mem_free(list);
    list = mem_new_array(struct node *, num + 1);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (seen[i] && strcmp(g->nodes[i]->op->name, "_Arg") != 0)
            list[kept++] = g->nodes[i];
    }
    mem_free(seen);
    *count = kept;
    return list;
}

static char *free_name(struct graph *g, const char *name)
{
    for (int i = 0;; i++) {
        char *text = mem_printf("%s_grad_%d", name, i);

        if (!graph_function(g, text))
            return text;
        mem_free(text);
    }
}

char *function_add_from(struct graph *g, const char *base, const struct function_ends *e,
                        struct status *st)
{
    struct arena a = {0};
    struct pb_function_def *def;
    char *name = free_name(g, base);
    struct function_spec s = {.name = name,
                              .inputs = e->in,
                              .num_inputs = e->num_in,
                              .outputs = e->out,
                              .num_outputs = e->num_out};
    struct node **nodes = needed(e->body, e->out, e->num_out, &s.num_nodes);

    s.nodes = nodes;
    if (!function_from_graph(e->body, &s, &a, &def, st) || !graph_add_function(g, def, st)) {
        mem_free(name);
        name = NULL;
    }
    mem_free(nodes);
    arena_release(&a);
    return name;
}

static char *add_to_library(struct graph *g, const char *base, struct function_body *b,
                            const struct output *dxs, int n, struct status *st)
{
    struct output *in = mem_new_array(struct output, b->num_args);

    for (int i = 0; i < b->num_args; i++)
        in[i] = (struct output){b->args[i], 0};
    char *name = function_add_from(
        g, base,
        &(struct function_ends){
            .body = b->graph, .in = in, .num_in = b->num_args, .out = dxs, .num_out = n},
        st);

    mem_free(in);
    return name;
}

/* Functions that lead to themselves would have no end of gradient functions, and some that do not
 * have a number of them that grows with the power of their depth. */
static bool check_growth(struct graph *g, const struct attr_func *f,
                         const struct function_gradient *want, struct status *st)
{
    if (function_recursive(g, f->name))
        return status_unimplemented(st, "The gradient of function '%s', which calls itself",
                                    f->name);
    if (want->depth > MAX_GRADIENT_DEPTH || graph_functions(g, NULL, 0) > MAX_FUNCTIONS)
        return status_exhausted(st,
                                "The gradient of function '%s' needs too many functions: more than "
                                "%d, or more than %d deep",
                                f->name, MAX_FUNCTIONS, MAX_GRADIENT_DEPTH);
    return true;
}

char *function_add_gradient(struct graph *g, const struct attr_func *f,
                            const struct function_gradient *want, struct status *st)
{
    struct function_body b;
    char *name = NULL;

    if (!check_growth(g, f, want, st) || !function_or_gradient(g, f->name, &f->attrs, &b, st))
        return NULL;
    struct output *dxs = mem_new_array(struct output, want->num_x);

    if (b.num_rets != want->num_rets || b.num_args != want->num_args) {
        status_invalid(st, "Function %s has %d arguments and %d results, its call %d and %d",
                       f->name, b.num_args, b.num_rets, want->num_args, want->num_rets);
    } else if (differentiate(&b, want, dxs, st)) {
        name = add_to_library(g, f->name, &b, dxs, want->num_x, st);
    }
    if (!name)
        status_append(st, " [while making the gradient of function '%s']", f->name);
    mem_free(dxs);
    function_body_clear(&b);
    return name;
}
