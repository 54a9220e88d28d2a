/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* A chief that trains on a cluster is killed again and again, and the ps with it: whoever comes
 * next goes on from the last whole checkpoint, never from a mixture, and gets to the end. The chief
 * is this program, told so by its words. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cluster.h"
#include "leat/leat.h"
#include "leat/monitored_session.h"

enum { LAST_STEP = 60, SAVE_EVERY = 4, VALUES = 20000 };

/* --- the chief --- */

/* Each step adds one to all values of w; says the step and w's first and last value. */
static int be_chief(const char *target, const char *dir)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output w = {0}, step = leat_create_global_step(g);
    TF_Operation *train = NULL;
    leat_with_device(g, "/job:ps/task:0") {
        w = leat_variable(g, "w", leat_zeros(g, leat_shape(VALUES)));
        TF_Output more = leat_assign_add(g, w, leat_ones(g, leat_shape(VALUES)));
        TF_Output next = leat_assign_add(g, step, leat_const_int64(g, 1));
        train = leat_group(g, (TF_Operation *[]){more.oper, next.oper}, 2, "train");
    }
    leat_monitored_session *ms = leat_monitored_session_new(
        g, s, .target = target, .checkpoint_dir = dir, .save_checkpoint = {SAVE_EVERY, 0},
        .recovery_wait_secs = 0.2, .hooks = leat_hooks(leat_stop_at_step_hook(0, LAST_STEP)));
    static float values[VALUES];
    int64_t at = 0;
    while (ms && !leat_monitored_should_stop(ms)) {
        if (!leat_monitored_run(ms, s, .targets = leat_opers(train)))
            break;
        TF_Session *raw = leat_monitored_session_raw(ms);
        TF_Status *own = TF_NewStatus();
        if (raw && leat_run(raw, own,
                            .fetches = leat_fetches(leat_fetch(step, &at, 1),
                                                    leat_fetch(w, values, VALUES)))) {
            printf("step %lld %g %g\n", (long long)at, (double)values[0],
                   (double)values[VALUES - 1]);
            fflush(stdout);
        }
        TF_DeleteStatus(own);
    }
    leat_monitored_session_close(ms, s);
    const int code = TF_GetCode(s);
    if (code != TF_OK)
        fprintf(stderr, "chief: %d: %s\n", code, TF_Message(s));
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return code == TF_OK ? 0 : 1;
}

/* --- the test --- */

static struct faults_cluster c;
static char dir[] = "/tmp/leat-monitored-XXXXXX";

struct chief {
    pid_t pid;
    FILE *said;
};

static struct chief start_chief(void)
{
    int ends[2];
    struct chief chief;
    const pid_t parent = getpid();
    const char *target = faults_target(faults_task(&c, "worker", 0));
    assert_int_equal(pipe(ends), 0);
    chief.pid = fork();
    if (chief.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(127);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", "chief", "chief", target, dir, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    chief.said = fdopen(ends[0], "r");
    assert_non_null(chief.said);
    return chief;
}

/* The next step that it says; -1: it has ended. w and the step are of one moment. */
static int64_t next_step(struct chief *chief)
{
    long long step;
    double first, last;
    char line[200];
    if (!fgets(line, sizeof line, chief->said))
        return -1;
    if (sscanf(line, "step %lld %lf %lf", &step, &first, &last) != 3)
        fail_msg("the chief said: %s", line);
    if (first != (double)step || last != (double)step)
        fail_msg("step %lld, but w is from %g to %g", step, first, last);
    return step;
}

static void end_chief(struct chief *chief, int sig, int code)
{
    int status;
    if (sig)
        kill(chief->pid, sig);
    assert_int_equal(waitpid(chief->pid, &status, 0), chief->pid);
    fclose(chief->said);
    if (!sig && (!WIFEXITED(status) || WEXITSTATUS(status) != code))
        fail_msg("the chief ended with %d", status);
}

static void remove_dir(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

/* Rounds: how many steps a chief lives, and whether the ps goes with it. */
static void test_monitored__chief_and_ps_killed(void **state)
{
    static const struct {
        int steps;
        bool ps;
    } rounds[] = {{3, false}, {9, true}, {6, false}, {13, true}, {1, true}};
    int64_t reached = 0;
    (void)state;
    if (!c.n)
        skip();
    faults_start_all(&c);
    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        struct chief chief = start_chief();
        int64_t step = 0;
        for (int k = 0; k < rounds[i].steps; k++) {
            step = next_step(&chief);
            assert_true(step > 0);
            /* What was saved is not lost: the one before is whole at least. */
            if (k == 0 && step < reached - 2 * SAVE_EVERY)
                fail_msg("begins with step %lld after %lld", (long long)step, (long long)reached);
        }
        reached = step;
        end_chief(&chief, SIGKILL, 0);
        if (rounds[i].ps) {
            faults_kill(faults_task(&c, "ps", 0));
            faults_start(&c, faults_task(&c, "ps", 0));
        }
    }
    struct chief chief = start_chief();
    int64_t last = 0;
    for (int64_t step; (step = next_step(&chief)) > 0;)
        last = step;
    assert_true(last == LAST_STEP || last == LAST_STEP - 1); /* the end closes the session */
    end_chief(&chief, 0, 0);
}

/* The ps is lost under a chief that lives: it restores, and goes on by itself. */
static void test_monitored__ps_killed_under_the_chief(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    faults_start_all(&c);
    struct chief chief = start_chief();
    int64_t step = 0, last = 0;
    while (step < 15)
        assert_true((step = next_step(&chief)) > 0);
    faults_kill(faults_task(&c, "ps", 0));
    faults_start(&c, faults_task(&c, "ps", 0));
    while ((step = next_step(&chief)) > 0)
        last = step;
    assert_true(last == LAST_STEP || last == LAST_STEP - 1);
    end_chief(&chief, 0, 0);
}

static int set_up(void **state)
{
    (void)state;
    if (!faults_available())
        return 0;
    strcpy(dir + strlen(dir) - 6, "XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    faults_init(&c, 1, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    remove_dir();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "chief") == 0)
        return be_chief(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_monitored__chief_and_ps_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_monitored__ps_killed_under_the_chief, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
