/* SPDX-License-Identifier: Apache-2.0 */
/* SpaceToDepth and DepthToSpace: square blocks of an image's positions become channels, and back.
 * One copy of six axes, in either layout. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

static bool is_nhwc(const struct attrs *a)
{
    return str_eq(attrs_string(a, "data_format"), str_of("NHWC"));
}

/* Dims of the result; unknown ones stay unknown. height, width, depth: which dims they are. */
static bool out_dims(const struct shape *in, int64_t block, bool nhwc, bool to_depth, int64_t *dims,
                     struct status *st)
{
    int h = nhwc ? 1 : 2, w = h + 1, d = nhwc ? 3 : 1;
    for (int i = 0; i < 4; i++)
        dims[i] = shape_dim(in, i);
    if (block > INT32_MAX)
        return status_invalid(st, "block_size is too large: %lld", (long long)block);
    if (to_depth) {
        if ((dims[h] > 0 && dims[h] % block != 0) || (dims[w] > 0 && dims[w] % block != 0))
            return status_invalid(
                st, "Image width %lld and height %lld should be divisible by block_size: %lld",
                (long long)dims[w], (long long)dims[h], (long long)block);
        dims[h] = dims[h] == DIM_UNKNOWN ? dims[h] : dims[h] / block;
        dims[w] = dims[w] == DIM_UNKNOWN ? dims[w] : dims[w] / block;
        dims[d] = infer_dim_mul(dims[d], block * block);
        return true;
    }
    if (dims[d] > 0 && dims[d] % (block * block) != 0)
        return status_invalid(st, "Input depth dimension %lld should be divisible by: %lld",
                              (long long)dims[d], (long long)(block * block));
    dims[h] = infer_dim_mul(dims[h], block);
    dims[w] = infer_dim_mul(dims[w], block);
    dims[d] = dims[d] == DIM_UNKNOWN ? dims[d] : dims[d] / (block * block);
    return true;
}

/* wide has the positions, deep the channels; either may be the source. */
static bool copy_blocks(struct kctx *c, const struct tensor *wide, const struct tensor *deep,
                        int64_t block, bool to_depth, struct status *st)
{
    bool nhwc = is_nhwc(kernel_attrs(c));
    int h = nhwc ? 1 : 2, w = h + 1, d = nhwc ? 3 : 1;
    int64_t ws[SHAPE_MAX_RANK], ds[SHAPE_MAX_RANK];
    nd_steps(&wide->shape, ws);
    nd_steps(&deep->shape, ds);
    int64_t depth = tensor_dim(wide, d), by = ds[d] * depth; /* from one place to the next */
    struct axis {
        int64_t n, wide, deep;
    } axes[] = {
        {tensor_dim(wide, 0), ws[0], ds[0]},
        {tensor_dim(deep, h), ws[h] * block, ds[h]},
        {block, ws[h], by * block},
        {tensor_dim(deep, w), ws[w] * block, ds[w]},
        {block, ws[w], by},
        {depth, ws[d], ds[d]},
    };
    struct nd_copy copy;
    nd_begin(&copy, wide->dtype, to_depth ? wide->data : deep->data,
             to_depth ? deep->data : wide->data);
    for (size_t i = 0; i < ARRAY_LEN(axes); i++)
        nd_axis(&copy, axes[i].n, to_depth ? axes[i].wide : axes[i].deep,
                to_depth ? axes[i].deep : axes[i].wide);
    return nd_run(c, &copy, st);
}

static bool blocks_run(struct kctx *c, bool to_depth, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct attrs *a = kernel_attrs(c);
    int64_t dims[4], block = attrs_int(a, "block_size"), elems;
    if (tensor_rank(in) != 4)
        return status_invalid(st, "Input rank should be: 4 instead of: %d", tensor_rank(in));
    if (!is_nhwc(a)) {
        struct str f = attrs_string(a, "data_format");
        return status_invalid(st, "Only NHWC data_format supported on CPU. Got %.*s", (int)f.n,
                              f.p);
    }
    if (!out_dims(&in->shape, block, is_nhwc(a), to_depth, dims, st))
        return false;
    struct shape shape = shape_make(dims, 4);
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    if (!out || out->num_elems == 0)
        return out != NULL;
    return copy_blocks(c, to_depth ? in : out, to_depth ? out : in, block, to_depth, st);
}

