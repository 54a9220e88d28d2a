/* SPDX-License-Identifier: Apache-2.0 */
/* leat convert from outside: what it writes gives the values that its source gave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/files.h"
#include "leat/leat.h"
#include "program.h"

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
    snprintf(path, sizeof path, "%s/%s", program_scratch, name);
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
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .name = "x");
    TF_Output mid = leat_mul(g, x, leat_const_float(g, 2), .name = "mid");
    TF_Output kept = leat_identity(g, mid, .name = "kept");
    leat_add(g, kept, leat_const_float(g, 1), .name = "y");
    leat_neg(g, x, .name = "other");
    write_graph(g, "g.pb");
    leat_works("convert @/g.pb @/g.pbtxt");
    leat_works("run @/g.pbtxt --feed x=3 --fetch y --fetch other");
    program_says("y:0 = float32 []\n7");
    leat_works("convert @/g.pbtxt @/part.pb --outputs y");
    leat_works("run @/part.pb --list");
    assert_null(strstr(program_output, "other"));
    leat_works("convert @/g.pb @/cut.pb --outputs y --inputs kept");
    leat_works("run @/cut.pb --feed kept=10 --fetch y");
    program_says("11");
    leat_works("convert @/g.pb @/bare.pb --outputs y --strip");
    leat_works("run @/bare.pb --list");
    assert_null(strstr(program_output, "kept"));
    leat_works("run @/bare.pb --feed x=3 --fetch y");
    program_says("7");
    assert_int_equal(leat("convert @/g.pb @/no.pb --outputs z"), 1);
    program_says("no node 'z'");
    assert_int_equal(leat("convert @/g.pb @/no.pb --freeze"), 2);
    program_says("--outputs");
    assert_int_equal(leat("convert @/g.pb"), 2);
}

static void test_folded_norms(void **state)
{
    (void)state;
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
    leat_works("run @/net.pb --feed 'x=[[[[1],[2]],[[3],[-1]]]]' --fetch y");
    char *want = strdup(program_output);
    leat_works("convert @/net.pb @/fast.pb --outputs y --optimize");
    leat_works("run @/fast.pb --list");
    assert_null(strstr(program_output, "FusedBatchNorm"));
    program_says("BiasAdd");
    leat_works("run @/fast.pb --feed 'x=[[[[1],[2]],[[3],[-1]]]]' --fetch y");
    assert_string_equal(program_output, want);
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
    char model[1024], words[4096];
    if (!shared_model("saved_model_half_plus_three/00000123", model, sizeof model))
        skip();
    snprintf(words, sizeof words, "convert '%s' @/frozen.pb --outputs y --freeze", model);
    leat_works(words);
    leat_works("run @/frozen.pb --list");
    assert_null(strstr(program_output, "Variable"));
    leat_works("run @/frozen.pb --feed 'x=[[2], [10]]' --fetch y");
    program_says("[[4],\n[8]]");
    snprintf(words, sizeof words, "convert '%s' @/no.pb --outputs save/restore_all --freeze",
             model);
    assert_int_equal(leat(words), 2);
    program_says("updates a variable");
    if (shared_model("checkpoint_v2_linear_regression/linear-regression.meta", model,
                     sizeof model)) { /* resource variables */
        snprintf(words, sizeof words,
                 "convert '%s' @/lr.pb --outputs p2s_weights_w/Read/ReadVariableOp --freeze",
                 model);
        leat_works(words);
        leat_works("run @/lr.pb --fetch p2s_weights_w/Read/ReadVariableOp");
        program_says("8.22560");
    }
    if (shared_model("checkpoint_v1_mnist/MNISTBias.ckpt", model, sizeof model)) {
        snprintf(words, sizeof words, "convert '%s' @/new --checkpoint", model);
        leat_works(words);
        leat_works("inspect @/new --verify --tensor bias");
        program_says("kind: checkpoint, V2");
        program_says("1.8951126");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_and_forms),
        cmocka_unit_test(test_folded_norms),
        cmocka_unit_test(test_given_models),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
