/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of /tensorflow.WorkerService. Registering a graph, which may take long, is left to
 * the pool; the rest is answered by callbacks. */
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/pool.h"
#include "dist/service.h"
#include "dist/worker_impl.h"

static const struct wire_tensors sent_values = {.number = 3, .named = true};

static void get_status(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_get_status_request_desc, NULL);
    if (!s)
        return;
    struct pb_get_status_response *m = pb_get_status_response_new(&s->arena);
    m->device_attributes = worker_devices(s->owner, &s->arena);
    serving_reply_message(s, m, &st);
}

static void create_session(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_create_worker_session_request_desc, NULL);
    if (!s)
        return;
    const struct pb_create_worker_session_request *q = s->request;
    if (q->session_handle.n == 0)
        status_invalid(&st, "CreateWorkerSession: no session_handle");
    else if (!worker_create_session(s->owner, q->session_handle, q->server_def,
                                    q->isolate_session_state, &st))
        status_prepend(&st, "CreateWorkerSession: ");
    serving_reply(s, NULL, &st);
    status_clear(&st);
}

static void delete_session_job(void *arg)
{
    struct status st = {0};
    struct serving *s = arg;
    const struct pb_delete_worker_session_request *q = s->request;
    if (!worker_delete_session(s->owner, q->session_handle, &st))
        status_clear(&st); /* it is not there: that is what was asked for */
    serving_reply(s, NULL, &st);
}

static void delete_session(void *arg, struct rpc_call *c)
{
    const struct worker *w = arg;
    struct serving *s = serving_new(c, arg, &pb_delete_worker_session_request_desc, NULL);
    if (s)
        pool_submit(w->pool, delete_session_job, s);
}

static void register_job(void *arg)
{
    struct status st = {0};
    struct serving *s = arg;
    struct pb_register_graph_response *m = pb_register_graph_response_new(&s->arena);
    char *handle = worker_register(s->owner, s->request, &st);
    if (handle)
        pb_set_str(&s->arena, &m->graph_handle, handle);
    mem_free(handle);
    serving_reply_message(s, m, &st);
    status_clear(&st);
}

static void register_graph(void *arg, struct rpc_call *c)
{
    const struct worker *w = arg;
    struct serving *s = serving_new(c, arg, &pb_register_graph_request_desc, NULL);
    if (s)
        pool_submit(w->pool, register_job, s);
}

static void deregister_graph(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_deregister_graph_request_desc, NULL);
    if (!s)
        return;
    const struct pb_deregister_graph_request *q = s->request;
    struct str session = q->create_worker_session_called ? q->session_handle : str_make("", 0);
    (void)!worker_deregister(s->owner, session, q->graph_handle, &st);
    serving_reply(s, NULL, &st);
    status_clear(&st);
}

/* --- RunGraph --- */

static void run_over(void *arg, const struct status *st, struct wire_values *values,
                     struct strbuf *stats)
{
    struct serving *s = arg;
    struct pb_run_graph_response *r = pb_run_graph_response_new(&s->arena);
    serving_reply_end(s, &(struct serving_end){.st = st,
                                               .values = values,
                                               .named = true,
                                               .more = stats,
                                               .message = r,
                                               .code = &r->status_code,
                                               .text = &r->status_error_message});
}

static void run_graph(void *arg, struct rpc_call *c)
{
    struct serving *s = serving_new_cancel(c, arg, &pb_run_graph_request_desc, &sent_values);
    if (!s)
        return;
    const struct pb_run_graph_request *q = s->request;
    s->errors_in_body = q->store_errors_in_response_body;
    const struct worker_run r = {.session = q->create_worker_session_called ? q->session_handle
                                                                            : str_make("", 0),
                                 .graph = q->graph_handle,
                                 .step_id = q->step_id,
                                 .change_key = q->change_key,
                                 .request_id = q->request_id,
                                 .send = s->values.v,
                                 .num_send = s->values.n,
                                 .recv_keys = q->recv_key.v,
                                 .num_recv = q->recv_key.n,
                                 .partial = q->is_partial,
                                 .last_partial = q->is_last_partial_run,
                                 .timeline = q->exec_opts && q->exec_opts->record_timeline,
                                 .elsewhere = true};
    struct worker *w = s->owner;
    const int64_t over = q->over_step_id;
    worker_run_graph(w, &r, s->cancel, run_over, s); /* s may be gone now */
    if (over != 0)
        worker_cleanup_graph(w, over, NULL, NULL);
}

static void cleaned(void *arg)
{
    struct status st = {0};
    serving_reply(arg, NULL, &st);
}

