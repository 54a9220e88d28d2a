/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 600 */
/* Many steps: the two executors give the same numbers, steps run at once on one session, endless
 * ones can be stopped, and memory stays flat however many steps and signatures there were. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <malloc.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "unit/runtime/net.h"

static const struct output none = {0};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static float run(struct net *n, struct output x, float v, struct output fetch)
{
    struct status st = {0};
    float got = net_run(n, x, v, fetch, &st);
    net_must(status_ok(&st), &st);
    return got;
}

/* --- the choice of the executor --- */

/* A random graph of 60 nodes over x: the same for the same seed. */
static struct output tangle(struct net *n, struct output x, uint32_t seed)
{
    static const char *const unary[] = {"Sin", "Tanh", "Neg", "Identity", "Square"};
    static const char *const binary[] = {"Add", "Sub", "Mul", "Maximum"};
    struct output all[64] = {x, net_const(n, 0.7f, none)};
    for (int i = 2; i < 62; i++) {
        struct output a = all[next_random(&seed) % (uint32_t)i];
        struct output b = all[next_random(&seed) % (uint32_t)i];
        if (next_random(&seed) % 3 == 0)
            all[i] = net_op1(n, "Tanh", net_op1(n, unary[next_random(&seed) % 5], a));
        else
            all[i] = net_op1(n, "Tanh", net_op2(n, binary[next_random(&seed) % 4], a, b));
    }
    return net_op2(n, "Add", all[61], net_op2(n, "Mul", all[40], all[50]));
}

static void test_steps__both_executors_give_the_same_numbers(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 2);
    struct output x = net_placeholder(&n);
    struct output live = {net_op2(&n, "Switch", x, net_bool(&n, true)).node, 1};
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct output tape = tangle(&n, x, seed), flow = tangle(&n, live, seed);
        for (int k = 0; k < 3; k++) {
            float v = (float)k * 0.37f - 0.4f, a = run(&n, x, v, tape), b = run(&n, x, v, flow);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    net_release(&n);
}

/* --- branches worth a thread --- */

static struct output matrix_of(struct net *n, struct output x, int64_t rows)
{
    struct status st = {0};
    struct tensor t = {0};
    net_must(
        tensor_from(&t, DT_INT32, &(int64_t){2}, 1, (int32_t[]){(int32_t)rows, (int32_t)rows}, &st),
        &st);
    struct node_desc *d = node_desc_new(n->g, "Const", "dims");
    node_desc_attr(d, "dtype", attr_type(DT_INT32));
    node_desc_attr(d, "value", attr_tensor(&t));
    tensor_clear(&t);
    struct node *dims = node_finish(d, &st);
    net_must(dims != NULL, &st);
    return net_op2(n, "Fill", (struct output){dims, 0}, x);
}

/* Four products of 200 x 200 side by side in each turn of a loop, on 1 and on 4 threads. */
static void test_steps__expensive_branches_run_on_other_threads(void **state)
{
    (void)state;
    float got[2];
    for (int k = 0; k < 2; k++) {
        struct net n;
        net_init(&n, 1, k ? 4 : 1);
        struct output x = net_placeholder(&n);
        struct net_loop l = {.n = &n, .frame = "w"};
        struct net_var v[2] = {net_loop_var(&l, net_const(&n, 0, none)),
                               net_loop_var(&l, matrix_of(&n, x, 200))};
        net_loop_cond(&l, net_op2(&n, "Less", v[0].now, net_const(&n, 4, v[0].now)), v, 2);
        struct output sum = v[1].body;
        for (int i = 0; i < 4; i++) {
            struct output scaled =
                net_op2(&n, "Mul", v[1].body, net_const(&n, 0.001f * (float)(i + 1), v[1].body));
            sum = net_op2(&n, "Add", sum, net_op2(&n, "MatMul", scaled, v[1].body));
        }
        struct output one = net_const(&n, 1, v[0].body);
        (void)net_loop_end(&l, &v[0], net_op2(&n, "Add", v[0].body, one));
        struct output end = net_loop_end(&l, &v[1], net_op1(&n, "Tanh", sum));
        struct output norm = net_op1(&n, "L2Loss", end);
        for (int turn = 0; turn < 5; turn++)
            got[k] = run(&n, x, 0.01f, norm);
        net_release(&n);
    }
    assert_memory_equal(&got[0], &got[1], sizeof got[0]);
}

/* --- many at once --- */

