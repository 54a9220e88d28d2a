/* SPDX-License-Identifier: Apache-2.0 */
/* AdjustContrastv2 and the former AdjustContrast: how far each channel of an image lies from its
 * mean is scaled. */
#include <math.h>

#include "op/floats.h"
#include "op/infer.h"

struct contrast {
    const float *x;
    float *y;
    int64_t pixels, channels;
    float factor, low, high; /* results are kept between the last two */
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
            for (int64_t i = ch; i < size; i += k->channels) {
                float v = (x[i] - mean) * k->factor + mean;
                y[i] = v < k->low ? k->low : v > k->high ? k->high : v;
            }
        }
    }
}

static bool contrast_run(struct kctx *c, struct status *st)
{
    static const char *const names[] = {"contrast_factor", "min_value", "max_value"};
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in);
    struct contrast k = {.low = -INFINITY, .high = INFINITY};
    float *const scalars[] = {&k.factor, &k.low, &k.high};
    if (rank < 3)
        return status_bad_shape(st, "input must be at least 3-D, got shape", &in->shape);
    for (int i = 1; i < kernel_num_inputs(c); i++) {
        if (tensor_rank(kernel_in(c, i)) != 0) {
            status_bad_shape(st, " must be scalar: ", &kernel_in(c, i)->shape);
            status_prepend(st, "%s", names[i - 1]);
            return false;
        }
        *scalars[i - 1] = tensor_f32(kernel_in(c, i))[0];
    }
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out || in->num_elems == 0)
        return out != NULL;
    k.x = kernel_floats(c, in, st);
    k.y = tensor_f32(out);
    k.pixels = tensor_dim(in, rank - 3) * tensor_dim(in, rank - 2);
    k.channels = tensor_dim(in, rank - 1);
    if (!k.x)
        return false;
    int64_t size = k.pixels * k.channels;
    kernel_loop(c, in->num_elems / size, 2 * (double)size, adjust_images, &k);
    return true;
}

static bool contrast_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *scalar;
    for (int i = 1; i < infer_num_inputs(c); i++) {
        if (!infer_want_rank(c, infer_input(c, i), 0, &scalar, st))
            return false;
    }
    if (!infer_want_rank_min(c, infer_input(c, 0), 3, &s, st))
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

OP_DEF(adjust_contrast) = {
    .name = "AdjustContrast",
    .summary = "As AdjustContrastv2, of more types, kept between two values.",
    .inputs = {"images: T", "contrast_factor: float", "min_value: float", "max_value: float"},
    .outputs = {"output: float"},
    .attrs = {"T: {uint8, int8, int16, int32, int64, float, double}"},
    .deprecated_at = 2,
    .deprecated_why = "Use AdjustContrastv2 instead",
    .shape = contrast_shape,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has none for int64",
};
KERNEL_DEF(adjust_contrast_cpu) = {.op = "AdjustContrast",
                                   .device = "CPU",
                                   .types = {"T: {uint8, int8, int16, int32, float, double}"},
                                   .run = contrast_run};
