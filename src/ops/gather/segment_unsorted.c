/* SPDX-License-Identifier: Apache-2.0 */
/* UnsortedSegmentSum, Prod, Max, Min: rows combined by ids in any order; rows with negative ids
 * are dropped. Ids may have any rank: they name the leading dims of data. */
#include <float.h>
#include <string.h>

#include "ops/gather/gather.h"
#include "ops/gather/segment.h"

/* --- filling --- */

/* The element of a type, as bytes. */
static void element_of(int dtype, enum segment_value v, void *out)
{
    static const struct {
        int dtype;
        uint64_t one, lowest, highest;
    } table[] = {
        {DT_HALF, 0x3c00, 0xfbff, 0x7bff},
        {DT_BFLOAT16, 0x3f80, 0xff7f, 0x7f7f},
        {DT_FLOAT, 0x3f800000, 0xff7fffff, 0x7f7fffff},
        {DT_DOUBLE, 0x3ff0000000000000, 0xffefffffffffffff, 0x7fefffffffffffff},
        {DT_INT8, 1, 0x80, 0x7f},
        {DT_UINT8, 1, 0, 0xff},
        {DT_INT16, 1, 0x8000, 0x7fff},
        {DT_UINT16, 1, 0, 0xffff},
        {DT_INT32, 1, 0x80000000, 0x7fffffff},
        {DT_UINT32, 1, 0, 0xffffffff},
        {DT_INT64, 1, 0x8000000000000000, 0x7fffffffffffffff},
        {DT_UINT64, 1, 0, UINT64_MAX},
        {DT_COMPLEX64, 0x3f800000, 0, 0},
        {DT_COMPLEX128, 0x3ff0000000000000, 0, 0},
    };
    memset(out, 0, dtype_size(dtype));
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (table[i].dtype != dtype || v == SEGMENT_ZERO)
            continue;
        uint64_t bits = v == SEGMENT_ONE      ? table[i].one
                        : v == SEGMENT_LOWEST ? table[i].lowest
                                              : table[i].highest;
        switch (dtype_size(dtype)) {
        case 1:
            *(uint8_t *)out = (uint8_t)bits;
            break;
        case 2:
            *(uint16_t *)out = (uint16_t)bits;
            break;
        case 4:
            *(uint32_t *)out = (uint32_t)bits;
            break;
        default: /* of complex numbers the real part; complex64's fits in 8 bytes */
            memcpy(out, &bits, sizeof(bits));
        }
    }
}

void segment_fill(struct tensor *t, enum segment_value v)
{
    union {
        uint64_t align;
        char bytes[16];
    } item;
    size_t size = dtype_size(t->dtype), done, all = tensor_bytes(t);
    if (v == SEGMENT_ZERO || all == 0) {
        memset(t->data, 0, all);
        return;
    }
    element_of(t->dtype, v, &item);
    memcpy(t->data, &item, size);
    for (done = size; done < all; done *= 2)
        memcpy((char *)t->data + done, t->data, done < all - done ? done : all - done);
}

/* --- shape --- */

static bool unsorted_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *num, *rest;
    int64_t rows;
    if (!infer_want_rank(c, infer_input(c, 2), 0, &num, st) ||
        !infer_merge_front(c, infer_input(c, 0), infer_input(c, 1), &rest, st) ||
        !infer_dim_from(c, 2, &rows, st))
        return false;
    infer_set(c, 0, infer_concat(c, infer_vector(c, rows), rest));
    return true;
}

/* --- gradients --- */

struct picked {
    struct output values, inside, ids; /* inside: bool, of the shape of values */
};

