/* SPDX-License-Identifier: Apache-2.0 */
/* Adding one node whose inputs are known: checks against the op's definition, edges, shapes.
 *
 * Everything that makes nodes (node_finish, import, function bodies) ends here, so what holds for
 * one node holds for all: attrs complete and valid, types agreeing, no duplicate control edges. */
#include "graph/graph_impl.h"

bool input_type_fits(int expected, int actual)
{
    return expected == actual || expected == dtype_base(actual);
}

bool node_is(const struct node *n, const char *op)
{
    return strcmp(n->op->name, op) == 0;
}

bool node_is_merge(const struct node *n)
{
    return node_is(n, "Merge") || node_is(n, "RefMerge");
}

bool node_is_next_iteration(const struct node *n)
{
    return node_is(n, "NextIteration") || node_is(n, "RefNextIteration");
}

/* As vec_reserve, but begins with one item: most nodes have few edges, and there may be millions.
 */
static void *reserve_few(void *items, int64_t *cap, int64_t need, size_t size)
{
    if (need <= *cap)
        return items;
    if (need > 8)
        return vec_reserve(items, cap, need, size);
    *cap = need > 4 ? 8 : need > 2 ? 4 : need;
    return mem_realloc(items, (size_t)*cap * size);
}

void node_link_input(struct node *n, int index, struct output to)
{
    struct node *src = to.node;

    n->inputs[index] = to;
    src->consumers = reserve_few(src->consumers, &src->cap_consumers, src->num_consumers + 1,
                                 sizeof *src->consumers);
    src->consumers[src->num_consumers++] = (struct input){n, index};
}

static bool has_control(const struct node *from, const struct node *to)
{
    if (from->num_control_outputs < to->num_control_inputs) {
        for (int64_t i = 0; i < from->num_control_outputs; i++)
            if (from->control_outputs[i] == to)
                return true;
        return false;
    }
    for (int64_t i = 0; i < to->num_control_inputs; i++)
        if (to->control_inputs[i] == from)
            return true;
    return false;
}

void node_link_control(struct node *from, struct node *to)
{
    if (has_control(from, to))
        return;
    to->control_inputs = reserve_few(to->control_inputs, &to->cap_control_inputs,
                                     to->num_control_inputs + 1, sizeof *to->control_inputs);
    to->control_inputs[to->num_control_inputs++] = from;
    from->control_outputs =
        reserve_few(from->control_outputs, &from->cap_control_outputs,
                    from->num_control_outputs + 1, sizeof *from->control_outputs);
    from->control_outputs[from->num_control_outputs++] = to;
}

static void print_types(const int *types, int64_t n, struct strbuf *out)
{
    for (int64_t i = 0; i < n; i++)
        strbuf_printf(out, "%s%s", i ? ", " : "", dtype_name(types[i]));
}

static bool deprecation_ok(struct graph *g, const struct op *op, struct status *st)
{
    const struct op_def *d = op->def;

    if (!d || !d->deprecated_at || g->producer < d->deprecated_at)
        return true;
    return status_unimplemented(
        st, "Op %s is not available in GraphDef version %d. It has been removed in version %d. %s.",
        op->name, g->producer, d->deprecated_at, d->deprecated_why ? d->deprecated_why : "");
}

/* The arguments' lengths summed: what op_*_types would allocate, known before it does. */
static bool count_values(const struct op *op, const struct op_arg *args, int num_args,
                         const struct attrs *attrs, int64_t *n, struct status *st)
{
    *n = 0;
    for (int i = 0; i < num_args; i++) {
        int64_t len;

        if (!op_arg_len(op, &args[i], attrs, &len, st))
            return false;
        if (!size_add(*n, len, n))
            return status_invalid(st, "Op %s: its arguments have too many values", op->name);
    }
    return true;
}

