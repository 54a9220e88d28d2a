/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a queue, in the order in which it comes out. Internal to op/; the queue's lock guards
 * it. */
#ifndef LEAT_OP_QUEUE_STORE_H
#define LEAT_OP_QUEUE_STORE_H

#include "op/queue.h"

struct queue_store {
    enum queue_kind kind;
    int width;            /* values of an element */
    struct tensor *items; /* a ring of cap elements */
    int64_t *ids;         /* of the elements, likewise */
    int64_t head, count, cap;
    struct queue_random *random; /* owned; the shuffling queue's */
};

void queue_store_init(struct queue_store *s, const struct queue_spec *spec);
void queue_store_release(struct queue_store *s);
/* Takes the values out of element. The id is its number since the queue was made. */
void queue_store_put(struct queue_store *s, struct tensor *element, int64_t id);
int64_t queue_store_get(struct queue_store *s, struct tensor *element); /* count > 0; its id */
/* An element that had been got returns to the place it came from, or to the end. */
void queue_store_put_back(struct queue_store *s, struct tensor *element, int64_t id);
/* Element i, in the order in which they lie, as putting them into an empty store anew wants it. */
const struct tensor *queue_store_at(const struct queue_store *s, int64_t i, int64_t *id);
/* Frees the element of this id, wherever it lies; false: there is none. */
bool queue_store_drop(struct queue_store *s, int64_t id);

/* Row i of batch as a value of its own; whether it shares batch's memory is the kind's. */
MUST_CHECK bool queue_row(enum queue_kind kind, const struct tensor *batch, int64_t i,
                          struct tensor *out, struct status *st);
/* Joins component `which` of n elements, padded to the largest of each dim where shapes differ. */
MUST_CHECK bool queue_join(const struct queue_spec *spec, int which, const struct tensor *elements,
                           int64_t n, struct tensor *out, struct status *st);

#endif
