/* SPDX-License-Identifier: Apache-2.0 */
/* Debug nodes: one for each op of each watch, beside the consumers of the value; kept, so that no
 * pass takes them away, and in the loop that the value is made in. */
#include "runtime/debug_watch.h"

#include "base/mem.h"
#include "proto/leat_proto.h"

struct watching {
    struct rgraph *rg;
    const struct pb_debug_options *options;
    int64_t num_nodes; /* before any was added */
    struct rconsumers consumers;
};

/* The value that a watch is about. */
struct watched_value {
    struct rnode *node;
    int slot;
};

/* --- the op's text: "Name" or "Name(attr=value;attr=value)" --- */

static bool bad_value(const struct rnode *n, struct str key, struct str value, const char *kind,
                      struct status *st)
{
    return status_fail(st, STATUS_INVALID_ARGUMENT,
                       "Invalid value string for %s-type attribute %.*s of debug node %s: \"%.*s\"",
                       kind, (int)key.n, key.p, n->name, (int)value.n, value.p);
}

static bool set_attr(struct attrs *attrs, const struct rnode *n, struct str key, struct str value,
                     struct status *st)
{
    char *name = mem_strndup(key.p, key.n);
    const struct attr_value *there = attrs_find(attrs, name);
    const int kind = there ? there->kind : ATTR_NONE;
    double number = 0;
    int64_t whole = 0;
    bool ok = true;
    if (kind == ATTR_STRING)
        attrs_set(attrs, name, attr_string(value));
    else if (kind == ATTR_BOOL && (str_is(value, "true") || str_is(value, "false")))
        attrs_set(attrs, name, attr_bool(str_is(value, "true")));
    else if (kind == ATTR_BOOL)
        ok = bad_value(n, key, value, "bool", st);
    else if (kind == ATTR_FLOAT && str_to_double(value, &number))
        attrs_set(attrs, name, attr_float((float)number));
    else if (kind == ATTR_FLOAT)
        ok = bad_value(n, key, value, "float", st);
    else if (kind == ATTR_INT && str_to_i64(value, &whole))
        attrs_set(attrs, name, attr_int(whole));
    else if (kind == ATTR_INT)
        ok = bad_value(n, key, value, "int", st);
    else
        ok = status_invalid(st, "1 attribute key(s) were not valid for debug node %s: %s", n->name,
                            name);
    mem_free(name);
    return ok;
}

/* The part before the first `at`, which is taken off *rest with it. */
static struct str take_until(struct str *rest, char at)
{
    const char *end = rest->n ? memchr(rest->p, at, rest->n) : NULL;
    size_t n = end ? (size_t)(end - rest->p) : rest->n, used = end ? n + 1 : n;
    struct str part = str_make(rest->p, n);
    *rest = str_make(rest->p + used, rest->n - used);
    return part;
}

static bool set_attrs(struct attrs *attrs, const struct rnode *n, struct str list,
                      struct status *st)
{
    if (list.n == 0)
        return true;
    if (list.p[list.n - 1] != ')')
        return status_invalid(st, "Malformed attributes of a debug op: (%.*s", (int)list.n, list.p);
    list.n--;
    while (list.n > 0) {
        struct str value = take_until(&list, ';'), key = take_until(&value, '=');
        if (key.n == 0 || value.n == 0)
            return status_invalid(st, "Malformed attributes in debug op name: %.*s", (int)key.n,
                                  key.p);
        if (!set_attr(attrs, n, key, value, st))
            return false;
    }
    return true;
}

/* --- the nodes --- */

/* Only the debugger's ops may be asked for. */
static const struct op *debug_op(struct str name, struct status *st)
{
    char *text = mem_strndup(name.p, name.n);
    const struct op *op = str_starts(name, "Debug") ? op_get(text, st) : NULL;
    const bool fits =
        op && op->num_inputs == 1 && op->num_outputs == 1 && op_attr_find(op, "debug_urls");
    if (!fits) {
        status_clear(st);
        status_invalid(st, "Failed to create node definition for debug op %s", text);
    }
    mem_free(text);
    return fits ? op : NULL;
}

