/* SPDX-License-Identifier: Apache-2.0 */
/* Pruning: from a graph and a signature to the rewrite graph of what must run.
 *
 * Walks back from fetches and targets; a fed edge is cut and its consumers read an _Arg instead.
 * Each fetch becomes a _Retval. Iterative, linear in what is kept. */
#include "runtime/prune.h"

#include <string.h>

#include "base/mem.h"

struct prune {
    const struct plan_request *r;
    struct rgraph *rg;
    struct rnode **made; /* per graph node: its copy */
    bool *fed;           /* per graph node: some output is fed */
    struct rnode **args; /* per feed */
    struct node **stack;
    int64_t depth, cap, num_nodes;
};

static int find_feed(const struct prune *p, struct output o)
{
    if (!p->fed[o.node->id])
        return -1;
    for (int i = 0; i < p->r->num_feeds; i++) {
        if (p->r->feeds[i].node == o.node && p->r->feeds[i].index == o.index)
            return i;
    }
    return -1;
}

static bool check_output(const struct plan_request *r, struct output o, const char *what,
                         struct status *st)
{
    if (!o.node)
        return status_invalid(st, "%s: not a valid output (an earlier builder failed?)", what);
    if (o.node->graph != r->graph)
        return status_invalid(st, "%s '%s' is not in the session's graph", what, o.node->name);
    if (o.index < 0 || o.index >= o.node->num_outputs)
        return status_fail(st, STATUS_OUT_OF_RANGE,
                           "Node '%s' (type: '%s', num of outputs: %d) does not have output %d "
                           "to %s",
                           o.node->name, o.node->op->name, o.node->num_outputs, o.index, what);
    return true;
}

static bool check_request(const struct plan_request *r, struct status *st)
{
    if (r->num_fetches == 0 && r->num_targets == 0)
        return status_invalid(st, "Must specify at least one target to fetch or execute.");
    for (int i = 0; i < r->num_feeds; i++) {
        if (!check_output(r, r->feeds[i], "feed", st))
            return false;
    }
    for (int i = 0; i < r->num_fetches; i++) {
        if (!check_output(r, r->fetches[i], "fetch", st))
            return false;
    }
    for (int i = 0; i < r->num_targets; i++) {
        if (!r->targets[i])
            return status_invalid(st, "target %d is not a valid operation", i);
        if (r->targets[i]->graph != r->graph)
            return status_invalid(st, "target '%s' is not in the session's graph",
                                  r->targets[i]->name);
    }
    return true;
}

/* An end of the step that the client is at: an argument or a result; of a partial run, a transfer
 * (partial.c has the same names). Who asks for named ends sets their devices. */
static const struct op *client_end(const struct prune *p, bool feed, int type, int index,
                                   struct attrs *attrs, struct status *st)
{
    struct output end = feed ? p->r->feeds[index] : p->r->fetches[index];
    if (!p->r->partial && !p->r->named_ends) {
        attrs_set(attrs, "T", attr_type(type));
        attrs_set(attrs, "index", attr_int(index));
        return op_get(feed ? "_Arg" : "_Retval", st);
    }
    char *name = p->r->named_ends ? mem_printf("%s:%d", end.node->name, end.index)
                                  : mem_printf("%s:%d", feed ? "feed" : "fetch", index);
    attrs_set(attrs, feed ? "tensor_type" : "T", attr_type(type));
    attrs_set(attrs, "tensor_name", attr_string(str_of(name)));
    attrs_set(attrs, "send_device", attr_string(str_of("client")));
    attrs_set(attrs, "send_device_incarnation", attr_int(0));
    attrs_set(attrs, "recv_device", attr_string(str_of("client")));
    attrs_set(attrs, "client_terminated", attr_bool(true));
    mem_free(name);
    return op_get(feed ? "_Recv" : "_Send", st);
}

static struct rnode *add_arg(struct prune *p, int index, struct status *st)
{
    struct output o = p->r->feeds[index];
    struct attrs attrs = {0};
    const struct op *op =
        client_end(p, true, dtype_base(o.node->output_types[o.index]), index, &attrs, st);
    if (!op) {
        attrs_clear(&attrs);
        return NULL;
    }
    char *name = p->r->named_ends ? mem_printf("_recv_%s_%d", o.node->name, o.index)
                                  : mem_printf("_arg_%s_%d_%d", o.node->name, o.index, index);
    struct rnode *n = rgraph_add(p->rg, name, op, &attrs, NULL, 0, st);
    mem_free(name);
    attrs_clear(&attrs);
    if (n) {
        n->keep = true;
        struct shape *s = arena_new(&p->rg->arena, struct shape);
        *s = rgraph_keep_shape(p->rg, &o.node->shapes[o.index]);
        n->shapes = s;
    }
    return n;
}

static bool add_retval(struct prune *p, int index, struct redge from, struct status *st)
{
    struct attrs attrs = {0};
    const struct op *op =
        client_end(p, false, dtype_base(from.node->output_types[from.index]), index, &attrs, st);
    if (!op) {
        attrs_clear(&attrs);
        return false;
    }
    char *name = p->r->named_ends
                     ? mem_printf("_send_%s_%d", from.node->name, from.index)
                     : mem_printf("_retval_%s_%d_%d", from.node->name, from.index, index);
    struct rnode *n = rgraph_add(p->rg, name, op, &attrs, &from, 1, st);
    mem_free(name);
    attrs_clear(&attrs);
    if (!n)
        return false;
    n->keep = true;
    return true;
}

