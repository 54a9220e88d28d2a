/* SPDX-License-Identifier: Apache-2.0 */
/* needs: onednn */
/* Convolution of float NHWC arrays by oneDNN's primitives.
 *
 * A pass cuts the batch into pieces of two sizes at most; a primitive is made for each size when
 * first needed and kept with the plan. Bias and activation are ours, after each piece: the library
 * may add a bias before it has seen all channels, which gives other bits. The filter is reordered
 * to the layout the primitives ask for: once per call into the caller's scratch, or once per value
 * into a counted copy that belongs to the plan. Filter gradients of the pieces are added in order,
 * in that layout, then reordered back. */
#include <math.h>

#include "base/lock.h"
#include "base/mem.h"
#include "math/conv_dnnl_api.h"
#include "math/conv_plan.h"
#include "math/libs.h"
#include "tensor/dtype.h"

#define PIECE_NS 1e6 /* what a piece costs at least */

/* A primitive for one number of images. */
struct unit {
    dnnl_primitive_t primitive; /* NULL: not made yet */
    dnnl_memory_desc_t src, dst, scratchpad;
};

struct pass {
    bool tried, usable;
    int64_t pieces;
    int64_t images[2];         /* of a piece: the larger number first */
    dnnl_memory_desc_t filter; /* as the primitives want it */
    dnnl_primitive_t reorder;  /* HWIO to that layout; backward filter: back */
    int64_t filter_bytes, scratchpad_bytes;
    struct unit unit[2];
};

/* The filter in one pass's layout, for one value. Counted: under conv_dnnl.lock. */
struct filter_copy {
    int refs;
    uint64_t version;
    void *base, *data; /* as allocated; aligned */
};

struct conv_dnnl {
    const struct dnnl_api *api;
    struct lock lock; /* guards making units, and the copies */
    struct math_conv_shape shape;
    double cost_ns;
    int64_t partials;
    dnnl_memory_desc_t hwio;
    struct pass pass[CONV_PASSES];
    struct filter_copy *copy[CONV_PASSES];
};

static int64_t round64(int64_t n)
{
    return (n + 63) / 64 * 64;
}

static bool small(int64_t n)
{
    return n > 0 && n < 1 << 28;
}

struct conv_dnnl *conv_dnnl_new(const struct math_conv *plan)
{
    const struct math_conv_shape *s = &plan->shape;
    if (s->dtype != DT_FLOAT || !small(s->batch) || !small(plan->in_items) ||
        !small(plan->out_items) || !small(plan->filter_items * s->out_c) ||
        !small(s->filter_h * s->dilation_h) || !small(s->filter_w * s->dilation_w) ||
        !small(s->stride_h) || !small(s->stride_w))
        return NULL;
    const struct dnnl_api *api = dnnl_api_find();
    if (!api)
        return NULL;
    struct conv_dnnl *d = mem_new(struct conv_dnnl);
    d->api = api;
    d->shape = *s;
    d->cost_ns = plan->cost_ns;
    d->partials = plan->partials;
    lock_init(&d->lock, "conv_dnnl", LOCK_RANK_LEAF);
    const dnnl_dims_t filter = {s->out_c, s->in_c, s->filter_h, s->filter_w};
    if (api->memory_desc_init_by_tag(&d->hwio, 4, filter, dnnl_f32, dnnl_hwio) == dnnl_success)
        return d;
    conv_dnnl_free(d);
    return NULL;
}

/* Takes a reference away; d->lock is held, or nobody else can see d. */
static void copy_drop(struct filter_copy *c)
{
    if (c && --c->refs == 0) {
        mem_free(c->base);
        mem_free(c);
    }
}

void conv_dnnl_free(struct conv_dnnl *d)
{
    if (!d)
        return;
    for (int k = 0; k < CONV_PASSES; k++) {
        struct pass *p = &d->pass[k];
        for (int i = 0; i < 2; i++)
            if (p->unit[i].primitive)
                d->api->primitive_destroy(p->unit[i].primitive);
        if (p->reorder)
            d->api->primitive_destroy(p->reorder);
        copy_drop(d->copy[k]);
    }
    lock_release_memory(&d->lock);
    mem_free(d);
}

/* ---- making primitives */

