/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, tests and logic: ops that give bool. */
#include "ops/math/def.h"

/* --- order --- */

#define ORDER_OP(id_, name_, text)                                                                 \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"x: T", "y: T"},                                                     \
                   .outputs = {"z: bool"},                                                         \
                   .attrs = {"T: {" T_REALS "}"},                                                  \
                   .shape = infer_binary,                                                          \
                   .no_grad = "it gives bool"};                                                    \
    BOOL_KERNEL(id_, name_, "T: {" T_FLOATS ", int8, uint8, int16, int32, int64}", ewise_run_binary)

/* As EWISE_KERNEL; the result has another type than the operands. */
#define BOOL_KERNEL(id_, op_, types_, run_)                                                        \
    static bool id_##_init(struct kernel *k, void *state, struct status *st)                       \
    {                                                                                              \
        return ewise_init(k, state, EW_##id_, st);                                                 \
    }                                                                                              \
    static ewise_fn id_##_ewise(const struct attrs *attrs UNUSED, const int *in_types, int num_in, \
                                int out_type UNUSED)                                               \
    {                                                                                              \
        return ewise_for_bool(EW_##id_, in_types, num_in);                                         \
    }                                                                                              \
    KERNEL_DEF(id_##_cpu) = {.op = op_,                                                            \
                             .device = "CPU",                                                      \
                             .types = {types_},                                                    \
                             .state_bytes = sizeof(struct ewise_loop),                             \
                             .init = id_##_init,                                                   \
                             .run = run_,                                                          \
                             .ewise_of = id_##_ewise}

ORDER_OP(less, "Less", "Whether x is less than y.");
ORDER_OP(less_equal, "LessEqual", "Whether x is less than or equal to y.");
ORDER_OP(greater, "Greater", "Whether x is greater than y.");
ORDER_OP(greater_equal, "GreaterEqual", "Whether x is greater than or equal to y.");

/* --- equality --- */

struct equality { /* state of Equal and NotEqual */
    struct ewise_loop loop;
    bool unequal;     /* NotEqual */
    bool shapes_fail; /* shapes that do not fit are an error, not an answer */
};

static void string_equality(void *out, const void *const *in, unsigned scalars, int64_t n,
                            bool unequal)
{
    const struct tstr *a = in[0], *b = in[1];
    bool *z = out;
    int64_t da = scalars & 1 ? 0 : 1, db = scalars & 2 ? 0 : 1;
    for (int64_t i = 0; i < n; i++)
        z[i] = str_eq(tstr_view(&a[i * da]), tstr_view(&b[i * db])) != unequal;
}

static void string_equal(void *out, const void *const *in, unsigned scalars, int64_t n)
{
    string_equality(out, in, scalars, n, false);
}

static void string_not_equal(void *out, const void *const *in, unsigned scalars, int64_t n)
{
    string_equality(out, in, scalars, n, true);
}

static bool equality_init(struct kernel *k, void *state, struct status *st)
{
    struct equality *e = state;
    e->unequal = k->def->op[0] == 'N';
    e->shapes_fail = attrs_bool(k->attrs, "incompatible_shape_error");
    if (dtype_base(k->input_types[0]) != DT_STRING)
        return ewise_init(k, &e->loop, e->unequal ? EW_not_equal : EW_equal, st);
    e->loop = (struct ewise_loop){.fn = e->unequal ? string_not_equal : string_equal,
                                  .num_in = 2,
                                  .bytes = {sizeof(struct tstr), sizeof(struct tstr)},
                                  .out_bytes = sizeof(bool),
                                  .cost_ns = 8};
    return true;
}

static bool equality_run(struct kctx *c, struct status *st)
{
    const struct equality *e = kernel_state(c);
    if (e->shapes_fail)
        return ewise_run_binary(c, st);
    const struct shape *shapes[] = {&kernel_in(c, 0)->shape, &kernel_in(c, 1)->shape};
    struct status unfit = {0};
    struct bcast b;
    if (bcast_make(&b, shapes, 2, &unfit))
        return ewise_run_binary(c, st);
    status_clear(&unfit);
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (!out)
        return false;
    tensor_bool(out)[0] = e->unequal;
    return true;
}

/* Where shapes that do not fit are an answer, the result is a scalar as soon as dims are seen to
 * clash, and of unknown shape where they may: only a dim 1 goes with an unknown one. */
static const struct shape *lenient_shape(struct infer_ctx *c, const struct shape *x,
                                         const struct shape *y)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank = x->rank > y->rank ? x->rank : y->rank;
    for (int i = 0; i < rank; i++) {
        int ix = i - (rank - x->rank), iy = i - (rank - y->rank);
        int64_t dx = ix < 0 ? 1 : shape_dim(x, ix), dy = iy < 0 ? 1 : shape_dim(y, iy);
        if (dx != 1 && dy != 1 && (dx == DIM_UNKNOWN || dy == DIM_UNKNOWN))
            return infer_unknown(c);
        if (dx != 1 && dy != 1 && dx != dy)
            return infer_scalar(c);
        dims[i] = dx == 1 ? dy : dx;
    }
    return infer_make(c, dims, rank);
}

static bool equality_shape(struct infer_ctx *c, struct status *st)
{
    if (attrs_bool(infer_attrs(c), "incompatible_shape_error"))
        return infer_binary(c, st);
    const struct shape *x = infer_input(c, 0), *y = infer_input(c, 1);
    if (x->rank >= 0 && y->rank >= 0)
        infer_set(c, 0, lenient_shape(c, x, y));
    return true;
}

#define EQUALITY_OP(id_, name_, text)                                                              \
    OP_DEF(id_) = {                                                                                \
        .name = name_,                                                                             \
        .summary = text,                                                                           \
        .inputs = {"x: T", "y: T"},                                                                \
        .outputs = {"z: bool"},                                                                    \
        .attrs = {"T: {" T_FLOATS                                                                  \
                  ", uint8, int8, int16, int32, int64, complex64, quint8, qint8, qint32, string, " \
                  "bool, complex128}",                                                             \
                  "incompatible_shape_error: bool = true"},                                        \
        .flags = OP_COMMUTATIVE,                                                                   \
        .shape = equality_shape,                                                                   \
        .no_grad = "it gives bool"};                                                               \
    static ewise_fn id_##_ewise(const struct attrs *attrs UNUSED, const int *in_types, int num_in, \
                                int out_type UNUSED)                                               \
    {                                                                                              \
        return ewise_for_bool(EW_##id_, in_types, num_in);                                         \
    }                                                                                              \
    KERNEL_DEF(id_##_cpu) = {                                                                      \
        .op = name_,                                                                               \
        .device = "CPU",                                                                           \
        .types = {"T: {" T_FLOATS                                                                  \
                  ", int8, uint8, int16, int32, int64, complex64, complex128, bool, string}"},     \
        .state_bytes = sizeof(struct equality),                                                    \
        .init = equality_init,                                                                     \
        .run = equality_run,                                                                       \
        .ewise_of = id_##_ewise}

EQUALITY_OP(equal, "Equal", "Whether x and y are equal.");
EQUALITY_OP(not_equal, "NotEqual", "Whether x and y differ.");

/* --- tests of floating-point numbers --- */

#define TEST_OP(id_, name_, text, kernel_types)                                                    \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"x: T"},                                                             \
                   .outputs = {"y: bool"},                                                         \
                   .attrs = {"T: {" T_FLOATS "}"},                                                 \
                   .shape = infer_unchanged,                                                       \
                   .no_grad = "undefined: it gives bool"};                                         \
    BOOL_KERNEL(id_, name_, "T: {" kernel_types "}", ewise_run_unary)

TEST_OP(is_nan, "IsNan", "Whether x is not a number.", T_FLOATS);
TEST_OP(is_inf, "IsInf", "Whether x is plus or minus infinity.", "half, float, double");
TEST_OP(is_finite, "IsFinite", "Whether x is a number and not infinite.", "half, float, double");

/* --- logic --- */

#define LOGIC_OP(id_, name_, text)                                                                 \
    OP_DEF(id_) = {.name = name_,                                                                  \
                   .summary = text,                                                                \
                   .inputs = {"x: bool", "y: bool"},                                               \
                   .outputs = {"z: bool"},                                                         \
                   .flags = OP_COMMUTATIVE,                                                        \
                   .shape = infer_binary,                                                          \
                   .no_grad = "it gives bool"};                                                    \
    BOOL_KERNEL(id_, name_, NULL, ewise_run_binary)

LOGIC_OP(logical_and, "LogicalAnd", "Whether x and y are both true.");
LOGIC_OP(logical_or, "LogicalOr", "Whether x or y is true, or both.");

OP_DEF(logical_not) = {
    .name = "LogicalNot",
    .summary = "Whether x is false.",
    .inputs = {"x: bool"},
    .outputs = {"y: bool"},
    .shape = infer_unchanged,
    .no_grad = "it gives bool",
};
BOOL_KERNEL(logical_not, "LogicalNot", NULL, ewise_run_unary);
