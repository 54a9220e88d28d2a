/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that leave their flow's owner: asynchronous kernels, which hold no thread while they wait,
 * and kernels that are worth a thread of their own.
 *
 * A job's kernel reads and writes its step's slots, which nobody else touches meanwhile. When it is
 * over, the job goes to the flow's mailbox; where the flow has no owner then, the pool gets one. */
#include "base/mem.h"
#include "op/changes.h"
#include "runtime/dataflow.h"
#include "runtime/session.h"
#include "runtime/trace.h"

static struct flow_job *job_new(struct flow *f, const struct flow_ready *r)
{
    const struct plan_step *s = &f->part->steps[r->step];
    struct flow_job *job = f->free_jobs;
    if (job)
        f->free_jobs = job->next;
    else
        job = mem_alloc(sizeof *job);
    *job = (struct flow_job){.flow = f, .item = *r};
    job->dead[0] = r->dead;
    job->c = (struct kctx){
        .kernel = s->kernel,
        .env = f->env,
        .in = r->iter->in + s->frame_in,
        .out = r->iter->slots + s->out,
        .in_last_use = flow_last_uses(r->iter, s),
        .frame = r->iter->frame->id,
        .frame_number = r->iter->frame->number,
        .frame_iter = r->iter->number,
        .in_dead = r->dead ? job->dead : NULL,
        .expected_alive = -1,
        .executor = job,
    };
    job->start_ns = f->trace ? clock_now_ns() : 0;
    f->away++;
    return job;
}

void flow_job_free(struct flow *f, struct flow_job *job)
{
    for (int i = 0; i < job->num_values; i++)
        tensor_clear(&job->values[i]);
    mem_free(job->values);
    mem_free(job->in);
    status_clear(&job->status);
    job->next = f->free_jobs;
    f->free_jobs = job;
}

/* --- the mailbox --- */

static void drive(void *flow)
{
    flow_drive(flow);
}

static __thread bool thread_is_lent;

bool thread_lend_to_steps(bool on)
{
    bool was = thread_is_lent;
    thread_is_lent = on;
    return was;
}

/* One flow at a time: what another's steps set going is the pool's. */
static bool drive_here(struct flow *f)
{
    if (!thread_is_lent || !plan_part_is_light(f->part))
        return false;
    thread_is_lent = false;
    flow_drive(f); /* f may be gone */
    thread_is_lent = true;
    return true;
}

/* The caller owns f, and others drive it: the thread that waits for the step, or the pool's, or
 * this one if it was lent. With expensive steps ahead, no thread that is busy is waited for. */
static void drive_on(struct flow *f)
{
    bool spread = f->parallel && f->part->heavy;
    if ((!f->home || !home_drive(f->home, f, spread)) && !drive_here(f))
        pool_submit(f->env->pool, drive, f);
}

/* The job is back. True: the caller owns the flow now. */
static bool post(struct flow *f, struct flow_job *job)
{
    lock_take(&f->lock);
    job->next = f->mailbox;
    __atomic_store_n(&f->mailbox, job, __ATOMIC_RELAXED);
    bool mine = !f->owned;
    f->owned = true;
    lock_drop(&f->lock);
    return mine;
}

struct flow_job *flow_collect(struct flow *f)
{
    if (f->away == 0)
        return NULL;
    lock_take(&f->lock);
    struct flow_job *jobs = f->mailbox;
    __atomic_store_n(&f->mailbox, NULL, __ATOMIC_RELAXED);
    if (!jobs)
        f->owned = false;
    lock_drop(&f->lock);
    return jobs;
}

/* --- kernels on other threads --- */

static void run_job(struct flow_job *job)
{
    struct flow *f = job->flow;
    const struct plan_step *s = &f->part->steps[job->item.step];
    struct kctx *c = &job->c;
    bool ok =
        s->derefs ? step_run_derefs(s, c, &job->status) : s->kernel->def->run(c, &job->status);
    if (c->scratch_head)
        kernel_scratch_release(c);
    if (f->trace)
        trace_add(f->trace, f->part, s, job->start_ns, clock_now_ns(), c->out);
    if (!ok)
        step_explain(s, c->in, &job->status);
}

static void run_on_pool(void *arg)
{
    struct flow_job *job = arg;
    struct flow *f = job->flow;
    run_job(job);
    if (post(f, job))
        flow_drive(f);
}

void flow_start_elsewhere(struct flow *f)
{
    pool_submit(f->env->pool, drive, f);
}

void flow_hand_off(struct flow *f, const struct flow_ready *r)
{
    pool_submit(f->env->pool, run_on_pool, job_new(f, r));
}

bool flow_run_apart(struct flow *f, const struct flow_ready *r)
{
    struct flow_job *job = job_new(f, r);
    lock_take(&f->lock);
    bool left = f->mailbox == NULL;
    f->owned = !left;
    lock_drop(&f->lock);
    run_job(job);
    return post(f, job) || !left;
}

/* --- asynchronous kernels --- */

static void async_done(struct kctx *c, struct status *st)
{
    struct flow_job *job = c->executor;
    struct flow *f = job->flow;
    status_move(&job->status, st);
    if (__atomic_exchange_n(&job->state, 2, __ATOMIC_ACQ_REL) == 1 && post(f, job))
        drive_on(f);
}

/* The values behind references, which must live until the kernel is done. */
static bool read_refs(struct flow_job *job, const struct plan_step *s)
{
    job->num_values = s->num_in;
    job->values = mem_new_array(struct tensor, s->num_in);
    job->in = mem_new_array(struct tensor *, s->num_in);
    for (int i = 0; i < s->num_in; i++)
        job->in[i] = job->c.in[i];
    job->c.in = job->in;
    job->c.in_last_use = 0;
    return step_deref(s, job->in, job->values, &job->status);
}

void flow_start_async(struct flow *f, const struct flow_ready *r)
{
    const struct plan_step *s = &f->part->steps[r->step];
    struct flow_job *job = job_new(f, r);
    job->c.done = async_done;
    if (!s->derefs || r->dead || read_refs(job, s)) {
        changes_start(&job->c);
        if (__atomic_exchange_n(&job->state, 1, __ATOMIC_ACQ_REL) != 2)
            return;
    }
    flow_job_over(f, job);
}
