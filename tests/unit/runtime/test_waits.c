/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of two sessions and many threads that wait for one accumulator, barrier, staging area or
 * mutex; what ends such waits; tensors kept by a session; a table read while it is written. Nothing
 * here depends on how long anything takes. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "runtime/devices.h"
#include "unit/runtime/net.h"

enum { THREADS = 3, EACH = 40 };

struct rig { /* two sessions of one task: they share their resources */
    struct net n;
    struct resource_map *resources;
    struct device *devices;
    int num_devices;
    struct session *a, *b;
    struct output x; /* a float scalar that each step is fed */
};

static struct output finish(struct node_desc *d)
{
    struct status st = {0};
    struct node *made = node_finish(d, &st);

    net_must(made != NULL, &st);
    return (struct output){made, 0};
}

static struct output constant(struct rig *r, const char *name, int type, const void *v, int64_t n)
{
    struct node_desc *d = node_desc_new(r->n.g, "Const", name);
    struct status st = {0};
    struct tensor t = {0};

    if (type == DT_STRING) {
        struct shape one = shape_1(1);

        net_must(tensor_new(&t, type, &one, &st) && tstr_set(tensor_str(&t), name, 1), &st);
    } else {
        net_must(tensor_from(&t, type, &n, n > 0, v, &st), &st);
    }
    node_desc_attr(d, "dtype", attr_type(type));
    node_desc_attr(d, "value", attr_tensor(&t));
    tensor_clear(&t);
    return finish(d);
}

static struct output op(struct rig *r, const char *type, const char *name, int n,
                        const struct output *in)
{
    struct node_desc *d = node_desc_new(r->n.g, type, name);

    for (int i = 0; i < n; i++)
        node_desc_input(d, in[i]);
    return finish(d);
}

static struct output typed(struct rig *r, const char *type, const char *name, int n,
                           const struct output *in)
{
    struct node_desc *d = node_desc_new(r->n.g, type, name);

    for (int i = 0; i < n; i++)
        node_desc_input(d, in[i]);
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    return finish(d);
}

static void init(struct rig *r)
{
    struct status st = {0};

    *r = (struct rig){0};
    net_init(&r->n, 1, 2);
    r->x = net_placeholder(&r->n);
    r->resources = resource_map_new("localhost");
    net_must(devices_open(&r->n.config, &r->devices, &r->num_devices, &st), &st);
    const struct session_place place = {.devices = r->devices,
                                        .num_devices = r->num_devices,
                                        .resources = r->resources,
                                        .handle = "both"};

    r->a = session_new_at(r->n.g, &r->n.config, &place, &st);
    r->b = session_new_at(r->n.g, &r->n.config, &place, &st);
    net_must(r->a && r->b, &st);
}

static void release(struct rig *r)
{
    session_free(r->a);
    session_free(r->b);
    resource_map_free(r->resources);
    devices_close(r->devices, r->num_devices);
    net_release(&r->n);
}

/* The code of a step that feeds v and fetches *out, or runs o as a target. */
static int step(struct rig *r, struct session *s, struct output o, float v, int64_t timeout_ms,
                struct tensor *out)
{
    struct status st = {0};
    struct tensor feed = {0};
    struct run_options options = {.timeout_ms = timeout_ms};

    net_must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st), &st);
    struct run_args a = {.feeds = &r->x,
                         .feed_values = &feed,
                         .num_feeds = 1,
                         .fetches = &o,
                         .fetch_values = out,
                         .num_fetches = out ? 1 : 0,
                         .targets = &o.node,
                         .num_targets = out ? 0 : 1,
                         .options = &options};
    (void)!session_run(s, &a, &st);
    int code = st.code;

    status_clear(&st);
    tensor_clear(&feed);
    return code;
}

static int run(struct rig *r, struct session *s, struct output o, float v)
{
    return step(r, s, o, v, 0, NULL);
}

/* --- threads --- */

