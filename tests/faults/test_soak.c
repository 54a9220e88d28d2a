/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 2400 */
/* A cluster that works for long: clients count, sessions come and go, steps are cancelled by their
 * time, tasks are lost and come back. In the end each process that lived all along holds about the
 * memory and the descriptors that it held after the first tenth. LEAT_SOAK_SECONDS says how long
 * (half an hour in the nightly form); otherwise a fixed number of rounds. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "counting.h"

/* Memory is the allocators' too, which take what they need in blocks and keep it for a while; a
 * sanitizer keeps up to 256 MB of what was freed, and what it knows of it. */
#ifdef __SANITIZE_ADDRESS__
enum { MEMORY_SLACK_KB = 512 * 1024 };
#else
enum { MEMORY_SLACK_KB = 48 * 1024 };
#endif
enum { ROUNDS = 40, FD_SLACK = 24 };

static struct faults_cluster c;

struct held {
    long rss_kb;
    int fds;
};

static struct held measure(pid_t pid)
{
    char path[64], line[256];
    struct held h = {0};
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        (void)sscanf(line, "VmRSS: %ld", &h.rss_kb);
    fclose(f);
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *d = opendir(path);
    assert_non_null(d);
    while (readdir(d))
        h.fds++;
    closedir(d);
    return h;
}

/* A session of its own: some steps, one that ends by its time, and away. */
static void one_session(struct faults_task *at)
{
    static const TF_DataType types[] = {TF_FLOAT};
    float big[4096], got;
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output taken = {0}, sent = {0};
    leat_with_device(g, "/job:ps/task:0") {
        TF_Output q = leat_fifo_queue(g, .component_types = {types, 1});
        taken = leat_queue_dequeue(g, q, .component_types = {types, 1});
        sent = leat_ones(g, leat_shape(4096));
    }
    TF_Session *session =
        leat_session_new(g, s, .target = faults_target(at), .timeout_ms = faults_deadline_ms());
    for (int i = 0; i < 10; i++)
        leat_run(session, s, .fetches = leat_fetches(leat_fetch(sent, big, 4096)));
    TF_Session *hasty = leat_session_new(g, s, .target = faults_target(at), .timeout_ms = 20);
    TF_SetStatus(s, TF_OK, "");
    leat_run(hasty, s, .fetches = leat_fetches(leat_fetch(taken, &got, 1)));
    assert_int_not_equal(TF_GetCode(s), TF_OK);
    leat_session_close(hasty);
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
}

static void one_round(int i)
{
    struct faults_task *lost = faults_standby(&c, 0);
    one_session(faults_task(&c, "worker", i % 2));
    counting_wait(20);
    if (i % 10 == 9) {
        faults_kill(lost);
        counting_wait(20);
        faults_start(&c, lost);
        faults_wait_in_sync(&c, 0);
    }
}

/* Whether part/of of the time, or of the rounds, is over. */
static bool is_past(int64_t from_ns, int round, int part, int of)
{
    const char *seconds = getenv("LEAT_SOAK_SECONDS");
    if (seconds)
        return clock_now_ns() - from_ns >= atoll(seconds) * 1000000000 / of * part;
    return round >= ROUNDS * part / of;
}

static void compare(const char *name, struct held first, struct held last)
{
    print_message("%s: %ld KB, %d descriptors; then %ld KB, %d\n", name, first.rss_kb, first.fds,
                  last.rss_kb, last.fds);
    if (last.fds > first.fds + FD_SLACK)
        fail_msg("%s: %d descriptors, then %d", name, first.fds, last.fds);
    if (last.rss_kb > first.rss_kb + first.rss_kb / 4 + MEMORY_SLACK_KB)
        fail_msg("%s: %ld KB, then %ld", name, first.rss_kb, last.rss_kb);
}

static void test_soak__memory_and_descriptors_stay(void **state)
{
    struct held first[4];
    (void)state;
    if (!faults_available())
        skip();
    faults_init_standby(&c, 1, 2);
    faults_start_all(&c);
    counting_start(faults_task(&c, "worker", 1));
    faults_wait_in_sync(&c, 0);
    const int64_t from = clock_now_ns();
    int round = 0;
    for (; !is_past(from, round, 1, 10) || round < 2; round++)
        one_round(round);
    struct faults_task *v[] = {faults_task(&c, "ps", 0), faults_task(&c, "worker", 0),
                               faults_task(&c, "worker", 1)};
    for (int i = 0; i < 3; i++)
        first[i] = measure(v[i]->pid);
    first[3] = measure(getpid());
    for (; !is_past(from, round, 10, 10); round++)
        one_round(round);
    compare("ps:0", first[0], measure(v[0]->pid));
    compare("worker:0", first[1], measure(v[1]->pid));
    compare("worker:1", first[2], measure(v[2]->pid));
    compare("the client", first[3], measure(getpid()));
    print_message("%d rounds\n", round);
    counting_check();
}

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_soak__memory_and_descriptors_stay, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
