/* SPDX-License-Identifier: Apache-2.0 */
/* Images as float rows and back: see batch_norm.h. */
#include "math/transpose.h"
#include "math/vec.h"

#include "ops/nn/batch_norm.h"

bool batch_norm_nchw(const struct attrs *a)
{
    return str_is(attrs_string(a, "data_format"), "NCHW");
}

bool batch_norm_images(const struct kctx *c, int i, struct batch_norm_images *m, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->shape.rank != 4) {
        struct strbuf text = {0};
        shape_print(&t->shape, &text);
        status_invalid(st, "input must be 4-dimensional%s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    const int64_t *d = shape_dims(&t->shape);
    const bool nchw = batch_norm_nchw(kernel_attrs(c));
    *m = (struct batch_norm_images){
        t, nchw, d[0], nchw ? d[2] * d[3] : d[1] * d[2], d[nchw ? 1 : 3], 0};
    m->rows = m->batch * m->pixels;
    return true;
}

bool batch_norm_want_channels(const struct kctx *c, int i, const char *name, int64_t n,
                              struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->shape.rank == 1 && t->num_elems == n)
        return true;
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    if (t->shape.rank != 1)
        status_invalid(st, "%s must be 1-dimensional%s", name, strbuf_text(&text));
    else
        status_invalid(st, "%s must have an element for each of %lld channels, and has shape %s",
                       name, (long long)n, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool batch_norm_want_none(const struct kctx *c, int i, const char *name, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->num_elems == 0)
        return true;
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "%s must be empty for training%s", name, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* Each image with pixels and channels exchanged. */
static void turn(struct kctx *c, const struct batch_norm_images *m, const float *x, float *y,
                 bool to_rows)
{
    const int64_t dims[] = {m->batch, to_rows ? m->channels : m->pixels,
                            to_rows ? m->pixels : m->channels};
    math_transpose(kernel_pool(c), &(struct math_transpose){.item = sizeof(float),
                                                            .x = x,
                                                            .y = y,
                                                            .rank = 3,
                                                            .dims = dims,
                                                            .perm = (int[]){0, 2, 1}});
}

static float *floats(struct kctx *c, int64_t n, struct status *st)
{
    return kernel_scratch(c, n * (int64_t)sizeof(float), st);
}

const float *batch_norm_rows(struct kctx *c, const struct batch_norm_images *m, struct status *st)
{
    const float *x = m->t->data;
    if (m->t->dtype == DT_HALF) {
        float *wide = floats(c, m->t->num_elems, st);
        if (!wide)
            return NULL;
        math_f16_to_f32(m->t->data, wide, m->t->num_elems);
        x = wide;
    }
    if (!m->nchw)
        return x;
    float *rows = floats(c, m->t->num_elems, st);
    if (rows)
        turn(c, m, x, rows, true);
    return rows;
}

float *batch_norm_result_rows(struct kctx *c, const struct batch_norm_images *m,
                              const struct tensor *out, struct status *st)
{
    return m->nchw || out->dtype == DT_HALF ? floats(c, out->num_elems, st) : out->data;
}

bool batch_norm_result(struct kctx *c, const struct batch_norm_images *m, const float *rows,
                       const struct tensor *out, struct status *st)
{
    const float *y = rows;
    if (m->nchw) {
        float *turned = out->dtype == DT_HALF ? floats(c, out->num_elems, st) : out->data;
        if (!turned)
            return false;
        turn(c, m, rows, turned, false);
        y = turned;
    }
    if (out->dtype == DT_HALF)
        math_f32_to_f16(y, out->data, out->num_elems);
    return true;
}
