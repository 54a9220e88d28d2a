/* SPDX-License-Identifier: Apache-2.0 */
/* A FunctionDef made of nodes of a graph. Linear in nodes and edges; the graph's lock is held
 * throughout, as nodes of it are read. */
#include "graph/function_make.h"

#include <ctype.h>

#include "graph/function.h"
#include "graph/graph_impl.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct maker {
    const struct function_spec *s;
    struct graph *g;
    struct arena *a;
    struct pb_function_def *def;
    struct strmap used;       /* names in the function -> number of the next one like it, + 1 */
    const char **node_names;  /* by node id; NULL: not in the body */
    const char **input_names; /* by input */
    struct u64map inputs;     /* a value's key -> input + 1 */
    struct node **nodes;      /* the body */
    int64_t num_nodes;
};

static uint64_t key_of(struct output o)
{
    return (uint64_t)o.node->id << 24 | (uint64_t)(o.index + 1);
}

/* --- names --- */

static const char *unique(struct maker *m, const char *name)
{
    if (!strmap_has(&m->used, name)) {
        strmap_put(&m->used, name, (void *)(intptr_t)1);
        return arena_strdup(m->a, name);
    }
    for (;;) {
        intptr_t next = (intptr_t)strmap_find(&m->used, name);
        const char *candidate = arena_printf(m->a, "%s_%lld", name, (long long)next - 1);

        strmap_put(&m->used, name, (void *)(next + 1));
        if (!strmap_has(&m->used, candidate)) {
            strmap_put(&m->used, candidate, (void *)(intptr_t)1);
            return candidate;
        }
    }
}

