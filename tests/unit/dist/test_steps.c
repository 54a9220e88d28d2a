/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 120 */
/* Masters and workers: graphs over several tasks give what one process gives, state belongs to the
 * task, errors name the part that failed, restarts are seen. Skipped, counted, without gRPC. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dist/worker_impl.h"
#include "op/cancel.h"
#include "unit/dist/cluster.h"

#define FLOAT "attr { key: 'dtype' value { type: DT_FLOAT } } "
#define T_FLOAT "attr { key: 'T' value { type: DT_FLOAT } } "
#define CONST(name, v, on)                                                                         \
    "node { name: '" name "' op: 'Const' device: '" on "' " FLOAT                                  \
    "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: " v           \
    " } } } } "
#define VARIABLE(name, on)                                                                         \
    "node { name: '" name "' op: 'VariableV2' device: '" on "' " FLOAT                             \
    "attr { key: 'shape' value { shape {} } } } "
#define OP2(name, op, a, b, on)                                                                    \
    "node { name: '" name "' op: '" op "' input: '" a "' input: '" b "' device: '" on "' " T_FLOAT \
    "} "
#define OP1(name, op, a, on)                                                                       \
    "node { name: '" name "' op: '" op "' input: '" a "' device: '" on "' " T_FLOAT "} "
#define PLACEHOLDER(name, on)                                                                      \
    "node { name: '" name "' op: 'Placeholder' device: '" on "' " FLOAT "} "
#define PS "/job:ps/task:0"
#define WORKER "/job:worker/task:0"

/* w on the ps, x fed, y = w * x + 1 on the worker; train adds x to w. */
static const char small[] = VARIABLE("w", PS) CONST("zero", "0", PS)
    OP2("init", "Assign", "w", "zero", PS) PLACEHOLDER("x", WORKER) OP1("read", "Identity", "w", PS)
        CONST("one", "1", WORKER) OP2("product", "Mul", "read", "x", WORKER)
            OP2("y", "Add", "product", "one", WORKER) OP2("train", "AssignAdd", "w", "x", PS);

static struct cluster c;

static void start(const char *const *jobs, int n)
{
    if (!cluster_start(&c, jobs, n))
        skip();
}

static const char *const pair[] = {"ps", "worker"};

static void run_target(int task, const char *session, const char *target, float x)
{
    struct status st = {0};
    struct client_feed f = client_feed_float("x:0", x);
    const struct client_run r = {
        .session = session, .feeds = &f, .num_feeds = 1, .targets = target};
    client_must(client_run(&c, task, &r, NULL, &st), &st);
    tensor_clear(&f.value);
}

static float fetch_fed(int task, const char *session, const char *fetch, float x)
{
    struct tensor t = {0};
    struct status st = {0};
    struct client_feed f = client_feed_float("x:0", x);
    const struct client_run r = {.session = session, .feeds = &f, .num_feeds = 1, .fetches = fetch};
    client_must(client_run(&c, task, &r, &t, &st), &st);
    float v = tensor_f32(&t)[0];
    tensor_clear(&f.value);
    tensor_clear(&t);
    return v;
}

static void run_bare(int task, const char *session, const char *target)
{
    struct status st = {0};
    const struct client_run r = {.session = session, .targets = target};
    client_must(client_run(&c, task, &r, NULL, &st), &st);
}

static void run_init(int task, const char *session)
{
    run_bare(task, session, "init");
}

static void test_steps__a_graph_over_two_tasks(void **state)
{
    (void)state;
    start(pair, 2);
    for (int master = 0; master < 2; master++) {
        char *s = client_session(&c, master, small, NULL);
        run_init(master, s);
        for (int i = 0; i < 5; i++)
            run_target(master, s, "train", 2.0f);
        assert_true(client_float(&c, master, s, "w:0") == 10.0f);
        assert_true(fetch_fed(master, s, "y:0", 3.0f) == 31.0f);
        client_close(&c, master, s);
        mem_free(s);
    }
    cluster_stop(&c);
}

