/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of data planes: what a plane must do, and what it may use. plane.c has the calls and
 * the links, and asks of a plane only what follows. */
#ifndef LEAT_DIST_PLANE_IMPL_H
#define LEAT_DIST_PLANE_IMPL_H

#include "base/mem.h"
#include "dist/plane.h"

enum { NUM_PLANES = 3, NUM_HINTS = 1024 };

struct plane_recv { /* counted: the caller, the call, and a plane that carries its bytes */
    int refs;       /* atomic */
    struct planes *planes;
    struct peer *peer;
    uint64_t incarnation;        /* of the producer, as the key says; 0: it does not */
    struct rpc_request *request; /* written before planes_recv returns */
    plane_recv_fn fn;
    void *arg;
    const struct plane_ops *by; /* whose link was named in the request; NULL: gRPC's */
    uint64_t link;
    int64_t pid;
    int carried;      /* the number of the plane that does */
    void *own;        /* the plane's */
    bool over;        /* atomic: fn was, or is being called */
    bool cancelled;   /* atomic */
    bool *hint;       /* of planes->hints */
    bool expects;     /* rpc_expect_bytes was told */
    struct lock lock; /* the plane's to use */
};

/* From one task to another; of planes, by peer. All under planes->lock but for the constants. */
struct plane_link {
    struct planes *planes;
    struct peer *peer;
    enum { LINK_NONE, LINK_MAKING, LINK_READY, LINK_REFUSED } state;
    const struct plane_ops *by; /* that is tried, or ready */
    uint64_t incarnation, id;
    int64_t pid;
    void *own;         /* the plane's */
    struct strbuf why; /* what each plane that was tried said */
};

struct plane_ops {
    const char *name, *word; /* word: in LEAT_PLANES */
    int number;              /* enum pb_leat_peer_plane */
    /* Whether it can be used here; then it keeps what it needs in planes->own[number]. False and no
     * status: it is not to be. */
    bool (*open)(struct planes *p, struct status *st);
    void (*stop)(struct planes *p);
    void (*close)(struct planes *p); /* after stop, when nothing is under way */
    /* The consumer makes a link: it may ask by planes_link_call. Ends by planes_linked. */
    void (*link)(struct plane_link *l);
    /* Its answer; st: how the call went. Ends by planes_linked too. */
    void (*answered)(struct plane_link *l, const struct status *st,
                     const struct pb_leat_peer_link_response *r);
    void (*unlink)(struct planes *p, void *own); /* NULL: nothing to do */
    /* The producer is asked for one, and answers. */
    void (*asked)(struct planes *p, struct serving *s);
    /* The consumer is about to ask for a tensor: the transfer's number. NULL: it needs none. */
    uint64_t (*expect)(struct plane_recv *r);
    /* The answer has come: the bytes are there, or come. Ends by plane_recv_end. */
    void (*take)(struct plane_recv *r, struct chunks_offer *offer);
    /* Before the end of every receiver that was expected. NULL: nothing to do. */
    void (*forget)(struct plane_recv *r);
    void (*cancel)(struct plane_recv *r); /* NULL: likewise */
    /* The producer: false where it does not carry this one; else it takes s. */
    bool (*send)(struct planes *p, struct serving *s, const struct pb_leat_peer_carry *how,
                 struct pb_recv_tensor_response *response, const struct tensor *value);
};
extern const struct plane_ops plane_grpc, plane_shared, plane_ucx;

struct planes {
    int refs; /* atomic */
    char *task;
    bool tried; /* others than gRPC, where the protocol says so */
    uint64_t incarnation;
    struct peers *peers;
    struct pool *pool;
    struct offers *offers;
    const struct rpc_security *security; /* NULL: none */
    const struct plane_ops *open[NUM_PLANES];
    void *own[NUM_PLANES];
    struct plane_counts counts; /* atomic */
    bool hints[NUM_HINTS];      /* atomic; by key: whether its last answer held many bytes */
    struct lock lock;
    /* --- guarded by lock --- */
    bool stopping;
    struct plane_link *links; /* one a peer */
};

struct plane_recv *plane_recv_ref(struct plane_recv *r);
/* Tells the receiver, once: false where that was done before. */
bool plane_recv_end(struct plane_recv *r, const struct status *st, const struct tensor *value,
                    bool dead);
/* Fetches by gRPC what was offered; the link is no good. */
void plane_recv_fall_back(struct plane_recv *r, struct chunks_offer *offer);

void planes_link_call(struct plane_link *l, struct pb_leat_peer_link_request *q);
/* The link works, or (st) this plane cannot be used with this peer: the next one is tried. */
void planes_linked(struct plane_link *l, const struct status *st);
/* A link is of no use any more, where it is still the one that was used. */
void planes_unlink(struct planes *p, struct peer *peer, const struct plane_ops *by, uint64_t id);
static inline bool plane_carries(const struct tensor *t)
{
    return !dtype_is_managed(t->dtype) && tensor_bytes(t) >= PLANE_MIN_BYTES;
}

#endif
