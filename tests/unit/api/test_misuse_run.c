/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of sessions: feeds, fetches, targets, options, closed sessions, deleted graphs; kernels
 * that fail; loops that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

static void feed_that_does_not_fit(struct bench *b)
{
    TF_Output x = m_in(b, "x", (int64_t[]){2}, 1), y = m_op1(b, "Neg", "y", x);
    m_run(b, 1, &x, 1, 1, &y);
}

static void feed_of_another_type(struct bench *b)
{
    TF_Output x = m_bool(b, "x", true), y = m_op1(b, "LogicalNot", "y", x);
    m_run(b, 1, &x, 1, 1, &y);
}

static void feed_twice(struct bench *b)
{
    TF_Output x = m_in(b, "x", NULL, 0), y = m_op1(b, "Neg", "y", x);
    m_run(b, 2, (TF_Output[]){x, x}, 1, 1, &y);
}

static void fetch_what_is_fed(struct bench *b)
{
    TF_Output x = m_in(b, "x", NULL, 0);
    m_run(b, 1, &x, 1, 1, &x);
}

static void feed_is_missing(struct bench *b)
{
    m_fetch(b, m_op1(b, "Neg", "y", m_in(b, "x", NULL, 0)));
}

static void feed_of_no_output(struct bench *b)
{
    TF_Output x = m_in(b, "x", NULL, 0), y = m_op1(b, "Neg", "y", x), no = {x.oper, 2};
    m_run(b, 1, &no, 1, 1, &y);
}

static void fetch_of_no_output(struct bench *b)
{
    m_fetch(b, (TF_Output){m_scalar(b, "x", 1).oper, 2});
}

static void fetch_of_nothing(struct bench *b)
{
    m_run(b, 0, NULL, 0, 1, &(TF_Output){NULL, 0});
}

static void fetch_from_another_graph(struct bench *b)
{
    struct bench other;
    bench_open(&other);
    m_fetch(b, m_scalar(&other, "x", 1));
    bench_close(&other);
}

static void nothing_to_run(struct bench *b)
{
    m_scalar(b, "x", 1);
    m_run(b, 0, NULL, 0, 0, NULL);
}

static void no_target(struct bench *b)
{
    const TF_Operation *none[1] = {NULL};
    TF_SessionRun(b->s, NULL, NULL, NULL, 0, NULL, NULL, 0, none, 1, NULL, b->st);
}

static void dead_fetch(struct bench *b)
{
    TF_Output sw = m_op2(b, "Switch", "sw", m_scalar(b, "x", 1), m_bool(b, "p", true));
    m_fetch(b, m_op1(b, "Neg", "y", sw));
}

static void after_close(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_CloseSession(b->s, b->st);
    m_fetch(b, x);
}

static void uninitialised(struct bench *b)
{
    m_fetch(b, m_op1(b, "Identity", "y", m_variable(b, "W")));
}

static void uninitialised_and_fetched(struct bench *b)
{
    m_fetch(b, m_variable(b, "W"));
}

static void uninitialised_resource(struct bench *b)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "VarHandleOp", "h");
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", NULL, 0);
    TF_SetAttrString(d, "shared_name", "W", 1);
    TF_Output h = {TF_FinishOperation(d, b->st), 0};
    d = TF_NewOperation(b->g, "ReadVariableOp", "y");
    TF_AddInput(d, h);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    m_fetch(b, (TF_Output){TF_FinishOperation(d, b->st), 0});
}

static void shape_overflows(struct bench *b)
{
    int64_t huge[] = {1LL << 40, 1LL << 40}, two = 2;
    TF_Output dims = m_const(b, "dims", TF_INT64, &two, 1, huge, sizeof huge);
    m_fetch(b, m_op2(b, "Fill", "y", dims, m_scalar(b, "x", 1)));
}

