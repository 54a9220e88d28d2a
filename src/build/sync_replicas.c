/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronous training: accumulators, tokens, and the step that the chief repeats.
 *
 * Each node is where TensorFlow 1.15 puts it: an accumulator with its variable, queues with the
 * global step, the worker's own step with a node of the worker. */
#include "build/sync_replicas.h"

#include <string.h>

#include "base/mem.h"
#include "build/build.h"
#include "leat/global_step.h"

/* ---- made, freed ---- */

void leat_sync_replicas_args_init(struct leat_sync_replicas_args *args)
{
    *args = (struct leat_sync_replicas_args){LEAT_SYNC_REPLICAS_DEFAULTS_.opt = NULL};
}

static bool numbers_fit(const struct leat_sync_replicas_args *a, int total)
{
    enum { MOST = 1 << 20 };
    return a->replicas_to_aggregate > 0 && a->replicas_to_aggregate <= MOST && total > 0 &&
           total <= MOST && a->worker >= -1 && a->worker < total && (a->worker >= 0 || !a->elastic);
}

leat_optimizer *leat_sync_replicas_fn(const struct leat_sync_replicas_args *a)
{
    if (!a || !a->opt)
        return NULL;
    int total = a->total_num_replicas ? a->total_num_replicas : a->replicas_to_aggregate;
    if (!numbers_fit(a, total) || a->opt->sync) {
        leat_fail(a->opt->g, a->made_at, TF_INVALID_ARGUMENT,
                  "leat_sync_replicas: %d gradients of %d replicas, worker %d%s: they must be "
                  "positive, the worker below the replicas (elastic needs one), the optimizer "
                  "another",
                  a->replicas_to_aggregate, total, a->worker, a->elastic ? " elastic" : "");
        return NULL;
    }
    leat_optimizer *opt = mem_new(leat_optimizer);
    opt->g = a->opt->g;
    opt->rule = a->opt->rule;
    opt->name = mem_strdup(a->name && *a->name ? a->name : "sync_replicas");
    opt->sync = mem_new(struct sync_replicas);
    *opt->sync = (struct sync_replicas){.inner = a->opt,
                                        .required = a->replicas_to_aggregate,
                                        .total = total,
                                        .worker = a->worker,
                                        .elastic = a->elastic};
    return opt;
}

int leat_sync_parts_of(const leat_optimizer *opt, struct leat_sync_parts *out)
{
    if (!opt || !opt->sync || !opt->sync->applied || !out)
        return 0;
    *out = opt->sync->parts;
    return 1;
}

/* ---- nodes ---- */

static const char *device_of(TF_Output y)
{
    const char *device = TF_OperationDevice(y.oper);
    return device ? device : "";
}

/* The variable of this worker's step, and what sets it at the start. */
static bool make_local_step(leat_optimizer *opt)
{
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    TF_Operation *anchor = leat_no_op(g, .name = NULL);
    if (!anchor)
        return false;
    leat_with_colocation(g, anchor) {
        leat_with_scope(g, "sync_rep_local_step") {
            TF_Output zero = mk_scalar(g, "initial_value", leat_dtype(g, s->step), 0);
            s->parts.local_step = leat_variable(g, leat_current_scope(g), zero, .trainable = 0,
                                                .collection = LEAT_LOCAL_VARIABLES);
        }
    }
    if (!leat_valid(s->parts.local_step))
        return false;
    s->parts.local_step_init =
        leat_assign(g, s->parts.local_step, leat_variable_value(g, s->step)).oper;
    int n = leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0);
    TF_Output *all = mem_new_array(TF_Output, n + 1);
    (void)leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, all, n);
    s->parts.ready_for_local_init =
        leat_report_uninitialized_variables(g, (struct leat_outputs){all, n}, NULL);
    mem_free(all);
    return s->parts.local_step_init && leat_valid(s->parts.ready_for_local_init);
}

/* An accumulator and the two nodes on it, of one variable. */
struct gathered {
    TF_Output accumulator;
    bool sparse;
    const char *device; /* the variable's */
    TF_Operation *push;
};

/* How many gradients a take needs: what the gate let pass, where there is one. */
static TF_Output num_required(leat_optimizer *opt)
{
    return mk_i32(opt->g, "num_required", opt->sync->worker >= 0 ? 1 : opt->sync->required);
}