static struct output counting_loop(struct net *n, struct output x, struct output limit,
                                   const char *frame, const char *device)
{
    struct net_loop l = {.n = n, .frame = frame};
    struct net_var v = net_loop_var(&l, x);
    struct output end = net_loop_invariant(&l, limit);
    net_loop_cond(&l, net_op2(n, "Less", v.now, end), &v, 1);
    n->device = device;
    struct output next = net_op2(n, "Add", v.body, net_const(n, 1, v.body));
    n->device = NULL;
    return net_loop_end(&l, &v, next);
}

struct crowd {
    struct net n;
    struct output x, fetch[4];
    int wrong; /* atomic */
};

static void *crowd_member(void *arg)
{
    struct crowd *c = arg;
    for (int k = 0; k < 60; k++) {
        float v = (float)(k % 7), want[4] = {v + 1, 25, 30, -v};
        struct status st = {0};
        float got = net_run(&c->n, c->x, v, c->fetch[k % 4], &st);
        if (!status_ok(&st) || !(got == want[k % 4]))
            __atomic_fetch_add(&c->wrong, 1, __ATOMIC_RELAXED);
        status_clear(&st);
    }
    return NULL;
}

static void test_steps__run_at_once_on_one_session(void **state)
{
    (void)state;
    struct crowd c = {0};
    net_init(&c.n, 3, 4);
    struct net *n = &c.n;
    c.x = net_placeholder(n);
    c.fetch[0] = net_op2(n, "Add", c.x, net_const(n, 1, none));
    c.fetch[1] = counting_loop(n, c.x, net_const(n, 25, none), "a", NULL);
    c.fetch[2] = counting_loop(n, c.x, net_const(n, 30, none), "b", "/cpu:2");
    n->device = "/cpu:1";
    struct output far = net_op1(n, "Neg", c.x);
    n->device = NULL;
    struct output live = {net_op2(n, "Switch", far, net_bool(n, true)).node, 1};
    c.fetch[3] = net_op1(n, "Identity", live);
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_member, &c), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(c.wrong, 0);
    net_release(n);
}

/* --- endless ones --- */

static void *close_session(void *arg)
{
    struct status st = {0};
    usleep(20000);
    bool ok = session_close(arg, &st);
    (void)ok;
    status_clear(&st);
    return NULL;
}

static void test_steps__endless_loops_can_be_stopped(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { /* on one device; on two */
        struct net n;
        net_init(&n, 2, 2);
        struct output x = net_placeholder(&n);
        struct output never =
            counting_loop(&n, x, net_const(&n, 1e30f, none), "a", k ? "/cpu:1" : NULL);
        struct status st = {0};
        struct run_options quick = {.timeout_ms = 30};
        struct tensor feed = {0}, out = {0};
        float v = 0;
        net_must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st), &st);
        struct run_args a = {.feeds = &x,
                             .feed_values = &feed,
                             .num_feeds = 1,
                             .fetches = &never,
                             .fetch_values = &out,
                             .num_fetches = 1,
                             .options = &quick};
        assert_false(session_run(n.s, &a, &st));
        assert_int_equal(st.code, STATUS_DEADLINE_EXCEEDED);
        status_clear(&st);
        pthread_t closer;
        assert_int_equal(pthread_create(&closer, NULL, close_session, n.s), 0);
        a.options = NULL;
        assert_false(session_run(n.s, &a, &st));
        assert_int_equal(st.code, STATUS_CANCELLED);
        status_clear(&st);
        pthread_join(closer, NULL);
        tensor_clear(&feed);
        net_release(&n);
    }
}

/* --- memory --- */

/* Bytes of the C heap in use; 0 where a sanitizer has replaced it. */
static int64_t heap_in_use(void)
{
    return (int64_t)mallinfo2().uordblks;
}

static int64_t buffers_in_use(void)
{
    struct buffer_stats s;
    buffer_stats(&s);
    return s.in_use;
}

static int64_t buffers_kept(void)
{
    struct buffer_stats s;
    buffer_stats(&s);
    return s.kept;
}

static int steps_to_run(int quick)
{
    const char *tier = getenv("LEAT_TIER");
    return tier && strcmp(tier, "full") == 0 ? 1000000 : quick;
}

