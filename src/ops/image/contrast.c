/* SPDX-License-Identifier: Apache-2.0 */
/* AdjustContrastv2: scales how far each channel of an image lies from its mean. */
#include "op/infer.h"
#include "op/kernel.h"

struct contrast {
    const float *x;
    float *y;
    int64_t pixels, channels;
    float factor;
};

/* Images [begin, end); the sums are in double, so they do not depend on how they are split. */
static void adjust_images(void *arg, int64_t begin, int64_t end)
{
    const struct contrast *k = arg;
    int64_t size = k->pixels * k->channels;
    for (int64_t b = begin; b < end; b++) {
        const float *x = k->x + b * size;
        float *y = k->y + b * size;
        for (int64_t ch = 0; ch < k->channels; ch++) {
            double sum = 0;
            for (int64_t i = ch; i < size; i += k->channels)
                sum += x[i];
            float mean = (float)(sum / (double)k->pixels);
            for (int64_t i = ch; i < size; i += k->channels)
                y[i] = (x[i] - mean) * k->factor + mean;
        }
    }
}

static bool contrast_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *factor = kernel_in(c, 1);
    int rank = tensor_rank(in);
    struct strbuf text = {0};
    if (rank < 3 || tensor_rank(factor) != 0) {
        shape_print(rank < 3 ? &in->shape : &factor->shape, &text);
        status_invalid(st, "%s%s",
                       rank < 3 ? "input must be at least 3-D, got shape"
                                : "contrast_factor must be scalar: ",
                       strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out || in->num_elems == 0)
        return out != NULL;
    struct contrast k = {tensor_f32(in), tensor_f32(out),
                         tensor_dim(in, rank - 3) * tensor_dim(in, rank - 2),
                         tensor_dim(in, rank - 1), tensor_f32(factor)[0]};
    int64_t size = k.pixels * k.channels;
    kernel_loop(c, in->num_elems / size, 2 * (double)size, adjust_images, &k);
    return true;
}

static bool contrast_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *factor;
    if (!infer_want_rank_min(c, infer_input(c, 0), 3, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &factor, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(adjust_contrastv2) = {
    .name = "AdjustContrastv2",
    .summary = "Scales how far each channel of an image lies from its mean.",
    .inputs = {"images: T", "contrast_factor: float"},
    .outputs = {"output: T"},
    .attrs = {"T: {half, float} = DT_FLOAT"},
    .shape = contrast_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(adjust_contrastv2_cpu) = {
    .op = "AdjustContrastv2", .device = "CPU", .types = {"T: {float}"}, .run = contrast_run};
