/* SPDX-License-Identifier: Apache-2.0 */
/* Reducing any set of axes: neighbours are joined into runs of kept (K) and reduced (R) axes. K R K
 * at most is one pass; of longer patterns the last run of reduced axes goes first, into scratch,
 * until one pass is left. */
#include "math/reduce.h"

#include "math/transpose.h"
#include "math/vec.h"
#include "tensor/dtype.h"

struct runs {
    int num;
    int64_t size[MATH_TRANSPOSE_MAX_RANK];
    bool reduced[MATH_TRANSPOSE_MAX_RANK];
};

static struct runs runs_of(const struct math_reduce_axes *r)
{
    struct runs s;
    s.num = 0;
    for (int i = 0; i < r->rank; i++) {
        if (r->dims[i] == 1)
            continue;
        if (s.num > 0 && s.reduced[s.num - 1] == r->reduced[i]) {
            s.size[s.num - 1] *= r->dims[i];
        } else {
            s.size[s.num] = r->dims[i];
            s.reduced[s.num++] = r->reduced[i];
        }
    }
    return s;
}

static int64_t runs_total(const struct runs *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->num; i++)
        n *= s->size[i];
    return n;
}

static int runs_last_reduced(const struct runs *s)
{
    for (int i = s->num - 1; i >= 0; i--)
        if (s->reduced[i])
            return i;
    return -1;
}

/* Whether outer-reduced-inner says it all. */
static bool runs_simple(const struct runs *s)
{
    int num = 0;
    for (int i = 0; i < s->num; i++)
        num += s->reduced[i];
    return num <= 1;
}

/* Takes run i out; its neighbours join. */
static void runs_remove(struct runs *s, int i)
{
    int to = i, from = i + 1;
    if (i > 0 && from < s->num && s->reduced[i - 1] == s->reduced[from])
        s->size[i - 1] *= s->size[from++];
    while (from < s->num) {
        s->size[to] = s->size[from];
        s->reduced[to++] = s->reduced[from++];
    }
    s->num = to;
}

static bool axes_widens(int dtype)
{
    return dtype == DT_HALF || dtype == DT_BFLOAT16;
}

/* Items of: the input as float (narrow types), and two intermediate results. */
static void axes_scratch_items(const struct runs *s, int dtype, int64_t items[3])
{
    struct runs t = *s;
    const int64_t total = runs_total(s);
    items[0] = axes_widens(dtype) ? total : 0;
    for (int i = 0; i < 2; i++) {
        const int last = runs_last_reduced(&t);
        if (last >= 0)
            runs_remove(&t, last);
        items[i + 1] = runs_total(&t);
    }
}

int64_t math_reduce_axes_scratch_bytes(const struct math_reduce_axes *r)
{
    const struct runs s = runs_of(r);
    if (runs_simple(&s) || runs_total(&s) == 0)
        return 0;
    int64_t items[3];
    axes_scratch_items(&s, r->dtype, items);
    const int64_t item = axes_widens(r->dtype) ? 4 : (int64_t)dtype_size(r->dtype);
    return (items[0] + items[1] + items[2]) * item + 3 * 64;
}

static void axes_simple(struct pool *pool, const struct math_reduce_axes *r, const struct runs *s,
                        const void *x, void *y)
{
    struct math_reduce m = {
        .op = r->op, .dtype = r->dtype, .x = x, .y = y, .in_order = r->in_order};
    m.outer = m.num = m.inner = 1;
    const int last = runs_last_reduced(s);
    for (int i = 0; i < s->num; i++) {
        if (i == last)
            m.num = s->size[i];
        else if (i < last)
            m.outer = s->size[i];
        else
            m.inner = s->size[i];
    }
    math_reduce(pool, &m);
}

static void axes_narrow(struct pool *pool, const struct math_reduce_axes *r, const struct runs *s)
{
    const int64_t total = runs_total(s);
    float *wide = r->scratch;
    if (r->dtype == DT_HALF)
        math_f16_to_f32(r->x, wide, total);
    else
        math_bf16_to_f32(r->x, wide, total);
    struct math_reduce_axes f = *r;
    f.dtype = DT_FLOAT;
    f.x = wide;
    f.scratch = wide + (total + 15) / 16 * 16;
    struct runs kept = *s;
    for (int last; (last = runs_last_reduced(&kept)) >= 0;)
        runs_remove(&kept, last);
    const int64_t num = runs_total(&kept);
    /* The result takes the input's place: by then it has been read. */
    f.y = wide;
    math_reduce_axes(pool, &f);
    if (r->dtype == DT_HALF)
        math_f32_to_f16(wide, r->y, num);
    else
        math_f32_to_bf16(wide, r->y, num);
}

/* Over a reduction of nothing, or to a result of nothing. */
static void axes_empty(struct pool *pool, const struct math_reduce_axes *r, const struct runs *s)
{
    struct math_reduce m = {.op = r->op, .dtype = r->dtype, .x = r->x, .y = r->y};
    m.outer = m.num = m.inner = 1;
    for (int i = 0; i < s->num; i++) {
        if (s->reduced[i])
            m.num *= s->size[i];
        else
            m.outer *= s->size[i];
    }
    math_reduce(pool, &m);
}

/* One run of reduced axes away: the last one still there. */
static void axes_step(struct pool *pool, const struct math_reduce_axes *r, struct runs *s,
                      const void *x, void *y)
{
    const int last = runs_last_reduced(s);
    struct math_reduce m = {
        .op = r->op, .dtype = r->dtype, .x = x, .y = y, .in_order = r->in_order};
    if (r->op == MATH_REDUCE_MEAN)
        m.op = MATH_REDUCE_SUM;
    m.outer = m.inner = 1;
    for (int i = 0; i < last; i++)
        m.outer *= s->size[i];
    m.num = s->size[last];
    for (int i = last + 1; i < s->num; i++)
        m.inner *= s->size[i];
    math_reduce(pool, &m);
    runs_remove(s, last);
}

void math_reduce_axes(struct pool *pool, const struct math_reduce_axes *r)
{
    struct runs s = runs_of(r);
    if (runs_total(&s) == 0) {
        axes_empty(pool, r, &s);
        return;
    }
    if (runs_simple(&s)) {
        axes_simple(pool, r, &s, r->x, r->y);
        return;
    }
    if (axes_widens(r->dtype)) {
        axes_narrow(pool, r, &s);
        return;
    }
    int64_t items[3], count = runs_total(&s);
    axes_scratch_items(&s, r->dtype, items);
    char *buffer[2];
    buffer[0] = r->scratch;
    buffer[1] = buffer[0] + (items[1] * (int64_t)dtype_size(r->dtype) + 63) / 64 * 64;
    const void *x = r->x;
    for (int i = 0; !runs_simple(&s); i++) {
        axes_step(pool, r, &s, x, buffer[i % 2]);
        x = buffer[i % 2];
    }
    axes_step(pool, r, &s, x, r->y);
    if (r->op == MATH_REDUCE_MEAN)
        math_reduce_divide(r->dtype, r->y, runs_total(&s), count / runs_total(&s));
}
