/* SPDX-License-Identifier: Apache-2.0 */
/* BatchMatMul and BatchMatMulV2: products of matrices in the last two dims; the dims before them
 * are equal (BatchMatMul) or broadcast (V2). adj_x, adj_y: the conjugate transpose is taken. */
#include "math/gemm.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* --- shapes --- */

static bool batch_product_shape(struct infer_ctx *c, bool broadcast, struct status *st)
{
    const struct shape *x, *y, *batch;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &x, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 2, &y, st))
        return false;
    int ax = attrs_bool(infer_attrs(c), "adj_x"), ay = attrs_bool(infer_attrs(c), "adj_y");
    int64_t inner;
    if (!infer_merge_dim(infer_dim(x, ax ? -2 : -1), infer_dim(y, ay ? -1 : -2), &inner, st))
        return false;
    const struct shape *bx = infer_slice(c, x, 0, -2), *by = infer_slice(c, y, 0, -2);
    if (broadcast ? !infer_broadcast(c, bx, by, &batch, st) : !infer_merge(c, bx, by, &batch, st))
        return false;
    int64_t rows = infer_dim(x, ax ? -1 : -2), cols = infer_dim(y, ay ? -2 : -1);
    infer_set(c, 0, infer_concat(c, batch, infer_matrix(c, rows, cols)));
    return true;
}

static bool batch_matmul_shape(struct infer_ctx *c, struct status *st)
{
    return batch_product_shape(c, false, st);
}

static bool batch_matmul_v2_shape(struct infer_ctx *c, struct status *st)
{
    return batch_product_shape(c, true, st);
}

/* --- gradients --- */

static struct output product(struct grad_ctx *g, const char *op, const struct output in[2], bool ax,
                             bool ay)
{
    struct attr attrs[] = {{(char *)"adj_x", attr_bool(ax)}, {(char *)"adj_y", attr_bool(ay)}};
    return grad_opv(g, op, 2, in, 2, attrs);
}

static void product_grads(struct grad_ctx *g, const char *op, struct output dxy[2])
{
    bool ax = attrs_bool(grad_attrs(g), "adj_x"), ay = attrs_bool(grad_attrs(g), "adj_y");
    struct output dz = grad_dy(g, 0), x = grad_in(g, 0), y = grad_in(g, 1);
    dxy[0] = ax ? product(g, op, (struct output[]){y, dz}, ay, true)
                : product(g, op, (struct output[]){dz, y}, false, !ay);
    dxy[1] = ay ? product(g, op, (struct output[]){dz, x}, true, ax)
                : product(g, op, (struct output[]){x, dz}, !ax, false);
}

static bool batch_matmul_grad(struct grad_ctx *g, struct status *st)
{
    struct output d[2];
    product_grads(g, "MatMul=BatchMatMul", d);
    grad_set(g, 0, d[0]);
    grad_set(g, 1, d[1]);
    return grad_done(g, st);
}

/* Whether the batch dims of both inputs are known to be the same. */
static bool same_batch(struct grad_ctx *g)
{
    const struct shape *x = grad_shape_of(g, grad_in(g, 0)), *y = grad_shape_of(g, grad_in(g, 1));
    if (x->rank < 2 || x->rank != y->rank)
        return false;
    for (int i = 0; i < x->rank - 2; i++) {
        if (shape_dim(x, i) < 0 || shape_dim(x, i) != shape_dim(y, i))
            return false;
    }
    return true;
}

static struct output batch_dims(struct grad_ctx *g, struct output shape)
{
    struct output in[] = {shape, grad_const_i32s(g, (int32_t[]){0}, 1),
                          grad_const_i32s(g, (int32_t[]){-2}, 1),
                          grad_const_i32s(g, (int32_t[]){1}, 1)};
    struct attr begin = {(char *)"begin_mask", attr_int(1)};
    return grad_opv(g, "strided_slice=StridedSlice", 4, in, 1, &begin);
}

static bool batch_matmul_v2_grad(struct grad_ctx *g, struct status *st)
{
    struct output d[2];
    product_grads(g, "MatMul=BatchMatMulV2", d);
    if (!same_batch(g)) {
        struct output sx = grad_shape(g, grad_in(g, 0)), sy = grad_shape(g, grad_in(g, 1));
        struct output in[] = {batch_dims(g, sx), batch_dims(g, sy)};
        struct node *args = grad_nodev(g, "BroadcastGradientArgs", 2, in, 0, NULL);
        d[0] = grad_reshape(g, grad_op2(g, "Sum", d[0], grad_node_out(g, args, 0)), sx);
        d[1] = grad_reshape(g, grad_op2(g, "Sum", d[1], grad_node_out(g, args, 1)), sy);
    }
    grad_set(g, 0, d[0]);
    grad_set(g, 1, d[1]);
    return grad_done(g, st);
}

/* --- kernel --- */

struct batch_state {
    bool adj_x, adj_y, broadcast;
};

static bool batch_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct batch_state *s = state;
    s->adj_x = attrs_bool(k->attrs, "adj_x");
    s->adj_y = attrs_bool(k->attrs, "adj_y");
    s->broadcast = strcmp(k->op->def->name, "BatchMatMulV2") == 0;
    return true;
}

static bool fail_shapes(const char *text, const struct tensor *x, const char *between,
                        const struct tensor *y, struct status *st)
{
    struct strbuf b = {0};
    strbuf_puts(&b, text);
    shape_print(&x->shape, &b);
    strbuf_puts(&b, between);
    shape_print(&y->shape, &b);
    status_invalid(st, "%s", strbuf_text(&b));
    strbuf_release(&b);
    return false;
}

