/* SPDX-License-Identifier: Apache-2.0 */
/* The cross-entropies of leat/nn.h, in forms that do not overflow. */
#include "build/mk.h"
#include "leat/nn.h"

void leat_cross_entropy_args_init(struct leat_cross_entropy_args *args)
{
    *args = (struct leat_cross_entropy_args){LEAT_CROSS_ENTROPY_DEFAULTS_};
}

/* The graph is there, and both are outputs. */
static bool check(const struct leat_cross_entropy_args *a, const char *what)
{
    if (!a || !a->g)
        return false;
    if (leat_valid(a->labels) && leat_valid(a->logits))
        return true;
    leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "%s: %s is an invalid output", what,
              leat_valid(a->labels) ? "logits" : "labels");
    return false;
}

TF_Output leat_sigmoid_cross_entropy_with_logits_fn(const struct leat_cross_entropy_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "sigmoid_cross_entropy_with_logits"))
        return y;
    TF_Graph *g = a->g;
    TF_Output x = a->logits, z = a->labels;
    leat_with_composite(g, a->name, "logistic_loss", a->made_at) {
        TF_Output zeros = mk_zeros_like(g, x);
        TF_Output positive = mk_op(g, "GreaterEqual", NULL, leat_outputs(x, zeros));
        TF_Output relu = mk_op(g, "Select", NULL, leat_outputs(positive, x, zeros));
        TF_Output minus = mk_unary(g, "Neg", NULL, x);
        TF_Output minus_abs = mk_op(g, "Select", NULL, leat_outputs(positive, minus, x));
        TF_Output product = mk_math(g, "Mul", "mul", mk_t(x), mk_t(z));
        TF_Output linear = mk_math(g, "Sub", "sub", mk_t(relu), mk_t(product));
        TF_Output power = mk_unary(g, "Exp", NULL, minus_abs);
        TF_Output rest = mk_unary(g, "Log1p", NULL, power);
        y = mk_op(g, "Add", leat_current_scope(g), leat_outputs(linear, rest));
    }
    return y;
}

TF_Output leat_weighted_cross_entropy_with_logits_fn(const struct leat_cross_entropy_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "weighted_cross_entropy_with_logits"))
        return y;
    TF_Graph *g = a->g;
    TF_Output x = a->logits, z = a->labels;
    leat_with_composite(g, a->name, "logistic_loss", a->made_at) {
        TF_Output more = mk_math(g, "Mul", "mul", mk_n(a->pos_weight - 1), mk_t(z));
        TF_Output weight = mk_math(g, "AddV2", "add", mk_n(1), mk_t(more));
        TF_Output other = mk_math(g, "Sub", "sub", mk_n(1), mk_t(z));
        TF_Output linear = mk_math(g, "Mul", "mul", mk_t(other), mk_t(x));
        TF_Output magnitude = mk_unary(g, "Abs", NULL, x);
        TF_Output power = mk_unary(g, "Exp", NULL, mk_unary(g, "Neg", NULL, magnitude));
        TF_Output rest = mk_unary(g, "Log1p", NULL, power);
        TF_Output relu = mk_unary(g, "Relu", NULL, mk_unary(g, "Neg", NULL, x));
        TF_Output both = mk_math(g, "AddV2", "add", mk_t(rest), mk_t(relu));
        TF_Output weighted = mk_math(g, "Mul", "mul", mk_t(weight), mk_t(both));
        y = mk_op(g, "Add", leat_current_scope(g), leat_outputs(linear, weighted));
    }
    return y;
}

