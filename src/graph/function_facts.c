/* SPDX-License-Identifier: Apache-2.0 */
/* What may be said of a function without making its body. Functions may call each other in
 * circles: each is looked at once. */
#include "graph/function.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct look {
    struct graph *g;
    struct strmap seen;
    const char *again; /* this name, when it is seen */
    bool found;
    struct function **todo; /* seen, but not looked at */
    int64_t num_todo, cap_todo;
};

/* Stateful by their definition, and harmless when they run twice: they read, or make what dies with
 * the step, or do what the functions that they call do. */
static bool harmless(struct str op)
{
    static const char *const ops[] = {
        "ReadVariableOp",
        "ResourceGather",
        "ResourceGatherNd",
        "VariableShape",
        "VarIsInitializedOp",
        "VarHandleOp",
        "If",
        "While",
        "Case",
        "For",
        "StatefulPartitionedCall",
        "RemoteCall",
        "Assert",
        "Print",
        "StackV2",
        "TensorArrayV3",
    };

    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        if (str_is(op, ops[i]))
            return true;
    }
    return false;
}

static void see(struct look *l, struct str name)
{
    l->found |= l->again && str_is(name, l->again);
    if (!name.n || strmap_find_n(&l->seen, name.p, name.n))
        return;
    strmap_put_n(&l->seen, name.p, name.n, l);
    char *text = mem_strndup(name.p, name.n);
    struct function *f = graph_function(l->g, text);

    mem_free(text);
    if (!f)
        return;
    l->todo = vec_reserve(l->todo, &l->cap_todo, l->num_todo + 1, sizeof(struct function *));
    l->todo[l->num_todo++] = f;
}

static void see_attr(struct look *l, const struct pb_attr_value *v, int depth)
{
    enum { LIST = 1, FUNC = 10, MAX_DEPTH = 100 };

    if (!v || depth > MAX_DEPTH)
        return;
    if (v->which_value == FUNC) {
        see(l, v->func->name);
        for (int64_t i = 0; i < v->func->attr.n; i++)
            see_attr(l, v->func->attr.v[i]->value, depth + 1);
    }
    for (int64_t i = 0; v->which_value == LIST && i < v->list->func.n; i++)
        see(l, v->list->func.v[i]->name);
}

/* False: it has effects. */
static bool look_at(struct look *l, const struct pb_function_def *def)
{
    bool harmful = false;

    for (int64_t i = 0; i < def->node_def.n; i++) {
        const struct pb_node_def *n = def->node_def.v[i];
        char *name = mem_strndup(n->op.p ? n->op.p : "", n->op.n);
        const struct op *op = op_find(name);

        mem_free(name);
        if (op && op->def->flags & OP_STATEFUL && !harmless(n->op))
            harmful = true;
        if (!op)
            see(l, n->op);
        for (int64_t k = 0; k < n->attr.n; k++)
            see_attr(l, n->attr.v[k]->value, 0);
    }
    return !harmful;
}

bool function_recursive(struct graph *g, const char *name)
{
    struct look l = {.g = g};

    see(&l, str_of(name));
    l.again = name;
    while (!l.found && l.num_todo > 0)
        (void)look_at(&l, l.todo[--l.num_todo]->def);
    mem_free(l.todo);
    strmap_release(&l.seen);
    return l.found;
}

bool function_repeatable(struct graph *g, const char *name)
{
    struct look l = {.g = g};
    bool ok = true;

    see(&l, str_of(name));
    while (ok && l.num_todo > 0)
        ok = look_at(&l, l.todo[--l.num_todo]->def);
    mem_free(l.todo);
    strmap_release(&l.seen);
    return ok;
}
