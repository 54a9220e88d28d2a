/* SPDX-License-Identifier: Apache-2.0 */
/* String tensors of TF_TStrings: the functions, values through a session and a kernel, malformed
 * ones, who frees what; and that the other layout is refused. The process has this layout from the
 * start; test_string_tensors has the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "leat/strings.h"
#include "misuse.h"
#include "tensor/tensor.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static struct bench b;
static const char longer[] = "a string of more than twenty-two bytes";

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
    struct buffer_stats stats;
    buffer_stats(&stats);
    return stats.in_use == 0 ? 0 : -1;
}

static void expect(TF_Code code, const char *words)
{
    if (TF_GetCode(b.st) != code || !strstr(TF_Message(b.st), words))
        fail_msg("wanted %d '%s', got %d '%s'", (int)code, words, (int)TF_GetCode(b.st),
                 TF_Message(b.st));
}

static void is(const TF_TString *s, TF_TString_Type type, const char *text)
{
    assert_int_equal(TF_TString_GetType(s), type);
    assert_int_equal(TF_TString_GetSize(s), strlen(text));
    assert_memory_equal(TF_TString_GetDataPointer(s), text, strlen(text));
}

static void test_functions(void **state)
{
    (void)state;
    TF_TString s;
    assert_int_equal(sizeof s, 24);
    memset(&s, 0xff, sizeof s);
    TF_StringInit(&s);
    is(&s, TF_TSTR_SMALL, "");
    TF_StringCopy(&s, "abc", 3);
    is(&s, TF_TSTR_SMALL, "abc");
    assert_int_equal(TF_StringGetCapacity(&s), 22);
    TF_TString_Copy(&s, "exactly 22 bytes long!", 22);
    is(&s, TF_TSTR_SMALL, "exactly 22 bytes long!");
    TF_TString_Copy(&s, longer, strlen(longer));
    is(&s, TF_TSTR_LARGE, longer);
    assert_true(TF_TString_GetCapacity(&s) >= strlen(longer));
    TF_TString_Copy(&s, TF_TString_GetDataPointer(&s) + 2, 6); /* of itself */
    is(&s, TF_TSTR_SMALL, "string");
    TF_TString_Copy(&s, longer, strlen(longer));
    TF_StringAssignView(&s, longer, 8);
    is(&s, TF_TSTR_VIEW, "a string");
    assert_ptr_equal(TF_StringGetDataPointer(&s), longer);
    assert_int_equal(TF_StringGetCapacity(&s), 0);
    TF_StringDealloc(&s);
    is(&s, TF_TSTR_SMALL, "");
    TF_TString_Copy(&s, longer, strlen(longer));
    TF_TString_Copy(&s, NULL, 4); /* left as it was */
    is(&s, TF_TSTR_LARGE, longer);
    TF_TString_Dealloc(&s);
    TF_TString_Copy(NULL, "x", 1);
    TF_TString_Init(NULL);
    TF_TString_Dealloc(NULL);
    assert_int_equal(TF_StringGetSize(NULL), 0);
    assert_int_equal(TF_StringGetType(NULL), TF_TSTR_SMALL);
    assert_string_equal(TF_StringGetDataPointer(NULL), "");
}

static TF_Tensor *three(void)
{
    int64_t n = 3;
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, &n, 1, 3 * sizeof(TF_TString));
    TF_TString *s = TF_TensorData(t);
    TF_TString_Init(&s[0]);
    TF_TString_Copy(&s[0], "short", 5);
    TF_TString_Init(&s[1]);
    TF_TString_Copy(&s[1], longer, strlen(longer));
    TF_TString_Init(&s[2]);
    TF_TString_AssignView(&s[2], longer, 8);
    return t;
}

static void end_three(TF_Tensor *t)
{
    for (int i = 0; i < 3; i++)
        TF_TString_Dealloc((TF_TString *)TF_TensorData(t) + i);
    TF_DeleteTensor(t);
}

static void holds_three(const TF_Tensor *t)
{
    const TF_TString *s = TF_TensorData(t);
    assert_int_equal(TF_TensorByteSize(t), 72);
    is(&s[0], TF_TSTR_SMALL, "short");
    is(&s[1], TF_TSTR_LARGE, longer);
    is(&s[2], TF_TSTR_SMALL, "a string");
}

