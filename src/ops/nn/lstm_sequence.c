/* SPDX-License-Identifier: Apache-2.0 */
/* BlockLSTM, its second version, which has the gates in another order, and the ops of their
 * gradients: an LSTM cell over a sequence. What lies behind seq_len_max is zero. */
#include <string.h>

#include "op/grad.h"
#include "op/infer.h"
#include "ops/nn/lstm_block.h"

struct sequence {
    struct lstm l;
    int64_t time, steps;
};

static bool read_sequence(struct kctx *c, struct lstm_order order, struct sequence *s,
                          struct status *st)
{
    if (tensor_rank(kernel_in(c, 0)) != 0)
        return status_bad_shape(st, "seq_len_max must be a scalar, got shape ",
                                &kernel_in(c, 0)->shape);
    if (!lstm_read(c, 1, &s->l, st))
        return false;
    s->l.order = order;
    s->time = tensor_dim(kernel_in(c, 1), 0);
    s->steps = max_i64(tensor_i64(kernel_in(c, 0))[0], 0);
    return s->steps <= s->time ||
           status_invalid(st, "seq_len_max must be at most the number of times: %lld, %lld",
                          (long long)s->steps, (long long)s->time);
}

static bool run_forward(struct kctx *c, struct lstm_order order, struct status *st)
{
    struct sequence s;
    struct lstm_outputs o = {.n = 0};
    const float *in[3];
    if (!read_sequence(c, order, &s, st) || !lstm_floats(c, 1, 3, in, st))
        return false;
    struct shape shape = shape_3(s.time, s.l.batch, s.l.cells);
    for (int i = 0; i < LSTM_RESULTS; i++) {
        if (!lstm_output(c, &o, &shape, st))
            return false;
    }
    int64_t state = s.l.batch * s.l.cells, input = s.l.batch * s.l.inputs;
    for (int64_t t = 0; t < s.steps; t++) {
        float *at[LSTM_RESULTS];
        for (int i = 0; i < LSTM_RESULTS; i++)
            at[i] = o.x[i] + t * state;
        lstm_forward(c, &s.l, in[0] + t * input, t ? at[LSTM_CS] - state : in[1],
                     t ? at[LSTM_H] - state : in[2], at);
    }
    lstm_outputs_put(&o);
    return true;
}

static bool forward_icfo(struct kctx *c, struct status *st)
{
    return run_forward(c, lstm_order_icfo, st);
}
static bool forward_ifco(struct kctx *c, struct status *st)
{
    return run_forward(c, lstm_order_ifco, st);
}

/* --- gradients --- */

enum { DX, DCS_PREV, DH_PREV, DW, DWCI, DWCF, DWCO, DB };

/* From the gradients of the gates at a time to those of what they were made of. */
static void back_products(struct kctx *c, const struct lstm *l, const float *x, const float *h_prev,
                          const struct lstm_outputs *o, float *dx)
{
    int64_t row = 4 * l->cells;
    struct pool *pool = kernel_pool(c);
    struct math_gemm g = {.m = l->batch, .k = row, .a = l->gates, .lda = row, .trans_b = true};
    g.ldb = row;
    g.n = g.ldc = l->inputs;
    g.b = l->w;
    g.c = dx;
    math_gemm_f32(pool, &g);
    g.n = g.ldc = l->cells;
    g.b = l->w + l->inputs * row;
    g.c = o->x[DH_PREV];
    math_gemm_f32(pool, &g);
    g = (struct math_gemm){.m = l->inputs, .n = row, .k = l->batch, .trans_a = true, .beta = 1};
    g.a = x;
    g.lda = l->inputs;
    g.b = l->gates;
    g.c = o->x[DW];
    g.ldb = g.ldc = row;
    math_gemm_f32(pool, &g);
    g.m = g.lda = l->cells;
    g.a = h_prev;
    g.c = o->x[DW] + l->inputs * row;
    math_gemm_f32(pool, &g);
    for (int64_t i = 0; i < l->batch * row; i++)
        o->x[DB][i % row] += l->gates[i];
}

