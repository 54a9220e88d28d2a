/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigProto and RunOptions in their two forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "proto/leat_proto.h"
#include "runtime/config.h"

static struct status st;

static int tear_down(void **state)
{
    (void)state;
    status_clear(&st);
    return 0;
}

/* The binary form of that text. */
static struct strbuf binary(const struct pb_desc *d, const char *text)
{
    struct arena a = {0};
    struct strbuf b = {0};
    void *msg;
    assert_true(pb_text_parse(&a, d, text, strlen(text), &msg, &st));
    assert_true(pb_encode(msg, &b, &st));
    arena_release(&a);
    return b;
}

static const char some[] = "intra_op_parallelism_threads: 3\ninter_op_parallelism_threads: 4 "
                           "device_count { key: 'CPU' value: 2 }\r\n# a remark\n"
                           "allow_soft_placement: true\toperation_timeout_in_ms: 5000 "
                           "graph_options { optimizer_options { opt_level: L0 } rewrite_options { "
                           "constant_folding: OFF } }";

static void check(const void *bytes, size_t n)
{
    struct config c;
    config_init(&c);
    if (!config_parse(&c, bytes, n, &st))
        fail_msg("%s", status_message(&st));
    assert_int_equal(c.intra_threads, 3);
    assert_int_equal(c.inter_threads, 4);
    assert_int_equal(c.cpu_devices, 2);
    assert_true(c.soft_placement);
    assert_int_equal(c.operation_timeout_ms, 5000);
    assert_false(c.passes.fold);
    config_clear(&c);
}

static void test_config__takes_both_forms(void **state)
{
    (void)state;
    check(some, strlen(some));
    struct strbuf b = binary(&pb_config_proto_desc, some);
    check(b.p, b.n);
    strbuf_release(&b);
}

/* Fields in all orders: no text may be read as a binary message, whatever its letters. */
static void test_config__text_is_text(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "intra_op_parallelism_threads: 3 ", "device_filters: '/job:ps/task:0' ",
        "allow_soft_placement: true ",      "isolate_session_state: true ",
        "use_per_session_threads: true ",   "placement_period: 1 ",
    };
    enum { NUM = 6 };
    for (int mask = 1; mask < 1 << NUM; mask++) {
        for (int turn = 0; turn < NUM; turn++) {
            struct strbuf b = {0};
            for (int i = 0; i < NUM; i++) {
                if (mask >> i & 1)
                    strbuf_puts(&b, fields[(i + turn) % NUM]);
            }
            struct config c;
            const char *text = strbuf_text(&b);
            config_init(&c);
            if (!config_parse(&c, text, b.n, &st))
                fail_msg("%s: %s", text, status_message(&st));
            bool has_threads = strstr(text, "intra") != NULL;
            bool has_filter = strstr(text, "filters") != NULL;
            assert_int_equal(c.intra_threads, has_threads ? 3 : 0);
            assert_int_equal(c.num_device_filters, has_filter);
            assert_int_equal(c.soft_placement, strstr(text, "soft") != NULL);
            config_clear(&c);
            strbuf_release(&b);
        }
    }
}

/* A binary message of printable bytes alone. */
static void test_config__binary_that_looks_like_text(void **state)
{
    (void)state;
    static const char filter[] = "\"&/job:worker/replica:0/task:0/device:CPU";
    struct config c;
    config_init(&c);
    assert_true(config_parse(&c, filter, 40, &st));
    assert_int_equal(c.num_device_filters, 1);
    assert_string_equal(c.device_filters[0], "/job:worker/replica:0/task:0/device:CP");
    config_clear(&c);
}

static void refused(const char *bytes, size_t n, const char *words)
{
    struct config c;
    config_init(&c);
    assert_false(config_parse(&c, bytes, n, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    if (!strstr(status_message(&st), words))
        fail_msg("wanted '%s' in '%s'", words, status_message(&st));
    status_clear(&st);
    config_clear(&c);
}

static void test_config__errors(void **state)
{
    (void)state;
    refused("\xff\xff\xff", 3, "Unparseable tensorflow.ConfigProto proto: ");
    refused("no_such_field: 1", 16, "no_such_field");
    refused("allow_soft_placement: maybe", 27, "maybe");
    refused("device_count { key: 'CPU' value: -1 }", 37, "device_count[\"CPU\"] is -1");
    refused("graph_options {", 15, "Unparseable");
}

static void test_run_options__take_both_forms(void **state)
{
    (void)state;
    static const char text[] = "trace_level: FULL_TRACE timeout_in_ms: 7";
    struct strbuf b = binary(&pb_run_options_desc, text);
    const char *const forms[] = {text, b.p};
    const size_t sizes[] = {strlen(text), b.n};
    for (int i = 0; i < 2; i++) {
        struct run_options o = {0};
        assert_true(run_options_parse(&o, forms[i], sizes[i], &st));
        assert_int_equal(o.trace_level, 3);
        assert_int_equal(o.timeout_ms, 7);
    }
    strbuf_release(&b);
    struct run_options o = {.timeout_ms = 1};
    assert_true(run_options_parse(&o, NULL, 5, &st)); /* nothing is in it */
    assert_int_equal(o.timeout_ms, 0);
    assert_false(run_options_parse(&o, "trace_level: LOUD", 17, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_config__takes_both_forms),
        TEST(test_config__text_is_text),
        TEST(test_config__binary_that_looks_like_text),
        TEST(test_config__errors),
        TEST(test_run_options__take_both_forms),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
