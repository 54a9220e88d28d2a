/* SPDX-License-Identifier: Apache-2.0 */
/* The losses of leat/losses.h: each element's, then build/weighted_loss.h's end. */
#include "base/mem.h"
#include "base/str.h"
#include "build/weighted_loss.h"
#include "leat/nn.h"

void leat_loss_args_init(struct leat_loss_args *args)
{
    *args = (struct leat_loss_args){LEAT_LOSS_DEFAULTS_};
}

/* Appends "[2,?]". */
static void add_shape(struct strbuf *b, const int64_t *dims, int rank)
{
    for (int i = 0; i < rank; i++)
        strbuf_printf(b, dims[i] < 0 ? "%s?" : "%s%lld", i > 0 ? "," : "[", (long long)dims[i]);
    strbuf_puts(b, rank > 0 ? "]" : "[]");
}

/* Both are there, and their shapes may be the same. */
static bool check(const struct leat_loss_args *a, const char *what, bool same_shape)
{
    int64_t x[MK_MAX_RANK], y[MK_MAX_RANK];
    if (!a || !a->g)
        return false;
    if (!leat_valid(a->labels) || !leat_valid(a->predictions)) {
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: labels or predictions missing: an "
                  "invalid output",
                  what);
        return false;
    }
    int x_rank = mk_dims(a->g, a->labels, x), y_rank = mk_dims(a->g, a->predictions, y);
    bool ok = !same_shape || x_rank < 0 || y_rank < 0 || x_rank == y_rank;
    for (int i = 0; same_shape && ok && i < x_rank && i < y_rank; i++)
        ok = x[i] < 0 || y[i] < 0 || x[i] == y[i];
    if (!ok) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%s: the shapes of labels ", what);
        add_shape(&text, x, x_rank);
        strbuf_puts(&text, " and predictions ");
        add_shape(&text, y, y_rank);
        strbuf_puts(&text, " are incompatible");
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "%s", text.p);
        strbuf_release(&text);
    }
    return ok;
}

static TF_Output finish(const struct leat_loss_args *a, TF_Output losses)
{
    return weighted_loss(a, losses, leat_valid(a->weights) ? mk_t(a->weights) : mk_n(a->weight));
}

TF_Output leat_losses_compute_weighted_loss_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    if (!leat_valid(a->labels))
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                         "compute_weighted_loss: the losses are an invalid output");
    leat_with_composite(a->g, a->name, "weighted_loss", a->made_at)
        y = finish(a, a->labels);
    return y;
}

TF_Output leat_losses_absolute_difference_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "absolute_difference", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "absolute_difference", a->made_at) {
        TF_Output z = mk_cast(g, a->labels, TF_FLOAT);
        TF_Output p = mk_cast(g, a->predictions, TF_FLOAT);
        y = finish(a, mk_unary(g, "Abs", NULL, mk_op(g, "Sub", NULL, leat_outputs(p, z))));
    }
    return y;
}

TF_Output leat_losses_cosine_distance_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "cosine_distance", true))
        return y;
    TF_Graph *g = a->g;
    if (a->axis == INT32_MIN)
        return leat_fail(g, a->made_at, TF_INVALID_ARGUMENT,
                         "cosine_distance: .axis must be given");
    leat_with_composite(g, a->name, "cosine_distance_loss", a->made_at) {
        TF_Output z = mk_cast(g, a->labels, TF_FLOAT);
        TF_Output p = mk_cast(g, a->predictions, TF_FLOAT);
        TF_Output product = mk_op(g, "Mul", NULL, leat_outputs(p, z));
        TF_Output cosine = mk_reduce(g, "Sum", "Sum", product, leat_ints(a->axis), true);
        y = finish(a, mk_math(g, "Sub", "sub", mk_n(1), mk_t(cosine)));
    }
    return y;
}