static struct leat_grad gather_dense(leat_optimizer *opt, const struct leat_variable_parts *var,
                                     const struct leat_grad *grad, struct gathered *out)
{
    TF_Graph *g = opt->g;
    int64_t dims[MK_MAX_RANK];
    struct leat_shape shape = {dims, mk_dims(g, var->ref, dims)};
    struct leat_grad mean = {.values = MK_NONE};
    char *shared = mem_printf("%s:0/grad_accum", TF_OperationName(var->ref.oper));
    out->accumulator = leat_resource_conditional_accumulator(g, .dtype = var->dtype, .shape = shape,
                                                             .shared_name = shared,
                                                             .name = "conditional_accumulator");
    mem_free(shared);
    out->push = leat_resource_accumulator_apply_gradient(
        g, out->accumulator, leat_variable_value(g, opt->sync->parts.local_step), grad->values);
    leat_push_control_dependencies(g, &opt->sync->m.gate_sum.oper, opt->sync->worker >= 0);
    leat_with_scope(g, "ResourceAccumulatorTakeGradient")
        mean.values = leat_resource_accumulator_take_gradient(
            g, out->accumulator, num_required(opt), .dtype = var->dtype,
            .name = leat_current_scope(g));
    leat_pop(g);
    return mean;
}

static struct leat_grad gather_slices(leat_optimizer *opt, const struct leat_variable_parts *var,
                                      const struct leat_grad *grad, struct gathered *out)
{
    TF_Graph *g = opt->g;
    char *shared = mem_printf("%s:0/grad_accum", TF_OperationName(var->ref.oper));
    bool known = leat_valid(grad->dense_shape);
    TF_Output y = MK_NONE;
    out->accumulator = leat_sparse_conditional_accumulator(
        g, .dtype = var->dtype, .shape = leat_shape(), .shared_name = shared,
        .name = "sparse_conditional_accumulator");
    mem_free(shared);
    TF_Output indices = mk_cast(g, grad->indices, TF_INT64), shape = MK_NONE;
    if (known)
        shape = mk_cast(g, grad->dense_shape, TF_INT64);
    leat_with_scope(g, "SparseAccumulatorApplyGradient") {
        if (!known)
            shape = mk_full(g, "gradient_shape", TF_INT64, leat_shape(0), 0);
        out->push = leat_sparse_accumulator_apply_gradient(
            g, out->accumulator, leat_variable_value(g, opt->sync->parts.local_step), indices,
            grad->values, shape, .has_known_shape = known, .name = leat_current_scope(g));
    }
    leat_push_control_dependencies(g, &opt->sync->m.gate_sum.oper, opt->sync->worker >= 0);
    leat_with_scope(g, "SparseAccumulatorTakeGradient")
        y = leat_sparse_accumulator_take_gradient(g, out->accumulator, num_required(opt),
                                                  .dtype = var->dtype,
                                                  .name = leat_current_scope(g));
    leat_pop(g);
    return leat_valid(y) ? (struct leat_grad){leat_output(y, 1), y, leat_output(y, 2)}
                         : (struct leat_grad){.values = MK_NONE};
}

/* One variable: its gradient becomes the mean of all workers'. false: the graph has an error. */
static bool gather(leat_optimizer *opt, TF_Output v, struct leat_grad *grad, struct gathered *out)
{
    struct leat_variable_parts var;
    if (!optimizer_find_variable(opt->g, v, &var))
        return false;
    out->sparse = leat_valid(grad->indices);
    out->device = device_of(var.ref);
    struct leat_grad mean;
    leat_with_device(opt->g, out->device)
        mean = (out->sparse ? gather_slices : gather_dense)(opt, &var, grad, out);
    *grad = mean;
    return out->push && leat_valid(grad->values);
}

/* ---- tokens ---- */

static TF_Output make_queue(TF_Graph *g, const char *name, int64_t capacity, TF_DataType dtype)
{
    struct leat_shape scalar = leat_shape();
    return leat_fifo_queue_v2(g, .component_types = leat_types(dtype),
                              .shapes = (struct leat_shapes){&scalar, 1}, .capacity = capacity,
                              .shared_name = name, .name = name);
}

/* n tokens of a step into the queue. */
static TF_Operation *enqueue_tokens(leat_optimizer *opt, int n, TF_Output step)
{
    TF_Graph *g = opt->g;
    TF_Output tokens = MK_NONE;
    leat_with_scope(g, "Fill") {
        TF_Output dims = mk_i32s(g, "dims", leat_ints(n));
        tokens = leat_fill(g, dims, step, .name = leat_current_scope(g));
    }
    return leat_queue_enqueue_many_v2(g, opt->sync->parts.token_queue, &tokens, 1,
                                      .name = "sync_token_q_EnqueueMany");
}