/* What an argument may be called: lower-case, from the first letter on. */
static const char *arg_name(struct maker *m, const char *name)
{
    char *text = arena_strdup(m->a, name);

    for (char *p = text; *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
    while (*text && !isalpha((unsigned char)*text))
        text++;
    return unique(m, *text ? text : "unknown");
}

/* --- inputs and the body's nodes --- */

static bool check_type(struct maker *m, struct output o, const char *where, int index,
                       struct status *st)
{
    if (!dtype_is_ref(o.node->output_types[o.index]))
        return true;
    status_invalid(st, "Output %d of node '%s' has a reference type %s\n\t", o.index, o.node->name,
                   dtype_name(o.node->output_types[o.index]));
    if (where)
        status_append(st, "Encountered while processing %s %d into function '%s'", where, index,
                      m->s->name);
    else
        status_append(st, "Encountered while creating function '%s'", m->s->name);
    return false;
}

static bool valid(struct maker *m, struct output o, const char *what, int i, struct status *st)
{
    if (!o.node)
        return status_invalid(st, "%s %d of function '%s' is not a valid output", what, i,
                              m->s->name);
    if (o.node->graph != m->g)
        return status_invalid(st, "%s %d of function '%s', node '%s', is not in the graph", what, i,
                              m->s->name, o.node->name);
    return (o.index >= 0 && o.index < o.node->num_outputs) ||
           status_fail(st, STATUS_OUT_OF_RANGE,
                       "Node '%s' (type: '%s', num of outputs: %d) does not have output %d",
                       o.node->name, o.node->op->name, o.node->num_outputs, o.index);
}

static bool take_inputs(struct maker *m, struct status *st)
{
    for (int i = 0; i < m->s->num_inputs; i++) {
        struct output o = m->s->inputs[i];

        if (!valid(m, o, "input", i, st) || !check_type(m, o, "input", i, st))
            return false;
        if (u64map_put(&m->inputs, key_of(o), (void *)(intptr_t)(i + 1)))
            return status_invalid(st, "TF_Output %s:%d appears more than once in the input list",
                                  o.node->name, o.index);
        if (!m->s->nodes && o.node->num_outputs != 1)
            return status_invalid(st,
                                  "When `num_opers` is set to -1, nodes referenced in `inputs` "
                                  "must have a single output. Node %s has %d outputs. Encountered "
                                  "while creating function '%s'",
                                  o.node->name, o.node->num_outputs, m->s->name);
    }
    return true;
}

static bool take_nodes(struct maker *m, struct status *st)
{
    const int64_t n = m->s->nodes ? m->s->num_nodes : m->g->num_nodes;

    m->nodes = arena_array(m->a, struct node *, n);
    for (int64_t i = 0; i < n; i++) {
        struct node *node = m->s->nodes ? m->s->nodes[i] : m->g->nodes[i];

        if (!node || node->graph != m->g)
            return status_invalid(st, "Operation %lld of function '%s' is not in the graph",
                                  (long long)i, m->s->name);
        if (m->node_names[node->id] ||
            (!m->s->nodes && u64map_find(&m->inputs, key_of((struct output){node, 0}))))
            continue;
        m->node_names[node->id] = ""; /* until names are given */
        m->nodes[m->num_nodes++] = node;
    }
    return true;
}

/* --- the signature --- */

static struct pb_op_def_arg_def *add_arg(struct maker *m, struct pb_op_def_arg_def_vec *list,
                                         const char *name, struct output o)
{
    struct pb_op_def_arg_def *arg = pb_op_def_arg_def_add(m->a, list);

    arg->name = str_of(name);
    arg->type = o.node->output_types[o.index];
    return arg;
}

static bool name_outputs(struct maker *m, struct status *st)
{
    struct pb_op_def *sig = m->def->signature;

    for (int i = 0; i < m->s->num_outputs; i++) {
        struct output o = m->s->outputs[i];
        const char *name;

        if (!valid(m, o, "output", i, st) || !check_type(m, o, NULL, i, st))
            return false;
        if (!m->s->output_names) {
            name = arg_name(m, o.node->name);
        } else {
            name = m->s->output_names[i] ? m->s->output_names[i] : "";
            if (!name[0] || strmap_put(&m->used, name, (void *)(intptr_t)1))
                return status_invalid(st,
                                      "Cannot have duplicate output names. Name '%s' appears more "
                                      "than once in 'output_names' array.",
                                      name);
            name = arena_strdup(m->a, name);
        }
        add_arg(m, &sig->output_arg, name, o);
    }
    return true;
}

/* Attrs of an argument's node that begin with '_' go along. */
static void add_arg_attr(struct maker *m, int i, const struct node *n)
{
    struct pb_function_def_arg_attr_entry *e =
        pb_function_def_arg_attr_entry_add(m->a, &m->def->arg_attr);

    e->key = (uint32_t)i;
    e->value = pb_function_def_arg_attrs_new(m->a);
    for (int64_t k = 0; k < n->attrs.n; k++) {
        if (n->attrs.items[k].name[0] != '_')
            continue;
        struct pb_function_def_arg_attrs_attr_entry *attr =
            pb_function_def_arg_attrs_attr_entry_add(m->a, &e->value->attr);

        pb_set_str(m->a, &attr->key, n->attrs.items[k].name);
        attr->value = attr_to_proto(m->a, &n->attrs.items[k].value);
    }
}

static void name_inputs(struct maker *m)
{
    for (int i = 0; i < m->s->num_inputs; i++) {
        struct output o = m->s->inputs[i];

        m->input_names[i] = arg_name(m, o.node->name);
        add_arg(m, &m->def->signature->input_arg, m->input_names[i], o);
        add_arg_attr(m, i, o.node);
    }
}

/* --- the body --- */

/* "node:argument:k"; NULL: nobody there has such an output. */
static const char *output_text(struct maker *m, struct output o)
{
    const struct op *op = o.node->op;
    struct status ignored = {0};
    int64_t first = 0, n;

    for (int i = 0; i < op->num_outputs; i++) {
        if (!op_arg_len(op, &op->outputs[i], &o.node->attrs, &n, &ignored))
            break;
        if (o.index < first + n)
            return arena_printf(m->a, "%s:%s:%lld", m->node_names[o.node->id], op->outputs[i].name,
                                (long long)(o.index - first));
        first += n;
    }
    status_clear(&ignored);
    return NULL;
}

static const char *value_text(struct maker *m, struct output o)
{
    intptr_t input = (intptr_t)u64map_find(&m->inputs, key_of(o));

    if (input)
        return m->input_names[input - 1];
    return m->node_names[o.node->id] ? output_text(m, o) : NULL;
}

/* What a control edge from there is called: an argument's name, where it is no node of the body. */
static const char *control_text(struct maker *m, struct node *from)
{
    if (m->node_names[from->id])
        return m->node_names[from->id];
    for (int k = 0; k < from->num_outputs; k++) {
        intptr_t input = (intptr_t)u64map_find(&m->inputs, key_of((struct output){from, k}));

        if (input)
            return m->input_names[input - 1];
    }
    return NULL;
}

static bool add_inputs(struct maker *m, struct node *n, struct pb_node_def *d, struct status *st)
{
    for (int i = 0; i < n->num_inputs; i++) {
        struct output o = n->inputs[i];
        const char *text = o.node ? value_text(m, o) : NULL;

        if (!text)
            return status_invalid(st,
                                  "Input %d, '%s:%d', of node '%s' in function '%s' is not "
                                  "available. You might need to include it in inputs or include "
                                  "its source node in the body",
                                  i, o.node ? o.node->name : "?", o.index, n->name, m->s->name);
        pb_add_str(m->a, &d->input, str_of(text));
    }
    for (int64_t i = 0; i < n->num_control_inputs; i++) {
        const char *text = control_text(m, n->control_inputs[i]);

        if (!text)
            return status_invalid(st,
                                  "The source of control edge [%s:-1 -> %s:-1] is not in the body. "
                                  "Encountered while creating function '%s'",
                                  n->control_inputs[i]->name, n->name, m->s->name);
        pb_add_str(m->a, &d->input, str_of(arena_printf(m->a, "^%s", text)));
    }
    return true;
}

/* Colocation follows the names that nodes have got. */
static void rename_colocation(struct maker *m, struct pb_attr_value *v)
{
    if (v->which_value != 1 || v->list->s.n == 0)
        return;
    v->list->s.v = arena_memdup(m->a, v->list->s.v, (size_t)v->list->s.n * sizeof *v->list->s.v);
    v->list->s.cap = 0; /* what it was may be the attr's own */
    for (int64_t i = 0; i < v->list->s.n; i++) {
        struct str s = v->list->s.v[i];

        if (!str_starts(s, "loc:@"))
            continue;
        struct node *to = strmap_find_n(&m->g->by_name, s.p + 5, s.n - 5);

        if (to && m->node_names[to->id])
            v->list->s.v[i] = str_of(arena_printf(m->a, "loc:@%s", m->node_names[to->id]));
    }
}

static bool add_node(struct maker *m, struct node *n, struct status *st)
{
    struct pb_node_def *d = pb_node_def_add(m->a, &m->def->node_def);

    d->name = str_of(m->node_names[n->id]);
    pb_set_str(m->a, &d->op, n->op->name);
    pb_set_str(m->a, &d->device, n->device);
    if (n->op->def ? n->op->def->flags & OP_STATEFUL : function_is_stateful(n->op->function))
        m->def->signature->is_stateful = true;
    for (int64_t i = 0; i < n->attrs.n; i++) {
        struct pb_node_def_attr_entry *e = pb_node_def_attr_entry_add(m->a, &d->attr);

        pb_set_str(m->a, &e->key, n->attrs.items[i].name);
        e->value = attr_to_proto(m->a, &n->attrs.items[i].value);
        if (str_is(e->key, "_class"))
            rename_colocation(m, e->value);
    }
    return add_inputs(m, n, d, st);
}

static bool add_rets(struct maker *m, struct status *st)
{
    for (int i = 0; i < m->s->num_outputs; i++) {
        struct output o = m->s->outputs[i];
        const char *text = value_text(m, o);

        if (!text)
            return status_invalid(st,
                                  "TF_Output %s:%d is neither in the function body nor among "
                                  "function inputs. Encountered while creating function '%s'",
                                  o.node->name, o.index, m->s->name);
        struct pb_function_def_ret_entry *e = pb_function_def_ret_entry_add(m->a, &m->def->ret);

        e->key = m->def->signature->output_arg.v[i]->name;
        pb_set_str(m->a, &e->value, text);
    }
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    const struct str *x = a, *y = b;
    int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

    return c ? c : (x->n > y->n) - (x->n < y->n);
}

static bool add_control_rets(struct maker *m, struct status *st)
{
    struct pb_strs *names = &m->def->signature->control_output;
    struct strmap seen = {0};
    bool ok = true;

    for (int i = 0; ok && i < m->s->num_control; i++) {
        struct node *n = m->s->control[i];
        const char *inside = n && n->graph == m->g ? m->node_names[n->id] : NULL;
        const char *name = m->s->control_names ? m->s->control_names[i] : inside;

        if (!inside)
            ok = status_invalid(st, "Control output node name must be not empty");
        else if (!name || !name[0])
            ok = status_invalid(st, "Control output name must be not empty");
        else if (strmap_put(&seen, name, m))
            ok = status_invalid(st, "Repeated control output name: %s", name);
        if (!ok)
            break;
        struct pb_function_def_control_ret_entry *e =
            pb_function_def_control_ret_entry_add(m->a, &m->def->control_ret);

        pb_set_str(m->a, &e->key, name);
        pb_set_str(m->a, &e->value, inside);
        pb_add_str(m->a, names, e->key);
    }
    if (ok && names->n > 1)
        qsort(names->v, (size_t)names->n, sizeof *names->v, compare_texts);
    strmap_release(&seen);
    return ok;
}

static bool set_name(struct maker *m, struct status *st)
{
    struct pb_op_def *sig = m->def->signature;
    struct strbuf bytes = {0};

    pb_set_str(m->a, &sig->name, m->s->name);
    if (!m->s->append_hash)
        return true;
    if (!pb_encode_with(m->def, PB_DETERMINISTIC, &bytes, st)) {
        strbuf_release(&bytes);
        return false;
    }
    uint64_t hash = hash_stable(bytes.p, bytes.n);
    char digits[12] = {0};

    for (int i = 0; i < 11; i++, hash >>= 6)
        digits[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzaA"[hash & 63];
    sig->name = str_of(arena_printf(m->a, "%s_%s", m->s->name, digits));
    strbuf_release(&bytes);
    return true;
}

static bool make(struct maker *m, struct status *st)
{
    m->def = pb_function_def_new(m->a);
    m->def->signature = pb_op_def_new(m->a);
    m->node_names = arena_array(m->a, const char *, m->g->num_nodes + 1);
    m->input_names = arena_array(m->a, const char *, m->s->num_inputs + 1);
    if (m->s->description)
        pb_set_str(m->a, &m->def->signature->description, m->s->description);
    if (!take_inputs(m, st) || !take_nodes(m, st) || !name_outputs(m, st))
        return false;
    name_inputs(m);
    for (int64_t i = 0; i < m->num_nodes; i++)
        m->node_names[m->nodes[i]->id] = unique(m, m->nodes[i]->name);
    for (int64_t i = 0; i < m->num_nodes; i++)
        if (!add_node(m, m->nodes[i], st))
            return false;
    return add_rets(m, st) && add_control_rets(m, st) && set_name(m, st);
}

bool function_from_graph(struct graph *g, const struct function_spec *s, struct arena *a,
                         struct pb_function_def **out, struct status *st)
{
    struct maker m = {.s = s, .g = g, .a = a};

    lock_take(&g->lock);
    bool ok = make(&m, st);
    lock_drop(&g->lock);
    strmap_release(&m.used);
    u64map_release(&m.inputs);
    *out = ok ? m.def : NULL;
    return ok;
}
