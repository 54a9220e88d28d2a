/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient context: what a gradient function reads, and how the nodes it asks for are built.
 *
 * Building never fails in place: the first error stays in the context and every later builder
 * returns an invalid output, so that gradients read as expressions. */
#include "grad/grad_impl.h"

#include <string.h>

#include "base/mem.h"

struct grad_kept { /* one thing handed out as borrowed, given back at the end */
    struct grad_kept *next;
    struct tensor tensor;
    struct shape shape;
};

static const struct output none = {NULL, 0};

static struct grad_kept *keep(struct grad_ctx *g)
{
    struct grad_kept *k = arena_new(&g->arena, struct grad_kept);
    k->next = g->kept;
    g->kept = k;
    return k;
}

void grad_ctx_release(struct grad_ctx *g)
{
    for (struct grad_kept *k = g->kept; k; k = k->next) {
        tensor_clear(&k->tensor);
        shape_clear(&k->shape);
    }
    g->kept = NULL;
    arena_release(&g->arena);
    status_clear(&g->error);
}

/* --- the forward node --- */

struct output grad_in(struct grad_ctx *g, int i)
{
    return g->node->inputs[i];
}

struct output grad_out(struct grad_ctx *g, int i)
{
    return (struct output){g->node, i};
}

int grad_num_inputs(struct grad_ctx *g)
{
    return g->node->num_inputs;
}

int grad_num_outputs(struct grad_ctx *g)
{
    return g->node->num_outputs;
}

const struct attrs *grad_attrs(struct grad_ctx *g)
{
    return &g->node->attrs;
}

const char *grad_op_name(struct grad_ctx *g)
{
    return g->node->op->name;
}

const char *grad_node_name(struct grad_ctx *g)
{
    return g->node->name;
}

const char *grad_scope(struct grad_ctx *g)
{
    return g->r && g->r->prefix ? g->r->prefix : g->prefix;
}

bool grad_input_range(struct grad_ctx *g, const char *arg, int *first, int *n)
{
    const struct op *op = g->node->op;
    int64_t at = 0;
    for (int i = 0; i < op->num_inputs; i++) {
        int64_t len = 0;
        struct status st = {0};
        bool ok = op_arg_len(op, &op->inputs[i], &g->node->attrs, &len, &st);
        status_clear(&st);
        if (!ok)
            return false;
        if (strcmp(op->inputs[i].name, arg) == 0) {
            *first = (int)at;
            *n = (int)len;
            return true;
        }
        at += len;
    }
    return false;
}

int grad_type_of(struct grad_ctx *g, struct output o)
{
    (void)g;
    return output_valid(o) ? dtype_base(output_type(o)) : DT_INVALID;
}

const struct shape *grad_shape_of(struct grad_ctx *g, struct output o)
{
    const struct tensor *literal = grad_literal(o);
    if (literal)
        return &literal->shape;
    struct grad_kept *k = keep(g);
    k->shape = output_valid(o) ? output_shape(o) : shape_unknown();
    return &k->shape;
}

const struct shape *grad_shape_behind(struct grad_ctx *g, struct output handle)
{
    struct grad_kept *k = keep(g);
    struct infer_result r = {0};
    k->shape = shape_unknown();
    if (output_handle(handle, &r)) {
        if (r.handles[0].n == 1)
            k->shape = shape_copy(r.handles[0].shapes[0]);
        infer_result_clear(&r);
    }
    return &k->shape;
}

const struct tensor *grad_keep_tensor(struct grad_ctx *g, const struct tensor *t)
{
    struct grad_kept *k = keep(g);
    k->tensor = tensor_copy(t);
    return &k->tensor;
}

const struct tensor *grad_const_of(struct grad_ctx *g, struct output o)
{
    struct tensor t = {0};
    if (grad_literal(o))
        return grad_literal(o);
    if (!output_valid(o) || !graph_constant(o, &t))
        return NULL;
    struct grad_kept *k = keep(g);
    k->tensor = t;
    return &k->tensor;
}

/* --- incoming and outgoing gradients --- */

bool grad_has_dy(struct grad_ctx *g, int i)
{
    return output_valid(g->dys[i].values);
}

struct grad_value grad_incoming(struct grad_ctx *g, int i)
{
    return g->dys[i];
}

const char *grad_prefix(struct grad_ctx *g)
{
    return g->prefix;
}

struct output grad_dy_or_none(struct grad_ctx *g, int i)
{
    return grad_densify(g, &g->dys[i]);
}