struct worker {
    struct rig *r;
    struct session *s;
    struct output o;
    int times, code;
    bool gives; /* o is a float to be fetched */
    double sum;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *w = arg;

    for (int i = 0; i < w->times && w->code == STATUS_OK; i++) {
        struct tensor out = {0};

        w->code = step(w->r, w->s, w->o, (float)i, 0, w->gives ? &out : NULL);
        w->sum += out.num_elems > 0 && out.dtype == DT_FLOAT ? *tensor_f32(&out) : 0;
        tensor_clear(&out);
    }
    return NULL;
}

static void begin(struct worker *w, struct rig *r, struct session *s, struct output o, int times,
                  bool gives)
{
    *w = (struct worker){.r = r, .s = s, .o = o, .times = times, .gives = gives};
    assert_int_equal(pthread_create(&w->thread, NULL, work, w), 0);
}

static int end(struct worker *w)
{
    pthread_join(w->thread, NULL);
    return w->code;
}

/* --- accumulators --- */

struct sums {
    struct output apply, take, many;
};

static struct sums add_sums(struct rig *r)
{
    const int64_t step = 1000;
    const int32_t one = 1, lots = 1000000;
    struct shape scalar = shape_scalar();
    struct node_desc *d = node_desc_new(r->n.g, "ConditionalAccumulator", "acc");

    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    node_desc_attr(d, "shape", attr_shape(&scalar));
    node_desc_attr(d, "shared_name", attr_string(str_of("acc")));
    node_desc_attr(d, "reduction_type", attr_string(str_of("SUM")));
    struct output acc = finish(d), at = constant(r, "step", DT_INT64, &step, 0);
    struct output num = constant(r, "one", DT_INT32, &one, 0);
    struct output all = constant(r, "lots", DT_INT32, &lots, 0);

    return (struct sums){
        op(r, "AccumulatorApplyGradient", "apply", 3, (struct output[]){acc, at, r->x}),
        typed(r, "AccumulatorTakeGradient", "take", 2, (struct output[]){acc, num}),
        typed(r, "AccumulatorTakeGradient", "many", 2, (struct output[]){acc, all})};
}

static void test_waits__no_gradient_is_lost_between_two_sessions(void **state)
{
    (void)state;
    struct rig r;
    struct worker in[THREADS], out;

    init(&r);
    struct sums s = add_sums(&r);

    begin(&out, &r, r.b, s.take, 1, true);
    for (int i = 0; i < THREADS; i++)
        begin(&in[i], &r, r.a, s.apply, EACH, false);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(end(&in[i]), STATUS_OK);
    assert_int_equal(end(&out), STATUS_OK);
    /* one more, so that the next take has something whatever the first one took */
    assert_int_equal(run(&r, r.a, s.apply, 0), STATUS_OK);
    struct worker rest;

    begin(&rest, &r, r.b, s.take, 1, true);
    assert_int_equal(end(&rest), STATUS_OK);
    assert_true(out.sum + rest.sum == THREADS * (EACH * (EACH - 1) / 2));
    release(&r);
}

static void test_waits__a_deadline_or_the_sessions_end_ends_a_take(void **state)
{
    (void)state;
    struct rig r;
    struct status st = {0};
    struct tensor out = {0};
    struct worker w;

    init(&r);
    struct sums s = add_sums(&r);

    assert_int_equal(step(&r, r.a, s.many, 0, 1, &out), STATUS_DEADLINE_EXCEEDED);
    begin(&w, &r, r.a, s.many, 1, true);
    net_must(session_close(r.a, &st), &st);
    int code = end(&w);

    /* before its first step the thread finds the session closed */
    assert_true(code == STATUS_CANCELLED || code == STATUS_FAILED_PRECONDITION);
    assert_int_equal(run(&r, r.b, s.apply, 1), STATUS_OK);
    release(&r);
}

/* --- barriers --- */

