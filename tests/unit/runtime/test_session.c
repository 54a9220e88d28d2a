/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions through the C API: pruning, feeds and fetches that are wrong, loops, branches, devices,
 * many steps at once, and growth of the graph between runs. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "tensorflow/c/c_api.h"

struct bench { /* a graph, a session on it, and the status of the last call */
    TF_Graph *g;
    TF_Session *s;
    TF_Status *st;
};

static int setup(void **state)
{
    static struct bench b;
    static const char config[] = "device_count { key: 'CPU' value: 2 }";
    b.g = TF_NewGraph();
    b.st = TF_NewStatus();
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetConfig(o, config, sizeof config - 1, b.st);
    b.s = TF_NewSession(b.g, o, b.st);
    TF_DeleteSessionOptions(o);
    *state = &b;
    return TF_GetCode(b.st) != TF_OK;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    TF_DeleteGraph(b->g); /* before its session: the session keeps it */
    TF_DeleteSession(b->s, b->st);
    TF_DeleteStatus(b->st);
    return 0;
}

static TF_Tensor *scalar(float v)
{
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof v);
    *(float *)TF_TensorData(t) = v;
    return t;
}

static TF_Output constant_of(struct bench *b, const char *name, TF_Tensor *t)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Const", name);
    TF_SetAttrTensor(d, "value", t, b->st);
    TF_SetAttrType(d, "dtype", TF_TensorType(t));
    TF_DeleteTensor(t);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

static TF_Output constant(struct bench *b, const char *name, float v)
{
    return constant_of(b, name, scalar(v));
}

static TF_Output boolean(struct bench *b, const char *name, bool v)
{
    TF_Tensor *t = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
    *(bool *)TF_TensorData(t) = v;
    return constant_of(b, name, t);
}

static TF_Output placeholder(struct bench *b, const char *name, const int64_t *dims, int rank)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", dims, rank);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

static TF_Output op2(struct bench *b, const char *op, const char *name, TF_Output x, TF_Output y)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, op, name);
    TF_AddInput(d, x);
    TF_AddInput(d, y);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

static TF_Output op1(struct bench *b, const char *op, const char *name, TF_Output x)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, op, name);
    TF_AddInput(d, x);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

/* The fetched scalar; st says whether there is one. */
static float run(struct bench *b, TF_Output fetch, const TF_Output *feeds, TF_Tensor **values,
                 int n)
{
    TF_Tensor *out = NULL;
    TF_SessionRun(b->s, NULL, feeds, values, n, &fetch, &out, 1, NULL, 0, NULL, b->st);
    float v = out ? *(float *)TF_TensorData(out) : 0;
    TF_DeleteTensor(out);
    return v;
}

static void want(struct bench *b, TF_Code code, const char *words)
{
    if (TF_GetCode(b->st) != code || !strstr(TF_Message(b->st), words))
        fail_msg("code %d, \"%s\"; wanted %d, \"%s\"", (int)TF_GetCode(b->st), TF_Message(b->st),
                 (int)code, words);
}

static void test_session__runs_what_a_fetch_needs(void **state)
{
    struct bench *b = *state;
    TF_Output x = placeholder(b, "x", NULL, -1);
    TF_Output useless = op1(b, "Neg", "useless", x); /* would fail: x is not fed */
    TF_Output c = op2(b, "Add", "c", constant(b, "a", 2), constant(b, "b", 3));
    assert_non_null(useless.oper);
    assert_true(run(b, c, NULL, NULL, 0) == 5);
    want(b, TF_OK, "");
}

static void test_session__takes_nodes_that_come_between_runs(void **state)
{
    struct bench *b = *state;
    TF_Output c = constant(b, "a", 2);
    assert_true(run(b, c, NULL, NULL, 0) == 2);
    TF_Output d = op1(b, "Square", "d", c);
    assert_true(run(b, d, NULL, NULL, 0) == 4);
    TF_Output twice[2] = {d, d};
    TF_Tensor *out[2] = {NULL, NULL};
    TF_SessionRun(b->s, NULL, NULL, NULL, 0, twice, out, 2, NULL, 0, NULL, b->st);
    want(b, TF_OK, "");
    assert_true(*(float *)TF_TensorData(out[1]) == 4);
    TF_DeleteTensor(out[0]);
    TF_DeleteTensor(out[1]);
}

