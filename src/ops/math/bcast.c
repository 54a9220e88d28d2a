/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasting: merging dims, walking rows, expanding short rows into a tile. */
#include "ops/math/bcast.h"

#include <string.h>

static bool fail_shapes(const struct shape *const *shapes, int num, struct status *st)
{
    struct strbuf text = {0};
    for (int i = 0; i < num; i++) {
        strbuf_puts(&text, i ? " vs. " : "");
        shape_print(shapes[i], &text);
    }
    status_invalid(st, "Incompatible shapes: %s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* Dim `axis`, counted from the end, of s; 1 where it has fewer. */
static int64_t dim_from_end(const struct shape *s, int axis)
{
    return axis < s->rank ? shape_dim(s, s->rank - 1 - axis) : 1;
}

/* The result's size along an axis and who is repeated there; false: they do not fit. */
static bool join_axis(const struct shape *const *shapes, int num, int axis, int64_t *size,
                      unsigned *repeated)
{
    *size = 1;
    for (int i = 0; i < num; i++) {
        int64_t d = dim_from_end(shapes[i], axis);
        if (d == 1)
            continue;
        if (*size != 1 && *size != d)
            return false;
        *size = d;
    }
    *repeated = 0;
    for (int i = 0; i < num; i++)
        *repeated |= dim_from_end(shapes[i], axis) == 1 ? 1u << i : 0;
    return true;
}

/* Dims were collected from the last to the first: turns them round and sets the strides. */
static void finish(struct bcast *b)
{
    for (int i = 0; i < b->rank / 2; i++) {
        int j = b->rank - 1 - i;
        int64_t d = b->dims[i];
        uint8_t r = b->repeated[i];
        b->dims[i] = b->dims[j];
        b->dims[j] = d;
        b->repeated[i] = b->repeated[j];
        b->repeated[j] = r;
    }
    for (int k = 0; k < b->num; k++) {
        int64_t step = 1;
        for (int i = b->rank - 1; i >= 0; i--) {
            bool repeated = b->repeated[i] >> k & 1;
            b->stride[k][i] = repeated ? 0 : step;
            step *= repeated ? 1 : b->dims[i];
        }
    }
}

bool bcast_make(struct bcast *b, const struct shape *const *shapes, int num, struct status *st)
{
    b->num = num;
    b->rank = 0;
    b->out_rank = 0;
    for (int i = 0; i < num; i++)
        b->out_rank = shapes[i]->rank > b->out_rank ? shapes[i]->rank : b->out_rank;
    bool empty = false, overflow = false;
    int64_t n = 1;
    for (int axis = 0; axis < b->out_rank; axis++) {
        int64_t size;
        unsigned repeated;
        if (!join_axis(shapes, num, axis, &size, &repeated))
            return fail_shapes(shapes, num, st);
        b->out_dims[b->out_rank - 1 - axis] = size;
        empty = empty || size == 0;
        if (!empty && !size_mul(n, size, &n))
            overflow = true;
        if (size == 1)
            continue;
        if (b->rank > 0 && b->repeated[b->rank - 1] == repeated && !overflow && !empty) {
            b->dims[b->rank - 1] *= size;
        } else {
            b->dims[b->rank] = size;
            b->repeated[b->rank++] = (uint8_t)repeated;
        }
    }
    b->num_elems = empty ? 0 : n;
    if (overflow && !empty)
        return status_invalid(st, "The broadcast shape has too many elements");
    if (empty || b->rank == 0) {
        b->dims[0] = b->num_elems;
        b->repeated[0] = 0;
        b->rank = 1;
    }
    finish(b);
    return true;
}

void bcast_seek(const struct bcast *b, struct bcast_at *at, int64_t elem)
{
    for (int k = 0; k < b->num; k++)
        at->offset[k] = 0;
    for (int i = b->rank - 1; i >= 0; i--) {
        at->index[i] = i > 0 ? elem % b->dims[i] : elem;
        elem = i > 0 ? elem / b->dims[i] : 0;
        for (int k = 0; k < b->num; k++)
            at->offset[k] += at->index[i] * b->stride[k][i];
    }
}

void bcast_next_row(const struct bcast *b, struct bcast_at *at)
{
    int last = b->rank - 1;
    for (int k = 0; k < b->num; k++)
        at->offset[k] -= at->index[last] * b->stride[k][last];
    at->index[last] = 0;
    for (int i = last - 1; i >= 0; i--) {
        for (int k = 0; k < b->num; k++)
            at->offset[k] += b->stride[k][i];
        if (++at->index[i] < b->dims[i])
            return;
        for (int k = 0; k < b->num; k++)
            at->offset[k] -= at->index[i] * b->stride[k][i];
        at->index[i] = 0;
    }
}

/* One row, or a part of one: n elements, all the same or contiguous. */
#define EXPAND_ROWS(name, type)                                                                    \
    static void name(const struct bcast *b, int k, const void *src, int64_t begin, int64_t n,      \
                     void *dst)                                                                    \
    {                                                                                              \
        const type *from = src;                                                                    \
        type *to = dst;                                                                            \
        struct bcast_at at;                                                                        \
        bcast_seek(b, &at, begin);                                                                 \
        int64_t step = b->stride[k][b->rank - 1];                                                  \
        while (n > 0) {                                                                            \
            int64_t len = min_i64(bcast_row_left(b, &at), n);                                      \
            const type *row = from + at.offset[k];                                                 \
            for (int64_t i = 0; i < len; i++)                                                      \
                to[i] = row[i * step];                                                             \
            to += len;                                                                             \
            n -= len;                                                                              \
            bcast_next_row(b, &at);                                                                \
        }                                                                                          \
    }
EXPAND_ROWS(expand_1, uint8_t)
EXPAND_ROWS(expand_2, uint16_t)
EXPAND_ROWS(expand_4, uint32_t)
EXPAND_ROWS(expand_8, uint64_t)
EXPAND_ROWS(expand_16, struct c128)
EXPAND_ROWS(expand_24, struct tstr)
#undef EXPAND_ROWS

void bcast_expand(const struct bcast *b, int i, const void *src, size_t bytes, int64_t begin,
                  int64_t n, void *dst)
{
    switch (bytes) {
    case 1:
        expand_1(b, i, src, begin, n, dst);
        return;
    case 2:
        expand_2(b, i, src, begin, n, dst);
        return;
    case 4:
        expand_4(b, i, src, begin, n, dst);
        return;
    case 8:
        expand_8(b, i, src, begin, n, dst);
        return;
    case 16:
        expand_16(b, i, src, begin, n, dst);
        return;
    default:
        ASSERT(bytes == sizeof(struct tstr));
        expand_24(b, i, src, begin, n, dst);
    }
}
