/* SPDX-License-Identifier: Apache-2.0 */
/* CTCLoss, and with it its gradient: forward and backward sums over all ways to read the labels
 * (Graves, "Supervised Sequence Labelling with Recurrent Neural Networks", chapter 7), in
 * logarithms and in double. */
#include <math.h>
#include <string.h>

#include "op/grad.h"
#include "ops/nn/ctc.h"

struct loss_attrs {
    bool collapse, merge, ignore_longer;
};

struct reading { /* one of the batch at a time */
    int64_t time, classes;
    int32_t *states; /* labels with a blank before, between and after them: num_states */
    int64_t num_states;
    double *y;            /* probabilities [time, classes] */
    double *alpha, *beta; /* logarithms [time, num_states] */
    double *sums;         /* classes */
    bool merge;
};

/* --- labels --- */

static bool check_labels(const struct kctx *c, const struct ctc *k, struct status *st)
{
    const struct tensor *at = kernel_in(c, 1), *values = kernel_in(c, 2);
    if (tensor_rank(at) != 2)
        return status_invalid(st, "labels_indices is not a matrix");
    if (tensor_rank(values) != 1)
        return status_invalid(st, "labels_values is not a vector");
    if (tensor_dim(at, 0) != tensor_dim(values, 0))
        return status_invalid(st,
                              "labels_indices and labels_values must contain the same number of "
                              "rows, but saw shapes: [%lld,%lld] vs. [%lld]",
                              (long long)tensor_dim(at, 0), (long long)tensor_dim(at, 1),
                              (long long)tensor_dim(values, 0));
    if (tensor_dim(at, 1) != 2)
        return status_invalid(st, "Order length must be SparseTensor rank.");
    for (int64_t i = 0; i < tensor_dim(at, 0); i++) {
        const int64_t *p = tensor_i64(at) + 2 * i;
        if (p[0] < 0 || p[0] >= k->batch || p[1] < 0)
            return status_invalid(st,
                                  "label SparseTensor is not valid: indices[%lld] = [%lld,%lld] is "
                                  "out of bounds: need 0 <= index < [%lld,...]",
                                  (long long)i, (long long)p[0], (long long)p[1],
                                  (long long)k->batch);
        if (i > 0 && (p[-2] > p[0] || (p[-2] == p[0] && p[-1] >= p[1])))
            return status_invalid(st,
                                  "label SparseTensor is not valid: indices[%lld] = [%lld,%lld] is "
                                  "%s",
                                  (long long)i, (long long)p[0], (long long)p[1],
                                  p[-2] == p[0] && p[-1] == p[1]
                                      ? "repeated"
                                      : "out of order. Many sparse ops require sorted indices.");
    }
    return true;
}

/* The n labels of b into states, without blanks at the end. */
static bool read_states(const struct loss_attrs *a, const int32_t *labels, int64_t n, int64_t b,
                        struct reading *r, struct status *st)
{
    int32_t blank = (int32_t)r->classes - 1;
    bool ended = false;
    r->num_states = 0;
    if (n == 0)
        return status_invalid(st, "Labels length is zero in batch %lld", (long long)b);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && a->collapse && labels[i] == labels[i - 1])
            continue;
        if (labels[i] >= blank) {
            ended = true;
            continue;
        }
        if (ended)
            return status_invalid(st,
                                  "Saw a non-null label (index >= num_classes - 1) following a "
                                  "null label, batch: %lld num_classes: %lld",
                                  (long long)b, (long long)r->classes);
        if (labels[i] < 0)
            return status_invalid(st, "All labels must be nonnegative integers, batch: %lld",
                                  (long long)b);
        r->states[r->num_states++] = blank;
        r->states[r->num_states++] = labels[i];
    }
    r->states[r->num_states++] = blank;
    return a->ignore_longer || n <= r->time ||
           status_invalid(st,
                          "Not enough time for target transition sequence (required: %lld, "
                          "available: %lld)%lldYou can turn this error into a warning by using the "
                          "flag ignore_longer_outputs_than_inputs",
                          (long long)n, (long long)r->time, (long long)b);
}

/* --- sums --- */

static void softmax_rows(const struct ctc *k, int64_t b, const struct reading *r)
{
    for (int64_t t = 0; t < r->time; t++) {
        double *y = r->y + t * r->classes, max = -INFINITY, sum = 0;
        ctc_row(k, t, b, y);
        for (int64_t i = 0; i < r->classes; i++)
            max = y[i] > max || isnan(y[i]) ? y[i] : max;
        for (int64_t i = 0; i < r->classes; i++)
            sum += y[i] = exp(y[i] - max);
        for (int64_t i = 0; i < r->classes; i++)
            y[i] /= sum;
    }
}

