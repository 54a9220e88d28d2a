/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes at add time, constants behind them, partially known shapes, handles. */
#include "graph_fixture.h"

static struct status st;

/* The shape that Fill gets from a tensor: what is known of the value. */
static void holds(struct graph *g, struct output dims, const char *want)
{
    char fill[32], value[32];

    snprintf(fill, sizeof fill, "fill%lld", (long long)g->num_nodes);
    snprintf(value, sizeof value, "value%lld", (long long)g->num_nodes);
    struct output v = t_out(t_placeholder(g, value, DT_FLOAT, 0), 0);

    t_want_shape(t_out(t_node(g, "Fill", fill, 2, dims, v), 0), want);
}

struct slice {
    int begin, end, stride, begin_mask, end_mask;
};

static struct output slice(struct graph *g, const char *name, struct output in, struct slice s)
{
    char part[64];
    struct node_desc *d = node_desc_new(g, "StridedSlice", name);
    int v[3] = {s.begin, s.end, s.stride};

    node_desc_input(d, in);
    for (int i = 0; i < 3; i++) {
        snprintf(part, sizeof part, "%s_%d", name, i);
        node_desc_input(d, t_out(t_const_i32s(g, part, 1, v[i]), 0));
    }
    node_desc_attr(d, "begin_mask", attr_int(s.begin_mask));
    node_desc_attr(d, "end_mask", attr_int(s.end_mask));
    return t_out(t_finish(d), 0);
}

static void test_shapes__partial_values(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *p = t_placeholder(g, "p", DT_FLOAT, 2, -1, 3);
    struct node *q = t_placeholder(g, "q", DT_FLOAT, 2, 4, 3);
    struct node *u = t_placeholder(g, "u", DT_FLOAT, -1);
    struct node *sp = t_node(g, "Shape", "sp", 1, t_out(p, 0));
    struct node *sq = t_node(g, "Shape", "sq", 1, t_out(q, 0));
    struct node *su = t_node(g, "Shape", "su", 1, t_out(u, 0));
    struct output seven = t_out(t_const_i32s(g, "seven", 1, 7), 0);
    struct output zero = t_out(t_const_i32(g, "zero", 0), 0);

    holds(g, t_out(sp, 0), "[?,3]");
    holds(g, t_out(sq, 0), "[4,3]");
    holds(g, t_out(su, 0), "<unknown>");
    holds(g, t_out(t_placeholder(g, "len", DT_INT32, 1, 2), 0), "[?,?]");
    holds(g, t_out(t_placeholder(g, "none", DT_INT32, 1, 0), 0), "[]");
    struct node *n = t_list(g, "ShapeN", "n", 2, t_out(p, 0), t_out(q, 0));

    holds(g, t_out(n, 0), "[?,3]");
    holds(g, t_out(n, 1), "[4,3]");
    struct node_desc *d = node_desc_new(g, "ConcatV2", "cc");
    struct output in[2] = {t_out(sp, 0), seven};

    node_desc_input_list(d, in, 2);
    node_desc_input(d, zero);
    holds(g, t_out(t_finish(d), 0), "[?,3,7]");
    struct output one = t_out(t_const_i32(g, "one", 1), 0);
    struct output any = t_out(t_placeholder(g, "any", DT_INT32, 0), 0);

    holds(g, t_out(t_list(g, "Pack", "pack", 3, one, any, one), 0), "[1,?,1]");
    holds(g, slice(g, "tail", t_out(sp, 0), (struct slice){1, 0, 1, 0, 1}), "[3]");
    holds(g, slice(g, "head", t_out(sp, 0), (struct slice){0, -1, 1, 1, 0}), "[?]");
    holds(g, slice(g, "all", t_out(sp, 0), (struct slice){0, 100, 1, 0, 0}), "[?,3]");
    holds(g, slice(g, "back", t_out(sp, 0), (struct slice){0, 0, -1, 1, 1}), "[3,?]");
    holds(g, slice(g, "void", t_out(sp, 0), (struct slice){5, 9, 1, 0, 0}), "[]");
    graph_unref(g);
}

static void test_shapes__values_from_constants(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *q = t_placeholder(g, "q", DT_FLOAT, 2, 4, 3);
    struct node *sq = t_node(g, "Shape", "sq", 1, t_out(q, 0));
    struct output two = t_out(t_const_i32s(g, "two", 2, 2, 1), 0);
    struct node *sum = t_node(g, "AddV2", "sum", 2, t_out(sq, 0), two);
    struct tensor t = {0};

    holds(g, t_out(sum, 0), "[6,4]");
    assert_true(graph_constant(t_out(sum, 0), &t));
    assert_int_equal(tensor_i32(&t)[0], 6);
    tensor_clear(&t);
    assert_true(graph_constant(t_out(t_node(g, "Rank", "rank", 1, t_out(q, 0)), 0), &t));
    assert_int_equal(tensor_i32(&t)[0], 2);
    tensor_clear(&t);
    assert_false(graph_constant(t_out(q, 0), &t));
    struct node *p = t_placeholder(g, "p", DT_INT32, 1, 2);
    struct node *mix = t_node(g, "AddV2", "mix", 2, t_out(p, 0), two);

    assert_false(graph_constant(t_out(mix, 0), &t));
    holds(g, t_out(mix, 0), "[?,?]");
    /* what could be fed, and what belongs to control flow, is not constant */
    struct node_desc *d = node_desc_new(g, "PlaceholderWithDefault", "pwd");
    struct shape s = shape_1(2);

    node_desc_input(d, two);
    node_desc_attr(d, "shape", attr_shape(&s));
    assert_false(graph_constant(t_out(t_finish(d), 0), &t));
    assert_false(graph_constant(t_out(t_list(g, "Merge", "m", 1, two), 0), &t));
    /* a value is forgotten when what it came from changes */
    assert_true(graph_update_input(sum, 1, t_out(t_const_i32s(g, "ten", 2, 10, 10), 0), &st));
    assert_true(graph_constant(t_out(sum, 0), &t));
    assert_int_equal(tensor_i32(&t)[0], 14);
    tensor_clear(&t);
    graph_unref(g);
}

