/* SPDX-License-Identifier: Apache-2.0 */
/* Callables: a plan held by its user, so that a call looks nothing up. */
#include "base/cpu.h"
#include "base/mem.h"
#include "op/rendezvous.h"
#include "runtime/session_impl.h"

struct callable {
    struct session *session;
    struct plan *plan;
    struct output *feeds;
    int num_feeds, num_fetches;
};

struct callable *callable_new(struct session *s, const struct run_args *signature,
                              struct status *st)
{
    struct plan *p = session_plan(s, signature, st);
    if (!p)
        return NULL;
    struct callable *c = mem_new(struct callable);
    *c = (struct callable){.session = s, .plan = p, .num_fetches = signature->num_fetches};
    c->num_feeds = signature->num_feeds;
    c->feeds = mem_new_array(struct output, signature->num_feeds + 1);
    for (int i = 0; i < signature->num_feeds; i++)
        c->feeds[i] = signature->feeds[i];
    return c;
}

bool callable_run(struct callable *c, const struct tensor *feeds, struct tensor *fetches,
                  struct status *st)
{
    struct session *s = c->session;
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

void callable_free(struct callable *c)
{
    if (!c)
        return;
    plan_unref(c->plan);
    mem_free(c->feeds);
    mem_free(c);
}
