/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 120 */
/* graph_options.enable_bfloat16_sendrecv: floats between tasks lose their low bits, cut off, once
 * per crossing; all else is whole, loops and dead branches work. Skipped, counted, without gRPC. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/dist/cluster.h"

#define NARROW "graph_options { enable_bfloat16_sendrecv: true }"
#define PS "device: '/job:ps/task:0' "
#define WORKER "device: '/job:worker/task:0' "
#define T(type) "attr { key: 'T' value { type: " type " } } "
#define NODE(name, op, rest) "node { name: '" name "' op: '" op "' " rest "} "
#define CONST(name, type, value)                                                                   \
    NODE(name, "Const",                                                                            \
         PS "attr { key: 'dtype' value { type: " type " } } "                                      \
            "attr { key: 'value' value { tensor { dtype: " type " tensor_shape { } " value         \
            " } } } ")
#define FEED(name) NODE(name, "Placeholder", PS "attr { key: 'dtype' value { type: DT_FLOAT } } ")

static struct cluster c;

static int set_up(void **state)
{
    static const char *const jobs[] = {"ps", "worker"};
    *state = cluster_start(&c, jobs, 2) ? &c : NULL;
    return 0;
}

static int tear_down(void **state)
{
    if (*state)
        cluster_stop(&c);
    return 0;
}

static double fetch(int master, const char *graph, const char *config, const char *what, float fed)
{
    struct status st = {0};
    struct tensor t = {0};
    struct client_feed f = client_feed_float("x:0", fed);
    char *session = client_session(&c, master, graph, config);
    const struct client_run r = {.session = session, .feeds = &f, .num_feeds = 1, .fetches = what};
    client_must(client_run(&c, master, &r, &t, &st), &st);
    double v = t.dtype == DT_DOUBLE ? *(const double *)t.data : 0;
    if (t.dtype == DT_INT64)
        v = (double)*(const int64_t *)t.data;
    else if (t.dtype == DT_FLOAT)
        v = (double)tensor_f32(&t)[0];
    tensor_clear(&t);
    tensor_clear(&f.value);
    client_close(&c, master, session);
    mem_free(session);
    return v;
}

static void test_bfloat16__cut_off_between_tasks(void **state)
{
    static const char graph[] =
        FEED("x") NODE("y", "Abs", PS "input: 'x' " T("DT_FLOAT")) /* a feed goes to both tasks */
        NODE("here", "Neg", PS "input: 'y' " T("DT_FLOAT"))
            NODE("there", "Neg", WORKER "input: 'y' " T("DT_FLOAT"))
                NODE("back", "Neg", PS "input: 'there' " T("DT_FLOAT"));
    if (!*state)
        skip();
    for (int master = 0; master < 2; master++) {
        assert_true(fetch(master, graph, "", "back:0", 1.00781f) == (double)1.00781f);
        assert_true(fetch(master, graph, NARROW, "here:0", 1.00781f) == (double)-1.00781f);
        assert_true(fetch(master, graph, NARROW, "there:0", 1.00781f) == -1.0); /* not rounded */
        assert_true(fetch(master, graph, NARROW, "back:0", 1.5f) == 1.5);
        assert_true(isinf(fetch(master, graph, NARROW, "back:0", INFINITY)));
        assert_true(isnan(fetch(master, graph, NARROW, "back:0", NAN)));
    }
}

static void test_bfloat16__other_types_are_whole(void **state)
{
    static const char graph[] = FEED("x") CONST("d", "DT_DOUBLE", "double_val: 1.0078125001")
        NODE("dn", "Neg", WORKER "input: 'd' " T("DT_DOUBLE"))
            CONST("i", "DT_INT64", "int64_val: 16777217")
                NODE("in", "Neg", WORKER "input: 'i' " T("DT_INT64"));
    if (!*state)
        skip();
    assert_true(fetch(0, graph, NARROW, "dn:0", 0) == -1.0078125001);
    assert_true(fetch(0, graph, NARROW, "in:0", 0) == -16777217.0);
}

/* The branch that is not taken is dead on the other task, with and without the option. */
static void test_bfloat16__dead_values(void **state)
{
    static const char graph[] = FEED("x") CONST("zero", "DT_FLOAT", "float_val: 0")
        NODE("p", "Greater", PS "input: 'x' input: 'zero' " T("DT_FLOAT"))
            NODE("s", "Switch", PS "input: 'x' input: 'p' " T("DT_FLOAT"))
                NODE("no", "Neg", WORKER "input: 's' " T("DT_FLOAT"))
                    NODE("yes", "Identity", WORKER "input: 's:1' " T("DT_FLOAT"))
                        NODE("m", "Merge",
                             WORKER "input: 'no' input: 'yes' " T(
                                 "DT_FLOAT") "attr { key: 'N' value { i: 2 } } ");
    if (!*state)
        skip();
    assert_true(fetch(1, graph, NARROW, "m:0", 2.00781f) == 2.0);
    assert_true(fetch(1, graph, NARROW, "m:0", -3) == 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bfloat16__cut_off_between_tasks),
        cmocka_unit_test(test_bfloat16__other_types_are_whole),
        cmocka_unit_test(test_bfloat16__dead_values),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
