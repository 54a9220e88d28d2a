/* SPDX-License-Identifier: Apache-2.0 */
/* The shape context and its helpers: unknown ranks and dims, contradictions in TensorFlow's words,
 * constants, handles. */
#include "op/infer.h"
#include "op_fixture.h"

static struct status st;

/* A test body runs as the shape function of this op. */
static bool (*body)(struct infer_ctx *c, struct status *error);

static bool run_body(struct infer_ctx *c, struct status *error)
{
    return body(c, error);
}

static const struct op_def def = {
    .name = "TestInfer",
    .inputs = {"a: float", "b: N * int32"},
    .outputs = {"x: float", "y: float"},
    .attrs = {"N: int >= 0", "keep_dims: bool = false"},
    .shape = run_body,
};

struct fixture {
    struct shape in[3];
    int num_inputs;
    const struct tensor *consts[3];
    struct shape partial;
    bool has_partial;
    bool keep_dims;
    struct infer_handle *handles;
    struct infer_result result;
    int asked; /* how often a constant was asked for */
};

static const struct tensor *constant(void *arg, int i)
{
    struct fixture *f = arg;
    f->asked++;
    return f->consts[i];
}

static bool partial(void *arg, int i UNUSED, struct shape *out)
{
    struct fixture *f = arg;
    if (f->has_partial)
        *out = shape_copy(&f->partial);
    return f->has_partial;
}

static bool run(struct fixture *f, bool (*fn)(struct infer_ctx *c, struct status *error))
{
    struct attrs a = {0};
    attrs_set(&a, "N", attr_int(f->num_inputs - 1));
    attrs_set(&a, "keep_dims", attr_bool(f->keep_dims));
    struct infer_call call = {
        .op = fixture_op(&def),
        .attrs = &a,
        .input_shapes = f->in,
        .input_handles = f->handles,
        .input_types = (int[]){DT_FLOAT + DT_REF, DT_INT32, DT_INT32},
        .output_types = (int[]){DT_FLOAT, DT_FLOAT},
        .num_inputs = f->num_inputs,
        .num_outputs = 2,
        .producer_version = 134,
        .source = {.arg = f, .constant = constant, .partial_shape = partial},
        .node_name = "n",
    };
    body = fn;
    infer_result_clear(&f->result);
    bool ok = infer_run(&call, &f->result, &st);
    attrs_clear(&a);
    return ok;
}

static void assert_shape(const struct shape *s, const char *text)
{
    struct strbuf b = {0};
    shape_print(s, &b);
    assert_string_equal(strbuf_text(&b), text);
    strbuf_release(&b);
}

static bool reads(struct infer_ctx *c, struct status *error UNUSED)
{
    int first, n;
    assert_int_equal(infer_num_inputs(c), 3);
    assert_int_equal(infer_num_outputs(c), 2);
    assert_int_equal(infer_input_type(c, 0), DT_FLOAT);
    assert_int_equal(infer_output_type(c, 1), DT_FLOAT);
    assert_int_equal(infer_producer_version(c), 134);
    assert_int_equal(attrs_int(infer_attrs(c), "N"), 2);
    assert_true(infer_input_range(c, "b", &first, &n));
    assert_int_equal(first, 1);
    assert_int_equal(n, 2);
    assert_false(infer_input_range(c, "z", &first, &n));
    assert_null(infer_const(c, 1));
    infer_set(c, 1, infer_make(c, (int64_t[]){1, 2, 3, 4, 5, -1}, 6));
    return true;
}

static void test_infer__context_reads_and_sets(void **state UNUSED)
{
    struct fixture f = {.num_inputs = 3};
    assert_true(run(&f, reads));
    assert_int_equal(f.result.num_outputs, 2);
    assert_shape(&f.result.shapes[0], "<unknown>");
    assert_shape(&f.result.shapes[1], "[1,2,3,4,5,?]");
    assert_null(f.result.handles);
    infer_result_clear(&f.result);
}

