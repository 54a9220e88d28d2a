/* SPDX-License-Identifier: Apache-2.0 */
/* leat/record.h: what is written is read, in each form; the misuse and the damage that are errors.
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

#include "leat/record.h"

static TF_Status *st;
static char path[] = "/tmp/leat_api_record_XXXXXX";

static int start(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    close(fd);
    st = TF_NewStatus();
    return fd < 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    TF_DeleteStatus(st);
    return 0;
}

static void test_forms(void **state)
{
    const char *forms[] = {NULL, "", "ZLIB", "GZIP"};
    const void *record;
    size_t n;
    (void)state;
    for (int i = 0; i < 4; i++) {
        leat_record_writer *w = leat_record_writer_open(path, forms[i], st);
        if (!w && i >= 2 && TF_GetCode(st) == TF_UNIMPLEMENTED)
            continue; /* a build without zlib says so */
        assert_non_null(w);
        assert_int_equal(leat_record_writer_add(w, "one", 3, st), 1);
        assert_int_equal(leat_record_writer_add(w, NULL, 0, st), 1);
        assert_int_equal(leat_record_writer_flush(w, st), 1);
        assert_int_equal(leat_record_writer_close(w, st), 1);
        leat_record_reader *r = leat_record_reader_open(path, forms[i], st);
        assert_non_null(r);
        assert_int_equal(leat_record_reader_next(r, &record, &n, st), 1);
        assert_int_equal(n, 3);
        assert_memory_equal(record, "one", 3);
        assert_int_equal(leat_record_reader_offset(r), 19);
        assert_int_equal(leat_record_reader_next(r, &record, &n, st), 1);
        assert_int_equal(n, 0);
        assert_int_equal(leat_record_reader_next(r, &record, &n, st), 0);
        assert_int_equal(TF_GetCode(st), TF_OK);
        leat_record_reader_close(r);
    }
}

static void test_misuse(void **state)
{
    const void *record;
    size_t n;
    (void)state;
    assert_null(leat_record_reader_open(path, "ZIP", st));
    assert_int_equal(TF_GetCode(st), TF_INVALID_ARGUMENT);
    assert_null(leat_record_reader_open(NULL, "", st));
    assert_int_equal(TF_GetCode(st), TF_INVALID_ARGUMENT);
    assert_null(leat_record_reader_open("/nowhere/records", "", NULL));
    assert_null(leat_record_writer_open("/nowhere/records", "", st));
    assert_int_equal(TF_GetCode(st), TF_NOT_FOUND);
    assert_int_equal(leat_record_reader_next(NULL, &record, &n, st), -1);
    assert_int_equal(leat_record_writer_add(NULL, "x", 1, st), 0);
    assert_int_equal(leat_record_writer_flush(NULL, st), 0);
    assert_int_equal(leat_record_writer_close(NULL, st), 1);
    leat_record_reader_close(NULL);
}

static void test_damage(void **state)
{
    const void *record;
    size_t n;
    (void)state;
    leat_record_writer *w = leat_record_writer_open(path, "", st);
    assert_int_equal(leat_record_writer_add(w, "record", 6, st), 1);
    assert_int_equal(leat_record_writer_close(w, st), 1);
    for (int cut = 1; cut < 22; cut++) { /* every byte of it, changed */
        FILE *f = fopen(path, "r+b");
        fseek(f, cut, SEEK_SET);
        int c = fgetc(f);
        fseek(f, cut, SEEK_SET);
        fputc(c ^ 0x40, f);
        fclose(f);
        leat_record_reader *r = leat_record_reader_open(path, "", st);
        assert_int_equal(leat_record_reader_next(r, &record, &n, st), -1);
        assert_int_equal(TF_GetCode(st), TF_DATA_LOSS);
        leat_record_reader_close(r);
        f = fopen(path, "r+b");
        fseek(f, cut, SEEK_SET);
        fputc(c, f);
        fclose(f);
    }
}

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(leat_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(leat_crc32c(leat_crc32c(0, "1234", 4), "56789", 5), 0xe3069283u);
    assert_int_equal(leat_crc32c(7, NULL, 0), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_crc),
    };
    return cmocka_run_group_tests(tests, start, end);
}
