/* SPDX-License-Identifier: Apache-2.0 */
/* An LSTM cell in one op: LSTMBlockCell, its gradient's op, and the steps of both. */
#include "ops/nn/lstm_block.h"

#include <math.h>
#include <string.h>

const struct lstm_order lstm_order_icfo = {0, 1, 2, 3}, lstm_order_ifco = {0, 2, 1, 3};

/* --- checks --- */

static bool wrong_size(struct status *st, const char *what, const struct shape *s, int64_t wanted)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "%s must be of size %lld, but has shape ", what, (long long)wanted);
    status_bad_shape(st, strbuf_text(&text), s);
    strbuf_release(&text);
    return false;
}

static bool is_matrix(const struct tensor *t, int64_t rows, int64_t cols)
{
    return tensor_rank(t) == 2 && tensor_dim(t, 0) == rows && tensor_dim(t, 1) == cols;
}

static bool check_shapes(const struct kctx *c, int first, const struct lstm *l, struct status *st)
{
    static const char *const names[] = {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"};
    for (int i = 1; i < 8; i++) {
        const struct tensor *t = kernel_in(c, first + i);
        if (i <= 2 && !is_matrix(t, l->batch, l->cells))
            return wrong_size(st, names[i], &t->shape, l->batch * l->cells);
        if (i == 3 && !is_matrix(t, l->inputs + l->cells, 4 * l->cells))
            return wrong_size(st, names[i], &t->shape, 4 * l->cells);
        int64_t wanted = i == 7 ? 4 * l->cells : l->cells;
        if (i > 3 && (tensor_rank(t) != 1 || (t->num_elems != wanted && (l->peephole || i == 7))))
            return wrong_size(st, names[i], &t->shape, wanted);
    }
    return true;
}

bool lstm_floats(struct kctx *c, int first, int n, const float **to, struct status *st)
{
    for (int i = 0; i < n; i++) {
        if (!(to[i] = kernel_floats(c, kernel_in(c, first + i), st)))
            return false;
    }
    return true;
}

bool lstm_read(struct kctx *c, int x, struct lstm *l, struct status *st)
{
    const struct tensor *in = kernel_in(c, x), *state = kernel_in(c, x + 1);
    const struct attrs *attrs = kernel_attrs(c);
    int rank = tensor_rank(in), wanted = kernel_in(c, 0) == in ? 2 : 3;
    const float *p[5];
    int64_t bytes;
    *l = (struct lstm){.order = lstm_order_icfo, .peephole = attrs_bool(attrs, "use_peephole")};
    if (rank != wanted)
        return status_bad_shape(
            st, wanted == 2 ? "x must be 2D, got shape " : "x must be 3D, got shape ", &in->shape);
    if (tensor_rank(state) != 2)
        return status_bad_shape(st, "cs_prev must be 2D, got shape ", &state->shape);
    l->batch = tensor_dim(in, rank - 2);
    l->inputs = tensor_dim(in, rank - 1);
    l->cells = tensor_dim(state, 1);
    l->forget_bias = attrs_float(attrs, "forget_bias");
    l->clip = attrs_float(attrs, "cell_clip");
    if (l->cells > INT64_MAX / 8 ||
        !size_mul(l->batch, 4 * l->cells * (int64_t)sizeof(float), &bytes))
        return status_invalid(st, "cells are too many");
    if (!check_shapes(c, x, l, st) || !lstm_floats(c, x + 3, 5, p, st))
        return false;
    l->w = p[0];
    l->wci = p[1];
    l->wcf = p[2];
    l->wco = p[3];
    l->b = p[4];
    l->gates = kernel_scratch(c, max_i64(bytes, 1), st);
    return l->gates != NULL;
}

/* --- the step --- */

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

void lstm_forward(struct kctx *c, const struct lstm *l, const float *x, const float *cs_prev,
                  const float *h_prev, float *const results[LSTM_RESULTS])
{
    int64_t n = l->cells, row = 4 * n;
    struct math_gemm g = {.m = l->batch, .n = row, .k = l->inputs, .a = x, .lda = l->inputs};
    g.b = l->w;
    g.c = l->gates;
    g.ldb = g.ldc = row;
    math_gemm_f32(kernel_pool(c), &g);
    g.k = g.lda = n;
    g.a = h_prev;
    g.b = l->w + l->inputs * row;
    g.beta = 1;
    g.bias = l->b;
    math_gemm_f32(kernel_pool(c), &g);
    for (int64_t k = 0; k < l->batch * n; k++) {
        const float *gate = l->gates + k / n * row;
        int64_t j = k % n;
        float before = cs_prev[k], in = gate[l->order.i * n + j];
        float forget = gate[l->order.f * n + j] + l->forget_bias, out = gate[l->order.o * n + j];
        if (l->peephole) {
            in += before * l->wci[j];
            forget += before * l->wcf[j];
        }
        in = sigmoid(in);
        forget = sigmoid(forget);
        float fresh = tanhf(gate[l->order.ci * n + j]), cs = fresh * in + before * forget;
        if (l->clip > 0)
            cs = cs < -l->clip ? -l->clip : cs > l->clip ? l->clip : cs;
        out = sigmoid(l->peephole ? out + cs * l->wco[j] : out);
        results[LSTM_I][k] = in;
        results[LSTM_CS][k] = cs;
        results[LSTM_F][k] = forget;
        results[LSTM_O][k] = out;
        results[LSTM_CI][k] = fresh;
        results[LSTM_CO][k] = tanhf(cs);
        results[LSTM_H][k] = out * results[LSTM_CO][k];
    }
}

void lstm_backward(const struct lstm *l, const struct lstm_back *g)
{
    int64_t n = l->cells;
    for (int64_t k = 0; k < l->batch * n; k++) {
        float *gate = l->gates + k / n * 4 * n;
        int64_t j = k % n;
        float i = g->results[LSTM_I][k], cs = g->results[LSTM_CS][k], f = g->results[LSTM_F][k];
        float o = g->results[LSTM_O][k], ci = g->results[LSTM_CI][k], co = g->results[LSTM_CO][k];
        float dh = g->h_grad[k], before = g->cs_prev[k];
        float d_o = o * (1 - o) * dh * co;
        float dcs = (1 - co * co) * dh * o + g->cs_grad[k];
        if (l->peephole)
            dcs += d_o * l->wco[j];
        float dci = (1 - ci * ci) * dcs * i, df = f * (1 - f) * dcs * before;
        float di = i * (1 - i) * dcs * ci, to_prev = dcs * f;
        gate[l->order.i * n + j] = di;
        gate[l->order.ci * n + j] = dci;
        gate[l->order.f * n + j] = df;
        gate[l->order.o * n + j] = d_o;
        if (l->peephole) {
            to_prev += di * l->wci[j] + df * l->wcf[j];
            g->wci_grad[j] += di * before;
            g->wcf_grad[j] += df * before;
            g->wco_grad[j] += d_o * cs;
        }
        g->cs_prev_grad[k] = to_prev;
    }
}

/* --- outputs --- */

bool lstm_output(struct kctx *c, struct lstm_outputs *o, const struct shape *s, struct status *st)
{
    struct tensor *t = kernel_out(c, o->n, s, st);
    o->t[o->n] = t;
    o->x[o->n] = t ? kernel_float_room(c, t, st) : NULL;
    if (!o->x[o->n])
        return false;
    memset(o->x[o->n], 0, (size_t)t->num_elems * sizeof(float));
    o->n++;
    return true;
}

void lstm_outputs_put(struct lstm_outputs *o)
{
    for (int i = 0; i < o->n; i++)
        tensor_put_floats(o->t[i], o->x[i], o->t[i]->num_elems);
}

/* --- LSTMBlockCell --- */

static bool cell_run(struct kctx *c, struct status *st)
{
    struct lstm l;
    struct lstm_outputs o = {.n = 0};
    const float *in[3];
    if (!lstm_read(c, 0, &l, st) || !lstm_floats(c, 0, 3, in, st))
        return false;
    struct shape s = shape_2(l.batch, l.cells);
    for (int i = 0; i < LSTM_RESULTS; i++) {
        if (!lstm_output(c, &o, &s, st))
            return false;
    }
    lstm_forward(c, &l, in[0], in[1], in[2], o.x);
    lstm_outputs_put(&o);
    return true;
}

bool lstm_infer(struct infer_ctx *c, int x, int rank, const struct shape **state, struct status *st)
{
    const struct shape *in, *cs;
    if (!infer_want_rank(c, infer_input(c, x), rank, &in, st) ||
        !infer_want_rank(c, infer_input(c, x + 1), 2, &cs, st))
        return false;
    int64_t dims[] = {infer_dim(in, 0), infer_dim(in, rank - 2), infer_dim(cs, 1)};
    *state = infer_make(c, dims + 3 - rank, rank);
    return true;
}

static bool cell_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *state;
    if (!lstm_infer(c, 0, 2, &state, st))
        return false;
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, state);
    return true;
}

