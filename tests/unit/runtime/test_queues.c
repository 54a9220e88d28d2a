/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that wait for queues: for elements, for room, for names of files; what ends such waits; and
 * one queue in the hands of many threads. Nothing here depends on how long anything takes: a wait
 * that is to be met is ended by something that can only come after it, or is told apart from none
 * by what it leaves. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op/cancel.h"
#include "op/queue.h"
#include "unit/runtime/net.h"

enum { THREADS = 4, EACH = 200 };

struct fixture {
    struct net n;
    struct output x, queue, put, get, many, size, close, stop;
};

static struct output add(struct fixture *f, const char *op, const char *name, int num,
                         const struct output *in, bool flag)
{
    struct node_desc *d = node_desc_new(f->n.g, op, name);
    struct status st = {0};

    node_desc_input(d, in[0]);
    if (num > 1)
        node_desc_input_list(d, in + 1, num - 1);
    if (flag)
        node_desc_attr(d, "cancel_pending_enqueues", attr_bool(true));
    struct node *made = node_finish(d, &st);

    net_must(made != NULL, &st);
    return (struct output){made, 0};
}

static struct output add_dequeue(struct fixture *f, const char *op, struct output n)
{
    struct node_desc *d = node_desc_new(f->n.g, op, op);
    struct status st = {0};
    int type = DT_FLOAT;

    node_desc_input(d, f->queue);
    if (n.node)
        node_desc_input(d, n);
    node_desc_attr(d, "component_types", attr_list(ATTR_TYPE, &type, 1));
    struct node *made = node_finish(d, &st);

    net_must(made != NULL, &st);
    return (struct output){made, 0};
}

static struct output three(struct fixture *f)
{
    struct node_desc *d = node_desc_new(f->n.g, "Const", "three");
    struct status st = {0};
    struct tensor t = {0};

    net_must(tensor_from(&t, DT_INT32, NULL, 0, &(int32_t){3}, &st), &st);
    node_desc_attr(d, "dtype", attr_type(DT_INT32));
    node_desc_attr(d, "value", attr_tensor(&t));
    struct node *made = node_finish(d, &st);

    net_must(made != NULL, &st);
    tensor_clear(&t);
    return (struct output){made, 0};
}

static void init(struct fixture *f, int64_t capacity)
{
    struct status st = {0};
    struct shape scalar = shape_scalar();
    int type = DT_FLOAT;

    net_init(&f->n, 1, 2);
    struct node_desc *d = node_desc_new(f->n.g, "FIFOQueueV2", "queue");

    node_desc_attr(d, "component_types", attr_list(ATTR_TYPE, &type, 1));
    node_desc_attr(d, "shapes", attr_list(ATTR_SHAPE, &scalar, 1));
    node_desc_attr(d, "capacity", attr_int(capacity));
    struct node *made = node_finish(d, &st);

    net_must(made != NULL, &st);
    f->queue = (struct output){made, 0};
    f->x = net_placeholder(&f->n);
    f->put = add(f, "QueueEnqueueV2", "put", 2, (struct output[]){f->queue, f->x}, false);
    f->size = add(f, "QueueSizeV2", "size", 1, &f->queue, false);
    f->close = add(f, "QueueCloseV2", "close", 1, &f->queue, false);
    f->stop = add(f, "QueueCloseV2", "stop", 1, &f->queue, true);
    f->get = add_dequeue(f, "QueueDequeueV2", (struct output){0});
    f->many = add_dequeue(f, "QueueDequeueManyV2", three(f));
}

/* The code of a step that feeds v and runs `o` as a target, or fetches *out of it. */
static int step(struct fixture *f, struct output o, float v, int64_t timeout_ms, struct tensor *out)
{
    struct status st = {0};
    struct tensor feed = {0};
    struct run_options options = {.timeout_ms = timeout_ms};

    net_must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st), &st);
    struct run_args a = {.feeds = &f->x,
                         .feed_values = &feed,
                         .num_feeds = 1,
                         .fetches = &o,
                         .fetch_values = out,
                         .num_fetches = out ? 1 : 0,
                         .targets = &o.node,
                         .num_targets = out ? 0 : 1,
                         .options = &options};
    (void)!session_run(f->n.s, &a, &st);
    int code = st.code;

    status_clear(&st);
    tensor_clear(&feed);
    return code;
}

static int put(struct fixture *f, float v)
{
    return step(f, f->put, v, 0, NULL);
}

static int get(struct fixture *f, float *v)
{
    struct tensor out = {0};
    int code = step(f, f->get, 0, 0, &out);

    *v = code == STATUS_OK ? *tensor_f32(&out) : -1;
    tensor_clear(&out);
    return code;
}

