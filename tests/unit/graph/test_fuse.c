/* SPDX-License-Identifier: Apache-2.0 */
/* Fused elementwise trees against the same graphs with fusion turned off: every bit of the results
 * and every word of the errors, over random trees, shapes and values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "fuse_rig.h"

/* --- random trees --- */

static const char *const unary[] = {"Neg",  "Abs",  "Square", "Exp",        "Tanh",    "Sigmoid",
                                    "Sqrt", "Sign", "Floor",  "Reciprocal", "Log1p",   "Relu",
                                    "Elu",  "Sin",  "Relu6",  "Softsign",   "Softplus"};
static const char *const binary[] = {"Add", "Sub",     "Mul",     "Maximum",           "Minimum",
                                     "Div", "RealDiv", "Pow",     "SquaredDifference", "AddV2",
                                     "Mul", "Sub",     "FloorMod"};

/* Values get their operands from the last few, so that trees are deep and mostly joined. */
static void build_random(struct rig *r, int num_nodes)
{
    TF_Output pool[MAX_FEEDS + MAX_NODES];
    int n = 0;
    for (int i = 0; i < r->num_feeds; i++)
        pool[n++] = r->feeds[i];
    for (int i = 0; i < num_nodes; i++) {
        TF_Output a = i ? pool[n - 1 - (int)rig_pick(2)] : pool[rig_pick((uint32_t)n)];
        TF_Output b = pool[rig_pick((uint32_t)n)];
        if (rig_pick(3) == 0)
            pool[n++] = rig_node(r, unary[rig_pick(ARRAY_LEN(unary))], 1, a, a);
        else
            pool[n++] = rig_node(r, binary[rig_pick(ARRAY_LEN(binary))], 2, rig_pick(2) ? a : b, b);
    }
}

/* Shapes that broadcast with one another: each dim its size or 1, some leading ones left out. */
static void feed_compatible(struct rig *r, const int64_t *dims, int rank, int num)
{
    for (int i = 0; i < num; i++) {
        int64_t d[12];
        int skip = i == 0 ? 0 : (int)rig_pick((uint32_t)rank + 1);
        for (int k = skip; k < rank; k++)
            d[k - skip] = i > 0 && rig_pick(3) == 0 ? 1 : dims[k];
        rig_feed(r, d, rank - skip);
    }
}

static void random_round(int type, const int64_t *dims, int rank, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        struct rig r = rig_new(type);
        feed_compatible(&r, dims, rank, 2 + (int)rig_pick(5));
        build_random(&r, 2 + (int)rig_pick(30));
        TF_Output fetches[2] = {r.nodes[r.num_nodes - 1], r.nodes[rig_pick((uint32_t)r.num_nodes)]};
        assert_int_equal(rig_compare(&r, fetches, 1), TF_OK);
        assert_int_equal(rig_compare(&r, fetches, fetches[1].oper == fetches[0].oper ? 1 : 2),
                         TF_OK);
        rig_free(&r);
    }
}

static void test_fuse_ewise__same_bits_for_any_broadcast(void **state)
{
    (void)state;
    static const struct {
        int rank;
        int64_t dims[12];
    } shapes[] = {{0, {0}},
                  {1, {1}},
                  {1, {7}},
                  {1, {3001}},
                  {2, {37, 300}},
                  {2, {300, 10}},
                  {2, {3, 5000}},
                  {3, {5, 1, 9}},
                  {3, {4, 65, 33}},
                  {3, {2, 0, 3}},
                  {4, {3, 8, 5, 7}},
                  {6, {2, 3, 2, 3, 2, 5}},
                  {9, {2, 1, 2, 2, 1, 2, 2, 2, 3}},
                  {12, {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2}}};
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        random_round(TF_FLOAT, shapes[i].dims, shapes[i].rank, 12);
        random_round(TF_DOUBLE, shapes[i].dims, shapes[i].rank, 6);
    }
}

static void test_fuse_ewise__same_bits_for_big_tensors(void **state)
{
    (void)state;
    random_round(TF_FLOAT, (int64_t[]){3 << 20}, 1, 2);
    random_round(TF_FLOAT, (int64_t[]){3000, 700}, 2, 3);
    random_round(TF_DOUBLE, (int64_t[]){1100000}, 1, 1);
}

static void test_fuse_ewise__a_shape_error_names_the_node(void **state)
{
    (void)state;
    struct rig r = rig_new(TF_FLOAT);
    TF_Output a = rig_feed(&r, (int64_t[]){2, 3}, 2), b = rig_feed(&r, (int64_t[]){4}, 1);
    TF_Output sum =
        rig_node(&r, "Add", 2, rig_node(&r, "Neg", 1, a, a), rig_node(&r, "Exp", 1, b, b));
    TF_Output y = rig_node(&r, "Tanh", 1, sum, sum);
    assert_int_equal(rig_compare(&r, &y, 1), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(r.st), "Incompatible shapes: [2,3] vs. [4]"));
    assert_non_null(strstr(TF_Message(r.st), "{{node n2}}"));
    rig_free(&r);
}

