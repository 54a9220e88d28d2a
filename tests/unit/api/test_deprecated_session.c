/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that know tensors by name: extending, runs, partial runs, TF_Reset, and errors with the
 * words of TensorFlow 1.15.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

struct rig {
    TF_Status *st;
    TF_DeprecatedSession *s;
    TF_Buffer *def; /* add = a + b, neg = -add */
};

static void rig_open(struct rig *r)
{
    struct bench b;
    bench_open(&b);
    TF_Output x = m_in(&b, "a", NULL, 0), y = m_in(&b, "b", NULL, 0);
    m_op1(&b, "Neg", "neg", m_op2(&b, "Add", "add", x, y));
    r->def = TF_NewBuffer();
    TF_GraphToGraphDef(b.g, r->def, b.st);
    bench_close(&b);
    TF_SessionOptions *o = TF_NewSessionOptions();
    r->st = TF_NewStatus();
    r->s = TF_NewDeprecatedSession(o, r->st);
    assert_non_null(r->s);
    TF_DeleteSessionOptions(o);
}

static void extend(struct rig *r)
{
    TF_ExtendGraph(r->s, r->def->data, r->def->length, r->st);
}

static void rig_close(struct rig *r)
{
    TF_CloseDeprecatedSession(r->s, r->st);
    TF_DeleteDeprecatedSession(r->s, r->st);
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    TF_DeleteBuffer(r->def);
    TF_DeleteStatus(r->st);
}

static void want(struct rig *r, TF_Code code, const char *words)
{
    if (TF_GetCode(r->st) != code || !strstr(TF_Message(r->st), words))
        print_error("code %d, \"%s\"\n", (int)TF_GetCode(r->st), TF_Message(r->st));
    assert_int_equal(TF_GetCode(r->st), code);
    assert_non_null(strstr(TF_Message(r->st), words));
}

/* Feeds x = 1 and y = 2 (NULL: not), fetches z or runs the target t. */
static float run(struct rig *r, const char *x, const char *y, const char *z, const char *t)
{
    const char *names[2];
    TF_Tensor *fed[2] = {m_tensor(1), m_tensor(2)}, *out = NULL;
    int n = 0;
    if (x)
        names[n++] = x;
    if (y)
        names[n++] = y;
    TF_Run(r->s, NULL, names, fed, n, &z, &out, z != NULL, &t, t != NULL, NULL, r->st);
    float v = out ? *(float *)TF_TensorData(out) : 0;
    TF_DeleteTensor(out);
    TF_DeleteTensor(fed[0]); /* the caller's still */
    TF_DeleteTensor(fed[1]);
    return v;
}

static void test_deprecated_session__runs_by_name(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    run(&r, "a", "b", "add", NULL);
    want(&r, TF_INVALID_ARGUMENT, "Session was not created with a graph before Run()!");
    extend(&r);
    want(&r, TF_OK, "");
    assert_true(run(&r, "a", "b:0", "neg:0", NULL) == -3);
    run(&r, "a", "b", NULL, "neg");
    want(&r, TF_OK, "");
    run(&r, "a", "b", NULL, "neg:0");
    want(&r, TF_OK, "");
    TF_DeviceList *l = TF_DeprecatedSessionListDevices(r.s, r.st);
    assert_true(TF_DeviceListCount(l) >= 1);
    TF_DeleteDeviceList(l);
    rig_close(&r);
}

static void test_deprecated_session__names_that_are_none(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    extend(&r);
    run(&r, "zz:0", NULL, "add", NULL);
    want(&r, TF_INVALID_ARGUMENT,
         "Tensor zz:0, specified in either feed_devices or fetch_devices was not found in the "
         "Graph");
    run(&r, "", NULL, "add", NULL);
    want(&r, TF_INVALID_ARGUMENT, "Tensor :0, specified");
    run(&r, "a", "b", "add:7", NULL);
    want(&r, TF_OUT_OF_RANGE, "(type: 'Add', num of outputs: 1) does not have output 7");
    run(&r, "a", "b", NULL, "zz");
    want(&r, TF_NOT_FOUND, "PruneForTargets: Some target nodes not found: zz");
    run(&r, "a", NULL, "add", NULL);
    want(&r, TF_INVALID_ARGUMENT, "You must feed a value for placeholder tensor 'b'");
    run(&r, NULL, NULL, NULL, NULL);
    want(&r, TF_INVALID_ARGUMENT, "Must specify at least one target to fetch or execute.");
    TF_Run(r.s, NULL, NULL, NULL, 2, NULL, NULL, 0, NULL, 0, NULL, r.st);
    want(&r, TF_INVALID_ARGUMENT, "");
    TF_Run(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, r.st);
    want(&r, TF_INVALID_ARGUMENT, "no session");
    rig_close(&r);
}

