/* SPDX-License-Identifier: Apache-2.0 */
/* A task that two processes can serve as: one serves, the other stands by, and takes over without
 * losing an update that somebody was told of.
 *
 *   What is logged   Each kernel that changes state leaves an entry: what it changed, by result,
 *       and a mark: which op of which step it was. Entries are numbered. Those that write variables
 *       and tables run one at a time, and leave the value, or the rows that were written. Queues,
 *       accumulators, barriers and tables say themselves what changes, when it does (op/notes.h):
 *       a type of resource that has a REPLICATED_DEF is covered, and nothing here knows it.
 *   What is sent     /leat.Peer/Replicate: entries in order, one message under way; without
 *       entries it is a sign of life. A process that stands by applies whole entries. It begins
 *       with everything there is (reset ... whole).
 *   Acknowledged     A part's answer (RunGraph) leaves when the other process has every entry up
 *       to the end of its run; its master tells the client after that. A value that another task
 *       asks for (RecvTensor) waits likewise for the entries that there are by then: what that
 *       task writes down of it must not differ from what is taken over.
 *   Trying again     A step has a key, the same when its master tries it again after a take-over.
 *       An op whose mark is known is not run again: it gives what it gave. So each op of a step
 *       changes state once, whichever process it ran in, and however often it is tried.
 *   Who decides      The witness (witness.h), a third task. Who serves has a lease of it, counted
 *       from when the renewal was sent, and answers nothing beyond it. Who stands by asks to be
 *       promoted when it has heard nothing for lease and margin; the witness agrees when the lease
 *       and a margin are over, and only while it was told last that who stands by has everything.
 *       The epoch rises by one. Without the witness nobody is promoted, and what the process that
 *       stands by confirmed extends the lease as well: it promises not to ask so long.
 *   Fencing          A message of a lower epoch is refused with the higher one. Who learns of a
 *       higher epoch than its own serves no more: what waits fails with ABORTED, its sessions end,
 *       and it stands by, without state, until the other has sent it everything.
 *   Going alone      Who serves and cannot reach the other tells the witness first that nobody has
 *       everything; then it goes on alone, with a warning.
 *
 * Lease: a quarter of the failure deadline; margin: an eighth. A process that comes up serves only
 * once the other one or the witness has said that nobody else does; over one that went on alone and
 * is silent, which it may be for being slow, only when that is lost: its lease was over for the
 * failure deadline. Iterators, readers, stages and
 * session tensors are not covered, nor tables and queues of variants: steps of sessions that keep
 * some on such a task are not tried again, and see a take-over as the restart of the task that it
 * is for them. So do sessions that keep their state to themselves.
 *
 * Where the cluster has replicated tasks, each other task has a replica too, which keeps marks. */
#ifndef LEAT_DIST_REPLICA_H
#define LEAT_DIST_REPLICA_H

#include "dist/rpc.h"
#include "op/changes.h"

struct replica;
struct worker;
struct peers;

struct replica_options {
    const char *task;
    uint64_t incarnation;
    bool standby;              /* it begins as the one that stands by */
    const char *other_address; /* NULL: nobody else can serve as this task */
    const char *witness_address;
    const struct rpc_security *security;
    int64_t failure_ms;
    struct worker *worker; /* whose state it is; outlives the replica's threads, as the next */
    struct peers *peers;   /* who of them has left is told to the other process */
    /* It is decided that this process serves, or does not. Any thread. */
    void (*decided)(void *arg);
    /* The process that serves leaves cleanly, and so may this one. */
    void (*over)(void *arg);
    void *arg;
};
struct replica *replica_new(const struct replica_options *o);
void replica_start(struct replica *r); /* its threads; server_start */
/* Tells the other process that the task ends, answers what waits with an error, joins. */
void replica_stop(struct replica *r);
void replica_free(struct replica *r); /* stops first; NULL is fine */

struct changes *replica_changes(struct replica *r);
bool replica_is_decided(struct replica *r);
/* Whether this process serves as the task and may answer now. */
bool replica_serves(struct replica *r, uint64_t *epoch);
/* fn is called once, perhaps at once: OK when what was changed up to now is safe, ABORTED when this
 * process serves no more. */
typedef void (*replica_safe_fn)(void *arg, const struct status *st);
void replica_when_safe(struct replica *r, replica_safe_fn fn, void *arg);
/* Clears a container of the task, as Reset asks, and of the other process. */
void replica_clear_container(struct replica *r, const char *container);

/* /leat.Peer/Replicate */
int replica_handlers(struct replica *r, struct rpc_handler *out, int cap);

#endif
