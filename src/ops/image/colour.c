/* SPDX-License-Identifier: Apache-2.0 */
/* RGBToHSV, HSVToRGB, AdjustHue, AdjustSaturation: pixel by pixel, computed in double for double
 * and in float for float. */
#include <math.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct pixels {
    const struct tensor *in;
    void *out;
    float by; /* what the op is told: a turn of hue, a factor of saturation */
};

/* hue in [0, 1), saturation, value; and back. */
#define COLOUR(T, abs_fn)                                                                          \
    static inline void hsv_of_##T(const T *x, T *y)                                                \
    {                                                                                              \
        T r = x[0], g = x[1], b = x[2];                                                            \
        T high = r > g ? r : g, low = r < g ? r : g;                                               \
        high = high > b ? high : b;                                                                \
        low = low < b ? low : b;                                                                   \
        T range = high - low, norm = (T)1 / ((T)6 * range), h;                                     \
        if (r == high)                                                                             \
            h = norm * (g - b);                                                                    \
        else if (g == high)                                                                        \
            h = norm * (b - r) + (T)(2.0 / 6);                                                     \
        else                                                                                       \
            h = norm * (r - g) + (T)(4.0 / 6);                                                     \
        h = range > 0 ? h : 0;                                                                     \
        y[0] = h < 0 ? h + (T)1 : h;                                                               \
        y[1] = high > 0 ? range / high : 0;                                                        \
        y[2] = high;                                                                               \
    }                                                                                              \
    static inline T unit_##T(T x)                                                                  \
    {                                                                                              \
        return x < 0 ? 0 : x > 1 ? 1 : x;                                                          \
    }                                                                                              \
    static inline void rgb_of_##T(const T *x, T *y)                                                \
    {                                                                                              \
        T h = x[0] * (T)6, s = x[1], v = x[2];                                                     \
        T r = unit_##T(abs_fn(h - (T)3) - (T)1), g = unit_##T((T)2 - abs_fn(h - (T)2));            \
        T b = unit_##T((T)2 - abs_fn(h - (T)4));                                                   \
        y[0] = ((T)1 - s + s * r) * v;                                                             \
        y[1] = ((T)1 - s + s * g) * v;                                                             \
        y[2] = ((T)1 - s + s * b) * v;                                                             \
    }                                                                                              \
    static void to_hsv_##T(void *arg, int64_t begin, int64_t end)                                  \
    {                                                                                              \
        const struct pixels *p = arg;                                                              \
        for (int64_t i = begin; i < end; i++)                                                      \
            hsv_of_##T((const T *)p->in->data + 3 * i, (T *)p->out + 3 * i);                       \
    }                                                                                              \
    static void to_rgb_##T(void *arg, int64_t begin, int64_t end)                                  \
    {                                                                                              \
        const struct pixels *p = arg;                                                              \
        for (int64_t i = begin; i < end; i++)                                                      \
            rgb_of_##T((const T *)p->in->data + 3 * i, (T *)p->out + 3 * i);                       \
    }
COLOUR(float, fabsf)
COLOUR(double, fabs)
#undef COLOUR

static void turn_hue(void *arg, int64_t begin, int64_t end)
{
    const struct pixels *p = arg;
    for (int64_t i = begin; i < end; i++) {
        const float *x = (const float *)p->in->data + 3 * i;
        float *y = (float *)p->out + 3 * i, hsv[3];
        float high = fmaxf(x[0], fmaxf(x[1], x[2])), low = fminf(x[0], fminf(x[1], x[2]));
        hsv_of_float(x, hsv);
        float h = (hsv[0] + p->by) - floorf(hsv[0] + p->by);
        float unit[3], full[3] = {h, 1, 1};
        rgb_of_float(full, unit); /* black and white parts stay as they are */
        for (int k = 0; k < 3; k++)
            y[k] = low + unit[k] * (high - low);
    }
}

static void scale_saturation(void *arg, int64_t begin, int64_t end)
{
    const struct pixels *p = arg;
    for (int64_t i = begin; i < end; i++) {
        float hsv[3];
        hsv_of_float((const float *)p->in->data + 3 * i, hsv);
        hsv[1] = unit_float(hsv[1] * p->by);
        rgb_of_float(hsv, (float *)p->out + 3 * i);
    }
}

