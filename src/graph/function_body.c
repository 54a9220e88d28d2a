/* SPDX-License-Identifier: Apache-2.0 */
/* Making a function's body: its FunctionDef, with the attrs of a call put in, becomes a GraphDef
 * that is imported like any other, so order, loops and checks are the importer's.
 *
 * In a body, inputs are written "arg" or "node:output_arg:k"; without k all values of that
 * argument are meant. They become "node:k" here. Arguments and results become _Arg and _Retval. */
#include "graph/function.h"
#include "graph/import.h"

enum { MAX_FUNC_DEPTH = 100 };

struct values {       /* an argument's or an output's values in the GraphDef: node:first ... */
    const char *node; /* of a list argument, one node each: node is its first entry in names */
    const char *const *names;
    int64_t first, n;
};
struct maker {
    struct graph *library;
    const struct function *f;
    const struct attrs *attrs; /* the call's, and the signature's defaults */
    struct arena a;
    struct pb_graph_def *def;
    struct strmap names; /* of nodes in the GraphDef -> position + 1 in f->def->node_def, or -1 */
    struct strmap args;  /* name of an argument -> struct values */
    const char **arg_nodes, **ret_nodes;
    int num_args, num_rets;
};

/* --- attrs of the call into the body --- */

static bool bind_value(struct maker *m, struct pb_attr_value **v, int depth, struct status *st);

static bool bind_func(struct maker *m, struct pb_name_attr_list **f, int depth, struct status *st)
{
    struct pb_name_attr_list *copy = arena_memdup(&m->a, *f, sizeof **f);

    if (depth > MAX_FUNC_DEPTH)
        return status_invalid(st, "Function '%s': attrs are nested more than %d deep", m->f->name,
                              MAX_FUNC_DEPTH);
    copy->attr.v = arena_memdup(&m->a, copy->attr.v, (size_t)copy->attr.n * sizeof *copy->attr.v);
    copy->attr.cap = 0;
    for (int64_t i = 0; i < copy->attr.n; i++) {
        copy->attr.v[i] = arena_memdup(&m->a, copy->attr.v[i], sizeof *copy->attr.v[i]);
        if (!bind_value(m, &copy->attr.v[i]->value, depth + 1, st))
            return false;
    }
    *f = copy;
    return true;
}

/* Replaces *v where it is, or holds, a placeholder; what is shared with the FunctionDef is copied.
 */
static bool bind_value(struct maker *m, struct pb_attr_value **v, int depth, struct status *st)
{
    enum { LIST = 1, PLACEHOLDER = 9, FUNC = 10 };
    struct pb_attr_value *was = *v;

    if (was->which_value == PLACEHOLDER) {
        const char *name = arena_strndup(&m->a, was->placeholder.p, was->placeholder.n);
        const struct attr_value *bound = attrs_find(m->attrs, name);

        if (!bound)
            return status_invalid(st, "Function '%s': the call gives no value for attr '%s'",
                                  m->f->name, name);
        *v = attr_to_proto(&m->a, bound);
        return true;
    }
    if (was->which_value == FUNC) {
        *v = arena_memdup(&m->a, was, sizeof *was);
        return bind_func(m, &(*v)->func, depth, st);
    }
    if (was->which_value != LIST || !was->list->func.n)
        return true;
    *v = arena_memdup(&m->a, was, sizeof *was);
    struct pb_attr_value_list_value *l = arena_memdup(&m->a, was->list, sizeof *l);

    (*v)->list = l;
    l->func.v = arena_memdup(&m->a, l->func.v, (size_t)l->func.n * sizeof *l->func.v);
    l->func.cap = 0;
    for (int64_t i = 0; i < l->func.n; i++)
        if (!bind_func(m, &l->func.v[i], depth, st))
            return false;
    return true;
}

/* --- nodes for arguments and results --- */

static char *free_name(struct maker *m, char *want)
{
    while (strmap_has(&m->names, want))
        want = arena_printf(&m->a, "%s_", want);
    strmap_put(&m->names, want, (void *)(intptr_t)-1);
    return want;
}

static void put_attr(struct maker *m, struct pb_node_def *n, const char *name, int which, int64_t v)
{
    struct pb_node_def_attr_entry *e =
        pb_map_put(&m->a, &n->attr, &pb_node_def_attr_entry_desc, str_of(name));

    e->value->which_value = which;
    e->value->i = v;
    e->value->type = (int32_t)v;
}

static struct pb_node_def *add_end(struct maker *m, const char *op, char *name, int type, int index)
{
    struct pb_node_def *n = pb_node_def_add(&m->a, &m->def->node);

