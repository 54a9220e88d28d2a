/* SPDX-License-Identifier: Apache-2.0 */
/* The text form: what is printed, and all the spellings that are read. The expected texts are what
 * protobuf's text_format prints for the same messages. */
#include <math.h>

#include "proto_test.h"

static void expect_text(const void *msg, const char *want)
{
    struct strbuf b = {0};
    ASSERT_OK(pb_text_print(msg, &b, st));
    assert_string_equal(strbuf_text(&b), want);
    strbuf_release(&b);
}

/* The text is read and prints as want. */
static void expect_read(const struct pb_desc *d, const char *text, const char *want)
{
    struct arena a = {0};
    void *m;
    ASSERT_OK(pb_text_parse(&a, d, text, strlen(text), &m, st));
    expect_text(m, want);
    arena_release(&a);
}

static void expect_error(const struct pb_desc *d, const char *text, const char *message)
{
    struct arena a = {0};
    void *m;
    ASSERT_FAILS(pb_text_parse(&a, d, text, strlen(text), &m, st), STATUS_INVALID_ARGUMENT,
                 message);
    assert_null(m);
    arena_release(&a);
}

static void test_text__prints_messages(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_graph_def *g = pb_graph_def_new(&a);
    struct pb_node_def *n = pb_node_def_add(&a, &g->node);
    pb_set_str(&a, &n->name, "x");
    pb_add_str(&a, &n->input, str_of("a"));
    pb_add_str(&a, &n->input, str_of("^b"));
    struct pb_node_def_attr_entry *e =
        pb_map_put(&a, &n->attr, &pb_node_def_attr_entry_desc, str_of("shape"));
    e->value->which_value = 7;
    e->value->shape = pb_tensor_shape_proto_new(&a);
    e->value->shape->unknown_rank = true;
    e = pb_map_put(&a, &n->attr, &pb_node_def_attr_entry_desc, str_of("dtype"));
    e->value->which_value = 6;
    e->value->type = PB_DATA_TYPE_DT_FLOAT;
    pb_map_put(&a, &n->attr, &pb_node_def_attr_entry_desc, str_of(""));
    g->versions = pb_version_def_new(&a);
    expect_text(g, "node {\n  name: \"x\"\n  input: \"a\"\n  input: \"^b\"\n"
                   "  attr {\n    value {\n    }\n  }\n"
                   "  attr {\n    key: \"dtype\"\n    value {\n      type: DT_FLOAT\n    }\n  }\n"
                   "  attr {\n    key: \"shape\"\n    value {\n      shape {\n"
                   "        unknown_rank: true\n      }\n    }\n  }\n}\nversions {\n}\n");
    arena_release(&a);
}

static void test_text__prints_numbers(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_tensor_proto *t = pb_tensor_proto_new(&a);
    static const double doubles[] = {1.0,
                                     0.1,
                                     1e16,
                                     1e15,
                                     123456789012345678.0,
                                     -0.0,
                                     1e-5,
                                     1.25e-4,
                                     5e-324,
                                     1.7976931348623157e308,
                                     0x1p-44,
                                     INFINITY,
                                     -2.5,
                                     1e22,
                                     9999999999999998.0,
                                     0x1p-1074 * 100};
    for (size_t i = 0; i < ARRAY_LEN(doubles); i++)
        pb_add_f64(&a, &t->double_val, doubles[i]);
    pb_add_f64(&a, &t->double_val, (double)NAN);
    expect_text(t, "double_val: 1.0\ndouble_val: 0.1\ndouble_val: 1e+16\n"
                   "double_val: 1000000000000000.0\ndouble_val: 1.2345678901234568e+17\n"
                   "double_val: -0.0\ndouble_val: 1e-05\ndouble_val: 0.000125\ndouble_val: 5e-324\n"
                   "double_val: 1.7976931348623157e+308\ndouble_val: 5.684341886080802e-14\n"
                   "double_val: inf\ndouble_val: -2.5\ndouble_val: 1e+22\n"
                   "double_val: 9999999999999998.0\ndouble_val: 4.94e-322\ndouble_val: nan\n");
    t = pb_tensor_proto_new(&a);
    static const float floats[] = {0.1f, 1.0f, 16777216.0f, 3.4028235e38f, 1e-45f, -INFINITY};
    for (size_t i = 0; i < ARRAY_LEN(floats); i++)
        pb_add_f32(&a, &t->float_val, floats[i]);
    t->version_number = -7;
    expect_text(t, "version_number: -7\nfloat_val: 0.1\nfloat_val: 1.0\nfloat_val: 16777216.0\n"
                   "float_val: 3.4028235e+38\nfloat_val: 1.4013e-45\nfloat_val: -inf\n");
    arena_release(&a);
}