/* A convolution descriptor for a number of images. filter: the layout, or any. */
static dnnl_status_t describe(const struct conv_dnnl *d, enum conv_pass pass, int64_t images,
                              const dnnl_memory_desc_t *filter, dnnl_convolution_desc_t *out)
{
    const struct math_conv_shape *s = &d->shape;
    const dnnl_dims_t x = {images, s->in_c, s->in_h, s->in_w};
    const dnnl_dims_t y = {images, s->out_c, s->out_h, s->out_w};
    const dnnl_dims_t stride = {s->stride_h, s->stride_w};
    const dnnl_dims_t dilate = {s->dilation_h - 1, s->dilation_w - 1};
    const dnnl_dims_t before = {s->pad_top, s->pad_left};
    /* What the last window needs beyond the image; a window that ends inside it needs nothing. */
    const dnnl_dims_t after = {
        max_i64(0, (s->out_h - 1) * s->stride_h + (s->filter_h - 1) * s->dilation_h + 1 - s->in_h -
                       s->pad_top),
        max_i64(0, (s->out_w - 1) * s->stride_w + (s->filter_w - 1) * s->dilation_w + 1 - s->in_w -
                       s->pad_left)};
    dnnl_memory_desc_t src, dst;
    if (d->api->memory_desc_init_by_tag(&src, 4, x, dnnl_f32, dnnl_nhwc) != dnnl_success ||
        d->api->memory_desc_init_by_tag(&dst, 4, y, dnnl_f32, dnnl_nhwc) != dnnl_success)
        return dnnl_invalid_arguments;
    if (pass == CONV_FORWARD)
        return d->api->dilated_convolution_forward_desc_init(
            out, dnnl_forward_inference, dnnl_convolution_direct, &src, filter, NULL, &dst, stride,
            dilate, before, after);
    if (pass == CONV_BACKWARD_DATA)
        return d->api->dilated_convolution_backward_data_desc_init(
            out, dnnl_convolution_direct, &src, filter, &dst, stride, dilate, before, after);
    return d->api->dilated_convolution_backward_weights_desc_init(
        out, dnnl_convolution_direct, &src, filter, NULL, &dst, stride, dilate, before, after);
}

static dnnl_status_t attributes(const struct conv_dnnl *d, dnnl_primitive_attr_t *out)
{
    const struct dnnl_api *api = d->api;
    dnnl_status_t err = api->primitive_attr_create(out);
    if (err != dnnl_success)
        return err;
    err = api->primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user);
    if (err != dnnl_success)
        api->primitive_attr_destroy(*out);
    return err;
}

/* A descriptor of the primitive for a unit; NULL when there is none worth having. */
static dnnl_primitive_desc_t find_implementation(const struct conv_dnnl *d, enum conv_pass pass,
                                                 int64_t images, const dnnl_memory_desc_t *filter)
{
    const struct dnnl_api *api = d->api;
    dnnl_convolution_desc_t c;
    dnnl_primitive_attr_t attr;
    if (describe(d, pass, images, filter, &c) != dnnl_success ||
        attributes(d, &attr) != dnnl_success)
        return NULL;
    /* Backward passes want a forward description as a hint, of the same layouts. */
    dnnl_primitive_desc_t hint = NULL, pd = NULL;
    if (pass != CONV_FORWARD) {
        dnnl_convolution_desc_t f;
        if (describe(d, CONV_FORWARD, images, filter, &f) == dnnl_success)
            (void)api->primitive_desc_create(&hint, &f, attr, api->engine, NULL);
    }
    if (api->primitive_desc_create(&pd, &c, attr, api->engine, hint) != dnnl_success)
        pd = NULL;
    if (hint)
        api->primitive_desc_destroy(hint);
    api->primitive_attr_destroy(attr);
    const char *name = NULL;
    if (pd && api->primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) == dnnl_success &&
        name && strncmp(name, "ref", 3) == 0) {
        api->primitive_desc_destroy(pd); /* the library's plain loops: ours are faster */
        pd = NULL;
    }
    return pd;
}

