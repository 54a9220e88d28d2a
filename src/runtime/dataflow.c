/* SPDX-License-Identifier: Apache-2.0 */
/* The dataflow executor: for graphs with control flow or asynchronous kernels.
 *
 * Made for many small steps: the owner of a flow keeps a stack of ready ones and works it off
 * without a lock. Of the steps that are worth a thread all but one are given to the pool; the last
 * one is run by the owner when nothing else is ready. After the first error nothing new starts, the
 * step's cancellation fires, and the run is over when what is away has come back. */
#include "runtime/dataflow.h"

#include <string.h>

#include "base/mem.h"
#include "op/cancel.h"
#include "op/rendezvous.h"
#include "runtime/trace.h"

enum { CANCEL_CHECK_STEPS = 16 };

/* --- life --- */

struct flow *flow_new(const struct plan_part *part)
{
    struct flow *f = mem_new(struct flow);
    f->part = part;
    f->pools = mem_new_array(struct flow_pool, part->num_frames);
    lock_init(&f->lock, "flow", LOCK_RANK_STEP);
    return f;
}

void flow_free(struct flow *f)
{
    if (!f)
        return;
    flow_free_blocks(f);
    while (f->free_jobs) {
        struct flow_job *job = f->free_jobs;
        f->free_jobs = job->next;
        mem_free(job);
    }
    mem_free(f->ready.v);
    mem_free(f->heavy.v);
    lock_release_memory(&f->lock);
    mem_free(f);
}

static void finish(struct flow *f)
{
    plan_done_fn done = f->done;
    void *arg = f->done_arg;
    struct status st = {0};
    status_move(&st, &f->status);
    flow_frame_free(f, f->root);
    f->root = NULL;
    f->owned = false;
    done(arg, &st); /* another run may have the flow now */
    status_clear(&st);
}

void flow_fail(struct flow *f, const struct status *st)
{
    if (f->aborted)
        return;
    f->aborted = true;
    status_copy(&f->status, st);
    f->ready.n = f->heavy.n = 0;
    if (f->env->rendezvous)
        rendezvous_abort(f->env->rendezvous, st);
    if (f->env->cancel)
        cancel_fire(f->env->cancel, STATUS_CANCELLED, "the step failed");
}

/* --- one step --- */

/* Only a Switch leaves outputs empty: the branch not taken. */
static bool check_outputs(const struct plan_step *s, const struct tensor *out, struct status *st)
{
    for (int i = 0; i < s->num_out; i++) {
        if (UNLIKELY(out[i].dtype == DT_INVALID) && s->kind != STEP_SWITCH)
            return status_internal(st, "Missing %d-th output from %s", i, s->name);
    }
    return true;
}

static bool run_kernel(struct flow *f, const struct flow_ready *r, const struct plan_step *s,
                       struct kctx *c, struct status *st)
{
    struct flow_iter *it = r->iter;
    bool dead[1] = {true};
    int64_t start = UNLIKELY(f->trace != NULL) ? clock_now_ns() : 0;
    c->kernel = s->kernel;
    c->in = it->in + s->frame_in;
    c->out = it->slots + s->out;
    c->in_last_use = flow_last_uses(it, s);
    c->frame = it->frame->id;
    c->frame_number = it->frame->number;
    c->frame_iter = it->number;
    c->expected_alive = s->kind == STEP_MERGE ? -1 - it->counts[s->local].deads : -1;
    c->in_dead = UNLIKELY(r->dead) ? dead : NULL;
    bool ok = UNLIKELY(s->derefs) && s->kind != STEP_MERGE && !r->dead ? step_run_derefs(s, c, st)
                                                                       : s->kernel->def->run(c, st);
    if (UNLIKELY(c->scratch_head != NULL))
        kernel_scratch_release(c);
    if (UNLIKELY(f->trace != NULL))
        trace_add(f->trace, f->part, s, start, clock_now_ns(), c->out);
    return ok && check_outputs(s, c->out, st);
}