static void test_text__prints_bytes_and_unknown_enums(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_tensor_proto *t = pb_tensor_proto_new(&a);
    t->dtype = 999;
    t->tensor_content = str_make(BYTES("\0\n\r\t\"'\\\x7f\xff?z\x01"
                                       "1"));
    expect_text(t, "dtype: 999\n"
                   "tensor_content: \"\\000\\n\\r\\t\\\"\\'\\\\\\177\\377?z\\0011\"\n");
    arena_release(&a);
}

static void test_text__reads_messages_in_all_spellings(void **state UNUSED)
{
    const struct pb_desc *g = &pb_graph_def_desc;
    static const char want[] = "node {\n  name: \"a\"\n}\nnode {\n  name: \"b\"\n}\n";
    expect_read(g, "node { name: \"a\" } node < name: 'b' >", want);
    expect_read(g, "node: { name: \"a\" }, node: { name: \"b\" };", want);
    expect_read(g, "node [ { name: \"a\" }, < name: \"b\" > ]", want);
    expect_read(g, "node: [ { name: \"a\" }, { name: \"b\" } ]", want);
    expect_read(g, "# nodes\nnode{name:\"a\"}#first\nnode{name:\"b\"}# and last", want);
    expect_read(g, "node []", "");
    expect_read(g, "", "");
    expect_read(g, "# nothing", "");
}

static void test_text__reads_numbers(void **state UNUSED)
{
    const struct pb_desc *t = &pb_tensor_proto_desc;
    expect_read(t, "int_val: [1, -2, 0x10, 010, - 3] int_val: -2147483648",
                "int_val: 1\nint_val: -2\nint_val: 16\nint_val: 8\nint_val: -3\n"
                "int_val: -2147483648\n");
    expect_read(t, "float_val: [1, 1.5f, .5, 1e3, -inf, nan, INFINITY, -1F, 1.]",
                "float_val: 1.0\nfloat_val: 1.5\nfloat_val: 0.5\nfloat_val: 1000.0\n"
                "float_val: -inf\nfloat_val: nan\nfloat_val: inf\nfloat_val: -1.0\n"
                "float_val: 1.0\n");
    expect_read(t, "float_val: 1e39 float_val: 3.4028235e38 float_val: 1e-60 float_val: 010",
                "float_val: inf\nfloat_val: 3.4028235e+38\nfloat_val: 0.0\nfloat_val: 10.0\n");
    expect_read(t, "double_val: 1e400 double_val: -1e400 double_val: 1e-400",
                "double_val: inf\ndouble_val: -inf\ndouble_val: 0.0\n");
    expect_read(t, "bool_val: [true, t, True, 1, 0, f, False]",
                "bool_val: true\nbool_val: true\nbool_val: true\nbool_val: true\n"
                "bool_val: false\nbool_val: false\nbool_val: false\n");
    expect_read(t, "uint64_val: 18446744073709551615 int64_val: -9223372036854775808",
                "int64_val: -9223372036854775808\nuint64_val: 18446744073709551615\n");
    expect_read(t, "dtype: DT_HALF", "dtype: DT_HALF\n");
    expect_read(t, "dtype: 19", "dtype: DT_HALF\n");
    expect_read(t, "dtype: -5", "dtype: -5\n");
}

static void test_text__reads_strings(void **state UNUSED)
{
    const struct pb_desc *t = &pb_tensor_proto_desc;
    expect_read(t, "string_val: \"a\" 'b'\n\"c\" string_val: [\"d\" \"e\", \"f\"]",
                "string_val: \"abc\"\nstring_val: \"de\"\nstring_val: \"f\"\n");
    expect_read(t, "string_val: '\\x41\\101\\n\\0019\\xff\\?\\'\\\"\"'",
                "string_val: \"AA\\n\\0019\\377?\\'\\\"\\\"\"\n");
    expect_read(t, "string_val: '\\u00e9\\U0001F600\\ud83d\\ude00'",
                "string_val: \"\\303\\251\\360\\237\\230\\200\\360\\237\\230\\200\"\n");
    expect_read(t, "string_val: ''", "string_val: \"\"\n");
}

static void test_text__reads_maps(void **state UNUSED)
{
    expect_read(&pb_config_proto_desc,
                "device_count { key: \"CPU\" value: 4 } device_count: [{key: \"A\"}, "
                "{value: 2, key: \"CPU\"}] allow_soft_placement: true",
                "device_count {\n  key: \"A\"\n}\ndevice_count {\n  key: \"CPU\"\n  value: 2\n}\n"
                "allow_soft_placement: true\n");
    struct arena a = {0};
    struct pb_node_def *n;
    ASSERT_OK(pb_node_def_parse(&a, BYTES("attr { key: 'k' }"), &n, st));
    assert_non_null(n->attr.v[0]->value);
    arena_release(&a);
}

