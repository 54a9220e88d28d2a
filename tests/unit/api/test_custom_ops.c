/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h: definitions made at run time, what is refused, and shape functions. Codes and words are
 * TensorFlow 1.15.5's where it does not abort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"
#include "op/op.h"
#include "tensorflow/c/ops.h"
#include <pthread.h>

static struct bench b;

static int set_up(void **state)
{
    (void)state;
    bench_open(&b);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bench_close(&b);
    return 0;
}

static void expect(TF_Code code, const char *words)
{
    if (TF_GetCode(b.st) != code || !strstr(TF_Message(b.st), words))
        fail_msg("wanted %d '%s', got %d '%s'", (int)code, words, (int)TF_GetCode(b.st),
                 TF_Message(b.st));
}

struct spec {
    const char *name;
    const char *inputs[3], *outputs[3], *attrs[3];
    void (*shape)(TF_ShapeInferenceContext *, TF_Status *);
};

static void define(const struct spec *s)
{
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder(s->name);
    for (int i = 0; i < 3; i++) {
        if (s->inputs[i])
            TF_OpDefinitionBuilderAddInput(d, s->inputs[i]);
        if (s->outputs[i])
            TF_OpDefinitionBuilderAddOutput(d, s->outputs[i]);
        if (s->attrs[i])
            TF_OpDefinitionBuilderAddAttr(d, s->attrs[i]);
    }
    if (s->shape)
        TF_OpDefinitionBuilderSetShapeInferenceFunction(d, s->shape);
    TF_RegisterOpDefinition(d, b.st);
}

static void test_wrong_definitions(void **state)
{
    (void)state;
    static const struct {
        struct spec spec;
        const char *words;
    } rows[] = {
        {{.name = ""}, "without a name"},
        {{.name = NULL}, "without a name"},
        {{.name = "lowerCase"}, "Invalid name: lowerCase (Did you use CamelCase?)"},
        {{.name = "With-Dash"}, "Invalid name: With-Dash"},
        {{.name = "CoA", .inputs = {"a:: T"}}, "CoA"},
        {{.name = "CoB", .inputs = {"a: T"}}, "CoB"},
        {{.name = "CoC", .attrs = {"T type"}}, "CoC"},
        {{.name = "CoD", .attrs = {"T: kype"}}, "CoD"},
        {{.name = "CoE", .attrs = {"n: int = x"}}, "CoE"},
        {{.name = "CoF", .attrs = {"n: int", "n: float"}}, "declared twice"},
        {{.name = "CoG", .inputs = {"a: float", "a: float"}}, "declared twice"},
        {{.name = "CoH", .inputs = {"a: float"}, .outputs = {"a: float"}}, "Duplicate name: a"},
        {{.name = "CoI", .inputs = {"A: float"}}, "is named 'A'"},
        {{.name = "CoJ", .attrs = {"9x: int"}}, "CoJ"},
        {{.name = "CoK", .inputs = {""}}, "CoK"},
        {{.name = "CoL", .attrs = {"x: {"}}, "CoL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        define(&rows[i].spec);
        expect(TF_INVALID_ARGUMENT, rows[i].words);
    }
    define(&(struct spec){.name = "MatMul"});
    expect(TF_ALREADY_EXISTS, "Op with name MatMul");
}

static void test_too_many(void **state)
{
    (void)state;
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder("CoMany");
    char text[32];
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "a%d: float", i);
        TF_OpDefinitionBuilderAddInput(d, text);
    }
    TF_RegisterOpDefinition(d, b.st);
    expect(TF_INVALID_ARGUMENT, "too many inputs");
}

