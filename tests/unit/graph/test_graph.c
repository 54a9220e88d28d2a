/* SPDX-License-Identifier: Apache-2.0 */
/* Making nodes: what follows from inputs, what is refused and in which words, names, edits. */
#include "graph_fixture.h"

static struct status st;

static void refused(struct node_desc *d, int code, const char *text)
{
    assert_null(node_finish(d, &st));
    t_want_error(&st, code, text);
}

static void test_graph__attrs_follow_from_inputs(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *a = t_placeholder(g, "a", DT_FLOAT, 2, 2, -1);
    struct node *b = t_node(g, "Identity", "b", 1, t_out(a, 0));

    assert_int_equal(attrs_type(&b->attrs, "T"), DT_FLOAT);
    t_want_shape(t_out(b, 0), "[2,?]");
    struct node *n = t_list(g, "AddN", "n", 3, t_out(a, 0), t_out(b, 0), t_out(a, 0));

    assert_int_equal(attrs_int(&n->attrs, "N"), 3);
    assert_int_equal(n->num_inputs, 3);
    struct node *i = t_list(g, "IdentityN", "i", 2, t_out(a, 0), t_out(t_const_i32(g, "c", 1), 0));

    assert_int_equal(i->num_outputs, 2);
    assert_int_equal(i->output_types[1], DT_INT32);
    assert_int_equal(a->num_consumers, 4);
    assert_ptr_equal(a->consumers[0].node, b);
    assert_ptr_equal(graph_find(g, "n"), n);
    assert_null(graph_find(g, "N"));
    graph_unref(g);
}

static void test_graph__inputs_that_do_not_fit(void **state UNUSED)
{
    struct graph *g = graph_new(), *other = graph_new();
    struct output a = t_out(t_placeholder(g, "a", DT_FLOAT, 0), 0);
    struct output c = t_out(t_const_i32(g, "c", 1), 0);
    struct output far = t_out(t_placeholder(other, "a", DT_FLOAT, 0), 0);

    refused(node_desc_new(g, "Identity", "a"), STATUS_INVALID_ARGUMENT,
            "Duplicate node name in graph: 'a'");
    refused(node_desc_new(g, "NoSuchOp", "x"), STATUS_INVALID_ARGUMENT,
            "Op type not registered 'NoSuchOp' in binary running on");
    refused(
        node_desc_new(g, "Identity", "x"), STATUS_INVALID_ARGUMENT,
        "0 inputs specified of 1 inputs in Op while building NodeDef 'x' using Op<name=Identity");
    struct node_desc *d = node_desc_new(g, "AddV2", "x");

    node_desc_input(d, a);
    node_desc_input(d, c);
    refused(d, STATUS_INVALID_ARGUMENT,
            "Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32 while building NodeDef 'x'");
    d = node_desc_new(g, "Identity", "x");
    node_desc_input(d, a);
    node_desc_input(d, a);
    refused(d, STATUS_INVALID_ARGUMENT, "More Input() calls than the 1 input_args");
    d = node_desc_new(g, "AddN", "x");
    node_desc_input(d, a);
    refused(d, STATUS_INVALID_ARGUMENT, "Single tensor passed to 'inputs', expected list");
    d = node_desc_new(g, "Identity", "x");
    node_desc_input_list(d, &a, 1);
    refused(d, STATUS_INVALID_ARGUMENT,
            "List provided to input 'input' when single Tensor expected");
    d = node_desc_new(g, "Identity", "x");
    node_desc_input(d, t_out(a.node, 1));
    refused(d, STATUS_INVALID_ARGUMENT,
            "Attempt to add output 1 of a not in range [0, 1) to node with type Identity. Node: "
            "{{node a}}");
    d = node_desc_new(g, "Identity", "x");
    node_desc_input(d, (struct output){NULL, 0});
    refused(d, STATUS_INVALID_ARGUMENT, "nullptr Node");
    d = node_desc_new(g, "Identity", "x");
    node_desc_input(d, far);
    refused(d, STATUS_INVALID_ARGUMENT, "another graph");
    d = node_desc_new(g, "Assign", "x");
    node_desc_input(d, a);
    node_desc_input(d, a);
    refused(d, STATUS_INVALID_ARGUMENT, "Input 'ref' passed float expected ref type");
    d = node_desc_new(g, "Switch", "x");
    node_desc_input(d, a);
    node_desc_input(d, a);
    refused(d, STATUS_INVALID_ARGUMENT, "Input 'pred' passed float expected bool");
    d = node_desc_new(g, "AddV2", "x");
    node_desc_input(d, t_out(t_placeholder(g, "p2", DT_FLOAT, 1, 2), 0));
    node_desc_input(d, t_out(t_placeholder(g, "p3", DT_FLOAT, 1, 3), 0));
    refused(d, STATUS_INVALID_ARGUMENT,
            "Dimensions must be equal, but are 2 and 3 for 'x' (op: 'AddV2') with input shapes: "
            "[2], [3].");
    assert_null(graph_find(g, "x"));
    assert_int_equal(a.node->num_consumers, 0);
    graph_unref(g);
    graph_unref(other);
}

