/* SPDX-License-Identifier: Apache-2.0 */
/* GraphDef in and out. The expected outcomes and messages are those of TensorFlow 1.15.5. */
#include "graph_fixture.h"

#define FLOAT "attr{key:'T' value{type:DT_FLOAT}}"
#define P(name) "node{name:'" name "' op:'Placeholder' attr{key:'dtype' value{type:DT_FLOAT}}}"
#define I(name, in) "node{name:'" name "' op:'Identity' input:'" in "' " FLOAT "}"
#define V "versions{producer:134}"

static struct status st;

static void rejected(const char *text, int code, const char *message)
{
    struct graph *g = graph_new();

    t_node(g, "NoOp", "here", 0);
    assert_false(t_import(g, text, NULL, NULL, &st));
    t_want_error(&st, code, message);
    t_want_nodes(g, "here()"); /* as before */
    assert_int_equal(g->producer, GRAPH_PRODUCER);
    graph_unref(g);
}

static void bad(const char *text, const char *message)
{
    rejected(text, STATUS_INVALID_ARGUMENT, message);
}

static void test_import__order_is_topological_and_stable(void **state UNUSED)
{
    struct graph *g = graph_new();

    t_want_import(g, I("b", "a") P("a") I("c", "b") I("d", "a") P("e"));
    t_want_nodes(g, "a() b(a) c(b) d(a) e()");
    const struct attr_value *shape = attrs_find(&graph_find(g, "a")->attrs, "shape");

    assert_non_null(shape); /* the default is there */
    assert_int_equal(shape->shape.rank, RANK_UNKNOWN);
    graph_unref(g);
}

static void test_import__bad_nodes(void **state UNUSED)
{
    bad(P("a") P("a"), "Node 'a' is not unique");
    bad(P("a b"), "Node 'a b': Node name contains invalid characters");
    bad(P("_a"), "Node '_a': Node name contains invalid characters");
    bad(P("a>b"), "Node 'a>b': Node name contains invalid characters");
    bad(P(""), "Node '': Node name contains invalid characters");
    bad(P("a\\000b"), "Node name contains invalid characters");
    bad("node{name:'a'}", "Node 'a' does not specify an operation");
    rejected("node{name:'a' op:'Foo'}", STATUS_NOT_FOUND, "Op type not registered 'Foo'");
    bad(I("b", "a"), "Node 'b': Unknown input node 'a'");
    bad(P("a") I("b", "a:x"), "Node 'b': Unknown input node 'a:x'");
    bad(P("a") I("b", "a:-1"), "Node 'b': Unknown input node 'a:-1'");
    bad(P("a") I("b", "a:99999999999999"), "Unknown input node");
    bad(P("a") I("b", ""), "Node 'b': Unknown input node ''");
    bad(P("a") I("b", "^"), "Unknown input node '^'");
    bad(P("a") I("b", "a:1"),
        "Node 'b': Connecting to invalid output 1 of source node a which has 1 outputs.");
    bad(P("a") "node{name:'b' op:'Identity' input:'a' attr{key:'T' value{type:DT_INT32}}}",
        "Input 0 of node b was passed float from a:0 incompatible with expected int32.");
    bad(P("a") "node{name:'b' op:'Identity' input:'^a' input:'a' " FLOAT "}",
        "Node 'b': Control dependencies must come after regular dependencies");
    bad(P("a") "node{name:'b' op:'Identity' " FLOAT "}",
        "NodeDef expected inputs 'float' do not match 0 inputs specified; Op<name=Identity");
    bad(P("a") "node{name:'b' op:'Identity' input:'a'}",
        "NodeDef missing attr 'T' from Op<name=Identity");
    bad(P("a") "node{name:'b' op:'Identity' input:'a' attr{key:'T' value{i:3}}}",
        "AttrValue had value with type 'int' when 'type' expected");
    bad(P("a") "node{name:'b' op:'Identity' input:'a' attr{key:'T' value{type:99}}}", "99");
    bad(P("a") "node{name:'m' op:'AddN' input:'a' attr{key:'N' value{i:2}} " FLOAT "}",
        "NodeDef expected inputs 'float, float' do not match 1 inputs specified");
    bad(P("a") "node{name:'m' op:'AddN' input:'a' attr{key:'N' value{i:2000000000}} " FLOAT "}",
        "2000000000");
    bad("node{name:'c' op:'Const' attr{key:'dtype' value{type:DT_FLOAT}} attr{key:'value' "
        "value{tensor{dtype:DT_FLOAT tensor_shape{dim{size:-1}}}}}}",
        "not fully known");
}