/* A matrix of x's last dim, rows of all others. */
static TF_Output flatten_outer(TF_Graph *g, TF_Output x)
{
    TF_Output rank = mk_rank(g, "Rank", x);
    TF_Output shape = mk_shape(g, "Shape", x);
    TF_Output last = mk_math(g, "Sub", "Sub", mk_t(rank), mk_n(1));
    TF_Output size = MK_NONE, dims = MK_NONE;
    leat_with_scope(g, "Slice") {
        TF_Output begin = mk_pack(g, "begin", leat_outputs(last));
        TF_Output one = mk_i32s(g, "size", leat_ints(1));
        size = mk_op(g, "Slice", leat_current_scope(g), leat_outputs(shape, begin, one));
    }
    leat_with_scope(g, "concat") {
        TF_Output rows = mk_i32s(g, "values_0", leat_ints(-1));
        TF_Output axis = mk_i32(g, "axis", 0);
        TF_OperationDescription *d = leat_begin(g, "ConcatV2", leat_current_scope(g), NULL);
        if (d) {
            leat_add_input_list(d, (const TF_Output[]){rows, size}, 2);
            leat_add_input(d, axis);
            dims = leat_output_of(leat_finish(d), 0);
        }
    }
    return mk_op(g, "Reshape", NULL, leat_outputs(x, dims));
}

TF_Output leat_softmax_cross_entropy_with_logits_v2_fn(const struct leat_cross_entropy_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "softmax_cross_entropy_with_logits_v2"))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "softmax_cross_entropy_with_logits", a->made_at) {
        TF_Output rank = mk_rank(g, "Rank", a->logits);
        TF_Output shape = mk_shape(g, "Shape", a->logits);
        TF_Output logits = flatten_outer(g, a->logits);
        TF_Output labels = flatten_outer(g, a->labels), outer = MK_NONE;
        TF_Output cost = mk_op(g, "SoftmaxCrossEntropyWithLogits", leat_current_scope(g),
                               leat_outputs(logits, labels));
        TF_Output rest = mk_math(g, "Sub", "Sub", mk_t(rank), mk_n(1));
        leat_with_scope(g, "Slice") {
            TF_Output begin = mk_i32s(g, "begin", leat_ints(0));
            TF_Output size = mk_pack(g, "size", leat_outputs(rest));
            outer = mk_op(g, "Slice", leat_current_scope(g), leat_outputs(shape, begin, size));
        }
        y = mk_op(g, "Reshape", NULL, leat_outputs(cost, outer));
    }
    return y;
}

/* Labels and logits of any rank, as a vector and a matrix. */
static TF_Output sparse_of_rank(const struct leat_cross_entropy_args *a, TF_Output shape)
{
    TF_Graph *g = a->g;
    TF_Output last = mk_slice1(g, "strided_slice", mk_shape(g, "Shape", a->logits), -1, 0, true);
    TF_Output labels = mk_reshape(g, "Reshape", a->labels, leat_ints(-1));
    TF_Output logits = MK_NONE;
    leat_with_scope(g, "Reshape") {
        TF_Output rows = mk_i32(g, "shape/0", -1);
        TF_Output dims = mk_pack(g, "shape", leat_outputs(rows, last));
        logits = mk_op(g, "Reshape", leat_current_scope(g), leat_outputs(a->logits, dims));
    }
    TF_Output cost =
        mk_op(g, "SparseSoftmaxCrossEntropyWithLogits", NULL, leat_outputs(logits, labels));
    return mk_op(g, "Reshape", NULL, leat_outputs(cost, shape));
}

TF_Output leat_sparse_softmax_cross_entropy_fn(const struct leat_cross_entropy_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "sparse_softmax_cross_entropy_with_logits"))
        return y;
    TF_Graph *g = a->g;
    int64_t dims[MK_MAX_RANK];
    int rank = mk_dims(g, a->logits, dims), labels_rank = mk_dims(g, a->labels, dims);
    if (rank == 0 || (rank > 0 && labels_rank >= 0 && labels_rank != rank - 1))
        return leat_fail(g, a->made_at, TF_INVALID_ARGUMENT,
                         "sparse_softmax_cross_entropy_with_logits: Rank mismatch: Rank of labels "
                         "(received %d) should equal rank of logits minus 1 (received %d).",
                         labels_rank, rank);
    leat_with_composite(g, a->name, "SparseSoftmaxCrossEntropyWithLogits", a->made_at) {
        TF_Output shape = mk_shape(g, "Shape", a->labels);
        y = rank == 2 ? mk_op(g, "SparseSoftmaxCrossEntropyWithLogits", a->name,
                              leat_outputs(a->logits, a->labels))
                      : sparse_of_rank(a, shape);
    }
    return y;
}
