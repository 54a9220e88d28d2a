/* SPDX-License-Identifier: Apache-2.0 */
/* Attrs of newer ops. One look at each attr of each node, when a graph comes. */
#include "dist/forward.h"

#include <string.h>

#include "base/mem.h"
#include "op/op.h"

static bool list_is_empty(const struct pb_attr_value_list_value *l)
{
    return !l || (l->s.n == 0 && l->i.n == 0 && l->f.n == 0 && l->b.n == 0 && l->type.n == 0 &&
                  l->shape.n == 0 && l->tensor.n == 0 && l->func.n == 0);
}

static bool says_nothing(const struct pb_attr_value *v)
{
    switch (v ? v->which_value : 0) {
    case 0:
        return true;
    case 1:
        return list_is_empty(v->list);
    case 2:
        return v->s.n == 0;
    case 3:
        return v->i == 0;
    case 4:
        return v->f == 0;
    case 5:
        return !v->b;
    default:
        return false;
    }
}

/* Attrs that change no value, whatever they say: a name for messages; a check that an older
 * producer left to shape inference. */
static bool is_needless(const char *op, const char *attr)
{
    return (strcmp(op, "VarHandleOp") == 0 && strcmp(attr, "debug_name") == 0) ||
           (strcmp(op, "AssignVariableOp") == 0 && strcmp(attr, "validate_shape") == 0);
}

static bool shape_is_marked(const struct pb_tensor_shape_proto *s)
{
    for (int64_t i = 0; s && i < s->dim.n; i++)
        if (s->dim.v[i]->size < -1)
            return true;
    return false;
}

/* Shapes as newer masters note them for themselves: sizes below -1 are unknown ones that recur. */
static bool has_marked_shapes(const struct pb_attr_value *v)
{
    if (v->which_value == 7)
        return shape_is_marked(v->shape);
    if (v->which_value != 1 || !v->list)
        return false;
    for (int64_t i = 0; i < v->list->shape.n; i++)
        if (shape_is_marked(v->list->shape.v[i]))
            return true;
    return false;
}

static bool is_to_drop(const struct op *op, const char *op_name, const char *attr,
                       const struct pb_attr_value *v)
{
    if (attr[0] == '_')
        return v && has_marked_shapes(v);
    return !op_attr_find(op, attr) && (is_needless(op_name, attr) || says_nothing(v));
}

static void look_at(struct pb_node_def *n)
{
    char *name = mem_strndup(n->op.n ? n->op.p : "", n->op.n);
    const struct op *op = op_find(name);
    int64_t kept = 0;
    for (int64_t i = 0; op && i < n->attr.n; i++) {
        struct pb_node_def_attr_entry *e = n->attr.v[i];
        char *key = mem_strndup(e->key.n ? e->key.p : "", e->key.n);
        const bool drop = is_to_drop(op, name, key, e->value);
        mem_free(key);
        if (!drop)
            n->attr.v[kept++] = e;
    }
    if (op)
        n->attr.n = kept;
    mem_free(name);
}

void forward_drop_unknown(const struct pb_graph_def *def)
{
    if (!def)
        return;
    for (int64_t i = 0; i < def->node.n; i++)
        look_at(def->node.v[i]);
    for (int64_t f = 0; def->library && f < def->library->function.n; f++) {
        const struct pb_function_def *fn = def->library->function.v[f];
        for (int64_t i = 0; i < fn->node_def.n; i++)
            look_at(fn->node_def.v[i]);
    }
}
