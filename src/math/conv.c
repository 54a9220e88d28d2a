/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of convolutions: checked shapes, the choice of who runs them, NCHW by transposition. */
#include "math/conv.h"

#include "base/cpu.h"
#include "base/mem.h"
#include "math/conv_plan.h"
#include "math/transpose.h"
#include "tensor/dtype.h"

#define PARTIALS_BYTES (24 << 20) /* all partial filter gradients together */
#define PARTIALS_MAX 8
#define DIRECT_FILTER_BYTES (512 << 10)

bool math_conv_output_size(int64_t in, int64_t filter, int64_t dilation, int64_t stride, bool same,
                           int64_t out_and_pad[2], struct status *st)
{
    int64_t window;
    if (in < 0 || filter < 1 || dilation < 1 || stride < 1 ||
        !size_mul(filter - 1, dilation, &window) || !size_add(window, 1, &window))
        return status_invalid(st,
                              "convolution: sizes must be positive: input %lld, filter %lld, "
                              "dilation %lld, stride %lld",
                              (long long)in, (long long)filter, (long long)dilation,
                              (long long)stride);
    if (same) {
        const int64_t out = in / stride + (in % stride != 0);
        int64_t need;
        if (!size_mul(max_i64(out - 1, 0), stride, &need) || !size_add(need, window, &need))
            return status_invalid(st, "convolution: filter %lld, dilation %lld: too large",
                                  (long long)filter, (long long)dilation);
        out_and_pad[0] = out;
        out_and_pad[1] = max_i64(0, need - in) / 2;
        return true;
    }
    if (in - window + 1 < 0 && (in - window + stride) / stride < 0)
        return status_invalid(st,
                              "Computed output size would be negative: %lld [input_size: %lld, "
                              "effective_filter_size: %lld, stride: %lld]",
                              (long long)((in - window + stride) / stride), (long long)in,
                              (long long)window, (long long)stride);
    out_and_pad[0] = (in - window + stride) / stride;
    out_and_pad[1] = 0;
    return true;
}

bool math_conv_shape_equal(const struct math_conv_shape *a, const struct math_conv_shape *b)
{
    return a->dtype == b->dtype && a->nchw == b->nchw && a->batch == b->batch &&
           a->in_h == b->in_h && a->in_w == b->in_w && a->in_c == b->in_c && a->out_h == b->out_h &&
           a->out_w == b->out_w && a->out_c == b->out_c && a->filter_h == b->filter_h &&
           a->filter_w == b->filter_w && a->stride_h == b->stride_h && a->stride_w == b->stride_w &&
           a->dilation_h == b->dilation_h && a->dilation_w == b->dilation_w &&
           a->pad_top == b->pad_top && a->pad_left == b->pad_left;
}

/* Product of num sizes in *out; false beyond int64 or below 0. */
static bool product(const int64_t *sizes, int num, int64_t *out)
{
    int64_t n = 1;
    for (int i = 0; i < num; i++)
        if (!size_mul(n, sizes[i], &n))
            return false;
    *out = n;
    return true;
}

/* A window never starts so far out, nor an index wraps: everything below stays in int64. */
static bool reach_ok(int64_t out, int64_t stride, int64_t filter, int64_t dilation, int64_t pad)
{
    int64_t a, b;
    return size_mul(out, stride, &a) && size_mul(filter, dilation, &b) && size_add(a, b, &a) &&
           pad >= 0 && size_add(a, pad, &a);
}