static void test_fuse_ewise__gradients_do_not_broadcast(void **state)
{
    (void)state;
    static const char *const ops[] = {"TanhGrad", "ReluGrad", "SqrtGrad", "EluGrad"};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        struct rig r = rig_new(TF_FLOAT);
        TF_Output a = rig_feed(&r, (int64_t[]){3}, 1), b = rig_feed(&r, (int64_t[]){1}, 1);
        TF_Output bad = rig_node(&r, ops[i], 2, rig_node(&r, "Neg", 1, a, a), b);
        TF_Output y = rig_node(&r, "Exp", 1, bad, bad);
        assert_int_equal(rig_compare(&r, &y, 1), TF_INVALID_ARGUMENT);
        TF_Output good =
            rig_node(&r, ops[i], 2, rig_node(&r, "Neg", 1, a, a), rig_node(&r, "Exp", 1, a, a));
        y = rig_node(&r, "Exp", 1, good, good);
        assert_int_equal(rig_compare(&r, &y, 1), TF_OK);
        rig_free(&r);
    }
}

static void test_fuse_ewise__biases_run_along_the_last_dim(void **state)
{
    (void)state;
    static const struct {
        int rank, bias_rank;
        int64_t dims[4], bias[2];
        TF_Code code;
    } cases[] = {{2, 1, {50, 20}, {20}, TF_OK},
                 {4, 1, {2, 30, 30, 32}, {32}, TF_OK},
                 {2, 1, {5000, 1}, {1}, TF_OK},
                 {2, 1, {1, 1}, {1}, TF_OK},
                 {2, 1, {0, 7}, {7}, TF_OK},
                 {2, 1, {50, 20}, {1}, TF_INVALID_ARGUMENT},
                 {1, 1, {20}, {20}, TF_INVALID_ARGUMENT},
                 {2, 2, {4, 4}, {1, 4}, TF_INVALID_ARGUMENT}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r = rig_new(TF_FLOAT);
        TF_Output x = rig_feed(&r, cases[i].dims, cases[i].rank),
                  b = rig_feed(&r, cases[i].bias, cases[i].bias_rank);
        TF_Output sum =
            rig_node(&r, "BiasAdd", 2, rig_node(&r, "Neg", 1, x, x), rig_node(&r, "Abs", 1, b, b));
        TF_Output y = rig_node(&r, "Relu", 1, sum, sum);
        assert_int_equal(rig_compare(&r, &y, 1), cases[i].code);
        rig_free(&r);
    }
}

static void test_fuse_ewise__clip_does_not_broadcast(void **state)
{
    (void)state;
    static const int64_t dims[][2] = {{5, 4}, {1, 4}, {4, 0}, {1, 0}};
    for (int i = 0; i < 5; i++) {
        struct rig r = rig_new(TF_FLOAT);
        int rank = i == 0 ? 2 : i == 4 ? 0 : i == 1 ? 2 : 1;
        TF_Output x = rig_feed(&r, dims[0], 2), low = rig_feed(&r, dims[i % 4], rank),
                  high = rig_feed(&r, NULL, 0);
        TF_OperationDescription *d = TF_NewOperation(r.g, "ClipByValue", "clip");
        TF_AddInput(d, rig_node(&r, "Exp", 1, x, x));
        TF_AddInput(d, low);
        TF_AddInput(d, high);
        TF_Output clip = {TF_FinishOperation(d, r.st), 0};
        TF_Output y = rig_node(&r, "Neg", 1, clip, clip);
        assert_int_equal(rig_compare(&r, &y, 1), rank == 0 || i == 0 ? TF_OK : TF_INVALID_ARGUMENT);
        rig_free(&r);
    }
}

/* --- products --- */

static TF_Output product(struct rig *r, TF_Output a, TF_Output b, bool ta, bool tb)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "MatMul", "product");
    TF_AddInput(d, a);
    TF_AddInput(d, b);
    TF_SetAttrBool(d, "transpose_a", ta);
    TF_SetAttrBool(d, "transpose_b", tb);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return o;
}

static void test_fuse_epilogue__same_bits(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{3, 5, 7},    {128, 64, 200}, {100, 10, 784},
                                       {1, 300, 40}, {200, 1, 30},   {0, 4, 5},
                                       {4, 5, 0},    {260, 130, 333}};
    static const char *const acts[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "Neg"};
    for (size_t i = 0; i < ARRAY_LEN(sizes) * ARRAY_LEN(acts) * 2; i++) {
        const int64_t *s = sizes[i / 2 % ARRAY_LEN(sizes)];
        struct rig r = rig_new(i % 2 ? TF_DOUBLE : TF_FLOAT);
        bool ta = i & 4, tb = i & 8;
        TF_Output a = rig_feed(&r, ta ? (int64_t[]){s[2], s[0]} : (int64_t[]){s[0], s[2]}, 2);
        TF_Output b = rig_feed(&r, tb ? (int64_t[]){s[1], s[2]} : (int64_t[]){s[2], s[1]}, 2);
        TF_Output bias = rig_feed(&r, (int64_t[]){s[1]}, 1);
        TF_Output sum = rig_node(&r, "BiasAdd", 2, product(&r, a, b, ta, tb), bias);
        TF_Output y = rig_node(&r, acts[i / 2 / ARRAY_LEN(sizes)], 1, sum, sum);
        assert_int_equal(rig_compare(&r, &sum, 1), TF_OK);
        assert_int_equal(rig_compare(&r, &y, 1), TF_OK);
        rig_free(&r);
    }
}

