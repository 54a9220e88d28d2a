/* SPDX-License-Identifier: Apache-2.0 */
/* RunOptions.debug_options: watched values in files as TensorFlow's debugger writes them, and the
 * watches that make no sense, with TensorFlow 1.15.5's words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files.h"
#include "leat/leat.h"
#include "tensorflow/c/c_api.h"

struct bench {
    TF_Graph *g;
    TF_Status *st;
    TF_Session *s;
    TF_Operation *init;
    TF_Output sum;
    char folder[64];
};

static void bench_open(struct bench *b)
{
    b->g = TF_NewGraph();
    b->st = TF_NewStatus();
    TF_Output v = leat_variable(b->g, "v", leat_ones(b->g, leat_shape(2)));
    b->sum = leat_sum(b->g, leat_variable_value(b->g, v), leat_const_int(b->g, 0), .name = "sum");
    b->init = leat_global_variables_initializer(b->g);
    b->s = leat_session_new(b->g, b->st);
    assert_int_equal(TF_GetCode(b->st), TF_OK);
    strcpy(b->folder, "/tmp/leat-debug-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
}

static void bench_close(struct bench *b)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", b->folder);
    assert_int_equal(system(command), 0);
    leat_session_close(b->s);
    TF_DeleteGraph(b->g);
    TF_DeleteStatus(b->st);
}

/* Runs init (or, where it is NULL, fetches the sum) under one watch, said in text. */
static void run_watched(struct bench *b, const TF_Operation *init, const char *watch,
                        const char *url)
{
    char text[512];
    TF_Tensor *out = NULL;
    snprintf(text, sizeof text, "debug_options { debug_tensor_watch_opts { %s debug_urls: '%s' } }",
             watch, url);
    TF_Buffer *options = TF_NewBufferFromString(text, strlen(text));
    TF_SessionRun(b->s, options, NULL, NULL, 0, &b->sum, &out, init ? 0 : 1, &init, init ? 1 : 0,
                  NULL, b->st);
    if (out)
        assert_true(*(float *)TF_TensorData(out) == 2);
    TF_DeleteTensor(out);
    TF_DeleteBuffer(options);
}

/* The bytes of the one file whose name begins so. */
static void dumped(const struct bench *b, const char *begin, struct text *out)
{
    char path[256];
    struct text t = {0};
    snprintf(path, sizeof path, "%s/_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0",
             b->folder);
    struct names n = folder_names(path);
    size_t found = n.num;
    for (size_t i = 0; i < n.num; i++)
        if (strncmp(n.items[i], begin, strlen(begin)) == 0)
            found = i;
    if (found == n.num)
        fail_msg("no file %s... among %zu in %s", begin, n.num, path);
    strcat(path, "/");
    strcat(path, n.items[found]);
    assert_true(file_read(path, &t));
    names_free(&n);
    *out = t;
}

static bool has(const struct text *t, const char *piece, size_t n)
{
    for (size_t i = 0; i + n <= t->n; i++)
        if (memcmp(t->p + i, piece, n) == 0)
            return true;
    return false;
}

#define HAS(t, literal) has(&(t), literal, sizeof literal - 1)

static void test_debug__values_are_dumped(void **state)
{
    (void)state;
    struct bench b;
    struct text t;
    char url[80];
    bench_open(&b);
    snprintf(url, sizeof url, "file://%s", b.folder);
    run_watched(&b, b.init, "node_name: 'v' debug_ops: 'DebugNumericSummary'", url);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    dumped(&b, "v_0_DebugNumericSummary_", &t);
    text_release(&t);
    run_watched(&b, NULL, "node_name: 'sum' debug_ops: 'DebugIdentity'", url);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    dumped(&b, "sum_0_DebugIdentity_", &t);
    assert_true(HAS(t, "sum:0:DebugIdentity"));
    assert_true(HAS(t, "\"outputSlot\":0,\"numChunks\":1,\"chunkIndex\":0}"));
    assert_true(HAS(t, "\"\x04\x00\x00\x00\x40")); /* tensor_content: 2.0f */
    text_release(&t);
    bench_close(&b);
}

static void test_debug__every_value(void **state)
{
    (void)state;
    struct bench b;
    struct text t;
    char url[80];
    bench_open(&b);
    snprintf(url, sizeof url, "file://%s", b.folder);
    run_watched(&b, b.init, "node_name: '*' output_slot: -1 debug_ops: 'DebugIdentity'", url);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    dumped(&b, "ones_0_DebugIdentity_", &t);
    text_release(&t);
    bench_close(&b);
}

static void fails(struct bench *b, const char *watch, const char *url, TF_Code code,
                  const char *words)
{
    run_watched(b, b->init, watch, url);
    assert_int_equal(TF_GetCode(b->st), code);
    if (!strstr(TF_Message(b->st), words))
        fail_msg("no '%s' in: %s", words, TF_Message(b->st));
}

static void test_debug__what_makes_no_sense(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    fails(&b, "node_name: 'v' debug_ops: 'Foo'", "file:///tmp/x", TF_FAILED_PRECONDITION,
          "Failed to create debug node Foo for tensor v:0, due to: Failed to create node "
          "definition for debug op Foo");
    fails(&b, "node_name: 'v' debug_ops: 'DebugIdentity(x=1)'", "file:///tmp/x",
          TF_FAILED_PRECONDITION,
          "1 attribute key(s) were not valid for debug node __dbg_v:0_0_DebugIdentity: x");
    fails(&b, "node_name: 'v' debug_ops: 'DebugNumericSummary(lower_bound=x)'", "file:///tmp/x",
          TF_FAILED_PRECONDITION, "Invalid value string for float-type attribute lower_bound");
    fails(&b, "node_name: '*' debug_ops: 'DebugIdentity'", "file:///tmp/x", TF_FAILED_PRECONDITION,
          "output_slot is expected to be -1 for wildcard node name (\"*\"), but got 0");
    fails(&b, "node_name: 'v' output_slot: -1 debug_ops: 'DebugIdentity'", "file:///tmp/x",
          TF_FAILED_PRECONDITION, "A negative output_slot in DebugTensorWatch is valid only");
    fails(&b, "node_name: 'v' debug_ops: 'DebugIdentity'", "grpc://localhost:1", TF_UNIMPLEMENTED,
          "nothing is sent to debug URLs but file://");
    fails(&b, "node_name: 'v' debug_ops: 'DebugIdentity'", "file:///dev/null/x", TF_INTERNAL,
          "Publishing to 1 of 1 debug target URLs failed");
    run_watched(&b, b.init,
                "node_name: 'v' debug_ops: 'Foo' tolerate_debug_op_creation_failures: true",
                "file:///tmp/x");
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_debug__values_are_dumped),
                                       cmocka_unit_test(test_debug__every_value),
                                       cmocka_unit_test(test_debug__what_makes_no_sense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
