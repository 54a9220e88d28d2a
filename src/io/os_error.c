/* SPDX-License-Identifier: Apache-2.0 */
/* Codes for errno. */
#include "io/os_error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"

static int code_of(int error)
{
    switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ESRCH:
        return STATUS_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return STATUS_PERMISSION_DENIED;
    case EEXIST:
        return STATUS_ALREADY_EXISTS;
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY:
    case EBADF:
    case EBUSY:
    case ETXTBSY:
        return STATUS_FAILED_PRECONDITION;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EMLINK:
        return STATUS_RESOURCE_EXHAUSTED;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE:
        return STATUS_OUT_OF_RANGE;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
        return STATUS_INVALID_ARGUMENT;
    case EIO:
        return STATUS_DATA_LOSS;
    default:
        return STATUS_UNKNOWN;
    }
}

bool os_error(const char *path, int error, struct status *st)
{
    return status_fail(st, code_of(error), "%s; %s", path, strerror(error));
}

bool os_fail(struct status *st, int error, const char *what_fmt, ...)
{
    va_list ap;
    va_start(ap, what_fmt);
    char *what = mem_vprintf(what_fmt, ap);
    va_end(ap);
    os_error(what, error, st);
    mem_free(what);
    return false;
}
