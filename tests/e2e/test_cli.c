/* SPDX-License-Identifier: Apache-2.0 */
/* The leat command from outside: what it prints and how it ends. It lies in ../bin, seen from the
 * folder of this program; the checks are skipped where it was not built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tensorflow/c/c_api.h"

#define BENCH_CASES                                                                                \
    "null_run", "node_tape", "node_dataflow", "gemm", "conv", "ewise_chain", "softmax", "mlp_sgd", \
        "mlp_adam", "cnn", "w2v", "textcnn", "lstm", "resnet20"

static char folder[4096], output[1 << 20];

/* Runs `leat WORDS`, its output and errors in `output`: the exit code. */
static int leat(const char *words)
{
    char command[9000];
    snprintf(command, sizeof command, "exec 2>&1; '%s/../bin/leat' %s", folder, words);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t n = fread(output, 1, sizeof output - 1, f);
    output[n] = 0;
    int code = pclose(f);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

static int set_up(void **state)
{
    (void)state;
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 20);
    char *slash = n > 0 ? memrchr(folder, '/', (size_t)n) : NULL;
    if (!slash)
        return -1;
    *slash = 0;
    return 0;
}

static void need_command(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/../bin/leat", folder);
    if (access(path, X_OK) != 0)
        skip();
}

static void test_words(void **state)
{
    (void)state;
    need_command();
    assert_int_equal(leat(""), 0);
    assert_non_null(strstr(output, "leat run"));
    assert_int_equal(leat("rum"), 2);
    assert_non_null(strstr(output, "did you mean `leat run`"));
    assert_int_equal(leat("run --what"), 2);
    assert_non_null(strstr(output, "--help"));
    assert_int_equal(leat("info ops --tsv"), 0);
    assert_non_null(strstr(output, "\nMatMul\tmatrix\t"));
    assert_int_equal(leat("info ops MatMul Neg"), 0);
    assert_non_null(strstr(output, "transpose_a: bool = false"));
    assert_non_null(strstr(output, "\nNeg ("));
    assert_int_equal(leat("info ops matmul"), 1);
    assert_non_null(strstr(output, "the nearest is MatMul"));
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

static void test_run(void **state)
{
    (void)state;
    need_command();
    char path[] = "/tmp/leat_cli_XXXXXX", words[200];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_graph(path);
    snprintf(words, sizeof words, "run %s --feed 'x=[[1, 2], [3, 4]]' --fetch a/sum", path);
    assert_int_equal(leat(words), 0);
    assert_string_equal(output, "a/sum:0 = int64 [2, 2]\n[[2, 4],\n[6, 8]]\n");
    snprintf(words, sizeof words, "run %s --feed x=1 --fetch a/sun", path);
    assert_int_equal(leat(words), 1);
    assert_non_null(strstr(output, "did you mean 'a/sum'?"));
    snprintf(words, sizeof words, "run %s --fetch a/sum", path);
    assert_int_equal(leat(words), 2);
    assert_non_null(strstr(output, "--feed NAME=VALUE"));
    snprintf(words, sizeof words, "run %s --list", path);
    assert_int_equal(leat(words), 0);
    assert_string_equal(output, "x  Placeholder  int64 [...]\na/sum  Add  int64 [...]\n");
    snprintf(words, sizeof words, "run %s --feed x=1 --fetch a/sum:3", path);
    assert_int_equal(leat(words), 2);
    assert_non_null(strstr(output, "'a/sum' has 1 output"));
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
    need_command();
    assert_int_equal(leat("bench --case null_run --seconds 0.01 --json"), 0);
    static const char *const keys[] = {
        "\"case\": \"null_run\"", "\"threads\": 1", "\"unit\": \"ns\"",
        "\"median\": ",           "\"p10\": ",      "\"p90\": "};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(strstr(output, keys[i]));
    assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
    assert_int_equal(leat("bench --list"), 0);
    static const char *const cases[] = {BENCH_CASES};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(strstr(output, cases[i]));
    assert_int_equal(leat("bench --case node_tap"), 2);
    assert_non_null(strstr(output, "did you mean 'node_tape'"));
    assert_int_equal(leat("bench --case gemm --part 1x1"), 2);
    assert_int_equal(leat("bench --threads 0"), 2);
    assert_int_equal(leat("bench --seconds -1"), 2);
    assert_int_equal(leat("bench --serve --case null_run --threads 2 <<E\n0.01\nE\n"), 0);
    assert_non_null(strstr(output, "{\"ready\": [\"\"]}\n{\"case\": \"null_run\""));
}

/* The value of "key" in the JSON object that was printed. */
static double json_number(const char *key)
{
    char quoted[100];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(output, quoted);
    if (!at)
        fail_msg("no %s in: %s", key, output);
    return strtod(at + strlen(quoted), NULL);
}

static void test_demo(void **state)
{
    (void)state;
    need_command();
    assert_int_equal(leat("demo --what"), 2);
    assert_int_equal(leat("demo --csv-dir /nowhere"), 1);
    assert_non_null(strstr(output, "/nowhere/iris.csv"));
    const char *tier = getenv("LEAT_TIER");
    if (tier && strcmp(tier, "quick") == 0)
        skip(); /* it trains three networks */
    assert_int_equal(leat("demo --json"), 0);
    assert_int_equal(output[0], '{');
    assert_true(json_number("ridge_largest_weight_difference") <= 1e-3);
    assert_true(json_number("softmax_accuracy") >= 0.93);
    assert_true(json_number("mlp_accuracy") >= 0.97);
    assert_true(json_number("cnn_accuracy") >= 0.98);
    assert_true(json_number("cnn_steps_per_s") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_bench), cmocka_unit_test(test_demo)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
