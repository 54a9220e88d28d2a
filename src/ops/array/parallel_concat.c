/* SPDX-License-Identifier: Apache-2.0 */
/* ParallelConcat: tensors of one row each, one behind the other, in a tensor whose shape is said
 * beforehand; rows that no tensor is for are zeros. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/array/text.h"
#include "ops/array/value.h"

static bool concat_run(struct kctx *c, struct status *st)
{
    const struct shape *shape;
    const int n = kernel_num_inputs(c);
    if (!attrs_get_shape(kernel_attrs(c), "shape", &shape, st))
        return false;
    if (shape->rank < 1 || !shape_known(shape))
        return status_invalid(st, "shape attr must be fully defined.");
    struct tensor *out = kernel_out(c, 0, shape, st);
    if (!out)
        return false;
    const int64_t rows = tensor_dim(out, 0), row = rows ? out->num_elems / rows : 0;
    if (rows < n)
        return status_invalid(st, "ParallelConcat: %d values for %lld rows", n, (long long)rows);
    if (rows > n)
        value_zero(c, out);
    const size_t bytes = (size_t)row * dtype_size(out->dtype);
    for (int i = 0; i < n; i++) {
        const struct tensor *x = kernel_in(c, i);
        if (tensor_rank(x) != tensor_rank(out) || tensor_dim(x, 0) != 1 || x->num_elems != row)
            return array_fail_shapes(st, "ParallelConcat: a value is ", &x->shape,
                                     ", which is no row of ", &out->shape, "");
        if (!elems_copy(out->dtype, (char *)out->data + (size_t)i * bytes, x->data, row))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool concat_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *whole;
    if (!attrs_get_shape(infer_attrs(c), "shape", &whole, st))
        return false;
    if (whole->rank < 1 || !shape_known(whole))
        return status_invalid(st, "shape attr must be fully defined.");
    const struct shape *row = infer_with_dim(c, infer_copy(c, whole), 0, 1), *merged;
    for (int i = 0; i < infer_num_inputs(c); i++) {
        const struct shape *s = infer_input(c, i);
        if (s->rank < 0 || !shape_known(s))
            return status_invalid(st, "All input shapes must be fully defined.");
        if (s->rank > 0 && shape_dim(s, 0) != 1)
            return status_invalid(st, "Size of first dimension must be 1.");
        if (!infer_merge(c, s, row, &merged, st))
            return false;
    }
    infer_set(c, 0, whole);
    return true;
}

OP_DEF(parallel_concat) = {
    .name = "ParallelConcat",
    .summary = "Tensors of one row each, joined along the first dimension.",
    .inputs = {"values: N * T"},
    .outputs = {"output: T"},
    .attrs = {"N: int >= 1", "T: type", "shape: shape"},
    .shape = concat_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(parallel_concat_cpu) = {
    .op = "ParallelConcat",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string}"},
    .run = concat_run};
