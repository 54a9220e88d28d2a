/* SPDX-License-Identifier: Apache-2.0 */
/* needs: openblas */
/* SelfAdjointEigV2, Qr and Svd over batches of matrices, one after the other through
 * math/linalg.h. */
#include "ops/matrix/spectral.h"
#include "math/linalg.h"
#include "op/grad.h"
#include "ops/matrix/batch.h"

/* --- shapes --- */

static bool eig_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *batch;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_merge_dim(infer_dim(in, -2), infer_dim(in, -1), &n, st))
        return false;
    batch = infer_slice(c, in, 0, -2);
    infer_set(c, 0, infer_concat(c, batch, infer_vector(c, n)));
    infer_set(c, 1,
              attrs_bool(infer_attrs(c), "compute_v")
                  ? infer_concat(c, batch, infer_matrix(c, n, n))
                  : infer_vector(c, 0));
    return true;
}

static int64_t known_min(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? DIM_UNKNOWN : matrix_min(a, b);
}

static bool qr_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *batch;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st))
        return false;
    int64_t m = infer_dim(in, -2), n = infer_dim(in, -1);
    int64_t p = attrs_bool(infer_attrs(c), "full_matrices") ? m : known_min(m, n);
    batch = infer_slice(c, in, 0, -2);
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, m, p)));
    infer_set(c, 1, infer_concat(c, batch, infer_matrix(c, p, n)));
    return true;
}

static bool svd_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *batch;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st))
        return false;
    int64_t m = infer_dim(in, -2), n = infer_dim(in, -1), p = known_min(m, n);
    bool full = attrs_bool(infer_attrs(c), "full_matrices");
    batch = infer_slice(c, in, 0, -2);
    infer_set(c, 0, infer_concat(c, batch, infer_vector(c, p)));
    if (attrs_bool(infer_attrs(c), "compute_uv")) {
        infer_set(c, 1, infer_concat(c, batch, infer_matrix(c, m, full ? m : p)));
        infer_set(c, 2, infer_concat(c, batch, infer_matrix(c, n, full ? n : p)));
    } else {
        infer_set(c, 1, infer_vector(c, 0));
        infer_set(c, 2, infer_vector(c, 0));
    }
    return true;
}

/* --- kernels --- */

struct spectral_state {
    bool vectors, full;
};

static bool spectral_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct spectral_state *s = state;
    const struct attr_value *full = attrs_find(k->attrs, "full_matrices");
    const struct attr_value *v = attrs_find(k->attrs, "compute_v");
    const struct attr_value *uv = attrs_find(k->attrs, "compute_uv");
    s->full = full && full->b;
    s->vectors = (v && v->b) || (uv && uv->b);
    return true;
}

/* What a kernel needs to know of the call: the matrices, and scratch for one. */
static bool spectral_begin(struct kctx *c, struct matrix_batch *m, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (tensor_rank(in) < 2)
        return matrix_fail_shape(st, "Input tensor 0 must have rank >= 2, got shape ", in);
    *m = matrix_batch_of(in);
    return true;
}

static bool spectral_scratch(struct kctx *c, enum math_linalg_task task,
                             const struct matrix_batch *m, void **out, struct status *st)
{
    int64_t bytes = math_linalg_scratch_bytes(task, kernel_in(c, 0)->dtype, m->rows, m->cols);
    if (bytes < 0)
        return status_invalid(st, "%s: a matrix of %lld by %lld is too big",
                              c->kernel->op->def->name, (long long)m->rows, (long long)m->cols);
    *out = kernel_scratch(c, bytes > 0 ? bytes : 1, st);
    return *out != NULL;
}

/* Output i: the batch dims and n more. */
static struct tensor *batch_out(struct kctx *c, int i, const int64_t *dims, int n,
                                struct status *st)
{
    struct shape shape = matrix_shape(kernel_in(c, 0), 2, dims, n);
    struct tensor *out = kernel_out(c, i, &shape, st);
    shape_clear(&shape);
    return out;
}

static struct tensor *empty_out(struct kctx *c, int i, struct status *st)
{
    struct shape shape = shape_1(0);
    return kernel_out(c, i, &shape, st);
}

/* n real numbers, as elements of a type that may be complex. */
static void put_reals(int dtype, void *dst, const void *src, int64_t n)
{
    if (!dtype_is_complex(dtype)) {
        memcpy(dst, src, (size_t)n * dtype_size(dtype));
    } else if (dtype == DT_COMPLEX64) {
        for (int64_t i = 0; i < n; i++)
            ((struct c64 *)dst)[i] = (struct c64){((const float *)src)[i], 0};
    } else {
        for (int64_t i = 0; i < n; i++)
            ((struct c128 *)dst)[i] = (struct c128){((const double *)src)[i], 0};
    }
}

