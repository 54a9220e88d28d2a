/* SPDX-License-Identifier: Apache-2.0 */
/* BiasAdd (a vector added along the channels) and its gradient, a sum over everything else.
 * Channels are the last axis, or for NCHW the second one of ranks above 2. */
#include "math/reduce.h"

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* --- shapes --- */

static bool is_nchw(const struct attrs *a)
{
    return attrs_find(a, "data_format") && str_is(attrs_string(a, "data_format"), "NCHW");
}

static bool bias_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *b;
    bool nchw = is_nchw(infer_attrs(c));
    if (!infer_want_rank_min(c, infer_input(c, 0), nchw ? 3 : 2, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &b, st))
        return false;
    if (x->rank >= 0) {
        int at = nchw ? 1 : x->rank - 1;
        int64_t channels;
        if (!infer_merge_dim(infer_dim(x, at), infer_dim(b, 0), &channels, st))
            return false;
        x = infer_with_dim(c, x, at, channels);
    }
    infer_set(c, 0, x);
    return true;
}

static bool bias_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    bool nchw = is_nchw(infer_attrs(c));
    if (!infer_want_rank_min(c, infer_input(c, 0), nchw ? 3 : 2, &x, st))
        return false;
    infer_set(c, 0, infer_vector(c, x->rank < 0 ? -1 : infer_dim(x, nchw ? 1 : -1)));
    return true;
}

/* --- kernels --- */

/* x is outer * channels * inner elements. */
struct layout {
    int64_t outer, channels, inner;
};

static bool find_layout(const struct kctx *c, const struct tensor *x, struct layout *l,
                        struct status *st)
{
    int rank = x->shape.rank;
    if (rank < 2) {
        struct strbuf text = {0};
        shape_print(&x->shape, &text);
        status_invalid(st, "Input tensor must be at least 2D: %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    int at = rank > 2 && is_nchw(kernel_attrs(c)) ? 1 : rank - 1;
    *l = (struct layout){1, tensor_dim(x, at), 1};
    for (int i = 0; i < rank; i++) {
        if (i < at)
            l->outer *= tensor_dim(x, i);
        if (i > at)
            l->inner *= tensor_dim(x, i);
    }
    return true;
}

typedef void (*add_fn)(void *z, const void *a, const void *b, int64_t n, bool scalar);
#define ADD(name, type, wide)                                                                      \
    static void name(void *z_, const void *a_, const void *b_, int64_t n, bool scalar)             \
    {                                                                                              \
        type *z = z_;                                                                              \
        const type *a = a_, *b = b_;                                                               \
        if (scalar) {                                                                              \
            const type v = b[0];                                                                   \
            for (int64_t i = 0; i < n; i++)                                                        \
                z[i] = (type)((wide)a[i] + (wide)v);                                               \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++)                                                        \
                z[i] = (type)((wide)a[i] + (wide)b[i]);                                            \
        }                                                                                          \
    }
ADD(add_f32, float, float)
ADD(add_f64, double, double)
ADD(add_8, uint8_t, uint32_t)
ADD(add_16, uint16_t, uint32_t)
ADD(add_32, uint32_t, uint32_t)
ADD(add_64, uint64_t, uint64_t)

#define ADD_NARROW(name, type, from, to)                                                           \
    static void name(void *z_, const void *a_, const void *b_, int64_t n, bool scalar)             \
    {                                                                                              \
        type *z = z_;                                                                              \
        const type *a = a_, *b = b_;                                                               \
        for (int64_t i = 0; i < n; i++)                                                            \
            z[i] = to(from(a[i]) + from(b[scalar ? 0 : i]));                                       \
    }
ADD_NARROW(add_half, struct f16, f16_to_f32, f16_from_f32)
ADD_NARROW(add_bfloat16, struct bf16, bf16_to_f32, bf16_from_f32)

#define ADD_COMPLEX(name, type)                                                                    \
    static void name(void *z_, const void *a_, const void *b_, int64_t n, bool scalar)             \
    {                                                                                              \
        type *z = z_;                                                                              \
        const type *a = a_, *b = b_;                                                               \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type v = b[scalar ? 0 : i];                                                            \
            z[i] = (type){a[i].re + v.re, a[i].im + v.im};                                         \
        }                                                                                          \
    }
