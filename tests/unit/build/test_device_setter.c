/* SPDX-License-Identifier: Apache-2.0 */
/* Where replica_device_setter puts the nodes of variables, of a model and of its optimizer: the
 * devices that TensorFlow 1.15.5 gives the same program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

static void on(struct made *m, const char *name, const char *device)
{
    TF_Operation *op = TF_GraphOperationByName(m->g, name);
    if (!op)
        fail_msg("there is no node %s", name);
    if (strcmp(TF_OperationDevice(op), device) != 0)
        fail_msg("%s is on '%s', TensorFlow has it on '%s'", name, TF_OperationDevice(op), device);
}

#define PS0 "/job:ps/task:0"
#define PS1 "/job:ps/task:1"
#define WORKER "/job:worker/task:1"

static void test_round_robin(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    leat_device_setter *setter =
        leat_replica_device_setter(.ps_tasks = 2, .worker_device = "/job:worker/task:1");
    leat_with_replica_devices(g, setter)
    {
        TF_Output a = leat_get_variable(g, "a", leat_shape(2, 3));
        TF_Output b = leat_variable(g, "b", leat_zeros(g, leat_shape(3)));
        (void)leat_get_variable(g, "c", leat_shape(2), .resource = 1);
        TF_Output x = leat_ones(g, leat_shape(1, 2));
        TF_Output y = leat_add_v2(g, leat_matmul(g, x, a), b);
        leat_with_device(g, "/cpu:0") {
            TF_Output d = leat_get_variable(g, "d", leat_shape(2));
            (void)leat_neg(g, d);
        }
        leat_with_device(g, "/job:ps/task:1/cpu:0")
            (void)leat_get_variable(g, "e", leat_shape(2));
        (void)leat_get_variable(g, "f", leat_shape(2));
        leat_optimizer *adam = leat_adam(g);
        assert_non_null(leat_minimize(adam, leat_reduce_sum(g, y)));
        leat_optimizer_free(adam);
    }
    leat_device_setter_free(setter);
    assert_no_error(m);
    static const char *const want[][2] = {
        {"a/Initializer/random_uniform/shape", ""},
        {"a/Initializer/random_uniform", ""},
        {"a", PS0},
        {"a/Assign", PS0},
        {"a/read", PS0},
        {"b", PS1},
        {"b/Assign", PS1},
        {"b/read", PS1},
        {"c", PS0},
        {"c/IsInitialized/VarIsInitializedOp", WORKER},
        {"c/Assign", PS0},
        {"c/Read/ReadVariableOp", PS0},
        {"MatMul", WORKER},
        {"d/Initializer/random_uniform", ""},
        {"d", PS1 "/device:CPU:0"},
        {"d/Assign", PS1 "/device:CPU:0"},
        {"d/read", PS1 "/device:CPU:0"},
        {"Neg", WORKER "/device:CPU:0"},
        {"e", PS1 "/device:CPU:0"},
        {"e/read", PS1 "/device:CPU:0"},
        {"f", PS1},
        {"gradients/Fill", WORKER},
        {"gradients/MatMul_grad/MatMul_1", WORKER},
        {"beta1_power/initial_value", PS0},
        {"beta1_power", PS0},
        {"a/Adam/Initializer/zeros", PS0},
        {"a/Adam", PS0},
        {"a/Adam/Assign", PS0},
        {"b/Adam_1", PS1},
        {"b/Adam_1/read", PS1},
        {"Adam/learning_rate", WORKER},
        {"Adam/update_a/ApplyAdam", PS0},
        {"Adam/update_b/ApplyAdam", PS1},
        {"Adam/mul", PS0},
        {"Adam/Assign_1", PS0},
        {"Adam/NoOp", PS0},
        {"Adam/NoOp_1", PS1},
        {"Adam", WORKER},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        on(m, want[i][0], want[i][1]);
}

static void test_greedy(void **state)
{
    struct made *m = *state;
    static const int64_t sizes[] = {100, 10, 10, 60, 10, 30, 1};
    static const char *const want[] = {PS0, PS1, PS1, PS1, PS1, PS1, PS0};
    leat_device_setter *setter =
        leat_replica_device_setter(.ps_tasks = 2, .strategy = LEAT_PS_GREEDY_BYTES);
    leat_with_replica_devices(m->g, setter)
    {
        for (int i = 0; i < 7; i++) {
            char name[] = {'v', (char)('0' + i), 0};
            (void)leat_get_variable(m->g, name, ((struct leat_shape){&sizes[i], 1}));
            on(m, name, want[i]);
        }
    }
    leat_device_setter_free(setter);
    assert_no_error(m);
}

/* The bytes of the parts of a variable of floats, on each of two servers. */
static void share(struct made *m, struct leat_shape shape, struct leat_partitioner by,
                  enum leat_ps_strategy strategy, int64_t bytes[2])
{
    static int num;
    char name[16];
    snprintf(name, sizeof name, "v%d", num++);
    leat_device_setter *setter = leat_replica_device_setter(.ps_tasks = 2, .strategy = strategy);
    leat_with_replica_devices(m->g, setter)
    {
        leat_partitioned *v = leat_get_partitioned_variable(
            m->g, name, shape, by, .variable.initializer = leat_init_zeros());
        assert_no_error(m);
        const struct leat_outputs parts = leat_partitioned_parts(v);
        bytes[0] = bytes[1] = 0;
        for (int i = 0; i < parts.n; i++) {
            int64_t dims[2];
            const char *device = TF_OperationDevice(parts.v[i].oper);
            TF_GraphGetTensorShape(m->g, parts.v[i], dims, 2, m->st);
            assert_true(strcmp(device, PS0) == 0 || strcmp(device, PS1) == 0);
            bytes[strcmp(device, PS1) == 0] += dims[0] * dims[1] * 4;
        }
        leat_partitioned_free(v);
    }
    leat_device_setter_free(setter);
}

