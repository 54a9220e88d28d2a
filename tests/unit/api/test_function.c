/* SPDX-License-Identifier: Apache-2.0 */
/* Functions through the C API: made of graphs, in and out of libraries, called, differentiated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

#define T(f) cmocka_unit_test(f)
#define OK(b) assert_string_equal(TF_Message((b)->st), "")

static void fails(struct bench *b, TF_Code code, const char *words)
{
    if (TF_GetCode(b->st) != code || !strstr(TF_Message(b->st), words))
        fail_msg("code %d: %s", TF_GetCode(b->st), TF_Message(b->st));
    TF_SetStatus(b->st, TF_OK, "");
}

/* A function of one argument: name(x) = x * k. */
static TF_Function *times(struct bench *b, const char *name, float k)
{
    struct bench body;
    bench_open(&body);
    TF_Output x = m_in(&body, "x", NULL, 0);
    TF_Output y = m_op2(&body, "Mul", "y", x, m_scalar(&body, "k", k));
    TF_Function *f = TF_GraphToFunction(body.g, name, 0, -1, NULL, 1, &x, 1, &y, NULL, NULL,
                                        "multiplies", b->st);
    bench_close(&body);
    return f;
}

static float fetch(struct bench *b, TF_Output y)
{
    TF_Tensor *t = NULL;
    TF_SessionRun(b->s, NULL, NULL, NULL, 0, &y, &t, 1, NULL, 0, NULL, b->st);
    if (TF_GetCode(b->st) != TF_OK)
        fail_msg("%s", TF_Message(b->st));
    float v = *(float *)TF_TensorData(t);
    TF_DeleteTensor(t);
    return v;
}

static void fetch_fails(struct bench *b, TF_Output y, TF_Code code, const char *words)
{
    m_fetch(b, y);
    fails(b, code, words);
}

static bool def_has(TF_Function *f, const char *words)
{
    TF_Status *st = TF_NewStatus();
    TF_Buffer *buf = TF_NewBuffer();
    TF_FunctionToFunctionDef(f, buf, st);
    assert_int_equal(TF_GetCode(st), TF_OK);
    bool has = memmem(buf->data, buf->length, words, strlen(words)) != NULL;
    TF_DeleteBuffer(buf);
    TF_DeleteStatus(st);
    return has;
}

/* --- definitions --- */

static void test_function__of_a_graph_is_called_by_its_name(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Function *f = times(&b, "Triple", 3);
    OK(&b);
    assert_string_equal(TF_FunctionName(f), "Triple");
    assert_true(def_has(f, "multiplies"));
    TF_GraphCopyFunction(b.g, f, NULL, b.st);
    OK(&b);
    TF_DeleteFunction(f); /* the graph has a copy */
    TF_Output y = m_op1(&b, "Triple", "call", m_scalar(&b, "two", 2));
    TF_Output z = m_op1(&b, "Triple", "again", y);
    assert_true(fetch(&b, z) == 18);
    bench_close(&b);
}

static void test_function__names_are_made_for_arguments_and_nodes(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Output x = m_in(&b, "X/Y-1", NULL, 0), w = m_in(&b, "9x_y_1", NULL, 0);
    TF_Output y = m_op2(&b, "Mul", "Y", x, w);
    TF_Output in[2] = {x, w}, out[2] = {y, x};
    TF_Function *f =
        TF_GraphToFunction(b.g, "F", 1, -1, NULL, 2, in, 2, out, NULL, NULL, NULL, b.st);
    OK(&b);
    assert_true(def_has(f, "x_y_1_0") && def_has(f, "x_y_1_1") && !def_has(f, "X/Y"));
    assert_int_equal(strlen(TF_FunctionName(f)), strlen("F_") + 11);
    TF_DeleteFunction(f);
    bench_close(&b);
}

static void test_function__some_operations_of_a_graph(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Output x = m_in(&b, "x", NULL, 0), k = m_scalar(&b, "k", 2);
    TF_Output y = m_op2(&b, "Mul", "y", x, k), z = m_op2(&b, "AddV2", "z", y, k);
    const TF_Operation *body[1] = {z.oper};
    TF_Output in[2] = {y, k};
    TF_Function *f = TF_GraphToFunction(b.g, "F", 0, 1, body, 2, in, 1, &z, NULL, NULL, NULL, b.st);
    OK(&b);
    TF_DeleteFunction(f);
    assert_null(TF_GraphToFunction(b.g, "F", 0, 1, body, 1, in, 1, &z, NULL, NULL, NULL, b.st));
    fails(&b, TF_INVALID_ARGUMENT,
          "Input 1, 'k:0', of node 'z' in function 'F' is not available. You might need to include "
          "it in inputs or include its source node in the body");
    assert_null(TF_GraphToFunction(b.g, "F", 0, 1, body, 2, in, 1, &x, NULL, NULL, NULL, b.st));
    fails(&b, TF_INVALID_ARGUMENT,
          "TF_Output x:0 is neither in the function body nor among function inputs. Encountered "
          "while creating function 'F'");
    TF_Output twice[2] = {y, y};
    assert_null(TF_GraphToFunction(b.g, "F", 0, 1, body, 2, twice, 1, &z, NULL, NULL, NULL, b.st));
    fails(&b, TF_INVALID_ARGUMENT, "TF_Output y:0 appears more than once in the input list");
    TF_Output both[2] = {z, z};
    const char *names[2] = {"o", "o"};
    assert_null(TF_GraphToFunction(b.g, "F", 0, 1, body, 2, in, 2, both, names, NULL, NULL, b.st));
    fails(&b, TF_INVALID_ARGUMENT,
          "Cannot have duplicate output names. Name 'o' appears more than once in 'output_names' "
          "array.");
    TF_Output v = m_variable(&b, "v");
    assert_null(TF_GraphToFunction(b.g, "F", 0, 0, NULL, 1, &v, 0, NULL, NULL, NULL, NULL, b.st));
    fails(&b, TF_INVALID_ARGUMENT, "Output 0 of node 'v' has a reference type float_ref");
    bench_close(&b);
}

