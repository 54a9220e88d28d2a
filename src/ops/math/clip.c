/* SPDX-License-Identifier: Apache-2.0 */
/* ClipByValue: bounds are scalars or of the input's shape. Where they cross, the lower one wins. */
#include "ops/math/def.h"
#include "ops/math/tile.h"

#define LOWER(x, y) ((y) < (x) ? (y) : (x))
#define UPPER(x, y) ((x) < (y) ? (y) : (x))

#define CLIP(name, type)                                                                           \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        const type *x = in[0], *lo = in[1], *hi = in[2];                                           \
        type *z = out;                                                                             \
        int64_t dx = scalars & 1 ? 0 : 1, dl = scalars & 2 ? 0 : 1, dh = scalars & 4 ? 0 : 1;      \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type v = x[i * dx], l = lo[i * dl], h = hi[i * dh], below = LOWER(v, h);         \
            z[i] = UPPER(below, l);                                                                \
        }                                                                                          \
    }
CLIP(clip_f32, float)
CLIP(clip_f64, double)
CLIP(clip_i8, int8_t)
CLIP(clip_u8, uint8_t)
CLIP(clip_i16, int16_t)
CLIP(clip_u16, uint16_t)
CLIP(clip_i32, int32_t)
CLIP(clip_i64, int64_t)

static ewise_fn clip_of(int dtype)
{
    switch (dtype) {
    case DT_HALF: /* as float */
    case DT_FLOAT:
        return clip_f32;
    case DT_DOUBLE:
        return clip_f64;
    case DT_INT8:
        return clip_i8;
    case DT_UINT8:
        return clip_u8;
    case DT_INT16:
        return clip_i16;
    case DT_UINT16:
        return clip_u16;
    case DT_INT32:
        return clip_i32;
    case DT_INT64:
        return clip_i64;
    default:
        return NULL;
    }
}

static ewise_fn clip_ewise(int dtype)
{
    return dtype == DT_FLOAT || dtype == DT_DOUBLE ? clip_of(dtype) : NULL;
}

static bool clip_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    int type = dtype_base(k->input_types[0]);
    uint8_t bytes = (uint8_t)dtype_size(type);
    *(struct ewise_loop *)state = (struct ewise_loop){.fn = clip_of(type),
                                                      .num_in = 3,
                                                      .narrow = type == DT_HALF ? DT_HALF : 0,
                                                      .narrow_out = type == DT_HALF,
                                                      .bytes = {bytes, bytes, bytes},
                                                      .out_bytes = bytes,
                                                      .cost_ns = 1};
    return true;
}

static bool clip_run(struct kctx *c, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    const void *in[3] = {x->data, kernel_in(c, 1)->data, kernel_in(c, 2)->data};
    unsigned scalars = 0;
    for (int i = 1; i < 3; i++) {
        const struct tensor *bound = kernel_in(c, i);
        if (bound->shape.rank == 0)
            scalars |= 1u << i;
        else if (!shape_equal(&bound->shape, &x->shape))
            return status_invalid(st, "clip_value_min and clip_value_max must be either of the "
                                      "same shape as input, or a scalar.");
    }
    struct tensor *out = ewise_out(c, l, &x->shape, x->num_elems, st);
    if (!out)
        return false;
    ewise_run(kernel_pool(c), l, out->data, in, scalars, out->num_elems);
    return true;
}

/* dy where `where` holds, summed to the shape of bound i. */
static void clip_bound_grad(struct grad_ctx *g, int i, struct output where, struct output zeros)
{
    struct output bound = grad_in(g, i), shape = grad_shape(g, bound);
    struct output shapes[] = {grad_shape(g, grad_in(g, 0)), shape};
    struct node *axes = grad_nodev(g, "BroadcastGradientArgs", 2, shapes, 0, NULL);
    struct output d = grad_op3(g, "Select", where, grad_dy(g, 0), zeros);
    grad_set(g, i, grad_reshape(g, grad_op2(g, "Sum", d, grad_node_out(g, axes, 1)), shape));
}

/* dy goes to what the output was taken from: below the lower bound that, above the upper one that,
 * else the input. */
static bool clip_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), zeros = grad_zeros_like(g, grad_dy(g, 0));
    struct output below = grad_op2(g, "Less", x, grad_in(g, 1));
    struct output above = grad_op2(g, "Greater", x, grad_in(g, 2));
    struct output outside = grad_op2(g, "LogicalOr", below, above);
    grad_set(g, 0, grad_op3(g, "Select", outside, zeros, grad_dy(g, 0)));
    clip_bound_grad(g, 1, below, zeros);
    clip_bound_grad(g, 2, above, zeros);
    return grad_done(g, st);
}

OP_DEF(clip_by_value) = {
    .name = "ClipByValue",
    .summary = "t, but no less than clip_value_min and no more than clip_value_max.",
    .inputs = {"t: T", "clip_value_min: T", "clip_value_max: T"},
    .outputs = {"output: T"},
    .attrs = {"T: numbertype"},
    .shape = infer_unchanged,
    .grad = clip_grad,
};
KERNEL_DEF(clip_by_value_cpu) = {
    .op = "ClipByValue",
    .device = "CPU",
    .types = {"T: {half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .state_bytes = sizeof(struct ewise_loop),
    .init = clip_init,
    .run = clip_run,
    .flags = KERNEL_LIKE_FIRST,
    .ewise = clip_ewise,
};