static void test_nulls(void **state)
{
    (void)state;
    TF_DeleteOpDefinitionBuilder(NULL);
    TF_OpDefinitionBuilderAddAttr(NULL, "n: int");
    TF_OpDefinitionBuilderAddInput(NULL, "a: float");
    TF_OpDefinitionBuilderAddOutput(NULL, NULL);
    TF_OpDefinitionBuilderSetIsCommutative(NULL, true);
    TF_OpDefinitionBuilderDeprecated(NULL, 1, NULL);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(NULL, NULL);
    TF_RegisterOpDefinition(NULL, b.st);
    expect(TF_INVALID_ARGUMENT, "builder is NULL");
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder("CoNull");
    TF_OpDefinitionBuilderAddInput(d, NULL);
    TF_RegisterOpDefinition(d, b.st);
    expect(TF_INVALID_ARGUMENT, "CoNull");
    TF_DeleteOpDefinitionBuilder(TF_NewOpDefinitionBuilder("CoDropped"));
    TF_DeleteShapeHandle(NULL);
    TF_DeleteDimensionHandle(NULL);
    TF_ShapeInferenceContextDim(NULL, NULL, 0, NULL);
    assert_int_equal(TF_ShapeInferenceContextRank(NULL, NULL), -1);
    assert_int_equal(TF_ShapeInferenceContextNumInputs(NULL), 0);
    TF_ShapeInferenceContextWithRank(NULL, NULL, 1, NULL, b.st);
    expect(TF_INVALID_ARGUMENT, "NULL");
}

/* --- what a definition says holds for operations --- */

static void test_attrs_and_defaults(void **state)
{
    (void)state;
    define(&(struct spec){
        .name = "CoAttrs",
        .inputs = {"xs: N * T"},
        .outputs = {"y: T"},
        .attrs = {"N: int", "T: {float, int32} = DT_FLOAT", "mode: {'a', 'b'} = 'b'"}});
    expect(TF_OK, "");
    TF_Output x = m_scalar(&b, "x", 1);
    TF_OperationDescription *d = TF_NewOperation(b.g, "CoAttrs", "y");
    TF_AddInputList(d, (TF_Output[]){x, x}, 2);
    TF_Operation *y = TF_FinishOperation(d, b.st);
    expect(TF_OK, "");
    assert_int_equal(TF_OperationNumInputs(y), 2);
    char mode[8] = "";
    TF_OperationGetAttrString(y, "mode", mode, sizeof mode, b.st);
    assert_string_equal(mode, "b");
    d = TF_NewOperation(b.g, "CoAttrs", "none");
    TF_AddInputList(d, NULL, 0); /* the length of an input is at least 1 */
    TF_SetAttrType(d, "T", TF_FLOAT);
    TF_FinishOperation(d, b.st);
    expect(TF_INVALID_ARGUMENT, "");
    d = TF_NewOperation(b.g, "CoAttrs", "z");
    TF_AddInputList(d, (TF_Output[]){x}, 1);
    TF_SetAttrString(d, "mode", "c", 1);
    TF_FinishOperation(d, b.st);
    expect(TF_INVALID_ARGUMENT, "mode");
}

static void test_no_kernel_is_said(void **state)
{
    (void)state;
    define(&(struct spec){
        .name = "CoNoKernel", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}});
    m_fetch(&b, m_op1(&b, "CoNoKernel", "y", m_scalar(&b, "x", 1)));
    assert_int_not_equal(TF_GetCode(b.st), TF_OK);
    expect(TF_GetCode(b.st), "No OpKernel was registered to support Op 'CoNoKernel'");
}

static void test_no_gradient_is_said(void **state)
{
    (void)state;
    define(&(struct spec){
        .name = "CoNoGrad", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}});
    TF_Output x = m_scalar(&b, "x", 1), y = m_op1(&b, "CoNoGrad", "y", x), dx;
    TF_AddGradients(b.g, &y, 1, &x, 1, NULL, b.st, &dx);
    assert_int_not_equal(TF_GetCode(b.st), TF_OK);
    expect(TF_GetCode(b.st), "CoNoGrad");
}

static void test_import(void **state)
{
    (void)state;
    define(&(struct spec){.name = "CoImport", .inputs = {"x: float"}, .outputs = {"y: float"}});
    TF_Output x = m_scalar(&b, "x", 1);
    m_op1(&b, "CoImport", "y", x);
    TF_Buffer *bytes = TF_NewBuffer();
    TF_GraphToGraphDef(b.g, bytes, b.st);
    expect(TF_OK, "");
    TF_Graph *g = TF_NewGraph();
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(g, bytes, o, b.st);
    expect(TF_OK, "");
    assert_string_equal(TF_OperationOpType(TF_GraphOperationByName(g, "y")), "CoImport");
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(bytes);
    TF_DeleteGraph(g);
}

