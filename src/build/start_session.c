/* SPDX-License-Identifier: Apache-2.0 */
/* How a session comes to a model that is ready: at the chief by a checkpoint or the initialisers,
 * at the others by waiting. */
#include <string.h>
#include <time.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "leat/monitored_session.h"
#include "leat/strings.h"

enum { NS = 1000000000, FIRST_WAIT_NS = 50000000 };
static const int64_t log_every_ns = 10LL * NS;

/* Adds the texts of a string vector: "a, b". */
static void print_names(const TF_Tensor *names, struct strbuf *b)
{
    TF_Status *st = TF_NewStatus();
    const char *text;
    size_t n;
    for (int64_t i = 0; leat_tensor_string_at(names, i, &text, &n, st); i++)
        strbuf_printf(b, "%s%.*s", i > 0 ? ", " : "", (int)n, text);
    TF_DeleteStatus(st);
}

/* 1: the model is; 0: it is not, and why says what lacks; -1: an error. */
static int is_ready(TF_Session *session, TF_Output op, struct strbuf *why, TF_Status *status)
{
    TF_Tensor *names = NULL;
    if (!leat_valid(op))
        return 1;
    if (!leat_run(session, status, .fetches = leat_fetches(leat_fetch_tensor(op, &names)))) {
        if (TF_GetCode(status) != TF_FAILED_PRECONDITION ||
            !strstr(TF_Message(status), "uninitialized"))
            return -1;
        strbuf_printf(why, "%s", TF_Message(status));
        return 0;
    }
    bool none = TF_TensorElementCount(names) == 0;
    if (!none && TF_TensorType(names) == TF_STRING) {
        strbuf_printf(why, "Variables not initialized: ");
        print_names(names, why);
    }
    TF_DeleteTensor(names);
    return none;
}

/* The local part, where it can be, and whether all is there then. As is_ready. */
static int make_ready(TF_Session *session, const struct leat_scaffold *s, struct strbuf *why,
                      TF_Status *status)
{
    int ready = is_ready(session, s->ready_for_local_init_op, why, status);
    if (ready <= 0)
        return ready;
    if (s->local_init_op && !leat_run_op(session, s->local_init_op, leat_no_feeds(), status))
        return -1;
    return is_ready(session, s->ready_op, why, status);
}

static TF_Session *open_session(TF_Graph *g, const struct leat_start_args *a, TF_Status *status)
{
    return leat_session_new(g, status, .target = a->target, .config = a->config);
}

/* ---- the chief ---- */

/* 1: the latest checkpoint was restored; 0: there is none; -1: an error. */
static int restore(TF_Session *session, const struct leat_scaffold *s, const char *folder,
                   TF_Status *status)
{
    char *latest = folder && s->saver ? leat_latest_checkpoint(folder, NULL) : NULL;
    if (!latest)
        return 0;
    int ok = leat_saver_restore(s->saver, session, latest, status);
    if (ok) {
        TF_Status *ignored = TF_NewStatus(); /* older ones still count towards those kept */
        (void)leat_saver_recover_last_checkpoints(s->saver, folder, NULL, 0, ignored);
        TF_DeleteStatus(ignored);
    }
    leat_free(latest);
    return ok ? 1 : -1;
}

static int initialise(TF_Session *session, const struct leat_scaffold *s, TF_Status *status)
{
    return (!s->init_op || leat_run_op(session, s->init_op, leat_no_feeds(), status)) &&
           (!s->init_fn || s->init_fn(s->init_arg, session, status));
}

static int prepare(TF_Session *session, const struct leat_scaffold *s, const char *folder,
                   TF_Status *status)
{
    struct strbuf why = {0};
    int restored = restore(session, s, folder, status);
    if (restored < 0 || (!restored && !initialise(session, s, status)))
        return 0;
    int ready = make_ready(session, s, &why, status);
    if (ready == 0) {
        char *text = mem_printf("Init operations did not make model ready. %s", strbuf_text(&why));
        TF_SetStatus(status, TF_FAILED_PRECONDITION, text);
        mem_free(text);
    }
    strbuf_release(&why);
    return ready == 1;
}

/* ---- waiting ---- */

struct patience {
    int64_t began, deadline, pause, most, next_log; /* ns */
};

static int64_t ns_of(double seconds)
{
    const double most = 1e9;
    return seconds > 0 ? (int64_t)((seconds < most ? seconds : most) * NS) : 0;
}

static struct patience patience_of(const struct leat_start_args *a)
{
    int64_t now = clock_now_ns();
    return (struct patience){.began = now,
                             .deadline = now + ns_of(a->max_wait_secs),
                             .pause = FIRST_WAIT_NS,
                             .most = ns_of(a->recovery_wait_secs),
                             .next_log = now + log_every_ns};
}

/* Some time passes, longer each time. false: there is none left. */
static bool wait_a_while(struct patience *p, const char *why)
{
    int64_t now = clock_now_ns(), pause = p->pause < p->most ? p->pause : p->most;
    if (now >= p->deadline)
        return false;
    if (now >= p->next_log) {
        log_info("Waiting for model to be ready for %lld s: %s", (long long)((now - p->began) / NS),
                 why);
        p->next_log = now + log_every_ns;
    }
    if (pause > p->deadline - now)
        pause = p->deadline - now;
    struct timespec t = {.tv_sec = pause / NS, .tv_nsec = pause % NS};
    (void)nanosleep(&t, NULL);
    p->pause *= 2;
    return true;
}

static bool lost(const TF_Status *status)
{
    return TF_GetCode(status) == TF_UNAVAILABLE || TF_GetCode(status) == TF_ABORTED;
}

/* One try. 1, with *out; 0: not yet, for which reason; -1. */
static int try_start(TF_Graph *g, const struct leat_scaffold *s, const struct leat_start_args *a,
                     TF_Session **out, struct strbuf *why, TF_Status *status)
{
    TF_Session *session = open_session(g, a, status);
    int ready = -1;
    if (session && a->is_chief)
        ready = prepare(session, s, a->checkpoint_dir, status) ? 1 : -1;
    else if (session)
        ready = make_ready(session, s, why, status);
    if (ready == 1) {
        *out = session;
        return 1;
    }
    leat_session_close(session);
    if (ready < 0 && lost(status)) {
        strbuf_printf(why, "%s", TF_Message(status));
        return 0;
    }
    return ready;
}

TF_Session *leat_start_session(TF_Graph *g, const struct leat_scaffold *s,
                               const struct leat_start_args *a, TF_Status *status)
{
    struct patience p = patience_of(a);
    TF_Status *own = TF_NewStatus();
    TF_Session *session = NULL;
    for (int ready = 0; ready == 0;) {
        struct strbuf why = {0};
        TF_SetStatus(own, TF_OK, "");
        ready = try_start(g, s, a, &session, &why, own);
        if (ready == 0 && !wait_a_while(&p, strbuf_text(&why))) {
            char *text =
                mem_printf("Session was not ready after waiting %lld secs: %s",
                           (long long)((clock_now_ns() - p.began) / NS), strbuf_text(&why));
            TF_SetStatus(own, TF_DEADLINE_EXCEEDED, text);
            mem_free(text);
            ready = -1;
        }
        strbuf_release(&why);
    }
    if (status)
        TF_SetStatus(status, TF_GetCode(own), TF_Message(own));
    TF_DeleteStatus(own);
    return session;
}