    n->name = str_of(free_name(m, name));
    n->op = str_of(op);
    put_attr(m, n, "T", 6, type);
    put_attr(m, n, "index", 3, index);
    return n;
}

/* Attrs that the FunctionDef gives to argument number `arg` of the signature. */
static void put_arg_attrs(struct maker *m, int arg, struct pb_node_def *n)
{
    const struct pb_function_def_arg_attr_entry_vec *all = &m->f->def->arg_attr;

    for (int64_t i = 0; i < all->n; i++) {
        if (all->v[i]->key != (uint32_t)arg)
            continue;
        const struct pb_function_def_arg_attrs_attr_entry_vec *from = &all->v[i]->value->attr;

        for (int64_t k = 0; k < from->n; k++) {
            struct pb_node_def_attr_entry *e =
                pb_map_put(&m->a, &n->attr, &pb_node_def_attr_entry_desc, from->v[k]->key);

            e->value = from->v[k]->value;
        }
    }
}

static bool add_args(struct maker *m, struct status *st)
{
    const struct op *op = m->f->op;
    int *types, total, next = 0;

    if (!op_input_types(op, m->attrs, &types, &total, st))
        return false;
    m->arg_nodes = arena_array(&m->a, const char *, total);
    m->num_args = total;
    bool ok = true;

    for (int i = 0; ok && i < op->num_inputs; i++) {
        const struct op_arg *arg = &op->inputs[i];
        bool list = arg->number_attr >= 0 || arg->is_list_type;
        struct values *v = arena_new(&m->a, struct values);
        int64_t n;

        ok = op_arg_len(op, arg, m->attrs, &n, st);
        *v = (struct values){.names = &m->arg_nodes[next], .n = ok ? n : 0};
        for (int64_t k = 0; k < v->n; k++, next++) {
            char *name = list ? arena_printf(&m->a, "%s_%lld", arg->name, (long long)k)
                              : arena_strdup(&m->a, arg->name);
            struct pb_node_def *d = add_end(m, "_Arg", name, types[next], next);

            put_arg_attrs(m, i, d);
            m->arg_nodes[next] = d->name.p;
        }
        if (ok && strmap_put(&m->args, arg->name, v))
            ok = status_invalid(st, "Function '%s' has argument '%s' twice", op->name, arg->name);
    }
    mem_free(types);
    return ok;
}

/* --- outputs of nodes in the body --- */

static const struct pb_attr_value *node_attr(const struct pb_node_def *n, const char *name)
{
    const struct pb_node_def_attr_entry *e = pb_map_find(&n->attr, str_of(name));

    return e ? e->value : NULL;
}

/* How many values an output argument of a body's node has. */
static bool output_len(const struct op *op, const struct op_arg *arg, const struct pb_node_def *n,
                       int64_t *len)
{
    enum { LIST = 1, INT = 3 };
    int at = arg->number_attr >= 0 ? arg->number_attr : arg->is_list_type ? arg->type_attr : -1;

    *len = 1;
    if (at < 0)
        return true;
    const struct pb_attr_value *v = node_attr(n, op->attrs[at].name);
    const struct attr_value *d = &op->attrs[at].default_value;

    if (v && arg->number_attr >= 0)
        *len = v->which_value == INT ? v->i : -1;
    else if (v)
        *len = v->which_value == LIST ? v->list->type.n : -1;
    else if (d->kind != ATTR_NONE || d->is_list)
        *len = arg->number_attr >= 0 ? d->i : d->n;
    else
        *len = -1;
    return *len >= 0 && *len <= MAX_NODE_OUTPUTS;
}

/* The values of output argument `out` of node number `at`. */
static bool find_output(struct maker *m, int64_t at, struct str out, struct values *v)
{
    const struct pb_node_def *n = m->def->node.v[m->num_args + at];
    char *op_name = mem_strndup(n->op.p ? n->op.p : "", n->op.n);
    const struct op *op = graph_find_op(m->library, op_name);
    int64_t first = 0, len;

    mem_free(op_name);
    for (int i = 0; op && i < op->num_outputs; i++) {
        if (!output_len(op, &op->outputs[i], n, &len))
            return false;
        if (str_is(out, op->outputs[i].name)) {
            *v = (struct values){.node = n->name.p, .first = first, .n = len};
            return true;
        }
        first += len;
    }
    return false;
}

