/* SPDX-License-Identifier: Apache-2.0 */
/* The other tasks of a cluster, as seen from this one.
 *
 * A peer is made at its first use and lives as long as the set. It has a channel for calls and,
 * once seen, a heartbeat on a connection of its own. Its state:
 *
 *   UNSEEN   no heartbeat was answered; waiting for it obeys the start deadline
 *   ALIVE    answers; its device list and incarnation are known
 *   LOST     silent for the failure deadline after it had answered something, or its connection
 *            broke and could not be had again within it; all calls to it fail with UNAVAILABLE.
 *            Twice that where a process that stands by answers, which may take over yet
 *   LEFT     said goodbye, which nothing that the same process sends undoes
 *
 * A peer that comes back with another incarnation is ALIVE anew; what was begun with the old one
 * fails with ABORTED. The texts name task, address, what was seen, and for how long:
 *   "/job:ps/task:3 at host:port lost: connection reset after 4.2 s". */
#ifndef LEAT_DIST_PEERS_H
#define LEAT_DIST_PEERS_H

#include "dist/rpc.h"
#include "dist/spec.h"

struct peers;
struct peer;

struct peer_deadlines {
    int64_t failure_ms; /* 30,000 */
    int64_t start_ms;   /* 7,200,000 */
};
struct peers *peers_new(const struct spec *spec, const struct rpc_security *security,
                        const struct peer_deadlines *deadlines);
/* Of a cluster that a client brings, with the same security and deadlines; the caller's. Its tasks
 * are known by their addresses: who they say they are is not looked at. */
struct peers *peers_like(const struct peers *p, const struct spec *spec);
/* The one task behind an address, whoever it is: for a client, which is no task. Its name is said
 * as "the task" until it has answered. */
struct peers *peers_new_target(const char *address, const struct rpc_security *security,
                               const struct peer_deadlines *deadlines,
                               struct status *st) MUST_CHECK;
/* Another process may serve as the task, at this address; before the first use. */
void peers_set_standby(struct peers *p, const char *job, int index, const char *address);
int64_t peers_failure_ms(const struct peers *p);
void peers_free(struct peers *p); /* ends heartbeats and calls, closes channels */
/* Who this task is, as its heartbeats say; before the first use. */
void peers_set_self(struct peers *p, const char *task, uint64_t incarnation);
/* What a task said of itself by a heartbeat or goodbye of its own. Others than the spec's are
 * ignored. */
void peers_heard(struct peers *p, struct str task, uint64_t incarnation, bool leaving);
/* Tells the others, and who stands by for them, that this task leaves; waits for their answers,
 * timeout_ms at most. */
void peers_goodbye(struct peers *p, int64_t timeout_ms);
/* The names of those that have said goodbye, into the list. */
struct arena;
void peers_list_left(struct peers *p, struct arena *a, struct pb_strs *out);
/* Whether there are tasks of other jobs, and each was seen and has left. */
bool peers_all_left(struct peers *p, const char *but_job);

/* NULL with NOT_FOUND naming what is in the cluster. Lives as long as the set. */
struct peer *peers_find(struct peers *p, const char *job, int index, struct status *st) MUST_CHECK;
int peers_count(const struct peers *p);
struct peer *peers_at(struct peers *p, int i);
int peers_index(const struct peers *p, const struct peer *peer);  /* -1: it is of another set */
const struct rpc_security *peers_security(const struct peers *p); /* NULL: none */

const char *peer_name(const struct peer *p);    /* "/job:ps/replica:0/task:3" */
const char *peer_address(const struct peer *p); /* "host:port" */

/* As rpc_start, but fails as the peer's state says (UNAVAILABLE when it is or gets lost, whatever
 * the call waits for; DEADLINE_EXCEEDED when it was never seen by the start deadline). */
/* NULL: done was called already, as the state forbids the call. */
struct rpc_request *peer_start(struct peer *p, const char *path, struct rpc_msg *request,
                               int64_t timeout_ms, rpc_done_fn done, void *arg);
/* The same, of what only the process of that incarnation can have begun (0: whichever): when it is
 * noticed that the task came back as that one, the call goes on. */
struct rpc_request *peer_start_at(struct peer *p, uint64_t incarnation, const char *path,
                                  struct rpc_msg *request, int64_t timeout_ms, rpc_done_fn done,
                                  void *arg);

/* The peer's devices: contacts it (GetStatus) if it was not seen. fn is called once, from any
 * thread, perhaps at once; devices are borrowed for the call. */
typedef void (*peer_devices_fn)(void *arg, const struct status *st,
                                const struct pb_device_attributes_vec *devices);
void peer_devices(struct peer *p, int64_t timeout_ms, peer_devices_fn fn, void *arg);
/* fn is called once: OK when whoever serves as the task has answered a heartbeat that was sent from
 * now on, so that it is known which process that is; else as the task's state says. */
void peer_settle(struct peer *p, int64_t timeout_ms, peer_devices_fn fn, void *arg);
/* After a failed wait: appends what is known of a peer that does not answer; nothing for one that
 * does. */
void peer_add_trouble(struct peer *p, struct status *st);
uint64_t peer_incarnation(struct peer *p); /* 0: not seen */
bool peer_has_standby(const struct peer *p);
bool peer_is_tensorflow_2(struct peer *p); /* where it has said so */
/* How long it may be silent before it is lost, where it is known to be a task of Leat; else 0. */
int64_t peer_patience_ms(struct peer *p);
/* fn is called when the peer is lost, leaves or comes back as another; at most once. 0: it is so
 * already and fn was not called. */
uint64_t peer_watch(struct peer *p, void (*fn)(void *arg, const struct status *why), void *arg);
/* As cancel_remove: afterwards fn is not running. */
void peer_unwatch(struct peer *p, uint64_t token);

#endif
