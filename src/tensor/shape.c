/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: making, comparing, counting, printing. Any thread; a dims_block never changes once made.
 */
#include "tensor/shape.h"

#include <inttypes.h>

#include "base/mem.h"

/* Room for the dims of s, whose rank is set. */
static int64_t *dims_room(struct shape *s)
{
    if (s->rank <= SHAPE_INLINE_DIMS)
        return s->in;
    s->out = mem_alloc(sizeof(struct dims_block) + sizeof(int64_t) * (size_t)s->rank);
    s->out->refs = 1;
    return s->out->dims;
}

struct shape shape_make(const int64_t *dims, int rank)
{
    ASSERT(rank >= RANK_UNKNOWN && rank <= SHAPE_MAX_RANK);
    struct shape s = {.rank = rank};
    int64_t *to = dims_room(&s);
    for (int i = 0; i < rank; i++)
        to[i] = dims[i];
    return s;
}

struct shape shape_unknown(void)
{
    return (struct shape){.rank = RANK_UNKNOWN};
}

struct shape shape_of_rank(int rank)
{
    ASSERT(rank >= RANK_UNKNOWN && rank <= SHAPE_MAX_RANK);
    struct shape s = {.rank = rank};
    int64_t *to = dims_room(&s);
    for (int i = 0; i < rank; i++)
        to[i] = DIM_UNKNOWN;
    return s;
}

struct shape shape_copy_slow(const struct shape *s)
{
    __atomic_fetch_add(&s->out->refs, 1, __ATOMIC_RELAXED);
    return *s;
}

void shape_clear_slow(struct shape *s)
{
    if (__atomic_sub_fetch(&s->out->refs, 1, __ATOMIC_ACQ_REL) == 0)
        mem_free(s->out);
    s->out = NULL;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    if (a->rank != b->rank)
        return false;
    const int64_t *x = shape_dims(a), *y = shape_dims(b);
    for (int i = 0; i < a->rank; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

bool shape_compatible(const struct shape *a, const struct shape *b)
{
    if (a->rank < 0 || b->rank < 0)
        return true;
    if (a->rank != b->rank)
        return false;
    const int64_t *x = shape_dims(a), *y = shape_dims(b);
    for (int i = 0; i < a->rank; i++)
        if (x[i] >= 0 && y[i] >= 0 && x[i] != y[i])
            return false;
    return true;
}

bool shape_known(const struct shape *s)
{
    if (s->rank < 0)
        return false;
    const int64_t *d = shape_dims(s);
    for (int i = 0; i < s->rank; i++)
        if (d[i] < 0)
            return false;
    return true;
}

static bool fail_with(const struct shape *s, const char *what, struct status *st)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "Shape %s %s", strbuf_text(&text), what);
    strbuf_release(&text);
    return false;
}

bool shape_num_elems(const struct shape *s, int64_t *out, struct status *st)
{
    if (s->rank < 0)
        return fail_with(s, "is not fully known", st);
    const int64_t *d = shape_dims(s);
    int64_t n = 1;
    bool fits = true, empty = false;
    for (int i = 0; i < s->rank; i++) {
        if (UNLIKELY(d[i] < 0))
            return fail_with(s, d[i] == DIM_UNKNOWN ? "is not fully known" : "has a negative size",
                             st);
        empty |= d[i] == 0;
        fits = fits && size_mul(n, d[i], &n);
    }
    if (UNLIKELY(!fits && !empty))
        return fail_with(s, "has more than 2^63 - 1 elements", st);
    *out = empty ? 0 : n;
    return true;
}

void shape_print(const struct shape *s, struct strbuf *out)
{
    if (s->rank < 0) {
        strbuf_puts(out, "<unknown>");
        return;
    }
    strbuf_putc(out, '[');
    for (int i = 0; i < s->rank; i++) {
        int64_t d = shape_dim(s, i);
        if (i > 0)
            strbuf_putc(out, ',');
        if (d == DIM_UNKNOWN)
            strbuf_putc(out, '?');
        else
            strbuf_printf(out, "%" PRId64, d);
    }
    strbuf_putc(out, ']');
}