static void test_graph__attrs_that_do_not_fit(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output a = t_out(t_placeholder(g, "a", DT_STRING, 0), 0);
    struct node_desc *d = node_desc_new(g, "AddV2", "x");

    node_desc_input(d, a);
    node_desc_input(d, a);
    refused(d, STATUS_INVALID_ARGUMENT, "not in the list of allowed values");
    refused(node_desc_new(g, "Placeholder", "x"), STATUS_INVALID_ARGUMENT,
            "NodeDef missing attr 'dtype' from Op<name=Placeholder");
    d = node_desc_new(g, "NoOp", "x");
    node_desc_attr(d, "speed", attr_int(3));
    refused(d, STATUS_INVALID_ARGUMENT, "NodeDef mentions attr 'speed' not in Op<name=NoOp");
    d = node_desc_new(g, "Identity", "x");
    node_desc_attr(d, "T", attr_type(DT_FLOAT));
    node_desc_input(d, a);
    refused(d, STATUS_INVALID_ARGUMENT, "Inconsistent values for attr 'T' DT_FLOAT vs. DT_STRING");
    d = node_desc_new(g, "BatchMatrixDiag", "x");
    node_desc_input(d, t_out(t_placeholder(g, "f", DT_FLOAT, 2, 2, 2), 0));
    refused(d, STATUS_UNIMPLEMENTED,
            "Op BatchMatrixDiag is not available in GraphDef version 134. It has been removed in "
            "version 14. Use MatrixDiag.");
    graph_unref(g);
}

static void test_graph__references(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node_desc *d = node_desc_new(g, "VariableV2", "v");
    struct shape s = shape_1(3);

    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    node_desc_attr(d, "shape", attr_shape(&s));
    struct node *v = t_finish(d);

    assert_int_equal(output_type(t_out(v, 0)), DT_FLOAT + DT_REF);
    struct node *i = t_node(g, "Identity", "i", 1, t_out(v, 0));

    assert_int_equal(output_type(t_out(i, 0)), DT_FLOAT);
    struct node *a = t_node(g, "Assign", "w", 2, t_out(v, 0), t_out(i, 0));

    assert_int_equal(a->input_types[0], DT_FLOAT + DT_REF);
    assert_int_equal(attrs_type(&a->attrs, "T"), DT_FLOAT);
    graph_unref(g);
}