static void test_import__cycles(void **state UNUSED)
{
    struct graph *g = graph_new();

    bad(I("a", "b") I("b", "a"), "2 nodes in a cycle");
    bad(I("b", "b"), "1 nodes in a cycle");
    bad("node{name:'m' op:'Merge' input:'a' input:'n' attr{key:'N' value{i:2}} " FLOAT
        "}" P("a") "node{name:'n' op:'Identity' input:'m' " FLOAT "}",
        "2 nodes in a cycle");
    t_want_import(g, "node{name:'m' op:'Merge' input:'a' input:'n' attr{key:'N' value{i:2}} " FLOAT
                     "}" P("a") "node{name:'n' op:'NextIteration' input:'m' " FLOAT "}");
    t_want_nodes(g, "a() m(a,n) n(m)");
    t_want_shape(t_out(graph_find(g, "m"), 0), "<unknown>");
    assert_int_equal(graph_find(g, "n")->num_consumers, 1);
    assert_true(graph_check_cycles(g, 0, &st));
    bad(P("a") "node{name:'m' op:'Merge' input:'a' input:'n' attr{key:'N' value{i:2}} " FLOAT
               "} node{name:'n' op:'NextIteration' input:'i' attr{key:'T' value{type:DT_INT32}}}"
               "node{name:'i' op:'Merge' input:'p' input:'n' attr{key:'N' value{i:2}} "
               "attr{key:'T' value{type:DT_INT32}}}"
               "node{name:'p' op:'Placeholder' attr{key:'dtype' value{type:DT_INT32}}}",
        "Input 1 of node m was passed int32 from n:0 incompatible with expected float.");
    graph_unref(g);
}

static void test_import__output_shapes(void **state UNUSED)
{
    struct graph *g = graph_new();

    t_want_import(g, P("a") "node{name:'b' op:'Identity' input:'a' " FLOAT
                            " attr{key:'_output_shapes' value{list{shape{dim{size:2}}}}}"
                            " attr{key:'_mine' value{i:1}}}");
    t_want_shape(t_out(graph_find(g, "b"), 0), "[2]");
    assert_null(attrs_find(&graph_find(g, "b")->attrs, "_output_shapes"));
    assert_int_equal(attrs_int(&graph_find(g, "b")->attrs, "_mine"), 1);
    bad("node{name:'a' op:'Placeholder' attr{key:'dtype' value{type:DT_FLOAT}} attr{key:'shape' "
        "value{shape{dim{size:3}}}}} node{name:'b' op:'Identity' input:'a' " FLOAT
        " attr{key:'_output_shapes' value{list{shape{dim{size:2}}}}}}",
        "Node 'b' has an _output_shapes attribute inconsistent with the GraphDef for output #0: "
        "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are [3] and [2].");
    graph_unref(g);
}

static void test_import__versions(void **state UNUSED)
{
    struct graph *g = graph_new();

    bad(P("a") "versions{producer:1 min_consumer:500}",
        "GraphDef min consumer version 500 above current version 134 for TensorFlow 1.15.5.  "
        "Please upgrade TensorFlow.");
    bad(P("a") "versions{producer:20 bad_consumers:134}",
        "GraphDef disallows consumer version 134.  Please upgrade TensorFlow: this version is "
        "likely buggy.");
    bad(P("a") "versions{producer:-3}", "GraphDef producer version -3 below min producer 0");
    t_want_import(g, P("a") "versions{producer:20 min_consumer:5 bad_consumers:7 bad_consumers:3}");
    t_want_import(g, P("b") "versions{producer:1000 min_consumer:2 bad_consumers:7}");
    assert_int_equal(g->producer, 20);
    assert_int_equal(g->min_consumer, 5);
    assert_int_equal(g->num_bad_consumers, 2);
    assert_int_equal(g->bad_consumers[0], 3);
    t_want_import(g, P("c"));
    assert_int_equal(g->producer, 0);
    graph_unref(g);
}

static void test_import__deprecated_ops_go_by_the_producer(void **state UNUSED)
{
    struct graph *g = graph_new();
    const char *op = "node{name:'b' op:'BatchMatrixDiag' input:'a' " FLOAT "}" P("a");
    char text[400];

    snprintf(text, sizeof text, "%s versions{producer:20}", op);
    rejected(text, STATUS_UNIMPLEMENTED,
             "Op BatchMatrixDiag is not available in GraphDef version 20. It has been removed in "
             "version 14. Use MatrixDiag.");
    snprintf(text, sizeof text, "%s versions{producer:9}", op);
    t_want_import(g, text);
    graph_unref(g);
}