static bool forward_switch(struct flow_iter *it, const struct plan_step *s)
{
    const struct tensor *pred = it->in[s->frame_in + 1];
    if (UNLIKELY(pred->dtype != DT_BOOL || pred->shape.rank != 0))
        return false;
    flow_forward(it, s, 0, &it->slots[s->out + (tensor_bool(pred)[0] ? 1 : 0)]);
    return true;
}

static bool forward_merge(struct flow_iter *it, const struct plan_step *s)
{
    if (it->uses[s->out + 1] > 0) /* somebody wants to know which it was */
        return false;
    flow_forward(it, s, -1 - it->counts[s->local].deads, &it->slots[s->out]);
    return true;
}

/* Steps that only hand values on need no kernel. False: this one does. */
static bool hand_on(struct flow *f, const struct flow_ready *r, const struct plan_step *s)
{
    struct flow_iter *it = r->iter;
    switch (s->kind) {
    case STEP_CONST: /* its readers know where it is */
    case STEP_TRIGGER:
        return true;
    case STEP_ARG:
        it->slots[s->out] = step_arg(f->env, s->arg);
        return true;
    case STEP_FORWARD:
    case STEP_LOOP_COND:
        if (UNLIKELY(s->derefs))
            return false;
        flow_forward(it, s, 0, &it->slots[s->out]);
        return true;
    case STEP_SWITCH:
        return s->num_in == 2 && s->num_out == 2 && !s->derefs && forward_switch(it, s);
    case STEP_MERGE:
        return !s->derefs && forward_merge(it, s);
    case STEP_ENTER:
    case STEP_EXIT:
    case STEP_NEXT_ITERATION:
        return true; /* flow_propagate's work */
    default:
        return false;
    }
}

static bool hand_on_traced(struct flow *f, const struct flow_ready *r, const struct plan_step *s)
{
    int64_t start = UNLIKELY(f->trace != NULL) ? clock_now_ns() : 0;
    if (!hand_on(f, r, s))
        return false;
    bool here = s->kind < STEP_ENTER;
    if (UNLIKELY(f->trace != NULL) && s->kernel)
        trace_add(f->trace, f->part, s, start, clock_now_ns(),
                  here ? r->iter->slots + s->out : NULL);
    return true;
}

static bool return_value(struct flow *f, struct flow_iter *it, const struct plan_step *s,
                         struct status *st)
{
    bool take = flow_last_uses(it, s) & 1;
    return step_return(f->env, s->arg, it->in[s->frame_in], take, st);
}

static void fail_step(struct flow *f, const struct flow_ready *r, struct status *st)
{
    const struct plan_step *s = &f->part->steps[r->step];
    step_explain(s, r->iter->in + s->frame_in, st);
    flow_fail(f, st);
    status_clear(st);
}

/* A reference on its way into, through or out of a loop: what is handed on may be its snapshot. */
static void run_loop_ref(struct flow *f, const struct flow_ready *r, const struct plan_step *s)
{
    struct tensor **in = r->iter->in + s->frame_in, *direct = in[0], value = {0};
    struct status st = {0};
    bool ok = step_deref(s, in, &value, &st);
    if (ok)
        flow_propagate(f, r->iter, s, false);
    else
        fail_step(f, r, &st);
    in[0] = direct;
    tensor_clear(&value);
}

/* Runs a synchronous step here and passes its outputs on. */
static void run_sync(struct flow *f, const struct flow_ready *r, struct kctx *c)
{
    const struct plan_step *s = &f->part->steps[r->step];
    bool skip = r->dead && !s->transfer, ok = true;
    struct status st = {0};
    if (!skip && s->kind == STEP_RETVAL) {
        ok = return_value(f, r->iter, s, &st);
    } else if (!skip && UNLIKELY(s->derefs) && s->kind >= STEP_ENTER && s->num_in == 1 &&
               s->kind != STEP_LOOP_COND) {
        run_loop_ref(f, r, s);
        return;
    } else if (!skip && (s->kind == STEP_PLAIN || !hand_on_traced(f, r, s))) {
        ok = run_kernel(f, r, s, c, &st);
    }
    if (LIKELY(ok))
        flow_propagate(f, r->iter, s, skip || (r->dead && s->num_out == 0));
    else
        fail_step(f, r, &st);
}

