/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* What a replicated ps keeps besides variables: queues of each kind, accumulators, a barrier and
 * tables, in use by many clients while its processes are killed, frozen and thawed. No step fails;
 * each element that was put in comes out once, each gradient counts once, tables keep what they
 * were given. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "cluster.h"
#include "leat/leat.h"

enum { ITEMS = 240, BATCH = 5, TAKE = 4, NEEDED = 3 };

static struct faults_cluster c;
static struct faults_task *ps, *standby, *worker;

/* --- clients: a graph, a session and some threads each --- */

struct client {
    const char *what;
    TF_Graph *g;
    TF_Session *session;
    TF_Output in, out, out2, size; /* size: what is there, of an accumulator or barrier */
    TF_Operation *put, *put2, *close;
    int seen[ITEMS];
    double sum;
    bool ordered;
};

enum { MAX_THREADS = 24 };
static struct doing {
    pthread_t thread;
    struct client *k;
    void (*fn)(struct client *k, TF_Status *s);
    int64_t steps;   /* atomic: that went well */
    bool over;       /* atomic */
    char error[300]; /* read when the thread is over */
} doing[MAX_THREADS];
static int num_doing;
static int64_t steps; /* atomic: of all */
static bool failed;   /* atomic */
static _Thread_local struct doing *self;

static void *run_doing(void *arg)
{
    struct doing *d = self = arg;
    TF_Status *s = TF_NewStatus();
    d->fn(d->k, s);
    if (TF_GetCode(s) != TF_OK) {
        snprintf(d->error, sizeof d->error, "%s: %d: %s", d->k->what, TF_GetCode(s), TF_Message(s));
        __atomic_store_n(&failed, true, __ATOMIC_RELEASE);
    }
    TF_DeleteStatus(s);
    __atomic_store_n(&d->over, true, __ATOMIC_RELEASE);
    return NULL;
}

static void start(struct client *k, void (*fn)(struct client *k, TF_Status *s))
{
    struct doing *d = &doing[num_doing++];
    assert_true(num_doing <= MAX_THREADS);
    *d = (struct doing){.k = k, .fn = fn};
    assert_int_equal(pthread_create(&d->thread, NULL, run_doing, d), 0);
}

static bool step_went_well(TF_Status *s)
{
    if (TF_GetCode(s) == TF_OK) {
        __atomic_fetch_add(&self->steps, 1, __ATOMIC_ACQ_REL);
        __atomic_fetch_add(&steps, 1, __ATOMIC_ACQ_REL);
    }
    return TF_GetCode(s) == TF_OK && !__atomic_load_n(&failed, __ATOMIC_ACQUIRE);
}

/* Of each who still has something to do, how far it came. */
static void fail_stuck(void)
{
    for (int i = 0; i < num_doing; i++) {
        const struct client *k = doing[i].k;
        int there = -1;
        if (__atomic_load_n(&doing[i].over, __ATOMIC_ACQUIRE))
            continue;
        if (k->size.oper)
            leat_run(k->session, NULL, .fetches = leat_fetches(leat_fetch(k->size, &there, 1)));
        print_message("%d, %s: %lld steps, sum %g, %d there\n", i, k->what,
                      (long long)__atomic_load_n(&doing[i].steps, __ATOMIC_ACQUIRE), k->sum, there);
    }
    num_doing = 0;
    fail_msg("no step goes well any more");
}

static bool all_over(void)
{
    bool over = true;
    for (int i = 0; i < num_doing; i++)
        over &= __atomic_load_n(&doing[i].over, __ATOMIC_ACQUIRE);
    return over;
}

/* Until so many more steps have gone well, or all there are. */
static void wait_steps(int64_t more)
{
    const int64_t until = clock_now_ns() + faults_deadline_ms() * 40000000;
    const int64_t want = __atomic_load_n(&steps, __ATOMIC_ACQUIRE) + more;
    while (__atomic_load_n(&steps, __ATOMIC_ACQUIRE) < want &&
           !__atomic_load_n(&failed, __ATOMIC_ACQUIRE) && !all_over()) {
        if (clock_now_ns() > until)
            fail_stuck();
        usleep(1000);
    }
}

