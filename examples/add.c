/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program: two placeholders, their sum, one step. Prints 3 + 4 = 7. */
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static TF_Output placeholder(TF_Graph *graph, const char *name, TF_Status *s)
{
    TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    return (TF_Output){TF_FinishOperation(d, s), 0};
}

static TF_Tensor *scalar(float v)
{
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof v);
    memcpy(TF_TensorData(t), &v, sizeof v);
    return t;
}

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *graph = TF_NewGraph();
    TF_Output in[2] = {placeholder(graph, "x", s), placeholder(graph, "y", s)};
    TF_OperationDescription *d = TF_NewOperation(graph, "Add", "sum");
    TF_AddInput(d, in[0]);
    TF_AddInput(d, in[1]);
    TF_Output sum = {TF_FinishOperation(d, s), 0};

    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Session *session = TF_NewSession(graph, options, s);
    TF_Tensor *values[2] = {scalar(3), scalar(4)}, *result = NULL;
    TF_SessionRun(session, NULL, in, values, 2, &sum, &result, 1, NULL, 0, NULL, s);
    int code = TF_GetCode(s) == TF_OK ? 0 : 1;
    if (code == 0)
        printf("3 + 4 = %g\n", (double)*(float *)TF_TensorData(result));
    else
        fprintf(stderr, "%s\n", TF_Message(s));

    TF_DeleteTensor(values[0]);
    TF_DeleteTensor(values[1]);
    TF_DeleteTensor(result);
    TF_DeleteSession(session, s);
    TF_DeleteSessionOptions(options);
    TF_DeleteGraph(graph);
    TF_DeleteStatus(s);
    return code;
}
