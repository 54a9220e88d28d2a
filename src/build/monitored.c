/* SPDX-License-Identifier: Apache-2.0 */
/* Monitored sessions: steps with hooks around them, and a new session where one was lost. */
#include "build/monitored.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "build/coordinator.h"
#include "leat/types.h"

struct leat_monitored_session {
    TF_Graph *g;
    struct leat_start_args start;
    char *target, *config, *checkpoint_dir;
    struct leat_scaffold own, *scaffold;
    struct leat_hook **hooks;
    int num_hooks;
    double grace;
    struct running r; /* session NULL: to be made */
    bool stop, failed;
};

/* ---- threads on a session ---- */

int running_start(struct running *r, TF_Graph *g, TF_Session *session, TF_Status *status)
{
    *r = (struct running){.session = session, .c = leat_coordinator_new()};
    r->num_fillers = leat_start_queue_runners(session, g, r->c, status);
    return r->num_fillers >= 0;
}

int running_end(struct running *r, double grace, TF_Status *status)
{
    const double time_to_cancel = grace >= 0 && grace < 1 ? grace : 1;
    TF_Status *ignored = TF_NewStatus();
    int ok = 1;
    if (r->c) {
        leat_request_stop(r->c, NULL);
        /* Queues are told to close, for which their session must be there; then steps that wait are
         * cancelled by its end. */
        if (r->num_fillers > 0)
            (void)leat_join(r->c, time_to_cancel, ignored);
        if (r->session)
            TF_CloseSession(r->session, ignored);
        ok = leat_join(r->c, grace, status);
        leat_coordinator_free(r->c);
    }
    leat_session_close(r->session);
    TF_DeleteStatus(ignored);
    *r = (struct running){.session = NULL};
    return ok;
}

bool status_says_lost(const TF_Status *status)
{
    return TF_GetCode(status) == TF_UNAVAILABLE || TF_GetCode(status) == TF_ABORTED;
}

/* ---- made ---- */

void leat_monitored_session_args_init(struct leat_monitored_session_args *args)
{
    *args = (struct leat_monitored_session_args){LEAT_MONITORED_DEFAULTS_.g = NULL};
}

static bool asked(struct leat_every e)
{
    return e.steps > 0 || e.secs > 0;
}

/* Those of the chief first, as 1.15 has them; all are the session's from here on. */
static void take_hooks(leat_monitored_session *ms, const struct leat_monitored_session_args *a)
{
    const char *summaries = a->summary_dir ? a->summary_dir : a->checkpoint_dir;
    const struct leat_hooks lists[] = {a->chief_only_hooks, a->hooks};
    enum { BUILT_IN = 3 };
    ms->hooks = mem_new_array(struct leat_hook *, lists[0].n + lists[1].n + BUILT_IN);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < lists[k].n; i++) {
            if (k == 0 && !a->is_chief && lists[k].v[i] && lists[k].v[i]->type->free)
                lists[k].v[i]->type->free(lists[k].v[i]);
            else if ((k > 0 || a->is_chief) && lists[k].v[i])
                ms->hooks[ms->num_hooks++] = lists[k].v[i];
        }
        if (k > 0 || !a->is_chief)
            continue;
        if (summaries && a->log_step_count_steps > 0)
            ms->hooks[ms->num_hooks++] =
                leat_step_counter_hook(summaries, (struct leat_every){a->log_step_count_steps, 0});
        if (summaries && asked(a->save_summaries))
            ms->hooks[ms->num_hooks++] =
                leat_summary_saver_hook(summaries, (TF_Output){NULL, 0}, a->save_summaries);
        if (a->checkpoint_dir && asked(a->save_checkpoint))
            ms->hooks[ms->num_hooks++] =
                leat_checkpoint_saver_hook(a->checkpoint_dir, NULL, a->save_checkpoint);
    }
}

static void monitored_free(leat_monitored_session *ms)
{
    for (int i = 0; i < ms->num_hooks; i++)
        if (ms->hooks[i]->type->free)
            ms->hooks[i]->type->free(ms->hooks[i]);
    leat_scaffold_release(&ms->own);
    mem_free(ms->hooks);
    mem_free(ms->target);
    mem_free(ms->config);
    mem_free(ms->checkpoint_dir);
    mem_free(ms);
}

static char *copy(const char *text)
{
    return text ? mem_strdup(text) : NULL;
}

