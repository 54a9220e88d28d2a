/* SPDX-License-Identifier: Apache-2.0 */
/* ImageProjectiveTransformV2: each pixel of the result is looked up where a projective map sends
 * its place: (x, y) comes from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y +
 * 1. Places outside of the image are 0. A row of pixels is a piece of work. */
#include <math.h>
#include <string.h>

#include "op/floats.h"
#include "op/infer.h"

enum { NUM_PARAMS = 8 };

struct projective { /* a kernel's state */
    bool bilinear;
};

struct warp { /* one run; x and y are floats where it is bilinear */
    const void *x;
    const float *maps;
    void *y;
    size_t elem_bytes;
    int64_t h, w, c, out_h, out_w;
    bool one_map, bilinear;
};

static bool read_interpolation(const struct attrs *attrs, bool *bilinear, struct status *st)
{
    struct str name = attrs_string(attrs, "interpolation");
    *bilinear = str_is(name, "BILINEAR");
    return *bilinear || str_is(name, "NEAREST") ||
           status_invalid(st, "Invalid interpolation %.*s. Supported types: NEAREST, BILINEAR",
                          (int)name.n, name.p);
}

static bool projective_init(struct kernel *k, void *state, struct status *st)
{
    struct projective *p = state;
    return read_interpolation(k->attrs, &p->bilinear, st);
}

/* The pixel at a whole place of an image, or NULL outside of it (and for what is not a number). */
static const void *pixel_at(const struct warp *a, const char *image, float row, float col)
{
    if (!(row >= 0 && row < (float)a->h && col >= 0 && col < (float)a->w))
        return NULL;
    return image + (size_t)(((int64_t)row * a->w + (int64_t)col) * a->c) * a->elem_bytes;
}

static void look_up_bilinear(const struct warp *a, const char *image, float *to, float row,
                             float col)
{
    float top = floorf(row), left = floorf(col), bottom = top + 1, right = left + 1;
    const float *nw = pixel_at(a, image, top, left), *ne = pixel_at(a, image, top, right);
    const float *sw = pixel_at(a, image, bottom, left), *se = pixel_at(a, image, bottom, right);
    for (int64_t i = 0; i < a->c; i++) {
        float above = (right - col) * (nw ? nw[i] : 0) + (col - left) * (ne ? ne[i] : 0);
        float below = (right - col) * (sw ? sw[i] : 0) + (col - left) * (se ? se[i] : 0);
        to[i] = (bottom - row) * above + (row - top) * below;
    }
}

static void look_up(const struct warp *a, const char *image, void *to, float row, float col)
{
    const void *from;
    if (!isfinite(row) || !isfinite(col))
        memset(to, 0, (size_t)a->c * a->elem_bytes);
    else if (a->bilinear)
        look_up_bilinear(a, image, to, row, col);
    else if ((from = pixel_at(a, image, roundf(row), roundf(col))))
        memcpy(to, from, (size_t)a->c * a->elem_bytes);
    else
        memset(to, 0, (size_t)a->c * a->elem_bytes);
}

static void warp_rows(void *arg, int64_t begin, int64_t end)
{
    const struct warp *a = arg;
    size_t pixel = (size_t)a->c * a->elem_bytes;
    for (int64_t r = begin; r < end; r++) {
        int64_t b = r / a->out_h;
        float i = (float)(r % a->out_h);
        char *to = (char *)a->y + (size_t)(r * a->out_w) * pixel;
        const float *m = a->maps + (a->one_map ? 0 : b * NUM_PARAMS);
        const char *image = (const char *)a->x + (size_t)(b * a->h * a->w) * pixel;
        for (int64_t n = 0; n < a->out_w; n++, to += pixel) {
            float j = (float)n, k = m[6] * j + m[7] * i + 1;
            if (k == 0)
                memset(to, 0, pixel);
            else
                look_up(a, image, to, (m[3] * j + m[4] * i + m[5]) / k,
                        (m[0] * j + m[1] * i + m[2]) / k);
        }
    }
}

static bool check_inputs(const struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *maps = kernel_in(c, 1), *size = kernel_in(c, 2);
    if (tensor_rank(x) != 4)
        return status_bad_shape(st, "Input images must have rank 4, got shape", &x->shape);
    if (tensor_rank(maps) != 2 || tensor_dim(maps, 1) != NUM_PARAMS ||
        (tensor_dim(maps, 0) != 1 && tensor_dim(maps, 0) != tensor_dim(x, 0)))
        return status_bad_shape(st, "Input transform should be num_images x 8 or 1 x 8, got shape",
                                &maps->shape);
    if (tensor_rank(size) != 1)
        return status_bad_shape(st, "output shape must be 1-dimensional", &size->shape);
    if (size->num_elems != 2)
        return status_bad_shape(st, "output shape must have two elements", &size->shape);
    return (tensor_i32(size)[0] > 0 && tensor_i32(size)[1] > 0) ||
           status_invalid(st, "new dimensions must be positive: %d, %d", tensor_i32(size)[0],
                          tensor_i32(size)[1]);
}

