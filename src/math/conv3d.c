/* SPDX-License-Identifier: Apache-2.0 */
/* Three-dimensional convolution by patches and products: see volume.h. */
#include "math/gemm.h"
#include "math/volume.h"
#include "tensor/dtype.h"

enum { PATCH_ITEMS = 1 << 20 }; /* of patches copied at a time */

static int64_t patch_items(const struct math_volume *v)
{
    return v->window[0] * v->window[1] * v->window[2] * v->in_c;
}

static int64_t positions(const struct math_volume *v)
{
    return v->out[0] * v->out[1] * v->out[2];
}

static int64_t patches_at_once(const struct math_volume *v)
{
    return min_i64(positions(v), max_i64(PATCH_ITEMS / max_i64(patch_items(v), 1), 1));
}

int64_t math_conv3d_scratch_bytes(const struct math_volume *v)
{
    return max_i64(patches_at_once(v) * patch_items(v), 1) * (int64_t)dtype_size(v->dtype);
}

struct patches {
    const struct math_volume *v;
    size_t item;
    char *x;       /* one image */
    char *patches; /* those of positions first .. */
    int64_t first;
};

/* Where the image's row of a patch lies that begins at (d, h, w0), and which of its window_w
 * columns are inside: [*from, *to). False: all outside. */
static bool row_inside(const struct math_volume *v, const int64_t at[3], int64_t d, int64_t h,
                       int64_t *from, int64_t *to)
{
    if (at[0] + d < 0 || at[0] + d >= v->in[0] || at[1] + h < 0 || at[1] + h >= v->in[1])
        return false;
    *from = max_i64(0, -at[2]);
    *to = min_i64(v->window[2], v->in[2] - at[2]);
    return *from < *to;
}

static void position_start(const struct math_volume *v, int64_t position, int64_t at[3])
{
    for (int i = 2; i >= 0; i--) {
        at[i] = position % v->out[i] * v->stride[i] - v->pad[i];
        position /= v->out[i];
    }
}

static size_t row_offset(const struct math_volume *v, const int64_t at[3], int64_t d, int64_t h,
                         int64_t w)
{
    return (size_t)((((at[0] + d) * v->in[1] + at[1] + h) * v->in[2] + at[2] + w) * v->in_c);
}

static void copy_patches(void *arg, int64_t begin, int64_t end)
{
    const struct patches *p = arg;
    const struct math_volume *v = p->v;
    const size_t pixel = p->item * (size_t)v->in_c, row = pixel * (size_t)v->window[2];
    char *to = p->patches + (size_t)(begin * patch_items(v)) * p->item;
    for (int64_t i = begin; i < end; i++) {
        int64_t at[3], left, right;
        position_start(v, p->first + i, at);
        for (int64_t d = 0; d < v->window[0]; d++) {
            for (int64_t h = 0; h < v->window[1]; h++, to += row) {
                if (!row_inside(v, at, d, h, &left, &right)) {
                    memset(to, 0, row);
                    continue;
                }
                memset(to, 0, (size_t)left * pixel);
                memcpy(to + (size_t)left * pixel, p->x + row_offset(v, at, d, h, left) * p->item,
                       (size_t)(right - left) * pixel);
                memset(to + (size_t)right * pixel, 0, (size_t)(v->window[2] - right) * pixel);
            }
        }
    }
}

#define ADD_PATCHES(name, type)                                                                    \
    static void name(const struct patches *p, int64_t n)                                           \
    {                                                                                              \
        const struct math_volume *v = p->v;                                                        \
        const type *from = (const type *)(const void *)p->patches;                                 \
        type *x = (type *)(void *)p->x;                                                            \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int64_t at[3], left, right;                                                            \
            position_start(v, p->first + i, at);                                                   \
            for (int64_t d = 0; d < v->window[0]; d++) {                                           \
                for (int64_t h = 0; h < v->window[1]; h++, from += v->window[2] * v->in_c) {       \
                    if (!row_inside(v, at, d, h, &left, &right))                                   \
                        continue;                                                                  \
                    type *to = x + row_offset(v, at, d, h, left);                                  \
                    const type *part = from + left * v->in_c;                                      \
                    for (int64_t k = 0; k < (right - left) * v->in_c; k++)                         \
                        to[k] += part[k];                                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
ADD_PATCHES(add_patches_f32, float)
ADD_PATCHES(add_patches_f64, double)

static void copy_all(struct pool *pool, struct patches *p, int64_t n)
{
    const double cost = 10 + 0.3 * (double)patch_items(p->v);
    pool_loop(pool, n, pool_grain(n, cost), cost, copy_patches, p);
}

/* Runs body for each image b and run of n positions from p.first. */
#define EACH_RUN(...)                                                                              \
    const size_t item = dtype_size(v->dtype);                                                      \
    const int64_t k = patch_items(v), most = patches_at_once(v), all = positions(v);               \
    const int64_t image = v->in[0] * v->in[1] * v->in[2] * v->in_c;                                \
    struct patches p = {.v = v, .item = item, .patches = scratch};                                 \
    for (int64_t b = 0; b < v->batch; b++) {                                                       \
        for (p.first = 0; p.first < all; p.first += most) {                                        \
            const int64_t n = min_i64(most, all - p.first);                                        \
            const size_t out = (size_t)((b * all + p.first) * v->out_c) * item;                    \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

void math_conv3d(struct pool *pool, const struct math_volume *v, const void *x, const void *filter,
                 void *y, void *scratch)
{
    EACH_RUN({
        p.x = (char *)x + (size_t)(b * image) * item;
        copy_all(pool, &p, n);
        math_gemm(pool, v->dtype,
                  &(struct math_gemm){.m = n,
                                      .n = v->out_c,
                                      .k = k,
                                      .a = scratch,
                                      .b = filter,
                                      .c = (char *)y + out,
                                      .lda = k,
                                      .ldb = v->out_c,
                                      .ldc = v->out_c});
    })
}

void math_conv3d_grad_input(struct pool *pool, const struct math_volume *v, const void *filter,
                            const void *dy, void *dx, void *scratch)
{
    memset(dx, 0,
           (size_t)(v->batch * v->in[0] * v->in[1] * v->in[2] * v->in_c) * dtype_size(v->dtype));
    EACH_RUN({
        p.x = (char *)dx + (size_t)(b * image) * item;
        math_gemm(pool, v->dtype,
                  &(struct math_gemm){.m = n,
                                      .n = k,
                                      .k = v->out_c,
                                      .a = (const char *)dy + out,
                                      .b = filter,
                                      .c = scratch,
                                      .lda = v->out_c,
                                      .ldb = v->out_c,
                                      .ldc = k,
                                      .trans_b = true});
        if (v->dtype == DT_FLOAT)
            add_patches_f32(&p, n);
        else
            add_patches_f64(&p, n);
    })
}

void math_conv3d_grad_filter(struct pool *pool, const struct math_volume *v, const void *x,
                             const void *dy, void *df, void *scratch)
{
    memset(df, 0, (size_t)(patch_items(v) * v->out_c) * dtype_size(v->dtype));
    EACH_RUN({
        p.x = (char *)x + (size_t)(b * image) * item;
        copy_all(pool, &p, n);
        math_gemm(pool, v->dtype,
                  &(struct math_gemm){.m = k,
                                      .n = v->out_c,
                                      .k = n,
                                      .a = scratch,
                                      .b = (const char *)dy + out,
                                      .c = df,
                                      .lda = k,
                                      .ldb = v->out_c,
                                      .ldc = v->out_c,
                                      .trans_a = true,
                                      .beta = 1});
    })
}
