/* SPDX-License-Identifier: Apache-2.0 */
/* needs: ucx */
/* Links of UCX: made for a pair of tasks, tried by a test message, dropped with all that is under
 * way. Few, and seldom made. */
#include <string.h>
#include <sys/epoll.h>

#include "dist/ucx.h"

enum { TURNS = 64, CLOSE_TURNS = 1000, MAX_KEPT = 16 }; /* TURNS: before another link's */

bool ucx_link_progress(struct ucx_link *l)
{
    const struct ucx_library *lib = l->ucx->lib;
    bool moved = false;
    for (int i = 0; i < TURNS && !l->broken && lib->ucp_worker_progress(l->worker) != 0; i++)
        moved = true;
    return moved;
}

struct ucx_link *ucx_link_to(struct ucx *u, uint64_t id)
{
    for (struct ucx_link *l = u->links; l; l = l->next)
        if (l->ep && l->id == id && !l->broken)
            return l;
    return NULL;
}

static void close_endpoint(struct ucx_link *l)
{
    const struct ucx_library *lib = l->ucx->lib;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_EP_CLOSE_FLAG_FORCE};
    void *request = lib->ucp_ep_close_nbx(l->ep, &param);
    l->ep = NULL;
    if (!request || UCS_PTR_IS_ERR(request))
        return;
    for (int i = 0; i < CLOSE_TURNS && lib->ucp_request_check_status(request) == UCS_INPROGRESS;
         i++)
        lib->ucp_worker_progress(l->worker);
    lib->ucp_request_free(request);
}

static void refuse(struct serving *s, struct status *st)
{
    serving_reply(s, NULL, st);
    status_clear(st);
}

static void destroy_worker(struct ucx_link *l)
{
    struct ucx *u = l->ucx;
    epoll_ctl(u->epoll_fd, EPOLL_CTL_DEL, l->fd, NULL);
    u->lib->ucp_worker_destroy(l->worker);
    l->destroyed = true;
}

static void forget_kept(struct ucx_link **at)
{
    struct ucx_link *l = *at;
    *at = l->next;
    destroy_worker(l);
    mem_free(l);
}

/* The worker of a consumer that is dropped before its link was proved may have its answer to the
 * producer's first message waiting for a connection, and UCX 1.13 ends the process that destroys
 * such a one ("got REP message"). So it is moved on until the test message has come or it is the
 * oldest of a few: they are made only where a task is lost in the moment that a link to it is made.
 */
static bool may_not_be_destroyed(const struct ucx_link *l)
{
    return l->called && !l->refused && !l->proved;
}

static void keep(struct ucx_link *l)
{
    struct ucx_link **at = &l->ucx->kept;
    l->making = NULL;
    l->next = *at;
    *at = l;
    for (int n = 0; *at && n < MAX_KEPT; n++)
        at = &(*at)->next;
    if (*at)
        forget_kept(at);
}

void ucx_link_progress_kept(struct ucx *u)
{
    for (struct ucx_link **at = &u->kept; *at;) {
        for (int i = 0; i < TURNS && u->lib->ucp_worker_progress((*at)->worker) != 0; i++) {
        }
        if ((*at)->proved)
            forget_kept(at);
        else
            at = &(*at)->next;
    }
}

bool ucx_link_leave_kept(struct ucx *u)
{
    static struct ucx_link *left; /* of all tasks, for who looks for leaks */
    for (int i = 0; u->kept && i < CLOSE_TURNS; i++)
        ucx_link_progress_kept(u);
    while (u->kept) {
        struct ucx_link *l = u->kept;
        u->kept = l->next;
        l->next = __atomic_load_n(&left, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&left, &l->next, l, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED)) {
        }
        u->left = true;
    }
    return !u->left;
}

void ucx_link_drop(struct ucx_link *l)
{
    struct ucx *u = l->ucx;
    struct ucx_link **at = &u->links;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    l->broken = true;
    if (l->ep)
        close_endpoint(l);
    const bool stays = may_not_be_destroyed(l);
    if (!stays)
        destroy_worker(l);
    ucx_drop_transfers(l);
    if (l->asked) {
        struct status st = {0};
        status_precondition(&st, "UCX: the test message did not arrive");
        refuse(l->asked, &st);
    }
    if (l->making && l->answered) {
        struct status st = {0};
        status_precondition(&st, "UCX: the test message has not come");
        l->making->own = NULL;
        planes_linked(l->making, &st);
        status_clear(&st);
    }
    mem_free(l->task);
    l->task = NULL;
    if (stays)
        keep(l);
    else
        mem_free(l);
}

