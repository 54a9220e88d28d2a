/* SPDX-License-Identifier: Apache-2.0 */
/* The binary writer: what is written, in which order, and in how many pieces. */
#include "base/mem.h"

#include "proto_test.h"

static void expect_bytes(const void *msg, const char *want, size_t n)
{
    struct strbuf b = {0};
    ASSERT_OK(pb_encode(msg, &b, st));
    assert_int_equal(b.n, n);
    if (n > 0)
        assert_memory_equal(b.p, want, n);
    assert_int_equal(pb_encoded_size(msg), n);
    strbuf_release(&b);
}

static void test_encode__defaults_are_left_out(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_node_def *n = pb_node_def_new(&a);
    expect_bytes(n, "", 0);
    pb_set_str(&a, &n->op, "Add");
    pb_set_str(&a, &n->name, "");
    expect_bytes(n, BYTES("\x12\x03"
                          "Add"));
    struct pb_histogram_proto *h = pb_histogram_proto_new(&a);
    h->min = -0.0; /* is not the default: its sign is */
    expect_bytes(h, BYTES("\x09\0\0\0\0\0\0\0\x80"));
    arena_release(&a);
}

static void test_encode__members_of_oneofs_and_empty_messages_are_written(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_attr_value *v = pb_attr_value_new(&a);
    v->which_value = 3;
    expect_bytes(v, BYTES("\x18\x00"));
    v->which_value = 2;
    expect_bytes(v, BYTES("\x12\x00"));
    v->which_value = 7; /* a message that was not made: an empty one */
    expect_bytes(v, BYTES("\x3a\x00"));
    struct pb_graph_def *g = pb_graph_def_new(&a);
    pb_node_def_add(&a, &g->node);
    g->versions = pb_version_def_new(&a);
    expect_bytes(g, BYTES("\x0a\x00\x22\x00"));
    arena_release(&a);
}