static TF_Output string_in(const char *name)
{
    TF_OperationDescription *d = TF_NewOperation(b.g, "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_STRING);
    return (TF_Output){TF_FinishOperation(d, b.st), 0};
}

static TF_Tensor *run(TF_Output x, TF_Tensor *fed, TF_Output y)
{
    TF_Tensor *out = NULL;
    TF_SessionRun(b.s, NULL, &x, &fed, fed ? 1 : 0, &y, &out, 1, NULL, 0, NULL, b.st);
    return out;
}

static void test_through_a_session(void **state)
{
    (void)state;
    TF_Output x = string_in("x"), y = m_op1(&b, "Identity", "y", x);
    TF_Tensor *fed = three();
    for (int i = 0; i < 2; i++) {
        TF_Tensor *out = run(x, fed, y);
        expect(TF_OK, "");
        holds_three(out);
        if (i) /* elements that a client may not free, freed: harmless */
            TF_TString_Dealloc((TF_TString *)TF_TensorData(out) + 1);
        TF_DeleteTensor(out);
    }
    end_three(fed);
}

static void test_as_an_attr(void **state)
{
    (void)state;
    TF_Tensor *t = three(), *got = NULL;
    TF_OperationDescription *d = TF_NewOperation(b.g, "Const", "c");
    TF_SetAttrTensor(d, "value", t, b.st);
    TF_SetAttrType(d, "dtype", TF_STRING);
    end_three(t);
    TF_Operation *c = TF_FinishOperation(d, b.st);
    expect(TF_OK, "");
    TF_OperationGetAttrTensor(c, "value", &got, b.st);
    expect(TF_OK, "");
    holds_three(got);
    TF_DeleteTensor(got);
}

static void join(void *made, TF_OpKernelContext *c)
{
    TF_Tensor *x = NULL, *y;
    char text[100];
    TF_GetInput(c, 0, &x, b.st);
    const TF_TString *s = TF_TensorData(x);
    int n = snprintf(text, sizeof text, "%.*s and %.*s", (int)TF_TString_GetSize(&s[0]),
                     TF_TString_GetDataPointer(&s[0]), (int)TF_TString_GetSize(&s[1]),
                     TF_TString_GetDataPointer(&s[1]));
    if (made)
        assert_null(TF_AllocateOutput(c, 0, TF_STRING, NULL, 0, 8));
    y = TF_AllocateOutput(c, 0, TF_STRING, NULL, 0, sizeof(TF_TString));
    TF_TString_Copy(TF_TensorData(y), text, (size_t)n);
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
}

static void *be_stingy(TF_OpKernelConstruction *c)
{
    return c; /* for join: ask for too little first */
}

static void test_in_a_kernel(void **state)
{
    (void)state;
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder("TsJoin");
    TF_OpDefinitionBuilderAddInput(d, "x: string");
    TF_OpDefinitionBuilderAddOutput(d, "y: string");
    TF_RegisterOpDefinition(d, b.st);
    TF_RegisterKernelBuilder("k", TF_NewKernelBuilder("TsJoin", "CPU", NULL, join, NULL), b.st);
    TF_Output x = string_in("x");
    TF_Tensor *fed = three(), *out = run(x, fed, m_op1(&b, "TsJoin", "y", x));
    expect(TF_OK, "");
    is(TF_TensorData(out), TF_TSTR_LARGE, "short and a string of more than twenty-two bytes");
    TF_DeleteTensor(out);
    d = TF_NewOpDefinitionBuilder("TsStingy");
    TF_OpDefinitionBuilderAddInput(d, "x: string");
    TF_OpDefinitionBuilderAddOutput(d, "y: string");
    TF_RegisterOpDefinition(d, b.st);
    TF_RegisterKernelBuilder("k", TF_NewKernelBuilder("TsStingy", "CPU", be_stingy, join, NULL),
                             b.st);
    assert_null(run(x, fed, m_op1(&b, "TsStingy", "z", x)));
    expect(TF_RESOURCE_EXHAUSTED, "TF_AllocateOutput: output 0");
    end_three(fed);
}

static void test_malformed(void **state)
{
    (void)state;
    TF_Output x = string_in("x"), y = m_op1(&b, "Identity", "y", x);
    static const TF_TString rows[] = {
        {.u.smll = {.size = 23 << 2}},
        {.u.large = {.size = 5 << 2 | TF_TSTR_LARGE}},
        {.u.view = {.size = 5 << 2 | TF_TSTR_VIEW}},
        {.u.offset = {.size = 5 << 2 | TF_TSTR_OFFSET, .offset = 20}},
        {.u.offset = {.size = 5 << 2 | TF_TSTR_OFFSET, .offset = UINT32_MAX}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TF_Tensor *t = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
        memcpy(TF_TensorData(t), &rows[i], sizeof rows[i]);
        assert_null(run(x, t, y));
        expect(TF_INVALID_ARGUMENT, "element 0 is no TF_TString");
        TF_DeleteTensor(t);
    }
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, (int64_t[]){2}, 1, sizeof(TF_TString));
    assert_null(run(x, t, y));
    expect(TF_INVALID_ARGUMENT, "too short to hold number of elements");
    TF_DeleteTensor(t);
}

static void do_nothing(void *data, size_t n, void *arg)
{
    (void)data;
    (void)n;
    (void)arg;
}

/* Two elements at an odd address, the second with its bytes behind the first. */
static void test_offsets_and_alignment(void **state)
{
    (void)state;
    char bytes[80];
    TF_TString s[2] = {{.u.offset = {.size = 3 << 2 | TF_TSTR_OFFSET, .offset = 48}},
                       {.u.smll = {.size = 2 << 2, .str = "no"}}};
    memcpy(bytes + 1, s, sizeof s);
    memcpy(bytes + 49, "yes", 3);
    TF_Tensor *t = TF_NewTensor(TF_STRING, (int64_t[]){2}, 1, bytes + 1, 51, do_nothing, NULL);
    TF_Output x = string_in("x"), y = m_op1(&b, "Identity", "y", x);
    TF_Tensor *out = run(x, t, y);
    expect(TF_OK, "");
    is(TF_TensorData(out), TF_TSTR_SMALL, "yes");
    is((TF_TString *)TF_TensorData(out) + 1, TF_TSTR_SMALL, "no");
    const char *text;
    size_t n;
    assert_int_equal(leat_tensor_string_at(t, 0, &text, &n, b.st), 1);
    assert_ptr_equal(text, bytes + 49);
    TF_DeleteTensor(out);
    TF_DeleteTensor(t);
}

static void test_accessors(void **state)
{
    (void)state;
    const char *texts[] = {"short", longer, "a string"}, *text;
    size_t n;
    TF_Tensor *t = leat_string_tensor(texts, NULL, (int64_t[]){3}, 1, b.st);
    expect(TF_OK, "");
    holds_three(t);
    assert_int_equal(leat_tensor_string_at(t, 1, &text, &n, b.st), 1);
    assert_int_equal(n, strlen(longer));
    assert_memory_equal(text, longer, n);
    assert_int_equal(leat_tensor_string_at(t, 3, &text, &n, b.st), 0);
    expect(TF_OUT_OF_RANGE, "element 3 of 3");
    TF_DeleteTensor(t);
}

static void test_the_other_layout_is_refused(void **state)
{
    (void)state;
    char bytes[16];
    const char *text;
    size_t n;
    assert_int_equal(leat_get_string_layout(), LEAT_STRINGS_TSTRING);
    assert_int_equal(TF_StringEncode("ab", 2, bytes, sizeof bytes, b.st), 0);
    expect(TF_FAILED_PRECONDITION, "libtensorflow.so.2");
    assert_int_equal(TF_StringDecode("\2ab", 3, &text, &n, b.st), 0);
    expect(TF_FAILED_PRECONDITION, "libtensorflow.so.2");
    assert_int_equal(leat_set_string_layout(LEAT_STRINGS_OFFSETS, b.st), 0);
    expect(TF_FAILED_PRECONDITION, "A process can use one of them");
    assert_int_equal(leat_set_string_layout(LEAT_STRINGS_TSTRING, b.st), 1);
    assert_int_equal(leat_set_string_layout(7, b.st), 0);
    expect(TF_INVALID_ARGUMENT, "no layout 7");
}

/* Last: nothing goes after it. */
static void test_two_layouts(void **state)
{
    (void)state;
    TF_Output x = string_in("x"), y = m_op1(&b, "Identity", "y", x);
    TF_Tensor *fed = three();
    const char *text = "x";
    assert_int_equal(leat_set_string_layout(LEAT_STRINGS_OFFSETS, NULL), 0);
    assert_null(run(x, fed, y));
    expect(TF_FAILED_PRECONDITION, "A process can use one of them");
    assert_null(leat_string_tensor(&text, NULL, NULL, 0, b.st));
    expect(TF_FAILED_PRECONDITION, "A process can use one of them");
    assert_int_equal(leat_tensor_string_at(fed, 0, NULL, NULL, b.st), 0);
    expect(TF_FAILED_PRECONDITION, "A process can use one of them");
    end_three(fed);
}

static int choose(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    int ok = leat_set_string_layout(LEAT_STRINGS_TSTRING, s);
    TF_DeleteStatus(s);
    return ok ? 0 : -1;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_functions),   TEST(test_through_a_session),
        TEST(test_as_an_attr),  TEST(test_in_a_kernel),
        TEST(test_malformed),   TEST(test_offsets_and_alignment),
        TEST(test_accessors),   TEST(test_the_other_layout_is_refused),
        TEST(test_two_layouts),
    };
#undef TEST
    return cmocka_run_group_tests(tests, choose, NULL);
}
