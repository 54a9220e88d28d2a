/* SPDX-License-Identifier: Apache-2.0 */
/* Supervisors: a ready session, and threads of the chief that save and write summaries now and
 * then. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "build/coordinator.h"
#include "build/monitored.h"

struct leat_supervisor {
    TF_Graph *g;
    struct leat_start_args start;
    char *target, *config, *dir;
    struct leat_scaffold own, *scaffold;
    double save_model_secs, save_summaries_secs;
    TF_Output step; /* invalid: there is none, names of checkpoints have no number */
    struct running r;
    leat_file_writer *writer;
};

void leat_supervisor_args_init(struct leat_supervisor_args *args)
{
    *args = (struct leat_supervisor_args){LEAT_SUPERVISOR_DEFAULTS_.g = NULL};
}

static char *copy(const char *text)
{
    return text ? mem_strdup(text) : NULL;
}

static void supervisor_free(leat_supervisor *sv)
{
    leat_file_writer_free(sv->writer);
    leat_scaffold_release(&sv->own);
    mem_free(sv->target);
    mem_free(sv->config);
    mem_free(sv->dir);
    mem_free(sv);
}

leat_supervisor *leat_supervisor_new_fn(const struct leat_supervisor_args *a)
{
    if (!a->g) {
        if (a->status)
            TF_SetStatus(a->status, TF_INVALID_ARGUMENT, "leat_supervisor: no graph");
        return NULL;
    }
    leat_supervisor *sv = mem_new(leat_supervisor);
    sv->g = a->g;
    sv->target = copy(a->target);
    sv->config = copy(a->config);
    sv->dir = copy(a->checkpoint_dir);
    sv->start = (struct leat_start_args){sv->target, sv->config,       a->is_chief,
                                         sv->dir,    a->max_wait_secs, a->recovery_wait_secs};
    sv->scaffold = a->scaffold ? a->scaffold : &sv->own;
    sv->save_model_secs = a->save_model_secs;
    sv->save_summaries_secs = a->save_summaries_secs;
    sv->step = leat_get_global_step(a->g);
    int ok = leat_scaffold_finalize(a->g, sv->scaffold);
    if (a->status)
        leat_graph_status(a->g, a->status);
    if (ok)
        return sv;
    supervisor_free(sv);
    return NULL;
}

/* ---- services ---- */

/* -1 after an error. */
static int64_t step_now(leat_supervisor *sv, TF_Status *status)
{
    if (!leat_valid(sv->step))
        return 0;
    double step = leat_run_number(sv->r.session, sv->step, leat_no_feeds(), status);
    return TF_GetCode(status) == TF_OK ? (int64_t)step : -1;
}

static int save(leat_supervisor *sv, TF_Status *status)
{
    int64_t step = step_now(sv, status);
    if (step < 0)
        return 0;
    char *path = mem_printf("%s/model.ckpt", sv->dir);
    char *made = leat_saver_save(sv->scaffold->saver, sv->r.session, path, status,
                                 .global_step = leat_valid(sv->step) ? step : LEAT_INT_NOT_GIVEN);
    int ok = made != NULL;
    leat_free(made);
    mem_free(path);
    return ok;
}

static int summarise(leat_supervisor *sv, TF_Status *status)
{
    TF_Tensor *summary = NULL;
    int64_t step = step_now(sv, status);
    if (step < 0 ||
        !leat_run(sv->r.session, status,
                  .fetches = leat_fetches(leat_fetch_tensor(sv->scaffold->summary_op, &summary))))
        return 0;
    if (!sv->writer)
        sv->writer = leat_file_writer_open(sv->dir, status, .graph = sv->g);
    int ok = sv->writer && leat_add_summary_tensor(sv->writer, summary, step, status) &&
             leat_file_writer_flush(sv->writer, status);
    TF_DeleteTensor(summary);
    return ok;
}