static bool makers(struct infer_ctx *c, struct status *error UNUSED)
{
    int64_t dims[] = {2, 3, 4, 5, 6};
    const struct shape *s = infer_make(c, dims, 5), *r;
    assert_shape(infer_unknown(c), "<unknown>");
    assert_shape(infer_scalar(c), "[]");
    assert_shape(infer_vector(c, 7), "[7]");
    assert_shape(infer_matrix(c, -1, 2), "[?,2]");
    assert_shape(infer_of_rank(c, 5), "[?,?,?,?,?]");
    assert_shape(infer_of_rank(c, -1), "<unknown>");
    assert_shape(infer_copy(c, s), "[2,3,4,5,6]");
    assert_int_equal(infer_dim(s, -1), 6);
    assert_int_equal(infer_dim(s, 5), -1);
    assert_int_equal(infer_dim(s, -6), -1);
    assert_int_equal(infer_dim(infer_unknown(c), 0), -1);
    assert_shape(infer_slice(c, s, 1, -1), "[3,4,5]");
    assert_shape(infer_slice(c, s, -2, 100), "[5,6]");
    assert_shape(infer_slice(c, s, 3, 2), "[]");
    assert_shape(infer_slice(c, infer_unknown(c), 3, 2), "<unknown>");
    r = infer_concat(c, infer_vector(c, 9), s);
    assert_shape(r, "[9,2,3,4,5,6]");
    assert_shape(infer_concat(c, infer_unknown(c), s), "<unknown>");
    assert_shape(infer_with_dim(c, s, -1, 1), "[2,3,4,5,1]");
    assert_ptr_equal(infer_with_dim(c, s, 5, 1), s);
    assert_int_equal(infer_dim_add(2, 3), 5);
    assert_int_equal(infer_dim_add(-1, 3), -1);
    assert_int_equal(infer_dim_add(INT64_MAX, 3), -1);
    assert_int_equal(infer_dim_mul(-1, 0), 0);
    assert_int_equal(infer_dim_mul(-1, 2), -1);
    assert_int_equal(infer_dim_mul(INT64_MAX, 3), -1);
    return true;
}

static void test_infer__makers(void **state UNUSED)
{
    struct fixture f = {.num_inputs = 1};
    assert_true(run(&f, makers));
    infer_result_clear(&f.result);
}