static bool wrong_count(const struct node_spec *s, int64_t want, struct status *st)
{
    struct strbuf text = {0};
    int *types = NULL, n = 0;
    struct status ignored = {0};

    strbuf_puts(&text, "NodeDef expected inputs '");
    if (want <= 1000 && op_input_types(s->op, s->attrs, &types, &n, &ignored))
        print_types(types, n, &text);
    else
        strbuf_printf(&text, "%lld of them", (long long)want);
    strbuf_printf(&text, "' do not match %lld inputs specified; ", (long long)s->num_inputs);
    op_print(s->op, &text);
    strbuf_printf(&text, "; NodeDef: {{node %s}}", s->name);
    status_invalid(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    status_clear(&ignored);
    mem_free(types);
    return false;
}

static bool resolve_types(const struct node_spec *s, struct node *n, struct status *st)
{
    int64_t num_in, num_out;
    const struct op *op = s->op;

    if (!count_values(op, op->inputs, op->num_inputs, s->attrs, &num_in, st) ||
        !count_values(op, op->outputs, op->num_outputs, s->attrs, &num_out, st))
        return false;
    if (num_in != s->num_inputs)
        return wrong_count(s, num_in, st);
    if (num_out > MAX_NODE_OUTPUTS)
        return status_exhausted(st, "Node '%s' (op %s): %lld outputs are too many, at most %d",
                                s->name, op->name, (long long)num_out, MAX_NODE_OUTPUTS);
    return op_input_types(op, s->attrs, &n->input_types, &n->num_inputs, st) &&
           op_output_types(op, s->attrs, &n->output_types, &n->num_outputs, st);
}

static bool check_input(const struct node_spec *s, const struct node *n, int i, struct status *st)
{
    struct output in = s->inputs[i];

    if (!in.node) {
        if (s->back_edges)
            return true;
        return status_invalid(st, "Node '%s' (op %s): input %d is missing", s->name, s->op->name,
                              i);
    }
    if (in.index < 0 || in.index >= in.node->num_outputs)
        return status_invalid(
            st,
            "Node '%s': Connecting to invalid output %d of source node %s which has %d outputs.",
            s->name, in.index, in.node->name, in.node->num_outputs);
    int actual = output_type(in);
    if (!input_type_fits(n->input_types[i], actual))
        return status_invalid(
            st, "Input %d of node %s was passed %s from %s:%d incompatible with expected %s.", i,
            s->name, dtype_name(actual), in.node->name, in.index, dtype_name(n->input_types[i]));
    return true;
}

/* Drops duplicates; a set is kept only where there are many. */
static void link_controls(struct node *n, const struct node_spec *s)
{
    if (s->num_control <= 16) {
        for (int64_t i = 0; i < s->num_control; i++)
            node_link_control(s->control[i], n);
        return;
    }
    struct u64map seen = {0};

    for (int64_t i = 0; i < s->num_control; i++) {
        struct node *from = s->control[i];

        if (u64map_put(&seen, (uint64_t)from->id, from))
            continue;
        n->control_inputs = reserve_few(n->control_inputs, &n->cap_control_inputs,
                                        n->num_control_inputs + 1, sizeof *n->control_inputs);
        n->control_inputs[n->num_control_inputs++] = from;
        from->control_outputs =
            reserve_few(from->control_outputs, &from->cap_control_outputs,
                        from->num_control_outputs + 1, sizeof *from->control_outputs);
        from->control_outputs[from->num_control_outputs++] = n;
    }
    u64map_release(&seen);
}

static void discard(struct node *n)
{
    for (int i = 0; n->shapes && i < n->num_outputs; i++)
        shape_clear(&n->shapes[i]);
    mem_free(n->shapes);
    infer_handles_free(n->handles, n->num_outputs, n->handle_arena);
    attrs_clear(&n->attrs);
    mem_free(n->inputs);
    mem_free(n->input_types);
    mem_free(n->output_types);
    mem_free(n->name);
    mem_free(n);
}

static void insert(struct graph *g, struct node *n, const struct node_spec *s)
{
    n->device = mem_strdup(s->device ? s->device : "");
    n->made_at = s->made_at ? mem_strdup(s->made_at) : NULL;
    for (int i = 0; i < n->num_inputs; i++)
        if (n->inputs[i].node)
            node_link_input(n, i, n->inputs[i]);
    link_controls(n, s);
    g->nodes = vec_reserve(g->nodes, &g->cap_nodes, g->num_nodes + 1, sizeof *g->nodes);
    g->nodes[g->num_nodes++] = n;
    strmap_put(&g->by_name, n->name, n);
    graph_mark_name(g, n);
    g->version++;
}

struct node *graph_add_node(struct graph *g, const struct node_spec *s, struct status *st)
{
    if (g->num_nodes >= MAX_NODES) {
        status_exhausted(st, "A graph cannot have more than %d nodes", MAX_NODES);
        return NULL;
    }
    if (graph_find_locked(g, s->name)) {
        status_invalid(st, "Duplicate node name in graph: '%s'", s->name);
        return NULL;
    }
    op_fill_defaults(s->op, s->attrs);
    if (!op_check_attrs(s->op, s->attrs, s->name, st) || !deprecation_ok(g, s->op, st))
        return NULL;
    struct node *n = mem_new(struct node);

    n->graph = g;
    n->id = (int)g->num_nodes;
    n->op = s->op;
    n->name = mem_strdup(s->name);
    if (!resolve_types(s, n, st))
        goto failed;
    n->inputs = mem_new_array(struct output, n->num_inputs);
    for (int i = 0; i < n->num_inputs; i++) {
        if (!check_input(s, n, i, st))
            goto failed;
        n->inputs[i] = s->inputs[i];
    }
    n->attrs = *s->attrs;
    *s->attrs = (struct attrs){0};
    if (n->attrs.n > 0) { /* it seldom grows again */
        n->attrs.items = mem_realloc(n->attrs.items, (size_t)n->attrs.n * sizeof *n->attrs.items);
        n->attrs.cap = n->attrs.n;
    }
    if (!node_infer(n, st))
        goto failed;
    n->foldable = node_may_fold(n);
    insert(g, n, s);
    return n;
failed:
    discard(n);
    return NULL;
}