static void test_resources_are_state(void **state)
{
    (void)state;
    define(&(struct spec){.name = "CoOnResource", .inputs = {"r: resource"}});
    define(&(struct spec){.name = "CoMakesResource", .outputs = {"r: resource"}});
    define(&(struct spec){
        .name = "CoMayBeResource", .inputs = {"r: T"}, .attrs = {"T: {resource, float}"}});
    expect(TF_OK, "");
    assert_true(op_find("CoOnResource")->def->flags & OP_STATEFUL);
    assert_true(op_find("CoMakesResource")->def->flags & OP_STATEFUL);
    assert_false(op_find("CoMayBeResource")->def->flags & OP_STATEFUL);
}

static void test_deprecated(void **state)
{
    (void)state;
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder("CoOld");
    TF_OpDefinitionBuilderAddOutput(d, "y: float");
    TF_OpDefinitionBuilderDeprecated(d, 1, "Use something else");
    TF_RegisterOpDefinition(d, b.st);
    expect(TF_OK, "");
    m_op(&b, "CoOld", "y", 0, NULL);
    expect(TF_UNIMPLEMENTED, "Use something else");
}

/* --- shape functions --- */

static char seen[4096]; /* what a shape function saw */

static void say(const char *what, long long a, const char *words)
{
    size_t n = strlen(seen);
    snprintf(seen + n, sizeof seen - n, "%s %lld%s%s\n", what, a, words[0] ? " " : "", words);
}

static void say_shape(const char *what, TF_ShapeInferenceContext *c, TF_ShapeHandle *h,
                      TF_Status *s)
{
    char text[128] = "?";
    TF_DimensionHandle *d = TF_NewDimensionHandle();
    int64_t rank = TF_ShapeInferenceContextRank(c, h);
    for (int64_t i = 0; i < rank; i++) {
        TF_ShapeInferenceContextDim(c, h, i, d);
        snprintf(text + (i ? strlen(text) : 0), sizeof text - strlen(text), "[%lld]",
                 (long long)TF_DimensionHandleValue(d));
    }
    TF_DeleteDimensionHandle(d);
    say(what, TF_GetCode(s), rank ? text : "[]");
    if (TF_GetCode(s) != TF_OK)
        say(" because", 0, TF_Message(s));
}

static void look(TF_ShapeInferenceContext *c, TF_Status *status)
{
    TF_Status *s = TF_NewStatus();
    TF_ShapeHandle *x = TF_NewShapeHandle(), *r = TF_NewShapeHandle();
    TF_DataType type = 0;
    assert_int_equal(TF_ShapeInferenceContextNumInputs(c), 2);
    assert_int_equal(TF_ShapeInferenceContextRankKnown(c, x), 0);
    TF_ShapeInferenceContextGetInput(c, 2, x, s);
    say("input 2", TF_GetCode(s), TF_Message(s));
    TF_ShapeInferenceContextGetInput(c, -1, x, s);
    say("input -1", TF_GetCode(s), TF_Message(s));
    TF_ShapeInferenceContextGetInput(c, 1, x, s);
    say_shape("input 1", c, x, s);
    TF_ShapeInferenceContextGetInput(c, 0, x, s);
    say_shape("input 0", c, x, s);
    for (int rank = 1; rank < 4; rank++) {
        TF_ShapeInferenceContextWithRank(c, x, rank, r, s);
        say_shape("rank", c, r, s);
        TF_ShapeInferenceContextWithRankAtLeast(c, x, rank, r, s);
        say_shape("least", c, r, s);
        TF_ShapeInferenceContextWithRankAtMost(c, x, rank, r, s);
        say_shape("most", c, r, s);
    }
    TF_ShapeInferenceContextWithRank(c, x, (int64_t)1 << 40, r, s);
    say_shape("huge", c, r, s);
    TF_ShapeInferenceContextConcatenateShapes(c, x, x, r, s);
    say_shape("joined", c, r, s);
    TF_ShapeInferenceContext_GetAttrType(c, "T", &type, s);
    say("T", type, TF_Message(s));
    TF_ShapeInferenceContext_GetAttrType(c, "zz", &type, s);
    say("zz", TF_GetCode(s), TF_Message(s));
    TF_ShapeInferenceContext_GetAttrType(c, "n", &type, s);
    say("n", TF_GetCode(s), TF_Message(s));
    TF_ShapeHandle *v = TF_ShapeInferenceContextVectorFromSize(c, 7);
    TF_ShapeInferenceContextSetOutput(c, 2, v, s);
    say("output 2", TF_GetCode(s), TF_Message(s));
    TF_ShapeInferenceContextSetUnknownShape(c, s);
    TF_ShapeInferenceContextSetOutput(c, 1, v, status);
    TF_DeleteShapeHandle(v);
    TF_DeleteShapeHandle(x);
    TF_DeleteShapeHandle(r);
    TF_DeleteStatus(s);
}

