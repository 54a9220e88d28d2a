/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: alignment, reuse, limits, accounts, threads, fork, failing allocations. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "tensor/block.h"

static struct buffer *get(int64_t bytes)
{
    struct status st = {0};
    struct buffer *b = buffer_new(DT_UINT8, bytes, &st);
    assert_true(status_ok(&st));
    assert_non_null(b);
    return b;
}

static struct buffer_stats stats(void)
{
    struct buffer_stats s;
    buffer_stats(&s);
    return s;
}

static const int64_t sizes[] = {0,
                                1,
                                63,
                                64,
                                65,
                                511,
                                512,
                                513,
                                1000,
                                4096,
                                65535,
                                65536,
                                65537,
                                100000,
                                1 << 20,
                                (1 << 20) - 64,
                                3 << 20,
                                4 << 20,
                                (4 << 20) - 64,
                                5 << 20,
                                (16 << 20) + 1};

static void test_sizes(void **state)
{
    (void)state;
    int64_t before = stats().in_use;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct buffer *b = get(sizes[i]);
        assert_non_null(b->data);
        assert_int_equal((uintptr_t)b->data % 64, 0);
        assert_true(b->bytes >= (size_t)sizes[i]);
        assert_true(buffer_is_sole(b));
        memset(b->data, 0x5a, (size_t)sizes[i]);
        assert_true(stats().in_use >= before + sizes[i]);
        assert_ptr_equal(buffer_ref(b), b);
        assert_false(buffer_is_sole(b));
        buffer_unref(b);
        assert_true(buffer_is_sole(b));
        buffer_unref(b);
        assert_int_equal(stats().in_use, before);
    }
    assert_null(buffer_ref(NULL));
    buffer_unref(NULL);
}

/* Every size up to a few thousand, all alive at once: none overlaps another. */
static void test_all_small_sizes(void **state)
{
    (void)state;
    enum { NUM = 3000 };
    static struct buffer *b[NUM];
    for (int i = 0; i < NUM; i++) {
        b[i] = get(i);
        assert_true(b[i]->bytes >= (size_t)i);
        memset(b[i]->data, i & 0xff, (size_t)i);
    }
    for (int i = 0; i < NUM; i++) {
        for (int k = 0; k < i; k++)
            if (((uint8_t *)b[i]->data)[k] != (i & 0xff))
                fail_msg("buffer %d was overwritten at %d", i, k);
        buffer_unref(b[i]);
    }
}

static void test_waste_is_bounded(void **state)
{
    (void)state;
    if (BLOCK_KEEPS_NONE)
        skip();
    for (int64_t n = 512; n < 300000; n += 97) {
        struct buffer *b = get(n);
        assert_true((int64_t)b->bytes <= n + n / 4 + 64);
        buffer_unref(b);
    }
}

static void test_reuse(void **state)
{
    (void)state;
    if (BLOCK_KEEPS_NONE)
        skip();
    static const int64_t at[] = {10, 5000, 65536, 200000, 8 << 20};
    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        struct buffer *b = get(at[i]);
        void *first = b->data;
        buffer_unref(b);
        assert_true(stats().kept >= at[i]);
        b = get(at[i]);
        assert_ptr_equal(b->data, first);
        buffer_unref(b);
    }
    buffer_trim();
    assert_int_equal(stats().kept, 0);
}

/* The best of several kept blocks; one that is much larger is left alone. */
static void test_best_fit(void **state)
{
    (void)state;
    if (BLOCK_KEEPS_NONE)
        skip();
    buffer_trim();
    struct buffer *a = get(1000000), *b = get(1100000), *c = get(2000000);
    void *mid = b->data;
    buffer_unref(c);
    buffer_unref(b);
    buffer_unref(a);
    struct buffer *x = get(1050000), *y = get(1500000);
    assert_ptr_equal(x->data, mid);
    assert_ptr_not_equal(y->data, c);
    assert_true(y->bytes < 1600000);
    buffer_unref(x);
    buffer_unref(y);
    buffer_trim();
}

static uint64_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

static void test_random_sizes_stay_bounded(void **state)
{
    (void)state;
    buffer_trim();
    enum { LIVE = 16, STEPS = 4000 };
    struct buffer *live[LIVE] = {0};
    uint64_t seed = 7;
    for (int i = 0; i < STEPS; i++) {
        struct buffer **slot = &live[next_random(&seed) % LIVE];
        buffer_unref(*slot);
        *slot = get((int64_t)(next_random(&seed) % ((uint64_t)1 << (8 + next_random(&seed) % 14))));
        struct buffer_stats s = stats();
        assert_true(s.kept <= max_i64(16 << 20, s.peak / 2 * 3) + (3 << 20));
    }
    for (int i = 0; i < LIVE; i++)
        buffer_unref(live[i]);
    buffer_set_limits(-1, 1 << 20);
    buffer_unref(get(3 << 20));
    buffer_unref(get(900000));
    assert_true(stats().kept <= (1 << 20) + (2 << 20));
    buffer_set_limits(-1, 0);
    buffer_unref(get(900000));
    buffer_trim();
    assert_int_equal(stats().kept, 0);
    buffer_set_limits(-1, -1);
}

