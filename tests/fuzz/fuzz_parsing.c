/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the ops that parse strings: Examples, sequences of features, JSON, CSV, TensorProtos and
 * packed bytes. Each gets the input as its string; what it says does not matter. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ops/parsing/example.h"
#include "ops/parsing/json.h"
#include "tensorflow/c/c_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUM_TARGETS = 7 };
static TF_Graph *graph;
static TF_Session *session;
static TF_Status *st;
static TF_Output input;
static TF_Output fetches[NUM_TARGETS];
static int num_fetches, num_nodes;

static TF_OperationDescription *node(const char *op)
{
    char name[16];
    snprintf(name, sizeof(name), "n%d", num_nodes++);
    return TF_NewOperation(graph, op, name);
}

static TF_Output done(TF_OperationDescription *d)
{
    TF_Output y = {TF_FinishOperation(d, st), 0};
    if (TF_GetCode(st) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(st));
        abort();
    }
    return y;
}

static void free_bytes(void *data, size_t n, void *arg)
{
    (void)n, (void)arg;
    free(data);
}

static TF_Tensor *string_tensor(const void *text, size_t n, const int64_t *dims, int rank)
{
    size_t bytes = 8 + TF_StringEncodedSize(n);
    char *p = calloc(1, bytes);
    if (!p)
        abort();
    TF_StringEncode(text, n, p + 8, bytes - 8, st);
    return TF_NewTensor(TF_STRING, dims, rank, p, bytes, free_bytes, NULL);
}

static TF_Output constant(TF_DataType type, TF_Tensor *t)
{
    TF_OperationDescription *d = node("Const");
    TF_SetAttrTensor(d, "value", t, st);
    TF_SetAttrType(d, "dtype", type);
    TF_Output y = done(d);
    TF_DeleteTensor(t);
    return y;
}

static TF_Output word(const char *s)
{
    return constant(TF_STRING, string_tensor(s, strlen(s), NULL, 0));
}

static TF_Output zero(TF_DataType type)
{
    TF_Tensor *t = TF_AllocateTensor(type, NULL, 0, TF_DataTypeSize(type));
    memset(TF_TensorData(t), 0, TF_TensorByteSize(t));
    return constant(type, t);
}

static void add_example(TF_Output names)
{
    static const TF_DataType types[] = {TF_INT64, TF_FLOAT, TF_STRING}, dense[] = {TF_INT64};
    const int64_t unknown = -1, *shapes[] = {&unknown};
    const int ranks[] = {1};
    TF_Output keys[] = {word("a"), word("b"), word("s")}, dense_key = word("d"),
              def = zero(TF_INT64);
    TF_OperationDescription *d = node("ParseExample");
    TF_AddInput(d, input);
    TF_AddInput(d, names);
    TF_AddInputList(d, keys, 3);
    TF_AddInputList(d, &dense_key, 1);
    TF_AddInputList(d, &def, 1);
    TF_SetAttrTypeList(d, "sparse_types", types, 3);
    TF_SetAttrTypeList(d, "Tdense", dense, 1);
    TF_SetAttrShapeList(d, "dense_shapes", shapes, ranks, 1);
    fetches[num_fetches++] = done(d);
}

