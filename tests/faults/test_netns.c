/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 1500 */
/* Every task in a network namespace of its own, and whoever of them is killed, frozen, cut off (by
 * nft: packets dropped, connections reset, one direction alone) or slow (late, with losses), while
 * sessions are made, steps run, checkpoints are written, a step waits in a queue, or all is shut
 * down. Each call ends within the limit, with no error or with one that names the task; when the
 * task is back all goes well again; and what was acknowledged is there. The first few of the
 * main combinations in the quick tier, all of these otherwise, every one in the full tier;
 * LEAT_TEST_CASE="ps drop steps" runs one. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "cluster.h"
#include "leat/leat.h"
#include "netns.h"

enum who { PS, CHIEF, WORKER, STANDBY, NUM_WHO };
enum how { KILL, FREEZE, DROP, REJECT, DEAF, MUTE, SLOW, NUM_HOW };
enum when { CREATION, STEPS, CHECKPOINT, BARRIER, SHUTDOWN, NUM_WHEN };
static const char *const who_names[] = {"ps", "chief", "worker", "standby"};
static const char *const how_names[] = {"kill", "freeze", "drop", "reject", "deaf", "mute", "slow"};
static const char *const when_names[] = {"creation", "steps", "checkpoint", "barrier", "shutdown"};
struct combination {
    enum who who;
    enum how how;
    enum when when;
};
static const struct combination quick[] = {
    {PS, KILL, CHECKPOINT}, {PS, DROP, STEPS},          {PS, MUTE, BARRIER},
    {CHIEF, DROP, STEPS},   {CHIEF, DEAF, BARRIER},     {WORKER, DROP, STEPS},
    {WORKER, MUTE, STEPS},  {WORKER, DROP, CREATION},   {STANDBY, DROP, STEPS},
    {PS, SLOW, STEPS},      {WORKER, REJECT, SHUTDOWN}, {PS, FREEZE, SHUTDOWN},
};

enum { NUM_FIRST = 3 }; /* of them, in the quick tier */
enum { LIMIT = 20 };    /* deadlines that a call may take; a machine may be slow */
static struct faults_cluster c;
static bool available;
static char folder[200];

static int64_t limit_ns(void)
{
    return faults_deadline_ms() * LIMIT * 1000000;
}

static struct faults_task *task_of(enum who who)
{
    return who == STANDBY ? faults_standby(&c, 0)
                          : faults_task(&c, who == PS ? "ps" : "worker", who == WORKER);
}

/* --- a client: a step adds one on the ps to what the worker has, perhaps writes it to a file ---
 */

static struct client {
    enum when when;
    TF_Graph *g;
    TF_Session *session;
    TF_Output n, y, prefix, taken;
    TF_Operation *init, *add, *save, *put;
    bool initialised;
    bool fresh; /* no step of the session has gone well yet */
    pthread_t thread;
    /* atomic */
    bool stop;
    int64_t begun, ended, good, bad, begun_ns;
    char wrong[400]; /* an error that should not be; read when the thread is over */
} k;

static void build(enum when when)
{
    static const TF_DataType types[] = {TF_DOUBLE};
    k = (struct client){.when = when, .g = TF_NewGraph()};
    TF_Output add = {NULL, 0};
    k.prefix = leat_placeholder(k.g, .dtype = TF_STRING);
    leat_with_device(k.g, "/job:ps/task:0") {
        TF_Output one = leat_const_double(k.g, 1);
        k.n = leat_variable(k.g, "n", leat_const_double(k.g, 0));
        add = leat_assign_add(k.g, k.n, one);
        TF_Output zero = leat_const_int(k.g, 0);
        TF_Output name = leat_expand_dims(k.g, leat_const_string(k.g, "n"), zero);
        TF_Output whole = leat_expand_dims(k.g, leat_const_string(k.g, ""), zero);
        k.save = leat_save_v2(k.g, k.prefix, name, whole, &k.n, 1);
        TF_Output q = leat_fifo_queue(k.g, .component_types = {types, 1}, .shared_name = "q");
        k.taken = leat_queue_dequeue(k.g, q, .component_types = {types, 1});
        k.put = leat_queue_enqueue(k.g, q, &one, 1);
    }
    leat_with_device(k.g, "/job:worker/task:1")
        k.y = leat_add(k.g, add, leat_const_double(k.g, 1));
    k.add = k.y.oper;
    k.init = leat_global_variables_initializer(k.g);
}

