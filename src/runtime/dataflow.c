/* SPDX-License-Identifier: Apache-2.0 */
/* The dataflow executor: for graphs with control flow, asynchronous kernels or independent
 * expensive branches.
 *
 * Each thread that runs steps keeps its own stack of ready ones and works it off; when several of
 * them are expensive, all but one are handed to the pool. An asynchronous kernel holds no thread:
 * its completion is queued to the pool, or, when it completes inside its start, taken up by the
 * same loop. After the first error nothing new starts, the step's cancellation fires, and the run
 * is over when what runs is over. */
#include "runtime/dataflow.h"

#include <string.h>

#include "base/mem.h"
#include "op/cancel.h"
#include "op/rendezvous.h"
#include "runtime/trace.h"

enum { STACK_VALUES = 16 };

struct flow_async { /* an asynchronous step in flight; owned by itself until kernel_done */
    struct kctx c;
    struct flow *flow;
    struct flow_ready item;
    struct tensor **in;
    struct tensor *temps, *out;
    bool *in_dead;
    struct status status;
    int64_t start_ns;
    int state; /* atomic: 0 started, 1 start returned first, 2 done first */
};

static void fail(struct flow *f, struct status *st)
{
    lock_take(&f->lock);
    bool first = status_ok(&f->status);
    if (first)
        status_copy(&f->status, st);
    lock_drop(&f->lock);
    __atomic_store_n(&f->aborted, true, __ATOMIC_RELEASE);
    if (first && f->env->rendezvous)
        rendezvous_abort(f->env->rendezvous, st);
    if (first && f->env->cancel)
        cancel_fire(f->env->cancel, STATUS_CANCELLED, "the step failed");
}

static void finish(struct flow *f)
{
    plan_done_fn done = f->done;
    void *arg = f->done_arg;
    struct status st = {0};
    status_move(&st, &f->status);
    flow_frame_free(f, f->root);
    flow_free_blocks(f);
    lock_release_memory(&f->lock);
    mem_free(f);
    done(arg, &st);
    status_clear(&st);
}

/* --- one step --- */

static bool is_transfer(const struct plan_step *s)
{
    const char *op = s->kernel ? s->kernel->op->name : "";
    return op[0] == '_' && (strcmp(op, "_Send") == 0 || strcmp(op, "_Recv") == 0 ||
                            strcmp(op, "_HostSend") == 0 || strcmp(op, "_HostRecv") == 0);
}

static int alive_input(const struct plan_step *s, struct tensor *const *in)
{
    for (int i = 0; i < s->num_in; i++) {
        if (in[i]->dtype != DT_INVALID)
            return i;
    }
    return -1;
}

static void fill_ctx(struct flow *f, const struct flow_ready *r, struct kctx *c)
{
    const struct plan_step *s = &f->part->steps[r->step];
    c->kernel = s->kernel;
    c->env = f->env;
    c->frame = r->iter->frame->id;
    c->frame_iter = r->iter->number;
    c->expected_alive = s->kind == STEP_MERGE ? alive_input(s, c->in) : -1;
    c->in_last_use = ~(uint64_t)0;
}

/* Only a Switch leaves outputs empty: the branch not taken. */
static bool check_outputs(const struct plan_step *s, const struct tensor *out, struct status *st)
{
    for (int i = 0; i < s->num_out && s->kind != STEP_SWITCH; i++) {
        if (out[i].dtype == DT_INVALID)
            return status_internal(st, "Missing %d-th output from %s", i, s->name);
    }
    return true;
}

static bool run_kernel(struct flow *f, const struct flow_ready *r, struct tensor **in,
                       struct tensor *out, struct tensor *temps, struct status *st)
{
    const struct plan_step *s = &f->part->steps[r->step];
    if (s->kind == STEP_CONST) {
        out[0] = tensor_copy(&f->part->constants[s->first_out]);
        return true;
    }
    if (s->kind == STEP_ARG) {
        out[0] = tensor_copy(&f->env->args[s->arg]);
        return true;
    }
    if (s->kind == STEP_RETVAL)
        return step_return(f->env, s->arg, in[0], true, st);
    if (s->derefs && s->kind != STEP_MERGE && !r->dead && !step_deref(s, in, temps, st))
        return false;
    bool dead[1] = {r->dead};
    struct kctx c = {.in = in, .out = out};
    fill_ctx(f, r, &c);
    c.in_dead = r->dead ? dead : NULL;
    int64_t start = f->trace ? clock_now_ns() : 0;
    bool ok = s->kernel->def->run(&c, st);
    if (c.scratch_head)
        kernel_scratch_release(&c);
    if (f->trace)
        trace_add(f->trace, f->part, s, start, clock_now_ns(), out);
    return ok && (c.output_dead_set || check_outputs(s, out, st));
}