/* Colocation names the new nodes; the graph's own node keeps what it says. */
static void test_function__colocation_follows_names(void **state)
{
    (void)state;
    struct bench b;
    char text[32] = {0};
    void *strings[1];
    size_t lengths[1];
    bench_open(&b);
    TF_Output x = m_in(&b, "x", NULL, 0), y = m_op1(&b, "Neg", "y", x);
    TF_OperationDescription *d = TF_NewOperation(b.g, "Neg", "z");
    TF_AddInput(d, y);
    TF_ColocateWith(d, y.oper);
    TF_Output z = {TF_FinishOperation(d, b.st), 0};
    TF_Output out[2] = {y, z};
    TF_Function *f =
        TF_GraphToFunction(b.g, "F", 0, -1, NULL, 1, &x, 2, out, NULL, NULL, NULL, b.st);
    OK(&b);
    assert_true(def_has(f, "loc:@y_0"));
    TF_DeleteFunction(f);
    TF_OperationGetAttrStringList(z.oper, "_class", strings, lengths, 1, text, sizeof text, b.st);
    OK(&b);
    assert_string_equal(text, "loc:@y");
    bench_close(&b);
}

static void test_function__control_outputs_run(void **state)
{
    (void)state;
    struct bench b, body;
    bench_open(&b);
    bench_open(&body);
    TF_Output x = m_in(&body, "x", NULL, 0);
    TF_Output data = m_op1(&body, "CheckNumerics", "watch", x);
    (void)data;
    TF_OperationDescription *d = TF_NewOperation(body.g, "CheckNumerics", "check");
    TF_AddInput(d, x);
    TF_SetAttrString(d, "message", "seen", 4);
    TF_Operation *check = TF_FinishOperation(d, body.st);
    OK(&body);
    const TF_Operation *opers[1] = {check}, *controls[2] = {check, check};
    const char *names[1] = {"watched"};
    TF_Function *f = TF_GraphToFunctionWithControlOutputs(
        body.g, "F", 0, 1, opers, 1, &x, 1, &x, NULL, 1, controls, names, NULL, NULL, b.st);
    OK(&b);
    assert_true(def_has(f, "watched"));
    assert_null(TF_GraphToFunctionWithControlOutputs(body.g, "F", 0, 1, opers, 1, &x, 1, &x, NULL,
                                                     2, controls, NULL, NULL, NULL, b.st));
    fails(&b, TF_INVALID_ARGUMENT, "Repeated control output name: check");
    TF_GraphCopyFunction(b.g, f, NULL, b.st);
    TF_DeleteFunction(f);
    float zero = 0;
    (void)zero;
    TF_Output bad = m_op2(&b, "RealDiv", "bad", m_scalar(&b, "one", 1), m_scalar(&b, "zero", 0));
    fetch_fails(&b, m_op1(&b, "F", "call", bad), TF_INVALID_ARGUMENT, "seen");
    bench_close(&body);
    bench_close(&b);
}

static void test_function__library_of_a_graph(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Function *f = times(&b, "F", 2), *other = times(&b, "F", 3), *op = times(&b, "Add", 3);
    TF_Function *g = times(&b, "G", 2), *h = times(&b, "H", 2);
    TF_GraphCopyFunction(b.g, f, NULL, b.st);
    TF_GraphCopyFunction(b.g, f, NULL, b.st);
    OK(&b);
    TF_GraphCopyFunction(b.g, other, NULL, b.st);
    fails(
        &b, TF_INVALID_ARGUMENT,
        "Cannot add function 'F' because a different function with the same name already exists.");
    TF_GraphCopyFunction(b.g, op, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT,
          "Cannot add function 'Add' because an op with the same name already exists.");
    TF_GraphCopyFunction(b.g, f, g, b.st);
    OK(&b);
    TF_GraphCopyFunction(b.g, f, h, b.st);
    fails(&b, TF_INVALID_ARGUMENT,
          "Cannot assign gradient function 'H' to 'F' because it already has gradient function "
          "'G'");
    TF_GraphCopyFunction(b.g, NULL, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "'func' argument to TF_GraphCopyFunction cannot be null");
    assert_int_equal(TF_GraphNumFunctions(b.g), 3);
    TF_Function *all[3];
    assert_int_equal(TF_GraphGetFunctions(b.g, all, 2, b.st), 2);
    assert_string_equal(TF_FunctionName(all[0]), "F");
    assert_string_equal(TF_FunctionName(all[1]), "G");
    TF_Function *list[] = {f, other, op, g, h, all[0], all[1], NULL};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        TF_DeleteFunction(list[i]);
    bench_close(&b);
}

