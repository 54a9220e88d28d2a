/* SPDX-License-Identifier: Apache-2.0 */
/* SparseToDense: a tensor of the default value with values put where index tuples say. */
#include "ops/gather/gather.h"

static bool dense_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out;
    if (!infer_const_shape(c, 1, &out, st))
        return false;
    infer_set(c, 0, out);
    return true;
}

/* Integers get none; the values what dy holds in their places, the default the rest. */
static bool dense_grad(struct grad_ctx *g, struct status *st)
{
    struct output indices = grad_in(g, 0), dy = grad_dy(g, 0);
    struct output values = grad_op2(g, "GatherNd", dy, indices);
    struct output axes = grad_op3(g, "range=Range", grad_const_i32(g, 0), grad_op1(g, "Rank", dy),
                                  grad_const_i32(g, 1));
    struct output all = grad_op2(g, "Sum", dy, axes);
    struct output value_axes = grad_op3(g, "range=Range", grad_const_i32(g, 0),
                                        grad_op1(g, "Rank", values), grad_const_i32(g, 1));
    grad_set(g, 2, values);
    grad_set(g, 3, grad_sub(g, all, grad_op2(g, "Sum", values, value_axes)));
    return grad_done(g, st);
}

/* What the inputs say, checked: num tuples of depth indices each. */
static bool check_inputs(const struct kctx *c, int64_t *num, int64_t *depth, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *dims = kernel_in(c, 1), *values = kernel_in(c, 2);
    int rank = tensor_rank(ix);
    if (rank > 2)
        return gather_fail_shapes(
            st, "sparse_indices should be a scalar, vector, or matrix, got shape ", &ix->shape, "",
            NULL, "");
    *num = rank > 0 ? tensor_dim(ix, 0) : 1;
    *depth = rank > 1 ? tensor_dim(ix, 1) : 1;
    if (tensor_rank(dims) != 1)
        return gather_fail_shapes(st, "output_shape should be a vector, got shape ", &dims->shape,
                                  "", NULL, "");
    if (dims->num_elems != *depth)
        return status_invalid(st,
                              "output_shape has incorrect number of elements: %lld should be: %lld",
                              (long long)dims->num_elems, (long long)*depth);
    bool fits = tensor_rank(values) == 0 || (tensor_rank(values) == 1 && values->num_elems == *num);
    if (!fits) {
        gather_fail_shapes(st, "sparse_values has incorrect shape ", &values->shape,
                           ", should be [] or [", NULL, "");
        status_append(st, "%lld]", (long long)*num);
        return false;
    }
    if (tensor_rank(kernel_in(c, 3)) != 0)
        return status_invalid(st, "default_value should be a scalar.");
    return true;
}

static void print_tuple(struct strbuf *text, const struct tensor *ix, int64_t i, int64_t depth)
{
    strbuf_printf(text, "indices[%lld] = [", (long long)i);
    for (int64_t k = 0; k < depth; k++)
        strbuf_printf(text, "%s%lld", k ? "," : "", (long long)tensor_index(ix, i * depth + k));
    strbuf_puts(text, "]");
}

/* The row of tuple i, or -1. */
static int64_t place_of(const struct tensor *ix, const struct shape *s, int64_t i, int depth)
{
    int64_t at = 0;
    for (int k = 0; k < depth; k++) {
        int64_t v = tensor_index(ix, i * depth + k), d = shape_dim(s, k);
        if (v < 0 || v >= d)
            return -1;
        at = at * d + v;
    }
    return at;
}

static bool fail_place(struct status *st, const struct tensor *ix, const struct shape *s, int64_t i,
                       int64_t at, int64_t before)
{
    struct strbuf text = {0};
    print_tuple(&text, ix, i, s->rank);
    if (at < 0) {
        strbuf_puts(&text, " is out of bounds: need 0 <= index < ");
        shape_print(s, &text);
    } else if (at == before) {
        strbuf_puts(&text, " is repeated");
    } else {
        strbuf_puts(&text, " is out of order. Many sparse ops require sorted indices.\n    Use "
                           "`tf.sparse.reorder` to create a correctly ordered copy.\n\n");
    }
    status_invalid(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* Fills out with the default, then puts the values; one pass, each index read once. */
static bool put_values(struct kctx *c, struct tensor *out, int64_t num, struct status *st)
{
    const struct tensor *ix = kernel_in(c, 0), *values = kernel_in(c, 2);
    const char *fallback = kernel_in(c, 3)->data;
    bool validate = attrs_bool(kernel_attrs(c), "validate_indices");
    int64_t item = (int64_t)dtype_size(out->dtype), before = -1;
    char *y = out->data;
    for (int64_t i = 0; i < out->num_elems; i++) {
        if (!elems_copy(out->dtype, y + i * item, fallback, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    for (int64_t i = 0; i < num; i++) {
        int64_t at = place_of(ix, &out->shape, i, tensor_rank(out));
        if (validate && (at < 0 || at <= before))
            return fail_place(st, ix, &out->shape, i, at, before);
        if (at < 0)
            return gather_fail_shapes(
                st, "Indices are not valid (out of bounds).  Shape: ", &out->shape, "", NULL, "");
        before = at;
        const char *from = (const char *)values->data + (tensor_rank(values) == 0 ? 0 : i) * item;
        if (!elems_copy(out->dtype, y + at * item, from, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool dense_run(struct kctx *c, struct status *st)
{
    int64_t num = 0, depth = 0, n;
    struct shape shape;
    if (!check_inputs(c, &num, &depth, st) || !kernel_shape_from(kernel_in(c, 1), &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &n, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    return out && put_values(c, out, num, st);
}

OP_DEF(sparse_to_dense) = {
    .name = "SparseToDense",
    .summary = "A tensor of the default value with values put where index tuples say.",
    .inputs = {"sparse_indices: Tindices", "output_shape: Tindices", "sparse_values: T",
               "default_value: T"},
    .outputs = {"dense: T"},
    .attrs = {"validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"},
    .shape = dense_shape,
    .grad = dense_grad,
};
KERNEL_DEF(sparse_to_dense_cpu) = {
    .op = "SparseToDense",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, bool, "
              "string}"},
    .run = dense_run,
};
