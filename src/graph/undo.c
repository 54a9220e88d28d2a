/* SPDX-License-Identifier: Apache-2.0 */
/* Taking back additions: the counts and names of before are kept, what is beyond them goes. */
#include "graph/undo.h"

#include "base/mem.h"
#include "graph/function.h"
#include "graph/graph_impl.h"

static int64_t function_list(struct graph *g, struct function ***out)
{
    int64_t n = graph_functions(g, NULL, 0);
    *out = mem_new_array(struct function *, n + 1);
    return min_i64(graph_functions(g, *out, n), n);
}

void graph_undo_begin(struct graph *g, struct graph_undo *u)
{
    struct function **list;
    const char *key;
    void *value;
    *u = (struct graph_undo){0};
    int64_t n = function_list(g, &list);
    for (int64_t i = 0; i < n; i++)
        strmap_put(&u->functions, list[i]->op->name, u);
    mem_free(list);
    lock_take(&g->lock);
    u->num_nodes = g->num_nodes;
    u->producer = g->producer;
    u->min_consumer = g->min_consumer;
    u->num_bad_consumers = g->num_bad_consumers;
    u->bad_consumers = mem_new_array(int, g->num_bad_consumers);
    for (int i = 0; i < g->num_bad_consumers; i++)
        u->bad_consumers[i] = g->bad_consumers[i];
    for (int64_t i = 0; strmap_next(&g->collections, &i, &key, &value);)
        strmap_put(&u->collections, key, (void *)(intptr_t)(((struct collection *)value)->n + 1));
    lock_drop(&g->lock);
}

static void drop_functions(struct graph *g, const struct graph_undo *u)
{
    struct function **list;
    int64_t n = function_list(g, &list);
    for (int64_t i = 0; i < n; i++) {
        if (!strmap_has(&u->functions, list[i]->op->name)) {
            char *name = mem_strdup(list[i]->op->name); /* it goes with the function */
            library_remove(g->library, name);
            mem_free(name);
        }
    }
    mem_free(list);
}

static void drop_items(struct graph *g, const struct graph_undo *u)
{
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&g->collections, &i, &key, &value);) {
        struct collection *c = value;
        intptr_t had = (intptr_t)strmap_find(&u->collections, key);
        while (c->n > (had ? had - 1 : 0))
            strbuf_release(&c->items[--c->n]);
        if (had)
            continue;
        strmap_remove(&g->collections, c->name);
        mem_free(c->items);
        mem_free(c->name);
        mem_free(c);
    }
}

void graph_undo(struct graph *g, const struct graph_undo *u)
{
    lock_take(&g->lock);
    graph_truncate(g, u->num_nodes);
    drop_items(g, u);
    g->producer = u->producer;
    g->min_consumer = u->min_consumer;
    g->num_bad_consumers = u->num_bad_consumers; /* it only grew */
    for (int i = 0; i < u->num_bad_consumers; i++)
        g->bad_consumers[i] = u->bad_consumers[i];
    lock_drop(&g->lock);
    drop_functions(g, u); /* after the nodes that call them */
}

void graph_undo_release(struct graph_undo *u)
{
    strmap_release(&u->functions);
    strmap_release(&u->collections);
    mem_free(u->bad_consumers);
    *u = (struct graph_undo){0};
}
