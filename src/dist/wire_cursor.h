/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a message of many pieces, and the end up to which it may be read. A copy of a cursor
 * remembers a place. Nothing is read past the end; what is cut short or is no field is false. */
#ifndef LEAT_DIST_WIRE_CURSOR_H
#define LEAT_DIST_WIRE_CURSOR_H

#include "dist/rpc.h"

struct cursor {
    const struct rpc_piece *piece; /* of the message, which outlives the cursor */
    size_t at;                     /* in the piece */
    uint64_t left;
};

static inline struct cursor cursor_of(const struct rpc_msg *m)
{
    return (struct cursor){.piece = m->v, .left = m->bytes};
}

/* The next bytes that lie together: at most n, 0 at the end. */
static inline size_t cursor_run(struct cursor *c, uint64_t n, const uint8_t **p)
{
    if (n > c->left)
        n = c->left;
    if (n == 0)
        return 0;
    while (c->at == c->piece->n) {
        c->piece++;
        c->at = 0;
    }
    size_t here = c->piece->n - c->at;
    if (here > n)
        here = (size_t)n;
    *p = c->piece->p + c->at;
    c->at += here;
    c->left -= here;
    return here;
}

/* n bytes to `to` (NULL: skipped). */
MUST_CHECK static inline bool cursor_read(struct cursor *c, void *to, uint64_t n)
{
    if (n > c->left)
        return false;
    const uint8_t *p = NULL;
    char *out = to;
    while (n > 0) {
        size_t run = cursor_run(c, n, &p);
        if (out) {
            memcpy(out, p, run);
            out += run;
        }
        n -= run;
    }
    return true;
}

MUST_CHECK static inline bool cursor_varint(struct cursor *c, uint64_t *out)
{
    uint64_t v = 0;
    const uint8_t *p;
    for (int shift = 0; shift < 70 && cursor_run(c, 1, &p) == 1; shift += 7) {
        if (shift < 64)
            v |= (uint64_t)(*p & 0x7f) << shift;
        if (*p < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* A field's number and wire type; for bytes (type 2) *inside is what it holds, which c then has
 * passed, as it has the value of any other type. Groups are refused. */
struct wire_field {
    uint64_t number;
    int type;
    uint64_t value; /* of type 0 */
    struct cursor inside;
};
MUST_CHECK static inline bool cursor_field(struct cursor *c, struct wire_field *f)
{
    uint64_t tag, n;
    if (!cursor_varint(c, &tag) || tag >> 3 == 0 || tag >> 32 != 0)
        return false;
    f->number = tag >> 3;
    f->type = (int)(tag & 7);
    switch (f->type) {
    case 0:
        return cursor_varint(c, &f->value);
    case 1:
        return cursor_read(c, NULL, 8);
    case 2:
        if (!cursor_varint(c, &n) || n > c->left)
            return false;
        f->inside = *c;
        f->inside.left = n;
        return cursor_read(c, NULL, n);
    case 5:
        return cursor_read(c, NULL, 4);
    default:
        return false;
    }
}

#endif
