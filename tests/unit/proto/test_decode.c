/* SPDX-License-Identifier: Apache-2.0 */
/* The binary reader: what it makes of well-formed bytes in all their spellings, and what it says to
 * broken ones. */
#include "proto_test.h"

static void test_decode__fields_of_every_kind(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_node_def *n;
    static const char bytes[] = "\x0a\x01x\x12\x05"
                                "Const\x1a\x02"
                                "a0\x1a\x02^b\x2a\x0d\x0a\x05"
                                "dtype\x12\x04\x30\x01\x18\x02";
    ASSERT_OK(pb_node_def_decode(&a, bytes, sizeof bytes - 1, 0, &n, st));
    assert_str(n->name, "x");
    assert_str(n->op, "Const");
    assert_int_equal(n->input.n, 2);
    assert_str(n->input.v[1], "^b");
    assert_int_equal(n->attr.n, 1);
    assert_str(n->attr.v[0]->key, "dtype");
    /* two members of a oneof: the last one is set, the other cleared */
    assert_int_equal(n->attr.v[0]->value->which_value, 3);
    assert_int_equal(n->attr.v[0]->value->i, 2);
    assert_int_equal(n->attr.v[0]->value->type, 0);
    assert_null(n->experimental_debug_info);
    arena_release(&a);
}

static void test_decode__packed_and_unpacked_numbers(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_tensor_proto *t;
    ASSERT_OK(pb_tensor_proto_decode(
        &a, BYTES("\x3a\x03\x01\xac\x02\x38\x07\x2a\x04\0\0\x80\x3f\x2d\0\0\0\x40"), 0, &t, st));
    assert_int_equal(t->int_val.n, 3);
    assert_int_equal(t->int_val.v[1], 300);
    assert_int_equal(t->int_val.v[2], 7);
    assert_int_equal(t->float_val.n, 2);
    assert_true(t->float_val.v[0] == 1.0f && t->float_val.v[1] == 2.0f);
    arena_release(&a);
}

static void test_decode__negative_and_cut_numbers(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_version_def *v;
    /* -1 in ten bytes, and a number of 40 bits for an int32 */
    ASSERT_OK(pb_version_def_decode(&a,
                                    BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                          "\x10\x85\x80\x80\x80\x80\x01"),
                                    0, &v, st));
    assert_int_equal(v->producer, -1);
    assert_int_equal(v->min_consumer, 5);
    struct pb_structured_value *s;
    ASSERT_OK(pb_structured_value_decode(&a, BYTES("\x60\x03"), 0, &s, st));
    assert_int_equal(s->int64_value, -2);
    arena_release(&a);
}

static void test_decode__singular_messages_merge(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_graph_def *g;
    ASSERT_OK(
        pb_graph_def_decode(&a, BYTES("\x22\x02\x08\x05\x22\x04\x10\x07\x18\x01"), 0, &g, st));
    assert_int_equal(g->versions->producer, 5);
    assert_int_equal(g->versions->min_consumer, 7);
    assert_int_equal(g->versions->bad_consumers.n, 1);
    ASSERT_OK(pb_merge_bytes(&a, g, BYTES("\x22\x04\x08\x06\x18\x02"), 0, st));
    assert_int_equal(g->versions->producer, 6);
    assert_int_equal(g->versions->min_consumer, 7);
    assert_int_equal(g->versions->bad_consumers.n, 2);
    arena_release(&a);
}

static void test_decode__maps_keep_the_last_of_a_key(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_job_def *j;
    struct strbuf b = {0};
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 40; i++) {
            strbuf_add(&b, BYTES("\x12\x05\x08"));
            strbuf_putc(&b, (char)i);
            strbuf_add(&b, BYTES("\x12\x01"));
            strbuf_putc(&b, (char)('A' + round));
        }
    ASSERT_OK(pb_job_def_decode(&a, b.p, b.n, 0, &j, st));
    assert_int_equal(j->tasks.n, 40);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(j->tasks.v[i]->key, i);
        assert_str(j->tasks.v[i]->value, "B");
    }
    /* few entries go another way */
    ASSERT_OK(pb_job_def_decode(
        &a, BYTES("\x12\x05\x08\x01\x12\x01x\x12\x05\x08\x02\x12\x01y\x12\x02\x08\x01"), 0, &j,
        st));
    assert_int_equal(j->tasks.n, 2);
    assert_int_equal(j->tasks.v[1]->key, 1);
    assert_int_equal(j->tasks.v[1]->value.n, 0);
    ASSERT_OK(pb_merge_bytes(&a, j, BYTES("\x12\x02\x08\x02\x12\x05\x08\x02\x12\x01z"), 0, st));
    assert_int_equal(j->tasks.n, 2);
    assert_str(j->tasks.v[1]->value, "z");
    strbuf_release(&b);
    arena_release(&a);
}