static void join_all(void)
{
    for (int i = 0; i < num_doing; i++)
        pthread_join(doing[i].thread, NULL);
    for (int i = 0; i < num_doing; i++) {
        if (doing[i].error[0])
            print_message("%s\n", doing[i].error);
    }
    num_doing = 0;
    assert_false(failed);
}

static void open_client(struct client *k, const char *what)
{
    *k = (struct client){.what = what, .g = TF_NewGraph()};
}

static void connect_client(struct client *k)
{
    TF_Status *s = TF_NewStatus();
    k->session = leat_session_new(k->g, s, .target = faults_target(worker));
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%s: %s", k->what, TF_Message(s));
    TF_DeleteStatus(s);
}

static void close_client(struct client *k)
{
    leat_session_close(k->session);
    TF_DeleteGraph(k->g);
}

static void check_seen(const struct client *k)
{
    for (int i = 0; i < ITEMS; i++) {
        if (k->seen[i] != 1)
            fail_msg("%s: element %d came out %d times", k->what, i, k->seen[i]);
    }
}

static void see(struct client *k, const float *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const int at = (int)v[i];
        if (at >= 0 && at < ITEMS)
            k->seen[at]++;
    }
}

/* --- queues --- */

enum kind { FIFO, PADDING, PRIORITY, SHUFFLE, NUM_KINDS };

static TF_Output make_queue(TF_Graph *g, enum kind kind)
{
    static const TF_DataType type[] = {TF_FLOAT};
    static const struct leat_shape scalar = {NULL, 0};
    switch (kind) {
    case FIFO:
        return leat_fifo_queue(g, .component_types = {type, 1}, .shapes = {&scalar, 1},
                               .capacity = 8, .name = "q");
    case PADDING:
        return leat_padding_fifo_queue(g, .component_types = {type, 1}, .shapes = {&scalar, 1},
                                       .capacity = 8, .name = "q_padding");
    case PRIORITY:
        return leat_priority_queue(g, .component_types = {type, 1}, .shapes = {&scalar, 1},
                                   .capacity = 8, .name = "q_priority");
    default:
        return leat_random_shuffle_queue(g, .component_types = {type, 1}, .shapes = {&scalar, 1},
                                         .capacity = 12, .min_after_dequeue = 3, .seed = 7,
                                         .name = "q_shuffle");
    }
}

static void build_queue(struct client *k, enum kind kind)
{
    static const TF_DataType type[] = {TF_FLOAT}, types[] = {TF_INT64, TF_FLOAT};
    static const char *const names[] = {"fifo", "padding", "priority", "shuffle"};
    const bool priority = kind == PRIORITY;
    open_client(k, names[kind]);
    k->ordered = kind == FIFO;
    k->in = leat_placeholder(k->g, .dtype = TF_FLOAT);
    leat_with_device(k->g, "/job:ps/task:0") {
        TF_Output q = make_queue(k->g, kind);
        TF_Output all[] = {leat_cast(k->g, k->in, .DstT = TF_INT64), k->in};
        TF_Output *in = priority ? all : all + 1;
        k->put = kind == FIFO ? leat_queue_enqueue(k->g, q, in, 1)
                              : leat_queue_enqueue_many(k->g, q, in, 1 + priority);
        k->close = leat_queue_close(k->g, q);
        TF_Output n = leat_const_int(k->g, TAKE);
        if (kind == FIFO)
            k->out = leat_queue_dequeue(k->g, q, .component_types = {type, 1});
        else if (kind == SHUFFLE)
            k->out = leat_queue_dequeue_up_to(k->g, q, n, .component_types = {type, 1});
        else
            k->out = leat_queue_dequeue_many(
                k->g, q, n, .component_types = {priority ? types : type, 1 + priority});
        k->out.index = priority;
    }
    connect_client(k);
}

static void produce(struct client *k, TF_Status *s)
{
    const int width = k->ordered ? 1 : BATCH;
    float v[BATCH];
    for (int i = 0; i < ITEMS; i += width) {
        for (int j = 0; j < width; j++)
            v[j] = (float)(i + j);
        leat_run(k->session, s,
                 .feeds =
                     leat_feeds(leat_feed(k->in, v, k->ordered ? leat_shape() : leat_shape(BATCH))),
                 .targets = leat_opers(k->put));
        if (!step_went_well(s))
            return;
    }
    leat_run_op(k->session, k->close, leat_no_feeds(), s);
}