static void test_session__refuses_wrong_feeds_and_fetches(void **state)
{
    struct bench *b = *state;
    TF_Output x = placeholder(b, "x", (int64_t[]){2}, 1);
    TF_Output y = op1(b, "Neg", "y", x);
    TF_Tensor *one = scalar(1), *both[2] = {one, one}, *none = NULL;
    run(b, y, NULL, NULL, 0);
    want(b, TF_INVALID_ARGUMENT, "x");
    run(b, y, &x, &one, 1);
    want(b, TF_INVALID_ARGUMENT, "shape");
    run(b, y, (TF_Output[]){x, x}, both, 2);
    want(b, TF_INVALID_ARGUMENT, "fed more than once");
    run(b, x, &x, &one, 1);
    want(b, TF_INVALID_ARGUMENT, "both fed and fetched");
    run(b, (TF_Output){y.oper, 3}, NULL, NULL, 0);
    want(b, TF_OUT_OF_RANGE, "outputs");
    run(b, y, &x, &none, 1);
    assert_int_equal(TF_GetCode(b->st), TF_INVALID_ARGUMENT);
    TF_SessionRun(b->s, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, b->st);
    want(b, TF_INVALID_ARGUMENT, "at least one target");
    TF_SessionRun(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, b->st);
    want(b, TF_INVALID_ARGUMENT, "session");
    TF_DeleteTensor(one);
}

static void test_session__a_dead_fetch_is_an_error(void **state)
{
    struct bench *b = *state;
    TF_OperationDescription *d = TF_NewOperation(b->g, "Switch", "s");
    TF_AddInput(d, constant(b, "a", 2));
    TF_AddInput(d, boolean(b, "p", true));
    TF_Operation *s = TF_FinishOperation(d, b->st);
    assert_true(run(b, (TF_Output){s, 1}, NULL, NULL, 0) == 2);
    run(b, (TF_Output){s, 0}, NULL, NULL, 0);
    want(b, TF_INVALID_ARGUMENT, "does not have value");
}

/* while (i < limit) i += 1, written with the five primitives. */
static TF_Output make_loop(struct bench *b, TF_Output start, float limit)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Enter", "enter");
    TF_AddInput(d, start);
    TF_SetAttrString(d, "frame_name", "loop", 4);
    TF_Output in = {TF_FinishOperation(d, b->st), 0};
    TF_Output merge_in[2] = {in, in};
    d = TF_NewOperation(b->g, "Merge", "merge");
    TF_AddInputList(d, merge_in, 2);
    TF_Output i = {TF_FinishOperation(d, b->st), 0};
    d = TF_NewOperation(b->g, "Const", "limit"); /* in the frame by its control edge */
    TF_Tensor *t = scalar(limit);
    TF_SetAttrTensor(d, "value", t, b->st);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_AddControlInput(d, i.oper);
    TF_Output end = {TF_FinishOperation(d, b->st), 0};
    TF_DeleteTensor(t);
    TF_Output cond = op1(b, "LoopCond", "cond", op2(b, "Less", "less", i, end));
    d = TF_NewOperation(b->g, "Switch", "switch");
    TF_AddInput(d, i);
    TF_AddInput(d, cond);
    TF_Operation *sw = TF_FinishOperation(d, b->st);
    d = TF_NewOperation(b->g, "Const", "one");
    t = scalar(1);
    TF_SetAttrTensor(d, "value", t, b->st);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_DeleteTensor(t);
    TF_Output body = op1(b, "Identity", "body", (TF_Output){sw, 1});
    TF_AddControlInput(d, body.oper);
    TF_Output one = {TF_FinishOperation(d, b->st), 0};
    (void)op1(b, "NextIteration", "next", op2(b, "Add", "inc", body, one));
    return op1(b, "Exit", "exit", (TF_Output){sw, 0});
}

