/* SPDX-License-Identifier: Apache-2.0 */
/* Making nodes that stand for several. Linear in the parts and their attrs. */
#include "graph/fused_node.h"

#include <string.h>

#include "base/mem.h"

static bool is_told(const struct attr *a)
{
    return a->name[0] != '_' || strcmp(a->name, "_kernel") == 0;
}

/* Sets are filled with borrowed values: attr_list copies them once. */
void fused_node_set_parts(struct attrs *attrs, struct rnode *const *parts, int n)
{
    int64_t total = 0, at = 0;
    for (int i = 0; i < n; i++)
        total += parts[i]->attrs->n;
    struct attr *items = mem_new_array(struct attr, total + 1);
    struct attr_func *told = mem_new_array(struct attr_func, n);
    struct attr_func **funcs = mem_new_array(struct attr_func *, n);
    struct str *names = mem_new_array(struct str, n), *made = mem_new_array(struct str, n);
    for (int i = 0; i < n; i++) {
        const struct rnode *p = parts[i];
        told[i] = (struct attr_func){.name = (char *)(uintptr_t)p->op->name};
        told[i].attrs.items = items + at;
        for (int64_t k = 0; k < p->attrs->n; k++) {
            if (is_told(&p->attrs->items[k]))
                items[at++] = p->attrs->items[k];
        }
        told[i].attrs.n = items + at - told[i].attrs.items;
        funcs[i] = &told[i];
        names[i] = str_of(p->name);
        made[i] = str_of(p->origin ? p->origin->made_at : NULL);
    }
    attrs_set(attrs, "nodes", attr_list(ATTR_FUNC, funcs, n));
    attrs_set(attrs, "names", attr_list(ATTR_STRING, names, n));
    attrs_set(attrs, "made", attr_list(ATTR_STRING, made, n));
    mem_free(items);
    mem_free(told);
    mem_free(funcs);
    mem_free(names);
    mem_free(made);
}

struct rnode *fused_node_add(struct rgraph *g, struct rnode *last, const char *name,
                             struct attrs *attrs, const struct redge *inputs, int num_inputs,
                             struct status *st)
{
    const struct op *op = op_get(name, st);
    if (!op)
        return NULL;
    rgraph_drop(g, last); /* its name is the new node's */
    struct rnode *fused = rgraph_add_taking(g, last->name, op, attrs, inputs, num_inputs, st);
    if (!fused)
        return NULL;
    fused->device = last->device;
    fused->origin = last->origin;
    fused->frame = last->frame;
    fused->keep = last->keep;
    last->keep = false;
    last->name = arena_printf(&g->arena, "%s/unfused", last->name);
    return fused;
}

bool fused_node_on_cpu(const struct rnode *n)
{
    const char *at = strstr(n->device, "/device:");
    return n->device[0] == '\0' || (at && strncmp(at + 8, "CPU:", 4) == 0);
}

void fused_node_reconnect(struct rgraph *g, const struct fused_nodes *f)
{
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *r = g->nodes[i];
        for (int k = 0; k < r->num_inputs; k++) {
            int id = r->inputs[k].node->id;
            if (id < f->n && f->with[id])
                r->inputs[k] = (struct redge){f->with[id], f->index ? f->index[id] : 0};
        }
        for (int64_t k = 0; k < r->num_control; k++) {
            int id = r->control[k]->id;
            if (id < f->n && f->with[id])
                r->control[k] = f->with[id];
        }
    }
}
