/* SPDX-License-Identifier: Apache-2.0 */
/* The leat command from outside: what it prints and how it ends. */
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
#include "program.h"
#include "tensorflow/c/c_api.h"

#define BENCH_CASES                                                                                \
    "null_run", "node_tape", "node_dataflow", "gemm", "conv", "ewise_chain", "softmax", "mlp_sgd", \
        "mlp_adam", "cnn", "w2v", "textcnn", "lstm", "resnet20", "import", "cluster_null",         \
        "cluster_clients", "cluster_lookup", "cluster_recv", "cluster_planes", "cluster_mlp",      \
        "cluster_async", "checkpoint", "checkpoint_many", "records"

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(leat(""), 0);
    program_says("leat run");
    assert_int_equal(leat("rum"), 2);
    program_says("did you mean `leat run`");
    assert_int_equal(leat("run --what"), 2);
    program_says("--help");
    assert_int_equal(leat("info ops --tsv"), 0);
    program_says("\nMatMul\tmatrix\t");
    assert_int_equal(leat("info ops MatMul Neg"), 0);
    program_says("transpose_a: bool = false");
    program_says("\nNeg (");
    assert_int_equal(leat("info ops matmul"), 1);
    program_says("the nearest is MatMul");
    assert_int_equal(leat("info cheese"), 2);
}

static void write_graph(const char *path)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *graph = TF_NewGraph();
    TF_OperationDescription *d = TF_NewOperation(graph, "Placeholder", "x");
    TF_SetAttrType(d, "dtype", TF_INT64);
    TF_Output x = {TF_FinishOperation(d, s), 0};
    d = TF_NewOperation(graph, "Add", "a/sum");
    TF_AddInput(d, x);
    TF_AddInput(d, x);
    TF_FinishOperation(d, s);
    TF_Buffer *def = TF_NewBuffer();
    TF_GraphToGraphDef(graph, def, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(def->data, 1, def->length, f), def->length);
    fclose(f);
    TF_DeleteBuffer(def);
    TF_DeleteGraph(graph);
    TF_DeleteStatus(s);
}

static const char string_graph[] =
    "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_STRING } }\n"
    "attr { key: \"shape\" value { shape { unknown_rank: true } } } }\n"
    "node { name: \"y\" op: \"Identity\" input: \"x\" attr { key: \"T\" value { type: DT_STRING } "
    "} }";

/* JSON's escapes in strings, read and written. */
static void test_run_strings(void **state)
{
    (void)state;
    char path[] = "/tmp/leat_cli_XXXXXX", words[200];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, string_graph, strlen(string_graph)), strlen(string_graph));
    close(fd);
    static const char *const said[][2] = {
        {"[[\"a\\\"b\", \"c\\\\d\\n\"]]", "string [1, 2]\n[[\"a\\\"b\", \"c\\\\d\\u000a\"]]\n"},
        {"[\"\\u00e9\\ud83d\\ude00\", \"\\x41\", w]",
         "string [3]\n[\"\xc3\xa9\xf0\x9f\x98\x80\", \"A\", \"w\"]\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "run %s --feed 'x=%s' --fetch y", path, said[i][0]);
        assert_int_equal(leat(words), 0);
        assert_string_equal(program_output + strlen("y:0 = "), said[i][1]);
    }
    static const char *const wrong[] = {"\"\\ud800\"", "\"\\q\"", "\"\\u12\"", "\"a\\"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(words, sizeof words, "run %s --feed 'x=%s' --fetch y", path, wrong[i]);
        assert_int_not_equal(leat(words), 0);
        assert_non_null(strstr(program_output, i < 3 ? "is no escape of JSON" : "closing quote"));
    }
    unlink(path);
}

static void test_run(void **state)
{
    (void)state;
    char path[] = "/tmp/leat_cli_XXXXXX", words[200];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_graph(path);
    snprintf(words, sizeof words, "run %s --feed 'x=[[1, 2], [3, 4]]' --fetch a/sum", path);
    assert_int_equal(leat(words), 0);
    assert_string_equal(program_output, "a/sum:0 = int64 [2, 2]\n[[2, 4],\n[6, 8]]\n");
    snprintf(words, sizeof words, "run %s --feed x=1 --fetch a/sun", path);
    assert_int_equal(leat(words), 1);
    program_says("did you mean 'a/sum'?");
    snprintf(words, sizeof words, "run %s --fetch a/sum", path);
    assert_int_equal(leat(words), 2);
    program_says("--feed NAME=VALUE");
    snprintf(words, sizeof words, "run %s --list", path);
    assert_int_equal(leat(words), 0);
    assert_string_equal(program_output, "x  Placeholder  int64 [...]\na/sum  Add  int64 [...]\n");
    snprintf(words, sizeof words, "run %s --feed x=1 --fetch a/sum:3", path);
    assert_int_equal(leat(words), 2);
    program_says("'a/sum' has 1 output");
    snprintf(words, sizeof words, "run %s --feed x=1 --fetch a/sum --trace %s", path, path);
    assert_int_equal(leat(words), 0);
    char trace[2000] = "";
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_true(fread(trace, 1, sizeof trace - 1, f) > 0);
    fclose(f);
    assert_non_null(strstr(trace, "{\"traceEvents\": ["));
    assert_non_null(strstr(trace, "\"name\": \"a/sum\""));
    unlink(path);
}

