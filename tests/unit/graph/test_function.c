/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: the library, and bodies made for the attrs of a call. */
#include "graph_fixture.h"

static struct status st;

#define F(text) "library{function{" text "}}"
#define SQUARE                                                                                     \
    "signature{name:'twice' input_arg{name:'x' type_attr:'T'} output_arg{name:'y' type_attr:'T'} " \
    "attr{name:'T' type:'type'}}"                                                                  \
    "node_def{name:'out' op:'Identity' input:'sum:z:0' attr{key:'T' value{placeholder:'T'}}}"      \
    "node_def{name:'sum' op:'AddV2' input:'x' input:'x' attr{key:'T' value{placeholder:'T'}}}"     \
    "ret{key:'y' value:'out:output:0'}"

static struct attrs with_type(const char *name, int dtype)
{
    struct attrs a = {0};

    attrs_set(&a, name, attr_type(dtype));
    return a;
}

static void test_function__body_for_a_type(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct attrs a = with_type("T", DT_INT32);
    struct function_body b;

    t_want_import(g, F(SQUARE) "versions{producer:120}");
    assert_true(function_instantiate(g, "twice", &a, &b, &st));
    t_want_nodes(b.graph, "x() sum(x,x) out(sum) y_RetVal(out)");
    assert_int_equal(b.num_args, 1);
    assert_int_equal(b.num_rets, 1);
    assert_string_equal(b.args[0]->op->name, "_Arg");
    assert_string_equal(b.rets[0]->op->name, "_Retval");
    assert_int_equal(b.rets[0]->input_types[0], DT_INT32);
    assert_int_equal(b.num_control_rets, 0);
    assert_int_equal(b.graph->producer, 120);
    function_body_clear(&b);
    attrs_clear(&a);
    assert_false(function_instantiate(g, "twice", NULL, &b, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "'T'");
    assert_false(function_instantiate(g, "thrice", NULL, &b, &st));
    t_want_error(&st, STATUS_NOT_FOUND, "thrice");
    a = with_type("T", DT_STRING);
    assert_false(function_instantiate(g, "twice", &a, &b, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "not in the list of allowed values");
    attrs_clear(&a);
    graph_unref(g);
}

static void test_function__a_call_is_a_node(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct function_body b;

    t_want_import(g, F(SQUARE));
    struct node *p = t_placeholder(g, "p", DT_FLOAT, 1, 3);
    struct node *call = t_node(g, "twice", "call", 1, t_out(p, 0));

    assert_int_equal(attrs_type(&call->attrs, "T"), DT_FLOAT);
    t_want_shape(t_out(call, 0), "<unknown>");
    assert_true(function_instantiate(g, "twice", &call->attrs, &b, &st));
    /* the body outlives the graph it came from */
    graph_unref(g);
    assert_ptr_equal(graph_find_op(b.graph, "twice")->function, graph_function(b.graph, "twice"));
    function_body_clear(&b);
}

static void test_function__lists_and_loops(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct attrs a = {0};
    struct function_body b;

    t_want_import(
        g, F("signature{name:'f' input_arg{name:'xs' type:DT_FLOAT number_attr:'N'} "
             "output_arg{name:'ys' type_list_attr:'L'} output_arg{name:'z' type:DT_FLOAT} "
             "attr{name:'N' type:'int'} attr{name:'L' type:'list(type)'}}"
             "node_def{name:'all' op:'IdentityN' input:'xs' attr{key:'T' value{placeholder:'L'}}}"
             "node_def{name:'sum' op:'AddN' input:'xs:1' input:'all:output:0' input:'^all' "
             "attr{key:'N' value{i:2}} attr{key:'T' value{type:DT_FLOAT}}}"
             "node_def{name:'m' op:'Merge' input:'sum:sum:0' input:'n:output:0' "
             "attr{key:'N' value{i:2}} attr{key:'T' value{type:DT_FLOAT}}}"
             "node_def{name:'n' op:'NextIteration' input:'m:output:0' "
             "attr{key:'T' value{type:DT_FLOAT}}}"
             "node_def{name:'xs_0' op:'NoOp'}"
             "node_def{name:'w' op:'VarHandleOp' attr{key:'dtype' value{type:DT_FLOAT}} "
             "attr{key:'shape' value{shape{}}}}"
             "ret{key:'ys' value:'all:output'} ret{key:'z' value:'m:output:0'}"
             "control_ret{key:'c' value:'xs_0'}"));
    static const int types[] = {DT_FLOAT, DT_FLOAT};

    attrs_set(&a, "N", attr_int(2));
    attrs_set(&a, "L", attr_list(ATTR_TYPE, types, 2));
    assert_true(function_instantiate(g, "f", &a, &b, &st));
    t_want_nodes(b.graph, "xs_0_() xs_1() all(xs_0_,xs_1) sum(xs_1,all,^all) m(sum,n) n(m) xs_0() "
                          "w() ys_RetVal_0(all) ys_RetVal_1(all:1) z_RetVal(m)");
    assert_int_equal(b.num_rets, 3);
    assert_int_equal(b.num_control_rets, 2); /* what it names, and what is stateful */
    assert_string_equal(b.control_rets[0]->name, "xs_0");
    assert_string_equal(b.control_rets[1]->name, "w");
    function_body_clear(&b);
    attrs_set(&a, "N", attr_int(1 << 30));
    assert_false(function_instantiate(g, "f", &a, &b, &st));
    status_clear(&st);
    attrs_clear(&a);
    graph_unref(g);
}

static void body_refused(const char *def, const char *message)
{
    struct graph *g = graph_new();
    struct function_body b;

    t_want_import(g, def);
    assert_false(function_instantiate(g, "f", NULL, &b, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, message);
    assert_null(b.graph);
    graph_unref(g);
}

#define SIG                                                                                        \
    "signature{name:'f' input_arg{name:'x' type:DT_FLOAT} output_arg{name:'y' type:DT_FLOAT}}"
#define ID(name, in)                                                                               \
    "node_def{name:'" name "' op:'Identity' input:'" in "' attr{key:'T' value{type:DT_FLOAT}}}"

static void test_function__bad_bodies(void **state UNUSED)
{
    body_refused(F(SIG), "Return y missing");
    body_refused(F(SIG "ret{key:'y' value:'q'}"), "return y -> q is not found");
    body_refused(F(SIG "ret{key:'y' value:'x:1'}"), "return y -> x:1 is not found");
    body_refused(F(SIG ID("a", "b") "ret{key:'y' value:'x'}"), "input b is not found: {{node a}}");
    body_refused(F(SIG ID("a", "b:output:0") ID("b", "a:output:0") "ret{key:'y' value:'x'}"),
                 "2 nodes in a cycle");
    body_refused(F(SIG ID("a", "x") ID("a", "x") "ret{key:'y' value:'x'}"), "'a' is not unique");
    body_refused(F(SIG ID("a", "x:0:0:0") "ret{key:'y' value:'x'}"), "not found");
    body_refused(F(SIG ID("a b", "x") "ret{key:'y' value:'x'}"), "misnamed");
    body_refused(F(SIG "ret{key:'y' value:'x'} control_ret{key:'c' value:'z'}"),
                 "control output 'z' is not a node");
    body_refused(F("signature{name:'f' input_arg{name:'x' type:DT_FLOAT} "
                   "input_arg{name:'x' type:DT_FLOAT}}"),
                 "argument 'x' twice");
}

static void test_function__names_are_taken_once(void **state UNUSED)
{
    struct graph *g = graph_new();

    t_want_import(g, F(SIG "ret{key:'y' value:'x'}"));
    t_want_import(g, F(SIG "ret{key:'y' value:'x'}"));
    assert_false(
        t_import(g, F(SIG ID("a", "x") "ret{key:'y' value:'a:output:0'}"), NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Cannot add function 'f' because a different function with the same name already "
                 "exists.");
    assert_false(t_import(g, F("signature{name:'NoOp'}"), NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT,
                 "Cannot add function 'NoOp' because an op with the same name already exists.");
    assert_false(
        t_import(g, F("signature{name:'h'}") "node{name:'a' op:'Missing'}", NULL, NULL, &st));
    status_clear(&st);
    assert_null(graph_function(g, "h")); /* undone with the rest */
    assert_false(t_import(g, F("signature{}"), NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "without a name");
    struct function *all[4];

    assert_int_equal(graph_functions(g, all, 4), 1);
    graph_set_function_grad(g, "f", "fg");
    assert_false(
        t_import(g, "library{gradient{function_name:'f' gradient_func:'other'}}", NULL, NULL, &st));
    t_want_error(&st, STATUS_INVALID_ARGUMENT, "already has gradient function 'fg'");
    graph_unref(g);
}

static void test_function__many_arguments(void **state UNUSED)
{
    enum { N = 300 };
    struct strbuf text = {0};
    struct graph *g = graph_new();
    struct function_body b;

    strbuf_puts(&text, "library{function{signature{name:'wide' ");
    for (int i = 0; i < N; i++)
        strbuf_printf(&text,
                      "input_arg{name:'x%d' type:DT_FLOAT} output_arg{name:'y%d' "
                      "type:DT_FLOAT} ",
                      i, i);
    strbuf_puts(&text, "} ");
    for (int i = 0; i < N; i++)
        strbuf_printf(&text, "ret{key:'y%d' value:'x%d'} ", i, N - 1 - i);
    strbuf_puts(&text, "}}");
    t_want_import(g, strbuf_text(&text));
    assert_true(function_instantiate(g, "wide", NULL, &b, &st));
    assert_int_equal(b.num_args, N);
    assert_ptr_equal(b.rets[0]->inputs[0].node, b.args[N - 1]);
    function_body_clear(&b);
    strbuf_release(&text);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_function__body_for_a_type),
        cmocka_unit_test(test_function__a_call_is_a_node),
        cmocka_unit_test(test_function__lists_and_loops),
        cmocka_unit_test(test_function__bad_bodies),
        cmocka_unit_test(test_function__names_are_taken_once),
        cmocka_unit_test(test_function__many_arguments),
    };
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
