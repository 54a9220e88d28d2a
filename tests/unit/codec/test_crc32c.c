/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C: known values, the instruction against the tables at every length and place, pieces
 * joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/crc32c.h"

static uint8_t bytes[20000];

/* RFC 3720, B.4; and the checksum that every description of the polynomial gives for "123456789".
 */
static void test_crc32c__known_values(void **state UNUSED)
{
    uint8_t b[32] = {0};
    assert_int_equal(crc32c("", 0), 0);
    assert_int_equal(crc32c("123456789", 9), 0xe3069283u);
    assert_int_equal(crc32c(b, 32), 0x8a9136aau);
    memset(b, 0xff, 32);
    assert_int_equal(crc32c(b, 32), 0x62a8ab43u);
    for (int i = 0; i < 32; i++)
        b[i] = (uint8_t)i;
    assert_int_equal(crc32c(b, 32), 0x46dd794eu);
}

static void test_crc32c__is_what_the_tables_say(void **state UNUSED)
{
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    for (size_t n = 0; n < sizeof bytes - 8; n += n < 100 ? 1 : n / 7)
        for (size_t at = 0; at < 8; at++)
            assert_int_equal(crc32c_extend(0x1234, bytes + at, n),
                             crc32c_extend_by_table(0x1234, bytes + at, n));
}

static void test_crc32c__pieces(void **state UNUSED)
{
    uint32_t whole = crc32c(bytes, sizeof bytes);
    for (size_t n = 0; n <= sizeof bytes; n += 1999) {
        uint32_t a = crc32c(bytes, n), b = crc32c(bytes + n, sizeof bytes - n);
        assert_int_equal(crc32c_extend(a, bytes + n, sizeof bytes - n), whole);
        assert_int_equal(crc32c_join(a, b, sizeof bytes - n), whole);
    }
}

static void test_crc32c__masked(void **state UNUSED)
{
    assert_int_equal(crc32c_unmask(crc32c_mask(0xdeadbeefu)), 0xdeadbeefu);
    assert_int_equal(crc32c_mask(0), 0xa282ead8u);
    assert_int_not_equal(crc32c_mask(0x1234567u), 0x1234567u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32c__known_values),
        cmocka_unit_test(test_crc32c__is_what_the_tables_say),
        cmocka_unit_test(test_crc32c__pieces),
        cmocka_unit_test(test_crc32c__masked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