/* A worker, in the list, which calls ucx_message for what comes. */
static struct ucx_link *link_new(struct ucx *u, struct status *st)
{
    const struct ucx_library *lib = u->lib;
    struct ucx_link *l = mem_new(struct ucx_link);
    l->ucx = u;
    const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucs_status_t s = lib->ucp_worker_create(u->context, &params, &l->worker);
    if (s != UCS_OK) {
        (void)!ucx_fail(u, s, "ucp_worker_create", st);
        mem_free(l);
        return NULL;
    }
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
        .id = UCX_MESSAGE,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = ucx_message,
        .arg = l};
    struct epoll_event e = {.events = EPOLLIN};
    s = lib->ucp_worker_set_am_recv_handler(l->worker, &handler);
    if (s == UCS_OK)
        s = lib->ucp_worker_get_efd(l->worker, &l->fd);
    if (s == UCS_OK && epoll_ctl(u->epoll_fd, EPOLL_CTL_ADD, l->fd, &e) == 0) {
        l->next = u->links;
        u->links = l;
        return l;
    }
    (void)!ucx_fail(u, s == UCS_OK ? UCS_ERR_EXCEEDS_LIMIT : s, "a worker", st);
    lib->ucp_worker_destroy(l->worker);
    mem_free(l);
    return NULL;
}

/* --- the consumer --- */

struct link_job {
    struct ucx_job job;
    struct plane_link *link;
    struct ucx_link *own;
    struct status st;
    uint64_t id;
    struct serving *asked;
};

static void stopped(struct plane_link *l)
{
    struct status st = {0};
    status_fail(&st, STATUS_CANCELLED, "the server has stopped");
    planes_linked(l, &st);
    status_clear(&st);
}

static void post(struct ucx *u, const struct link_job *what,
                 void (*run)(struct ucx *u, struct ucx_job *j))
{
    struct link_job *j = mem_new(struct link_job);
    *j = *what;
    j->job.run = run;
    if (ucx_post(u, &j->job))
        return;
    if (j->link)
        stopped(j->link);
    if (j->asked) {
        status_fail(&j->st, STATUS_UNAVAILABLE, "the server is stopping");
        refuse(j->asked, &j->st);
    }
    status_clear(&j->st);
    mem_free(j);
}

static struct ucx *ucx_of(const struct planes *p)
{
    return p->own[PB_LEAT_PEER_PLANE_UCX];
}

static void call_peer(struct ucx_link *l)
{
    struct arena a = {0};
    ucp_address_t *address = NULL;
    size_t n = 0;
    const struct ucx_library *lib = l->ucx->lib;
    ucs_status_t s = lib->ucp_worker_get_address(l->worker, &address, &n);
    struct pb_leat_peer_link_request *q = pb_leat_peer_link_request_new(&a);
    struct plane_link *making = l->making;
    if (s == UCS_OK) {
        q->version = str_of(lib->ucp_get_version_string());
        q->address = str_make((const char *)address, n);
        q->sum = hash_stable(address, n);
        l->called = true;
        planes_link_call(making, q);
        lib->ucp_worker_release_address(l->worker, address);
    } else {
        struct status st = {0};
        (void)!ucx_fail(l->ucx, s, "ucp_worker_get_address", &st);
        ucx_link_drop(l);
        making->own = NULL;
        planes_linked(making, &st);
        status_clear(&st);
    }
    arena_release(&a);
}

static void begin_job(struct ucx *u, struct ucx_job *job)
{
    struct link_job *j = (struct link_job *)job;
    struct ucx_link *l = link_new(u, &j->st);
    j->link->own = l; /* nobody looks before it is ready */
    if (l) {
        l->making = j->link;
        call_peer(l);
    } else {
        planes_linked(j->link, &j->st);
    }
    status_clear(&j->st);
    mem_free(j);
}

void ucx_link_begin(struct plane_link *l)
{
    post(ucx_of(l->planes), &(struct link_job){.link = l}, begin_job);
}

/* Both the answer and the test message have come. */
static void link_made(struct ucx_link *l)
{
    struct status st = {0};
    struct plane_link *making = l->making;
    if (!making || !l->answered || !l->proved)
        return;
    l->making = NULL;
    making->id = l->id;
    planes_linked(making, &st);
}

static void answered_job(struct ucx *u, struct ucx_job *job)
{
    struct link_job *j = (struct link_job *)job;
    struct ucx_link *l = j->link->own;
    (void)u;
    if (status_ok(&j->st)) {
        l->id = j->id;
        l->answered = true;
        link_made(l);
    } else {
        j->link->own = NULL;
        l->refused = j->st.code == STATUS_UNIMPLEMENTED || j->st.code == STATUS_PERMISSION_DENIED;
        ucx_link_drop(l);
        planes_linked(j->link, &j->st);
    }
    status_clear(&j->st);
    mem_free(j);
}