/* What the worker adds is there before the ps hears of the step, where the worker is the master. */
static void test_steps__what_a_light_part_made_goes_along(void **state)
{
    (void)state;
    static const char adds[] =
        VARIABLE("w", PS) VARIABLE("v", WORKER) CONST("zero", "0", PS) CONST("two", "2", WORKER)
            OP2("init", "Assign", "w", "zero", PS) OP2("init_v", "Assign", "v", "two", WORKER)
                OP1("by", "Identity", "v", WORKER) OP2("train", "AssignAdd", "w", "by", PS);
    cluster_heartbeats = true;
    start(pair, 2);
    cluster_heartbeats = false;
    for (int master = 0; master < 2; master++) {
        char *s = client_session(&c, master, adds, NULL);
        struct planes *ps = c.tasks[0].worker->planes;
        run_bare(master, s, "init");
        run_bare(master, s, "init_v");
        const int64_t before = planes_counts(ps).received[PB_LEAT_PEER_PLANE_GRPC];
        for (int i = 0; i < 5; i++)
            run_bare(master, s, "train");
        assert_true(client_float(&c, master, s, "w:0") == 10.0f);
        const int64_t asked = planes_counts(ps).received[PB_LEAT_PEER_PLANE_GRPC] - before;
        assert_int_equal(asked, master == 0 ? 5 : 0);
        client_close(&c, master, s);
        mem_free(s);
    }
    cluster_stop(&c);
}

static void test_steps__state_belongs_to_the_task(void **state)
{
    (void)state;
    start(pair, 2);
    char *a = client_session(&c, 0, small, NULL);
    run_init(0, a);
    run_target(0, a, "train", 7.0f);
    client_close(&c, 0, a);
    mem_free(a);
    char *b = client_session(&c, 1, small, NULL); /* another client, at another master */
    assert_true(client_float(&c, 1, b, "w:0") == 7.0f);
    client_close(&c, 1, b);
    mem_free(b);
    char *own = client_session(&c, 1, small, "isolate_session_state: true");
    struct status st = {0};
    struct tensor t = {0};
    const struct client_run r = {.session = own, .fetches = "w:0"};
    assert_false(client_run(&c, 1, &r, &t, &st));
    assert_int_equal(st.code, STATUS_FAILED_PRECONDITION);
    assert_non_null(strstr(status_message(&st), "From /job:ps/replica:0/task:0:\n"));
    assert_non_null(strstr(status_message(&st), "Attempting to use uninitialized value w"));
    status_clear(&st);
    client_close(&c, 1, own);
    mem_free(own);
    cluster_stop(&c);
}

/* --- loops and branches --- */

#define ENTER(name, input, on)                                                                     \
    "node { name: '" name "' op: 'Enter' input: '" input "' device: '" on "' " T_FLOAT             \
    "attr { key: 'frame_name' value { s: 'loop' } } } "
#define MERGE(name, a, b, on)                                                                      \
    "node { name: '" name "' op: 'Merge' input: '" a "' input: '" b "' device: '" on "' " T_FLOAT  \
    "attr { key: 'N' value { i: 2 } } } "

/* while (v < 10) v = v * 2 on the worker + 1 on the ps, from x */
static const char loop[] = PLACEHOLDER("x", WORKER) ENTER("enter", "x", PS) MERGE(
    "merge", "enter", "next",
    PS) "node { name: 'ten' op: 'Const' input: '^merge' device: "
        "'" PS "' " FLOAT "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} "
        "float_val: 10 } } } } "
        "node { name: 'two' op: 'Const' input: '^switch' device: '" WORKER "' " FLOAT
        "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } } "
        "node { name: 'one' op: 'Const' input: '^switch' device: '" PS "' " FLOAT
        "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } "
        "} " OP2("less", "Less", "merge", "ten",
                 PS) "node { name: 'cond' op: 'LoopCond' input: 'less' device: '" PS
                     "' } " OP2("switch", "Switch", "merge", "cond", PS)
                         OP2("twice", "Mul", "switch:1", "two", WORKER)
                             OP2("more", "Add", "twice", "one", PS)
                                 OP1("next", "NextIteration", "more", PS)
                                     OP1("exit", "Exit", "switch", PS)
                                         OP1("out", "Identity", "exit", WORKER);

