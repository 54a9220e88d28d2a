/* SPDX-License-Identifier: Apache-2.0 */
/* Reading at places, by pread. */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/os_error.h"

bool input_open(struct input *in, const char *path, struct status *st)
{
    struct stat about;
    *in = (struct input){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return os_fail(st, errno, "%s", path);
    int error = fstat(fd, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (error) {
        close(fd);
        return os_fail(st, error, "%s", path);
    }
    *in = (struct input){.name = mem_strdup(path), .fd = fd, .open = true, .size = about.st_size};
    return true;
}

void input_memory(struct input *in, const void *bytes, size_t n, const char *name)
{
    static const uint8_t none[1];
    *in = (struct input){.name = mem_strdup(name),
                         .fd = -1,
                         .open = true,
                         .bytes = bytes ? bytes : none,
                         .size = (int64_t)n};
}

static bool cut_short(const struct input *in, int64_t at, int64_t n, const char *what,
                      struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS,
                       "%s: %s should be %lld bytes at offset %lld, but the file ends at %lld",
                       in->name, what, (long long)n, (long long)at, (long long)in->size);
}

bool input_read(const struct input *in, int64_t at, void *to, int64_t n, const char *what,
                struct status *st)
{
    if (at < 0 || n < 0 || at > in->size || n > in->size - at)
        return cut_short(in, at, n, what, st);
    if (in->bytes) {
        if (n > 0)
            memcpy(to, in->bytes + at, (size_t)n);
        return true;
    }
    for (int64_t done = 0; done < n;) {
        ssize_t got = pread(in->fd, (char *)to + done, (size_t)(n - done), at + done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return os_fail(st, errno, "%s: %s at offset %lld", in->name, what,
                           (long long)(at + done));
        if (got == 0) { /* it was longer when it was opened */
            struct input now = *in;
            now.size = at + done;
            return cut_short(&now, at, n, what, st);
        }
        done += got;
    }
    return true;
}

void input_close(struct input *in)
{
    if (in->open && in->fd >= 0)
        close(in->fd);
    mem_free(in->name);
    *in = (struct input){0};
}
