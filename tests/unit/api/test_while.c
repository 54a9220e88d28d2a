/* SPDX-License-Identifier: Apache-2.0 */
/* TF_NewWhile, TF_FinishWhile, TF_AbortWhile: values, names, ownership, and what goes wrong, with
 * the words that TensorFlow 1.15.5 has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

static TF_Output in_graph(struct bench *b, TF_Graph *g, const char *op, const char *name, int n,
                          const TF_Output *in)
{
    struct bench inner = {g, NULL, b->st};
    return m_op(&inner, op, name, n, in);
}

static TF_Output scalar_in(struct bench *b, TF_Graph *g, const char *name, float v)
{
    struct bench inner = {g, NULL, b->st};
    return m_scalar(&inner, name, v);
}

/* while (x < limit) x = x + x; of two variables, x and limit. */
static TF_WhileParams doubling(struct bench *b, TF_Output *in)
{
    in[0] = m_in(b, "x", NULL, 0);
    in[1] = m_in(b, "limit", NULL, 0);
    TF_WhileParams w = TF_NewWhile(b->g, in, 2, b->st);
    assert_int_equal(TF_GetCode(b->st), TF_OK);
    w.cond_output = in_graph(b, w.cond_graph, "Less", "less", 2, w.cond_inputs);
    w.body_outputs[0] = in_graph(b, w.body_graph, "Add", "add", 2,
                                 (TF_Output[]){w.body_inputs[0], w.body_inputs[0]});
    w.body_outputs[1] = w.body_inputs[1];
    w.name = "loop";
    return w;
}

static float run_one(struct bench *b, const TF_Output *in, const float *values, int n, TF_Output y)
{
    TF_Tensor *fed[4] = {NULL}, *out = NULL;
    for (int i = 0; i < n; i++)
        fed[i] = m_tensor(values[i]);
    TF_SessionRun(b->s, NULL, in, fed, n, &y, &out, 1, NULL, 0, NULL, b->st);
    if (TF_GetCode(b->st) != TF_OK)
        print_message("%s\n", TF_Message(b->st));
    assert_int_equal(TF_GetCode(b->st), TF_OK);
    float v = *(float *)TF_TensorData(out);
    TF_DeleteTensor(out);
    for (int i = 0; i < n; i++)
        TF_DeleteTensor(fed[i]);
    return v;
}