static int rank_of(TF_Output o)
{
    int n = TF_GraphGetTensorNumDims(b.g, o, b.st);
    expect(TF_OK, "");
    return n;
}

static void test_shape_function(void **state)
{
    (void)state;
    define(&(struct spec){.name = "CoLook",
                          .inputs = {"x: T", "z: float"},
                          .outputs = {"a: T", "b: T"},
                          .attrs = {"T: type", "n: int = 3"},
                          .shape = look});
    seen[0] = '\0';
    TF_Output y =
        m_op2(&b, "CoLook", "y", m_in(&b, "x", (int64_t[]){2, 3}, 2), m_in(&b, "z", NULL, -1));
    expect(TF_OK, "");
    assert_string_equal(seen, "input 2 3 input index out of range\n"
                              "input -1 3 input index out of range\n"
                              "input 1 0 ?\n"
                              "input 0 0 [2][3]\n"
                              "rank 3 ?\n because 0 Shape must be rank 1 but is rank 2\n"
                              "least 0 [2][3]\n"
                              "most 3 ?\n because 0 Shape must be at most rank 1 but is rank 2\n"
                              "rank 0 [2][3]\nleast 0 [2][3]\nmost 0 [2][3]\n"
                              "rank 3 ?\n because 0 Shape must be rank 3 but is rank 2\n"
                              "least 3 ?\n because 0 Shape must be at least rank 3 but is rank 2\n"
                              "most 0 [2][3]\n"
                              "huge 3 ?\n because 0 Rank cannot exceed kint32max\n"
                              "joined 0 [2][3][2][3]\n"
                              "T 1\n"
                              "zz 5 No attr named 'zz' in NodeDef:\n\t [[{{node y}}]]\n"
                              "n 3 AttrValue had value with type 'int' when 'type' expected\n"
                              "output 2 3 output index out of range\n");
    assert_int_equal(rank_of((TF_Output){y.oper, 0}), -1);
    assert_int_equal(rank_of((TF_Output){y.oper, 1}), 1);
}

static void slices(TF_ShapeInferenceContext *c, TF_Status *status)
{
    static const int64_t rows[][2] = {{0, 1}, {0, 5}, {1, 0},  {-1, 9}, {-5, 2},
                                      {3, 4}, {2, 2}, {0, -1}, {0, -5}, {1, 2}};
    TF_ShapeHandle *x = TF_NewShapeHandle(), *r = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(c, 0, x, status);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TF_Status *s = TF_NewStatus();
        TF_ShapeInferenceContextSubshape(c, x, rows[i][0], rows[i][1], r, s);
        say_shape("slice", c, r, s);
        TF_DeleteStatus(s);
    }
    TF_DeleteShapeHandle(x);
    TF_DeleteShapeHandle(r);
}

static void test_subshape(void **state)
{
    (void)state;
    define(&(struct spec){
        .name = "CoSlices", .inputs = {"x: float"}, .outputs = {"y: float"}, .shape = slices});
    seen[0] = '\0';
    m_op1(&b, "CoSlices", "y", m_in(&b, "x", (int64_t[]){2, 3}, 2));
    expect(TF_OK, "");
    assert_string_equal(
        seen, "slice 0 [2]\nslice 0 [2][3]\n"
              "slice 3 ?\n because 0 Subshape must have computed start <= end, but is 1 and 0 "
              "(computed from start 1 and end 0 over shape with rank 2)\n"
              "slice 0 [3]\n"
              "slice 3 ?\n because 0 Subshape start out of bounds: -5, for shape with rank 2\n"
              "slice 0 []\nslice 0 []\nslice 0 [2]\n"
              "slice 3 ?\n because 0 Subshape end out of bounds: -5, for shape with rank 2\n"
              "slice 0 [3]\n");
    seen[0] = '\0';
    m_op1(&b, "CoSlices", "y2", m_in(&b, "x2", NULL, -1));
    assert_non_null(strstr(seen, "slice 0 ?\nslice 0 ?\nslice 0 ?\n"));
    assert_null(strstr(seen, "because"));
}

