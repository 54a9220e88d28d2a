/* SPDX-License-Identifier: Apache-2.0 */
/* needs: mpi */
/* What rank 0 decides, without MPI: notes go in, what ranks are told comes out. The data are moved
 * in tests/e2e/test_allreduce.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dist/mpi_meet.h"
#include "op/collective.h"

enum { RANKS = 3, MAX_TOLD = 32 };

static struct mpi_meets meets;
static struct {
    int rank;
    struct mpi_note note;
} told[MAX_TOLD];
static int num_told;

static void tell(void *arg, int rank, const struct mpi_note *n)
{
    (void)arg;
    assert_true(num_told < MAX_TOLD);
    assert_true(mpi_note_valid(n));
    told[num_told].rank = rank;
    told[num_told++].note = *n;
}

static int set_up(void **state)
{
    (void)state;
    num_told = 0;
    mpi_meets_init(&meets, RANKS, tell, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mpi_meets_release(&meets);
    return 0;
}

static struct mpi_note reduction(uint64_t id, int64_t key, int64_t n)
{
    return (struct mpi_note){.what = NOTE_JOIN,
                             .kind = COLLECTIVE_REDUCE,
                             .dtype = DT_FLOAT,
                             .rank = 1,
                             .dims = {n},
                             .root = -1,
                             .id = id,
                             .group_size = RANKS,
                             .instance_key = key};
}

static void join(int rank, uint64_t id, int64_t key, int64_t n)
{
    const struct mpi_note note = reduction(id, key, n);
    mpi_meets_note(&meets, rank, &note);
}

static void say(int rank, int what, uint64_t id)
{
    const struct mpi_note note = {.what = what, .id = id};
    mpi_meets_note(&meets, rank, &note);
}

static void expect(int i, int rank, int what, uint64_t id)
{
    assert_true(i < num_told);
    assert_int_equal(told[i].rank, rank);
    assert_int_equal(told[i].note.what, what);
    assert_int_equal(told[i].note.id, id);
}

static void expect_failure(int i, int rank, uint64_t id, int code)
{
    expect(i, rank, NOTE_FAIL, id);
    assert_int_equal(told[i].note.code, code);
    assert_true(told[i].note.text_bytes > 0);
}

static void test_mpi_meet__all_go_when_the_last_has_come(void **state)
{
    (void)state;
    join(1, 11, 7, 4);
    join(2, 21, 8, 4);
    join(0, 1, 8, 4);
    join(2, 22, 7, 4);
    assert_int_equal(num_told, 0);
    join(1, 12, 8, 4);
    assert_int_equal(num_told, 3);
    expect(0, 0, NOTE_GO, 1);
    expect(1, 1, NOTE_GO, 12);
    expect(2, 2, NOTE_GO, 21);
    join(0, 2, 7, 4);
    assert_int_equal(num_told, 6);
    expect(4, 1, NOTE_GO, 11);
}

static void test_mpi_meet__the_kth_of_a_rank_belongs_to_the_kth_of_the_others(void **state)
{
    (void)state;
    join(0, 1, 7, 4);
    join(0, 2, 7, 5);
    join(1, 11, 7, 4);
    join(2, 21, 7, 4);
    assert_int_equal(num_told, 3);
    expect(0, 0, NOTE_GO, 1);
    join(2, 22, 7, 5);
    join(1, 12, 7, 5);
    expect(3, 0, NOTE_GO, 2);
}

static void test_mpi_meet__what_does_not_fit_fails_for_all(void **state)
{
    (void)state;
    join(0, 1, 7, 4);
    join(1, 11, 7, 5);
    assert_int_equal(num_told, 2);
    expect_failure(0, 0, 1, STATUS_INVALID_ARGUMENT);
    expect_failure(1, 1, 11, STATUS_INVALID_ARGUMENT);
    join(2, 21, 7, 4);
    expect_failure(2, 2, 21, STATUS_INVALID_ARGUMENT);
    join(0, 2, 7, 4);
    join(1, 12, 7, 4);
    join(2, 22, 7, 4);
    expect(3, 0, NOTE_GO, 2);
}

static void test_mpi_meet__who_withdraws_fails_the_others_once(void **state)
{
    (void)state;
    join(0, 1, 7, 4);
    join(1, 11, 7, 4);
    say(1, NOTE_WITHDRAW, 11);
    assert_int_equal(num_told, 2);
    expect_failure(0, 0, 1, STATUS_ABORTED);
    expect_failure(1, 1, 11, STATUS_ABORTED);
    join(1, 12, 7, 4); /* its next step does not take the place of the one that it withdrew */
    join(2, 21, 7, 4);
    expect_failure(2, 2, 21, STATUS_ABORTED);
    assert_int_equal(num_told, 3);
    join(0, 2, 7, 4);
    join(2, 22, 7, 4);
    expect(3, 0, NOTE_GO, 2);
    say(1, NOTE_WITHDRAW, 12); /* too late */
    assert_int_equal(num_told, 6);
}

static void test_mpi_meet__who_leaves_fails_those_who_wait_for_it(void **state)
{
    (void)state;
    join(0, 1, 7, 4);
    join(1, 11, 7, 4);
    say(2, NOTE_LEAVE, 0);
    expect_failure(0, 0, 1, STATUS_UNAVAILABLE);
    expect_failure(1, 1, 11, STATUS_UNAVAILABLE);
    join(1, 12, 9, 4);
    expect_failure(2, 1, 12, STATUS_UNAVAILABLE);
    say(0, NOTE_LEAVE, 0);
    say(0, NOTE_LEAVE, 0);
    assert_int_equal(num_told, 3);
    say(1, NOTE_LEAVE, 0);
    assert_int_equal(num_told, 6);
    for (int i = 0; i < RANKS; i++)
        expect(3 + i, i, NOTE_BYE, 0);
}

static void test_mpi_meet__bytes_that_are_no_note(void **state)
{
    (void)state;
    struct mpi_note n = reduction(1, 7, 4);
    assert_true(mpi_note_valid(&n));
    n.rank = SHAPE_MAX_RANK + 1;
    assert_false(mpi_note_valid(&n));
    n.rank = -1;
    assert_false(mpi_note_valid(&n));
    n = reduction(1, 7, 4);
    n.what = NOTE_BYE + 1;
    assert_false(mpi_note_valid(&n));
    n = reduction(1, 7, 4);
    n.text_bytes = (int32_t)sizeof n.text;
    assert_false(mpi_note_valid(&n));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_mpi_meet__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_go_when_the_last_has_come),
        TEST(the_kth_of_a_rank_belongs_to_the_kth_of_the_others),
        TEST(what_does_not_fit_fails_for_all),
        TEST(who_withdraws_fails_the_others_once),
        TEST(who_leaves_fails_those_who_wait_for_it),
        TEST(bytes_that_are_no_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
