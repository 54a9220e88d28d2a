/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes that take part in every node: attributes that nodes carry, and functions that see them.
 *
 * All ways in which leat_* functions make a node come through here: leat_begin to leat_finish, the
 * gradient walk, and what brings values into loops and branches. */
#include <string.h>

#include "api/leat_builder.h"
#include "graph/graphdef.h"
#include "leat/gradients.h"

struct attr_scope {
    char *op; /* only nodes of this op; NULL: all */
    char *name;
    struct attr_value value; /* kind NONE: not set, whatever scopes around say */
};

void builder_attr_free(struct attr_scope *a)
{
    if (!a)
        return;
    mem_free(a->op);
    mem_free(a->name);
    attr_value_clear(&a->value);
    mem_free(a);
}

static void push_attr(TF_Graph *g, const char *op, const char *name, struct attr_value v)
{
    struct frame *f = builder_push(g, FRAME_ATTR);
    f->attr = mem_new(struct attr_scope);
    f->attr->op = op ? mem_strdup(op) : NULL;
    f->attr->name = mem_strdup(name);
    f->attr->value = v;
}

void leat_push_attr(TF_Graph *g, const char *op, const char *name, const void *proto, size_t len)
{
    if (!g)
        return;
    struct status st = {0};
    struct arena a = {0};
    struct pb_attr_value *p = NULL;
    struct attr_value v = {.kind = ATTR_NONE};
    if (!name || !name[0])
        status_invalid(&st, "leat_push_attr: an attribute without a name");
    else if (proto && (!pb_attr_value_decode(&a, proto, len, PB_BORROW, &p, &st) ||
                       !attr_from_proto(p, &v, &st)))
        status_prepend(&st, "leat_push_attr: attribute '%s': ", name);
    if (!status_ok(&st))
        v = (struct attr_value){.kind = ATTR_NONE};
    push_attr(g, op, name && name[0] ? name : "_", v);
    builder_record(api_graph(g), &st, NULL, NULL);
    arena_release(&a);
}

void leat_push_attr_string(TF_Graph *g, const char *op, const char *name, const char *value)
{
    if (g && name && name[0] && value)
        push_attr(g, op, name, attr_string(str_of(value)));
    else
        leat_push_attr(g, op, name, NULL, 0);
}

/* Whether a scope further in has spoken of this attribute of such a node. */
static bool is_hidden(const struct frame *top, const struct frame *f, const char *op_name)
{
    for (const struct frame *in = top; in != f; in = in->up) {
        if (in->kind == FRAME_ATTR && strcmp(in->attr->name, f->attr->name) == 0 &&
            (!in->attr->op || strcmp(in->attr->op, op_name) == 0))
            return true;
    }
    return false;
}

void builder_attrs(struct graph *g, struct node_desc *d)
{
    const struct frame *top = builder_frame(g);
    for (const struct frame *f = top; f; f = f->up) {
        if (f->kind != FRAME_ATTR || f->attr->value.kind == ATTR_NONE ||
            (f->attr->op && strcmp(f->attr->op, d->op_name) != 0))
            continue;
        const char *name = f->attr->name;
        if (attrs_find(&d->attrs, name) || (d->op && op_attr_find(d->op, name)) ||
            is_hidden(top, f, d->op_name))
            continue;
        node_desc_attr(d, name, attr_value_dup(&f->attr->value));
    }
}

/* --- functions that see nodes --- */

void leat_push_node_hook(TF_Graph *g, leat_node_fn fn, void *arg)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_HOOK);
    f->node_fn = fn;
    f->node_arg = arg;
}

void builder_said_no(TF_Graph *g, const char *what)
{
    if (leat_graph_ok(g))
        (void)leat_fail(g, NULL, TF_CANCELLED, "%s gave up", what);
}

void builder_tell(struct graph *graph, struct node *n)
{
    TF_Graph *g = (TF_Graph *)graph;
    struct thread_state *t = builder_thread(graph, false);
    for (struct frame *f = t ? t->top : NULL; f && leat_graph_ok(g); f = f->up) {
        if (f->kind != FRAME_HOOK)
            continue;
        if (!f->node_fn)
            return;
        if (f->busy)
            continue;
        f->busy = true;
        const int said = f->node_fn(f->node_arg, g, api_oper(n));
        f->busy = false;
        if (!said)
            builder_said_no(g, "A function that sees nodes");
    }
}