static void dims(TF_ShapeInferenceContext *c, TF_Status *status)
{
    TF_ShapeHandle *x = TF_NewShapeHandle();
    TF_DimensionHandle *d = TF_NewDimensionHandle();
    assert_int_equal(TF_DimensionHandleValueKnown(d), 0);
    TF_ShapeInferenceContextGetInput(c, 0, x, status);
    for (int i = -3; i < 3; i++) {
        TF_ShapeInferenceContextDim(c, x, i, d);
        say("dim", TF_DimensionHandleValue(d), TF_DimensionHandleValueKnown(d) ? "known" : "");
    }
    TF_DeleteDimensionHandle(d);
    TF_DeleteShapeHandle(x);
}

static void test_dims(void **state)
{
    (void)state;
    define(&(struct spec){
        .name = "CoDims", .inputs = {"x: float"}, .outputs = {"y: float"}, .shape = dims});
    seen[0] = '\0';
    m_op1(&b, "CoDims", "y", m_in(&b, "x", (int64_t[]){2, 3}, 2));
    assert_string_equal(seen, "dim -1\ndim 2 known\ndim 3 known\ndim 2 known\ndim 3 known\n"
                              "dim -1\n");
    seen[0] = '\0';
    m_op1(&b, "CoDims", "y2", m_in(&b, "x2", NULL, -1));
    assert_string_equal(seen, "dim -1\ndim -1\ndim -1\ndim -1\ndim -1\ndim -1\n");
}

static void refuse(TF_ShapeInferenceContext *c, TF_Status *status)
{
    (void)c;
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "not this one");
}

static void test_shape_function_fails(void **state)
{
    (void)state;
    define(&(struct spec){.name = "CoRefuse", .outputs = {"y: float"}, .shape = refuse});
    m_op(&b, "CoRefuse", "y", 0, NULL);
    expect(TF_FAILED_PRECONDITION, "not this one");
}

/* --- the registry --- */

enum { NUM_THREADS = 4, OPS_EACH = 50 };
static int num_registered; /* atomic */

static void *register_many(void *arg)
{
    TF_Status *s = TF_NewStatus();
    for (int i = 0; i < OPS_EACH; i++) { /* half of the names are everybody's */
        char name[32];
        snprintf(name, sizeof name, i % 2 ? "CoShared%d" : "CoOwn%d_%d", i, *(int *)arg);
        TF_RegisterOpDefinition(TF_NewOpDefinitionBuilder(name), s);
        if (TF_GetCode(s) == TF_OK)
            __atomic_fetch_add(&num_registered, 1, __ATOMIC_RELAXED);
        else
            assert_int_equal(TF_GetCode(s), TF_ALREADY_EXISTS);
    }
    TF_DeleteStatus(s);
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    pthread_t threads[NUM_THREADS];
    int numbers[NUM_THREADS];
    for (int i = 0; i < NUM_THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, register_many, &numbers[i]), 0);
    }
    for (int i = 0; i < NUM_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(num_registered, NUM_THREADS * OPS_EACH / 2 + OPS_EACH / 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_wrong_definitions),
        TEST(test_too_many),
        TEST(test_nulls),
        TEST(test_attrs_and_defaults),
        TEST(test_no_kernel_is_said),
        TEST(test_no_gradient_is_said),
        TEST(test_import),
        TEST(test_deprecated),
        TEST(test_resources_are_state),
        TEST(test_shape_function),
        TEST(test_subshape),
        TEST(test_dims),
        TEST(test_shape_function_fails),
        TEST(test_many_threads),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