static void test_steps__a_loop_over_two_tasks(void **state)
{
    (void)state;
    start(pair, 2);
    for (int master = 0; master < 2; master++) {
        char *s = client_session(&c, master, loop, NULL);
        assert_true(fetch_fed(master, s, "out:0", 1.0f) == 15.0f); /* 1 3 7 15 */
        assert_true(fetch_fed(master, s, "out:0", 20.0f) == 20.0f);
        assert_true(fetch_fed(master, s, "exit:0", 2.0f) == 11.0f); /* 2 5 11 */
        client_close(&c, master, s);
        mem_free(s);
    }
    cluster_stop(&c);
}

/* pred ? x + 1 on the ps : x * 2 on the worker; dead values cross */
static const char branch[] = PLACEHOLDER("x", WORKER) CONST("limit", "5", WORKER)
    OP2("less", "Less", "x", "limit", WORKER) OP2("switch", "Switch", "x", "less", WORKER)
        CONST("one", "1", PS) CONST("two", "2", WORKER) OP2("then", "Add", "switch:1", "one", PS)
            OP2("else", "Mul", "switch", "two", WORKER) MERGE("y", "else", "then", PS);

static void test_steps__a_branch_over_two_tasks(void **state)
{
    (void)state;
    struct status st = {0};
    struct tensor t = {0};
    start(pair, 2);
    char *s = client_session(&c, 0, branch, NULL);
    assert_true(fetch_fed(0, s, "y:0", 3.0f) == 4.0f);
    assert_true(fetch_fed(0, s, "y:0", 7.0f) == 14.0f);
    struct client_feed f = client_feed_float("x:0", 7.0f);
    const struct client_run r = {.session = s, .feeds = &f, .num_feeds = 1, .fetches = "then:0"};
    assert_false(client_run(&c, 0, &r, &t, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(status_message(&st), "was not valid"));
    status_clear(&st);
    tensor_clear(&f.value);
    client_close(&c, 0, s);
    mem_free(s);
    cluster_stop(&c);
}

/* --- errors --- */

static void expect(int task, const char *session, const char *fetches, int code, const char *text)
{
    struct status st = {0};
    struct tensor t[16] = {{0}};
    const struct client_run r = {.session = session, .fetches = fetches};
    assert_false(client_run(&c, task, &r, t, &st));
    if (st.code != code || !strstr(status_message(&st), text))
        fail_msg("%s: %s", status_code_name(st.code), status_message(&st));
    status_clear(&st);
}

static void test_steps__errors_say_where(void **state)
{
    (void)state;
    struct status st = {0};
    struct tensor t = {0};
    start(pair, 2);
    char *s = client_session(&c, 1, small, NULL);
    run_init(1, s);
    expect(1, s, "y:0", STATUS_INVALID_ARGUMENT, "From /job:worker/replica:0/task:0:\nYou must");
    expect(1, s, "nosuch:0", STATUS_NOT_FOUND, "FetchOutputs node nosuch:0: not found");
    expect(1, s, "w:7", STATUS_NOT_FOUND, "w:7");
    expect(1, "0123456789abcdef", "w:0", STATUS_ABORTED, "Session 0123456789abcdef is not found");
    struct client_feed f = {.name = "x:0"};
    client_must(tensor_from(&f.value, DT_INT32, NULL, 0, &(int32_t){1}, &st), &st);
    struct client_run r = {.session = s, .feeds = &f, .num_feeds = 1, .fetches = "y:0"};
    assert_false(client_run(&c, 1, &r, &t, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    tensor_clear(&f.value);
    r = (struct client_run){.session = s, .fetches = "w:0", .request_id = 77};
    client_must(client_run(&c, 1, &r, &t, &st), &st);
    tensor_clear(&t);
    assert_false(client_run(&c, 1, &r, &t, &st)); /* the same request again */
    assert_int_equal(st.code, STATUS_ABORTED);
    status_clear(&st);
    client_close(&c, 1, s);
    mem_free(s);
    char *bad = client_session(&c, 1, CONST("k", "1", "/job:nobody/task:0"), NULL);
    expect(1, bad, "k:0", STATUS_INVALID_ARGUMENT, "Cannot assign a device for operation k");
    client_close(&c, 1, bad);
    mem_free(bad);
    cluster_stop(&c);
}

/* A step ends with that code and w's value is not seen; the connection may have to be made anew. */
static void fails_with(const char *session, int code, int64_t timeout_ms)
{
    struct status st = {0};
    struct tensor t = {0};
    const struct client_run r = {.session = session, .fetches = "w:0", .timeout_ms = timeout_ms};
    bool ok;
    while (!(ok = client_run(&c, 1, &r, &t, &st)) && st.code == STATUS_UNAVAILABLE)
        status_clear(&st);
    if (ok || st.code != code)
        fail_msg("%s: %s", status_code_name(st.code), status_message(&st));
    status_clear(&st);
}

static void test_steps__a_task_that_came_back_is_aborted_once(void **state)
{
    (void)state;
    start(pair, 2);
    char *s = client_session(&c, 1, small, NULL);
    run_init(1, s);
    assert_true(client_float(&c, 1, s, "w:0") == 0.0f);
    cluster_restart(&c, 0);
    fails_with(s, STATUS_ABORTED, 0);
    fails_with(s, STATUS_FAILED_PRECONDITION, 0); /* the new task has no value of w */
    run_init(1, s);
    assert_true(client_float(&c, 1, s, "w:0") == 0.0f);
    client_close(&c, 1, s);
    mem_free(s);
    cluster_stop(&c);
}

/* The step reaches the new process before a heartbeat does, which is not told of once more. */
static void test_steps__a_step_sees_a_restart_first(void **state)
{
    (void)state;
    start(pair, 2);
    char *s = client_session(&c, 1, small, NULL);
    run_init(1, s);
    cluster_restart_held(&c, 0);
    fails_with(s, STATUS_ABORTED, 0);
    fails_with(s, STATUS_DEADLINE_EXCEEDED, 100); /* who is it now? */
    char *other = client_session(&c, 1, small, NULL);
    fails_with(other, STATUS_DEADLINE_EXCEEDED, 100);
    cluster_let(&c, 0);
    fails_with(s, STATUS_FAILED_PRECONDITION, 0);
    fails_with(other, STATUS_FAILED_PRECONDITION, 0);
    run_init(1, s);
    assert_true(client_float(&c, 1, s, "w:0") == 0.0f);
    assert_true(client_float(&c, 1, other, "w:0") == 0.0f);
    client_close(&c, 1, other);
    client_close(&c, 1, s);
    mem_free(other);
    mem_free(s);
    cluster_stop(&c);
}

/* --- queues, cancellation, deadlines --- */

static const char queue[] =
    "node { name: 'q' op: 'FIFOQueueV2' device: '" PS "' attr { key: 'component_types' value { "
    "list { type: DT_FLOAT } } } } "
    "node { name: 'take' op: 'QueueDequeueV2' input: 'q' device: '" PS "' attr { key: "
    "'component_types' value { list { type: DT_FLOAT } } } } " PLACEHOLDER(
        "x", WORKER) "node { name: 'put' op: 'QueueEnqueueV2' input: 'q' input: 'x' device: '" PS
                     "' attr { key: "
                     "'Tcomponents' value { list { type: DT_FLOAT } } } } " OP1("taken", "Identity",
                                                                                "take", WORKER);

static void test_steps__a_step_that_waits_can_be_ended(void **state)
{
    (void)state;
    struct status st = {0};
    struct tensor t = {0};
    start(pair, 2);
    char *s = client_session(&c, 1, queue, NULL);
    run_target(1, s, "put", 3.0f);
    assert_true(client_float(&c, 1, s, "taken:0") == 3.0f);
    struct client_run r = {.session = s, .fetches = "taken:0", .timeout_ms = 50};
    assert_false(client_run(&c, 1, &r, &t, &st));
    if (st.code != STATUS_DEADLINE_EXCEEDED)
        fail_msg("%s: %s", status_code_name(st.code), status_message(&st));
    status_clear(&st);
    run_target(1, s, "put", 4.0f); /* it is for the next one: the step is over everywhere */
    assert_true(client_float(&c, 1, s, "taken:0") == 4.0f);
    struct cancel *cancel = cancel_new(NULL);
    cancel_fire(cancel, STATUS_CANCELLED, "the client went away");
    r = (struct client_run){.session = s, .fetches = "taken:0", .cancel = cancel};
    assert_false(client_run(&c, 1, &r, &t, &st));
    assert_int_equal(st.code, STATUS_CANCELLED);
    status_clear(&st);
    cancel_unref(cancel);
    client_close(&c, 1, s);
    mem_free(s);
    cluster_stop(&c);
}

struct waiting_step { /* a dequeue, on a thread of its own */
    const char *session;
    struct cancel *cancel;
    int code;
};

static void *wait_for_element(void *arg)
{
    struct waiting_step *w = arg;
    struct status st = {0};
    struct tensor t = {0};
    const struct client_run r = {.session = w->session, .fetches = "taken:0", .cancel = w->cancel};
    (void)!client_run(&c, 1, &r, &t, &st);
    w->code = st.code;
    status_clear(&st);
    tensor_clear(&t);
    return NULL;
}

/* However far the step got, what is put in afterwards is for others. */
static void test_steps__one_that_was_ended_takes_nothing(void **state)
{
    (void)state;
    start(pair, 2);
    char *other = client_session(&c, 1, queue, NULL);
    run_target(1, other, "put", 1.0f);
    assert_true(client_float(&c, 1, other, "taken:0") == 1.0f);
    for (int i = 0; i < 20; i++) {
        char *s = client_session(&c, 1, queue, NULL);
        struct waiting_step w = {.session = s, .cancel = cancel_new(NULL)};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, wait_for_element, &w), 0);
        if (i % 2) { /* the client goes away */
            cancel_fire(w.cancel, STATUS_CANCELLED, "the client went away");
            pthread_join(thread, NULL);
            assert_int_equal(w.code, STATUS_CANCELLED);
            client_close(&c, 1, s);
        } else {
            client_close(&c, 1, s);
        }
        run_target(1, other, "put", (float)i);
        assert_true(client_float(&c, 1, other, "taken:0") == (float)i);
        if (i % 2 == 0) {
            pthread_join(thread, NULL);
            assert_true(w.code == STATUS_CANCELLED || w.code == STATUS_ABORTED);
        }
        cancel_unref(w.cancel);
        mem_free(s);
    }
    client_close(&c, 1, other);
    mem_free(other);
    cluster_stop(&c);
}

/* --- piecewise steps --- */

static const char pieces[] = PLACEHOLDER("a", PS) PLACEHOLDER("b", WORKER) CONST("one", "1", PS)
    OP2("a1", "Add", "a", "one", PS) OP2("ab", "Mul", "a1", "b", WORKER);

static char *setup(int task, const char *session)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_partial_run_setup_request *q = pb_partial_run_setup_request_new(&a);
    pb_set_str(&a, &q->session_handle, session);
    pb_add_str(&a, &q->feed, str_of("a:0"));
    pb_add_str(&a, &q->feed, str_of("b:0"));
    pb_add_str(&a, &q->fetch, str_of("a1:0"));
    pb_add_str(&a, &q->fetch, str_of("ab:0"));
    char *handle = master_partial_setup(c.tasks[task].master, q, &st);
    client_must(handle != NULL, &st);
    arena_release(&a);
    return handle;
}

