/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a graph and of its nodes' memory, and finding nodes by name.
 *
 * A node's own memory goes with the graph; nodes are removed only by graph_truncate, which undoes
 * an import or an addition that failed. */
#include "graph/graph.h"

#include <limits.h>

#include "graph/function.h"
#include "graph/graph_impl.h"

struct graph *graph_new(void)
{
    struct graph *g = mem_new(struct graph);

    g->refs = 1;
    lock_init(&g->lock, "graph", LOCK_RANK_GRAPH);
    g->library = library_new();
    g->producer = GRAPH_PRODUCER;
    g->min_consumer = GRAPH_MIN_CONSUMER;
    return g;
}

struct graph *graph_ref(struct graph *g)
{
    __atomic_fetch_add(&g->refs, 1, __ATOMIC_RELAXED);
    return g;
}

static void node_free(struct node *n)
{
    mem_free(n->name);
    mem_free(n->device);
    mem_free(n->made_at);
    attrs_clear(&n->attrs);
    mem_free(n->inputs);
    mem_free(n->control_inputs);
    mem_free(n->input_types);
    mem_free(n->output_types);
    for (int i = 0; n->shapes && i < n->num_outputs; i++)
        shape_clear(&n->shapes[i]);
    mem_free(n->shapes);
    infer_handles_free(n->handles, n->num_outputs, n->handle_arena);
    mem_free(n->consumers);
    mem_free(n->control_outputs);
    mem_free(n->extra);
    mem_free(n);
}

static void collections_release(struct graph *g)
{
    const char *key;
    void *value;

    for (int64_t i = 0; strmap_next(&g->collections, &i, &key, &value);) {
        struct collection *c = value;

        for (int64_t k = 0; k < c->n; k++)
            strbuf_release(&c->items[k]);
        mem_free(c->items);
        mem_free(c->name);
        mem_free(c);
    }
    strmap_release(&g->collections);
}

void graph_unref(struct graph *g)
{
    if (!g || __atomic_sub_fetch(&g->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (g->builder_free)
        g->builder_free(g->builder);
    constants_forget(g);
    for (int64_t i = 0; i < g->num_nodes; i++)
        node_free(g->nodes[i]);
    mem_free(g->nodes);
    strmap_release(&g->by_name);
    strmap_release(&g->name_uses);
    strmap_release(&g->while_frames);
    u64map_release(&g->scopes);
    collections_release(g);
    library_unref(g->library);
    mem_free(g->bad_consumers);
    lock_release_memory(&g->lock);
    mem_free(g);
}

/* The edges from older nodes to n are the last of theirs, because n is the last node. */
static void unlink_last(struct node *n)
{
    for (int i = n->num_inputs; i-- > 0;) {
        struct node *src = n->inputs[i].node;

        while (src && src->num_consumers && src->consumers[src->num_consumers - 1].node == n)
            src->num_consumers--;
    }
    for (int64_t i = n->num_control_inputs; i-- > 0;) {
        struct node *src = n->control_inputs[i];

        while (src->num_control_outputs && src->control_outputs[src->num_control_outputs - 1] == n)
            src->num_control_outputs--;
    }
}

/* Loops' back edges come from younger nodes: they go first, while the last edge rule still holds
 * for none of theirs. */
static void drop_edges_from(struct graph *g, int64_t from)
{
    for (int64_t i = from; i < g->num_nodes; i++) {
        struct node *n = g->nodes[i];

        for (int k = 0; k < n->num_inputs; k++)
            if (n->inputs[k].node && n->inputs[k].node->id >= from)
                n->inputs[k].node = NULL;
        int64_t kept = 0;
        for (int64_t k = 0; k < n->num_control_inputs; k++)
            if (n->control_inputs[k]->id < from)
                n->control_inputs[kept++] = n->control_inputs[k];
        n->num_control_inputs = kept;
    }
}

void graph_truncate(struct graph *g, int64_t from)
{
    if (from >= g->num_nodes)
        return;
    drop_edges_from(g, from);
    while (g->num_nodes > from) {
        struct node *n = g->nodes[--g->num_nodes];

        unlink_last(n);
        strmap_remove(&g->by_name, n->name);
        if (n->name_marked) {
            char *lower = name_lower(n->name);

            strmap_remove(&g->name_uses, lower);
            mem_free(lower);
        }
        node_free(n);
    }
    if (g->num_scoped > from) { /* made again when next needed */
        u64map_release(&g->scopes);
        g->scopes = (struct u64map){0};
        g->num_scoped = 0;
    }
    constants_forget(g);
    g->version++;
}

struct node *graph_find_locked(struct graph *g, const char *name)
{
    return strmap_find(&g->by_name, name);
}

struct node *graph_find(struct graph *g, const char *name)
{
    lock_take(&g->lock);
    struct node *n = graph_find_locked(g, name);
    lock_drop(&g->lock);
    return n;
}

enum { NEAREST_TRIES = 20000 };

/* The name of a node that may have been meant, among the first ones; else NULL. */
static const char *nearest_name(struct graph *g, const char *name)
{
    int best = INT_MAX;
    const char *found = NULL;

    for (int64_t i = 0; i < g->num_nodes && i < NEAREST_TRIES; i++) {
        if (str_nearer(name, g->nodes[i]->name, &best))
            found = g->nodes[i]->name;
    }
    return found;
}

struct node *graph_get(struct graph *g, const char *name, struct status *st)
{
    lock_take(&g->lock);
    struct node *n = graph_find_locked(g, name);
    if (!n) {
        const char *near = nearest_name(g, name);

        status_not_found(st, "Operation '%s' not found in graph%s%s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    lock_drop(&g->lock);
    return n;
}

bool graph_get_output(struct graph *g, const char *name, struct output *out, struct status *st)
{
    const char *colon = strrchr(name, ':');
    int64_t index = 0;
    size_t len = strlen(name);

    if (colon) {
        len = (size_t)(colon - name);
        if (colon[1] < '0' || colon[1] > '9' || !str_to_i64(str_of(colon + 1), &index) ||
            index > INT32_MAX)
            return status_invalid(st, "'%s' is not the name of an output (NAME or NAME:INDEX)",
                                  name);
    }
    char *node_name = mem_strndup(name, len);
    struct node *n = graph_get(g, node_name, st);

    mem_free(node_name);
    if (!n)
        return false;
    if (index >= n->num_outputs)
        return status_invalid(st, "Operation '%s' has %d outputs, '%s' asks for number %d", n->name,
                              n->num_outputs, name, (int)index);
    *out = (struct output){n, (int)index};
    return true;
}

int output_type(struct output o)
{
    return o.node->output_types[o.index];
}

void graph_mark_ran(struct node *n)
{
    lock_take(&n->graph->lock);
    n->ran = true;
    lock_drop(&n->graph->lock);
}