static void test_function__attrs_and_messages(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Function *f = times(&b, "F", 2);
    TF_Buffer *out = TF_NewBuffer(), *def = TF_NewBuffer();
    TF_FunctionSetAttrValueProto(f, "_mine", "\x18\x03", 2, b.st); /* i: 3 */
    OK(&b);
    TF_FunctionGetAttrValueProto(f, "_mine", out, b.st);
    OK(&b);
    assert_int_equal(out->length, 2);
    assert_memory_equal(out->data, "\x18\x03", 2);
    TF_FunctionSetAttrValueProto(f, "_mine", "\xff\xff", 2, b.st);
    fails(&b, TF_INVALID_ARGUMENT,
          "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
    TF_FunctionGetAttrValueProto(f, "absent", out, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "Function 'F' has no attr named 'absent'.");
    TF_FunctionToFunctionDef(f, def, b.st);
    TF_Function *copy = TF_FunctionImportFunctionDef(def->data, def->length, b.st);
    OK(&b);
    assert_string_equal(TF_FunctionName(copy), "F");
    for (size_t n = 0; n < def->length; n++) /* whatever is cut off */
        TF_DeleteFunction(TF_FunctionImportFunctionDef(def->data, n, b.st));
    assert_null(TF_FunctionImportFunctionDef("\xff\xff", 2, b.st));
    fails(&b, TF_INVALID_ARGUMENT, "Invalid FunctionDef given to TF_FunctionImportFunctionDef");
    TF_DeleteFunction(copy);
    TF_DeleteFunction(f);
    TF_DeleteBuffer(out);
    TF_DeleteBuffer(def);
    bench_close(&b);
}

static void test_function__null_is_an_error(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_DeleteFunction(NULL);
    assert_string_equal(TF_FunctionName(NULL), "");
    assert_int_equal(TF_GraphNumFunctions(NULL), 0);
    TF_GraphGetFunctions(NULL, NULL, 1, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "");
    TF_FunctionToFunctionDef(NULL, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "");
    TF_GraphToFunction(NULL, "f", 0, -1, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "");
    TF_GraphToFunction(b.g, NULL, 0, -1, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "");
    TF_GraphToFunction(b.g, "f", 0, -1, NULL, 3, NULL, 0, NULL, NULL, NULL, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "");
    TF_GraphToFunction(b.g, "f", 0, 2, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, b.st);
    fails(&b, TF_INVALID_ARGUMENT, "");
    bench_close(&b);
}

/* --- gradients --- */

static void gradient_of_call(TF_Function *grad, float want)
{
    struct bench b;
    bench_open(&b);
    TF_Function *f = times(&b, "Triple", 3);
    TF_GraphCopyFunction(b.g, f, grad, b.st);
    OK(&b);
    TF_Output x = m_scalar(&b, "x", 2), y = m_op1(&b, "Triple", "call", x), dx;
    TF_AddGradients(b.g, &y, 1, &x, 1, NULL, b.st, &dx);
    OK(&b);
    assert_string_equal(TF_OperationOpType(dx.oper), "SymbolicGradient");
    assert_true(fetch(&b, dx) == want);
    TF_DeleteFunction(f);
    bench_close(&b);
}

static void test_function__gradient_is_that_of_the_body(void **state)
{
    (void)state;
    gradient_of_call(NULL, 3);
}

/* (x, dy) -> x * dy is not the derivative, but what was asked for. */
static void test_function__gradient_may_be_another_function(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Output x = m_in(&b, "x", NULL, 0), dy = m_in(&b, "dy", NULL, 0);
    TF_Output y = m_op2(&b, "Mul", "y", x, dy), in[2] = {x, dy};
    TF_Function *g =
        TF_GraphToFunction(b.g, "Other", 0, -1, NULL, 2, in, 1, &y, NULL, NULL, NULL, b.st);
    OK(&b);
    gradient_of_call(g, 2);
    TF_DeleteFunction(g);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_function__of_a_graph_is_called_by_its_name),
        T(test_function__names_are_made_for_arguments_and_nodes),
        T(test_function__some_operations_of_a_graph),
        T(test_function__colocation_follows_names),
        T(test_function__control_outputs_run),
        T(test_function__library_of_a_graph),
        T(test_function__attrs_and_messages),
        T(test_function__null_is_an_error),
        T(test_function__gradient_is_that_of_the_body),
        T(test_function__gradient_may_be_another_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