static void test_graph__control_edges_and_colocation(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *z = t_node(g, "NoOp", "z", 0), *a = t_node(g, "NoOp", "a", 0);
    struct node_desc *d = node_desc_new(g, "NoOp", "n");

    node_desc_control(d, z);
    node_desc_control(d, a);
    node_desc_control(d, z);
    node_desc_colocate(d, z);
    node_desc_colocate(d, a);
    struct node *n = t_finish(d);

    assert_int_equal(n->num_control_inputs, 2);
    const struct attr_value *c = attrs_find(&n->attrs, "_class");

    assert_int_equal(c->n, 2);
    assert_true(str_is(c->ss[0], "loc:@a"));
    assert_true(graph_add_control(g, a, n, &st));
    assert_int_equal(n->num_control_inputs, 2);
    t_want_nodes(g, "z() a() n(^a,^z)");
    struct arena arena = {0};
    struct pb_node_def *def = node_to_def(n, &arena);

    assert_true(str_is(def->input.v[0], "^z")); /* alone, in the order added */
    arena_release(&arena);
    graph_unref(g);
}

static void test_graph__many_control_edges(void **state UNUSED)
{
    enum { N = 3000 };
    struct graph *g = graph_new();
    struct node_desc *d = node_desc_new(g, "NoOp", "all");

    for (int i = 0; i < N; i++) {
        char name[20];

        snprintf(name, sizeof name, "n%d", i);
        struct node *n = t_node(g, "NoOp", name, 0);
        node_desc_control(d, n);
        node_desc_control(d, n);
    }
    struct node *all = t_finish(d);

    assert_int_equal(all->num_control_inputs, N);
    graph_unref(g);
}

static void unique(struct graph *g, const char *name, bool mark, const char *want)
{
    char *got = graph_unique_name(g, name, mark);

    assert_string_equal(got, want);
    mem_free(got);
}

static void test_graph__unique_names_as_python_makes_them(void **state UNUSED)
{
    struct graph *g = graph_new();

    unique(g, "Add", true, "Add");
    unique(g, "Add", true, "Add_1");
    unique(g, "add", true, "add_2"); /* case does not count */
    unique(g, "Add_1", true, "Add_1_1");
    unique(g, "x", false, "x");
    unique(g, "x", true, "x");
    unique(g, "x", false, "x_1");
    unique(g, "x", false, "x_1");
    t_node(g, "NoOp", "y", 0);
    t_node(g, "NoOp", "Y_1", 0);
    unique(g, "Y", true, "Y_2");
    unique(g, "y", true, "y_3");
    assert_true(graph_name_valid("a.b/c_d-e"));
    assert_false(graph_name_valid("_a"));
    assert_false(graph_name_valid("a b"));
    assert_false(graph_name_valid("a>b"));
    assert_false(graph_name_valid(""));
    graph_unref(g);
}

