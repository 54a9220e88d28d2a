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

#include "common/files.h"

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

static const char string_graph[] =
    "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_STRING } }\n"
    "attr { key: \"shape\" value { shape { unknown_rank: true } } } }\n"
    "node { name: \"y\" op: \"Identity\" input: \"x\" attr { key: \"T\" value { type: DT_STRING } "
    "} }";

/* JSON's escapes in strings, read and written. */
static void test_run_strings(void **state)
{
    (void)state;
    need_command();
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
        assert_string_equal(output + strlen("y:0 = "), said[i][1]);
    }
    static const char *const wrong[] = {"\"\\ud800\"", "\"\\q\"", "\"\\u12\"", "\"a\\"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(words, sizeof words, "run %s --feed 'x=%s' --fetch y", path, wrong[i]);
        assert_int_not_equal(leat(words), 0);
        assert_non_null(strstr(output, i < 3 ? "is no escape of JSON" : "closing quote"));
    }
    unlink(path);
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

/* --- inspect and run, on the given models --- */

static bool leat_model(const char *command, const char *model, const char *words)
{
    struct text path = {0};
    char what[256], line[4096];
    snprintf(what, sizeof what, "models/%s", model);
    if (!shared_find(what, &path))
        return false;
    snprintf(line, sizeof line, "%s '%s' %s", command, path.p, words);
    text_release(&path);
    assert_int_equal(leat(line), 0);
    return true;
}

static void shows(const char *text)
{
    if (!strstr(output, text))
        fail_msg("wanted \"%s\" in: %s", text, output);
}

static void test_inspect(void **state)
{
    (void)state;
    if (!leat_model("inspect", "checkpoint_v2_linear_regression", "--verify"))
        skip();
    shows("kind: checkpoint, V2");
    shows("p2s_weights_w  float64 [1, 1]  min 8.22560478");
    shows("damaged_parts: 0");
    leat_model("inspect", "checkpoint_v1_mnist/MNISTBias.ckpt", "--json --tensor bias");
    shows("{\"kind\": \"checkpoint, V1\", \"tensors\": [{\"name\": \"bias\"");
    shows("\"elements\": [");
    leat_model("inspect", "events/events.out.tfevents.1585769947.cvp", "--verify");
    shows("batch_acc  scalar  values 17  first_step 0  last_step 16  last_value 1");
    leat_model("inspect", "saved_model_half_plus_three/00000123", "");
    shows("name: serving_default");
    shows("ops_missing_here: none");
    leat_model("inspect", "frozen_lstm/lstm.pbtxt", "--list");
    shows("form: text");
    assert_int_equal(leat("inspect /nowhere/at/all"), 1);
    assert_int_equal(leat("inspect --what"), 2);
}

static void test_run_model(void **state)
{
    (void)state;
    const char *model = "saved_model_half_plus_three/00000123";
    if (!leat_model("run", model, "--feed 'x=[[2], [-4]]' --repeat 3 --time"))
        skip();
    shows("y = float32 [2, 1]\n[[4],\n[1]]");
    shows("first step ");
    leat_model("run", model, "--signature serving_default --feed x=[[0]] --fetch y");
    shows("[[3]]");
    leat_model("run", model, "--feed x:0=[[0]] --fetch y");
    shows("y:0 = ");
    leat_model("run", "checkpoint_v2_linear_regression/linear-regression.meta",
               "--fetch p2s_weights_w/Read/ReadVariableOp");
    shows("8.22560");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),       cmocka_unit_test(test_run),
        cmocka_unit_test(test_run_strings), cmocka_unit_test(test_inspect),
        cmocka_unit_test(test_run_model),   cmocka_unit_test(test_bench),
        cmocka_unit_test(test_demo)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