void flow_job_over(struct flow *f, struct flow_job *job)
{
    const struct plan_step *s = &f->part->steps[job->item.step];
    struct kctx *c = &job->c;
    bool dead = c->output_dead_set && c->out_dead;
    f->away--;
    if (c->scratch_head)
        kernel_scratch_release(c);
    if (f->trace && s->async)
        trace_add(f->trace, f->part, s, job->start_ns, clock_now_ns(), c->out);
    if (status_ok(&job->status) && (dead || check_outputs(s, c->out, &job->status))) {
        if (!f->aborted)
            flow_propagate(f, job->item.iter, s, dead);
    } else {
        step_explain(s, c->in, &job->status);
        flow_fail(f, &job->status);
    }
    flow_job_free(f, job);
}

/* --- the loop --- */

static bool cancelled(struct flow *f)
{
    struct status st = {0};
    if (LIKELY(!f->env->cancel || cancel_check(f->env->cancel, &st)))
        return false;
    flow_fail(f, &st);
    status_clear(&st);
    return true;
}

/* Works off what is ready and not worth another thread, until something is back. */
static void run_ready(struct flow *f, struct kctx *c)
{
    for (int turn = 0; f->ready.n > 0; turn++) {
        if (UNLIKELY(turn % CANCEL_CHECK_STEPS == 0) && cancelled(f))
            return;
        struct flow_ready r = f->ready.v[--f->ready.n];
        const struct plan_step *s = &f->part->steps[r.step];
        if (UNLIKELY(s->async) && (!r.dead || s->transfer))
            flow_start_async(f, &r);
        else
            run_sync(f, &r, c);
        if (UNLIKELY(f->heavy.n > 1))
            return;
        if (f->away > 0 && __atomic_load_n(&f->mailbox, __ATOMIC_RELAXED))
            return;
    }
}

/* False: the flow has another owner now. */
static bool run_heavy(struct flow *f, struct kctx *c)
{
    while (f->heavy.n > 1)
        flow_hand_off(f, &f->heavy.v[--f->heavy.n]);
    if (f->ready.n > 0 || f->heavy.n == 0 || cancelled(f))
        return true;
    struct flow_ready r = f->heavy.v[--f->heavy.n];
    if (f->away > 0)
        return flow_run_apart(f, &r);
    run_sync(f, &r, c);
    return true;
}

/* What came back is passed on. False: nothing did, and the flow is over or has been given up. */
static bool take_back(struct flow *f)
{
    struct flow_job *next, *jobs = flow_collect(f);
    for (struct flow_job *job = jobs; job; job = next) {
        next = job->next;
        flow_job_over(f, job);
    }
    return jobs != NULL;
}

void flow_drive(struct flow *f)
{
    struct kctx c = {.env = f->env, .expected_alive = -1};
    for (;;) {
        run_ready(f, &c);
        if (f->heavy.n > 0 && !run_heavy(f, &c))
            return;
        bool more = f->ready.n + f->heavy.n > 0;
        if (more && !__atomic_load_n(&f->mailbox, __ATOMIC_RELAXED))
            continue;
        if (f->away == 0 && !more)
            break;
        if (!take_back(f))
            return;
    }
    finish(f);
}

void flow_start(struct flow *f, struct kernel_env *env, struct step_trace *trace, struct home *home,
                bool elsewhere, plan_done_fn done, void *arg)
{
    f->env = env;
    f->home = home;
    f->trace = trace;
    f->done = done;
    f->done_arg = arg;
    f->parallel = pool_num_threads(env->pool) > 1;
    f->aborted = false;
    f->owned = true;
    f->root = flow_frame_new(f, 0, NULL);
    for (int i = f->part->num_roots - 1; i >= 0; i--)
        flow_start_root(f, f->root->iters[0], f->part->roots[i]);
    if (elsewhere && f->parallel && f->part->heavy)
        flow_start_elsewhere(f);
    else
        flow_drive(f);
}
