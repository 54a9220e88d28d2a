/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs give the same bits, and the same errors, with the passes and without them.
 *
 * Values are 3x3 floats among which are NaN, infinities and both zeros; nodes are those that passes
 * look for, in branches with known and unknown predicates, and beside variables. NaNs compare by
 * being NaNs. A failure prints the seed. */
#include <math.h>

#include "graph/graph.h"
#include "pass_fixture.h"
#include "tensorflow/c/c_api.h"

enum { SIDE = 3, ELEMS = SIDE * SIDE, MAX_VALUES = 64, NUM_GRAPHS = 400, NUM_FETCHES = 5 };

struct maker {
    TF_Graph *g;
    TF_Status *st;
    uint64_t seed;
    TF_Output values[MAX_VALUES];
    int n, names;
    TF_Output preds[3]; /* false, true, fed */
    TF_Output perm, shape, flat, one_dim;
};

static unsigned pick(struct maker *m, unsigned n)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->seed >> 33) % n;
}

static TF_OperationDescription *begin(struct maker *m, const char *op)
{
    char name[32];
    snprintf(name, sizeof name, "n%d", m->names++);
    return TF_NewOperation(m->g, op, name);
}

static TF_Output end(struct maker *m, TF_OperationDescription *d)
{
    TF_Operation *o = TF_FinishOperation(d, m->st);
    if (TF_GetCode(m->st) != TF_OK)
        fail_msg("%s", TF_Message(m->st));
    return (TF_Output){o, 0};
}

static TF_Output op(struct maker *m, const char *name, int n, TF_Output x, TF_Output y)
{
    TF_OperationDescription *d = begin(m, name);
    TF_AddInput(d, x);
    if (n > 1)
        TF_AddInput(d, y);
    return end(m, d);
}

static TF_Output constant(struct maker *m, TF_DataType type, const int64_t *dims, int rank,
                          const void *bytes, size_t n)
{
    TF_Tensor *t = TF_AllocateTensor(type, dims, rank, n);
    memcpy(TF_TensorData(t), bytes, n);
    TF_OperationDescription *d = begin(m, "Const");
    TF_SetAttrTensor(d, "value", t, m->st);
    TF_SetAttrType(d, "dtype", type);
    TF_DeleteTensor(t);
    return end(m, d);
}

static TF_Output placeholder(struct maker *m, TF_DataType type, int rank)
{
    TF_OperationDescription *d = begin(m, "Placeholder");
    TF_SetAttrType(d, "dtype", type);
    TF_SetAttrShape(d, "shape", (int64_t[]){SIDE, SIDE}, rank);
    return end(m, d);
}

static TF_Output any(struct maker *m)
{
    return m->values[pick(m, (unsigned)m->n)];
}

static TF_Output scalar(struct maker *m)
{
    static const float some[] = {0, -0.0f, 1, -1, 2, 0.5f, INFINITY, NAN};
    return constant(m, TF_FLOAT, NULL, 0, &some[pick(m, ARRAY_LEN(some))], sizeof(float));
}

static TF_Output binary(struct maker *m)
{
    static const char *const ops[] = {"Add",     "AddV2",   "Mul",     "Sub",
                                      "RealDiv", "Maximum", "Minimum", "MatMul"};
    const char *name = ops[pick(m, ARRAY_LEN(ops))];
    bool product = strcmp(name, "MatMul") == 0;
    TF_Output x = any(m), y = pick(m, 2) && !product ? scalar(m) : any(m);
    return pick(m, 4) || product ? op(m, name, 2, x, y) : op(m, name, 2, y, x);
}

static TF_Output unary(struct maker *m)
{
    static const char *const ops[] = {"Neg",   "Abs",  "Relu", "Identity",       "StopGradient",
                                      "Floor", "Sign", "Exp",  "PreventGradient"};
    const char *name = ops[pick(m, ARRAY_LEN(ops))];
    TF_Output x = op(m, name, 1, any(m), any(m));
    return pick(m, 2) ? op(m, name, 1, x, x) : x;
}