static void run_batch(struct net *n, struct output x, const struct output *fetch, int64_t rows)
{
    struct status st = {0};
    struct tensor feed = {0}, out[2] = {{0}, {0}};
    struct shape shape = shape_2(rows, 16);
    net_must(tensor_new(&feed, DT_FLOAT, &shape, &st), &st);
    for (int64_t i = 0; i < feed.num_elems; i++)
        tensor_f32(&feed)[i] = (float)(i % 5) * 0.1f;
    struct run_args a = {.feeds = &x,
                         .feed_values = &feed,
                         .num_feeds = 1,
                         .fetches = fetch,
                         .fetch_values = out,
                         .num_fetches = 2};
    net_must(session_run(n->s, &a, &st), &st);
    assert_int_equal(out[0].num_elems, rows * rows);
    tensor_clear(&feed);
    tensor_clear(&out[0]);
    tensor_clear(&out[1]);
}

/* A tape and a loop, with batches of any size. */
static void test_steps__of_any_size_leave_memory_flat(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 2, 1);
    struct output x = net_placeholder(&n);
    struct status st = {0};
    struct node_desc *d = node_desc_new(n.g, "MatMul", "xx");
    node_desc_input(d, x);
    node_desc_input(d, x);
    node_desc_attr(d, "transpose_b", attr_bool(true));
    struct node *product = node_finish(d, &st);
    net_must(product != NULL, &st);
    struct output tape[2] = {net_op1(&n, "Tanh", (struct output){product, 0}), x};
    tape[1] = net_op1(&n, "L2Loss", tape[0]);
    struct output start = net_op2(&n, "Mul", tape[1], net_const(&n, 1e-3f, none));
    struct output turns = counting_loop(&n, start, net_const(&n, 10, none), "w", "/cpu:1");
    struct output flow[2] = {tape[0], net_op1(&n, "Floor", turns)};
    uint32_t seed = 7;
    int64_t buffers = 0, heap = 0, kept = 0;
    int num = steps_to_run(3000), warm = 1000;
    for (int i = 0; i < num + warm; i++) {
        if (i == warm) {
            buffers = buffers_in_use();
            heap = heap_in_use();
            kept = buffers_kept();
        }
        bool loop = i % 10 == 9;
        run_batch(&n, x, loop ? flow : tape, 1 + next_random(&seed) % 100);
    }
    assert_int_equal(buffers_in_use(), buffers);
    assert_true(buffers_kept() - kept < 1 << 20);
    assert_true(heap_in_use() - heap < 1 << 20); /* blocks kept for reuse are in it */
    net_release(&n);
}

/* A thousand signatures come and go; what they leave is what the cache of plans holds. */
static void test_steps__of_many_signatures_leave_memory_flat(void **state)
{
    (void)state;
    struct net n;
    net_init(&n, 1, 1);
    struct output x = net_placeholder(&n), nodes[40];
    struct output live = {net_op2(&n, "Switch", x, net_bool(&n, true)).node, 1};
    for (int i = 0; i < 40; i++) /* half of them on the tape */
        nodes[i] = net_op2(&n, "Add", i % 2 ? x : live, net_const(&n, (float)i, none));
    struct status st = {0};
    struct tensor feed = {0}, out[2] = {{0}, {0}};
    float v = 1;
    net_must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st), &st);
    int64_t buffers = 0, heap = 0;
    int rounds = steps_to_run(2) > 2 ? 20 : 2;
    for (int i = 0; i < 1600 * rounds; i++) {
        int a = i / 40 % 40, b = i % 40;
        if (i == 400) {
            buffers = buffers_in_use();
            heap = heap_in_use();
        }
        struct run_args args = {.feeds = &x,
                                .feed_values = &feed,
                                .num_feeds = 1,
                                .fetches = (struct output[]){nodes[a], nodes[b]},
                                .fetch_values = out,
                                .num_fetches = 2};
        net_must(session_run(n.s, &args, &st), &st);
        assert_true(tensor_f32(&out[0])[0] == (float)a + 1);
        assert_true(tensor_f32(&out[1])[0] == (float)b + 1);
        tensor_clear(&out[0]);
        tensor_clear(&out[1]);
    }
    assert_int_equal(buffers_in_use(), buffers);
    assert_true(heap_in_use() - heap < 256 << 10);
    tensor_clear(&feed);
    net_release(&n);
}

#define TEST(name) cmocka_unit_test(test_steps__##name)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_executors_give_the_same_numbers), TEST(expensive_branches_run_on_other_threads),
        TEST(run_at_once_on_one_session),           TEST(endless_loops_can_be_stopped),
        TEST(of_any_size_leave_memory_flat),        TEST(of_many_signatures_leave_memory_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