void ucx_link_answered(struct plane_link *l, const struct status *st,
                       const struct pb_leat_peer_link_response *r)
{
    struct link_job what = {.link = l, .id = r ? r->link : 0};
    status_copy(&what.st, st);
    post(ucx_of(l->planes), &what, answered_job);
}

static void unlink_job(struct ucx *u, struct ucx_job *job)
{
    (void)u;
    ucx_link_drop(((struct link_job *)job)->own);
    mem_free(job);
}

void ucx_unlink(struct planes *p, void *own)
{
    post(ucx_of(p), &(struct link_job){.own = own}, unlink_job);
}

void ucx_link_proved(struct ucx_link *l)
{
    l->proved = true;
    link_made(l);
}

/* --- the producer --- */

static void endpoint_failed(void *arg, ucp_ep_h ep, ucs_status_t s)
{
    struct ucx_link *l = arg;
    (void)ep;
    (void)s;
    l->broken = true;
}

static void link_answer(struct ucx_link *l, ucs_status_t s)
{
    struct status st = {0};
    struct serving *asked = l->asked;
    l->asked = NULL;
    if (!asked)
        return;
    struct pb_leat_peer_link_response *r = pb_leat_peer_link_response_new(&asked->arena);
    r->link = l->id;
    if (s != UCS_OK) {
        (void)!ucx_fail(l->ucx, s, "the test message", &st);
        l->broken = true;
    }
    serving_reply_message(asked, r, &st);
    status_clear(&st);
}

static void probe_sent(void *request, ucs_status_t s, void *link)
{
    struct ucx_link *l = link;
    l->ucx->lib->ucp_request_free(request);
    if (!l->destroyed)
        link_answer(l, s);
}

static void send_probe(struct ucx_link *l)
{
    static const struct ucx_head head = {.magic = UCX_MAGIC, .bytes = UCX_PROBE_BYTES};
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                       UCP_OP_ATTR_FIELD_USER_DATA |
                                                       UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_AM_SEND_FLAG_RNDV,
                                       .cb.send = probe_sent,
                                       .user_data = l};
    memset(l->probe, 0x5a, sizeof l->probe);
    void *r = l->ucx->lib->ucp_am_send_nbx(l->ep, UCX_MESSAGE, &head, sizeof head, l->probe,
                                           sizeof l->probe, &param);
    if (!r || UCS_PTR_IS_ERR(r))
        link_answer(l, r ? UCS_PTR_STATUS(r) : UCS_OK);
}

/* Who asks again has dropped what there was. */
static void drop_older(struct ucx *u, struct str task)
{
    for (struct ucx_link *l = u->links; l; l = l->next)
        l->broken |= l->task && str_is(task, l->task);
}

static void asked_job(struct ucx *u, struct ucx_job *job)
{
    struct link_job *j = (struct link_job *)job;
    struct serving *s = j->asked;
    const struct pb_leat_peer_link_request *q = s->request;
    drop_older(u, q->task);
    struct ucx_link *l = offers_random(&j->id, &j->st) ? link_new(u, &j->st) : NULL;
    if (l) {
        char *address = arena_memdup(&s->arena, q->address.p, q->address.n); /* aligned */
        const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                        .address = (const ucp_address_t *)address,
                                        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                        .err_handler = {endpoint_failed, l}};
        l->id = j->id;
        l->task = mem_strndup(q->task.p ? q->task.p : "", q->task.n);
        ucs_status_t status = u->lib->ucp_ep_create(l->worker, &params, &l->ep);
        if (status == UCS_OK) {
            l->asked = s;
            send_probe(l);
        } else {
            l->ep = NULL;
            (void)!ucx_fail(u, status, "no way to the task", &j->st);
            ucx_link_drop(l);
        }
    }
    if (!status_ok(&j->st))
        refuse(s, &j->st);
    mem_free(j);
}

/* The address is UCX's own to read, and says not how long it is: what is not whole does not get
 * there. */
void ucx_link_asked(struct planes *p, struct serving *s)
{
    struct status st = {0};
    struct ucx *u = ucx_of(p);
    const struct pb_leat_peer_link_request *q = s->request;
    const char *version = u->lib->ucp_get_version_string();
    if (!str_is(q->version, version))
        status_precondition(&st, "UCX %.*s there, %s here", (int)min_i64((int64_t)q->version.n, 20),
                            q->version.n ? q->version.p : "", version);
    else if (q->address.n == 0 || q->address.n > UCX_MAX_ADDRESS ||
             hash_stable(q->address.p, q->address.n) != q->sum)
        status_invalid(&st, "the address is not whole");
    if (status_ok(&st))
        post(u, &(struct link_job){.asked = s}, asked_job);
    else
        refuse(s, &st);
}
