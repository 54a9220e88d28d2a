/* SPDX-License-Identifier: Apache-2.0 */
/* While, StatelessWhile and For: functions called again and again.
 *
 * A loop is a small machine that outlives the calls it makes: a call that ends at once is followed
 * by the next one in the same stack frame, any other goes on from its own callback, so neither the
 * number of turns nor the way in which calls end uses up stack. The body takes the variables, and
 * may work in their memory. */
#include "base/mem.h"
#include "op/cancel.h"
#include "ops/function/functions.h"

struct while_state { /* borrowed from the kernel's attrs */
    const struct attr_func *cond, *body;
};
struct for_state {
    const struct attr_func *body;
};

enum { CALL_STARTED = 1, CALL_OVER = 2 };

struct loop { /* owned by itself until the kernel is done */
    struct kctx *c;
    const struct attr_func *cond, *body; /* cond NULL: a For */
    bool in_body;
    int sync;             /* atomic: 0, then CALL_STARTED and CALL_OVER in either order */
    int64_t i, limit, by; /* of a For */
    int num_vars;
    struct status status;
    struct tensor *vars;
    struct tensor *given; /* what the running call takes: 1 + num_vars */
};

static void loop_run(struct loop *l);

static void loop_end(struct loop *l)
{
    struct kctx *c = l->c;
    struct status st = {0};

    status_move(&st, &l->status);
    if (status_ok(&st) && !kernel_take_results(c, l->vars, l->num_vars, &st))
        ASSERT(!status_ok(&st));
    for (int i = 0; i < l->num_vars; i++)
        tensor_clear(&l->vars[i]);
    for (int i = 0; i <= l->num_vars; i++)
        tensor_clear(&l->given[i]);
    mem_free(l->vars);
    mem_free(l->given);
    mem_free(l);
    kernel_done(c, &st);
    status_clear(&st);
}

/* --- what a call gave --- */

static bool take_vars(struct loop *l, struct tensor *results, int n, struct status *st)
{
    if (n != l->num_vars)
        return status_invalid(st, "Expected %d results from loop body %s, got %d", l->num_vars,
                              l->body->name, n);
    for (int i = 0; i < n; i++) {
        if (results[i].dtype != kernel_output_type(l->c, i))
            return status_invalid(st, "Expects arg[%d] to be %s but %s is provided", i,
                                  dtype_name(kernel_output_type(l->c, i)),
                                  dtype_name(results[i].dtype));
    }
    for (int i = 0; i < n; i++) {
        tensor_clear(&l->vars[i]);
        l->vars[i] = tensor_take(&results[i]);
    }
    return true;
}

/* Whether there is another turn is told by l->in_body. */
static bool take_cond(struct loop *l, struct tensor *results, int n, struct status *st)
{
    if (n != 1)
        return status_invalid(st, "Expected a single scalar return value from %s, got %d",
                              l->cond->name, n);
    return kernel_truth(&results[0], &l->in_body, st);
}

static void call_over(void *arg, struct status *st, struct tensor *results, int n)
{
    struct loop *l = arg;

    status_move(&l->status, st);
    for (int i = 0; i <= l->num_vars; i++)
        tensor_clear(&l->given[i]);
    if (status_ok(&l->status)) {
        bool was_body = l->in_body;
        bool ok =
            was_body ? take_vars(l, results, n, &l->status) : take_cond(l, results, n, &l->status);

        ASSERT(ok || !status_ok(&l->status));
        if (was_body)
            l->in_body = false;
        else if (ok && !l->in_body)
            l->limit = 0; /* the condition was false: over */
    }
    if (__atomic_exchange_n(&l->sync, CALL_OVER, __ATOMIC_ACQ_REL) == CALL_STARTED)
        loop_run(l);
}

/* --- turns --- */

static bool start_for(struct loop *l)
{
    struct status st = {0};
    const struct shape scalar = shape_scalar();

    if (l->by > 0 ? l->i >= l->limit : l->i <= l->limit)
        return false;
    if (!tensor_new(&l->given[0], DT_INT32, &scalar, &st)) {
        status_move(&l->status, &st);
        return false;
    }
    ((int32_t *)l->given[0].data)[0] = (int32_t)l->i;
    for (int i = 0; i < l->num_vars; i++)
        l->given[i + 1] = tensor_take(&l->vars[i]);
    l->i += l->by;
    l->in_body = true;
    return true;
}

static bool start_while(struct loop *l)
{
    if (l->limit == 0)
        return false;
    for (int i = 0; i < l->num_vars; i++)
        l->given[i] = l->in_body ? tensor_take(&l->vars[i]) : tensor_copy(&l->vars[i]);
    return true;
}

