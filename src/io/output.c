/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic files. Failpoints: output_write, output_sync, output_rename. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/folder.h"
#include "io/os_error.h"

enum {
    BUFFER_BYTES = 1 << 16,
    MOST_AT_ONCE = 1 << 30, /* what one write takes is a little less than 2 GiB */
    SEND_BYTES = 8 << 20,   /* of a big file, on their way to the disk while more is written */
    TRIES = 100,
};

/* Another number for each call in each process. */
static uint64_t temp_number(void)
{
    static uint64_t calls;
    uint64_t seeds[] = {(uint64_t)getpid(), (uint64_t)clock_wall_us(), (uint64_t)clock_now_ns(),
                        __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED)};
    return hash_stable(seeds, sizeof seeds);
}

bool output_open(struct output *o, const char *path, struct status *st)
{
    int error = EEXIST;
    *o = (struct output){.path = mem_strdup(path), .fd = -1};
    io_step();
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        mem_free(o->temp);
        o->temp = mem_printf("%s.tempstate%llu", path, (unsigned long long)temp_number());
        o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = o->fd < 0 ? errno : 0;
    }
    if (error) {
        os_fail(st, error, "%s", o->temp);
        mem_free(o->path);
        mem_free(o->temp);
        *o = (struct output){0};
        return false;
    }
    o->buf = mem_alloc(BUFFER_BYTES);
    return true;
}

/* The disk begins with what is there, so that the fsync at the end finds little left. Where this
 * cannot be done nothing is lost. */
static void send_early(struct output *o, size_t just_written)
{
    o->unsent += (int64_t)just_written;
    if (o->unsent < SEND_BYTES)
        return;
    (void)sync_file_range(o->fd, o->written - o->unsent, o->unsent, SYNC_FILE_RANGE_WRITE);
    o->unsent = 0;
}

static bool write_out(struct output *o, const char *p, size_t n, struct status *st)
{
    while (n > 0) {
        io_step();
        ssize_t done = FAILPOINT("output_write")
                           ? (errno = ENOSPC, -1)
                           : write(o->fd, p, n > MOST_AT_ONCE ? MOST_AT_ONCE : n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return os_fail(st, errno, "%s: writing at offset %lld", o->temp, (long long)o->written);
        p += done;
        n -= (size_t)done;
        o->written += done;
        send_early(o, (size_t)done);
    }
    return true;
}

static bool flush(struct output *o, struct status *st)
{
    size_t n = o->n;
    o->n = 0;
    return write_out(o, o->buf, n, st);
}

bool output_write(struct output *o, const void *bytes, size_t n, struct status *st)
{
    if (n > BUFFER_BYTES - o->n && !flush(o, st))
        return false;
    o->size += (int64_t)n;
    if (n >= BUFFER_BYTES)
        return write_out(o, bytes, n, st);
    if (n > 0)
        memcpy(o->buf + o->n, bytes, n);
    o->n += n;
    return true;
}

bool output_sync(struct output *o, struct status *st)
{
    if (!flush(o, st))
        return false;
    io_step();
    if (FAILPOINT("output_sync"))
        return os_fail(st, EIO, "%s: fsync", o->temp);
    return fsync(o->fd) == 0 || os_fail(st, errno, "%s: fsync", o->temp);
}

/* Closed, with nothing left but the names, which the caller frees. */
static bool close_file(struct output *o, struct status *st)
{
    int fd = o->fd;
    o->fd = -1;
    mem_free(o->buf);
    o->buf = NULL;
    return close(fd) == 0 || os_fail(st, errno, "%s: close", o->temp);
}

bool output_finish_temp(struct output *o, char **temp, struct status *st)
{
    if (!output_sync(o, st) || !close_file(o, st)) {
        output_abandon(o);
        return false;
    }
    *temp = o->temp;
    mem_free(o->path);
    *o = (struct output){0};
    return true;
}

bool output_commit(struct output *o, struct status *st)
{
    bool ok = output_sync(o, st) && close_file(o, st);
    if (ok && FAILPOINT("output_rename"))
        ok = os_fail(st, EIO, "%s: rename", o->temp);
    ok = ok && folder_rename(o->temp, o->path, st);
    if (!ok) {
        output_abandon(o);
        return false;
    }
    ok = folder_sync_of(o->path, st);
    mem_free(o->path);
    mem_free(o->temp);
    *o = (struct output){0};
    return ok;
}

bool output_name(struct output *o, struct status *st)
{
    bool ok = flush(o, st) && close_file(o, st) && folder_rename(o->temp, o->path, st);
    if (!ok) {
        output_abandon(o);
        return false;
    }
    mem_free(o->path);
    mem_free(o->temp);
    *o = (struct output){0};
    return true;
}

void output_abandon(struct output *o)
{
    if (!o->path)
        return;
    if (o->fd >= 0)
        close(o->fd);
    io_step();
    unlink(o->temp);
    mem_free(o->buf);
    mem_free(o->path);
    mem_free(o->temp);
    *o = (struct output){0};
}

bool output_file(const char *path, const void *bytes, size_t n, struct status *st)
{
    struct output o;
    if (!output_open(&o, path, st))
        return false;
    if (!output_write(&o, bytes, n, st)) {
        output_abandon(&o);
        return false;
    }
    return output_commit(&o, st);
}
