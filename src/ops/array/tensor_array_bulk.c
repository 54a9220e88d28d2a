/* SPDX-License-Identifier: Apache-2.0 */
/* TensorArrayGather, TensorArrayScatter, TensorArrayConcat, TensorArraySplit in three forms each,
 * and TensorArrayPack, TensorArrayUnpack: many values of a tensor array at once. Scatter, Split and
 * Unpack share the rows of what they are given; Gather, Concat and Pack copy each value once. */
#include <limits.h>

#include "ops/array/tensor_array_use.h"

#define PLAIN                                                                                      \
    "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "         \
    "complex128, bool, string, qint32, qint8, quint8"

/* --- joining --- */

/* Words of TF's two errors about values that do not fit together. */
static bool fail_uneven(int64_t i, const struct shape *first, const struct shape *other,
                        const char *except, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(first, &a);
    shape_print(other, &b);
    status_invalid(st,
                   "TensorArray has inconsistent shapes.  Index 0 has %sshape: %s but index %lld "
                   "has %sshape: %s",
                   except, strbuf_text(&a), (long long)i, except, strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool fail_partial(const char *what, const char *how, const struct shape *s,
                         struct status *st)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_fail(st, STATUS_UNIMPLEMENTED,
                "TensorArray has size zero, but %s %s is not fully defined. Only static shapes are "
                "supported when %s zero-size TensorArrays.",
                what, strbuf_text(&text), how);
    strbuf_release(&text);
    return false;
}

/* dim, then s. */
static bool with_rows(int64_t dim, const struct shape *s, struct shape *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    if (s->rank + 1 > SHAPE_MAX_RANK)
        return status_invalid(st, "too many dimensions: %d", s->rank + 1);
    dims[0] = dim;
    for (int i = 0; i < s->rank; i++)
        dims[i + 1] = shape_dim(s, i);
    *out = shape_make(dims, s->rank + 1);
    return true;
}

/* An output of no rows. */
static bool put_empty(struct kctx *c, const struct shape *row, struct status *st)
{
    struct shape s;
    if (!with_rows(0, row, &s, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &s, st);
    shape_clear(&s);
    return out != NULL;
}

/* Output 0: n values one after another, under this shape. */
static bool put_joined(struct kctx *c, const struct tensor *values, int64_t n,
                       const struct shape *shape, struct status *st)
{
    int64_t elems;
    struct tensor *out = shape_num_elems(shape, &elems, st) ? kernel_out(c, 0, shape, st) : NULL;
    if (!out)
        return false;
    char *to = out->data;
    for (int64_t i = 0; i < n; i++) {
        if (!elems_copy(out->dtype, to, values[i].data, values[i].num_elems))
            return status_exhausted(st, "no memory to copy strings");
        to += tensor_bytes(&values[i]);
    }
    return true;
}

/* Reads n values, numbered by indices (NULL: in order); the caller clears those it got. */
static bool read_all(struct kctx *c, struct tensor_array *a, const int32_t *indices, int64_t n,
                     struct tensor **values, struct status *st)
{
    *values = kernel_scratch(c, n * (int64_t)sizeof(struct tensor), st);
    if (!*values)
        return false;
    for (int64_t i = 0; i < n; i++)
        (*values)[i] = (struct tensor){0};
    for (int64_t i = 0; i < n; i++) {
        if (!tensor_array_read(a, indices ? indices[i] : i, &(*values)[i], st))
            return false;
    }
    return true;
}

static void clear_all(struct tensor *values, int64_t n)
{
    for (int64_t i = 0; values && i < n; i++)
        tensor_clear(&values[i]);
}

/* --- Gather --- */

static bool gather_values(struct kctx *c, const struct tensor *values, int64_t n, struct status *st)
{
    struct shape shape;
    for (int64_t i = 1; i < n; i++) {
        if (!shape_equal(&values[0].shape, &values[i].shape))
            return fail_uneven(i, &values[0].shape, &values[i].shape, "", st);
    }
    if (!with_rows(n, &values[0].shape, &shape, st))
        return false;
    bool ok = put_joined(c, values, n, &shape, st);
    shape_clear(&shape);
    return ok;
}

/* Values numbered by indices, a vector; NULL: all. */
static bool gather_at(struct kctx *c, const struct tensor *indices, struct status *st)
{
    const struct shape *row;
    if (!attrs_get_shape(kernel_attrs(c), "element_shape", &row, st))
        return false;
    struct tensor_array *a = tensor_array_take(c, kernel_output_type(c, 0), "requested", st);
    if (!a)
        return false;
    int64_t n = indices ? indices->num_elems : a->num;
    struct tensor *values = NULL;
    bool ok = n > 0 || shape_known(row) || fail_partial("element shape", "packing", row, st);
    ok = ok && read_all(c, a, indices ? tensor_i32(indices) : NULL, n, &values, st);
    tensor_array_drop(a);
    ok = ok && (n == 0 ? put_empty(c, row, st) : gather_values(c, values, n, st));
    clear_all(values, n);
    return ok;
}

static bool gather_run(struct kctx *c, struct status *st)
{
    const struct tensor *indices = kernel_in(c, 1);
    if (tensor_rank(indices) != 1)
        return status_invalid(st, "Expected indices to be a vector, but received rank %d",
                              tensor_rank(indices));
    return gather_at(c, indices, st);
}

static bool gather_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *ix, *element;
    if (!tensor_array_infer_use(c, &element, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &ix, st))
        return false;
    if (element)
        infer_set(c, 0, infer_concat(c, infer_vector(c, infer_dim(ix, 0)), element));
    return true;
}

static bool gather_grad(struct grad_ctx *g, struct status *st)
{
    struct tensor_array_side side = tensor_array_side(g, grad_in(g, 2));
    struct output in[] = {side.handle, grad_in(g, 1), grad_dy(g, 0), side.flow};
    grad_set(g, 2, tensor_array_opv(g, "Scatter", 4, in, 0, NULL));
    return grad_done(g, st);
}

#define TENSOR_ARRAY_GATHER_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                   \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayGather" VERSION,                                                       \
        .summary = "Values of a tensor array, by their numbers, as rows of one tensor.",           \
        .inputs = {"handle: " HANDLE, "indices: int32", "flow_in: float"},                         \
        .outputs = {"value: dtype"},                                                               \
        .attrs = {"dtype: type", "element_shape: shape = <unknown>"},                              \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayGatherV3" : NULL,                                   \
        .shape = gather_shape,                                                                     \
        .grad = gather_grad,                                                                       \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayGather" VERSION,                                     \
                            .device = "CPU",                                                       \
                            .types = {"dtype: {" PLAIN ", variant}"},                              \
                            .run = gather_run}

