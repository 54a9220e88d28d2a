/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there whole or not at all.
 *
 * The bytes go to NAME.tempstate<number> in the same folder; output_commit makes them durable
 * (fsync), gives them their name (rename), and makes the name durable (fsync of the folder). Killed
 * at any instant, NAME is what it was before or the whole new file; a temp file may stay behind.
 * One thread. */
#ifndef LEAT_IO_OUTPUT_H
#define LEAT_IO_OUTPUT_H

#include "base/status.h"

struct output {        /* a zeroed struct is closed */
    char *path, *temp; /* owned; NULL: closed */
    int fd;
    char *buf; /* small writes are gathered */
    size_t n;
    int64_t size;            /* bytes written so far, those in buf too */
    int64_t written, unsent; /* to the file; of them, the disk was not told of yet */
};

MUST_CHECK bool output_open(struct output *o, const char *path, struct status *st);
/* After an error the output can only be abandoned. */
MUST_CHECK bool output_write(struct output *o, const void *bytes, size_t n, struct status *st);
/* Everything is on disk under the temp name. */
MUST_CHECK bool output_sync(struct output *o, struct status *st);
/* Everything is on disk under its name; o is closed, also after an error (the temp file is gone
 * then). */
MUST_CHECK bool output_commit(struct output *o, struct status *st);
/* The name at once, without waiting for the disk: for what may be lost with the machine. */
MUST_CHECK bool output_name(struct output *o, struct status *st);
/* The same in parts, for those who publish several files: the temp file is closed and durable, the
 * caller renames it. *temp is the caller's (mem_free). */
MUST_CHECK bool output_finish_temp(struct output *o, char **temp, struct status *st);
void output_abandon(struct output *o); /* removes the temp file; fine when closed */

/* A whole small file by the way above. */
MUST_CHECK bool output_file(const char *path, const void *bytes, size_t n, struct status *st);

#endif
