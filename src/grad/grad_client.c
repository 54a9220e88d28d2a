/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients that a client gives for nodes, and the rules of ops called for one node alone.
 *
 * Which rule is a node's: that of the name in its attribute _gradient_op_type, else of its op; the
 * client's functions come first, then the rules of the ops of that name. */
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

const char *grad_rule_name(const struct node *n)
{
    const struct attr_value *v = attrs_find(&n->attrs, "_gradient_op_type");
    return v && v->kind == ATTR_STRING && !v->is_list && v->s.n > 0 ? v->s.p : n->op->name;
}

const struct op_def *grad_rule_def(const struct grad_request *r, const struct node *n)
{
    if (!r->client)
        return n->op->def;
    const char *name = grad_rule_name(n);
    if (strcmp(name, n->op->name) == 0)
        return n->op->def;
    const struct op *op = op_find(name);
    return op ? op->def : NULL;
}

enum grad_said grad_client_has(const struct grad_request *r, const struct node *n)
{
    return r->client ? r->client(r->hook_arg, NULL, grad_rule_name(n), NULL) : GRAD_NOT_MINE;
}

/* Gradients that are missing are zeros, where there can be one; or these are put aside. */
static void fill_zeros(struct grad_ctx *g, struct output *zeros)
{
    for (int i = 0; i < g->node->num_outputs; i++) {
        struct output o = {g->node, i};
        const int type = dtype_base(output_type(o));
        if (output_valid(g->dys[i].values) || !(dtype_is_float(type) || dtype_is_complex(type)))
            continue;
        if (zeros)
            zeros[i] = grad_op1(g, "zeros_like=ZerosLike", o);
        else if (g->w && g->w->cur)
            g->dys[i] = (struct grad_value){.values = grad_zeros_like(g, o)};
        else
            g->dys[i] = (struct grad_value){.values = grad_op1(g, "zeros_like=ZerosLike", o)};
    }
}

void grad_make_zeros(struct grad_ctx *g)
{
    const struct node *n = g->node;
    if (n->num_outputs < 2 || !g->w || g->w->cur || node_op_is(n, "Switch") ||
        node_op_is(n, "Merge"))
        return;
    g->zeros = arena_array(&g->arena, struct output, n->num_outputs);
    fill_zeros(g, g->zeros);
}

bool grad_call_client(struct grad_ctx *g, const char *scope, struct status *st)
{
    fill_zeros(g, NULL);
    if (!grad_done(g, st))
        return false;
    const char *outer = g->prefix;
    g->prefix = scope;
    const enum grad_said said = g->r->client(g->r->hook_arg, g, grad_rule_name(g->node), st);
    g->prefix = outer;
    return said == GRAD_DONE && grad_done(g, st);
}

struct output grad_here(struct grad_ctx *g, struct output o)
{
    return walk_here(g, o);
}

bool grad_in_loop(const struct grad_ctx *g)
{
    return g->w && g->w->cur;
}

void grad_hold_turn(struct grad_ctx *g, struct node_desc *d)
{
    d->num_control = 0; /* what waits outside of a loop cannot hold a turn up */
    if (grad_needs_turn(d->inputs, (int)d->num_inputs))
        node_desc_control(d, g->w->cur->index.node);
}

void grad_note_made(struct grad_ctx *g, struct node *n)
{
    if (g->w)
        grad_note_place(g->w, n);
}

bool grad_one(struct grad_ctx *around, const struct grad_one *q, struct status *st)
{
    struct node *n = q->node;
    struct grad_ctx g = {.graph = n->graph,
                         .w = around ? around->w : NULL,
                         .node = n,
                         .prefix = q->prefix,
                         .r = q->r};
    const struct op *op = q->rule ? op_find(q->rule) : n->op;
    bool ok = true;
    if (!op || !op->def || !op->def->grad) {
        ok = op && op->def && op->def->no_grad && strncmp(op->def->no_grad, "undefined: ", 11) != 0;
        if (!ok)
            status_not_found(st, "No gradient defined for operation '%s' (op type: %s)", n->name,
                             q->rule ? q->rule : n->op->name);
    } else {
        g.dys = arena_array(&g.arena, struct grad_value, n->num_outputs + 1);
        memcpy(g.dys, q->dys, sizeof *g.dys * (size_t)n->num_outputs);
        g.dxs = q->dxs;
        ok = op->def->grad(&g, st) && grad_done(&g, st);
    }
    grad_ctx_release(&g);
    return ok;
}
