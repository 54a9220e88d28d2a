/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioned variables: how many parts, their nodes, training them, and saving them under one
 * partition to restore them under another. Counts and names are TensorFlow 1.15.5's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph_text.h"

static void test_partitioned__counts(void **state)
{
    (void)state;
    struct leat_partitioner b64 = leat_variable_axis_size_partitioner(64);
    b64.n = 3;
    const struct leat_partitioner how[] = {
        leat_variable_axis_size_partitioner(32), b64, leat_min_max_variable_partitioner(3, 4000),
        leat_min_max_variable_partitioner(100, 8), leat_fixed_size_partitioner(6)};
    const struct leat_shape shapes[] = {leat_shape(5, 3), leat_shape(1000, 3), leat_shape(1, 7),
                                        leat_shape(10), leat_shape(7, 2, 3)};
    static const int want[5][5] = {
        {3, 1, 1, 5, 5}, {500, 3, 3, 100, 6}, {1, 1, 1, 1, 1}, {2, 1, 1, 5, 6}, {7, 3, 1, 7, 6}};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++)
            assert_int_equal(leat_partition_count(how[k], shapes[i], TF_FLOAT), want[i][k]);
    }
    assert_int_equal(leat_partition_count(leat_fixed_size_partitioner(0), shapes[0], TF_FLOAT), -1);
    assert_int_equal(
        leat_partition_count(leat_fixed_size_partitioner(2), leat_unknown_shape(), TF_FLOAT), -1);
    assert_int_equal(leat_partition_count(leat_fixed_size_partitioner(2), leat_shape(-1), TF_FLOAT),
                     -1);
}

static void test_partitioned__nodes(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    leat_with_variable_scope(g, "s", LEAT_NO_REUSE) {
        leat_partitioned *w =
            leat_get_partitioned_variable(g, "w", leat_shape(5, 3), leat_fixed_size_partitioner(2),
                                          .variable.initializer = leat_init_ones());
        assert_int_equal(leat_partitioned_parts(w).n, 2);
        (void)leat_partitioned_value(w);
        (void)leat_partitioned_value(w);
        leat_partitioned_free(w);
    }
    assert_no_error(m);
    assert_graph(
        g, "s/w/part_0/Initializer/ones Const loc:s/w/part_0\n"
           "s/w/part_0 VariableV2 loc:s/w/part_0\n"
           "s/w/part_0/Assign Assign(s/w/part_0, s/w/part_0/Initializer/ones) loc:s/w/part_0\n"
           "s/w/part_0/read Identity(s/w/part_0) loc:s/w/part_0\n"
           "s/w/part_1/Initializer/ones Const loc:s/w/part_1\n"
           "s/w/part_1 VariableV2 loc:s/w/part_1\n"
           "s/w/part_1/Assign Assign(s/w/part_1, s/w/part_1/Initializer/ones) loc:s/w/part_1\n"
           "s/w/part_1/read Identity(s/w/part_1) loc:s/w/part_1\n"
           "s/w/ConcatPartitions/concat/axis Const\n"
           "s/w/ConcatPartitions/concat ConcatV2(s/w/part_0/read, s/w/part_1/read, "
           "s/w/ConcatPartitions/concat/axis)\n"
           "s/w Identity(s/w/ConcatPartitions/concat)\n"
           "s/w/ConcatPartitions/concat_1/axis Const\n"
           "s/w/ConcatPartitions/concat_1 ConcatV2(s/w/part_0/read, s/w/part_1/read, "
           "s/w/ConcatPartitions/concat_1/axis)\n"
           "s/w_1 Identity(s/w/ConcatPartitions/concat_1)\n");
}

/* The same model with w in n parts; trains a little, saves or restores, gives w. */
static void run_model(const char *path, int n, int axis, bool save, float *out)
{
    TF_Graph *g = TF_NewGraph();
    TF_Status *st = TF_NewStatus();
    struct leat_partitioner p = leat_fixed_size_partitioner(n);
    p.axis = axis;
    leat_partitioned *w = leat_get_partitioned_variable(
        g, "w", leat_shape(7, 4), p, .variable.initializer = leat_init_constant(save ? 0.5 : 9));
    TF_Output ids = leat_const_ints(g, ((int32_t[]){0, 3, 6, 3}), leat_shape(4));
    TF_Output used = axis == 0 ? leat_embedding_lookup(g, leat_partitioned_parts(w), ids,
                                                       .partition_strategy = LEAT_PARTITION_DIV)
                               : leat_partitioned_value(w);
    leat_optimizer *opt = leat_gradient_descent(g, .learning_rate = 0.1);
    TF_Operation *train = leat_minimize(opt, leat_l2_loss(g, used));
    leat_optimizer_free(opt);
    TF_Output whole = leat_partitioned_value(w);
    leat_saver *saver = leat_saver_new(g);
    TF_Session *s = leat_session_new(g, st);
    assert_true(leat_run_op(s, leat_global_variables_initializer(g), leat_no_feeds(), st));
    if (save) {
        for (int i = 0; i < 3; i++)
            assert_true(leat_run_op(s, train, leat_no_feeds(), st));
        leat_free(leat_saver_save(saver, s, path, st));
    } else {
        assert_true(leat_saver_restore(saver, s, path, st));
    }
    assert_string_equal(TF_Message(st), "");
    assert_true(leat_run(s, st, .fetches = leat_fetches(leat_fetch(whole, out, 28))));
    leat_session_close(s);
    leat_saver_free(saver);
    leat_partitioned_free(w);
    TF_DeleteStatus(st);
    TF_DeleteGraph(g);
}

static void test_partitioned__restores_under_any_partition(void **state)
{
    (void)state;
    float saved[28], got[28];
    char folder[] = "/tmp/leat-partitioned-XXXXXX", path[64], command[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ckpt", folder);
    run_model(path, 3, 0, true, saved);
    assert_true(saved[0] < 0.5f && saved[4] == 0.5f && saved[12] < saved[0]);
    static const int other[][2] = {{3, 0}, {1, 0}, {7, 0}, {2, 1}, {4, 1}};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        run_model(path, other[i][0], other[i][1], false, got);
        assert_memory_equal(saved, got, sizeof saved);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_partitioned__errors(void **state)
{
    struct made *m = *state;
    assert_null(leat_get_partitioned_variable(m->g, "w", leat_shape(5, -1),
                                              leat_fixed_size_partitioner(2)));
    assert_error(m, "a known shape");
    assert_null(leat_get_partitioned_variable(m->g, NULL, leat_shape(5)));
    assert_error(m, "no name");
    assert_int_equal(leat_partitioned_parts(NULL).n, 0);
    assert_null(leat_partitioned_value(NULL).oper);
    leat_partitioned_free(NULL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partitioned__counts),
        T(test_partitioned__nodes),
        cmocka_unit_test(test_partitioned__restores_under_any_partition),
        T(test_partitioned__errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