static void test_graph__finding_by_name(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct output o;

    t_list(g, "IdentityN", "weights", 2, t_out(t_const_i32(g, "c", 1), 0),
           t_out(t_const_i32(g, "e", 1), 0));
    assert_true(graph_get_output(g, "weights:1", &o, &st));
    assert_int_equal(o.index, 1);
    assert_true(graph_get_output(g, "weights", &o, &st));
    assert_int_equal(o.index, 0);
    assert_false(graph_get_output(g, "weights:2", &o, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "has 2 outputs");
    assert_false(graph_get_output(g, "weights:x", &o, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "weights:x");
    assert_null(graph_get(g, "wieghts", &st));
    t_want_error(&st, STATUS_NOT_FOUND, "'wieghts' not found in graph; did you mean 'weights'?");
    assert_null(graph_get(g, "nothing/like/it", &st));
    t_want_error(&st, STATUS_NOT_FOUND, "'nothing/like/it' not found in graph");
    graph_unref(g);
}

static void test_graph__edits(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *a = t_placeholder(g, "a", DT_FLOAT, 0), *b = t_placeholder(g, "b", DT_FLOAT, 0);
    struct node *i = t_const_i32(g, "i", 1);
    struct node *n = t_node(g, "AddV2", "n", 2, t_out(a, 0), t_out(a, 0));

    assert_true(graph_update_input(n, 1, t_out(b, 0), &st));
    assert_int_equal(a->num_consumers, 1);
    assert_int_equal(b->num_consumers, 1);
    t_want_nodes(g, "a() b() i() n(a,b)");
    assert_false(graph_update_input(n, 2, t_out(b, 0), &st));
    t_want_error(&st, STATUS_OUT_OF_RANGE, "does not have input 2");
    assert_false(graph_update_input(n, 0, t_out(b, 1), &st));
    t_want_error(&st, STATUS_OUT_OF_RANGE, "does not have output 1");
    assert_false(graph_update_input(n, 0, t_out(i, 0), &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "passed int32 from i:0");
    assert_true(graph_set_attr(n, "_mark", attr_int(1), &st));
    assert_false(graph_set_attr(n, "T", attr_type(DT_INT32), &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "types of its edges");
    assert_false(graph_set_attr(n, "nope", attr_type(DT_INT32), &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "mentions attr 'nope'");
    graph_set_device(n, "/cpu:1");
    assert_string_equal(n->device, "/cpu:1");
    graph_mark_ran(n);
    assert_false(graph_update_input(n, 0, t_out(b, 0), &st));
    t_want_error(&st, STATUS_FAILED_PRECONDITION, "after it was run by a session");
    assert_false(graph_add_control(g, i, n, &st));
    t_want_error(&st, STATUS_FAILED_PRECONDITION, "control dependency");
    assert_false(graph_set_attr(n, "_mark", attr_int(2), &st));
    t_want_error(&st, STATUS_FAILED_PRECONDITION, "attribute");
    graph_unref(g);
}

static void test_graph__cycles(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *p = t_placeholder(g, "p", DT_FLOAT, 0);
    struct node *m = t_list(g, "Merge", "m", 2, t_out(p, 0), t_out(p, 0));
    struct node *x = t_node(g, "AddV2", "x", 2, t_out(m, 0), t_out(p, 0));
    struct node *n = t_node(g, "NextIteration", "n", 1, t_out(x, 0));

    assert_true(graph_update_input(m, 1, t_out(n, 0), &st));
    assert_true(graph_check_cycles(g, 0, &st));
    assert_true(graph_update_input(x, 1, t_out(n, 0), &st));
    assert_false(graph_check_cycles(g, 0, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Graph is invalid, contains a cycle with 2 nodes, including: x, n");
    assert_true(graph_update_input(x, 1, t_out(p, 0), &st));
    assert_true(graph_add_control(g, x, m, &st));
    assert_false(graph_check_cycles(g, 0, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "including: m, x, n");
    assert_true(graph_check_cycles(g, 3, &st));
    graph_unref(g);
}

static void test_graph__collections(void **state UNUSED)
{
    struct graph *g = graph_new();

    assert_null(graph_collection(g, "losses"));
    graph_collect(g, "losses", "a\0b", 3);
    graph_collect(g, "losses", "", 0);
    const struct collection *c = graph_collection(g, "losses");

    assert_int_equal(c->n, 2);
    assert_memory_equal(c->items[0].p, "a\0b", 3);
    assert_int_equal(c->items[1].n, 0);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph__attrs_follow_from_inputs),
        cmocka_unit_test(test_graph__inputs_that_do_not_fit),
        cmocka_unit_test(test_graph__attrs_that_do_not_fit),
        cmocka_unit_test(test_graph__references),
        cmocka_unit_test(test_graph__control_edges_and_colocation),
        cmocka_unit_test(test_graph__many_control_edges),
        cmocka_unit_test(test_graph__unique_names_as_python_makes_them),
        cmocka_unit_test(test_graph__finding_by_name),
        cmocka_unit_test(test_graph__edits),
        cmocka_unit_test(test_graph__cycles),
        cmocka_unit_test(test_graph__collections),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