static bool check_results(const struct kctx *c, const struct sequence *s, struct status *st)
{
    for (int i = 9; i < 18; i++) {
        const struct tensor *t = kernel_in(c, i);
        if (tensor_rank(t) != 3 || tensor_dim(t, 0) != s->time || tensor_dim(t, 1) != s->l.batch ||
            tensor_dim(t, 2) != s->l.cells)
            return status_bad_shape(
                st, "results of the sequence, and their gradients, do not fit it: ", &t->shape);
    }
    return true;
}

/* cs_prev_grad and h_prev_grad in the outputs hold, from the last time to the first, what the time
 * behind gave. */
static void back_steps(struct kctx *c, const struct sequence *s, const float *const in[9],
                       const float *const before[3], const struct lstm_outputs *o, float *sums)
{
    int64_t state = s->l.batch * s->l.cells, input = s->l.batch * s->l.inputs;
    for (int64_t t = s->steps - 1; t >= 0; t--) {
        struct lstm_back g = {.cs_prev = t ? in[LSTM_CS] + (t - 1) * state : before[1]};
        for (int i = 0; i < LSTM_H; i++)
            g.results[i] = in[i] + t * state;
        for (int64_t i = 0; i < state; i++) {
            o->x[DCS_PREV][i] += in[7][t * state + i];
            sums[i] = o->x[DH_PREV][i] + in[8][t * state + i];
        }
        g.cs_grad = g.cs_prev_grad = o->x[DCS_PREV];
        g.h_grad = sums;
        g.wci_grad = o->x[DWCI];
        g.wcf_grad = o->x[DWCF];
        g.wco_grad = o->x[DWCO];
        lstm_backward(&s->l, &g);
        back_products(c, &s->l, before[0] + t * input, t ? in[LSTM_H] + (t - 1) * state : before[2],
                      o, o->x[DX] + t * input);
    }
}

static bool run_back(struct kctx *c, struct lstm_order order, struct status *st)
{
    struct sequence s;
    struct lstm_outputs o = {.n = 0};
    const float *before[3], *in[9];
    if (!read_sequence(c, order, &s, st) || !check_results(c, &s, st) ||
        !lstm_floats(c, 1, 3, before, st) || !lstm_floats(c, 9, 9, in, st))
        return false;
    for (int i = 0; i < 8; i++) {
        if (!lstm_output(c, &o, &kernel_in(c, 1 + i)->shape, st))
            return false;
    }
    float *sums = kernel_scratch(c, (s.l.batch * s.l.cells + 1) * (int64_t)sizeof(*sums), st);
    if (!sums)
        return false;
    back_steps(c, &s, in, before, &o, sums);
    lstm_outputs_put(&o);
    return true;
}

static bool back_icfo(struct kctx *c, struct status *st)
{
    return run_back(c, lstm_order_icfo, st);
}
static bool back_ifco(struct kctx *c, struct status *st)
{
    return run_back(c, lstm_order_ifco, st);
}

/* --- definitions --- */

static bool forward_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *bias;
    int64_t cells;
    if (!infer_want_rank(c, infer_input(c, 1), 3, &x, st) ||
        !infer_want_rank(c, infer_input(c, 8), 1, &bias, st) ||
        !infer_dim_div(infer_dim(bias, 0), 4, &cells, st))
        return false;
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_with_dim(c, x, 2, cells));
    return true;
}

static bool back_shape(struct infer_ctx *c, struct status *st)
{
    static const int ranks[] = {3, 2, 2, 2, 1, 1, 1, 1}; /* x, cs_prev, h_prev, w, wci.. b */
    for (int i = 0; i < infer_num_outputs(c); i++) {
        const struct shape *s;
        if (!infer_want_rank(c, infer_input(c, 1 + i), ranks[i], &s, st))
            return false;
        infer_set(c, i, s);
    }
    return true;
}

