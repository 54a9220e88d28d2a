/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: snapshots that never change, writes in place, copy-on-read, several at once, threads.
 */
#include <pthread.h>

#include "base/failpoint.h"
#include "op_fixture.h"

static struct status st;

static struct variable *with_values(const char *name, float a, float b)
{
    struct variable *v = variable_new(name, DT_FLOAT);
    struct tensor t = fixture_floats((float[]){a, b}, 2);
    variable_assign(v, &t);
    assert_int_equal(t.dtype, DT_INVALID);
    return v;
}

static void test_variable__uninitialized_is_said(void **state UNUSED)
{
    struct variable *v = variable_new("w", DT_FLOAT);
    struct tensor t, *value;
    assert_false(variable_initialized(v));
    assert_false(variable_read(v, &t, &st));
    assert_failed_with(&st, STATUS_FAILED_PRECONDITION, "Attempting to use uninitialized value w");
    assert_false(variable_write_begin(v, false, &value, &st));
    assert_failed_with(&st, STATUS_FAILED_PRECONDITION, "uninitialized value w");
    struct tensor *values[1];
    assert_false(variable_write_begin_all(&v, 1, false, values, &st));
    assert_failed_with(&st, STATUS_FAILED_PRECONDITION, "uninitialized value w");
    t = fixture_floats((float[]){1}, 1);
    variable_assign(v, &t); /* the lock is free again */
    assert_true(variable_initialized(v));
    variable_unref(v);
    variable_unref(NULL);
}

static void test_variable__snapshots_do_not_change(void **state UNUSED)
{
    struct variable *v = with_values("w", 1, 2);
    struct tensor snapshot, *value, later;
    assert_true(variable_read(v, &snapshot, &st));
    assert_true(variable_write_begin(v, false, &value, &st));
    assert_ptr_not_equal(value->data, snapshot.data);
    assert_true(tensor_f32(value)[1] == 2);
    tensor_f32(value)[1] = 5;
    variable_write_end(v);
    assert_true(tensor_f32(&snapshot)[1] == 2);
    assert_true(variable_read(v, &later, &st));
    assert_true(tensor_f32(&later)[1] == 5);
    tensor_clear(&snapshot);
    tensor_clear(&later);
    void *data = v->value.data;
    assert_true(variable_write_begin(v, false, &value, &st));
    assert_ptr_equal(value->data, data); /* nobody looks: in place */
    variable_write_end(v);
    assert_false(v->copy_on_read);
    variable_unref(v);
}

static void sparse_write(struct variable *v, float first)
{
    struct tensor *value;
    assert_true(variable_write_begin(v, true, &value, &st));
    tensor_f32(value)[0] = first;
    variable_write_end(v);
}

static void test_variable__sparse_writes_of_a_sole_value_are_in_place(void **state UNUSED)
{
    struct variable *v = with_values("w", 1, 2);
    void *data = v->value.data;
    for (int i = 0; i < 5; i++) {
        struct tensor snapshot;
        assert_true(variable_read(v, &snapshot, &st));
        assert_ptr_equal(snapshot.data, data);
        tensor_clear(&snapshot);
        sparse_write(v, (float)i);
        assert_ptr_equal(v->value.data, data);
    }
    assert_false(v->copy_on_read);
    variable_unref(v);
}

static void test_variable__sparse_writes_of_shared_values_switch_to_copy_on_read(void **s_ UNUSED)
{
    struct variable *v = with_values("w", 1, 2);
    struct tensor snapshot[3];
    for (int i = 0; i < 2; i++) {
        assert_false(v->copy_on_read);
        assert_true(variable_read(v, &snapshot[i], &st));
        sparse_write(v, (float)(i + 10));
        assert_ptr_not_equal(v->value.data, snapshot[i].data);
    }
    assert_true(v->copy_on_read);
    void *data = v->value.data;
    assert_true(variable_read(v, &snapshot[2], &st));
    assert_ptr_not_equal(snapshot[2].data, data);
    sparse_write(v, 9);
    assert_ptr_equal(v->value.data, data);
    assert_true(tensor_f32(&snapshot[0])[0] == 1);
    assert_true(tensor_f32(&snapshot[1])[0] == 10);
    assert_true(tensor_f32(&snapshot[2])[0] == 11);
    for (int i = 0; i < 3; i++)
        tensor_clear(&snapshot[i]);
    variable_unref(v);
}