/* The reply says that nothing of the step runs here any more. */
static void cleanup_graph(void *arg, struct rpc_call *c)
{
    struct serving *s = serving_new(c, arg, &pb_cleanup_graph_request_desc, NULL);
    if (!s)
        return;
    worker_cleanup_graph(s->owner, ((const struct pb_cleanup_graph_request *)s->request)->step_id,
                         cleaned, s);
}

static void cleanup_all(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_cleanup_all_request_desc, NULL);
    if (!s)
        return;
    worker_cleanup_all(s->owner, &((const struct pb_cleanup_all_request *)s->request)->container);
    serving_reply(s, NULL, &st);
}

/* --- RecvTensor --- */

static void fetch(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct rpc_msg m = {0};
    struct serving *s = serving_new(c, arg, &pb_leat_peer_fetch_request_desc, NULL);
    if (!s)
        return;
    const struct worker *w = s->owner;
    if (!offers_fetch(w->offers, s->request, &m, &st))
        rpc_msg_clear(&m);
    serving_reply(s, &m, &st);
    status_clear(&st);
}

static void value_there(void *arg, const struct status *st, const struct tensor *value, bool dead)
{
    struct serving *s = arg;
    const struct worker *w = s->owner;
    struct status why = {0};
    struct pb_recv_tensor_response *r = pb_recv_tensor_response_new(&s->arena);
    r->is_dead = dead;
    r->send_start_micros = clock_wall_us();
    if (status_ok(st) && !dead) {
        planes_send(w->planes, s, r, value);
        return;
    }
    status_copy(&why, st);
    if (!status_ok(&why))
        status_prepend(&why, "RecvTensor: ");
    serving_reply_message(s, r, &why);
    status_clear(&why);
}

static void recv_tensor(void *arg, struct rpc_call *c)
{
    struct serving *s = serving_new_cancel(c, arg, &pb_recv_tensor_request_desc, NULL);
    if (!s)
        return;
    const struct pb_recv_tensor_request *q = s->request;
    worker_recv_tensor(s->owner, q->step_id, q->rendezvous_key, q->request_id, s->cancel,
                       value_there, s);
}

/* --- what has little to say --- */

/* No RPC is recorded: enabling it changes nothing, and no step has anything to fetch. */
static void logging(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_logging_request_desc, NULL);
    if (s)
        serving_reply(s, NULL, &st);
}

static void tracing(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_tracing_request_desc, NULL);
    if (!s)
        return;
    status_unimplemented(&st, "Tracing: ask for a step's trace by RunOptions instead");
    serving_reply(s, NULL, &st);
    status_clear(&st);
}

/* Nothing is kept for a transport of its own. */
static void mark_recv_finished(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_mark_recv_finished_request_desc, NULL);
    if (s)
        serving_reply(s, NULL, &st);
}

static void no_collectives(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    (void)arg;
    status_unimplemented(&st, "Collective operations between tasks go over MPI, not over gRPC");
    rpc_call_reply(c, NULL, &st);
    status_clear(&st);
}

#define METHOD(name) "/tensorflow.WorkerService/" name

int worker_handlers(struct worker *w, struct rpc_handler *out, int cap)
{
    const struct rpc_handler all[] = {
        {METHOD("GetStatus"), get_status, w},
        {METHOD("CreateWorkerSession"), create_session, w},
        {METHOD("DeleteWorkerSession"), delete_session, w},
        {METHOD("RegisterGraph"), register_graph, w},
        {METHOD("DeregisterGraph"), deregister_graph, w},
        {METHOD("RunGraph"), run_graph, w},
        {METHOD("CleanupGraph"), cleanup_graph, w},
        {METHOD("CleanupAll"), cleanup_all, w},
        {METHOD("RecvTensor"), recv_tensor, w},
        {CHUNKS_FETCH, fetch, w},
        {METHOD("Logging"), logging, w},
        {METHOD("Tracing"), tracing, w},
        {METHOD("MarkRecvFinished"), mark_recv_finished, w},
        {METHOD("RecvBuf"), no_collectives, w},
        {METHOD("CompleteGroup"), no_collectives, w},
        {METHOD("CompleteInstance"), no_collectives, w},
        {METHOD("GetStepSequence"), no_collectives, w},
    };
    int n = (int)ARRAY_LEN(all);
    ASSERT(n < cap);
    for (int i = 0; i < n; i++)
        out[i] = all[i];
    return n + planes_handlers(w->planes, out + n, cap - n);
}
