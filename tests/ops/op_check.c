/* SPDX-License-Identifier: Apache-2.0 */
/* Values, shapes and errors of rows, compared. */
#include "op_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op_text.h"

static void tolerance(int dtype, double *rel, double *abs)
{
    if (*rel > 0 || *abs > 0)
        return;
    switch (dtype) {
    case TF_FLOAT:
    case TF_COMPLEX64:
        *rel = 1e-5;
        *abs = 1e-6;
        break;
    case TF_DOUBLE:
    case TF_COMPLEX128:
        *rel = 1e-12;
        *abs = 1e-14;
        break;
    case TF_HALF:
        *rel = *abs = 1e-3;
        break;
    case TF_BFLOAT16:
        *rel = *abs = 1e-2;
        break;
    default:
        break;
    }
}

static bool near(double a, double b, double rel, double abs)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    if (a == 0 && b == 0 && rel == 0)
        return true;
    return fabs(a - b) <= rel * fabs(b) + abs;
}

bool check_same_values(const TF_Tensor *got, const TF_Tensor *want, double rel, double abs)
{
    tolerance((int)TF_TensorType(want), &rel, &abs);
    for (long i = 0; i < TF_TensorElementCount(want); i++) {
        if (TF_TensorType(want) == TF_STRING) {
            size_t na, nb;
            const char *a = case_string(got, i, &na), *b = case_string(want, i, &nb);
            if (na != nb || memcmp(a, b, na) != 0)
                return false;
            continue;
        }
        bool exact = TF_TensorType(want) == TF_INT64 || TF_TensorType(want) == TF_UINT64;
        if (exact &&
            ((const int64_t *)TF_TensorData(got))[i] != ((const int64_t *)TF_TensorData(want))[i])
            return false;
        if (!near(case_elem(got, i, 0), case_elem(want, i, 0), rel, abs) ||
            !near(case_elem(got, i, 1), case_elem(want, i, 1), rel, abs))
            return false;
    }
    return true;
}

bool check_same_shape(const TF_Tensor *a, const TF_Tensor *b)
{
    bool same = TF_TensorType(a) == TF_TensorType(b) && TF_NumDims(a) == TF_NumDims(b);
    for (int i = 0; same && i < TF_NumDims(a); i++)
        same = TF_Dim(a, i) == TF_Dim(b, i);
    return same;
}

bool check_inferred_shape(TF_Graph *g, TF_Output o, const TF_Tensor *value, TF_Status *st)
{
    int64_t dims[254];
    int rank = TF_GraphGetTensorNumDims(g, o, st);
    if (rank < 0)
        return true;
    TF_GraphGetTensorShape(g, o, dims, rank, st);
    bool fits = rank == TF_NumDims(value);
    for (int i = 0; fits && i < rank; i++)
        fits = dims[i] < 0 || dims[i] == TF_Dim(value, i);
    return fits;
}

static const char *const code_names[] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS"};

const char *check_code_name(const TF_Status *st)
{
    return code_names[TF_GetCode(st)];
}

bool check_error_is(const TF_Status *st, const char *want)
{
    const char *name = check_code_name(st), *words = strchr(want, ':');
    size_t n = words ? (size_t)(words - want) : strlen(want);
    return strlen(name) == n && strncmp(name, want, n) == 0 &&
           (!words || strstr(TF_Message(st), words + 2));
}

TF_Session *check_open_session(TF_Graph *g, bool optimise, int devices, TF_Status *st)
{
    static const char off[] = "graph_options { optimizer_options { opt_level: L0 } "
                              "rewrite_options { disable_meta_optimizer: true } }";
    char config[200];
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_Session *session = NULL;
    int n = snprintf(config, sizeof config, "device_count { key: 'CPU' value: %d } %s", devices,
                     optimise ? "" : off);
    TF_SetConfig(o, config, (size_t)n, st);
    if (TF_GetCode(st) == TF_OK)
        session = TF_NewSession(g, o, st);
    TF_DeleteSessionOptions(o);
    return session;
}

TF_Graph *check_new_graph(int producer)
{
    /* GraphDef.versions (field 4) .producer (field 1), a varint of one byte */
    const unsigned char def[] = {0x22, 2, 8, (unsigned char)(producer & 127)};
    TF_Graph *g = TF_NewGraph();
    if (producer <= 0)
        return g;
    TF_Status *st = TF_NewStatus();
    TF_Buffer *b = TF_NewBufferFromString(def, sizeof def);
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(g, b, o, st);
    if (TF_GetCode(st) != TF_OK)
        printf("FAILED: a graph of version %d: %s\n", producer, TF_Message(st));
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(b);
    TF_DeleteStatus(st);
    return g;
}

bool check_op_exists(const char *op)
{
    TF_Graph *g = TF_NewGraph();
    TF_Status *st = TF_NewStatus();
    TF_Buffer *b = TF_NewBuffer();
    TF_GraphGetOpDef(g, op, b, st);
    bool found = TF_GetCode(st) == TF_OK;
    TF_DeleteBuffer(b);
    TF_DeleteStatus(st);
    TF_DeleteGraph(g);
    return found;
}

void check_print_field(const char *name, const char *text)
{
    if (!text)
        return;
    printf("\t%s=", name);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 32 || c > 126)
            printf("\\x%02x", c);
        else
            putchar(c);
    }
}
