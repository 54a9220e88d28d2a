/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that end the training, save, and take part in synchronous training. */
#include <math.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/monitored.h"
#include "build/sync_replicas.h"

/* ---- when ---- */

bool timer_due(const struct timer *t, int64_t step)
{
    if (!t->asked)
        return true;
    if (step == t->last_step)
        return false;
    if (t->every.secs > 0 && (double)(clock_now_ns() - t->last_ns) >= t->every.secs * 1e9)
        return true;
    return t->every.steps > 0 && step >= t->last_step + t->every.steps;
}

void timer_done(struct timer *t, int64_t step)
{
    t->asked = true;
    t->last_step = step;
    t->last_ns = clock_now_ns();
}

static int no_step(TF_Status *status, const char *hook)
{
    char *why = mem_printf("Global step should be created to use %s.", hook);
    TF_SetStatus(status, TF_FAILED_PRECONDITION, why);
    mem_free(why);
    return 0;
}

static void free_plain(struct leat_hook *h)
{
    mem_free(h);
}

/* The step as a number, which any type of counter fits. */
struct counted_step {
    TF_Output step;
    TF_DataType type;
    int64_t wide;
    int32_t narrow;
};

static int find_step(struct counted_step *c, TF_Graph *g, const char *hook, TF_Status *status)
{
    c->step = leat_get_global_step(g);
    c->type = leat_dtype(g, c->step);
    return leat_valid(c->step) ? 1 : no_step(status, hook);
}

static int64_t step_now(const struct counted_step *c)
{
    return c->type == TF_INT64 ? c->wide : c->narrow;
}

static int fetch_step(struct counted_step *c, struct leat_step *step)
{
    return leat_step_fetch(step, c->type == TF_INT64 ? leat_fetch(c->step, &c->wide, 1)
                                                     : leat_fetch(c->step, &c->narrow, 1));
}

/* As it is in the session, apart from any step: what is fetched with a step may be read before the
 * step counts. */
static int read_step(struct counted_step *c, TF_Session *session, TF_Status *status)
{
    struct leat_fetch f =
        c->type == TF_INT64 ? leat_fetch(c->step, &c->wide, 1) : leat_fetch(c->step, &c->narrow, 1);
    return leat_run(session, status, .fetches = {&f, 1});
}

/* ---- stop at a step ---- */

struct stop_hook {
    struct leat_hook hook;
    struct counted_step at;
    int64_t num, last;
};

static int stop_begin(struct leat_hook *h, TF_Graph *g, struct leat_scaffold *s, TF_Status *status)
{
    (void)s;
    return find_step(&((struct stop_hook *)h)->at, g, "StopAtStepHook", status);
}

static int stop_created(struct leat_hook *h, TF_Session *session, leat_coordinator *c,
                        TF_Status *status)
{
    struct stop_hook *own = (struct stop_hook *)h;
    (void)c;
    if (own->last > 0)
        return 1;
    if (!read_step(&own->at, session, status))
        return 0;
    own->last = step_now(&own->at) + own->num;
    return 1;
}

static int stop_before(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    (void)status;
    return fetch_step(&((struct stop_hook *)h)->at, step);
}

static int stop_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct stop_hook *own = (struct stop_hook *)h;
    if (step_now(&own->at) + 1 < own->last)
        return 1;
    if (!read_step(&own->at, step->session, status))
        return 0;
    step->stop |= step_now(&own->at) >= own->last;
    return 1;
}

struct leat_hook *leat_stop_at_step_hook(int64_t num_steps, int64_t last_step)
{
    static const struct leat_hook_type type = {.begin = stop_begin,
                                               .after_create_session = stop_created,
                                               .before_run = stop_before,
                                               .after_run = stop_after,
                                               .free = free_plain};
    struct stop_hook *h = mem_new(struct stop_hook);
    *h = (struct stop_hook){.hook = {&type}, .num = num_steps, .last = last_step};
    return &h->hook;
}

/* ---- checkpoints ---- */

struct save_hook {
    struct leat_hook hook;
    struct counted_step at;
    struct timer timer;
    struct leat_scaffold *scaffold;
    leat_saver *saver;
    char *dir;
};

static int save_begin(struct leat_hook *h, TF_Graph *g, struct leat_scaffold *s, TF_Status *status)
{
    struct save_hook *own = (struct save_hook *)h;
    own->scaffold = s;
    return find_step(&own->at, g, "CheckpointSaverHook", status);
}

static int save(struct save_hook *own, TF_Session *session, int64_t step, TF_Status *status)
{
    leat_saver *saver = own->saver ? own->saver : own->scaffold->saver;
    if (!saver) {
        TF_SetStatus(status, TF_FAILED_PRECONDITION, "CheckpointSaverHook: there is no saver");
        return 0;
    }
    char *path = mem_printf("%s/model.ckpt", own->dir);
    char *made = leat_saver_save(saver, session, path, status, .global_step = step);
    bool ok = made != NULL;
    if (ok)
        log_info("Saving checkpoints for %lld into %s.", (long long)step, path);
    mem_free(path);
    leat_free(made);
    timer_done(&own->timer, step);
    return ok;
}

static int save_created(struct leat_hook *h, TF_Session *session, leat_coordinator *c,
                        TF_Status *status)
{
    struct save_hook *own = (struct save_hook *)h;
    (void)c;
    return read_step(&own->at, session, status) && save(own, session, step_now(&own->at), status);
}

