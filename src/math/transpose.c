/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations: reduced to the shortest equivalent one, then either runs copied whole (the last
 * axis stays) or planes transposed in tiles (it does not). Every other axis is an outer loop. */
#include "math/transpose.h"

#include "math/simd/transpose_simd.h"

#define ODO_MAX MATH_TRANSPOSE_MAX_RANK

/* The joined problem: y axis i has size[i] elements, x_step[i] bytes apart in x. */
struct joined {
    int rank;
    int64_t size[ODO_MAX], x_step[ODO_MAX];
};

/* Axes next to each other in both, and axes of one element, disappear. */
static struct joined join(const struct math_transpose *t)
{
    struct joined j;
    int64_t step[ODO_MAX], n = (int64_t)t->item;
    for (int i = t->rank - 1; i >= 0; i--) {
        step[i] = n;
        n *= t->dims[i];
    }
    j.rank = 0;
    for (int i = 0; i < t->rank; i++) {
        const int64_t size = t->dims[t->perm[i]], x_step = step[t->perm[i]];
        if (size == 1)
            continue;
        const int last = j.rank - 1;
        if (j.rank > 0 && j.x_step[last] == x_step * size) {
            j.size[last] *= size;
            j.x_step[last] = x_step;
        } else {
            j.size[j.rank] = size;
            j.x_step[j.rank++] = x_step;
        }
    }
    return j;
}

/* The loop over what is not done at once: axes in y's order without those left out. */
struct outer {
    int num;
    int64_t size[ODO_MAX], x_step[ODO_MAX], y_step[ODO_MAX];
    size_t item;
    int64_t run;        /* elements copied whole; 0: planes */
    int64_t rows, cols; /* a plane of x: rows `x_row` bytes apart, cols next to each other */
    int64_t x_row, y_row;
    int64_t row_blocks, row_block;
    bool conj;
    const char *x;
    char *y;
};

static void outer_offsets(const struct outer *o, int64_t index, int64_t *x, int64_t *y)
{
    *x = *y = 0;
    for (int i = o->num - 1; i >= 0; i--) {
        const int64_t at = index % o->size[i];
        index /= o->size[i];
        *x += at * o->x_step[i];
        *y += at * o->y_step[i];
    }
}

static void conj_in_place(size_t item, char *y, int64_t n)
{
    if (item == 8) {
        for (int64_t i = 0; i < n; i++)
            ((float *)(void *)y)[2 * i + 1] = -((float *)(void *)y)[2 * i + 1];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((double *)(void *)y)[2 * i + 1] = -((double *)(void *)y)[2 * i + 1];
    }
}

static void outer_runs(void *arg, int64_t begin, int64_t end)
{
    const struct outer *o = arg;
    const size_t bytes = (size_t)o->run * o->item;
    for (int64_t i = begin; i < end; i++) {
        int64_t x, y;
        outer_offsets(o, i, &x, &y);
        memcpy(o->y + y, o->x + x, bytes);
        if (o->conj)
            conj_in_place(o->item, o->y + y, o->run);
    }
}

static void outer_planes(void *arg, int64_t begin, int64_t end)
{
    const struct outer *o = arg;
    for (int64_t i = begin; i < end; i++) {
        int64_t x, y;
        outer_offsets(o, i / o->row_blocks, &x, &y);
        const int64_t r0 = i % o->row_blocks * o->row_block;
        const int64_t rows = min_i64(o->row_block, o->rows - r0);
        const struct plane p = {o->x + x + r0 * o->x_row,
                                o->y + y + r0 * (int64_t)o->item,
                                o->x_row,
                                o->y_row,
                                rows,
                                o->cols};
        SIMD_CALL(transpose_plane)(o->item, &p);
        for (int64_t c = 0; o->conj && c < o->cols; c++)
            conj_in_place(o->item, p.y + c * p.y_row, rows);
    }
}

/* Which axis of y is x's fastest: it and y's last make the plane. */
static int joined_fastest(const struct joined *j)
{
    int best = 0;
    for (int i = 1; i < j->rank; i++)
        if (j->x_step[i] < j->x_step[best])
            best = i;
    return best;
}

void math_transpose(struct pool *pool, const struct math_transpose *t)
{
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i] == 0)
            return;
    const struct joined j = join(t);
    struct outer o = {.item = t->item, .conj = t->conj, .x = t->x, .y = t->y};
    int64_t y_step[ODO_MAX], n = (int64_t)t->item;
    for (int i = j.rank - 1; i >= 0; i--) {
        y_step[i] = n;
        n *= j.size[i];
    }
    const int last = j.rank - 1, fast = j.rank > 0 ? joined_fastest(&j) : -1;
    int64_t total = 1;
    for (int i = 0; i < j.rank; i++) {
        if (i == last || i == fast)
            continue;
        o.size[o.num] = j.size[i];
        o.x_step[o.num] = j.x_step[i];
        o.y_step[o.num++] = y_step[i];
        total *= j.size[i];
    }
    const double ns_per_byte = 0.15;
    if (fast == last) { /* rank 0 and 1 too */
        o.run = j.rank > 0 ? j.size[last] : 1;
        const double cost = 4.0 * j.rank + ns_per_byte * (double)o.run * (double)t->item;
        pool_loop(pool, total, pool_grain(total, cost), cost, outer_runs, &o);
        return;
    }
    o.rows = j.size[last];
    o.x_row = j.x_step[last];
    o.cols = j.size[fast];
    o.y_row = y_step[fast];
    o.row_block = max_i64(64, (262144 / max_i64(o.cols, 1) + 63) / 64 * 64);
    o.row_blocks = (o.rows + o.row_block - 1) / o.row_block;
    const int64_t pieces = total * o.row_blocks;
    const double cost = 10 + 2 * ns_per_byte * (double)min_i64(o.row_block, o.rows) *
                                 (double)o.cols * (double)t->item;
    pool_loop(pool, pieces, pool_grain(pieces, cost), cost, outer_planes, &o);
}

void math_transpose_2d(struct pool *pool, size_t item, const void *x, void *y, int64_t rows,
                       int64_t cols)
{
    const int64_t dims[2] = {rows, cols};
    const int perm[2] = {1, 0};
    const struct math_transpose t = {
        .item = item, .x = x, .y = y, .rank = 2, .dims = dims, .perm = perm};
    math_transpose(pool, &t);
}
