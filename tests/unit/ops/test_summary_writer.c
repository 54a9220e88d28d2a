/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries that a graph writes: the events of the file, in order; errors; what is in the file
 * after flush and close. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "io/event.h"
#include "tensorflow/c/c_api.h"

static TF_Graph *graph;
static TF_Session *session;
static TF_Status *st;
static char folder[64];
static int made;

static void no_free(void *data, size_t n, void *arg)
{
    (void)data, (void)n, (void)arg;
}

static TF_Output constant(TF_DataType type, const void *data, size_t bytes, const int64_t *dims,
                          int rank)
{
    char name[32];
    snprintf(name, sizeof(name), "c%d", made++);
    TF_Tensor *t = TF_NewTensor(type, dims, rank, (void *)(uintptr_t)data, bytes, no_free, NULL);
    TF_OperationDescription *d = TF_NewOperation(graph, "Const", name);
    TF_SetAttrTensor(d, "value", t, st);
    TF_SetAttrType(d, "dtype", type);
    TF_Operation *op = TF_FinishOperation(d, st);
    TF_DeleteTensor(t);
    assert_int_equal(TF_GetCode(st), TF_OK);
    return (TF_Output){op, 0};
}

static TF_Output text(const char *s, size_t n)
{
    size_t bytes = 8 + TF_StringEncodedSize(n);
    char *p = calloc(1, bytes);
    TF_StringEncode(s, n, p + 8, bytes - 8, st);
    TF_Output c = constant(TF_STRING, p, bytes, NULL, 0);
    free(p);
    return c;
}

static TF_Output word(const char *s)
{
    return text(s, strlen(s));
}

static TF_Output int64(int64_t v)
{
    return constant(TF_INT64, &v, 8, NULL, 0);
}

static TF_Output int32(int32_t v)
{
    return constant(TF_INT32, &v, 4, NULL, 0);
}

static TF_Output number(float v)
{
    return constant(TF_FLOAT, &v, 4, NULL, 0);
}

static TF_Operation *add(const char *op, const TF_Output *in, int n)
{
    char name[32];
    snprintf(name, sizeof(name), "op%d", made++);
    TF_OperationDescription *d = TF_NewOperation(graph, op, name);
    for (int i = 0; i < n; i++)
        TF_AddInput(d, in[i]);
    TF_Operation *o = TF_FinishOperation(d, st);
    if (TF_GetCode(st) != TF_OK)
        fail_msg("%s: %s", op, TF_Message(st));
    return o;
}

/* Runs an op on these inputs; its code. */
static TF_Code run(const char *op, const TF_Output *in, int n)
{
    const TF_Operation *target = add(op, in, n);
    TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, st);
    return TF_GetCode(st);
}
#define RUN(op, ...)                                                                               \
    run(op, (TF_Output[]){__VA_ARGS__},                                                            \
        (int)(sizeof((TF_Output[]){__VA_ARGS__}) / sizeof(TF_Output)))

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/leat_summary_XXXXXX");
    st = TF_NewStatus();
    graph = TF_NewGraph();
    TF_SessionOptions *o = TF_NewSessionOptions();
    session = TF_NewSession(graph, o, st);
    TF_DeleteSessionOptions(o);
    return mkdtemp(folder) == NULL;
}

static char *find_file(void)
{
    char pattern[128];
    glob_t g;
    snprintf(pattern, sizeof(pattern), "%s/logs/events.out.tfevents.*.sfx", folder);
    assert_int_equal(glob(pattern, 0, NULL, &g), 0);
    assert_int_equal(g.gl_pathc, 1);
    char *path = strdup(g.gl_pathv[0]);
    globfree(&g);
    return path;
}

static int teardown(void **state)
{
    (void)state;
    char *path = find_file(), logs[128];
    snprintf(logs, sizeof(logs), "%s/logs", folder);
    unlink(path);
    rmdir(logs);
    rmdir(folder);
    free(path);
    TF_DeleteSession(session, st);
    TF_DeleteGraph(graph);
    TF_DeleteStatus(st);
    return 0;
}

