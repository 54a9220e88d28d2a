/* SPDX-License-Identifier: Apache-2.0 */
/* One step of an LSTM cell and of its gradient, on arrays of floats: what LSTMBlockCell does once
 * and BlockLSTM for each time. Half is computed in float and rounded in the results. */
#ifndef LEAT_OPS_NN_LSTM_BLOCK_H
#define LEAT_OPS_NN_LSTM_BLOCK_H

#include "math/gemm.h"
#include "op/floats.h"
#include "op/grad.h"
#include "op/infer.h"

/* The gates' places in a row of 4 * cells: input, new values, forget, output. */
struct lstm_order {
    int i, ci, f, o;
};
extern const struct lstm_order lstm_order_icfo, lstm_order_ifco;

struct lstm {
    int64_t batch, inputs, cells;
    struct lstm_order order;
    float forget_bias, clip; /* clip 0 or less: none */
    bool peephole;
    const float *w, *wci, *wcf, *wco, *b;
    float *gates; /* [batch, 4 * cells] of scratch: rows of gates, or of their gradients */
};

enum { LSTM_I, LSTM_CS, LSTM_F, LSTM_O, LSTM_CI, LSTM_CO, LSTM_H, LSTM_RESULTS };

/* Shapes and values: x [.., batch, inputs] in input `x`, then cs_prev, h_prev, w, wci, wcf, wco, b.
 */
MUST_CHECK bool lstm_read(struct kctx *c, int x, struct lstm *l, struct status *st);
/* From x and the states before to the results, each [batch, cells]. */
void lstm_forward(struct kctx *c, const struct lstm *l, const float *x, const float *cs_prev,
                  const float *h_prev, float *const results[LSTM_RESULTS]);
struct lstm_back {
    const float *cs_prev;
    const float *results[LSTM_RESULTS]; /* H is not read */
    const float *cs_grad, *h_grad;
    float *cs_prev_grad;                   /* may be cs_grad */
    float *wci_grad, *wcf_grad, *wco_grad; /* are added to */
};
/* The gradients of the gates into l->gates, and those above. */
void lstm_backward(const struct lstm *l, const struct lstm_back *g);

/* Inputs `first` and on as floats; NULL in `to` at the end of memory: false. */
MUST_CHECK bool lstm_floats(struct kctx *c, int first, int n, const float **to, struct status *st);
/* Outputs as rooms for floats, and back into the tensors. */
struct lstm_outputs {
    struct tensor *t[OP_MAX_OUTPUTS];
    float *x[OP_MAX_OUTPUTS];
    int n;
};
MUST_CHECK bool lstm_output(struct kctx *c, struct lstm_outputs *o, const struct shape *s,
                            struct status *st);
void lstm_outputs_put(struct lstm_outputs *o);

/* Inputs x (rank 2 or 3), cs_prev, h_prev... from `x` on in a shape function: [batch, cells] before
 * which stands the time, where there is one. */
MUST_CHECK bool lstm_infer(struct infer_ctx *c, int x, int rank, const struct shape **state,
                           struct status *st);

/* For gradients: the columns of x and h beside each other, and apart again; and a product with
 * either factor transposed. */
struct output lstm_join(struct grad_ctx *g, struct output x, struct output h);
void lstm_split(struct grad_ctx *g, struct output xh, struct output x, struct output parts[2]);
struct output lstm_product(struct grad_ctx *g, struct output a, struct output b, bool trans_a);

#endif
