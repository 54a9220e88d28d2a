/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients that a client gives: kept by name, for one graph or for all, and called by the walk.
 *
 * While a client's function runs, a frame of kind GRADIENT is open: what it makes with leat_*
 * functions is part of the gradient, also of a loop's, where values of the forward turns are
 * brought to the turn that wants them. */
#include <string.h>

#include "api/leat_builder.h"
#include "grad/grad_walk.h"
#include "leat/gradients.h"

struct user_gradient {
    leat_op_gradient fn; /* NULL: there is no gradient */
    void *data;
};

static struct lock all_lock = LOCK_INIT("gradients", LOCK_RANK_LEAF);
static struct strmap for_all; /* guarded by all_lock; stays as long as the process */

static const TF_Output none = {NULL, 0};

/* --- the maps --- */

static void put(struct strmap *m, const char *name, struct user_gradient *u)
{
    struct user_gradient *had = u ? strmap_put(m, name, u) : strmap_remove(m, name);
    mem_free(had);
}

static void set(TF_Graph *g, const char *name, struct user_gradient *u)
{
    struct builder *b = g ? builder_get(api_graph(g)) : NULL;
    struct lock *lock = b ? &b->lock : &all_lock;
    lock_take(lock);
    put(b ? &b->gradients : &for_all, name, u);
    lock_drop(lock);
}

void leat_set_gradient_function(TF_Graph *g, const char *name, leat_op_gradient fn, void *data)
{
    struct user_gradient *u = fn ? mem_new(struct user_gradient) : NULL;
    if (u)
        *u = (struct user_gradient){fn, data};
    if (name && name[0])
        set(g, name, u);
    else
        mem_free(u);
}

void leat_set_no_gradient(TF_Graph *g, const char *name)
{
    if (name && name[0])
        set(g, name, mem_new(struct user_gradient));
}

void builder_gradients_release(struct strmap *m)
{
    const char *name;
    void *u;
    for (int64_t i = 0; strmap_next(m, &i, &name, &u);)
        mem_free(u);
    strmap_release(m);
}

static bool find(struct graph *g, const char *name, struct user_gradient *out)
{
    struct builder *b = builder_get(g);
    lock_take(&b->lock);
    const struct user_gradient *u = strmap_find(&b->gradients, name);
    if (u)
        *out = *u;
    lock_drop(&b->lock);
    if (u)
        return true;
    lock_take(&all_lock);
    u = strmap_find(&for_all, name);
    if (u)
        *out = *u;
    lock_drop(&all_lock);
    return u != NULL;
}

/* --- calling one --- */

static TF_Output from_output(struct output o)
{
    return output_valid(o) ? (TF_Output){api_oper(o.node), o.index} : none;
}

static struct output to_output(TF_Output o)
{
    return o.oper ? api_output(o) : (struct output){NULL, 0};
}

static struct leat_grad from_value(const struct grad_value *v)
{
    return (struct leat_grad){from_output(v->values), from_output(v->indices),
                              from_output(v->dense_shape)};
}

static struct grad_value to_value(const struct leat_grad *v)
{
    return (struct grad_value){to_output(v->values), to_output(v->indices),
                               to_output(v->dense_shape)};
}

static bool part_ok(TF_Output o, const struct node *n, int i, struct status *st)
{
    if (!o.oper || (api_node(o.oper)->graph == n->graph && o.index >= 0 &&
                    o.index < api_node(o.oper)->num_outputs))
        return true;
    return status_invalid(
        st, "Gradient function of '%s': gradient %d is not an output of the graph", n->name, i);
}

static bool take_dx(struct grad_ctx *g, int i, const struct leat_grad *dx, struct status *st)
{
    struct node *n = grad_out(g, 0).node;
    if (!part_ok(dx->values, n, i, st) || !part_ok(dx->indices, n, i, st) ||
        !part_ok(dx->dense_shape, n, i, st))
        return false;
    const struct grad_value v = to_value(dx);
    if (output_valid(v.indices))
        grad_set_slices(g, i, (struct grad_slices){v.values, v.indices, v.dense_shape});
    else
        grad_set(g, i, v.values);
    return true;
}

