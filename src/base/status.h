/* SPDX-License-Identifier: Apache-2.0 */
/* How a function fails: it returns false and its last parameter holds a code and a message.
 *
 * The first error wins: a status that already holds an error keeps it. A zeroed struct is an OK
 * status; status_clear frees the message and makes it OK again. A status belongs to one thread. */
#ifndef LEAT_BASE_STATUS_H
#define LEAT_BASE_STATUS_H

#include <stdarg.h>

#include "base/base.h"

/* The numbers are TF_Code's, an ABI. */
enum status_code {
    STATUS_OK = 0,
    STATUS_CANCELLED = 1,
    STATUS_UNKNOWN = 2,
    STATUS_INVALID_ARGUMENT = 3,
    STATUS_DEADLINE_EXCEEDED = 4,
    STATUS_NOT_FOUND = 5,
    STATUS_ALREADY_EXISTS = 6,
    STATUS_PERMISSION_DENIED = 7,
    STATUS_RESOURCE_EXHAUSTED = 8,
    STATUS_FAILED_PRECONDITION = 9,
    STATUS_ABORTED = 10,
    STATUS_OUT_OF_RANGE = 11,
    STATUS_UNIMPLEMENTED = 12,
    STATUS_INTERNAL = 13,
    STATUS_UNAVAILABLE = 14,
    STATUS_DATA_LOSS = 15,
    STATUS_UNAUTHENTICATED = 16,
};

struct status {
    int code;      /* enum status_code */
    char *message; /* owned; NULL when OK */
};

static inline bool status_ok(const struct status *s)
{
    return s->code == STATUS_OK;
}

/* Always false, so that a caller writes `return status_fail(...)`. s must not be NULL. */
bool status_fail(struct status *s, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool status_vfail(struct status *s, int code, const char *fmt, va_list ap) PRINTF_LIKE(3, 0);

#define status_invalid(s, ...) status_fail(s, STATUS_INVALID_ARGUMENT, __VA_ARGS__)
#define status_unimplemented(s, ...) status_fail(s, STATUS_UNIMPLEMENTED, __VA_ARGS__)
#define status_internal(s, ...) status_fail(s, STATUS_INTERNAL, __VA_ARGS__)
#define status_not_found(s, ...) status_fail(s, STATUS_NOT_FOUND, __VA_ARGS__)
#define status_exhausted(s, ...) status_fail(s, STATUS_RESOURCE_EXHAUSTED, __VA_ARGS__)
#define status_precondition(s, ...) status_fail(s, STATUS_FAILED_PRECONDITION, __VA_ARGS__)

/* Puts text after (before) the message of a failed status; nothing when OK. */
void status_append(struct status *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void status_prepend(struct status *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "" when OK; borrowed until the status changes. */
const char *status_message(const struct status *s);
/* "INVALID_ARGUMENT" for 3, and so on; "UNKNOWN" for a number outside the list. */
const char *status_code_name(int code);

void status_clear(struct status *s);
/* *to takes what *from holds, if *to was OK; *from is OK after. */
void status_move(struct status *to, struct status *from);
void status_copy(struct status *to, const struct status *from);

#endif
