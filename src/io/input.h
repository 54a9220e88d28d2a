/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to be read at any place: a file, or memory (tests, fuzz targets).
 *
 * The size is asked once, when it is opened; every read is checked against it and against what
 * comes, so that a file that is cut under the reader is DATA_LOSS, never a short value. A file that
 * is replaced (renamed over) is read on as it was. Reads may come from many threads. */
#ifndef LEAT_IO_INPUT_H
#define LEAT_IO_INPUT_H

#include "base/status.h"

struct input {  /* a zeroed struct is closed */
    char *name; /* the path, for messages too; owned */
    int fd;     /* of a file */
    bool open;
    const uint8_t *bytes; /* of memory, borrowed; NULL: a file */
    int64_t size;
};

/* NOT_FOUND, PERMISSION_DENIED...; FAILED_PRECONDITION for a folder. */
MUST_CHECK bool input_open(struct input *in, const char *path, struct status *st);
void input_memory(struct input *in, const void *bytes, size_t n, const char *name);
/* The n bytes at `at`. DATA_LOSS, naming file, place and `what`, where there are not so many. */
MUST_CHECK bool input_read(const struct input *in, int64_t at, void *to, int64_t n,
                           const char *what, struct status *st);
void input_close(struct input *in);

#endif
