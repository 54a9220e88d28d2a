/* SPDX-License-Identifier: Apache-2.0 */
/* A GRU cell in one op, and the op of its gradient; what follows for the weights is built of other
 * ops. */
#include <math.h>
#include <string.h>

#include "ops/nn/lstm_block.h"

struct gru {
    int64_t batch, inputs, cells;
    const float *x, *h_prev, *w_ru, *w_c, *b_ru, *b_c;
};

static bool check_dims(const struct kctx *c, int i, const char *name, const int64_t *dims, int rank,
                       struct status *st)
{
    const struct shape *s = &kernel_in(c, i)->shape;
    struct shape wanted = shape_make(dims, rank);
    struct strbuf text = {0};
    if (shape_equal(s, &wanted))
        return true;
    shape_print(s, &text);
    strbuf_puts(&text, " vs. ");
    shape_print(&wanted, &text);
    status_invalid(st, "%s has another shape than the cell: %s", name, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool read_gru(struct kctx *c, struct gru *k, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *h = kernel_in(c, 1);
    if (tensor_rank(x) != 2 || tensor_rank(h) != 2)
        return status_bad_shape(st, "x and h_prev must be 2D, got shape ",
                                tensor_rank(x) != 2 ? &x->shape : &h->shape);
    k->batch = tensor_dim(x, 0);
    k->inputs = tensor_dim(x, 1);
    k->cells = tensor_dim(h, 1);
    int64_t both = k->inputs + k->cells, n = k->cells;
    if (!check_dims(c, 1, "h_prev", (int64_t[]){k->batch, n}, 2, st) ||
        !check_dims(c, 2, "w_ru", (int64_t[]){both, 2 * n}, 2, st) ||
        !check_dims(c, 3, "w_c", (int64_t[]){both, n}, 2, st) ||
        !check_dims(c, 4, "b_ru", (int64_t[]){2 * n}, 1, st) ||
        !check_dims(c, 5, "b_c", (int64_t[]){n}, 1, st))
        return false;
    k->x = tensor_f32(x);
    k->h_prev = tensor_f32(h);
    k->w_ru = tensor_f32(kernel_in(c, 2));
    k->w_c = tensor_f32(kernel_in(c, 3));
    k->b_ru = tensor_f32(kernel_in(c, 4));
    k->b_c = tensor_f32(kernel_in(c, 5));
    return true;
}

/* out [batch, cols] = act([x, h] w + bias): the reset and update gates, or the new values */
static void layer(struct kctx *c, const struct gru *k, const float *h, bool gates, float *out)
{
    const float *w = gates ? k->w_ru : k->w_c;
    int64_t cols = gates ? 2 * k->cells : k->cells;
    struct math_gemm g = {.m = k->batch, .n = cols, .k = k->inputs, .a = k->x, .b = w, .c = out};
    g.lda = k->inputs;
    g.ldb = g.ldc = cols;
    math_gemm_f32(kernel_pool(c), &g);
    g.k = g.lda = k->cells;
    g.a = h;
    g.b = w + k->inputs * cols;
    g.beta = 1;
    g.bias = gates ? k->b_ru : k->b_c;
    g.act = gates ? MATH_ACT_SIGMOID : MATH_ACT_TANH;
    math_gemm_f32(kernel_pool(c), &g);
}

static float *room(struct kctx *c, int64_t elems, struct status *st)
{
    int64_t bytes;
    return size_mul(elems + 1, (int64_t)sizeof(float), &bytes) ? kernel_scratch(c, bytes, st)
                                                               : NULL;
}

static bool cell_run(struct kctx *c, struct status *st)
{
    struct gru k;
    struct lstm_outputs o = {.n = 0};
    if (!read_gru(c, &k, st))
        return false;
    struct shape s = shape_2(k.batch, k.cells);
    for (int i = 0; i < 4; i++) {
        if (!lstm_output(c, &o, &s, st))
            return false;
    }
    int64_t n = k.cells, all = k.batch * n;
    float *r = o.x[0], *u = o.x[1], *fresh = o.x[2], *h = o.x[3], *ru = room(c, 2 * all, st);
    if (!ru)
        return false;
    layer(c, &k, k.h_prev, true, ru);
    for (int64_t i = 0; i < all; i++) {
        r[i] = ru[i / n * 2 * n + i % n];
        u[i] = ru[i / n * 2 * n + n + i % n];
        h[i] = k.h_prev[i] * r[i];
    }
    memcpy(ru, h, (size_t)all * sizeof(*h));
    layer(c, &k, ru, false, fresh);
    for (int64_t i = 0; i < all; i++)
        h[i] = u[i] * k.h_prev[i] + (1 - u[i]) * fresh[i];
    return true;
}

/* --- the gradient's op --- */

/* out [batch, rows] (+)= d [batch, cols] w^T, of rows of w from `first` on */
static void back_layer(struct kctx *c, const struct gru *k, const float *d, const float *w,
                       const int64_t size[3], float *out, bool add)
{
    int64_t first = size[0], rows = size[1], cols = size[2];
    struct math_gemm g = {.m = k->batch, .n = rows, .k = cols, .a = d, .c = out, .lda = cols};
    g.b = w + first * cols;
    g.ldb = cols;
    g.ldc = rows;
    g.trans_b = true;
    g.beta = add;
    math_gemm_f32(kernel_pool(c), &g);
}

static bool back_run(struct kctx *c, struct status *st)
{
    struct gru k;
    struct lstm_outputs o = {.n = 0};
    const float *in[4];
    if (!read_gru(c, &k, st))
        return false;
    int64_t n = k.cells, all = k.batch * n;
    for (int i = 6; i < 10; i++) {
        if (!check_dims(c, i, "what the cell gave, or its gradient,", (int64_t[]){k.batch, n}, 2,
                        st))
            return false;
        in[i - 6] = tensor_f32(kernel_in(c, i));
    }
    struct shape x = shape_2(k.batch, k.inputs), s = shape_2(k.batch, n),
                 ru = shape_2(k.batch, 2 * n);
    float *d_hr = room(c, all, st);
    if (!d_hr || !lstm_output(c, &o, &x, st) || !lstm_output(c, &o, &s, st) ||
        !lstm_output(c, &o, &s, st) || !lstm_output(c, &o, &ru, st))
        return false;
    float *dx = o.x[0], *dh = o.x[1], *d_c = o.x[2], *d_ru = o.x[3];
    const float *r = in[0], *u = in[1], *fresh = in[2], *d = in[3];
    for (int64_t i = 0; i < all; i++) {
        d_c[i] = d[i] * (1 - u[i]) * (1 - fresh[i] * fresh[i]);
        d_ru[i / n * 2 * n + n + i % n] = d[i] * (k.h_prev[i] - fresh[i]) * u[i] * (1 - u[i]);
    }
    back_layer(c, &k, d_c, k.w_c, (int64_t[]){k.inputs, n, n}, d_hr, false);
    for (int64_t i = 0; i < all; i++) {
        d_ru[i / n * 2 * n + i % n] = d_hr[i] * k.h_prev[i] * r[i] * (1 - r[i]);
        dh[i] = d[i] * u[i] + d_hr[i] * r[i];
    }
    back_layer(c, &k, d_c, k.w_c, (int64_t[]){0, k.inputs, n}, dx, false);
    back_layer(c, &k, d_ru, k.w_ru, (int64_t[]){0, k.inputs, 2 * n}, dx, true);
    back_layer(c, &k, d_ru, k.w_ru, (int64_t[]){k.inputs, n, 2 * n}, dh, true);
    return true;
}

/* --- definitions --- */

static bool cell_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *state;
    if (!lstm_infer(c, 0, 2, &state, st))
        return false;
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, state);
    return true;
}