/* A variable of a gigabyte: each partitioner gives each of two servers its half, to within a tenth,
 * and the bytes are those of TensorFlow 1.15.5. The numbers are {even, uneven}: of 262,144 rows of
 * 1,024 and 1,000,003 of 268. */
static void test_gigabyte_is_shared_evenly(void **state)
{
    const struct {
        struct leat_partitioner by;
        int64_t bytes[2][2];
    } cases[] = {
        {leat_fixed_size_partitioner(2), {{536870912, 536870912}, {536002144, 536001072}}},
        {leat_fixed_size_partitioner(10), {{536870912, 536870912}, {536002144, 536001072}}},
        {leat_min_max_variable_partitioner(2, 256 << 10),
         {{536870912, 536870912}, {536002144, 536001072}}},
        {leat_min_max_variable_partitioner(100, 256 << 10),
         {{536870912, 536870912}, {536002144, 536001072}}},
        {leat_variable_axis_size_partitioner((64 << 20) - 1),
         {{568451072, 505290752}, {536002144, 536001072}}},
        {leat_variable_axis_size_partitioner(256 << 20),
         {{536870912, 536870912}, {536002144, 536001072}}},
    };
    const struct leat_shape shapes[] = {leat_shape(262144, 1024), leat_shape(1000003, 268)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int j = 0; j < 2; j++) {
            for (int greedy = 0; greedy < 2; greedy++) {
                int64_t got[2];
                share(*state, shapes[j], cases[i].by,
                      greedy ? LEAT_PS_GREEDY_BYTES : LEAT_PS_ROUND_ROBIN, got);
                assert_int_equal(got[0], cases[i].bytes[j][0]);
                assert_int_equal(got[1], cases[i].bytes[j][1]);
                assert_true(20 * got[0] <= 11 * (got[0] + got[1]));
                assert_true(20 * got[1] <= 11 * (got[0] + got[1]));
            }
        }
    }
}

static void test_without_servers(void **state)
{
    struct made *m = *state;
    leat_device_setter *setter = leat_replica_device_setter(.worker_device = "/job:w");
    leat_with_replica_devices(m->g, setter)(void) leat_get_variable(m->g, "a", leat_shape(2));
    on(m, "a", "/job:w");
    leat_device_setter_free(setter);
    assert_no_error(m);
    leat_device_setter_free(NULL);
}

static const char *nonsense(void *arg, const struct leat_device_request *r)
{
    (void)r;
    ++*(int *)arg;
    return "no device";
}

static void test_bad_function(void **state)
{
    struct made *m = *state;
    int asked = 0;
    leat_with_device_function(m->g, nonsense, &asked)(void) leat_zeros(m->g, leat_shape(2));
    assert_true(asked > 0);
    assert_error(m, "Malformed device specification 'no device'");
}

static void test_merge(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"/job:ps", "/task:1/cpu:0", "/job:ps/task:1/device:CPU:0"},
        {"/job:ps/task:0", "/job:w", "/job:w/task:0"},
        {"", "/gpu:1", "/device:GPU:1"},
        {"/job:a", "", "/job:a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *got = leat_merge_devices(cases[i][0], cases[i][1], NULL);
        assert_string_equal(got, cases[i][2]);
        leat_free(got);
    }
    TF_Status *st = TF_NewStatus();
    assert_null(leat_merge_devices("x", "", st));
    assert_int_equal(TF_GetCode(st), TF_INVALID_ARGUMENT);
    TF_DeleteStatus(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_robin, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_greedy, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_gigabyte_is_shared_evenly, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_without_servers, made_setup, made_teardown),
        cmocka_unit_test_setup_teardown(test_bad_function, made_setup, made_teardown),
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
