/* SPDX-License-Identifier: Apache-2.0 */
/* The ops that give out a Summary message: ScalarSummary, HistogramSummary, ImageSummary,
 * AudioSummary, TensorSummary, MergeSummary. */
#include "base/map.h"
#include "op/infer.h"
#include "ops/summary/build.h"

#define NO_GRAD "a summary has no gradient"

/* --- the message as output 0 --- */

static struct summary_to begin(struct arena *a)
{
    return (struct summary_to){a, pb_summary_new(a)};
}

/* Writes it out if `ok`; releases the arena. */
static bool finish(struct kctx *c, struct summary_to *s, bool ok, struct status *st)
{
    struct strbuf bytes = {0};
    struct tensor *out = ok ? kernel_out(c, 0, &(struct shape){.rank = 0}, st) : NULL;
    ok = out && pb_encode(s->message, &bytes, st);
    if (ok && !tstr_set(&tensor_str(out)[0], strbuf_text(&bytes), bytes.n))
        ok = status_exhausted(st, "no memory for a summary of %zu bytes", bytes.n);
    strbuf_release(&bytes);
    arena_release(s->arena);
    return ok;
}

/* --- scalars --- */

static bool different(const struct tensor *tags, const struct tensor *values, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    struct str tag = tags->num_elems ? tstr_view(&tensor_str(tags)[0]) : str_of("");
    shape_print(&tags->shape, &a);
    shape_print(&values->shape, &b);
    status_invalid(st, "tags and values not the same shape: %s != %s", strbuf_text(&a),
                   strbuf_text(&b));
    if (tags->num_elems == 1)
        status_append(st, " (tag '%.*s')", (int)min_i64((int64_t)tag.n, 200), tag.p);
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool scalar_run(struct kctx *c, struct status *st)
{
    const struct tensor *tags = kernel_in(c, 0), *values = kernel_in(c, 1);
    if (!shape_equal(&tags->shape, &values->shape))
        return different(tags, values, st);
    struct arena a = {0};
    struct summary_to s = begin(&a);
    for (int64_t i = 0; i < values->num_elems; i++)
        summary_add_scalar(&s, tstr_view(&tensor_str(tags)[i]), (float)summary_number(values, i));
    return finish(c, &s, true, st);
}

OP_DEF(scalar_summary) = {
    .name = "ScalarSummary",
    .summary = "A Summary message of scalars, each with its tag.",
    .inputs = {"tags: string", "values: T"},
    .outputs = {"summary: string"},
    .attrs = {"T: realnumbertype"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(scalar_summary_cpu) = {
    .op = "ScalarSummary",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .run = scalar_run,
};

/* --- histograms --- */

static bool histogram_run(struct kctx *c, struct status *st)
{
    struct str tag;
    if (!summary_tag(c, 0, "tags must be scalar", &tag, st))
        return false;
    struct arena a = {0};
    struct summary_to s = begin(&a);
    bool ok = summary_add_histogram(&s, tag, kernel_in(c, 1), c->kernel->node_name, st);
    return finish(c, &s, ok, st);
}

OP_DEF(histogram_summary) = {
    .name = "HistogramSummary",
    .summary = "A Summary message with a histogram of the values.",
    .inputs = {"tag: string", "values: T"},
    .outputs = {"summary: string"},
    .attrs = {"T: realnumbertype = DT_FLOAT"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(histogram_summary_cpu) = {
    .op = "HistogramSummary",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .run = histogram_run,
};

/* --- images --- */

struct image_state {
    int64_t max_images;
    const struct tensor *bad_color; /* the kernel's attr */
};

static bool image_init(struct kernel *k, void *state, struct status *st)
{
    struct image_state *s = state;
    s->max_images = attrs_int(k->attrs, "max_images");
    if (!attrs_get_tensor(k->attrs, "bad_color", &s->bad_color, st))
        return false;
    if (s->bad_color->dtype != DT_UINT8)
        return status_invalid(st, "bad_color must be uint8, got %s",
                              dtype_name(s->bad_color->dtype));
    if (tensor_rank(s->bad_color) != 1) {
        struct strbuf text = {0};
        shape_print(&s->bad_color->shape, &text);
        status_invalid(st, "bad_color must be a vector, got shape %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    return true;
}

static bool image_run(struct kctx *c, struct status *st)
{
    const struct image_state *state = kernel_state(c);
    struct summary_images in = {
        .images = kernel_in(c, 1), .bad_color = state->bad_color, .max_images = state->max_images};
    if (!summary_tag(c, 0, "Tags must be a scalar", &in.tag, st))
        return false;
    struct arena a = {0};
    struct summary_to s = begin(&a);
    return finish(c, &s, summary_add_images(&s, &in, c, st), st);
}

OP_DEF(image_summary) = {
    .name = "ImageSummary",
    .summary = "A Summary message with pictures, as PNG.",
    .inputs = {"tag: string", "tensor: T"},
    .outputs = {"summary: string"},
    .attrs = {"max_images: int >= 1 = 3", "T: {uint8, float, half, double} = DT_FLOAT",
              "bad_color: tensor = { dtype: DT_UINT8 tensor_shape { dim { size: 4 } } int_val: "
              "255 int_val: 0 int_val: 0 int_val: 255}"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(image_summary_cpu) = {
    .op = "ImageSummary",
    .device = "CPU",
    .flags = KERNEL_EXPENSIVE,
    .state_bytes = sizeof(struct image_state),
    .init = image_init,
    .run = image_run,
};

/* --- sounds --- */

static bool audio(struct kctx *c, float rate, struct status *st)
{
    struct summary_audio in = {.audio = kernel_in(c, 1),
                               .rate = rate,
                               .max_outputs = attrs_int(kernel_attrs(c), "max_outputs")};
    if (!summary_tag(c, 0, "Tag must be a scalar", &in.tag, st))
        return false;
    struct arena a = {0};
    struct summary_to s = begin(&a);
    return finish(c, &s, summary_add_audio(&s, &in, st), st);
}

static bool audio_run(struct kctx *c, struct status *st)
{
    return audio(c, attrs_float(kernel_attrs(c), "sample_rate"), st);
}

static bool audio_v2_run(struct kctx *c, struct status *st)
{
    const struct tensor *rate = kernel_in(c, 2);
    if (rate->num_elems != 1)
        return status_invalid(st, "sample_rate must be a scalar");
    return audio(c, tensor_f32(rate)[0], st);
}

OP_DEF(audio_summary) = {
    .name = "AudioSummary",
    .summary = "A Summary message with sounds, as WAV.",
    .inputs = {"tag: string", "tensor: float"},
    .outputs = {"summary: string"},
    .attrs = {"sample_rate: float", "max_outputs: int >= 1 = 3"},
    .deprecated_at = 15,
    .deprecated_why = "Use AudioSummaryV2.",
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(audio_summary_cpu) = {
    .op = "AudioSummary", .device = "CPU", .flags = KERNEL_EXPENSIVE, .run = audio_run};

OP_DEF(audio_summary_v2) = {
    .name = "AudioSummaryV2",
    .summary = "A Summary message with sounds, as WAV.",
    .inputs = {"tag: string", "tensor: float", "sample_rate: float"},
    .outputs = {"summary: string"},
    .attrs = {"max_outputs: int >= 1 = 3"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(audio_summary_v2_cpu) = {
    .op = "AudioSummaryV2", .device = "CPU", .flags = KERNEL_EXPENSIVE, .run = audio_v2_run};

/* --- tensors --- */

static bool tensor_run(struct kctx *c, struct status *st)
{
    struct arena a = {0};
    struct summary_to s = begin(&a);
    summary_add_tensor(&s, str_of(""), kernel_in(c, 0), NULL);
    s.message->value.v[0]->node_name = str_of(c->kernel->node_name);
    return finish(c, &s, true, st);
}

OP_DEF(tensor_summary) = {
    .name = "TensorSummary",
    .summary = "A Summary message with a tensor, named after the node.",
    .inputs = {"tensor: T"},
    .outputs = {"summary: string"},
    .attrs = {"T: type", "description: string = ''", "labels: list(string) = []",
              "display_name: string = ''"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(tensor_summary_cpu) = {.op = "TensorSummary", .device = "CPU", .run = tensor_run};

static bool tensor_v2_run(struct kctx *c, struct status *st)
{
    struct str tag, metadata;
    if (!summary_tag(c, 0, "tag must be scalar", &tag, st) ||
        !summary_tag(c, 2, "serialized_summary_metadata must be scalar", &metadata, st))
        return false;
    struct arena a = {0};
    struct summary_to s = begin(&a);
    summary_add_tensor(&s, tag, kernel_in(c, 1), &metadata);
    return finish(c, &s, true, st);
}

OP_DEF(tensor_summary_v2) = {
    .name = "TensorSummaryV2",
    .summary =
        "A Summary message with a tensor, a tag, and metadata for the plug-in that shows it.",
    .inputs = {"tag: string", "tensor: T", "serialized_summary_metadata: string"},
    .outputs = {"summary: string"},
    .attrs = {"T: type"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(tensor_summary_v2_cpu) = {
    .op = "TensorSummaryV2", .device = "CPU", .run = tensor_v2_run};

/* --- MergeSummary --- */

static bool merge_one(struct summary_to *s, struct strmap *tags, struct str bytes,
                      struct status *st)
{
    struct status why = {0};
    struct pb_summary *m;
    if (!pb_summary_decode(s->arena, bytes.p, bytes.n, PB_BORROW, &m, &why)) {
        status_clear(&why);
        return status_invalid(st, "Could not parse one of the summary inputs");
    }
    for (int64_t i = 0; i < m->value.n; i++) {
        struct str tag = m->value.v[i]->tag;
        if (tag.n && strmap_put_n(tags, tag.p, tag.n, s))
            return status_invalid(st, "Duplicate tag %.*s found in summary inputs",
                                  (int)min_i64((int64_t)tag.n, 200), tag.p);
        *pb_summary_value_add(s->arena, &s->message->value) = *m->value.v[i];
    }
    return true;
}

static bool merge_run(struct kctx *c, struct status *st)
{
    struct arena a = {0};
    struct summary_to s = begin(&a);
    struct strmap tags = {0};
    bool ok = true;
    for (int k = 0; k < kernel_num_inputs(c); k++) {
        const struct tensor *t = kernel_in(c, k);
        for (int64_t i = 0; ok && i < t->num_elems; i++)
            ok = merge_one(&s, &tags, tstr_view(&tensor_str(t)[i]), st);
    }
    strmap_release(&tags);
    return finish(c, &s, ok, st);
}

OP_DEF(merge_summary) = {
    .name = "MergeSummary",
    .summary = "One Summary message with the values of all, whose tags must differ.",
    .inputs = {"inputs: N * string"},
    .outputs = {"summary: string"},
    .attrs = {"N: int >= 1"},
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(merge_summary_cpu) = {.op = "MergeSummary", .device = "CPU", .run = merge_run};
