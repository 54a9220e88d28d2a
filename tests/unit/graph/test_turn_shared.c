/* SPDX-License-Identifier: Apache-2.0 */
/* Products that read one matrix turned: who reads a Transpose instead, and that the bits stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "fuse_rig.h"
#include "pass_fixture.h"

static struct output product(struct graph *g, const char *name, struct output a, struct output b)
{
    struct node_desc *d = node_desc_new(g, "MatMul", name);
    node_desc_input(d, a);
    node_desc_input(d, b);
    node_desc_attr(d, "transpose_b", attr_bool(true));
    return t_out(t_finish(d), 0);
}

static void expect_transposes(int64_t m, int64_t n, int64_t k, int readers, int64_t want)
{
    struct graph *g = graph_new();
    struct output b = p_in(g, "b", DT_FLOAT, 2, (int64_t[]){n, k}), sum = {0};
    for (int i = 0; i < readers; i++) {
        char name[3][16];
        snprintf(name[0], sizeof name[0], "a%d", i);
        snprintf(name[1], sizeof name[1], "y%d", i);
        snprintf(name[2], sizeof name[2], "s%d", i);
        struct output a = p_in(g, name[0], DT_FLOAT, 2, (int64_t[]){m, k});
        struct output y = product(g, name[1], a, b);
        sum = i == 0 ? y : p_op2(g, "Mul", name[2], sum, y);
    }
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 1, sum.node);
    assert_int_equal(p_count(r, "Transpose"), want);
    if (want)
        p_want(r, "y1", "MatMul(a1,b/turned)");
    else
        p_want(r, "y1", "MatMul(a1,b)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_turn_shared__by_number_and_size(void **state)
{
    (void)state;
    expect_transposes(128, 156, 512, 4, 1);
    expect_transposes(128, 156, 512, 3, 0);
    expect_transposes(128, 156, 513, 4, 0);
    expect_transposes(-1, 156, 512, 4, 0);
    expect_transposes(128, 10, 512, 4, 0);
    expect_transposes(1, 156, 512, 4, 0);
}

static TF_Output sized_input(struct rig *r, int64_t rows, int64_t cols)
{
    const int64_t dims[] = {rows, cols};
    TF_Output x = rig_feed(r, dims, 2);
    TF_GraphSetTensorShape(r->g, x, dims, 2, r->st);
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return x;
}

static void test_turn_shared__same_bits(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {
        {96, 96, 96}, {128, 156, 512}, {131, 97, 257}, {200, 112, 384}, {128, 128, 511}};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct rig r = rig_new(TF_FLOAT);
        TF_Output b = sized_input(&r, sizes[i][1], sizes[i][2]), y[5];
        for (int k = 0; k < 5; k++) {
            TF_Output a = sized_input(&r, sizes[i][0], sizes[i][2]);
            char name[16];
            snprintf(name, sizeof name, "y%d", k);
            TF_OperationDescription *d = TF_NewOperation(r.g, "MatMul", name);
            TF_AddInput(d, a);
            TF_AddInput(d, b);
            TF_SetAttrBool(d, "transpose_b", 1);
            y[k] = (TF_Output){TF_FinishOperation(d, r.st), 0};
        }
        TF_Output all = rig_op(&r, "Mul", "m0", 2, y); /* what is fetched stays as it is */
        for (int k = 2; k < 5; k++) {
            char name[16];
            snprintf(name, sizeof name, "m%d", k);
            all = rig_op(&r, "Add", name, 2, (TF_Output[]){all, y[k]});
        }
        assert_int_equal(rig_compare(&r, &all, 1), TF_OK);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turn_shared__by_number_and_size),
        cmocka_unit_test(test_turn_shared__same_bits),
    };
    return cmocka_run_group_tests_name("graph/turn_shared", tests, NULL, NULL);
}