#define COLOCATED                                                                                  \
    P("a")                                                                                         \
    "node{name:'b' op:'Identity' input:'a' " FLOAT " attr{key:'_class' value{list{s:'loc:@a'}}}}"

static void colocated(struct graph *g, const char *node, const char *with)
{
    const struct attr_value *v = attrs_find(&graph_find(g, node)->attrs, "_class");

    assert_true(str_is(v->ss[0], with));
}

static void test_import__prefixes_and_unique_names(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct import_options o = {.prefix = "pre"};

    assert_true(t_import(g, COLOCATED, &o, NULL, &st));
    t_want_nodes(g, "pre/a() pre/b(pre/a)");
    colocated(g, "pre/b", "loc:@pre/a");
    assert_false(t_import(g, COLOCATED, &o, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "Duplicate node name in graph: 'pre/a'");
    o.uniquify_prefix = true;
    assert_true(t_import(g, COLOCATED, &o, NULL, &st));
    colocated(g, "pre_1/b", "loc:@pre_1/a");
    o = (struct import_options){.prefix = "a b"};
    assert_false(t_import(g, P("a"), &o, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Imported node name prefix 'a b/' would lead to invalid node names");
    assert_false(t_import(g, P("pre"), NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "Node name 'pre' already exists in the Graph");
    o = (struct import_options){.uniquify_names = true};
    assert_true(t_import(g, P("pre") P("pre_2"), &o, NULL, &st));
    assert_non_null(graph_find(g, "pre_3"));
    graph_unref(g);
    g = graph_new();
    t_want_import(g, COLOCATED);
    assert_false(t_import(g, COLOCATED, NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "Node name 'a' already exists in the Graph");
    assert_true(t_import(g, COLOCATED, &o, NULL, &st));
    t_want_nodes(g, "a() b(a) a_1() b_1(a_1)");
    colocated(g, "b_1", "loc:@a_1");
    bad(P("a") "node{name:'b' op:'NoOp' attr{key:'_class' value{list{s:'loc:@zz'}}}}",
        "Node 'b' expects to be colocated with unknown node 'zz'");
    graph_unref(g);
}

static void test_import__maps_control_and_returns(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct node *x = t_placeholder(g, "x", DT_FLOAT, 1, 7), *z = t_node(g, "NoOp", "z", 0);
    struct import_map maps[] = {{"a", 0, t_out(x, 0)},
                                {"gone", 3, t_out(x, 0)},
                                {"b", 0, t_out(x, 0)},
                                {"b", 5, t_out(x, 0)}};
    struct import_map returns[] = {{"c", 0, {NULL, 0}}, {"a", 0, {NULL, 0}}};
    const char *nodes[] = {"d"};
    struct node *control[] = {z};
    struct import_options o = {.prefix = "i",
                               .default_device = "/cpu:3",
                               .maps = maps,
                               .num_maps = 4,
                               .control = control,
                               .num_control = 1,
                               .returns = returns,
                               .num_returns = 2,
                               .return_nodes = nodes,
                               .num_return_nodes = 1};
    struct import_result r;

    assert_true(t_import(g, P("a") I("b", "a") I("c", "b:0") P("d") I("e", "d") V, &o, &r, &st));
    t_want_nodes(g, "x() z() i/a(^z) i/b(x,^z) i/c(x,^z) i/d(^z) i/e(i/d)");
    t_want_shape(t_out(graph_find(g, "i/b"), 0), "[7]");
    assert_string_equal(graph_find(g, "i/b")->device, "/cpu:3");
    assert_ptr_equal(r.returns[0].node, graph_find(g, "i/c"));
    assert_ptr_equal(r.returns[1].node, x);
    assert_ptr_equal(r.return_nodes[0], graph_find(g, "i/d"));
    assert_int_equal(r.num_unused, 2); /* not in the GraphDef, and not used */
    assert_string_equal(r.unused_maps[0], "gone");
    assert_int_equal(r.unused_indices[1], 5);
    import_result_clear(&r);
    o.prefix = "j";
    o.num_maps = 0;
    returns[0].index = 1;
    assert_false(t_import(g, P("a") I("c", "a") P("d"), &o, &r, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Invalid return output 1 of node 'c', which has 1 output(s)");
    returns[0].index = 0;
    nodes[0] = "nope";
    assert_false(t_import(g, P("a") I("c", "a") P("d"), &o, &r, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Requested return node 'nope' not found in graph def");
    returns[1].src = "q";
    assert_false(t_import(g, P("a") I("c", "a") P("d"), &o, &r, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Requested return tensor 'q:0' not found in graph def");
    assert_null(graph_find(g, "j/a"));
    assert_int_equal(z->num_control_outputs, 4);
    graph_unref(g);
}

static void test_import__round_trip(void **state UNUSED)
{
    struct graph *g = graph_new(), *h = graph_new();
    struct strbuf once = {0}, twice = {0};

    t_want_import(g,
                  P("a") "node{name:'b' op:'Identity' input:'a' input:'^z' device:'/gpu:0' " FLOAT
                         " attr{key:'_l' value{list{i:1 i:-2}}} attr{key:'_f' value{func{name:'f' "
                         "attr{key:'x' value{f:1.5}}}}} attr{key:'_e' value{list{}}}"
                         " experimental_debug_info{original_node_names:'was'}}"
                         "node{name:'z' op:'NoOp'}"
                         "library{function{signature{name:'fn' input_arg{name:'x' type:DT_FLOAT} "
                         "output_arg{name:'y' type:DT_FLOAT}} ret{key:'y' value:'x'}} "
                         "gradient{function_name:'fn' gradient_func:'fng'}}" V);
    assert_true(graph_export(g, &once, &st));
    assert_true(graph_import(h, once.p, once.n, NULL, NULL, &st));
    assert_true(graph_export(h, &twice, &st));
    assert_int_equal(once.n, twice.n);
    assert_memory_equal(once.p, twice.p, once.n);
    struct node *b = graph_find(h, "b");

    assert_int_equal(attrs_list(&b->attrs, "_l")->is[1], -2);
    assert_string_equal(b->device, "/gpu:0");
    struct arena a = {0};
    struct pb_node_def *d = node_to_def(b, &a);

    assert_true(str_is(d->experimental_debug_info->original_node_names.v[0], "was"));
    arena_release(&a);
    assert_non_null(graph_function(h, "fn"));
    assert_string_equal(graph_function(h, "fn")->grad_name, "fng");
    strbuf_release(&once);
    strbuf_release(&twice);
    graph_unref(g);
    graph_unref(h);
}

static void test_import__garbage(void **state UNUSED)
{
    struct graph *g = graph_new();

    assert_false(graph_import(g, "\x0a\xff\xff\xff\xff\x7f", 6, NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "Invalid GraphDef");
    assert_false(graph_import(g, "nodes{", 6, NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "nodes");
    assert_true(graph_import(g, "", 0, NULL, NULL, &st));
    assert_int_equal(g->num_nodes, 0);
    graph_unref(g);
}

/* Linear work, no recursion: deep and wide graphs pass in well under a second per 100,000 nodes. */
static void test_import__long_chain(void **state UNUSED)
{
    enum { N = 100000 };
    struct arena a = {0};
    struct pb_graph_def *d = pb_graph_def_new(&a);
    struct graph *g = graph_new(), *h = graph_new();
    struct strbuf bytes = {0};

    for (int i = N; i-- > 0;) { /* backwards: each waits for the next */
        struct pb_node_def *n = pb_node_def_add(&a, &d->node);

        n->name = str_of(arena_printf(&a, "n%d", i));
        n->op = str_of("NoOp");
        if (i > 0)
            pb_add_str(&a, &n->input, str_of(arena_printf(&a, "^n%d", i - 1)));
    }
    assert_true(graph_import_def(g, d, NULL, NULL, &st));
    assert_true(graph_check_cycles(g, 0, &st));
    assert_true(graph_export(g, &bytes, &st));
    assert_true(graph_import(h, bytes.p, bytes.n, NULL, NULL, &st));
    assert_int_equal(h->num_nodes, N);
    strbuf_release(&bytes);
    arena_release(&a);
    graph_unref(g);
    graph_unref(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import__order_is_topological_and_stable),
        cmocka_unit_test(test_import__bad_nodes),
        cmocka_unit_test(test_import__cycles),
        cmocka_unit_test(test_import__output_shapes),
        cmocka_unit_test(test_import__versions),
        cmocka_unit_test(test_import__deprecated_ops_go_by_the_producer),
        cmocka_unit_test(test_import__prefixes_and_unique_names),
        cmocka_unit_test(test_import__maps_control_and_returns),
        cmocka_unit_test(test_import__round_trip),
        cmocka_unit_test(test_import__garbage),
        cmocka_unit_test(test_import__long_chain),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
