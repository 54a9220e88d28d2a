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

static bool hsv_grad(struct grad_ctx *g, struct status *st)
{
    return grad_fail(g, st, STATUS_UNIMPLEMENTED, "the gradient of RGBToHSV is not implemented");
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
