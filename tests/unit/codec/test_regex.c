/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* Regular expressions: matches and rewrites as RE2 has them; what RE2 refuses is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/regex.h"

static void expect_match(const char *pattern, const char *text, bool want)
{
    struct status st = {0};
    bool got = !want;
    struct regex *r = regex_new(str_of(pattern), true, &st);
    assert_non_null(r);
    assert_true(regex_matches(r, str_of(text), &got, &st));
    assert_int_equal(got, want);
    regex_free(r);
}

static void expect_rewrite(const char *pattern, const char *rewrite, bool all, const char *want)
{
    struct status st = {0};
    struct strbuf out = {0};
    struct regex *r = regex_new(str_of(pattern), false, &st);
    assert_non_null(r);
    assert_true(regex_replace(r, str_of("banana"), str_of(rewrite), all, &out, &st));
    assert_string_equal(strbuf_text(&out), want);
    strbuf_release(&out);
    regex_free(r);
}

static void test_regex__matches_whole_texts(void **state UNUSED)
{
    expect_match("a+b", "aab", true);
    expect_match("a+b", "xaab", false);
    expect_match("a|ab", "ab", true);
    expect_match("", "", true);
    expect_match("\\d{2,3}", "1234", false);
}

static void test_regex__replaces(void **state UNUSED)
{
    expect_rewrite("an", "<\\0>", false, "b<an>ana");
    expect_rewrite("an", "<\\0>", true, "b<an><an>a");
    expect_rewrite("(a)(n)", "\\2\\1", true, "bnanaa");
    expect_rewrite("x", "y", true, "banana");
    expect_rewrite("n", "\\\\", false, "ba\\ana");
}

static void test_regex__refuses(void **state UNUSED)
{
    static const char *const bad[] = {"(", "a**b(", "(a)\\1", "(?=a)", "(?<=a)b", "(?>a)", "[z-a]"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct status st = {0};
        assert_null(regex_new(str_of(bad[i]), false, &st));
        assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
        status_clear(&st);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regex__matches_whole_texts),
        cmocka_unit_test(test_regex__replaces),
        cmocka_unit_test(test_regex__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
