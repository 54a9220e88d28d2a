/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect from outside: what it says of files. */
#include <math.h>
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
#include "program.h"

static bool inspect_model(const char *model, const char *words)
{
    struct text path = {0};
    char what[256], line[4096];
    snprintf(what, sizeof what, "models/%s", model);
    if (!shared_find(what, &path))
        return false;
    snprintf(line, sizeof line, "inspect '%s' %s", path.p, words);
    text_release(&path);
    leat_works(line);
    return true;
}

static void test_given_models(void **state)
{
    (void)state;
    if (!inspect_model("checkpoint_v2_linear_regression", "--verify"))
        skip();
    program_says("kind: checkpoint, V2");
    program_says("p2s_weights_w  float64 [1, 1]  min 8.22560478");
    program_says("damaged_parts: 0");
    inspect_model("checkpoint_v1_mnist/MNISTBias.ckpt", "--json --tensor bias");
    program_says("{\"kind\": \"checkpoint, V1\", \"tensors\": [{\"name\": \"bias\"");
    program_says("\"elements\": [");
    inspect_model("events/events.out.tfevents.1585769947.cvp", "--verify");
    program_says("batch_acc  scalar  values 17  first_step 0  last_step 16  last_value 1");
    inspect_model("saved_model_half_plus_three/00000123", "");
    program_says("name: serving_default");
    program_says("ops_missing_here: none");
    inspect_model("frozen_lstm/lstm.pbtxt", "--list");
    program_says("form: text");
}

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(leat("inspect /nowhere/at/all"), 1);
    assert_int_equal(leat("inspect --what"), 2);
    assert_int_equal(leat("inspect"), 2);
    program_says("leat inspect PATH");
}

/* Saves a tensor "v" of these as SCRATCH/ckpt. */
static void save(const float *values, int64_t n)
{
    char prefix[100];
    snprintf(prefix, sizeof prefix, "%s/ckpt", program_scratch);
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output zero = leat_const_int(g, 0);
    TF_Output v = leat_const_floats(g, values, leat_shape(n));
    TF_Operation *op = leat_save_v2(g, leat_const_string(g, prefix),
                                    leat_expand_dims(g, leat_const_string(g, "v"), zero),
                                    leat_expand_dims(g, leat_const_string(g, ""), zero), &v, 1);
    TF_Session *session = leat_session_new(g, s);
    leat_run(session, s, .targets = leat_opers(op));
    assert_string_equal(TF_Message(s), "");
    TF_DeleteSession(session, s);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
}

/* The index, the shard with the values and the prefix all name the checkpoint. */
static void test_each_file_of_a_checkpoint(void **state)
{
    (void)state;
    static char first[1 << 20];
    save((const float[]){1, 2, 4}, 3);
    leat_works("inspect @/ckpt");
    program_says("v  float32 [3]  min 1  max 4");
    strcpy(first, program_output);
    leat_works("inspect @/ckpt.index");
    assert_string_equal(program_output, first);
    leat_works("inspect @/ckpt.data-00000-of-00001");
    assert_string_equal(program_output, first);
    assert_int_equal(leat("inspect @/ckpt --tensor nothing"), 1);
    program_says("--list");
    char path[100];
    snprintf(path, sizeof path, "%s/ckpt.index", program_scratch);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(leat("inspect @/ckpt.data-00000-of-00001"), 2);
    program_says("ckpt.index is not there");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("no table", f);
    fclose(f);
    assert_int_not_equal(leat("inspect @/ckpt.data-00000-of-00001"), 0);
}

/* JSON has no word for them. */
static void test_json_of_nan_and_infinity(void **state)
{
    (void)state;
    save((const float[]){NAN, INFINITY, -INFINITY, 1}, 4);
    leat_works("inspect @/ckpt --json --tensor v");
    program_says(
        "\"min\": null, \"max\": null, \"mean\": 1, \"stddev\": 0, \"nan\": 1, \"inf\": 2");
    program_says("\"elements\": [null, null, null, 1]");
    leat_works("inspect @/ckpt");
    program_says("min -inf  max inf");
    save((const float[]){NAN}, 1);
    leat_works("inspect @/ckpt --json");
    program_says("\"mean\": null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_models),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_each_file_of_a_checkpoint),
        cmocka_unit_test(test_json_of_nan_and_infinity),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
