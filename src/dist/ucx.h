/* SPDX-License-Identifier: Apache-2.0 */
/* needs: ucx */
/* UCX as it is used here (plane.h is what for): the library, opened when a server wants it; a
 * context and one thread a task, which alone calls it; links, each with a worker of its own; active
 * messages, by rendezvous, from the task that has a tensor to the one that waits.
 *
 * A link goes one way. The consumer makes a worker and sends its address by /leat.Peer/Link; the
 * producer makes another one, an endpoint to that address, sends a test message, and answers when
 * it has left. When a link is dropped its worker is destroyed, and with it whatever was under way:
 * no memory is kept by a request that never ends, since nobody is left who could end it.
 *
 * A message is one tensor. Its header says for whom it is: a random number that the consumer made
 * for the one RecvTensor. Others are dropped, as is what does not fit its own header.
 *
 * Endpoints are made with UCP_ERR_HANDLING_MODE_PEER: a peer that dies fails what is under way.
 * UCX 1.13 does not have that for its shared memory transports, so that they are left out
 * (plane_shared.c). The thread sleeps in epoll on the workers' descriptors. */
#ifndef LEAT_DIST_UCX_H
#define LEAT_DIST_UCX_H

#include <ucp/api/ucp.h>

#include "base/map.h"
#include "dist/plane_impl.h"

#define UCX_TABLE(X)                                                                               \
    X(ucp_init_version)                                                                            \
    X(ucp_cleanup)                                                                                 \
    X(ucp_config_read)                                                                             \
    X(ucp_config_modify)                                                                           \
    X(ucp_config_release)                                                                          \
    X(ucp_get_version_string)                                                                      \
    X(ucp_worker_create)                                                                           \
    X(ucp_worker_destroy)                                                                          \
    X(ucp_worker_get_address)                                                                      \
    X(ucp_worker_release_address)                                                                  \
    X(ucp_worker_get_efd)                                                                          \
    X(ucp_worker_arm)                                                                              \
    X(ucp_worker_progress)                                                                         \
    X(ucp_worker_set_am_recv_handler)                                                              \
    X(ucp_ep_create)                                                                               \
    X(ucp_ep_close_nbx)                                                                            \
    X(ucp_am_send_nbx)                                                                             \
    X(ucp_am_recv_data_nbx)                                                                        \
    X(ucp_request_check_status)                                                                    \
    X(ucp_request_free)                                                                            \
    X(ucs_status_string)

struct ucx_library {
#define X(name) __typeof__(name) *name;
    UCX_TABLE(X)
#undef X
};
/* NULL where it is not installed: UNIMPLEMENTED. Never closed. */
const struct ucx_library *ucx_library(struct status *st) MUST_CHECK;

enum { UCX_MESSAGE = 1, UCX_MAX_RANK = 254, UCX_PROBE_BYTES = 16 << 10, UCX_MAX_ADDRESS = 1 << 16 };

struct ucx_head { /* of a message; in the order of bytes of both, who have the same library */
    uint32_t magic, dtype;
    uint64_t id; /* 0: the test message */
    uint64_t bytes;
    uint64_t rank;
    int64_t dims[]; /* rank */
};
#define UCX_MAGIC 0x5446454cu

struct ucx;
struct ucx_job { /* run once by the thread */
    struct ucx_job *next;
    void (*run)(struct ucx *u, struct ucx_job *j);
};

struct ucx_link { /* of the thread, but for what is said otherwise */
    struct ucx *ucx;
    struct ucx_link *next;
    ucp_worker_h worker;
    int fd; /* the worker's */
    uint64_t id;
    bool broken; /* to be dropped */
    bool destroyed;
    char probe[UCX_PROBE_BYTES];
    /* consumer */
    struct plane_link *making;              /* NULL: made */
    bool called, answered, refused, proved; /* called: the producer may know the address */
    struct ucx_recv *recvs;                 /* whose bytes come */
    /* producer */
    ucp_ep_h ep;
    char *task;            /* whom it sends to */
    struct serving *asked; /* to be answered when the test message has left */
    struct ucx_send *sends;
};

struct ucx { /* of a task: planes->own */
    struct planes *planes;
    const struct ucx_library *lib;
    ucp_context_h context;
    pthread_t thread;
    int wake_fd, epoll_fd;
    struct ucx_link *links, *kept; /* the thread's; kept: dropped, but for their workers */
    bool left; /* there are workers yet: the thread's, and whoever has joined it */
    struct lock lock;
    /* --- guarded by lock --- */
    struct ucx_job *first, **last;
    bool asleep, stopping;
    struct u64map expected; /* id -> ucx_recv */
};

bool ucx_open(struct planes *p, struct status *st);
void ucx_stop(struct planes *p);
void ucx_close(struct planes *p);
/* False: it is stopping, and the job will not run. */
MUST_CHECK bool ucx_post(struct ucx *u, struct ucx_job *j);

/* --- links (ucx_link.c); on the thread --- */
bool ucx_link_progress(struct ucx_link *l);
void ucx_link_drop(struct ucx_link *l);
void ucx_link_progress_kept(struct ucx *u);
/* When the thread ends. False: some workers are still there, and the context has to stay. */
bool ucx_link_leave_kept(struct ucx *u);
void ucx_link_proved(struct ucx_link *l);                 /* the test message is there */
struct ucx_link *ucx_link_to(struct ucx *u, uint64_t id); /* NULL: there is none */
/* Any thread: struct plane_ops. */
void ucx_link_begin(struct plane_link *l);
void ucx_link_answered(struct plane_link *l, const struct status *st,
                       const struct pb_leat_peer_link_response *r);
void ucx_link_asked(struct planes *p, struct serving *s);
void ucx_unlink(struct planes *p, void *own);
bool ucx_fail(const struct ucx *u, ucs_status_t s, const char *what, struct status *st);

/* --- messages (plane_ucx.c); on the thread --- */
ucs_status_t ucx_message(void *link, const void *header, size_t header_bytes, void *data,
                         size_t bytes, const ucp_am_recv_param_t *param);
/* The link's worker is gone: so is what was under way. */
void ucx_drop_transfers(struct ucx_link *l);

#endif
