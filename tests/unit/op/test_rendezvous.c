/* SPDX-License-Identifier: Apache-2.0 */
/* The rendezvous: either side first, dead values, aborts, misuse, threads. */
#include <pthread.h>

#include "op/rendezvous.h"
#include "op_fixture.h"

static struct status st;

struct got {
    int calls, code;
    bool dead, has_value;
    float first;
};

static void receive(void *arg, const struct status *error, const struct tensor *value, bool dead)
{
    struct got *g = arg;
    g->calls++;
    g->code = error->code;
    g->dead = dead;
    g->has_value = value != NULL;
    g->first = value ? tensor_f32(value)[0] : 0;
}

static void test_rendezvous__either_side_first(void **state UNUSED)
{
    struct rendezvous *r = rendezvous_new();
    struct tensor t = fixture_floats((float[]){4}, 1);
    struct got a = {0}, b = {0};
    assert_true(rendezvous_send(r, "k1", &t, false, &st));
    assert_false(tensor_is_sole(&t)); /* shared, not copied */
    rendezvous_recv(r, "k1", receive, &a);
    assert_true(a.calls == 1 && a.has_value && a.first == 4 && !a.dead);
    assert_true(tensor_is_sole(&t));
    rendezvous_recv(r, "k2", receive, &b);
    assert_int_equal(b.calls, 0);
    assert_true(rendezvous_send(r, "k2", &t, false, &st));
    assert_true(b.calls == 1 && b.first == 4);
    tensor_clear(&t);
    rendezvous_unref(r);
    rendezvous_unref(NULL);
}

static void test_rendezvous__dead_values_are_passed_on(void **state UNUSED)
{
    struct rendezvous *r = rendezvous_new();
    struct got a = {0}, b = {0};
    assert_true(rendezvous_send(r, "k", NULL, true, &st));
    rendezvous_recv(r, "k", receive, &a);
    assert_true(a.dead && !a.has_value && a.code == STATUS_OK);
    rendezvous_recv(r, "l", receive, &b);
    assert_true(rendezvous_send(r, "l", NULL, true, &st));
    assert_true(b.dead && !b.has_value);
    rendezvous_unref(r);
}

struct far { /* another task, which gives 9 */
    int asked;
};

static bool far_recv(void *arg, const char *key, rendezvous_fn fn, void *fn_arg)
{
    struct far *f = arg;
    struct status fine = {0};
    if (key[0] != 'f')
        return false;
    f->asked++;
    struct tensor t = fixture_floats((float[]){9}, 1);
    fn(fn_arg, &fine, &t, false);
    tensor_clear(&t);
    return true;
}

static void test_rendezvous__what_was_sent_here_is_not_asked_for(void **state UNUSED)
{
    struct far far = {0};
    struct rendezvous *r =
        rendezvous_new_far(&(struct rendezvous_far){.arg = &far, .recv = far_recv});
    struct tensor t = fixture_floats((float[]){4}, 1);
    struct got a = {0}, b = {0};
    assert_true(rendezvous_send(r, "f1", &t, false, &st));
    rendezvous_recv(r, "f1", receive, &a);
    assert_true(a.calls == 1 && a.first == 4 && far.asked == 0);
    rendezvous_recv(r, "f2", receive, &b);
    assert_true(b.calls == 1 && b.first == 9 && far.asked == 1);
    tensor_clear(&t);
    rendezvous_unref(r);
}

static void note_value(void *arg, const char *key, const struct tensor *value)
{
    char *all = arg;
    size_t n = strlen(all);
    snprintf(all + n, 32 - n, "%s=%g ", key, (double)tensor_f32(value)[0]);
}

static void test_rendezvous__what_waits_can_be_looked_at(void **state UNUSED)
{
    struct rendezvous *r = rendezvous_new();
    struct tensor t = fixture_floats((float[]){4}, 1);
    struct got a = {0};
    char all[32] = "";
    assert_true(rendezvous_send(r, "b", &t, false, &st));
    assert_true(rendezvous_send(r, "dead", NULL, true, &st));
    rendezvous_recv(r, "later", receive, &a);
    assert_true(rendezvous_send(r, "a", &t, false, &st));
    rendezvous_each(r, note_value, all);
    assert_string_equal(all, "b=4 a=4 ");
    assert_int_equal(rendezvous_waiting(r), 4);
    tensor_clear(&t);
    rendezvous_unref(r);
}

