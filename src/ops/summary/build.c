/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, sounds and tensors as values of a Summary. */
#include "ops/summary/build.h"

#include <math.h>

#include "codec/wav.h"
#include "op/tensor_proto.h"

double summary_number(const struct tensor *t, int64_t i)
{
#define NUMBER(id, type)                                                                           \
    case DT_##id:                                                                                  \
        return (double)((const type *)t->data)[i];
    switch (t->dtype) {
        NUMBER(FLOAT, float)
        NUMBER(DOUBLE, double)
        NUMBER(INT8, int8_t)
        NUMBER(UINT8, uint8_t)
        NUMBER(INT16, int16_t)
        NUMBER(UINT16, uint16_t)
        NUMBER(INT32, int32_t)
        NUMBER(UINT32, uint32_t)
        NUMBER(INT64, int64_t)
        NUMBER(UINT64, uint64_t)
    case DT_HALF:
        return f16_to_f32(((const struct f16 *)t->data)[i]);
    case DT_BFLOAT16:
        return bf16_to_f32(((const struct bf16 *)t->data)[i]);
    default:
        return NAN;
    }
#undef NUMBER
}

void summary_add_scalar(struct summary_to *s, struct str tag, float value)
{
    struct pb_summary_value *v = pb_summary_value_add(s->arena, &s->message->value);
    v->tag = pb_str_dup(s->arena, tag);
    v->which_value = 2;
    v->simple_value = value;
}

bool summary_add_audio(struct summary_to *s, const struct summary_audio *in, struct status *st)
{
    const struct tensor *t = in->audio;
    if (tensor_rank(t) != 2 && tensor_rank(t) != 3) {
        struct strbuf text = {0};
        shape_print(&t->shape, &text);
        status_invalid(st, "Tensor must be 3-D or 2-D, got: %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    if (!(in->rate > 0) || in->rate > 1e9f)
        return status_invalid(st, "sample_rate must be > 0");
    int64_t n = min_i64(in->max_outputs, tensor_dim(t, 0));
    struct wav w = {.num_frames = tensor_dim(t, 1),
                    .num_channels = tensor_rank(t) == 3 ? tensor_dim(t, 2) : 1,
                    .rate = max_i64(lrintf(in->rate), 1)};
    for (int64_t i = 0; i < n; i++) {
        struct strbuf bytes = {0};
        struct pb_summary_value *v = pb_summary_value_add(s->arena, &s->message->value);
        w.samples = tensor_f32(t) + i * w.num_frames * w.num_channels;
        v->tag = str_of(
            in->max_outputs > 1
                ? arena_printf(s->arena, "%.*s/audio/%lld", (int)in->tag.n, in->tag.p, (long long)i)
                : arena_printf(s->arena, "%.*s/audio", (int)in->tag.n, in->tag.p));
        v->which_value = 6;
        v->audio = pb_summary_audio_new(s->arena);
        v->audio->sample_rate = in->rate;
        v->audio->num_channels = w.num_channels;
        v->audio->length_frames = w.num_frames;
        v->audio->content_type = str_of("audio/wav");
        bool ok = wav_encode(&w, &bytes, st);
        v->audio->encoded_audio_string = pb_str_dup(s->arena, str_make(bytes.p, bytes.n));
        strbuf_release(&bytes);
        if (!ok)
            return false;
    }
    return true;
}

void summary_add_tensor(struct summary_to *s, struct str tag, const struct tensor *t,
                        const struct str *metadata)
{
    struct pb_summary_value *v = pb_summary_value_add(s->arena, &s->message->value);
    v->tag = pb_str_dup(s->arena, tag);
    v->which_value = 8;
    v->tensor = tensor_to_proto_raw(s->arena, t);
    if (metadata) {
        struct status st = {0};
        if (!pb_summary_metadata_decode(s->arena, metadata->p, metadata->n, 0, &v->metadata, &st))
            v->metadata = pb_summary_metadata_new(s->arena);
        status_clear(&st);
    }
}

bool summary_tag(const struct kctx *c, int i, const char *words, struct str *tag, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (tensor_rank(t) != 0)
        return status_invalid(st, "%s", words);
    *tag = tstr_view(&tensor_str(t)[0]);
    return true;
}
