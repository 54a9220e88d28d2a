/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 600 */
/* Savers killed (kill -9) while they save: what the state file names is whole, all of it of one
 * save, and of the last one that was done or the one that was killed.
 *
 * Children save; this process kills and looks. A child is killed before its n-th change of what is
 * on disk, for each n until the save gets through (quick tier: one in a few), and at instants that
 * a seed draws. The full tier draws 1,000 of them. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "io/folder.h"
#include "leat/leat.h"

enum { NUM_A = 3000, NUM_B = 20000, NUM_MODES = 4, MAX_STEPS = 400 };
enum mode { ONE_NAME, STEPS, SHARDED, FORMAT_V1 };

struct model {
    TF_Graph *g;
    TF_Status *st;
    TF_Output number, a, b;
    TF_Operation *set;
    leat_saver *saver;
    TF_Session *session;
};

static TF_Output filled(TF_Graph *g, TF_Output number, int n)
{
    TF_Output shape = leat_const_array(g, TF_INT32, &n, leat_shape(1));
    return leat_fill(g, shape, number);
}

static struct model model_new(enum mode mode)
{
    struct model m = {.g = TF_NewGraph(), .st = TF_NewStatus()};
    TF_Output set[2];
    m.number = leat_placeholder(m.g, .dtype = TF_FLOAT, .shape = leat_shape());
    leat_with_device(m.g, "/cpu:0") {
        m.a = leat_variable(m.g, "a", leat_zeros(m.g, leat_shape(NUM_A)));
        set[0] = leat_assign(m.g, m.a, filled(m.g, m.number, NUM_A));
    }
    leat_with_device(m.g, "/cpu:1") {
        m.b = leat_variable(m.g, "b", leat_zeros(m.g, leat_shape(NUM_B)), .resource = 1);
        set[1] = leat_assign(m.g, m.b, filled(m.g, m.number, NUM_B));
    }
    TF_Operation *both[] = {set[0].oper, set[1].oper};
    m.set = leat_group(m.g, both, 2, "set");
    m.saver = leat_saver_new(m.g, .max_to_keep = 2, .sharded = mode == SHARDED,
                             .version = mode == FORMAT_V1 ? LEAT_SAVER_V1 : LEAT_SAVER_V2);
    m.session = leat_session_new(m.g, m.st, .cpu_devices = 2, .threads = 1);
    if (!m.saver || !m.session) {
        leat_graph_status(m.g, m.st);
        fprintf(stderr, "no model: %s\n", TF_Message(m.st));
        exit(2);
    }
    return m;
}

static void model_free(struct model *m)
{
    leat_session_close(m->session);
    leat_saver_free(m->saver);
    TF_DeleteGraph(m->g);
    TF_DeleteStatus(m->st);
}

/* --- the child --- */

static void save(struct model *m, const char *folder, enum mode mode, int k)
{
    struct leat_feed feed = leat_feed_number(m->number, k);
    char *prefix = mem_printf("%s/ckpt", folder);
    char *name = NULL;
    if (leat_run_op(m->session, m->set, (struct leat_feeds){&feed, 1}, m->st))
        name = leat_saver_save(m->saver, m->session, prefix, m->st,
                               .global_step = mode == STEPS ? k : LEAT_INT_NOT_GIVEN);
    if (!name) {
        fprintf(stderr, "save: %s\n", TF_Message(m->st));
        exit(2);
    }
    leat_free(name);
    mem_free(prefix);
}

/* Saves 1, 2, 3; tells it; then ends before change number `step` of save 4, or, where step is 0,
 * saves on until it is killed. */
static int child(const char *folder, enum mode mode, int64_t step)
{
    struct model m = model_new(mode);
    char spec[32];
    for (int k = 1; k <= 3; k++)
        save(&m, folder, mode, k);
    snprintf(spec, sizeof spec, "%lld", (long long)step);
    if (step > 0)
        failpoint_set("io_kill", spec);
    if (write(STDOUT_FILENO, "s", 1) != 1)
        return 2;
    for (int k = 4; k < (step > 0 ? 5 : 100000); k++)
        save(&m, folder, mode, k);
    model_free(&m);
    return 0;
}

/* --- the one that kills and looks --- */

/* In memory where that is to be had: what kill -9 leaves does not depend on the disk, and a save
 * waits for it many times. */