static void test_while__runs_and_has_tensorflows_names(void **state)
{
    (void)state;
    struct bench b;
    TF_Output in[2], out[2];
    bench_open(&b);
    TF_WhileParams w = doubling(&b, in);
    TF_FinishWhile(&w, b.st, out);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    assert_string_equal(TF_OperationName(out[0].oper), "loop/Exit");
    assert_string_equal(TF_OperationName(out[1].oper), "loop/Exit_1");
    static const char *const names[] = {"loop/Enter_1",      "loop/Merge",    "loop/cond/less",
                                        "loop/LoopCond",     "loop/Switch_1", "loop/body/add",
                                        "loop/NextIteration"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(TF_GraphOperationByName(b.g, names[i]));
    assert_null(TF_GraphOperationByName(b.g, "loop/cond/cond_input0"));
    assert_true(run_one(&b, in, (float[]){3, 20}, 2, out[0]) == 24);
    assert_true(run_one(&b, in, (float[]){30, 20}, 2, out[0]) == 30);
    assert_true(run_one(&b, in, (float[]){3, 20}, 2, out[1]) == 20);
    bench_close(&b);
}

static void test_while__nested(void **state)
{
    (void)state;
    struct bench b;
    TF_Output in[2], inner_out[2], out[2];
    bench_open(&b);
    in[0] = m_in(&b, "x", NULL, 0);
    in[1] = m_in(&b, "i", NULL, 0);
    TF_WhileParams w = TF_NewWhile(b.g, in, 2, b.st);
    w.cond_output =
        in_graph(&b, w.cond_graph, "Less", "less", 2,
                 (TF_Output[]){w.cond_inputs[1], scalar_in(&b, w.cond_graph, "three", 3)});
    TF_Output start[2] = {w.body_inputs[0], scalar_in(&b, w.body_graph, "zero", 0)};
    TF_WhileParams v = TF_NewWhile(w.body_graph, start, 2, b.st);
    v.cond_output =
        in_graph(&b, v.cond_graph, "Less", "less", 2,
                 (TF_Output[]){v.cond_inputs[1], scalar_in(&b, v.cond_graph, "two", 2)});
    v.body_outputs[0] =
        in_graph(&b, v.body_graph, "Mul", "mul", 2,
                 (TF_Output[]){v.body_inputs[0], scalar_in(&b, v.body_graph, "two", 2)});
    v.body_outputs[1] =
        in_graph(&b, v.body_graph, "Add", "add", 2,
                 (TF_Output[]){v.body_inputs[1], scalar_in(&b, v.body_graph, "one", 1)});
    v.name = "inner";
    TF_FinishWhile(&v, b.st, inner_out);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    w.body_outputs[0] = inner_out[0];
    w.body_outputs[1] =
        in_graph(&b, w.body_graph, "Add", "add", 2,
                 (TF_Output[]){w.body_inputs[1], scalar_in(&b, w.body_graph, "one", 1)});
    w.name = "outer";
    TF_FinishWhile(&w, b.st, out);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    assert_true(run_one(&b, in, (float[]){1, 0}, 2, out[0]) == 64);
    bench_close(&b);
}

/* --- what goes wrong --- */

static void finish(struct bench *b, const TF_WhileParams *w)
{
    TF_Output out[2];
    TF_FinishWhile(w, b->st, out);
    if (TF_GetCode(b->st) != TF_OK) {
        assert_null(out[0].oper);
        assert_null(out[1].oper);
    }
}

static void no_inputs(struct bench *b)
{
    TF_Output x = m_in(b, "x", NULL, 0);
    TF_WhileParams w = TF_NewWhile(b->g, &x, 0, b->st);
    assert_null(w.cond_graph);
}

static void input_is_null(struct bench *b)
{
    TF_Output x = {NULL, 0};
    TF_WhileParams w = TF_NewWhile(b->g, &x, 1, b->st);
    assert_null(w.body_graph);
}

static void no_graph(struct bench *b)
{
    TF_Output x = m_in(b, "x", NULL, 0);
    TF_WhileParams w = TF_NewWhile(NULL, &x, 1, b->st);
    assert_int_equal(w.ninputs, 0);
}

static void cond_not_set(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.cond_output = (TF_Output){NULL, -1};
    finish(b, &w);
}

static void cond_is_no_bool(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.cond_output = w.cond_inputs[0];
    finish(b, &w);
}

static void cond_of_another_graph(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.cond_output = in[0];
    finish(b, &w);
}

static void cond_index(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.cond_output.index = 100;
    finish(b, &w);
}

static void body_not_set(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.body_outputs[1] = (TF_Output){NULL, -1};
    finish(b, &w);
}

static void body_of_another_graph(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.body_outputs[0] = in[0];
    finish(b, &w);
}

static void body_index(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.body_outputs[0].index = -2;
    finish(b, &w);
}

static void body_type(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.body_outputs[0] = in_graph(b, w.body_graph, "Less", "less", 2, w.body_inputs);
    finish(b, &w);
}

static void no_name(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.name = NULL;
    finish(b, &w);
}

static void bad_name(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    w.name = "not a name";
    finish(b, &w);
}

static void name_twice(struct bench *b)
{
    TF_Output in[2], out[2];
    TF_WhileParams w = doubling(b, in);
    TF_FinishWhile(&w, b->st, out);
    assert_int_equal(TF_GetCode(b->st), TF_OK);
    TF_WhileParams v = TF_NewWhile(b->g, in, 2, b->st);
    v.cond_output = in_graph(b, v.cond_graph, "Less", "less", 2, v.cond_inputs);
    v.body_outputs[0] = v.body_inputs[1];
    v.body_outputs[1] = v.body_inputs[0];
    v.name = "loop";
    finish(b, &v);
}

static void finished_twice(struct bench *b)
{
    TF_Output in[2], out[2];
    TF_WhileParams w = doubling(b, in);
    TF_FinishWhile(&w, b->st, out);
    assert_int_equal(TF_GetCode(b->st), TF_OK);
    TF_FinishWhile(&w, b->st, out);
}

static void finished_after_abort(struct bench *b)
{
    TF_Output in[2], out[2];
    TF_WhileParams w = doubling(b, in);
    TF_AbortWhile(&w);
    TF_AbortWhile(&w);
    TF_FinishWhile(&w, b->st, out);
}

static void not_made_here(struct bench *b)
{
    TF_WhileParams w = {.ninputs = 1, .name = "x"};
    TF_Output out;
    TF_FinishWhile(&w, b->st, &out);
}

static void no_outputs(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    TF_FinishWhile(&w, b->st, NULL);
}

static void captures_from_outside(struct bench *b)
{
    TF_Output in[2];
    TF_WhileParams w = doubling(b, in);
    in_graph(b, w.body_graph, "Neg", "neg", 1, &in[0]);
    TF_Code code = TF_GetCode(b->st);
    TF_AbortWhile(&w);
    assert_int_equal(code, TF_GetCode(b->st));
}

static const struct misuse rows[] = {
    {"no inputs", no_inputs, TF_INVALID_ARGUMENT,
     "TF_NewWhile() must be passed at least one input"},
    {"NULL input", input_is_null, TF_INVALID_ARGUMENT, ""},
    {"NULL graph", no_graph, TF_INVALID_ARGUMENT, "no graph"},
    {"condition not set", cond_not_set, TF_INVALID_ARGUMENT,
     "TF_WhileParams `cond_output` field isn't set"},
    {"condition is no bool", cond_is_no_bool, TF_INVALID_ARGUMENT,
     "BuildWhileLoop: 'cond' argument must return a boolean output, got float"},
    {"condition of another graph", cond_of_another_graph, TF_INVALID_ARGUMENT,
     "Requested return tensor 'x:0' not found in graph def"},
    {"condition's index", cond_index, TF_INVALID_ARGUMENT,
     "Invalid return output 100 of node 'less', which has 1 output(s)"},
    {"body not set", body_not_set, TF_INVALID_ARGUMENT,
     "TF_WhileParams `body_outputs[1]` field isn't set"},
    {"body of another graph", body_of_another_graph, TF_INVALID_ARGUMENT,
     "Requested return tensor 'x:0' not found in graph def"},
    {"body's index", body_index, TF_INVALID_ARGUMENT,
     "Invalid return output -2 of node 'add', which has 1 output(s)"},
    {"body's type", body_type, TF_INVALID_ARGUMENT, "is bool, but the loop's input 0 is float"},
    {"no name", no_name, TF_INVALID_ARGUMENT, "TF_WhileParams `name` field is null"},
    {"bad name", bad_name, TF_INVALID_ARGUMENT, "not a name"},
    {"name twice", name_twice, TF_INVALID_ARGUMENT,
     "WhileContext with frame name 'loop' already exists"},
    {"finished twice", finished_twice, TF_INVALID_ARGUMENT,
     "TF_WhileParams must be created by successful TF_NewWhile() call"},
    {"finished after abort", finished_after_abort, TF_INVALID_ARGUMENT,
     "TF_WhileParams must be created by successful TF_NewWhile() call"},
    {"not made here", not_made_here, TF_INVALID_ARGUMENT,
     "TF_WhileParams must be created by successful TF_NewWhile() call"},
    {"no outputs", no_outputs, TF_INVALID_ARGUMENT, "no outputs"},
    {"captured from outside", captures_from_outside, TF_INVALID_ARGUMENT, ""},
};

static void test_while__misuse_is_told(void **state)
{
    (void)state;
    assert_int_equal(misuse_check(rows, sizeof rows / sizeof *rows), 0);
}

static void test_while__parent_may_go_first(void **state)
{
    (void)state;
    TF_Status *st = TF_NewStatus();
    struct bench b = {TF_NewGraph(), NULL, st};
    TF_Output x = m_in(&b, "x", NULL, 0), out;
    TF_WhileParams w = TF_NewWhile(b.g, &x, 1, st);
    TF_DeleteGraph(b.g);
    w.cond_output = in_graph(&b, w.cond_graph, "IsNan", "nan", 1, w.cond_inputs);
    w.body_outputs[0] = w.body_inputs[0];
    w.name = "loop";
    TF_FinishWhile(&w, st, &out);
    assert_int_equal(TF_GetCode(st), TF_OK);
    TF_DeleteStatus(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_while__runs_and_has_tensorflows_names),
        cmocka_unit_test(test_while__nested),
        cmocka_unit_test(test_while__misuse_is_told),
        cmocka_unit_test(test_while__parent_may_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