/* What the worker waits for, after its pushes: a token, which becomes its step. */
static TF_Operation *make_wait(leat_optimizer *opt, TF_Operation *const *pushes, int n)
{
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    TF_Operation *train = NULL;
    leat_with_control_dependencies(g, pushes, n) {
        TF_Output token = leat_queue_dequeue_v2(
            g, s->parts.token_queue, .component_types = leat_types(leat_dtype(g, s->step)),
            .name = "sync_token_q_Dequeue");
        train = leat_assign(g, s->parts.local_step, token).oper;
    }
    return train;
}

static TF_Operation *close_dummy(TF_Graph *g, TF_Output dummy, bool cancel)
{
    return leat_queue_close_v2(g, dummy, .cancel_pending_enqueues = cancel,
                               .name = "dummy_queue_Close");
}

/* What the chief repeats: after the update, tokens for all. */
static bool make_chief_runner(leat_optimizer *opt, TF_Operation *update, TF_Output dummy)
{
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    TF_Operation *after[] = {update, s->m.count_accepted};
    leat_with_control_dependencies(g, after, s->m.count_accepted ? 2 : 1) {
        /* A reference that was read before the update might be what it was before; what the update
         * gives is not. */
        TF_Output now = TF_OperationNumOutputs(update) == 1 ? leat_output_of(update, 0)
                                                            : leat_variable_value(g, s->step);
        s->enqueue = enqueue_tokens(opt, s->total > s->required ? s->total : s->required, now);
    }
    struct leat_queue_runner *r = &s->parts.chief_runner;
    *r = (struct leat_queue_runner){.queue = dummy.oper, .enqueue_ops = {&s->enqueue, 1}};
    r->close_op = close_dummy(g, dummy, false);
    r->cancel_op = close_dummy(g, dummy, true);
    return s->enqueue && r->close_op && r->cancel_op;
}

/* The update, the queues and both sides of them, where the global step is. The training operation.
 */
static TF_Operation *make_step(leat_optimizer *opt, const struct leat_apply_gradients_args *a,
                               const struct leat_grad *means, TF_Operation *const *pushes, int n)
{
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    TF_Operation *train = NULL;
    leat_with_device(g, TF_OperationDevice(s->step.oper))
        leat_with_scope(g, NULL) {
            TF_Operation *update =
                leat_apply_gradients(s->inner, means, a->vars, .global_step = s->step);
            if (!update)
                return NULL;
            s->parts.token_queue = make_queue(g, "sync_token_q", -1, leat_dtype(g, s->step));
            TF_Output dummy = make_queue(g, "dummy_queue", 1, TF_INT32);
            if (!leat_valid(s->parts.token_queue) || !leat_valid(dummy))
                return NULL;
            if (s->worker >= 0)
                s->m.end_tokens =
                    leat_queue_close_v2(g, s->parts.token_queue, .name = "sync_token_q_Close");
            train = make_wait(opt, pushes, n);
            if (!train || !make_chief_runner(opt, update, dummy))
                return NULL;
        }
    return train;
}

/* Brings the accumulators to the global step. */
static bool make_chief_init(leat_optimizer *opt, const struct gathered *all, int n)
{
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    TF_Operation **ops = mem_new_array(TF_Operation *, n + 2);
    int made = 0;
    bool ok = true;
    ops[made++] = s->parts.local_step_init;
    for (int i = 0; ok && i < n; i++) {
        TF_Output step = leat_variable_value(g, s->step);
        leat_with_device(g, all[i].device)
            ops[made] = all[i].sparse
                            ? leat_accumulator_set_global_step(g, all[i].accumulator, step,
                                                               .name = "SetGlobalStep")
                            : leat_resource_accumulator_set_global_step(g, all[i].accumulator, step,
                                                                        .name = "SetGlobalStep");
        ok = ops[made++] != NULL;
    }
    s->parts.chief_init = ok ? leat_group(g, ops, made, NULL) : NULL;
    mem_free(ops);
    return s->parts.chief_init != NULL;
}

/* ---- all of it ---- */

struct application { /* of gradients; what is gathered, in the order of the variables */
    struct leat_grad *means;
    struct gathered *all;
    TF_Operation **pushes;
    int n; /* gradients that there are */
};

