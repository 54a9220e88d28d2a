/* SPDX-License-Identifier: Apache-2.0 */
/* Partial runs: piece by piece, what is refused and with which words (TensorFlow 1.15.5's),
 * targets, loops, errors in the step, sessions that close while a run is open, several threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

static const TF_Output none = {NULL, 0};

struct rig { /* ab = a + b, abc = ab * c, neg = -a */
    struct bench b;
    TF_Output a, bb, c, ab, abc, neg;
    const char *handle;
};

static void rig_open(struct rig *r)
{
    bench_open(&r->b);
    r->a = m_in(&r->b, "a", NULL, 0);
    r->bb = m_in(&r->b, "b", NULL, 0);
    r->c = m_in(&r->b, "c", NULL, 0);
    r->ab = m_op2(&r->b, "Add", "ab", r->a, r->bb);
    r->abc = m_op2(&r->b, "Mul", "abc", r->ab, r->c);
    r->neg = m_op1(&r->b, "Neg", "neg", r->a);
    r->handle = NULL;
}

static void rig_close(struct rig *r)
{
    TF_DeletePRunHandle(r->handle);
    bench_close(&r->b);
}

static void setup_all(struct rig *r)
{
    TF_DeletePRunHandle(r->handle);
    TF_SessionPRunSetup(r->b.s, (TF_Output[]){r->a, r->bb, r->c}, 3, (TF_Output[]){r->ab, r->abc},
                        2, NULL, 0, &r->handle, r->b.st);
    assert_int_equal(TF_GetCode(r->b.st), TF_OK);
    assert_non_null(r->handle);
}

/* Feeds x = v and y = v + 1 (either may be absent) and fetches z; -1: nothing, or an error. */
static float go(struct rig *r, TF_Output x, TF_Output y, float v, TF_Output z)
{
    TF_Output in[2] = {none, none};
    TF_Tensor *fed[2] = {NULL, NULL}, *out = NULL;
    int n = 0;
    if (x.oper)
        in[n++] = x;
    if (y.oper)
        in[n++] = y;
    for (int i = 0; i < n; i++)
        fed[i] = m_tensor(v + (float)i);
    TF_SessionPRun(r->b.s, r->handle, in, fed, n, &z, &out, z.oper != NULL, NULL, 0, r->b.st);
    for (int i = 0; i < n; i++) {
        *(float *)TF_TensorData(fed[i]) = -100; /* the caller's again */
        TF_DeleteTensor(fed[i]);
    }
    float got = out ? *(float *)TF_TensorData(out) : -1;
    TF_DeleteTensor(out);
    return got;
}

static void want(struct rig *r, TF_Code code, const char *words)
{
    if (TF_GetCode(r->b.st) != code || !strstr(TF_Message(r->b.st), words))
        print_error("code %d, \"%s\"\n", (int)TF_GetCode(r->b.st), TF_Message(r->b.st));
    assert_int_equal(TF_GetCode(r->b.st), code);
    assert_non_null(strstr(TF_Message(r->b.st), words));
}

static void test_partial_run__piece_by_piece(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    for (int i = 0; i < 3; i++) {
        setup_all(&r);
        assert_true(go(&r, r.a, r.bb, 1, r.ab) == 3);
        want(&r, TF_OK, "");
        assert_true(go(&r, r.c, none, 5, none) == -1);
        want(&r, TF_OK, "");
        assert_true(go(&r, none, none, 0, r.abc) == 15);
        want(&r, TF_OK, "");
        go(&r, none, none, 0, r.abc);
        want(&r, TF_INVALID_ARGUMENT, "Must run 'setup' before performing partial runs!");
    }
    rig_close(&r);
}

