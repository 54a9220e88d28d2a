/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation of a step: a flag, and callbacks that wake those who wait. Counted. */
#ifndef LEAT_OP_CANCEL_H
#define LEAT_OP_CANCEL_H

#include "base/status.h"

struct cancel;

struct cancel *cancel_new(struct cancel *parent); /* cancelled when the parent (may be NULL) is */
struct cancel *cancel_ref(struct cancel *c);
void cancel_unref(struct cancel *c);
/* Calls every callback once, without a lock held. The first reason stays. */
void cancel_fire(struct cancel *c, int code, const char *reason);
bool cancel_fired(const struct cancel *c);
/* Fails st with the reason, if fired. */
MUST_CHECK bool cancel_check(const struct cancel *c, struct status *st);
/* Token, or 0 when already cancelled (fn is not called then). */
uint64_t cancel_add(struct cancel *c, void (*fn)(void *arg), void *arg);
/* True: fn will not be called. False: it was, or is being called: this waits until it is over. */
bool cancel_remove(struct cancel *c, uint64_t token);

#endif