/* "arg", "arg:k", "node:out", "node:out:k". */
static bool find_values(struct maker *m, struct str text, struct values *v)
{
    struct str rest = text, name, out = {0}, number = {0}, more;
    int64_t k;

    if (!str_split(&rest, ':', &name))
        return false;
    bool has_out = str_split(&rest, ':', &out), has_number = str_split(&rest, ':', &number);

    if (str_split(&rest, ':', &more))
        return false;
    const struct values *arg = strmap_find_n(&m->args, name.p, name.n);

    if (arg) {
        if (has_number)
            return false;
        *v = *arg;
        number = out;
        has_number = has_out;
    } else {
        intptr_t at = (intptr_t)strmap_find_n(&m->names, name.p, name.n);

        if (at <= 0 || !has_out || !find_output(m, at - 1, out, v))
            return false;
    }
    if (!has_number)
        return true;
    if (!str_to_i64(number, &k) || k < 0 || k >= v->n)
        return false;
    if (v->names)
        v->names += k;
    else
        v->first += k;
    v->n = 1;
    return true;
}

static struct str value_text(struct maker *m, const struct values *v, int64_t k)
{
    if (v->names)
        return str_of(v->names[k]);
    if (v->first + k == 0)
        return str_of(v->node);
    return str_of(arena_printf(&m->a, "%s:%lld", v->node, (long long)(v->first + k)));
}

/* --- the body's own nodes --- */

static bool copy_nodes(struct maker *m, struct status *st)
{
    const struct pb_function_def *f = m->f->def;

    for (int64_t i = 0; i < f->node_def.n; i++) {
        struct pb_node_def *n = pb_node_def_add(&m->a, &m->def->node);

        *n = *f->node_def.v[i];
        n->name.p = arena_strndup(&m->a, n->name.p, n->name.n); /* with a NUL after it */
        n->attr.v = arena_memdup(&m->a, n->attr.v, (size_t)n->attr.n * sizeof *n->attr.v);
        n->attr.cap = 0;
        for (int64_t k = 0; k < n->attr.n; k++) {
            n->attr.v[k] = arena_memdup(&m->a, n->attr.v[k], sizeof *n->attr.v[k]);
            if (!bind_value(m, &n->attr.v[k]->value, 0, st))
                return false;
        }
    }
    return true;
}

static bool fix_inputs(struct maker *m, struct pb_node_def *n, struct status *st)
{
    struct pb_strs from = n->input;
    struct values v;

    n->input = (struct pb_strs){0};
    for (int64_t i = 0; i < from.n; i++) {
        if (from.v[i].n && from.v[i].p[0] == '^') {
            pb_add_str(&m->a, &n->input, from.v[i]);
            continue;
        }
        if (!find_values(m, from.v[i], &v))
            return status_invalid(st, "input %.*s is not found: {{node %.*s}} of function '%s'",
                                  (int)from.v[i].n, from.v[i].p ? from.v[i].p : "", (int)n->name.n,
                                  n->name.p ? n->name.p : "", m->f->name);
        for (int64_t k = 0; k < v.n; k++)
            pb_add_str(&m->a, &n->input, value_text(m, &v, k));
    }
    return true;
}

static bool add_rets(struct maker *m, struct status *st)
{
    const struct op *op = m->f->op;
    int *types, total, next = 0;
    bool ok = true;

    if (!op_output_types(op, m->attrs, &types, &total, st))
        return false;
    m->ret_nodes = arena_array(&m->a, const char *, total);
    m->num_rets = total;
    for (int i = 0; ok && i < op->num_outputs; i++) {
        const char *name = op->outputs[i].name;
        const struct pb_function_def_ret_entry *e = pb_map_find(&m->f->def->ret, str_of(name));
        struct values v;
        int64_t n = 0;

        ok = op_arg_len(op, &op->outputs[i], m->attrs, &n, st);
        if (ok && !e)
            ok = status_invalid(st, "Return %s missing in function '%s'", name, op->name);
        if (ok && (!find_values(m, e->value, &v) || v.n != n))
            ok = status_invalid(st, "Function '%s': return %s -> %.*s is not found", op->name, name,
                                (int)e->value.n, e->value.p ? e->value.p : "");
        for (int64_t k = 0; ok && k < n; k++, next++) {
            char *text =
                arena_printf(&m->a, n > 1 ? "%s_RetVal_%lld" : "%s_RetVal", name, (long long)k);
            struct pb_node_def *d = add_end(m, "_Retval", text, types[next], next);

            pb_add_str(&m->a, &d->input, value_text(m, &v, k));
            m->ret_nodes[next] = d->name.p;
        }
    }
    mem_free(types);
    return ok;
}

