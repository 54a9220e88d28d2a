/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 240 */
/* Clusters from outside: the examples under `leat cluster`, its exit codes, `leat cluster check`, a
 * ps that ends by itself. Skipped where there is no gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program.h"

/* Whether servers can be made here. */
static void need_grpc(void)
{
    leat("cluster check --cluster ps=127.0.0.1:1 --timeout 0.1");
    if (strstr(program_output, "gRPC"))
        skip();
}

/* The command on a cluster; EXAMPLE in it is the examples' folder. */
static int cluster(const char *options, const char *command)
{
    char words[1500], path[400];
    snprintf(path, sizeof path, "%s", program_path("../examples"));
    snprintf(words, sizeof words, "cluster %s -- env E=%s LEAT=%s sh -c '%s'", options, path,
             program_path("../bin/leat"), command);
    return leat(words);
}

static void test_cluster__two_ps(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 2 --workers 1 --client", "$E/two_ps"), 0);
    program_says("[client] loss after 500 steps: 0.0");
    program_says("[ps:1] /job:ps/replica:0/task:1 serves at grpc://localhost:");
}

static void test_cluster__in_graph(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 1 --workers 2 --client", "$E/in_graph 2"), 0);
    program_says("[client] w = 3.00, b = 1.0");
}

static void test_cluster__between_graph(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 1 --workers 3", "$E/between_graph"), 0);
    program_says("after my 100 steps: 300"); /* whoever was last saw all */
}

/* It ends when the ps does, by itself. */
static void test_cluster__with_a_standby(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 1 --workers 2 --standby", "$E/between_graph"), 0);
    program_says("after my 100 steps: 200");
    program_says("[standby:0] /job:ps/replica:0/task:0 serves at grpc://localhost:");
}

static void test_cluster__word2vec_under_a_supervisor(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 1 --workers 2",
                             "f=$(mktemp) && yes one two three four five six | head -n 50 >$f && "
                             "$E/word2vec_ps $f 40; r=$?; rm -f $f; exit $r"),
                     0);
    program_says("steps of mine of 40, loss");
}

static void test_cluster__first_failure_decides(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 1 --workers 1 --client", "exit 7"), 7);
    program_says("[client] ended with 7");
    assert_int_equal(cluster("--ps 1 --workers 1 --client", "kill -9 $$"), 137);
}

static void test_cluster__check(void **state)
{
    (void)state;
    need_grpc();
    assert_int_equal(cluster("--ps 1 --workers 2 --client", "$LEAT cluster check"), 0);
    program_says("[client] worker:1 at 127.0.0.1:");
    program_says("reaches all 3 tasks");
    assert_int_equal(leat("cluster check --cluster ps=127.0.0.1:1 --timeout 3"), 1);
    program_says("ps:0 at 127.0.0.1:1: ");
    program_says("connection refused");
}

static void test_cluster__words(void **state)
{
    (void)state;
    assert_int_equal(leat("cluster --ps 1"), 2);
    program_says("after --");
    assert_int_equal(leat("cluster --ps x -- true"), 2);
    assert_int_equal(leat("cluster --workers 0 -- true"), 2);
    assert_int_equal(leat("serve --job"), 2);
    assert_int_equal(leat("serve --job ps --cluster worker=127.0.0.1:0"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cluster__two_ps),
        cmocka_unit_test(test_cluster__in_graph),
        cmocka_unit_test(test_cluster__between_graph),
        cmocka_unit_test(test_cluster__with_a_standby),
        cmocka_unit_test(test_cluster__word2vec_under_a_supervisor),
        cmocka_unit_test(test_cluster__first_failure_decides),
        cmocka_unit_test(test_cluster__check),
        cmocka_unit_test(test_cluster__words),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
