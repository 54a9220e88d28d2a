/* SPDX-License-Identifier: Apache-2.0 */
/* Weights and reductions of losses.
 *
 * Weights must fit the losses before they are multiplied, since a product would silently broadcast
 * the losses to the weights: where both shapes are known it is checked here, else by an Assert. */
#include "build/weighted_loss.h"

#include "base/mem.h"

static const struct leat_ints all = {NULL, LEAT_NOT_GIVEN};

/* ---- weights that fit ---- */

/* Whether weights (known to be such) can be spread over values. */
static bool fits(const int64_t *weights, const int64_t *values, int rank)
{
    for (int i = 0; i < rank; i++)
        if (weights[i] != 1 && weights[i] != values[i])
            return false;
    return true;
}

/* An operation that fails in a step where weights do not fit values. */
static TF_Operation *assert_fits(TF_Graph *g, TF_Output weights_shape, TF_Output values_shape)
{
    TF_Output both = mk_op(g, "BroadcastArgs", NULL, leat_outputs(weights_shape, values_shape));
    TF_Output same = mk_op(g, "Equal", NULL, leat_outputs(both, values_shape));
    TF_Output ok = mk_reduce(g, "All", "is_valid_shape", same, all, false);
    TF_OperationDescription *d = leat_begin(g, "Assert", NULL, NULL);
    if (!d)
        return NULL;
    leat_add_input(d, ok);
    leat_add_input_list(d, (const TF_Output[]){weights_shape, values_shape}, 2);
    return leat_finish(d);
}

static TF_Operation *no_op(TF_Graph *g, const char *name)
{
    return leat_finish(leat_begin(g, "NoOp", name, NULL));
}

/* The check that weights fit values: an operation to wait for. NULL: an error was recorded. */
static TF_Operation *check_weights(TF_Graph *g, TF_Output weights, TF_Output values)
{
    int64_t w[MK_MAX_RANK], v[MK_MAX_RANK];
    TF_Output weights_shape = mk_shape(g, "weights/shape", weights);
    mk_rank(g, "weights/rank", weights);
    TF_Output values_shape = mk_shape(g, "values/shape", values);
    mk_rank(g, "values/rank", values);
    int w_rank = mk_dims(g, weights, w), v_rank = mk_dims(g, values, v);
    if (w_rank == 0)
        return no_op(g, "static_scalar_check_success");
    bool ranks = w_rank >= 0 && v_rank >= 0;
    bool known = mk_num_elements(g, weights) >= 0 && mk_num_elements(g, values) >= 0;
    if ((ranks && w_rank != v_rank) || (known && !fits(w, v, w_rank))) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                  "weights can not be broadcast to values. values.rank=%d. weights.rank=%d.",
                  v_rank, w_rank);
        return NULL;
    }
    return known ? no_op(g, "static_dims_check_success")
                 : assert_fits(g, weights_shape, values_shape);
}

/* ---- reductions ---- */

static TF_Output sum(TF_Graph *g, TF_Output x)
{
    return mk_reduce(g, "Sum", "Sum", x, all, false);
}

/* weights, as often as they count: spread over values. */
static TF_Output spread(TF_Graph *g, TF_Output weights, TF_Output values)
{
    int64_t w[MK_MAX_RANK], v[MK_MAX_RANK];
    int rank = mk_dims(g, weights, w);
    TF_Output y = MK_NONE;
    if (rank == mk_dims(g, values, v) && mk_num_elements(g, weights) >= 0 &&
        mk_num_elements(g, weights) == mk_num_elements(g, values) && fits(w, v, rank))
        return weights;
    leat_with_scope(g, "broadcast_weights") {
        TF_Operation *fit = NULL;
        leat_with_scope(g, "assert_broadcastable")
            fit = check_weights(g, weights, values);
        if (!fit)
            return MK_NONE;
        leat_with_control_dependencies(g, &fit, 1) {
            TF_Output ones = mk_ones_like(g, values);
            y = mk_op(g, "Mul", leat_current_scope(g), leat_outputs(weights, ones));
        }
    }
    return y;
}

