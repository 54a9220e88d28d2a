/* SPDX-License-Identifier: Apache-2.0 */
/* Every TF_* function given NULL for what it should not be NULL: an error where there is a status,
 * nothing done where there is none, and never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

static const TF_Output none = {NULL, 0};

/* The call leaves an error, and without a status to put it in nothing happens either. */
#define FAILS(st, call)                                                                            \
    do {                                                                                           \
        TF_SetStatus(st, TF_OK, "");                                                               \
        call;                                                                                      \
        if (TF_GetCode(st) == TF_OK)                                                               \
            fail_msg("%s: no error", #call);                                                       \
    } while (0)

static void test_null__objects_are_deleted_or_read_as_nothing(void **state)
{
    (void)state;
    TF_DeleteStatus(NULL);
    TF_DeleteBuffer(NULL);
    TF_DeleteTensor(NULL);
    TF_DeleteGraph(NULL);
    TF_DeleteSessionOptions(NULL);
    TF_DeleteDeviceList(NULL);
    TF_DeleteImportGraphDefOptions(NULL);
    TF_DeleteImportGraphDefResults(NULL);
    TF_SetStatus(NULL, TF_UNKNOWN, "x");
    assert_non_null(TF_Message(NULL));
    TF_GetCode(NULL);
    TF_GetBuffer(NULL);
    TF_DeleteBuffer(TF_NewBufferFromString(NULL, 0));
    TF_DeleteBuffer(TF_NewBufferFromString(NULL, 5));
    TF_SetTarget(NULL, NULL);
    TF_Status *st = TF_NewStatus();
    TF_SetStatus(st, TF_UNKNOWN, NULL);
    assert_int_equal(TF_GetCode(st), TF_UNKNOWN);
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetTarget(o, NULL);
    FAILS(st, TF_SetConfig(NULL, NULL, 0, st));
    FAILS(st, TF_SetConfig(o, NULL, 5, st));
    TF_SetConfig(o, NULL, 5, NULL);
    TF_DeleteSessionOptions(o);
    TF_DeleteStatus(st);
}

static void test_null__tensors(void **state)
{
    (void)state;
    TF_Status *st = TF_NewStatus();
    assert_int_equal(TF_NumDims(NULL), 0);
    assert_int_equal(TF_TensorByteSize(NULL), 0);
    assert_null(TF_TensorData(NULL));
    assert_null(TF_TensorMaybeMove(NULL));
    TF_Dim(NULL, 0);
    TF_TensorType(NULL);
    TF_TensorElementCount(NULL);
    TF_TensorIsAligned(NULL);
    FAILS(st, TF_TensorBitcastFrom(NULL, TF_FLOAT, NULL, NULL, 0, st));
    assert_null(TF_AllocateTensor(TF_FLOAT, NULL, 2, 8));
    assert_null(TF_AllocateTensor(TF_FLOAT, (int64_t[]){1LL << 40, 1LL << 40}, 2, 8));
    assert_null(TF_NewTensor(TF_FLOAT, NULL, 0, NULL, 4, NULL, NULL));
    char room[8];
    const char *dst;
    size_t n;
    FAILS(st, TF_StringEncode(NULL, 3, room, sizeof room, st));
    FAILS(st, TF_StringEncode("abc", 3, NULL, 8, st));
    FAILS(st, TF_StringDecode(NULL, 4, &dst, &n, st));
    FAILS(st, TF_StringDecode(NULL, 4, NULL, NULL, st));
    TF_DeleteStatus(st);
}

static void test_null__building(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Status *st = b.st;
    assert_null(TF_NewOperation(NULL, "NoOp", "n"));
    assert_null(TF_NewOperation(b.g, NULL, "n"));
    assert_null(TF_NewOperation(b.g, "NoOp", NULL));
    FAILS(st, TF_FinishOperation(NULL, st));
    assert_null(TF_FinishOperation(NULL, NULL));
    TF_AddInput(NULL, none);
    TF_AddInputList(NULL, NULL, 2);
    TF_AddControlInput(NULL, NULL);
    TF_ColocateWith(NULL, NULL);
    TF_SetDevice(NULL, NULL);
    TF_OperationDescription *d = TF_NewOperation(b.g, "Neg", "a");
    TF_AddInput(d, none);
    TF_SetDevice(d, NULL);
    FAILS(st, TF_FinishOperation(d, st));
    d = TF_NewOperation(b.g, "AddN", "b");
    TF_AddInputList(d, NULL, 2);
    FAILS(st, TF_FinishOperation(d, st));
    d = TF_NewOperation(b.g, "NoOp", "c");
    TF_AddControlInput(d, NULL);
    FAILS(st, TF_FinishOperation(d, st));
    d = TF_NewOperation(b.g, "NoOp", "d");
    TF_ColocateWith(d, NULL);
    FAILS(st, TF_FinishOperation(d, st));
    assert_null(TF_GraphOperationByName(b.g, "a"));
    bench_close(&b);
}

/* Sets an attr in each way that takes a pointer, which is NULL here. name may be NULL too. */
static void set_attrs(TF_OperationDescription *d, const char *name, TF_Status *st)
{
    const void *no_bytes[1] = {NULL};
    const size_t three[1] = {3};
    const int64_t *no_dims[1] = {NULL};
    const int two[1] = {2};
    TF_Tensor *no_tensor[1] = {NULL};
    TF_SetAttrString(d, name, NULL, 3);
    TF_SetAttrStringList(d, name, NULL, NULL, 2);
    TF_SetAttrStringList(d, name, no_bytes, three, 1);
    TF_SetAttrIntList(d, name, NULL, 2);
    TF_SetAttrFloatList(d, name, NULL, 2);
    TF_SetAttrBoolList(d, name, NULL, 2);
    TF_SetAttrTypeList(d, name, NULL, 2);
    TF_SetAttrIntList(d, name, NULL, -1);
    TF_SetAttrPlaceholder(d, name, NULL);
    TF_SetAttrFuncName(d, name, NULL, 3);
    TF_SetAttrShape(d, name, NULL, 2);
    TF_SetAttrShapeList(d, name, NULL, NULL, 2);
    TF_SetAttrShapeList(d, name, no_dims, two, 1);
    FAILS(st, TF_SetAttrTensorShapeProto(d, name, NULL, 3, st));
    FAILS(st, TF_SetAttrTensorShapeProtoList(d, name, NULL, NULL, 2, st));
    FAILS(st, TF_SetAttrTensorShapeProtoList(d, name, no_bytes, three, 1, st));
    FAILS(st, TF_SetAttrTensor(d, name, NULL, st));
    FAILS(st, TF_SetAttrTensorList(d, name, NULL, 2, st));
    FAILS(st, TF_SetAttrTensorList(d, name, no_tensor, 1, st));
    FAILS(st, TF_SetAttrValueProto(d, name, NULL, 3, st));
}

static void test_null__attrs(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_OperationDescription *d = TF_NewOperation(b.g, "NoOp", "n");
    set_attrs(d, "_a", b.st);
    set_attrs(d, NULL, b.st);
    TF_SetAttrInt(d, NULL, 1);
    TF_SetAttrFloat(d, NULL, 1);
    TF_SetAttrBool(d, NULL, 1);
    TF_SetAttrType(d, NULL, TF_FLOAT);
    FAILS(b.st, TF_FinishOperation(d, b.st));
    set_attrs(NULL, "_a", b.st);
    TF_SetAttrInt(NULL, NULL, 1);
    TF_SetAttrFloat(NULL, NULL, 1);
    TF_SetAttrBool(NULL, NULL, 1);
    TF_SetAttrType(NULL, NULL, TF_FLOAT);
    bench_close(&b);
}

static void test_null__operations(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    const TF_Input no_input = {NULL, 0};
    assert_string_equal(TF_OperationName(NULL), "");
    assert_string_equal(TF_OperationOpType(NULL), "");
    assert_string_equal(TF_OperationDevice(NULL), "");
    assert_int_equal(TF_OperationNumOutputs(NULL), 0);
    assert_int_equal(TF_OperationNumInputs(NULL), 0);
    TF_OperationOutputType(none);
    TF_OperationInputType(no_input);
    assert_null(TF_OperationInput(no_input).oper);
    assert_int_equal(TF_OperationOutputNumConsumers(none), 0);
    assert_int_equal(TF_OperationOutputConsumers(none, NULL, 3), 0);
    assert_int_equal(TF_OperationNumControlInputs(NULL), 0);
    assert_int_equal(TF_OperationGetControlInputs(NULL, NULL, 3), 0);
    assert_int_equal(TF_OperationNumControlOutputs(NULL), 0);
    assert_int_equal(TF_OperationGetControlOutputs(NULL, NULL, 3), 0);
    TF_Operation *x = m_scalar(&b, "x", 1).oper;
    TF_Buffer *buffer = TF_NewBuffer();
    FAILS(b.st, TF_OperationOutputListLength(NULL, "x", b.st));
    FAILS(b.st, TF_OperationInputListLength(NULL, "x", b.st));
    FAILS(b.st, TF_OperationOutputListLength(x, NULL, b.st));
    FAILS(b.st, TF_OperationInputListLength(x, NULL, b.st));
    FAILS(b.st, TF_OperationToNodeDef(NULL, buffer, b.st));
    FAILS(b.st, TF_OperationToNodeDef(x, NULL, b.st));
    TF_OperationToNodeDef(x, NULL, NULL);
    TF_DeleteBuffer(buffer);
    bench_close(&b);
}

static void get_attrs(TF_Operation *o, const char *name, TF_Status *st)
{
    FAILS(st, TF_OperationGetAttrMetadata(o, name, st));
    FAILS(st, TF_OperationGetAttrString(o, name, NULL, 4, st));
    FAILS(st, TF_OperationGetAttrStringList(o, name, NULL, NULL, 2, NULL, 9, st));
    FAILS(st, TF_OperationGetAttrInt(o, name, NULL, st));
    FAILS(st, TF_OperationGetAttrIntList(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrFloat(o, name, NULL, st));
    FAILS(st, TF_OperationGetAttrFloatList(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrBool(o, name, NULL, st));
    FAILS(st, TF_OperationGetAttrBoolList(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrType(o, name, NULL, st));
    FAILS(st, TF_OperationGetAttrTypeList(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrShape(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrShapeList(o, name, NULL, NULL, 2, NULL, 4, st));
    FAILS(st, TF_OperationGetAttrTensorShapeProto(o, name, NULL, st));
    FAILS(st, TF_OperationGetAttrTensorShapeProtoList(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrTensor(o, name, NULL, st));
    FAILS(st, TF_OperationGetAttrTensorList(o, name, NULL, 2, st));
    FAILS(st, TF_OperationGetAttrValueProto(o, name, NULL, st));
}

static void test_null__reading_attrs(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Operation *x = m_in(&b, "x", (int64_t[]){2}, 1).oper;
    get_attrs(NULL, "dtype", b.st);
    get_attrs(x, NULL, b.st);
    TF_OperationGetAttrType(x, "dtype", NULL, b.st);
    TF_OperationGetAttrShape(x, "shape", NULL, 1, b.st);
    TF_OperationGetAttrValueProto(x, "dtype", NULL, b.st);
    TF_OperationGetAttrTensorShapeProto(x, "shape", NULL, b.st);
    TF_OperationGetAttrTensor(m_scalar(&b, "c", 1).oper, "value", NULL, b.st);
    TF_OperationGetAttrType(x, "dtype", NULL, NULL);
    bench_close(&b);
}

static void test_null__graphs(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Status *st = b.st;
    TF_Output x = m_in(&b, "x", (int64_t[]){2}, 1), dy;
    TF_Buffer *buffer = TF_NewBuffer();
    size_t pos = 0;
    int64_t dims[1];
    assert_null(TF_GraphOperationByName(NULL, "x"));
    assert_null(TF_GraphOperationByName(b.g, NULL));
    assert_null(TF_GraphNextOperation(NULL, &pos));
    assert_null(TF_GraphNextOperation(b.g, NULL));
    FAILS(st, TF_GraphToGraphDef(NULL, buffer, st));
    FAILS(st, TF_GraphToGraphDef(b.g, NULL, st));
    FAILS(st, TF_GraphGetOpDef(NULL, "Add", buffer, st));
    FAILS(st, TF_GraphGetOpDef(b.g, NULL, buffer, st));
    FAILS(st, TF_GraphGetOpDef(b.g, "Add", NULL, st));
    FAILS(st, TF_GraphVersions(NULL, buffer, st));
    FAILS(st, TF_GraphVersions(b.g, NULL, st));
    FAILS(st, TF_GraphSetTensorShape(NULL, x, dims, 1, st));
    FAILS(st, TF_GraphSetTensorShape(b.g, none, dims, 1, st));
    FAILS(st, TF_GraphSetTensorShape(b.g, x, NULL, 1, st));
    FAILS(st, TF_GraphGetTensorNumDims(NULL, x, st));
    FAILS(st, TF_GraphGetTensorNumDims(b.g, none, st));
    FAILS(st, TF_GraphGetTensorShape(NULL, x, dims, 1, st));
    FAILS(st, TF_GraphGetTensorShape(b.g, none, dims, 1, st));
    FAILS(st, TF_GraphGetTensorShape(b.g, x, NULL, 1, st));
    FAILS(st, TF_AddGradients(NULL, &x, 1, &x, 1, NULL, st, &dy));
    FAILS(st, TF_AddGradients(b.g, NULL, 1, &x, 1, NULL, st, &dy));
    FAILS(st, TF_AddGradients(b.g, &x, 1, NULL, 1, NULL, st, &dy));
    FAILS(st, TF_AddGradients(b.g, &x, 1, &x, 1, NULL, st, NULL));
    FAILS(st, TF_AddGradients(b.g, &x, -1, &x, 1, NULL, st, &dy));
    dy = none;
    FAILS(st, TF_AddGradients(b.g, &dy, 1, &x, 1, NULL, st, &dy));
    assert_false(TF_TryEvaluateConstant(NULL, x, NULL, NULL));
    assert_false(TF_TryEvaluateConstant(b.g, none, NULL, st));
    assert_false(TF_TryEvaluateConstant(b.g, x, NULL, st));
    TF_DeleteBuffer(buffer);
    bench_close(&b);
}

static void test_null__imports(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Status *st = b.st;
    TF_Output x = m_in(&b, "x", (int64_t[]){2}, 1);
    TF_Buffer *def = TF_NewBuffer();
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_ImportGraphDefOptionsSetPrefix(NULL, "p");
    TF_ImportGraphDefOptionsSetPrefix(o, NULL);
    TF_ImportGraphDefOptionsSetDefaultDevice(NULL, "d");
    TF_ImportGraphDefOptionsSetDefaultDevice(o, NULL);
    TF_ImportGraphDefOptionsSetUniquifyNames(NULL, 1);
    TF_ImportGraphDefOptionsSetUniquifyPrefix(NULL, 1);
    TF_ImportGraphDefOptionsAddInputMapping(NULL, "a", 0, x);
    TF_ImportGraphDefOptionsAddInputMapping(o, NULL, 0, x);
    TF_ImportGraphDefOptionsRemapControlDependency(NULL, "a", x.oper);
    TF_ImportGraphDefOptionsRemapControlDependency(o, NULL, x.oper);
    TF_ImportGraphDefOptionsAddControlDependency(NULL, x.oper);
    TF_ImportGraphDefOptionsAddReturnOutput(NULL, "a", 0);
    TF_ImportGraphDefOptionsAddReturnOutput(o, NULL, 0);
    TF_ImportGraphDefOptionsAddReturnOperation(NULL, "a");
    TF_ImportGraphDefOptionsAddReturnOperation(o, NULL);
    assert_int_equal(TF_ImportGraphDefOptionsNumReturnOutputs(NULL), 0);
    assert_int_equal(TF_ImportGraphDefOptionsNumReturnOperations(NULL), 0);
    FAILS(st, TF_GraphImportGraphDef(NULL, def, o, st));
    FAILS(st, TF_GraphImportGraphDef(b.g, NULL, o, st));
    assert_null(TF_GraphImportGraphDefWithResults(NULL, def, o, st));
    FAILS(st, TF_GraphImportGraphDefWithReturnOutputs(b.g, NULL, o, NULL, 1, st));
    TF_GraphImportGraphDef(b.g, def, NULL, st);
    TF_DeleteImportGraphDefOptions(o);
    o = TF_NewImportGraphDefOptions();
    TF_ImportGraphDefOptionsAddControlDependency(o, NULL);
    TF_ImportGraphDefOptionsRemapControlDependency(o, "a", NULL);
    TF_ImportGraphDefOptionsAddInputMapping(o, "a", 0, none);
    TF_GraphImportGraphDef(b.g, def, o, st);
    int n = 7;
    TF_Output *outs;
    TF_Operation **opers;
    const char **names;
    int *indices;
    TF_ImportGraphDefResultsReturnOutputs(NULL, &n, &outs);
    TF_ImportGraphDefResultsReturnOperations(NULL, &n, &opers);
    TF_ImportGraphDefResultsMissingUnusedInputMappings(NULL, &n, &names, &indices);
    assert_int_equal(n, 0);
    TF_ImportGraphDefResultsReturnOutputs(NULL, NULL, NULL);
    TF_ImportGraphDefResultsReturnOperations(NULL, NULL, NULL);
    TF_ImportGraphDefResultsMissingUnusedInputMappings(NULL, NULL, NULL, NULL);
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(def);
    bench_close(&b);
}

static void test_null__sessions(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    TF_Status *st = b.st;
    TF_Output x = m_scalar(&b, "x", 1);
    TF_Tensor *out = NULL, *no_value[1] = {NULL};
    FAILS(st, TF_NewSession(NULL, NULL, st));
    TF_DeleteSession(TF_NewSession(b.g, NULL, st), st);
    FAILS(st, TF_CloseSession(NULL, st));
    TF_DeleteSession(NULL, st);
    TF_DeleteSession(NULL, NULL);
    TF_CloseSession(NULL, NULL);
    FAILS(st, TF_SessionListDevices(NULL, st));
    FAILS(st, TF_SessionRun(NULL, NULL, NULL, NULL, 0, &x, &out, 1, NULL, 0, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, NULL, NULL, 1, &x, &out, 1, NULL, 0, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, &x, NULL, 1, &x, &out, 1, NULL, 0, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, &x, no_value, 1, &x, &out, 1, NULL, 0, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, NULL, NULL, 0, NULL, &out, 1, NULL, 0, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, NULL, NULL, 0, &x, NULL, 1, NULL, 0, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, NULL, NULL, 0, &x, &out, 1, NULL, 1, NULL, st));
    FAILS(st, TF_SessionRun(b.s, NULL, NULL, NULL, -1, &x, &out, -1, NULL, -1, NULL, st));
    TF_SessionRun(b.s, NULL, NULL, NULL, 0, &x, &out, 1, NULL, 0, NULL, NULL);
    assert_non_null(out);
    TF_DeleteTensor(out);
    assert_int_equal(TF_DeviceListCount(NULL), 0);
    FAILS(st, TF_DeviceListName(NULL, 0, st));
    FAILS(st, TF_DeviceListType(NULL, 0, st));
    FAILS(st, TF_DeviceListMemoryBytes(NULL, 0, st));
    FAILS(st, TF_DeviceListIncarnation(NULL, 0, st));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null__objects_are_deleted_or_read_as_nothing),
        cmocka_unit_test(test_null__tensors),
        cmocka_unit_test(test_null__building),
        cmocka_unit_test(test_null__attrs),
        cmocka_unit_test(test_null__operations),
        cmocka_unit_test(test_null__reading_attrs),
        cmocka_unit_test(test_null__graphs),
        cmocka_unit_test(test_null__imports),
        cmocka_unit_test(test_null__sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
