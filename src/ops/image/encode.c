/* SPDX-License-Identifier: Apache-2.0 */
/* EncodePng, EncodeJpeg, EncodeJpegVariableQuality: pictures as files. */
/* needs: png, jpeg */
#include "codec/picture.h"
#include "codec/png.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool image_ok(const struct tensor *image, struct status *st)
{
    if (tensor_rank(image) == 3)
        return true;
    struct strbuf text = {0};
    shape_print(&image->shape, &text);
    status_invalid(st, "image must be 3-dimensional%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool deliver(struct kctx *c, bool ok, struct strbuf *bytes, struct status *st)
{
    struct shape scalar = {0};
    struct tensor *out = ok ? kernel_out(c, 0, &scalar, st) : NULL;
    ok = out && (tstr_set(tensor_str(out), bytes->p, bytes->n) ||
                 status_exhausted(st, "no memory for strings"));
    strbuf_release(bytes);
    return ok;
}

/* --- EncodePng --- */

static bool png_init(struct kernel *k, void *state, struct status *st)
{
    const int64_t level = attrs_int(k->attrs, "compression");
    *(int *)state = (int)level;
    return (level >= -1 && level <= 9) ||
           status_invalid(st, "compression should be in [-1,9], got %lld", (long long)level);
}

static bool png_run(struct kctx *c, struct status *st)
{
    const struct tensor *image = kernel_in(c, 0);
    struct strbuf bytes = {0};
    if (!image_ok(image, st))
        return false;
    const int64_t channels = tensor_dim(image, 2);
    if (image->num_elems == 0)
        return status_invalid(st, "image cannot be empty");
    if (channels < 1 || channels > 4)
        return status_invalid(st, "image must have 1, 2, 3, or 4 channels, got %lld",
                              (long long)channels);
    const struct picture p = {.pixels = image->data,
                              .height = tensor_dim(image, 0),
                              .width = tensor_dim(image, 1),
                              .channels = (int)channels,
                              .wide = image->dtype == DT_UINT16,
                              .compression = *(const int *)kernel_state(c)};
    return deliver(c, png_encode(&p, &bytes, st), &bytes, st);
}

/* --- EncodeJpeg --- */

static bool jpeg_init(struct kernel *k, void *state, struct status *st)
{
    struct jpeg_writing *w = state;
    const int64_t quality = attrs_int(k->attrs, "quality");
    const struct str format = attrs_string(k->attrs, "format");
    *w = (struct jpeg_writing){.channels = str_is(format, "grayscale") ? 1
                                           : str_is(format, "rgb")     ? 3
                                                                       : 0,
                               .quality = (int)quality,
                               .progressive = attrs_bool(k->attrs, "progressive"),
                               .optimize_size = attrs_bool(k->attrs, "optimize_size"),
                               .chroma_downsampling = attrs_bool(k->attrs, "chroma_downsampling"),
                               .per_inch = str_is(attrs_string(k->attrs, "density_unit"), "in"),
                               .x_density = (int)attrs_int(k->attrs, "x_density"),
                               .y_density = (int)attrs_int(k->attrs, "y_density"),
                               .xmp = attrs_string(k->attrs, "xmp_metadata")};
    return (quality >= 0 && quality <= 100) ||
           status_invalid(st, "quality must be in [0,100], got %lld", (long long)quality);
}

static bool jpeg_of(struct kctx *c, struct jpeg_writing w, struct status *st)
{
    const struct tensor *image = kernel_in(c, 0);
    struct strbuf bytes = {0};
    if (!image_ok(image, st))
        return false;
    const int64_t channels = tensor_dim(image, 2);
    if (w.channels == 0 && channels != 1 && channels != 3)
        return status_invalid(st, "image must have 1 or 3 channels, got %lld", (long long)channels);
    if (w.channels != 0 && channels != w.channels)
        return status_invalid(st, "format expects %d channels, got %lld", w.channels,
                              (long long)channels);
    w.pixels = image->data;
    w.height = tensor_dim(image, 0);
    w.width = tensor_dim(image, 1);
    w.channels = (int)channels;
    return deliver(c, jpeg_encode(&w, &bytes, st), &bytes, st);
}

static bool jpeg_run(struct kctx *c, struct status *st)
{
    return jpeg_of(c, *(const struct jpeg_writing *)kernel_state(c), st);
}

static bool variable_run(struct kctx *c, struct status *st)
{
    const struct tensor *quality = kernel_in(c, 1);
    if (tensor_rank(quality) != 0)
        return status_invalid(st, "quality must be scalar, got %d dims", tensor_rank(quality));
    const struct jpeg_writing w = {.quality = tensor_i32(quality)[0],
                                   .chroma_downsampling = true,
                                   .per_inch = true,
                                   .x_density = 300,
                                   .y_density = 300};
    if (w.quality < 0 || w.quality > 100)
        return status_invalid(st, "quality must be in [0,100], got %d", w.quality);
    return jpeg_of(c, w, st);
}

static bool encode_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 3, &s, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

static bool variable_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return encode_shape(c, st) && infer_want_rank(c, infer_input(c, 1), 0, &s, st);
}

OP_DEF(encode_png) = {
    .name = "EncodePng",
    .summary = "A picture of 1 to 4 channels as a PNG file.",
    .inputs = {"image: T"},
    .outputs = {"contents: string"},
    .attrs = {"compression: int = -1", "T: {uint8, uint16} = DT_UINT8"},
    .shape = encode_shape,
    .no_grad = "undefined: files have no gradient",
};
OP_DEF(encode_jpeg) = {
    .name = "EncodeJpeg",
    .summary = "A picture of 1 or 3 channels as a JPEG file.",
    .inputs = {"image: uint8"},
    .outputs = {"contents: string"},
    .attrs = {"format: {'', 'grayscale', 'rgb'} = ''", "quality: int = 95",
              "progressive: bool = false", "optimize_size: bool = false",
              "chroma_downsampling: bool = true", "density_unit: {'in', 'cm'} = 'in'",
              "x_density: int = 300", "y_density: int = 300", "xmp_metadata: string = ''"},
    .shape = encode_shape,
    .no_grad = "undefined: files have no gradient",
};
OP_DEF(encode_jpeg_variable_quality) = {
    .name = "EncodeJpegVariableQuality",
    .summary = "A picture of 1 or 3 channels as a JPEG file of a quality from 0 to 100.",
    .inputs = {"images: uint8", "quality: int32"},
    .outputs = {"contents: string"},
    .shape = variable_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(encode_png_cpu) = {.op = "EncodePng",
                              .device = "CPU",
                              .types = {"T: {uint8, uint16}"},
                              .state_bytes = sizeof(int),
                              .init = png_init,
                              .run = png_run};
KERNEL_DEF(encode_jpeg_cpu) = {.op = "EncodeJpeg",
                               .device = "CPU",
                               .state_bytes = sizeof(struct jpeg_writing),
                               .init = jpeg_init,
                               .run = jpeg_run};
KERNEL_DEF(encode_jpeg_variable_quality_cpu) = {
    .op = "EncodeJpegVariableQuality", .device = "CPU", .run = variable_run};
