/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrite graphs: the single-threaded copy of a signature's nodes that passes work on.
 *
 * Nodes and edges live in the rgraph's arena; only attrs of nodes made here own heap memory and
 * are listed for the end. Walks are iterative; every helper is linear in the graph. */
#include "graph/pass.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"

struct rgraph *rgraph_new(struct graph *library)
{
    struct rgraph *g = mem_new(struct rgraph);
    g->library = library ? graph_ref(library) : NULL;
    return g;
}

void rgraph_free(struct rgraph *g)
{
    if (!g)
        return;
    for (int64_t i = 0; i < g->num_made; i++) {
        attrs_clear(g->made_attrs[i]);
        mem_free(g->made_attrs[i]);
    }
    mem_free(g->made_attrs);
    mem_free(g->nodes);
    strmap_release(&g->names);
    arena_release(&g->arena);
    graph_unref(g->library);
    mem_free(g);
}

static const char *fresh_name(struct rgraph *g, const char *name)
{
    const char *n = name;
    for (int i = 1; strmap_has(&g->names, n); i++)
        n = arena_printf(&g->arena, "%s__%d", name, i);
    return n == name ? arena_strdup(&g->arena, name) : n;
}

static const struct attrs *take_attrs(struct rgraph *g, struct attrs attrs)
{
    struct attrs *own = mem_new(struct attrs);
    *own = attrs;
    g->made_attrs =
        vec_reserve(g->made_attrs, &g->cap_made, g->num_made + 1, sizeof *g->made_attrs);
    g->made_attrs[g->num_made++] = own;
    return own;
}

static const struct attrs *own_attrs(struct rgraph *g, const struct attrs *attrs)
{
    return take_attrs(g, attrs ? attrs_dup(attrs) : (struct attrs){0});
}

void rgraph_set_attrs(struct rgraph *g, struct rnode *n, const struct attrs *attrs)
{
    n->attrs = own_attrs(g, attrs);
    n->made = true;
}

static bool set_types(struct rgraph *g, struct rnode *n, struct status *st)
{
    int *types = NULL, count = 0;
    if (!op_input_types(n->op, n->attrs, &types, &count, st))
        return false;
    n->input_types = arena_memdup(&g->arena, types, sizeof(int) * (size_t)(count ? count : 1));
    mem_free(types);
    types = NULL;
    if (count != n->num_inputs)
        return status_internal(st, "%s: a pass made node '%s' with %d inputs, its op wants %d",
                               n->op->name, n->name, n->num_inputs, count);
    if (!op_output_types(n->op, n->attrs, &types, &count, st))
        return false;
    n->output_types = arena_memdup(&g->arena, types, sizeof(int) * (size_t)(count ? count : 1));
    n->num_outputs = count;
    mem_free(types);
    return true;
}

struct rnode *rgraph_push(struct rgraph *g, const char *name)
{
    struct rnode *n = arena_new(&g->arena, struct rnode);
    n->name = fresh_name(g, name);
    n->device = "";
    n->id = (int)g->num_nodes;
    g->nodes = vec_reserve(g->nodes, &g->cap_nodes, g->num_nodes + 1, sizeof *g->nodes);
    g->nodes[g->num_nodes++] = n;
    strmap_put(&g->names, n->name, n);
    return n;
}

struct rnode *rgraph_add(struct rgraph *g, const char *name, const struct op *op,
                         const struct attrs *attrs, const struct redge *inputs, int num_inputs,
                         struct status *st)
{
    struct attrs copy = attrs ? attrs_dup(attrs) : (struct attrs){0};
    return rgraph_add_taking(g, name, op, &copy, inputs, num_inputs, st);
}

struct rnode *rgraph_add_taking(struct rgraph *g, const char *name, const struct op *op,
                                struct attrs *attrs, const struct redge *inputs, int num_inputs,
                                struct status *st)
{
    struct rnode *n = rgraph_push(g, name);
    n->op = op;
    n->made = true;
    n->attrs = take_attrs(g, *attrs);
    *attrs = (struct attrs){0};
    n->num_inputs = num_inputs;
    n->inputs = arena_array(&g->arena, struct redge, num_inputs ? num_inputs : 1);
    if (num_inputs)
        memcpy(n->inputs, inputs, sizeof *inputs * (size_t)num_inputs);
    if (!set_types(g, n, st)) {
        n->dropped = true;
        return NULL;
    }
    struct shape *shapes =
        arena_array(&g->arena, struct shape, n->num_outputs ? n->num_outputs : 1);
    for (int i = 0; i < n->num_outputs; i++)
        shapes[i] = shape_unknown();
    n->shapes = shapes;
    return n;
}

