/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a set of peers, shared by peers.c (the set, states, verdicts), peer_calls.c (calls,
 * watches, who waits for devices) and peer_beat.c (heartbeats).
 *
 * One lock guards a whole set. Verdicts are reached under it; what they call is called after it was
 * dropped: calls end by their request's cancellation (which calls nothing back by itself), watches
 * and waiters are marked as due and run by peer_run_due. */
#ifndef LEAT_DIST_PEERS_IMPL_H
#define LEAT_DIST_PEERS_IMPL_H

#include "base/lock.h"
#include "base/mem.h"
#include "dist/peers.h"

static inline int64_t clamp_i64(int64_t v, int64_t low, int64_t high)
{
    return max_i64(low, min_i64(v, high));
}

enum peer_state { PEER_UNSEEN, PEER_ALIVE, PEER_LOST, PEER_LEFT };

struct peer_call { /* counted: the network, and peer_start while it runs */
    struct peer_call *next, **link;
    int refs;
    struct peer *peer;
    struct rpc_request *request;
    rpc_done_fn done;
    void *arg;
    int64_t started_ns;
    uint64_t incarnation;  /* of the process that it is for; 0: whichever serves */
    struct status verdict; /* why it was cancelled by us */
    bool over;
};
struct peer_watch {
    struct peer_watch *next;
    uint64_t token;
    void (*fn)(void *arg, const struct status *why);
    void *arg;
    bool due, running;
    pthread_t thread; /* that runs it */
    struct status why;
};
struct peer_waiter { /* for devices */
    struct peer_waiter *next;
    peer_devices_fn fn;
    void *arg;
    int64_t started_ns, deadline_ns;
    struct status why;
    bool settles; /* waits for a new answer */
};
struct peer_devices { /* counted, under the set's lock */
    int refs;
    struct arena arena;
    struct pb_device_attributes_vec list;
};

struct peer {
    struct peers *set;
    char *name, *address; /* address: of who serves */
    const char *job;
    char *addresses[2]; /* the spec's, and that of who stands by; owned; NULL: it has none */
    bool self;
    bool anyone; /* its name is what it says */
    /* --- guarded by set->lock --- */
    enum peer_state state;
    struct rpc_channel *calls_channel, *beat_channel; /* NULL: not needed yet */
    struct rpc_channel *other_channel;                /* likewise: heartbeats to addresses[1] */
    int calls_at, beats_at;                           /* which of the addresses */
    bool hunts;           /* the last heartbeat found nobody who serves */
    int64_t stands_by_ns; /* when somebody answered who stands by, and may take over */
    int64_t asked_ns[2];  /* when each address was asked last */
    uint64_t epoch;
    int64_t beat_sent_ns, settled_ns; /* when the last heartbeat left; the last that was answered */
    uint64_t incarnation;
    struct peer_devices *devices;
    bool tensorflow;                      /* it knows no heartbeat: GetStatus */
    bool tensorflow_2;                    /* and is of that version */
    bool said_hello, said_goodbye;        /* by calls of its own */
    uint64_t gone;                        /* the incarnation that said goodbye last; 0: none */
    bool answered;                        /* a call: it was there, heartbeat or not */
    int64_t heard_ns, wanted_ns, said_ns; /* said: the last line of the log */
    char *trouble;                        /* what the last failed try met; NULL: nothing */
    struct peer_call *calls;
    struct peer_watch *watches;
    struct peer_waiter *waiters;
    bool beating;
    int64_t next_beat_ns, beat_delay_ns;
    struct rpc_request *beat;
};

struct peers {
    struct spec spec;
    struct rpc_security security;
    bool secured;
    struct peer_deadlines deadlines;
    bool brought; /* a client's cluster: its names are not those that tasks have for themselves */
    char *self;
    uint64_t self_incarnation;
    struct peer *v;
    int n;
    struct lock lock;
    struct cond changed;
    pthread_t thread;
    bool started, stopping;
    int64_t interval_ns; /* between heartbeats */
    uint64_t tokens;
    int live; /* calls, heartbeats and goodbyes under way */
};

/* All under the lock. */
void peer_want(struct peer *p); /* a heartbeat soon, and the thread that sends them */
void peer_set_trouble(struct peer *p, const struct status *st);
void peer_alive(struct peer *p); /* something came from it */
/* It is gone: calls fail with why, watches and waiters are due. */
void peer_gone(struct peer *p, enum peer_state state, const struct status *why);
/* But for those for the process of that incarnation; 0: all. */
void peer_end_calls(struct peer *p, const struct status *why, uint64_t spared);
void peer_mark_watches(struct peer *p, const struct status *why);
/* For heartbeats and goodbyes, to which of the addresses. */
struct rpc_channel *peer_beat_channel(struct peer *p, int which, struct status *st) MUST_CHECK;
/* Fails st as p's state says: lost or left. */
bool peer_fail(const struct peer *p, struct status *st);
/* "... was never seen: refused; waited 3.0 s", DEADLINE_EXCEEDED; where it was: "does not answer".
 */
bool peer_fail_unseen(const struct peer *p, int64_t since_ns, struct status *st);
bool peer_fail_broken(const struct peer *p, const char *trouble, int64_t since_ns,
                      struct status *st);
void peer_release_devices(struct peer_devices *d);
/* Without the lock: runs what is due. */
void peer_run_due(struct peer *p);
void peer_send_beat(struct peer *p);
/* What a status of the network means in a few words. */
const char *peer_trouble_of(const struct status *st);

#endif