static void test_decode__map_values_are_never_null(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_node_def *n;
    ASSERT_OK(pb_node_def_decode(&a, BYTES("\x2a\x03\x0a\x01k\x2a\x00"), 0, &n, st));
    assert_int_equal(n->attr.n, 2);
    assert_non_null(n->attr.v[0]->value);
    assert_non_null(n->attr.v[1]->value);
    assert_int_equal(n->attr.v[1]->key.n, 0);
    arena_release(&a);
}

static void test_decode__unknown_fields_are_kept(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_version_def *v;
    struct strbuf b = {0};
    /* numbers, bytes, a group with a field in it, and a known number with another wire type */
    static const char bytes[] = "\xa0\x06\x01\x08\x05\xa2\x06\x02"
                                "ab\xa3\x06\x08\x01\xa4\x06\xa5\x06zzzz\x0a\x01q";
    ASSERT_OK(pb_version_def_decode(&a, bytes, sizeof bytes - 1, 0, &v, st));
    assert_int_equal(v->producer, 5);
    ASSERT_OK(pb_encode(v, &b, st));
    assert_int_equal(b.n, sizeof bytes - 1);
    assert_memory_equal(b.p, "\x08\x05\xa0\x06\x01\xa2\x06\x02", 8); /* known ones go first */
    assert_memory_equal(b.p + b.n - 3, "\x0a\x01q", 3);
    strbuf_release(&b);
    arena_release(&a);
}

static void test_decode__borrowed_texts_lie_in_the_input(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_bytes_list *l;
    static const char bytes[] = "\x0a\x03xyz";
    ASSERT_OK(pb_bytes_list_decode(&a, bytes, 5, PB_BORROW, &l, st));
    assert_ptr_equal(l->value.v[0].p, bytes + 2);
    ASSERT_OK(pb_bytes_list_decode(&a, bytes, 5, 0, &l, st));
    assert_ptr_not_equal(l->value.v[0].p, bytes + 2);
    assert_str(l->value.v[0], "xyz");
    arena_release(&a);
}

static void expect_bad(const struct pb_desc *d, const char *bytes, size_t n, const char *message)
{
    struct arena a = {0};
    void *m;
    ASSERT_FAILS(pb_decode(&a, d, bytes, n, 0, &m, st), STATUS_INVALID_ARGUMENT, message);
    assert_null(m);
    arena_release(&a);
}

static void test_decode__broken_bytes_are_refused(void **state UNUSED)
{
    const struct pb_desc *node = &pb_node_def_desc, *tensor = &pb_tensor_proto_desc;
    expect_bad(node, BYTES("\x0a"), "tensorflow.NodeDef.name: length beyond the end at byte 1");
    expect_bad(node,
               BYTES("\x0a\x05"
                     "abc"),
               "length beyond the end");
    expect_bad(node, BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "beyond the end");
    expect_bad(node, BYTES("\x00\x01"), "broken field tag");                 /* number 0 */
    expect_bad(node, BYTES("\x80\x80\x80\x80\x80\x01\x01"), "broken field"); /* tag of 36 bits */
    expect_bad(node, BYTES("\xa6\x06\x01"), "broken unknown field");         /* wire type 6 */
    expect_bad(node, BYTES("\xa3\x06\x08\x01"), "broken unknown field");     /* open group */
    expect_bad(node, BYTES("\xa3\x06\xac\x06"), "broken unknown field");     /* wrong end */
    expect_bad(node, BYTES("\xa4\x06"), "broken unknown field");             /* end alone */
    expect_bad(node, BYTES("\x2a\x04\x0a\x05kk"), "tensorflow.NodeDef.AttrEntry.key");
    expect_bad(tensor, BYTES("\x2a\x03\0\0\0"), "broken packed numbers");
    expect_bad(tensor, BYTES("\x3a\x02\x01\x80"), "broken packed numbers");
    expect_bad(tensor, BYTES("\x3a\x01\x80"), "broken packed numbers");
    expect_bad(tensor, BYTES("\x2d\0\0"), "broken number");
    expect_bad(tensor, BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "broken number");
    expect_bad(node, NULL, 3, "NULL");
}

static void test_decode__strings_must_be_utf8(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_node_def *n;
    static const char *const bad[] = {"\xff",         "\xc0\x80",         "\xe2\x82",
                                      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80",
                                      "\x80"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct strbuf b = {0};
        strbuf_printf(&b, "\x0a%c%s", (int)strlen(bad[i]) + 10, "0123456789");
        strbuf_puts(&b, bad[i]);
        expect_bad(&pb_node_def_desc, b.p, b.n, "not UTF-8 at byte 2");
        strbuf_release(&b);
    }
    ASSERT_OK(
        pb_node_def_decode(&a, BYTES("\x0a\x0a\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80!"), 0, &n, st));
    struct pb_bytes_list *l;
    ASSERT_OK(pb_bytes_list_decode(&a, BYTES("\x0a\x01\xff"), 0, &l, st)); /* bytes may be */
    arena_release(&a);
}

