/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms over the last one, two or three dimensions, complex and real. Every item of
 * the batch is widened to double, transformed axis by axis and stored. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/spectral/fft.h"
#include "ops/spectral/real_grad.h"

enum kind { COMPLEX, FROM_REAL, TO_REAL };

/* What an op's name says. */
struct transform {
    enum kind kind;
    bool inverse;
    int rank;
};

static struct transform transform_of(const char *op)
{
    struct transform t = {.rank = 1};
    if (strncmp(op, "Batch", 5) == 0)
        op += 5;
    t.inverse = op[0] == 'I';
    t.kind = op[t.inverse] != 'R' ? COMPLEX : t.inverse ? TO_REAL : FROM_REAL;
    const size_t n = strlen(op);
    if (op[n - 1] == 'D')
        t.rank = op[n - 2] - '0';
    return t;
}

static bool init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    *(struct transform *)state = transform_of(k->op->name);
    return true;
}

/* --- one item --- */

struct job {
    const struct transform *t;
    int64_t in[3], out[3];     /* dims of an item; unused leading ones are 1 */
    int64_t work[3];           /* dims of the complex work array */
    struct fft fft[3];         /* for each axis */
    double _Complex *x, *line; /* the work array; a line of it */
};

static int64_t volume(const int64_t dims[3])
{
    return dims[0] * dims[1] * dims[2];
}

static double _Complex element(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_FLOAT:
        return (double)((const float *)t->data)[i];
    case DT_COMPLEX64:
        return complex_of((double)((const struct c64 *)t->data)[i].re,
                          (double)((const struct c64 *)t->data)[i].im);
    default:
        return complex_of(((const struct c128 *)t->data)[i].re,
                          ((const struct c128 *)t->data)[i].im);
    }
}

static void put(struct tensor *t, int64_t i, double _Complex v)
{
    switch (t->dtype) {
    case DT_FLOAT:
        ((float *)t->data)[i] = (float)creal(v);
        break;
    case DT_COMPLEX64:
        ((struct c64 *)t->data)[i] = (struct c64){(float)creal(v), (float)cimag(v)};
        break;
    default:
        ((struct c128 *)t->data)[i] = (struct c128){creal(v), cimag(v)};
    }
}

/* What lies in the work array's dims of an item of the given dims: element i of the first is
 * element *at of the second. */
static int64_t place(const int64_t from[3], const int64_t to[3], int64_t i)
{
    const int64_t c = i % from[2], b = i / from[2] % from[1], a = i / from[2] / from[1];
    return (a * to[1] + b) * to[2] + c;
}

/* The half that a real signal's transform leaves out: the other one turned and conjugated. */
static void fill_half(double _Complex *line, int64_t n)
{
    for (int64_t k = n / 2 + 1; k < n; k++)
        line[k] = conj(line[n - k]);
}

static void run_axis(const struct job *j, int axis)
{
    int64_t step = 1;
    for (int i = axis + 1; i < 3; i++)
        step *= j->work[i];
    const int64_t n = j->work[axis], lines = volume(j->work) / n;
    for (int64_t l = 0; l < lines; l++) {
        double _Complex *x = j->x + l / step * step * n + l % step;
        for (int64_t i = 0; i < n; i++)
            j->line[i] = x[i * step];
        if (j->t->kind == TO_REAL && axis == 2)
            fill_half(j->line, n);
        fft_run(&j->fft[axis], j->line, j->t->inverse);
        for (int64_t i = 0; i < n; i++)
            x[i * step] = j->line[i];
    }
}

static void run_item(const struct job *j, const struct tensor *in, struct tensor *out, int64_t item)
{
    const int64_t loaded[3] = {j->work[0], j->work[1],
                               j->t->kind == TO_REAL ? j->work[2] / 2 + 1 : j->work[2]};
    if (j->t->kind == TO_REAL)
        memset(j->x, 0, (size_t)volume(j->work) * sizeof *j->x);
    for (int64_t i = 0; i < volume(loaded); i++)
        j->x[place(loaded, j->work, i)] =
            element(in, item * volume(j->in) + place(loaded, j->in, i));
    for (int axis = 3 - j->t->rank; axis < 3; axis++)
        run_axis(j, axis);
    for (int64_t i = 0; i < volume(j->out); i++)
        put(out, item * volume(j->out) + i, j->x[place(j->out, j->work, i)]);
}

/* --- shapes --- */

