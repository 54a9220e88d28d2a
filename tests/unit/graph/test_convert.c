/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors, attrs, shapes and ops as messages: every element type, every form, hostile sizes. */
#include "graph_fixture.h"

static struct status st;
static struct arena arena;

static struct tensor parse(const char *text)
{
    struct pb_tensor_proto *p;
    struct tensor t = {0};

    assert_true(pb_tensor_proto_parse(&arena, text, strlen(text), &p, &st));
    if (!tensor_from_proto(p, &t, &st))
        fail_msg("%s: %s", text, status_message(&st));
    return t;
}

static void prints(const char *text, const char *want)
{
    struct tensor t = parse(text);
    struct strbuf b = {0};

    tensor_summarize(&t, 20, &b);
    assert_string_equal(strbuf_text(&b), want);
    strbuf_release(&b);
    tensor_clear(&t);
}

/* Not every type is printed. */
static void same_bits(const char *text, int want)
{
    struct tensor t = parse(text);
    int32_t got = want;

    memcpy(&got, t.data, tensor_bytes(&t));
    assert_int_equal(got, want);
    tensor_clear(&t);
}

/* Two equal complex numbers. */
static void same_floats(const char *text, float re, float im)
{
    struct tensor t = parse(text);
    const struct c64 *v = t.data;

    assert_true(v[0].re == re && v[0].im == im && v[1].re == re && v[1].im == im);
    tensor_clear(&t);
}

static void refuses(const char *text, const char *message)
{
    struct pb_tensor_proto *p;
    struct tensor t = {0};

    assert_true(pb_tensor_proto_parse(&arena, text, strlen(text), &p, &st));
    assert_false(tensor_from_proto(p, &t, &st));
    assert_int_equal(t.dtype, DT_INVALID);
    t_want_error(&st, STATUS_INVALID_ARGUMENT, message);
}

#define VEC(n) "tensor_shape{dim{size:" #n "}}"

static void test_convert__value_lists_of_every_type(void **state UNUSED)
{
    prints("dtype:DT_FLOAT float_val:1.5", "1.5");
    prints("dtype:DT_DOUBLE " VEC(3) " double_val:1 double_val:2", "1 2 2");
    prints("dtype:DT_INT32 " VEC(4) " int_val:7", "7 7 7 7");
    prints("dtype:DT_INT32 " VEC(2), "0 0");
    prints("dtype:DT_INT32 " VEC(2) " int_val:1 int_val:2 int_val:3", "1 2");
    prints("dtype:DT_INT16 int_val:-5", "-5");
    prints("dtype:DT_INT8 int_val:-5", "-5");
    prints("dtype:DT_UINT8 int_val:250", "250");
    prints("dtype:DT_UINT16 int_val:65535", "65535");
    same_bits("dtype:DT_QINT8 int_val:-3", -3);
    same_bits("dtype:DT_QUINT8 int_val:3", 3);
    same_bits("dtype:DT_QINT16 int_val:-3", -3);
    same_bits("dtype:DT_QUINT16 int_val:3", 3);
    same_bits("dtype:DT_QINT32 int_val:3", 3);
    prints("dtype:DT_INT64 int64_val:-9000000000", "-9000000000");
    prints("dtype:DT_UINT32 uint32_val:4000000000", "4000000000");
    prints("dtype:DT_UINT64 uint64_val:18000000000000000000", "18000000000000000000");
    prints("dtype:DT_BOOL " VEC(2) " bool_val:true bool_val:false", "1 0");
    same_bits("dtype:DT_HALF half_val:15360", 15360);
    same_bits("dtype:DT_BFLOAT16 half_val:16256", 16256);
    same_floats("dtype:DT_COMPLEX64 " VEC(2) " scomplex_val:1 scomplex_val:2", 1, 2);
    prints("dtype:DT_STRING " VEC(3) " string_val:'a' string_val:'bc'", "a bc bc");
    prints("dtype:DT_FLOAT " VEC(0) " float_val:1", "");
    same_floats("dtype:DT_COMPLEX64 " VEC(2), 0, 0);
}

static void test_convert__raw_bytes(void **state UNUSED)
{
    prints("dtype:DT_INT32 " VEC(2) " tensor_content:'\\001\\000\\000\\000\\377\\377\\377\\377'",
           "1 -1");
    prints("dtype:DT_BOOL " VEC(2) " tensor_content:'\\002\\000'", "1 0");
    prints("dtype:DT_STRING " VEC(2) " tensor_content:'\\001\\002abc'", "a bc");
    refuses("dtype:DT_INT32 " VEC(2) " tensor_content:'\\001\\000\\000'", "2 elements of int32");
    refuses("dtype:DT_STRING " VEC(2) " tensor_content:'\\001\\003abc'", "strings");
    refuses("dtype:DT_STRING " VEC(2) " tensor_content:'\\001\\002abcd'", "strings");
    refuses("dtype:DT_STRING " VEC(2) " tensor_content:'\\377\\377\\377\\377\\377'", "strings");
    refuses("dtype:DT_RESOURCE tensor_content:'abcd'", "raw bytes");
}

