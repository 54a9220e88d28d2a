/* SPDX-License-Identifier: Apache-2.0 */
/* The strided copy of the array ops against the plainest loop: random boxes of every element size,
 * with repeated, reversed and skipped axes, short runs and long ones, on one thread and two. */
#include "ops/array/nd_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_AXES = 5, ROOM = 1 << 18 };

struct box {
    int axes;
    int64_t n[MAX_AXES], src[MAX_AXES], dst[MAX_AXES]; /* steps */
    int64_t src_at, dst_at;                            /* first elements */
    int64_t src_size, dst_size;
};

static uint32_t seed;

static int64_t pick(int64_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int64_t)((seed >> 8) % (uint32_t)n);
}

/* An axis of the source: whole or a part of a longer one, forwards, backwards, or repeated. */
static int64_t place(int64_t n, int64_t *step, int64_t *size, bool repeats)
{
    int64_t unit = *size, kind = pick(repeats ? 6 : 5), skip = kind == 1 ? 2 : 1;
    int64_t margin = kind == 2 ? pick(4) : 0;
    if (kind == 5) {
        *step = 0;
        return 0;
    }
    *step = unit * skip;
    *size = unit * (n * skip + margin);
    if (kind != 3)
        return margin / 2 * unit;
    *step = -unit;
    return (n - 1) * unit;
}

static struct box random_box(int64_t largest)
{
    struct box b = {.axes = 1 + (int)pick(MAX_AXES), .src_size = 1, .dst_size = 1};
    int64_t total = 1;
    for (int i = b.axes - 1; i >= 0; i--) {
        int64_t longest = largest / total;
        b.n[i] = 1 + pick(longest < 1 ? 1 : longest > 40 && i > 0 ? 40 : longest);
        total *= b.n[i];
        b.src_at += place(b.n[i], &b.src[i], &b.src_size, true);
        int64_t unit = b.dst_size, margin = pick(3);
        b.dst[i] = unit;
        b.dst_at += unit * (margin / 2);
        b.dst_size = unit * (b.n[i] + margin);
    }
    return b;
}

/* Element by element, as the description says. */
static void plain_copy(const struct box *b, size_t item, char *dst, const char *src)
{
    int64_t at[MAX_AXES] = {0};
    for (;;) {
        int64_t s = b->src_at, d = b->dst_at;
        for (int i = 0; i < b->axes; i++) {
            s += at[i] * b->src[i];
            d += at[i] * b->dst[i];
        }
        memcpy(dst + d * (int64_t)item, src + s * (int64_t)item, item);
        int i = b->axes - 1;
        while (i >= 0 && ++at[i] == b->n[i])
            at[i--] = 0;
        if (i < 0)
            return;
    }
}

static void check_box(struct kctx *k, const struct box *b, int dtype, int64_t shift)
{
    static char src[ROOM * 16 + 64], dst[ROOM * 16 + 64], want[ROOM * 16 + 64];
    size_t item = dtype_size(dtype);
    struct status st = {0};
    if (b->src_size + shift > ROOM || b->dst_size + shift > ROOM)
        return;
    for (size_t i = 0; i < (size_t)(b->src_size + shift) * item; i++)
        src[i] = (char)(i * 131 + i / 251);
    memset(dst, 0x55, (size_t)(b->dst_size + shift) * item);
    memset(want, 0x55, (size_t)(b->dst_size + shift) * item);
    plain_copy(b, item, want + shift * (int64_t)item, src + shift * (int64_t)item);
    struct nd_copy c;
    nd_begin(&c, dtype, src + (b->src_at + shift) * (int64_t)item,
             dst + (b->dst_at + shift) * (int64_t)item);
    for (int i = 0; i < b->axes; i++)
        nd_axis(&c, b->n[i], b->src[i], b->dst[i]);
    assert_true(nd_run(k, &c, &st));
    assert_memory_equal(dst, want, (size_t)(b->dst_size + shift) * item);
}

static void run_boxes(int threads, int64_t largest, int times)
{
    static const int types[] = {DT_INT8, DT_HALF, DT_FLOAT, DT_DOUBLE, DT_COMPLEX128};
    struct pool *pool = pool_new("test", threads);
    struct kernel_env env = {.pool = pool};
    struct kctx k = {.env = &env};
    for (int i = 0; i < times; i++) {
        struct box b = random_box(largest);
        check_box(&k, &b, types[pick((int64_t)ARRAY_LEN(types))], pick(3));
    }
    pool_free(pool);
}

static void test_nd_copy__small_boxes(void **state)
{
    (void)state;
    seed = 1;
    run_boxes(1, 300, 3000);
}

static void test_nd_copy__big_boxes_on_two_threads(void **state)
{
    (void)state;
    seed = 2;
    run_boxes(2, 60000, 60);
}

static void test_nd_copy__strings_are_copied_not_shared(void **state)
{
    (void)state;
    static const char text[] = "long enough to live on the heap";
    struct kernel_env env = {0};
    struct kctx k = {.env = &env};
    struct tensor from, to;
    struct status st = {0};
    struct shape two = shape_1(2), six = shape_1(6);
    assert_true(tensor_new(&from, DT_STRING, &two, &st));
    assert_true(tensor_new(&to, DT_STRING, &six, &st));
    assert_true(tstr_set(&tensor_str(&from)[0], text, sizeof text - 1));
    assert_true(tstr_set(&tensor_str(&from)[1], "b", 1));
    struct nd_copy c;
    nd_begin(&c, DT_STRING, &tensor_str(&from)[1], to.data);
    nd_axis(&c, 3, 0, 2);
    nd_axis(&c, 2, -1, 1);
    assert_true(nd_run(&k, &c, &st));
    tensor_clear(&from);
    for (int i = 0; i < 6; i++) {
        struct str s = tstr_view(&tensor_str(&to)[i]);
        assert_true(str_is(s, i % 2 ? text : "b"));
    }
    tensor_clear(&to);
}

static void test_nd_copy__nothing_to_copy(void **state)
{
    (void)state;
    struct kctx k = {0};
    struct status st = {0};
    char x = 7;
    struct nd_copy c;
    nd_begin(&c, DT_INT8, NULL, &x);
    nd_axis(&c, 3, 1, 1);
    nd_axis(&c, 0, 1, 1);
    assert_true(nd_run(&k, &c, &st));
    assert_int_equal(x, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nd_copy__small_boxes),
        cmocka_unit_test(test_nd_copy__big_boxes_on_two_threads),
        cmocka_unit_test(test_nd_copy__strings_are_copied_not_shared),
        cmocka_unit_test(test_nd_copy__nothing_to_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