static void test_steps__in_pieces(void **state)
{
    (void)state;
    struct status st = {0};
    struct tensor t = {0};
    start(pair, 2);
    char *s = client_session(&c, 1, pieces, NULL);
    char *h = setup(1, s);
    struct client_feed f = client_feed_float("a:0", 2.0f);
    struct client_run r = {
        .session = s, .partial = h, .feeds = &f, .num_feeds = 1, .fetches = "ab:0"};
    assert_false(client_run(&c, 1, &r, &t, &st)); /* b is missing */
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    r.fetches = "a1:0";
    client_must(client_run(&c, 1, &r, &t, &st), &st);
    assert_true(tensor_f32(&t)[0] == 3.0f);
    tensor_clear(&t);
    assert_false(client_run(&c, 1, &r, &t, &st)); /* fed already */
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    tensor_clear(&f.value);
    f = client_feed_float("b:0", 5.0f);
    r.fetches = "ab:0";
    client_must(client_run(&c, 1, &r, &t, &st), &st);
    assert_true(tensor_f32(&t)[0] == 15.0f);
    tensor_clear(&t);
    tensor_clear(&f.value);
    r.num_feeds = 0;
    assert_false(client_run(&c, 1, &r, &t, &st)); /* it is over */
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    mem_free(h);
    h = setup(1, s); /* one that is left open */
    client_close(&c, 1, s);
    mem_free(h);
    mem_free(s);
    cluster_stop(&c);
}