static bool fail_shape(struct status *st, const char *words, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool each_pixel(struct kctx *c, pool_loop_fn fn, float by, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out)
        return false;
    struct pixels p = {in, out->data, by};
    kernel_loop(c, in->num_elems / 3, 10, fn, &p);
    return true;
}

static bool convert(struct kctx *c, pool_loop_fn f32, pool_loop_fn f64, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in);
    if (rank < 1)
        return fail_shape(st, "input must be at least 1D", &in->shape);
    if (tensor_dim(in, rank - 1) != 3)
        return status_precondition(st,
                                   "input must have 3 channels but input only has %lld channels.",
                                   (long long)tensor_dim(in, rank - 1));
    return each_pixel(c, in->dtype == DT_FLOAT ? f32 : f64, 0, st);
}

static bool to_hsv_run(struct kctx *c, struct status *st)
{
    return convert(c, to_hsv_float, to_hsv_double, st);
}

static bool to_rgb_run(struct kctx *c, struct status *st)
{
    return convert(c, to_rgb_float, to_rgb_double, st);
}

static bool adjust(struct kctx *c, pool_loop_fn fn, const char *name, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *by = kernel_in(c, 1);
    int rank = tensor_rank(in);
    if (rank < 3)
        return fail_shape(st, "input must be at least 3-D, got shape", &in->shape);
    if (tensor_rank(by) != 0) {
        char words[40];
        snprintf(words, sizeof(words), "%s must be scalar: ", name);
        return fail_shape(st, words, &by->shape);
    }
    if (tensor_dim(in, rank - 1) != 3)
        return status_invalid(st, "input must have 3 channels but instead has %lld channels.",
                              (long long)tensor_dim(in, rank - 1));
    return each_pixel(c, fn, tensor_f32(by)[0], st);
}

static bool hue_run(struct kctx *c, struct status *st)
{
    return adjust(c, turn_hue, "delta", st);
}

static bool saturation_run(struct kctx *c, struct status *st)
{
    return adjust(c, scale_saturation, "scale", st);
}

static bool convert_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int64_t three;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &s, st) ||
        !infer_want_dim(c, infer_dim(s, -1), 3, &three, st))
        return false;
    infer_set(c, 0, s->rank > 0 ? infer_with_dim(c, s, s->rank - 1, 3) : s);
    return true;
}