static void test_shapes__value_of_another_type_is_none(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct tensor t = {0};

    t_want_import(
        g, "node{name:'c' op:'Const' attr{key:'dtype' value{type:DT_INT64}} attr{key:'value' "
           "value{tensor{dtype:DT_INT32 tensor_shape{dim{size:2}} int_val:3}}}}");
    assert_false(graph_constant(t_out(graph_find(g, "c"), 0), &t));
    holds(g, t_out(graph_find(g, "c"), 0), "[?,?]");
    graph_unref(g);
}

static void test_shapes__long_constant_chain(void **state UNUSED)
{
    enum { N = 5000 };
    struct graph *g = graph_new();
    struct output one = t_out(t_const_i32(g, "one", 1), 0), x = one;
    struct tensor t = {0};
    char name[20];

    for (int i = 1; i < N; i++) {
        snprintf(name, sizeof name, "x%d", i);
        x = t_out(t_node(g, "AddV2", name, 2, x, one), 0);
    }
    assert_true(graph_constant(x, &t));
    assert_int_equal(tensor_i32(&t)[0], N);
    tensor_clear(&t);
    graph_unref(g);
}

static void test_shapes__set_shape_merges(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *p = t_placeholder(g, "p", DT_FLOAT, -1);
    struct node *before = t_node(g, "Identity", "before", 1, t_out(p, 0));
    struct shape s = shape_2(-1, 5), other = shape_2(2, 4), third = shape_1(5),
                 fits = shape_2(2, -1);

    assert_true(graph_set_shape(g, t_out(p, 0), &s, &st));
    t_want_shape(t_out(p, 0), "[?,5]");
    t_want_shape(t_out(before, 0), "<unknown>");
    t_want_shape(t_out(t_node(g, "Identity", "after", 1, t_out(p, 0)), 0), "[?,5]");
    assert_false(graph_set_shape(g, t_out(p, 0), &other, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Dimension 1 in both shapes must be equal, but are 5 and 4. Shapes are [?,5] and "
                 "[2,4].");
    assert_false(graph_set_shape(g, t_out(p, 0), &third, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "Shapes must be equal rank, but are 2 and 1");
    assert_true(graph_set_shape(g, t_out(p, 0), &fits, &st));
    t_want_shape(t_out(p, 0), "[2,5]");
    assert_false(graph_set_shape(g, t_out(p, 1), &fits, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "output_port '1' is out of range, node 'p' has 1");
    graph_unref(g);
}

static void test_shapes__high_rank(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *p = t_placeholder(g, "p", DT_FLOAT, 6, 1, 2, 3, -1, 5, 6);
    struct node *i = t_node(g, "Identity", "i", 1, t_out(p, 0));
    struct node *s = t_node(g, "Shape", "s", 1, t_out(i, 0));

    t_want_shape(t_out(i, 0), "[1,2,3,?,5,6]");
    holds(g, t_out(s, 0), "[1,2,3,?,5,6]");
    graph_unref(g);
}

static void test_shapes__behind_handles(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node_desc *d = node_desc_new(g, "VarHandleOp", "v");
    int64_t dims[] = {1, 2, 3, 4, 5};
    struct shape s = shape_make(dims, 5);

    node_desc_attr(d, "shape", attr_shape(&s));
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    struct node *v = t_finish(d);

    d = node_desc_new(g, "ReadVariableOp", "r");
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    node_desc_input(d, t_out(v, 0));
    t_want_shape(t_out(t_finish(d), 0), "[1,2,3,4,5]");
    struct infer_result h;

    assert_true(output_handle(t_out(v, 0), &h));
    assert_int_equal(h.handles[0].dtypes[0], DT_FLOAT);
    infer_result_clear(&h);
    struct node *p = t_placeholder(g, "p", DT_RESOURCE, 0);

    assert_false(output_handle(t_out(p, 0), &h));
    int type = DT_FLOAT;
    const struct shape *sp = &s;

    graph_set_handle(g, t_out(p, 0), (struct infer_handle){1, &type, &sp});
    graph_set_handle(g, t_out(p, 0), (struct infer_handle){1, &type, &sp});
    assert_true(output_handle(t_out(p, 0), &h));
    assert_int_equal(h.handles[0].shapes[0]->rank, 5);
    infer_result_clear(&h);
    shape_clear(&s);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes__partial_values),
        cmocka_unit_test(test_shapes__values_from_constants),
        cmocka_unit_test(test_shapes__value_of_another_type_is_none),
        cmocka_unit_test(test_shapes__long_constant_chain),
        cmocka_unit_test(test_shapes__set_shape_merges),
        cmocka_unit_test(test_shapes__high_rank),
        cmocka_unit_test(test_shapes__behind_handles),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