static void *item_at(const struct tensor *t, int64_t i)
{
    return (char *)t->data + (size_t)i * dtype_size(t->dtype);
}

static bool eig_run(struct kctx *c, struct status *st)
{
    const struct spectral_state *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct matrix_batch m;
    if (!spectral_begin(c, &m, st))
        return false;
    if (m.rows != m.cols)
        return status_invalid(st, "Input matrix must be square.");
    int64_t n = m.rows;
    struct tensor *e = batch_out(c, 0, &n, 1, st);
    struct tensor *v = !e           ? NULL
                       : s->vectors ? batch_out(c, 1, (int64_t[]){n, n}, 2, st)
                                    : empty_out(c, 1, st);
    if (!v || e->num_elems == 0)
        return v != NULL;
    struct math_eigh d = {.dtype = in->dtype, .n = n};
    enum math_linalg_task task = s->vectors ? MATH_LINALG_EIGH_VECTORS : MATH_LINALG_EIGH;
    d.w = kernel_scratch(c, n * (int64_t)sizeof(double), st);
    if (!d.w || !spectral_scratch(c, task, &m, &d.scratch, st))
        return false;
    for (int64_t i = 0; i < m.num; i++) {
        d.a = item_at(in, i * n * n);
        d.v = s->vectors ? item_at(v, i * n * n) : NULL;
        if (!math_eigh(&d, st))
            return false;
        put_reals(in->dtype, item_at(e, i * n), d.w, n);
    }
    return true;
}

static bool qr_run(struct kctx *c, struct status *st)
{
    const struct spectral_state *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct matrix_batch m;
    if (!spectral_begin(c, &m, st))
        return false;
    int64_t p = s->full ? m.rows : matrix_min(m.rows, m.cols);
    struct tensor *q = batch_out(c, 0, (int64_t[]){m.rows, p}, 2, st);
    struct tensor *r = q ? batch_out(c, 1, (int64_t[]){p, m.cols}, 2, st) : NULL;
    if (!r || in->num_elems == 0) {
        if (r && q->num_elems > 0)
            return status_unimplemented(st, "Qr: full_matrices of matrices without elements");
        return r != NULL;
    }
    struct math_qr d = {.dtype = in->dtype, .m = m.rows, .n = m.cols, .full = s->full};
    enum math_linalg_task task = s->full ? MATH_LINALG_QR_FULL : MATH_LINALG_QR;
    if (!spectral_scratch(c, task, &m, &d.scratch, st))
        return false;
    for (int64_t i = 0; i < m.num; i++) {
        d.a = item_at(in, i * m.rows * m.cols);
        d.q = item_at(q, i * m.rows * p);
        d.r = item_at(r, i * p * m.cols);
        if (!math_qr(&d, st))
            return false;
    }
    return true;
}

static bool svd_outputs(struct kctx *c, const struct matrix_batch *m, struct tensor *out[3],
                        struct status *st)
{
    const struct spectral_state *s = kernel_state(c);
    int64_t p = matrix_min(m->rows, m->cols);
    int64_t u[] = {m->rows, s->full ? m->rows : p}, v[] = {m->cols, s->full ? m->cols : p};
    out[0] = batch_out(c, 0, &p, 1, st);
    if (!out[0])
        return false;
    out[1] = s->vectors ? batch_out(c, 1, u, 2, st) : empty_out(c, 1, st);
    if (!out[1])
        return false;
    out[2] = s->vectors ? batch_out(c, 2, v, 2, st) : empty_out(c, 2, st);
    return out[2] != NULL;
}

static bool svd_run(struct kctx *c, struct status *st)
{
    const struct spectral_state *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out[3] = {NULL, NULL, NULL};
    struct matrix_batch m;
    if (!spectral_begin(c, &m, st) || !svd_outputs(c, &m, out, st))
        return false;
    if (in->num_elems == 0) {
        if (out[1]->num_elems > 0 || out[2]->num_elems > 0)
            return status_unimplemented(st, "Svd: full_matrices of matrices without elements");
        return true;
    }
    int64_t p = matrix_min(m.rows, m.cols);
    struct math_svd d = {.dtype = in->dtype, .m = m.rows, .n = m.cols, .full = s->full};
    enum math_linalg_task task = !s->vectors ? MATH_LINALG_SVD
                                 : s->full   ? MATH_LINALG_SVD_FULL
                                             : MATH_LINALG_SVD_THIN;
    d.s = kernel_scratch(c, p * (int64_t)sizeof(double), st);
    if (!d.s || !spectral_scratch(c, task, &m, &d.scratch, st))
        return false;
    for (int64_t i = 0; i < m.num; i++) {
        d.a = item_at(in, i * m.rows * m.cols);
        if (s->vectors) {
            d.u = item_at(out[1], i * m.rows * (s->full ? m.rows : p));
            d.v = item_at(out[2], i * m.cols * (s->full ? m.cols : p));
        }
        if (!math_svd(&d, st))
            return false;
        put_reals(in->dtype, item_at(out[0], i * p), d.s, p);
    }
    return true;
}

