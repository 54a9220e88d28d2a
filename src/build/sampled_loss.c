/* SPDX-License-Identifier: Apache-2.0 */
/* Noise-contrastive estimation and sampled softmax: the logits of the true classes and of a sample
 * of the others, less the logarithm of how often each is drawn; then a cross-entropy of each kind.
 *
 * Both look the rows of true and sampled classes up in one go, so a step touches
 * batch * num_true + num_sampled rows. */
#include <string.h>

#include "build/mk.h"
#include "leat/nn.h"

void leat_sampled_loss_args_init(struct leat_sampled_loss_args *args)
{
    *args = (struct leat_sampled_loss_args){LEAT_SAMPLED_LOSS_DEFAULTS_};
}

static bool check(const struct leat_sampled_loss_args *a, const char *what)
{
    if (!a || !a->g)
        return false;
    if (a->weights.n < 1 || !a->weights.v || !leat_valid(a->biases) || !leat_valid(a->labels) ||
        !leat_valid(a->inputs))
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: weights, biases, labels or inputs is an invalid output", what);
    else if (a->num_sampled < 1 || a->num_classes < 1 || a->num_true < 1)
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: num_sampled %lld, num_classes %lld and num_true %lld must be positive", what,
                  (long long)a->num_sampled, (long long)a->num_classes, (long long)a->num_true);
    else
        return true;
    return false;
}

/* ---- sampling ---- */

static struct leat_sampled_values sample(const struct leat_sampled_loss_args *a, TF_Output labels)
{
    struct leat_sampled_values s = a->sampled_values;
    TF_Graph *g = a->g;
    if (!leat_valid(s.candidates)) {
        int64_t seed, seed2;
        TF_OperationDescription *d = leat_begin(g, "LogUniformCandidateSampler", NULL, NULL);
        if (!d)
            return s;
        leat_get_seed(g, a->seed, &seed, &seed2);
        leat_add_input(d, labels);
        TF_SetAttrInt(d, "num_true", a->num_true);
        TF_SetAttrInt(d, "num_sampled", a->num_sampled);
        TF_SetAttrBool(d, "unique", 1);
        TF_SetAttrInt(d, "range_max", a->num_classes);
        TF_SetAttrInt(d, "seed", seed);
        TF_SetAttrInt(d, "seed2", seed2);
        TF_Operation *op = leat_finish(d);
        s.candidates = leat_output_of(op, 0);
        s.true_expected_count = leat_output_of(op, 1);
        s.sampled_expected_count = leat_output_of(op, 2);
    }
    s.candidates = mk_unary(g, "StopGradient", NULL, s.candidates);
    s.true_expected_count = mk_unary(g, "StopGradient", NULL, s.true_expected_count);
    s.sampled_expected_count = mk_unary(g, "StopGradient", NULL, s.sampled_expected_count);
    return s;
}

/* ---- logits ---- */

/* x[i] of a vector: shape(x) at i. */
static TF_Output dim_of(TF_Graph *g, TF_Output x, int i)
{
    return mk_slice1(g, "strided_slice", mk_shape(g, "Shape", x), i, 0, true);
}

static TF_Output pack_with(TF_Graph *g, TF_Output first, int64_t second)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "stack") {
        TF_Output c = mk_i32(g, "1", second);
        y = mk_pack(g, leat_current_scope(g), leat_outputs(first, c));
    }
    return y;
}

/* The rows of a matrix before and from the number of labels. */
static void split_rows(TF_Graph *g, TF_Output rows, TF_Output flat, TF_Output *first,
                       TF_Output *rest)
{
    TF_Output size = pack_with(g, dim_of(g, flat, 0), -1);
    leat_with_scope(g, "Slice") {
        TF_Output begin = mk_i32s(g, "begin", leat_ints(0, 0));
        *first = mk_op(g, "Slice", leat_current_scope(g), leat_outputs(rows, begin, size));
    }
    TF_Output begin = pack_with(g, dim_of(g, flat, 0), 0);
    leat_with_scope(g, "Slice") {
        TF_Output all = mk_i32s(g, "size", leat_ints(-1, -1));
        *rest = mk_op(g, "Slice", leat_current_scope(g), leat_outputs(rows, begin, all));
    }
}

/* The same of a vector. */
static void split_vector(TF_Graph *g, TF_Output x, TF_Output flat, TF_Output *first,
                         TF_Output *rest)
{
    TF_Output size = mk_shape(g, "Shape", flat);
    leat_with_scope(g, "Slice") {
        TF_Output begin = mk_i32s(g, "begin", leat_ints(0));
        *first = mk_op(g, "Slice", leat_current_scope(g), leat_outputs(x, begin, size));
    }
    TF_Output begin = mk_shape(g, "Shape", flat);
    leat_with_scope(g, "Slice") {
        TF_Output all = mk_i32s(g, "size", leat_ints(-1));
        *rest = mk_op(g, "Slice", leat_current_scope(g), leat_outputs(x, begin, all));
    }
}

