/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of loops made of functions.
 *
 * The forward loop is made once more with a counter and, for each variable that the body changes, a
 * list of what it was at each turn's beginning. The backward loop takes these values off the lists
 * and calls the gradient of the body with them, as often as the counter says. A variable that the
 * body hands on unchanged is the same in every turn: its gradient adds up by itself, as the body
 * hands it on too; that of a resource, which has none to hand on, is added up. */
#include "base/mem.h"
#include "grad/function_grad.h"
#include "grad/grad_ctx.h"

struct while_grad {
    struct grad_ctx *g;
    const struct attr_func *cond, *body;
    int n;      /* variables */
    int *types; /* of each */
    bool *same; /* the body hands it on */
    int *list;  /* which list it is recorded on, or -1 */
    int num_lists;
    int *x, *x_types; /* those that get gradients */
    int num_x;
    bool *has_dy; /* by variable: a gradient comes in and goes on */
    int *dy;      /* which of the x that is */
    char *names[5];
    int num_names;
};

/* --- small graphs for the functions --- */

struct draft { /* a function's body while it is written */
    struct graph *graph;
    struct output *in, *out;
    int num_in, num_out;
    struct status *st;
};

static struct node *put(struct draft *d, const char *op, const struct output *in, int n, bool list,
                        int num_attrs, struct attr *attrs)
{
    if (!status_ok(d->st)) {
        for (int i = 0; i < num_attrs; i++)
            attr_value_clear(&attrs[i].value);
        return NULL;
    }
    char *name = graph_unique_name(d->graph, op[0] == '_' ? "arg" : op, true);
    struct node_desc *desc = node_desc_new(d->graph, op, name);

    mem_free(name);
    if (list)
        node_desc_input_list(desc, in, n);
    for (int i = 0; i < n && !list; i++)
        node_desc_input(desc, in[i]);
    for (int i = 0; i < num_attrs; i++)
        node_desc_attr(desc, attrs[i].name, attrs[i].value);
    return node_finish(desc, d->st);
}

static struct output put_arg(struct draft *d, int type)
{
    struct attr attrs[] = {{(char *)"T", attr_type(type)}, {(char *)"index", attr_int(d->num_in)}};

    return d->in[d->num_in++] = (struct output){put(d, "_Arg", NULL, 0, false, 2, attrs), 0};
}

static struct output put_int(struct draft *d, int32_t v)
{
    struct tensor t = {0};

    if (!status_ok(d->st) || !tensor_from(&t, DT_INT32, NULL, 0, &v, d->st))
        return (struct output){NULL, 0};
    struct attr attrs[] = {{(char *)"value", attr_tensor(&t)},
                           {(char *)"dtype", attr_type(DT_INT32)}};
    struct node *n = put(d, "Const", NULL, 0, false, 2, attrs);

    tensor_clear(&t);
    return (struct output){n, 0};
}

static struct output put2(struct draft *d, const char *op, struct output a, struct output b)
{
    return (struct output){put(d, op, (struct output[]){a, b}, 2, false, 0, NULL), 0};
}

static struct node *put_call(struct draft *d, const char *name, const struct attrs *attrs,
                             const struct output *in, int n, const int *types, int num_out)
{
    struct attr with[] = {{(char *)"f", attr_func(name, attrs)},
                          {(char *)"Tout", attr_list(ATTR_TYPE, types, num_out)}};

    return put(d, "StatefulPartitionedCall", in, n, true, 2, with);
}

static void put_out(struct draft *d, struct output o)
{
    d->out[d->num_out++] = o;
}

static void draft_open(struct while_grad *w, struct draft *d, struct status *st)
{
    const int most = 2 * (w->n + w->num_x + w->num_lists) + 2;

    *d = (struct draft){.graph = function_body_graph(w->g->graph), .st = st};
    d->in = mem_new_array(struct output, most);
    d->out = mem_new_array(struct output, most);
}

/* What was written becomes a function of the library; its name, or NULL. */
static const char *draft_close(struct while_grad *w, struct draft *d, const char *base)
{
    char *name = NULL;

    if (status_ok(d->st))
        name = function_add_from(w->g->graph, base,
                                 &(struct function_ends){.body = d->graph,
                                                         .in = d->in,
                                                         .num_in = d->num_in,
                                                         .out = d->out,
                                                         .num_out = d->num_out},
                                 d->st);
    graph_unref(d->graph);
    mem_free(d->in);
    mem_free(d->out);
    if (name)
        w->names[w->num_names++] = name;
    return name;
}

/* --- the forward loop: variables, counter, lists --- */

static void forward_args(struct while_grad *w, struct draft *d)
{
    for (int i = 0; i < w->n; i++)
        put_arg(d, w->types[i]);
    put_arg(d, DT_INT32);
    for (int i = 0; i < w->num_lists; i++)
        put_arg(d, DT_VARIANT);
}

static const char *forward_cond(struct while_grad *w, struct status *st)
{
    struct draft d;

    draft_open(w, &d, st);
    forward_args(w, &d);
    put_out(&d,
            (struct output){
                put_call(&d, w->cond->name, &w->cond->attrs, d.in, w->n, (int[]){DT_BOOL}, 1), 0});
    return draft_close(w, &d, w->cond->name);
}

