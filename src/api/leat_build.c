/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes made under scopes: leat_begin to leat_finish, and variables among the inputs. */
#include <string.h>

#include "api/leat_flow.h"

static struct node_desc *desc_of(TF_OperationDescription *d)
{
    return (struct node_desc *)d;
}

/* --- beginning: name, device, colocation --- */

static char *node_name(struct graph *g, const struct frame *f, const char *name)
{
    size_t n = strlen(name);
    if (n > 0 && name[n - 1] == '/')
        return mem_strndup(name, n - 1);
    char *full = mem_printf("%s%s", f ? f->scope : "", name);
    char *unique = graph_unique_name(g, full, true);
    mem_free(full);
    return unique;
}

/* d joins what n is colocated with: n itself, or the nodes that its _class names. */
static void join_class(struct node_desc *d, struct node *n)
{
    const struct attr_value *list = attrs_find(&n->attrs, "_class");
    bool found = false;
    for (int64_t i = 0; list && list->is_list && list->kind == ATTR_STRING && i < list->n; i++) {
        if (!str_starts(list->ss[i], "loc:@"))
            continue;
        char *name = mem_strndup(list->ss[i].p + 5, list->ss[i].n - 5);
        struct node *to = graph_find(d->graph, name);
        mem_free(name);
        if (to)
            node_desc_colocate(d, to);
        found = found || to;
    }
    if (!found)
        node_desc_colocate(d, n);
}

void builder_colocation(struct node_desc *d, const struct frame *f)
{
    const char *device = NULL;
    for (; f && !(f->kind == FRAME_COLOCATE && f->lift); f = f->up) {
        if (f->kind == FRAME_COLOCATE && f->class_name) {
            char *text = mem_printf("loc:@%s", f->class_name);
            strmap_put(&d->colocate, text, d);
            mem_free(text);
        }
        if (f->kind != FRAME_COLOCATE || f->num_nodes == 0)
            continue;
        join_class(d, f->nodes[0]);
        d->placed = true;
        if (!device && f->nodes[0]->device[0])
            device = f->nodes[0]->device;
    }
    if (device) {
        mem_free(d->device);
        d->device = mem_strdup(device);
    }
}

TF_OperationDescription *leat_begin(TF_Graph *graph, const char *op, const char *name,
                                    const char *made_at)
{
    if (!graph || !op)
        return NULL;
    struct graph *g = api_graph(graph);
    const struct frame *f = builder_frame(g);
    char *full = node_name(g, f, name && name[0] ? name : op);
    struct node_desc *d = node_desc_new(g, op, full);
    mem_free(full);
    const char *at = f && f->made_at ? f->made_at : made_at;
    d->made_at = at ? mem_strdup(at) : NULL;
    if (f && f->device[0] && !f->asks) {
        mem_free(d->device);
        d->device = mem_strdup(f->device);
    }
    builder_colocation(d, f);
    return (TF_OperationDescription *)d;
}

/* --- variables --- */

void leat_register_variable(TF_Graph *graph, const struct leat_variable_parts *parts)
{
    if (!graph || !parts || !parts->ref.oper)
        return;
    struct builder *b = builder_get(api_graph(graph));
    struct leat_variable_parts *own = mem_new(struct leat_variable_parts);
    *own = *parts;
    lock_take(&b->lock);
    b->owned = vec_reserve(b->owned, &b->cap_owned, b->num_owned + 1, sizeof *b->owned);
    b->owned[b->num_owned++] = own;
    u64map_put(&b->variables, (uint64_t)api_node(parts->ref.oper)->id + 1, own);
    if (parts->read.oper)
        u64map_put(&b->variables, (uint64_t)api_node(parts->read.oper)->id + 1, own);
    lock_drop(&b->lock);
}

int leat_find_variable(TF_Graph *graph, TF_Output v, struct leat_variable_parts *parts)
{
    if (!graph || !v.oper || api_node(v.oper)->graph != api_graph(graph))
        return 0;
    struct builder *b = builder_get(api_graph(graph));
    lock_take(&b->lock);
    const struct leat_variable_parts *found =
        u64map_find(&b->variables, (uint64_t)api_node(v.oper)->id + 1);
    if (found && parts)
        *parts = *found;
    lock_drop(&b->lock);
    return found != NULL;
}