/* At once, then after each pause, until the threads are to stop. */
static void repeat(leat_coordinator *c, leat_supervisor *sv, double secs,
                   int (*service)(leat_supervisor *sv, TF_Status *status), TF_Status *status)
{
    int ok;
    do
        ok = service(sv, status);
    while (ok && !leat_wait_for_stop(c, secs));
    if (!ok && leat_should_stop(c))
        TF_SetStatus(status, TF_OK, ""); /* its session may have ended under it */
}

static void save_often(leat_coordinator *c, void *arg, TF_Status *status)
{
    leat_supervisor *sv = arg;
    repeat(c, sv, sv->save_model_secs, save, status);
}

static void summarise_often(leat_coordinator *c, void *arg, TF_Status *status)
{
    leat_supervisor *sv = arg;
    repeat(c, sv, sv->save_summaries_secs, summarise, status);
}

static bool saves(const leat_supervisor *sv)
{
    return sv->start.is_chief && sv->dir && sv->scaffold->saver;
}

static int start_services(leat_supervisor *sv, TF_Status *status)
{
    bool summaries = sv->start.is_chief && sv->dir && leat_valid(sv->scaffold->summary_op);
    return (!saves(sv) || sv->save_model_secs <= 0 ||
            leat_coordinator_thread(sv->r.c, "saver", save_often, sv, status)) &&
           (!summaries || sv->save_summaries_secs <= 0 ||
            leat_coordinator_thread(sv->r.c, "summaries", summarise_often, sv, status));
}

/* ---- session ---- */

TF_Session *leat_supervisor_session(leat_supervisor *sv, TF_Status *status)
{
    if (!sv || sv->r.session)
        return sv ? sv->r.session : NULL;
    TF_Session *session = leat_start_session(sv->g, sv->scaffold, &sv->start, status);
    if (!session)
        return NULL;
    if (running_start(&sv->r, sv->g, session, status) && start_services(sv, status))
        return session;
    (void)running_end(&sv->r, -1, NULL);
    return NULL;
}

bool leat_supervisor_should_stop(leat_supervisor *sv)
{
    return !sv || (sv->r.c && leat_should_stop(sv->r.c));
}

leat_coordinator *leat_supervisor_coordinator(leat_supervisor *sv)
{
    return sv ? sv->r.c : NULL;
}

/* The last checkpoint, once the saver's thread is through: its session must still be there. */
static int last_save(leat_supervisor *sv, TF_Status *status)
{
    enum { GRACE_SECS = 120 };
    TF_Status *ignored = TF_NewStatus();
    leat_request_stop(sv->r.c, NULL);
    bool failed = coordinator_error(sv->r.c, ignored) != 0;
    bool quiet = !failed && sv->save_model_secs > 0 && leat_join(sv->r.c, GRACE_SECS, ignored);
    TF_DeleteStatus(ignored);
    return !quiet || save(sv, status);
}

int leat_supervisor_stop(leat_supervisor *sv, const TF_Status *why, TF_Status *status)
{
    TF_Status *own = TF_NewStatus(), *threads = TF_NewStatus();
    if (why)
        TF_SetStatus(own, TF_GetCode(why), TF_Message(why));
    if (TF_GetCode(own) == TF_OUT_OF_RANGE)
        TF_SetStatus(own, TF_OK, "");
    if (sv && sv->r.c) {
        if (TF_GetCode(own) == TF_OK && saves(sv))
            (void)last_save(sv, own);
        if (!running_end(&sv->r, -1, threads) && TF_GetCode(own) == TF_OK)
            TF_SetStatus(own, TF_GetCode(threads), TF_Message(threads));
    }
    int ok = TF_GetCode(own) == TF_OK;
    if (sv)
        supervisor_free(sv);
    if (status)
        TF_SetStatus(status, TF_GetCode(own), TF_Message(own));
    TF_DeleteStatus(own);
    TF_DeleteStatus(threads);
    return ok;
}
