/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON piece by piece, as the caller asks for them; nothing is built.
 *
 *     struct json j;
 *     bool more;
 *     json_init(&j, str_of(text));
 *     bool ok = json_open(&j, '{', st);
 *     while (ok && (ok = json_next_key(&j, &more, st)) && more)
 *         ok = str_is(json_text(&j), "name") ? json_string(&j, st) : json_skip(&j, st);
 *     ok = ok && json_end(&j, st);
 *     json_release(&j);
 *
 * JSON as RFC 8259 has it, a byte order mark apart; nesting up to JSON_MAX_DEPTH. Errors are
 * INVALID_ARGUMENT with the byte at which reading stopped. Bytes above 127 pass as they are. */
#ifndef LEAT_BASE_JSON_H
#define LEAT_BASE_JSON_H

#include "base/status.h"
#include "base/str.h"

enum { JSON_MAX_DEPTH = 64 };

struct json {
    const char *begin, *p, *end;
    int depth;
    bool first;         /* nothing was read yet of the innermost object or list */
    struct strbuf text; /* the last key or string */
};

void json_init(struct json *j, struct str text); /* text is borrowed until json_release */
void json_release(struct json *j);

/* How the next value begins: '{', '[', '"', 't', 'f', 'n', '-' or a digit; 0 at the end. */
char json_peek(struct json *j);
MUST_CHECK bool json_open(struct json *j, char brace, struct status *st); /* '{' or '[' */
/* The next key of the object; *more false, and the object closed, at its end. */
MUST_CHECK bool json_next_key(struct json *j, bool *more, struct status *st);
/* The same for a list: *more: a value follows. */
MUST_CHECK bool json_next_item(struct json *j, bool *more, struct status *st);
struct str json_text(const struct json *j);                     /* borrowed until the next call */
MUST_CHECK bool json_string(struct json *j, struct status *st); /* into json_text */
MUST_CHECK bool json_int(struct json *j, int64_t *out, struct status *st);
MUST_CHECK bool json_bool(struct json *j, bool *out, struct status *st);
MUST_CHECK bool json_skip(struct json *j, struct status *st); /* any value */
/* Nothing but blanks is left. */
MUST_CHECK bool json_end(struct json *j, struct status *st);

#endif