int leat_find_variable_named(TF_Graph *g, const char *name, struct leat_variable_parts *parts)
{
    TF_Operation *op = g && name ? TF_GraphOperationByName(g, name) : NULL;
    return leat_find_variable(g, leat_output_of(op, 0), parts);
}

/* A node NAME/ReadVariableOp, where NAME is that of the node being described. */
static TF_Output read_resource(struct node_desc *d, const struct leat_variable_parts *v)
{
    TF_Graph *g = (TF_Graph *)d->graph;
    char *scope = mem_printf("%s/", d->name);
    leat_push_scope(g, scope);
    mem_free(scope);
    leat_push_colocation(g, NULL); /* reads are where the variable is */
    leat_push_device(g, TF_OperationDevice(v->ref.oper));
    TF_OperationDescription *read = leat_begin(g, "ReadVariableOp", NULL, d->made_at);
    TF_SetAttrType(read, "dtype", v->dtype);
    leat_add_raw_input(read, v->ref);
    TF_Output out = leat_output_of(leat_finish(read), 0);
    for (int i = 0; i < 3; i++)
        leat_pop(g);
    return out;
}

/* What the op gets for the input: a variable's value where it wants no reference. */
static TF_Output value_for(struct node_desc *d, const struct op_arg *arg, TF_Output in)
{
    struct leat_variable_parts v;
    if (!leat_find_variable((TF_Graph *)d->graph, in, &v))
        return in;
    bool is_ref = in.oper == v.ref.oper;
    if (!v.is_resource)
        return arg->is_ref ? v.ref : is_ref ? v.read : in;
    if (arg->type == DT_RESOURCE || arg->is_list_type)
        return arg->type == DT_RESOURCE ? v.ref : in;
    return is_ref ? read_resource(d, &v) : in;
}

static const struct op_arg *next_arg(const struct node_desc *d)
{
    return d->op && d->num_args < d->op->num_inputs ? &d->op->inputs[d->num_args] : NULL;
}

/* What takes a reference runs where that is. */
static void stand_with(struct node_desc *d, struct node *n)
{
    if (n->graph != d->graph)
        return;
    join_class(d, n);
    d->placed = true;
    mem_free(d->device);
    d->device = mem_strdup(n->device);
}

/* What brings it in stands under the new node. */
static TF_Output bring(struct node_desc *d, TF_Output in)
{
    if (in.oper) {
        d->given = vec_reserve(d->given, &d->cap_given, d->num_given + 1, sizeof(struct node *));
        d->given[d->num_given++] = api_node(in.oper);
    }
    char *scope = mem_printf("%s/", d->name);
    in = builder_bring(d->graph, in, scope);
    mem_free(scope);
    return in;
}

static void add_input(TF_OperationDescription *d, TF_Output input, bool raw)
{
    if (!d)
        return;
    struct node_desc *desc = desc_of(d);
    const struct op_arg *arg = next_arg(desc);
    if (arg && !raw)
        input = value_for(desc, arg, input);
    struct node *ref = arg && arg->is_ref && input.oper ? api_node(input.oper) : NULL;
    const bool place = ref && ref->graph == desc->graph;
    if (place) /* with it, and not with what brings it into a loop */
        leat_push_colocation((TF_Graph *)desc->graph, input.oper);
    input = bring(desc, input);
    if (place)
        leat_pop((TF_Graph *)desc->graph);
    TF_AddInput(d, input);
    if (place)
        stand_with(desc, ref);
}

static void add_input_list(TF_OperationDescription *d, const TF_Output *inputs, int n, bool raw)
{
    if (!d)
        return;
    const struct op_arg *arg = next_arg(desc_of(d));
    if (!arg || n <= 0 || !inputs) {
        TF_AddInputList(d, inputs, n);
        return;
    }
    TF_Output *values = mem_new_array(TF_Output, n);
    for (int i = 0; i < n; i++)
        values[i] = bring(desc_of(d), raw ? inputs[i] : value_for(desc_of(d), arg, inputs[i]));
    TF_AddInputList(d, values, n);
    mem_free(values);
}

void leat_add_input(TF_OperationDescription *d, TF_Output input)
{
    add_input(d, input, false);
}

void leat_add_input_list(TF_OperationDescription *d, const TF_Output *inputs, int n)
{
    add_input_list(d, inputs, n, false);
}

void leat_add_raw_input(TF_OperationDescription *d, TF_Output input)
{
    add_input(d, input, true);
}

