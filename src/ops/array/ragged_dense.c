/* SPDX-License-Identifier: Apache-2.0 */
/* RaggedTensorToTensor: a ragged tensor, cut by splits or by the row that each value is in, as a
 * dense one; what is missing is a default, what does not fit is left out.
 *
 * Each level maps its rows to places in the result, counted in values of the innermost level: -1
 * for those that are left out. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"

enum part { FIRST_DIM_SIZE, VALUE_ROWIDS, ROW_SPLITS };

static bool part_of(struct str name, enum part *out, struct status *st)
{
    if (str_is(name, "FIRST_DIM_SIZE"))
        *out = FIRST_DIM_SIZE;
    else if (str_is(name, "VALUE_ROWIDS"))
        *out = VALUE_ROWIDS;
    else if (str_is(name, "ROW_SPLITS"))
        *out = ROW_SPLITS;
    else
        return status_invalid(st, "Unknown string for partition info type: %.*s", (int)name.n,
                              name.p ? name.p : "");
    return true;
}

/* The parts as the attribute names them; how many dims they cut. */
static bool parts_of(const struct attrs *attrs, int num, enum part *parts, int *ragged,
                     struct status *st)
{
    const struct attr_value *names = attrs_find(attrs, "row_partition_types");
    if (!names || !names->is_list || names->kind != ATTR_STRING || names->n != num)
        return status_invalid(st, "there are %d row partitions, but other types of them", num);
    if (num > SHAPE_MAX_RANK)
        return status_invalid(st, "too many row partitions: %d", num);
    *ragged = 0;
    for (int i = 0; i < num; i++) {
        if (!part_of(names->ss[i], &parts[i], st))
            return false;
        if (parts[i] == FIRST_DIM_SIZE && i > 0)
            return status_invalid(st, "FIRST_DIM_SIZE must be first.");
        if (parts[i] == VALUE_ROWIDS && i == 0)
            return status_invalid(st, "VALUE_ROWIDS cannot be first");
        *ragged += parts[i] != FIRST_DIM_SIZE;
    }
    return *ragged > 0 || status_invalid(st, "there are no row partitions but FIRST_DIM_SIZE");
}

/* --- sizes --- */

struct dense {
    enum part parts[SHAPE_MAX_RANK];
    const struct tensor *cuts[SHAPE_MAX_RANK]; /* those of the ragged dims, outermost first */
    enum part kinds[SHAPE_MAX_RANK];
    int ragged, rank; /* dims that are cut; all of the result's */
    int64_t dims[SHAPE_MAX_RANK];
    int64_t first; /* rows that there are */
    int64_t inner; /* elements of a value */
};

static int64_t widest(const struct tensor *t, enum part kind)
{
    int64_t most = 0, run = 0;
    for (int64_t i = 0; kind == ROW_SPLITS && i + 1 < t->num_elems; i++)
        most = max_i64(most, tensor_index(t, i + 1) - tensor_index(t, i));
    for (int64_t i = 0; kind == VALUE_ROWIDS && i < t->num_elems; i++) {
        run = i > 0 && tensor_index(t, i) == tensor_index(t, i - 1) ? run + 1 : 1;
        most = max_i64(most, run);
    }
    return most;
}

/* Splits and rows of values rise, and are not negative; a scalar is a size. */
static bool check_cut(const struct tensor *t, enum part kind, struct status *st)
{
    if (tensor_rank(t) != (kind == FIRST_DIM_SIZE ? 0 : 1))
        return status_invalid(st, "a row partition of rank %d", tensor_rank(t));
    if (kind == ROW_SPLITS && t->num_elems == 0)
        return status_invalid(st, "Dimension -1 must be >= 0");
    for (int64_t i = 0; i < t->num_elems; i++) {
        if (tensor_index(t, i) < (i > 0 ? tensor_index(t, i - 1) : 0))
            return status_invalid(st, "row partitions must not fall or be negative");
    }
    return true;
}

