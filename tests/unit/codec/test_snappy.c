/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking Snappy: literals and copies come back; cut or broken bytes, and lengths that the bytes
 * cannot have, are refused; without the library the error says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "codec/snappy.h"

/* 12 bytes: the literal "abcd", then a copy of 8 bytes from 4 back. */
static const uint8_t packed[] = {12, 3 << 2, 'a', 'b', 'c', 'd', (8 - 4) << 2 | 1, 4};

static void refused(const uint8_t *bytes, size_t n, size_t limit, int code)
{
    struct status st = {0};
    char *out;
    size_t out_n;
    assert_false(snappy_unpack(bytes, n, limit, "it", &out, &out_n, &st));
    assert_int_equal(st.code, snappy_available() ? code : STATUS_UNIMPLEMENTED);
    assert_null(out);
    status_clear(&st);
}

static void test_snappy__comes_back(void **state UNUSED)
{
    struct status st = {0};
    char *out;
    size_t n;
    if (!snappy_available())
        skip();
    assert_true(snappy_unpack(packed, sizeof packed, 12, "it", &out, &n, &st));
    assert_int_equal(n, 12);
    assert_memory_equal(out, "abcdabcdabcd", 12);
    mem_free(out);
}

static void test_snappy__refuses(void **state UNUSED)
{
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0x0f, 0, 'a'};
    uint8_t far[sizeof packed];
    for (size_t n = 0; n < sizeof packed; n++)
        refused(packed, n, 100, STATUS_DATA_LOSS);
    refused(packed, sizeof packed, 11, STATUS_RESOURCE_EXHAUSTED);
    refused(huge, sizeof huge, SIZE_MAX, STATUS_DATA_LOSS);
    memcpy(far, packed, sizeof far);
    far[sizeof far - 1] = 5; /* before the beginning */
    refused(far, sizeof far, 100, STATUS_DATA_LOSS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snappy__comes_back),
        cmocka_unit_test(test_snappy__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
