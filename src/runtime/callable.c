/* SPDX-License-Identifier: Apache-2.0 */
/* Callables: a plan held by its user, so that a call looks nothing up; and steps of it that are
 * started by one thread and end by a callback on another. */
#include "base/cpu.h"
#include "base/mem.h"
#include "op/rendezvous.h"
#include "op/session_store.h"
#include "runtime/session_impl.h"
#include "runtime/trace.h"

struct callable {
    struct session *session;
    struct plan *plan;         /* NULL: the session runs elsewhere, */
    struct run_args signature; /* and by these */
    struct output *feeds;
    int num_feeds, num_fetches;
    bool light; /* few steps, none of them expensive: over before another thread would begin */
};

/* Without a plan: each call is a run of the session. */
static void keep_signature(struct callable *c, const struct run_args *a)
{
    struct output *fetches = mem_new_array(struct output, a->num_fetches + 1);
    struct node **targets = mem_new_array(struct node *, a->num_targets + 1);
    for (int i = 0; i < a->num_fetches; i++)
        fetches[i] = a->fetches[i];
    for (int i = 0; i < a->num_targets; i++)
        targets[i] = a->targets[i];
    c->signature = (struct run_args){.feeds = c->feeds,
                                     .num_feeds = a->num_feeds,
                                     .fetches = fetches,
                                     .num_fetches = a->num_fetches,
                                     .targets = targets,
                                     .num_targets = a->num_targets};
}

static bool run_elsewhere(struct callable *c, const struct tensor *feeds, struct tensor *fetches,
                          struct status *st)
{
    struct run_args a = c->signature;
    a.feed_values = feeds;
    a.fetch_values = fetches;
    return session_run(c->session, &a, st);
}

static bool is_light(const struct plan *p)
{
    int steps = 0;
    for (int i = 0; i < p->num_parts; i++) {
        if (!plan_part_is_light(&p->parts[i]))
            return false;
        steps += p->parts[i].num_steps;
    }
    return steps <= PLAN_LIGHT_STEPS;
}

struct callable *callable_new(struct session *s, const struct run_args *signature,
                              struct status *st)
{
    struct plan *p = s->kind ? NULL : session_plan(s, signature, st);
    if (!p && !s->kind)
        return NULL;
    struct callable *c = mem_new(struct callable);
    *c = (struct callable){.session = s, .plan = p, .num_fetches = signature->num_fetches};
    c->light = p && is_light(p);
    c->num_feeds = signature->num_feeds;
    c->feeds = mem_new_array(struct output, signature->num_feeds + 1);
    for (int i = 0; i < signature->num_feeds; i++)
        c->feeds[i] = signature->feeds[i];
    if (s->kind)
        keep_signature(c, signature);
    return c;
}

bool callable_run(struct callable *c, const struct tensor *feeds, struct tensor *fetches,
                  struct status *st)
{
    struct session *s = c->session;
    if (s->kind)
        return run_elsewhere(c, feeds, fetches, st);
    for (int i = 0; i < c->num_fetches; i++)
        fetches[i] = (struct tensor){0};
    if (!session_check_feeds(c->feeds, feeds, c->num_feeds, st) || !session_enter(s, st))
        return false;
    struct step *step = session_step_take(s);
    struct kernel_env *env = &step->env;
    env->args = feeds;
    env->num_args = c->num_feeds;
    env->retvals = fetches;
    env->num_retvals = c->num_fetches;
    bool own = c->plan->num_parts > 1 || !c->plan->parts[0].tape;
    if (own) {
        env->cancel = cancel_new(s->cancel);
        env->rendezvous = rendezvous_new();
    }
    uint64_t mode = cpu_float_mode_enter();
    bool ok = plan_run(c->plan, env, NULL, st);
    cpu_float_mode_restore(mode);
    if (own) {
        cancel_unref(env->cancel);
        rendezvous_unref(env->rendezvous);
    }
    session_step_give(s, step);
    session_leave(s);
    return ok;
}