/* The C API cannot close a loop's back edge by hand; a GraphDef can. */
static void test_session__loops_from_a_graphdef(void **state)
{
    struct bench *b = *state;
    TF_Graph *open = TF_NewGraph(), *closed = b->g;
    struct bench draft = {.g = open, .st = b->st};
    TF_Output exit_op = make_loop(&draft, constant(&draft, "start", 0), 1000);
    want(b, TF_OK, "");
    assert_non_null(exit_op.oper);
    TF_Buffer *def = TF_NewBuffer(), *whole;
    TF_GraphToGraphDef(open, def, b->st);
    char *bytes = (char *)(uintptr_t)def->data;
    /* "merge" has inputs "enter", "enter": a text that is as long names the back edge's source */
    char copy[8192];
    assert_true(def->length < sizeof copy);
    memcpy(copy, bytes, def->length);
    size_t at = 0; /* where the second "enter" begins */
    for (size_t k = 0; k + 14 < def->length; k++) {
        if (memcmp(copy + k,
                   "\x1a\x05"
                   "enter\x1a\x05"
                   "enter",
                   14) == 0)
            at = k + 9;
    }
    assert_true(at > 0);
    /* rename NextIteration "next" to a name of five letters first */
    for (size_t k = 0; k + 6 < def->length; k++) {
        if (memcmp(copy + k, "\x0a\x04next", 6) == 0)
            memcpy(copy + k + 2, "nexu", 4);
    }
    memmove(copy + at + 4, copy + at + 5, def->length - at - 5);
    copy[at - 1] = 4;
    memcpy(copy + at, "nexu", 4);
    /* the node message is one byte shorter: its length is in front of its name */
    size_t node = at;
    while (node > 4 && memcmp(copy + node, "\x0a\x05merge", 7) != 0)
        node--;
    copy[node - 1] -= 1;
    whole = TF_NewBufferFromString(copy, def->length - 1);
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(closed, whole, o, b->st);
    want(b, TF_OK, "");
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(whole);
    TF_DeleteBuffer(def);
    TF_DeleteGraph(open);
    for (int k = 0; k < 3; k++)
        assert_true(
            run(b, (TF_Output){TF_GraphOperationByName(closed, "exit"), 0}, NULL, NULL, 0) == 1000);
    want(b, TF_OK, "");
    /* the gradient goes through; what lies in the loop has none */
    TF_Output y = {TF_GraphOperationByName(closed, "exit"), 0}, dx;
    TF_Output x = {TF_GraphOperationByName(closed, "start"), 0};
    TF_AddGradients(closed, &y, 1, &x, 1, NULL, b->st, &dx);
    want(b, TF_OK, "");
    assert_true(run(b, dx, NULL, NULL, 0) == 1);
    x.oper = TF_GraphOperationByName(closed, "one");
    TF_AddGradients(closed, &y, 1, &x, 1, NULL, b->st, &dx);
    want(b, TF_UNIMPLEMENTED, "inside of a while loop ('one')");
}

static void test_session__values_cross_devices(void **state)
{
    struct bench *b = *state;
    TF_Output x = placeholder(b, "x", NULL, -1);
    TF_OperationDescription *d = TF_NewOperation(b->g, "Neg", "there");
    TF_AddInput(d, x);
    TF_SetDevice(d, "/cpu:1");
    TF_Output there = {TF_FinishOperation(d, b->st), 0};
    d = TF_NewOperation(b->g, "Mul", "back");
    TF_AddInput(d, there);
    TF_AddInput(d, x);
    TF_SetDevice(d, "/device:CPU:0");
    TF_Output back = {TF_FinishOperation(d, b->st), 0};
    TF_Tensor *v = scalar(3);
    for (int k = 0; k < 20; k++)
        assert_true(run(b, back, &x, &v, 1) == -9);
    want(b, TF_OK, "");
    d = TF_NewOperation(b->g, "Neg", "nowhere");
    TF_AddInput(d, x);
    TF_SetDevice(d, "/cpu:7");
    TF_Output nowhere = {TF_FinishOperation(d, b->st), 0};
    run(b, nowhere, &x, &v, 1);
    want(b, TF_INVALID_ARGUMENT, "Cannot assign a device for operation nowhere");
    TF_DeleteTensor(v);
}

