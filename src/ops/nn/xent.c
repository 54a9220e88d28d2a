/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropy of softmax with class probabilities or with class numbers; the second output is
 * the gradient by the logits, which the gradient functions multiply by the loss's. */
#include "math/softmax.h"

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static struct output expand(struct grad_ctx *g, struct output x)
{
    return grad_op2(g, "ExpandDims", x, grad_const_i32(g, -1));
}

/* --- probabilities --- */

static bool xent_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_broadcast(c, infer_input(c, 0), infer_input(c, 1), &s, st))
        return false;
    if (s->rank >= 0 && s->rank != 2)
        return status_invalid(st, "Shape must be broadcasted with rank 2, but is rank %d", s->rank);
    if (s->rank < 0)
        s = infer_of_rank(c, 2);
    infer_set(c, 0, infer_vector(c, infer_dim(s, 0)));
    infer_set(c, 1, s);
    return true;
}

static bool fail_shapes(const char *format, const struct tensor *a, const struct tensor *b,
                        struct status *st)
{
    struct strbuf x = {0}, y = {0};
    shape_print(&a->shape, &x);
    shape_print(&b->shape, &y);
    if (!format)
        status_invalid(st, "logits and labels must be broadcastable: logits_size=%s labels_size=%s",
                       strbuf_text(&x), strbuf_text(&y));
    else
        status_invalid(st, "%s, got logits shape %s and labels shape %s", format, strbuf_text(&x),
                       strbuf_text(&y));
    strbuf_release(&x);
    strbuf_release(&y);
    return false;
}

/* a and b as rows and columns that broadcast; the sizes in dims. */
static bool join_dims(const struct tensor *a, const struct tensor *b, int64_t dims[2],
                      struct status *st)
{
    if (a->shape.rank > 2 || b->shape.rank > 2)
        return status_invalid(st, "logits and labels must be either 2-dimensional, or "
                                  "broadcasted to be 2-dimensional");
    for (int i = 0; i < 2; i++) {
        int at_a = a->shape.rank - 2 + i, at_b = b->shape.rank - 2 + i;
        int64_t da = at_a < 0 ? 1 : tensor_dim(a, at_a), db = at_b < 0 ? 1 : tensor_dim(b, at_b);
        if (da != db && da != 1 && db != 1)
            return fail_shapes(NULL, a, b, st);
        dims[i] = da == 1 ? db : da;
    }
    if (a->shape.rank < 2 && b->shape.rank < 2)
        return status_invalid(st, "logits and labels must be either 2-dimensional, or "
                                  "broadcasted to be 2-dimensional");
    return true;
}

static void set_strides(const struct tensor *t, int64_t *row, int64_t *col)
{
    int r = t->shape.rank;
    int64_t cols = r > 0 ? tensor_dim(t, r - 1) : 1, rows = r > 1 ? tensor_dim(t, 0) : 1;
    *row = rows == 1 ? 0 : cols;
    *col = cols == 1 ? 0 : 1;
}

static bool xent_run(struct kctx *c, struct status *st)
{
    const struct tensor *logits = kernel_in(c, 0), *labels = kernel_in(c, 1);
    int64_t dims[2];
    if (!join_dims(logits, labels, dims, st))
        return false;
    struct math_xent x = {.dtype = logits->dtype,
                          .rows = dims[0],
                          .classes = dims[1],
                          .logits = logits->data,
                          .labels = labels->data};
    set_strides(logits, &x.logits_row, &x.logits_col);
    set_strides(labels, &x.labels_row, &x.labels_col);
    struct shape rows = shape_1(dims[0]), full = shape_2(dims[0], dims[1]);
    struct tensor *loss = kernel_out(c, 0, &rows, st);
    struct tensor *back = loss ? kernel_out(c, 1, &full, st) : NULL;
    if (!back)
        return false;
    x.loss = loss->data;
    x.backprop = back->data;
    if (dims[0] > 0)
        math_xent(kernel_pool(c), &x);
    return true;
}

/* Where the second output has a gradient too: (ddy - sum(ddy softmax)) softmax. */
static struct output second_order(struct grad_ctx *g, struct output logits, struct output ddy)
{
    struct attr keep = {(char *)"keep_dims", attr_bool(true)};
    struct output p = grad_op1(g, "Softmax", logits);
    struct output in[2] = {grad_mul(g, ddy, p), grad_const_i32(g, -1)};
    struct output sum = grad_opv(g, "Sum", 2, in, 1, &keep);
    return grad_mul(g, grad_sub(g, ddy, sum), p);
}