static void test_rendezvous__misuse(void **state UNUSED)
{
    struct rendezvous *r = rendezvous_new();
    struct tensor t = fixture_floats((float[]){4}, 1);
    struct got a = {0}, b = {0};
    assert_true(rendezvous_send(r, "k", &t, false, &st));
    assert_false(rendezvous_send(r, "k", &t, false, &st));
    assert_failed_with(&st, STATUS_INTERNAL, "key k was sent twice");
    rendezvous_recv(r, "w", receive, &a);
    rendezvous_recv(r, "w", receive, &b);
    assert_int_equal(b.code, STATUS_INTERNAL);
    assert_int_equal(a.calls, 0);
    rendezvous_unref(r); /* whoever still waits is told */
    assert_true(a.calls == 1 && a.code == STATUS_CANCELLED);
    tensor_clear(&t);
}

static void test_rendezvous__abort_reaches_all(void **state UNUSED)
{
    struct rendezvous *r = rendezvous_ref(rendezvous_new());
    struct tensor t = fixture_floats((float[]){4}, 1);
    struct got a = {0}, b = {0};
    struct status why = {0};
    assert_true(rendezvous_send(r, "sent", &t, false, &st));
    rendezvous_recv(r, "k", receive, &a);
    status_fail(&why, STATUS_DEADLINE_EXCEEDED, "late");
    rendezvous_abort(r, &why);
    assert_true(tensor_is_sole(&t));
    assert_true(a.calls == 1 && a.code == STATUS_DEADLINE_EXCEEDED);
    rendezvous_recv(r, "k", receive, &b);
    assert_int_equal(b.code, STATUS_DEADLINE_EXCEEDED);
    assert_false(rendezvous_send(r, "k", &t, false, &st));
    assert_failed_with(&st, STATUS_DEADLINE_EXCEEDED, "late");
    rendezvous_abort(r, &why);
    status_clear(&why);
    rendezvous_abort(r, &why); /* the first reason stays */
    assert_false(rendezvous_send(r, "k", &t, false, &st));
    assert_failed_with(&st, STATUS_DEADLINE_EXCEEDED, "late");
    tensor_clear(&t);
    rendezvous_unref(r);
    rendezvous_unref(r);
}

enum { KEYS = 300 };

struct side {
    struct rendezvous *r;
    int received; /* atomic */
    bool failed;
};

static void receive_one(void *arg, const struct status *error, const struct tensor *value,
                        bool dead UNUSED)
{
    struct side *s = arg;
    if (status_ok(error) && value)
        __atomic_fetch_add(&s->received, 1, __ATOMIC_RELAXED);
}

static void *send_all(void *arg)
{
    struct side *s = arg;
    struct status error = {0};
    struct tensor t = fixture_floats((float[]){1}, 1);
    for (int i = 0; i < KEYS; i++) {
        char *key = mem_printf("key%d", i);
        s->failed |= !rendezvous_send(s->r, key, &t, false, &error);
        mem_free(key);
    }
    tensor_clear(&t);
    status_clear(&error);
    return NULL;
}

static void test_rendezvous__from_two_threads(void **state UNUSED)
{
    struct side s = {.r = rendezvous_new()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_all, &s), 0);
    for (int i = KEYS - 1; i >= 0; i--) {
        char *key = mem_printf("key%d", i);
        rendezvous_recv(s.r, key, receive_one, &s);
        mem_free(key);
    }
    pthread_join(thread, NULL);
    assert_false(s.failed);
    assert_int_equal(s.received, KEYS);
    rendezvous_unref(s.r);
}

/* As tasks of TensorFlow 1.15.5 and of 2.15.1 name this frame. */
static void test_rendezvous__frames(void **state)
{
    (void)state;
    assert_true(rendezvous_frame_hash(";0;while/while_context") == 1496156560211570566u);
    assert_true(rendezvous_frame_number(0, 0, "while/while_context") == 18186195969791715286u);
    assert_true(rendezvous_frame_number(1, 0, "f") != rendezvous_frame_number(0, 0, "f"));
    assert_true(rendezvous_frame_number(0, 1, "f") != rendezvous_frame_number(0, 0, "f"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rendezvous__either_side_first),
        cmocka_unit_test(test_rendezvous__dead_values_are_passed_on),
        cmocka_unit_test(test_rendezvous__what_was_sent_here_is_not_asked_for),
        cmocka_unit_test(test_rendezvous__what_waits_can_be_looked_at),
        cmocka_unit_test(test_rendezvous__misuse),
        cmocka_unit_test(test_rendezvous__abort_reaches_all),
        cmocka_unit_test(test_rendezvous__from_two_threads),
        cmocka_unit_test(test_rendezvous__frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