static bool unit_make(const struct conv_dnnl *d, enum conv_pass pass, int size)
{
    struct pass *p = (struct pass *)&d->pass[pass];
    struct unit *u = &p->unit[size];
    const struct dnnl_api *api = d->api;
    dnnl_primitive_desc_t pd = find_implementation(d, pass, p->images[size], &p->filter);
    if (!pd)
        return false;
    const bool back_data = pass == CONV_BACKWARD_DATA, forward = pass == CONV_FORWARD;
    u->src = *api->primitive_desc_query_md(
        pd, back_data ? dnnl_query_diff_src_md : dnnl_query_src_md, 0);
    u->dst =
        *api->primitive_desc_query_md(pd, forward ? dnnl_query_dst_md : dnnl_query_diff_dst_md, 0);
    u->scratchpad = *api->primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    const int64_t bytes = (int64_t)api->memory_desc_get_size(&u->scratchpad);
    const bool fits = bytes <= p->scratchpad_bytes;
    if (!fits || api->primitive_create(&u->primitive, pd) != dnnl_success)
        u->primitive = NULL;
    api->primitive_desc_destroy(pd);
    return u->primitive != NULL;
}

/* The layout of the filter and the room the primitives need. */
static bool pass_layout(const struct conv_dnnl *d, enum conv_pass pass, struct pass *p)
{
    const struct math_conv_shape *s = &d->shape;
    const struct dnnl_api *api = d->api;
    const dnnl_dims_t dims = {s->out_c, s->in_c, s->filter_h, s->filter_w};
    /* With one to three input channels the plain layout is the faster one backward. */
    const dnnl_format_tag_t tag =
        pass == CONV_BACKWARD_DATA && s->in_c <= 3 ? dnnl_hwio : dnnl_format_tag_any;
    if (api->memory_desc_init_by_tag(&p->filter, 4, dims, dnnl_f32, tag) != dnnl_success)
        return false;
    for (int k = 0; k < 2; k++) {
        if (p->images[k] == 0)
            continue;
        dnnl_primitive_desc_t pd = find_implementation(d, pass, p->images[k], &p->filter);
        if (!pd)
            return false;
        p->filter = *api->primitive_desc_query_md(
            pd, pass == CONV_BACKWARD_FILTER ? dnnl_query_diff_weights_md : dnnl_query_weights_md,
            0);
        const dnnl_memory_desc_t *pad =
            api->primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        p->scratchpad_bytes = max_i64(p->scratchpad_bytes, (int64_t)api->memory_desc_get_size(pad));
        api->primitive_desc_destroy(pd);
    }
    p->scratchpad_bytes = round64(p->scratchpad_bytes);
    p->filter_bytes = round64((int64_t)api->memory_desc_get_size(&p->filter));
    return true;
}

static bool pass_reorder(const struct conv_dnnl *d, enum conv_pass pass, struct pass *p)
{
    const struct dnnl_api *api = d->api;
    const bool back = pass == CONV_BACKWARD_FILTER;
    dnnl_primitive_desc_t pd;
    if (api->reorder_primitive_desc_create(&pd, back ? &p->filter : &d->hwio, api->engine,
                                           back ? &d->hwio : &p->filter, api->engine,
                                           NULL) != dnnl_success)
        return false;
    if (api->primitive_create(&p->reorder, pd) != dnnl_success)
        p->reorder = NULL;
    api->primitive_desc_destroy(pd);
    return p->reorder != NULL;
}

/* Decides a pass once; d->lock is held. */
static bool pass_prepare(struct conv_dnnl *d, enum conv_pass pass)
{
    struct pass *p = &d->pass[pass];
    if (p->tried)
        return p->usable;
    const int64_t batch = d->shape.batch;
    p->tried = true;
    p->pieces = pass == CONV_BACKWARD_FILTER
                    ? d->partials
                    : min_i64(min_i64(batch, CONV_PIECES_MAX),
                              max_i64(1, (int64_t)(d->cost_ns * (double)batch / PIECE_NS)));
    p->images[0] = (batch + p->pieces - 1) / p->pieces;
    p->images[1] = batch % p->pieces ? batch / p->pieces : 0;
    const int saved = math_team_enter();
    /* The filter gradient of a 1 x 1 filter is one product: ours is faster. */
    const bool product = pass == CONV_BACKWARD_FILTER && d->shape.filter_h == 1 &&
                         d->shape.filter_w == 1 && d->shape.stride_h == 1 && d->shape.stride_w == 1;
    p->usable = !product && pass_layout(d, pass, p) && pass_reorder(d, pass, p);
    math_team_leave(saved);
    return p->usable;
}

