/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of both formats on disk: what is written is read, whole or in other slices; parts are
 * merged; data cut at any length is DATA_LOSS; the state file comes back. */
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
#include "io/bundle.h"
#include "io/checkpoint_state.h"
#include "io/slices_v1.h"

static char *folder;

static int setup(void **state)
{
    const char *at = getenv("TMPDIR");
    (void)state;
    folder = mem_printf("%s/leat-bundle-XXXXXX", at ? at : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    struct path_list files;
    struct status st = {0};
    char *pattern = mem_printf("%s/*", folder);
    (void)state;
    assert_true(path_glob(pattern, &files, &st));
    for (int64_t i = 0; i < files.n; i++)
        unlink(files.v[i]);
    path_list_release(&files);
    mem_free(pattern);
    int result = rmdir(folder); /* no folder or temp file stays */
    mem_free(folder);
    return result;
}

static struct tensor counting(int64_t rows, int64_t columns)
{
    struct tensor t;
    struct status st = {0};
    struct shape shape = shape_2(rows, columns);
    assert_true(tensor_new(&t, DT_FLOAT, &shape, &st));
    for (int64_t i = 0; i < t.num_elems; i++)
        tensor_f32(&t)[i] = (float)i;
    return t;
}

static void ok(bool done, struct status *st)
{
    if (!done)
        fail_msg("%s", status_message(st));
}

/* Rows [begin, end) of a 6 x 3 tensor under "p", and a text under `text`. */
static void write_part(const char *prefix, int64_t begin, int64_t end, const char *text)
{
    struct status st = {0};
    struct bundle_writer w;
    struct tensor all = counting(6, 3), rows = tensor_rows(&all, begin, end), words;
    struct shape whole = shape_2(6, 3), two = shape_1(2);
    struct slice s = {.rank = 2, .start = {begin, 0}, .len = {end - begin, SLICE_WHOLE}};
    ok(tensor_new(&words, DT_STRING, &two, &st), &st);
    assert_true(tstr_set(&tensor_str(&words)[1], text, strlen(text)));
    ok(bundle_writer_open(&w, prefix, &st), &st);
    ok(bundle_write_slice(&w, str_of("p"), &whole, &s, &rows, &st), &st);
    ok(bundle_write(&w, str_of(text), &words, &st), &st);
    ok(bundle_writer_finish(&w, &st), &st);
    tensor_clear(&rows);
    tensor_clear(&all);
    tensor_clear(&words);
}

static struct tensor read_tensor(const char *prefix, const char *name, const struct slice *want)
{
    struct status st = {0};
    struct bundle b;
    struct bundle_entry e;
    struct tensor t;
    bool found;
    ok(bundle_open(&b, prefix, NULL, &st), &st);
    ok(bundle_find(&b, str_of(name), &e, &found, &st), &st);
    assert_true(found);
    ok(bundle_read(&b, str_of(name), &e, want, &t, &st), &st);
    bundle_entry_release(&e);
    bundle_close(&b);
    return t;
}

static void test_bundle__parts_become_one(void **state)
{
    struct status st = {0};
    char *one = mem_printf("%s/a", folder), *two = mem_printf("%s/b", folder);
    char *all = mem_printf("%s/all", folder);
    (void)state;
    for (int round = 0; round < 2; round++) { /* the second replaces the first */
        write_part(one, 0, 2, "a text that is long enough to lie outside");
        write_part(two, 2, 6, "short");
        ok(bundle_merge((const char *const[]){one, two}, 2, all, &st), &st);
        assert_false(checkpoint_exists(one));
    }
    struct tensor t = read_tensor(all, "p", NULL);
    assert_int_equal(t.num_elems, 18);
    for (int i = 0; i < 18; i++)
        assert_true(tensor_f32(&t)[i] == (float)i);
    tensor_clear(&t);
    struct slice middle = {.rank = 2, .start = {1, 1}, .len = {3, 2}};
    t = read_tensor(all, "p", &middle);
    assert_int_equal(t.num_elems, 6);
    assert_true(tensor_f32(&t)[0] == 4 && tensor_f32(&t)[5] == 11);
    tensor_clear(&t);
    t = read_tensor(all, "short", NULL);
    assert_true(str_is(tstr_view(&tensor_str(&t)[1]), "short"));
    tensor_clear(&t);
    struct path_list files;
    char *pattern = mem_printf("%s/*", folder);
    ok(path_glob(pattern, &files, &st), &st);
    assert_int_equal(files.n, 3); /* the index and two shards: no name of the switch stays */
    path_list_release(&files);
    mem_free(pattern);
    mem_free(one);
    mem_free(two);
    mem_free(all);
}

static void test_bundle__cut_data(void **state)
{
    struct status st = {0};
    char *prefix = mem_printf("%s/cut", folder);
    char *data = bundle_data_path(prefix, 0, 1);
    (void)state;
    write_part(prefix, 0, 6, "text");
    for (int n = 6 * 3 * 4 - 1; n >= 0; n -= 5) {
        struct bundle b;
        struct bundle_entry e;
        struct tensor t;
        bool found;
        assert_int_equal(truncate(data, n), 0);
        ok(bundle_open(&b, prefix, NULL, &st), &st);
        ok(bundle_find(&b, str_of("p"), &e, &found, &st) && found, &st);
        assert_false(bundle_read(&b, str_of("p"), &e, NULL, &t, &st));
        assert_int_equal(st.code, STATUS_DATA_LOSS);
        assert_non_null(strstr(status_message(&st), "cut.data-00000-of-00001"));
        status_clear(&st);
        bundle_entry_release(&e);
        bundle_close(&b);
    }
    mem_free(data);
    mem_free(prefix);
}

static void test_v1__comes_back(void **state)
{
    struct status st = {0};
    struct v1_writer w;
    struct v1_reader r;
    struct tensor all = counting(6, 3), t;
    struct shape whole = shape_2(6, 3);
    char *path = mem_printf("%s/v1", folder);
    (void)state;
    v1_writer_init(&w);
    for (int k = 0; k < 3; k++) {
        struct slice s = {.rank = 2, .start = {2 * k, 0}, .len = {2, SLICE_WHOLE}};
        struct tensor rows = tensor_rows(&all, 2 * k, 2 * k + 2);
        ok(v1_add(&w, str_of("p"), &whole, &s, &rows, &st), &st);
        tensor_clear(&rows);
    }
    ok(v1_write(&w, path, &st), &st);
    v1_writer_release(&w);
    ok(v1_open(&r, path, &st), &st);
    const struct v1_tensor *p = v1_find(&r, str_of("p"));
    assert_non_null(p);
    struct slice want = {.rank = 2, .start = {1, 0}, .len = {4, 3}};
    ok(v1_read(&r, str_of("p"), p, &want, &t, &st), &st);
    for (int i = 0; i < 12; i++)
        assert_true(tensor_f32(&t)[i] == (float)(i + 3));
    tensor_clear(&t);
    v1_close(&r);
    tensor_clear(&all);
    mem_free(path);
}

static void test_state__relative_and_absolute(void **state)
{
    struct status st = {0};
    struct path_list all = {0};
    struct pb_checkpoint_state *s;
    char *old = mem_printf("%s/m-1", folder), *new = mem_printf("%s/m-2", folder);
    (void)state;
    path_list_add(&all, old);
    for (int relative = 0; relative < 2; relative++) {
        struct arena a = {0};
        ok(checkpoint_state_write(folder, NULL, new, &all, relative, &st), &st);
        ok(checkpoint_state_read(folder, NULL, &a, &s, &st), &st);
        assert_true(str_is(s->model_checkpoint_path, new));
        assert_int_equal(s->all_model_checkpoint_paths.n, 2);
        assert_true(str_is(s->all_model_checkpoint_paths.v[0], old));
        arena_release(&a);
    }
    path_list_release(&all);
    mem_free(old);
    mem_free(new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bundle__parts_become_one, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bundle__cut_data, setup, teardown),
        cmocka_unit_test_setup_teardown(test_v1__comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_state__relative_and_absolute, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
