/* SPDX-License-Identifier: Apache-2.0 */
/* Where tensors that cross devices meet: by key, each sent once and received once per step.
 *
 * Keys are TensorFlow's: "src;incarnation;dst;name;frame:iter" (facts: protos.md section 4).
 * Counted; thread-safe; callbacks run on the sender's or receiver's thread, never under a lock. */
#ifndef LEAT_OP_RENDEZVOUS_H
#define LEAT_OP_RENDEZVOUS_H

#include "base/status.h"
#include "tensor/tensor.h"

struct rendezvous;
/* value is borrowed for the call; dead: the sender's branch was not taken. */
typedef void (*rendezvous_fn)(void *arg, const struct status *st, const struct tensor *value,
                              bool dead);

struct rendezvous *rendezvous_new(void);
/* Of a step that other tasks take part in: what comes from them is had elsewhere, unless it was
 * sent here before it is asked for. */
struct rendezvous_far {
    void *arg; /* outlives the rendezvous */
    /* False: key is no other task's. True: fn is called, once. */
    bool (*recv)(void *arg, const char *key, rendezvous_fn fn, void *fn_arg);
    /* The first abort, before those who wait here are told. May be NULL. */
    void (*aborted)(void *arg, const struct status *why);
};
struct rendezvous *rendezvous_new_far(const struct rendezvous_far *far);
struct rendezvous *rendezvous_ref(struct rendezvous *r);
void rendezvous_unref(struct rendezvous *r);
/* value is shared (NULL when dead). Fails after an abort, and for a key sent twice. */
MUST_CHECK bool rendezvous_send(struct rendezvous *r, const char *key, const struct tensor *value,
                                bool dead, struct status *st);
void rendezvous_recv(struct rendezvous *r, const char *key, rendezvous_fn fn, void *arg);
/* Calls fn for each value that waits here and is alive, the oldest first. It may look at them and
 * keep copies that share their bytes, no more: a lock is held. */
void rendezvous_each(struct rendezvous *r,
                     void (*fn)(void *arg, const char *key, const struct tensor *value), void *arg);
/* Takes back a receiver that waits here. False: it was called, or is being called. */
bool rendezvous_forget(struct rendezvous *r, const char *key, const void *arg);
/* Values and receivers that wait. */
int64_t rendezvous_waiting(struct rendezvous *r);
/* Every waiting and later call fails with st. */
void rendezvous_abort(struct rendezvous *r, const struct status *st);

/* --- what a loop's frame is called in keys; all tasks of a step say the same --- */
/* TensorFlow 1.15: of the text "parent's text ; iteration ; name". */
uint64_t rendezvous_frame_hash(const char *text);
/* TensorFlow 2: of the parent's number (0 outside of loops), its iteration and the name. Those that
 * this attr of their _Send and _Recv asks for it say it. */
#define RENDEZVOUS_NUMBERS_ATTR "_numbered_frames"
uint64_t rendezvous_frame_number(uint64_t parent, int64_t iteration, const char *name);

#endif
