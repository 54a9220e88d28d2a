/* SPDX-License-Identifier: Apache-2.0 */
/* Extending a graph by a GraphDef whose nodes may read nodes that are in the graph, by name: how
 * clients that know no graph of ours let theirs grow. */
#include <string.h>

#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct extension { /* inputs of the new nodes that are in the graph already */
    struct strmap own;
    struct import_map *maps;
    int64_t num, cap;
    char **texts; /* of maps, one each */
    int64_t cap_texts;
};

static bool add_input(struct extension *e, struct graph *g, struct str text, struct status *st)
{
    const bool control = text.n > 0 && text.p[0] == '^';
    char *name = mem_strndup(control ? text.p + 1 : text.p, text.n - (size_t)control);
    char *colon = control ? NULL : strrchr(name, ':');
    int64_t index = control ? -1 : 0;
    if (colon && str_to_i64(str_of(colon + 1), &index) && index >= 0 && index <= INT32_MAX)
        *colon = 0;
    struct node *n = strmap_find(&e->own, name) ? NULL : graph_find(g, name);
    if (!n) {
        mem_free(name);
        return true; /* the new graph's own, or the import says what is wrong */
    }
    e->maps = vec_reserve(e->maps, &e->cap, e->num + 1, sizeof *e->maps);
    e->texts = vec_reserve(e->texts, &e->cap_texts, e->num + 1, sizeof *e->texts);
    e->texts[e->num] = name;
    e->maps[e->num++] =
        (struct import_map){.src = name, .index = (int)index, .dst = {n, (int)index}};
    return index < n->num_outputs ||
           status_fail(st, STATUS_OUT_OF_RANGE,
                       "Node '%s' (type: '%s', num of outputs: %d) does not have output %d",
                       n->name, n->op->name, n->num_outputs, (int)index);
}

static bool find_older(struct extension *e, struct graph *g, const struct pb_graph_def *def,
                       struct status *st)
{
    for (int64_t i = 0; i < def->node.n; i++) {
        char *name = mem_strndup(def->node.v[i]->name.p ? def->node.v[i]->name.p : "",
                                 def->node.v[i]->name.n);
        bool taken = graph_find(g, name) != NULL;
        strmap_put(&e->own, name, e);
        if (taken)
            status_invalid(st,
                           "GraphDef argument to Extend includes node '%s', which was created by a "
                           "previous call to Create or Extend in this session.",
                           name);
        mem_free(name);
        if (taken)
            return false;
    }
    for (int64_t i = 0; i < def->node.n; i++) {
        for (int64_t k = 0; k < def->node.v[i]->input.n; k++) {
            if (!add_input(e, g, def->node.v[i]->input.v[k], st))
                return false;
        }
    }
    return true;
}

bool graph_extend(struct graph *g, const struct pb_graph_def *def, struct status *st)
{
    struct extension e = {0};
    bool ok = find_older(&e, g, def, st);
    if (ok) {
        struct import_options o = {.maps = e.maps, .num_maps = e.num};
        ok = graph_import_def(g, def, &o, NULL, st);
    }
    for (int64_t i = 0; i < e.num; i++)
        mem_free(e.texts[i]);
    mem_free(e.texts);
    mem_free(e.maps);
    strmap_release(&e.own);
    return ok;
}