static void test_bench(void **state)
{
    (void)state;
    assert_int_equal(leat("bench --case null_run --seconds 0.01 --json"), 0);
    static const char *const keys[] = {
        "\"case\": \"null_run\"", "\"threads\": 1", "\"unit\": \"ns\"",
        "\"median\": ",           "\"p10\": ",      "\"p90\": "};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(strstr(program_output, keys[i]));
    assert_ptr_equal(strchr(program_output, '\n'), program_output + strlen(program_output) - 1);
    assert_int_equal(leat("bench --list"), 0);
    static const char *const cases[] = {BENCH_CASES};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(strstr(program_output, cases[i]));
    assert_int_equal(leat("bench --case node_tap"), 2);
    program_says("did you mean 'node_tape'");
    assert_int_equal(leat("bench --case gemm --part 1x1"), 2);
    assert_int_equal(leat("bench --threads 0"), 2);
    assert_int_equal(leat("bench --seconds -1"), 2);
    assert_int_equal(leat("bench --serve --case null_run --threads 2 <<E\n0.01\nE\n"), 0);
    program_says("{\"ready\": [\"\"]}\n{\"case\": \"null_run\"");
}

/* The value of "key" in the JSON object that was printed. */
static double json_number(const char *key)
{
    char quoted[100];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(program_output, quoted);
    if (!at)
        fail_msg("no %s in: %s", key, program_output);
    return strtod(at + strlen(quoted), NULL);
}

static void test_demo(void **state)
{
    (void)state;
    assert_int_equal(leat("demo --what"), 2);
    assert_int_equal(leat("demo --csv-dir /nowhere"), 1);
    program_says("/nowhere/iris.csv");
    const char *tier = getenv("LEAT_TIER");
    if (tier && strcmp(tier, "quick") == 0)
        skip(); /* it trains three networks */
    assert_int_equal(leat("demo --json"), 0);
    assert_int_equal(program_output[0], '{');
    assert_true(json_number("ridge_largest_weight_difference") <= 1e-3);
    assert_true(json_number("softmax_accuracy") >= 0.93);
    assert_true(json_number("mlp_accuracy") >= 0.97);
    assert_true(json_number("cnn_accuracy") >= 0.98);
    assert_true(json_number("cnn_steps_per_s") > 0);
}

/* Three processes, which end with it. */
static void test_demo_cluster(void **state)
{
    (void)state;
    int code = leat("demo --cluster --json");
    if (code == 1 && strstr(program_output, "gRPC")) {
        print_message("skipped: %s", program_output);
        skip();
    }
    assert_int_equal(code, 0);
    assert_int_equal(program_output[0], '{');
    assert_true(json_number("cluster_async_steps") == 1000);
    assert_true(json_number("cluster_async_accuracy") >= 0.94);
    assert_true(json_number("cluster_sync_steps") >= 400);
    assert_true(json_number("cluster_sync_accuracy") >= 0.94);
    assert_int_equal(leat("demo --worker 0"), 2);
    assert_int_equal(leat("task ps"), 2);
    assert_int_equal(leat("task ps:0 nonsense"), 2);
}

static bool run_model(const char *model, const char *words)
{
    struct text path = {0};
    char what[256], line[4096];
    snprintf(what, sizeof what, "models/%s", model);
    if (!shared_find(what, &path))
        return false;
    snprintf(line, sizeof line, "run '%s' %s", path.p, words);
    text_release(&path);
    leat_works(line);
    return true;
}

static void test_run_model(void **state)
{
    (void)state;
    const char *model = "saved_model_half_plus_three/00000123";
    if (!run_model(model, "--feed 'x=[[2], [-4]]' --repeat 3 --time"))
        skip();
    program_says("y = float32 [2, 1]\n[[4],\n[1]]");
    program_says("first step ");
    run_model(model, "--signature serving_default --feed x=[[0]] --fetch y");
    program_says("[[3]]");
    run_model(model, "--feed x:0=[[0]] --fetch y");
    program_says("y:0 = ");
    run_model("checkpoint_v2_linear_regression/linear-regression.meta",
              "--fetch p2s_weights_w/Read/ReadVariableOp");
    program_says("8.22560");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),       cmocka_unit_test(test_run),
        cmocka_unit_test(test_run_strings), cmocka_unit_test(test_run_model),
        cmocka_unit_test(test_bench),       cmocka_unit_test(test_demo),
        cmocka_unit_test(test_demo_cluster)};
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