static void test_text__any_of_a_known_type_is_open(void **state UNUSED)
{
    static const char text[] = "any_info {\n"
                               "  [type.googleapis.com/tensorflow.TensorProto] {\n"
                               "    dtype: DT_INT8\n  }\n}\n";
    struct arena a = {0};
    struct pb_meta_graph_def_meta_info_def *m;
    ASSERT_OK(pb_meta_graph_def_meta_info_def_parse(&a, BYTES(text), &m, st));
    assert_str(m->any_info->type_url, "type.googleapis.com/tensorflow.TensorProto");
    assert_str(m->any_info->value, "\x08\x06");
    expect_text(m, text);
    m->any_info->value = str_of("\x08"); /* no such message: shown as it is */
    expect_text(m->any_info,
                "type_url: \"type.googleapis.com/tensorflow.TensorProto\"\nvalue: \"\\010\"\n");
    expect_error(&pb_any_desc, "[x/tensorflow.Nope] { }", "no message type is known as");
    expect_error(&pb_graph_def_desc, "[x/y] { }", "has no extensions");
    arena_release(&a);
}

static void test_text__errors_name_line_and_column(void **state UNUSED)
{
    const struct pb_desc *g = &pb_graph_def_desc, *t = &pb_tensor_proto_desc;
    expect_error(g, "node {\n  nam: 1 }",
                 "Error parsing text-format tensorflow.GraphDef: 2:3: Message type "
                 "\"tensorflow.NodeDef\" has no field named \"nam\".");
    expect_error(g, "versions { producer 1 }", "1:21: expected \":\", found \"1\"");
    expect_error(g, "versions { producer: 3000000000 }", "1:22: 3000000000 does not fit field");
    expect_error(g, "versions { producer: 1.0 }", "expected an integer, found \"1.0\"");
    expect_error(g, "versions { bad_consumers: [1, 2,] }", "1:33: expected an integer");
    expect_error(g, "versions { producer: 08 }", "08 does not fit");
    expect_error(g, "versions { producer: 1a }", "1:22: a number runs into other text");
    expect_error(g, "versions { producer: 0 producer: 2 }", "specified multiple times");
    expect_error(g, "versions { } versions { }", "specified multiple times");
    expect_error(g, "node { attr { key: 'a' value { i: 1 f: 2 } } }",
                 "Field \"f\" is specified along with field \"i\", another member of oneof");
    expect_error(g, "node { name: \"a }", "1:14: a string is not closed");
    expect_error(g, "node { name: \"a\\", "a string is not closed");
    expect_error(g, "node { name: '\\q' }", "unknown escape");
    expect_error(g, "node { name: '\\ud800' }", "no such character");
    expect_error(g, "node { name: '\\xff' }", "\"name\" is not UTF-8");
    expect_error(g, "node { ", "1:8: expected \"}\", found the end of the text");
    expect_error(g, "node { >", "expected a field name, found \">\"");
    expect_error(g, "node < }", "expected a field name, found \"}\"");
    expect_error(g, "node", "expected \"{\", found the end");
    expect_error(g, "}", "1:1: expected a field name");
    expect_error(g, "\xef\xbb\xbf", "found \"?\"");
    expect_error(t, "double_val: 0x10", "expected a decimal number");
    expect_error(t, "double_val: --1", "expected a number, found \"-\"");
    expect_error(t, "bool_val: 2", "expected true or false");
    expect_error(t, "uint32_val: -1", "-1 does not fit");
    expect_error(t, "uint64_val: 18446744073709551616", "does not fit");
    expect_error(t, "dtype: DT_NONE", "Enum type \"tensorflow.DataType\" has no value named");
    expect_error(t, "dtype: DT_INT8;; version_number: 1", "1:16: expected a field name");
    expect_error(t, "int_val: [[1]]", "expected an integer");
}

static void test_text__nesting_is_bounded(void **state UNUSED)
{
    struct strbuf b = {0};
    for (int i = 0; i < 50000; i++)
        strbuf_puts(&b, "list_value { values {");
    expect_error(&pb_structured_value_desc, b.p, "nested more than 100 deep");
    strbuf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__prints_messages),
        cmocka_unit_test(test_text__prints_numbers),
        cmocka_unit_test(test_text__prints_bytes_and_unknown_enums),
        cmocka_unit_test(test_text__reads_messages_in_all_spellings),
        cmocka_unit_test(test_text__reads_numbers),
        cmocka_unit_test(test_text__reads_strings),
        cmocka_unit_test(test_text__reads_maps),
        cmocka_unit_test(test_text__any_of_a_known_type_is_open),
        cmocka_unit_test(test_text__errors_name_line_and_column),
        cmocka_unit_test(test_text__nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