static bool adjust_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank_min(c, infer_input(c, 0), 3, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

/* --- the gradient of RGBToHSV --- */

static struct output last_axis(struct grad_ctx *g)
{
    return grad_const_i32s(g, (int32_t[]){-1}, 1);
}

static struct output moved(struct grad_ctx *g, const char *op, struct output x, struct output by)
{
    return grad_opv(g, op, 2, (struct output[]){x, by}, 0, NULL);
}

/* 1 in the channel of each pixel that ArgMax or ArgMin finds first, else 0. */
static struct output one_hot(struct grad_ctx *g, const char *op, struct output x)
{
    struct output index = grad_op2(g, op, x, grad_const_i32(g, -1));
    struct output in[] = {index, grad_const_i32(g, 3), grad_const_like(g, x, 1),
                          grad_const_like(g, x, 0)};
    return grad_opv(g, "OneHot", 4, in, 0, NULL);
}

/* The sum over a pixel's channels, a channel itself. */
static struct output over_channels(struct grad_ctx *g, struct output x)
{
    struct attr keep = {(char *)"keep_dims", attr_bool(true)};
    return grad_opv(g, "Sum", 2, (struct output[]){x, last_axis(g)}, 1, &keep);
}

static struct output is_positive(struct grad_ctx *g, struct output x)
{
    return grad_cast(g, grad_op2(g, "Greater", x, grad_const_like(g, x, 0)), grad_type_of(g, x));
}

struct order { /* of a pixel's channels: which is the greatest, between, the least; the values */
    struct output is_high, is_mid, is_low, high, mid, low;
};

/* Of equal ones the first is the greatest, the last the least. */
static struct order order_of(struct grad_ctx *g, struct output x)
{
    struct order o;
    o.is_high = one_hot(g, "ArgMax", x);
    o.is_low = moved(g, "ReverseV2", one_hot(g, "ArgMin", moved(g, "ReverseV2", x, last_axis(g))),
                     last_axis(g));
    o.is_mid = grad_sub(g, grad_sub(g, grad_const_like(g, x, 1), o.is_high), o.is_low);
    o.high = over_channels(g, grad_mul(g, o.is_high, x));
    o.mid = over_channels(g, grad_mul(g, o.is_mid, x));
    o.low = over_channels(g, grad_mul(g, o.is_low, x));
    return o;
}

/* saturation = (high - low) / high. */
static struct output by_saturation(struct grad_ctx *g, const struct order *o, struct output x)
{
    struct output square = grad_mul(g, o->high, o->high);
    struct output of_high =
        grad_mul(g, o->is_high, grad_op2(g, "div_no_nan=DivNoNan", o->low, square));
    struct output one = grad_const_like(g, x, 1);
    struct output of_low = grad_mul(g, o->is_low, grad_op2(g, "div_no_nan=DivNoNan", one, o->high));
    return grad_mul(g, is_positive(g, x), grad_sub(g, of_high, of_low));
}

/* hue = (s (mid - low) / (high - low) + k) / 6, where s is 1 if the channel between follows the
 * greatest in the circle of red, green and blue, else -1. */
static struct output by_hue(struct grad_ctx *g, const struct order *o)
{
    struct output range = grad_sub(g, o->high, o->low);
    struct output turn[] = {o->is_high, grad_const_i32(g, 1), grad_const_i32(g, -1)};
    struct output follows = grad_opv(g, "Roll", 3, turn, 0, NULL);
    struct output s = over_channels(g, grad_mul(g, follows, o->is_mid));
    s = grad_sub(g, grad_add(g, s, s), grad_const_like(g, s, 1));
    struct output of_high = grad_mul(g, o->is_high, grad_sub(g, o->mid, o->low));
    struct output of_low = grad_mul(g, o->is_low, grad_sub(g, o->high, o->mid));
    struct output sum = grad_sub(g, grad_sub(g, grad_mul(g, o->is_mid, range), of_high), of_low);
    struct output d = grad_op2(g, "div_no_nan=DivNoNan", sum, grad_mul(g, range, range));
    struct output sixth = grad_mul(g, is_positive(g, o->high), grad_const_like(g, s, 1.0 / 6));
    return grad_mul(g, grad_mul(g, sixth, s), d);
}

static bool hsv_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), split[] = {grad_const_i32(g, -1), grad_dy(g, 0)};
    struct attr three = {(char *)"num_split", attr_int(3)};
    struct node *dy = grad_nodev(g, "Split", 2, split, 1, &three);
    struct order o = order_of(g, x);
    struct output dv = grad_mul(g, grad_node_out(g, dy, 2), o.is_high);
    struct output ds = grad_mul(g, grad_node_out(g, dy, 1), by_saturation(g, &o, x));
    struct output dh = grad_mul(g, grad_node_out(g, dy, 0), by_hue(g, &o));
    grad_set(g, 0, grad_add(g, grad_add(g, dv, ds), dh));
    return grad_done(g, st);
}

#define CONVERT(id, op_name, text, run_fn, ...)                                                    \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"images: T"},                                                                   \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: {half, bfloat16, float, double} = DT_FLOAT"},                                \
        .shape = convert_shape,                                                                    \
        __VA_ARGS__,                                                                               \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .types = {"T: {float, double}"}, .run = run_fn}
CONVERT(rgb_to_hsv, "RGBToHSV", "Pixels of red, green and blue as hue, saturation and value.",
        to_hsv_run, .grad = hsv_grad);
CONVERT(hsv_to_rgb, "HSVToRGB", "Pixels of hue, saturation and value as red, green and blue.",
        to_rgb_run, .no_grad = "TensorFlow has none");

#define ADJUST(id, op_name, text, arg, run_fn)                                                     \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"images: T", arg ": float"},                                                    \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: {half, float} = DT_FLOAT"},                                                  \
        .shape = adjust_shape,                                                                     \
        .no_grad = "undefined: TensorFlow registers none",                                         \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .types = {"T: {float}"}, .run = run_fn}
ADJUST(adjust_hue, "AdjustHue", "Turns the hue of pixels.", "delta", hue_run);
ADJUST(adjust_saturation, "AdjustSaturation", "Scales the saturation of pixels.", "scale",
       saturation_run);
