/* SPDX-License-Identifier: Apache-2.0 */
/* ArgMax and ArgMin: where the greatest or smallest element lies along one axis; the first of
 * equals. */
#include "math/reduce.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool arg_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x = infer_input(c, 0), *unused;
    if (!infer_want_rank(c, infer_input(c, 1), 0, &unused, st))
        return false;
    if (x->rank < 0)
        return true;
    if (x->rank <= 1) {
        infer_set(c, 0, infer_scalar(c));
        return true;
    }
    bool known;
    int64_t axis;
    if (!infer_const_int(c, 1, &known, &axis, st))
        return false;
    if (!known) {
        infer_set(c, 0, infer_of_rank(c, x->rank - 1));
        return true;
    }
    if (axis < -x->rank || axis >= x->rank)
        return status_invalid(st,
                              "Dimension (%lld) must be in the range [%d, %d), where %d is the "
                              "number of dimensions in the input.",
                              (long long)axis, -x->rank, x->rank, x->rank);
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;
    axis = axis < 0 ? axis + x->rank : axis;
    for (int i = 0; i < x->rank; i++) {
        if (i != axis)
            dims[rank++] = shape_dim(x, i);
    }
    infer_set(c, 0, infer_make(c, dims, rank));
    return true;
}

struct arg_state {
    bool min;
};

static bool arg_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    ((struct arg_state *)state)->min = strcmp(k->op->def->name, "ArgMin") == 0;
    return true;
}

static bool arg_axis(const struct tensor *x, const struct tensor *dim, int *axis, struct status *st)
{
    int rank = tensor_rank(x);
    if (tensor_rank(dim) != 0)
        return status_invalid(st, "dim must be a scalar, but received tensor of rank %d",
                              tensor_rank(dim));
    int64_t a = tensor_index(dim, 0);
    if (a < -rank || a >= rank)
        return status_invalid(st, "Expected dimension in the range [%d, %d), but got %lld", -rank,
                              rank, (long long)a);
    *axis = (int)(a < 0 ? a + rank : a);
    if (tensor_dim(x, *axis) > 0)
        return true;
    struct strbuf text = {0};
    shape_print(&x->shape, &text);
    status_invalid(st, "Reduction axis %lld is empty in shape %s", (long long)a,
                   strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool arg_run(struct kctx *c, struct status *st)
{
    const struct arg_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    int axis = 0, rank = tensor_rank(x), num = 0;
    int64_t dims[SHAPE_MAX_RANK];
    if (!arg_axis(x, kernel_in(c, 1), &axis, st))
        return false;
    struct math_arg_reduce r = {.min = s->min, .dtype = x->dtype, .x = x->data, .outer = 1};
    r.inner = 1;
    r.num = tensor_dim(x, axis);
    for (int i = 0; i < rank; i++) {
        if (i == axis)
            continue;
        dims[num++] = tensor_dim(x, i);
        if (i < axis)
            r.outer *= tensor_dim(x, i);
        else
            r.inner *= tensor_dim(x, i);
    }
    struct shape shape = shape_make(dims, num);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!y)
        return false;
    r.y = y->data;
    r.out_dtype = y->dtype;
    if (y->num_elems > 0)
        math_arg_reduce(kernel_pool(c), &r);
    return true;
}

#define ARG_OP(id, op_name, text)                                                                  \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"input: T", "dimension: Tidx"},                                       \
                  .outputs = {"output: output_type"},                                              \
                  .attrs = {"T: numbertype", "Tidx: {int32, int64} = DT_INT32",                    \
                            "output_type: {int32, int64} = DT_INT64"},                             \
                  .shape = arg_shape,                                                              \
                  .no_kernel = "some quantized and wide unsigned types are only carried about",    \
                  .no_grad = "an index does not change with small changes of the values"};         \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"}, \
        .state_bytes = sizeof(struct arg_state),                                                   \
        .init = arg_init,                                                                          \
        .run = arg_run}

ARG_OP(arg_max, "ArgMax", "The index of the greatest element along an axis.");
ARG_OP(arg_min, "ArgMin", "The index of the smallest element along an axis.");