/* What the input says of the dims; those that it leaves open have the size that there is. */
static bool take_shape(const struct kctx *c, struct dense *d, struct status *st)
{
    const struct tensor *shape = kernel_in(c, 0), *values = kernel_in(c, 1);
    const bool open = tensor_rank(shape) == 0;
    if (open ? tensor_index(shape, 0) != -1 : tensor_rank(shape) != 1)
        return status_invalid(st, "shape must be a vector, or -1 where nothing is known");
    if (!open && shape->num_elems != d->rank)
        return status_invalid(st, "the shape has %lld dims, the tensor %d",
                              (long long)shape->num_elems, d->rank);
    for (int i = 0; i < d->rank; i++) {
        const int64_t told = open ? -1 : tensor_index(shape, i);
        const int64_t own = i == 0           ? d->first
                            : i <= d->ragged ? widest(d->cuts[i - 1], d->kinds[i - 1])
                                             : tensor_dim(values, i - d->ragged);
        if (told < -1)
            return status_invalid(st, "Dimension %lld must be >= -1", (long long)told);
        if (i > d->ragged && told >= 0 && told != own)
            return status_invalid(st, "Value and shape dimension are inconsistent.");
        d->dims[i] = told >= 0 ? told : own;
    }
    return true;
}

static bool plan(const struct kctx *c, struct dense *d, struct status *st)
{
    const int num = kernel_num_inputs(c) - 3;
    const struct tensor *values = kernel_in(c, 1);
    *d = (struct dense){.inner = 1};
    if (!parts_of(kernel_attrs(c), num, d->parts, &d->ragged, st))
        return false;
    if (tensor_rank(values) < 1)
        return status_invalid(st, "values must be at least a vector");
    d->rank = d->ragged + tensor_rank(values);
    if (d->rank > SHAPE_MAX_RANK)
        return status_invalid(st, "too many dimensions: %d", d->rank);
    for (int i = 0, k = 0; i < num; i++) {
        const struct tensor *t = kernel_in(c, 3 + i);
        if (!check_cut(t, d->parts[i], st))
            return false;
        if (i == 0)
            d->first = d->parts[0] == ROW_SPLITS ? t->num_elems - 1 : tensor_index(t, 0);
        if (d->parts[i] != FIRST_DIM_SIZE) {
            d->kinds[k] = d->parts[i];
            d->cuts[k++] = t;
        }
    }
    for (int i = 1; i < tensor_rank(values); i++)
        d->inner *= tensor_dim(values, i);
    return take_shape(c, d, st);
}

/* --- places --- */

struct rows {
    int64_t *at;
    int64_t n;
};

static int64_t stride_of(const struct dense *d, int level)
{
    int64_t stride = 1;
    for (int i = level + 1; i <= d->ragged; i++)
        stride *= d->dims[i];
    return stride;
}

/* Rows of the first dim; only as many as the next level speaks of need room. */
static bool first_rows(struct kctx *c, const struct dense *d, struct rows *r, struct status *st)
{
    const struct tensor *t = d->cuts[0];
    r->n = d->first;
    if (d->kinds[0] == VALUE_ROWIDS)
        r->n = min_i64(r->n, t->num_elems > 0 ? tensor_index(t, t->num_elems - 1) + 1 : 0);
    else if (r->n != t->num_elems - 1)
        return status_invalid(st, "%lld rows, but splits of %lld", (long long)r->n,
                              (long long)t->num_elems - 1);
    if (d->kinds[0] == VALUE_ROWIDS && r->n > t->num_elems && r->n > (1 << 28))
        return status_invalid(st, "%lld rows of %lld values", (long long)r->n,
                              (long long)t->num_elems);
    r->at = kernel_scratch(c, r->n * (int64_t)sizeof *r->at + 1, st);
    const int64_t stride = stride_of(d, 0);
    for (int64_t i = 0; r->at && i < r->n; i++)
        r->at[i] = i < d->dims[0] ? i * stride : -1;
    return r->at != NULL;
}