static struct rnode *add_node(struct watching *w, struct watched_value v,
                              const struct pb_debug_tensor_watch *watch, int64_t which,
                              struct status *st)
{
    struct str rest = watch->debug_ops.v[which], name = take_until(&rest, '(');
    const struct op *op = debug_op(name, st);
    if (!op)
        return NULL;
    char *tensor = mem_printf("%s:%d", v.node->name, v.slot);
    char *own = mem_printf("__dbg_%s_%lld_%.*s", tensor, (long long)which, (int)name.n, name.p);
    struct attrs attrs = {0};
    attrs_set(&attrs, "T", attr_type(dtype_base(v.node->output_types[v.slot])));
    attrs_set(&attrs, "tensor_name", attr_string(str_of(tensor)));
    attrs_set(&attrs, "device_name", attr_string(str_of(v.node->device)));
    attrs_set(&attrs, "debug_urls",
              attr_list(ATTR_STRING, watch->debug_urls.v, watch->debug_urls.n));
    op_fill_defaults(op, &attrs);
    struct redge from = {v.node, v.slot};
    const struct rnode named = {.name = own};
    struct rnode *n = set_attrs(&attrs, &named, rest, st)
                          ? rgraph_add_taking(w->rg, own, op, &attrs, &from, 1, st)
                          : NULL;
    attrs_clear(&attrs);
    mem_free(own);
    mem_free(tensor);
    if (n) {
        n->device = v.node->device;
        n->keep = true;
    }
    return n;
}

/* What reads the reference may change it. */
static void hold_back(struct watching *w, struct watched_value v, struct rnode *debug)
{
    const struct rconsumers *c = &w->consumers;
    if (!dtype_is_ref(v.node->output_types[v.slot]))
        return;
    for (int64_t i = c->begin[v.node->id]; i < c->begin[v.node->id + 1]; i++)
        if (c->input[i] >= 0 && c->node[i]->inputs[c->input[i]].index == v.slot)
            rnode_add_control(w->rg, c->node[i], debug);
}

static bool watch_value(struct watching *w, struct watched_value v,
                        const struct pb_debug_tensor_watch *watch, struct status *st)
{
    for (int64_t i = 0; i < watch->debug_ops.n; i++) {
        struct str op = watch->debug_ops.v[i];
        struct rnode *n = add_node(w, v, watch, i, st);
        if (n) {
            hold_back(w, v, n);
            continue;
        }
        if (watch->tolerate_debug_op_creation_failures) {
            status_clear(st);
            continue;
        }
        st->code = STATUS_FAILED_PRECONDITION;
        status_prepend(st, "Failed to create debug node %.*s for tensor %s:%d, due to: ", (int)op.n,
                       op.p, v.node->name, v.slot);
        return false;
    }
    return true;
}

static bool is_wildcard(const struct pb_debug_tensor_watch *watch)
{
    return str_is(watch->node_name, "*");
}

static bool check_watches(const struct pb_debug_options *o, struct status *st)
{
    for (int64_t i = 0; i < o->debug_tensor_watch_opts.n; i++) {
        const struct pb_debug_tensor_watch *watch = o->debug_tensor_watch_opts.v[i];
        if (is_wildcard(watch) && watch->output_slot != -1)
            return status_precondition(
                st, "output_slot is expected to be -1 for wildcard node name (\"*\"), but got %d",
                watch->output_slot);
        if (!is_wildcard(watch) && watch->output_slot < 0)
            return status_precondition(
                st,
                "A negative output_slot in DebugTensorWatch is valid only for the wildcard node "
                "name (\"*\"), but got node name %.*s",
                (int)watch->node_name.n, watch->node_name.p);
    }
    return true;
}

/* The watches that name a value, or else those of everything. */
static bool watch_output(struct watching *w, struct watched_value v, struct status *st)
{
    const struct pb_debug_options *o = w->options;
    bool named = false, ok = true;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; ok && i < o->debug_tensor_watch_opts.n && !(pass && named); i++) {
            const struct pb_debug_tensor_watch *watch = o->debug_tensor_watch_opts.v[i];
            bool fits =
                pass ? is_wildcard(watch)
                     : str_is(watch->node_name, v.node->name) && watch->output_slot == v.slot;
            if (fits)
                ok = watch_value(w, v, watch, st);
            named = named || (fits && !pass);
        }
    return ok;
}

bool debug_watch_insert(struct rgraph *rg, struct str options, struct status *st)
{
    struct arena a = {0};
    struct pb_debug_options *o;
    struct watching w = {.rg = rg, .num_nodes = rg->num_nodes, .consumers = rgraph_consumers(rg)};
    bool ok = pb_debug_options_decode(&a, options.p, options.n, 0, &o, st) && check_watches(o, st);
    w.options = o;
    for (int64_t i = 0; ok && i < w.num_nodes; i++) {
        struct rnode *n = rg->nodes[i];
        for (int k = 0; ok && !n->dropped && k < n->num_outputs; k++)
            ok = watch_output(&w, (struct watched_value){n, k}, st);
    }
    arena_release(&a);
    return ok && rgraph_find_frames(rg, st);
}