ADD_COMPLEX(add_c64, struct c64)
ADD_COMPLEX(add_c128, struct c128)

static add_fn find_add(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return add_f32;
    case DT_DOUBLE:
        return add_f64;
    case DT_HALF:
        return add_half;
    case DT_BFLOAT16:
        return add_bfloat16;
    case DT_COMPLEX64:
        return add_c64;
    case DT_COMPLEX128:
        return add_c128;
    default:
        break;
    }
    switch (dtype_size(dtype)) {
    case 1:
        return add_8;
    case 2:
        return add_16;
    case 4:
        return add_32;
    default:
        return add_64;
    }
}

static bool bias_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    *(add_fn *)state = find_add(dtype_base(k->input_types[0]));
    return true;
}

/* For fusion: either operand may be a single element. */
static void tile_f32(void *out, const void *const *in, unsigned scalars, int64_t n)
{
    bool first = scalars & 1;
    if (scalars != 3) {
        add_f32(out, in[first], in[!first], n, scalars != 0);
        return;
    }
    const float v = *(const float *)in[0] + *(const float *)in[1];
    for (int64_t i = 0; i < n; i++)
        ((float *)out)[i] = v;
}

static void tile_f64(void *out, const void *const *in, unsigned scalars, int64_t n)
{
    bool first = scalars & 1;
    if (scalars != 3) {
        add_f64(out, in[first], in[!first], n, scalars != 0);
        return;
    }
    const double v = *(const double *)in[0] + *(const double *)in[1];
    for (int64_t i = 0; i < n; i++)
        ((double *)out)[i] = v;
}

static ewise_fn bias_ewise(int dtype)
{
    return dtype == DT_FLOAT ? tile_f32 : dtype == DT_DOUBLE ? tile_f64 : NULL;
}

struct job {
    add_fn add;
    struct layout l;
    size_t bytes;
    char *z;
    const char *x, *b;
};

/* Rows of inner elements with one bias each, or of channels with all of them. */
static void add_rows(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    bool single = j->l.inner != 1;
    int64_t n = single ? j->l.inner : j->l.channels;
    for (int64_t r = begin; r < end; r++) {
        size_t at = (size_t)(r * n) * j->bytes;
        size_t bias = single ? (size_t)(r % j->l.channels) * j->bytes : 0;
        j->add(j->z + at, j->x + at, j->b + bias, n, single);
    }
}

static bool fail_bias(const char *what, const struct tensor *b, const struct tensor *x,
                      struct status *st)
{
    struct strbuf text = {0};
    shape_print(&b->shape, &text);
    if (x) {
        strbuf_puts(&text, " vs. ");
        shape_print(&x->shape, &text);
    }
    status_invalid(st, "%s: %s", what, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool bias_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *b = kernel_in(c, 1);
    struct job j = {*(add_fn *)kernel_state(c), {0}, dtype_size(x->dtype), NULL, x->data, b->data};
    if (!find_layout(c, x, &j.l, st))
        return false;
    if (b->shape.rank != 1)
        return fail_bias("Biases must be 1D", b, NULL, st);
    if (b->num_elems != j.l.channels)
        return fail_bias("Must provide as many biases as the last dimension of the input tensor", b,
                         x, st);
    struct tensor *z = kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!z)
        return false;
    j.z = z->data;
    if (z->num_elems == 0)
        return true;
    bool single = j.l.inner != 1;
    int64_t n = single ? j.l.inner : j.l.channels;
    kernel_loop(c, z->num_elems / n, 5 + 0.5 * (double)n, add_rows, &j);
    return true;
}

