/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronous training in a session: how a chief and a worker start, and who takes part. */
#include <string.h>

#include "base/mem.h"
#include "build/sync_replicas.h"
#include "leat/run.h"

/* ---- starting ---- */

static int fail(TF_Status *status, TF_Code code, const char *why)
{
    if (status)
        TF_SetStatus(status, code, why);
    return 0;
}

static struct sync_replicas *applied(leat_optimizer *opt, TF_Status *status)
{
    if (opt && opt->sync && opt->sync->applied)
        return opt->sync;
    (void)fail(status, TF_FAILED_PRECONDITION, "leat_sync: no gradients were applied");
    return NULL;
}

/* 1 where all variables have values. */
static int ready(struct sync_replicas *s, TF_Session *session, TF_Status *status)
{
    TF_Tensor *missing = NULL;
    if (!leat_run(session, status,
                  .fetches =
                      leat_fetches(leat_fetch_tensor(s->parts.ready_for_local_init, &missing))))
        return 0;
    int64_t n = TF_NumDims(missing) == 1 ? TF_Dim(missing, 0) : 0;
    TF_DeleteTensor(missing);
    return n == 0 ? 1
                  : fail(status, TF_FAILED_PRECONDITION,
                         "Init operations did not make model ready for local_init.");
}

/* Tokens of before a restart say steps that are over. Others may take some meanwhile: then the step
 * that waits for more is given up and begins anew. */
static int drain(struct sync_replicas *s, TF_Session *session, TF_Status *status)
{
    enum { PATIENCE_MS = 1000, TRIES = 60 };
    TF_Status *own = TF_NewStatus();
    int ok = 0;
    for (int i = 0; i < TRIES; i++) {
        double left = leat_run_number(session, s->num_left, leat_no_feeds(), own);
        ok = TF_GetCode(own) == TF_OK;
        if (!ok || left <= 0)
            break;
        ok = leat_run(session, own, .targets = leat_opers(s->drain), .timeout_ms = PATIENCE_MS);
        if (!ok && TF_GetCode(own) != TF_DEADLINE_EXCEEDED)
            break;
    }
    if (!ok && status)
        TF_SetStatus(status, TF_GetCode(own), TF_Message(own));
    TF_DeleteStatus(own);
    return ok;
}

struct updater {
    leat_optimizer *opt;
    TF_Session *session;
    TF_Operation *enqueue;
};

/* Each step waits for the workers' gradients. What a stop did to it is no error; where too few
 * workers are left, that is what is said. */
static void update_until_stop(leat_coordinator *c, void *arg, TF_Status *status)
{
    struct updater *u = arg;
    int ok = 1;
    while (ok && !leat_should_stop(c))
        ok = leat_run_op(u->session, u->enqueue, leat_no_feeds(), status);
    if (!ok && leat_should_stop(c)) {
        TF_SetStatus(status, TF_OK, "");
    } else if (!ok && u->opt->sync->worker >= 0) {
        TF_Status *why = TF_NewStatus();
        if (!leat_sync_check(u->opt, u->session, why) && TF_GetCode(why) == TF_FAILED_PRECONDITION)
            TF_SetStatus(status, TF_GetCode(why), TF_Message(why));
        TF_DeleteStatus(why);
    }
    mem_free(u);
}

int leat_sync_start_chief(leat_optimizer *opt, TF_Session *session, leat_coordinator *c,
                          TF_Operation *init_tokens, TF_Status *status)
{
    struct sync_replicas *s = applied(opt, status);
    if (!s)
        return 0;
    if (!c || !init_tokens || !s->drain)
        return fail(status, TF_INVALID_ARGUMENT,
                    "leat_sync_start_chief: a coordinator and the operation of "
                    "leat_sync_init_tokens are needed");
    if (!ready(s, session, status) || !drain(s, session, status) ||
        !leat_run_op(session, s->parts.chief_init, leat_no_feeds(), status) ||
        !leat_run_op(session, init_tokens, leat_no_feeds(), status))
        return 0;
    struct updater *u = mem_new(struct updater);
    *u = (struct updater){opt, session, s->enqueue};
    if (leat_coordinator_thread(c, TF_OperationName(s->enqueue), update_until_stop, u, status))
        return 1;
    mem_free(u);
    return 0;
}

int leat_sync_start_worker(leat_optimizer *opt, TF_Session *session, TF_Status *status)
{
    struct sync_replicas *s = applied(opt, status);
    return s && ready(s, session, status) &&
           leat_run_op(session, s->parts.local_step_init, leat_no_feeds(), status);
}

