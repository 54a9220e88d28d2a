/* SPDX-License-Identifier: Apache-2.0 */
/* Reading records: a buffer that is filled from a file, from memory, or by unpacking either. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "codec/crc32c.h"
#include "codec/zstream.h"
#include "io/os_error.h"
#include "io/record.h"

enum { BUFFER_BYTES = 1 << 18 };

struct record_reader {
    char *path; /* owned; for messages */
    int fd;     /* -1: `memory` is read */
    struct str memory;
    struct inflater *z; /* NULL: plain */
    char *packed;       /* BUFFER_BYTES, where z is set */
    struct str unread;  /* of packed */
    char *buf;          /* owned; [at, n) is yet to be handed out */
    size_t at, n, cap;
    uint64_t offset; /* of buf[at] */
};

bool record_form_named(struct str name, enum record_form *out, struct status *st)
{
    static const char *const names[] = {"", "ZLIB", "GZIP"};
    for (int i = 0; i < 3; i++) {
        if (str_is(name, names[i])) {
            *out = (enum record_form)i;
            return true;
        }
    }
    return status_invalid(st, "unknown compression '%.*s': there are '', 'ZLIB' and 'GZIP'",
                          (int)min_i64((int64_t)name.n, 100), name.n ? name.p : "");
}

static struct record_reader *reader_new(const char *path, enum record_form form, struct status *st)
{
    struct record_reader *r = mem_new(struct record_reader);
    r->path = mem_strdup(path);
    r->fd = -1;
    r->cap = BUFFER_BYTES;
    r->buf = mem_alloc(r->cap);
    if (form == RECORD_PLAIN)
        return r;
    r->packed = mem_alloc(BUFFER_BYTES);
    r->z = inflater_new(form == RECORD_GZIP ? ZFORM_GZIP : ZFORM_ZLIB, st);
    if (r->z)
        return r;
    status_prepend(st, "%s: ", path);
    record_reader_free(r);
    return NULL;
}

struct record_reader *record_reader_open(const char *path, enum record_form form, struct status *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        os_error(path, errno, st);
        return NULL;
    }
    struct stat about;
    struct record_reader *r = NULL;
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode))
        os_error(path, EISDIR, st);
    else
        r = reader_new(path, form, st);
    if (r)
        r->fd = fd;
    else
        close(fd);
    return r;
}

struct record_reader *record_reader_of(struct str bytes, enum record_form form, const char *what,
                                       struct status *st)
{
    struct record_reader *r = reader_new(what, form, st);
    if (r)
        r->memory = bytes;
    return r;
}

void record_reader_free(struct record_reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    inflater_free(r->z);
    mem_free(r->packed);
    mem_free(r->buf);
    mem_free(r->path);
    mem_free(r);
}

uint64_t record_reader_offset(const struct record_reader *r)
{
    return r->offset;
}

/* Bytes as the file has them; *got 0: no more for now. */
static bool read_raw(struct record_reader *r, void *to, size_t room, size_t *got, struct status *st)
{
    if (r->fd < 0) {
        *got = room < r->memory.n ? room : r->memory.n;
        if (*got) {
            memcpy(to, r->memory.p, *got);
            r->memory.p += *got;
            r->memory.n -= *got;
        }
        return true;
    }
    ssize_t n;
    do
        n = read(r->fd, to, room);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0 || os_error(r->path, errno, st);
}

static bool read_unpacked(struct record_reader *r, void *to, size_t room, size_t *got,
                          struct status *st)
{
    for (;;) {
        if (!inflater_run(r->z, &r->unread, to, room, got, st)) {
            status_prepend(st, "%s: record at %llu: ", r->path, (unsigned long long)r->offset);
            return false;
        }
        if (*got > 0)
            return true;
        size_t more;
        if (!read_raw(r, r->packed, BUFFER_BYTES, &more, st))
            return false;
        if (more == 0)
            return true;
        r->unread = str_make(r->packed, more);
    }
}