static bool shape_check(struct math_conv *plan, struct status *st)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t x[] = {s->in_h, s->in_w, s->in_c}, y[] = {s->out_h, s->out_w, s->out_c};
    const int64_t f[] = {s->filter_h, s->filter_w, s->in_c};
    int64_t total, item = (int64_t)dtype_size(s->dtype);
    if (!math_gemm_supports(s->dtype) || dtype_is_complex(s->dtype) || s->dtype == DT_INT64)
        return status_unimplemented(st, "convolution: type %s has no kernel", dtype_name(s->dtype));
    if (s->stride_h < 1 || s->stride_w < 1 || s->dilation_h < 1 || s->dilation_w < 1)
        return status_invalid(
            st, "convolution: strides %lld, %lld and dilations %lld, %lld must be positive",
            (long long)s->stride_h, (long long)s->stride_w, (long long)s->dilation_h,
            (long long)s->dilation_w);
    plan->item = item;
    if (!product(x, 3, &plan->in_items) || !product(y, 3, &plan->out_items) ||
        !product(f, 3, &plan->filter_items) || s->batch < 0 ||
        !product((const int64_t[]){s->batch, plan->in_items, item}, 3, &total) ||
        !product((const int64_t[]){s->batch, plan->out_items, item}, 3, &total) ||
        !product((const int64_t[]){plan->filter_items, s->out_c, item, 2 * PARTIALS_MAX}, 4,
                 &total) ||
        !product((const int64_t[]){plan->filter_items, 256 << 10, item}, 3, &total) ||
        !reach_ok(s->out_h, s->stride_h, s->filter_h, s->dilation_h, s->pad_top) ||
        !reach_ok(s->out_w, s->stride_w, s->filter_w, s->dilation_w, s->pad_left))
        return status_invalid(st, "convolution: sizes are negative or too large");
    return true;
}

/* The same convolution with the sizes that suit the kernels, where memory is the same. A filter as
 * wide as the image: columns and channels, neighbours on both sides, are one longer run of channels
 * (sentences of word vectors come so, one channel deep). An image one column wide is one row. */
static void normalize(struct math_conv_shape *s)
{
    if (s->nchw || s->filter_w != s->in_w || s->out_w != 1 || s->pad_left != 0 ||
        s->dilation_w != 1)
        return;
    s->in_c *= s->in_w;
    s->in_w = s->in_h;
    s->out_w = s->out_h;
    s->filter_w = s->filter_h;
    s->stride_w = s->stride_h;
    s->dilation_w = s->dilation_h;
    s->pad_left = s->pad_top;
    s->in_h = s->out_h = s->filter_h = s->stride_h = s->dilation_h = 1;
    s->pad_top = 0;
}

/* Who is faster, a rule of shape and instruction set. Against oneDNN (Zen 5): the direct loops lead
 * where a broadcast element meets two vectors of channels and the filter stays in the cache. */
static bool direct_preferred(const struct math_conv *p, enum conv_pass pass)
{
    const struct math_conv_shape *s = &p->shape;
    if (!conv_direct_serves(p, pass))
        return false;
    if (!p->dnnl)
        return true;
    if (cpu_level() != CPU_AVX512 || p->filter_items * s->out_c * p->item > DIRECT_FILTER_BYTES)
        return false;
    if (pass == CONV_FORWARD)
        return s->filter_h * s->filter_w > 1 || s->stride_w > 1;
    return (pass == CONV_BACKWARD_DATA ? s->in_c : s->out_c) >= 32;
}

bool math_conv_new(const struct math_conv_shape *shape, struct math_conv **out, struct status *st)
{
    struct math_conv *p = mem_new(struct math_conv);
    p->shape = *shape;
    if (!shape_check(p, st)) {
        mem_free(p);
        return false;
    }
    normalize(&p->shape);
    const int64_t dfilter_bytes = p->filter_items * shape->out_c * p->item;
    const double macs = (double)shape->out_h * (double)shape->out_w * (double)p->filter_items *
                        (double)shape->out_c;
    p->cost_ns = 100 + macs * (shape->dtype == DT_FLOAT ? 0.012 : 0.05);
    p->partials = max_i64(1, min_i64(min_i64(PARTIALS_MAX, shape->batch),
                                     PARTIALS_BYTES / max_i64(dfilter_bytes, 1)));
    if (p->cost_ns * (double)shape->batch < 1e6)
        p->partials = 1; /* a millisecond in all: not worth a second sum */
    p->few = conv_few_serves(p);
    p->dnnl = p->few ? NULL : conv_dnnl_new(p);
    for (int i = 0; i < CONV_PASSES; i++) {
        p->point[i] = conv_point_serves(p, (enum conv_pass)i);
        p->fast[i] = conv_fast_serves(p, (enum conv_pass)i);
        p->line[i] = conv_line_serves(p, (enum conv_pass)i);
        p->direct[i] = direct_preferred(p, (enum conv_pass)i);
    }
    *out = p;
    return true;
}