static void test_waits__closing_a_barrier_ends_takes_that_wait(void **state)
{
    (void)state;
    struct rig r;
    struct worker w, one;
    const float v = 5;
    const int32_t two = 2, single = 1;
    int type = DT_FLOAT;
    struct shape scalar = shape_scalar();

    init(&r);
    struct node_desc *d = node_desc_new(r.n.g, "Barrier", "barrier");

    node_desc_attr(d, "component_types", attr_list(ATTR_TYPE, &type, 1));
    node_desc_attr(d, "shapes", attr_list(ATTR_SHAPE, &scalar, 1));
    node_desc_attr(d, "shared_name", attr_string(str_of("b")));
    struct output b = finish(d);
    struct output key = constant(&r, "k", DT_STRING, NULL, 1);
    struct output value = constant(&r, "v", DT_FLOAT, &v, 1);

    d = node_desc_new(r.n.g, "BarrierInsertMany", "insert");
    node_desc_input(d, b);
    node_desc_input(d, key);
    node_desc_input(d, value);
    node_desc_attr(d, "component_index", attr_int(0));
    struct output insert = finish(d), take[2];

    for (int i = 0; i < 2; i++) {
        d = node_desc_new(r.n.g, "BarrierTakeMany", i ? "one" : "two");
        node_desc_input(d, b);
        node_desc_input(d, constant(&r, i ? "n1" : "n2", DT_INT32, i ? &single : &two, 0));
        node_desc_attr(d, "component_types", attr_list(ATTR_TYPE, &type, 1));
        take[i] = (struct output){finish(d).node, 2};
    }
    struct output close = op(&r, "BarrierClose", "close", 1, &b);

    begin(&one, &r, r.b, take[1], 1, true);
    assert_int_equal(run(&r, r.a, insert, 0), STATUS_OK);
    assert_int_equal(end(&one), STATUS_OK);
    assert_true(one.sum == 5);
    begin(&w, &r, r.b, take[0], 1, true);
    assert_int_equal(run(&r, r.a, close, 0), STATUS_OK);
    assert_int_equal(end(&w), STATUS_OUT_OF_RANGE);
    assert_int_equal(run(&r, r.a, insert, 0), STATUS_CANCELLED);
    release(&r);
}

/* --- staging areas and mutexes --- */

static struct output staging(struct rig *r, const char *type, const char *name, bool in)
{
    struct node_desc *d = node_desc_new(r->n.g, type, name);
    int t = DT_FLOAT;

    if (in)
        node_desc_input_list(d, &r->x, 1);
    node_desc_attr(d, "dtypes", attr_list(ATTR_TYPE, &t, 1));
    node_desc_attr(d, "capacity", attr_int(1));
    node_desc_attr(d, "shared_name", attr_string(str_of("area")));
    return finish(d);
}

static void test_waits__a_full_and_an_empty_staging_area_make_steps_wait(void **state)
{
    (void)state;
    struct rig r;
    struct worker in[THREADS], out[THREADS];
    double sum = 0;

    init(&r);
    struct output put = staging(&r, "Stage", "put", true);
    struct output get = staging(&r, "Unstage", "get", false);

    for (int i = 0; i < THREADS; i++) {
        begin(&in[i], &r, i % 2 ? r.a : r.b, put, EACH, false);
        begin(&out[i], &r, i % 2 ? r.b : r.a, get, EACH, true);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(end(&in[i]), STATUS_OK);
        assert_int_equal(end(&out[i]), STATUS_OK);
        sum += out[i].sum;
    }
    assert_true(sum == THREADS * (EACH * (EACH - 1) / 2));
    struct tensor none = {0};

    assert_int_equal(step(&r, r.a, get, 0, 1, &none), STATUS_DEADLINE_EXCEEDED);
    assert_int_equal(run(&r, r.a, put, 1), STATUS_OK);
    assert_int_equal(step(&r, r.a, put, 1, 1, NULL), STATUS_DEADLINE_EXCEEDED);
    release(&r);
}

