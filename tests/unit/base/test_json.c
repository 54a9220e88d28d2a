/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: what RFC 8259 allows and forbids, the caller's walk, and depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static struct status st;

static int tear_down(void **state)
{
    (void)state;
    status_clear(&st);
    return 0;
}

static bool valid(const char *text)
{
    struct json j;
    json_init(&j, str_of(text));
    bool ok = json_skip(&j, &st) && json_end(&j, &st);
    json_release(&j);
    if (!ok)
        assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    return ok;
}

static void test_json__values(void **state)
{
    static const char *const good[] = {"0",
                                       "-1.5e+3",
                                       " true ",
                                       "null",
                                       "\"\"",
                                       "[]",
                                       "{}",
                                       "[1,2]",
                                       "{\"a\":[{}]}",
                                       "[[],{}]",
                                       "\"\\u00e9\\ud83d\\ude00\\n\"",
                                       "1E5"};
    static const char *const bad[] = {
        "",         "01",       "-",          "1.",  "[1,]",    "[,1]", "[1 2]",       "{\"a\"}",
        "{\"a\":}", "{a:1}",    "{\"a\":1,}", "tru", "\"\\x\"", "\"a",  "\"\\ud800\"", "1 2",
        "[",        "{\"a\":1", "\"\n\"",     "'a'", "nan",     "+1",   "]",           "[1}"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!valid(good[i]))
            fail_msg("refused: %s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (valid(bad[i]))
            fail_msg("accepted: %s", bad[i]);
    }
}

static void test_json__walk(void **state)
{
    struct json j;
    bool more;
    int64_t n = 0;
    (void)state;
    json_init(&j,
              str_of("{\"skip\": {\"x\": [1, {}]}, \"n\": -7, \"s\": \"a\\u00e9\", \"b\": true}"));
    assert_true(json_open(&j, '{', &st));
    assert_true(json_next_key(&j, &more, &st) && more && json_skip(&j, &st));
    assert_true(json_next_key(&j, &more, &st) && more && str_is(json_text(&j), "n"));
    assert_true(json_int(&j, &n, &st));
    assert_int_equal(n, -7);
    assert_true(json_next_key(&j, &more, &st) && more && json_string(&j, &st));
    assert_true(str_is(json_text(&j), "a\xc3\xa9"));
    assert_true(json_next_key(&j, &more, &st) && more && json_bool(&j, &more, &st) && more);
    assert_true(json_next_key(&j, &more, &st) && !more && json_end(&j, &st));
    json_release(&j);
}

static void test_json__depth_is_bounded(void **state)
{
    char text[2 * JSON_MAX_DEPTH + 3];
    (void)state;
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    text[2 * JSON_MAX_DEPTH] = 0;
    assert_true(valid(text));
    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    text[2 * JSON_MAX_DEPTH + 2] = 0;
    assert_false(valid(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_json__values, tear_down),
        cmocka_unit_test_teardown(test_json__walk, tear_down),
        cmocka_unit_test_teardown(test_json__depth_is_bounded, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
