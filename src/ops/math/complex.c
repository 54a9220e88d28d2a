/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers from and to their parts: Complex, Real, Imag, ComplexAbs, Angle, Conj. */
#include <math.h>

#include "ops/math/def.h"
#include "ops/math/tile.h"

/* --- tiles: z of one type from x (and y) of another --- */

#define MAKE(name, type, real)                                                                     \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        const real *x = in[0], *y = in[1];                                                         \
        type *z = out;                                                                             \
        int64_t dx = scalars & 1 ? 0 : 1, dy = scalars & 2 ? 0 : 1;                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            z[i] = (type){x[i * dx], y[i * dy]};                                                   \
    }
MAKE(make_c64, struct c64, float)
MAKE(make_c128, struct c128, double)

TILE_UNARY(real_c64, struct c64, float, x.re)
TILE_UNARY(real_c128, struct c128, double, x.re)
TILE_UNARY(imag_c64, struct c64, float, x.im)
TILE_UNARY(imag_c128, struct c128, double, x.im)
TILE_UNARY(abs_c64, struct c64, float, hypotf(x.re, x.im))
TILE_UNARY(abs_c128, struct c128, double, hypot(x.re, x.im))
TILE_UNARY(angle_c64, struct c64, float, atan2f(x.im, x.re))
TILE_UNARY(angle_c128, struct c128, double, atan2(x.im, x.re))

/* --- kernels --- */

static bool part_init(struct kernel *k, struct ewise_loop *l, ewise_fn narrow, ewise_fn wide,
                      float cost_ns, struct status *st)
{
    int from = dtype_base(k->input_types[0]), to = dtype_base(k->output_types[0]);
    bool is_wide = from == DT_COMPLEX128 || to == DT_COMPLEX128;
    bool fits = dtype_is_complex(from) ? dtype_real_of(from) == to : dtype_real_of(to) == from;
    if (!fits)
        return status_invalid(st, "%s: %s and %s do not belong together", k->op->name,
                              dtype_name(from), dtype_name(to));
    *l = (struct ewise_loop){.fn = is_wide ? wide : narrow,
                             .num_in = (uint8_t)k->num_inputs,
                             .out_bytes = (uint8_t)dtype_size(to),
                             .cost_ns = cost_ns};
    for (int i = 0; i < k->num_inputs; i++)
        l->bytes[i] = (uint8_t)dtype_size(from);
    return true;
}

#define PART_INIT(name, narrow, wide, cost)                                                        \
    static bool name(struct kernel *k, void *state, struct status *st)                             \
    {                                                                                              \
        return part_init(k, state, narrow, wide, cost, st);                                        \
    }
PART_INIT(complex_init, make_c64, make_c128, 1)
PART_INIT(real_init, real_c64, real_c128, 1)
PART_INIT(imag_init, imag_c64, imag_c128, 1)
PART_INIT(abs_init, abs_c64, abs_c128, 4)
PART_INIT(angle_init, angle_c64, angle_c128, 15)

/* --- gradients --- */

/* Complex of one or both parts; T and Tout named, since Tout does not follow from the inputs. */
static struct output make_complex(struct grad_ctx *g, struct output re, struct output im)
{
    int to = grad_type_of(g, re) == DT_DOUBLE ? DT_COMPLEX128 : DT_COMPLEX64;
    return grad_opv(g, "Complex", 2, (struct output[]){re, im}, 1,
                    (struct attr[]){{(char *)"Tout", attr_type(to)}});
}

static struct output part_of(struct grad_ctx *g, const char *part, struct output z)
{
    int to = dtype_real_of(grad_type_of(g, z));
    return grad_opv(g, part, 1, &z, 1, (struct attr[]){{(char *)"Tout", attr_type(to)}});
}

static bool complex_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0);
    struct output dx = part_of(g, "Real", dz), dy = part_of(g, "Imag", dz);
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_SHAPES);
    grad_set(g, 0, grad_summed(g, &s, 0, dx));
    grad_set(g, 1, grad_summed(g, &s, 1, dy));
    return grad_done(g, st);
}

static bool real_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_name(g, "Const");
    grad_set(g, 0, make_complex(g, dy, grad_const_like(g, dy, 0)));
    return grad_done(g, st);
}

static bool imag_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_name(g, "Const");
    grad_set(g, 0, make_complex(g, grad_const_like(g, dy, 0), dy));
    return grad_done(g, st);
}

/* -dy / (im x + i re x) */
static bool angle_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), x = grad_in(g, 0);
    struct output turned = make_complex(g, part_of(g, "Imag", x), part_of(g, "Real", x));
    struct output wide = make_complex(g, dy, grad_const_like(g, dy, 0));
    grad_set(g, 0, grad_mul(g, grad_neg(g, wide), grad_op1(g, "Reciprocal", turned)));
    return grad_done(g, st);
}

/* dy x / |x|, and 0 at 0 */
static bool complex_abs_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), y = grad_out(g, 0);
    struct output wide = make_complex(g, dy, grad_zeros_like(g, dy));
    struct output size = make_complex(g, y, grad_zeros_like(g, y));
    grad_set(g, 0, grad_op2(g, "div_no_nan=DivNoNan", grad_mul(g, wide, grad_in(g, 0)), size));
    return grad_done(g, st);
}

static bool conj_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op1(g, "Conj", grad_dy(g, 0)));
    return grad_done(g, st);
}

/* --- the ops --- */

OP_DEF(complex) = {
    .name = "Complex",
    .summary = "The complex numbers with the given real and imaginary parts.",
    .inputs = {"real: T", "imag: T"},
    .outputs = {"out: Tout"},
    .attrs = {"T: {float, double} = DT_FLOAT", "Tout: {complex64, complex128} = DT_COMPLEX64"},
    .shape = infer_binary,
    .grad = complex_grad,
};
KERNEL_DEF(complex_cpu) = {.op = "Complex",
                           .device = "CPU",
                           .state_bytes = sizeof(struct ewise_loop),
                           .init = complex_init,
                           .run = ewise_run_binary};

#define PART_OP(id_, name_, text, in_, out_, init_, grad_)                                         \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {in_ ": T"},                                                          \
                   .outputs = {out_ ": Tout"},                                                     \
                   .attrs = {"T: {complex64, complex128} = DT_COMPLEX64",                          \
                             "Tout: {float, double} = DT_FLOAT"},                                  \
                   .shape = infer_unchanged,                                                       \
                   .grad = grad_};                                                                 \
    KERNEL_DEF(id_##_cpu) = {.op = name_,                                                          \
                             .device = "CPU",                                                      \
                             .state_bytes = sizeof(struct ewise_loop),                             \
                             .init = init_,                                                        \
                             .run = ewise_run_unary}

PART_OP(real, "Real", "The real part.", "input", "output", real_init, real_grad);
PART_OP(imag, "Imag", "The imaginary part.", "input", "output", imag_init, imag_grad);
PART_OP(angle, "Angle", "The angle to the positive real axis, between -pi and pi.", "input",
        "output", angle_init, angle_grad);
PART_OP(complex_abs, "ComplexAbs", "The absolute value.", "x", "y", abs_init, complex_abs_grad);

OP_DEF(conj) = {
    .name = "Conj",
    .summary = "The number with its imaginary part negated.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {complex64, complex128, variant} = DT_COMPLEX64"},
    .shape = infer_unchanged,
    .grad = conj_grad,
    .no_kernel = "lists of tensors (variant) have no conjugate yet",
};
EWISE_KERNEL(conj, "Conj", "T: {complex64, complex128}", ewise_run_unary);