/* Runs a synchronous step and passes its outputs on. */
static void run_sync(struct flow *f, const struct flow_ready *r, struct flow_list *ready)
{
    const struct plan_step *s = &f->part->steps[r->step];
    int n = s->num_in + (s->derefs ? s->num_in : 0) + s->num_out;
    struct tensor small[STACK_VALUES];
    struct tensor *small_in[STACK_VALUES];
    struct tensor *values = n <= STACK_VALUES ? small : mem_alloc(sizeof *values * (size_t)n);
    struct tensor **in =
        s->num_in <= STACK_VALUES ? small_in : mem_alloc(sizeof *in * (size_t)s->num_in);
    struct tensor *own = r->iter->inputs + s->frame_in;
    struct tensor *out = values, *temps = values + s->num_out;
    memset(values, 0, sizeof *values * (size_t)(s->num_out + (s->derefs ? s->num_in : 0)));
    for (int i = 0; i < s->num_in; i++)
        in[i] = &own[i];
    struct status st = {0};
    bool skip = r->dead && !is_transfer(s);
    bool ok = skip || run_kernel(f, r, in, out, temps, &st);
    if (!ok)
        step_explain(s, in, &st);
    for (int i = 0; i < s->num_in; i++) {
        tensor_clear(&own[i]);
        if (s->derefs)
            tensor_clear(&temps[i]);
    }
    if (!ok) {
        fail(f, &st);
        status_clear(&st);
    }
    lock_take(&f->lock);
    flow_propagate(f, r->iter, r->step, skip || (r->dead && s->num_out == 0), out, ready);
    lock_drop(&f->lock);
    if (values != small)
        mem_free(values);
    if (in != small_in)
        mem_free(in);
}

/* --- asynchronous steps --- */

static void async_finish(struct flow_async *a, struct flow_list *ready)
{
    struct flow *f = a->flow;
    const struct plan_step *s = &f->part->steps[a->item.step];
    bool failed = !status_ok(&a->status);
    if (a->c.scratch_head)
        kernel_scratch_release(&a->c);
    if (failed) {
        step_explain(s, a->in, &a->status);
        fail(f, &a->status);
    } else if (f->trace) {
        trace_add(f->trace, f->part, s, a->start_ns, clock_now_ns(), a->out);
    }
    struct tensor *own = a->item.iter->inputs + s->frame_in;
    for (int i = 0; i < s->num_in; i++) {
        tensor_clear(&own[i]);
        tensor_clear(&a->temps[i]);
    }
    lock_take(&f->lock);
    flow_propagate(f, a->item.iter, a->item.step, failed || (a->c.output_dead_set && a->c.out_dead),
                   a->out, ready);
    lock_drop(&f->lock);
    status_clear(&a->status);
    mem_free(a);
}

static void run_list(struct flow *f, struct flow_list *ready);

static void async_resume(void *arg)
{
    struct flow_async *a = arg;
    struct flow *f = a->flow;
    struct flow_list ready = {0};
    async_finish(a, &ready);
    run_list(f, &ready); /* counts the step itself as over at its end */
}

static void async_done(struct kctx *c, struct status *st)
{
    struct flow_async *a = c->executor;
    status_move(&a->status, st);
    if (__atomic_exchange_n(&a->state, 2, __ATOMIC_ACQ_REL) == 1)
        pool_submit(a->flow->env->pool, async_resume, a);
}