static void test_waits__one_step_at_a_time_holds_a_mutex(void **state)
{
    (void)state;
    struct rig r;
    struct worker w[THREADS];

    init(&r);
    struct node_desc *d = node_desc_new(r.n.g, "MutexV2", "mutex");

    node_desc_attr(d, "shared_name", attr_string(str_of("m")));
    struct output mutex = finish(d);
    struct output lock = op(&r, "MutexLock", "lock", 1, &mutex);
    struct output get = staging(&r, "StageSize", "size", false);

    d = node_desc_new(r.n.g, "Stage", "put");
    node_desc_input_list(d, &r.x, 1);
    node_desc_control(d, lock.node);
    node_desc_attr(d, "shared_name", attr_string(str_of("area")));
    struct output put = finish(d);

    /* takes what the same step put: a second step inside would find another's */
    d = node_desc_new(r.n.g, "Unstage", "get");
    node_desc_control(d, put.node);
    node_desc_attr(d, "dtypes", attr_list(ATTR_TYPE, &(int){DT_FLOAT}, 1));
    node_desc_attr(d, "shared_name", attr_string(str_of("area")));
    struct output got = finish(d);

    d = node_desc_new(r.n.g, "ConsumeMutexLock", "consume");
    node_desc_input(d, lock);
    node_desc_control(d, got.node);
    struct output consume = finish(d);

    d = node_desc_new(r.n.g, "Identity", "result");
    node_desc_input(d, got);
    node_desc_control(d, consume.node);
    struct output result = finish(d);

    for (int i = 0; i < THREADS; i++)
        begin(&w[i], &r, i % 2 ? r.a : r.b, result, EACH, true);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(end(&w[i]), STATUS_OK);
        assert_true(w[i].sum == EACH * (EACH - 1) / 2);
    }
    struct tensor size = {0};

    assert_int_equal(step(&r, r.a, get, 0, 0, &size), STATUS_OK);
    assert_int_equal(*tensor_i32(&size), 0);
    tensor_clear(&size);
    release(&r);
}

/* --- tensors of a session --- */