static double log_y(const struct reading *r, int64_t t, int64_t u)
{
    return log(r->y[t * r->classes + r->states[u]]);
}

/* Whether state u may follow u - 2 at once, leaving out what lies between. */
static bool may_skip(const struct reading *r, int64_t u)
{
    return r->states[u] != (int32_t)r->classes - 1 &&
           !(r->merge && r->states[u] == r->states[u - 2]);
}
static bool may_stay(const struct reading *r, int64_t u)
{
    return r->merge || r->states[u] == (int32_t)r->classes - 1;
}

/* States that can be reached at time t and can still come to the end. */
static int64_t first_state(const struct reading *r, int64_t t)
{
    return max_i64(0, r->num_states - 2 * (r->time - t));
}
static int64_t end_state(const struct reading *r, int64_t t)
{
    return min_i64(r->num_states, 2 * (t + 1));
}

static void fill_alpha(const struct reading *r)
{
    int64_t n = r->num_states;
    for (int64_t i = 0; i < n * r->time; i++)
        r->alpha[i] = -INFINITY;
    for (int64_t u = 0; u < min_i64(n, 2); u++)
        r->alpha[u] = log_y(r, 0, u);
    for (int64_t t = 1; t < r->time; t++) {
        const double *before = r->alpha + (t - 1) * n;
        for (int64_t u = first_state(r, t); u < end_state(r, t); u++) {
            double sum = may_stay(r, u) ? before[u] : -INFINITY;
            if (u > 0)
                sum = ctc_log_add(sum, before[u - 1]);
            if (u > 1 && may_skip(r, u))
                sum = ctc_log_add(sum, before[u - 2]);
            r->alpha[t * n + u] = log_y(r, t, u) + sum;
        }
    }
}

static void fill_beta(const struct reading *r)
{
    int64_t n = r->num_states;
    for (int64_t i = 0; i < n * r->time; i++)
        r->beta[i] = -INFINITY;
    for (int64_t u = max_i64(n - 2, 0); u < n; u++)
        r->beta[(r->time - 1) * n + u] = 0;
    for (int64_t t = r->time - 2; t >= 0; t--) {
        const double *after = r->beta + (t + 1) * n;
        for (int64_t u = first_state(r, t); u < end_state(r, t); u++) {
            double sum = may_stay(r, u) ? after[u] + log_y(r, t + 1, u) : -INFINITY;
            if (u + 1 < n)
                sum = ctc_log_add(sum, after[u + 1] + log_y(r, t + 1, u + 1));
            if (u + 2 < n && may_skip(r, u + 2))
                sum = ctc_log_add(sum, after[u + 2] + log_y(r, t + 1, u + 2));
            r->beta[t * n + u] = sum;
        }
    }
}

/* The gradient at time t: probabilities, less the share of each class in the ways to read. */
static void gradient_row(const struct reading *r, int64_t t, double log_p, struct tensor *dx,
                         int64_t at)
{
    int64_t n = r->num_states;
    for (int64_t i = 0; i < r->classes; i++)
        r->sums[i] = -INFINITY;
    for (int64_t u = 0; u < n && log_p != -INFINITY; u++) {
        double *sum = &r->sums[r->states[u]];
        *sum = ctc_log_add(*sum, r->alpha[t * n + u] + r->beta[t * n + u]);
    }
    for (int64_t i = 0; i < r->classes; i++) {
        double share = log_p == -INFINITY ? 0 : exp(r->sums[i] - log_p);
        ctc_put(dx, at + i, r->y[t * r->classes + i] - share);
    }
}

static double read_one(const struct ctc *k, int64_t b, const struct reading *r, struct tensor *dx)
{
    double log_p = -INFINITY;
    softmax_rows(k, b, r);
    fill_alpha(r);
    fill_beta(r);
    for (int64_t u = 0; u < r->num_states; u++)
        log_p = ctc_log_add(log_p, r->alpha[u] + r->beta[u]);
    for (int64_t t = 0; t < r->time; t++)
        gradient_row(r, t, log_p, dx, (t * k->batch + b) * k->classes);
    return -log_p;
}

/* --- the op --- */

