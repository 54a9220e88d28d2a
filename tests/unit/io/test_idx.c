/* SPDX-License-Identifier: Apache-2.0 */
/* idx arrays and whole files: what is there is read, what is cut, too long or missing is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "io/file.h"
#include "io/idx.h"

static const uint8_t sample[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};

static void refused(const uint8_t *bytes, size_t n, int code)
{
    struct status st = {0};
    struct idx x;
    assert_false(idx_parse(bytes, n, "it", &x, &st));
    assert_int_equal(st.code, code);
    status_clear(&st);
}

static void test_idx__reads(void **state UNUSED)
{
    struct status st = {0};
    struct idx x;
    assert_true(idx_parse(sample, sizeof sample, "it", &x, &st));
    assert_int_equal(x.num_dims, 2);
    assert_int_equal(x.dims[0], 2);
    assert_int_equal(x.dims[1], 3);
    assert_int_equal(x.num, 6);
    assert_int_equal(x.data[5], 6);
}

static void test_idx__refuses(void **state UNUSED)
{
    uint8_t b[32] = {0};
    for (size_t n = 0; n < sizeof sample; n++)
        refused(sample, n, STATUS_DATA_LOSS);
    memcpy(b, sample, sizeof sample);
    refused(b, sizeof sample + 1, STATUS_DATA_LOSS);
    b[2] = 13;
    refused(b, sizeof sample, STATUS_UNIMPLEMENTED);
    memcpy(b, sample, 4);
    b[3] = 255;
    refused(b, sizeof b, STATUS_DATA_LOSS);
    b[3] = 3;
    memset(b + 4, 0xff, 12); /* the product overflows */
    refused(b, sizeof b, STATUS_DATA_LOSS);
}

static void test_file__reads_whole(void **state UNUSED)
{
    char path[] = "/tmp/leat-file-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, sample, sizeof sample), sizeof sample);
    close(fd);
    struct status st = {0};
    char *bytes;
    size_t n;
    assert_true(file_read(path, 1 << 20, &bytes, &n, &st));
    assert_int_equal(n, sizeof sample);
    assert_memory_equal(bytes, sample, n);
    mem_free(bytes);
    assert_true(file_read(path, sizeof sample, &bytes, &n, &st));
    mem_free(bytes);
    assert_false(file_read(path, sizeof sample - 1, &bytes, &n, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    unlink(path);
    assert_false(file_read(path, 100, &bytes, &n, &st));
    assert_int_equal(st.code, STATUS_NOT_FOUND);
    status_clear(&st);
    assert_false(file_read("/tmp", 100, &bytes, &n, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idx__reads),
        cmocka_unit_test(test_idx__refuses),
        cmocka_unit_test(test_file__reads_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