/* How many elements have a weight that is not zero. */
static TF_Output num_present(TF_Graph *g, TF_Output losses, TF_Output weights)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "num_present") {
        TF_Output absent = mk_math(g, "Equal", "Equal", mk_t(weights), mk_n(0));
        TF_Output zeros = mk_zeros_like(g, weights);
        TF_Output ones = mk_ones_like(g, weights);
        TF_Output present = mk_op(g, "Select", NULL, leat_outputs(absent, zeros, ones));
        TF_Output each = spread(g, present, losses);
        y = mk_reduce(g, "Sum", leat_current_scope(g), each, all, false);
    }
    return y;
}

static TF_Output num_elements(TF_Graph *g, TF_Output losses)
{
    TF_Output y = MK_NONE, n = mk_size(g, "num_elements", losses);
    if (!leat_valid(n))
        return y;
    char *scope = mem_printf("%s/", TF_OperationName(n.oper));
    leat_with_scope(g, scope) {
        TF_OperationDescription *d = leat_begin(g, "Cast", NULL, NULL);
        if (d) {
            leat_add_input(d, n);
            TF_SetAttrType(d, "DstT", leat_dtype(g, losses));
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    mem_free(scope);
    return y;
}

static TF_Output safe_mean(TF_Graph *g, TF_Output total, TF_Output count)
{
    TF_Output again = sum(g, total);
    return mk_op(g, "DivNoNan", "value", leat_outputs(again, count));
}

static TF_Output reduced(TF_Graph *g, enum leat_reduction reduction, TF_Output weighted,
                         TF_Output losses, TF_Output weights)
{
    if (reduction == LEAT_REDUCTION_NONE)
        return weighted;
    TF_Output total = sum(g, weighted);
    switch (reduction) {
    case LEAT_REDUCTION_SUM:
        return total;
    case LEAT_REDUCTION_MEAN: {
        TF_Output ones = mk_ones_like(g, losses);
        TF_Output each = mk_math(g, "Mul", "mul", mk_t(ones), mk_t(weights));
        return safe_mean(g, total, sum(g, each));
    }
    case LEAT_REDUCTION_SUM_OVER_BATCH_SIZE:
        return safe_mean(g, total, num_elements(g, losses));
    default:
        return safe_mean(g, total, num_present(g, losses, weights));
    }
}

/* ---- all together ---- */

/* A number as the float tensor that it counts as. */
static TF_Output weights_tensor(TF_Graph *g, struct mk_arg weights)
{
    TF_Output y = MK_NONE;
    if (!weights.is_number)
        return mk_cast(g, weights.y, TF_FLOAT);
    leat_with_scope(g, "Cast")
        y = mk_scalar(g, "x", TF_FLOAT, weights.value);
    return y;
}

TF_Output weighted_loss(const struct leat_loss_args *a, TF_Output losses, struct mk_arg weights)
{
    TF_Graph *g = a->g;
    TF_Operation *fit = NULL;
    TF_Output y = MK_NONE;
    if (!leat_valid(losses))
        return y;
    leat_with_scope(g, "assert_broadcastable") {
        TF_Output w =
            weights.is_number ? mk_scalar(g, "weights", TF_FLOAT, weights.value) : weights.y;
        fit = leat_valid(w) ? check_weights(g, w, losses) : NULL;
    }
    if (!fit)
        return y;
    TF_DataType dtype = leat_dtype(g, losses);
    leat_with_control_dependencies(g, &fit, 1) {
        losses = mk_cast(g, losses, TF_FLOAT);
        TF_Output w = weights_tensor(g, weights);
        TF_Output weighted = mk_op(g, "Mul", NULL, leat_outputs(losses, w));
        y = reduced(g, a->reduction, weighted, losses, w);
        y = mk_cast(g, y, dtype);
    }
    if (a->loss_collection)
        leat_add_to_collection(g, a->loss_collection, y);
    return y;
}