static void test_partial_run__what_is_refused_changes_nothing(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    setup_all(&r);
    go(&r, r.a, none, 1, r.ab);
    want(&r, TF_INVALID_ARGUMENT,
         "Fetch b:0 can't be computed from the feeds that have been fed so far.");
    go(&r, r.neg, none, 1, none);
    want(&r, TF_INVALID_ARGUMENT, "The feed neg:0 was not specified in partial_run_setup.");
    go(&r, none, none, 1, r.neg);
    want(&r, TF_INVALID_ARGUMENT, "The fetch neg:0 was not specified in partial_run_setup.");
    go(&r, r.a, r.a, 1, none);
    want(&r, TF_INVALID_ARGUMENT, "The feed a:0 has already been fed.");
    assert_true(go(&r, r.a, r.bb, 1, r.ab) == 3);
    go(&r, r.a, none, 1, none);
    want(&r, TF_INVALID_ARGUMENT, "The feed a:0 has already been fed.");
    go(&r, none, none, 1, r.ab);
    want(&r, TF_INVALID_ARGUMENT, "The fetch ab:0 has already been fetched.");
    assert_true(go(&r, r.c, none, 2, r.abc) == 6);
    rig_close(&r);
}

static void no_such_handle(struct bench *b)
{
    TF_SessionPRun(b->s, "nothing", NULL, NULL, 0, NULL, NULL, 0, NULL, 0, b->st);
}

static void null_handle(struct bench *b)
{
    TF_SessionPRun(b->s, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, b->st);
}

static void setup_of_nothing(struct bench *b)
{
    const char *handle = "";
    TF_SessionPRunSetup(b->s, NULL, 0, NULL, 0, NULL, 0, &handle, b->st);
    assert_null(handle);
}

static void setup_fed_twice(struct bench *b)
{
    const char *handle;
    TF_Output x = m_in(b, "x", NULL, 0), y = m_op1(b, "Neg", "y", x);
    TF_SessionPRunSetup(b->s, (TF_Output[]){x, x}, 2, &y, 1, NULL, 0, &handle, b->st);
    assert_null(handle);
}

static void setup_fed_and_fetched(struct bench *b)
{
    const char *handle;
    TF_Output x = m_in(b, "x", NULL, 0);
    TF_SessionPRunSetup(b->s, &x, 1, &x, 1, NULL, 0, &handle, b->st);
}

static void setup_null_handle(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_SessionPRunSetup(b->s, NULL, 0, &x, 1, NULL, 0, NULL, b->st);
}

static void setup_null_fetch(struct bench *b)
{
    const char *handle;
    TF_SessionPRunSetup(b->s, NULL, 0, &none, 1, NULL, 0, &handle, b->st);
    assert_null(handle);
}

static void setup_closed(struct bench *b)
{
    const char *handle;
    TF_Output x = m_scalar(b, "x", 1);
    TF_CloseSession(b->s, b->st);
    TF_SessionPRunSetup(b->s, NULL, 0, &x, 1, NULL, 0, &handle, b->st);
}

static const struct misuse rows[] = {
    {"no such handle", no_such_handle, TF_INVALID_ARGUMENT, "Must run 'setup'"},
    {"NULL handle", null_handle, TF_INVALID_ARGUMENT, "Must run 'setup'"},
    {"nothing to do", setup_of_nothing, TF_INVALID_ARGUMENT,
     "Must specify at least one target to fetch or execute."},
    {"fed twice", setup_fed_twice, TF_INVALID_ARGUMENT, "Endpoint \"x:0\" fed more than once."},
    {"fed and fetched", setup_fed_and_fetched, TF_INVALID_ARGUMENT, "x:0 is both fed and fetched."},
    {"no place for the handle", setup_null_handle, TF_INVALID_ARGUMENT, ""},
    {"invalid fetch", setup_null_fetch, TF_INVALID_ARGUMENT, ""},
    {"closed session", setup_closed, TF_CANCELLED, "Session has been closed."},
};

static void test_partial_run__misuse_is_told(void **state)
{
    (void)state;
    assert_int_equal(misuse_check(rows, sizeof rows / sizeof *rows), 0);
}

static void test_partial_run__targets_run_before_the_end(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    TF_Output v = m_variable(&r.b, "v"), set = m_op2(&r.b, "Assign", "set", v, r.ab);
    const TF_Operation *target = set.oper;
    TF_SessionPRunSetup(r.b.s, (TF_Output[]){r.a, r.bb}, 2, &r.neg, 1, &target, 1, &r.handle,
                        r.b.st);
    want(&r, TF_OK, "");
    assert_true(go(&r, r.a, none, 4, r.neg) == -4);
    go(&r, r.bb, none, 5, none);
    want(&r, TF_OK, "");
    TF_Output read = m_op1(&r.b, "Identity", "read", v);
    TF_Tensor *out = NULL;
    TF_SessionRun(r.b.s, NULL, NULL, NULL, 0, &read, &out, 1, NULL, 0, NULL, r.b.st);
    want(&r, TF_OK, "");
    assert_true(*(float *)TF_TensorData(out) == 9);
    TF_DeleteTensor(out);
    rig_close(&r);
}

