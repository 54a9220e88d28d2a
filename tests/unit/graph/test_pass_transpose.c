/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes that cancel, join, or move into a matrix product. */
#include "pass_fixture.h"

static const struct pass_options on = {.arithmetic = true};

static struct output transpose(struct graph *g, const char *op, const char *name, struct output x,
                               int n, const int *perm)
{
    char p[64];
    snprintf(p, sizeof p, "%s_perm", name);
    return p_op2(g, op, name, x, p_ints(g, p, n, perm));
}

static void test_transpose__pairs(void **state UNUSED)
{
    int there[] = {1, 2, 0}, back[] = {2, 0, 1}, none[] = {0, 1, 2};
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 3, (int64_t[]){-1, 3, 4});
    struct output y = transpose(g, "Transpose", "y", x, 3, there);
    struct output z = transpose(g, "Transpose", "z", y, 3, back);
    struct output w = transpose(g, "Transpose", "w", y, 3, there);
    struct output v = transpose(g, "Transpose", "v", x, 3, none);
    struct rgraph *r = p_run(g, on, 3, p_op1(g, "Exp", "ez", z).node, p_op1(g, "Exp", "ew", w).node,
                             p_op1(g, "Exp", "ev", v).node);
    p_want(r, "ez", "Exp(x)");
    p_want(r, "ev", "Exp(x)");
    p_want(r, "ew", "Exp(w)");
    p_want(r, "w", "Transpose(x,w/perm)");
    p_want(r, "y", NULL);
    int64_t perm[3];
    int n;
    assert_true(redge_ints(p_find(r, "w")->inputs[1], perm, 3, &n));
    assert_true(perm[0] == 2 && perm[1] == 0 && perm[2] == 1);
    rgraph_free(r);
    graph_unref(g);
}

static void test_transpose__unknown_ranks_and_bad_permutations_stay(void **state UNUSED)
{
    int swap[] = {1, 0};
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, -1, NULL);
    struct output y = transpose(g, "Transpose", "y", x, 2, swap);
    struct output z = transpose(g, "Transpose", "z", y, 2, swap);
    struct rgraph *r = p_run(g, on, 1, p_op1(g, "Exp", "e", z).node);
    p_want(r, "z", "Transpose(y,z_perm)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_transpose__conjugated(void **state UNUSED)
{
    int swap[] = {1, 0};
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_COMPLEX64, 2, (int64_t[]){2, 3});
    struct output y = transpose(g, "ConjugateTranspose", "y", x, 2, swap);
    struct output z = transpose(g, "ConjugateTranspose", "z", y, 2, swap);
    struct output w = transpose(g, "Transpose", "w", y, 2, swap);
    struct rgraph *r =
        p_run(g, on, 2, p_op1(g, "Exp", "ez", z).node, p_op1(g, "Exp", "ew", w).node);
    p_want(r, "ez", "Exp(x)");
    p_want(r, "w", "Transpose(y,w_perm)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_transpose__into_products(void **state UNUSED)
{
    int swap[] = {1, 0}, last[] = {0, 2, 1};
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){2, 3});
    struct output t = transpose(g, "Transpose", "t", x, 2, swap);
    struct output m = p_op2(g, "MatMul", "m", t, x);
    struct output b = p_in(g, "b", DT_FLOAT, 3, (int64_t[]){5, 2, 3});
    struct output bt = transpose(g, "Transpose", "bt", b, 3, last);
    struct output n = p_op2(g, "BatchMatMul", "n", b, bt);
    struct output kept = p_op2(g, "MatMul", "kept", x, t);
    struct rgraph *r = p_run(g, on, 4, p_op1(g, "Exp", "em", m).node, p_op1(g, "Exp", "en", n).node,
                             kept.node, p_op1(g, "Identity", "ek", kept).node);
    p_want(r, "m", "MatMul(x,x)");
    assert_true(attrs_bool(p_find(r, "m")->attrs, "transpose_a"));
    assert_false(attrs_bool(p_find(r, "m")->attrs, "transpose_b"));
    assert_false(attrs_bool(&m.node->attrs, "transpose_a"));
    p_want(r, "n", "BatchMatMul(b,b)");
    assert_true(attrs_bool(p_find(r, "n")->attrs, "adj_y"));
    p_want(r, "kept", "MatMul(x,t)");
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose__pairs),
        cmocka_unit_test(test_transpose__unknown_ranks_and_bad_permutations_stay),
        cmocka_unit_test(test_transpose__conjugated),
        cmocka_unit_test(test_transpose__into_products),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