static TF_Session *open_session(TF_Status *s)
{
    return leat_session_new(k.g, s, .target = faults_target(task_of(CHIEF)),
                            .timeout_ms = faults_deadline_ms() * LIMIT / 4);
}

static void save(TF_Status *s)
{
    char path[300];
    snprintf(path, sizeof path, "%s/n-%lld", folder, (long long)k.begun);
    const char *text = path;
    TF_Tensor *prefix = leat_string_tensor(&text, NULL, NULL, 0, s);
    leat_run(k.session, s, .feeds = leat_feeds(leat_feed_tensor(k.prefix, prefix)),
             .targets = leat_opers(k.save));
    TF_DeleteTensor(prefix);
}

/* Which errors may be: those that say who is gone, and of a start that it took too long. */
static void judge(TF_Status *s, const char *where, bool starts)
{
    const TF_Code code = TF_GetCode(s);
    const bool named = strstr(TF_Message(s), "/job:") || strstr(TF_Message(s), "this master has") ||
                       strstr(TF_Message(s), "the task at "); /* who never said its name */
    const bool fine = code == TF_OK || ((code == TF_UNAVAILABLE || code == TF_ABORTED) && named) ||
                      (starts && code == TF_DEADLINE_EXCEEDED) ||
                      (k.when == SHUTDOWN && code == TF_CANCELLED); /* its master closed it */
    if (!fine && !k.wrong[0])
        snprintf(k.wrong, sizeof k.wrong, "%s%d: %s", where, code, TF_Message(s));
}

/* A session is made anew after an error, as sessions that recover do. */
static bool call(TF_Status *s)
{
    double y;
    TF_SetStatus(s, TF_OK, "");
    if (!k.session) {
        k.session = open_session(s);
        k.fresh = true;
    }
    if (k.session && !k.initialised) {
        leat_run_op(k.session, k.init, leat_no_feeds(), s);
        judge(s, "start: ", true);
        k.initialised = TF_GetCode(s) == TF_OK;
    } else if (k.session) {
        leat_run(k.session, s, .fetches = leat_fetches(leat_fetch(k.y, &y, 1)));
        judge(s, "step: ", k.fresh);
        const bool good = TF_GetCode(s) == TF_OK;
        k.fresh = k.fresh && !good;
        __atomic_fetch_add(good ? &k.good : &k.bad, 1, __ATOMIC_ACQ_REL);
        if (good && k.when == CHECKPOINT) {
            save(s);
            judge(s, "save: ", false);
        }
    } else {
        judge(s, "start: ", true);
    }
    if (TF_GetCode(s) != TF_OK) {
        leat_session_close(k.session);
        k.session = NULL;
    }
    return TF_GetCode(s) == TF_OK;
}

static void *client_thread(void *arg)
{
    TF_Status *s = TF_NewStatus();
    (void)arg;
    while (!__atomic_load_n(&k.stop, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&k.begun_ns, clock_now_ns(), __ATOMIC_RELEASE);
        __atomic_fetch_add(&k.begun, 1, __ATOMIC_ACQ_REL);
        const bool ok = call(s);
        __atomic_fetch_add(&k.ended, 1, __ATOMIC_ACQ_REL);
        if (!ok)
            usleep(10000);
    }
    TF_DeleteStatus(s);
    return NULL;
}

/* Until as many calls went well (ended), or one takes longer than any may. */
static void wait_for(const int64_t *what, int64_t want, const char *why)
{
    const int64_t until = clock_now_ns() + 3 * limit_ns();
    while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < want) {
        const int64_t now = clock_now_ns();
        if (now > until || now - __atomic_load_n(&k.begun_ns, __ATOMIC_ACQUIRE) > limit_ns())
            fail_msg("%s: %lld calls went well, %lld did not, %s", why, (long long)k.good,
                     (long long)k.bad, now > until ? "and so on" : "and one does not end");
        usleep(2000);
    }
}

/* --- a step that waits in a queue --- */