static void add_sequence(TF_Output names)
{
    static const TF_DataType int64[] = {TF_INT64}, text[] = {TF_STRING};
    static const char *const a[] = {"a"}, *const s[] = {"s"}, *const d1[] = {"d"};
    const size_t one[] = {1};
    const int64_t *shapes[] = {NULL};
    const int ranks[] = {0};
    TF_OperationDescription *d = node("ParseSequenceExample");
    TF_AddInput(d, input);
    TF_AddInput(d, names);
    TF_AddInputList(d, NULL, 0);
#define STRINGS(name, v, n) TF_SetAttrStringList(d, name, (const void *const *)v, one, n)
    STRINGS("feature_list_dense_missing_assumed_empty", d1, 1);
    STRINGS("context_sparse_keys", a, 1);
    STRINGS("context_dense_keys", a, 0);
    STRINGS("feature_list_sparse_keys", s, 1);
    STRINGS("feature_list_dense_keys", d1, 1);
    TF_SetAttrInt(d, "Ncontext_sparse", 1);
    TF_SetAttrInt(d, "Nfeature_list_sparse", 1);
    TF_SetAttrInt(d, "Nfeature_list_dense", 1);
    TF_SetAttrTypeList(d, "context_sparse_types", int64, 1);
    TF_SetAttrTypeList(d, "feature_list_sparse_types", text, 1);
    TF_SetAttrTypeList(d, "feature_list_dense_types", int64, 1);
    TF_SetAttrShapeList(d, "feature_list_dense_shapes", shapes, ranks, 1);
    fetches[num_fetches++] = done(d);
}

static void add_rest(void)
{
    TF_Output defaults[] = {zero(TF_INT32), zero(TF_FLOAT), word("")};
    TF_OperationDescription *d = node("DecodeCSV");
    TF_AddInput(d, input);
    TF_AddInputList(d, defaults, 3);
    fetches[num_fetches++] = done(d);
    d = node("DecodeCompressed");
    TF_AddInput(d, input);
    TF_SetAttrString(d, "compression_type", "ZLIB", 4);
    fetches[num_fetches++] = done(d);
    d = node("DecodeRaw");
    TF_AddInput(d, input);
    TF_SetAttrType(d, "out_type", TF_INT32);
    fetches[num_fetches++] = done(d);
    d = node("Reshape");
    TF_AddInput(d, input);
    TF_Tensor *none = TF_AllocateTensor(TF_INT32, (int64_t[]){0}, 1, 0);
    TF_AddInput(d, constant(TF_INT32, none));
    TF_Output scalar = done(d);
    d = node("ParseTensor");
    TF_AddInput(d, scalar);
    TF_SetAttrType(d, "out_type", TF_FLOAT);
    fetches[num_fetches++] = done(d);
}

static void setup(void)
{
    st = TF_NewStatus();
    graph = TF_NewGraph();
    TF_OperationDescription *d = node("Placeholder");
    TF_SetAttrType(d, "dtype", TF_STRING);
    input = done(d);
    TF_Output names = constant(TF_STRING, TF_AllocateTensor(TF_STRING, (int64_t[]){0}, 1, 0));
    add_example(names);
    add_sequence(names);
    add_rest();
    TF_SessionOptions *o = TF_NewSessionOptions();
    session = TF_NewSession(graph, o, st);
    TF_DeleteSessionOptions(o);
}

/* The message that JSON becomes is one. */
static void json(struct str text)
{
    struct status why = {0};
    struct strbuf bytes = {0};
    struct str key, value;
    if (json_example(text, &bytes, &why)) {
        struct map_walk w = map_walk_of(str_make(bytes.p, bytes.n), 1);
        enum wire_result r;
        while ((r = map_walk_next(&w, &key, &value)) == WIRE_FIELD) {
            struct feature f;
            if (!feature_of(value, &f) || feature_count(&f) < 0)
                abort();
        }
        if (r != WIRE_END)
            abort();
    }
    status_clear(&why);
    strbuf_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int64_t one = 1;
    if (!session)
        setup();
    json(str_make((const char *)data, size));
    for (int i = 0; i < num_fetches; i++) {
        TF_Tensor *in = string_tensor(data, size, &one, 1), *out = NULL;
        TF_SessionRun(session, NULL, &input, &in, 1, &fetches[i], &out, 1, NULL, 0, NULL, st);
        if ((TF_GetCode(st) == TF_OK) != (out != NULL) || TF_GetCode(st) == TF_INTERNAL)
            abort();
        TF_DeleteTensor(out);
        TF_DeleteTensor(in);
    }
    return 0;
}