struct output lstm_product(struct grad_ctx *g, struct output a, struct output b, bool trans_a)
{
    return grad_opv(g, "MatMul", 2, (struct output[]){a, b}, 2,
                    (struct attr[]){{(char *)"transpose_a", attr_bool(trans_a)},
                                    {(char *)"transpose_b", attr_bool(!trans_a)}});
}

static struct output join_along(struct grad_ctx *g, struct output a, struct output b, int32_t axis)
{
    struct output parts[] = {a, b, grad_const_i32(g, axis)};
    return grad_node_out(g,
                         grad_node(g, &(struct grad_build){.op = "ConcatV2",
                                                           .inputs = parts,
                                                           .num_inputs = 3,
                                                           .list_sizes = (int[]){2, 1}}),
                         0);
}

struct output lstm_join(struct grad_ctx *g, struct output x, struct output h)
{
    return join_along(g, x, h, 1);
}

void lstm_split(struct grad_ctx *g, struct output xh, struct output x, struct output parts[2])
{
    struct output one = grad_const_i32s(g, (int32_t[]){1}, 1);
    struct output inputs = grad_op3(g, "Slice", grad_shape(g, x), one, one);
    struct output sizes = join_along(g, inputs, grad_const_i32s(g, (int32_t[]){-1}, 1), 0);
    struct node *n = grad_nodev(g, "SplitV", 3, (struct output[]){xh, sizes, grad_const_i32(g, 1)},
                                1, (struct attr[]){{(char *)"num_split", attr_int(2)}});
    parts[0] = grad_node_out(g, n, 0);
    parts[1] = grad_node_out(g, n, 1);
}