/* What hooks and scaffold add to the graph. */
static int finish_graph(leat_monitored_session *ms, TF_Status *status)
{
    for (int i = 0; i < ms->num_hooks; i++) {
        const struct leat_hook_type *t = ms->hooks[i]->type;
        if (t->begin && !t->begin(ms->hooks[i], ms->g, ms->scaffold, status))
            return 0;
    }
    if (leat_scaffold_finalize(ms->g, ms->scaffold))
        return 1;
    leat_graph_status(ms->g, status);
    return 0;
}

/* ---- sessions ---- */

static int start_once(leat_monitored_session *ms, TF_Status *status)
{
    TF_Session *session = leat_start_session(ms->g, ms->scaffold, &ms->start, status);
    if (!session)
        return 0;
    int ok = running_start(&ms->r, ms->g, session, status);
    for (int i = 0; ok && i < ms->num_hooks; i++) {
        const struct leat_hook_type *t = ms->hooks[i]->type;
        if (t->after_create_session)
            ok = t->after_create_session(ms->hooks[i], session, ms->r.c, status);
    }
    if (!ok)
        (void)running_end(&ms->r, ms->grace, NULL);
    return ok;
}

/* What is lost between is begun anew; each beginning waits as long as it may. */
static int start(leat_monitored_session *ms, TF_Status *status)
{
    enum { TRIES = 100 };
    int ok = 0;
    for (int i = 0; !ok && i < TRIES; i++) {
        ok = start_once(ms, status);
        if (!ok && !status_says_lost(status))
            break;
    }
    return ok;
}

static void give_up_session(leat_monitored_session *ms, const TF_Status *why)
{
    log_info("A step failed, the session is made anew: %s", TF_Message(why));
    (void)running_end(&ms->r, ms->grace, NULL);
}

leat_monitored_session *leat_monitored_session_new_fn(const struct leat_monitored_session_args *a)
{
    TF_Status *own = TF_NewStatus();
    leat_monitored_session *ms = mem_new(leat_monitored_session);
    ms->g = a->g;
    ms->target = copy(a->target);
    ms->config = copy(a->config);
    ms->checkpoint_dir = copy(a->checkpoint_dir);
    ms->start =
        (struct leat_start_args){ms->target,         ms->config,       a->is_chief,
                                 ms->checkpoint_dir, a->max_wait_secs, a->recovery_wait_secs};
    ms->scaffold = a->scaffold ? a->scaffold : &ms->own;
    ms->grace = a->stop_grace_secs;
    take_hooks(ms, a);
    int ok = ms->g != NULL;
    if (!ok)
        TF_SetStatus(own, TF_INVALID_ARGUMENT, "leat_monitored_session: no graph");
    ok = ok && finish_graph(ms, own) && start(ms, own);
    if (a->status)
        TF_SetStatus(a->status, TF_GetCode(own), TF_Message(own));
    TF_DeleteStatus(own);
    if (ok)
        return ms;
    monitored_free(ms);
    return NULL;
}

TF_Session *leat_monitored_session_raw(leat_monitored_session *ms)
{
    return ms ? ms->r.session : NULL;
}

bool leat_monitored_should_stop(leat_monitored_session *ms)
{
    if (!ms || ms->stop || ms->failed)
        return true;
    if (!ms->r.c || !leat_should_stop(ms->r.c))
        return false;
    TF_Status *why = TF_NewStatus();
    bool again = coordinator_error(ms->r.c, why) && status_says_lost(why);
    if (again)
        give_up_session(ms, why);
    TF_DeleteStatus(why);
    return !again;
}

/* ---- steps ---- */

struct wants { /* of one step: the caller's and the hooks' */
    struct leat_fetch *fetches;
    struct leat_feed *feeds;
    int64_t num_fetches, num_feeds, cap_fetches, cap_feeds;
};

int leat_step_fetch(struct leat_step *step, struct leat_fetch fetch)
{
    struct wants *w = step->own;
    w->fetches = vec_reserve(w->fetches, &w->cap_fetches, w->num_fetches + 1, sizeof *w->fetches);
    w->fetches[w->num_fetches++] = fetch;
    return 1;
}

int leat_step_feed(struct leat_step *step, struct leat_feed feed)
{
    struct wants *w = step->own;
    w->feeds = vec_reserve(w->feeds, &w->cap_feeds, w->num_feeds + 1, sizeof *w->feeds);
    w->feeds[w->num_feeds++] = feed;
    return 1;
}