TENSOR_ARRAY_GATHER_FORM(tensor_array_gather, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_GATHER_FORM(tensor_array_gather_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_GATHER_FORM(tensor_array_gather_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);

static bool pack_run(struct kctx *c, struct status *st)
{
    return gather_at(c, NULL, st);
}

OP_DEF(tensor_array_pack) = {
    .name = "TensorArrayPack",
    .summary = "All values of a tensor array as rows of one tensor.",
    .inputs = {"handle: " TENSOR_ARRAY_REF, "flow_in: float"},
    .outputs = {"value: dtype"},
    .attrs = {"dtype: type", "element_shape: shape = <unknown>"},
    .deprecated_at = 16,
    .deprecated_why = "Use TensorArrayGatherV3 with RangeOp",
    .shape = infer_unknown_outputs,
    .no_grad = "undefined: no gradient is registered for it",
};
KERNEL_DEF(tensor_array_pack_cpu) = {.op = "TensorArrayPack",
                                     .device = "CPU",
                                     .types = {"dtype: {" PLAIN ", variant}"},
                                     .run = pack_run};

/* --- Concat --- */

static bool concat_values(struct kctx *c, const struct tensor *values, int64_t n, int64_t *lengths,
                          struct status *st)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < n; i++) {
        if (tensor_rank(&values[i]) == 0)
            return status_invalid(
                st, "Concat saw a scalar shape at index %lld but requires at least vectors.",
                (long long)i);
        struct shape row = tensor_rank(&values[i]) == tensor_rank(&values[0])
                               ? shape_copy(&values[i].shape)
                               : shape_unknown();
        bool same = row.rank != RANK_UNKNOWN;
        for (int d = 1; same && d < row.rank; d++)
            same = shape_dim(&row, d) == tensor_dim(&values[0], d);
        shape_clear(&row);
        if (!same) {
            struct shape first =
                shape_make(shape_dims(&values[0].shape) + 1, tensor_rank(&values[0]) - 1);
            struct shape other =
                shape_make(shape_dims(&values[i].shape) + 1, tensor_rank(&values[i]) - 1);
            fail_uneven(i, &first, &other, "(excepting dimension 0) ", st);
            shape_clear(&first);
            shape_clear(&other);
            return false;
        }
        lengths[i] = tensor_dim(&values[i], 0);
        if (__builtin_add_overflow(rows, lengths[i], &rows))
            return status_invalid(st, "too many rows");
    }
    struct shape row = shape_make(shape_dims(&values[0].shape) + 1, tensor_rank(&values[0]) - 1);
    struct shape shape;
    bool ok = with_rows(rows, &row, &shape, st);
    shape_clear(&row);
    if (!ok)
        return false;
    ok = put_joined(c, values, n, &shape, st);
    shape_clear(&shape);
    return ok;
}

