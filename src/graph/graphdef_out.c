/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as a GraphDef. Attrs include defaults, as TensorFlow's do; a graph's nodes have their
 * control inputs sorted by name, a single node has them in the order in which they were added. */
#include <stdlib.h>

#include "graph/function.h"
#include "graph/graph_impl.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

static struct str input_text(struct arena *a, struct output o)
{
    if (!o.node)
        return str_make("", 0);
    if (o.index == 0)
        return str_of(arena_strdup(a, o.node->name));
    return str_of(arena_printf(a, "%s:%d", o.node->name, o.index));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(struct node *const *)a)->name, (*(struct node *const *)b)->name);
}

static void add_inputs(struct arena *a, const struct node *n, bool sorted, struct pb_node_def *d)
{
    int64_t num = n->num_inputs + n->num_control_inputs;
    struct node **control = n->control_inputs;

    d->input.v = arena_array(a, struct str, num);
    for (int i = 0; i < n->num_inputs; i++)
        d->input.v[d->input.n++] = input_text(a, n->inputs[i]);
    if (sorted && n->num_control_inputs > 1) {
        size_t bytes = (size_t)n->num_control_inputs * sizeof *control;

        control = arena_memdup(a, control, bytes);
        qsort(control, (size_t)n->num_control_inputs, sizeof *control, compare_names);
    }
    for (int64_t i = 0; i < n->num_control_inputs; i++)
        d->input.v[d->input.n++] = str_of(arena_printf(a, "^%s", control[i]->name));
}

/* Texts of the node are copied: the message may outlive a change of the node. Tensor bytes are
 * borrowed; tensors of nodes never change. */
static void fill_node(struct arena *a, const struct node *n, bool sorted, struct pb_node_def *d)
{
    pb_set_str(a, &d->name, n->name);
    pb_set_str(a, &d->op, n->op->name);
    pb_set_str(a, &d->device, n->device);
    add_inputs(a, n, sorted, d);
    for (int64_t i = 0; i < n->attrs.n; i++) {
        struct pb_node_def_attr_entry *e = pb_node_def_attr_entry_add(a, &d->attr);

        pb_set_str(a, &e->key, n->attrs.items[i].name);
        e->value = attr_to_proto(a, &n->attrs.items[i].value);
    }
    if (n->extra) {
        struct status st = {0};

        if (!pb_merge_bytes(a, d, n->extra, n->extra_bytes, 0, &st))
            status_clear(&st); /* what we wrote ourselves; only memory can fail */
    }
}

struct pb_node_def *node_to_def(struct node *n, struct arena *a)
{
    struct pb_node_def *d = pb_node_def_new(a);

    lock_take(&n->graph->lock);
    fill_node(a, n, false, d);
    lock_drop(&n->graph->lock);
    return d;
}

static void fill_library(struct arena *a, struct function_library *l, struct pb_graph_def *d)
{
    const char *key;
    void *value;

    d->library = pb_function_def_library_new(a);
    lock_take(&l->lock);
    d->library->function.v = arena_array(a, struct pb_function_def *, l->functions.num_live);
    for (int64_t i = 0; strmap_next(&l->functions, &i, &key, &value);) {
        struct function *f = value;

        d->library->function.v[d->library->function.n++] = f->def;
        if (!f->grad_name)
            continue;
        struct pb_gradient_def *grad = pb_gradient_def_add(a, &d->library->gradient);

        pb_set_str(a, &grad->function_name, f->name);
        pb_set_str(a, &grad->gradient_func, f->grad_name);
    }
    lock_drop(&l->lock);
}

static struct pb_graph_def *to_def(struct graph *g, int64_t from, bool runs, struct arena *a,
                                   int64_t *to)
{
    struct pb_graph_def *d = pb_graph_def_new(a);

    lock_take(&g->lock);
    *to = g->num_nodes;
    d->node.v = arena_array(a, struct pb_node_def *, g->num_nodes - from);
    for (int64_t i = from; i < g->num_nodes; i++) {
        g->nodes[i]->ran |= runs;
        struct pb_node_def *n = pb_node_def_new(a);

        fill_node(a, g->nodes[i], true, n);
        d->node.v[d->node.n++] = n;
    }
    d->versions = pb_version_def_new(a);
    d->versions->producer = g->producer;
    d->versions->min_consumer = g->min_consumer;
    for (int i = 0; i < g->num_bad_consumers; i++)
        pb_add_i32(a, &d->versions->bad_consumers, g->bad_consumers[i]);
    fill_library(a, g->library, d);
    lock_drop(&g->lock);
    return d;
}

struct pb_graph_def *graph_to_def(struct graph *g, struct arena *a)
{
    int64_t to;
    return to_def(g, 0, false, a, &to);
}

struct pb_graph_def *graph_to_def_from(struct graph *g, int64_t from, struct arena *a, int64_t *to)
{
    return to_def(g, from, true, a, to);
}

bool graph_export(struct graph *g, struct strbuf *out, struct status *st)
{
    struct arena a = {0};
    bool ok = pb_encode(graph_to_def(g, &a), out, st);

    arena_release(&a);
    return ok;
}