static void test_session__a_failing_kernel_names_its_node(void **state)
{
    struct bench *b = *state;
    TF_Output x = placeholder(b, "x", NULL, -1), y = placeholder(b, "y", NULL, -1);
    TF_Output sum = op2(b, "Add", "sum", x, y);
    int64_t two = 2, three = 3;
    TF_Tensor *v[2] = {TF_AllocateTensor(TF_FLOAT, &two, 1, 8),
                       TF_AllocateTensor(TF_FLOAT, &three, 1, 12)};
    memset(TF_TensorData(v[0]), 0, 8);
    memset(TF_TensorData(v[1]), 0, 12);
    run(b, sum, (TF_Output[]){x, y}, v, 2);
    want(b, TF_INVALID_ARGUMENT, "{{node sum}}");
    want(b, TF_INVALID_ARGUMENT, "[2], [3]");
    TF_DeleteTensor(v[0]);
    TF_DeleteTensor(v[1]);
}

static void test_session__an_uninitialised_variable_is_named(void **state)
{
    struct bench *b = *state;
    TF_OperationDescription *d = TF_NewOperation(b->g, "VariableV2", "w");
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", NULL, 0);
    TF_Output w = {TF_FinishOperation(d, b->st), 0};
    run(b, w, NULL, NULL, 0);
    want(b, TF_FAILED_PRECONDITION, "Attempting to use uninitialized value w");
    TF_Output set = op2(b, "Assign", "set", w, constant(b, "seven", 7));
    assert_true(run(b, set, NULL, NULL, 0) == 7);
    assert_true(run(b, w, NULL, NULL, 0) == 7);
}

static void test_session__is_closed_for_good(void **state)
{
    struct bench *b = *state;
    TF_Output c = constant(b, "a", 2);
    TF_CloseSession(b->s, b->st);
    want(b, TF_OK, "");
    run(b, c, NULL, NULL, 0);
    want(b, TF_CANCELLED, "closed");
}

/* --- many steps at once --- */

struct worker {
    struct bench b;
    TF_Output fetch, feed;
    float value;
    int wrong;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    TF_Tensor *v = scalar(w->value);
    for (int k = 0; k < 200; k++)
        w->wrong += run(&w->b, w->fetch, &w->feed, &v, 1) != w->value * w->value + 1;
    TF_DeleteTensor(v);
    return NULL;
}

static void test_session__many_steps_at_once(void **state)
{
    struct bench *b = *state;
    TF_Output x = placeholder(b, "x", NULL, -1);
    TF_Output y = op2(b, "Add", "y", op1(b, "Square", "x2", x), constant(b, "one", 1));
    struct worker w[4];
    pthread_t t[4];
    for (int k = 0; k < 4; k++) {
        w[k] = (struct worker){.b = *b, .fetch = y, .feed = x, .value = (float)k};
        w[k].b.st = TF_NewStatus();
        assert_int_equal(pthread_create(&t[k], NULL, work, &w[k]), 0);
    }
    for (int k = 0; k < 4; k++) {
        pthread_join(t[k], NULL);
        assert_int_equal(w[k].wrong, 0);
        TF_DeleteStatus(w[k].b.st);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_session__##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_what_a_fetch_needs),
        TEST(takes_nodes_that_come_between_runs),
        TEST(refuses_wrong_feeds_and_fetches),
        TEST(a_dead_fetch_is_an_error),
        TEST(loops_from_a_graphdef),
        TEST(values_cross_devices),
        TEST(a_failing_kernel_names_its_node),
        TEST(an_uninitialised_variable_is_named),
        TEST(is_closed_for_good),
        TEST(many_steps_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