static TF_Output reshaped(struct maker *m)
{
    TF_Output x = any(m);
    switch (pick(m, 5)) {
    case 0:
        x = op(m, "Transpose", 2, x, m->perm);
        return pick(m, 2) ? op(m, "Transpose", 2, x, m->perm) : x;
    case 1:
        return op(m, "Reshape", 2, op(m, "Reshape", 2, x, m->flat), m->shape);
    case 2:
        return op(m, "Reshape", 2, x, m->shape);
    case 3: {
        TF_OperationDescription *d = begin(m, "Squeeze");
        TF_AddInput(d, op(m, "ExpandDims", 2, x, m->one_dim));
        TF_SetAttrIntList(d, "squeeze_dims", (int64_t[]){1}, 1);
        return end(m, d);
    }
    default:
        return op(m, "Reshape", 2, x, op(m, "Shape", 1, any(m), x));
    }
}

static TF_Output packed(struct maker *m)
{
    TF_OperationDescription *d = begin(m, "Unpack");
    TF_AddInput(d, any(m));
    TF_SetAttrInt(d, "num", SIDE);
    TF_Output u = end(m, d), parts[SIDE];
    for (int i = 0; i < SIDE; i++)
        parts[i] = (TF_Output){u.oper, pick(m, 4) ? i : (int)pick(m, SIDE)};
    d = begin(m, "Pack");
    TF_AddInputList(d, parts, SIDE);
    return end(m, d);
}

static TF_Output branched(struct maker *m)
{
    TF_Output pred = m->preds[pick(m, 3)], x = any(m);
    TF_Output sw = op(m, "Switch", 2, x, pred), other = {sw.oper, 1};
    TF_Output no = op(m, "Neg", 1, sw, sw), yes = op(m, "Identity", 1, other, other);
    if (pick(m, 2)) {
        TF_Output sw2 = op(m, "Switch", 2, any(m), pred);
        yes = op(m, "Sub", 2, yes, (TF_Output){sw2.oper, 1});
    }
    TF_OperationDescription *d = begin(m, "Merge");
    TF_AddInputList(d, (TF_Output[]){no, yes}, 2);
    TF_Output merged = end(m, d);
    return pick(m, 8) ? merged : pick(m, 2) ? no : yes; /* may be dead */
}

/* Waits for some, straight or by way of a NoOp, any of which may be dead. */
static TF_Output waiting(struct maker *m)
{
    const unsigned num = 1 + pick(m, 3);
    TF_OperationDescription *d = begin(m, "Identity"), *gate = pick(m, 2) ? begin(m, "NoOp") : NULL;
    TF_AddInput(d, any(m));
    for (unsigned i = 0; i < num; i++) {
        TF_Output x = pick(m, 2) ? unary(m) : any(m);
        TF_AddControlInput(gate ? gate : d,
                           pick(m, 4) ? x.oper : op(m, "Switch", 2, x, m->preds[2]).oper);
    }
    if (gate)
        TF_AddControlInput(d, end(m, gate).oper);
    return end(m, d);
}

static void put(struct maker *m, TF_Output x)
{
    if (m->n < MAX_VALUES)
        m->values[m->n++] = x;
}

static void make(struct maker *m)
{
    static const float special[ELEMS] = {1, -0.0f, 0, NAN, INFINITY, -INFINITY, -2.5f, 3, 1e30f};
    int32_t perm[] = {1, 0}, shape[] = {SIDE, SIDE}, flat[] = {-1}, one = 1;
    m->perm = constant(m, TF_INT32, (int64_t[]){2}, 1, perm, sizeof perm);
    m->shape = constant(m, TF_INT32, (int64_t[]){2}, 1, shape, sizeof shape);
    m->flat = constant(m, TF_INT32, (int64_t[]){1}, 1, flat, sizeof flat);
    m->one_dim = constant(m, TF_INT32, NULL, 0, &one, sizeof one);
    m->preds[0] = constant(m, TF_BOOL, NULL, 0, &(bool){false}, 1);
    m->preds[1] = constant(m, TF_BOOL, NULL, 0, &(bool){true}, 1);
    m->preds[2] = placeholder(m, TF_BOOL, 0);
    put(m, placeholder(m, TF_FLOAT, 2));
    put(m, placeholder(m, TF_FLOAT, -1));
    put(m, constant(m, TF_FLOAT, (int64_t[]){SIDE, SIDE}, 2, special, sizeof special));
    int num = 5 + (int)pick(m, 40);
    for (int i = 0; i < num; i++) {
        unsigned kind = pick(m, 12);
        put(m, kind < 4    ? binary(m)
               : kind < 7  ? unary(m)
               : kind < 8  ? reshaped(m)
               : kind < 9  ? packed(m)
               : kind < 10 ? branched(m)
                           : waiting(m));
    }
}

