/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of pooling and Relu in one node against the same graphs with fusion turned off:
 * every bit of the results, every word of the errors; and which nodes join. */
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

struct pool_case {
    int64_t n, h, w, c, window, stride;
    const char *padding;
};

static TF_Output pool_op(struct rig *r, const char *op, const struct pool_case *p, bool nchw,
                         const TF_Output *in, int num_in)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, op, op);
    const int64_t size[4] = {1, nchw ? 1 : p->window, p->window, nchw ? p->window : 1};
    const int64_t step[4] = {1, nchw ? 1 : p->stride, p->stride, nchw ? p->stride : 1};
    for (int i = 0; i < num_in; i++)
        TF_AddInput(d, in[i]);
    TF_SetAttrIntList(d, "ksize", size, 4);
    TF_SetAttrIntList(d, "strides", step, 4);
    TF_SetAttrString(d, "padding", p->padding, strlen(p->padding));
    TF_SetAttrString(d, "data_format", nchw ? "NCHW" : "NHWC", 4);
    const TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return o;
}

/* plain: what is pooled need not come from a Relu for the node to be right. */
static void check(const struct pool_case *p, int type, bool nchw, bool plain)
{
    struct rig r = rig_new(type);
    const TF_Output x = rig_feed(
        &r, nchw ? (int64_t[]){p->n, p->c, p->h, p->w} : (int64_t[]){p->n, p->h, p->w, p->c}, 4);
    const TF_Output given = plain ? x : rig_node(&r, "Relu", 1, x, x);
    const TF_Output pooled = pool_op(&r, "MaxPool", p, nchw, &given, 1);
    const TF_Output twice = rig_node(&r, "Exp", 1, pooled, pooled);
    const TF_Output dy = rig_node(&r, "Sub", 2, pooled, twice);
    const TF_Output moved =
        pool_op(&r, "MaxPoolGrad", p, nchw, (TF_Output[]){given, pooled, dy}, 3);
    const TF_Output y = rig_node(&r, "ReluGrad", 2, moved, given);
    assert_int_equal(rig_compare(&r, &y, 1), TF_OK);
    assert_int_equal(rig_compare(&r, (TF_Output[]){y, moved}, 2), TF_OK);
    rig_free(&r);
}

static void test_fuse_pool__same_bits(void **state)
{
    (void)state;
    static const struct pool_case cases[] = {
        {3, 8, 8, 32, 2, 2, "SAME"},  {2, 7, 9, 20, 2, 2, "SAME"},   {2, 7, 9, 5, 2, 2, "VALID"},
        {2, 9, 9, 17, 3, 2, "SAME"},  {2, 6, 6, 150, 3, 3, "VALID"}, {1, 12, 12, 64, 5, 5, "SAME"},
        {2, 11, 5, 8, 4, 1, "VALID"}, {0, 4, 4, 3, 2, 2, "SAME"},    {1, 1, 1, 1, 2, 2, "SAME"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases) * 8; i++) {
        /* on a CPU pooling of doubles and of the other layout goes through the nodes themselves */
        const size_t way = i / ARRAY_LEN(cases);
        check(&cases[i % ARRAY_LEN(cases)], way & 2 ? TF_DOUBLE : TF_FLOAT, way & 4, way & 1);
    }
}

static void test_fuse_pool__errors_name_the_node(void **state)
{
    (void)state;
    struct rig r = rig_new(TF_FLOAT);
    const struct pool_case p = {1, 4, 4, 3, 2, 2, "SAME"};
    const TF_Output x = rig_feed(&r, (int64_t[]){1, 4, 4, 3}, 4);
    const TF_Output wrong = rig_feed(&r, (int64_t[]){1, 3, 2, 3}, 4);
    const TF_Output moved =
        pool_op(&r, "MaxPoolGrad", &p, false, (TF_Output[]){x, wrong, wrong}, 3);
    const TF_Output y = rig_node(&r, "ReluGrad", 2, moved, x);
    assert_int_equal(rig_compare(&r, &y, 1), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(r.st), "{{node MaxPoolGrad}}"));
    rig_free(&r);
}

static struct output moved_in(struct graph *g, const char *name, struct output x, struct output dy)
{
    struct node_desc *d = node_desc_new(g, "MaxPoolGrad", name);
    node_desc_input(d, x);
    node_desc_input(d, dy);
    node_desc_input(d, dy);
    node_desc_attr(d, "ksize", attr_list(ATTR_INT, (int64_t[]){1, 2, 2, 1}, 4));
    node_desc_attr(d, "strides", attr_list(ATTR_INT, (int64_t[]){1, 2, 2, 1}, 4));
    node_desc_attr(d, "padding", attr_string(str_of("SAME")));
    return t_out(t_finish(d), 0);
}

static void test_fuse_pool__joins_the_relu_that_was_pooled(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    const int64_t dims[] = {2, 4, 4, 8}, halves[] = {2, 2, 2, 8};
    struct output x = p_in(g, "x", DT_FLOAT, 4, dims), z = p_in(g, "z", DT_FLOAT, 4, dims);
    struct output dy = p_in(g, "dy", DT_FLOAT, 4, halves);
    struct output a = moved_in(g, "a", x, dy), b = moved_in(g, "b", x, dy);
    struct output c = moved_in(g, "c", x, dy);
    struct output joined = p_op2(g, "ReluGrad", "joined", a, x);
    struct output other = p_op2(g, "ReluGrad", "other", b, z); /* another Relu's */
    struct output read = p_op2(g, "ReluGrad", "read", c, x);   /* c is fetched */
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 4, joined.node, other.node,
                             read.node, c.node);
    p_want(r, "joined", "_MaxPoolReluGrad(x,dy,dy)");
    p_want(r, "other", "ReluGrad(b,z)");
    p_want(r, "read", "ReluGrad(c,x)");
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fuse_pool__same_bits),
        cmocka_unit_test(test_fuse_pool__errors_name_the_node),
        cmocka_unit_test(test_fuse_pool__joins_the_relu_that_was_pooled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
