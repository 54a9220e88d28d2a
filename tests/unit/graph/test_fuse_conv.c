/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with a vector and an activation in one node against the same graphs with fusion
 * turned off: every bit of the results and every word of the errors. */
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

struct conv {
    int64_t n, h, w, c, fh, fw, out, stride_h, stride_w, dilation_h, dilation_w;
    const char *padding;
    bool nchw;
};

static void set_four(TF_OperationDescription *d, const char *name, bool nchw, int64_t h, int64_t w)
{
    const int64_t v[4] = {1, nchw ? 1 : h, nchw ? h : w, nchw ? w : 1};
    TF_SetAttrIntList(d, name, v, 4);
}

static void set_text(TF_OperationDescription *d, const char *name, const char *text)
{
    TF_SetAttrString(d, name, text, strlen(text));
}

static TF_Output convolve(struct rig *r, const struct conv *c, TF_Output x, TF_Output f)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "Conv2D", "convolution");
    TF_AddInput(d, x);
    TF_AddInput(d, f);
    set_four(d, "strides", c->nchw, c->stride_h, c->stride_w);
    set_four(d, "dilations", c->nchw, c->dilation_h, c->dilation_w);
    set_text(d, "data_format", c->nchw ? "NCHW" : "NHWC");
    set_text(d, "padding", c->padding);
    if (strcmp(c->padding, "EXPLICIT") == 0) {
        const int64_t nhwc[8] = {0, 0, 1, 2, 0, 3, 0, 0}, nchw[8] = {0, 0, 0, 0, 1, 2, 0, 3};
        TF_SetAttrIntList(d, "explicit_paddings", c->nchw ? nchw : nhwc, 8);
    }
    const TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return o;
}

static TF_Output add_bias(struct rig *r, bool nchw, TF_Output x, TF_Output b)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "BiasAdd", "sum");
    TF_AddInput(d, x);
    TF_AddInput(d, b);
    set_text(d, "data_format", nchw ? "NCHW" : "NHWC");
    const TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return o;
}

/* The whole layer, and what it gives before the activation, both ways. */
static TF_Code check(struct rig *r, const struct conv *c, const char *act)
{
    const TF_Output x = rig_feed(
        r, c->nchw ? (int64_t[]){c->n, c->c, c->h, c->w} : (int64_t[]){c->n, c->h, c->w, c->c}, 4);
    const TF_Output f = rig_feed(r, (int64_t[]){c->fh, c->fw, c->c, c->out}, 4);
    const TF_Output b = rig_feed(r, &c->out, 1);
    const TF_Output sum = add_bias(r, c->nchw, convolve(r, c, x, f), b);
    const TF_Output y = rig_node(r, act, 1, sum, sum);
    assert_int_equal(rig_compare(r, &sum, 1), TF_OK);
    return rig_compare(r, &y, 1);
}

/* Shapes that every way to convolve gets some of: direct loops, oneDNN, products, the fast way. */
static const struct conv shapes[] = {
    {4, 14, 14, 8, 5, 5, 32, 1, 1, 1, 1, "SAME", 0},
    {3, 9, 11, 3, 3, 3, 17, 2, 1, 1, 1, "VALID", 0},
    {2, 12, 10, 40, 1, 1, 24, 1, 1, 1, 1, "VALID", 0},
    {2, 13, 9, 5, 3, 2, 4, 1, 2, 2, 2, "SAME", 0},
    {1, 6, 6, 150, 3, 3, 160, 1, 1, 1, 1, "EXPLICIT", 0},
    {5, 20, 16, 1, 3, 16, 9, 1, 1, 1, 1, "VALID", 0},
    {9, 12, 11, 16, 3, 3, 32, 1, 1, 1, 1, "SAME", 0},
    {7, 6, 9, 32, 5, 5, 16, 1, 1, 1, 1, "VALID", 0},
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "SAME", 0},
    {0, 4, 4, 3, 3, 3, 8, 1, 1, 1, 1, "SAME", 0},
    {2, 4, 4, 0, 3, 3, 8, 1, 1, 1, 1, "SAME", 0},
    {2, 4, 4, 3, 3, 3, 0, 1, 1, 1, 1, "SAME", 0},
    {2, 2, 4, 3, 3, 3, 8, 1, 1, 1, 1, "VALID", 0},
};

static void test_fuse_conv__same_bits(void **state)
{
    (void)state;
    static const char *const acts[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "Neg"};
    const size_t num = ARRAY_LEN(shapes) * ARRAY_LEN(acts);
    for (size_t i = 0; i < num * 8; i++) {
        struct conv c = shapes[i % ARRAY_LEN(shapes)];
        const size_t way = i / num;
        c.nchw = way & 1;
        struct rig r = rig_new(way & 2 ? TF_DOUBLE : TF_FLOAT);
        r.tame = way & 4;
        assert_int_equal(check(&r, &c, acts[i / ARRAY_LEN(shapes) % ARRAY_LEN(acts)]), TF_OK);
        rig_free(&r);
    }
}

