/* SPDX-License-Identifier: Apache-2.0 */
/* See fuse_rig.h. */
#include "fuse_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

static TF_Session *session(struct rig *r, const char *config)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetConfig(o, config, strlen(config), r->st);
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    TF_Session *s = TF_NewSession(r->g, o, r->st);
    TF_DeleteSessionOptions(o);
    return s;
}

struct rig rig_new(int type)
{
    struct rig r = {.g = TF_NewGraph(), .st = TF_NewStatus(), .type = type};
    r.fused = session(&r, "intra_op_parallelism_threads: 2");
    r.plain = session(&r, "graph_options { rewrite_options { remapping: OFF } }");
    return r;
}

void rig_free(struct rig *r)
{
    for (int i = 0; i < r->num_feeds; i++)
        TF_DeleteTensor(r->values[i]);
    TF_DeleteSession(r->fused, r->st);
    TF_DeleteSession(r->plain, r->st);
    TF_DeleteGraph(r->g);
    TF_DeleteStatus(r->st);
}

static uint64_t seed = 88172645463325252u;
uint32_t rig_pick(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % below;
}

static double special(void)
{
    static const double values[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, 2, 1e30, -1e30};
    return values[rig_pick(ARRAY_LEN(values))];
}

TF_Output rig_feed(struct rig *r, const int64_t *dims, int rank)
{
    char name[32];
    snprintf(name, sizeof name, "x%d", r->num_feeds);
    TF_OperationDescription *d = TF_NewOperation(r->g, "Placeholder", name);
    TF_SetAttrType(d, "dtype", r->type);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    int64_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= dims[i];
    size_t bytes = (size_t)n * TF_DataTypeSize(r->type);
    TF_Tensor *t = TF_AllocateTensor(r->type, dims, rank, bytes);
    for (int64_t i = 0; i < n; i++) {
        double v =
            !r->tame && rig_pick(40) == 0 ? special() : ((double)rig_pick(20000) - 10000) / 3000;
        if (r->type == TF_FLOAT)
            ((float *)TF_TensorData(t))[i] = (float)v;
        else
            ((double *)TF_TensorData(t))[i] = v;
    }
    r->values[r->num_feeds] = t;
    r->feeds[r->num_feeds++] = o;
    return o;
}

TF_Output rig_node(struct rig *r, const char *op, int num_in, TF_Output a, TF_Output b)
{
    char name[32];
    snprintf(name, sizeof name, "n%d", r->num_nodes);
    TF_OperationDescription *d = TF_NewOperation(r->g, op, name);
    TF_AddInput(d, a);
    if (num_in == 2)
        TF_AddInput(d, b);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    if (TF_GetCode(r->st) != TF_OK)
        fail_msg("%s: %s", op, TF_Message(r->st));
    r->nodes[r->num_nodes++] = o;
    return o;
}

static bool same_element(const TF_Tensor *a, const TF_Tensor *b, size_t i)
{
    if (TF_TensorType(a) != TF_FLOAT && TF_TensorType(a) != TF_DOUBLE) {
        size_t bytes = TF_DataTypeSize(TF_TensorType(a));
        return memcmp((char *)TF_TensorData(a) + i * bytes, (char *)TF_TensorData(b) + i * bytes,
                      bytes) == 0;
    }
    if (TF_TensorType(a) == TF_FLOAT) {
        float x = ((float *)TF_TensorData(a))[i], y = ((float *)TF_TensorData(b))[i];
        return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
    }
    double x = ((double *)TF_TensorData(a))[i], y = ((double *)TF_TensorData(b))[i];
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

/* Which NaN it is where two meet is nobody's promise: compilers exchange operands. */
static bool same_bits(const TF_Tensor *a, const TF_Tensor *b)
{
    if (TF_TensorType(a) != TF_TensorType(b) || TF_NumDims(a) != TF_NumDims(b) ||
        TF_TensorByteSize(a) != TF_TensorByteSize(b))
        return false;
    for (int i = 0; i < TF_NumDims(a); i++) {
        if (TF_Dim(a, i) != TF_Dim(b, i))
            return false;
    }
    size_t n = TF_TensorByteSize(a) / TF_DataTypeSize(TF_TensorType(a));
    for (size_t i = 0; i < n; i++) {
        if (!same_element(a, b, i))
            return false;
    }
    return true;
}

TF_Code rig_compare(struct rig *r, const TF_Output *fetches, int n)
{
    TF_Tensor *a[8] = {0}, *b[8] = {0};
    char message[2000] = "";
    TF_SessionRun(r->plain, NULL, r->feeds, r->values, r->num_feeds, fetches, b, n, NULL, 0, NULL,
                  r->st);
    TF_Code code = TF_GetCode(r->st);
    snprintf(message, sizeof message, "%s", TF_Message(r->st));
    for (int again = 0; again < 2; again++) {
        TF_SessionRun(r->fused, NULL, r->feeds, r->values, r->num_feeds, fetches, a, n, NULL, 0,
                      NULL, r->st);
        assert_int_equal(TF_GetCode(r->st), code);
        assert_string_equal(TF_Message(r->st), message);
        for (int i = 0; i < n && code == TF_OK; i++) {
            if (!same_bits(a[i], b[i]))
                fail_msg("result %d of %d nodes differs", i, r->num_nodes);
            TF_DeleteTensor(a[i]);
        }
    }
    for (int i = 0; i < n && code == TF_OK; i++)
        TF_DeleteTensor(b[i]);
    return code;
}

TF_Output rig_op(struct rig *r, const char *op, const char *name, int n, const TF_Output *in)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, op, name);
    for (int i = 0; i < n; i++)
        TF_AddInput(d, in[i]);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    if (TF_GetCode(r->st) != TF_OK)
        fail_msg("%s: %s", op, TF_Message(r->st));
    return o;
}

TF_Output rig_ints(struct rig *r, const char *name, int n, const int32_t *v)
{
    int64_t dims[] = {n};
    size_t bytes = sizeof *v * (size_t)n;
    TF_Tensor *t = TF_AllocateTensor(TF_INT32, dims, 1, bytes);
    memcpy(TF_TensorData(t), v, bytes);
    TF_OperationDescription *d = TF_NewOperation(r->g, "Const", name);
    TF_SetAttrTensor(d, "value", t, r->st);
    TF_SetAttrType(d, "dtype", TF_INT32);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    TF_DeleteTensor(t);
    return o;
}