/* --- growing, devices, stats --- */

static void test_steps__a_graph_grows(void **state)
{
    (void)state;
    struct status st = {0};
    int64_t version = 0;
    start(pair, 2);
    char *s = client_session(&c, 0, small, NULL);
    run_init(0, s);
    client_extend(&c, 0, s, OP2("more", "Add", "read", "one", WORKER), &version, &st);
    client_must(status_ok(&st), &st);
    assert_int_equal(version, 1);
    assert_true(client_float(&c, 0, s, "more:0") == 1.0f);
    version = 0;
    client_extend(&c, 0, s, OP2("most", "Add", "read", "one", WORKER), &version, &st);
    assert_int_equal(st.code, STATUS_ABORTED);
    status_clear(&st);
    client_close(&c, 0, s);
    mem_free(s);
    cluster_stop(&c);
}

static void test_steps__stats_of_all_tasks(void **state)
{
    (void)state;
    struct status st = {0};
    struct tensor t = {0};
    struct strbuf metadata = {0};
    start(pair, 2);
    char *s = client_session(&c, 1, small, NULL);
    run_init(1, s);
    struct client_feed f = client_feed_float("x:0", 1.0f);
    const struct client_run r = {.session = s,
                                 .feeds = &f,
                                 .num_feeds = 1,
                                 .fetches = "y:0 w:0 y:0",
                                 .traced = true,
                                 .metadata = &metadata};
    struct tensor values[3] = {{0}};
    client_must(client_run(&c, 1, &r, values, &st), &st);
    assert_true(tensor_f32(&values[0])[0] == 1.0f && tensor_f32(&values[2])[0] == 1.0f);
    for (int i = 0; i < 3; i++)
        tensor_clear(&values[i]);
    struct arena a = {0};
    struct pb_run_metadata *m = NULL;
    client_must(pb_run_metadata_decode(&a, metadata.p, metadata.n, 0, &m, &st), &st);
    assert_non_null(m->step_stats);
    assert_int_equal(m->step_stats->dev_stats.n, 2);
    arena_release(&a);
    strbuf_release(&metadata);
    tensor_clear(&f.value);
    tensor_clear(&t);
    client_close(&c, 1, s);
    mem_free(s);
    cluster_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps__a_graph_over_two_tasks),
        cmocka_unit_test(test_steps__what_a_light_part_made_goes_along),
        cmocka_unit_test(test_steps__state_belongs_to_the_task),
        cmocka_unit_test(test_steps__a_loop_over_two_tasks),
        cmocka_unit_test(test_steps__a_branch_over_two_tasks),
        cmocka_unit_test(test_steps__errors_say_where),
        cmocka_unit_test(test_steps__a_task_that_came_back_is_aborted_once),
        cmocka_unit_test(test_steps__a_step_sees_a_restart_first),
        cmocka_unit_test(test_steps__a_step_that_waits_can_be_ended),
        cmocka_unit_test(test_steps__one_that_was_ended_takes_nothing),
        cmocka_unit_test(test_steps__in_pieces),
        cmocka_unit_test(test_steps__a_graph_grows),
        cmocka_unit_test(test_steps__stats_of_all_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