void leat_add_raw_input_list(TF_OperationDescription *d, const TF_Output *inputs, int n)
{
    add_input_list(d, inputs, n, true);
}

/* --- finishing --- */

static bool is_input(const struct node_desc *d, const struct node *n)
{
    for (int64_t i = 0; i < d->num_inputs; i++) {
        if (d->inputs[i].node == n)
            return true;
    }
    for (int64_t i = 0; i < d->num_given; i++) {
        if (d->given[i] == n)
            return true;
    }
    return false;
}

/* Whether some input was made under f, and so already waits. */
static bool follows(const struct node_desc *d, const struct frame *f)
{
    for (int64_t i = 0; i < d->num_inputs; i++) {
        if (u64map_find(&f->made, (uint64_t)d->inputs[i].node->id + 1))
            return true;
    }
    for (int64_t i = 0; i < d->num_given; i++) {
        if (u64map_find(&f->made, (uint64_t)d->given[i]->id + 1))
            return true;
    }
    return false;
}

void builder_controls(struct graph *g, struct node_desc *d)
{
    for (const struct frame *f = builder_frame(g); f; f = f->up) {
        if (f->kind != FRAME_CONTROL)
            continue;
        if (f->lift)
            return;
        bool waits = follows(d, f);
        for (int i = 0; !waits && i < f->num_nodes; i++) {
            if (!is_input(d, f->nodes[i]))
                node_desc_control(d, f->nodes[i]);
        }
    }
}

void builder_made(struct graph *g, struct node *n)
{
    struct thread_state *t = builder_thread(g, false);
    for (struct frame *f = t ? t->top : NULL; f; f = f->up) {
        if (f->kind != FRAME_CONTROL)
            continue;
        if (f->lift)
            break;
        u64map_put(&f->made, (uint64_t)n->id + 1, f);
    }
    if (t)
        flow_note(t->top, n);
}

/* Functions that say devices see the whole node; what stands with another node is not asked for. */
static void ask_device(struct graph *g, struct node_desc *d)
{
    const struct frame *f = builder_frame(g);
    if (!f || !f->asks || d->placed || d->device[0])
        return;
    mem_free(d->device);
    d->device = builder_device(g, f, d);
}

TF_Operation *leat_finish(TF_OperationDescription *description)
{
    if (!description)
        return NULL;
    struct node_desc *d = desc_of(description);
    struct graph *g = d->graph;
    struct status st = {0};
    char *what = mem_printf("node '%s' (%s)", d->name, d->op_name);
    char *at = d->made_at ? mem_strdup(d->made_at) : NULL;
    if (!graph_name_valid(d->name))
        status_invalid(&d->first_error, "'%s' is not a valid node name", d->name);
    ask_device(g, d);
    builder_controls(g, d);
    struct grad_ctx *loop = builder_gradient_loop(g);
    if (loop)
        grad_hold_turn(loop, d);
    else
        builder_flow_controls(g, d);
    builder_attrs(g, d);
    struct node *n = node_finish(d, &st);
    if (n && loop)
        grad_note_made(loop, n);
    if (n)
        builder_made(g, n);
    else
        builder_record(g, &st, what, at);
    status_clear(&st);
    mem_free(what);
    mem_free(at);
    if (n)
        builder_tell(g, n);
    return api_oper(n);
}

/* --- what is known of an output --- */

int leat_static_shape(TF_Graph *g, TF_Output y, int64_t *dims, int max)
{
    if (!g || !y.oper || api_node(y.oper)->graph != api_graph(g) || y.index < 0 ||
        y.index >= api_node(y.oper)->num_outputs)
        return LEAT_UNKNOWN_RANK;
    struct leat_variable_parts v;
    if (leat_find_variable(g, y, &v) && v.is_resource && v.read.oper)
        y = v.read;
    struct shape s = output_shape(api_output(y));
    int rank = s.rank;
    for (int i = 0; i < rank && i < max && dims; i++)
        dims[i] = shape_dims(&s)[i];
    shape_clear(&s);
    return rank;
}

TF_DataType leat_dtype(TF_Graph *g, TF_Output y)
{
    struct leat_variable_parts v;
    struct status st = {0};
    if (leat_find_variable(g, y, &v))
        return v.dtype;
    bool ok = api_check_output(y, &st);
    status_clear(&st);
    return ok ? (TF_DataType)dtype_base(output_type(api_output(y))) : (TF_DataType)0;
}
