/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeBmp: the pixels of a BMP file of 8, 24 or 32 bits. */
#include "codec/picture.h"
#include "op/infer.h"
#include "op/kernel.h"

static void *room_of(void *arg, const struct picture_size *s, struct status *st)
{
    const int64_t dims[] = {s->height, s->width, s->channels};
    struct shape shape = shape_make(dims, 3);
    struct tensor *out = kernel_out(arg, 0, &shape, st);
    shape_clear(&shape);
    return out ? out->data : NULL;
}

static bool decode_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct picture_room room = {room_of, c};
    if (tensor_rank(in) != 0)
        return status_invalid(st, "contents must be scalar, got %d dims", tensor_rank(in));
    return bmp_decode(tstr_view(tensor_str(in)), *(const int *)kernel_state(c), room, st);
}

static bool decode_init(struct kernel *k, void *state, struct status *st)
{
    const int64_t channels = attrs_int(k->attrs, "channels");
    *(int *)state = (int)channels;
    return channels == 0 || channels == 1 || channels == 3 || channels == 4 ||
           status_invalid(st, "channels must be 0, 1, 3 or 4, got %lld", (long long)channels);
}

static bool decode_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    const int64_t channels = attrs_int(infer_attrs(c), "channels");
    const int64_t dims[] = {-1, -1, channels == 0 ? -1 : channels};
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st))
        return false;
    if (channels < 0)
        return status_invalid(st, "channels must be non-negative, got %lld", (long long)channels);
    infer_set(c, 0, infer_make(c, dims, 3));
    return true;
}

OP_DEF(decode_bmp) = {
    .name = "DecodeBmp",
    .summary = "The pixels of a BMP file.",
    .inputs = {"contents: string"},
    .outputs = {"image: uint8"},
    .attrs = {"channels: int = 0"},
    .shape = decode_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(decode_bmp_cpu) = {.op = "DecodeBmp",
                              .device = "CPU",
                              .state_bytes = sizeof(int),
                              .init = decode_init,
                              .run = decode_run};