static bool make_room(struct kctx *c, const struct ctc *k, int64_t longest, struct reading *r,
                      struct status *st)
{
    const int64_t item = (int64_t)sizeof(double);
    int64_t states = 2 * longest + 1, y, ways;
    if (!size_mul((k->time + 1) * item, k->classes, &y) ||
        !size_mul((k->time + 1) * item, states, &ways))
        return status_invalid(st, "too many labels or classes");
    r->states = kernel_scratch(c, states * (int64_t)sizeof(*r->states), st);
    r->sums = r->states ? kernel_scratch(c, k->classes * item, st) : NULL;
    r->y = r->sums ? kernel_scratch(c, y, st) : NULL;
    r->alpha = r->y ? kernel_scratch(c, ways, st) : NULL;
    r->beta = r->alpha ? kernel_scratch(c, ways, st) : NULL;
    return r->beta != NULL;
}

static bool loss_run(struct kctx *c, struct status *st)
{
    struct ctc k;
    const struct attrs *attrs = kernel_attrs(c);
    struct loss_attrs a = {attrs_bool(attrs, "preprocess_collapse_repeated"),
                           attrs_bool(attrs, "ctc_merge_repeated"),
                           attrs_bool(attrs, "ignore_longer_outputs_than_inputs")};
    if (!ctc_check(c, 3, &k, st) || !check_labels(c, &k, st) ||
        !ctc_check_lengths(&k, STATUS_INVALID_ARGUMENT, st))
        return false;
    struct shape s = shape_1(k.batch);
    struct tensor *loss = kernel_out(c, 0, &s, st);
    struct tensor *dx = loss ? kernel_out(c, 1, &k.x->shape, st) : NULL;
    struct reading r = {.classes = k.classes, .merge = a.merge};
    const int64_t *at = tensor_i64(kernel_in(c, 1));
    int64_t num = kernel_in(c, 2)->num_elems, end = 0;
    if (!dx || !make_room(c, &k, num, &r, st))
        return false;
    if (dx->num_elems)
        memset(dx->data, 0, tensor_bytes(dx));
    for (int64_t b = 0; b < k.batch; b++) {
        int64_t begin = end;
        while (end < num && at[2 * end] == b)
            end++;
        r.time = k.lengths[b];
        if (!read_states(&a, tensor_i32(kernel_in(c, 2)) + begin, end - begin, b, &r, st))
            return false;
        bool too_long = a.ignore_longer && end - begin > r.time;
        ctc_put(loss, b, r.time == 0 || too_long ? 0 : read_one(&k, b, &r, dx));
    }
    return true;
}

static bool loss_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *at, *values, *lengths;
    int64_t batch, n;
    if (!infer_want_rank(c, infer_input(c, 0), 3, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 2, &at, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &values, st) ||
        !infer_want_rank(c, infer_input(c, 3), 1, &lengths, st) ||
        !infer_merge_dim(infer_dim(at, 0), infer_dim(values, 0), &n, st) ||
        !infer_merge_dim(infer_dim(x, 1), infer_dim(lengths, 0), &batch, st))
        return false;
    infer_set(c, 0, infer_vector(c, batch));
    infer_set(c, 1, infer_make(c, (int64_t[]){infer_dim(x, 0), batch, infer_dim(x, 2)}, 3));
    return true;
}

static bool loss_grad(struct grad_ctx *g, struct status *st)
{
    static const char why[] =
        "Currently there is no way to take the second  derivative of ctc_loss due to the fused "
        "implementation's interaction with tf.gradients()";
    struct output dx = grad_out(g, 1);
    dx = grad_opv(g, "PreventGradient", 1, &dx, 1,
                  (struct attr[]){{(char *)"message", attr_string(str_of(why))}});
    struct output dy = grad_op2(g, "ExpandDims", grad_dy(g, 0), grad_const_i32(g, -1));
    grad_set(g, 0, grad_mul(g, dy, dx));
    return grad_done(g, st);
}

OP_DEF(ctc_loss) = {
    .name = "CTCLoss",
    .summary =
        "How unlikely it is that scores over time read as labels, and that number's gradient.",
    .inputs = {"inputs: T", "labels_indices: int64", "labels_values: int32",
               "sequence_length: int32"},
    .outputs = {"loss: T", "gradient: T"},
    .attrs = {"preprocess_collapse_repeated: bool = false", "ctc_merge_repeated: bool = true",
              "ignore_longer_outputs_than_inputs: bool = false", "T: {float, double} = DT_FLOAT"},
    .shape = loss_shape,
    .grad = loss_grad,
};
KERNEL_DEF(ctc_loss_cpu) = {.op = "CTCLoss", .device = "CPU", .run = loss_run};