static bool is_placeholder(const struct node *n)
{
    return strncmp(n->op->name, "Placeholder", 11) == 0;
}

/* A fed placeholder's control edges are cut with it; other fed nodes still run for theirs. */
static bool control_is_cut(const struct prune *p, const struct node *from)
{
    return p->fed[from->id] && is_placeholder(from);
}

static void need(struct prune *p, struct node *n)
{
    if (p->made[n->id])
        return;
    struct rnode *r = rgraph_push(p->rg, n->name);
    r->op = n->op;
    r->attrs = &n->attrs;
    r->origin = n;
    r->device = n->device;
    r->num_inputs = n->num_inputs;
    r->inputs = arena_array(&p->rg->arena, struct redge, n->num_inputs ? n->num_inputs : 1);
    r->num_outputs = n->num_outputs;
    r->input_types = n->input_types;
    r->output_types = n->output_types;
    struct shape *shapes =
        arena_array(&p->rg->arena, struct shape, n->num_outputs ? n->num_outputs : 1);
    for (int i = 0; i < n->num_outputs; i++)
        shapes[i] = rgraph_keep_shape(p->rg, &n->shapes[i]);
    r->shapes = shapes;
    p->made[n->id] = r;
    p->stack = vec_reserve(p->stack, &p->cap, p->depth + 1, sizeof *p->stack);
    p->stack[p->depth++] = n;
    n->ran = true;
}

static bool collect(struct prune *p, struct status *st)
{
    while (p->depth > 0) {
        struct node *n = p->stack[--p->depth];
        for (int i = 0; i < n->num_inputs; i++) {
            if (!n->inputs[i].node)
                return status_invalid(
                    st, "Node '%s' has no input %d (a while loop that was never finished?)",
                    n->name, i);
            if (find_feed(p, n->inputs[i]) < 0)
                need(p, n->inputs[i].node);
        }
        for (int64_t i = 0; i < n->num_control_inputs; i++) {
            if (!control_is_cut(p, n->control_inputs[i]))
                need(p, n->control_inputs[i]);
        }
    }
    return true;
}

static void connect(struct prune *p)
{
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        struct rnode *r = p->rg->nodes[i];
        struct node *n = r->origin;
        for (int k = 0; n && k < n->num_inputs; k++) {
            int feed = find_feed(p, n->inputs[k]);
            if (feed >= 0)
                r->inputs[k] = (struct redge){p->args[feed], 0};
            else
                r->inputs[k] = (struct redge){p->made[n->inputs[k].node->id], n->inputs[k].index};
        }
        for (int64_t k = 0; n && k < n->num_control_inputs; k++) {
            if (!control_is_cut(p, n->control_inputs[k]))
                rnode_add_control(p->rg, r, p->made[n->control_inputs[k]->id]);
        }
    }
}

static bool mark_feeds(struct prune *p, struct status *st)
{
    for (int i = 0; i < p->r->num_feeds; i++) {
        struct output o = p->r->feeds[i];
        if (find_feed(p, o) >= 0 && find_feed(p, o) < i)
            return status_invalid(st, "Endpoint \"%s:%d\" fed more than once.", o.node->name,
                                  o.index);
        p->fed[o.node->id] = true;
    }
    return true;
}

static bool start(struct prune *p, struct status *st)
{
    for (int i = 0; i < p->r->num_fetches; i++) {
        struct output o = p->r->fetches[i];
        if (find_feed(p, o) >= 0)
            return status_invalid(st, "%s:%d is both fed and fetched.", o.node->name, o.index);
        need(p, o.node);
        p->made[o.node->id]->keep = true;
    }
    for (int i = 0; i < p->r->num_targets; i++) {
        need(p, p->r->targets[i]);
        p->made[p->r->targets[i]->id]->keep = true;
    }
    return true;
}

static bool prune_locked(struct prune *p, struct status *st)
{
    if (!mark_feeds(p, st))
        return false;
    for (int i = 0; i < p->r->num_feeds; i++) {
        p->args[i] = add_arg(p, i, st);
        if (!p->args[i])
            return false;
    }
    if (!start(p, st) || !collect(p, st))
        return false;
    connect(p);
    for (int i = 0; i < p->r->num_fetches && !p->r->is_function; i++) {
        struct output o = p->r->fetches[i];
        if (!add_retval(p, i, (struct redge){p->made[o.node->id], o.index}, st))
            return false;
    }
    return true;
}

bool prune(struct rgraph *rg, const struct plan_request *r, struct status *st)
{
    if (!check_request(r, st))
        return false;
    lock_take(&r->graph->lock);
    struct prune p = {.r = r, .rg = rg, .num_nodes = r->graph->num_nodes};
    p.made = mem_new_array(struct rnode *, p.num_nodes + 1);
    p.fed = mem_new_array(bool, p.num_nodes + 1);
    p.args = mem_new_array(struct rnode *, r->num_feeds + 1);
    bool ok = prune_locked(&p, st);
    lock_drop(&r->graph->lock);
    mem_free(p.made);
    mem_free(p.fed);
    mem_free(p.args);
    mem_free(p.stack);
    return ok && rgraph_find_frames(rg, st);
}