/* Numbers of a whole type are cut, not rounded, as TensorFlow cuts them. */
static void put_whole(struct tensor *t, const float *x)
{
    for (int64_t i = 0; i < t->num_elems; i++) {
        if (t->dtype == DT_UINT8)
            ((uint8_t *)t->data)[i] = (uint8_t)fminf(fmaxf(x[i], 0), UINT8_MAX);
        else if (t->dtype == DT_INT32)
            tensor_i32(t)[i] = fabsf(x[i]) < 0x1p31f ? (int32_t)x[i] : INT32_MIN;
        else
            tensor_i64(t)[i] = fabsf(x[i]) < 0x1p63f ? (int64_t)x[i] : INT64_MIN;
    }
}

static bool is_whole(int dtype)
{
    return dtype == DT_UINT8 || dtype == DT_INT32 || dtype == DT_INT64;
}

/* Where a run reads and writes: the tensors' own memory, or, where it computes, floats. */
static bool find_room(struct kctx *c, struct warp *a, struct tensor *y, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    a->elem_bytes = a->bilinear ? sizeof(float) : dtype_size(y->dtype);
    a->x = x->data;
    a->y = y->data;
    if (!a->bilinear)
        return true;
    a->x = kernel_floats(c, x, st);
    if (!a->x)
        return false;
    a->y = is_whole(y->dtype) ? kernel_scratch(c, y->num_elems * (int64_t)sizeof(float), st)
                              : kernel_float_room(c, y, st);
    return a->y != NULL;
}

static bool projective_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *maps = kernel_in(c, 1), *size = kernel_in(c, 2);
    const struct projective *p = kernel_state(c);
    int64_t elems;
    if (!check_inputs(c, st))
        return false;
    struct warp a = {.h = tensor_dim(x, 1), .w = tensor_dim(x, 2), .c = tensor_dim(x, 3)};
    a.out_h = tensor_i32(size)[0];
    a.out_w = tensor_i32(size)[1];
    struct shape s = shape_4(tensor_dim(x, 0), a.out_h, a.out_w, a.c);
    struct tensor *y = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    if (!y || elems == 0)
        return y != NULL;
    a.maps = tensor_f32(maps);
    a.one_map = tensor_dim(maps, 0) == 1;
    a.bilinear = p->bilinear;
    if (!find_room(c, &a, y, st))
        return false;
    kernel_loop(c, tensor_dim(x, 0) * a.out_h, (double)(a.out_w * (a.c + 8)), warp_rows, &a);
    if (a.bilinear && is_whole(y->dtype))
        put_whole(y, a.y);
    else if (a.bilinear)
        tensor_put_floats(y, a.y, elems);
    return true;
}

static bool projective_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *size;
    bool bilinear;
    int64_t n, dims[4] = {DIM_UNKNOWN, DIM_UNKNOWN, DIM_UNKNOWN, DIM_UNKNOWN};
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &size, st) ||
        !infer_want_dim(c, infer_dim(size, 0), 2, &n, st) ||
        !read_interpolation(infer_attrs(c), &bilinear, st))
        return false;
    const struct tensor *known = infer_const(c, 2);
    for (int i = 0; known && known->num_elems == 2 && i < 2; i++)
        dims[1 + i] = max_i64(tensor_i32(known)[i], DIM_UNKNOWN);
    dims[0] = infer_dim(x, 0);
    dims[3] = infer_dim(x, 3);
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}

OP_DEF(image_projective_transform_v2) = {
    .name = "ImageProjectiveTransformV2",
    .summary = "Images moved by projective maps, each of 8 numbers.",
    .inputs = {"images: dtype", "transforms: float", "output_shape: int32"},
    .outputs = {"transformed_images: dtype"},
    .attrs = {"dtype: {uint8, int32, int64, half, float, double}", "interpolation: string"},
    .shape = projective_shape,
    .no_grad = "tf.contrib.image registers one",
};
KERNEL_DEF(image_projective_transform_v2_cpu) = {.op = "ImageProjectiveTransformV2",
                                                 .device = "CPU",
                                                 .state_bytes = sizeof(struct projective),
                                                 .init = projective_init,
                                                 .run = projective_run};