struct output grad_dy(struct grad_ctx *g, int i)
{
    if (!grad_has_dy(g, i) && g->zeros && output_valid(g->zeros[i]))
        return g->zeros[i];
    if (!grad_has_dy(g, i))
        return grad_zeros_like(g, grad_out(g, i));
    struct output dense = grad_densify(g, &g->dys[i]);
    g->dys[i] = (struct grad_value){.values = dense};
    return dense;
}

bool grad_dy_slices(struct grad_ctx *g, int i, struct grad_slices *out)
{
    const struct grad_value *v = &g->dys[i];
    if (!output_valid(v->indices))
        return false;
    *out = (struct grad_slices){v->values, v->indices, v->dense_shape};
    return true;
}

void grad_set(struct grad_ctx *g, int input, struct output dx)
{
    ASSERT(input >= 0 && input < g->node->num_inputs);
    g->dxs[input] = (struct grad_value){.values = grad_resolve(g, dx)};
}

void grad_set_slices(struct grad_ctx *g, int input, struct grad_slices dx)
{
    g->dxs[input] = (struct grad_value){grad_resolve(g, dx.values), grad_resolve(g, dx.indices),
                                        grad_resolve(g, dx.dense_shape)};
}

bool grad_fail(struct grad_ctx *g, struct status *st, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (status_ok(&g->error))
        status_vfail(&g->error, code, fmt, ap);
    va_end(ap);
    status_copy(st, &g->error);
    return false;
}

void grad_fail_unimplemented(struct grad_ctx *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (status_ok(&g->error))
        status_vfail(&g->error, STATUS_UNIMPLEMENTED, fmt, ap);
    va_end(ap);
}

bool grad_done(struct grad_ctx *g, struct status *st)
{
    if (status_ok(&g->error))
        return true;
    status_copy(st, &g->error);
    return false;
}

/* --- building nodes --- */

void grad_name(struct grad_ctx *g, const char *name)
{
    if (grad_as_python(g))
        g->next_name = name;
}

/* Of "name=Op": the op, and the name for the node where tf.gradients' names are wanted. */
static char *node_name(struct grad_ctx *g, const char *text, const char **op)
{
    const char *equals = strchr(text, '=');
    *op = equals ? equals + 1 : text;
    const char *name = *op;
    if (g->scope_name) {
        char *own = mem_strdup(g->scope_name);
        g->scope_name = NULL;
        return own;
    }
    if (g->next_name)
        name = g->next_name;
    else if (equals && grad_as_python(g))
        name = arena_printf(&g->arena, "%.*s", (int)(equals - text), text);
    g->next_name = NULL;
    char *wanted = arena_printf(&g->arena, "%s%s%s", g->prefix, g->prefix[0] ? "/" : "", name);
    return graph_unique_name(g->graph, wanted, true);
}

static void describe_inputs(struct node_desc *d, const struct grad_build *b,
                            const struct output *inputs)
{
    if (!b->list_sizes) {
        for (int i = 0; i < b->num_inputs; i++)
            node_desc_input(d, inputs[i]);
        return;
    }
    int at = 0;
    for (int a = 0; d->op && a < d->op->num_inputs; a++) {
        const struct op_arg *arg = &d->op->inputs[a];
        if (arg->number_attr >= 0 || arg->is_list_type)
            node_desc_input_list(d, inputs + at, b->list_sizes[a]);
        else
            node_desc_input(d, inputs[at]);
        at += arg->number_attr >= 0 || arg->is_list_type ? b->list_sizes[a] : 1;
    }
}

static bool inputs_valid(struct grad_ctx *g, const struct grad_build *b)
{
    for (int i = 0; i < b->num_inputs; i++) {
        if (!output_valid(b->inputs[i])) {
            status_fail(&g->error, STATUS_INTERNAL, "%s: input %d of a gradient node is missing",
                        b->op, i);
            return false;
        }
    }
    return true;
}

/* The size of a value of the forward loop is taken there, so that not the value must be kept. */
static bool belongs_forward(const struct walk *w, const struct grad_build *b)
{
    if (!w || w->raw || !w->cur || b->num_inputs != 1 ||
        (strcmp(b->op, "Shape") != 0 && strcmp(b->op, "Size") != 0 && strcmp(b->op, "Rank") != 0))
        return false;
    const struct output o = b->inputs[0];
    const struct place p = walk_place((struct walk *)(uintptr_t)w, o);
    return !p.loop && p.frame == w->cur->fwd &&
           !(node_op_is(o.node, "Enter") && attrs_bool(&o.node->attrs, "is_constant"));
}

/* A node that has nothing of its own turn must wait for the turn. */
bool grad_needs_turn(const struct output *inputs, int n)
{
    for (int i = 0; i < n; i++) {
        if (!node_op_is(inputs[i].node, "Enter") ||
            !attrs_bool(&inputs[i].node->attrs, "is_constant"))
            return false;
    }
    return true;
}