static void test_waits__a_session_keeps_what_was_fetched_as_a_handle(void **state)
{
    (void)state;
    struct rig r;
    struct tensor handle = {0}, other = {0}, out = {0};
    struct status st = {0};

    init(&r);
    struct output keep = op(&r, "GetSessionHandle", "keep", 1, &r.x);
    struct output keep2 = op(&r, "GetSessionHandleV2", "keep2", 1, &r.x);
    struct output copy = op(&r, "Identity", "copy", 1, &keep);
    struct node_desc *d = node_desc_new(r.n.g, "Placeholder", "handle");

    node_desc_attr(d, "dtype", attr_type(DT_STRING));
    struct output h = finish(d);
    struct output got = typed(&r, "GetSessionTensor", "got", 1, &h);
    struct output drop = op(&r, "DeleteSessionTensor", "drop", 1, &h);
    struct run_args a = {.feeds = &h,
                         .feed_values = &handle,
                         .num_feeds = 1,
                         .fetches = &got,
                         .fetch_values = &out,
                         .num_fetches = 1};
    struct run_args gone = {.feeds = &h,
                            .feed_values = &handle,
                            .num_feeds = 1,
                            .targets = &drop.node,
                            .num_targets = 1};

    assert_int_equal(step(&r, r.a, keep2, 7, 0, &handle), STATUS_OK);
    assert_int_equal(handle.dtype, DT_RESOURCE);
    tensor_clear(&handle);
    assert_int_equal(step(&r, r.a, keep, 7, 0, &handle), STATUS_OK);
    net_must(session_run(r.a, &a, &st), &st);
    assert_true(*tensor_f32(&out) == 7);
    tensor_clear(&out);
    net_must(session_run(r.a, &gone, &st), &st);
    assert_false(session_run(r.a, &gone, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    assert_false(session_run(r.a, &a, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    /* what was not fetched itself went with its step */
    assert_int_equal(step(&r, r.a, copy, 7, 0, &other), STATUS_OK);
    a.feed_values = &other;
    assert_false(session_run(r.a, &a, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    tensor_clear(&handle);
    tensor_clear(&other);
    release(&r);
}

static void test_waits__a_session_keeps_what_a_partial_run_gave(void **state)
{
    (void)state;
    struct rig r;
    struct tensor feed = {0}, handle = {0}, out = {0};
    struct status st = {0};
    const float v = 3;

    init(&r);
    struct output keep = op(&r, "GetSessionHandle", "keep", 1, &r.x);
    struct node_desc *d = node_desc_new(r.n.g, "Placeholder", "handle");

    node_desc_attr(d, "dtype", attr_type(DT_STRING));
    struct output h = finish(d);
    struct output got = typed(&r, "GetSessionTensor", "got", 1, &h);
    struct run_args a = {.feeds = &r.x,
                         .feed_values = &feed,
                         .num_feeds = 1,
                         .fetches = &keep,
                         .fetch_values = &handle,
                         .num_fetches = 1};
    struct run_args back = {.feeds = &h,
                            .feed_values = &handle,
                            .num_feeds = 1,
                            .fetches = &got,
                            .fetch_values = &out,
                            .num_fetches = 1};

    net_must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st), &st);
    char *run = session_partial_setup(r.a, &a, &st);

    net_must(run != NULL, &st);
    net_must(session_partial_run(r.a, run, &a, &st), &st);
    net_must(session_run(r.a, &back, &st), &st);
    assert_true(*tensor_f32(&out) == 3);
    mem_free(run);
    tensor_clear(&feed);
    tensor_clear(&handle);
    tensor_clear(&out);
    release(&r);
}

/* --- a table --- */

static void test_waits__a_table_is_read_while_it_is_written(void **state)
{
    (void)state;
    struct rig r;
    struct worker in, out[THREADS];
    const float absent = 0;

    init(&r);
    struct node_desc *d = node_desc_new(r.n.g, "MutableHashTableV2", "table");

    node_desc_attr(d, "key_dtype", attr_type(DT_INT64));
    node_desc_attr(d, "value_dtype", attr_type(DT_FLOAT));
    node_desc_attr(d, "shared_name", attr_string(str_of("t")));
    struct output table = finish(d);

    d = node_desc_new(r.n.g, "Cast", "key");
    node_desc_input(d, r.x);
    node_desc_attr(d, "DstT", attr_type(DT_INT64));
    struct output key = finish(d);
    struct output zero = constant(&r, "absent", DT_FLOAT, &absent, 0);
    struct output put = op(&r, "LookupTableInsertV2", "put", 3, (struct output[]){table, key, r.x});
    struct output find =
        op(&r, "LookupTableFindV2", "find", 3, (struct output[]){table, key, zero});

    begin(&in, &r, r.a, put, EACH, false);
    for (int i = 0; i < THREADS; i++)
        begin(&out[i], &r, i % 2 ? r.a : r.b, find, EACH, true);
    assert_int_equal(end(&in), STATUS_OK);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(end(&out[i]), STATUS_OK);
        assert_true(out[i].sum <= EACH * (EACH - 1) / 2);
    }
    begin(&out[0], &r, r.b, find, EACH, true);
    assert_int_equal(end(&out[0]), STATUS_OK);
    assert_true(out[0].sum == EACH * (EACH - 1) / 2);
    release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits__no_gradient_is_lost_between_two_sessions),
        cmocka_unit_test(test_waits__a_deadline_or_the_sessions_end_ends_a_take),
        cmocka_unit_test(test_waits__closing_a_barrier_ends_takes_that_wait),
        cmocka_unit_test(test_waits__a_full_and_an_empty_staging_area_make_steps_wait),
        cmocka_unit_test(test_waits__one_step_at_a_time_holds_a_mutex),
        cmocka_unit_test(test_waits__a_session_keeps_what_was_fetched_as_a_handle),
        cmocka_unit_test(test_waits__a_session_keeps_what_a_partial_run_gave),
        cmocka_unit_test(test_waits__a_table_is_read_while_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
