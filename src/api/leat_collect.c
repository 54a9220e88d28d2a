/* SPDX-License-Identifier: Apache-2.0 */
/* Collections of outputs, and seeds. An item is kept as the output's name, "w:0", as in a
 * MetaGraphDef's node lists. */
#include <string.h>

#include "api/leat_builder.h"

void leat_add_to_collection(TF_Graph *g, const char *collection, TF_Output item)
{
    if (!g || !collection || !item.oper || api_node(item.oper)->graph != api_graph(g))
        return;
    const struct node *n = api_node(item.oper);
    char *name =
        n->num_outputs == 0 ? mem_strdup(n->name) : mem_printf("%s:%d", n->name, item.index);
    graph_collect(api_graph(g), collection, name, strlen(name));
    mem_free(name);
}

/* The output that an item names: "w:0" or "w"; false when there is none such. */
static bool item_output(struct graph *g, const char *name, struct output *out)
{
    struct status st = {0};
    bool ok = graph_get_output(g, name, out, &st);
    if (!ok) { /* an operation without outputs */
        out->node = graph_find(g, name);
        out->index = 0;
        ok = out->node != NULL;
    }
    status_clear(&st);
    return ok;
}

/* Copies of the items that are names beginning with scope. Others add meanwhile: under the lock. */
static char **item_names(struct graph *g, const char *collection, const char *scope, int64_t *n)
{
    char **names = NULL;
    int64_t cap = 0;
    *n = 0;
    lock_take(&g->lock);
    const struct collection *c = strmap_find(&g->collections, collection);
    for (int64_t i = 0; c && c->kind == COLLECTION_NAMES && i < c->n; i++) {
        struct str item = str_make(c->items[i].p, c->items[i].n);
        if (!item.p || memchr(item.p, 0, item.n) || (scope && !str_starts(item, scope)))
            continue;
        names = vec_reserve(names, &cap, *n + 1, sizeof *names);
        names[(*n)++] = mem_strndup(item.p, item.n);
    }
    lock_drop(&g->lock);
    return names;
}

int leat_get_collection(TF_Graph *g, const char *collection, const char *scope, TF_Output *items,
                        int max)
{
    int64_t num_names = 0;
    int n = 0;
    if (!g || !collection)
        return 0;
    char **names = item_names(api_graph(g), collection, scope, &num_names);
    for (int64_t i = 0; i < num_names; i++) {
        struct output o;
        if (item_output(api_graph(g), names[i], &o)) {
            if (items && n < max)
                items[n] = (TF_Output){api_oper(o.node), o.index};
            n++;
        }
        mem_free(names[i]);
    }
    mem_free(names);
    return n;
}

/* --- seeds: tf.set_random_seed's rules --- */

enum { DEFAULT_GRAPH_SEED = 87654321, SEED_MODULUS = 2147483647 };

static int64_t cut_seed(int64_t seed)
{
    int64_t r = seed % SEED_MODULUS; /* as Python's %: never negative */
    return r < 0 ? r + SEED_MODULUS : r;
}

void leat_set_random_seed(TF_Graph *graph, int64_t seed)
{
    struct graph *g = api_graph(graph);
    if (!g)
        return;
    lock_take(&g->lock);
    g->seed = (uint64_t)seed;
    g->has_seed = true;
    lock_drop(&g->lock);
}

void leat_get_seed(TF_Graph *graph, int64_t op_seed, int64_t *seed, int64_t *seed2)
{
    struct graph *g = api_graph(graph);
    int64_t unused[2];
    seed = seed ? seed : &unused[0];
    seed2 = seed2 ? seed2 : &unused[1];
    *seed = *seed2 = 0;
    if (!g)
        return;
    lock_take(&g->lock);
    bool has = g->has_seed;
    int64_t graph_seed = has ? (int64_t)g->seed : DEFAULT_GRAPH_SEED, num_nodes = g->num_nodes;
    lock_drop(&g->lock);
    if (!has && op_seed == LEAT_INT_NOT_GIVEN)
        return;
    *seed = cut_seed(graph_seed);
    *seed2 = cut_seed(op_seed == LEAT_INT_NOT_GIVEN ? num_nodes : op_seed);
    if (*seed == 0 && *seed2 == 0)
        *seed2 = SEED_MODULUS;
}