/* Room for more bytes: to the front, or into a greater buffer, once it is full of what came. */
static bool make_room(struct record_reader *r, size_t need, struct status *st)
{
    size_t have = r->n - r->at;
    if (r->at > 0 && (r->n == r->cap || have == 0)) {
        memmove(r->buf, r->buf + r->at, have);
        r->at = 0;
        r->n = have;
    }
    if (r->n < r->cap)
        return true;
    size_t cap = need < 2 * r->cap ? need : 2 * r->cap;
    char *more = mem_try(cap, r->path, st);
    if (!more)
        return false;
    memcpy(more, r->buf, r->n);
    mem_free(r->buf);
    r->buf = more;
    r->cap = cap;
    return true;
}

/* Reads until `need` bytes are there, or the file ends. */
static bool fill(struct record_reader *r, size_t need, struct status *st)
{
    while (r->n - r->at < need) {
        size_t got;
        if (!make_room(r, need, st))
            return false;
        char *to = r->buf + r->n;
        if (!(r->z ? read_unpacked(r, to, r->cap - r->n, &got, st)
                   : read_raw(r, to, r->cap - r->n, &got, st)))
            return false;
        if (got == 0)
            return true;
        r->n += got;
    }
    return true;
}

static bool lost(const struct record_reader *r, const char *how, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS, "%s record at %llu: %s", how,
                       (unsigned long long)r->offset, r->path);
}

static uint32_t load32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* A plain file says how long it is: a record that is longer need not be read. */
static bool beyond_file(const struct record_reader *r, uint64_t bytes)
{
    struct stat about;
    if (r->z)
        return false;
    if (r->fd < 0)
        return bytes > r->n - r->at + r->memory.n;
    if (fstat(r->fd, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    return bytes > (uint64_t)about.st_size || r->offset > (uint64_t)about.st_size - bytes;
}

bool record_reader_next(struct record_reader *r, struct str *record, bool *end, struct status *st)
{
    enum { FRAME = RECORD_HEAD_BYTES + RECORD_FOOT_BYTES };
    uint64_t len;
    *record = str_make(NULL, 0);
    *end = false;
    if (!fill(r, RECORD_HEAD_BYTES, st))
        return false;
    if (r->n == r->at) {
        *end = !r->z || inflater_between(r->z);
        return *end || lost(r, "truncated", st);
    }
    if (r->n - r->at < RECORD_HEAD_BYTES)
        return lost(r, "truncated", st);
    const char *head = r->buf + r->at;
    if (load32(head + 8) != crc32c_masked(head, 8))
        return lost(r, "corrupted", st);
    memcpy(&len, head, 8);
    if (len > INT64_MAX - FRAME)
        return lost(r, "truncated", st);
    size_t all = (size_t)len + FRAME;
    if (r->n - r->at < all) {
        if (all > r->cap && beyond_file(r, all))
            return lost(r, "truncated", st);
        if (!fill(r, all, st))
            return false;
        if (r->n - r->at < all)
            return lost(r, "truncated", st);
    }
    const char *data = r->buf + r->at + RECORD_HEAD_BYTES;
    if (load32(data + len) != crc32c_masked(data, (size_t)len))
        return lost(r, "corrupted", st);
    *record = str_make(data, (size_t)len);
    r->at += all;
    r->offset += all;
    return true;
}

bool record_reader_seek(struct record_reader *r, uint64_t offset, struct status *st)
{
    if (r->z || r->fd < 0)
        return status_unimplemented(st, "%s: only a plain file can be read from its middle",
                                    r->path);
    if (offset > INT64_MAX || lseek(r->fd, (off_t)offset, SEEK_SET) < 0)
        return status_invalid(st, "%s: there is no offset %llu", r->path,
                              (unsigned long long)offset);
    r->at = r->n = 0;
    r->offset = offset;
    return true;
}