static int run_wants(const struct leat_monitored_run_args *a, struct leat_step *step,
                     TF_Buffer *metadata, TF_Status *status)
{
    const struct wants *w = step->own;
    return leat_run(step->session, status, .feeds = {w->feeds, (int)w->num_feeds},
                    .fetches = {w->fetches, (int)w->num_fetches}, .targets = a->targets,
                    .options = step->trace ? "trace_level: FULL_TRACE" : NULL,
                    .metadata = step->trace ? metadata : NULL);
}

static int run_hooks(leat_monitored_session *ms, struct leat_step *step, bool after,
                     TF_Status *status)
{
    int ok = 1;
    for (int i = 0; ok && i < ms->num_hooks; i++) {
        const struct leat_hook_type *t = ms->hooks[i]->type;
        int (*f)(struct leat_hook *, struct leat_step *, TF_Status *) =
            after ? t->after_run : t->before_run;
        ok = !f || f(ms->hooks[i], step, status);
    }
    return ok;
}

static int run_once(const struct leat_monitored_run_args *a, TF_Status *status)
{
    struct wants w = {.num_fetches = 0};
    TF_Buffer *metadata = TF_NewBuffer();
    struct leat_step step = {.session = a->ms->r.session, .metadata = metadata, .own = &w};
    for (int i = 0; i < a->feeds.n; i++)
        (void)leat_step_feed(&step, a->feeds.v[i]);
    for (int i = 0; i < a->fetches.n; i++)
        (void)leat_step_fetch(&step, a->fetches.v[i]);
    int ok = run_hooks(a->ms, &step, false, status) && run_wants(a, &step, metadata, status) &&
             run_hooks(a->ms, &step, true, status);
    if (ok && step.stop)
        a->ms->stop = true;
    mem_free(w.fetches);
    mem_free(w.feeds);
    TF_DeleteBuffer(metadata);
    return ok;
}

/* 1: the step is to be repeated in a new session. Else the status says how it ended. */
static int after_failure(leat_monitored_session *ms, TF_Status *status)
{
    TF_Status *why = TF_NewStatus();
    if (!status_says_lost(status) && coordinator_error(ms->r.c, why))
        TF_SetStatus(status, TF_GetCode(why), TF_Message(why)); /* what stopped it all */
    TF_DeleteStatus(why);
    if (status_says_lost(status)) {
        give_up_session(ms, status);
        return 1;
    }
    if (TF_GetCode(status) == TF_OUT_OF_RANGE)
        ms->stop = true;
    else
        ms->failed = true;
    return 0;
}

int leat_monitored_run_fn(const struct leat_monitored_run_args *a)
{
    leat_monitored_session *ms = a->ms;
    TF_Status *own = TF_NewStatus();
    int ok = 0;
    if (!ms || ms->stop || ms->failed)
        TF_SetStatus(own, TF_FAILED_PRECONDITION, "Run called even after should_stop requested.");
    for (bool again = ms && !ms->stop && !ms->failed; again && !ok;) {
        TF_SetStatus(own, TF_OK, "");
        if (!ms->r.session && !start(ms, own)) {
            ms->failed = true;
            break;
        }
        ok = run_once(a, own);
        again = !ok && after_failure(ms, own);
    }
    if (a->status)
        TF_SetStatus(a->status, TF_GetCode(own), TF_Message(own));
    TF_DeleteStatus(own);
    return ok;
}

int leat_monitored_session_close(leat_monitored_session *ms, TF_Status *status)
{
    TF_Status *own = TF_NewStatus(), *threads = TF_NewStatus();
    if (!ms) {
        TF_DeleteStatus(own);
        TF_DeleteStatus(threads);
        return 1;
    }
    int ok = 1;
    for (int i = 0; ok && !ms->failed && ms->r.session && i < ms->num_hooks; i++)
        if (ms->hooks[i]->type->end)
            ok = ms->hooks[i]->type->end(ms->hooks[i], ms->r.session, own);
    if (!running_end(&ms->r, ms->grace, threads) && ok) {
        ok = 0;
        TF_SetStatus(own, TF_GetCode(threads), TF_Message(threads));
    }
    monitored_free(ms);
    if (status)
        TF_SetStatus(status, TF_GetCode(own), TF_Message(own));
    TF_DeleteStatus(own);
    TF_DeleteStatus(threads);
    return ok;
}
