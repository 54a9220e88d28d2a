/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: the vectors of RFC 4648 section 10, every byte there and back, and what is no text of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/base64.h"

static bool decode(const char *text, char *out, size_t *n)
{
    struct status st = {0};
    bool ok = base64_decode(str_of(text), out, n, &st);
    assert_true(ok || st.code == STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    return ok;
}

static void test_base64__known_values(void **state UNUSED)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xfb\xff\xfe", "-__-"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        char out[16];
        size_t n, want = strlen(pairs[i][1]), bare = strcspn(pairs[i][1], "=");
        assert_int_equal(base64_encoded_size(strlen(pairs[i][0]), true), want);
        base64_encode(str_of(pairs[i][0]), true, out);
        assert_memory_equal(out, pairs[i][1], want);
        assert_int_equal(base64_encoded_size(strlen(pairs[i][0]), false), bare);
        assert_true(decode(pairs[i][1], out, &n));
        assert_int_equal(n, strlen(pairs[i][0]));
        assert_memory_equal(out, pairs[i][0], n);
    }
}

static void test_base64__there_and_back(void **state UNUSED)
{
    for (size_t n = 0; n <= 256; n++)
        for (int pad = 0; pad < 2; pad++) {
            char bytes[256], text[400], back[400];
            struct status st = {0};
            size_t size = base64_encoded_size(n, pad), got;
            for (size_t i = 0; i < n; i++)
                bytes[i] = (char)(i * 37 + n);
            base64_encode(str_make(bytes, n), pad, text);
            assert_true(base64_decoded_max(size) >= n);
            assert_true(base64_decode(str_make(text, size), back, &got, &st));
            assert_int_equal(got, n);
            assert_memory_equal(back, bytes, n);
        }
}

static void test_base64__refuses(void **state UNUSED)
{
    static const char *const bad[] = {"A",    "Zm9v\n", "Zm+v", "Zm/v",
                                      "Z===", "=",      "Zg=a", "Zm9v Zg"};
    char out[16];
    size_t n;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(decode(bad[i], out, &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64__known_values),
        cmocka_unit_test(test_base64__there_and_back),
        cmocka_unit_test(test_base64__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