static void test_encode__numbers(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_tensor_proto *t = pb_tensor_proto_new(&a);
    t->dtype = PB_DATA_TYPE_DT_INT32;
    pb_add_i32(&a, &t->int_val, -1);
    pb_add_i32(&a, &t->int_val, 300);
    pb_add_f32(&a, &t->float_val, 1.0f);
    pb_add_bool(&a, &t->bool_val, true);
    expect_bytes(t, BYTES("\x08\x03\x2a\x04\0\0\x80\x3f\x3a\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                          "\x01\xac\x02\x5a\x01\x01"));
    struct pb_device_attributes *d = pb_device_attributes_new(&a);
    d->incarnation = 0x0102030405060708;
    expect_bytes(d, BYTES("\x31\x08\x07\x06\x05\x04\x03\x02\x01"));
    struct pb_structured_value *s = pb_structured_value_new(&a);
    s->which_kind = 12;
    s->int64_value = INT64_MIN;
    expect_bytes(s, BYTES("\x60\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    arena_release(&a);
}

static void test_encode__maps_in_order_of_the_list_or_of_keys(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_job_def *j = pb_job_def_new(&a);
    static const int keys[] = {7, -3, 0};
    for (int i = 0; i < 3; i++) {
        struct pb_job_def_tasks_entry *e = pb_job_def_tasks_entry_add(&a, &j->tasks);
        e->key = keys[i];
    }
    static const char unsorted[] = "\x12\x04\x08\x07\x12\x00"
                                   "\x12\x0d\x08\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x00"
                                   "\x12\x04\x08\x00\x12\x00";
    static const char sorted[] = "\x12\x0d\x08\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x00"
                                 "\x12\x04\x08\x00\x12\x00"
                                 "\x12\x04\x08\x07\x12\x00";
    expect_bytes(j, BYTES(unsorted));
    struct strbuf b = {0};
    ASSERT_OK(pb_encode_with(j, PB_DETERMINISTIC, &b, st));
    assert_int_equal(b.n, sizeof sorted - 1);
    assert_memory_equal(b.p, sorted, b.n);
    strbuf_release(&b);
    arena_release(&a);
}

static void test_encode__text_keys_sort_by_bytes(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_node_def *n = pb_node_def_new(&a);
    static const char *const keys[] = {"b", "", "\xc3\xa9", "ab", "a"};
    static const char *const want[] = {"", "a", "ab", "b", "\xc3\xa9"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct pb_node_def_attr_entry *e =
            pb_map_put(&a, &n->attr, &pb_node_def_attr_entry_desc, str_of(keys[i]));
        assert_non_null(e->value);
        assert_ptr_equal(e, pb_map_put(&a, &n->attr, &pb_node_def_attr_entry_desc, e->key));
    }
    assert_int_equal(n->attr.n, ARRAY_LEN(keys));
    assert_null(pb_map_find(&n->attr, str_of("c")));
    struct strbuf b = {0};
    ASSERT_OK(pb_encode_with(n, PB_DETERMINISTIC, &b, st));
    struct pb_node_def *back;
    ASSERT_OK(pb_node_def_decode(&a, b.p, b.n, 0, &back, st));
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        assert_str(back->attr.v[i]->key, want[i]);
    strbuf_release(&b);
    arena_release(&a);
}

static void test_encode__appends(void **state UNUSED)
{
    struct arena a = {0};
    struct strbuf b = {0};
    struct pb_version_def *v = pb_version_def_new(&a);
    v->producer = 1;
    for (int i = 0; i < 100; i++)
        ASSERT_OK(pb_encode(v, &b, st));
    assert_int_equal(b.n, 200);
    assert_memory_equal(b.p + 198, "\x08\x01", 3); /* and a NUL */
    strbuf_release(&b);
    arena_release(&a);
}

static void test_encode__lists_of_the_callers_are_copied_to_grow(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_int64_list *l = pb_int64_list_new(&a);
    int64_t mine[] = {5, 6, 7};
    l->value = (struct pb_i64s){.v = mine, .n = 3};
    pb_add_i64(&a, &l->value, 8);
    assert_ptr_not_equal(l->value.v, mine);
    expect_bytes(l, BYTES("\x0a\x04\x05\x06\x07\x08"));
    arena_release(&a);
}

static void test_encode__parts_leave_large_bytes_where_they_are(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_tensor_proto *t = pb_tensor_proto_new(&a);
    size_t n = 1 << 20;
    char *content = mem_zalloc(n);
    memset(content, 7, n);
    t->dtype = 1;
    t->tensor_content = str_make(content, n);
    struct str large = str_make(content, 70000);
    t->string_val = (struct pb_strs){.v = &large, .n = 1};
    pb_add_f32(&a, &t->float_val, 2);
    struct pb_strs parts = {0};
    ASSERT_OK(pb_encode_parts(&a, t, 0, &parts, st));
    assert_int_equal(parts.n, 4);
    assert_ptr_equal(parts.v[1].p, content);
    assert_ptr_equal(parts.v[3].p, content);
    struct strbuf joined = {0}, whole = {0};
    for (int64_t i = 0; i < parts.n; i++)
        strbuf_add(&joined, parts.v[i].p, parts.v[i].n);
    ASSERT_OK(pb_encode(t, &whole, st));
    assert_int_equal(joined.n, whole.n);
    assert_memory_equal(joined.p, whole.p, whole.n);
    strbuf_release(&joined);
    strbuf_release(&whole);
    mem_free(content);
    arena_release(&a);
}

static void test_encode__lengths_beyond_4_gib_are_measured(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_named_tensor_proto *t = pb_named_tensor_proto_new(&a);
    t->tensor = pb_tensor_proto_new(&a);
    static const char byte = 1;
    /* Only measured, never read. 5e9 takes 5 bytes as a varint, and so does what it lies in. */
    t->tensor->tensor_content = str_make(&byte, 5000000000u);
    assert_true(pb_encoded_size(t) == 5000000000 + 2 * (1 + 5));
    arena_release(&a);
}

static void test_encode__nesting_is_bounded(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_structured_value *top = pb_structured_value_new(&a), *v = top;
    for (int i = 0; i < 51; i++) {
        v->which_kind = 51;
        v->list_value = pb_list_value_new(&a);
        v = pb_structured_value_add(&a, &v->list_value->values);
    }
    struct strbuf b = {0};
    strbuf_puts(&b, "before");
    ASSERT_FAILS(pb_encode(top, &b, st), STATUS_INVALID_ARGUMENT, "nested more than 100 deep");
    assert_string_equal(b.p, "before");
    ASSERT_FAILS(pb_text_print(top, &b, st), STATUS_INVALID_ARGUMENT, "nested more than 100 deep");
    assert_int_equal(pb_encoded_size(top), -1);
    void *copy;
    ASSERT_FAILS(pb_dup(&a, top, &copy, st), STATUS_INVALID_ARGUMENT, "nested more than 100 deep");
    strbuf_release(&b);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode__defaults_are_left_out),
        cmocka_unit_test(test_encode__members_of_oneofs_and_empty_messages_are_written),
        cmocka_unit_test(test_encode__numbers),
        cmocka_unit_test(test_encode__maps_in_order_of_the_list_or_of_keys),
        cmocka_unit_test(test_encode__text_keys_sort_by_bytes),
        cmocka_unit_test(test_encode__appends),
        cmocka_unit_test(test_encode__lists_of_the_callers_are_copied_to_grow),
        cmocka_unit_test(test_encode__parts_leave_large_bytes_where_they_are),
        cmocka_unit_test(test_encode__lengths_beyond_4_gib_are_measured),
        cmocka_unit_test(test_encode__nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
