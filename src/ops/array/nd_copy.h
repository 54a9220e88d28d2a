/* SPDX-License-Identifier: Apache-2.0 */
/* Copying a block of elements between two arrays that step through memory in their own ways: what
 * slicing, padding, joining, tiling, broadcasting and reversing have in common.
 *
 * A caller describes the block axis by axis, outermost first; each axis has a length and a step in
 * both arrays, in elements. A source step of zero repeats, a negative one walks backwards. Axes
 * that run on in both arrays are joined as they are added, so the copy sees as few and as long runs
 * as there are. Every type is served; types that own memory are copied one by one. */
#ifndef LEAT_OPS_ARRAY_ND_COPY_H
#define LEAT_OPS_ARRAY_ND_COPY_H

#include "op/kernel.h"

/* Tile splits each axis in two. */
enum { ND_MAX_AXES = 2 * SHAPE_MAX_RANK };

struct nd_copy { /* on the stack of a kernel; not cleared, nd_begin sets what counts */
    int dtype;
    const char *src; /* first element read */
    char *dst;       /* first element written */
    size_t item;     /* bytes of an element */
    int num_axes;
    bool empty; /* some axis has length 0 */
    int64_t n[ND_MAX_AXES], src_step[ND_MAX_AXES], dst_step[ND_MAX_AXES];
};

static inline void nd_begin(struct nd_copy *c, int dtype, const void *src, void *dst)
{
    c->dtype = dtype;
    c->src = src;
    c->dst = dst;
    c->item = dtype_size(dtype);
    c->num_axes = 0;
    c->empty = false;
}

static inline void nd_axis_add(struct nd_copy *c, int64_t n, int64_t src_step, int64_t dst_step)
{
    c->n[c->num_axes] = n;
    c->src_step[c->num_axes] = src_step;
    c->dst_step[c->num_axes] = dst_step;
    c->num_axes++;
}

static inline void nd_axis(struct nd_copy *c, int64_t n, int64_t src_step, int64_t dst_step)
{
    if (n == 1)
        return;
    if (n == 0)
        c->empty = true;
    int last = c->num_axes - 1;
    if (last >= 0 && c->src_step[last] == n * src_step && c->dst_step[last] == n * dst_step) {
        c->n[last] *= n;
        c->src_step[last] = src_step;
        c->dst_step[last] = dst_step;
        return;
    }
    nd_axis_add(c, n, src_step, dst_step);
}

/* Copies, once: c is used up. Source and destination do not overlap. False only where memory for
 * strings is out. */
MUST_CHECK bool nd_run(struct kctx *k, struct nd_copy *c, struct status *st);

/* Blocks of equally many rows, each row a run of bytes: the pieces of a split or of a joined array,
 * copied in one loop that the pool may share. Plain bytes alone: nothing that owns memory. */
struct nd_strip {
    const char *src;
    char *dst;
    int64_t src_row, dst_row, run; /* bytes */
};
enum { ND_STRIPS = 16 };
/* Whether that is worth it: long runs, and more than a little in all. */
bool nd_strips_suit(int dtype, int num, int64_t rows, int64_t bytes);
void nd_strips_run(struct kctx *k, const struct nd_strip *strips, int num, int64_t rows);

/* Row-major steps of shape's axes, in elements; room for rank. The shape has elements. */
void nd_steps(const struct shape *shape, int64_t *steps);

#endif
