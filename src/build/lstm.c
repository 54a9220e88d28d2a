/* SPDX-License-Identifier: Apache-2.0 */
/* The basic LSTM cell (Hochreiter and Schmidhuber 1997, with a forget gate whose bias is raised by
 * forget_bias): gates i, j, f, o of one product of [x, h]; c' = c sigm(f + bias) + sigm(i) tanh(j),
 * h' = tanh(c') sigm(o). */
#include <stdio.h>
#include <string.h>

#include "build/layer.h"

struct leat_lstm_cell leat_basic_lstm_cell(TF_Graph *g, int64_t num_units, int64_t input_size,
                                           double forget_bias, const char *name)
{
    struct leat_lstm_cell cell = {
        .g = g, .num_units = num_units, .forget_bias = forget_bias, .kernel = MK_NONE};
    if (!g)
        return cell;
    if (num_units < 1 || input_size < 1 || num_units > INT32_MAX / 4 || input_size > INT32_MAX) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT, "BasicLSTMCell: %lld units, inputs of %lld",
                  (long long)num_units, (long long)input_size);
        return cell;
    }
    layer_open(g, name, "basic_lstm_cell", "kernel", NULL);
    const char *scope = leat_current_scope(g);
    if (strlen(scope) > LEAT_CELL_NAME_MAX) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT, "BasicLSTMCell: the name %s is too long", scope);
    } else {
        snprintf(cell.scope, sizeof cell.scope, "%s", scope);
        struct leat_initializer usual = {.kind = LEAT_INIT_DEFAULT};
        cell.kernel =
            layer_kernel(g, leat_shape(input_size + num_units, 4 * num_units), TF_FLOAT, usual);
        cell.bias = layer_bias_variable(g, 4 * num_units, TF_FLOAT, usual);
    }
    leat_pop(g);
    leat_pop(g);
    return cell;
}

struct leat_lstm_state leat_lstm_zero_state(const struct leat_lstm_cell *cell, int64_t batch)
{
    struct leat_lstm_state s = {MK_NONE, MK_NONE};
    if (!cell || !cell->g)
        return s;
    TF_Graph *g = cell->g;
    if (batch < 0) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT, "zero_state: a batch of %lld", (long long)batch);
        return s;
    }
    leat_with_scope(g, "BasicLSTMCellZeroState") {
        s.c = leat_zeros(g, leat_shape(batch, cell->num_units));
        s.h = leat_zeros(g, leat_shape(batch, cell->num_units));
    }
    return s;
}

/* The four gates: outputs 0 to 3 of a Split. */
static TF_Operation *gates(const struct leat_lstm_cell *cell, TF_Output x, TF_Output h)
{
    TF_Graph *g = cell->g;
    TF_Output axis = mk_i32(g, "Const", 1);
    TF_Output in = mk_concat(g, "concat", leat_outputs(x, h), 1);
    TF_Output product = mk_op(g, "MatMul", NULL, leat_outputs(in, cell->kernel));
    TF_Output all = layer_bias(g, product, cell->bias, LEAT_CHANNELS_LAST);
    mk_i32(g, "Const", 4);
    if (!leat_valid(all))
        return NULL;
    TF_OperationDescription *d = leat_begin(g, "Split", "split", NULL);
    if (!d)
        return NULL;
    leat_add_input(d, axis);
    leat_add_input(d, all);
    TF_SetAttrInt(d, "num_split", 4);
    return leat_finish(d);
}

static struct leat_lstm_state step(const struct leat_lstm_cell *cell, TF_Output x,
                                   struct leat_lstm_state s)
{
    TF_Graph *g = cell->g;
    struct leat_lstm_state out = {MK_NONE, MK_NONE};
    TF_Operation *split = gates(cell, x, s.h);
    if (!split)
        return out;
    TF_Output raise = mk_scalar(g, "Const", TF_FLOAT, cell->forget_bias);
    TF_Output f = mk_op(g, "Add", NULL, leat_outputs(leat_output_of(split, 2), raise));
    TF_Output keep = mk_op(g, "Mul", NULL, leat_outputs(s.c, mk_unary(g, "Sigmoid", NULL, f)));
    TF_Output in = mk_unary(g, "Sigmoid", NULL, leat_output_of(split, 0));
    TF_Output fresh = mk_unary(g, "Tanh", NULL, leat_output_of(split, 1));
    TF_Output add = mk_op(g, "Mul", NULL, leat_outputs(in, fresh));
    out.c = mk_op(g, "Add", NULL, leat_outputs(keep, add));
    TF_Output shown = mk_unary(g, "Tanh", NULL, out.c);
    TF_Output gate = mk_unary(g, "Sigmoid", NULL, leat_output_of(split, 3));
    out.h = mk_op(g, "Mul", NULL, leat_outputs(shown, gate));
    return out;
}

struct leat_lstm_state leat_lstm_step(const struct leat_lstm_cell *cell, TF_Output x,
                                      struct leat_lstm_state state)
{
    struct leat_lstm_state out = {MK_NONE, MK_NONE};
    if (!cell || !cell->g)
        return out;
    if (!leat_valid(cell->kernel) || !leat_valid(cell->bias) || !leat_valid(x) ||
        !leat_valid(state.c) || !leat_valid(state.h)) {
        leat_fail(cell->g, NULL, TF_INVALID_ARGUMENT,
                  "BasicLSTMCell: the cell, x or the state is an invalid output");
        return out;
    }
    leat_with_scope(cell->g, cell->scope)
        out = step(cell, x, state);
    return out;
}