static void out_of_memory(struct bench *b)
{
    int64_t huge[] = {1LL << 31, 1LL << 20}, two = 2;
    TF_OperationDescription *d = TF_NewOperation(b->g, "Placeholder", "dims");
    TF_SetAttrType(d, "dtype", TF_INT64);
    TF_Output dims = {TF_FinishOperation(d, b->st), 0};
    TF_Output y = m_op2(b, "Fill", "y", dims, m_scalar(b, "x", 1));
    TF_Tensor *in = TF_AllocateTensor(TF_INT64, &two, 1, sizeof huge), *out = NULL;
    memcpy(TF_TensorData(in), huge, sizeof huge);
    TF_SessionRun(b->s, NULL, &dims, &in, 1, &y, &out, 1, NULL, 0, NULL, b->st);
    TF_DeleteTensor(in);
}

static void kernel_that_fails(struct bench *b)
{
    int64_t five = 5;
    int32_t shape[] = {2, 3}, data[5] = {0};
    TF_Output x = m_in(b, "x", NULL, -1), y;
    TF_Output dims = m_const(b, "dims", TF_INT32, (int64_t[]){2}, 1, shape, sizeof shape);
    y = m_op2(b, "Reshape", "culprit", x, dims);
    TF_Tensor *in = TF_AllocateTensor(TF_FLOAT, &five, 1, sizeof data), *out = NULL;
    memcpy(TF_TensorData(in), data, sizeof data);
    TF_SessionRun(b->s, NULL, &x, &in, 1, &y, &out, 1, NULL, 0, NULL, b->st);
    TF_DeleteTensor(in);
    if (!strstr(TF_Message(b->st), "Reshape") || !strstr(TF_Message(b->st), "[5]"))
        TF_SetStatus(b->st, TF_UNKNOWN, "the op or the input's shape is not named");
}

static void division_by_zero(struct bench *b)
{
    int32_t v = 0;
    TF_Output zero = m_const(b, "zero", TF_INT32, NULL, 0, &v, sizeof v);
    m_fetch(b, m_op2(b, "FloorDiv", "y", zero, zero));
}

static void no_kernel(struct bench *b)
{
    TF_OperationDescription *d = TF_NewOperation(b->g, "Neg", "y");
    TF_AddInput(d, m_scalar(b, "x", 1));
    TF_SetAttrString(d, "_kernel", "unheard-of", 10);
    m_fetch(b, (TF_Output){TF_FinishOperation(d, b->st), 0});
}

static void device_that_is_not_there(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_OperationDescription *d = TF_NewOperation(b->g, "Neg", "y");
    TF_AddInput(d, x);
    TF_SetDevice(d, "/device:CPU:7");
    m_fetch(b, (TF_Output){TF_FinishOperation(d, b->st), 0});
}

static void options_of_garbage(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_Tensor *out = NULL;
    TF_Buffer *o = TF_NewBufferFromString("\xff\xff\xff", 3);
    TF_SessionRun(b->s, o, NULL, NULL, 0, &x, &out, 1, NULL, 0, NULL, b->st);
    TF_DeleteBuffer(o);
}

static void metadata_that_is_full(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    TF_Tensor *out = NULL;
    TF_Buffer *m = TF_NewBufferFromString("old", 3);
    TF_SessionRun(b->s, NULL, NULL, NULL, 0, &x, &out, 1, NULL, 0, m, b->st);
    TF_DeleteBuffer(m);
}

static void config_of_garbage(struct bench *b)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetConfig(o, "\xff\xff\xff", 3, b->st);
    TF_DeleteSessionOptions(o);
}

static void target_that_is_unknown(struct bench *b)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetTarget(o, "carrier-pigeon://coop");
    TF_Session *s = TF_NewSession(b->g, o, b->st);
    TF_DeleteSessionOptions(o);
    TF_Status *st = TF_NewStatus();
    if (s)
        TF_DeleteSession(s, st);
    TF_DeleteStatus(st);
}

static void device_past_the_end(struct bench *b)
{
    TF_DeviceList *l = TF_SessionListDevices(b->s, b->st);
    TF_DeviceListName(l, 9, b->st);
    TF_DeleteDeviceList(l);
}

static void exit_without_loop(struct bench *b)
{
    m_fetch(b, m_op1(b, "Exit", "y", m_scalar(b, "x", 1)));
}

/* --- what is fine --- */