static void test_old_blocks_go(void **state)
{
    (void)state;
    if (BLOCK_KEEPS_NONE)
        skip();
    buffer_trim();
    buffer_unref(get(9 << 20));
    assert_true(stats().kept > 9 << 20);
    for (int i = 0; i < 20010; i++)
        buffer_unref(get(70000));
    assert_true(stats().kept < 9 << 20);
    buffer_trim();
}

static void expect_exhausted(int dtype, int64_t elems)
{
    struct status st = {0};
    assert_null(buffer_new(dtype, elems, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
}

static void test_limits(void **state)
{
    (void)state;
    expect_exhausted(DT_FLOAT, INT64_MAX);
    expect_exhausted(DT_FLOAT, INT64_MAX / 4);
    expect_exhausted(DT_UINT8, INT64_MAX);
    expect_exhausted(DT_UINT8, INT64_MAX - 64);
    expect_exhausted(DT_STRING, (int64_t)1 << 60);
    expect_exhausted(DT_UINT8, (int64_t)1 << 50);
    expect_exhausted(DT_UINT8, -1);
    int64_t in_use = stats().in_use;
    buffer_set_limits(in_use + (3 << 20), -1);
    struct buffer *a = get(2 << 20);
    expect_exhausted(DT_UINT8, 2 << 20);
    struct buffer *b = get(1 << 19);
    buffer_unref(a);
    a = get(2 << 20);
    buffer_unref(a);
    buffer_unref(b);
    /* What is kept makes room for other sizes. */
    a = get((2 << 20) + (1 << 19));
    buffer_unref(a);
    buffer_set_limits(-1, -1);
}

static int num_freed;
static void count_free(void *data, size_t len, void *arg)
{
    assert_ptr_equal(arg, &num_freed);
    assert_int_equal(len, 5);
    assert_string_equal((char *)data, "data");
    num_freed++;
}

static void test_wrap(void **state)
{
    (void)state;
    char data[5] = "data";
    num_freed = 0;
    struct buffer *b = buffer_wrap(DT_INT8, data, 5, count_free, &num_freed);
    assert_ptr_equal(b->data, data);
    buffer_ref(b);
    buffer_unref(b);
    assert_int_equal(num_freed, 0);
    buffer_unref(b);
    assert_int_equal(num_freed, 1);
    buffer_unref(buffer_wrap(DT_INT8, data, 5, NULL, NULL));
}

static void test_fail_after(void **state)
{
    (void)state;
    buffer_fail_after(2);
    struct buffer *a = get(8);
    expect_exhausted(DT_UINT8, 8);
    struct buffer *b = get(8);
    buffer_unref(a);
    buffer_unref(b);
    buffer_fail_after(1);
    buffer_fail_after(0);
    buffer_unref(get(8));
    failpoint_clear_all();
}

/* --- threads --- */

enum { HANDS = 64, NUM_THREADS = 4, ROUNDS = 2000 };
static struct buffer *hands[HANDS]; /* atomic */

/* Takes blocks, swaps them with what others left, frees what it got. */
static void *shuffle(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct status st = {0};
        int64_t n = (int64_t)(next_random(&seed) % (i % 16 ? 2000 : 200000));
        struct buffer *b = buffer_new(DT_UINT8, n, &st);
        if (!b)
            return arg; /* no memory */
        memset(b->data, 1, (size_t)n);
        b = __atomic_exchange_n(&hands[next_random(&seed) % HANDS], b, __ATOMIC_ACQ_REL);
        buffer_unref(b);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    int64_t before = stats().in_use;
    pthread_t threads[NUM_THREADS];
    for (uintptr_t i = 0; i < NUM_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, shuffle, (void *)(i + 1)), 0);
    for (int i = 0; i < NUM_THREADS; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        assert_null(problem);
    }
    for (int i = 0; i < HANDS; i++) {
        buffer_unref(hands[i]);
        hands[i] = NULL;
    }
    assert_int_equal(stats().in_use, before);
    buffer_trim();
    assert_int_equal(stats().kept, 0);
}

static void *drop_many(void *arg)
{
    struct buffer *b = arg;
    for (int i = 0; i < ROUNDS; i++)
        buffer_unref(buffer_ref(b));
    buffer_unref(b);
    return NULL;
}

static void test_shared_count(void **state)
{
    (void)state;
    int64_t before = stats().in_use;
    struct buffer *b = get(1000);
    pthread_t threads[NUM_THREADS];
    for (int i = 0; i < NUM_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, drop_many, buffer_ref(b)), 0);
    buffer_unref(b);
    for (int i = 0; i < NUM_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(stats().in_use, before);
}

static void test_fork(void **state)
{
    (void)state;
    struct buffer *b = get(1 << 20);
    pid_t child = fork();
    if (child == 0) {
        struct status st = {0};
        struct buffer *mine = buffer_new(DT_UINT8, 1 << 20, &st);
        buffer_unref(mine);
        buffer_unref(b);
        _exit(mine ? 0 : 1);
    }
    int rc = -1;
    assert_int_equal(waitpid(child, &rc, 0), child);
    assert_int_equal(rc, 0);
    buffer_unref(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_all_small_sizes),
        cmocka_unit_test(test_waste_is_bounded),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_best_fit),
        cmocka_unit_test(test_random_sizes_stay_bounded),
        cmocka_unit_test(test_old_blocks_go),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_fail_after),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_shared_count),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