static char *folder_new(void)
{
    const char *at = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    char *path = mem_printf("%s/leat-killed-XXXXXX", at ? at : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static void folder_empty(const char *folder)
{
    struct path_list files;
    struct status st = {0};
    char *pattern = mem_printf("%s/*", folder);
    assert_true(path_glob(pattern, &files, &st));
    for (int64_t i = 0; i < files.n; i++) {
        if (folder_exists(files.v[i])) {
            folder_empty(files.v[i]);
            rmdir(files.v[i]);
        } else {
            unlink(files.v[i]);
        }
    }
    path_list_release(&files);
    mem_free(pattern);
}

/* Starts a child and waits until it has saved three times. */
static pid_t start_child(const char *folder, enum mode mode, int64_t step)
{
    char mode_text[16], step_text[32], byte;
    int pipe_fds[2];
    snprintf(mode_text, sizeof mode_text, "%d", (int)mode);
    snprintf(step_text, sizeof step_text, "%lld", (long long)step);
    assert_int_equal(pipe(pipe_fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipe_fds[1], STDOUT_FILENO);
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        execl("/proc/self/exe", "child", folder, mode_text, step_text, (char *)NULL);
        _exit(3);
    }
    close(pipe_fds[1]);
    while (read(pipe_fds[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    close(pipe_fds[0]);
    return pid;
}

/* True when it was killed, false when it got through; all else fails the test. */
static bool end_child(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return true;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return false;
}

/* What the state file names is whole; the number of its save. */
static int look(struct model *m, const char *folder)
{
    static float a[NUM_A], b[NUM_B];
    char *latest = leat_latest_checkpoint(folder, NULL);
    assert_non_null(latest);
    if (!leat_saver_restore(m->saver, m->session, latest, m->st))
        fail_msg("%s: %s", latest, TF_Message(m->st));
    leat_free(latest);
    assert_int_equal(
        leat_run(m->session, m->st,
                 .fetches = leat_fetches(leat_fetch(m->a, a, NUM_A), leat_fetch(m->b, b, NUM_B))),
        1);
    for (int i = 0; i < NUM_A; i++)
        assert_true(a[i] == a[0]);
    for (int i = 0; i < NUM_B; i++)
        assert_true(b[i] == a[0]);
    return (int)a[0];
}

static bool is_full_tier(void)
{
    const char *tier = getenv("LEAT_TIER");
    return tier && strcmp(tier, "full") == 0;
}

static void test_saver__killed_before_each_change(void **state)
{
    char *folder = folder_new();
    (void)state;
    for (int mode = 0; mode < NUM_MODES; mode++) {
        struct model m = model_new((enum mode)mode);
        bool killed = true;
        int64_t step = is_full_tier() ? 1 : 1 + mode;
        for (; killed && step < MAX_STEPS; step += is_full_tier() ? 1 : 5) {
            folder_empty(folder);
            killed = end_child(start_child(folder, (enum mode)mode, step));
            int k = look(&m, folder);
            assert_true(k == 4 || (killed && k == 3));
        }
        assert_false(killed); /* there was an end */
        assert_true(step > 5);
        model_free(&m);
    }
    folder_empty(folder);
    rmdir(folder);
    mem_free(folder);
}

static void test_saver__killed_at_any_instant(void **state)
{
    char *folder = folder_new();
    int num = is_full_tier() ? 1000 : 16;
    uint64_t seed = 12345;
    (void)state;
    for (int i = 0; i < num; i++) {
        enum mode mode = (enum mode)(i % NUM_MODES);
        struct model m = model_new(mode);
        folder_empty(folder);
        pid_t pid = start_child(folder, mode, 0);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        usleep((useconds_t)(seed >> 33) % 30000);
        kill(pid, SIGKILL);
        assert_true(end_child(pid));
        assert_true(look(&m, folder) >= 3);
        model_free(&m);
    }
    folder_empty(folder);
    rmdir(folder);
    mem_free(folder);
}

int main(int argc, char **argv)
{
    int64_t mode, step;
    if (argc == 4 && strcmp(argv[0], "child") == 0 && str_to_i64(str_of(argv[2]), &mode) &&
        str_to_i64(str_of(argv[3]), &step))
        return child(argv[1], (enum mode)mode, step);
    if (getenv("LEAT_EMULATED")) {
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saver__killed_before_each_change),
        cmocka_unit_test(test_saver__killed_at_any_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