static bool build_back(struct grad_ctx *g, const char *op, struct status *st)
{
    struct output in[18];
    for (int i = 0; i < 9; i++)
        in[i] = grad_in(g, i);
    for (int i = 0; i < LSTM_RESULTS; i++)
        in[9 + i] = grad_out(g, i);
    in[16] = grad_dy(g, LSTM_CS);
    in[17] = grad_dy(g, LSTM_H);
    bool peephole = attrs_bool(grad_attrs(g), "use_peephole");
    struct node *n = grad_nodev(g, op, 18, in, 1,
                                (struct attr[]){{(char *)"use_peephole", attr_bool(peephole)}});
    for (int i = 0; i < 8; i++)
        grad_set(g, 1 + i, grad_node_out(g, n, i));
    return grad_done(g, st);
}

static bool forward_grad(struct grad_ctx *g, struct status *st)
{
    return build_back(g, "BlockLSTMGrad", st);
}
static bool forward_grad_v2(struct grad_ctx *g, struct status *st)
{
    return build_back(g, "BlockLSTMGradV2", st);
}

#define INPUTS                                                                                     \
    "seq_len_max: int64", "x: T", "cs_prev: T", "h_prev: T", "w: T", "wci: T", "wcf: T", "wco: T", \
        "b: T"
#define RESULTS "i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "h: T"
#define BACK_OUTPUTS                                                                               \
    "x_grad: T", "cs_prev_grad: T", "h_prev_grad: T", "w_grad: T", "wci_grad: T", "wcf_grad: T",   \
        "wco_grad: T", "b_grad: T"

OP_DEF(block_lstm) = {
    .name = "BlockLSTM",
    .summary = "An LSTM cell over a sequence, with the gates of all times as results.",
    .inputs = {INPUTS},
    .outputs = {RESULTS},
    .attrs = {"forget_bias: float = 1", "cell_clip: float = 3", "use_peephole: bool = false",
              "T: {half, float}"},
    .shape = forward_shape,
    .grad = forward_grad,
};
KERNEL_DEF(block_lstm_cpu) = {.op = "BlockLSTM", .device = "CPU", .run = forward_icfo};

OP_DEF(block_lstm_v2) = {
    .name = "BlockLSTMV2",
    .summary = "As BlockLSTM, with the gates in the order input, forget, new values, output.",
    .inputs = {INPUTS},
    .outputs = {RESULTS},
    .attrs = {"cell_clip: float = 0", "use_peephole: bool = false", "T: {half, float}"},
    .shape = forward_shape,
    .grad = forward_grad_v2,
};
KERNEL_DEF(block_lstm_v2_cpu) = {.op = "BlockLSTMV2", .device = "CPU", .run = forward_ifco};

OP_DEF(block_lstm_grad) = {
    .name = "BlockLSTMGrad",
    .summary = "The gradients of BlockLSTM.",
    .inputs = {INPUTS, RESULTS, "cs_grad: T", "h_grad: T"},
    .outputs = {BACK_OUTPUTS},
    .attrs = {"use_peephole: bool", "T: {half, float}"},
    .shape = back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(block_lstm_grad_cpu) = {.op = "BlockLSTMGrad", .device = "CPU", .run = back_icfo};

OP_DEF(block_lstm_grad_v2) = {
    .name = "BlockLSTMGradV2",
    .summary = "The gradients of BlockLSTMV2.",
    .inputs = {INPUTS, RESULTS, "cs_grad: T", "h_grad: T"},
    .outputs = {BACK_OUTPUTS},
    .attrs = {"use_peephole: bool", "T: {half, float}"},
    .shape = back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(block_lstm_grad_v2_cpu) = {.op = "BlockLSTMGradV2", .device = "CPU", .run = back_ifco};