static bool build_def(struct maker *m, struct status *st)
{
    const struct pb_function_def *f = m->f->def;

    m->def = pb_graph_def_new(&m->a);
    m->def->versions = pb_version_def_new(&m->a);
    for (int64_t i = 0; i < f->node_def.n; i++) {
        struct str name = f->node_def.v[i]->name, op = f->node_def.v[i]->op;

        if (str_is(op, "_Arg") || str_is(op, "_Retval"))
            return status_invalid(st,
                                  "Function '%s': node '%.*s' is a %.*s, which is the library's",
                                  m->f->name, (int)name.n, name.p ? name.p : "", (int)op.n, op.p);
        if (!import_name_ok(name, true) ||
            strmap_put_n(&m->names, name.p, name.n, (void *)(intptr_t)(i + 1)))
            return status_invalid(st, "Function '%s': Node '%.*s' is not unique or misnamed",
                                  m->f->name, (int)name.n, name.p ? name.p : "");
    }
    if (!add_args(m, st) || !copy_nodes(m, st))
        return false;
    for (int64_t i = 0; i < f->node_def.n; i++)
        if (!fix_inputs(m, m->def->node.v[m->num_args + i], st))
            return false;
    return add_rets(m, st);
}

/* --- the result --- */

static void add_control_ret(struct function_body *b, int64_t *cap, struct node *n)
{
    b->control_rets =
        vec_reserve(b->control_rets, cap, b->num_control_rets + 1, sizeof *b->control_rets);
    b->control_rets[b->num_control_rets++] = n;
}

/* Nodes that run although nothing returned needs them: those the FunctionDef names, and stateful
 * ones. */
static bool find_control_rets(struct maker *m, struct function_body *b, struct status *st)
{
    const struct pb_function_def_control_ret_entry_vec *c = &m->f->def->control_ret;
    struct u64map named = {0};
    int64_t cap = 0;
    bool ok = true;

    for (int64_t i = 0; ok && i < c->n; i++) {
        struct node *n = strmap_find_n(&b->graph->by_name, c->v[i]->value.p ? c->v[i]->value.p : "",
                                       c->v[i]->value.n);

        if (!n)
            ok =
                status_invalid(st, "Function '%s': control output '%.*s' is not a node", m->f->name,
                               (int)c->v[i]->value.n, c->v[i]->value.p ? c->v[i]->value.p : "");
        else if (!u64map_put(&named, (uint64_t)n->id, n))
            add_control_ret(b, &cap, n);
    }
    for (int64_t i = 0; ok && i < b->graph->num_nodes; i++) {
        struct node *n = b->graph->nodes[i];

        if (n->op->def && (n->op->def->flags & OP_STATEFUL) && !node_is(n, "_Arg") &&
            !node_is(n, "_Retval") && !u64map_find(&named, (uint64_t)n->id))
            add_control_ret(b, &cap, n);
    }
    u64map_release(&named);
    return ok;
}

static bool fill_body(struct maker *m, struct function_body *b, struct status *st)
{
    b->args = mem_new_array(struct node *, m->num_args);
    b->rets = mem_new_array(struct node *, m->num_rets);
    b->num_args = m->num_args;
    b->num_rets = m->num_rets;
    for (int i = 0; i < m->num_args; i++)
        b->args[i] = graph_find_locked(b->graph, m->arg_nodes[i]);
    for (int i = 0; i < m->num_rets; i++)
        b->rets[i] = graph_find_locked(b->graph, m->ret_nodes[i]);
    return find_control_rets(m, b, st);
}

void function_body_clear(struct function_body *b)
{
    graph_unref(b->graph);
    mem_free(b->args);
    mem_free(b->rets);
    mem_free(b->control_rets);
    *b = (struct function_body){0};
}

struct graph *function_body_graph(struct graph *library)
{
    struct graph *g = graph_new();

    library_unref(g->library);
    g->library = library_ref(library->library);
    lock_take(&library->lock);
    g->producer = library->producer;
    g->min_consumer = library->min_consumer;
    g->seed = library->seed;
    g->has_seed = library->has_seed;
    lock_drop(&library->lock);
    return g;
}

bool function_instantiate(struct graph *library, const char *name, const struct attrs *attrs,
                          struct function_body *out, struct status *st)
{
    struct function *f = graph_function(library, name);
    struct attrs bound = attrs ? attrs_dup(attrs) : (struct attrs){0};
    struct maker m = {.library = library, .f = f, .attrs = &bound};

    *out = (struct function_body){0};
    if (!f) {
        attrs_clear(&bound);
        return status_not_found(st, "Function %s is not defined.", name);
    }
    op_fill_defaults(f->op, &bound);
    bool ok = build_def(&m, st);

    if (ok) {
        out->graph = function_body_graph(library);
        ok = graph_import_body(out->graph, m.def, st) && fill_body(&m, out, st);
    }
    if (!ok) {
        status_append(st, " [while making the body of function '%s']", name);
        function_body_clear(out);
    }
    strmap_release(&m.names);
    strmap_release(&m.args);
    arena_release(&m.a);
    attrs_clear(&bound);
    return ok;
}