static void same_fetch_twice(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    m_run(b, 0, NULL, 0, 2, (TF_Output[]){x, x});
}

static void graph_deleted_first(struct bench *b)
{
    TF_Output y = m_op1(b, "Neg", "y", m_scalar(b, "x", 1));
    TF_DeleteGraph(b->g);
    b->g = NULL;
    m_fetch(b, y);
}

static void nodes_between_runs(struct bench *b)
{
    TF_Output x = m_scalar(b, "x", 1);
    m_fetch(b, x);
    m_fetch(b, m_op1(b, "Neg", "y", x));
}

static void close_twice(struct bench *b)
{
    TF_CloseSession(b->s, b->st);
    TF_CloseSession(b->s, b->st);
}

static const struct misuse rows[] = {
    {"feed that does not fit", feed_that_does_not_fit, TF_INVALID_ARGUMENT, "x"},
    {"feed of another type", feed_of_another_type, TF_INVALID_ARGUMENT, "bool"},
    {"feed twice", feed_twice, TF_INVALID_ARGUMENT, "more than once"},
    {"fetch what is fed", fetch_what_is_fed, TF_INVALID_ARGUMENT, "both fed and fetched"},
    {"feed is missing", feed_is_missing, TF_INVALID_ARGUMENT, "You must feed"},
    {"feed of no output", feed_of_no_output, TF_OUT_OF_RANGE, "2"},
    {"fetch of no output", fetch_of_no_output, TF_OUT_OF_RANGE, "2"},
    {"fetch of nothing", fetch_of_nothing, TF_INVALID_ARGUMENT, "fetch"},
    {"fetch from another graph", fetch_from_another_graph, TF_INVALID_ARGUMENT, "graph"},
    {"nothing to run", nothing_to_run, TF_INVALID_ARGUMENT, "at least one target"},
    {"no target", no_target, TF_INVALID_ARGUMENT, "target"},
    {"dead fetch", dead_fetch, TF_INVALID_ARGUMENT, "'y:0'"},
    {"after close", after_close, TF_CANCELLED, "closed"},
    {"uninitialised", uninitialised, TF_FAILED_PRECONDITION, "W"},
    {"uninitialised and fetched", uninitialised_and_fetched, TF_FAILED_PRECONDITION, "W"},
    {"uninitialised resource", uninitialised_resource, TF_FAILED_PRECONDITION, "W"},
    {"shape overflows", shape_overflows, TF_INVALID_ARGUMENT, ""},
    {"out of memory", out_of_memory, TF_RESOURCE_EXHAUSTED, "y"},
    {"kernel that fails", kernel_that_fails, TF_INVALID_ARGUMENT, "culprit"},
    {"division by zero", division_by_zero, TF_INVALID_ARGUMENT, "zero"},
    {"no kernel", no_kernel, TF_INVALID_ARGUMENT, "No OpKernel was registered to support Op 'Neg'"},
    {"device that is not there", device_that_is_not_there, TF_INVALID_ARGUMENT, "CPU:7"},
    {"options of garbage", options_of_garbage, TF_INVALID_ARGUMENT, "RunOptions"},
    {"metadata that is full", metadata_that_is_full, TF_INVALID_ARGUMENT, "run_metadata"},
    {"config of garbage", config_of_garbage, TF_INVALID_ARGUMENT, "ConfigProto"},
    {"target that is unknown", target_that_is_unknown, TF_NOT_FOUND, "pigeon"},
    {"device past the end", device_past_the_end, TF_INVALID_ARGUMENT, ""},
    {"exit without loop", exit_without_loop, TF_INVALID_ARGUMENT, "y"},
    {"same fetch twice", same_fetch_twice, TF_OK, ""},
    {"graph deleted first", graph_deleted_first, TF_OK, ""},
    {"nodes between runs", nodes_between_runs, TF_OK, ""},
    {"close twice", close_twice, TF_OK, ""},
};

static void test_misuse__of_sessions_is_a_status(void **state)
{
    (void)state;
    assert_int_equal(misuse_check(rows, sizeof rows / sizeof rows[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_misuse__of_sessions_is_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