/* True: it is over already. False: async_resume will follow, on another thread. */
static bool run_async(struct flow *f, const struct flow_ready *r, struct flow_list *ready)
{
    const struct plan_step *s = &f->part->steps[r->step];
    size_t n_in = (size_t)s->num_in, n_out = (size_t)s->num_out;
    struct flow_async *a = mem_zalloc(sizeof *a + sizeof(struct tensor) * (n_in + n_out) +
                                      (sizeof(void *) + sizeof(bool)) * (n_in + 1));
    a->temps = (struct tensor *)(a + 1);
    a->out = a->temps + n_in;
    a->in = (struct tensor **)(a->out + n_out);
    a->in_dead = (bool *)(a->in + n_in + 1);
    a->flow = f;
    a->item = *r;
    a->start_ns = f->trace ? clock_now_ns() : 0;
    for (size_t i = 0; i < n_in; i++)
        a->in[i] = &r->iter->inputs[s->frame_in + (int)i];
    a->c.in = a->in;
    a->c.out = a->out;
    a->c.executor = a;
    a->c.done = async_done;
    fill_ctx(f, r, &a->c);
    if (r->dead) {
        a->in_dead[0] = true;
        a->c.in_dead = a->in_dead;
    }
    if (s->derefs && !r->dead && !step_deref(s, a->in, a->temps, &a->status)) {
        async_finish(a, ready);
        return true;
    }
    s->kernel->def->run_async(&a->c);
    if (__atomic_exchange_n(&a->state, 1, __ATOMIC_ACQ_REL) != 2)
        return false;
    async_finish(a, ready);
    return true;
}

/* --- the loop --- */

struct handoff {
    struct flow *flow;
    struct flow_ready item;
};

static void run_handoff(void *arg)
{
    struct handoff *h = arg;
    struct flow *f = h->flow;
    struct flow_list ready = {0};
    flow_list_push(&ready, h->item.iter, h->item.step, h->item.dead);
    /* this thread's own hold on the flow, as for an asynchronous completion */
    __atomic_fetch_add(&f->outstanding, 1, __ATOMIC_RELAXED);
    mem_free(h);
    run_list(f, &ready);
}

static bool worth_a_thread(const struct flow *f, const struct flow_ready *r)
{
    const struct plan_step *s = &f->part->steps[r->step];
    return !r->dead && (s->expensive || s->blocking);
}

/* Of the newly ready expensive steps all but one go to other threads. */
static void share(struct flow *f, struct flow_list *ready)
{
    int64_t kept = 0, expensive = 0;
    for (int64_t i = 0; i < ready->n; i++) {
        struct flow_ready *r = &ready->v[i];
        if (worth_a_thread(f, r) && expensive++ > 0) {
            struct handoff *h = mem_new(struct handoff);
            *h = (struct handoff){f, *r};
            pool_submit(f->env->pool, run_handoff, h);
        } else {
            ready->v[kept++] = *r;
        }
    }
    ready->n = kept;
}

/* Works off the list and what becomes ready by it. The caller holds one count of f->outstanding,
 * which is dropped at the end; whoever drops the last one finishes the flow. */
static void run_list(struct flow *f, struct flow_list *ready)
{
    while (ready->n > 0) {
        if (f->parallel && ready->n > 1)
            share(f, ready);
        struct flow_ready r = ready->v[--ready->n];
        const struct plan_step *s = &f->part->steps[r.step];
        if (UNLIKELY(__atomic_load_n(&f->aborted, __ATOMIC_ACQUIRE))) {
            /* dropped: nothing after it runs */
        } else if (UNLIKELY(f->env->cancel && cancel_fired(f->env->cancel))) {
            struct status st = {0};
            if (!cancel_check(f->env->cancel, &st))
                fail(f, &st);
            status_clear(&st);
        } else if (s->async && (!r.dead || is_transfer(s))) {
            if (!run_async(f, &r, ready))
                continue; /* its count goes with async_resume */
        } else {
            run_sync(f, &r, ready);
        }
        __atomic_fetch_sub(&f->outstanding, 1, __ATOMIC_RELAXED);
    }
    mem_free(ready->v);
    if (__atomic_fetch_sub(&f->outstanding, 1, __ATOMIC_ACQ_REL) == 1)
        finish(f);
}

void dataflow_start(const struct plan_part *part, struct kernel_env *env, struct step_trace *trace,
                    plan_done_fn done, void *arg)
{
    struct flow *f = mem_new(struct flow);
    f->part = part;
    f->env = env;
    f->trace = trace;
    f->done = done;
    f->done_arg = arg;
    f->parallel = pool_num_threads(env->pool) > 1;
    f->free_iters = mem_new_array(struct flow_iter *, part->num_frames);
    lock_init(&f->lock, "flow", LOCK_RANK_STEP);
    f->root = flow_frame_new(f, 0, NULL, NULL);
    struct flow_list ready = {0};
    struct flow_iter *it = f->root->iters[0];
    f->outstanding = 1;
    for (int i = part->num_roots - 1; i >= 0; i--) {
        it->outstanding++;
        f->outstanding++;
        flow_list_push(&ready, it, part->roots[i], false);
    }
    run_list(f, &ready);
}