struct waiter {
    pthread_t thread;
    TF_Session *session;
    TF_Status *s;
    bool over; /* atomic */
};

static void *wait_thread(void *arg)
{
    struct waiter *w = arg;
    double got;
    leat_run(w->session, w->s, .fetches = leat_fetches(leat_fetch(k.taken, &got, 1)));
    __atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
    return NULL;
}

static void waiter_start(struct waiter *w)
{
    *w = (struct waiter){.s = TF_NewStatus()};
    w->session = leat_session_new(k.g, w->s, .target = faults_target(task_of(CHIEF)));
    assert_int_equal(TF_GetCode(w->s), TF_OK);
    assert_int_equal(pthread_create(&w->thread, NULL, wait_thread, w), 0);
}

/* An element for it, unless it was told that a task is lost. */
static void waiter_end(struct waiter *w)
{
    const int64_t until = clock_now_ns() + 2 * limit_ns();
    TF_Status *s = TF_NewStatus();
    TF_Session *session = NULL;
    bool put = false;
    while (!__atomic_load_n(&w->over, __ATOMIC_ACQUIRE)) {
        if (clock_now_ns() > until)
            fail_msg("a wait in a queue does not end%s", put ? "" : ", and nobody can put");
        TF_SetStatus(s, TF_OK, "");
        if (!put && !session)
            session = open_session(s);
        if (!put && session) {
            leat_run_op(session, k.put, leat_no_feeds(), s);
            put = TF_GetCode(s) == TF_OK;
        }
        if (TF_GetCode(s) != TF_OK) {
            leat_session_close(session);
            session = NULL;
        }
        usleep(5000);
    }
    pthread_join(w->thread, NULL);
    judge(w->s, "wait: ", false);
    leat_session_close(session);
    leat_session_close(w->session);
    TF_DeleteStatus(w->s);
    TF_DeleteStatus(s);
}

/* --- faults --- */

static void hurt(const struct combination *x)
{
    static const enum netns_mode modes[] = {[DROP] = NETNS_DROP,
                                            [REJECT] = NETNS_REJECT,
                                            [DEAF] = NETNS_DEAF,
                                            [MUTE] = NETNS_MUTE,
                                            [SLOW] = NETNS_SLOW};
    struct faults_task *t = task_of(x->who);
    const bool pair = x->who == PS || x->who == STANDBY;
    if (pair)
        faults_catch(&c, t);
    if (x->how == KILL)
        faults_kill(t);
    else if (x->how == FREEZE && !pair)
        faults_signal(t, SIGSTOP);
    else if (x->how != FREEZE)
        netns_set(t->ns, modes[x->how]);
    if (pair && x->how >= DROP)
        faults_signal(t, SIGCONT);
}

static void heal(const struct combination *x)
{
    struct faults_task *t = task_of(x->who);
    if (x->how == KILL)
        faults_start(&c, t);
    else if (x->how == FREEZE)
        faults_signal(t, SIGCONT);
    else
        netns_set(t->ns, NETNS_PASS);
}

