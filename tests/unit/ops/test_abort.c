/* SPDX-License-Identifier: Apache-2.0 */
/* Abort ends the process, loudly or quietly; graphs that do not reach it go on. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "leat/leat.h"

/* How a process ends that runs Abort. */
static int end_of(int quiet)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        TF_Graph *g = TF_NewGraph();
        TF_Status *st = TF_NewStatus();
        TF_Operation *op = leat_abort(g, .error_msg = "on purpose", .exit_without_error = quiet);
        TF_Session *s = leat_session_new(g, st);
        leat_run_op(s, op, leat_no_feeds(), st);
        _exit(3); /* it came back */
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void test_abort__ends_the_process(void **state)
{
    (void)state;
    int status = end_of(0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = end_of(1);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_abort__ends_the_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