static void test_fuse_epilogue__errors_name_the_node(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct rig r = rig_new(TF_FLOAT);
        TF_Output a = rig_feed(&r, (int64_t[]){4, i == 0 ? 2 : 3}, 2),
                  b = rig_feed(&r, (int64_t[]){3, 5}, 2);
        TF_Output bias = rig_feed(&r, (int64_t[]){i == 1 ? 1 : 5, 1}, i == 2 ? 2 : 1);
        TF_Output sum = rig_node(&r, "BiasAdd", 2, product(&r, a, b, false, false), bias);
        TF_Output y = rig_node(&r, "Relu", 1, sum, sum);
        assert_int_equal(rig_compare(&r, &y, 1), TF_INVALID_ARGUMENT);
        assert_non_null(strstr(TF_Message(r.st), i == 0 ? "{{node product}}" : "{{node n0}}"));
        rig_free(&r);
    }
}

/* Results in between that are fetched, or read twice outside, stay. */
static void test_fuse_ewise__results_in_between_can_be_fetched(void **state)
{
    (void)state;
    struct rig r = rig_new(TF_FLOAT);
    TF_Output a = rig_feed(&r, (int64_t[]){50, 20}, 2), b = rig_feed(&r, (int64_t[]){20}, 1);
    TF_Output x = rig_node(&r, "Mul", 2, a, b), y = rig_node(&r, "Exp", 1, x, x);
    TF_Output z = rig_node(&r, "Sub", 2, rig_node(&r, "Mul", 2, y, y), x);
    TF_Output all[] = {z, x, y};
    assert_int_equal(rig_compare(&r, all, 3), TF_OK);
    assert_int_equal(rig_compare(&r, all, 2), TF_OK);
    assert_int_equal(rig_compare(&r, all, 1), TF_OK);
    rig_free(&r);
}

/* In a frame of a loop the dataflow executor runs the fused node once an iteration. */
static TF_Output loop_op(struct rig *r, const char *op, const char *name, int n, TF_Output *in)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, op, name);
    for (int i = 0; i < n; i++)
        TF_AddInput(d, in[i]);
    if (strcmp(op, "Enter") == 0)
        TF_SetAttrString(d, "frame_name", "loop", 4);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return o;
}

static void test_fuse_ewise__works_under_switch(void **state)
{
    (void)state;
    struct rig r = rig_new(TF_FLOAT);
    TF_Output a = rig_feed(&r, (int64_t[]){40}, 1), one = rig_feed(&r, NULL, 0),
              two = rig_feed(&r, NULL, 0);
    TF_Output less = loop_op(&r, "Less", "less", 2, (TF_Output[]){one, two});
    TF_Output sw = loop_op(&r, "Switch", "switch", 2, (TF_Output[]){a, less});
    TF_Output no = sw, yes = {sw.oper, 1};
    TF_Output left = rig_node(&r, "Exp", 1, rig_node(&r, "Neg", 1, no, no), no);
    TF_Output right = rig_node(&r, "Mul", 2, rig_node(&r, "Tanh", 1, yes, yes), yes);
    TF_Output m;
    TF_OperationDescription *d = TF_NewOperation(r.g, "Merge", "merge");
    TF_AddInputList(d, (TF_Output[]){left, right}, 2);
    m = (TF_Output){TF_FinishOperation(d, r.st), 0};
    TF_Output y = rig_node(&r, "Neg", 1, rig_node(&r, "Square", 1, m, m), m);
    for (int i = 0; i < 2; i++) {
        *(float *)TF_TensorData(r.values[1]) = (float)i;
        *(float *)TF_TensorData(r.values[2]) = 0.5f;
        assert_int_equal(rig_compare(&r, &y, 1), TF_OK);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fuse_ewise__same_bits_for_any_broadcast),
        cmocka_unit_test(test_fuse_ewise__same_bits_for_big_tensors),
        cmocka_unit_test(test_fuse_ewise__a_shape_error_names_the_node),
        cmocka_unit_test(test_fuse_ewise__gradients_do_not_broadcast),
        cmocka_unit_test(test_fuse_ewise__biases_run_along_the_last_dim),
        cmocka_unit_test(test_fuse_ewise__clip_does_not_broadcast),
        cmocka_unit_test(test_fuse_epilogue__same_bits),
        cmocka_unit_test(test_fuse_epilogue__errors_name_the_node),
        cmocka_unit_test(test_fuse_ewise__results_in_between_can_be_fetched),
        cmocka_unit_test(test_fuse_ewise__works_under_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