static TF_Session *session(struct maker *m, const char *config)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetConfig(o, config, strlen(config), m->st);
    TF_Session *s = TF_NewSession(m->g, o, m->st);
    TF_DeleteSessionOptions(o);
    return s;
}

static void run(struct maker *m, TF_Session *s, const TF_Output *fetches, TF_Tensor **out,
                TF_Status *st)
{
    static const float x[ELEMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, y[ELEMS] = {-0.0f, NAN, INFINITY};
    TF_Output feeds[3] = {m->preds[2], m->values[0], m->values[1]};
    TF_Tensor *in[3];
    in[0] = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
    *(bool *)TF_TensorData(in[0]) = true;
    for (int i = 1; i < 3; i++) {
        in[i] = TF_AllocateTensor(TF_FLOAT, (int64_t[]){SIDE, SIDE}, 2, sizeof x);
        memcpy(TF_TensorData(in[i]), i == 1 ? x : y, sizeof x);
    }
    TF_SessionRun(s, NULL, feeds, in, 3, fetches, out, NUM_FETCHES, NULL, 0, NULL, st);
    for (int i = 0; i < 3; i++)
        TF_DeleteTensor(in[i]);
}

static bool same_bits(TF_Tensor *a, TF_Tensor *b)
{
    const float *x = TF_TensorData(a), *y = TF_TensorData(b);
    if (TF_TensorByteSize(a) != TF_TensorByteSize(b))
        return false;
    for (size_t i = 0; i < TF_TensorByteSize(a) / sizeof(float); i++) {
        if (memcmp(&x[i], &y[i], sizeof(float)) != 0 && !(isnan(x[i]) && isnan(y[i])))
            return false;
    }
    return true;
}

/* Whether the run had values. */
static bool compare(struct maker *m, TF_Session *with, TF_Session *without, int graph)
{
    TF_Output fetches[NUM_FETCHES];
    TF_Tensor *a[NUM_FETCHES] = {NULL}, *b[NUM_FETCHES] = {NULL};
    TF_Status *other = TF_NewStatus();
    for (int i = 0; i < NUM_FETCHES; i++)
        fetches[i] = m->values[2 + pick(m, (unsigned)m->n - 2)];
    run(m, with, fetches, a, m->st);
    run(m, without, fetches, b, other);
    if (TF_GetCode(m->st) != TF_GetCode(other))
        fail_msg("graph %d: \"%s\" and \"%s\"", graph, TF_Message(m->st), TF_Message(other));
    for (int i = 0; i < NUM_FETCHES; i++) {
        if (a[i] && b[i] && !same_bits(a[i], b[i]))
            fail_msg("graph %d: '%s' differs", graph, TF_OperationName(fetches[i].oper));
        TF_DeleteTensor(a[i]);
        TF_DeleteTensor(b[i]);
    }
    TF_DeleteStatus(other);
    return TF_GetCode(m->st) == TF_OK;
}

static void test_passes__keep_every_value(void **state UNUSED)
{
    static const char off[] = "graph_options { optimizer_options { opt_level: L0 } rewrite_options "
                              "{ disable_meta_optimizer: true } }";
    int num_ok = 0;
    for (int i = 0; i < NUM_GRAPHS; i++) {
        struct maker m = {.g = TF_NewGraph(), .st = TF_NewStatus(), .seed = (uint64_t)i * 77 + 1};
        make(&m);
        TF_Session *with = session(&m, ""), *without = session(&m, off);
        assert_int_equal(TF_GetCode(m.st), TF_OK);
        for (int k = 0; k < 4; k++)
            num_ok += compare(&m, with, without, i);
        TF_DeleteSession(with, m.st);
        TF_DeleteSession(without, m.st);
        TF_DeleteGraph(m.g);
        TF_DeleteStatus(m.st);
    }
    printf("%d of %d runs had values\n", num_ok, 4 * NUM_GRAPHS);
    assert_true(num_ok > NUM_GRAPHS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_passes__keep_every_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
