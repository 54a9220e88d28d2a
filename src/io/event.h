/* SPDX-License-Identifier: Apache-2.0 */
/* Event files: records of Event messages, the first of which says the version. TensorBoard watches
 * a folder for files whose names hold ".tfevents.".
 *
 * A writer may be used by any threads. What it was given is in the file after max_queue events,
 * when flush_ns have passed (looked at when an event comes; a thread of its own only if asked for),
 * after a flush, and when it is closed. */
#ifndef LEAT_IO_EVENT_H
#define LEAT_IO_EVENT_H

#include "io/record.h"
#include "proto/leat_proto.h"

struct event_options {
    const char *suffix; /* of the file's name; NULL: none */
    int64_t max_queue;  /* events before a flush; below 1: each */
    int64_t flush_ns;
    bool own_thread; /* flushes when the time has come, event or not */
};

struct event_writer;
/* Makes the folder and those above it, and in it
 * events.out.tfevents.SECONDS.HOST SUFFIX (made unique by a number where such a file exists) with
 * the version event. */
struct event_writer *event_writer_new(const char *folder, const struct event_options *o,
                                      struct status *st) MUST_CHECK;
const char *event_writer_path(const struct event_writer *w);
/* A serialized Event. */
MUST_CHECK bool event_writer_add_bytes(struct event_writer *w, struct str event, struct status *st);
/* wall_time 0 becomes the present. */
MUST_CHECK bool event_writer_add(struct event_writer *w, struct pb_event *event, struct status *st);
MUST_CHECK bool event_writer_flush(struct event_writer *w, struct status *st);
/* Writes what is left, frees w (NULL is fine), also on failure. */
MUST_CHECK bool event_writer_close(struct event_writer *w, struct status *st);

/* The next event of a file, in the arena; *end at its end. DATA_LOSS with file and offset for
 * broken records and for records that are no Event. */
MUST_CHECK bool event_next(struct record_reader *r, struct arena *a, struct pb_event **event,
                           bool *end, struct status *st);

#endif
