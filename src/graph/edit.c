/* SPDX-License-Identifier: Apache-2.0 */
/* Changing nodes that are there: control edges, inputs, attrs, devices; and collections.
 *
 * A node that a session has planned does not change any more: it would keep running as it was. */
#include "graph/graph_impl.h"

static bool may_change(const struct node *n, const char *what, struct status *st)
{
    if (!n->ran)
        return true;
    return status_precondition(
        st, "Operation '%s' cannot be changed by %s after it was run by a session", n->name, what);
}

bool graph_add_control(struct graph *g, struct node *from, struct node *to, struct status *st)
{
    if (from->graph != g || to->graph != g)
        return status_invalid(st, "Control edge from '%s' to '%s': both must be in the graph",
                              from->name, to->name);
    lock_take(&g->lock);
    bool ok = may_change(to, "adding control dependency", st);
    if (ok) {
        node_link_control(from, to);
        g->version++;
    }
    lock_drop(&g->lock);
    return ok;
}

static void drop_control_output(struct node *from, const struct node *to)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < from->num_control_outputs; i++) {
        if (from->control_outputs[i] != to)
            from->control_outputs[kept++] = from->control_outputs[i];
    }
    from->num_control_outputs = kept;
}

bool graph_drop_controls(struct node *n, struct status *st)
{
    lock_take(&n->graph->lock);
    bool ok = may_change(n, "removing all control edges", st);
    if (ok) {
        for (int64_t i = 0; i < n->num_control_inputs; i++)
            drop_control_output(n->control_inputs[i], n);
        n->num_control_inputs = 0;
        n->graph->version++;
    }
    lock_drop(&n->graph->lock);
    return ok;
}

static void drop_consumer(struct node *src, struct node *n, int index)
{
    for (int64_t i = 0; i < src->num_consumers; i++) {
        if (src->consumers[i].node != n || src->consumers[i].index != index)
            continue;
        memmove(&src->consumers[i], &src->consumers[i + 1],
                (size_t)(src->num_consumers - i - 1) * sizeof *src->consumers);
        src->num_consumers--;
        return;
    }
}

static bool update_ok(const struct node *n, int index, struct output to, struct status *st)
{
    if (!to.node || to.node->graph != n->graph)
        return status_invalid(st, "Input %d of node '%s': the new source is not in the graph",
                              index, n->name);
    if (to.index < 0 || to.index >= to.node->num_outputs)
        return status_fail(st, STATUS_OUT_OF_RANGE,
                           "Node '%s' (type: '%s', num of outputs: %d) does not have output %d",
                           to.node->name, to.node->op->name, to.node->num_outputs, to.index);
    if (index < 0 || index >= n->num_inputs)
        return status_fail(st, STATUS_OUT_OF_RANGE,
                           "Node '%s' (type: '%s', num of inputs: %d) does not have input %d",
                           n->name, n->op->name, n->num_inputs, index);
    if (!input_type_fits(n->input_types[index], output_type(to)))
        return status_invalid(
            st, "Input %d of node %s was passed %s from %s:%d incompatible with expected %s.",
            index, n->name, dtype_name(output_type(to)), to.node->name, to.index,
            dtype_name(n->input_types[index]));
    return may_change(n, "updating input tensor", st);
}

bool graph_update_input(struct node *n, int index, struct output to, struct status *st)
{
    struct graph *g = n->graph;

    lock_take(&g->lock);
    bool ok = update_ok(n, index, to, st);
    if (ok) {
        if (n->inputs[index].node)
            drop_consumer(n->inputs[index].node, n, index);
        node_link_input(n, index, to);
        n->foldable = n->foldable && to.node->foldable;
        constants_forget(g);
        g->version++;
    }
    lock_drop(&g->lock);
    return ok;
}

/* Types must stay as they are: edges have been made by them. */
static bool attr_change_ok(const struct node *n, const struct attrs *changed, struct status *st)
{
    int *in = NULL, *out = NULL, num_in = 0, num_out = 0;
    bool ok = op_check_attrs(n->op, changed, n->name, st);

    for (int i = 0; ok && i < n->op->num_outputs; i++) {
        int64_t len;

        ok = op_arg_len(n->op, &n->op->outputs[i], changed, &len, st);
        if (ok && len > n->num_outputs)
            ok = status_invalid(st, "Node '%s': the attr would change its outputs", n->name);
    }
    for (int i = 0; ok && i < n->op->num_inputs; i++) {
        int64_t len;

        ok = op_arg_len(n->op, &n->op->inputs[i], changed, &len, st);
        if (ok && len > n->num_inputs)
            ok = status_invalid(st, "Node '%s': the attr would change its inputs", n->name);
    }
    ok = ok && op_input_types(n->op, changed, &in, &num_in, st) &&
         op_output_types(n->op, changed, &out, &num_out, st);
    if (ok && (num_in != n->num_inputs || num_out != n->num_outputs ||
               memcmp(in, n->input_types, (size_t)num_in * sizeof *in) != 0 ||
               memcmp(out, n->output_types, (size_t)num_out * sizeof *out) != 0))
        ok = status_invalid(st, "Node '%s': the attr would change the types of its edges", n->name);
    mem_free(in);
    mem_free(out);
    return ok;
}

bool graph_set_attr(struct node *n, const char *name, struct attr_value v, struct status *st)
{
    struct graph *g = n->graph;

    lock_take(&g->lock);
    bool ok = may_change(n, "setting attribute", st);
    if (!ok) {
        attr_value_clear(&v);
    } else if (name[0] == '_') {
        attrs_set(&n->attrs, name, v);
    } else {
        struct attrs changed = attrs_dup(&n->attrs);

        attrs_set(&changed, name, v);
        ok = attr_change_ok(n, &changed, st);
        if (ok) {
            struct attrs old = n->attrs;

            n->attrs = changed;
            changed = old;
        }
        attrs_clear(&changed);
    }
    if (ok) {
        constants_forget(g);
        g->version++;
    }
    lock_drop(&g->lock);
    return ok;
}

void graph_set_device(struct node *n, const char *device)
{
    char *copy = mem_strdup(device ? device : "");

    lock_take(&n->graph->lock);
    mem_free(n->device);
    n->device = copy;
    n->graph->version++;
    lock_drop(&n->graph->lock);
}

bool graph_collect_kind(struct graph *g, const char *collection, enum collection_kind kind,
                        const void *item, size_t n)
{
    lock_take(&g->lock);
    struct collection *c = strmap_find(&g->collections, collection);
    if (!c) {
        c = mem_new(struct collection);
        c->name = mem_strdup(collection);
        c->kind = kind;
        strmap_put(&g->collections, collection, c);
    }
    bool same = c->kind == kind;
    if (same) {
        c->items = vec_reserve(c->items, &c->cap, c->n + 1, sizeof *c->items);
        c->items[c->n] = (struct strbuf){0};
        strbuf_add(&c->items[c->n++], item, n);
    }
    lock_drop(&g->lock);
    return same;
}

void graph_collect(struct graph *g, const char *collection, const char *item, size_t n)
{
    (void)!graph_collect_kind(g, collection, COLLECTION_NAMES, item, n);
}

const struct collection *graph_collection(struct graph *g, const char *name)
{
    lock_take(&g->lock);
    const struct collection *c = strmap_find(&g->collections, name);
    lock_drop(&g->lock);
    return c;
}