static bool to_depth_run(struct kctx *c, struct status *st)
{
    return blocks_run(c, true, st);
}

static bool to_space_run(struct kctx *c, struct status *st)
{
    return blocks_run(c, false, st);
}

static bool infer_blocks(struct infer_ctx *c, bool to_depth, struct status *st)
{
    struct str format = attrs_string(infer_attrs(c), "data_format");
    bool vect = str_eq(format, str_of("NCHW_VECT_C"));
    const struct shape *in;
    int64_t dims[4];
    if (!infer_want_rank(c, infer_input(c, 0), vect ? 5 : 4, &in, st))
        return false;
    if (vect || in->rank == RANK_UNKNOWN) {
        infer_set(c, 0, infer_of_rank(c, vect ? 5 : 4));
        return true;
    }
    const bool nhwc = is_nhwc(infer_attrs(c));
    const int64_t block = attrs_int(infer_attrs(c), "block_size");
    const int h = nhwc ? 1 : 2;
    int64_t part;
    if (block > INT32_MAX)
        return status_invalid(st, "block_size is too large: %lld", (long long)block);
    bool whole = to_depth ? infer_dim_div(infer_dim(in, h), block, &part, st) &&
                                infer_dim_div(infer_dim(in, h + 1), block, &part, st)
                          : infer_dim_div(infer_dim(in, nhwc ? 3 : 1), block * block, &part, st);
    if (!whole || !out_dims(in, block, nhwc, to_depth, dims, st))
        return false;
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}

static bool to_depth_shape(struct infer_ctx *c, struct status *st)
{
    return infer_blocks(c, true, st);
}

static bool to_space_shape(struct infer_ctx *c, struct status *st)
{
    return infer_blocks(c, false, st);
}

static bool back(struct grad_ctx *g, const char *op, struct status *st)
{
    const struct attrs *a = grad_attrs(g);
    struct str format = attrs_string(a, "data_format");
    if (str_eq(format, str_of("NCHW_VECT_C")))
        return grad_fail(g, st, STATUS_INVALID_ARGUMENT,
                         "Cannot compute %s gradient with NCHW_VECT_C. NCHW_VECT_C requires qint8 "
                         "data type.",
                         op);
    struct output dy = grad_dy(g, 0);
    grad_set(g, 0,
             grad_opv(g, op, 1, &dy, 2,
                      (struct attr[]){
                          {(char *)"block_size", attr_int(attrs_int(a, "block_size"))},
                          {(char *)"data_format", attr_string(format)},
                      }));
    return grad_done(g, st);
}

static bool to_depth_grad(struct grad_ctx *g, struct status *st)
{
    return back(g, "DepthToSpace", st);
}

static bool to_space_grad(struct grad_ctx *g, struct status *st)
{
    return back(g, "SpaceToDepth", st);
}

#define ATTRS                                                                                      \
    {                                                                                              \
        "T: type", "block_size: int >= 2", "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'" \
    }
#define TYPES                                                                                      \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "     \
    "complex128, bool, string, resource, variant"

OP_DEF(space_to_depth) = {
    .name = "SpaceToDepth",
    .summary = "Square blocks of an image's positions become channels.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = ATTRS,
    .shape = to_depth_shape,
    .grad = to_depth_grad,
};
KERNEL_DEF(space_to_depth_cpu) = {
    .op = "SpaceToDepth", .device = "CPU", .types = {TYPES ", qint8}"}, .run = to_depth_run};

OP_DEF(depth_to_space) = {
    .name = "DepthToSpace",
    .summary = "Channels become square blocks of an image's positions.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = ATTRS,
    .shape = to_space_shape,
    .grad = to_space_grad,
};
KERNEL_DEF(depth_to_space_cpu) = {
    .op = "DepthToSpace", .device = "CPU", .types = {TYPES "}"}, .run = to_space_run};
