/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 120 */
/* Masters and workers: graphs over several tasks give what one process gives, state belongs to the
 * task, errors name the part that failed, restarts are seen. Skipped, counted, without gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

static void run_init(int task, const char *session)
{
    struct status st = {0};
    const struct client_run r = {.session = session, .targets = "init"};
    client_must(client_run(&c, task, &r, NULL, &st), &st);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps__a_graph_over_two_tasks),
        cmocka_unit_test(test_steps__state_belongs_to_the_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
