/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and messages. Made on the error path only: nothing here is fast or need be. */
#include "base/status.h"

#include <stdlib.h>

#include "base/mem.h"

bool status_vfail(struct status *s, int code, const char *fmt, va_list ap)
{
    ASSERT(code != STATUS_OK);
    if (!status_ok(s))
        return false;
    s->code = code != STATUS_OK ? code : STATUS_INTERNAL;
    mem_free(s->message);
    s->message = mem_vprintf(fmt, ap);
    return false;
}

bool status_fail(struct status *s, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    status_vfail(s, code, fmt, ap);
    va_end(ap);
    return false;
}

static void message_join(struct status *s, const char *before, const char *after)
{
    char *joined = mem_printf("%s%s", before, after);
    mem_free(s->message);
    s->message = joined;
}

void status_append(struct status *s, const char *fmt, ...)
{
    if (status_ok(s))
        return;
    va_list ap;
    va_start(ap, fmt);
    char *text = mem_vprintf(fmt, ap);
    va_end(ap);
    message_join(s, status_message(s), text);
    mem_free(text);
}

void status_prepend(struct status *s, const char *fmt, ...)
{
    if (status_ok(s))
        return;
    va_list ap;
    va_start(ap, fmt);
    char *text = mem_vprintf(fmt, ap);
    va_end(ap);
    message_join(s, text, status_message(s));
    mem_free(text);
}

const char *status_message(const struct status *s)
{
    return s->code != STATUS_OK && s->message ? s->message : "";
}

const char *status_code_name(int code)
{
    static const char *const names[] = {
        [STATUS_OK] = "OK",
        [STATUS_CANCELLED] = "CANCELLED",
        [STATUS_UNKNOWN] = "UNKNOWN",
        [STATUS_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
        [STATUS_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
        [STATUS_NOT_FOUND] = "NOT_FOUND",
        [STATUS_ALREADY_EXISTS] = "ALREADY_EXISTS",
        [STATUS_PERMISSION_DENIED] = "PERMISSION_DENIED",
        [STATUS_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
        [STATUS_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
        [STATUS_ABORTED] = "ABORTED",
        [STATUS_OUT_OF_RANGE] = "OUT_OF_RANGE",
        [STATUS_UNIMPLEMENTED] = "UNIMPLEMENTED",
        [STATUS_INTERNAL] = "INTERNAL",
        [STATUS_UNAVAILABLE] = "UNAVAILABLE",
        [STATUS_DATA_LOSS] = "DATA_LOSS",
        [STATUS_UNAUTHENTICATED] = "UNAUTHENTICATED",
    };
    bool known = code >= 0 && code < (int)ARRAY_LEN(names);
    return names[known ? code : STATUS_UNKNOWN];
}

void status_clear(struct status *s)
{
    mem_free(s->message);
    *s = (struct status){0};
}

void status_move(struct status *to, struct status *from)
{
    if (to == from)
        return;
    if (status_ok(to)) {
        mem_free(to->message);
        *to = *from;
        *from = (struct status){0};
    } else {
        status_clear(from);
    }
}

void status_copy(struct status *to, const struct status *from)
{
    if (to != from && !status_ok(from))
        status_fail(to, from->code, "%s", status_message(from));
}
