/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and parts of products against the same graphs with fusion turned off: every bit of the
 * results; for parts every word of the errors as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "fuse_rig.h"

static TF_Output product(struct rig *r, const char *name, TF_Output a, TF_Output b, bool ta,
                         bool tb)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "MatMul", name);
    TF_AddInput(d, a);
    TF_AddInput(d, b);
    TF_SetAttrBool(d, "transpose_a", ta);
    TF_SetAttrBool(d, "transpose_b", tb);
    TF_Output out = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return out;
}

static TF_Output sum(struct rig *r, const TF_Output *in, int n)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "AddN", "sum");
    TF_AddInputList(d, in, n);
    TF_Output out = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return out;
}

/* Products of m x n, of differing k, some of whose first factors are used twice. */
static void check_sum(int type, int64_t m, int64_t n, bool ta, bool tb, bool starts_plain)
{
    enum { NUM = 4 };
    static const int64_t ks[NUM] = {5, 128, 300, 0};
    struct rig r = rig_new(type);
    TF_Output in[NUM + 1];
    int num = 0;
    if (starts_plain)
        in[num++] = rig_feed(&r, (int64_t[]){m, n}, 2);
    for (int i = 0; i < NUM; i++) {
        const TF_Output a = rig_feed(&r, ta ? (int64_t[]){ks[i], m} : (int64_t[]){m, ks[i]}, 2);
        const TF_Output b = rig_feed(&r, tb ? (int64_t[]){n, ks[i]} : (int64_t[]){ks[i], n}, 2);
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        in[num++] = product(&r, name, a, b, ta, tb);
    }
    const TF_Output all = sum(&r, in, num);
    const TF_Output twice = rig_node(&r, "Add", 2, all, in[0]);
    assert_int_equal(rig_compare(&r, &all, 1), TF_OK);
    assert_int_equal(rig_compare(&r, (TF_Output[]){twice, all}, 2), TF_OK);
    assert_int_equal(rig_compare(&r, (TF_Output[]){all, in[2]}, 2), TF_OK);
    rig_free(&r);
}

static void test_fuse_products__sums_have_the_bits_of_add_n(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{40, 30}, {156, 130}, {1, 9}, {50, 10}, {0, 3}};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
        for (int v = 0; v < 8; v++)
            check_sum(v & 4 ? TF_DOUBLE : TF_FLOAT, sizes[s][0], sizes[s][1], v & 1, v & 2, s & 1);
}

static TF_Code check_part(int64_t m, int64_t n, int64_t k, const int32_t *begin,
                          const int32_t *size, int trans)
{
    struct rig r = rig_new(trans & 4 ? TF_DOUBLE : TF_FLOAT);
    const bool ta = trans & 1, tb = trans & 2;
    const TF_Output a = rig_feed(&r, ta ? (int64_t[]){k, m} : (int64_t[]){m, k}, 2);
    const TF_Output b = rig_feed(&r, tb ? (int64_t[]){n, k} : (int64_t[]){k, n}, 2);
    const TF_Output in[] = {product(&r, "whole", a, b, ta, tb), rig_ints(&r, "begin", 2, begin),
                            rig_ints(&r, "size", 2, size)};
    const TF_Output part = rig_op(&r, "Slice", "part", 3, in);
    const TF_Code code = rig_compare(&r, &part, 1);
    rig_free(&r);
    return code;
}

static void test_fuse_products__parts_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    static const struct {
        int64_t m, n, k;
        int32_t begin[2], size[2];
    } rows[] = {{128, 156, 512, {0, 28}, {128, 128}}, {128, 156, 100, {0, 0}, {128, 28}},
                {60, 70, 33, {3, 17}, {-1, -1}},      {128, 40, 256, {0, 30}, {128, 10}},
                {20, 30, 5, {20, 0}, {0, 30}},        {20, 30, 5, {19, 29}, {1, 1}},
                {20, 30, 0, {1, 2}, {18, 20}}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int trans = 0; trans < 8; trans++)
            assert_int_equal(
                check_part(rows[i].m, rows[i].n, rows[i].k, rows[i].begin, rows[i].size, trans),
                TF_OK);
}

/* The sizes are fed, so that the graph itself is in order. */
static void test_fuse_products__a_part_outside_fails_as_slice_does(void **state)
{
    (void)state;
    static const int32_t begins[][2] = {{0, 41}, {-1, 0}, {5, 5}},
                         sizes[][2] = {{20, 1}, {20, 20}, {16, -2}};
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        struct rig r = rig_new(TF_FLOAT);
        const TF_Output a = rig_feed(&r, (int64_t[]){20, 30}, 2);
        const TF_Output b = rig_feed(&r, (int64_t[]){30, 40}, 2);
        TF_Output in[3] = {product(&r, "whole", a, b, false, false)};
        for (int k = 0; k < 2; k++) {
            TF_OperationDescription *d = TF_NewOperation(r.g, "Placeholder", k ? "size" : "begin");
            TF_SetAttrType(d, "dtype", TF_INT32);
            in[1 + k] = (TF_Output){TF_FinishOperation(d, r.st), 0};
            TF_Tensor *t = TF_AllocateTensor(TF_INT32, (int64_t[]){2}, 1, 8);
            memcpy(TF_TensorData(t), k ? sizes[i] : begins[i], 8);
            r.feeds[r.num_feeds] = in[1 + k];
            r.values[r.num_feeds++] = t;
        }
        const TF_Output part = rig_op(&r, "Slice", "part", 3, in);
        assert_int_equal(rig_compare(&r, &part, 1), TF_INVALID_ARGUMENT);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fuse_products__sums_have_the_bits_of_add_n),
        cmocka_unit_test(test_fuse_products__parts_have_the_bits_of_the_whole),
        cmocka_unit_test(test_fuse_products__a_part_outside_fails_as_slice_does),
    };
    return cmocka_run_group_tests_name("graph/fuse_products", tests, NULL, NULL);
}
