/* SPDX-License-Identifier: Apache-2.0 */
/* A node being described: inputs are matched with the op's arguments as they come, attrs that
 * follow from them are set, and errors are collected until node_finish tells all of them.
 *
 * A description belongs to one thread; node_finish alone takes the graph's lock. */
#include "graph/graph_impl.h"

#include "graph/function.h"

const struct op *graph_find_op(struct graph *g, const char *name)
{
    const struct op *op = op_find(name);

    if (op)
        return op;
    struct function *f = graph_function(g, name);

    return f ? f->op : NULL;
}

struct node_desc *node_desc_new(struct graph *g, const char *op, const char *name)
{
    struct node_desc *d = mem_new(struct node_desc);

    d->graph = g;
    d->op = graph_find_op(g, op);
    d->op_name = mem_strdup(op);
    d->name = mem_strdup(name);
    d->device = mem_strdup("");
    return d;
}

void node_desc_free(struct node_desc *d)
{
    if (!d)
        return;
    mem_free(d->op_name);
    mem_free(d->name);
    mem_free(d->device);
    mem_free(d->made_at);
    attrs_clear(&d->attrs);
    mem_free(d->inputs);
    mem_free(d->list_sizes);
    mem_free(d->control);
    mem_free(d->given);
    strmap_release(&d->colocate);
    strbuf_release(&d->errors);
    strbuf_release(&d->source_errors);
    status_clear(&d->first_error);
    mem_free(d);
}

/* One more line of what is wrong; TensorFlow reports them all. */
static void PRINTF_LIKE(2, 3) desc_error(struct node_desc *d, const char *fmt, ...)
{
    va_list ap;

    if (d->num_errors++)
        strbuf_putc(&d->errors, '\n');
    va_start(ap, fmt);
    strbuf_vprintf(&d->errors, fmt, ap);
    va_end(ap);
}

void node_desc_attr(struct node_desc *d, const char *name, struct attr_value v)
{
    const struct attr_value *had = attrs_find(&d->attrs, name);

    if (!had) {
        attrs_set(&d->attrs, name, v);
        return;
    }
    if (!attr_value_equal(had, &v)) {
        struct strbuf a = {0}, b = {0};

        attr_value_print(had, &a);
        attr_value_print(&v, &b);
        desc_error(d, "Inconsistent values for attr '%s' %s vs. %s", name, strbuf_text(&a),
                   strbuf_text(&b));
        strbuf_release(&a);
        strbuf_release(&b);
    }
    attr_value_clear(&v);
}

/* The argument that comes next; NULL after telling that there is none. */
static const struct op_arg *next_arg(struct node_desc *d, int list_size)
{
    if (!d->op)
        return NULL;
    if (d->num_args >= d->op->num_inputs) {
        desc_error(d, "More Input() calls than the %d input_args", d->op->num_inputs);
        return NULL;
    }
    d->list_sizes =
        vec_reserve(d->list_sizes, &d->cap_args, d->num_args + 1, sizeof *d->list_sizes);
    d->list_sizes[d->num_args] = list_size;
    return &d->op->inputs[d->num_args++];
}

/* Sources that cannot be are told alone, before all else. */
static void PRINTF_LIKE(2, 3) source_error(struct node_desc *d, const char *fmt, ...)
{
    va_list ap;

    if (d->source_errors.n)
        strbuf_putc(&d->source_errors, '\n');
    va_start(ap, fmt);
    strbuf_vprintf(&d->source_errors, fmt, ap);
    va_end(ap);
}

static bool add_input(struct node_desc *d, struct output in)
{
    if (!in.node) {
        source_error(d, "Attempt to add nullptr Node to node with type %s", d->op_name);
        return false;
    }
    if (in.node->graph != d->graph) {
        source_error(d, "Attempt to add output %d of %s, which is in another graph, to node '%s'",
                     in.index, in.node->name, d->name);
        return false;
    }
    if (in.index < 0 || in.index >= in.node->num_outputs) {
        source_error(d,
                     "Attempt to add output %d of %s not in range [0, %d) to node with type %s. "
                     "Node: {{node %s}}",
                     in.index, in.node->name, in.node->num_outputs, d->op_name, in.node->name);
        return false;
    }
    d->inputs = vec_reserve(d->inputs, &d->cap_inputs, d->num_inputs + 1, sizeof *d->inputs);
    d->inputs[d->num_inputs++] = in;
    return true;
}

static void want_type(struct node_desc *d, const struct op_arg *arg, int base, int actual)
{
    int expected = arg->is_ref ? base + DT_REF : base;

    if (!input_type_fits(expected, actual))
        desc_error(d, "Input '%s' passed %s expected %s", arg->name, dtype_name(actual),
                   dtype_name(expected));
}

static void want_ref(struct node_desc *d, const struct op_arg *arg, int actual)
{
    if (arg->is_ref && !dtype_is_ref(actual))
        desc_error(d, "Input '%s' passed %s expected ref type", arg->name, dtype_name(actual));
}

static const char *attr_name(const struct node_desc *d, int index)
{
    return d->op->attrs[index].name;
}

void node_desc_input(struct node_desc *d, struct output in)
{
    const struct op_arg *arg = next_arg(d, -1);

    if (!arg || !add_input(d, in))
        return;
    int actual = output_type(in);

    if (arg->number_attr >= 0 || arg->is_list_type) {
        desc_error(d, "Single tensor passed to '%s', expected list", arg->name);
    } else if (arg->type != DT_INVALID) {
        want_type(d, arg, arg->type, actual);
    } else {
        want_ref(d, arg, actual);
        node_desc_attr(d, attr_name(d, arg->type_attr), attr_type(dtype_base(actual)));
    }
}