static bool concat_run(struct kctx *c, struct status *st)
{
    const struct shape *row;
    struct tensor *values = NULL;
    if (!attrs_get_shape(kernel_attrs(c), "element_shape_except0", &row, st))
        return false;
    struct tensor_array *a = tensor_array_take(c, kernel_output_type(c, 0), "requested", st);
    if (!a)
        return false;
    int64_t n = a->num;
    bool ok = read_all(c, a, NULL, n, &values, st);
    tensor_array_drop(a);
    struct shape s = shape_1(n);
    struct tensor *lengths = ok ? kernel_out(c, 1, &s, st) : NULL;
    ok = lengths != NULL;
    if (ok && n == 0)
        ok = shape_known(row) ? put_empty(c, row, st)
                              : fail_partial("element_shape_except0", "concatenating", row, st);
    else
        ok = ok && concat_values(c, values, n, tensor_i64(lengths), st);
    clear_all(values, n);
    return ok;
}

static bool concat_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *element;
    if (!tensor_array_infer_use(c, &element, st))
        return false;
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static bool concat_grad_v3(struct grad_ctx *g, struct status *st)
{
    struct tensor_array_side side = tensor_array_side(g, grad_in(g, 1));
    struct output in[] = {side.handle, grad_dy(g, 0), grad_out(g, 1), side.flow};
    grad_set(g, 1, tensor_array_opv(g, "Split", 4, in, 0, NULL));
    return grad_done(g, st);
}

#define TENSOR_ARRAY_CONCAT_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                   \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayConcat" VERSION,                                                       \
        .summary = "All values of a tensor array, joined along their first dimension.",            \
        .inputs = {"handle: " HANDLE, "flow_in: float"},                                           \
        .outputs = {"value: dtype", "lengths: int64"},                                             \
        .attrs = {"dtype: type", "element_shape_except0: shape = <unknown>"},                      \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayGradV3" : NULL,                                     \
        .shape = concat_shape,                                                                     \
        .grad = concat_grad_v3,                                                                    \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayConcat" VERSION,                                     \
                            .device = "CPU",                                                       \
                            .types = {"dtype: {" PLAIN "}"},                                       \
                            .run = concat_run}

