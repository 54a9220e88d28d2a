/* SPDX-License-Identifier: Apache-2.0 */
/* The strided copy behind the array ops: planes of two axes in a tight loop per element size, the
 * other axes around them as an odometer. Long copies are split among the pool by rows. */
#include "ops/array/nd_copy.h"

#include <string.h>

struct e16 {
    uint64_t a, b;
};

struct plane { /* steps in elements */
    int64_t rows, n;
    int64_t src_row, dst_row, src_step, dst_step;
};
typedef void (*plane_fn)(char *dst, const char *src, const struct plane *p);

/* Rows that repeat one element, run backwards, run on, or step. The blocks of constant length are
 * for the vectoriser, which leaves loops of unknown length alone at -O2. */
#define PLANE_FN(name, type)                                                                       \
    static void name(char *dst, const char *src, const struct plane *p)                            \
    {                                                                                              \
        enum { BLOCK = 128 / sizeof(type) };                                                       \
        int64_t n = p->n, from = p->src_step, to = p->dst_step;                                    \
        for (int64_t r = 0; r < p->rows; r++) {                                                    \
            type *restrict d = (type *)dst + r * p->dst_row;                                       \
            const type *restrict s = (const type *)src + r * p->src_row;                           \
            int64_t i = 0;                                                                         \
            if (from == 1 && to == 1) {                                                            \
                for (; i < n; i++)                                                                 \
                    d[i] = s[i];                                                                   \
            } else if (to != 1) {                                                                  \
                for (; i < n; i++)                                                                 \
                    d[i * to] = s[i * from];                                                       \
            } else if (from == 0) {                                                                \
                type v = s[0];                                                                     \
                for (; i + BLOCK <= n; i += BLOCK)                                                 \
                    for (int64_t k = 0; k < BLOCK; k++)                                            \
                        d[i + k] = v;                                                              \
            } else if (from == -1) {                                                               \
                for (; i + BLOCK <= n; i += BLOCK)                                                 \
                    for (int64_t k = 0; k < BLOCK; k++)                                            \
                        d[i + k] = s[-i - k];                                                      \
            }                                                                                      \
            for (; i < n; i++)                                                                     \
                d[i * to] = s[i * from];                                                           \
        }                                                                                          \
    }
PLANE_FN(plane_1, uint8_t)
PLANE_FN(plane_2, uint16_t)
PLANE_FN(plane_4, uint32_t)
PLANE_FN(plane_8, uint64_t)
PLANE_FN(plane_16, struct e16)
#undef PLANE_FN

/* Rows that run on in both arrays. */
static void plane_runs(char *dst, const char *src, const struct plane *p, size_t item)
{
    for (int64_t r = 0; r < p->rows; r++)
        memcpy(dst + r * p->dst_row * (int64_t)item, src + r * p->src_row * (int64_t)item,
               (size_t)p->n * item);
}

static plane_fn plane_of(size_t item)
{
    switch (item) {
    case 1:
        return plane_1;
    case 2:
        return plane_2;
    case 4:
        return plane_4;
    case 8:
        return plane_8;
    default:
        ASSERT(item == 16);
        return plane_16;
    }
}

static bool plane_managed(int dtype, char *dst, const char *src, const struct plane *p)
{
    int64_t item = (int64_t)dtype_size(dtype);
    bool runs = p->src_step == 1 && p->dst_step == 1;
    int64_t len = runs ? p->n : 1, times = runs ? 1 : p->n;
    for (int64_t r = 0; r < p->rows; r++) {
        for (int64_t i = 0; i < times; i++) {
            if (!elems_copy(dtype, dst + (r * p->dst_row + i * p->dst_step) * item,
                            src + (r * p->src_row + i * p->src_step) * item, len))
                return false;
        }
    }
    return true;
}

struct job {
    const struct nd_copy *c;
    plane_fn fn; /* NULL: managed elements */
    bool long_runs;
    bool failed;
};

static void copy_plane(struct job *j, char *dst, const char *src, const struct plane *p)
{
    if (j->long_runs)
        plane_runs(dst, src, p, j->c->item);
    else if (LIKELY(j->fn != NULL))
        j->fn(dst, src, p);
    else if (!plane_managed(j->c->dtype, dst, src, p))
        j->failed = true;
}