/* All are asked to end while the task is as it is; it is thawed, as it could hear nothing else. */
static void shut_down(const struct combination *x)
{
    for (int i = 0; i < c.n; i++) {
        if (c.v[i].pid > 0)
            faults_signal(&c.v[i], SIGTERM);
    }
    if (x->how == FREEZE)
        heal(x);
    const int64_t until = clock_now_ns() + limit_ns();
    for (int i = 0; i < c.n; i++) {
        int status = 0;
        while (c.v[i].pid > 0 && waitpid(c.v[i].pid, &status, WNOHANG) != c.v[i].pid) {
            if (clock_now_ns() > until)
                fail_msg("%s:%d does not end", c.v[i].job, c.v[i].index);
            usleep(5000);
        }
        if (c.v[i].pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
            fail_msg("%s:%d ended with %d", c.v[i].job, c.v[i].index, status);
        c.v[i].pid = 0;
    }
}

/* --- a combination --- */

static void check_counter(void)
{
    double n = -1;
    TF_Status *s = TF_NewStatus();
    TF_Session *session = open_session(s);
    leat_run(session, s, .fetches = leat_fetches(leat_fetch(k.n, &n, 1)));
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%d: %s", TF_GetCode(s), TF_Message(s));
    if (n < (double)k.good || n > (double)(k.good + k.bad))
        fail_msg("%lld were acknowledged, %lld failed, and it is %g", (long long)k.good,
                 (long long)k.bad, n);
    leat_session_close(session);
    TF_DeleteStatus(s);
}

static void end_client(void)
{
    __atomic_store_n(&k.stop, true, __ATOMIC_RELEASE);
    pthread_join(k.thread, NULL);
    if (k.wrong[0])
        fail_msg("%s", k.wrong);
    if (k.when != SHUTDOWN)
        check_counter();
    leat_session_close(k.session);
    TF_DeleteGraph(k.g);
}

static void run_combination(const struct combination *x)
{
    struct waiter w;
    const int64_t from = clock_now_ns();
    faults_init_apart(&c, 1, 2);
    faults_start_all(&c);
    faults_wait_in_sync(&c, 0);
    build(x->when);
    if (x->when == CREATION)
        hurt(x);
    k.begun_ns = clock_now_ns();
    assert_int_equal(pthread_create(&k.thread, NULL, client_thread, NULL), 0);
    if (x->when != CREATION) {
        wait_for(&k.good, 3, "at the beginning");
        if (x->when == BARRIER)
            waiter_start(&w);
        hurt(x);
    }
    wait_for(&k.ended, __atomic_load_n(&k.begun, __ATOMIC_ACQUIRE) + 1, "while it lasts");
    if (x->when == SHUTDOWN) {
        shut_down(x);
        if (x->how >= DROP)
            netns_set(task_of(x->who)->ns, NETNS_PASS);
    } else {
        heal(x);
        wait_for(&k.good, __atomic_load_n(&k.good, __ATOMIC_ACQUIRE) + 3, "afterwards");
        if (x->when == BARRIER)
            waiter_end(&w);
    }
    end_client();
    faults_clear(&c);
    print_message("%s %s %s: %lld went well, %lld did not, %.1f s\n", who_names[x->who],
                  how_names[x->how], when_names[x->when], (long long)k.good, (long long)k.bad,
                  (double)(clock_now_ns() - from) / 1e9);
}

static bool is_asked_for(const struct combination *x)
{
    char name[60];
    const char *asked = getenv("LEAT_TEST_CASE");
    snprintf(name, sizeof name, "%s %s %s", who_names[x->who], how_names[x->how],
             when_names[x->when]);
    if (!asked || strcmp(asked, name) == 0)
        print_message("%s\n", name);
    return !asked || strcmp(asked, name) == 0;
}

/* --- tests --- */

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    return 0;
}

static void test_netns__the_main_combinations(void **state)
{
    const char *tier = getenv("LEAT_TIER");
    (void)state;
    if (!available)
        skip();
    const bool short_of_time = tier && strcmp(tier, "quick") == 0 && !getenv("LEAT_TEST_CASE");
    for (size_t i = 0; i < (short_of_time ? NUM_FIRST : sizeof quick / sizeof *quick); i++) {
        if (is_asked_for(&quick[i]))
            run_combination(&quick[i]);
    }
}

static void test_netns__all_combinations(void **state)
{
    const char *tier = getenv("LEAT_TIER");
    (void)state;
    if (!available)
        skip();
    if ((!tier || strcmp(tier, "full") != 0) && !getenv("LEAT_TEST_CASE")) {
        print_message("skipped: all of them in the full tier, one by LEAT_TEST_CASE\n");
        skip();
    }
    for (int i = 0; i < NUM_WHO * NUM_HOW * NUM_WHEN; i++) {
        const struct combination x = {(enum who)(i / NUM_WHEN / NUM_HOW),
                                      (enum how)(i / NUM_WHEN % NUM_HOW),
                                      (enum when)(i % NUM_WHEN)};
        if (is_asked_for(&x))
            run_combination(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_netns__the_main_combinations, tear_down),
        cmocka_unit_test_teardown(test_netns__all_combinations, tear_down),
    };
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/leat-netns-XXXXXX", temporary ? temporary : "/tmp");
    available = faults_available() && netns_open(4, (int)(faults_deadline_ms() / 60) + 1, 1) &&
                mkdtemp(folder) != NULL;
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    netns_close();
    return failures;
}