void math_conv_free(struct math_conv *plan)
{
    if (!plan)
        return;
    conv_dnnl_free(plan->dnnl);
    mem_free(plan);
}

static int64_t round64(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int64_t x_bytes(const struct math_conv *p)
{
    return round64(p->shape.batch * p->in_items * p->item);
}

static int64_t y_bytes(const struct math_conv *p)
{
    return round64(p->shape.batch * p->out_items * p->item);
}

/* Scratch: NHWC copies of x and y for NCHW, then what the pass itself needs. */
static int64_t layout_bytes(const struct math_conv *p)
{
    return p->shape.nchw ? x_bytes(p) + y_bytes(p) : 0;
}

static int64_t pass_scratch(const struct math_conv *p, enum conv_pass pass)
{
    if (p->few)
        return conv_few_scratch_bytes(p);
    if (p->point[pass])
        return conv_point_scratch_bytes(p, pass);
    const int64_t fast = p->fast[pass]   ? conv_fast_scratch_bytes(p, pass)
                         : p->line[pass] ? conv_line_scratch_bytes(p, pass)
                                         : 0;
    return max_i64(fast, p->direct[pass] ? conv_direct_scratch_bytes(p, pass)
                                         : conv_dnnl_scratch_bytes(p->dnnl, pass));
}

int64_t math_conv_forward_scratch_bytes(const struct math_conv *p)
{
    return layout_bytes(p) + pass_scratch(p, CONV_FORWARD);
}

int64_t math_conv_backward_data_scratch_bytes(const struct math_conv *p)
{
    return layout_bytes(p) + pass_scratch(p, CONV_BACKWARD_DATA);
}

int64_t math_conv_backward_filter_scratch_bytes(const struct math_conv *p)
{
    const int64_t own =
        p->partials > 1 ? p->partials * p->filter_items * p->shape.out_c * p->item : 0;
    return layout_bytes(p) + max_i64(own, pass_scratch(p, CONV_BACKWARD_FILTER));
}

/* One image after another: channels last (to_nhwc), or first again. */
static void relayout(struct pool *pool, const struct math_conv *p, const void *x, void *y,
                     const int64_t hwc[3], bool to_nhwc)
{
    const int64_t positions = hwc[0] * hwc[1];
    const int64_t dims[3] = {p->shape.batch, to_nhwc ? hwc[2] : positions,
                             to_nhwc ? positions : hwc[2]};
    const int perm[3] = {0, 2, 1};
    const struct math_transpose t = {
        .item = (size_t)p->item, .x = x, .y = y, .rank = 3, .dims = dims, .perm = perm};
    math_transpose(pool, &t);
}

void conv_epilogue(const struct math_conv *plan, struct pool *pool, const struct math_conv_args *a,
                   float *y, int64_t positions)
{
    const int64_t n = plan->shape.out_c;
    if (a->bias || a->act != MATH_ACT_NONE)
        math_bias_act(
            pool, DT_FLOAT,
            &(struct math_gemm){
                .m = positions, .n = n, .c = y, .ldc = n, .bias = a->bias, .act = a->act});
}

static bool run_fast(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                     const struct math_conv_args *a)
{
    if (pass == CONV_FORWARD)
        return conv_fast_forward(p, pool, a, a->scratch);
    return pass == CONV_BACKWARD_DATA ? conv_fast_backward_data(p, pool, a, a->scratch)
                                      : conv_fast_backward_filter(p, pool, a, a->scratch);
}

static bool run_line(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                     const struct math_conv_args *a)
{
    if (pass == CONV_FORWARD)
        return conv_line_forward(p, pool, a, a->scratch);
    return pass == CONV_BACKWARD_DATA ? conv_line_backward_data(p, pool, a, a->scratch)
                                      : conv_line_backward_filter(p, pool, a, a->scratch);
}

static void run_direct(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                       const struct math_conv_args *a)
{
    if (pass == CONV_FORWARD)
        conv_direct_forward(p, pool, a);
    else if (pass == CONV_BACKWARD_DATA)
        conv_direct_backward_data(p, pool, a, a->scratch);
    else
        conv_direct_backward_filter(p, pool, a, a->scratch);
}

static void run_own(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                    const struct math_conv_args *a)
{
    if (pass == CONV_FORWARD)
        conv_own_forward(p, pool, a);
    else if (pass == CONV_BACKWARD_DATA)
        conv_own_backward_data(p, pool, a);
    else if (p->point[pass])
        conv_point_backward_filter(p, pool, a, a->scratch);
    else
        conv_own_backward_filter(p, pool, a, a->scratch);
}

static void run_few(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                    const struct math_conv_args *a)
{
    if (pass == CONV_FORWARD)
        conv_few_forward(p, pool, a, a->scratch);
    else if (pass == CONV_BACKWARD_DATA)
        conv_few_backward_data(p, pool, a, a->scratch);
    else
        conv_few_backward_filter(p, pool, a, a->scratch);
}

static void run_nhwc(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                     const struct math_conv_args *a)
{
    if (p->few) {
        run_few(p, pass, pool, a);
        return;
    }
    if (p->point[pass]) {
        run_own(p, pass, pool, a);
        return;
    }
    if (p->fast[pass] && run_fast(p, pass, pool, a))
        return;
    if (p->line[pass] && run_line(p, pass, pool, a))
        return;
    if (p->direct[pass]) {
        run_direct(p, pass, pool, a);
        return;
    }
    if (p->dnnl && conv_dnnl_run(p, pass, pool, a, a->scratch))
        return;
    run_own(p, pass, pool, a);
}

/* The NCHW forms: inputs are laid out in scratch, the output comes from there. */
static void run_nchw(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                     const struct math_conv_args *a)
{
    const struct math_conv_shape *s = &p->shape;
    const int64_t in[3] = {s->in_h, s->in_w, s->in_c}, out[3] = {s->out_h, s->out_w, s->out_c};
    char *x = a->scratch, *y = x + x_bytes(p);
    struct math_conv_args n = *a;
    n.scratch = y + y_bytes(p);
    if (pass != CONV_BACKWARD_DATA)
        relayout(pool, p, a->x, x, in, true);
    if (pass != CONV_FORWARD)
        relayout(pool, p, a->dy, y, out, true);
    n.x = x, n.dx = x;
    n.y = y, n.dy = y;
    run_nhwc(p, pass, pool, &n);
    if (pass == CONV_FORWARD)
        relayout(pool, p, y, a->y, out, false);
    else if (pass == CONV_BACKWARD_DATA)
        relayout(pool, p, x, a->dx, in, false);
}

static bool run(struct math_conv *p, enum conv_pass pass, struct pool *pool,
                const struct math_conv_args *a)
{
    if (p->shape.nchw)
        run_nchw(p, pass, pool, a);
    else
        run_nhwc(p, pass, pool, a);
    return true;
}

bool math_conv_forward(struct math_conv *plan, struct pool *pool, const struct math_conv_args *args,
                       struct status *st)
{
    if (args->act > MATH_ACT_RELU && plan->shape.dtype != DT_FLOAT &&
        plan->shape.dtype != DT_DOUBLE)
        return status_unimplemented(st, "convolution: this activation is for float and double");
    return run(plan, CONV_FORWARD, pool, args);
}

bool math_conv_backward_data(struct math_conv *plan, struct pool *pool,
                             const struct math_conv_args *args, struct status *st)
{
    (void)st;
    return run(plan, CONV_BACKWARD_DATA, pool, args);
}

bool math_conv_backward_filter(struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *args, struct status *st)
{
    (void)st;
    return run(plan, CONV_BACKWARD_FILTER, pool, args);
}