/* Rows [begin, end) of the block, a row being a run of the last axis. */
static void copy_rows(void *arg, int64_t begin, int64_t end)
{
    struct job *j = arg;
    const struct nd_copy *c = j->c;
    int last = c->num_axes - 1, outer = last - 1; /* axes [0, outer) turn the odometer */
    int64_t item = (int64_t)c->item, at[ND_MAX_AXES];
    int64_t src = 0, dst = 0, left = begin, plane_rows = c->n[outer];
    struct plane p = {.n = c->n[last],
                      .src_row = c->src_step[outer],
                      .dst_row = c->dst_step[outer],
                      .src_step = c->src_step[last],
                      .dst_step = c->dst_step[last]};
    int64_t row = left % plane_rows;
    left /= plane_rows;
    for (int i = outer - 1; i >= 0; i--) {
        at[i] = left % c->n[i];
        left /= c->n[i];
        src += at[i] * c->src_step[i];
        dst += at[i] * c->dst_step[i];
    }
    for (;;) {
        p.rows = min_i64(plane_rows - row, end - begin);
        copy_plane(j, c->dst + (dst + row * p.dst_row) * item,
                   c->src + (src + row * p.src_row) * item, &p);
        begin += p.rows;
        row = 0;
        if (begin >= end)
            return;
        for (int i = outer - 1; i >= 0; i--) {
            src += c->src_step[i];
            dst += c->dst_step[i];
            if (++at[i] < c->n[i])
                break;
            src -= c->n[i] * c->src_step[i];
            dst -= c->n[i] * c->dst_step[i];
            at[i] = 0;
        }
    }
}

/* Elements [begin, end) of a block of one axis. */
static void copy_piece(void *arg, int64_t begin, int64_t end)
{
    struct job *j = arg;
    const struct nd_copy *c = j->c;
    int64_t item = (int64_t)c->item;
    struct plane p = {
        .rows = 1, .n = end - begin, .src_step = c->src_step[0], .dst_step = c->dst_step[0]};
    copy_plane(j, c->dst + begin * p.dst_step * item, c->src + begin * p.src_step * item, &p);
}

/* Short runs become elements of twice the size as long as everything stays even and aligned. */
static void widen(struct nd_copy *c)
{
    int last = c->num_axes - 1;
    while (c->item < 16 && c->src_step[last] == 1 && c->dst_step[last] == 1 &&
           c->n[last] % 2 == 0) {
        uintptr_t odd = ((uintptr_t)c->src | (uintptr_t)c->dst) & (2 * c->item - 1) & 7;
        for (int i = 0; i < last; i++)
            odd |= (uintptr_t)((c->src_step[i] | c->dst_step[i]) & 1);
        if (odd)
            return;
        c->item *= 2;
        c->n[last] /= 2;
        for (int i = 0; i < last; i++) {
            c->src_step[i] /= 2;
            c->dst_step[i] /= 2;
        }
    }
    if (c->n[last] == 1 && last > 0)
        c->num_axes--;
}

bool nd_run(struct kctx *k, struct nd_copy *c, struct status *st)
{
    enum { ONE_PIECE = 1 << 15, LONG_RUN = 128 }; /* bytes */
    if (c->empty)
        return true;
    bool managed = dtype_is_managed(c->dtype);
    if (c->num_axes == 0) /* one element */
        nd_axis_add(c, 1, 1, 1);
    int last = c->num_axes - 1;
    bool runs = c->src_step[last] == 1 && c->dst_step[last] == 1 && !managed;
    bool long_runs = runs && c->n[last] * (int64_t)c->item >= LONG_RUN;
    if (runs && !long_runs)
        widen(c);
    last = c->num_axes - 1;
    int64_t rows = 1, n = c->n[last];
    for (int i = 0; i < last; i++)
        rows *= c->n[i];
    struct job j = {.c = c, .long_runs = long_runs, .fn = managed ? NULL : plane_of(c->item)};
    int64_t items = last == 0 ? n : rows;
    pool_loop_fn fn = last == 0 ? copy_piece : copy_rows;
    if (managed || rows * n * (int64_t)c->item <= ONE_PIECE)
        fn(&j, 0, items);
    else
        kernel_loop(k, items, 0.1 * (double)c->item * (last == 0 ? 1.0 : (double)n), fn, &j);
    return !j.failed || status_exhausted(st, "%s: no memory for strings", k->kernel->op->name);
}

bool nd_strips_suit(int dtype, int num, int64_t rows, int64_t bytes)
{
    enum { RUN = 128, ALL = 1 << 16 }; /* bytes */
    return !dtype_is_managed(dtype) && num > 1 && num <= ND_STRIPS && bytes >= ALL &&
           bytes / rows >= RUN * num;
}

struct strips {
    const struct nd_strip *strips;
    int num;
};

static void copy_strips(void *arg, int64_t begin, int64_t end)
{
    const struct strips *j = arg;
    for (int64_t r = begin; r < end; r++) {
        for (int i = 0; i < j->num; i++) {
            const struct nd_strip *s = &j->strips[i];
            memcpy(s->dst + r * s->dst_row, s->src + r * s->src_row, (size_t)s->run);
        }
    }
}

void nd_strips_run(struct kctx *k, const struct nd_strip *strips, int num, int64_t rows)
{
    struct strips j = {strips, num};
    double cost = 10 * num;
    for (int i = 0; i < num; i++)
        cost += 0.05 * (double)strips[i].run;
    pool_loop(kernel_pool(k), rows, min_i64(pool_grain(rows, cost), rows / 4 + 1), cost,
              copy_strips, &j);
}

void nd_steps(const struct shape *shape, int64_t *steps)
{
    const int64_t *dims = shape_dims(shape);
    int64_t step = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        steps[i] = step;
        step *= dims[i];
    }
}