static int64_t column(int64_t row, int64_t k, int64_t width, int64_t stride)
{
    return row >= 0 && k < width ? row + k * stride : -1;
}

static bool next_rows(struct kctx *c, const struct dense *d, int level, struct rows *r,
                      struct status *st)
{
    const struct tensor *t = d->cuts[level];
    const int64_t width = d->dims[level + 1], stride = stride_of(d, level + 1);
    const bool splits = d->kinds[level] == ROW_SPLITS;
    struct rows next = {.n = splits ? tensor_index(t, t->num_elems - 1) : t->num_elems};
    if (splits && (t->num_elems - 1 != r->n || tensor_index(t, 0) != 0))
        return status_invalid(st, "%lld rows at level %d, but splits of %lld from %lld on",
                              (long long)r->n, level, (long long)t->num_elems - 1,
                              (long long)tensor_index(t, 0));
    /* what comes next says how many there are, too: nobody gets room for more */
    const int64_t there =
        level + 1 < d->ragged ? d->cuts[level + 1]->num_elems : tensor_dim(kernel_in(c, 1), 0);
    if (level + 1 == d->ragged ? next.n != there
                               : d->kinds[level + 1] == ROW_SPLITS && next.n != there - 1)
        return status_fail(st, STATUS_INTERNAL, "Values and indices must be equal");
    if (next.n > (1 << 28) && next.n > there)
        return status_invalid(st, "%lld rows of %lld values", (long long)next.n, (long long)there);
    next.at = kernel_scratch(c, next.n * (int64_t)sizeof *next.at + 1, st);
    if (!next.at)
        return false;
    for (int64_t i = 0; splits && i < r->n; i++) {
        const int64_t from = tensor_index(t, i), to = tensor_index(t, i + 1);
        for (int64_t k = from; k < to; k++)
            next.at[k] = column(r->at[i], k - from, width, stride);
    }
    for (int64_t i = 0, k = 0; !splits && i < t->num_elems; i++) {
        const int64_t row = tensor_index(t, i);
        k = i > 0 && row == tensor_index(t, i - 1) ? k + 1 : 0;
        if (row >= r->n)
            return status_invalid(st, "a value is in row %lld of %lld", (long long)row,
                                  (long long)r->n);
        next.at[i] = column(r->at[row], k, width, stride);
    }
    *r = next;
    return true;
}

/* --- the result --- */