static const char *forward_body(struct while_grad *w, struct status *st)
{
    struct draft d;

    draft_open(w, &d, st);
    forward_args(w, &d);
    struct node *call = put_call(&d, w->body->name, &w->body->attrs, d.in, w->n, w->types, w->n);

    for (int i = 0; i < w->n; i++)
        put_out(&d, (struct output){call, i});
    put_out(&d, put2(&d, "Add", d.in[w->n], put_int(&d, 1)));
    for (int i = 0; i < w->n; i++)
        if (w->list[i] >= 0)
            put_out(&d, put2(&d, "TensorListPushBack", d.in[w->n + 1 + w->list[i]], d.in[i]));
    return draft_close(w, &d, w->body->name);
}

/* --- the backward loop: counter, gradients, lists, what does not change --- */

static void backward_args(struct while_grad *w, struct draft *d)
{
    put_arg(d, DT_INT32);
    for (int i = 0; i < w->num_x; i++)
        put_arg(d, w->x_types[i]);
    for (int i = 0; i < w->num_lists; i++)
        put_arg(d, DT_VARIANT);
    for (int i = 0; i < w->n; i++)
        if (w->list[i] < 0)
            put_arg(d, w->types[i]);
}

static const char *backward_cond(struct while_grad *w, struct status *st)
{
    struct draft d;

    draft_open(w, &d, st);
    backward_args(w, &d);
    put_out(&d, put2(&d, "Greater", d.in[0], put_int(&d, 0)));
    return draft_close(w, &d, w->cond->name);
}

/* The gradients after a turn of the body whose gradient function `turn` is. */
static void put_gradients(struct while_grad *w, struct draft *d, const char *turn,
                          const struct output *values)
{
    struct output *in = mem_new_array(struct output, w->n + w->num_x);
    int num_in = w->n;

    for (int i = 0; i < w->n; i++)
        in[i] = values[i];
    for (int i = 0; i < w->n; i++)
        if (w->has_dy[i])
            in[num_in++] = d->in[1 + w->dy[i]];
    struct node *call = put_call(d, turn, NULL, in, num_in, w->x_types, w->num_x);

    for (int i = 0; i < w->num_x; i++) {
        struct output dx = {call, i};

        put_out(d, w->has_dy[w->x[i]] ? dx : put2(d, "Add", d->in[1 + i], dx));
    }
    mem_free(in);
}

static const char *backward_body(struct while_grad *w, const char *turn, struct status *st)
{
    struct draft d;
    struct output *values = mem_new_array(struct output, w->n);
    struct output *lists = mem_new_array(struct output, w->num_lists);
    int same = 1 + w->num_x + w->num_lists;

    draft_open(w, &d, st);
    backward_args(w, &d);
    put_out(&d, put2(&d, "Sub", d.in[0], put_int(&d, 1)));
    for (int i = 0; i < w->n; i++) {
        if (w->list[i] < 0) {
            values[i] = d.in[same++];
            continue;
        }
        struct attr type[] = {{(char *)"element_dtype", attr_type(w->types[i])}};
        struct output in[2] = {d.in[1 + w->num_x + w->list[i]], put_int(&d, -1)};
        struct node *pop = put(&d, "TensorListPopBack", in, 2, false, 1, type);

        lists[w->list[i]] = (struct output){pop, 0};
        values[i] = (struct output){pop, 1};
    }
    put_gradients(w, &d, turn, values);
    for (int i = 0; i < w->num_lists; i++)
        put_out(&d, lists[i]);
    for (int i = 1 + w->num_x + w->num_lists; i < d.num_in; i++)
        put_out(&d, d.in[i]);
    mem_free(values);
    mem_free(lists);
    return draft_close(w, &d, w->body->name);
}

/* --- what there is --- */

static bool look_at_body(struct while_grad *w, struct status *st)
{
    struct function_body b;

    if (!function_or_gradient(w->g->graph, w->body->name, &w->body->attrs, &b, st))
        return false;
    bool ok = (b.num_args == w->n && b.num_rets == w->n) ||
              status_invalid(st, "Loop body %s has %d arguments and %d results, the loop %d",
                             w->body->name, b.num_args, b.num_rets, w->n);

    for (int i = 0; ok && i < w->n; i++)
        w->same[i] = b.rets[i]->inputs[0].node == b.args[i];
    function_body_clear(&b);
    return ok;
}

static bool look_at_variables(struct while_grad *w, struct status *st)
{
    for (int i = 0; i < w->n; i++) {
        int type = grad_input_gradient_type(w->g, i);

        w->types[i] = grad_type_of(w->g, grad_in(w->g, i));
        if (w->types[i] == DT_RESOURCE && !w->same[i])
            return status_unimplemented(st, "The gradient of a loop that changes a resource "
                                            "variable of its own");
        w->list[i] = w->same[i] ? -1 : w->num_lists++;
        if (!grad_type_has_gradient(type))
            continue;
        w->has_dy[i] = w->types[i] != DT_RESOURCE;
        w->dy[i] = w->num_x;
        w->x_types[w->num_x] = type;
        w->x[w->num_x++] = i;
    }
    return true;
}