/* Rows of x by the forward node's ids; those of negative ids are to be zero. */
static struct picked pick(struct grad_ctx *g, struct output x)
{
    struct output ids = grad_in(g, 1), zero = grad_zeros_like(g, ids);
    struct picked p = {.ids = grad_op2(g, "Maximum", ids, zero)};
    p.values = grad_take_rows(g, x, p.ids);
    if (grad_as_python(g))
        zero = grad_const_like(g, ids, 0);
    struct output inside = grad_op2(g, "GreaterEqual", ids, zero);
    const int rank = grad_shape_of(g, p.values)->rank, own = grad_shape_of(g, inside)->rank;
    if (grad_as_python(g) && rank >= 0 && own >= 0) {
        for (int i = own; i < rank; i++)
            inside = grad_op2(g, "ExpandDims", inside, grad_const_i32(g, -1));
        p.inside = grad_op2(g, "and=LogicalAnd", inside, grad_ones_as(g, p.values, DT_BOOL));
        return p;
    }
    /* Ones behind, as many as values has dims more. */
    struct output more = grad_sub(g, grad_op1(g, "Rank", p.values), grad_op1(g, "Rank", inside));
    struct output one = grad_const_i32s(g, (int32_t[]){1}, 1);
    struct output ones = grad_op2(g, "Fill", grad_reshape(g, more, one), grad_const_i32(g, 1));
    struct output parts[] = {grad_shape(g, inside), ones, grad_const_i32(g, 0)};
    struct grad_build join = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 3, .list_sizes = (int[]){2, 1}};
    inside = grad_reshape(g, inside, grad_node_out(g, grad_node(g, &join), 0));
    struct output all = grad_op2(g, "Fill", grad_shape(g, p.values),
                                 grad_op2(g, "Equal", grad_const_i32(g, 0), grad_const_i32(g, 0)));
    p.inside = grad_op2(g, "and=LogicalAnd", inside, all);
    return p;
}

static struct output picked_or_zero(struct grad_ctx *g, struct picked p)
{
    return grad_op3(g, "Select", p.inside, p.values, grad_zeros_like(g, p.values));
}

static bool sum_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, picked_or_zero(g, pick(g, grad_dy(g, 0))));
    return grad_done(g, st);
}

static bool extreme_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), ids = grad_in(g, 1), dy = grad_dy(g, 0);
    struct picked y = pick(g, grad_out(g, 0));
    struct output hit = grad_op2(g, "and=LogicalAnd", grad_op2(g, "Equal", x, y.values), y.inside);
    struct output num = grad_op3(g, "UnsortedSegmentSum", grad_cast(g, hit, grad_type_of(g, dy)),
                                 ids, grad_in(g, 2));
    struct output share = grad_take_rows(g, grad_div(g, dy, num), y.ids);
    grad_set(g, 0, grad_op3(g, "Select", hit, share, grad_zeros_like(g, share)));
    return grad_done(g, st);
}

/* dy * product / x; where x is 0, the product of the others, which is 0 if there is a second 0. */
static bool prod_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), ids = grad_in(g, 1), num = grad_in(g, 2);
    struct output is_zero = grad_op2(g, "Equal", x, grad_zeros_like(g, x));
    struct output zeros =
        grad_op3(g, "UnsortedSegmentSum", grad_cast(g, is_zero, DT_INT32), ids, num);
    struct output many = grad_op2(g, "Greater", zeros, grad_const_i32(g, 1));
    struct output dy = grad_dy(g, 0);
    dy = grad_op3(g, "Select", many, grad_zeros_like(g, dy), dy);
    struct output ones = grad_op1(g, "OnesLike", x);
    struct output others = grad_op3(g, "Select", is_zero, ones, x);
    others = grad_op3(g, "UnsortedSegmentProd", others, ids, num);
    struct picked p = pick(g, dy);
    struct output without = grad_take_rows(g, others, p.ids);
    struct output y = grad_take_rows(g, grad_out(g, 0), p.ids);
    struct output part = grad_op3(g, "Select", is_zero, without, grad_div(g, y, x));
    grad_set(g, 0, grad_mul(g, picked_or_zero(g, p), part));
    return grad_done(g, st);
}

/* --- kernels --- */