static int size_of(struct fixture *f)
{
    struct tensor out = {0};

    assert_int_equal(step(f, f->size, 0, 0, &out), STATUS_OK);
    int n = *tensor_i32(&out);

    tensor_clear(&out);
    return n;
}

/* --- one step in a thread of its own --- */

struct waiter {
    struct fixture *f;
    struct output o;
    float v;
    int code;
    pthread_t thread;
};

static void *wait_for(void *arg)
{
    struct waiter *w = arg;
    struct tensor out = {0};
    bool gives = w->o.node == w->f->get.node || w->o.node == w->f->many.node;

    w->code = step(w->f, w->o, w->v, 0, gives ? &out : NULL);
    w->v = w->code == STATUS_OK && gives ? *tensor_f32(&out) : w->v;
    tensor_clear(&out);
    return NULL;
}

static void begin(struct waiter *w, struct fixture *f, struct output o, float v)
{
    *w = (struct waiter){.f = f, .o = o, .v = v};
    assert_int_equal(pthread_create(&w->thread, NULL, wait_for, w), 0);
}

static int end(struct waiter *w)
{
    pthread_join(w->thread, NULL);
    return w->code;
}

static void test_queues__a_dequeue_waits_for_an_enqueue(void **state)
{
    (void)state;
    struct fixture f;
    struct waiter w;

    init(&f, 2);
    begin(&w, &f, f.get, 0);
    assert_int_equal(put(&f, 7), STATUS_OK);
    assert_int_equal(end(&w), STATUS_OK);
    assert_true(w.v == 7);
    net_release(&f.n);
}

static void test_queues__an_enqueue_waits_for_room(void **state)
{
    (void)state;
    struct fixture f;
    struct waiter w;
    float v;

    init(&f, 1);
    assert_int_equal(put(&f, 1), STATUS_OK);
    begin(&w, &f, f.put, 2);
    assert_int_equal(get(&f, &v), STATUS_OK);
    assert_true(v == 1);
    assert_int_equal(end(&w), STATUS_OK);
    assert_int_equal(get(&f, &v), STATUS_OK);
    assert_true(v == 2);
    net_release(&f.n);
}

static void test_queues__a_deadline_ends_a_wait_and_loses_nothing(void **state)
{
    (void)state;
    struct fixture f;
    struct tensor out = {0};
    float v;

    init(&f, 5);
    assert_int_equal(put(&f, 1), STATUS_OK);
    assert_int_equal(step(&f, f.many, 0, 1, &out), STATUS_DEADLINE_EXCEEDED);
    tensor_clear(&out);
    assert_int_equal(size_of(&f), 1);
    assert_int_equal(get(&f, &v), STATUS_OK);
    assert_true(v == 1);
    net_release(&f.n);
}

static void test_queues__closing_ends_dequeues_that_wait(void **state)
{
    (void)state;
    struct fixture f;
    struct waiter w;
    float v;

    init(&f, 5);
    assert_int_equal(put(&f, 1), STATUS_OK);
    begin(&w, &f, f.many, 0);
    assert_int_equal(step(&f, f.close, 0, 0, NULL), STATUS_OK);
    assert_int_equal(end(&w), STATUS_OUT_OF_RANGE);
    assert_int_equal(get(&f, &v), STATUS_OK); /* what the batch had taken came back */
    assert_int_equal(get(&f, &v), STATUS_OUT_OF_RANGE);
    assert_int_equal(put(&f, 1), STATUS_CANCELLED);
    net_release(&f.n);
}

static void test_queues__closing_cancels_enqueues_that_wait(void **state)
{
    (void)state;
    struct fixture f;
    struct waiter w;

    init(&f, 1);
    assert_int_equal(put(&f, 1), STATUS_OK);
    begin(&w, &f, f.put, 2);
    assert_int_equal(step(&f, f.stop, 0, 0, NULL), STATUS_OK);
    assert_int_equal(end(&w), STATUS_CANCELLED);
    assert_int_equal(size_of(&f), 1);
    net_release(&f.n);
}

/* --- many threads --- */

static void *producer(void *arg)
{
    struct waiter *w = arg;

    for (int i = 0; i < EACH && w->code == STATUS_OK; i++)
        w->code = put(w->f, (float)i);
    return NULL;
}

static void *consumer(void *arg)
{
    struct waiter *w = arg;

    for (int i = 0; i < EACH && w->code == STATUS_OK; i++) {
        float v;

        w->code = get(w->f, &v);
        w->v += v;
    }
    return NULL;
}

