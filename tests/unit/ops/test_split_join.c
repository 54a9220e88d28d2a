/* SPDX-License-Identifier: Apache-2.0 */
/* Split and ConcatV2 of arrays large enough to be copied as strips, and next to that border: pieces
 * against the definition, then joined the other way round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "tensorflow/c/c_api.h"

enum { MOST = 20 };

struct box { /* [outer, pieces * len, inner], split along the middle */
    int64_t outer, pieces, len, inner;
};

static TF_Output constant(TF_Graph *g, const char *name, int32_t v, TF_Status *st)
{
    TF_Tensor *t = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
    *(int32_t *)TF_TensorData(t) = v;
    TF_OperationDescription *d = TF_NewOperation(g, "Const", name);
    TF_SetAttrTensor(d, "value", t, st);
    TF_SetAttrType(d, "dtype", TF_INT32);
    TF_DeleteTensor(t);
    return (TF_Output){TF_FinishOperation(d, st), 0};
}

/* The graph: x, its pieces, and the pieces joined from the last to the first. */
static void build(TF_Graph *g, const struct box *b, int type, TF_Output *x, TF_Output *out,
                  TF_Status *st)
{
    TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", "x");
    TF_SetAttrType(d, "dtype", (TF_DataType)type);
    *x = (TF_Output){TF_FinishOperation(d, st), 0};
    const TF_Output axis = constant(g, "axis", 1, st);
    d = TF_NewOperation(g, "Split", "split");
    TF_AddInput(d, axis);
    TF_AddInput(d, *x);
    TF_SetAttrInt(d, "num_split", b->pieces);
    TF_Operation *split = TF_FinishOperation(d, st);
    TF_Output turned[MOST];
    for (int i = 0; i < b->pieces; i++)
        out[i] = turned[b->pieces - 1 - i] = (TF_Output){split, i};
    d = TF_NewOperation(g, "ConcatV2", "joined");
    TF_AddInputList(d, turned, (int)b->pieces);
    TF_AddInput(d, axis);
    out[b->pieces] = (TF_Output){TF_FinishOperation(d, st), 0};
    assert_int_equal(TF_GetCode(st), TF_OK);
}

static void check_values(const struct box *b, size_t item, const char *x, TF_Tensor *const *got)
{
    const size_t run = (size_t)(b->len * b->inner) * item;
    const char *joined = TF_TensorData(got[b->pieces]);
    for (int64_t r = 0; r < b->outer; r++) {
        for (int64_t i = 0; i < b->pieces; i++) {
            const char *want = x + (size_t)(r * b->pieces + i) * run;
            const char *piece = (const char *)TF_TensorData(got[i]) + (size_t)r * run;
            assert_int_equal(memcmp(piece, want, run), 0);
            assert_int_equal(
                memcmp(joined + (size_t)(r * b->pieces + b->pieces - 1 - i) * run, want, run), 0);
        }
    }
}

static void check(const struct box *b, int type, int threads)
{
    TF_Status *st = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output x, out[MOST];
    build(g, b, type, &x, out, st);
    char config[64];
    snprintf(config, sizeof config, "intra_op_parallelism_threads: %d", threads);
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetConfig(o, config, strlen(config), st);
    TF_Session *s = TF_NewSession(g, o, st);
    const size_t item = TF_DataTypeSize((TF_DataType)type);
    const int64_t dims[] = {b->outer, b->pieces * b->len, b->inner};
    const size_t bytes = (size_t)(dims[0] * dims[1] * dims[2]) * item;
    TF_Tensor *value = TF_AllocateTensor((TF_DataType)type, dims, 3, bytes), *got[MOST] = {0};
    for (size_t i = 0; i < bytes; i++)
        ((char *)TF_TensorData(value))[i] = (char)(i * 37 + i / 253);
    TF_SessionRun(s, NULL, &x, &value, 1, out, got, (int)b->pieces + 1, NULL, 0, NULL, st);
    assert_int_equal(TF_GetCode(st), TF_OK);
    check_values(b, item, TF_TensorData(value), got);
    for (int i = 0; i <= b->pieces; i++) {
        assert_int_equal(TF_Dim(got[i], 1), i < b->pieces ? b->len : b->pieces * b->len);
        TF_DeleteTensor(got[i]);
    }
    TF_DeleteTensor(value);
    TF_DeleteSession(s, st);
    TF_DeleteSessionOptions(o);
    TF_DeleteGraph(g);
    TF_DeleteStatus(st);
}

static void test_split_join__there_and_back(void **state)
{
    (void)state;
    static const struct box boxes[] = {
        {128, 4, 128, 1}, {129, 3, 51, 3},  {1, 2, 20000, 1}, {7, 16, 300, 1}, {7, 17, 300, 1},
        {900, 2, 9, 1},   {4096, 2, 64, 1}, {0, 3, 40, 2},    {500, 3, 0, 2},  {64, 4, 63, 5},
    };
    static const int types[] = {TF_FLOAT, TF_INT8, TF_COMPLEX128};
    for (size_t i = 0; i < ARRAY_LEN(boxes); i++)
        for (size_t t = 0; t < ARRAY_LEN(types); t++)
            for (int threads = 1; threads <= 3; threads++)
                check(&boxes[i], types[t], threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_join__there_and_back),
    };
    return cmocka_run_group_tests_name("ops/split_join", tests, NULL, NULL);
}