/* Dim i of the n batch dims that t, aligned at the end, is given. */
static int64_t batch_dim(const struct tensor *t, int i, int n)
{
    int at = i - (n - (tensor_rank(t) - 2));
    return at < 0 ? 1 : tensor_dim(t, at);
}

/* Checks the batch dims and writes those of the result. */
static bool batch_dims_of(const struct tensor *x, const struct tensor *y, bool broadcast,
                          int64_t *dims, struct status *st)
{
    int n = (tensor_rank(x) > tensor_rank(y) ? tensor_rank(x) : tensor_rank(y)) - 2;
    for (int i = 0; i < n; i++) {
        int64_t dx = batch_dim(x, i, n), dy = batch_dim(y, i, n);
        if (!broadcast && dx != dy)
            return fail_shapes("In[0] and In[1] must have the same batch dimensions: ", x, " vs. ",
                               y, st);
        if (dx != dy && dx != 1 && dy != 1)
            return fail_shapes("In[0] and In[1] must have compatible batch dimensions: ", x,
                               " vs. ", y, st);
        dims[i] = dx == 1 ? dy : dx;
    }
    return true;
}

/* index[j] = which of t's matrices goes into product j. */
static void fill_index(const struct tensor *t, const int64_t *dims, int n, int64_t num,
                       int64_t *index)
{
    int64_t at[SHAPE_MAX_RANK] = {0}, step[SHAPE_MAX_RANK], here = 0, size = 1;
    for (int i = n - 1; i >= 0; i--) {
        int64_t d = batch_dim(t, i, n);
        step[i] = d == 1 ? 0 : size;
        size *= d;
    }
    for (int64_t j = 0; j < num; j++) {
        index[j] = here;
        for (int i = n - 1; i >= 0; i--) {
            here += step[i];
            if (++at[i] < dims[i])
                break;
            here -= step[i] * dims[i];
            at[i] = 0;
        }
    }
}

static bool batch_check(const struct batch_state *s, const struct tensor *x, const struct tensor *y,
                        struct status *st)
{
    int rx = tensor_rank(x), ry = tensor_rank(y);
    if (!s->broadcast && rx != ry)
        return fail_shapes("In[0] and In[1] has different ndims: ", x, " vs. ", y, st);
    if (rx < 2)
        return status_invalid(st, "In[0] ndims must be >= 2: %d", rx);
    if (ry < 2)
        return status_invalid(st, "In[1] ndims must be >= 2: %d", ry);
    return true;
}

static bool batch_run(struct kctx *c, struct status *st)
{
    const struct batch_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    int64_t dims[SHAPE_MAX_RANK];
    if (!batch_check(s, x, y, st) || !batch_dims_of(x, y, s->broadcast, dims, st))
        return false;
    int rx = tensor_rank(x), ry = tensor_rank(y), n = (rx > ry ? rx : ry) - 2;
    int64_t xr = tensor_dim(x, rx - 2), xc = tensor_dim(x, rx - 1);
    int64_t yr = tensor_dim(y, ry - 2), yc = tensor_dim(y, ry - 1);
    struct math_gemm g = {.m = s->adj_x ? xc : xr,
                          .k = s->adj_x ? xr : xc,
                          .n = s->adj_y ? yr : yc,
                          .a = x->data,
                          .b = y->data,
                          .lda = xc,
                          .ldb = yc,
                          .trans_a = s->adj_x,
                          .trans_b = s->adj_y,
                          .conj_a = s->adj_x,
                          .conj_b = s->adj_y};
    if (g.k != (s->adj_y ? yc : yr))
        return fail_shapes("Matrix size-incompatible: In[0]: ", x, ", In[1]: ", y, st);
    dims[n] = g.m;
    dims[n + 1] = g.n;
    struct shape shape = shape_make(dims, n + 2);
    struct tensor *z = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!z || z->num_elems == 0)
        return z != NULL;
    g.c = z->data;
    g.ldc = g.n;
    struct math_gemm_batch b = {.num = z->num_elems / (g.m * g.n),
                                .a_stride = xr * xc,
                                .b_stride = yr * yc,
                                .c_stride = g.m * g.n};
    if (s->broadcast) {
        int64_t *index = kernel_scratch(c, 2 * b.num * (int64_t)sizeof(int64_t), st);
        if (!index)
            return false;
        fill_index(x, dims, n, b.num, index);
        fill_index(y, dims, n, b.num, index + b.num);
        b.a_index = index;
        b.b_index = index + b.num;
    }
    math_gemm_batched(kernel_pool(c), z->dtype, &g, &b);
    return true;
}

#define BATCH_OP(id, op_name, text, ...)                                                           \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"x: T", "y: T"},                                                      \
                  .outputs = {"output: T"},                                                        \
                  .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, "         \
                            "complex128}",                                                         \
                            "adj_x: bool = false", "adj_y: bool = false"},                         \
                  __VA_ARGS__};                                                                    \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {half, float, double, int32, int64, complex64, complex128}"},                \
        .state_bytes = sizeof(struct batch_state),                                                 \
        .init = batch_init,                                                                        \
        .run = batch_run,                                                                          \
        .flags = KERNEL_EXPENSIVE}

BATCH_OP(batch_mat_mul, "BatchMatMul", "Products of the matrices in the last two dims of x and y.",
         .shape = batch_matmul_shape, .grad = batch_matmul_grad,
         .no_kernel = "bfloat16 has products in MatMul alone");
BATCH_OP(batch_mat_mul_v2, "BatchMatMulV2",
         "Products of the matrices in the last two dims of x and y, whose other dims broadcast.",
         .shape = batch_matmul_v2_shape, .grad = batch_matmul_v2_grad,
         .no_kernel = "bfloat16 has products in MatMul alone");