TF_Output leat_losses_hinge_loss_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "hinge_loss", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "hinge_loss", a->made_at) {
        TF_Output p = mk_cast(g, a->predictions, TF_FLOAT);
        TF_Output z = mk_cast(g, a->labels, TF_FLOAT);
        TF_Output ones = mk_ones_like(g, z);
        TF_Output twice = mk_math(g, "Mul", "mul", mk_n(2), mk_t(z));
        TF_Output sign = mk_op(g, "Sub", NULL, leat_outputs(twice, ones));
        TF_Output margin = mk_op(g, "Mul", NULL, leat_outputs(sign, p));
        TF_Output left = mk_op(g, "Sub", NULL, leat_outputs(ones, margin));
        y = finish(a, mk_unary(g, "Relu", NULL, left));
    }
    return y;
}

TF_Output leat_losses_huber_loss_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "huber_loss", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "huber_loss", a->made_at) {
        TF_Output p = mk_cast(g, a->predictions, TF_FLOAT);
        TF_Output z = mk_cast(g, a->labels, TF_FLOAT);
        TF_Output error = mk_unary(g, "Abs", NULL, mk_op(g, "Sub", NULL, leat_outputs(p, z)));
        TF_Output low = mk_math(g, "Minimum", "Minimum", mk_t(error), mk_n(a->delta));
        TF_Output linear = mk_op(g, "Sub", NULL, leat_outputs(error, low));
        TF_Output half = mk_scalar(g, "Const", TF_FLOAT, 0.5);
        TF_Output square = mk_op(g, "Mul", NULL, leat_outputs(low, low));
        TF_Output inner = mk_op(g, "Mul", NULL, leat_outputs(half, square));
        TF_Output outer = mk_math(g, "Mul", "Mul", mk_n(a->delta), mk_t(linear));
        y = finish(a, mk_op(g, "Add", NULL, leat_outputs(inner, outer)));
    }
    return y;
}

TF_Output leat_losses_log_loss_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "log_loss", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "log_loss", a->made_at) {
        TF_Output p = mk_cast(g, a->predictions, TF_FLOAT);
        TF_Output z = mk_cast(g, a->labels, TF_FLOAT);
        TF_Output safe = mk_math(g, "AddV2", "add", mk_t(p), mk_n(a->epsilon));
        TF_Output log_p = mk_unary(g, "Log", NULL, safe);
        TF_Output positive =
            mk_unary(g, "Neg", NULL, mk_op(g, "Mul", NULL, leat_outputs(z, log_p)));
        TF_Output other_z = mk_math(g, "Sub", "sub", mk_n(1), mk_t(z));
        TF_Output other_p = mk_math(g, "Sub", "sub", mk_n(1), mk_t(p));
        TF_Output other = mk_math(g, "AddV2", "add", mk_t(other_p), mk_n(a->epsilon));
        TF_Output log_other = mk_unary(g, "Log", NULL, other);
        TF_Output negative = mk_op(g, "Mul", NULL, leat_outputs(other_z, log_other));
        y = finish(a, mk_math(g, "Sub", "sub", mk_t(positive), mk_t(negative)));
    }
    return y;
}

TF_Output leat_losses_mean_squared_error_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "mean_squared_error", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "mean_squared_error", a->made_at) {
        TF_Output p = mk_cast(g, a->predictions, TF_FLOAT);
        TF_Output z = mk_cast(g, a->labels, TF_FLOAT);
        y = finish(a, mk_op(g, "SquaredDifference", NULL, leat_outputs(p, z)));
    }
    return y;
}

/* z (1 - s) + s / 2: towards 1/2 for each of many classes. */
static TF_Output smooth_each(TF_Graph *g, TF_Output z, double s)
{
    if (!(s > 0))
        return z;
    TF_Output less = mk_math(g, "Mul", "mul", mk_t(z), mk_n(1 - s));
    return mk_math(g, "AddV2", "add", mk_t(less), mk_n(0.5 * s));
}

TF_Output leat_losses_sigmoid_cross_entropy_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "sigmoid_cross_entropy", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "sigmoid_cross_entropy_loss", a->made_at) {
        TF_Output z = mk_cast(g, a->labels, leat_dtype(g, a->predictions));
        z = smooth_each(g, z, a->label_smoothing);
        y = finish(
            a, leat_sigmoid_cross_entropy_with_logits(g, z, a->predictions, .name = "xentropy"));
    }
    return y;
}