/* --- the two loops --- */

static struct node *add_loop(struct while_grad *w, const struct output *in, int n, const char *cond,
                             const char *body)
{
    struct attrs attrs = {0};

    attrs_set(&attrs, "cond", attr_func(cond, NULL));
    attrs_set(&attrs, "body", attr_func(body, NULL));
    struct node *loop = grad_node(w->g, &(struct grad_build){.op = grad_op_name(w->g),
                                                             .inputs = in,
                                                             .num_inputs = n,
                                                             .list_sizes = &n,
                                                             .attrs = &attrs});

    attrs_clear(&attrs);
    return loop;
}

static struct node *add_forward(struct while_grad *w, const char *cond, const char *body)
{
    struct output *in = arena_array(&w->g->arena, struct output, w->n + w->num_lists + 1);
    int n = 0;

    for (; n < w->n; n++)
        in[n] = grad_in(w->g, n);
    in[n++] = grad_const_i32(w->g, 0);
    for (int i = 0; i < w->n; i++) {
        if (w->list[i] < 0)
            continue;
        struct attr type[] = {{(char *)"element_dtype", attr_type(w->types[i])}};
        struct output sizes[2] = {grad_const_i32(w->g, -1), grad_const_i32(w->g, -1)};

        in[n++] = grad_opv(w->g, "EmptyTensorList", 2, sizes, 1, type);
    }
    return add_loop(w, in, n, cond, body);
}

static struct output first_gradient(struct while_grad *w, int i)
{
    struct grad_ctx *g = w->g;

    if (w->has_dy[w->x[i]])
        return grad_dy(g, w->x[i]);
    struct output handle = grad_in(g, w->x[i]);

    return grad_zeros_like(g,
                           grad_opv(g, "ReadVariableOp", 1, &handle, 1,
                                    (struct attr[]){{(char *)"dtype", attr_type(w->x_types[i])}}));
}

static void add_backward(struct while_grad *w, struct node *forward, const char *cond,
                         const char *body)
{
    struct output *in =
        arena_array(&w->g->arena, struct output, w->n + w->num_x + w->num_lists + 1);
    int n = 0;

    in[n++] = grad_node_out(w->g, forward, w->n);
    for (int i = 0; i < w->num_x; i++)
        in[n++] = first_gradient(w, i);
    for (int i = 0; i < w->num_lists; i++)
        in[n++] = grad_node_out(w->g, forward, w->n + 1 + i);
    for (int i = 0; i < w->n; i++)
        if (w->list[i] < 0)
            in[n++] = grad_in(w->g, i);
    struct node *loop = add_loop(w, in, n, cond, body);

    for (int i = 0; loop && i < w->num_x; i++)
        grad_set(w->g, w->x[i], grad_node_out(w->g, loop, 1 + i));
}

static bool make(struct while_grad *w, struct status *st)
{
    if (!grad_check_repeatable(w->g, w->cond, st) || !grad_check_repeatable(w->g, w->body, st) ||
        !look_at_body(w, st) || !look_at_variables(w, st))
        return false;
    struct function_gradient want = {.num_args = w->n,
                                     .num_rets = w->n,
                                     .x = w->x,
                                     .types = w->x_types,
                                     .num_x = w->num_x,
                                     .has_dy = w->has_dy,
                                     .depth = w->g->r->depth};

    if (w->num_x == 0)
        return true;
    char *turn = function_add_gradient(w->g->graph, w->body, &want, st);

    if (!turn)
        return false;
    w->names[w->num_names++] = turn;
    const char *cond = forward_cond(w, st), *body = cond ? forward_body(w, st) : NULL;
    const char *back_cond = body ? backward_cond(w, st) : NULL;
    const char *back_body = back_cond ? backward_body(w, turn, st) : NULL;

    if (!back_body)
        return false;
    struct node *forward = add_forward(w, cond, body);

    if (forward)
        add_backward(w, forward, back_cond, back_body);
    return grad_done(w->g, st);
}

bool grad_set_while(struct grad_ctx *g, const struct attr_func *cond, const struct attr_func *body,
                    struct status *st)
{
    const int n = grad_num_inputs(g);
    struct while_grad w = {.g = g,
                           .cond = cond,
                           .body = body,
                           .n = n,
                           .types = arena_array(&g->arena, int, n + 1),
                           .same = arena_array(&g->arena, bool, n + 1),
                           .list = arena_array(&g->arena, int, n + 1),
                           .x = arena_array(&g->arena, int, n + 1),
                           .x_types = arena_array(&g->arena, int, n + 1),
                           .has_dy = arena_array(&g->arena, bool, n + 1),
                           .dy = arena_array(&g->arena, int, n + 1)};
    bool ok = make(&w, st);

    for (int i = 0; i < w.num_names; i++)
        mem_free(w.names[i]);
    return ok;
}