static TF_Operation *apply_in_scope(leat_optimizer *opt, const struct leat_apply_gradients_args *a,
                                    struct application *x)
{
    struct sync_replicas *s = opt->sync;
    if (!sync_membership_make(opt))
        return NULL;
    for (int i = 0; i < a->vars.n; i++) {
        x->means[i] = a->grads[i];
        if (!leat_valid(a->grads[i].values))
            continue;
        if (!gather(opt, a->vars.v[i], &x->means[i], &x->all[x->n]))
            return NULL;
        x->pushes[x->n] = x->all[x->n].push;
        x->n++;
    }
    if (x->n == 0) {
        leat_fail(opt->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: No gradients provided for any variable", opt->name);
        return NULL;
    }
    int num_pushes = x->n;
    if (!sync_membership_push(opt, x->pushes, x->n))
        return NULL;
    if (s->m.push_gate) {
        x->pushes[num_pushes++] = s->m.count_push;
        x->pushes[num_pushes++] = s->m.push_gate;
        x->all[x->n++] =
            (struct gathered){.accumulator = s->m.gate, .device = TF_OperationDevice(s->step.oper)};
    }
    TF_Operation *train = make_step(opt, a, x->means, x->pushes, num_pushes);
    return train && make_chief_init(opt, x->all, x->n) ? train : NULL;
}

static bool may_apply(leat_optimizer *opt, const struct leat_apply_gradients_args *a)
{
    struct leat_variable_parts step;
    if (opt->sync->applied) {
        leat_fail(opt->g, a->made_at, TF_FAILED_PRECONDITION, "%s: applied a second time",
                  opt->name);
        return false;
    }
    if (!leat_valid(a->global_step)) {
        leat_fail(opt->g, a->made_at, TF_INVALID_ARGUMENT,
                  "Global step is required to check staleness");
        return false;
    }
    if (!optimizer_find_variable(opt->g, a->global_step, &step))
        return false;
    opt->sync->step = step.ref;
    return true;
}

TF_Operation *sync_replicas_apply(const struct leat_apply_gradients_args *a)
{
    leat_optimizer *opt = a->opt;
    TF_Operation *train = NULL;
    leat_with_caller(opt->g, a->made_at) {
        if (!may_apply(opt, a) || !make_local_step(opt))
            return NULL;
        struct application x = {.means = mem_new_array(struct leat_grad, a->vars.n + 1),
                                .all = mem_new_array(struct gathered, a->vars.n + 2),
                                .pushes = mem_new_array(TF_Operation *, a->vars.n + 3)};
        leat_with_scope(opt->g, opt->name)
            train = apply_in_scope(opt, a, &x);
        mem_free(x.means);
        mem_free(x.all);
        mem_free(x.pushes);
    }
    opt->sync->applied = train != NULL;
    return train;
}

/* Takes away all tokens that there are. */
static TF_Operation *make_drain(leat_optimizer *opt)
{
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    s->num_left = leat_queue_size_v2(g, s->parts.token_queue, .name = "sync_token_q_Size");
    return leat_queue_dequeue_many_v2(g, s->parts.token_queue, s->num_left,
                                      .component_types = leat_types(leat_dtype(g, s->step)),
                                      .name = "sync_token_q_DequeueMany")
        .oper;
}

TF_Operation *leat_sync_init_tokens(leat_optimizer *opt, int num_tokens)
{
    if (!opt || !opt->sync)
        return NULL;
    TF_Graph *g = opt->g;
    struct sync_replicas *s = opt->sync;
    TF_Operation *made = NULL;
    if (!s->applied) {
        leat_fail(g, NULL, TF_FAILED_PRECONDITION,
                  "get_init_tokens_op() should be called after apply_gradients().");
        return NULL;
    }
    int n = num_tokens == -1 ? s->required : num_tokens;
    if (n < 0 || n < s->required - s->total) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                  "Too few tokens to finish the first step: %d (given) vs %d (needed)", n,
                  s->required - s->total);
        return NULL;
    }
    leat_with_device(g, TF_OperationDevice(s->step.oper))
        leat_with_scope(g, NULL) {
            made = n > 0 ? enqueue_tokens(opt, n, leat_variable_value(g, s->step))
                         : leat_no_op(g, .name = "no_op");
            if (!s->drain)
                s->drain = make_drain(opt);
        }
    return s->drain ? made : NULL;
}
