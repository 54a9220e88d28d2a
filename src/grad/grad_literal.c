/* SPDX-License-Identifier: Apache-2.0 */
/* Constants in the gradients that tf.gradients makes. There `dy * 2.` makes a node `mul` and, for
 * its second argument, a constant `mul/y`: which name it has is known when somebody reads it. So a
 * constant without a name of its own is a literal, a node that is none of the graph's, until the
 * first node that reads it is built, or it is given out as a gradient. It lives in the context. */
#include <string.h>

#include "grad/grad_impl.h"

struct literal {
    struct node node; /* all that is read of it are types; its op is NULL */
    int type;
    const struct tensor *value;
    const char *name;   /* in its reader's scope; NULL: as the argument */
    struct output made; /* the constant, once there is one */
};

bool grad_as_python(const struct grad_ctx *g)
{
    return g->r && g->r->node_scopes;
}

static struct literal *literal_of(struct output o)
{
    return output_valid(o) && !o.node->op ? (struct literal *)o.node : NULL;
}

const struct tensor *grad_literal(struct output o)
{
    struct literal *l = literal_of(o);
    return l ? l->value : NULL;
}

static struct output make_const(struct grad_ctx *g, const struct tensor *t)
{
    struct attr attrs[] = {{(char *)"value", attr_tensor(t)},
                           {(char *)"dtype", attr_type(t->dtype)}};
    return grad_opv(g, "Const", 0, NULL, 2, attrs);
}

struct output grad_const(struct grad_ctx *g, const struct tensor *t)
{
    if (g->next_name || !grad_as_python(g) || !status_ok(&g->error))
        return make_const(g, t);
    struct literal *l = arena_new(&g->arena, struct literal);
    l->value = grad_keep_tensor(g, t);
    l->type = t->dtype;
    l->node.output_types = &l->type;
    l->node.num_outputs = 1;
    return (struct output){&l->node, 0};
}

struct output grad_called(struct grad_ctx *g UNUSED, struct output o, const char *name)
{
    struct literal *l = literal_of(o);
    if (l)
        l->name = name;
    return o;
}

struct output grad_resolve(struct grad_ctx *g, struct output o)
{
    struct literal *l = literal_of(o);
    if (!l)
        return o;
    if (!output_valid(l->made))
        l->made = make_const(g, l->value);
    return l->made;
}

/* What the constant that is input i of a node is called in its scope. */
static const char *argument_name(struct grad_ctx *g, const struct grad_build *b,
                                 const struct op *op, int i)
{
    int first = 0;
    for (int a = 0; op && a < op->num_inputs; a++) {
        const bool is_list = op->inputs[a].number_attr >= 0 || op->inputs[a].is_list_type;
        const int n = b->list_sizes ? b->list_sizes[a] : 1;
        if (i >= first + n) {
            first += n;
            continue;
        }
        const char *name = op->inputs[a].name;
        if (strcmp(op->name, "StridedSlice") == 0) /* x[i:j]: three stacks of numbers */
            return a == 1 ? "stack" : a == 2 ? "stack_1" : "stack_2";
        if (strcmp(op->name, "Pack") == 0)
            return arena_printf(&g->arena, "%d", i - first);
        return is_list ? arena_printf(&g->arena, "%s_%d", name, i - first) : name;
    }
    return "Const";
}

const struct output *grad_resolve_inputs(struct grad_ctx *g, const struct grad_build *b,
                                         const char *op, const char *name)
{
    bool any = false;
    for (int i = 0; i < b->num_inputs && !any; i++)
        any = literal_of(b->inputs[i]) != NULL;
    if (!any)
        return b->inputs;
    struct output *inputs = arena_array(&g->arena, struct output, b->num_inputs);
    const char *outer = g->prefix;
    g->prefix = name;
    for (int i = 0; i < b->num_inputs; i++) {
        struct literal *l = literal_of(b->inputs[i]);
        if (l && !output_valid(l->made))
            g->next_name = l->name ? l->name : argument_name(g, b, op_find(op), i);
        inputs[i] = grad_resolve(g, b->inputs[i]);
        g->next_name = NULL;
    }
    g->prefix = outer;
    return inputs;
}