static void consume(struct client *k, TF_Status *s)
{
    for (int want = 0;; want++) {
        TF_Tensor *t = NULL;
        leat_run(k->session, s, .fetches = leat_fetches(leat_fetch_tensor(k->out, &t)));
        if (TF_GetCode(s) == TF_OUT_OF_RANGE) {
            TF_SetStatus(s, TF_OK, "");
            return;
        }
        if (!step_went_well(s))
            return;
        const float *v = TF_TensorData(t);
        see(k, v, TF_TensorElementCount(t));
        if (k->ordered && v[0] != (float)want)
            TF_SetStatus(s, TF_INTERNAL, "an element came out of turn");
        TF_DeleteTensor(t);
    }
}

/* --- accumulators: gradients of one, and their sums --- */

static void build_accumulator(struct client *k, bool sparse)
{
    static const int64_t index[] = {3}, dims[] = {ITEMS, 1};
    static const float one[] = {1};
    open_client(k, sparse ? "sparse accumulator" : "accumulator");
    leat_with_device(k->g, "/job:ps/task:0") {
        TF_Output step = leat_const_int64(k->g, 1000000), n = leat_const_int(k->g, NEEDED);
        TF_Output x = leat_const_floats(k->g, one, leat_shape(1, 1));
        if (sparse) {
            TF_Output a = leat_sparse_conditional_accumulator(
                k->g, .dtype = TF_FLOAT, .shape = leat_shape(ITEMS, 1), .reduction_type = "SUM");
            TF_Output i = leat_const_array(k->g, TF_INT64, index, leat_shape(1));
            TF_Output d = leat_const_array(k->g, TF_INT64, dims, leat_shape(2));
            k->put = leat_sparse_accumulator_apply_gradient(k->g, a, step, i, x, d,
                                                            .has_known_shape = 1);
            k->out = leat_sparse_accumulator_take_gradient(k->g, a, n, .dtype = TF_FLOAT);
            k->out.index = 1;
            k->size = leat_accumulator_num_accumulated(k->g, a);
        } else {
            TF_Output a = leat_conditional_accumulator(
                k->g, .dtype = TF_FLOAT, .shape = leat_shape(1, 1), .reduction_type = "SUM");
            k->put = leat_accumulator_apply_gradient(k->g, a, step, x);
            k->out = leat_accumulator_take_gradient(k->g, a, n, .dtype = TF_FLOAT);
            k->size = leat_accumulator_num_accumulated(k->g, a);
        }
    }
    connect_client(k);
}

static void push(struct client *k, TF_Status *s)
{
    for (int i = 0; i < ITEMS; i++) {
        leat_run_op(k->session, k->put, leat_no_feeds(), s);
        if (!step_went_well(s))
            return;
    }
}

/* A sum has NEEDED gradients or more; the last may wait in vain where one had more. */
static void pull(struct client *k, TF_Status *s)
{
    float x = 0;
    while (k->sum <= ITEMS - NEEDED) {
        leat_run(k->session, s, .fetches = leat_fetches(leat_fetch(k->out, &x, 1)));
        if (!step_went_well(s))
            return;
        k->sum += (double)x;
    }
}

static void check_sum(const struct client *k)
{
    if (k->sum < ITEMS - NEEDED + 1 || k->sum > ITEMS)
        fail_msg("%s: the sums are %g of %d", k->what, k->sum, ITEMS);
}

/* --- a barrier: two components that come apart --- */

