/* SPDX-License-Identifier: Apache-2.0 */
/* Maps against a plain model; order of walks; hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/mem.h"

static int values[4096];

static void test_map__empty(void **state UNUSED)
{
    struct strmap m = {0};
    int64_t pos = 0;
    const char *key;
    void *value;
    assert_null(strmap_find(&m, "a"));
    assert_false(strmap_has(&m, ""));
    assert_null(strmap_remove(&m, "a"));
    assert_false(strmap_next(&m, &pos, &key, &value));
    strmap_release(&m);
    struct u64map u = {0};
    assert_null(u64map_find(&u, 0));
    assert_null(u64map_remove(&u, 0));
    pos = 0;
    assert_false(u64map_next(&u, &pos, NULL, NULL));
    u64map_release(&u);
}

static void test_map__put_find_replace(void **state UNUSED)
{
    struct strmap m = {0};
    assert_null(strmap_put(&m, "a", &values[1]));
    assert_ptr_equal(strmap_put(&m, "a", &values[2]), &values[1]);
    assert_ptr_equal(strmap_find(&m, "a"), &values[2]);
    assert_null(strmap_put(&m, "", &values[3]));
    assert_ptr_equal(strmap_find_n(&m, NULL, 0), &values[3]);
    assert_ptr_equal(strmap_find_n(&m, "abc", 1), &values[2]);
    assert_null(strmap_find(&m, "ab"));
    assert_null(strmap_put_n(&m, "abc", 2, NULL));
    assert_true(strmap_has(&m, "ab"));
    assert_null(strmap_find(&m, "ab"));
    assert_false(strmap_has(&m, "abc"));
    assert_ptr_equal(strmap_find_n(&m, "a\0b", 3), &values[2]);
    assert_int_equal(m.num_live, 3);
    strmap_release(&m);
}

static void test_map__walk_keeps_insertion_order(void **state UNUSED)
{
    struct strmap m = {0};
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        strmap_put(&m, name, &values[i]);
    }
    for (int i = 0; i < 1000; i += 3) {
        snprintf(name, sizeof name, "n%d", i);
        assert_ptr_equal(strmap_remove(&m, name), &values[i]);
    }
    strmap_put(&m, "n0", &values[0]); /* comes last now */
    int expected = 1, seen = 0;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&m, &i, &key, &value); seen++) {
        if (seen == 666) {
            assert_string_equal(key, "n0");
            continue;
        }
        assert_ptr_equal(value, &values[expected]);
        expected += expected % 3 == 2 ? 2 : 1;
    }
    assert_int_equal(seen, 667);
    strmap_release(&m);
}

static void test_map__agrees_with_a_model(void **state UNUSED)
{
    enum { KEYS = 700 };
    struct strmap m = {0};
    struct u64map u = {0};
    void *model[KEYS] = {0};
    uint64_t random = 1;
    for (int step = 0; step < 60000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int k = (int)((random >> 33) % KEYS);
        char name[16];
        snprintf(name, sizeof name, "k%d", k);
        /* phases that grow and phases that shrink */
        bool put = (random >> 60) < (step / 10000 % 2 ? 5u : 11u);
        void *value = &values[random >> 52];
        void *got = put ? strmap_put(&m, name, value) : strmap_remove(&m, name);
        void *got_u =
            put ? u64map_put(&u, (uint64_t)k << 32, value) : u64map_remove(&u, (uint64_t)k << 32);
        assert_ptr_equal(got, model[k]);
        assert_ptr_equal(got_u, model[k]);
        model[k] = put ? value : NULL;
    }
    int64_t live = 0, walked = 0;
    for (int k = 0; k < KEYS; k++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", k);
        live += model[k] != NULL;
        assert_ptr_equal(strmap_find(&m, name), model[k]);
        assert_ptr_equal(u64map_find(&u, (uint64_t)k << 32), model[k]);
    }
    assert_int_equal(m.num_live, live);
    assert_int_equal(u.num_live, live);
    uint64_t key;
    void *value;
    for (int64_t i = 0; u64map_next(&u, &i, &key, &value); walked++)
        assert_ptr_equal(value, model[key >> 32]);
    assert_int_equal(walked, live);
    assert_true(m.cap <= 4 * KEYS);
    strmap_release(&m);
    u64map_release(&u);
}

static void test_map__u64_takes_any_key(void **state UNUSED)
{
    struct u64map u = {0};
    u64map_put(&u, 0, &values[0]);
    u64map_put(&u, UINT64_MAX, &values[1]);
    assert_ptr_equal(u64map_find(&u, 0), &values[0]);
    assert_ptr_equal(u64map_find(&u, UINT64_MAX), &values[1]);
    assert_null(u64map_find(&u, 1));
    u64map_release(&u);
}

static void test_map__hashes(void **state UNUSED)
{
    /* equal for equal bytes, different for each length and seed */
    unsigned char bytes[100] = {0};
    for (size_t n = 0; n < 100; n++) {
        assert_true(hash_bytes(bytes, n, 1) == hash_bytes(bytes, n, 1));
        assert_true(hash_bytes(bytes, n, 1) != hash_bytes(bytes, n, 2));
        assert_true(hash_bytes(bytes, n, 1) != hash_bytes(bytes, n + (n < 99 ? 1 : -1), 1));
        if (n) {
            uint64_t before = hash_bytes(bytes, n, 1);
            bytes[n - 1] ^= 1;
            assert_true(hash_bytes(bytes, n, 1) != before);
            bytes[n - 1] ^= 1;
        }
    }
    assert_true(hash_stable("", 0) == 0xEFD01F60BA992926u);
    assert_true(hash_stable("Const", 5) == 0x6E03E863D71EDAFFu);
    assert_true(hash_stable(NULL, 0) == hash_stable("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map__empty),
        cmocka_unit_test(test_map__put_find_replace),
        cmocka_unit_test(test_map__walk_keeps_insertion_order),
        cmocka_unit_test(test_map__agrees_with_a_model),
        cmocka_unit_test(test_map__u64_takes_any_key),
        cmocka_unit_test(test_map__hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
