/* SPDX-License-Identifier: Apache-2.0 */
/* See misuse.h. */
#include "misuse.h"

enum { MAX_VALUES = 8 };

void bench_open(struct bench *b)
{
    b->g = TF_NewGraph();
    b->st = TF_NewStatus();
    TF_SessionOptions *o = TF_NewSessionOptions();
    b->s = TF_NewSession(b->g, o, b->st);
    TF_DeleteSessionOptions(o);
}

void bench_close(struct bench *b)
{
    TF_Status *st = TF_NewStatus();
    if (b->s)
        TF_DeleteSession(b->s, st);
    if (b->g)
        TF_DeleteGraph(b->g);
    TF_DeleteStatus(st);
    TF_DeleteStatus(b->st);
}

int misuse_check(const struct misuse *rows, size_t n)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        struct bench b;
        bench_open(&b);
        rows[i].act(&b);
        if (TF_GetCode(b.st) != rows[i].code || !strstr(TF_Message(b.st), rows[i].words)) {
            printf("%s: code %d, \"%s\"; wanted %d, \"%s\"\n", rows[i].name, (int)TF_GetCode(b.st),
                   TF_Message(b.st), (int)rows[i].code, rows[i].words);
            wrong++;
        }
        bench_close(&b);
    }
    return wrong;
}

TF_Output m_const(struct bench *b, const char *name, TF_DataType type, const int64_t *dims,
                  int rank, const void *bytes, size_t n)
{
    TF_Tensor *t = TF_AllocateTensor(type, dims, rank, n);
    memcpy(TF_TensorData(t), bytes, n);
    TF_OperationDescription *d = TF_NewOperation(b->g, "Const", name);
    TF_SetAttrTensor(d, "value", t, b->st);
    TF_SetAttrType(d, "dtype", type);
    TF_DeleteTensor(t);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

TF_Output m_scalar(struct bench *b, const char *name, float v)
{
    return m_const(b, name, TF_FLOAT, NULL, 0, &v, sizeof v);
}

TF_Output m_bool(struct bench *b, const char *name, bool v)
{
    return m_const(b, name, TF_BOOL, NULL, 0, &v, sizeof v);
}

TF_Output m_in(struct bench *b, const char *name, const int64_t *dims, int rank)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", dims, rank);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

TF_Output m_op(struct bench *b, const char *op, const char *name, int n, const TF_Output *in)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, op, name);
    for (int i = 0; i < n; i++)
        TF_AddInput(d, in[i]);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

TF_Output m_op1(struct bench *b, const char *op, const char *name, TF_Output x)
{
    return m_op(b, op, name, 1, &x);
}

TF_Output m_op2(struct bench *b, const char *op, const char *name, TF_Output x, TF_Output y)
{
    return m_op(b, op, name, 2, (TF_Output[]){x, y});
}

TF_Output m_variable(struct bench *b, const char *name)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "VariableV2", name);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", NULL, 0);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

TF_Tensor *m_tensor(float v)
{
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof v);
    *(float *)TF_TensorData(t) = v;
    return t;
}

void m_run(struct bench *b, int num_feeds, const TF_Output *feeds, float value, int num_fetches,
           const TF_Output *fetches)
{
    TF_Tensor *out[MAX_VALUES] = {NULL}, *in[MAX_VALUES] = {NULL};
    for (int i = 0; i < num_feeds; i++)
        in[i] = m_tensor(value);
    TF_SessionRun(b->s, NULL, feeds, in, num_feeds, fetches, out, num_fetches, NULL, 0, NULL,
                  b->st);
    for (int i = 0; i < num_feeds; i++)
        TF_DeleteTensor(in[i]);
    for (int i = 0; i < num_fetches; i++) {
        if (out[i])
            TF_DeleteTensor(out[i]);
    }
}

void m_fetch(struct bench *b, TF_Output y)
{
    if (y.oper)
        m_run(b, 0, NULL, 0, 1, &y);
}

void m_import(struct bench *b, const char *bytes, size_t n)
{
    TF_Buffer *def = TF_NewBufferFromString(bytes, n);
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(b->g, def, o, b->st);
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(def);
}
