/* SPDX-License-Identifier: Apache-2.0 */
/* What a witness grants, by the clock that it is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/lock.h"
#include "dist/witness.h"

enum { LEASE_MS = 100 };
#define ASK(name) PB_LEAT_PEER_LEASE_REQUEST_ASK_##name

static struct witness *w;
static int64_t now;

static void later(int64_t ms)
{
    now += ms * 1000000;
}

static bool ask(int what, uint64_t who, uint64_t epoch, bool in_sync, bool other_is_fresh,
                uint64_t *out)
{
    static uint64_t number;
    const struct pb_leat_peer_lease_request q = {.task = str_of("/job:ps/replica:0/task:0"),
                                                 .incarnation = who,
                                                 .epoch = epoch,
                                                 .ask = what,
                                                 .in_sync = in_sync,
                                                 .other_is_fresh = other_is_fresh,
                                                 .number = ++number,
                                                 .lease_ms = LEASE_MS};
    return witness_ask(w, &q, now, out);
}

static int set_up(void **state)
{
    (void)state;
    w = witness_new();
    now = clock_now_ns();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    witness_free(w);
    return 0;
}

static void test_witness__who_stands_by_waits_for_lease_and_margin(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_true(ask(ASK(CLAIM), 1, 0, false, true, &epoch));
    assert_int_equal(epoch, 1);
    assert_true(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    later(LEASE_MS);
    assert_false(ask(ASK(PROMOTE), 2, 1, false, false, &epoch));
    later(LEASE_MS / 2 + 1);
    assert_true(ask(ASK(PROMOTE), 2, 1, false, false, &epoch));
    assert_int_equal(epoch, 2);
    /* Who served hears of it, and cannot renew; nobody takes over a second time. */
    assert_false(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    assert_int_equal(epoch, 2);
    later(LEASE_MS * 2);
    assert_false(ask(ASK(PROMOTE), 1, 1, false, false, &epoch));
    assert_false(ask(ASK(PROMOTE), 1, 2, false, false, &epoch)); /* it has not everything */
}

/* Who went on alone has all there is: one that has nothing waits until it is lost. */
static void test_witness__a_slow_one_is_not_replaced_by_an_empty_one(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_true(ask(ASK(CLAIM), 1, 0, false, true, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, false, false, &epoch));
    later(LEASE_MS * 3);
    assert_false(ask(ASK(CLAIM), 3, 0, false, false, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, false, false, &epoch)); /* there it is */
    later(LEASE_MS * 3);
    assert_false(ask(ASK(CLAIM), 3, 0, false, false, &epoch));
    later(LEASE_MS * 2 + 1);
    assert_true(ask(ASK(CLAIM), 3, 0, false, false, &epoch));
    assert_int_equal(epoch, 2);
}

/* Its answer was lost: it is promoted still, and nobody else is. */
static void test_witness__who_was_promoted_may_ask_again(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_true(ask(ASK(CLAIM), 1, 0, false, true, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    later(LEASE_MS * 2);
    assert_true(ask(ASK(PROMOTE), 2, 1, false, false, &epoch));
    assert_false(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    assert_false(ask(ASK(PROMOTE), 3, 1, false, false, &epoch));
    assert_true(ask(ASK(PROMOTE), 2, 1, false, false, &epoch));
    assert_int_equal(epoch, 2);
    assert_true(ask(ASK(RENEW), 2, 2, false, false, &epoch));
    const struct pb_leat_peer_lease_request late = {.task = str_of("/job:ps/replica:0/task:0"),
                                                    .incarnation = 2,
                                                    .epoch = 1,
                                                    .ask = ASK(PROMOTE),
                                                    .number = 1,
                                                    .lease_ms = LEASE_MS};
    assert_false(witness_ask(w, &late, now, &epoch)); /* it was under way for long */
    later(LEASE_MS * 10);
    assert_true(ask(ASK(CLAIM), 4, 0, false, true, &epoch));
    assert_int_equal(epoch, 3);
    assert_false(ask(ASK(PROMOTE), 2, 1, false, false, &epoch)); /* another one serves since */
}

static void test_witness__alone_means_nobody_takes_over(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_true(ask(ASK(CLAIM), 1, 0, false, true, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    assert_true(ask(ASK(LOOK), 0, 0, false, false, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, false, false, &epoch));
    assert_false(ask(ASK(LOOK), 0, 0, false, false, &epoch));
    later(LEASE_MS * 10);
    assert_false(ask(ASK(PROMOTE), 2, 1, false, false, &epoch));
    /* Both are gone: a fresh one begins anew, in an epoch of its own. */
    assert_true(ask(ASK(CLAIM), 3, 0, false, false, &epoch));
    assert_int_equal(epoch, 2);
}

static void test_witness__a_restarted_process_does_not_serve_over_a_full_one(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_true(ask(ASK(CLAIM), 1, 0, false, true, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    later(LEASE_MS * 10);
    assert_false(ask(ASK(CLAIM), 3, 0, false, false, &epoch)); /* the other has the state */
    assert_false(ask(ASK(RENEW), 3, 1, true, false, &epoch));  /* nor under the old epoch */
    assert_true(ask(ASK(PROMOTE), 2, 1, false, true, &epoch));
}

static void test_witness__a_new_one_waits_before_it_decides(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_false(ask(ASK(CLAIM), 1, 0, false, false, &epoch)); /* who serves may be silent yet */
    assert_false(ask(ASK(PROMOTE), 2, 7, false, false, &epoch));
    assert_true(ask(ASK(RENEW), 1, 7, true, false, &epoch)); /* it learns who does */
    assert_int_equal(epoch, 7);
    later(LEASE_MS * 2);
    assert_true(ask(ASK(PROMOTE), 2, 7, false, false, &epoch));
    assert_int_equal(epoch, 8);
}

static void test_witness__who_does_not_hear_gets_no_lease(void **state)
{
    uint64_t epoch;
    (void)state;
    assert_true(ask(ASK(CLAIM), 1, 0, false, true, &epoch));
    assert_true(ask(ASK(RENEW), 1, 1, true, false, &epoch));
    later(LEASE_MS);
    const struct pb_leat_peer_lease_request deaf = {.task = str_of("/job:ps/replica:0/task:0"),
                                                    .incarnation = 1,
                                                    .epoch = 1,
                                                    .number = UINT64_MAX,
                                                    .in_sync = true,
                                                    .silence_ms = LEASE_MS,
                                                    .lease_ms = LEASE_MS};
    assert_false(witness_ask(w, &deaf, now, &epoch));
    later(LEASE_MS / 2 + 1);
    assert_true(ask(ASK(PROMOTE), 2, 1, false, false, &epoch));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_witness__who_stands_by_waits_for_lease_and_margin),
        TEST(test_witness__a_slow_one_is_not_replaced_by_an_empty_one),
        TEST(test_witness__who_was_promoted_may_ask_again),
        TEST(test_witness__alone_means_nobody_takes_over),
        TEST(test_witness__a_restarted_process_does_not_serve_over_a_full_one),
        TEST(test_witness__a_new_one_waits_before_it_decides),
        TEST(test_witness__who_does_not_hear_gets_no_lease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
