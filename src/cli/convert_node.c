/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of GraphDefs looked up by name, and changed. */
#include "base/map.h"
#include "cli/convert.h"

void convert_index(struct strmap *nodes, const struct pb_graph_def *g)
{
    *nodes = (struct strmap){0};
    for (int64_t i = 0; i < g->node.n; i++) {
        struct str name = g->node.v[i]->name;
        strmap_put_n(nodes, name.p ? name.p : "", name.n, g->node.v[i]);
    }
}

struct str convert_node_of(struct str input, int64_t *k)
{
    if (input.n > 0 && input.p[0] == '^') {
        *k = -1;
        return str_make(input.p + 1, input.n - 1);
    }
    const char *colon = input.n > 0 ? memrchr(input.p, ':', input.n) : NULL;
    *k = 0;
    if (!colon || !str_to_i64(str_make(colon + 1, (size_t)(input.p + input.n - colon - 1)), k))
        return input;
    return str_make(input.p, (size_t)(colon - input.p));
}

struct pb_node_def *convert_find(const struct strmap *nodes, struct str tensor)
{
    int64_t k;
    struct str name = convert_node_of(tensor, &k);
    return strmap_find_n(nodes, name.p ? name.p : "", name.n);
}

struct pb_attr_value *convert_set_attr(struct arena *a, struct pb_node_def *n, const char *name,
                                       int kind)
{
    struct pb_node_def_attr_entry *e =
        pb_map_put(a, &n->attr, &pb_node_def_attr_entry_desc, str_of(name));
    *e->value = (struct pb_attr_value){.base = e->value->base, .which_value = kind};
    return e->value;
}

void convert_set_type(struct arena *a, struct pb_node_def *n, const char *name, int32_t type)
{
    convert_set_attr(a, n, name, ATTR_TYPE)->type = type;
}

void convert_make_node(struct pb_node_def *n, const char *op)
{
    n->op = str_of(op);
    n->input = (struct pb_strs){0};
    n->attr = (struct pb_node_def_attr_entry_vec){0};
}