static bool cell_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[10], x = grad_in(g, 0), h = grad_in(g, 1), r = grad_out(g, 0);
    for (int i = 0; i < 6; i++)
        in[i] = grad_in(g, i);
    for (int i = 0; i < 3; i++)
        in[6 + i] = grad_out(g, i);
    in[9] = grad_dy(g, 3);
    struct node *n = grad_nodev(g, "GRUBlockCellGrad", 10, in, 0, NULL);
    struct output d_c = grad_node_out(g, n, 2), d_ru = grad_node_out(g, n, 3);
    grad_set(g, 0, grad_node_out(g, n, 0));
    grad_set(g, 1, grad_node_out(g, n, 1));
    grad_set(g, 2, lstm_product(g, lstm_join(g, x, h), d_ru, true));
    grad_set(g, 3, lstm_product(g, lstm_join(g, x, grad_mul(g, h, r)), d_c, true));
    grad_set(g, 4, grad_op1(g, "BiasAddGrad", d_ru));
    grad_set(g, 5, grad_op1(g, "BiasAddGrad", d_c));
    return grad_done(g, st);
}

static bool back_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *state, *weights;
    if (!lstm_infer(c, 0, 2, &state, st) || !infer_want_rank(c, infer_input(c, 2), 2, &weights, st))
        return false;
    infer_set(c, 0, infer_input(c, 0));
    infer_set(c, 1, state);
    infer_set(c, 2, state);
    infer_set(c, 3, infer_matrix(c, infer_dim(state, 0), infer_dim_mul(infer_dim(state, 1), 2)));
    return true;
}

#define INPUTS "x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T", "b_c: T"

OP_DEF(gru_block_cell) = {
    .name = "GRUBlockCell",
    .summary = "A step of a GRU cell, with its gates as results.",
    .inputs = {INPUTS},
    .outputs = {"r: T", "u: T", "c: T", "h: T"},
    .attrs = {"T: {float}"},
    .shape = cell_shape,
    .grad = cell_grad,
};
KERNEL_DEF(gru_block_cell_cpu) = {.op = "GRUBlockCell", .device = "CPU", .run = cell_run};

OP_DEF(gru_block_cell_grad) = {
    .name = "GRUBlockCellGrad",
    .summary = "The gradients of GRUBlockCell by its input, its state and its gates.",
    .inputs = {INPUTS, "r: T", "u: T", "c: T", "d_h: T"},
    .outputs = {"d_x: T", "d_h_prev: T", "d_c_bar: T", "d_r_bar_u_bar: T"},
    .attrs = {"T: {float}"},
    .shape = back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(gru_block_cell_grad_cpu) = {.op = "GRUBlockCellGrad", .device = "CPU", .run = back_run};