static void test_convert__hostile_tensors(void **state UNUSED)
{
    refuses("dtype:77", "dtype is 77");
    refuses("dtype:DT_INVALID", "dtype is 0");
    refuses("dtype:DT_FLOAT_REF", "dtype is 101");
    refuses("dtype:DT_FLOAT tensor_shape{unknown_rank:true}", "not fully known");
    refuses("dtype:DT_FLOAT " VEC(-1), "not fully known");
    refuses("dtype:DT_FLOAT " VEC(-2), "-2");
    refuses("dtype:DT_FLOAT tensor_shape{dim{size:5000000000} dim{size:5000000000}}", "2^63");
    struct pb_tensor_proto *p = pb_tensor_proto_new(&arena);
    struct tensor t = {0};

    p->dtype = DT_FLOAT;
    p->tensor_shape = pb_tensor_shape_proto_new(&arena);
    pb_tensor_shape_proto_dim_add(&arena, &p->tensor_shape->dim)->size = INT64_MAX / 8;
    assert_false(tensor_from_proto(p, &t, &st));
    t_want_error(&st, STATUS_RESOURCE_EXHAUSTED, "");
    for (int i = 0; i < 300; i++)
        pb_tensor_shape_proto_dim_add(&arena, &p->tensor_shape->dim)->size = 1;
    assert_false(tensor_from_proto(p, &t, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "301 dimensions");
}

static void same_again(const struct tensor *t)
{
    struct pb_tensor_proto *p = tensor_to_proto(&arena, t);
    struct strbuf bytes = {0};
    struct tensor back = {0};

    assert_true(pb_encode(p, &bytes, &st));
    assert_true(pb_tensor_proto_decode(&arena, bytes.p, bytes.n, 0, &p, &st));
    assert_true(tensor_from_proto(p, &back, &st));
    struct attr_value a = attr_tensor(t), b = attr_tensor(&back);

    if (t->dtype != DT_RESOURCE)
        assert_true(attr_value_equal(&a, &b));
    attr_value_clear(&a);
    attr_value_clear(&b);
    tensor_clear(&back);
    strbuf_release(&bytes);
}

static void test_convert__tensors_survive_the_round_trip(void **state UNUSED)
{
    static const int64_t counts[] = {0, 1, 5, 3000};

    for (int type = 1; type < DT_NUM; type++) {
        for (size_t k = 0; k < ARRAY_LEN(counts) && !dtype_is_managed(type); k++) {
            struct shape s = shape_1(counts[k]);
            struct tensor t = {0};

            assert_true(tensor_new(&t, type, &s, &st));
            for (size_t i = 0; i < tensor_bytes(&t); i++)
                ((uint8_t *)t.data)[i] = type == DT_BOOL ? i % 3 == 0 : (uint8_t)(i * 7 + 1);
            same_again(&t);
            if (t.num_elems) /* all equal: written as one */
                memset(t.data, type == DT_BOOL ? 1 : 0xa5, tensor_bytes(&t));
            same_again(&t);
            tensor_clear(&t);
        }
    }
    struct tensor t = parse("dtype:DT_STRING " VEC(3) " string_val:'' string_val:'a\\000b'");

    same_again(&t);
    tensor_clear(&t);
    t = parse("dtype:DT_RESOURCE resource_handle_val{device:'d' container:'c' name:'n' hash_code:5 "
              "maybe_type_name:'t' dtypes_and_shapes{dtype:DT_FLOAT shape{dim{size:2}}}}");
    same_again(&t);
    const struct handle *h = *(struct handle *const *)t.data;

    assert_string_equal(h->name, "n");
    assert_int_equal(h->num_parts, 1);
    tensor_clear(&t);
    t = parse("dtype:DT_VARIANT " VEC(2) " variant_val{type_name:'mine' metadata:'\\001'}");
    struct pb_tensor_proto *p = tensor_to_proto(&arena, &t);

    assert_int_equal(p->variant_val.n, 2);
    assert_true(str_is(p->variant_val.v[1]->type_name, "mine"));
    assert_int_equal(p->variant_val.v[1]->metadata.n, 1);
    tensor_clear(&t);
}

static void test_convert__equal_elements_are_written_once(void **state UNUSED)
{
    struct tensor t = parse("dtype:DT_FLOAT " VEC(1000) " float_val:-0.0");
    struct pb_tensor_proto *p = tensor_to_proto(&arena, &t);

    assert_int_equal(p->float_val.n, 1);
    assert_int_equal(p->tensor_content.n, 0);
    tensor_f32(&t)[999] = 0.0f; /* equal as numbers, not as bits */
    p = tensor_to_proto(&arena, &t);
    assert_int_equal(p->tensor_content.n, 4000);
    tensor_clear(&t);
}

static void attr_again(const char *text, int kind, bool is_list)
{
    struct pb_attr_value *p;
    struct attr_value v, w;

    assert_true(pb_attr_value_parse(&arena, text, strlen(text), &p, &st));
    assert_true(attr_from_proto(p, &v, &st));
    assert_int_equal(v.kind, kind);
    assert_int_equal(v.is_list, is_list);
    assert_true(attr_from_proto(attr_to_proto(&arena, &v), &w, &st));
    assert_true(attr_value_equal(&v, &w));
    attr_value_clear(&v);
    attr_value_clear(&w);
}

static void test_convert__attrs_of_every_kind(void **state UNUSED)
{
    attr_again("s:'a\\000b'", ATTR_STRING, false);
    attr_again("i:-5", ATTR_INT, false);
    attr_again("f:1.5", ATTR_FLOAT, false);
    attr_again("b:true", ATTR_BOOL, false);
    attr_again("type:DT_HALF", ATTR_TYPE, false);
    attr_again("shape{unknown_rank:true}", ATTR_SHAPE, false);
    attr_again("shape{dim{size:1}dim{size:2}dim{size:3}dim{size:4}dim{size:5}dim{size:-1}}",
               ATTR_SHAPE, false);
    attr_again("tensor{dtype:DT_INT32 int_val:3}", ATTR_TENSOR, false);
    attr_again("placeholder:'T'", ATTR_PLACEHOLDER, false);
    attr_again("func{name:'f' attr{key:'a' value{func{name:'g'}}}}", ATTR_FUNC, false);
    attr_again("list{s:'a' s:''}", ATTR_STRING, true);
    attr_again("list{i:1 i:2}", ATTR_INT, true);
    attr_again("list{f:1}", ATTR_FLOAT, true);
    attr_again("list{b:false}", ATTR_BOOL, true);
    attr_again("list{type:DT_FLOAT type:DT_INT32}", ATTR_TYPE, true);
    attr_again("list{shape{} shape{dim{size:7}}}", ATTR_SHAPE, true);
    attr_again("list{tensor{dtype:DT_STRING string_val:'x'}}", ATTR_TENSOR, true);
    attr_again("list{func{name:'f'}}", ATTR_FUNC, true);
    attr_again("list{}", ATTR_NONE, true);
    attr_again("", ATTR_NONE, false);
    struct pb_attr_value *p;
    struct attr_value v;
    const char *mixed = "list{i:1 f:2}";

    assert_true(pb_attr_value_parse(&arena, mixed, strlen(mixed), &p, &st));
    assert_false(attr_from_proto(p, &v, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "several kinds");
}

/* Every op that there is survives as a message. */
static bool op_again(const struct op *op, void *num)
{
    struct pb_op_def *p = op_to_proto(&arena, op);
    struct op *back = op_from_proto(p, &st);

    if (!back)
        fail_msg("%s: %s", op->name, status_message(&st));
    struct strbuf a = {0}, b = {0};

    op_print(op, &a);
    op_print(back, &b);
    assert_string_equal(strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    struct strbuf once = {0}, twice = {0};

    assert_true(pb_encode(p, &once, &st));
    assert_true(pb_encode(op_to_proto(&arena, back), &twice, &st));
    assert_int_equal(once.n, twice.n);
    assert_memory_equal(once.p, twice.p, once.n);
    strbuf_release(&once);
    strbuf_release(&twice);
    op_free(back);
    ++*(int *)num;
    return true;
}

static void test_convert__ops(void **state UNUSED)
{
    int num = 0;

    op_each(op_again, &num);
    assert_true(num >= 20);
}

static void bad_op(const char *text, const char *message)
{
    struct pb_op_def *p;

    assert_true(pb_op_def_parse(&arena, text, strlen(text), &p, &st));
    assert_null(op_from_proto(p, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, message);
}

static void test_convert__bad_ops(void **state UNUSED)
{
    bad_op("", "no name");
    bad_op("name:'F' input_arg{name:'x'}", "needs one of type");
    bad_op("name:'F' input_arg{name:'x' type:DT_FLOAT type_attr:'T'}", "needs one of type");
    bad_op("name:'F' input_arg{name:'x' type_attr:'T'}", "no fitting attr 'T'");
    bad_op("name:'F' input_arg{name:'x' type:55}", "no such type: 55");
    bad_op("name:'F' attr{name:'N' type:'float'} output_arg{name:'x' type:DT_FLOAT "
           "number_attr:'N'}",
           "no fitting attr 'N'");
    bad_op("name:'F' attr{name:'N' type:'number'}", "'number' is not the type of an attr");
    bad_op("name:'F' attr{name:'N' type:'int' default_value{f:1}}", "default is of another kind");
    bad_op("name:'F' attr{name:'N' type:'type' allowed_values{i:1}}", "no list");
}

static int clean(void **state UNUSED)
{
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convert__value_lists_of_every_type),
        cmocka_unit_test(test_convert__raw_bytes),
        cmocka_unit_test(test_convert__hostile_tensors),
        cmocka_unit_test(test_convert__tensors_survive_the_round_trip),
        cmocka_unit_test(test_convert__equal_elements_are_written_once),
        cmocka_unit_test(test_convert__attrs_of_every_kind),
        cmocka_unit_test(test_convert__ops),
        cmocka_unit_test(test_convert__bad_ops),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, clean);
}