static void build_barrier(struct client *k)
{
    static const TF_DataType types[] = {TF_FLOAT, TF_FLOAT};
    static const struct leat_shape shapes[2] = {{NULL, 0}, {NULL, 0}};
    open_client(k, "barrier");
    k->in = leat_placeholder(k->g, .dtype = TF_FLOAT);
    leat_with_device(k->g, "/job:ps/task:0") {
        TF_Output b =
            leat_barrier(k->g, .component_types = {types, 2}, .shapes = {shapes, 2}, .name = "b");
        TF_Output keys = leat_as_string(k->g, k->in);
        k->put = leat_barrier_insert_many(k->g, b, keys, k->in, .component_index = 0);
        k->put2 = leat_barrier_insert_many(k->g, b, keys, k->in, .component_index = 1);
        k->close = leat_barrier_close(k->g, b);
        k->size = leat_barrier_ready_size(k->g, b);
        TF_Output taken = leat_barrier_take_many(k->g, b, leat_const_int(k->g, TAKE),
                                                 .component_types = {types, 2});
        k->out = (TF_Output){taken.oper, 2};
        k->out2 = (TF_Output){taken.oper, 3};
    }
    connect_client(k);
}

static void insert(struct client *k, TF_Operation *put, TF_Status *s)
{
    float v[BATCH];
    for (int i = 0; i < ITEMS; i += BATCH) {
        for (int j = 0; j < BATCH; j++)
            v[j] = (float)(i + j);
        leat_run(k->session, s, .feeds = leat_feeds(leat_feed(k->in, v, leat_shape(BATCH))),
                 .targets = leat_opers(put));
        if (!step_went_well(s))
            return;
    }
}

static void insert_first(struct client *k, TF_Status *s)
{
    insert(k, k->put, s);
}

static void insert_second(struct client *k, TF_Status *s)
{
    insert(k, k->put2, s);
}

static void take_tuples(struct client *k, TF_Status *s)
{
    float a[TAKE], b[TAKE];
    for (int i = 0; i < ITEMS; i += TAKE) {
        leat_run(k->session, s,
                 .fetches =
                     leat_fetches(leat_fetch(k->out, a, TAKE), leat_fetch(k->out2, b, TAKE)));
        if (!step_went_well(s))
            return;
        see(k, a, TAKE);
        if (memcmp(a, b, sizeof a) != 0)
            TF_SetStatus(s, TF_INTERNAL, "components of different keys came together");
    }
}

/* --- tables: n to 2 n --- */

static void build_tables(struct client *k)
{
    static const int64_t keys[] = {1, 2, 3};
    static const int64_t values[] = {10, 20, 30};
    open_client(k, "tables");
    TF_Graph *g = k->g;
    k->in = leat_placeholder(g, .dtype = TF_INT64);
    leat_with_device(g, "/job:ps/task:0") {
        TF_Output m = leat_mutable_hash_table_v2(g, .key_dtype = TF_INT64, .value_dtype = TF_FLOAT,
                                                 .name = "mutable");
        TF_Output d = leat_mutable_dense_hash_table_v2(
            g, leat_const_int64(g, -1), leat_const_int64(g, -2), .value_dtype = TF_FLOAT,
            .value_shape = leat_shape(), .initial_num_buckets = 4, .name = "dense");
        TF_Output h =
            leat_hash_table_v2(g, .key_dtype = TF_INT64, .value_dtype = TF_INT64, .name = "hash");
        TF_Output v = leat_mul(g, leat_cast(g, k->in, .DstT = TF_FLOAT), leat_const_float(g, 2));
        TF_Operation *both[] = {leat_lookup_table_insert_v2(g, m, k->in, v),
                                leat_lookup_table_insert_v2(g, d, k->in, v)};
        TF_Output none = leat_const_float(g, -1);
        k->put = leat_group(g, both, 2, "insert");
        k->out = leat_add(g, leat_lookup_table_find_v2(g, m, k->in, none),
                          leat_lookup_table_find_v2(g, d, k->in, none));
        k->close =
            leat_initialize_table_v2(g, h, leat_const_array(g, TF_INT64, keys, leat_shape(3)),
                                     leat_const_array(g, TF_INT64, values, leat_shape(3)));
        k->out2 = leat_lookup_table_find_v2(g, h, k->in, leat_const_int64(g, -1));
    }
    connect_client(k);
}

static void insert_rows(struct client *k, TF_Status *s)
{
    leat_run_op(k->session, k->close, leat_no_feeds(), s);
    for (int64_t i = 0; i < ITEMS && step_went_well(s); i++)
        leat_run(k->session, s, .feeds = leat_feeds(leat_feed(k->in, &i, leat_shape(1))),
                 .targets = leat_opers(k->put));
}

