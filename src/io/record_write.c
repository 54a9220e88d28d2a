/* SPDX-License-Identifier: Apache-2.0 */
/* Writing records: small ones gather in a buffer, which goes to the file when it is full. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "codec/crc32c.h"
#include "codec/zstream.h"
#include "io/os_error.h"
#include "io/record.h"

enum { BUFFER_BYTES = 1 << 16 };

struct record_writer {
    char *path; /* owned */
    int fd;
    struct deflater *z; /* NULL: plain */
    struct strbuf out;  /* not in the file yet */
    int error;          /* errno of the first failure */
};

struct record_writer *record_writer_open(const char *path, enum record_form form, struct status *st)
{
    struct deflater *z = NULL;
    if (form != RECORD_PLAIN) {
        z = deflater_new(form == RECORD_GZIP ? ZFORM_GZIP : ZFORM_ZLIB, st);
        if (!z)
            return NULL;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        os_error(path, errno, st);
        deflater_free(z);
        return NULL;
    }
    struct record_writer *w = mem_new(struct record_writer);
    *w = (struct record_writer){.path = mem_strdup(path), .fd = fd, .z = z};
    return w;
}

static bool write_all(struct record_writer *w, const char *p, size_t n, struct status *st)
{
    while (n > 0 && !w->error) {
        ssize_t done = FAILPOINT("record_write") ? (errno = ENOSPC, -1) : write(w->fd, p, n);
        if (done < 0 && errno != EINTR)
            w->error = errno;
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
    return !w->error || os_error(w->path, w->error, st);
}

static bool write_out(struct record_writer *w, struct status *st)
{
    bool ok = write_all(w, w->out.p, w->out.n, st);
    strbuf_clear(&w->out);
    return ok;
}

/* Plain bytes that are as long as the buffer go past it. */
static bool put(struct record_writer *w, const void *p, size_t n, struct status *st)
{
    if (w->z) {
        if (!deflater_run(w->z, str_make(p, n), ZFLUSH_NONE, &w->out, st))
            return false;
    } else if (n >= BUFFER_BYTES) {
        return write_out(w, st) && write_all(w, p, n, st);
    } else {
        strbuf_add(&w->out, p, n);
    }
    return w->out.n < BUFFER_BYTES || write_out(w, st);
}

void record_frame(struct str record, uint8_t head[RECORD_HEAD_BYTES],
                  uint8_t foot[RECORD_FOOT_BYTES])
{
    uint64_t len = record.n;
    memcpy(head, &len, 8);
    uint32_t of_len = crc32c_masked(head, 8), of_data = crc32c_masked(record.p, record.n);
    memcpy(head + 8, &of_len, 4);
    memcpy(foot, &of_data, 4);
}

bool record_writer_add(struct record_writer *w, struct str record, struct status *st)
{
    uint8_t head[RECORD_HEAD_BYTES], foot[RECORD_FOOT_BYTES];
    if (w->error)
        return os_error(w->path, w->error, st);
    record_frame(record, head, foot);
    return put(w, head, sizeof(head), st) && put(w, record.p, record.n, st) &&
           put(w, foot, sizeof(foot), st);
}

bool record_writer_flush(struct record_writer *w, struct status *st)
{
    struct str none = {"", 0};
    if (w->z && !deflater_run(w->z, none, ZFLUSH_PARTIAL, &w->out, st))
        return false;
    return write_out(w, st);
}

bool record_writer_close(struct record_writer *w, struct status *st)
{
    struct str none = {"", 0};
    if (!w)
        return true;
    bool ok = !w->z || deflater_run(w->z, none, ZFLUSH_FINISH, &w->out, st);
    ok = write_out(w, st) && ok;
    if (close(w->fd) != 0 && ok)
        ok = os_error(w->path, errno, st);
    deflater_free(w->z);
    strbuf_release(&w->out);
    mem_free(w->path);
    mem_free(w);
    return ok;
}
