/* SPDX-License-Identifier: Apache-2.0 */
/* Graph building for the demo, on the TF_* functions alone. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/demo.h"

void maker_init(struct maker *m)
{
    *m = (struct maker){.graph = TF_NewGraph(), .s = TF_NewStatus(), .seed = 2017};
}

void maker_release(struct maker *m)
{
    if (m->session)
        TF_DeleteSession(m->session, m->s);
    TF_DeleteGraph(m->graph);
    TF_DeleteStatus(m->s);
}

uint64_t demo_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

TF_Tensor *demo_tensor(TF_DataType type, const int64_t *dims, int num_dims, const void *data)
{
    size_t n = TF_DataTypeSize(type);
    for (int i = 0; i < num_dims; i++)
        n *= (size_t)dims[i];
    TF_Tensor *t = TF_AllocateTensor(type, dims, num_dims, n);
    if (t && n > 0)
        memcpy(TF_TensorData(t), data, n);
    return t;
}

static TF_OperationDescription *begin(struct maker *m, const char *op)
{
    char name[64];
    size_t pos = 0;
    int n = 0;
    while (TF_GraphNextOperation(m->graph, &pos))
        n++;
    snprintf(name, sizeof name, "%s_%d", op, n);
    return TF_NewOperation(m->graph, op, name);
}

static TF_Output finish(struct maker *m, TF_OperationDescription *d)
{
    TF_Status *s = TF_NewStatus();
    TF_Operation *op = TF_FinishOperation(d, s);
    if (TF_GetCode(m->s) == TF_OK && !op)
        TF_SetStatus(m->s, TF_GetCode(s), TF_Message(s));
    TF_DeleteStatus(s);
    return (TF_Output){op, 0};
}

static bool stopped(const struct maker *m)
{
    return TF_GetCode(m->s) != TF_OK;
}

TF_Output make_op(struct maker *m, const char *op, int n, const TF_Output *inputs)
{
    if (stopped(m))
        return (TF_Output){0};
    TF_OperationDescription *d = begin(m, op);
    for (int i = 0; i < n; i++)
        TF_AddInput(d, inputs[i]);
    return finish(m, d);
}

static TF_Output make_const(struct maker *m, TF_Tensor *t)
{
    if (!t && !stopped(m))
        TF_SetStatus(m->s, TF_RESOURCE_EXHAUSTED, "no memory for a constant");
    TF_Output out = {0};
    if (!stopped(m)) {
        TF_OperationDescription *d = begin(m, "Const");
        TF_SetAttrType(d, "dtype", TF_TensorType(t));
        TF_SetAttrTensor(d, "value", t, m->s);
        out = finish(m, d);
    }
    TF_DeleteTensor(t);
    return out;
}

TF_Output make_floats(struct maker *m, const float *v, int64_t rows, int64_t cols)
{
    return make_const(m, demo_tensor(TF_FLOAT, (int64_t[]){rows, cols}, 2, v));
}

TF_Output make_scalar(struct maker *m, float v)
{
    return make_const(m, demo_tensor(TF_FLOAT, NULL, 0, &v));
}

TF_Output make_ints(struct maker *m, const int32_t *v, int64_t n)
{
    return make_const(m, demo_tensor(TF_INT32, &n, 1, v));
}

TF_Output make_placeholder(struct maker *m, TF_DataType type)
{
    if (stopped(m))
        return (TF_Output){0};
    TF_OperationDescription *d = begin(m, "Placeholder");
    TF_SetAttrType(d, "dtype", type);
    return finish(m, d);
}

TF_Output make_variable(struct maker *m, const int64_t *dims, int num_dims, float limit)
{
    if (stopped(m) || m->num_vars == (int)ARRAY_LEN(m->vars))
        return (TF_Output){0};
    int64_t n = 1;
    for (int i = 0; i < num_dims; i++)
        n *= dims[i];
    float *v = mem_new_array(float, n);
    for (int64_t i = 0; i < n; i++)
        v[i] = limit * (float)((double)(demo_random(&m->seed) >> 11) * 0x1p-52 - 1.0);
    TF_Output start = make_const(m, demo_tensor(TF_FLOAT, dims, num_dims, v));
    mem_free(v);
    TF_OperationDescription *d = begin(m, "VariableV2");
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", dims, num_dims);
    TF_Output var = finish(m, d);
    m->vars[m->num_vars] = var;
    m->inits[m->num_vars++] = make_op(m, "Assign", 2, (TF_Output[]){var, start}).oper;
    /* read once a step: what computes with it never sees the step's own update */
    return make_op(m, "Identity", 1, &var);
}

TF_Output make_conv(struct maker *m, TF_Output x, TF_Output filter, int64_t stride)
{
    if (stopped(m))
        return (TF_Output){0};
    TF_OperationDescription *d = begin(m, "Conv2D");
    TF_AddInput(d, x);
    TF_AddInput(d, filter);
    TF_SetAttrIntList(d, "strides", (int64_t[]){1, stride, stride, 1}, 4);
    TF_SetAttrString(d, "padding", "SAME", 4);
    return finish(m, d);
}

bool maker_start(struct maker *m, struct status *st)
{
    if (!cli_ok(m->s, st))
        return false;
    TF_SessionOptions *options = TF_NewSessionOptions();
    m->session = TF_NewSession(m->graph, options, m->s);
    TF_DeleteSessionOptions(options);
    if (cli_ok(m->s, st) && m->num_vars > 0)
        TF_SessionRun(m->session, NULL, NULL, NULL, 0, NULL, NULL, 0, m->inits, m->num_vars, NULL,
                      m->s);
    return cli_ok(m->s, st);
}
