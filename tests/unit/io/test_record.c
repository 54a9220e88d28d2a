/* SPDX-License-Identifier: Apache-2.0 */
/* TFRecord files: what is written comes back in every form; torn, flipped and lying files are
 * refused with their offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "codec/crc32c.h"
#include "config.h"
#include "io/record.h"

static struct status st;
static char path[64];

static int setup(void **state UNUSED)
{
    snprintf(path, sizeof(path), "/tmp/leat_record_XXXXXX");
    int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static int teardown(void **state UNUSED)
{
    unlink(path);
    return 0;
}

static bool has_form(enum record_form form)
{
    return form == RECORD_PLAIN || LEAT_HAVE_ZLIB;
}

static const size_t sizes[] = {0, 1, 11, 12, 300, 65535, 65536, 262144, 1000003, 5};

/* Byte j of record i. */
static char *body(size_t i, size_t n)
{
    char *p = mem_alloc(n + 1);
    for (size_t j = 0; j < n; j++)
        p[j] = (char)(j * (i + 1) + (j >> 9) * 7);
    return p;
}

static void write_sizes(enum record_form form, bool flush)
{
    struct record_writer *w = record_writer_open(path, form, &st);
    assert_non_null(w);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        char *p = body(i, sizes[i]);
        assert_true(record_writer_add(w, str_make(p, sizes[i]), &st));
        assert_true(!flush || record_writer_flush(w, &st));
        mem_free(p);
    }
    assert_true(record_writer_close(w, &st));
}

static void test_record__comes_back(void **state UNUSED)
{
    for (int form = 0; form < 3; form++) {
        for (int flush = 0; flush < 2 && has_form((enum record_form)form); flush++) {
            struct str got;
            bool end;
            uint64_t offset = 0;
            write_sizes((enum record_form)form, flush);
            struct record_reader *r = record_reader_open(path, (enum record_form)form, &st);
            assert_non_null(r);
            for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
                assert_int_equal(record_reader_offset(r), offset);
                assert_true(record_reader_next(r, &got, &end, &st) && !end);
                char *p = body(i, sizes[i]);
                assert_int_equal(got.n, sizes[i]);
                assert_memory_equal(got.p, p, got.n);
                offset += 16 + sizes[i];
                mem_free(p);
            }
            assert_true(record_reader_next(r, &got, &end, &st) && end);
            assert_true(record_reader_next(r, &got, &end, &st) && end);
            record_reader_free(r);
        }
    }
}

/* The bytes of a small file of this form. */
static struct strbuf small_file(enum record_form form)
{
    struct strbuf b = {0};
    char piece[4096];
    struct record_writer *w = record_writer_open(path, form, &st);
    assert_non_null(w);
    assert_true(record_writer_add(w, str_of("the first record"), &st));
    assert_true(record_writer_add(w, str_of(""), &st));
    assert_true(record_writer_add(w, str_of("another, the last"), &st));
    assert_true(record_writer_close(w, &st));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    strbuf_add(&b, piece, fread(piece, 1, sizeof(piece), f));
    fclose(f);
    return b;
}

/* Records read to the end or the first error. */
static int count(struct str bytes, enum record_form form)
{
    struct str got;
    bool end = false;
    int n = 0;
    struct record_reader *r = record_reader_of(bytes, form, "memory", &st);
    assert_non_null(r);
    while (record_reader_next(r, &got, &end, &st) && !end)
        n++;
    record_reader_free(r);
    return n;
}

static void test_record__truncated_at_every_byte(void **state UNUSED)
{
    for (int form = 0; form < 3; form++) {
        if (!has_form((enum record_form)form))
            continue;
        struct strbuf b = small_file((enum record_form)form);
        for (size_t n = 0; n <= b.n; n++) {
            char *copy = mem_alloc(n + 1); /* of its own, so that a read past the end shows */
            memcpy(copy, b.p, n);
            int records = count(str_make(copy, n), (enum record_form)form);
            bool whole = n == b.n || n == 0 || (form == 0 && (n == 32 || n == 48));
            assert_int_equal(status_ok(&st), whole);
            assert_true(whole || st.code == STATUS_DATA_LOSS);
            assert_true(n < b.n || records == 3);
            status_clear(&st);
            mem_free(copy);
        }
        strbuf_release(&b);
    }
}

