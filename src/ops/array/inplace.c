/* SPDX-License-Identifier: Apache-2.0 */
/* InplaceUpdate: rows of a tensor replaced by others; row numbers wrap around. The input itself is
 * written where nobody else holds it. */
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

static bool update_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *ix = kernel_in(c, 1), *v = kernel_in(c, 2);
    if (!check(c, st))
        return false;
    bool managed = dtype_is_managed(x->dtype);
    struct tensor *y =
        managed ? kernel_out(c, 0, &x->shape, st) : kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!y)
        return false;
    bool ok = y->data == x->data || elems_copy(x->dtype, y->data, x->data, x->num_elems);
    int64_t rows = tensor_dim(x, 0), n = rows ? x->num_elems / rows : 0;
    size_t bytes = (size_t)n * dtype_size(x->dtype);
    for (int64_t k = 0; ok && rows && k < ix->num_elems; k++) {
        int64_t r = tensor_i32(ix)[k] % rows;
        r = r < 0 ? r + rows : r;
        ok = elems_copy(x->dtype, (char *)y->data + (size_t)r * bytes,
                        (const char *)v->data + (size_t)k * bytes, n);
    }
    return ok || status_exhausted(st, "no memory to copy strings");
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
