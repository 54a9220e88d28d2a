/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that show how a training goes: summaries, steps a second, the log, traces. */
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/monitored.h"

/* What all of them have; the step is that of the global step after the run, or, without one, counts
 * the runs. */
struct show_hook {
    struct leat_hook hook;
    struct timer timer;
    char *dir; /* NULL: no files */
    TF_Output step;
    bool due;
    int64_t runs;
    leat_file_writer *writer;
    TF_Graph *g;
    struct leat_scaffold *scaffold;
    TF_Output *outputs; /* summary; or what is logged */
    char **names;
    TF_Tensor **values;
    int num;
};

static void clear_values(struct show_hook *own)
{
    for (int i = 0; i < own->num; i++) {
        TF_DeleteTensor(own->values[i]);
        own->values[i] = NULL;
    }
}

static void show_free(struct leat_hook *h)
{
    struct show_hook *own = (struct show_hook *)h;
    clear_values(own);
    leat_file_writer_free(own->writer);
    for (int i = 0; i < own->num; i++)
        mem_free(own->names[i]);
    mem_free(own->names);
    mem_free(own->outputs);
    mem_free(own->values);
    mem_free(own->dir);
    mem_free(own);
}

static struct show_hook *show_new(const struct leat_hook_type *type, const char *dir,
                                  struct leat_every every, int num)
{
    struct show_hook *h = mem_new(struct show_hook);
    *h = (struct show_hook){
        .hook = {type}, .timer = {.every = every}, .dir = dir ? mem_strdup(dir) : NULL, .num = num};
    h->outputs = mem_new_array(TF_Output, num + 1);
    h->names = mem_new_array(char *, num + 1);
    h->values = mem_new_array(TF_Tensor *, num + 1);
    return h;
}

static int begin_with_step(struct leat_hook *h, TF_Graph *g, struct leat_scaffold *s,
                           TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    own->g = g;
    own->scaffold = s;
    own->step = leat_get_global_step(g);
    if (leat_valid(own->step))
        return 1;
    TF_SetStatus(status, TF_FAILED_PRECONDITION,
                 "Global step should be created to use this hook: summaries, steps a second and "
                 "traces are of steps.");
    return 0;
}

static int open_writer(struct show_hook *own, TF_Status *status)
{
    if (!own->writer && own->dir)
        own->writer = leat_file_writer_open(own->dir, status, .graph = own->g);
    return own->writer || !own->dir;
}

/* The global step now: -1 after an error. */
static int64_t step_after(struct show_hook *own, struct leat_step *step, TF_Status *status)
{
    TF_Status *st = TF_NewStatus();
    double now = leat_run_number(step->session, own->step, leat_no_feeds(), st);
    bool ok = TF_GetCode(st) == TF_OK;
    if (!ok)
        TF_SetStatus(status, TF_GetCode(st), TF_Message(st));
    TF_DeleteStatus(st);
    return ok ? (int64_t)now : -1;
}

static int end_writer(struct leat_hook *h, TF_Session *session, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    (void)session;
    return !own->writer || leat_file_writer_flush(own->writer, status);
}

/* ---- summaries ---- */

static int summary_before(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    (void)status;
    if (!leat_valid(own->outputs[0]))
        own->outputs[0] = own->scaffold->summary_op;
    clear_values(own);
    own->due = leat_valid(own->outputs[0]) && timer_due(&own->timer, own->runs + 1);
    return !own->due || leat_step_fetch(step, leat_fetch_tensor(own->outputs[0], &own->values[0]));
}

static int summary_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    own->runs++;
    if (!own->due)
        return 1;
    timer_done(&own->timer, own->runs);
    int64_t now = step_after(own, step, status);
    return now >= 0 && open_writer(own, status) &&
           (!own->writer || leat_add_summary_tensor(own->writer, own->values[0], now, status));
}

struct leat_hook *leat_summary_saver_hook(const char *dir, TF_Output summary,
                                          struct leat_every every)
{
    static const struct leat_hook_type type = {.begin = begin_with_step,
                                               .before_run = summary_before,
                                               .after_run = summary_after,
                                               .end = end_writer,
                                               .free = show_free};
    struct show_hook *h = show_new(&type, dir, every, 1);
    h->outputs[0] = summary;
    return &h->hook;
}

/* ---- steps a second ---- */

static int counter_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    own->runs++;
    if (own->timer.asked && own->timer.every.secs <= 0 && own->timer.every.steps > 1 &&
        own->runs % own->timer.every.steps != 0)
        return 1; /* the workers' steps are at least this one's own: nothing can be due often */
    int64_t now = step_after(own, step, status);
    if (now < 0)
        return 0;
    if (!own->timer.asked) {
        timer_done(&own->timer, now);
        return 1;
    }
    if (!timer_due(&own->timer, now))
        return 1;
    double secs = (double)(clock_now_ns() - own->timer.last_ns) * 1e-9;
    double rate = secs > 0 ? (double)(now - own->timer.last_step) / secs : 0;
    timer_done(&own->timer, now);
    log_info("global_step/sec: %g", rate);
    return open_writer(own, status) &&
           (!own->writer || leat_add_scalar(own->writer, "global_step/sec", rate, now, status));
}