TENSOR_ARRAY_CONCAT_FORM(tensor_array_concat, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_CONCAT_FORM(tensor_array_concat_v2, "V2", TENSOR_ARRAY_PAIR, 0, 0);
TENSOR_ARRAY_CONCAT_FORM(tensor_array_concat_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);

/* --- Scatter and Split: the rows are shared --- */

/* Rows [begin, begin + n) as one value; `drop` without the first dimension (n is 1). */
static bool write_rows(struct tensor_array *a, int64_t at, const struct tensor *value,
                       int64_t begin, int64_t n, bool drop, struct status *st)
{
    struct tensor rows = tensor_rows(value, begin, begin + n), item;
    bool ok;
    if (drop) {
        struct shape s = shape_make(shape_dims(&value->shape) + 1, tensor_rank(value) - 1);
        ok = tensor_reshaped(&rows, &s, &item, st);
        shape_clear(&s);
        tensor_clear(&rows);
    } else {
        item = rows;
        ok = true;
    }
    if (!ok)
        return false;
    ok = tensor_array_write(a, at, &item, st);
    tensor_clear(&item);
    return ok;
}

static bool fail_not_rows(const struct tensor *t, const char *words, struct status *st)
{
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool scatter_locked(struct tensor_array *a, const struct tensor *indices,
                           const struct tensor *value, struct status *st)
{
    int64_t n = indices->num_elems, last = -1;
    const int32_t *ix = tensor_i32(indices);
    for (int64_t i = 0; i < n; i++)
        last = ix[i] > last ? ix[i] : last;
    if (last >= a->num) {
        if (!a->dynamic)
            return status_invalid(st, "Max scatter index must be < array size (%lld vs. %lld)",
                                  (long long)last, (long long)a->num);
        if (!tensor_array_resize(a, last + 1, st))
            return false;
    }
    for (int64_t i = 0; i < n; i++) {
        if (!write_rows(a, ix[i], value, i, 1, true, st))
            return false;
    }
    return true;
}

static bool scatter_run(struct kctx *c, struct status *st)
{
    const struct tensor *indices = kernel_in(c, 1), *value = kernel_in(c, 2);
    if (tensor_rank(indices) != 1)
        return fail_not_rows(indices, "Expected indices to be a vector, but received shape: ", st);
    if (tensor_rank(value) < 1)
        return fail_not_rows(
            value, "Input value for unpack must be at least a vector but received shape: ", st);
    if (indices->num_elems != tensor_dim(value, 0))
        return status_invalid(st,
                              "Expected len(indices) == values.shape[0], but saw: %lld vs. %lld",
                              (long long)indices->num_elems, (long long)tensor_dim(value, 0));
    struct tensor_array *a = tensor_array_take(c, value->dtype, "is trying to write", st);
    if (!a)
        return false;
    bool ok = scatter_locked(a, indices, value, st);
    tensor_array_drop(a);
    if (ok)
        kernel_out_share(c, 0, kernel_in(c, 3));
    return ok;
}

static bool scatter_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *ix, *element, *value;
    int64_t rows;
    if (!tensor_array_infer_use(c, &element, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &ix, st) ||
        !infer_want_rank_min(c, infer_input(c, 2), 1, &value, st) ||
        !infer_merge_dim(infer_dim(ix, 0), infer_dim(value, 0), &rows, st))
        return false;
    if (element && !infer_merge(c, element, infer_slice(c, value, 1, SHAPE_MAX_RANK), &element, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

static bool scatter_grad(struct grad_ctx *g, struct status *st)
{
    struct output flow = grad_dy(g, 0);
    struct tensor_array_side side = tensor_array_side(g, flow);
    struct output in[] = {side.handle, grad_in(g, 1), side.flow};
    grad_set(g, 2,
             tensor_array_opv(
                 g, "Gather", 3, in, 1,
                 (struct attr[]){{(char *)"dtype", attr_type(grad_type_of(g, grad_in(g, 2)))}}));
    grad_set(g, 3, flow);
    return grad_done(g, st);
}

#define TENSOR_ARRAY_SCATTER_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                  \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayScatter" VERSION,                                                      \
        .summary = "Puts the rows of a tensor into a tensor array under the given numbers.",       \
        .inputs = {"handle: " HANDLE, "indices: int32", "value: T", "flow_in: float"},             \
        .outputs = {"flow_out: float"},                                                            \
        .attrs = {"T: type"},                                                                      \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = !AT        ? NULL                                                        \
                          : AT == 19 ? "Use TensorArrayGradV3"                                     \
                                     : "Use TensorArrayScatterV3",                                 \
        .shape = scatter_shape,                                                                    \
        .grad = scatter_grad,                                                                      \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayScatter" VERSION, .device = "CPU", .run = scatter_run}

TENSOR_ARRAY_SCATTER_FORM(tensor_array_scatter, "", TENSOR_ARRAY_REF, 19, 0);
TENSOR_ARRAY_SCATTER_FORM(tensor_array_scatter_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_SCATTER_FORM(tensor_array_scatter_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);

static bool unpack_locked(struct tensor_array *a, const struct tensor *value, struct status *st)
{
    int64_t n = tensor_dim(value, 0);
    if (n > a->num && a->dynamic && !tensor_array_resize(a, n, st))
        return false;
    if (n != a->num)
        return status_invalid(st,
                              "Input value must have first dimension equal to the array size (%lld "
                              "vs. %lld)",
                              (long long)n, (long long)a->num);
    for (int64_t i = 0; i < n; i++) {
        if (!write_rows(a, i, value, i, 1, true, st))
            return false;
    }
    return true;
}

static bool unpack_run(struct kctx *c, struct status *st)
{
    const struct tensor *value = kernel_in(c, 1);
    if (tensor_rank(value) < 1)
        return fail_not_rows(
            value, "Input value for unpack must be at least a vector but received shape: ", st);
    struct tensor_array *a = tensor_array_take(c, value->dtype, "is trying to write", st);
    if (!a)
        return false;
    bool ok = unpack_locked(a, value, st);
    tensor_array_drop(a);
    if (ok)
        kernel_out_share(c, 0, kernel_in(c, 2));
    return ok;
}

OP_DEF(tensor_array_unpack) = {
    .name = "TensorArrayUnpack",
    .summary = "Puts the rows of a tensor into a tensor array, in order.",
    .inputs = {"handle: " TENSOR_ARRAY_REF, "value: T", "flow_in: float"},
    .outputs = {"flow_out: float"},
    .attrs = {"T: type"},
    .deprecated_at = 20,
    .deprecated_why = "Use TensorArrayScatterV3 with RangeOp",
    .shape = infer_scalars,
    .no_grad = "undefined: no gradient is registered for it",
};
KERNEL_DEF(tensor_array_unpack_cpu) = {
    .op = "TensorArrayUnpack", .device = "CPU", .run = unpack_run};

/* The lengths, none negative, add up to value's rows. */
static bool check_lengths(const struct tensor *lengths, const struct tensor *value,
                          struct status *st)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < lengths->num_elems; i++) {
        int64_t n = tensor_i64(lengths)[i];
        if (n < 0 || __builtin_add_overflow(sum, n, &sum))
            return status_invalid(st, "lengths[%lld] = %lld is not a length", (long long)i,
                                  (long long)n);
    }
    if (sum == tensor_dim(value, 0))
        return true;
    struct strbuf text = {0};
    shape_print(&value->shape, &text);
    status_invalid(st,
                   "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                   "%lld and value's shape is: %s",
                   (long long)sum, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool split_locked(struct tensor_array *a, const struct tensor *value,
                         const struct tensor *lengths, struct status *st)
{
    int64_t n = lengths->num_elems, begin = 0;
    if (n > INT_MAX)
        return status_invalid(st, "Expected lengths to have < max int32 entries");
    if (n > a->num && a->dynamic && !tensor_array_resize(a, n, st))
        return false;
    if (n != a->num)
        return status_invalid(st,
                              "TensorArray's size is not equal to the size of lengths (%lld vs. "
                              "%lld), and the TensorArray is not marked as dynamically resizeable",
                              (long long)a->num, (long long)n);
    for (int64_t i = 0; i < n; i++) {
        int64_t rows = tensor_i64(lengths)[i];
        if (!write_rows(a, i, value, begin, rows, false, st))
            return false;
        begin += rows;
    }
    return true;
}

static bool split_run(struct kctx *c, struct status *st)
{
    const struct tensor *value = kernel_in(c, 1), *lengths = kernel_in(c, 2);
    if (tensor_rank(lengths) != 1)
        return fail_not_rows(lengths, "Expected lengths to be a vector, received shape: ", st);
    if (tensor_rank(value) < 1)
        return fail_not_rows(value,
                             "Expected value to be at least a vector, but received shape: ", st);
    if (!check_lengths(lengths, value, st))
        return false;
    struct tensor_array *a = tensor_array_take(c, value->dtype, "is trying to write", st);
    if (!a)
        return false;
    bool ok = split_locked(a, value, lengths, st);
    tensor_array_drop(a);
    if (ok)
        kernel_out_share(c, 0, kernel_in(c, 3));
    return ok;
}

static bool split_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *element;
    if (!tensor_array_infer_use(c, &element, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &s, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

static bool split_grad(struct grad_ctx *g, struct status *st)
{
    struct output flow = grad_dy(g, 0);
    struct tensor_array_side side = tensor_array_side(g, flow);
    struct output in[] = {side.handle, side.flow};
    grad_set(g, 1,
             tensor_array_opv(
                 g, "Concat", 2, in, 1,
                 (struct attr[]){{(char *)"dtype", attr_type(grad_type_of(g, grad_in(g, 1)))}}));
    grad_set(g, 3, flow);
    return grad_done(g, st);
}

#define TENSOR_ARRAY_SPLIT_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                    \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArraySplit" VERSION,                                                        \
        .summary = "Cuts a tensor's rows into pieces and puts them into a tensor array.",          \
        .inputs = {"handle: " HANDLE, "value: T", "lengths: int64", "flow_in: float"},             \
        .outputs = {"flow_out: float"},                                                            \
        .attrs = {"T: type"},                                                                      \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArraySplitV3" : NULL,                                    \
        .shape = split_shape,                                                                      \
        .grad = split_grad,                                                                        \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArraySplit" VERSION, .device = "CPU", .run = split_run}

TENSOR_ARRAY_SPLIT_FORM(tensor_array_split, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_SPLIT_FORM(tensor_array_split_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_SPLIT_FORM(tensor_array_split_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);