static void test_variable__a_failed_copy_leaves_it_usable(void **state UNUSED)
{
    struct variable *v = with_values("w", 1, 2);
    struct tensor snapshot, *value;
    assert_true(variable_read(v, &snapshot, &st));
    assert_true(failpoint_set("buffer_new", "1"));
    assert_false(variable_write_begin(v, true, &value, &st));
    failpoint_clear_all();
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    assert_false(v->copy_on_read);
    assert_true(variable_write_begin(v, false, &value, &st));
    variable_write_end(v);
    tensor_clear(&snapshot);
    variable_unref(v);
}

static void test_variable__several_at_once(void **state UNUSED)
{
    struct variable *a = with_values("a", 1, 1), *b = with_values("b", 2, 2);
    struct variable *c = variable_new("c", DT_FLOAT);
    struct tensor *values[4];
    struct variable *some[] = {b, a, b, a};
    assert_true(variable_write_begin_all(some, 4, false, values, &st));
    assert_ptr_equal(values[0], values[2]);
    assert_true(tensor_f32(values[1])[0] == 1 && tensor_f32(values[0])[0] == 2);
    variable_write_end_all(some, 4);
    struct variable *bad[] = {c, a, b};
    assert_false(variable_write_begin_all(bad, 3, false, values, &st));
    assert_failed_with(&st, STATUS_FAILED_PRECONDITION, "uninitialized value c");
    assert_true(variable_initialized(a) && variable_initialized(b));
    variable_unref(a);
    variable_unref(b);
    variable_unref(c);
}

static void test_variable__describes_itself(void **state UNUSED)
{
    struct variable *v = variable_new("w", DT_FLOAT);
    struct strbuf b = {0};
    variable_type.describe(&v->base, &b);
    assert_non_null(strstr(strbuf_text(&b), "uninitialized"));
    struct tensor t = fixture_floats((float[]){1}, 1);
    variable_assign(v, &t);
    strbuf_clear(&b);
    variable_type.describe(&v->base, &b);
    assert_string_equal(strbuf_text(&b), "variable w of float, shape [1]");
    strbuf_release(&b);
    variable_unref(v);
}

enum { ROUNDS = 300 };

struct worker {
    struct variable *a, *b;
    bool swapped;
    const char *failed;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct status error = {0};
    struct variable *order[] = {w->swapped ? w->b : w->a, w->swapped ? w->a : w->b};
    for (int i = 0; i < ROUNDS && !w->failed; i++) {
        struct tensor t, *values[2];
        struct variable *v = variable_ref(w->a);
        if (!variable_read(v, &t, &error)) {
            w->failed = "read";
            break;
        }
        if (tensor_f32(&t)[0] != tensor_f32(&t)[1])
            w->failed = "a torn snapshot";
        if (!variable_write_begin_all(order, 2, i % 50 == 49, values, &error)) {
            w->failed = "write";
        } else {
            for (int k = 0; k < 2; k++)
                tensor_f32(values[k])[0] = tensor_f32(values[k])[1] += 1;
            variable_write_end_all(order, 2);
        }
        tensor_clear(&t);
        variable_unref(v);
    }
    status_clear(&error);
    return NULL;
}

static void test_variable__from_many_threads(void **state UNUSED)
{
    struct variable *a = with_values("a", 0, 0), *b = with_values("b", 0, 0);
    struct worker workers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){.a = a, .b = b, .swapped = i & 1};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_null(workers[i].failed);
    }
    assert_true(tensor_f32(&a->value)[1] == 4 * ROUNDS);
    assert_true(tensor_f32(&b->value)[0] == 4 * ROUNDS);
    variable_unref(a);
    variable_unref(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variable__uninitialized_is_said),
        cmocka_unit_test(test_variable__snapshots_do_not_change),
        cmocka_unit_test(test_variable__sparse_writes_of_a_sole_value_are_in_place),
        cmocka_unit_test(test_variable__sparse_writes_of_shared_values_switch_to_copy_on_read),
        cmocka_unit_test(test_variable__a_failed_copy_leaves_it_usable),
        cmocka_unit_test(test_variable__several_at_once),
        cmocka_unit_test(test_variable__describes_itself),
        cmocka_unit_test(test_variable__from_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