static void test_partial_run__an_error_ends_the_step(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    TF_OperationDescription *d = TF_NewOperation(r.b.g, "CheckNumerics", "check");
    TF_AddInput(d, m_op1(&r.b, "Log", "log", r.a));
    TF_SetAttrString(d, "message", "no number", 9);
    TF_Output check = {TF_FinishOperation(d, r.b.st), 0};
    TF_SessionPRunSetup(r.b.s, (TF_Output[]){r.a, r.bb}, 2, (TF_Output[]){check, r.ab}, 2, NULL, 0,
                        &r.handle, r.b.st);
    go(&r, r.a, none, -1, check);
    want(&r, TF_INVALID_ARGUMENT, "no number");
    go(&r, r.bb, none, 1, r.ab);
    want(&r, TF_INVALID_ARGUMENT, "Must run 'setup'");
    rig_close(&r);
}

static void test_partial_run__a_dead_fetch(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    TF_Output sw = m_op2(&r.b, "Switch", "sw", r.a, m_bool(&r.b, "p", true));
    TF_SessionPRunSetup(r.b.s, &r.a, 1, (TF_Output[]){sw, {sw.oper, 1}}, 2, NULL, 0, &r.handle,
                        r.b.st);
    assert_true(go(&r, r.a, none, 3, (TF_Output){sw.oper, 1}) == 3);
    go(&r, none, none, 0, sw);
    want(&r, TF_INVALID_ARGUMENT, "is dead");
    rig_close(&r);
}

static void test_partial_run__sessions_end_open_runs(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    setup_all(&r);
    go(&r, r.a, r.bb, 1, r.ab);
    want(&r, TF_OK, "");
    TF_CloseSession(r.b.s, r.b.st);
    want(&r, TF_OK, "");
    go(&r, r.c, none, 1, r.abc);
    want(&r, TF_CANCELLED, "Session has been closed.");
    rig_close(&r);
    rig_open(&r);
    setup_all(&r);
    setup_all(&r); /* two of one signature; both open when the session goes */
    go(&r, r.a, none, 1, none);
    want(&r, TF_OK, "");
    rig_close(&r);
}

static void *feed_b(void *arg)
{
    struct rig *r = arg;
    TF_Status *st = TF_NewStatus();
    TF_Tensor *v = m_tensor(2);
    TF_SessionPRun(r->b.s, r->handle, &r->bb, &v, 1, NULL, NULL, 0, NULL, 0, st);
    bool ok = TF_GetCode(st) == TF_OK;
    TF_DeleteTensor(v);
    TF_DeleteStatus(st);
    return ok ? r : NULL;
}

static void test_partial_run__several_threads(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    for (int i = 0; i < 20; i++) {
        pthread_t other;
        void *ok;
        setup_all(&r);
        assert_int_equal(pthread_create(&other, NULL, feed_b, &r), 0);
        go(&r, r.a, none, 1, none);
        want(&r, TF_OK, "");
        pthread_join(other, &ok);
        assert_non_null(ok);
        assert_true(go(&r, none, none, 0, r.ab) == 3);
        assert_true(go(&r, r.c, none, 2, r.abc) == 6);
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partial_run__piece_by_piece),
        cmocka_unit_test(test_partial_run__what_is_refused_changes_nothing),
        cmocka_unit_test(test_partial_run__misuse_is_told),
        cmocka_unit_test(test_partial_run__targets_run_before_the_end),
        cmocka_unit_test(test_partial_run__an_error_ends_the_step),
        cmocka_unit_test(test_partial_run__a_dead_fetch),
        cmocka_unit_test(test_partial_run__sessions_end_open_runs),
        cmocka_unit_test(test_partial_run__several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
