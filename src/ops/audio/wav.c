/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeWav and EncodeWav: WAV files of 16-bit samples, as strings (codec/wav.h). */
#include "codec/wav.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool fail_shape(struct status *st, const char *words, const struct shape *s, const char *end)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s%s", words, strbuf_text(&text), end);
    strbuf_release(&text);
    return false;
}

/* --- DecodeWav --- */

struct wanted { /* -1: as many as there are */
    int64_t channels, samples;
};

static bool decode_init(struct kernel *k, void *state, struct status *st)
{
    struct wanted *w = state;
    w->channels = attrs_int(k->attrs, "desired_channels");
    w->samples = attrs_int(k->attrs, "desired_samples");
    if (w->channels < -1)
        return status_invalid(st, "channels must be non-negative, got %lld",
                              (long long)w->channels);
    return w->samples >= -1 ||
           status_invalid(st, "samples must be non-negative, got %lld", (long long)w->samples);
}

/* Silence follows the last sample; channels that are not there are the last one again. */
static void fill(const struct wav_file *f, struct tensor *out)
{
    const int64_t channels = tensor_dim(out, 1);
    for (int64_t i = 0; i < out->num_elems; i++) {
        const int64_t frame = i / channels, channel = i % channels;
        tensor_f32(out)[i] =
            frame < f->num_frames
                ? wav_sample(f, frame, channel < f->num_channels ? channel : f->num_channels - 1)
                : 0;
    }
}

static bool decode_run(struct kctx *c, struct status *st)
{
    const struct wanted *want = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct wav_file f;
    if (tensor_rank(in) != 0)
        return fail_shape(st, "contents must be scalar, got shape ", &in->shape, "");
    if (!wav_open(tstr_view(tensor_str(in)), &f, st))
        return false;
    const int64_t dims[] = {want->samples < 0 ? f.num_frames : want->samples,
                            want->channels < 0 ? f.num_channels : want->channels};
    struct shape shape = shape_make(dims, 2), scalar = {0};
    struct tensor *audio = kernel_out(c, 0, &shape, st);
    struct tensor *rate = kernel_out(c, 1, &scalar, st);
    shape_clear(&shape);
    if (!audio || !rate)
        return false;
    fill(&f, audio);
    tensor_i32(rate)[0] = (int32_t)f.rate;
    return true;
}

static bool decode_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *scalar;
    const int64_t dims[] = {attrs_int(infer_attrs(c), "desired_samples"),
                            attrs_int(infer_attrs(c), "desired_channels")};
    if (!infer_want_rank(c, infer_input(c, 0), 0, &scalar, st))
        return false;
    if (dims[1] < -1)
        return status_invalid(st, "channels must be non-negative, got %lld", (long long)dims[1]);
    if (dims[0] < -1)
        return status_invalid(st, "samples must be non-negative, got %lld", (long long)dims[0]);
    infer_set(c, 0, infer_make(c, dims, 2));
    infer_set(c, 1, infer_scalar(c));
    return true;
}

OP_DEF(decode_wav) = {
    .name = "DecodeWav",
    .summary = "The samples of a WAV file of 16 bits, from -1 to 1, and their rate.",
    .inputs = {"contents: string"},
    .outputs = {"audio: float", "sample_rate: int32"},
    .attrs = {"desired_channels: int = -1", "desired_samples: int = -1"},
    .shape = decode_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(decode_wav_cpu) = {.op = "DecodeWav",
                              .device = "CPU",
                              .state_bytes = sizeof(struct wanted),
                              .init = decode_init,
                              .run = decode_run};

/* --- EncodeWav --- */

static bool encode_run(struct kctx *c, struct status *st)
{
    const struct tensor *audio = kernel_in(c, 0), *rate = kernel_in(c, 1);
    if (tensor_rank(audio) != 2)
        return fail_shape(st, "audio must be 2-dimensional", &audio->shape, "");
    if (tensor_rank(rate) != 0)
        return fail_shape(st, "Input sample_rate should be a scalar tensor, got ", &rate->shape,
                          " instead.");
    struct wav w = {.samples = tensor_f32(audio),
                    .num_frames = tensor_dim(audio, 0),
                    .num_channels = tensor_dim(audio, 1),
                    .rate = tensor_i32(rate)[0]};
    struct strbuf bytes = {0};
    struct shape scalar = {0};
    bool ok = audio->num_elems == 0 || w.rate > 0 ||
              status_invalid(st, "sample_rate must be in (0, 2^32), got: %llu",
                             (unsigned long long)w.rate);
    ok = ok && wav_encode(&w, &bytes, st);
    struct tensor *out = ok ? kernel_out(c, 0, &scalar, st) : NULL;
    ok = out && (tstr_set(tensor_str(out), bytes.p, bytes.n) ||
                 status_exhausted(st, "no memory for strings"));
    strbuf_release(&bytes);
    return ok;
}

static bool encode_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &s, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

OP_DEF(encode_wav) = {
    .name = "EncodeWav",
    .summary = "Samples from -1 to 1 as a WAV file of 16 bits.",
    .inputs = {"audio: float", "sample_rate: int32"},
    .outputs = {"contents: string"},
    .shape = encode_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(encode_wav_cpu) = {.op = "EncodeWav", .device = "CPU", .run = encode_run};