/* A GraphDef of one node: name, op Neg of float, and an input of that name. */
static void extend_neg(struct rig *r, const char *name, const char *input)
{
    char b[200];
    size_t n = strlen(name), k = strlen(input), at = 2;
    b[at++] = 0x0a;
    b[at++] = (char)n;
    memcpy(b + at, name, n);
    at += n;
    memcpy(b + at, "\x12\x03Neg\x1a", 6);
    at += 6;
    b[at++] = (char)k;
    memcpy(b + at, input, k);
    at += k;
    memcpy(b + at, "\x2a\x07\x0a\x01T\x12\x02\x30\x01", 9);
    at += 9;
    b[0] = 0x0a;
    b[1] = (char)(at - 2);
    TF_ExtendGraph(r->s, b, at, r->st);
}

static void test_deprecated_session__extends_what_is_there(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    TF_ExtendGraph(r.s, "garbage!!", 9, r.st);
    want(&r, TF_INVALID_ARGUMENT, "Invalid GraphDef");
    extend(&r);
    want(&r, TF_OK, "");
    extend(&r);
    want(&r, TF_INVALID_ARGUMENT,
         "GraphDef argument to Extend includes node 'a', which was created by a previous call to "
         "Create or Extend in this session.");
    extend_neg(&r, "again", "neg:0");
    want(&r, TF_OK, "");
    assert_true(run(&r, "a", "b", "again", NULL) == 3);
    extend_neg(&r, "far", "neg:4");
    want(&r, TF_OUT_OF_RANGE, "does not have output 4");
    extend_neg(&r, "lost", "nobody");
    want(&r, TF_INVALID_ARGUMENT, "nobody");
    rig_close(&r);
}

static void test_deprecated_session__partial_runs(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r);
    extend(&r);
    const char *in[] = {"a", "b:0"}, *out = "neg", *handle = NULL;
    TF_Tensor *fed[2] = {m_tensor(1), m_tensor(2)}, *got = NULL;
    TF_PRunSetup(r.s, in, 2, &out, 1, NULL, 0, &handle, r.st);
    want(&r, TF_OK, "");
    TF_PRun(r.s, handle, in, fed, 1, NULL, NULL, 0, NULL, 0, r.st);
    want(&r, TF_OK, "");
    TF_PRun(r.s, handle, in + 1, fed + 1, 1, &out, &got, 1, NULL, 0, r.st);
    want(&r, TF_OK, "");
    assert_true(*(float *)TF_TensorData(got) == -3);
    TF_DeleteTensor(got);
    TF_DeleteTensor(fed[0]);
    TF_DeleteTensor(fed[1]);
    TF_DeletePRunHandle(handle);
    rig_close(&r);
}

static void test_deprecated_session__reset_ends_all_sessions(void **state)
{
    (void)state;
    struct rig r;
    struct bench b;
    rig_open(&r);
    bench_open(&b);
    extend(&r);
    const char *names[] = {"localhost", NULL};
    TF_Reset(NULL, names, 2, r.st);
    want(&r, TF_INVALID_ARGUMENT, "NULL");
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetTarget(o, "nonsense");
    TF_Reset(o, NULL, 0, r.st);
    want(&r, TF_NOT_FOUND, "No session factory registered for the given session options");
    TF_DeleteSessionOptions(o);
    assert_true(run(&r, "a", "b", "add", NULL) == 3);
    TF_Reset(NULL, names, 1, r.st);
    want(&r, TF_OK, "");
    run(&r, "a", "b", "add", NULL);
    want(&r, TF_CANCELLED, "Session has been closed.");
    extend_neg(&r, "late", "neg");
    want(&r, TF_CANCELLED, "Session has been closed.");
    m_fetch(&b, m_scalar(&b, "x", 1));
    assert_int_equal(TF_GetCode(b.st), TF_CANCELLED);
    bench_close(&b);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deprecated_session__runs_by_name),
        cmocka_unit_test(test_deprecated_session__names_that_are_none),
        cmocka_unit_test(test_deprecated_session__extends_what_is_there),
        cmocka_unit_test(test_deprecated_session__partial_runs),
        cmocka_unit_test(test_deprecated_session__reset_ends_all_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
