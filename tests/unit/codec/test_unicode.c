/* SPDX-License-Identifier: Apache-2.0 */
/* Unicode's encodings: every code point there and back, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/unicode.h"

static void test_unicode__names(void **state UNUSED)
{
    assert_int_equal(unicode_encoding_of(str_of("utf-8")), UNICODE_UTF8);
    assert_int_equal(unicode_encoding_of(str_of("UTF_16-LE")), UNICODE_UTF16LE);
    assert_int_equal(unicode_encoding_of(str_of("UTF-32")), UNICODE_UTF32BE);
    assert_int_equal(unicode_encoding_of(str_of("no such")), UNICODE_UNKNOWN);
}

static void test_unicode__there_and_back(void **state UNUSED)
{
    static const enum unicode_encoding all[] = {UNICODE_UTF8, UNICODE_UTF16BE, UNICODE_UTF32BE};
    struct strbuf text = {0};
    for (size_t k = 0; k < ARRAY_LEN(all); k++)
        for (int32_t c = 0; c <= UNICODE_MAX; c += c < 0x3000 ? 1 : 37) {
            size_t used = 0;
            if (c >= 0xd800 && c < 0xe000)
                continue;
            strbuf_clear(&text);
            unicode_encode(all[k], c, &text);
            assert_int_equal(unicode_decode(all[k], str_make(text.p, text.n), &used), c);
            assert_int_equal(used, text.n);
        }
    strbuf_release(&text);
}

/* Unicode 15, table 3-8: how much of a broken text is one mistake. */
static void test_unicode__broken_utf8(void **state UNUSED)
{
    static const struct {
        const char *text;
        size_t used;
    } bad[] = {{"\x80", 1},     {"\xc0\x80", 1}, {"\xe1\x80", 2},     {"\xe1\x80z", 2},
               {"\xed\xa0", 1}, {"\xf5", 1},     {"\xf1\x80\x80", 3}, {"\xf4\x90\x80\x80", 1}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        size_t used = 0;
        assert_int_equal(unicode_decode(UNICODE_UTF8, str_of(bad[i].text), &used), -1);
        assert_int_equal(used, bad[i].used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unicode__names),
        cmocka_unit_test(test_unicode__there_and_back),
        cmocka_unit_test(test_unicode__broken_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
