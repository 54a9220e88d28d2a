/* SPDX-License-Identifier: Apache-2.0 */
/* NthElement: of each row the element that would be the n-th, were it sorted. Found by splitting in
 * three around a pivot, on a copy of the row; NaN counts as equal to everything. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Puts the n-th of a row, which it reorders, at y[i]. */
typedef void (*nth_fn)(void *row, int64_t size, int64_t n, void *y, int64_t i);

#define SAME(v) (v)
#define NTH(name, type, num)                                                                       \
    static void name(void *row, int64_t size, int64_t n, void *y, int64_t i)                       \
    {                                                                                              \
        type *x = row;                                                                             \
        int64_t from = 0, to = size;                                                               \
        while (to - from > 1) {                                                                    \
            const type pivot = x[from + (to - from) / 2];                                          \
            int64_t below = from, above = to;                                                      \
            for (int64_t k = from; k < above;) {                                                   \
                const type v = x[k];                                                               \
                if (num(v) < num(pivot)) {                                                         \
                    x[k++] = x[below];                                                             \
                    x[below++] = v;                                                                \
                } else if (num(pivot) < num(v)) {                                                  \
                    x[k] = x[--above];                                                             \
                    x[above] = v;                                                                  \
                } else {                                                                           \
                    k++;                                                                           \
                }                                                                                  \
            }                                                                                      \
            if (n >= below && n < above)                                                           \
                break;                                                                             \
            if (n < below)                                                                         \
                to = below;                                                                        \
            else                                                                                   \
                from = above;                                                                      \
        }                                                                                          \
        ((type *)y)[i] = x[n];                                                                     \
    }
NTH(nth_f32, float, SAME)
NTH(nth_f64, double, SAME)
NTH(nth_i8, int8_t, SAME)
NTH(nth_u8, uint8_t, SAME)
NTH(nth_i16, int16_t, SAME)
NTH(nth_u16, uint16_t, SAME)
NTH(nth_i32, int32_t, SAME)
NTH(nth_i64, int64_t, SAME)
NTH(nth_f16, struct f16, f16_to_f32)
NTH(nth_bf16, struct bf16, bf16_to_f32)

struct nth {
    nth_fn fn;
    bool reverse;
};

static bool nth_init(struct kernel *k, void *state, struct status *st)
{
    static const nth_fn by_type[] = {
        [DT_FLOAT] = nth_f32, [DT_DOUBLE] = nth_f64,   [DT_INT8] = nth_i8,   [DT_UINT8] = nth_u8,
        [DT_INT16] = nth_i16, [DT_UINT16] = nth_u16,   [DT_INT32] = nth_i32, [DT_INT64] = nth_i64,
        [DT_HALF] = nth_f16,  [DT_BFLOAT16] = nth_bf16};
    const int type = dtype_base(k->input_types[0]);
    struct nth *s = state;
    s->reverse = attrs_bool(k->attrs, "reverse");
    s->fn = type < (int)ARRAY_LEN(by_type) ? by_type[type] : NULL;
    return s->fn || status_unimplemented(st, "NthElement of %s", dtype_name(type));
}

static bool fail_shape(struct status *st, const char *words, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool nth_run(struct kctx *c, struct status *st)
{
    const struct nth *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0), *which = kernel_in(c, 1);
    const int rank = tensor_rank(x);
    if (tensor_rank(which) != 0)
        return fail_shape(st, "N must be scalar, got shape ", &which->shape);
    const int64_t n = tensor_i32(which)[0];
    if (n < 0)
        return status_invalid(st, "Need n >= 0, got %lld", (long long)n);
    if (rank < 1)
        return fail_shape(st, "Input must be >= 1-D, got shape ", &x->shape);
    const int64_t size = tensor_dim(x, rank - 1);
    if (size <= n)
        return status_invalid(st, "Input must have at least n+1 columns");
    struct shape shape = shape_make(shape_dims(&x->shape), rank - 1);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    const size_t bytes = (size_t)size * dtype_size(x->dtype);
    void *row = y ? kernel_scratch(c, (int64_t)bytes, st) : NULL;
    if (!row)
        return false;
    for (int64_t i = 0; i < y->num_elems; i++) {
        memcpy(row, (const char *)x->data + (size_t)i * bytes, bytes);
        s->fn(row, size, s->reverse ? size - 1 - n : n, y->data, i);
    }
    return true;
}

static bool nth_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &x, st) || !infer_dim_from(c, 1, &n, st))
        return false;
    const int64_t last = infer_dim(x, -1);
    if (n >= 0 && last >= 0 && last <= n)
        return status_invalid(st, "Input must have last dimension > n = %lld but is %lld",
                              (long long)n, (long long)last);
    infer_set(c, 0, infer_slice(c, x, 0, -1));
    return true;
}

/* Shared by all elements that equal the one given. */
static bool nth_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), last = grad_const_i32(g, -1);
    struct output y = grad_op2(g, "ExpandDims", grad_out(g, 0), last);
    struct output dy = grad_op2(g, "ExpandDims", grad_dy(g, 0), last);
    struct output same = grad_cast(g, grad_op2(g, "Equal", y, x), grad_type_of(g, x));
    struct output count = grad_op2(g, "ExpandDims", grad_op2(g, "Sum", same, last), last);
    grad_set(g, 0, grad_mul(g, grad_div(g, same, count), dy));
    return grad_done(g, st);
}

OP_DEF(nth_element) = {
    .name = "NthElement",
    .summary = "The n-th smallest (or greatest) element of each row.",
    .inputs = {"input: T", "n: int32"},
    .outputs = {"values: T"},
    .attrs = {"reverse: bool = false", "T: realnumbertype"},
    .shape = nth_shape,
    .grad = nth_grad,
};
KERNEL_DEF(nth_element_cpu) = {
    .op = "NthElement",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .state_bytes = sizeof(struct nth),
    .init = nth_init,
    .run = nth_run};