#define SPECTRAL_OP(id, op_name, text, run_fn, ...)                                                \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"input: T"},                                                          \
                  .no_kernel = "half is too narrow to decompose matrices",                         \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T: {float, double, complex64, complex128}"},                \
                            .state_bytes = sizeof(struct spectral_state),                          \
                            .init = spectral_init,                                                 \
                            .run = run_fn,                                                         \
                            .flags = KERNEL_EXPENSIVE}

#define SPECTRAL_T "T: {double, float, half, complex64, complex128}"

SPECTRAL_OP(self_adjoint_eig_v2, "SelfAdjointEigV2",
            "Eigenvalues, rising, and eigenvectors of self-adjoint matrices.", eig_run,
            .outputs = {"e: T", "v: T"}, .attrs = {"compute_v: bool = true", SPECTRAL_T},
            .shape = eig_shape, .grad = spectral_eig_grad);
SPECTRAL_OP(qr, "Qr", "Factors Q with orthonormal columns and R upper triangular.", qr_run,
            .outputs = {"q: T", "r: T"}, .attrs = {"full_matrices: bool = false", SPECTRAL_T},
            .shape = qr_shape, .grad = spectral_qr_grad);
SPECTRAL_OP(svd, "Svd", "Singular values, falling, and singular vectors.", svd_run,
            .outputs = {"s: T", "u: T", "v: T"},
            .attrs = {"compute_uv: bool = true", "full_matrices: bool = false", SPECTRAL_T},
            .shape = svd_shape, .grad = spectral_svd_grad);

/* --- the old names --- */

/* Values, then vectors below them: n + 1 rows. */
static bool old_eig_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &in, st) ||
        !infer_merge_dim(infer_dim(in, -2), infer_dim(in, -1), &n, st))
        return false;
    infer_set(c, 0,
              infer_concat(c, infer_slice(c, in, 0, -2), infer_matrix(c, infer_dim_add(n, 1), n)));
    return true;
}

static bool old_eig_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct matrix_batch m;
    if (!spectral_begin(c, &m, st))
        return false;
    if (m.rows != m.cols)
        return status_invalid(st, "Input matrix must be square.");
    const int64_t n = m.rows, size = n * (n + 1);
    struct tensor *out = batch_out(c, 0, (int64_t[]){n + 1, n}, 2, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    struct math_eigh d = {.dtype = in->dtype, .n = n};
    if (!spectral_scratch(c, MATH_LINALG_EIGH_VECTORS, &m, &d.scratch, st))
        return false;
    for (int64_t i = 0; i < m.num; i++) {
        d.a = item_at(in, i * n * n);
        d.w = item_at(out, i * size);
        d.v = item_at(out, i * size + n);
        if (!math_eigh(&d, st))
            return false;
    }
    return true;
}

#define OLD_OP(id, op_name, run_fn, version, use, ...)                                             \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = "The former name of " use ".",                                        \
                  .inputs = {"input: T"},                                                          \
                  .deprecated_at = version,                                                        \
                  .deprecated_why = "Use " use " instead.",                                        \
                  .no_grad = "undefined: " use " has it",                                          \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T: {float, double, complex64, complex128}"},                \
                            .state_bytes = sizeof(struct spectral_state),                          \
                            .init = spectral_init,                                                 \
                            .run = run_fn,                                                         \
                            .flags = KERNEL_EXPENSIVE}

OLD_OP(self_adjoint_eig, "SelfAdjointEig", old_eig_run, 11, "SelfAdjointEigV2",
       .outputs = {"output: T"}, .attrs = {"T: {double, float, half}"}, .shape = old_eig_shape,
       .no_kernel = "half is too narrow to decompose matrices");
OLD_OP(batch_self_adjoint_eig, "BatchSelfAdjointEig", old_eig_run, 11, "SelfAdjointEigV2",
       .outputs = {"output: T"}, .attrs = {"T: {double, float}"}, .shape = old_eig_shape);
OLD_OP(batch_self_adjoint_eig_v2, "BatchSelfAdjointEigV2", eig_run, 13, "SelfAdjointEigV2",
       .outputs = {"e: T", "v: T"}, .attrs = {"compute_v: bool = true", "T: {double, float}"},
       .shape = eig_shape);
OLD_OP(batch_svd, "BatchSvd", svd_run, 13, "Svd", .outputs = {"s: T", "u: T", "v: T"},
       .attrs = {"compute_uv: bool = true", "full_matrices: bool = false",
                 "T: {double, float, complex64, complex128}"},
       .shape = svd_shape);
