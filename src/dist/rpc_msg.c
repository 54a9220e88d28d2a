/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as lists of pieces. */
#include "dist/rpc.h"

enum { CUT_BYTES = 1 << 20 };

static struct rpc_piece *msg_add(struct rpc_msg *m, const void *p, size_t n)
{
    m->v = vec_reserve(m->v, &m->cap, m->n + 1, sizeof *m->v);
    m->v[m->n] = (struct rpc_piece){.p = p, .n = n};
    m->bytes += n;
    return &m->v[m->n++];
}

static void taken_release(void *owner)
{
    mem_free(owner);
}

static void buffer_release(void *owner)
{
    buffer_unref(owner);
}

void rpc_msg_add_taken(struct rpc_msg *m, void *p, size_t n)
{
    if (n == 0) {
        mem_free(p);
        return;
    }
    struct rpc_piece *piece = msg_add(m, p, n);
    piece->owner = p;
    piece->release = taken_release;
}

void rpc_msg_add_copy(struct rpc_msg *m, const void *p, size_t n)
{
    if (n == 0)
        return;
    void *copy = mem_alloc(n);
    memcpy(copy, p, n);
    rpc_msg_add_taken(m, copy, n);
}

void rpc_msg_add_buffer(struct rpc_msg *m, struct buffer *b, const void *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t cut = n - at;
        if (cut > CUT_BYTES + CUT_BYTES / 2)
            cut = CUT_BYTES;
        struct rpc_piece *piece = msg_add(m, (const uint8_t *)p + at, cut);
        piece->owner = buffer_ref(b);
        piece->release = buffer_release;
        at += cut;
    }
}

void rpc_msg_add_strbuf(struct rpc_msg *m, struct strbuf *b)
{
    size_t n = b->n;
    rpc_msg_add_taken(m, strbuf_take(b), n);
}

void rpc_msg_append(struct rpc_msg *m, struct rpc_msg *more)
{
    if (m->n == 0) {
        mem_free(m->v);
        *m = *more;
        *more = (struct rpc_msg){0};
        return;
    }
    if (more->n > 0) {
        m->v = vec_reserve(m->v, &m->cap, m->n + more->n, sizeof *m->v);
        memcpy(m->v + m->n, more->v, (size_t)more->n * sizeof *m->v);
        m->n += more->n;
        m->bytes += more->bytes;
    }
    mem_free(more->v);
    *more = (struct rpc_msg){0};
}

void rpc_msg_clear(struct rpc_msg *m)
{
    for (int64_t i = 0; i < m->n; i++)
        if (m->v[i].release)
            m->v[i].release(m->v[i].owner);
    mem_free(m->v);
    *m = (struct rpc_msg){0};
}

struct str rpc_msg_flat(const struct rpc_msg *m, struct arena *a)
{
    if (m->n == 0)
        return str_make("", 0);
    if (m->n == 1)
        return str_make((const char *)m->v[0].p, m->v[0].n);
    char *all = arena_alloc(a, m->bytes);
    size_t at = 0;
    for (int64_t i = 0; i < m->n; i++) {
        memcpy(all + at, m->v[i].p, m->v[i].n);
        at += m->v[i].n;
    }
    return str_make(all, at);
}