static bool checks(struct infer_ctx *c, struct status *e)
{
    const struct shape *s = infer_matrix(c, 1, -1), *out;
    int64_t d;
    assert_true(infer_want_rank(c, infer_unknown(c), 2, &out, e));
    assert_shape(out, "[?,?]");
    assert_true(infer_want_rank(c, s, 2, &out, e));
    assert_ptr_equal(out, s);
    assert_false(infer_want_rank(c, s, 3, &out, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Shape must be rank 3 but is rank 2");
    assert_false(infer_want_rank_min(c, s, 3, &out, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Shape must be at least rank 3 but is rank 2");
    assert_false(infer_want_rank_max(c, s, 1, &out, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Shape must be at most rank 1 but is rank 2");
    assert_true(infer_want_rank_min(c, infer_unknown(c), 3, &out, e));
    assert_true(infer_want_rank_max(c, infer_unknown(c), 3, &out, e));
    assert_true(infer_want_dim(c, -1, 3, &d, e));
    assert_int_equal(d, 3);
    assert_false(infer_want_dim(c, 4, 3, &d, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Dimension must be 3 but is 4");
    assert_false(infer_merge_dim(4, 3, &d, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Dimensions must be equal, but are 4 and 3");
    assert_true(infer_merge(c, infer_matrix(c, -1, 2), s, &out, e));
    assert_shape(out, "[1,2]");
    assert_true(infer_merge(c, infer_unknown(c), s, &out, e));
    assert_shape(out, "[1,?]");
    assert_false(infer_merge(c, infer_vector(c, 1), s, &out, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Shapes must be equal rank, but are 1 and 2");
    assert_false(infer_merge(c, infer_matrix(c, 2, -1), s, &out, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT,
                       "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are "
                       "[2,?] and [1,?].");
    return true;
}

static void test_infer__checks(void **state UNUSED)
{
    struct fixture f = {.num_inputs = 1};
    assert_true(run(&f, checks));
    infer_result_clear(&f.result);
}

static bool broadcasts(struct infer_ctx *c, struct status *e)
{
    const struct shape *out;
    assert_true(infer_broadcast(c, infer_matrix(c, 1, 3), infer_vector(c, -1), &out, e));
    assert_shape(out, "[1,3]");
    assert_true(infer_broadcast(c, infer_vector(c, 1), infer_vector(c, -1), &out, e));
    assert_shape(out, "[?]");
    assert_true(infer_broadcast(c, infer_vector(c, 0), infer_vector(c, 1), &out, e));
    assert_shape(out, "[0]");
    assert_true(infer_broadcast(c, infer_vector(c, 0), infer_unknown(c), &out, e));
    assert_shape(out, "<unknown>");
    assert_true(infer_broadcast(c, infer_scalar(c), infer_matrix(c, -1, 4), &out, e));
    assert_shape(out, "[?,4]");
    assert_false(infer_broadcast(c, infer_vector(c, 2), infer_matrix(c, -1, 4), &out, e));
    assert_failed_with(e, STATUS_INVALID_ARGUMENT, "Dimensions must be equal, but are 2 and 4");
    return true;
}

static void test_infer__broadcast(void **state UNUSED)
{
    struct fixture f = {.num_inputs = 1};
    assert_true(run(&f, broadcasts));
    infer_result_clear(&f.result);
}

static bool window(int64_t in, int64_t filter, int64_t dilation, int64_t stride, const char *pad,
                   int64_t *out)
{
    struct infer_window w = {.in = in,
                             .filter = filter,
                             .dilation = dilation,
                             .stride = stride,
                             .padding = str_of(pad),
                             .before = 1,
                             .after = 2};
    return infer_window(&w, out, &st);
}

static void test_infer__windows(void **state UNUSED)
{
    int64_t out;
    assert_true(window(7, 3, 1, 2, "SAME", &out));
    assert_int_equal(out, 4);
    assert_true(window(7, 3, 1, 2, "VALID", &out));
    assert_int_equal(out, 3);
    assert_true(window(7, 3, 2, 1, "VALID", &out));
    assert_int_equal(out, 3);
    assert_true(window(7, 3, 1, 1, "EXPLICIT", &out));
    assert_int_equal(out, 8);
    assert_true(window(-1, 3, 1, 1, "VALID", &out));
    assert_int_equal(out, -1);
    assert_true(window(7, -1, 1, 1, "VALID", &out));
    assert_int_equal(out, -1);
    assert_true(window(7, -1, 1, 2, "SAME", &out));
    assert_int_equal(out, 4);
    assert_false(window(3, 5, 1, 1, "VALID", &out));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "Negative dimension size caused by subtracting 5 from 3");
    assert_false(window(3, 5, 1, 0, "SAME", &out));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Stride must be > 0, but got 0");
    assert_false(window(3, 5, 0, 1, "SAME", &out));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Dilation rate must be >= 1, but got 0");
    assert_false(window(3, INT64_MAX, INT64_MAX, 1, "VALID", &out));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "out of range");
    assert_false(window(3, 1, 1, 1, "FULL", &out));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Unknown padding type 'FULL'");
    assert_true(window(INT64_MAX, 2, 1, 2, "SAME", &out));
    assert_int_equal(out, (INT64_C(1) << 62));
}

static bool takes_shape(struct infer_ctx *c, struct status *e)
{
    const struct shape *s;
    if (!infer_const_shape(c, 1, &s, e) || !infer_const_shape(c, 1, &s, e))
        return false;
    infer_set(c, 0, s);
    return true;
}

static void check_const_shape(struct fixture *f, const char *wanted)
{
    assert_true(run(f, takes_shape));
    assert_no_error(&st);
    assert_shape(&f->result.shapes[0], wanted);
}

static void test_infer__constant_shapes(void **state UNUSED)
{
    struct tensor t = fixture_ints((int32_t[]){2, -1, 3}, 3), matrix = {0};
    struct fixture f = {.num_inputs = 2, .in = {[1] = shape_1(3)}};
    check_const_shape(&f, "[?,?,?]");
    f.in[1] = shape_unknown();
    check_const_shape(&f, "<unknown>");
    f.in[1] = shape_1(100000);
    check_const_shape(&f, "<unknown>");
    f.in[1] = shape_1(2);
    f.partial = shape_2(-1, 8);
    f.has_partial = true;
    check_const_shape(&f, "[?,8]");
    f.in[1] = shape_1(3);
    f.consts[1] = &t;
    f.asked = 0;
    check_const_shape(&f, "[2,?,3]");
    assert_int_equal(f.asked, 1);
    tensor_i32(&t)[1] = -2;
    assert_false(run(&f, takes_shape));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Invalid value in tensor used for shape: -2");
    f.in[1] = shape_scalar();
    assert_false(run(&f, takes_shape));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "Shape must be rank 1 but is rank 0 for 'n' (op: 'TestInfer') with input "
                       "shapes: [], [].");
    int64_t many = 300;
    struct shape big = shape_1(many);
    assert_true(tensor_new(&matrix, DT_INT32, &big, &st));
    memset(matrix.data, 0, tensor_bytes(&matrix));
    f.in[1] = big;
    f.consts[1] = &matrix;
    assert_false(run(&f, takes_shape));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Shape has 300 dimensions, more than 254");
    tensor_clear(&t);
    tensor_clear(&matrix);
}

static bool takes_int(struct infer_ctx *c, struct status *e)
{
    bool known;
    int64_t v;
    if (!infer_const_int(c, 1, &known, &v, e))
        return false;
    infer_set(c, 0, known ? infer_vector(c, v) : infer_unknown(c));
    return true;
}

static void test_infer__constant_ints(void **state UNUSED)
{
    struct tensor t = fixture_int(5), v = fixture_ints((int32_t[]){1}, 1);
    struct fixture f = {.num_inputs = 2};
    assert_true(run(&f, takes_int));
    assert_shape(&f.result.shapes[0], "<unknown>");
    f.consts[1] = &t;
    assert_true(run(&f, takes_int));
    assert_shape(&f.result.shapes[0], "[5]");
    f.in[1] = shape_1(1);
    assert_false(run(&f, takes_int));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Shape must be rank 0 but is rank 1");
    f.in[1] = shape_unknown();
    f.consts[1] = &v;
    assert_false(run(&f, takes_int));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Input must be scalar but has rank 1");
    tensor_clear(&t);
    tensor_clear(&v);
    infer_result_clear(&f.result);
}

static void check_reduction(struct fixture *f, const char *wanted)
{
    assert_true(run(f, infer_reduction));
    assert_shape(&f->result.shapes[0], wanted);
}

static void test_infer__reductions(void **state UNUSED)
{
    struct tensor axes = fixture_ints((int32_t[]){1, -1}, 2);
    struct fixture f = {.num_inputs = 2, .in = {shape_3(2, 3, 4), shape_1(2)}};
    check_reduction(&f, "<unknown>");
    f.keep_dims = true;
    check_reduction(&f, "[?,?,?]");
    f.consts[1] = &axes;
    check_reduction(&f, "[2,1,1]");
    f.keep_dims = false;
    check_reduction(&f, "[2]");
    tensor_i32(&axes)[0] = 3;
    assert_false(run(&f, infer_reduction));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "Invalid reduction dimension 3 for input with 3 dimensions. for 'n' (op: "
                       "'TestInfer') with input shapes: [2,3,4], [2] and with computed input "
                       "tensors: input[1] = <3 -1>.");
    f.in[1] = shape_2(2, 1);
    assert_false(run(&f, infer_reduction));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Shape must be at most rank 1 but is rank 2");
    f.in[0] = shape_unknown();
    f.in[1] = shape_unknown();
    check_reduction(&f, "<unknown>");
    tensor_clear(&axes);
    infer_result_clear(&f.result);
}

static void test_infer__standard_functions(void **state UNUSED)
{
    struct fixture f = {.num_inputs = 2, .in = {shape_2(2, -1), shape_2(1, 4)}};
    assert_true(run(&f, infer_unchanged));
    assert_shape(&f.result.shapes[1], "[2,?]");
    assert_true(run(&f, infer_scalars));
    assert_shape(&f.result.shapes[1], "[]");
    assert_true(run(&f, infer_unknown_outputs));
    assert_true(run(&f, infer_no_outputs));
    assert_true(run(&f, infer_binary));
    assert_shape(&f.result.shapes[0], "[2,4]");
    assert_false(run(&f, infer_merged));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT,
                       "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are "
                       "[2,?] and [1,4].\n\tFrom merging shape 0 with other shapes. for 'n'");
    f.in[1] = shape_2(-1, 4);
    assert_true(run(&f, infer_merged));
    assert_shape(&f.result.shapes[1], "[2,4]");
    infer_result_clear(&f.result);
}

static bool fails_silently(struct infer_ctx *c UNUSED, struct status *e UNUSED)
{
    return false;
}

static void test_infer__silent_failures_get_words(void **state UNUSED)
{
    struct fixture f = {.num_inputs = 1};
    assert_false(run(&f, fails_silently));
    assert_failed_with(&st, STATUS_INTERNAL, "failed without saying why");
}

static bool sets_handles(struct infer_ctx *c, struct status *e UNUSED)
{
    struct infer_handle in = infer_handle_in(c, 0);
    assert_int_equal(in.n, 1);
    assert_int_equal(infer_handle_in(c, 1).n, 0);
    const struct shape *shapes[] = {in.shapes[0], infer_of_rank(c, 6)};
    int dtypes[] = {in.dtypes[0], DT_INT8};
    infer_set_handle(c, 1, (struct infer_handle){.n = 2, .dtypes = dtypes, .shapes = shapes});
    return true;
}

static void test_infer__handles_are_copied_out(void **state UNUSED)
{
    struct shape behind = shape_make((int64_t[]){1, 2, 3, 4, 5}, 5);
    const struct shape *shapes[] = {&behind};
    struct infer_handle handles[] = {{.n = 1, .dtypes = (int[]){DT_FLOAT}, .shapes = shapes}, {0}};
    struct fixture f = {.num_inputs = 2, .handles = handles};
    assert_true(run(&f, sets_handles));
    shape_clear(&behind);
    assert_int_equal(f.result.handles[0].n, 0);
    assert_int_equal(f.result.handles[1].n, 2);
    assert_int_equal(f.result.handles[1].dtypes[1], DT_INT8);
    assert_shape(f.result.handles[1].shapes[0], "[1,2,3,4,5]");
    assert_shape(f.result.handles[1].shapes[1], "[?,?,?,?,?,?]");
    infer_result_clear(&f.result);
    infer_handles_free(NULL, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infer__context_reads_and_sets),
        cmocka_unit_test(test_infer__makers),
        cmocka_unit_test(test_infer__checks),
        cmocka_unit_test(test_infer__broadcast),
        cmocka_unit_test(test_infer__windows),
        cmocka_unit_test(test_infer__constant_shapes),
        cmocka_unit_test(test_infer__constant_ints),
        cmocka_unit_test(test_infer__reductions),
        cmocka_unit_test(test_infer__standard_functions),
        cmocka_unit_test(test_infer__silent_failures_get_words),
        cmocka_unit_test(test_infer__handles_are_copied_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