/* --- steps that hold no thread --- */

struct started { /* owned by itself */
    struct callable *callable;
    struct step *step;
    struct cancel *cancel, *outer; /* the latter: the caller's */
    uint64_t token, outer_token;
    struct rendezvous *rendezvous;
    struct step_trace *trace; /* NULL: none */
    callable_done_fn done;
    void *arg;
};

/* What waits for a value does not look at the cancellation: its rendezvous tells it. */
static void cancelled(void *arg)
{
    struct started *r = arg;
    struct status st = {0};
    if (!cancel_check(r->cancel, &st))
        rendezvous_abort(r->rendezvous, &st);
    status_clear(&st);
}

static void outer_cancelled(void *arg)
{
    struct started *r = arg;
    struct status st = {0};
    struct cancel *c = cancel_ref(r->cancel); /* the step may end by this, here */
    if (!cancel_check(r->outer, &st))
        cancel_fire(c, st.code, status_message(&st));
    cancel_unref(c);
    status_clear(&st);
}

static void release_trace(struct step_trace *t)
{
    if (t)
        trace_release(t);
    mem_free(t);
}

static void started_over(void *arg, struct status *st)
{
    struct started *r = arg;
    struct session *s = r->callable->session;
    struct strbuf metadata = {0};
    if (r->outer_token)
        cancel_remove(r->outer, r->outer_token);
    if (r->token)
        cancel_remove(r->cancel, r->token);
    if (status_ok(st))
        session_store_keep_all(r->step->resources, s->container);
    if (r->trace && status_ok(st))
        trace_metadata(r->trace, r->callable->plan, &metadata);
    release_trace(r->trace);
    cancel_unref(r->cancel);
    session_step_give(s, r->step);
    r->done(r->arg, st, &metadata);
    strbuf_release(&metadata);
    mem_free(r);
    session_leave(s); /* which may be freed from here on */
}

static void run_started(void *arg)
{
    struct started *r = arg;
    uint64_t mode = cpu_float_mode_enter();
    plan_start(r->callable->plan, &r->step->env, r->trace, started_over, r);
    cpu_float_mode_restore(mode);
}

static struct started *started_new(struct callable *c, const struct callable_step *step)
{
    struct started *r = mem_new(struct started);
    *r = (struct started){.callable = c,
                          .step = session_step_take(c->session),
                          .cancel = cancel_new(c->session->cancel),
                          .outer = step->cancel,
                          .rendezvous = step->rendezvous};
    r->step->env.cancel = r->cancel;
    r->step->env.rendezvous = r->rendezvous;
    r->step->env.step_id = step->step_id;
    r->step->env.changes = step->changes;
    r->step->env.change_key = step->change_key;
    if (step->traced) {
        r->trace = mem_new(struct step_trace);
        trace_init(r->trace);
    }
    return r;
}

void callable_start(struct callable *c, const struct callable_step *step, callable_done_fn done,
                    void *arg)
{
    struct status st = {0};
    struct strbuf none = {0};
    if (!session_enter(c->session, &st)) {
        done(arg, &st, &none);
        status_clear(&st);
        return;
    }
    struct started *r = started_new(c, step);
    r->done = done;
    r->arg = arg;
    r->token = cancel_add(r->cancel, cancelled, r);
    if (!r->token)
        cancelled(r); /* closed meanwhile */
    r->outer_token = step->cancel ? cancel_add(step->cancel, outer_cancelled, r) : 0;
    if (step->cancel && !r->outer_token)
        outer_cancelled(r);
    if (step->elsewhere && !c->light)
        pool_submit(c->session->pool, run_started, r);
    else
        run_started(r);
}

bool callable_is_light(const struct callable *c)
{
    return c->light;
}

void callable_free(struct callable *c)
{
    if (!c)
        return;
    plan_unref(c->plan);
    mem_free((void *)(uintptr_t)c->signature.fetches);
    mem_free((void *)(uintptr_t)c->signature.targets);
    mem_free(c->feeds);
    mem_free(c);
}