static void write_all(TF_Output w)
{
    static const float values[] = {2.5f, 1};
    static const uint8_t pixels[] = {0, 1, 2, 3, 4, 5}, colour[] = {1, 2, 3, 4};
    const int64_t two = 2, four = 4, image[] = {1, 2, 3, 1}, sound[] = {1, 2};
    TF_Output many = constant(TF_FLOAT, values, 8, &two, 1);
    TF_Output bad = constant(TF_UINT8, colour, 4, &four, 1);
    assert_int_equal(RUN("WriteScalarSummary", w, int64(1), word("a"), number(2.5f)), TF_OK);
    assert_int_equal(RUN("WriteHistogramSummary", w, int64(2), word("h"), many), TF_OK);
    TF_Output picture = constant(TF_UINT8, pixels, 6, image, 4);
    TF_Code code = RUN("WriteImageSummary", w, int64(3), word("i"), picture, bad);
    if (code == TF_UNIMPLEMENTED) /* no libpng: something else at its place */
        code = RUN("WriteScalarSummary", w, int64(3), word("i/image/0"), number(0));
    assert_int_equal(code, TF_OK);
    TF_Output samples = constant(TF_FLOAT, values, 8, sound, 2);
    assert_int_equal(RUN("WriteAudioSummary", w, int64(4), word("u"), samples, number(8000)),
                     TF_OK);
    assert_int_equal(RUN("WriteSummary", w, int64(5), many, word("t"), text("\n\3\n\1p", 5)),
                     TF_OK);
    assert_int_equal(RUN("WriteGraphSummary", w, int64(6), text("\n\3\n\1n", 5)), TF_OK);
    assert_int_equal(RUN("WriteRawProtoSummary", w, int64(7), text("\n\5\n\3raw", 7)), TF_OK);
    assert_int_equal(RUN("ImportEvent", w, text("\x10\x08\x1a\x01q", 5)), TF_OK);
}

static void refuse_all(TF_Output w)
{
    static const float nan_[] = {__builtin_nanf("")};
    TF_Output bad = constant(TF_FLOAT, nan_, 4, NULL, 0);
    assert_int_equal(RUN("WriteHistogramSummary", w, int64(2), word("h"), bad),
                     TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(st), "Nan in summary histogram for: h"));
    assert_int_equal(RUN("WriteGraphSummary", w, int64(6), word("abc")), TF_DATA_LOSS);
    assert_int_equal(RUN("WriteRawProtoSummary", w, int64(7), word("abc")), TF_DATA_LOSS);
    assert_int_equal(RUN("ImportEvent", w, word("abc")), TF_DATA_LOSS);
}

/* tag of the events with a summary, else another of their fields. */
static void check_file(void)
{
    static const char *const want[] = {"brain.Event:2", "a",   "h", "i/image/0", "u/audio/0", "t",
                                       "graph",         "raw", "q"};
    struct status status = {0};
    struct arena a = {0};
    char *path = find_file();
    struct record_reader *r = record_reader_open(path, RECORD_PLAIN, &status);
    struct pb_event *e;
    bool end;
    assert_non_null(r);
    for (int i = 0; i < 9; i++) {
        assert_true(event_next(r, &a, &e, &end, &status) && !end);
        struct str tag = e->file_version;
        if (e->which_what == 4)
            tag = str_of("graph");
        if (e->which_what == 5)
            tag = e->summary->value.v[0]->tag;
        assert_true(str_is(tag, want[i]));
        assert_int_equal(e->step, i);
        assert_true(i == 8 || e->wall_time > 1e9);
        if (i == 5)
            assert_true(str_is(e->summary->value.v[0]->metadata->plugin_data->plugin_name, "p"));
    }
    assert_true(event_next(r, &a, &e, &end, &status) && end);
    record_reader_free(r);
    arena_release(&a);
    free(path);
}

static void test_summary_writer__writes_events(void **state)
{
    (void)state;
    char logs[128];
    snprintf(logs, sizeof(logs), "%s/logs", folder);
    TF_Output w = {add("SummaryWriter", NULL, 0), 0};
    assert_int_equal(RUN("WriteScalarSummary", w, int64(1), word("a"), number(1)), TF_NOT_FOUND);
    TF_Output how[] = {w, word(logs), int32(100), int32(120000), word(".sfx")};
    assert_int_equal(run("CreateSummaryFileWriter", how, 5), TF_OK);
    assert_int_equal(run("CreateSummaryFileWriter", how, 5), TF_OK);
    write_all(w);
    refuse_all(w);
    assert_int_equal(RUN("FlushSummaryWriter", w), TF_OK);
    check_file();
    assert_int_equal(RUN("CloseSummaryWriter", w), TF_OK);
    assert_int_equal(RUN("CloseSummaryWriter", w), TF_NOT_FOUND);
    assert_int_equal(RUN("FlushSummaryWriter", w), TF_NOT_FOUND);
    TF_Output db[] = {w, word("x"), word(""), word(""), word("")};
    assert_int_equal(run("CreateSummaryDbWriter", db, 5), TF_UNIMPLEMENTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_summary_writer__writes_events)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