static bool xent_grad(struct grad_ctx *g, struct status *st)
{
    struct output logits = grad_in(g, 0), dloss = expand(g, grad_dy(g, 0));
    struct output dx = grad_mul(g, dloss, grad_out(g, 1));
    if (grad_has_dy(g, 1))
        dx = grad_add(g, dx, second_order(g, logits, grad_dy(g, 1)));
    grad_set(g, 0, dx);
    if (grad_as_python(g))
        dloss = expand(g, grad_dy(g, 0));
    grad_set(g, 1, grad_mul(g, dloss, grad_neg(g, grad_op1(g, "LogSoftmax", logits))));
    return grad_done(g, st);
}

OP_DEF(softmax_xent) = {
    .name = "SoftmaxCrossEntropyWithLogits",
    .summary = "The cross entropy of each row of labels with the softmax of its logits, and the "
               "gradient of that by the logits.",
    .inputs = {"features: T", "labels: T"},
    .outputs = {"loss: T", "backprop: T"},
    .attrs = {"T: {half, bfloat16, float, double}"},
    .shape = xent_shape,
    .grad = xent_grad,
};
KERNEL_DEF(softmax_xent_cpu) = {
    .op = "SoftmaxCrossEntropyWithLogits",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .run = xent_run,
};

/* --- class numbers --- */

static bool sparse_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *labels;
    int64_t rows;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &labels, st) ||
        !infer_merge_dim(infer_dim(x, 0), infer_dim(labels, 0), &rows, st))
        return false;
    infer_set(c, 0, infer_vector(c, rows));
    infer_set(c, 1, infer_matrix(c, rows, infer_dim(x, 1)));
    return true;
}

static bool sparse_check(const struct tensor *x, const struct tensor *labels, struct status *st)
{
    if (x->shape.rank != 2)
        return fail_shapes("logits must be 2-D", x, labels, st);
    if (labels->shape.rank != 1)
        return fail_shapes("labels must be 1-D", x, labels, st);
    if (tensor_dim(x, 0) != tensor_dim(labels, 0))
        return fail_shapes("logits and labels must have the same first dimension", x, labels, st);
    if (tensor_dim(x, 1) < 1)
        return fail_shapes("Must have at least one class", x, labels, st);
    return true;
}

static bool sparse_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *labels = kernel_in(c, 1);
    if (!sparse_check(x, labels, st))
        return false;
    int64_t rows = tensor_dim(x, 0), classes = tensor_dim(x, 1);
    struct shape s = shape_1(rows);
    struct tensor *loss = kernel_out(c, 0, &s, st);
    struct tensor *back = loss ? kernel_out(c, 1, &x->shape, st) : NULL;
    if (!back)
        return false;
    if (rows == 0)
        return true;
    int64_t bad =
        math_sparse_xent(kernel_pool(c), &(struct math_sparse_xent){.dtype = x->dtype,
                                                                    .label_dtype = labels->dtype,
                                                                    .rows = rows,
                                                                    .classes = classes,
                                                                    .logits = x->data,
                                                                    .labels = labels->data,
                                                                    .loss = loss->data,
                                                                    .backprop = back->data});
    if (bad < 0)
        return true;
    struct strbuf text = {0};
    tensor_summarize(labels, 100, &text);
    status_invalid(st,
                   "Received a label value of %lld which is outside the valid range of [0, %lld)."
                   "  Label values: %s",
                   (long long)tensor_index(labels, bad), (long long)classes, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool sparse_grad(struct grad_ctx *g, struct status *st)
{
    struct str why = str_of("there is no second derivative of "
                            "sparse_softmax_cross_entropy_with_logits: its gradient is fused");
    struct attr message = {(char *)"message", attr_string(why)};
    struct output back = grad_out(g, 1);
    struct output stopped = grad_opv(g, "PreventGradient", 1, &back, 1, &message);
    grad_set(g, 0, grad_mul(g, expand(g, grad_dy(g, 0)), stopped));
    return grad_done(g, st);
}

OP_DEF(sparse_softmax_xent) = {
    .name = "SparseSoftmaxCrossEntropyWithLogits",
    .summary = "The cross entropy of each row's class number with the softmax of its logits, and "
               "the gradient of that by the logits.",
    .inputs = {"features: T", "labels: Tlabels"},
    .outputs = {"loss: T", "backprop: T"},
    .attrs = {"T: {half, bfloat16, float, double}", "Tlabels: {int32, int64} = DT_INT64"},
    .shape = sparse_shape,
    .grad = sparse_grad,
};
KERNEL_DEF(sparse_softmax_xent_cpu) = {
    .op = "SparseSoftmaxCrossEntropyWithLogits",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .run = sparse_run,
};