/* num messages of one field in each other, or groups. */
static struct strbuf nested(int num)
{
    struct strbuf b = {0}, inner = {0};
    for (int i = 0; i < num; i++) { /* ListValue{values: StructuredValue{list_value: ...}} */
        strbuf_clear(&b);
        strbuf_add(&b, i % 2 ? "\x9a\x03" : "\x0a", i % 2 ? 2 : 1);
        size_t n = inner.n;
        for (; n >= 0x80; n >>= 7)
            strbuf_putc(&b, (char)(n | 0x80));
        strbuf_putc(&b, (char)n);
        strbuf_add(&b, inner.p, inner.n);
        strbuf_clear(&inner);
        strbuf_add(&inner, b.p, b.n);
    }
    strbuf_release(&inner);
    return b;
}

static void test_decode__nesting_is_bounded(void **state UNUSED)
{
    struct arena a = {0};
    void *m;
    struct strbuf b = nested(PB_MAX_DEPTH), copy = {0};
    ASSERT_OK(pb_decode(&a, &pb_structured_value_desc, b.p, b.n, 0, &m, st));
    ASSERT_OK(pb_encode(m, &copy, st)); /* what can be read can be written, and printed */
    assert_memory_equal(copy.p, b.p, b.n);
    strbuf_release(&copy);
    ASSERT_OK(pb_text_print(m, &copy, st));
    strbuf_release(&b);
    strbuf_release(&copy);
    b = nested(PB_MAX_DEPTH + 2);
    expect_bad(&pb_structured_value_desc, b.p, b.n, "nested more than 100 deep");
    strbuf_release(&b);
    for (int i = 0; i < 100000; i++)
        strbuf_add(&b, BYTES("\xa3\x06"));
    expect_bad(&pb_node_def_desc, b.p, b.n, "broken unknown field");
    strbuf_release(&b);
    arena_release(&a);
}

static void test_decode__memory_out_of_proportion_is_refused(void **state UNUSED)
{
    struct arena a = {0};
    void *m;
    struct strbuf b = {0};
    for (int i = 0; i < 1500000; i++) /* empty statistics of nodes: 2 bytes each */
        strbuf_add(&b, BYTES("\x12\x00"));
    ASSERT_FAILS(pb_decode(&a, &pb_device_step_stats_desc, b.p, b.n, 0, &m, st),
                 STATUS_RESOURCE_EXHAUSTED, "DeviceStepStats");
    strbuf_release(&b);
    arena_release(&a);
}

static void test_decode__every_cut_of_a_message_is_survived(void **state UNUSED)
{
    static const char bytes[] = "\x0a\x1c\x0a\x01x\x12\x05"
                                "Const\x2a\x10\x0a\x05"
                                "value\x12\x07\x42\x05\x12\x03\x12\x01\x08"
                                "\x12\x04\x0a\x02\x0a\x00\x22\x03\x08\x86\x01";
    for (size_t n = 0; n < sizeof bytes; n++) {
        struct arena a = {0};
        struct status cut = {0};
        void *m;
        if (pb_decode(&a, &pb_graph_def_desc, bytes, n, 0, &m, &cut)) {
            struct strbuf b = {0};
            ASSERT_OK(pb_encode(m, &b, st));
            assert_int_equal(b.n, pb_encoded_size(m));
            strbuf_release(&b);
        } else {
            assert_int_equal(cut.code, STATUS_INVALID_ARGUMENT);
        }
        status_clear(&cut);
        arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode__fields_of_every_kind),
        cmocka_unit_test(test_decode__packed_and_unpacked_numbers),
        cmocka_unit_test(test_decode__negative_and_cut_numbers),
        cmocka_unit_test(test_decode__singular_messages_merge),
        cmocka_unit_test(test_decode__maps_keep_the_last_of_a_key),
        cmocka_unit_test(test_decode__map_values_are_never_null),
        cmocka_unit_test(test_decode__unknown_fields_are_kept),
        cmocka_unit_test(test_decode__borrowed_texts_lie_in_the_input),
        cmocka_unit_test(test_decode__broken_bytes_are_refused),
        cmocka_unit_test(test_decode__strings_must_be_utf8),
        cmocka_unit_test(test_decode__nesting_is_bounded),
        cmocka_unit_test(test_decode__memory_out_of_proportion_is_refused),
        cmocka_unit_test(test_decode__every_cut_of_a_message_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
