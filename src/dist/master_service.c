/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of /tensorflow.MasterService. Graphs that come are read on the pool, as that may take
 * long; the rest is answered by callbacks. */
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "dist/master_impl.h"
#include "dist/service.h"

static void on_pool(void *arg, struct rpc_call *c, const struct pb_desc *desc,
                    void (*job)(void *serving))
{
    const struct master *m = arg;
    struct serving *s = serving_new(c, arg, desc, NULL);
    if (s)
        pool_submit(m->pool, job, s);
}

static void reply_done(void *arg, const struct status *st)
{
    serving_reply(arg, NULL, st);
}

/* --- sessions --- */

static void create_job(void *arg)
{
    struct status st = {0};
    struct serving *s = arg;
    const struct pb_create_session_request *q = s->request;
    struct pb_create_session_response *m = pb_create_session_response_new(&s->arena);
    char *handle = master_create_session_for(s->owner, q->graph_def, q->config, q->target, &st);
    if (handle)
        pb_set_str(&s->arena, &m->session_handle, handle);
    mem_free(handle);
    serving_reply_message(s, m, &st);
    status_clear(&st);
}

static void create_session(void *arg, struct rpc_call *c)
{
    on_pool(arg, c, &pb_create_session_request_desc, create_job);
}

static void extend_job(void *arg)
{
    struct status st = {0};
    struct serving *s = arg;
    const struct pb_extend_session_request *q = s->request;
    struct pb_extend_session_response *m = pb_extend_session_response_new(&s->arena);
    int64_t version = q->current_graph_version;
    if (master_extend_session(s->owner, q->session_handle, q->graph_def, &version, &st))
        m->new_graph_version = version;
    serving_reply_message(s, m, &st);
    status_clear(&st);
}

static void extend_session(void *arg, struct rpc_call *c)
{
    on_pool(arg, c, &pb_extend_session_request_desc, extend_job);
}

static void close_job(void *arg)
{
    struct serving *s = arg;
    const struct pb_close_session_request *q = s->request;
    master_close_session(s->owner, q->session_handle, reply_done, s);
}

static void close_session(void *arg, struct rpc_call *c)
{
    on_pool(arg, c, &pb_close_session_request_desc, close_job);
}

static void reset_job(void *arg)
{
    struct serving *s = arg;
    master_reset(s->owner, s->request, reply_done, s);
}

static void reset(void *arg, struct rpc_call *c)
{
    on_pool(arg, c, &pb_reset_request_desc, reset_job);
}

static void devices_there(void *arg, const struct status *st,
                          const struct pb_list_devices_response *devices)
{
    serving_reply_message(arg, devices, st);
}

static void list_devices(void *arg, struct rpc_call *c)
{
    struct serving *s = serving_new(c, arg, &pb_list_devices_request_desc, NULL);
    if (!s)
        return;
    const struct pb_list_devices_request *q = s->request;
    master_list_devices(s->owner, q->session_handle, devices_there, s);
}

/* --- steps --- */

static void step_over(void *arg, const struct status *st, struct wire_values *values,
                      struct strbuf *metadata)
{
    struct serving *s = arg;
    struct pb_run_step_response *r = pb_run_step_response_new(&s->arena);
    serving_reply_end(s, &(struct serving_end){.st = st,
                                               .values = values,
                                               .named = true,
                                               .more = metadata,
                                               .message = r,
                                               .code = &r->status_code,
                                               .text = &r->status_error_message});
}

static void run_step(void *arg, struct rpc_call *c)
{
    static const struct wire_tensors feeds = {.number = 2, .named = true};
    struct serving *s = serving_new_cancel(c, arg, &pb_run_step_request_desc, &feeds);
    if (!s)
        return;
    const struct pb_run_step_request *q = s->request;
    s->errors_in_body = q->store_errors_in_response_body;
    struct master_step *step = arena_new(&s->arena, struct master_step); /* borrowed until done */
    *step = (struct master_step){.session = q->session_handle,
                                 .feeds = s->values.v,
                                 .num_feeds = s->values.n,
                                 .fetches = q->fetch.v,
                                 .targets = q->target.v,
                                 .num_fetches = q->fetch.n,
                                 .num_targets = q->target.n,
                                 .partial_handle = q->partial_run_handle,
                                 .request_id = q->request_id,
                                 .options = q->options,
                                 .elsewhere = true};
    master_run_step(s->owner, step, s->cancel, step_over, s);
}

static void setup_job(void *arg)
{
    struct status st = {0};
    struct serving *s = arg;
    struct pb_partial_run_setup_response *m = pb_partial_run_setup_response_new(&s->arena);
    char *handle = master_partial_setup(s->owner, s->request, &st);
    if (handle)
        pb_set_str(&s->arena, &m->partial_run_handle, handle);
    mem_free(handle);
    serving_reply_message(s, m, &st);
    status_clear(&st);
}

static void partial_setup(void *arg, struct rpc_call *c)
{
    on_pool(arg, c, &pb_partial_run_setup_request_desc, setup_job);
}

/* --- callables --- */

static void make_callable(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_make_callable_request_desc, NULL);
    if (!s)
        return;
    const struct pb_make_callable_request *q = s->request;
    struct pb_make_callable_response *m = pb_make_callable_response_new(&s->arena);
    const struct pb_callable_options *o =
        q->options ? q->options : pb_callable_options_new(&s->arena);
    m->handle = master_make_callable(s->owner, q->session_handle, o, &st);
    serving_reply_message(s, m, &st);
    status_clear(&st);
}

static void call_over(void *arg, const struct status *st, struct wire_values *values,
                      struct strbuf *metadata)
{
    serving_reply_end(arg, &(struct serving_end){.st = st, .values = values, .more = metadata});
}

static void run_callable(void *arg, struct rpc_call *c)
{
    static const struct wire_tensors feeds = {.number = 3};
    struct serving *s = serving_new_cancel(c, arg, &pb_run_callable_request_desc, &feeds);
    if (!s)
        return;
    const struct pb_run_callable_request *q = s->request;
    struct master_call *call = arena_new(&s->arena, struct master_call);
    *call = (struct master_call){.session = q->session_handle,
                                 .handle = q->handle,
                                 .request_id = q->request_id,
                                 .feeds = s->values.v,
                                 .num_feeds = s->values.n};
    master_run_callable(s->owner, call, s->cancel, call_over, s);
}

static void release_callable(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_release_callable_request_desc, NULL);
    if (!s)
        return;
    const struct pb_release_callable_request *q = s->request;
    (void)!master_release_callable(s->owner, q->session_handle, q->handle, &st);
    serving_reply(s, NULL, &st);
    status_clear(&st);
}

#define METHOD(name) "/tensorflow.MasterService/" name

int master_handlers(struct master *m, struct rpc_handler *out, int cap)
{
    const struct rpc_handler all[] = {
        {METHOD("CreateSession"), create_session, m},
        {METHOD("ExtendSession"), extend_session, m},
        {METHOD("PartialRunSetup"), partial_setup, m},
        {METHOD("RunStep"), run_step, m},
        {METHOD("CloseSession"), close_session, m},
        {METHOD("ListDevices"), list_devices, m},
        {METHOD("Reset"), reset, m},
        {METHOD("MakeCallable"), make_callable, m},
        {METHOD("RunCallable"), run_callable, m},
        {METHOD("ReleaseCallable"), release_callable, m},
    };
    int n = (int)ARRAY_LEN(all);
    ASSERT(n <= cap);
    for (int i = 0; i < n; i++)
        out[i] = all[i];
    return n;
}