/* The default, spread to the shape of a value. */
static bool spread_default(struct kctx *c, const struct dense *d, char *to, struct status *st)
{
    const struct tensor *v = kernel_in(c, 2);
    const int inner = d->rank - d->ragged - 1, lead = inner - tensor_rank(v);
    const size_t item = dtype_size(v->dtype);
    for (int i = 0; i < tensor_rank(v); i++) {
        if (lead < 0 ||
            (tensor_dim(v, i) != 1 && tensor_dim(v, i) != d->dims[d->ragged + 1 + lead + i]))
            return status_invalid(st, "default_value does not broadcast to the shape of a value");
    }
    for (int64_t k = 0; k < d->inner; k++) {
        int64_t rest = k, from = 0, step = 1;
        for (int i = tensor_rank(v) - 1; i >= 0; i--) {
            const int64_t dim = d->dims[d->ragged + 1 + lead + i];
            from += tensor_dim(v, i) == 1 ? 0 : rest % dim * step;
            step *= tensor_dim(v, i);
            rest /= dim;
        }
        if (!elems_copy(v->dtype, to + (size_t)k * item,
                        (const char *)v->data + (size_t)from * item, 1))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool write_rows(struct kctx *c, const struct dense *d, const struct rows *r,
                       struct tensor *y, struct status *st)
{
    const struct tensor *values = kernel_in(c, 1);
    const size_t item = dtype_size(y->dtype) * (size_t)d->inner;
    const int64_t places = d->inner > 0 ? y->num_elems / d->inner : 0;
    bool *set = kernel_scratch(c, places + 1, st);
    const char *fill = NULL;
    if (!set)
        return false;
    memset(set, 0, (size_t)places);
    for (int64_t i = 0; places > 0 && i < r->n; i++) {
        if (r->at[i] < 0 || set[r->at[i]])
            continue;
        set[r->at[i]] = true;
        if (!elems_copy(y->dtype, (char *)y->data + (size_t)r->at[i] * item,
                        (const char *)values->data + (size_t)i * item, d->inner))
            return status_exhausted(st, "no memory to copy strings");
    }
    for (int64_t i = 0; i < places; i++) {
        char *to = (char *)y->data + (size_t)i * item;
        if (set[i])
            continue;
        if (!fill ? !spread_default(c, d, to, st) : !elems_copy(y->dtype, to, fill, d->inner))
            return !fill ? false : status_exhausted(st, "no memory to copy strings");
        fill = to;
    }
    return true;
}

static bool to_tensor_run(struct kctx *c, struct status *st)
{
    struct dense d;
    struct rows r = {0};
    if (!plan(c, &d, st))
        return false;
    struct shape s = shape_make(d.dims, d.rank);
    struct tensor *y = kernel_out(c, 0, &s, st);
    shape_clear(&s);
    if (!y || (y->num_elems > 0 && !first_rows(c, &d, &r, st)))
        return false;
    for (int l = 0; y->num_elems > 0 && l < d.ragged; l++) {
        if (!next_rows(c, &d, l, &r, st))
            return false;
    }
    return y->num_elems == 0 || write_rows(c, &d, &r, y, st);
}

static bool to_tensor_shape(struct infer_ctx *c, struct status *st)
{
    enum part parts[SHAPE_MAX_RANK];
    int ragged;
    const struct shape *told, *values, *own;
    if (!parts_of(infer_attrs(c), infer_num_inputs(c) - 3, parts, &ragged, st) ||
        !infer_want_rank_min(c, infer_input(c, 1), 1, &values, st))
        return false;
    const struct shape *given = infer_input(c, 0);
    told = infer_unknown(c);
    if (given->rank == 1 && !infer_const_shape(c, 0, &told, st))
        return false;
    if (values->rank == RANK_UNKNOWN) {
        infer_set(c, 0, told);
        return true;
    }
    int64_t open[SHAPE_MAX_RANK];
    if (ragged + values->rank > SHAPE_MAX_RANK)
        return true; /* the kernel says so */
    for (int i = 0; i < ragged + values->rank; i++)
        open[i] = i <= ragged ? DIM_UNKNOWN : infer_dim(values, i - ragged);
    own = infer_make(c, open, ragged + values->rank);
    if (!infer_merge(c, own, told, &own, st))
        return false;
    infer_set(c, 0, own);
    return true;
}

OP_DEF(ragged_tensor_to_tensor) = {
    .name = "RaggedTensorToTensor",
    .summary = "A ragged tensor as a dense one, filled up with a default.",
    .inputs = {"shape: Tshape", "values: T", "default_value: T",
               "row_partition_tensors: num_row_partition_tensors * Tindex"},
    .outputs = {"result: T"},
    .attrs = {"T: type", "Tindex: {int64, int32}", "Tshape: {int64, int32}",
              "num_row_partition_tensors: int >= 1", "row_partition_types: list(string)"},
    .shape = to_tensor_shape,
    .no_grad = "undefined: as in TensorFlow",
};
KERNEL_DEF(ragged_tensor_to_tensor_cpu) = {
    .op = "RaggedTensorToTensor",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
              "int64, uint64, complex64, complex128, bool, string, qint16, qint32, qint8, quint16, "
              "quint8}",
              "Tindex: {int32, int64}"},
    .run = to_tensor_run,
};