static void test_queues__every_element_comes_out_once(void **state)
{
    (void)state;
    struct fixture f;
    struct waiter in[THREADS], out[THREADS];
    float sum = 0;

    init(&f, 3);
    for (int i = 0; i < THREADS; i++) {
        in[i] = out[i] = (struct waiter){.f = &f};
        assert_int_equal(pthread_create(&in[i].thread, NULL, producer, &in[i]), 0);
        assert_int_equal(pthread_create(&out[i].thread, NULL, consumer, &out[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(end(&in[i]), STATUS_OK);
        assert_int_equal(end(&out[i]), STATUS_OK);
        sum += out[i].v;
    }
    assert_true(sum == THREADS * (EACH * (EACH - 1) / 2));
    assert_int_equal(size_of(&f), 0);
    net_release(&f.n);
}

/* --- the queue itself: cancellation against service --- */

struct answer {
    int calls, code; /* atomic */
    float v;
};

static void on_answer(void *arg, struct status *st, struct tensor *values)
{
    struct answer *a = arg;

    a->v = values ? *tensor_f32(&values[0]) : -1;
    a->code = st->code;
    __atomic_add_fetch(&a->calls, 1, __ATOMIC_RELEASE);
}

static struct queue *bare_queue(void)
{
    return queue_new(
        &(struct queue_spec){
            .kind = QUEUE_FIFO, .capacity = 4, .num_types = 1, .types = (int[]){DT_FLOAT}},
        "bare");
}

static void put_bare(struct queue *q, float v, struct answer *a)
{
    struct status st = {0};
    struct tensor t = {0};

    net_must(tensor_from(&t, DT_FLOAT, NULL, 0, &v, &st), &st);
    queue_enqueue(q, &t, &(struct queue_wait){.done = on_answer, .arg = a});
    tensor_clear(&t);
}

static void *fire(void *arg)
{
    cancel_fire(arg, STATUS_CANCELLED, "the test says so");
    return NULL;
}

static void test_queues__waiters_are_served_in_turn(void **state)
{
    (void)state;
    struct queue *q = bare_queue();
    struct cancel *c = cancel_new(NULL);
    struct answer a[3] = {0}, in[2] = {0};

    for (int i = 0; i < 3; i++)
        queue_dequeue(
            q, &(struct queue_wait){.done = on_answer, .arg = &a[i], .cancel = i == 1 ? c : NULL});
    cancel_fire(c, STATUS_CANCELLED, "out of the middle");
    assert_true(a[0].calls == 0 && a[1].calls == 1 && a[2].calls == 0);
    assert_int_equal(a[1].code, STATUS_CANCELLED);
    put_bare(q, 5, &in[0]);
    assert_true(a[0].calls == 1 && a[0].v == 5 && a[2].calls == 0);
    put_bare(q, 6, &in[1]);
    assert_true(a[2].calls == 1 && a[2].v == 6);
    queue_dequeue(q, &(struct queue_wait){.done = on_answer, .arg = &a[0], .cancel = c});
    assert_true(a[0].calls == 2 && a[0].code == STATUS_CANCELLED);
    cancel_unref(c);
    queue_unref(q);
}

static void test_queues__a_wait_ends_once_when_cancelled_and_served_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < EACH; round++) {
        struct queue *q = bare_queue();
        struct cancel *c = cancel_new(NULL);
        struct answer get_answer = {0}, put_answer = {0};
        pthread_t thread;

        queue_dequeue(q, &(struct queue_wait){.done = on_answer, .arg = &get_answer, .cancel = c});
        assert_int_equal(pthread_create(&thread, NULL, fire, c), 0);
        put_bare(q, 3, &put_answer);
        pthread_join(thread, NULL);
        assert_int_equal(put_answer.code, STATUS_OK);
        assert_int_equal(__atomic_load_n(&get_answer.calls, __ATOMIC_ACQUIRE), 1);
        assert_int_equal(queue_size(q), get_answer.code == STATUS_OK ? 0 : 1);
        cancel_unref(c);
        queue_unref(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues__a_dequeue_waits_for_an_enqueue),
        cmocka_unit_test(test_queues__an_enqueue_waits_for_room),
        cmocka_unit_test(test_queues__a_deadline_ends_a_wait_and_loses_nothing),
        cmocka_unit_test(test_queues__closing_ends_dequeues_that_wait),
        cmocka_unit_test(test_queues__closing_cancels_enqueues_that_wait),
        cmocka_unit_test(test_queues__every_element_comes_out_once),
        cmocka_unit_test(test_queues__waiters_are_served_in_turn),
        cmocka_unit_test(test_queues__a_wait_ends_once_when_cancelled_and_served_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
