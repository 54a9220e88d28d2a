/* SPDX-License-Identifier: Apache-2.0 */
/* Cumsum and Cumprod: running sums and products along one axis. */
#include "math/reduce.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static struct output scan_node(struct grad_ctx *g, const char *op, struct output x, bool turn)
{
    bool exclusive = attrs_bool(grad_attrs(g), "exclusive");
    bool reverse = attrs_bool(grad_attrs(g), "reverse");
    struct output in[] = {x, grad_in(g, 1)};
    struct attr attrs[] = {{(char *)"exclusive", attr_bool(exclusive)},
                           {(char *)"reverse", attr_bool(reverse != turn)}};
    return grad_opv(g, op, 2, in, 2, attrs);
}

static bool cumsum_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, scan_node(g, "Cumsum", grad_dy(g, 0), true));
    return grad_done(g, st);
}

static bool cumprod_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), y = scan_node(g, "Cumprod", x, false);
    struct output sum = scan_node(g, "Cumsum", grad_mul(g, y, grad_dy(g, 0)), true);
    grad_set(g, 0, grad_div(g, sum, x));
    return grad_done(g, st);
}

struct scan_state {
    bool prod, exclusive, reverse;
};

static bool scan_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct scan_state *s = state;
    s->prod = strcmp(k->op->def->name, "Cumprod") == 0;
    s->exclusive = attrs_bool(k->attrs, "exclusive");
    s->reverse = attrs_bool(k->attrs, "reverse");
    return true;
}

static bool scan_run(struct kctx *c, struct status *st)
{
    const struct scan_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *axes = kernel_in(c, 1);
    int rank = tensor_rank(x);
    if (tensor_rank(axes) != 0)
        return status_invalid(st, "ScanOp: axis must be a scalar, not a tensor of rank %d",
                              tensor_rank(axes));
    int64_t axis = tensor_index(axes, 0);
    if (axis < -rank || axis >= rank)
        return status_invalid(st, "ScanOp: Expected scan axis in the range [%d, %d), but got %lld",
                              -rank, rank, (long long)axis);
    axis = axis < 0 ? axis + rank : axis;
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    if (!y)
        return false;
    if (x->num_elems == 0)
        return true;
    struct math_scan scan = {.prod = s->prod,
                             .exclusive = s->exclusive,
                             .reverse = s->reverse,
                             .dtype = x->dtype,
                             .x = x->data,
                             .y = y->data,
                             .outer = 1,
                             .inner = 1};
    for (int i = 0; i < axis; i++)
        scan.outer *= tensor_dim(x, i);
    scan.num = tensor_dim(x, (int)axis);
    for (int i = (int)axis + 1; i < rank; i++)
        scan.inner *= tensor_dim(x, i);
    math_scan(kernel_pool(c), &scan);
    return true;
}

#define SCAN_OP(id, op_name, text, grad_fn)                                                        \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"x: T", "axis: Tidx"},                                                \
                  .outputs = {"out: T"},                                                           \
                  .attrs = {"exclusive: bool = false", "reverse: bool = false", "T: numbertype",   \
                            "Tidx: {int32, int64} = DT_INT32"},                                    \
                  .shape = infer_unchanged,                                                        \
                  .no_kernel = "some quantized and wide unsigned types are only carried about",    \
                  .grad = grad_fn};                                                                \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "  \
                  "complex64, complex128}"},                                                       \
        .state_bytes = sizeof(struct scan_state),                                                  \
        .init = scan_init,                                                                         \
        .run = scan_run}

SCAN_OP(cumsum, "Cumsum", "Running sums of x along an axis.", cumsum_grad);
SCAN_OP(cumprod, "Cumprod", "Running products of x along an axis.", cumprod_grad);