static void test_record__every_flipped_bit_is_found(void **state UNUSED)
{
    struct strbuf b = small_file(RECORD_PLAIN);
    for (size_t i = 0; i < 8 * b.n; i++) {
        b.p[i / 8] = (char)(b.p[i / 8] ^ 1 << i % 8);
        assert_true(count(str_make(b.p, b.n), RECORD_PLAIN) < 3);
        assert_int_equal(st.code, STATUS_DATA_LOSS);
        assert_non_null(strstr(status_message(&st), "corrupted record at "));
        status_clear(&st);
        b.p[i / 8] = (char)(b.p[i / 8] ^ 1 << i % 8);
    }
    strbuf_release(&b);
}

static void test_record__absurd_lengths(void **state UNUSED)
{
    static const uint64_t lens[] = {1,         100,        UINT32_MAX, INT64_MAX - 20,
                                    INT64_MAX, UINT64_MAX, 1ull << 40, UINT64_MAX - 15};
    for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
        char b[13] = {0};
        memcpy(b, &lens[i], 8);
        uint32_t crc = crc32c_masked(b, 8);
        memcpy(b + 8, &crc, 4);
        assert_int_equal(count(str_make(b, 13), RECORD_PLAIN), 0);
        assert_int_equal(st.code, STATUS_DATA_LOSS);
        assert_string_equal(status_message(&st), "truncated record at 0: memory");
        status_clear(&st);
    }
}

static void test_record__a_file_that_grows(void **state UNUSED)
{
    struct str got;
    bool end;
    struct record_writer *w = record_writer_open(path, RECORD_PLAIN, &st);
    struct record_reader *r = record_reader_open(path, RECORD_PLAIN, &st);
    assert_true(w && r);
    assert_true(record_reader_next(r, &got, &end, &st) && end);
    for (int i = 0; i < 3; i++) {
        assert_true(record_writer_add(w, str_of("more"), &st) && record_writer_flush(w, &st));
        assert_true(record_reader_next(r, &got, &end, &st) && !end);
        assert_true(str_is(got, "more"));
        assert_true(record_reader_next(r, &got, &end, &st) && end);
    }
    assert_true(record_reader_seek(r, 20, &st));
    assert_true(record_reader_next(r, &got, &end, &st) && !end && str_is(got, "more"));
    assert_int_equal(record_reader_offset(r), 40);
    record_reader_free(r);
    assert_true(record_writer_close(w, &st));
}

static void fails_with(const char *where, enum record_form form, int code)
{
    assert_null(record_reader_open(where, form, &st));
    assert_int_equal(st.code, code);
    status_clear(&st);
}

static void test_record__errors_of_the_system(void **state UNUSED)
{
    enum record_form form;
    fails_with("/nonexistent/file", RECORD_PLAIN, STATUS_NOT_FOUND);
    fails_with("/tmp", RECORD_PLAIN, STATUS_FAILED_PRECONDITION);
    assert_null(record_writer_open("/nonexistent/file", RECORD_PLAIN, &st));
    assert_int_equal(st.code, STATUS_NOT_FOUND);
    status_clear(&st);
    assert_false(record_form_named(str_of("LZ4"), &form, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    assert_true(record_form_named(str_of("GZIP"), &form, &st) && form == RECORD_GZIP);
}

static void test_record__a_full_disk(void **state UNUSED)
{
    struct record_writer *w = record_writer_open(path, RECORD_PLAIN, &st);
    assert_true(record_writer_add(w, str_of("a"), &st));
    assert_true(failpoint_set("record_write", "on"));
    assert_false(record_writer_flush(w, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    failpoint_clear_all();
    assert_false(record_writer_add(w, str_of("b"), &st));
    status_clear(&st);
    assert_false(record_writer_close(w, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record__comes_back),
        cmocka_unit_test(test_record__truncated_at_every_byte),
        cmocka_unit_test(test_record__every_flipped_bit_is_found),
        cmocka_unit_test(test_record__absurd_lengths),
        cmocka_unit_test(test_record__a_file_that_grows),
        cmocka_unit_test(test_record__errors_of_the_system),
        cmocka_unit_test(test_record__a_full_disk),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