struct leat_hook *leat_step_counter_hook(const char *dir, struct leat_every every)
{
    static const struct leat_hook_type type = {
        .begin = begin_with_step, .after_run = counter_after, .end = end_writer, .free = show_free};
    return &show_new(&type, dir, every, 0)->hook;
}

/* ---- the log ---- */

static int log_before(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    (void)status;
    clear_values(own);
    own->due = timer_due(&own->timer, own->runs);
    for (int i = 0; own->due && i < own->num; i++)
        (void)leat_step_fetch(step, leat_fetch_tensor(own->outputs[i], &own->values[i]));
    return 1;
}

/* The first element. */
static void print_value(const TF_Tensor *t, struct strbuf *b)
{
    const void *p = TF_TensorData(t);
    if (TF_TensorElementCount(t) < 1)
        strbuf_printf(b, "[]");
    else if (TF_TensorType(t) == TF_FLOAT)
        strbuf_printf(b, "%g", (double)*(const float *)p);
    else if (TF_TensorType(t) == TF_DOUBLE)
        strbuf_printf(b, "%g", *(const double *)p);
    else if (TF_TensorType(t) == TF_INT32)
        strbuf_printf(b, "%d", *(const int32_t *)p);
    else if (TF_TensorType(t) == TF_INT64)
        strbuf_printf(b, "%lld", (long long)*(const int64_t *)p);
    else
        strbuf_printf(b, "a tensor of data type %d", (int)TF_TensorType(t));
}

static int log_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    struct strbuf b = {0};
    (void)step;
    (void)status;
    for (int i = 0; own->due && i < own->num; i++) {
        strbuf_printf(&b, "%s%s = ", i > 0 ? ", " : "", own->names[i]);
        print_value(own->values[i], &b);
    }
    if (own->due) {
        log_info("%s", strbuf_text(&b));
        timer_done(&own->timer, own->runs);
    }
    own->runs++;
    strbuf_release(&b);
    return 1;
}

struct leat_hook *leat_logging_hook(struct leat_outputs tensors, struct leat_strings names,
                                    struct leat_every every)
{
    static const struct leat_hook_type type = {
        .before_run = log_before, .after_run = log_after, .free = show_free};
    struct show_hook *h = show_new(&type, NULL, every, tensors.n > 0 ? tensors.n : 0);
    for (int i = 0; i < h->num; i++) {
        const char *own =
            leat_valid(tensors.v[i]) ? TF_OperationName(tensors.v[i].oper) : "(invalid)";
        h->outputs[i] = tensors.v[i];
        h->names[i] = mem_strdup(names.v && i < names.n ? names.v[i] : own);
    }
    return &h->hook;
}

/* ---- traces ---- */

static int profiler_before(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    (void)status;
    own->due = own->timer.asked && timer_due(&own->timer, own->runs);
    step->trace |= own->due;
    return 1;
}

static int write_trace(struct show_hook *own, const TF_Buffer *metadata, int64_t step,
                       TF_Status *status)
{
    TF_Buffer *json = leat_chrome_trace(metadata, status);
    if (!json)
        return 0;
    char *path = mem_printf("%s/timeline-%lld.json", own->dir, (long long)step);
    FILE *f = fopen(path, "w");
    bool ok = f && fwrite(json->data, 1, json->length, f) == json->length;
    if (f && fclose(f) != 0)
        ok = false;
    if (!ok) {
        char *why = mem_printf("profiler: cannot write %s", path);
        TF_SetStatus(status, TF_UNKNOWN, why);
        mem_free(why);
    }
    mem_free(path);
    TF_DeleteBuffer(json);
    return ok;
}

static int profiler_after(struct leat_hook *h, struct leat_step *step, TF_Status *status)
{
    struct show_hook *own = (struct show_hook *)h;
    if (!own->timer.asked)
        timer_done(&own->timer, own->runs);
    own->runs++;
    if (!own->due)
        return 1;
    timer_done(&own->timer, own->runs);
    int64_t now = step_after(own, step, status);
    return now >= 0 && write_trace(own, step->metadata, now, status);
}

struct leat_hook *leat_profiler_hook(const char *dir, struct leat_every every)
{
    static const struct leat_hook_type type = {.begin = begin_with_step,
                                               .before_run = profiler_before,
                                               .after_run = profiler_after,
                                               .free = show_free};
    return &show_new(&type, dir ? dir : ".", every, 0)->hook;
}
