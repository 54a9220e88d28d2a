/* SPDX-License-Identifier: Apache-2.0 */
/* Small files, read whole with read(2): stdio's buffers are larger than they are. */
#include "base/sysfile.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"

enum { FILE_MAX_BYTES = 16384 };

struct strbuf sysfile_read(const char *path_fmt, ...)
{
    va_list ap;
    va_start(ap, path_fmt);
    char *path = mem_vprintf(path_fmt, ap);
    va_end(ap);
    struct strbuf b = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    mem_free(path);
    if (fd < 0)
        return b;
    char chunk[1024];
    ssize_t n;
    while (b.n < FILE_MAX_BYTES && (n = read(fd, chunk, sizeof chunk)) > 0)
        strbuf_add(&b, chunk, (size_t)n);
    close(fd);
    return b;
}
