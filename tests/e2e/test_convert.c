/* SPDX-License-Identifier: Apache-2.0 */
/* leat convert from outside: what it writes gives the values that its source gave. */
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
#include "leat/leat.h"

static char folder[4096], scratch[64], output[1 << 20];

/* Runs `leat WORDS`, where % stands for the scratch folder: the exit code. */
static int leat(const char *words)
{
    char command[9000];
    size_t n = (size_t)snprintf(command, sizeof command, "exec 2>&1; '%s/../bin/leat' ", folder);
    for (const char *p = words; *p && n + 80 < sizeof command; p++) {
        if (*p == '%')
            n += (size_t)snprintf(command + n, sizeof command - n, "%s", scratch);
        else
            command[n++] = *p;
    }
    command[n] = 0;
    FILE *f = popen(command, "r");
    assert_non_null(f);
    n = fread(output, 1, sizeof output - 1, f);
    output[n] = 0;
    int code = pclose(f);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

static void works(const char *words)
{
    if (leat(words) != 0)
        fail_msg("leat %s: %s", words, output);
}

static void shows(const char *text)
{
    if (!strstr(output, text))
        fail_msg("wanted \"%s\" in: %s", text, output);
}

static int set_up(void **state)
{
    (void)state;
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 20);
    char *slash = n > 0 ? memrchr(folder, '/', (size_t)n) : NULL;
    if (!slash)
        return -1;
    *slash = 0;
    snprintf(scratch, sizeof scratch, "/tmp/leat-convert-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

static void need_command(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/../bin/leat", folder);
    if (access(path, X_OK) != 0)
        skip();
}

/* Writes the graph to NAME in the scratch folder and deletes it. */
static void write_graph(TF_Graph *g, const char *name)
{
    char path[128];
    TF_Status *s = TF_NewStatus();
    TF_Buffer *b = TF_NewBuffer();
    leat_graph_status(g, s);
    if (TF_GetCode(s) == TF_OK)
        TF_GraphToGraphDef(g, b, s);
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%s", TF_Message(s));
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->data, 1, b->length, f), b->length);
    assert_int_equal(fclose(f), 0);
    TF_DeleteBuffer(b);
    TF_DeleteStatus(s);
    TF_DeleteGraph(g);
}

static void test_parts_and_forms(void **state)
{
    (void)state;
    need_command();
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .name = "x");
    TF_Output mid = leat_mul(g, x, leat_const_float(g, 2), .name = "mid");
    TF_Output kept = leat_identity(g, mid, .name = "kept");
    leat_add(g, kept, leat_const_float(g, 1), .name = "y");
    leat_neg(g, x, .name = "other");
    write_graph(g, "g.pb");
    works("convert %/g.pb %/g.pbtxt");
    works("run %/g.pbtxt --feed x=3 --fetch y --fetch other");
    shows("y:0 = float32 []\n7");
    works("convert %/g.pbtxt %/part.pb --outputs y");
    works("run %/part.pb --list");
    assert_null(strstr(output, "other"));
    works("convert %/g.pb %/cut.pb --outputs y --inputs kept");
    works("run %/cut.pb --feed kept=10 --fetch y");
    shows("11");
    works("convert %/g.pb %/bare.pb --outputs y --strip");
    works("run %/bare.pb --list");
    assert_null(strstr(output, "kept"));
    works("run %/bare.pb --feed x=3 --fetch y");
    shows("7");
    assert_int_equal(leat("convert %/g.pb %/no.pb --outputs z"), 1);
    shows("no node 'z'");
    assert_int_equal(leat("convert %/g.pb %/no.pb --freeze"), 2);
    shows("--outputs");
    assert_int_equal(leat("convert %/g.pb"), 2);
}

static void test_folded_norms(void **state)
{
    (void)state;
    need_command();
    TF_Graph *g = TF_NewGraph();
    TF_Output x =
        leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(1, 2, 2, 1), .name = "x");
    TF_Output w = leat_const_floats(g, ((const float[]){1, -2, 3}), leat_shape(1, 1, 1, 3));
    TF_Output c = leat_conv2d(g, x, w, .strides = leat_ints(1, 1, 1, 1), .padding = "VALID");
    TF_Output n =
        leat_fused_batch_norm(g, c, leat_const_floats(g, ((const float[]){1, 2, 4}), leat_shape(3)),
                              leat_const_floats(g, ((const float[]){0, 1, -1}), leat_shape(3)),
                              leat_const_floats(g, ((const float[]){0.5f, 0, 3}), leat_shape(3)),
                              leat_const_floats(g, ((const float[]){1, 4, 0.25f}), leat_shape(3)),
                              .epsilon = 0.0f, .is_training = 0, .name = "norm");
    leat_relu(g, n, .name = "y");
    write_graph(g, "net.pb");
    works("run %/net.pb --feed 'x=[[[[1],[2]],[[3],[-1]]]]' --fetch y");
    char *want = strdup(output);
    works("convert %/net.pb %/fast.pb --outputs y --optimize");
    works("run %/fast.pb --list");
    assert_null(strstr(output, "FusedBatchNorm"));
    shows("BiasAdd");
    works("run %/fast.pb --feed 'x=[[[[1],[2]],[[3],[-1]]]]' --fetch y");
    assert_string_equal(output, want);
    free(want);
}

static bool shared_model(const char *name, char *path, size_t n)
{
    struct text found = {0};
    char what[256];
    snprintf(what, sizeof what, "models/%s", name);
    bool there = shared_find(what, &found);
    if (there)
        snprintf(path, n, "%s", found.p);
    text_release(&found);
    return there;
}

static void test_given_models(void **state)
{
    (void)state;
    need_command();
    char model[1024], words[4096];
    if (!shared_model("saved_model_half_plus_three/00000123", model, sizeof model))
        skip();
    snprintf(words, sizeof words, "convert '%s' %%/frozen.pb --outputs y --freeze", model);
    works(words);
    works("run %/frozen.pb --list");
    assert_null(strstr(output, "Variable"));
    works("run %/frozen.pb --feed 'x=[[2], [10]]' --fetch y");
    shows("[[4],\n[8]]");
    snprintf(words, sizeof words, "convert '%s' %%/no.pb --outputs save/restore_all --freeze",
             model);
    assert_int_equal(leat(words), 2);
    shows("updates a variable");
    if (shared_model("checkpoint_v2_linear_regression/linear-regression.meta", model,
                     sizeof model)) { /* resource variables */
        snprintf(words, sizeof words,
                 "convert '%s' %%/lr.pb --outputs p2s_weights_w/Read/ReadVariableOp --freeze",
                 model);
        works(words);
        works("run %/lr.pb --fetch p2s_weights_w/Read/ReadVariableOp");
        shows("8.22560");
    }
    if (shared_model("checkpoint_v1_mnist/MNISTBias.ckpt", model, sizeof model)) {
        snprintf(words, sizeof words, "convert '%s' %%/new --checkpoint", model);
        works(words);
        works("inspect %/new --verify --tensor bias");
        shows("kind: checkpoint, V2");
        shows("1.8951126");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_and_forms),
        cmocka_unit_test(test_folded_norms),
        cmocka_unit_test(test_given_models),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