static bool check_inputs(const struct kctx *c, struct status *st)
{
    const struct shape *data = &kernel_in(c, 0)->shape, *ids = &kernel_in(c, 1)->shape;
    const struct tensor *num = kernel_in(c, 2);
    if (tensor_rank(num) != 0)
        return gather_fail_shapes(st, "num_segments should be a scalar, not shape ", &num->shape,
                                  "", NULL, "");
    bool starts = data->rank >= ids->rank;
    for (int i = 0; starts && i < ids->rank; i++)
        starts = shape_dim(data, i) == shape_dim(ids, i);
    if (!starts)
        return gather_fail_shapes(st, "data.shape = ", data,
                                  " does not start with segment_ids.shape = ", ids, "");
    if (tensor_index(num, 0) < 0)
        return status_invalid(st, "Input num_segments == %lld must not be negative.",
                              (long long)tensor_index(num, 0));
    return true;
}

static bool unsorted_run(struct kctx *c, struct status *st)
{
    const struct tensor *data = kernel_in(c, 0), *ids = kernel_in(c, 1);
    enum math_scatter_op op = *(enum math_scatter_op *)kernel_state(c);
    if (!check_inputs(c, st))
        return false;
    int64_t rows = tensor_index(kernel_in(c, 2), 0), elems;
    struct shape head = shape_1(rows), shape;
    if (!gather_join(&head, 1, &data->shape, tensor_rank(ids), &shape, st))
        return false;
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    segment_fill(out, op == MATH_SCATTER_ADD   ? SEGMENT_ZERO
                      : op == MATH_SCATTER_MUL ? SEGMENT_ONE
                      : op == MATH_SCATTER_MAX ? SEGMENT_LOWEST
                                               : SEGMENT_HIGHEST);
    for (int64_t i = 0; i < ids->num_elems; i++) {
        int64_t id = tensor_index(ids, i);
        if (id < rows)
            continue;
        struct strbuf place = {0};
        gather_place(&place, &ids->shape, tensor_rank(ids), i);
        status_invalid(st, "segment_ids%s = %lld is out of range [0, %lld)", strbuf_text(&place),
                       (long long)id, (long long)rows);
        strbuf_release(&place);
        return false;
    }
    struct math_scatter s = {.op = op,
                             .dtype = data->dtype,
                             .index_dtype = ids->dtype,
                             .indices = ids->data,
                             .num = ids->num_elems,
                             .limit = rows,
                             .row_items =
                                 gather_span(&data->shape, tensor_rank(ids), tensor_rank(data)),
                             .updates = data->data,
                             .skip_bad = true,
                             .table = out->data};
    (void)math_scatter(kernel_pool(c), &s);
    return true;
}

#define UNSORTED(id, op_name, text, constraint, code, kernel_types, grad_fn)                       \
    static bool id##_init(struct kernel *k, void *state, struct status *st)                        \
    {                                                                                              \
        (void)k;                                                                                   \
        (void)st;                                                                                  \
        *(enum math_scatter_op *)state = code;                                                     \
        return true;                                                                               \
    }                                                                                              \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"},              \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: " constraint, "Tindices: {int32, int64}",                                    \
                  "Tnumsegments: {int32, int64} = DT_INT32"},                                      \
        .shape = unsorted_shape,                                                                   \
        .grad = grad_fn,                                                                           \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {kernel_types},                                                                   \
        .state_bytes = sizeof(enum math_scatter_op),                                               \
        .init = id##_init,                                                                         \
        .run = unsorted_run,                                                                       \
        .flags = KERNEL_EXPENSIVE,                                                                 \
    }

UNSORTED(unsorted_segment_sum, "UnsortedSegmentSum", "Sums of the rows of each segment.",
         "numbertype", MATH_SCATTER_ADD, SEGMENT_NUMBERS, sum_grad);
UNSORTED(unsorted_segment_prod, "UnsortedSegmentProd", "Products of the rows of each segment.",
         "numbertype", MATH_SCATTER_MUL, SEGMENT_NUMBERS, prod_grad);
UNSORTED(unsorted_segment_max, "UnsortedSegmentMax", "Greatest of the rows of each segment.",
         "realnumbertype", MATH_SCATTER_MAX, SEGMENT_REALS, extreme_grad);
UNSORTED(unsorted_segment_min, "UnsortedSegmentMin", "Least of the rows of each segment.",
         "realnumbertype", MATH_SCATTER_MIN, SEGMENT_REALS, extreme_grad);