static void test_fuse_conv__errors_name_the_node(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct rig r = rig_new(TF_FLOAT);
        const struct conv c = {1, 8, 8, 3, 3, 3, 8, 1, 1, 1, 1, "VALID", false};
        const TF_Output x = rig_feed(&r, (int64_t[]){1, i == 3 ? 1 : 8, 8, i == 0 ? 2 : 3}, 4);
        const TF_Output f = rig_feed(&r, (int64_t[]){3, 3, 3, 8}, 4);
        const TF_Output b = rig_feed(&r, (int64_t[]){i == 1 ? 1 : 8, 1}, i == 2 ? 2 : 1);
        const TF_Output sum = add_bias(&r, false, convolve(&r, &c, x, f), b);
        const TF_Output y = rig_node(&r, "Relu", 1, sum, sum);
        assert_int_equal(rig_compare(&r, &y, 1), TF_INVALID_ARGUMENT);
        const bool of_conv = i == 0 || i == 3;
        assert_non_null(
            strstr(TF_Message(r.st), of_conv ? "{{node convolution}}" : "{{node sum}}"));
        rig_free(&r);
    }
}

/* --- what the pass makes --- */

static void set_attrs(struct node_desc *d, const char *format)
{
    node_desc_attr(d, "strides", attr_list(ATTR_INT, (int64_t[]){1, 1, 1, 1}, 4));
    node_desc_attr(d, "padding", attr_string(str_of("SAME")));
    node_desc_attr(d, "data_format", attr_string(str_of(format)));
}

static struct output conv_in(struct graph *g, const char *name, const char *format)
{
    char names[2][16];
    snprintf(names[0], sizeof names[0], "x_%s", name);
    snprintf(names[1], sizeof names[1], "f_%s", name);
    struct output x = p_in(g, names[0], DT_FLOAT, 4, (int64_t[]){-1, 8, 8, 8});
    struct output f = p_in(g, names[1], DT_FLOAT, 4, (int64_t[]){3, 3, 8, 8});
    struct node_desc *d = node_desc_new(g, "Conv2D", name);
    node_desc_input(d, x);
    node_desc_input(d, f);
    set_attrs(d, format);
    return t_out(t_finish(d), 0);
}

static struct output bias_in(struct graph *g, const char *name, struct output x, struct output v,
                             const char *format)
{
    struct node_desc *d = node_desc_new(g, "BiasAdd", name);
    node_desc_input(d, x);
    node_desc_input(d, v);
    node_desc_attr(d, "data_format", attr_string(str_of(format)));
    return t_out(t_finish(d), 0);
}

/* Which layouts of the two join; and Add of a vector, where it goes along the channels. */
static void test_fuse_conv__layouts_must_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const char *conv = i & 1 ? "NCHW" : "NHWC", *bias = i & 2 ? "NCHW" : "NHWC";
        struct graph *g = graph_new();
        struct output v = p_in(g, "v", DT_FLOAT, 1, (int64_t[]){8}), c = conv_in(g, "c", conv);
        struct output s = i < 4 ? bias_in(g, "s", c, v, bias) : p_op2(g, "Add", "s", v, c);
        struct output y = p_op1(g, "Relu", "y", s);
        struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 1, y.node);
        assert_int_equal(p_count(r, "_FusedConv2D"), i < 4 ? strcmp(conv, bias) == 0 : i == 4);
        assert_int_equal(p_count(r, "Conv2D"), p_count(r, "_FusedConv2D") == 0);
        rgraph_free(r);
        graph_unref(g);
    }
}

/* What others read, or wait for, stays. */
static void test_fuse_conv__results_in_between_stay(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output v = p_in(g, "v", DT_FLOAT, 1, (int64_t[]){8}), c[3];
    c[0] = conv_in(g, "c0", "NHWC"); /* fetched */
    c[1] = conv_in(g, "c1", "NHWC"); /* read twice */
    c[2] = conv_in(g, "c2", "NHWC"); /* its sum waits for another node */
    struct output s0 = bias_in(g, "s0", c[0], v, "NHWC"), s1 = bias_in(g, "s1", c[1], v, "NHWC");
    struct node_desc *d = node_desc_new(g, "BiasAdd", "s2");
    node_desc_input(d, c[2]);
    node_desc_input(d, v);
    node_desc_control(d, s0.node);
    struct output s2 = t_out(t_finish(d), 0);
    struct output other = p_op1(g, "Identity", "other", c[1]);
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 5, c[0].node, s0.node, s1.node,
                             other.node, s2.node);
    assert_int_equal(p_count(r, "_FusedConv2D"), 0);
    rgraph_free(r);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fuse_conv__same_bits),
        cmocka_unit_test(test_fuse_conv__errors_name_the_node),
        cmocka_unit_test(test_fuse_conv__layouts_must_agree),
        cmocka_unit_test(test_fuse_conv__results_in_between_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