void grad_note_place(struct walk *w, const struct node *n)
{
    const int64_t at = n->id - w->num_nodes;
    w->made = vec_reserve(w->made, &w->cap_made, at + 1, sizeof *w->made);
    while (w->num_made <= at)
        w->made[w->num_made++] = (struct place){0};
    w->made[at] = w->raw ? w->at : (struct place){.loop = w->cur};
}

static struct node *describe_and_finish(struct grad_ctx *g, const struct grad_build *b,
                                        const char *name, const struct output *inputs)
{
    struct walk *w = g->w;
    struct node_desc *d = node_desc_new(g->graph, b->op, name);
    describe_inputs(d, b, inputs);
    for (int64_t i = 0; b->attrs && i < b->attrs->n; i++)
        node_desc_attr(d, b->attrs->items[i].name, attr_value_dup(&b->attrs->items[i].value));
    const bool in_frame = w && (w->raw ? w->at.loop || w->at.frame > 0 : w->cur != NULL);
    for (int i = 0; i < b->num_control && (!in_frame || w->raw || b->control_here); i++)
        node_desc_control(d, b->control[i].node);
    if (in_frame && !w->raw && grad_needs_turn(inputs, b->num_inputs))
        node_desc_control(d, w->cur->index.node);
    const int64_t num_control = d->num_control;
    if (g->r && g->r->before_node)
        g->r->before_node(g->r->hook_arg, d);
    if (in_frame)
        d->num_control = num_control; /* what waits outside of a loop cannot hold a turn up */
    if (g->next_device) {
        mem_free(d->device);
        d->device = mem_strdup(g->next_device);
    }
    struct node *n = node_finish(d, &g->error);
    if (n && w)
        grad_note_place(w, n);
    if (n && g->r && g->r->after_node)
        g->r->after_node(g->r->hook_arg, n);
    return n;
}

static struct node *node_forward(struct grad_ctx *g, const struct grad_build *b)
{
    struct walk *w = g->w;
    w->raw = true;
    w->at = walk_place(w, b->inputs[0]);
    struct node *n = grad_node(g, b);
    w->raw = false;
    return n;
}

struct node *grad_node(struct grad_ctx *g, const struct grad_build *b)
{
    if (!status_ok(&g->error) || !inputs_valid(g, b))
        return NULL;
    if (belongs_forward(g->w, b))
        return node_forward(g, b);
    struct grad_build plain = *b;
    char *name = node_name(g, b->op, &plain.op);
    plain.inputs = grad_resolve_inputs(g, b, plain.op, name);
    b = &plain;
    const struct output *inputs = b->inputs;
    if (g->w && g->w->cur && !g->w->raw) {
        const char *outer = g->prefix;
        struct output *here = arena_array(&g->arena, struct output, b->num_inputs + 1);
        g->prefix = name; /* what brings a value here stands under the node that wants it */
        for (int i = 0; i < b->num_inputs; i++)
            here[i] = walk_here(g, b->inputs[i]);
        g->prefix = outer;
        inputs = here;
    }
    struct node *n = status_ok(&g->error) ? describe_and_finish(g, b, name, inputs) : NULL;
    mem_free(name);
    return n;
}

struct node *grad_nodev(struct grad_ctx *g, const char *op, int num_inputs,
                        const struct output *inputs, int num_attrs, struct attr *attrs)
{
    struct attrs set = {0};
    for (int i = 0; i < num_attrs; i++)
        attrs_set(&set, attrs[i].name, attrs[i].value);
    struct node *n = grad_node(
        g,
        &(struct grad_build){.op = op, .inputs = inputs, .num_inputs = num_inputs, .attrs = &set});
    attrs_clear(&set);
    return n;
}

struct output grad_node_out(struct grad_ctx *g, struct node *n, int i)
{
    (void)g;
    return n ? (struct output){n, i} : none;
}

struct output grad_opv(struct grad_ctx *g, const char *op, int num_inputs,
                       const struct output *inputs, int num_attrs, struct attr *attrs)
{
    return grad_node_out(g, grad_nodev(g, op, num_inputs, inputs, num_attrs, attrs), 0);
}

struct output grad_op1(struct grad_ctx *g, const char *op, struct output a)
{
    return grad_opv(g, op, 1, &a, 0, NULL);
}

struct output grad_op2(struct grad_ctx *g, const char *op, struct output a, struct output b)
{
    return grad_opv(g, op, 2, (struct output[]){a, b}, 0, NULL);
}

struct output grad_op3(struct grad_ctx *g, const char *op, struct output a, struct output b,
                       struct output c)
{
    return grad_opv(g, op, 3, (struct output[]){a, b, c}, 0, NULL);
}
