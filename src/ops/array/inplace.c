/* SPDX-License-Identifier: Apache-2.0 */
/* InplaceUpdate, InplaceAdd, InplaceSub: rows of a tensor replaced by others, or others added to or
 * taken off them; row numbers wrap around. The input itself is written where nobody else holds it.
 */
#include "math/value_add.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/array/text.h"

static bool check(const struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *i = kernel_in(c, 1), *v = kernel_in(c, 2);
    if (tensor_rank(i) != 1)
        return array_fail_shape(st, "i must be a vector. ", &i->shape);
    if (tensor_rank(x) < 1 || tensor_rank(x) != tensor_rank(v))
        return array_fail_shapes(st, "x and v shape doesn't match (ranks differ): ", &x->shape,
                                 " vs. ", &v->shape, "");
    for (int d = 1; d < tensor_rank(x); d++) {
        if (tensor_dim(x, d) != tensor_dim(v, d))
            return array_fail_shapes(st, "x and v shape doesn't match: ", &x->shape, " vs. ",
                                     &v->shape, "");
    }
    if (i->num_elems != tensor_dim(v, 0))
        return array_fail_shapes(st, "i and x shape doesn't match at index 0: ", &i->shape, " vs. ",
                                 &v->shape, "");
    return true;
}

/* Rows of v go to those of y; add: NULL, to replace them. Strings may lack memory. */
static bool change_rows(const struct kctx *c, struct tensor *y, value_add_fn add)
{
    const struct tensor *ix = kernel_in(c, 1), *v = kernel_in(c, 2);
    const int64_t rows = tensor_dim(y, 0), n = rows ? y->num_elems / rows : 0;
    const size_t bytes = (size_t)n * dtype_size(y->dtype);
    bool ok = true;
    for (int64_t k = 0; ok && rows && k < ix->num_elems; k++) {
        int64_t r = tensor_i32(ix)[k] % rows;
        void *to = (char *)y->data + (size_t)(r < 0 ? r + rows : r) * bytes;
        const void *from = (const char *)v->data + (size_t)k * bytes;
        if (add)
            add(to, from, n);
        else
            ok = elems_copy(y->dtype, to, from, n);
    }
    return ok;
}

static bool run(struct kctx *c, value_add_fn add, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    if (!check(c, st))
        return false;
    bool managed = dtype_is_managed(x->dtype);
    struct tensor *y =
        managed ? kernel_out(c, 0, &x->shape, st) : kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!y)
        return false;
    return ((y->data == x->data || elems_copy(x->dtype, y->data, x->data, x->num_elems)) &&
            change_rows(c, y, add)) ||
           status_exhausted(st, "no memory to copy strings");
}

static bool update_run(struct kctx *c, struct status *st)
{
    return run(c, NULL, st);
}

static bool is_number(int type)
{
    return type != DT_BOOL && type != DT_UINT32 && type != DT_UINT64 && !dtype_is_managed(type);
}

static bool add_run(struct kctx *c, struct status *st)
{
    const int type = kernel_in(c, 0)->dtype;
    value_add_fn add = is_number(type) ? value_add_of(type) : NULL;
    return add ? run(c, add, st)
               : status_invalid(st, "Unsupported data type: %s", dtype_name(type));
}

static bool sub_run(struct kctx *c, struct status *st)
{
    const int type = kernel_in(c, 0)->dtype;
    value_add_fn sub = is_number(type) ? value_sub_of(type) : NULL;
    return sub ? run(c, sub, st)
               : status_invalid(st, "Unsupported data type: %s", dtype_name(type));
}

OP_DEF(inplace_update) = {
    .name = "InplaceUpdate",
    .summary = "A tensor with some of its rows replaced.",
    .inputs = {"x: T", "i: int32", "v: T"},
    .outputs = {"y: T"},
    .attrs = {"T: type"},
    .shape = infer_unchanged,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(inplace_update_cpu) = {.op = "InplaceUpdate", .device = "CPU", .run = update_run};

#define INPLACE_OP(id, op_name, text, run_fn)                                                      \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"x: T", "i: int32", "v: T"},                                                    \
        .outputs = {"y: T"},                                                                       \
        .attrs = {"T: type"},                                                                      \
        .shape = infer_unchanged,                                                                  \
        .no_grad = "undefined: TensorFlow registers none",                                         \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = run_fn}
INPLACE_OP(inplace_add, "InplaceAdd", "A tensor with others added to some of its rows.", add_run);
INPLACE_OP(inplace_sub, "InplaceSub", "A tensor with others taken off some of its rows.", sub_run);