int64_t conv_dnnl_scratch_bytes(struct conv_dnnl *d, enum conv_pass pass)
{
    if (!d)
        return 0;
    lock_take(&d->lock);
    const bool usable = pass_prepare(d, pass);
    lock_drop(&d->lock);
    const struct pass *p = &d->pass[pass];
    if (!usable)
        return 0;
    const int64_t filters = pass == CONV_BACKWARD_FILTER ? p->pieces : 1;
    return filters * p->filter_bytes + p->pieces * p->scratchpad_bytes + 64;
}

/* ---- running */

struct dnnl_job {
    const struct math_conv *plan;
    struct conv_dnnl *d;
    enum conv_pass pass;
    const struct pass *p;
    const struct math_conv_args *a;
    char *filter; /* in the primitives' layout; backward filter: one a piece */
    char *scratchpads;
    int failed; /* atomic */
};

/* Runs a primitive over num arguments: memory objects are made for the call. */
struct argument {
    int id;
    const dnnl_memory_desc_t *desc;
    const void *data;
};

static bool execute(const struct dnnl_api *api, dnnl_primitive_t primitive,
                    const struct argument *args, int num)
{
    dnnl_exec_arg_t list[8];
    dnnl_stream_t stream;
    int made = 0;
    if (api->stream_create(&stream, api->engine, dnnl_stream_default_flags) != dnnl_success)
        return false;
    bool ok = true;
    for (; made < num && ok; made++) {
        list[made].arg = args[made].id;
        ok = api->memory_create(&list[made].memory, args[made].desc, api->engine,
                                (void *)args[made].data) == dnnl_success;
        made -= !ok;
    }
    ok = ok && api->primitive_execute(primitive, stream, num, list) == dnnl_success;
    while (made > 0)
        api->memory_destroy(list[--made].memory);
    api->stream_destroy(stream);
    return ok;
}

static bool piece_run(struct dnnl_job *j, int64_t i)
{
    const struct math_conv_shape *s = &j->d->shape;
    const struct pass *p = j->p;
    const int64_t first = conv_share(s->batch, p->pieces, i);
    const int64_t images = conv_share(s->batch, p->pieces, i + 1) - first;
    const struct unit *u = &p->unit[images == p->images[0] ? 0 : 1];
    const int64_t x_at = first * s->in_h * s->in_w * s->in_c;
    const int64_t y_at = first * s->out_h * s->out_w * s->out_c;
    const struct math_conv_args *a = j->a;
    struct argument args[5];
    int n = 0;
    if (j->pass == CONV_FORWARD) {
        args[n++] = (struct argument){DNNL_ARG_SRC, &u->src, (const float *)a->x + x_at};
        args[n++] = (struct argument){DNNL_ARG_WEIGHTS, &p->filter, j->filter};
        args[n++] = (struct argument){DNNL_ARG_DST, &u->dst, (float *)a->y + y_at};
    } else if (j->pass == CONV_BACKWARD_DATA) {
        args[n++] = (struct argument){DNNL_ARG_DIFF_DST, &u->dst, (const float *)a->dy + y_at};
        args[n++] = (struct argument){DNNL_ARG_WEIGHTS, &p->filter, j->filter};
        args[n++] = (struct argument){DNNL_ARG_DIFF_SRC, &u->src, (float *)a->dx + x_at};
    } else {
        args[n++] = (struct argument){DNNL_ARG_SRC, &u->src, (const float *)a->x + x_at};
        args[n++] = (struct argument){DNNL_ARG_DIFF_DST, &u->dst, (const float *)a->dy + y_at};
        args[n++] =
            (struct argument){DNNL_ARG_DIFF_WEIGHTS, &p->filter, j->filter + i * p->filter_bytes};
    }
    args[n++] = (struct argument){DNNL_ARG_SCRATCHPAD, &u->scratchpad,
                                  j->scratchpads + i * p->scratchpad_bytes};
    if (!execute(j->d->api, u->primitive, args, n))
        return false;
    if (j->pass == CONV_FORWARD)
        conv_epilogue(j->plan, NULL, a, (float *)a->y + y_at, images * s->out_h * s->out_w);
    return true;
}

static void pieces_run(void *arg, int64_t begin, int64_t end)
{
    struct dnnl_job *j = arg;
    const int saved = math_team_enter();
    for (int64_t i = begin; i < end; i++)
        if (!piece_run(j, i))
            __atomic_store_n(&j->failed, 1, __ATOMIC_RELAXED);
    math_team_leave(saved);
}