static int save_before(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    (void)status;
    return fetch_step(&((struct save_hook *)h)->at, step);
}

static int save_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct save_hook *own = (struct save_hook *)h;
    if (!timer_due(&own->timer, step_now(&own->at) + 1))
        return 1;
    if (!read_step(&own->at, step->session, status))
        return 0;
    int64_t now = step_now(&own->at);
    return !timer_due(&own->timer, now) || save(own, step->session, now, status);
}

static int save_end(struct leat_hook *h, TF_Session *session, TF_Status *status)
{
    struct save_hook *own = (struct save_hook *)h;
    if (!read_step(&own->at, session, status))
        return 0;
    int64_t now = step_now(&own->at);
    return (own->timer.asked && own->timer.last_step == now) || save(own, session, now, status);
}

static void save_free(struct leat_hook *h)
{
    mem_free(((struct save_hook *)h)->dir);
    mem_free(h);
}

struct leat_hook *leat_checkpoint_saver_hook(const char *dir, leat_saver *saver,
                                             struct leat_every every)
{
    static const struct leat_hook_type type = {.begin = save_begin,
                                               .after_create_session = save_created,
                                               .before_run = save_before,
                                               .after_run = save_after,
                                               .end = save_end,
                                               .free = save_free};
    struct save_hook *h = mem_new(struct save_hook);
    *h = (struct save_hook){.hook = {&type},
                            .timer = {.every = every},
                            .saver = saver,
                            .dir = mem_strdup(dir ? dir : ".")};
    return &h->hook;
}

/* ---- a loss that is no number ---- */

struct nan_hook {
    struct leat_hook hook;
    TF_Output loss;
    TF_Tensor *value;
    bool fail;
};

static int nan_before(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct nan_hook *own = (struct nan_hook *)h;
    (void)status;
    TF_DeleteTensor(own->value);
    own->value = NULL;
    return leat_step_fetch(step, leat_fetch_tensor(own->loss, &own->value));
}

static bool has_nan(const TF_Tensor *t)
{
    const void *p = TF_TensorData(t);
    bool found = false;
    for (int64_t i = 0; i < TF_TensorElementCount(t); i++)
        found |= TF_TensorType(t) == TF_FLOAT    ? isnan(((const float *)p)[i])
                 : TF_TensorType(t) == TF_DOUBLE ? isnan(((const double *)p)[i])
                                                 : false;
    return found;
}

static int nan_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct nan_hook *own = (struct nan_hook *)h;
    if (!has_nan(own->value))
        return 1;
    log_error("Model diverged with loss = NaN.");
    step->stop = 1;
    if (own->fail)
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "NaN loss during training.");
    return !own->fail;
}

static void nan_free(struct leat_hook *h)
{
    TF_DeleteTensor(((struct nan_hook *)h)->value);
    mem_free(h);
}

struct leat_hook *leat_nan_hook(TF_Output loss, bool fail)
{
    static const struct leat_hook_type type = {
        .before_run = nan_before, .after_run = nan_after, .free = nan_free};
    struct nan_hook *h = mem_new(struct nan_hook);
    *h = (struct nan_hook){.hook = {&type}, .loss = loss, .fail = fail};
    return &h->hook;
}

/* ---- synchronous training ---- */

struct sync_hook {
    struct leat_hook hook;
    leat_optimizer *sync;
    TF_Operation *tokens;
    bool is_chief;
    int num_tokens;
};

static int sync_begin(struct leat_hook *h, TF_Graph *g, struct leat_scaffold *s, TF_Status *status)
{
    struct sync_hook *own = (struct sync_hook *)h;
    (void)s;
    if (own->is_chief)
        own->tokens = leat_sync_init_tokens(own->sync, own->num_tokens);
    if (own->sync && own->sync->sync && (own->tokens || !own->is_chief))
        return 1;
    leat_graph_status(g, status);
    if (TF_GetCode(status) == TF_OK)
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "leat_sync_hook: no optimizer");
    return 0;
}

static int sync_created(struct leat_hook *h, TF_Session *session, leat_coordinator *c,
                        TF_Status *status)
{
    struct sync_hook *own = (struct sync_hook *)h;
    return own->is_chief ? leat_sync_start_chief(own->sync, session, c, own->tokens, status)
                         : leat_sync_start_worker(own->sync, session, status);
}

/* The others need not wait for one that is through. Not the chief: without it no step is made. */
static int sync_end(struct leat_hook *h, TF_Session *session, TF_Status *status)
{
    struct sync_hook *own = (struct sync_hook *)h;
    const struct sync_replicas *s = own->sync->sync;
    return own->is_chief || !s->elastic || leat_sync_leave(own->sync, session, s->worker, status);
}

struct leat_hook *leat_sync_hook(leat_optimizer *sync, bool is_chief, int num_tokens)
{
    static const struct leat_hook_type type = {.begin = sync_begin,
                                               .after_create_session = sync_created,
                                               .end = sync_end,
                                               .free = free_plain};
    struct sync_hook *h = mem_new(struct sync_hook);
    *h = (struct sync_hook){
        .hook = {&type}, .sync = sync, .is_chief = is_chief, .num_tokens = num_tokens};
    return &h->hook;
}