static bool check_lengths(struct kctx *c, struct job *j, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *lengths = kernel_in(c, 1);
    const int rank = j->t->rank;
    if (tensor_rank(lengths) != 1 || lengths->num_elems != rank)
        return status_invalid(st, "fft_length must have shape [%d]", rank);
    for (int i = 0; i < rank; i++) {
        const int64_t n = tensor_i32(lengths)[i];
        const int at = 3 - rank + i;
        const int64_t half = n > 0 ? n / 2 + 1 : 0;
        const int64_t need = j->t->kind == TO_REAL && at == 2 ? half : n;
        if (n < 0 || j->in[at] < need)
            return status_invalid(
                st, "Input dimension %d must have length of at least %lld but got: %lld",
                tensor_rank(in) - rank + i, (long long)need, (long long)j->in[at]);
        j->work[at] = n;
        j->out[at] = j->t->kind == FROM_REAL && at == 2 ? half : n;
    }
    return true;
}

static bool job_init(struct job *j, struct kctx *c, struct status *st)
{
    const int64_t most = max_i64(j->work[0], max_i64(j->work[1], j->work[2]));
    const int64_t item = (int64_t)sizeof(double _Complex);
    j->x = kernel_scratch(c, volume(j->work) * item, st);
    j->line = j->x ? kernel_scratch(c, most * item, st) : NULL;
    if (!j->line)
        return false;
    for (int axis = 3 - j->t->rank; axis < 3; axis++)
        if (!fft_init(&j->fft[axis], c, j->work[axis], st))
            return false;
    return true;
}

static bool run(struct kctx *c, struct status *st)
{
    struct job j = {.t = kernel_state(c), .in = {1, 1, 1}, .out = {1, 1, 1}, .work = {1, 1, 1}};
    const struct tensor *in = kernel_in(c, 0);
    const int rank = tensor_rank(in), mine = j.t->rank;
    int64_t dims[SHAPE_MAX_RANK];
    if (rank < mine)
        return status_invalid(st, "Input must have rank of at least %d but got rank %d", mine,
                              rank);
    memcpy(dims, shape_dims(&in->shape), (size_t)rank * sizeof *dims);
    for (int i = 0; i < mine; i++)
        j.in[3 - mine + i] = j.out[3 - mine + i] = j.work[3 - mine + i] = dims[rank - mine + i];
    if (j.t->kind != COMPLEX && !check_lengths(c, &j, st))
        return false;
    memcpy(dims + rank - mine, j.out + 3 - mine, (size_t)mine * sizeof *dims);
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (!job_init(&j, c, st))
        return false;
    const int64_t items = out->num_elems / volume(j.out);
    for (int64_t i = 0; i < items; i++)
        run_item(&j, in, out, i);
    return true;
}

static bool complex_shape(struct infer_ctx *c, int rank, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank_min(c, infer_input(c, 0), rank, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool real_shape(struct infer_ctx *c, int rank, bool halve, struct status *st)
{
    const struct shape *s, *lengths;
    int64_t n, dims[3];
    if (!infer_want_rank_min(c, infer_input(c, 0), rank, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &lengths, st) ||
        !infer_want_dim(c, infer_dim(lengths, 0), rank, &n, st))
        return false;
    const struct tensor *known = infer_const(c, 1);
    for (int i = 0; i < rank; i++) {
        dims[i] = known && tensor_i32(known)[i] >= 0 ? tensor_i32(known)[i] : DIM_UNKNOWN;
        if (halve && i == rank - 1 && dims[i] > 0)
            dims[i] = dims[i] / 2 + 1;
    }
    infer_set(c, 0, infer_concat(c, infer_slice(c, s, 0, -rank), infer_make(c, dims, rank)));
    return true;
}

/* --- gradients of the complex transforms: n times the inverse, or 1 / n times the transform --- */

static bool complex_grad(struct grad_ctx *g, int rank, bool inverse, const char *other,
                         struct status *st)
{
    struct output dy = grad_dy(g, 0), shape = grad_shape(g, dy);
    struct output from = grad_op2(g, "Sub", grad_op1(g, "Rank", dy), grad_const_i32(g, rank));
    struct output sizes =
        grad_op3(g, "Slice", shape, grad_op2(g, "ExpandDims", from, grad_const_i32(g, 0)),
                 grad_const_i32s(g, (int32_t[]){-1}, 1));
    struct output n =
        grad_cast(g, grad_op2(g, "Prod", sizes, grad_const_i32(g, 0)), grad_type_of(g, dy));
    struct output dx = grad_op1(g, other, dy);
    grad_set(g, 0, inverse ? grad_div(g, dx, n) : grad_mul(g, dx, n));
    return grad_done(g, st);
}

#define KERNEL(id, op_name)                                                                        \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct transform),                               \
                            .init = init,                                                          \
                            .run = run,                                                            \
                            .flags = KERNEL_EXPENSIVE}

#define COMPLEX_OP(id, op_name, num, is_inverse, other)                                            \
    static bool id##_shape(struct infer_ctx *c, struct status *st)                                 \
    {                                                                                              \
        return complex_shape(c, num, st);                                                          \
    }                                                                                              \
    static bool id##_grad(struct grad_ctx *g, struct status *st)                                   \
    {                                                                                              \
        return complex_grad(g, num, is_inverse, other, st);                                        \
    }                                                                                              \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "The discrete Fourier transform, or its inverse, over the last dimensions.",    \
        .inputs = {"input: Tcomplex"},                                                             \
        .outputs = {"output: Tcomplex"},                                                           \
        .attrs = {"Tcomplex: {complex64, complex128} = DT_COMPLEX64"},                             \
        .shape = id##_shape,                                                                       \
        .grad = id##_grad,                                                                         \
    };                                                                                             \
    KERNEL(id, op_name)
