/* SPDX-License-Identifier: Apache-2.0 */
/* DrawBoundingBoxes: frames of one pixel around boxes, in colours that take turns. */
#include <math.h>
#include <string.h>

#include "op/floats.h"
#include "op/infer.h"

static const float turns[][4] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1},
};

struct canvas {
    struct tensor *out;
    int64_t h, w, channels;
    const float *colours; /* rows of `columns` numbers; NULL: those above */
    int64_t num_colours, columns;
};

/* Truncated; what no image reaches is far outside of all. */
static int64_t pixel(float at)
{
    const float far = 1e15f;
    return at >= far ? (int64_t)far : at > -far ? (int64_t)at : -(int64_t)far;
}

static void put_pixel(const struct canvas *k, int64_t at, const float *colour)
{
    for (int64_t d = 0; d < k->channels; d++) {
        int64_t i = at * k->channels + d;
        if (k->out->dtype == DT_FLOAT)
            tensor_f32(k->out)[i] = colour[d];
        else
            ((struct f16 *)k->out->data)[i] = f16_from_f32(colour[d]);
    }
}

static void draw(const struct canvas *k, int64_t image, const float *box, const float *colour)
{
    int64_t top = pixel(box[0] * (float)(k->h - 1)), bottom = pixel(box[2] * (float)(k->h - 1));
    int64_t left = pixel(box[1] * (float)(k->w - 1)), right = pixel(box[3] * (float)(k->w - 1));
    if (top > bottom || left > right || top >= k->h || bottom < 0 || left >= k->w || right < 0)
        return;
    int64_t first = image * k->h * k->w;
    int64_t l = max_i64(left, 0), r = min_i64(right, k->w - 1);
    int64_t t = max_i64(top, 0), b = min_i64(bottom, k->h - 1);
    for (int64_t j = l; j <= r; j++) {
        if (top >= 0)
            put_pixel(k, first + top * k->w + j, colour);
        if (bottom < k->h)
            put_pixel(k, first + bottom * k->w + j, colour);
    }
    for (int64_t i = t; i <= b; i++) {
        if (left >= 0)
            put_pixel(k, first + i * k->w + left, colour);
        if (right < k->w)
            put_pixel(k, first + i * k->w + right, colour);
    }
}

static bool check_shapes(const struct kctx *c, struct canvas *k, struct status *st)
{
    const struct tensor *images = kernel_in(c, 0), *boxes = kernel_in(c, 1);
    if (tensor_rank(images) != 4)
        return status_invalid(st, "The rank of the images should be 4");
    if (tensor_rank(boxes) != 3)
        return status_invalid(st, "The rank of the boxes tensor should be 3");
    if (tensor_dim(boxes, 2) != 4)
        return status_bad_shape(st, "boxes must have 4 columns: ", &boxes->shape);
    if (tensor_dim(images, 0) != tensor_dim(boxes, 0))
        return status_invalid(st, "The batch sizes should be the same");
    *k = (struct canvas){.h = tensor_dim(images, 1), .w = tensor_dim(images, 2)};
    k->channels = tensor_dim(images, 3);
    if (k->channels != 1 && k->channels != 3 && k->channels != 4)
        return status_invalid(st, "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
    if (kernel_num_inputs(c) == 2)
        return true;
    const struct tensor *colours = kernel_in(c, 2);
    if (tensor_rank(colours) != 2)
        return status_bad_shape(st, "colors must be a 2-D matrix", &colours->shape);
    if (tensor_dim(colours, 1) < k->channels)
        return status_bad_shape(
            st,
            "colors must have equal or more channels than the image provided: ", &colours->shape);
    if (colours->num_elems) {
        k->colours = tensor_f32(colours);
        k->num_colours = tensor_dim(colours, 0);
        k->columns = tensor_dim(colours, 1);
    }
    return true;
}

static bool draw_run(struct kctx *c, struct status *st)
{
    static const float white = 1; /* the turns' of images that have but one channel */
    struct canvas k;
    if (!check_shapes(c, &k, st))
        return false;
    const struct tensor *images = kernel_in(c, 0), *boxes = kernel_in(c, 1);
    k.out = kernel_out(c, 0, &images->shape, st);
    if (!k.out || images->num_elems == 0)
        return k.out != NULL;
    memcpy(k.out->data, images->data, tensor_bytes(images));
    int64_t n = tensor_dim(boxes, 1);
    for (int64_t b = 0; b < tensor_dim(images, 0); b++) {
        for (int64_t i = 0; i < n; i++) {
            const float *colour = k.colours ? k.colours + i % k.num_colours * k.columns
                                            : turns[i % (int64_t)ARRAY_LEN(turns)];
            if (!k.colours && k.channels == 1)
                colour = &white;
            draw(&k, b, tensor_f32(boxes) + (b * n + i) * 4, colour);
        }
    }
    return true;
}

static bool draw_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *images, *boxes;
    if (infer_num_inputs(c) == 3 /* with colours: asked less */
            ? !infer_want_rank_min(c, infer_input(c, 0), 3, &images, st)
            : !infer_want_rank(c, infer_input(c, 0), 4, &images, st) ||
                  !infer_want_rank(c, infer_input(c, 1), 3, &boxes, st))
        return false;
    infer_set(c, 0, images);
    return true;
}

OP_DEF(draw_bounding_boxes) = {
    .name = "DrawBoundingBoxes",
    .summary = "Frames around boxes in images, in ten colours that take turns.",
    .inputs = {"images: T", "boxes: float"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, half} = DT_FLOAT"},
    .shape = draw_shape,
    .no_grad = "TensorFlow gives none",
};
KERNEL_DEF(draw_bounding_boxes_cpu) = {.op = "DrawBoundingBoxes", .device = "CPU", .run = draw_run};

OP_DEF(draw_bounding_boxes_v2) = {
    .name = "DrawBoundingBoxesV2",
    .summary = "Frames around boxes in images, in the given colours by turns.",
    .inputs = {"images: T", "boxes: float", "colors: float"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, half} = DT_FLOAT"},
    .shape = draw_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(draw_bounding_boxes_v2_cpu) = {
    .op = "DrawBoundingBoxesV2", .device = "CPU", .run = draw_run};
