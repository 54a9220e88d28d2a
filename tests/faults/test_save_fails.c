/* SPDX-License-Identifier: Apache-2.0 */
/* Saves that cannot be done: no room, no permission, a disk that fails. The error says so, no temp
 * file stays, and what was saved before is still there. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "io/folder.h"
#include "leat/leat.h"

enum { NUM = 100000 };

struct model {
    TF_Graph *g;
    TF_Status *st;
    TF_Session *session;
    leat_saver *saver;
    TF_Operation *init;
    char *folder, *prefix;
};

static int setup(void **state)
{
    struct model *m = mem_new(struct model);
    const char *at = getenv("TMPDIR");
    *m = (struct model){.g = TF_NewGraph(), .st = TF_NewStatus()};
    m->folder = mem_printf("%s/leat-fails-XXXXXX", at ? at : "/tmp");
    assert_non_null(mkdtemp(m->folder));
    m->prefix = mem_printf("%s/ckpt", m->folder);
    (void)leat_variable(m->g, "v", leat_ones(m->g, leat_shape(NUM)));
    m->saver = leat_saver_new(m->g);
    m->init = leat_global_variables_initializer(m->g);
    m->session = leat_session_new(m->g, m->st);
    assert_int_equal(leat_run_op(m->session, m->init, leat_no_feeds(), m->st), 1);
    char *saved = leat_saver_save(m->saver, m->session, m->prefix, m->st, .global_step = 1);
    assert_non_null(saved);
    leat_free(saved);
    *state = m;
    return 0;
}

static struct path_list files(const struct model *m)
{
    struct path_list l;
    struct status st = {0};
    char *pattern = mem_printf("%s/*", m->folder);
    assert_true(path_glob(pattern, &l, &st));
    mem_free(pattern);
    return l;
}

static int teardown(void **state)
{
    struct model *m = *state;
    struct path_list l = files(m);
    for (int64_t i = 0; i < l.n; i++)
        unlink(l.v[i]);
    path_list_release(&l);
    rmdir(m->folder);
    leat_saver_free(m->saver);
    leat_session_close(m->session);
    TF_DeleteGraph(m->g);
    TF_DeleteStatus(m->st);
    mem_free(m->folder);
    mem_free(m->prefix);
    mem_free(m);
    return 0;
}

/* A save now fails with one of these codes, and leaves things as they were. */
static void fails(struct model *m, TF_Code code)
{
    struct path_list before = files(m), after;
    assert_null(leat_saver_save(m->saver, m->session, m->prefix, m->st, .global_step = 2));
    if (TF_GetCode(m->st) != code)
        fail_msg("code %d: %s", (int)TF_GetCode(m->st), TF_Message(m->st));
    assert_non_null(strstr(TF_Message(m->st), "ckpt-2"));
    after = files(m);
    assert_int_equal(after.n, before.n);
    for (int64_t i = 0; i < after.n; i++)
        assert_string_equal(after.v[i], before.v[i]);
    path_list_release(&before);
    path_list_release(&after);
    char *latest = leat_latest_checkpoint(m->folder, NULL);
    assert_non_null(latest);
    assert_non_null(strstr(latest, "ckpt-1"));
    assert_int_equal(leat_saver_restore(m->saver, m->session, latest, m->st), 1);
    leat_free(latest);
}

static void test_save__no_room(void **state)
{
    struct model *m = *state;
    struct rlimit old, low = {1000, RLIM_INFINITY};
    failpoint_set("output_write", "on"); /* write says ENOSPC */
    fails(m, TF_RESOURCE_EXHAUSTED);
    failpoint_clear_all();
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    fails(m, TF_OUT_OF_RANGE); /* EFBIG */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void test_save__a_disk_that_fails(void **state)
{
    struct model *m = *state;
    static const char *const points[] = {"output_sync", "output_rename"};
    for (size_t i = 0; i < ARRAY_LEN(points); i++) {
        failpoint_set(points[i], "on");
        fails(m, TF_DATA_LOSS);
        failpoint_clear_all();
    }
    char *saved = leat_saver_save(m->saver, m->session, m->prefix, m->st, .global_step = 3);
    assert_non_null(saved); /* and it goes on when the disk is well again */
    leat_free(saved);
}

static void test_save__no_permission(void **state)
{
    struct model *m = *state;
    if (geteuid() == 0)
        skip();
    assert_int_equal(chmod(m->folder, 0500), 0);
    fails(m, TF_PERMISSION_DENIED);
    assert_int_equal(chmod(m->folder, 0700), 0);
}

/* Data cut or changed after it was saved. */
static void test_restore__of_torn_files(void **state)
{
    struct model *m = *state;
    char *data = mem_printf("%s-1.data-00000-of-00001", m->prefix);
    char *saved = mem_printf("%s-1", m->prefix);
    FILE *f = fopen(data, "r+b");
    assert_non_null(f);
    fseek(f, 1000, SEEK_SET);
    fputc('x', f);
    fclose(f);
    assert_int_equal(leat_saver_restore(m->saver, m->session, saved, m->st), 0);
    assert_int_equal(TF_GetCode(m->st), TF_DATA_LOSS);
    assert_non_null(strstr(TF_Message(m->st), "checksum"));
    assert_int_equal(truncate(data, 5000), 0);
    assert_int_equal(leat_saver_restore(m->saver, m->session, saved, m->st), 0);
    assert_int_equal(TF_GetCode(m->st), TF_DATA_LOSS);
    assert_non_null(strstr(TF_Message(m->st), "but the file ends at 5000"));
    unlink(data);
    assert_int_equal(leat_saver_restore(m->saver, m->session, saved, m->st), 0);
    assert_int_equal(TF_GetCode(m->st), TF_NOT_FOUND);
    mem_free(data);
    mem_free(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_save__no_room, setup, teardown),
        cmocka_unit_test_setup_teardown(test_save__a_disk_that_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_save__no_permission, setup, teardown),
        cmocka_unit_test_setup_teardown(test_restore__of_torn_files, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