struct rnode *rgraph_add_const(struct rgraph *g, const char *name, const struct tensor *value,
                               const char *device, struct status *st)
{
    const struct op *op = op_get("Const", st);
    if (!op)
        return NULL;
    struct attrs attrs = {0};
    attrs_set(&attrs, "value", attr_tensor(value));
    attrs_set(&attrs, "dtype", attr_type(value->dtype));
    struct rnode *n = rgraph_add(g, name, op, &attrs, NULL, 0, st);
    attrs_clear(&attrs);
    if (n) {
        n->device = device;
        struct attr_value *v = (struct attr_value *)attrs_find(n->attrs, "value");
        n->shapes = &v->tensor.shape;
    }
    return n;
}

/* Dims past the inline ones go to the arena, in a block whose count never reaches zero. */
struct shape rgraph_keep_shape(struct rgraph *g, const struct shape *s)
{
    if (s->rank <= SHAPE_INLINE_DIMS)
        return *s;
    size_t bytes = sizeof(struct dims_block) + sizeof(int64_t) * (size_t)s->rank;
    struct shape kept = {.rank = s->rank, .out = arena_memdup(&g->arena, s->out, bytes)};
    kept.out->refs = 1 << 30;
    return kept;
}

void rgraph_replace(struct rgraph *g, struct redge old, struct redge with)
{
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *n = g->nodes[i];
        for (int k = 0; k < n->num_inputs && !n->dropped; k++) {
            if (n->inputs[k].node == old.node && n->inputs[k].index == old.index)
                n->inputs[k] = with;
        }
    }
}

void rgraph_drop(struct rgraph *g, struct rnode *n)
{
    strmap_remove(&g->names, n->name);
    n->dropped = true;
}

void rnode_add_control(struct rgraph *g, struct rnode *n, struct rnode *before)
{
    for (int64_t i = 0; i < n->num_control; i++) {
        if (n->control[i] == before)
            return;
    }
    if (n->num_control == n->cap_control) {
        int64_t cap = n->cap_control ? n->cap_control * 2 : 4;
        struct rnode **grown = arena_array(&g->arena, struct rnode *, cap);
        if (n->num_control)
            memcpy(grown, n->control, sizeof *grown * (size_t)n->num_control);
        n->control = grown;
        n->cap_control = cap;
    }
    n->control[n->num_control++] = before;
}

struct rconsumers rgraph_consumers(struct rgraph *g)
{
    struct rconsumers c = {.begin = arena_array(&g->arena, int64_t, g->num_nodes + 1)};
    for (int64_t i = 0; i < g->num_nodes; i++)
        g->nodes[i]->id = (int)i;
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *n = g->nodes[i];
        for (int k = 0; k < n->num_inputs && !n->dropped; k++)
            c.begin[n->inputs[k].node->id + 1]++;
        for (int64_t k = 0; k < n->num_control && !n->dropped; k++)
            c.begin[n->control[k]->id + 1]++;
    }
    for (int64_t i = 0; i < g->num_nodes; i++)
        c.begin[i + 1] += c.begin[i];
    int64_t total = c.begin[g->num_nodes];
    c.node = arena_array(&g->arena, struct rnode *, total + 1);
    c.input = arena_array(&g->arena, int, total + 1);
    int64_t *at = mem_new_array(int64_t, g->num_nodes + 1);
    memcpy(at, c.begin, sizeof *at * (size_t)(g->num_nodes + 1));
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *n = g->nodes[i];
        for (int64_t k = 0; k < n->num_inputs + n->num_control && !n->dropped; k++) {
            bool data = k < n->num_inputs;
            struct rnode *from = data ? n->inputs[k].node : n->control[k - n->num_inputs];
            int64_t slot = at[from->id]++;
            c.node[slot] = n;
            c.input[slot] = data ? (int)k : -1;
        }
    }
    mem_free(at);
    return c;
}

static bool starts_iteration(const struct rnode *n)
{
    const char *op = n->op->name;
    return (op[0] == 'N' || op[0] == 'R') &&
           (strcmp(op, "NextIteration") == 0 || strcmp(op, "RefNextIteration") == 0);
}

/* The edge that makes a loop of its nodes; whatever else reads a NextIteration comes after it. */
static bool closes_loop(const struct rnode *from, const struct rnode *to)
{
    return starts_iteration(from) &&
           (strcmp(to->op->name, "Merge") == 0 || strcmp(to->op->name, "RefMerge") == 0);
}

/* Kahn's algorithm over edges other than those that close loops; ready nodes leave in the
 * order of their ids, last made first out, which keeps producers close to consumers. */
