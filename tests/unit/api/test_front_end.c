/* SPDX-License-Identifier: Apache-2.0 */
/* leat/value.h, and the stop hook of leat/script.h: what front ends rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "leat/script.h"
#include "leat/value.h"

static TF_Output dequeue(TF_Graph *g, TF_Status *s)
{
    const TF_DataType type = TF_FLOAT;
    TF_OperationDescription *d = TF_NewOperation(g, "FIFOQueueV2", "q");
    TF_SetAttrTypeList(d, "component_types", &type, 1);
    TF_Output queue = {TF_FinishOperation(d, s), 0};
    assert_int_equal(TF_GetCode(s), TF_OK);
    d = TF_NewOperation(g, "QueueDequeueV2", "deq");
    TF_AddInput(d, queue);
    TF_SetAttrTypeList(d, "component_types", &type, 1);
    TF_Output out = {TF_FinishOperation(d, s), 0};
    assert_int_equal(TF_GetCode(s), TF_OK);
    return out;
}

/* A value that nobody else has: -x of a fed x. */
static TF_Tensor *fetched(TF_Status *s)
{
    TF_Graph *g = TF_NewGraph();
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", "x");
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_Output x = {TF_FinishOperation(d, s), 0};
    d = TF_NewOperation(g, "Neg", "y");
    TF_AddInput(d, x);
    TF_Output y = {TF_FinishOperation(d, s), 0};
    TF_Session *session = TF_NewSession(g, o, s);
    TF_Tensor *fed = TF_AllocateTensor(TF_FLOAT, (int64_t[]){2}, 1, 8), *value;
    memset(TF_TensorData(fed), 0, 8);
    assert_int_equal(leat_tensor_is_shared(fed), 1);
    TF_SessionRun(session, NULL, &x, &fed, 1, &y, &value, 1, NULL, 0, NULL, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_DeleteTensor(fed);
    TF_DeleteSession(session, s);
    TF_DeleteSessionOptions(o);
    TF_DeleteGraph(g);
    return value;
}

static void test_sharing(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    TF_Tensor *t = fetched(s);
    assert_int_equal(leat_tensor_is_shared(t), 0);
    TF_Tensor *other = leat_tensor_share(t);
    assert_ptr_equal(TF_TensorData(other), TF_TensorData(t));
    assert_int_equal(TF_NumDims(other), 1);
    assert_int_equal(TF_Dim(other, 0), 2);
    assert_int_equal(leat_tensor_is_shared(t), 1);
    assert_int_equal(leat_tensor_is_shared(other), 1);
    TF_DeleteTensor(t);
    assert_int_equal(leat_tensor_is_shared(other), 0);
    TF_DeleteTensor(other);
    assert_int_equal(leat_tensor_is_shared(NULL), 0);
    assert_null(leat_tensor_share(NULL));
    TF_DeleteStatus(s);
}

static bool stop_at_third(void *data)
{
    return ++*(int *)data == 3;
}

static void test_a_waiting_thread_is_asked(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_Output out = dequeue(g, s);
    TF_Session *session = TF_NewSession(g, o, s);
    TF_Tensor *value;
    int asked = 0;
    leat_set_stop_hook(stop_at_third, &asked);
    TF_SessionRun(session, NULL, NULL, NULL, 0, &out, &value, 1, NULL, 0, NULL, s);
    leat_set_stop_hook(NULL, NULL);
    assert_int_equal(TF_GetCode(s), TF_CANCELLED);
    assert_null(value);
    assert_int_equal(asked, 3);
    TF_DeleteSession(session, s);
    TF_DeleteSessionOptions(o);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_a_waiting_thread_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