static bool cell_grad(struct grad_ctx *g, struct status *st)
{
    struct output in[16], x = grad_in(g, 0), h = grad_in(g, 2);
    for (int i = 0; i < 8; i++)
        in[i] = grad_in(g, i);
    for (int i = 0; i < 6; i++)
        in[8 + i] = grad_out(g, i);
    in[14] = grad_dy(g, LSTM_CS);
    in[15] = grad_dy(g, LSTM_H);
    bool peephole = attrs_bool(grad_attrs(g), "use_peephole");
    struct node *n = grad_nodev(g, "LSTMBlockCellGrad", 16, in, 1,
                                (struct attr[]){{(char *)"use_peephole", attr_bool(peephole)}});
    struct output gates = grad_node_out(g, n, 1), xh = lstm_join(g, x, h);
    struct output dx[2];
    lstm_split(g, lstm_product(g, gates, grad_in(g, 3), false), x, dx);
    grad_set(g, 0, dx[0]);
    grad_set(g, 1, grad_node_out(g, n, 0));
    grad_set(g, 2, dx[1]);
    grad_set(g, 3, lstm_product(g, xh, gates, true));
    for (int i = 0; i < 3; i++)
        grad_set(g, 4 + i, grad_node_out(g, n, 2 + i));
    grad_set(g, 7, grad_op1(g, "BiasAddGrad", gates));
    return grad_done(g, st);
}