/* concat([numbers, dim]) */
static TF_Output join_dims(TF_Graph *g, struct leat_ints numbers, TF_Output dim)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "concat") {
        TF_Output first = mk_i32s(g, "values_0", numbers);
        TF_Output axis = mk_i32(g, "axis", 0);
        TF_OperationDescription *d = leat_begin(g, "ConcatV2", leat_current_scope(g), NULL);
        if (d) {
            leat_add_input_list(d, (const TF_Output[]){first, dim}, 2);
            leat_add_input(d, axis);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

/* The sum of each row, by a product with ones. */
static TF_Output sum_rows(TF_Graph *g, TF_Output x)
{
    TF_Output size = pack_with(g, dim_of(g, x, 1), 1), ones = MK_NONE;
    leat_with_scope(g, "ones") {
        TF_Output one = mk_scalar(g, "Const", leat_dtype(g, x), 1);
        ones = mk_op(g, "Fill", leat_current_scope(g), leat_outputs(size, one));
    }
    TF_Output sums = mk_op(g, "MatMul", NULL, leat_outputs(x, ones));
    return mk_reshape(g, "Reshape", sums, leat_ints(-1));
}

/* inputs . weights of each example's true classes: [batch, num_true]. */
static TF_Output true_products(const struct leat_sampled_loss_args *a, TF_Output true_w)
{
    TF_Graph *g = a->g;
    TF_Output shape = mk_shape(g, "Shape", true_w), apart = MK_NONE;
    TF_Output dim = mk_slice1(g, "strided_slice", shape, 1, 2, false);
    TF_Output by_example = join_dims(g, leat_ints(-1, a->num_true), dim);
    leat_with_scope(g, "ExpandDims") {
        TF_Output axis = mk_i32(g, "dim", 1);
        apart = mk_op(g, "ExpandDims", leat_current_scope(g), leat_outputs(a->inputs, axis));
    }
    TF_Output w = mk_op(g, "Reshape", NULL, leat_outputs(true_w, by_example));
    TF_Output products = mk_op(g, "Mul", NULL, leat_outputs(apart, w));
    TF_Output rows = join_dims(g, leat_ints(-1), dim);
    TF_Output flat = mk_op(g, "Reshape", NULL, leat_outputs(products, rows));
    return mk_reshape(g, "Reshape", sum_rows(g, flat), leat_ints(-1, a->num_true));
}

/* For samples that are among an example's own labels: a number so low that they do not count. */
static TF_Output without_hits(const struct leat_sampled_loss_args *a, TF_Output labels,
                              TF_Output candidates, TF_Output logits)
{
    TF_Graph *g = a->g;
    TF_OperationDescription *d = leat_begin(g, "ComputeAccidentalHits", NULL, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, labels);
    leat_add_input(d, candidates);
    TF_SetAttrInt(d, "num_true", a->num_true);
    TF_Operation *hits = leat_finish(d);
    TF_Output examples = mk_reshape(g, "Reshape", leat_output_of(hits, 0), leat_ints(-1, 1));
    TF_Output ids = mk_cast(g, leat_output_of(hits, 1), TF_INT32);
    TF_Output columns = mk_reshape(g, "Reshape", ids, leat_ints(-1, 1));
    TF_Output places = mk_concat(g, "sparse_indices", leat_outputs(examples, columns), 1);
    TF_Output batch = mk_slice1(g, "strided_slice", mk_shape(g, "Shape", labels), 0, 1, false);
    TF_Output width = MK_NONE, dense = MK_NONE;
    leat_with_scope(g, "ExpandDims") {
        TF_Output n = mk_i32(g, "input", a->num_sampled);
        TF_Output axis = mk_i32(g, "dim", 0);
        width = mk_op(g, "ExpandDims", leat_current_scope(g), leat_outputs(n, axis));
    }
    TF_Output shape = mk_concat(g, "concat", leat_outputs(batch, width), 0);
    leat_with_scope(g, "SparseToDense") {
        TF_Output zero = mk_scalar(g, "default_value", TF_FLOAT, 0);
        d = leat_begin(g, "SparseToDense", leat_current_scope(g), NULL);
        if (d) {
            leat_add_input(d, places);
            leat_add_input(d, shape);
            leat_add_input(d, leat_output_of(hits, 2));
            leat_add_input(d, zero);
            TF_SetAttrBool(d, "validate_indices", 0);
            dense = leat_output_of(leat_finish(d), 0);
        }
    }
    dense = mk_cast(g, dense, leat_dtype(g, logits));
    return mk_math(g, "AddV2", "add", mk_t(logits), mk_t(dense));
}

struct logits {
    TF_Output logits, labels; /* [batch, num_true + num_sampled] */
};

/* Rows of weights or biases of the classes. */
static TF_Output lookup(const struct leat_sampled_loss_args *a, struct leat_outputs params,
                        TF_Output ids)
{
    return leat_embedding_lookup(a->g, params, ids, .partition_strategy = a->partition_strategy);
}

/* true rows, sampled rows: their logits, corrected, side by side with their labels. */
static struct logits join_logits(const struct leat_sampled_loss_args *a,
                                 const struct leat_sampled_values *s, TF_Output true_logits,
                                 TF_Output sampled_logits)
{
    TF_Graph *g = a->g;
    struct logits out;
    TF_Output log_true = mk_unary(g, "Log", NULL, s->true_expected_count);
    true_logits = mk_math(g, "Sub", "sub", mk_t(true_logits), mk_t(log_true));
    TF_Output log_sampled = mk_unary(g, "Log", NULL, s->sampled_expected_count);
    sampled_logits = mk_math(g, "Sub", "sub", mk_t(sampled_logits), mk_t(log_sampled));
    out.logits = mk_concat(g, "concat", leat_outputs(true_logits, sampled_logits), 1);
    TF_Output ones = mk_ones_like(g, true_logits);
    TF_Output share = mk_math(g, "RealDiv", "truediv", mk_t(ones), mk_n((double)a->num_true));
    TF_Output zeros = mk_zeros_like(g, sampled_logits);
    out.labels = mk_concat(g, "concat", leat_outputs(share, zeros), 1);
    return out;
}

static struct logits sampled_logits(const struct leat_sampled_loss_args *a, bool remove_hits)
{
    TF_Graph *g = a->g;
    TF_Output true_w = MK_NONE, other_w = MK_NONE, true_b = MK_NONE, other_b = MK_NONE;
    TF_Output labels = mk_cast(g, a->labels, TF_INT64);
    TF_Output flat = mk_reshape(g, "Reshape", labels, leat_ints(-1));
    struct leat_sampled_values s = sample(a, labels);
    TF_Output candidates = mk_cast(g, s.candidates, TF_INT64);
    TF_Output ids = mk_concat(g, "concat", leat_outputs(flat, candidates), 0);
    split_rows(g, lookup(a, a->weights, ids), flat, &true_w, &other_w);
    TF_OperationDescription *d = leat_begin(g, "MatMul", NULL, NULL);
    if (!d)
        return (struct logits){MK_NONE, MK_NONE};
    leat_add_input(d, a->inputs);
    leat_add_input(d, other_w);
    TF_SetAttrBool(d, "transpose_b", 1);
    TF_Output others = leat_output_of(leat_finish(d), 0);
    struct leat_outputs biases = {&a->biases, 1};
    split_vector(g, lookup(a, biases, ids), flat, &true_b, &other_b);
    TF_Output products = true_products(a, true_w);
    TF_Output b = mk_reshape(g, "Reshape", true_b, leat_ints(-1, a->num_true));
    TF_Output trues = mk_math(g, "AddV2", "add", mk_t(products), mk_t(b));
    others = mk_math(g, "AddV2", "add", mk_t(others), mk_t(other_b));
    if (remove_hits)
        others = without_hits(a, labels, candidates, others);
    return join_logits(a, &s, trues, others);
}

static struct logits logits_of(const struct leat_sampled_loss_args *a, const char *name,
                               bool remove_hits)
{
    struct logits out = {MK_NONE, MK_NONE};
    leat_with_scope(a->g, a->name && *a->name ? a->name : name)
        out = sampled_logits(a, a->remove_accidental_hits < 0 ? remove_hits
                                                              : a->remove_accidental_hits != 0);
    return out;
}

TF_Output leat_nce_loss_fn(const struct leat_sampled_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "nce_loss"))
        return y;
    leat_with_caller(a->g, a->made_at) {
        struct logits l = logits_of(a, "nce_loss", false);
        if (leat_valid(l.labels) && leat_valid(l.logits)) {
            TF_Output losses = leat_sigmoid_cross_entropy_with_logits(a->g, l.labels, l.logits,
                                                                      .name = "sampled_losses");
            y = sum_rows(a->g, losses);
        }
    }
    return y;
}

TF_Output leat_sampled_softmax_loss_fn(const struct leat_sampled_loss_args *a)
{
    TF_Output y = MK_NONE;
    if (!check(a, "sampled_softmax_loss"))
        return y;
    leat_with_caller(a->g, a->made_at) {
        struct logits l = logits_of(a, "sampled_softmax_loss", true);
        if (leat_valid(l.labels) && leat_valid(l.logits)) {
            TF_Output labels = mk_unary(a->g, "StopGradient", "labels_stop_gradient", l.labels);
            y = leat_softmax_cross_entropy_with_logits_v2(a->g, labels, l.logits);
        }
    }
    return y;
}
