/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: kernels of the caller's own, what they see, how they fail, who owns what. Codes and
 * words are TensorFlow 1.15.5's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"
#include "tensor/tensor.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static struct bench b;
static int num_made, num_ended, num_runs;

static int set_up(void **state)
{
    (void)state;
    bench_open(&b);
    num_made = num_ended = num_runs = 0;
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

static void *make(TF_OpKernelConstruction *c)
{
    (void)c;
    num_made++;
    return &num_made;
}

static void end(void *made)
{
    assert_ptr_equal(made, &num_made);
    num_ended++;
}

/* One op with input x and outputs as given, and a builder for its kernel. */
static TF_KernelBuilder *op_and_kernel(const char *op, const char *x, const char *y,
                                       void (*compute)(void *, TF_OpKernelContext *))
{
    TF_OpDefinitionBuilder *d = TF_NewOpDefinitionBuilder(op);
    TF_OpDefinitionBuilderAddInput(d, x);
    TF_OpDefinitionBuilderAddOutput(d, y);
    TF_OpDefinitionBuilderAddAttr(d, "T: type");
    TF_OpDefinitionBuilderAddAttr(d, "n: int = 3");
    TF_OpDefinitionBuilderSetIsStateful(d, true);
    TF_RegisterOpDefinition(d, b.st);
    expect(TF_OK, "");
    return TF_NewKernelBuilder(op, "CPU", make, compute, end);
}

static void add(TF_KernelBuilder *k)
{
    TF_RegisterKernelBuilder("k", k, b.st);
    expect(TF_OK, "");
}

/* Runs y once more and gives its float. */
static float value(TF_Output y)
{
    TF_Tensor *t = NULL;
    TF_SessionRun(b.s, NULL, NULL, NULL, 0, &y, &t, 1, NULL, 0, NULL, b.st);
    float v = t ? *(float *)TF_TensorData(t) : -1;
    TF_DeleteTensor(t);
    return v;
}

/* --- computing --- */

static void twice(void *made, TF_OpKernelContext *c)
{
    assert_ptr_equal(made, &num_made);
    num_runs++;
    TF_Status *s = TF_NewStatus();
    TF_Tensor *x = NULL;
    assert_int_equal(TF_NumInputs(c), 1);
    assert_int_equal(TF_NumOutputs(c), 1);
    assert_int_equal(TF_ExpectedOutputDataType(c, 0), TF_FLOAT);
    assert_int_equal(TF_ExpectedOutputDataType(c, 1), 0);
    TF_GetInput(c, 1, &x, s);
    assert_int_equal(TF_GetCode(s), TF_OUT_OF_RANGE);
    assert_string_equal(TF_Message(s), "input index out of range");
    TF_GetInput(c, -1, &x, s);
    assert_int_equal(TF_GetCode(s), TF_OUT_OF_RANGE);
    assert_null(x);
    TF_GetInput(c, 0, &x, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_SetOutput(c, 7, x, s);
    assert_string_equal(TF_Message(s), "output index out of range");
    TF_Tensor *y = TF_AllocateOutput(c, 0, TF_FLOAT, NULL, 0, sizeof(float));
    *(float *)TF_TensorData(y) = 2 * *(const float *)TF_TensorData(x);
    TF_SetOutput(c, 0, y, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_DeleteTensor(x);
    TF_DeleteTensor(y);
    TF_DeleteStatus(s);
}

static void test_life_of_a_kernel(void **state)
{
    (void)state;
    add(op_and_kernel("CkTwice", "x: T", "y: T", twice));
    TF_Output y = m_op1(&b, "CkTwice", "y", m_op1(&b, "CkTwice", "y1", m_scalar(&b, "x", 3)));
    for (int i = 0; i < 3; i++)
        assert_true(value(y) == 12);
    assert_int_equal(num_made, 2);
    assert_int_equal(num_runs, 6);
    assert_int_equal(num_ended, 0);
    bench_close(&b);
    assert_int_equal(num_ended, 2);
    bench_open(&b);
}

static void only_allocate(void *made, TF_OpKernelContext *c)
{
    (void)made;
    TF_Tensor *lost = TF_AllocateOutput(c, 0, TF_FLOAT, NULL, 0, sizeof(float));
    TF_Tensor *y = TF_AllocateOutput(c, 0, TF_FLOAT, NULL, 0, sizeof(float));
    *(float *)TF_TensorData(y) = 9;
    TF_DeleteTensor(lost);
    TF_DeleteTensor(y);
}

static void test_allocated_is_the_output(void **state)
{
    (void)state;
    add(op_and_kernel("CkAllocate", "x: T", "y: T", only_allocate));
    assert_true(value(m_op1(&b, "CkAllocate", "y", m_scalar(&b, "x", 3))) == 9);
    expect(TF_OK, "");
}

static TF_Tensor *kept;

static void keep_output(void *made, TF_OpKernelContext *c)
{
    (void)made;
    kept = TF_AllocateOutput(c, 0, TF_FLOAT, NULL, 0, sizeof(float));
    *(float *)TF_TensorData(kept) = 5;
}

static void test_kept_output(void **state)
{
    (void)state;
    add(op_and_kernel("CkKeep", "x: T", "y: T", keep_output));
    TF_Output y = m_op1(&b, "Neg", "z", m_op1(&b, "CkKeep", "y", m_scalar(&b, "x", 3)));
    assert_true(value(y) == -5);
    assert_true(*(float *)TF_TensorData(kept) == 5); /* nobody wrote in its place */
    TF_DeleteTensor(kept);
}

static void strings(void *made, TF_OpKernelContext *c)
{
    (void)made;
    char *out;
    size_t n = 8 + TF_StringEncodedSize(5);
    TF_Tensor *y = TF_AllocateOutput(c, 0, TF_STRING, NULL, 0, n);
    out = TF_TensorData(y);
    memset(out, 0, 8);
    TF_StringEncode("hello", 5, out + 8, n - 8, NULL);
    TF_DeleteTensor(y);
}

static void test_string_output(void **state)
{
    (void)state;
    add(op_and_kernel("CkString", "x: T", "y: string", strings));
    TF_Output y = m_op1(&b, "CkString", "y", m_scalar(&b, "x", 3));
    TF_Tensor *t = NULL;
    TF_SessionRun(b.s, NULL, NULL, NULL, 0, &y, &t, 1, NULL, 0, NULL, b.st);
    expect(TF_OK, "");
    const char *text;
    size_t n;
    TF_StringDecode((char *)TF_TensorData(t) + 8, TF_TensorByteSize(t) - 8, &text, &n, b.st);
    assert_int_equal(n, 5);
    assert_memory_equal(text, "hello", 5);
    TF_DeleteTensor(t);
}

static int64_t steps[2];

static void note_step(void *made, TF_OpKernelContext *c)
{
    steps[num_runs % 2] = TF_StepId(c);
    twice(made, c);
}

static void test_step_id(void **state)
{
    (void)state;
    add(op_and_kernel("CkStep", "x: T", "y: T", note_step));
    TF_Output y = m_op1(&b, "CkStep", "y", m_scalar(&b, "x", 3));
    value(y);
    value(y);
    assert_int_not_equal(steps[0], steps[1]);
}

static void read_variable(void *made, TF_OpKernelContext *c)
{
    (void)made;
    TF_Tensor *x = NULL;
    TF_Status *s = TF_NewStatus();
    TF_GetInput(c, 0, &x, s);
    if (x)
        TF_SetOutput(c, 0, x, s);
    else
        TF_OpKernelContext_Failure(c, s);
    TF_DeleteTensor(x);
    TF_DeleteStatus(s);
}

static void test_reference_input(void **state)
{
    (void)state;
    add(op_and_kernel("CkRef", "x: Ref(T)", "y: T", read_variable));
    TF_Output v = m_variable(&b, "v"), y = m_op1(&b, "CkRef", "y", v);
    value(y);
    expect(TF_FAILED_PRECONDITION, "uninitialized value v");
    value(m_op2(&b, "Assign", "set", v, m_scalar(&b, "x", 4)));
    assert_true(value(y) == 4);
}

/* --- failing --- */

static void set_nothing(void *made, TF_OpKernelContext *c)
{
    (void)made;
    (void)c;
}

static void set_wrong_type(void *made, TF_OpKernelContext *c)
{
    (void)made;
    TF_DeleteTensor(TF_AllocateOutput(c, 0, TF_INT32, NULL, 0, 4));
}

static void say_why(void *made, TF_OpKernelContext *c)
{
    TF_Status *s = TF_NewStatus();
    TF_OpKernelContext_Failure(c, s); /* TF_OK: nothing */
    TF_SetStatus(s, TF_ABORTED, "not today");
    TF_OpKernelContext_Failure(c, s);
    TF_SetStatus(s, TF_INTERNAL, "the second is not heard");
    TF_OpKernelContext_Failure(c, s);
    TF_DeleteStatus(s);
    only_allocate(made, c);
}

static void no_such_output(void *made, TF_OpKernelContext *c)
{
    only_allocate(made, c);
    assert_null(TF_AllocateOutput(c, 3, TF_FLOAT, NULL, 0, 4));
}

static void too_short(void *made, TF_OpKernelContext *c)
{
    (void)made;
    assert_null(TF_AllocateOutput(c, 0, TF_FLOAT, (int64_t[]){4}, 1, 4));
}

static void bad_string(void *made, TF_OpKernelContext *c)
{
    (void)made;
    TF_Tensor *y = TF_AllocateOutput(c, 0, TF_STRING, NULL, 0, 10);
    memset(TF_TensorData(y), 0xff, 10);
    TF_DeleteTensor(y);
}

static void test_failures(void **state)
{
    (void)state;
    static const struct {
        const char *op, *y;
        void (*compute)(void *, TF_OpKernelContext *);
        TF_Code code;
        const char *words;
    } rows[] = {
        {"CkNothing", "y: T", set_nothing, TF_INTERNAL, "Missing 0-th output from "},
        {"CkType", "y: T", set_wrong_type, TF_INTERNAL,
         "Output 0 of type int32 does not match declared output type float for node "},
        {"CkWhy", "y: T", say_why, TF_ABORTED, "not today"},
        {"CkNoOutput", "y: T", no_such_output, TF_INVALID_ARGUMENT, "there is no output 3"},
        {"CkShort", "y: T", too_short, TF_RESOURCE_EXHAUSTED, "output 0 of type 1 and 4 bytes"},
        {"CkRefOut", "y: Ref(T)", only_allocate, TF_UNIMPLEMENTED, "Output 0 of "},
        {"CkBadString", "y: string", bad_string, TF_INVALID_ARGUMENT, "Malformed TF_STRING"},
    };
    TF_Output x = m_scalar(&b, "x", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add(op_and_kernel(rows[i].op, "x: T", rows[i].y, rows[i].compute));
        m_fetch(&b, m_op1(&b, rows[i].op, rows[i].op, x));
        expect(rows[i].code, rows[i].words);
        expect(rows[i].code, rows[i].op); /* the node is named */
    }
}

static void *refuse(TF_OpKernelConstruction *c)
{
    TF_Status *s = TF_NewStatus();
    TF_SetStatus(s, TF_RESOURCE_EXHAUSTED, "cannot be made");
    TF_OpKernelConstruction_Failure(c, s);
    TF_DeleteStatus(s);
    return &num_made;
}

static void test_kernel_cannot_be_made(void **state)
{
    (void)state;
    TF_DeleteKernelBuilder(op_and_kernel("CkRefuse", "x: T", "y: T", twice));
    add(TF_NewKernelBuilder("CkRefuse", "CPU", refuse, twice, end));
    m_fetch(&b, m_op1(&b, "CkRefuse", "y", m_scalar(&b, "x", 1)));
    expect(TF_RESOURCE_EXHAUSTED, "cannot be made");
    assert_int_equal(num_ended, 1);
    assert_int_equal(num_runs, 0);
}

/* --- attrs and choice --- */

static void *read_attrs(TF_OpKernelConstruction *c)
{
    TF_Status *s = TF_NewStatus();
    TF_DataType type = 0;
    int32_t n = 0;
    TF_OpKernelConstruction_GetAttrType(c, "T", &type, s);
    assert_int_equal(type, TF_FLOAT);
    TF_OpKernelConstruction_GetAttrType(c, "zz", &type, s);
    assert_int_equal(TF_GetCode(s), TF_NOT_FOUND);
    assert_string_equal(TF_Message(s), "No attr named 'zz' in NodeDef:\n\t [[{{node y}}]]");
    TF_OpKernelConstruction_GetAttrInt32(c, "T", &n, s);
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    assert_string_equal(TF_Message(s), "AttrValue had value with type 'type' when 'int' expected");
    TF_OpKernelConstruction_GetAttrInt32(c, "T", NULL, s);
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    TF_OpKernelConstruction_GetAttrInt32(c, "n", &n, s);
    if (TF_GetCode(s) != TF_OK)
        TF_OpKernelConstruction_Failure(c, s);
    TF_DeleteStatus(s);
    num_made = n;
    return &num_made;
}

static TF_Output with_n(const char *op, int64_t n)
{
    TF_OperationDescription *d = TF_NewOperation(b.g, op, "y");
    TF_AddInput(d, m_scalar(&b, "x", 1));
    TF_SetAttrInt(d, "n", n);
    TF_Operation *y = TF_FinishOperation(d, b.st);
    expect(TF_OK, "");
    return (TF_Output){y, 0};
}

static void test_attrs(void **state)
{
    (void)state;
    TF_DeleteKernelBuilder(op_and_kernel("CkAttrs", "x: T", "y: T", twice));
    add(TF_NewKernelBuilder("CkAttrs", "CPU", read_attrs, twice, NULL));
    assert_true(value(with_n("CkAttrs", 41)) == 2);
    assert_int_equal(num_made, 41);
    bench_close(&b);
    bench_open(&b);
    value(with_n("CkAttrs", (int64_t)1 << 40));
    expect(TF_INVALID_ARGUMENT, "Attr n has value 1099511627776 out of range for an int32");
}

static void test_type_constraints(void **state)
{
    (void)state;
    TF_KernelBuilder *k = op_and_kernel("CkTypes", "x: T", "y: T", only_allocate);
    static const int refused[] = {0, 11, 12, 13, 15, 16, 24, 100, 101, -1};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char words[32];
        snprintf(words, sizeof words, "Unexpected type %d", refused[i]);
        TF_KernelBuilder_TypeConstraint(k, "T", (TF_DataType)refused[i], b.st);
        expect(TF_UNIMPLEMENTED, words);
    }
    TF_KernelBuilder_TypeConstraint(k, "T", TF_FLOAT, b.st);
    add(k);
    k = TF_NewKernelBuilder("CkTypes", "CPU", make, twice, NULL);
    TF_KernelBuilder_TypeConstraint(k, "T", TF_DOUBLE, b.st);
    add(k);
    assert_true(value(m_op1(&b, "CkTypes", "y", m_scalar(&b, "x", 1))) == 9);
    m_fetch(&b, m_op1(&b, "CkTypes", "z", m_bool(&b, "no", true)));
    expect(TF_GetCode(b.st), "No OpKernel was registered to support Op 'CkTypes'");
    expect(TF_GetCode(b.st), "T in [DT_DOUBLE]");
}

static void test_two_that_fit(void **state)
{
    (void)state;
    add(op_and_kernel("CkEqual", "x: T", "y: T", twice));
    add(TF_NewKernelBuilder("CkEqual", "CPU", NULL, twice, NULL));
    m_fetch(&b, m_op1(&b, "CkEqual", "y", m_scalar(&b, "x", 1)));
    expect(TF_INVALID_ARGUMENT, "Multiple OpKernel registrations match NodeDef '{{node y}}': 'op: "
                                "\"CkEqual\" device_type: \"CPU\"' and 'op: \"CkEqual\" "
                                "device_type: \"CPU\"'");
}

static void test_constraint_on_no_attr(void **state)
{
    (void)state;
    TF_KernelBuilder *k = op_and_kernel("CkNoAttr", "x: T", "y: T", twice);
    TF_KernelBuilder_TypeConstraint(k, "Tz", TF_FLOAT, b.st);
    add(k);
    m_fetch(&b, m_op1(&b, "CkNoAttr", "y", m_scalar(&b, "x", 1)));
    expect(TF_INVALID_ARGUMENT, "OpKernel 'CkNoAttr' has constraint on attr 'Tz' not in NodeDef '");
}

/* --- builders --- */

static void test_builders(void **state)
{
    (void)state;
    TF_DeleteKernelBuilder(NULL);
    TF_KernelBuilder_HostMemory(NULL, "x");
    TF_KernelBuilder_TypeConstraint(NULL, "T", TF_FLOAT, b.st);
    expect(TF_INVALID_ARGUMENT, "NULL");
    TF_RegisterKernelBuilder("k", NULL, b.st);
    expect(TF_INVALID_ARGUMENT, "NULL");
    TF_RegisterKernelBuilder("k", TF_NewKernelBuilder(NULL, "CPU", make, twice, end), b.st);
    expect(TF_INVALID_ARGUMENT, "needs an op");
    TF_RegisterKernelBuilder("k", TF_NewKernelBuilder("Neg", NULL, make, twice, end), b.st);
    expect(TF_INVALID_ARGUMENT, "a device");
    TF_RegisterKernelBuilder("k", TF_NewKernelBuilder("Neg", "CPU", make, NULL, end), b.st);
    expect(TF_INVALID_ARGUMENT, "a function to run");
    TF_KernelBuilder *k = TF_NewKernelBuilder("CkBuilder", "CPU", make, twice, end);
    for (int i = 0; i < 9; i++)
        TF_KernelBuilder_TypeConstraint(k, "T", TF_FLOAT, b.st);
    TF_RegisterKernelBuilder("k", k, b.st);
    expect(TF_INVALID_ARGUMENT, "more than 8");
    k = TF_NewKernelBuilder("CkBuilder", "CPU", make, twice, end);
    TF_KernelBuilder_TypeConstraint(k, "not a name", TF_FLOAT, b.st);
    TF_RegisterKernelBuilder(NULL, k, b.st);
    expect(TF_INVALID_ARGUMENT, "Kernel of op 'CkBuilder'");
    k = TF_NewKernelBuilder("CkBuilder", "CPU", make, twice, end);
    TF_KernelBuilder_HostMemory(k, "x");
    TF_KernelBuilder_HostMemory(k, "y");
    add(k);
    TF_DeleteKernelBuilder(k); /* registered: nothing happens */
    TF_RegisterKernelBuilder("k", k, b.st);
    expect(TF_INVALID_ARGUMENT, "registered");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_life_of_a_kernel),
        TEST(test_allocated_is_the_output),
        TEST(test_kept_output),
        TEST(test_string_output),
        TEST(test_step_id),
        TEST(test_reference_input),
        TEST(test_failures),
        TEST(test_kernel_cannot_be_made),
        TEST(test_attrs),
        TEST(test_type_constraints),
        TEST(test_two_that_fit),
        TEST(test_constraint_on_no_attr),
        TEST(test_builders),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