static bool call(struct grad_ctx *g, const struct user_gradient *u, struct status *st)
{
    struct node *n = grad_out(g, 0).node;
    TF_Graph *graph = (TF_Graph *)n->graph;
    struct leat_grad *dys = mem_new_array(struct leat_grad, n->num_outputs + n->num_inputs + 1);
    struct leat_grad *dxs = dys + n->num_outputs;
    for (int i = 0; i < n->num_outputs; i++) {
        struct grad_value v = grad_incoming(g, i);
        dys[i] = from_value(&v);
    }
    char *scope = mem_printf("%s/", grad_prefix(g));
    struct frame *f = builder_push(graph, FRAME_GRADIENT);
    f->gradient = g;
    leat_push_scope(graph, scope);
    mem_free(scope);
    bool ok = u->fn(u->data, graph, api_oper(n), dys, n->num_outputs, dxs, n->num_inputs) != 0;
    if (!ok)
        builder_said_no(graph, "A gradient function");
    for (struct thread_state *t = builder_thread(api_graph(graph), false); t && t->top;) {
        const bool last = t->top == f;
        leat_pop(graph);
        if (last)
            break;
        t = builder_thread(api_graph(graph), false);
    }
    if (ok && !leat_graph_ok(graph))
        ok = false;
    if (!ok)
        status_fail(st, STATUS_CANCELLED, "A gradient function gave up");
    for (int i = 0; ok && i < n->num_inputs; i++)
        ok = take_dx(g, i, &dxs[i], st);
    mem_free(dys);
    return ok;
}

enum grad_said builder_gradient(struct graph *graph, struct grad_ctx *g, const char *name,
                                struct status *st)
{
    struct user_gradient u;
    if (!find(graph, name, &u))
        return GRAD_NOT_MINE;
    if (!u.fn)
        return GRAD_NONE;
    return !g || call(g, &u, st) ? GRAD_DONE : GRAD_FAILED;
}

/* --- the library's own --- */

static bool grads_ok(TF_Graph *g, const struct leat_grad *v, const struct node *n,
                     struct status *st)
{
    (void)g;
    for (int i = 0; i < n->num_outputs; i++) {
        if (!part_ok(v[i].values, n, i, st) || !part_ok(v[i].indices, n, i, st) ||
            !part_ok(v[i].dense_shape, n, i, st))
            return false;
    }
    return true;
}

int leat_call_gradient(TF_Graph *g, const char *name, TF_Operation *op, const struct leat_grad *dys,
                       struct leat_grad *dxs)
{
    struct status st = {0};
    struct node *n = op ? api_node(op) : NULL;
    if (!g)
        return 0;
    bool ok = n && n->graph == api_graph(g) && dys && (dxs || n->num_inputs == 0);
    if (!ok)
        status_invalid(&st, "leat_call_gradient: no operation of the graph, or a NULL");
    ok = ok && grads_ok(g, dys, n, &st);
    if (ok) {
        struct grad_value *v = mem_new_array(struct grad_value, n->num_outputs + n->num_inputs + 1);
        struct grad_value *out = v + n->num_outputs;
        const struct frame *f = builder_frame(n->graph);
        while (f && f->kind != FRAME_GRADIENT)
            f = f->up;
        for (int i = 0; i < n->num_outputs; i++)
            v[i] = to_value(&dys[i]);
        ok = builder_call_rule(f ? f->gradient : NULL,
                               &(struct grad_one){.node = n, .rule = name, .dys = v, .dxs = out},
                               &st);
        for (int i = 0; i < n->num_inputs; i++)
            dxs[i] = ok ? from_value(&out[i]) : (struct leat_grad){none, none, none};
        mem_free(v);
    }
    builder_record(api_graph(g), &st, "leat_call_gradient", NULL);
    return ok;
}
