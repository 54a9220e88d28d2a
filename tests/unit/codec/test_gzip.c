/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking gzip: what zlib packed comes back, cut or broken bytes and too much are refused. */
/* needs: zlib */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "codec/gzip.h"

static size_t pack(const void *in, size_t n, uint8_t *out, size_t cap)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in,
                  .avail_in = (uInt)n,
                  .next_out = out,
                  .avail_out = (uInt)cap};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return cap - z.avail_out;
}

static void test_gzip__comes_back(void **state UNUSED)
{
    static char text[300000];
    static uint8_t packed[400000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i >> 7);
    struct status st = {0};
    for (size_t n = 0; n <= sizeof text; n = n * 7 + 1) {
        char *out;
        size_t out_n, m = pack(text, n, packed, sizeof packed);
        assert_true(gzip_is(packed, m));
        assert_true(gzip_unpack(packed, m, sizeof text, "a text", &out, &out_n, &st));
        assert_int_equal(out_n, n);
        assert_true(n == 0 || memcmp(out, text, n) == 0);
        mem_free(out);
        /* two members are one file */
        size_t two = m + pack(text, n, packed + m, sizeof packed - m);
        if (2 * n <= sizeof text) {
            assert_true(gzip_unpack(packed, two, sizeof text, "a text", &out, &out_n, &st));
            assert_int_equal(out_n, 2 * n);
            mem_free(out);
        }
    }
}

static void test_gzip__bad_bytes(void **state UNUSED)
{
    static char text[5000];
    uint8_t packed[6000];
    memset(text, 'x', sizeof text);
    size_t m = pack(text, sizeof text, packed, sizeof packed), out_n;
    char *out;
    for (size_t cut = 0; cut < m; cut++) {
        struct status st = {0};
        assert_false(gzip_unpack(packed, cut, 1 << 20, "it", &out, &out_n, &st));
        assert_int_equal(st.code, STATUS_DATA_LOSS);
        assert_null(out);
        status_clear(&st);
    }
    struct status st = {0};
    assert_false(gzip_unpack(packed, m, 4999, "it", &out, &out_n, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    assert_true(gzip_unpack(packed, m, 5000, "it", &out, &out_n, &st));
    mem_free(out);
    packed[m - 6] ^= 1; /* the sum */
    assert_false(gzip_unpack(packed, m, 1 << 20, "it", &out, &out_n, &st));
    assert_int_equal(st.code, STATUS_DATA_LOSS);
    status_clear(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gzip__comes_back),
        cmocka_unit_test(test_gzip__bad_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
