/* SPDX-License-Identifier: Apache-2.0 */
/* Record and event files that TensorFlow wrote: every CRC is right, and what is read is written
 * again byte for byte. Skips where the given data are absent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files.h"
#include "io/event.h"

static struct status st;

/* Reads a file, writes its records to another, compares the two; how many records there are. */
static int copy(const char *path, bool events)
{
    char to[] = "/tmp/leat_given_XXXXXX";
    int fd = mkstemp(to), num = 0;
    struct text before = {0}, after = {0};
    struct arena a = {0};
    struct str record;
    struct pb_event *e;
    bool end = false;
    assert_true(fd >= 0);
    close(fd);
    struct record_reader *r = record_reader_open(path, RECORD_PLAIN, &st);
    struct record_writer *w = record_writer_open(to, RECORD_PLAIN, &st);
    assert_true(r && w);
    while (record_reader_next(r, &record, &end, &st) && !end) {
        assert_true(record_writer_add(w, record, &st));
        assert_true(!events || pb_event_decode(&a, record.p, record.n, PB_BORROW, &e, &st));
        assert_true(!events || num > 0 || str_is(e->file_version, "brain.Event:2"));
        num++;
    }
    if (!status_ok(&st))
        fail_msg("%s: %s", path, status_message(&st));
    record_reader_free(r);
    assert_true(record_writer_close(w, &st));
    assert_true(file_read(path, &before) && file_read(to, &after));
    assert_int_equal(before.n, after.n);
    assert_memory_equal(before.p, after.p, before.n);
    text_release(&before);
    text_release(&after);
    arena_release(&a);
    unlink(to);
    return num;
}

static void copy_all(const char *folder, bool events)
{
    struct text path = {0};
    if (!shared_find(folder, &path)) {
        printf("skipped: the given data are not at %s\n", text_str(&path));
        text_release(&path);
        skip();
    }
    struct names files = folder_names(text_str(&path));
    assert_true(files.num > 0);
    for (size_t i = 0; i < files.num; i++) {
        struct text file = {0};
        text_printf(&file, "%s/%s", text_str(&path), files.items[i]);
        assert_true(copy(text_str(&file), events) > 0);
        text_release(&file);
    }
    names_free(&files);
    text_release(&path);
}

static void test_given_records__events(void **state)
{
    (void)state;
    copy_all("models/events", true);
}

static void test_given_records__records(void **state)
{
    (void)state;
    copy_all("models/tfrecord", false);
}

static void test_given_records__traces(void **state)
{
    (void)state;
    copy_all("conformance/traces/kernel_tests.decode_csv_op_test", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_records__events),
        cmocka_unit_test(test_given_records__records),
        cmocka_unit_test(test_given_records__traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