/* A list of one type: its length is an attr, and its type may be. */
static void number_list(struct node_desc *d, const struct op_arg *arg, const struct output *in,
                        int n)
{
    int base = arg->type;

    node_desc_attr(d, attr_name(d, arg->number_attr), attr_int(n));
    if (base == DT_INVALID) {
        if (n == 0)
            return;
        base = dtype_base(output_type(in[0]));
        node_desc_attr(d, attr_name(d, arg->type_attr), attr_type(base));
    }
    for (int i = 0; i < n; i++)
        want_type(d, arg, base, output_type(in[i]));
}

static void type_list(struct node_desc *d, const struct op_arg *arg, const struct output *in, int n)
{
    int *types = mem_new_array(int, n);

    for (int i = 0; i < n; i++) {
        want_ref(d, arg, output_type(in[i]));
        types[i] = dtype_base(output_type(in[i]));
    }
    node_desc_attr(d, attr_name(d, arg->type_attr), attr_list(ATTR_TYPE, types, n));
    mem_free(types);
}

void node_desc_input_list(struct node_desc *d, const struct output *in, int n)
{
    const struct op_arg *arg = next_arg(d, n);

    if (!arg)
        return;
    for (int i = 0; i < n; i++)
        if (!add_input(d, in[i]))
            return;
    if (arg->is_list_type)
        type_list(d, arg, in, n);
    else if (arg->number_attr >= 0)
        number_list(d, arg, in, n);
    else
        desc_error(d, "List provided to input '%s' when single Tensor expected", arg->name);
}

void node_desc_control(struct node_desc *d, struct node *n)
{
    if (!n || n->graph != d->graph) {
        source_error(d, "Attempt to add %s as control input of node '%s'",
                     n ? "a node of another graph" : "nullptr Node", d->name);
        return;
    }
    d->control = vec_reserve(d->control, &d->cap_control, d->num_control + 1, sizeof *d->control);
    d->control[d->num_control++] = n;
}

void node_desc_colocate(struct node_desc *d, struct node *n)
{
    char *text = mem_printf("loc:@%s", n->name);

    strmap_put(&d->colocate, text, n);
    mem_free(text);
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* _class: the nodes asked for, sorted. It replaces what the attr held. */
static void set_colocation(struct node_desc *d)
{
    int64_t n = 0, pos = 0;
    const char *key;
    void *value;

    if (!d->colocate.num_live)
        return;
    const char **names = mem_new_array(const char *, d->colocate.num_live);
    struct str *items = mem_new_array(struct str, d->colocate.num_live);

    while (strmap_next(&d->colocate, &pos, &key, &value))
        names[n++] = key;
    qsort(names, (size_t)n, sizeof *names, compare_text);
    for (int64_t i = 0; i < n; i++)
        items[i] = str_of(names[i]);
    attrs_set(&d->attrs, "_class", attr_list(ATTR_STRING, items, n));
    mem_free(items);
    mem_free(names);
}

static bool unknown_op(const struct node_desc *d, struct status *st)
{
    struct status why = {0};

    if (op_get(d->op_name, &why)) /* registered since */
        return status_invalid(st, "Op '%s' was not registered when node '%s' was begun", d->op_name,
                              d->name);
    status_invalid(st, "%s while building NodeDef '%s'", status_message(&why), d->name);
    status_clear(&why);
    return false;
}

static bool tell_errors(struct node_desc *d, struct status *st)
{
    struct strbuf op = {0};

    if (!status_ok(&d->first_error)) {
        status_move(st, &d->first_error);
        return false;
    }
    if (d->source_errors.n)
        return status_invalid(st, "%s", strbuf_text(&d->source_errors));
    if (!d->op)
        return unknown_op(d, st);
    if (d->num_args < d->op->num_inputs)
        desc_error(d, "%lld inputs specified of %d inputs in Op", (long long)d->num_args,
                   d->op->num_inputs);
    if (!d->num_errors)
        return true;
    op_print(d->op, &op);
    if (d->num_errors == 1)
        status_invalid(st, "%s while building NodeDef '%s' using %s", strbuf_text(&d->errors),
                       d->name, strbuf_text(&op));
    else
        status_invalid(st, "%d errors while building NodeDef '%s' using %s:\n%s", d->num_errors,
                       d->name, strbuf_text(&op), strbuf_text(&d->errors));
    strbuf_release(&op);
    return false;
}

struct node *node_finish(struct node_desc *d, struct status *st)
{
    struct graph *g = d->graph;
    struct node *n = NULL;

    lock_take(&g->lock);
    if (graph_find_locked(g, d->name)) {
        status_invalid(st, "Duplicate node name in graph: '%s'", d->name);
    } else if (tell_errors(d, st)) {
        set_colocation(d);
        n = graph_add_node(g,
                           &(struct node_spec){.op = d->op,
                                               .name = d->name,
                                               .device = d->device,
                                               .made_at = d->made_at,
                                               .attrs = &d->attrs,
                                               .inputs = d->inputs,
                                               .num_inputs = d->num_inputs,
                                               .control = d->control,
                                               .num_control = d->num_control},
                           st);
    }
    lock_drop(&g->lock);
    node_desc_free(d);
    return n;
}