static void check_tables(struct client *k)
{
    int64_t keys[ITEMS], three[ITEMS];
    float values[ITEMS];
    TF_Status *s = TF_NewStatus();
    for (int i = 0; i < ITEMS; i++)
        keys[i] = i;
    leat_run(k->session, s, .feeds = leat_feeds(leat_feed(k->in, keys, leat_shape(ITEMS))),
             .fetches = leat_fetches(leat_fetch(k->out, values, ITEMS),
                                     leat_fetch(k->out2, three, ITEMS)));
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%s", TF_Message(s));
    for (int i = 0; i < ITEMS; i++) {
        if (values[i] != (float)(4 * i))
            fail_msg("tables: %d has %g", i, (double)values[i]);
        assert_int_equal(three[i], i >= 1 && i <= 3 ? 10 * i : -1);
    }
    TF_DeleteStatus(s);
}

/* --- all of them --- */

static struct client queues[NUM_KINDS], accumulators[2], barrier, tables;

static void start_clients(void)
{
    for (int i = 0; i < NUM_KINDS; i++)
        build_queue(&queues[i], (enum kind)i);
    for (int i = 0; i < 2; i++)
        build_accumulator(&accumulators[i], i == 1);
    build_barrier(&barrier);
    build_tables(&tables);
    for (int i = 0; i < NUM_KINDS; i++) {
        start(&queues[i], produce);
        start(&queues[i], consume);
    }
    for (int i = 0; i < 2; i++) {
        start(&accumulators[i], push);
        start(&accumulators[i], pull);
    }
    start(&barrier, insert_first);
    start(&barrier, insert_second);
    start(&barrier, take_tuples);
    start(&tables, insert_rows);
}

static void check_clients(void)
{
    join_all();
    for (int i = 0; i < NUM_KINDS; i++)
        check_seen(&queues[i]);
    for (int i = 0; i < 2; i++)
        check_sum(&accumulators[i]);
    check_seen(&barrier);
    check_tables(&tables);
    for (int i = 0; i < NUM_KINDS; i++)
        close_client(&queues[i]);
    for (int i = 0; i < 2; i++)
        close_client(&accumulators[i]);
    close_client(&barrier);
    close_client(&tables);
}

static int set_up(void **state)
{
    (void)state;
    if (!faults_available())
        return 0;
    faults_init_standby(&c, 1, 2);
    ps = faults_task(&c, "ps", 0);
    standby = faults_standby(&c, 0);
    worker = faults_task(&c, "worker", 1);
    steps = 0;
    failed = false;
    faults_start_all(&c);
    faults_wait_in_sync(&c, 0);
    return 0;
}

/* Values and messages are cut small. */
static int set_up_pieces(void **state)
{
    setenv("LEAT_FAILPOINTS", "replica_pieces=on", 1);
    const int result = set_up(state);
    unsetenv("LEAT_FAILPOINTS");
    return result;
}

static int tear_down(void **state)
{
    (void)state;
    faults_clear(&c);
    return 0;
}

static void test_standby_state__both_killed_in_turn(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    start_clients();
    wait_steps(100);
    faults_catch(&c, ps);
    faults_kill(ps);
    wait_steps(60);
    faults_start(&c, ps);
    faults_wait_in_sync(&c, 0); /* in the middle of it all, so from what is there */
    wait_steps(30);
    faults_catch(&c, standby);
    faults_kill(standby);
    check_clients();
}

static void test_standby_state__frozen_and_thawed(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    start_clients();
    wait_steps(100);
    faults_catch(&c, ps);
    wait_steps(60);
    faults_signal(ps, SIGCONT);
    faults_wait_in_sync(&c, 0);
    wait_steps(30);
    faults_catch(&c, standby);
    check_clients();
    faults_signal(standby, SIGCONT);
}

static void test_standby_state__in_pieces(void **state)
{
    (void)state;
    if (!c.n)
        skip();
    start_clients();
    wait_steps(200);
    faults_catch(&c, ps);
    faults_kill(ps);
    check_clients();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_standby_state__both_killed_in_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby_state__frozen_and_thawed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_standby_state__in_pieces, set_up_pieces, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