static bool bias_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0);
    struct layout l;
    if (!find_layout(c, dy, &l, st))
        return false;
    struct shape s = shape_1(l.channels);
    struct tensor *out = kernel_out(c, 0, &s, st);
    if (!out)
        return false;
    struct math_reduce_axes r = {.op = MATH_REDUCE_SUM,
                                 .dtype = dy->dtype,
                                 .x = dy->data,
                                 .y = out->data,
                                 .rank = 3,
                                 .dims = (int64_t[]){l.outer, l.channels, l.inner},
                                 .reduced = (bool[]){true, false, true}};
    int64_t bytes = math_reduce_axes_scratch_bytes(&r);
    if (bytes > 0 && !(r.scratch = kernel_scratch(c, bytes, st)))
        return false;
    if (l.channels > 0)
        math_reduce_axes(kernel_pool(c), &r);
    return true;
}

/* --- gradients --- */

static struct output with_format(struct grad_ctx *g, const char *op, int n, const struct output *in)
{
    const struct attrs *a = grad_attrs(g);
    if (!attrs_find(a, "data_format"))
        return grad_opv(g, op, n, in, 0, NULL);
    struct attr format = {(char *)"data_format", attr_string(attrs_string(a, "data_format"))};
    return grad_opv(g, op, n, in, 1, &format);
}

static bool bias_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set(g, 0, dy);
    grad_set(g, 1, with_format(g, "BiasAddGrad", 1, &dy));
    return grad_done(g, st);
}

/* The bias's gradient spread over the input's shape. */
static bool bias_grad_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[2] = {grad_zeros_like(g, grad_in(g, 0)), grad_dy(g, 0)};
    grad_set(g, 0, with_format(g, "BiasAdd", 2, in));
    return grad_done(g, st);
}

/* --- the ops --- */

#define KERNEL_TYPES                                                                               \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "     \
    "complex128}"
#define FORMAT "data_format: {'NHWC', 'NCHW'} = 'NHWC'"

OP_DEF(bias_add) = {
    .name = "BiasAdd",
    .summary = "Value with the vector bias added along its channels.",
    .inputs = {"value: T", "bias: T"},
    .outputs = {"output: T"},
    .attrs = {"T: numbertype", FORMAT},
    .shape = bias_shape,
    .grad = bias_grad,
};
KERNEL_DEF(bias_add_cpu) = {
    .op = "BiasAdd",
    .device = "CPU",
    .types = {KERNEL_TYPES},
    .state_bytes = sizeof(add_fn),
    .init = bias_init,
    .run = bias_run,
    .flags = KERNEL_BIAS,
    .ewise = bias_ewise,
};

OP_DEF(bias_add_v1) = {
    .name = "BiasAddV1",
    .summary = "Value with the vector bias added along its last axis.",
    .inputs = {"value: T", "bias: T"},
    .outputs = {"output: T"},
    .attrs = {"T: numbertype"},
    .shape = bias_shape,
    .grad = bias_grad,
};
KERNEL_DEF(bias_add_v1_cpu) = {
    .op = "BiasAddV1",
    .device = "CPU",
    .types = {KERNEL_TYPES},
    .state_bytes = sizeof(add_fn),
    .init = bias_init,
    .run = bias_run,
    .flags = KERNEL_BIAS,
    .ewise = bias_ewise,
};

OP_DEF(bias_add_grad) = {
    .name = "BiasAddGrad",
    .summary = "The gradient of BiasAdd by its bias: out_backprop summed over all but the "
               "channels.",
    .inputs = {"out_backprop: T"},
    .outputs = {"output: T"},
    .attrs = {"T: numbertype", FORMAT},
    .shape = bias_grad_shape,
    .grad = bias_grad_grad,
};
KERNEL_DEF(bias_add_grad_cpu) = {
    .op = "BiasAddGrad",
    .device = "CPU",
    .types = {KERNEL_TYPES},
    .run = bias_grad_run,
};
