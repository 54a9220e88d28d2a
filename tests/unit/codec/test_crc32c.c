/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C against the vectors of RFC 3720 and a bit-by-bit reference, whole and in parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "codec/crc32c.h"

static uint32_t reference(const uint8_t *p, size_t n)
{
    uint32_t c = ~0u;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0x82F63B78u : c >> 1;
    }
    return ~c;
}

static void test_crc32c__vectors(void **state)
{
    (void)state;
    uint8_t b[48] = {0};
    assert_int_equal(crc32c_extend(0, b, 32), 0x8A9136AAu);
    memset(b, 0xff, 32);
    assert_int_equal(crc32c_extend(0, b, 32), 0x62A8AB43u);
    for (int i = 0; i < 32; i++)
        b[i] = (uint8_t)i;
    assert_int_equal(crc32c_extend(0, b, 32), 0x46DD794Eu);
    assert_int_equal(crc32c_extend(0, "123456789", 9), 0xE3069283u);
    assert_int_equal(crc32c_extend(0, NULL, 0), 0);
}

static void test_crc32c__every_length_and_split(void **state)
{
    (void)state;
    static uint8_t b[20000];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof(b); i++)
        b[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    for (size_t n = 0; n < sizeof(b); n += n < 1100 ? 1 : 977) {
        uint32_t want = reference(b + n % 7, n - n % 7 * (n > 7));
        size_t len = n - n % 7 * (n > 7);
        assert_int_equal(crc32c_extend(0, b + n % 7, len), want);
        size_t cut = len * (n % 5) / 5;
        uint32_t part = crc32c_extend(0, b + n % 7, cut);
        assert_int_equal(crc32c_extend(part, b + n % 7 + cut, len - cut), want);
    }
}

static void test_crc32c__mask_and_back(void **state)
{
    (void)state;
    assert_int_equal(crc32c_unmask(crc32c_mask(0x12345678u)), 0x12345678u);
    assert_int_equal(crc32c_mask(0), 0xA282EAD8u);
    assert_int_equal(crc32c_masked("123456789", 9), crc32c_mask(0xE3069283u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32c__vectors),
        cmocka_unit_test(test_crc32c__every_length_and_split),
        cmocka_unit_test(test_crc32c__mask_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