/* z (1 - s) + s / classes: towards an even distribution. */
static TF_Output smooth_all(TF_Graph *g, TF_Output z, double s)
{
    if (!(s > 0) || !leat_valid(z))
        return z;
    TF_Output n = mk_slice1(g, "strided_slice", mk_shape(g, "Shape", z), -1, 0, true);
    TF_Output classes = mk_cast(g, n, leat_dtype(g, z));
    TF_Output more = mk_math(g, "RealDiv", "truediv", mk_n(s), mk_t(classes));
    TF_Output less = mk_math(g, "Mul", "mul", mk_t(z), mk_n(1 - s));
    return mk_math(g, "AddV2", "add", mk_t(less), mk_t(more));
}

TF_Output leat_losses_softmax_cross_entropy_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "softmax_cross_entropy", true))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "softmax_cross_entropy_loss", a->made_at) {
        TF_Output z = mk_cast(g, a->labels, leat_dtype(g, a->predictions));
        z = smooth_all(g, z, a->label_smoothing);
        z = mk_unary(g, "StopGradient", "labels_stop_gradient", z);
        y = finish(
            a, leat_softmax_cross_entropy_with_logits_v2(g, z, a->predictions, .name = "xentropy"));
    }
    return y;
}

/* Without a last dim of size one, when x has as many dims as the logits. */
static TF_Output squeeze_last(TF_Graph *g, TF_Output x, int full_rank)
{
    int64_t dims[MK_MAX_RANK];
    int rank = mk_dims(g, x, dims);
    if (rank < 1 || rank != full_rank || dims[rank - 1] != 1)
        return x;
    TF_Output y = MK_NONE;
    leat_with_scope(g, "remove_squeezable_dimensions") {
        TF_OperationDescription *d = leat_begin(g, "Squeeze", NULL, NULL);
        if (!d)
            return MK_NONE;
        leat_add_input(d, x);
        TF_SetAttrIntList(d, "squeeze_dims", &(const int64_t){-1}, 1);
        y = leat_output_of(leat_finish(d), 0);
    }
    return y;
}

TF_Output leat_losses_sparse_softmax_cross_entropy_fn(const struct leat_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "sparse_softmax_cross_entropy", false))
        return y;
    TF_Graph *g = a->g;
    leat_with_composite(g, a->name, "sparse_softmax_cross_entropy_loss", a->made_at) {
        int64_t dims[MK_MAX_RANK];
        int rank = mk_dims(g, a->predictions, dims);
        TF_Output labels = squeeze_last(g, a->labels, rank);
        TF_Output weights = leat_valid(a->weights) ? squeeze_last(g, a->weights, rank)
                                                   : mk_scalar(g, "Const", TF_FLOAT, a->weight);
        TF_Output each =
            leat_sparse_softmax_cross_entropy(g, labels, a->predictions, .name = "xentropy");
        y = weighted_loss(a, each, mk_t(weights));
    }
    return y;
}

/* ---- the collections ---- */

void leat_losses_add_loss(TF_Graph *g, TF_Output loss)
{
    leat_add_to_collection(g, LEAT_LOSSES, loss);
}

/* Appends a collection to items; the new number. */
static int append(TF_Graph *g, const char *collection, TF_Output **items, int n)
{
    int more = leat_get_collection(g, collection, NULL, NULL, 0);
    TF_Output *grown = mem_realloc(*items, (size_t)(n + more + 1) * sizeof *grown);
    *items = grown;
    return n + leat_get_collection(g, collection, NULL, grown + n, more);
}

TF_Output leat_losses_get_total_loss(TF_Graph *g, bool regularization)
{
    TF_Output *items = NULL, y;
    int n = append(g, LEAT_LOSSES, &items, 0);
    if (regularization)
        n = append(g, LEAT_REGULARIZATION_LOSSES, &items, n);
    if (n == 0) {
        y = mk_scalar(g, "total_loss", TF_FLOAT, 0);
    } else if (n == 1) {
        y = mk_unary(g, "Identity", "total_loss", items[0]);
    } else {
        TF_OperationDescription *d = leat_begin(g, "AddN", "total_loss", NULL);
        if (d)
            leat_add_input_list(d, items, n);
        y = d ? leat_output_of(leat_finish(d), 0) : MK_NONE;
    }
    mem_free(items);
    return y;
}
