/* SPDX-License-Identifier: Apache-2.0 */
/* Mfcc: mel-frequency cepstral coefficients. The squared strengths of a spectrogram are gathered
 * into channels that lie equally far apart on the mel scale (1127 log(1 + f / 700)), each a
 * triangle reaching to its neighbours' middles; the logarithms of these go through a cosine
 * transform (type II), of which the first coefficients are given. In double. */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"

struct mfcc {
    double low, high; /* limits in Hz */
    int64_t channels, coefficients;
};

struct bank { /* for spectra of one length */
    int64_t start, end, channels;
    int64_t *channel; /* of a bin between start and end: whose middle lies below it; -1: none */
    double *weight;   /* of a bin: how much of it belongs to that channel, the rest to the next */
    double *sums;     /* channels */
    double *cosines;  /* coefficients x channels */
};

static bool mfcc_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    *(struct mfcc *)state =
        (struct mfcc){.low = (double)attrs_float(k->attrs, "lower_frequency_limit"),
                      .high = (double)attrs_float(k->attrs, "upper_frequency_limit"),
                      .channels = attrs_int(k->attrs, "filterbank_channel_count"),
                      .coefficients = attrs_int(k->attrs, "dct_coefficient_count")};
    return true;
}

static double mel(double hz)
{
    return 1127 * log1p(hz / 700);
}

static void spread_bins(const struct mfcc *m, struct bank *b, double hz)
{
    const double low = mel(m->low), space = (mel(m->high) - low) / (double)(m->channels + 1);
    int64_t above = 0; /* the first channel whose middle lies at or above the bin */
    for (int64_t i = b->start; i <= b->end; i++) {
        const double at = mel((double)i * hz);
        while (above < m->channels && low + space * (double)(above + 1) < at)
            above++;
        b->channel[i] = above - 1;
        b->weight[i] = (low + space * (double)(above + 1) - at) / space;
    }
}

/* The tables for a spectrum of `bins`; a bank of start > end takes nothing in. */
static bool make_bank(struct kctx *c, const struct mfcc *m, int64_t bins, int32_t rate,
                      struct bank *b, struct status *st)
{
    const double hz = 0.5 * rate / (double)(bins - 1);
    int64_t cells, bytes;
    *b = (struct bank){.start = (int64_t)fmin(1.5 + m->low / hz, 1e15),
                       .end = (int64_t)fmin(m->high / hz, 1e15),
                       .channels = m->channels};
    if (!size_mul(m->channels, m->coefficients + 1, &cells) ||
        !size_mul(cells + 2 * bins, sizeof(double), &bytes))
        return status_exhausted(st, "Mfcc: tables of %lld channels", (long long)m->channels);
    double *p = kernel_scratch(c, bytes, st);
    if (!p)
        return false;
    b->weight = p;
    b->sums = p + bins;
    b->cosines = b->sums + m->channels;
    b->channel = (int64_t *)(void *)(b->cosines + m->channels * m->coefficients);
    if (b->end < bins)
        spread_bins(m, b, hz);
    const double norm = sqrt(2 / (double)m->channels), part = M_PI / (double)m->channels;
    for (int64_t i = 0; i < m->coefficients; i++) {
        for (int64_t j = 0; j < m->channels; j++)
            b->cosines[i * m->channels + j] = norm * cos((double)i * part * ((double)j + 0.5));
    }
    return true;
}

static void one_frame(const struct mfcc *m, const struct bank *b, const float *x, float *y)
{
    const double floor = 1e-12;
    memset(b->sums, 0, (size_t)b->channels * sizeof(double));
    for (int64_t i = b->start; i <= b->end; i++) {
        const double v = sqrt((double)x[i]), mine = v * b->weight[i];
        const int64_t channel = b->channel[i];
        if (channel >= 0)
            b->sums[channel] += mine;
        if (channel + 1 < b->channels)
            b->sums[channel + 1] += v - mine;
    }
    for (int64_t j = 0; j < b->channels; j++)
        b->sums[j] = log(b->sums[j] < floor ? floor : b->sums[j]);
    for (int64_t i = 0; i < m->coefficients; i++) {
        const double *cosines = b->cosines + i * b->channels;
        double sum = 0;
        for (int64_t j = 0; j < b->channels; j++)
            sum += cosines[j] * b->sums[j];
        y[i] = (float)sum;
    }
}

static bool fail_shape(struct status *st, const char *words, const struct shape *s, const char *end)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s%s", words, strbuf_text(&text), end);
    strbuf_release(&text);
    return false;
}

static bool mfcc_run(struct kctx *c, struct status *st)
{
    const struct mfcc *m = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0), *rate = kernel_in(c, 1);
    if (tensor_rank(in) != 3)
        return fail_shape(st, "spectrogram must be 3-dimensional", &in->shape, "");
    if (tensor_rank(rate) != 0)
        return fail_shape(st, "Input sample_rate should be a scalar tensor, got ", &rate->shape,
                          " instead.");
    const int64_t bins = tensor_dim(in, 2);
    const int32_t hz = tensor_i32(rate)[0];
    if (hz < 1 || bins < 2 || m->channels < 1 || m->coefficients < 1 ||
        m->coefficients > m->channels || !(m->low >= 0) || !(m->high > m->low))
        return status_invalid(st,
                              "Mfcc initialization failed for channel count %lld and sample "
                              "rate %d",
                              (long long)bins, hz);
    const int64_t dims[] = {tensor_dim(in, 0), tensor_dim(in, 1), m->coefficients};
    struct shape shape = shape_make(dims, 3);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    struct bank b;
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (!make_bank(c, m, bins, hz, &b, st))
        return false;
    const int64_t frames = dims[0] * dims[1];
    if (b.end >= bins) /* the limit lies beyond the spectrum */
        memset(out->data, 0, (size_t)out->num_elems * sizeof(float));
    for (int64_t i = 0; i < frames && b.end < bins; i++)
        one_frame(m, &b, tensor_f32(in) + i * bins, tensor_f32(out) + i * m->coefficients);
    return true;
}

static bool mfcc_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *rate;
    if (!infer_want_rank(c, infer_input(c, 0), 3, &in, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &rate, st))
        return false;
    const int64_t dims[] = {infer_dim(in, 0), infer_dim(in, 1),
                            attrs_int(infer_attrs(c), "dct_coefficient_count")};
    infer_set(c, 0, infer_make(c, dims, 3));
    return true;
}

OP_DEF(mfcc) = {
    .name = "Mfcc",
    .summary = "Mel-frequency cepstral coefficients of a spectrogram of squared strengths.",
    .inputs = {"spectrogram: float", "sample_rate: int32"},
    .outputs = {"output: float"},
    .attrs = {"upper_frequency_limit: float = 4000", "lower_frequency_limit: float = 20",
              "filterbank_channel_count: int = 40", "dct_coefficient_count: int = 13"},
    .shape = mfcc_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(mfcc_cpu) = {.op = "Mfcc",
                        .device = "CPU",
                        .state_bytes = sizeof(struct mfcc),
                        .init = mfcc_init,
                        .run = mfcc_run};