static void loop_run(struct loop *l)
{
    struct kernel_env *env = l->c->env;

    for (;;) {
        bool go = status_ok(&l->status) && (!env->cancel || cancel_check(env->cancel, &l->status));

        if (!go || !(l->cond ? start_while(l) : start_for(l))) {
            loop_end(l);
            return;
        }
        __atomic_store_n(&l->sync, 0, __ATOMIC_RELAXED);
        env->run_function(env, l->c, l->in_body ? l->body : l->cond, l->given,
                          l->num_vars + (l->cond ? 0 : 1), call_over, l);
        if (__atomic_exchange_n(&l->sync, CALL_STARTED, __ATOMIC_ACQ_REL) != CALL_OVER)
            return; /* call_over goes on */
    }
}

static struct loop *loop_new(struct kctx *c, int first)
{
    struct loop *l = mem_new(struct loop);

    l->c = c;
    l->num_vars = kernel_num_inputs(c) - first;
    l->vars = mem_new_array(struct tensor, l->num_vars);
    l->given = mem_new_array(struct tensor, l->num_vars + 1);
    for (int i = 0; i < l->num_vars; i++)
        l->vars[i] = tensor_copy(kernel_in(c, first + i));
    return l;
}

/* --- While --- */

static bool while_init(struct kernel *k, void *state, struct status *st)
{
    struct while_state *s = state;

    return attrs_get_func(k->attrs, "cond", &s->cond, st) &&
           attrs_get_func(k->attrs, "body", &s->body, st);
}

static void while_start(struct kctx *c)
{
    const struct while_state *s = kernel_state(c);
    struct loop *l = loop_new(c, 0);

    l->cond = s->cond;
    l->body = s->body;
    l->limit = 1;
    loop_run(l);
}

/* Variables keep their shapes, unless other ones are declared. */
static bool while_shape(struct infer_ctx *c, struct status *st)
{
    if (attrs_list(infer_attrs(c), "output_shapes")->n > 0)
        return infer_declared_shapes(c, st);
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_input(c, i));
    return true;
}

static bool while_grad(struct grad_ctx *g, struct status *st)
{
    const struct attr_func *cond, *body;

    return attrs_get_func(grad_attrs(g), "cond", &cond, st) &&
           attrs_get_func(grad_attrs(g), "body", &body, st) && grad_set_while(g, cond, body, st);
}

/* clang-format off */
#define WHILE_ATTRS                                                                                \
    {"T: list(type) >= 0", "cond: func", "body: func", "output_shapes: list(shape) = []",          \
     "parallel_iterations: int = 10"}
/* clang-format on */

OP_DEF(while) = {
    .name = "While",
    .summary = "While cond of the variables is true, body of them gives their next values.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = WHILE_ATTRS,
    .flags = OP_STATEFUL,
    .shape = while_shape,
    .grad = while_grad,
};
KERNEL_DEF(while_cpu) = {.op = "While",
                         .device = "CPU",
                         .flags = KERNEL_ASYNC,
                         .state_bytes = sizeof(struct while_state),
                         .init = while_init,
                         .run_async = while_start};

OP_DEF(stateless_while) = {
    .name = "StatelessWhile",
    .summary = "While cond of the variables is true, body of them gives their next values; "
               "neither has effects.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = WHILE_ATTRS,
    .shape = while_shape,
    .grad = while_grad,
};
KERNEL_DEF(stateless_while_cpu) = {.op = "StatelessWhile",
                                   .device = "CPU",
                                   .flags = KERNEL_ASYNC,
                                   .state_bytes = sizeof(struct while_state),
                                   .init = while_init,
                                   .run_async = while_start};

/* --- For --- */

static bool for_init(struct kernel *k, void *state, struct status *st)
{
    return attrs_get_func(k->attrs, "body", &((struct for_state *)state)->body, st);
}

static bool for_range(struct kctx *c, int64_t *range, struct status *st)
{
    for (int i = 0; i < 3; i++) {
        if (!kernel_want_scalar(c, i, st))
            return false;
        range[i] = tensor_i32(kernel_in(c, i))[0];
    }
    if (range[2] > 0 ? range[0] <= range[1] : range[2] < 0 && range[0] >= range[1])
        return true;
    return status_invalid(st, "Invalid start/limit/delta: %lld %lld %lld", (long long)range[0],
                          (long long)range[1], (long long)range[2]);
}

static void for_start(struct kctx *c)
{
    struct status st = {0};
    int64_t range[3];

    if (!for_range(c, range, &st)) {
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    struct loop *l = loop_new(c, 3);

    l->body = ((const struct for_state *)kernel_state(c))->body;
    l->i = range[0];
    l->limit = range[1];
    l->by = range[2];
    loop_run(l);
}

OP_DEF(for) = {
    .name = "For",
    .summary = "For each i of a range, body of i and the variables gives their next values.",
    .inputs = {"start: int32", "limit: int32", "delta: int32", "input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: list(type) >= 0", "body: func"},
    .shape = infer_unknown_outputs,
    .no_grad = "undefined: TensorFlow registers none for it",
};
KERNEL_DEF(for_cpu) = {.op = "For",
                       .device = "CPU",
                       .flags = KERNEL_ASYNC,
                       .state_bytes = sizeof(struct for_state),
                       .init = for_init,
                       .run_async = for_start};