/* Adds the pieces' filter gradients to the first, in order, over some of their elements. */
static void partials_add(void *arg, int64_t begin, int64_t end)
{
    const struct dnnl_job *j = arg;
    float *to = (float *)(void *)j->filter;
    for (int64_t k = 1; k < j->p->pieces; k++) {
        const float *from = (const float *)(const void *)(j->filter + k * j->p->filter_bytes);
        for (int64_t i = begin; i < end; i++)
            to[i] += from[i];
    }
}

static bool reorder_run(const struct conv_dnnl *d, enum conv_pass pass, const void *from, void *to)
{
    const struct pass *p = &d->pass[pass];
    const bool back = pass == CONV_BACKWARD_FILTER;
    const struct argument args[] = {
        {DNNL_ARG_FROM, back ? &p->filter : &d->hwio, from},
        {DNNL_ARG_TO, back ? &d->hwio : &p->filter, to},
    };
    const int saved = math_team_enter();
    const bool ok = execute(d->api, p->reorder, args, 2);
    math_team_leave(saved);
    return ok;
}

/* The plan's copy of the filter of this version, made if need be; NULL when it cannot be. */
static struct filter_copy *copy_get(struct conv_dnnl *d, enum conv_pass pass,
                                    const struct math_conv_args *a)
{
    lock_take(&d->lock);
    struct filter_copy *c = d->copy[pass];
    if (c && c->version == a->filter_version) {
        c->refs++;
        lock_drop(&d->lock);
        return c;
    }
    lock_drop(&d->lock);
    struct status st = {0};
    void *base = mem_try((size_t)d->pass[pass].filter_bytes + 64, "a convolution's filter", &st);
    status_clear(&st);
    if (!base)
        return NULL;
    c = mem_new(struct filter_copy);
    *c = (struct filter_copy){.refs = 2, .version = a->filter_version, .base = base};
    c->data = (void *)(((uintptr_t)base + 63) & ~(uintptr_t)63);
    if (!reorder_run(d, pass, a->filter, c->data)) {
        c->refs = 1;
        copy_drop(c);
        return NULL;
    }
    lock_take(&d->lock);
    copy_drop(d->copy[pass]);
    d->copy[pass] = c;
    lock_drop(&d->lock);
    return c;
}

/* All primitives of a run exist. */
static bool units_ready(struct conv_dnnl *d, enum conv_pass pass)
{
    const int saved = math_team_enter(); /* primitives are made for the team that is set */
    lock_take(&d->lock);
    struct pass *p = &d->pass[pass];
    bool ok = pass_prepare(d, pass);
    for (int k = 0; k < 2 && ok; k++)
        if (p->images[k] > 0 && !p->unit[k].primitive)
            ok = p->usable = unit_make(d, pass, k);
    lock_drop(&d->lock);
    math_team_leave(saved);
    return ok;
}

bool conv_dnnl_run(const struct math_conv *plan, enum conv_pass pass, struct pool *pool,
                   const struct math_conv_args *a, void *scratch)
{
    struct conv_dnnl *d = plan->dnnl;
    struct dnnl_job j = {.plan = plan, .d = d, .pass = pass, .p = &d->pass[pass], .a = a};
    if (!units_ready(d, pass))
        return false;
    struct filter_copy *copy = NULL;
    char *next = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    j.filter = next;
    j.scratchpads = next + (pass == CONV_BACKWARD_FILTER ? j.p->pieces : 1) * j.p->filter_bytes;
    if (pass != CONV_BACKWARD_FILTER) {
        if (a->filter_version != 0)
            copy = copy_get(d, pass, a);
        if (copy)
            j.filter = copy->data;
        else if (!reorder_run(d, pass, a->filter, j.filter))
            return false;
    }
    pool_loop(pool, j.p->pieces, 1, d->cost_ns * (double)j.p->images[0], pieces_run, &j);
    if (pass == CONV_BACKWARD_FILTER && !j.failed) {
        const int64_t n = j.p->filter_bytes / 4;
        const double cost = 0.1 * (double)j.p->pieces;
        if (j.p->pieces > 1)
            pool_loop(pool, n, 16384, cost, partials_add, &j);
        j.failed = !reorder_run(d, pass, j.filter, a->dfilter);
    }
    if (copy) {
        lock_take(&d->lock);
        copy_drop(copy);
        lock_drop(&d->lock);
    }
    return !j.failed;
}