#define STATES "cs_prev: T", "h_prev: T", "w: T", "wci: T", "wcf: T", "wco: T", "b: T"
#define RESULTS "i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "h: T"

OP_DEF(lstm_block_cell) = {
    .name = "LSTMBlockCell",
    .summary = "A step of an LSTM cell, with its gates as results.",
    .inputs = {"x: T", STATES},
    .outputs = {RESULTS},
    .attrs = {"forget_bias: float = 1", "cell_clip: float = 3", "use_peephole: bool = false",
              "T: {half, float}"},
    .shape = cell_shape,
    .grad = cell_grad,
};
KERNEL_DEF(lstm_block_cell_cpu) = {.op = "LSTMBlockCell", .device = "CPU", .run = cell_run};

/* --- LSTMBlockCellGrad --- */

static bool check_states(const struct kctx *c, int first, int n, const struct lstm *l,
                         struct status *st)
{
    for (int i = first; i < first + n; i++) {
        if (!is_matrix(kernel_in(c, i), l->batch, l->cells))
            return wrong_size(st, "what the cell gave, and its gradients,", &kernel_in(c, i)->shape,
                              l->batch * l->cells);
    }
    return true;
}

static bool back_run(struct kctx *c, struct status *st)
{
    struct lstm l;
    struct lstm_outputs o = {.n = 0};
    const float *in[8], *cs_prev;
    if (!lstm_read(c, 0, &l, st) || !check_states(c, 8, 8, &l, st) ||
        !lstm_floats(c, 8, 8, in, st) || !lstm_floats(c, 1, 1, &cs_prev, st))
        return false;
    struct shape state = shape_2(l.batch, l.cells), gates = shape_2(l.batch, 4 * l.cells);
    if (!lstm_output(c, &o, &state, st) || !lstm_output(c, &o, &gates, st))
        return false;
    for (int i = 4; i < 7; i++) {
        if (!lstm_output(c, &o, &kernel_in(c, i)->shape, st))
            return false;
    }
    l.gates = o.x[1];
    struct lstm_back g = {cs_prev, {in[0], in[1], in[2], in[3], in[4], in[5], NULL},
                          in[6],   in[7],
                          o.x[0],  o.x[2],
                          o.x[3],  o.x[4]};
    lstm_backward(&l, &g);
    lstm_outputs_put(&o);
    return true;
}

static bool back_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *state;
    if (!lstm_infer(c, 0, 2, &state, st))
        return false;
    infer_set(c, 0, state);
    infer_set(c, 1, infer_matrix(c, infer_dim(state, 0), infer_dim_mul(infer_dim(state, 1), 4)));
    for (int i = 0; i < 3; i++)
        infer_set(c, 2 + i, infer_vector(c, infer_dim(state, 1)));
    return true;
}

OP_DEF(lstm_block_cell_grad) = {
    .name = "LSTMBlockCellGrad",
    .summary = "The gradients of LSTMBlockCell by its states, its gates and its peepholes.",
    .inputs = {"x: T", STATES, "i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "cs_grad: T",
               "h_grad: T"},
    .outputs = {"cs_prev_grad: T", "dicfo: T", "wci_grad: T", "wcf_grad: T", "wco_grad: T"},
    .attrs = {"use_peephole: bool", "T: {half, float}"},
    .shape = back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(lstm_block_cell_grad_cpu) = {
    .op = "LSTMBlockCellGrad", .device = "CPU", .run = back_run};