COMPLEX_OP(fft, "FFT", 1, false, "IFFT");
COMPLEX_OP(fft2d, "FFT2D", 2, false, "IFFT2D");
COMPLEX_OP(fft3d, "FFT3D", 3, false, "IFFT3D");
COMPLEX_OP(ifft, "IFFT", 1, true, "FFT");
COMPLEX_OP(ifft2d, "IFFT2D", 2, true, "FFT2D");
COMPLEX_OP(ifft3d, "IFFT3D", 3, true, "FFT3D");

#define REAL_GRAD(id, num, fn)                                                                     \
    static bool id##_grad(struct grad_ctx *g, struct status *st)                                   \
    {                                                                                              \
        return fn(g, num, st);                                                                     \
    }
REAL_GRAD(rfft, 1, spectral_rfft_grad)
REAL_GRAD(rfft2d, 2, spectral_rfft_grad)
REAL_GRAD(irfft, 1, spectral_irfft_grad)
REAL_GRAD(irfft2d, 2, spectral_irfft_grad)

#define REAL_OP(id, op_name, num, halve, in_type, out_type, ...)                                   \
    static bool id##_shape(struct infer_ctx *c, struct status *st)                                 \
    {                                                                                              \
        return real_shape(c, num, halve, st);                                                      \
    }                                                                                              \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "The transform of real numbers, or back to them, over the last dimensions.",    \
        .inputs = {"input: " in_type, "fft_length: int32"},                                        \
        .outputs = {"output: " out_type},                                                          \
        .shape = id##_shape,                                                                       \
        __VA_ARGS__,                                                                               \
    };                                                                                             \
    KERNEL(id, op_name)
#define NO_GRAD .no_grad = "undefined: TensorFlow has none"
REAL_OP(rfft, "RFFT", 1, true, "float", "complex64", .grad = rfft_grad);
REAL_OP(rfft2d, "RFFT2D", 2, true, "float", "complex64", .grad = rfft2d_grad);
REAL_OP(rfft3d, "RFFT3D", 3, true, "float", "complex64", NO_GRAD);
REAL_OP(irfft, "IRFFT", 1, false, "complex64", "float", .grad = irfft_grad);
REAL_OP(irfft2d, "IRFFT2D", 2, false, "complex64", "float", .grad = irfft2d_grad);
REAL_OP(irfft3d, "IRFFT3D", 3, false, "complex64", "float", NO_GRAD);

#define OLD_OP(id, op_name, num, use)                                                              \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "The discrete Fourier transform, or its inverse, under its old name.",          \
        .inputs = {"input: complex64"},                                                            \
        .outputs = {"output: complex64"},                                                          \
        .shape = num##_shape,                                                                      \
        .deprecated_at = 15,                                                                       \
        .deprecated_why = "Use " use,                                                              \
        .no_grad = "undefined: " use " has one",                                                   \
    };                                                                                             \
    KERNEL(id, op_name)
OLD_OP(batch_fft, "BatchFFT", fft, "FFT");
OLD_OP(batch_fft2d, "BatchFFT2D", fft2d, "FFT2D");
OLD_OP(batch_fft3d, "BatchFFT3D", fft3d, "FFT3D");
OLD_OP(batch_ifft, "BatchIFFT", fft, "IFFT");
OLD_OP(batch_ifft2d, "BatchIFFT2D", fft2d, "IFFT2D");
OLD_OP(batch_ifft3d, "BatchIFFT3D", fft3d, "IFFT3D");