/* ---- who takes part ---- */

static struct sync_replicas *with_members(leat_optimizer *opt, TF_Status *status)
{
    struct sync_replicas *s = applied(opt, status);
    if (!s || s->worker >= 0)
        return s;
    (void)fail(status, TF_UNIMPLEMENTED,
               "leat_sync: made without .worker: gradients and members are not counted");
    return NULL;
}

int leat_sync_counts(leat_optimizer *opt, TF_Session *session, struct leat_sync_count *counts,
                     TF_Status *status)
{
    struct sync_replicas *s = with_members(opt, status);
    if (!s)
        return 0;
    int64_t *pushed = mem_new_array(int64_t, s->total),
            *accepted = mem_new_array(int64_t, s->total);
    int32_t *members = mem_new_array(int32_t, s->total);
    int ok = leat_run(session, status,
                      .fetches = leat_fetches(leat_fetch(s->m.pushed, pushed, s->total),
                                              leat_fetch(s->m.accepted, accepted, s->total),
                                              leat_fetch(s->m.members, members, s->total)));
    for (int i = 0; ok && i < s->total; i++)
        counts[i] = (struct leat_sync_count){pushed[i], accepted[i], members[i]};
    mem_free(pushed);
    mem_free(accepted);
    mem_free(members);
    return ok;
}

static int num_members(struct sync_replicas *s, TF_Session *session, int *n, TF_Status *status)
{
    int32_t *members = mem_new_array(int32_t, s->total);
    int ok = leat_run(session, status,
                      .fetches = leat_fetches(leat_fetch(s->m.members, members, s->total)));
    *n = 0;
    for (int i = 0; ok && i < s->total; i++)
        *n += members[i] != 0;
    mem_free(members);
    return ok;
}

/* As many gradients a step as there are members, at most what was asked for, at least one; the take
 * that waits for more is helped on. */
static int set_quorum(struct sync_replicas *s, TF_Session *session, int num, TF_Status *status)
{
    const int want = num < 1 ? 1 : num < s->required ? num : s->required;
    int32_t before;
    if (!leat_run(session, status, .fetches = leat_fetches(leat_fetch(s->m.quorum, &before, 1))) ||
        !leat_run(session, status, .feeds = leat_feeds(leat_feed_number(s->m.value, want)),
                  .targets = leat_opers(s->m.set_quorum)))
        return 0;
    for (; before > want; before--)
        if (!leat_run_op(session, s->m.fill_gate, leat_no_feeds(), status))
            return 0;
    return 1;
}

static int set_member(struct sync_replicas *s, TF_Session *session, int worker, int in,
                      TF_Status *status)
{
    if (worker < 0 || worker >= s->total)
        return fail(status, TF_INVALID_ARGUMENT, "leat_sync: there is no worker of this index");
    return leat_run(
        session, status,
        .feeds = leat_feeds(leat_feed_number(s->m.which, worker), leat_feed_number(s->m.value, in)),
        .targets = leat_opers(s->m.set_member));
}

int leat_sync_leave(leat_optimizer *opt, TF_Session *session, int worker, TF_Status *status)
{
    struct sync_replicas *s = with_members(opt, status);
    int n;
    if (!s || !set_member(s, session, worker, 0, status) || !num_members(s, session, &n, status))
        return 0;
    if (s->elastic)
        return set_quorum(s, session, n, status);
    return n >= s->required || leat_run_op(session, s->m.end_tokens, leat_no_feeds(), status);
}

int leat_sync_enter(leat_optimizer *opt, TF_Session *session, int worker, TF_Status *status)
{
    struct sync_replicas *s = with_members(opt, status);
    int n;
    return s && set_member(s, session, worker, 1, status) && num_members(s, session, &n, status) &&
           (!s->elastic || set_quorum(s, session, n, status));
}

int leat_sync_check(leat_optimizer *opt, TF_Session *session, TF_Status *status)
{
    struct sync_replicas *s = with_members(opt, status);
    int n;
    if (!s || !num_members(s, session, &n, status))
        return 0;
    if (n >= s->required || (s->elastic && n > 0))
        return 1;
    char *why = mem_printf("sync_replicas: %d gradients are required a step, %d of %d workers are "
                           "left",
                           s->required, n, s->total);
    (void)fail(status, TF_FAILED_PRECONDITION, why);
    mem_free(why);
    return 0;
}
