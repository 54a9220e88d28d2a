/* SPDX-License-Identifier: Apache-2.0 */
/* AudioSpectrogram: the strengths of the frequencies in windows that slide over a sound. A window
 * is shaped by half a turn of a cosine (Hann's, periodic), filled up with zeros to a power of two
 * and transformed in double. */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"

struct spectrogram {
    int64_t window, stride, length; /* length: the power of two */
    bool squared;
};

static int64_t power_of_two(int64_t n)
{
    int64_t p = 1;
    while (p < n && p <= INT32_MAX)
        p *= 2;
    return p;
}

static int64_t num_windows(const struct spectrogram *s, int64_t samples)
{
    return samples < s->window ? 0 : 1 + (samples - s->window) / s->stride;
}

static bool spectrogram_init(struct kernel *k, void *state, struct status *st)
{
    struct spectrogram *s = state;
    s->window = attrs_int(k->attrs, "window_size");
    s->stride = attrs_int(k->attrs, "stride");
    s->squared = attrs_bool(k->attrs, "magnitude_squared");
    if (s->window < 2 || s->stride < 1 || s->window > INT32_MAX || s->stride > INT32_MAX)
        return status_invalid(st,
                              "Spectrogram initialization failed for window size %lld and stride "
                              "%lld",
                              (long long)s->window, (long long)s->stride);
    s->length = power_of_two(s->window);
    return true;
}

struct tables {
    double *hann;      /* window */
    double *cos, *sin; /* length / 2: of the turn's parts */
    double *re, *im;   /* length: the line in work */
};

static bool make_tables(struct kctx *c, const struct spectrogram *s, struct tables *t,
                        struct status *st)
{
    const int64_t n = s->length;
    double *p = kernel_scratch(c, (int64_t)sizeof(double) * (s->window + 3 * n), st);
    if (!p)
        return false;
    *t = (struct tables){p, p + s->window, p + s->window + n / 2, p + s->window + n,
                         p + s->window + 2 * n};
    for (int64_t i = 0; i < s->window; i++)
        t->hann[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)s->window);
    for (int64_t i = 0; i < n / 2; i++) {
        t->cos[i] = cos(2 * M_PI * (double)i / (double)n);
        t->sin[i] = -sin(2 * M_PI * (double)i / (double)n);
    }
    return true;
}

static void reverse_bits(struct tables *t, int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) { /* the imaginary part is zero yet */
            double swapped = t->re[i];
            t->re[i] = t->re[j];
            t->re[j] = swapped;
        }
    }
}

/* The Fourier transform of re, whose im is 0: halves first (Cooley and Tukey). */
static void transform(struct tables *t, int64_t n)
{
    reverse_bits(t, n);
    for (int64_t half = 1; half < n; half *= 2) {
        const int64_t step = n / 2 / half;
        for (int64_t from = 0; from < n; from += 2 * half) {
            for (int64_t k = 0; k < half; k++) {
                const int64_t a = from + k, b = a + half;
                const double c = t->cos[k * step], s = t->sin[k * step];
                const double re = t->re[b] * c - t->im[b] * s, im = t->re[b] * s + t->im[b] * c;
                t->re[b] = t->re[a] - re;
                t->im[b] = t->im[a] - im;
                t->re[a] += re;
                t->im[a] += im;
            }
        }
    }
}

/* One window of one channel, samples `channels` apart. */
static void one_window(const struct spectrogram *s, struct tables *t, const float *x,
                       int64_t channels, float *y)
{
    for (int64_t i = 0; i < s->window; i++)
        t->re[i] = (double)x[i * channels] * t->hann[i];
    memset(t->re + s->window, 0, (size_t)(s->length - s->window) * sizeof(double));
    memset(t->im, 0, (size_t)s->length * sizeof(double));
    transform(t, s->length);
    for (int64_t i = 0; i <= s->length / 2; i++) {
        const double square = t->re[i] * t->re[i] + t->im[i] * t->im[i];
        y[i] = (float)(s->squared ? square : sqrt(square));
    }
}

static bool spectrogram_run(struct kctx *c, struct status *st)
{
    const struct spectrogram *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) != 2) {
        struct strbuf text = {0};
        shape_print(&in->shape, &text);
        status_invalid(st, "input must be 2-dimensional%s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    const int64_t channels = tensor_dim(in, 1), bins = s->length / 2 + 1;
    const int64_t dims[] = {channels, num_windows(s, tensor_dim(in, 0)), bins};
    struct shape shape = shape_make(dims, 3);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    struct tables t;
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (!make_tables(c, s, &t, st))
        return false;
    float *y = tensor_f32(out);
    for (int64_t ch = 0; ch < channels; ch++) {
        for (int64_t w = 0; w < dims[1]; w++, y += bins)
            one_window(s, &t, tensor_f32(in) + w * s->stride * channels + ch, channels, y);
    }
    return true;
}

static bool spectrogram_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &in, st))
        return false;
    const struct attrs *a = infer_attrs(c);
    struct spectrogram s = {.window = attrs_int(a, "window_size"),
                            .stride = attrs_int(a, "stride")};
    const int64_t samples = infer_dim(in, 0);
    const bool known = samples >= 0 && s.stride > 0 && s.window > 0;
    const int64_t dims[] = {infer_dim(in, 1), known ? num_windows(&s, samples) : -1,
                            power_of_two(s.window) / 2 + 1};
    infer_set(c, 0, infer_make(c, dims, 3));
    return true;
}

OP_DEF(audio_spectrogram) = {
    .name = "AudioSpectrogram",
    .summary = "Strengths of the frequencies in windows over a sound, channel by channel.",
    .inputs = {"input: float"},
    .outputs = {"spectrogram: float"},
    .attrs = {"window_size: int", "stride: int", "magnitude_squared: bool = false"},
    .shape = spectrogram_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(audio_spectrogram_cpu) = {.op = "AudioSpectrogram",
                                     .device = "CPU",
                                     .state_bytes = sizeof(struct spectrogram),
                                     .init = spectrogram_init,
                                     .run = spectrogram_run};