bool rgraph_sort(struct rgraph *g, struct rnode ***order, struct status *st)
{
    struct rconsumers c = rgraph_consumers(g);
    int64_t n = g->num_nodes, num_ready = 0, num_out = 0, live = 0;
    int *pending = mem_new_array(int, n + 1);
    struct rnode **ready = mem_new_array(struct rnode *, n + 1);
    struct rnode **out = arena_array(&g->arena, struct rnode *, n + 1);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = c.begin[i]; k < c.begin[i + 1]; k++)
            pending[c.node[k]->id] += !closes_loop(g->nodes[i], c.node[k]);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        live += !g->nodes[i]->dropped;
        if (pending[i] == 0 && !g->nodes[i]->dropped)
            ready[num_ready++] = g->nodes[i];
    }
    while (num_ready > 0) {
        struct rnode *r = ready[--num_ready];
        out[num_out++] = r;
        for (int64_t k = c.begin[r->id + 1] - 1; k >= c.begin[r->id]; k--) {
            if (!closes_loop(r, c.node[k]) && --pending[c.node[k]->id] == 0)
                ready[num_ready++] = c.node[k];
        }
    }
    mem_free(pending);
    mem_free(ready);
    *order = out;
    if (num_out != live)
        return status_invalid(
            st,
            "Graph had at least one cycle with node: one of %lld nodes that wait for each other",
            (long long)(live - num_out));
    return true;
}

void rgraph_compact(struct rgraph *g)
{
    int64_t n = g->num_nodes, depth = 0;
    for (int64_t i = 0; i < n; i++)
        g->nodes[i]->id = (int)i;
    bool *needed = mem_new_array(bool, n + 1);
    struct rnode **stack = mem_new_array(struct rnode *, n + 1);
    for (int64_t i = 0; i < n; i++) {
        if ((g->nodes[i]->keep || g->nodes[i]->pinned) && !g->nodes[i]->dropped) {
            needed[i] = true;
            stack[depth++] = g->nodes[i];
        }
    }
    while (depth > 0) {
        struct rnode *r = stack[--depth];
        for (int64_t k = 0; k < r->num_inputs + r->num_control; k++) {
            struct rnode *in =
                k < r->num_inputs ? r->inputs[k].node : r->control[k - r->num_inputs];
            if (!needed[in->id]) {
                needed[in->id] = true;
                stack[depth++] = in;
            }
        }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (needed[i])
            g->nodes[kept++] = g->nodes[i];
        else if (!g->nodes[i]->dropped)
            rgraph_drop(g, g->nodes[i]);
    }
    g->num_nodes = kept;
    for (int64_t i = 0; i < kept; i++)
        g->nodes[i]->id = (int)i;
    mem_free(needed);
    mem_free(stack);
}

bool rgraph_verify(struct rgraph *g, struct status *st)
{
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *n = g->nodes[i];
        for (int k = 0; k < n->num_inputs && !n->dropped; k++) {
            struct redge e = n->inputs[k];
            if (!e.node || e.node->dropped || e.index < 0 || e.index >= e.node->num_outputs)
                return status_internal(st, "pass: input %d of '%s' is broken", k, n->name);
            int want = n->input_types[k], have = e.node->output_types[e.index];
            if (have != want && dtype_base(have) != want)
                return status_internal(st, "pass: input %d of '%s' is %s, wants %s", k, n->name,
                                       dtype_name(have), dtype_name(want));
        }
        for (int64_t k = 0; k < n->num_control && !n->dropped; k++) {
            if (n->control[k]->dropped)
                return status_internal(st, "pass: '%s' waits for the dropped '%s'", n->name,
                                       n->control[k]->name);
        }
    }
    struct rnode **order;
    return rgraph_sort(g, &order, st);
}

void rgraph_dump(const struct rgraph *g, const char *label)
{
    struct strbuf b = {0};
    strbuf_printf(&b, "graph after %s: %lld nodes", label, (long long)g->num_nodes);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        const struct rnode *n = g->nodes[i];
        if (n->dropped)
            continue;
        strbuf_printf(&b, "\n  %s = %s(", n->name, n->op->name);
        for (int k = 0; k < n->num_inputs; k++)
            strbuf_printf(&b, "%s%s:%d", k ? ", " : "", n->inputs[k].node->name,
                          n->inputs[k].index);
        for (int64_t k = 0; k < n->num_control; k++)
            strbuf_printf(&b, " ^%s", n->control[k]->name);
        strbuf_printf(&b, ") on %s", n->device);
    }
    log_info("%s", strbuf_text(&b));
    strbuf_release(&b);
}
