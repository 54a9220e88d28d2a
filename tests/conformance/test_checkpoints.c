/* SPDX-License-Identifier: Apache-2.0 */
/* The given checkpoints, which TensorFlow made: each variable is restored through RestoreV2 in a
 * session and has the values that TensorFlow's own reader gives. Counts one test a variable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/text.h"
#include "leat/leat.h"

struct expected {
    const char *prefix, *name;
    TF_DataType dtype;
    int64_t num; /* elements */
    double first, sum;
};

#define V1 "models/checkpoint_v1_mnist/"
#define V2 "models/checkpoint_v2_linear_regression/"
#define SAVED "models/saved_model_"

static const struct expected cases[] = {
    {V1 "MNISTBias.ckpt", "bias", TF_FLOAT, 10, -0.5352632999420166, 4.708766937255859e-06},
    {V1 "MNISTWts.ckpt", "weights", TF_FLOAT, 7840, 0, 0.0002787565825910221},
    {V2 "linear-regression", "p2s_weights_b", TF_DOUBLE, 1, 2.304322477701383, 2.304322477701383},
    {V2 "linear-regression", "p2s_weights_b/Adagrad", TF_DOUBLE, 1, 88429.05671064685,
     88429.05671064685},
    {V2 "linear-regression", "p2s_weights_w", TF_DOUBLE, 1, 8.225604777725033, 8.225604777725033},
    {V2 "linear-regression", "p2s_weights_w/Adagrad", TF_DOUBLE, 1, 29009309.680624064,
     29009309.680624064},
    {V2 "virgin-linear-regression", "p2s_weights_b", TF_DOUBLE, 1, 0, 0},
    {V2 "virgin-linear-regression", "p2s_weights_w/Adagrad", TF_DOUBLE, 1, 0.1, 0.1},
    {SAVED "regression/variables/variables", "b", TF_FLOAT, 1, 0, 0},
    {SAVED "regression/variables/variables", "w", TF_FLOAT, 1, -0.8578622341156006,
     -0.8578622341156006},
    {SAVED "mnist_lr/variables/variables", "W", TF_FLOAT, 7840, 0.10000000149011612,
     784.0001220703125},
    {SAVED "mnist_lr/variables/variables", "b", TF_FLOAT, 10, 0.10000000149011612, 1},
    {SAVED "half_plus_three/00000123/variables/variables", "a", TF_FLOAT, 1, 0.5, 0.5},
    {SAVED "half_plus_three/00000123/variables/variables", "c", TF_FLOAT, 1, 3, 3},
    {SAVED "half_plus_two_snappy/00000123/variables/variables", "a", TF_FLOAT, 1, 0.5, 0.5},
    {SAVED "half_plus_two_snappy/00000123/variables/variables", "b", TF_FLOAT, 1, 2, 2},
    {SAVED "half_plus_two_snappy/00000123/variables/variables", "c2", TF_FLOAT, 1, 3, 3},
};

static double element(const TF_Tensor *t, int64_t i)
{
    const void *p = TF_TensorData(t);
    return TF_TensorType(t) == TF_DOUBLE ? ((const double *)p)[i] : ((const float *)p)[i];
}

static const char *compare(const struct expected *e, const TF_Tensor *t)
{
    double sum = 0;
    int64_t num = 1;
    for (int i = 0; i < TF_NumDims(t); i++)
        num *= TF_Dim(t, i);
    if (TF_TensorType(t) != e->dtype || num != e->num)
        return "another type or size";
    for (int64_t i = 0; i < num; i++)
        sum += element(t, i);
    if (element(t, 0) != e->first)
        return "another first element";
    return fabs(sum - e->sum) <= 1e-3 * fmax(1e-3, fabs(e->sum)) ? NULL : "another sum";
}

/* NULL when it is right; else what is wrong. UNIMPLEMENTED (no Snappy here) sets *skipped. */
static const char *check(const struct expected *e, const char *prefix, TF_Status *st, bool *skipped)
{
    TF_Graph *g = TF_NewGraph();
    static const char *const whole = "";
    struct leat_shape one = leat_shape(1);
    TF_Output names = leat_const_array(g, TF_STRING, &e->name, one);
    TF_Output slices = leat_const_array(g, TF_STRING, &whole, one);
    TF_OperationDescription *d = leat_begin(g, "RestoreV2", NULL, LEAT_HERE);
    leat_add_input(d, leat_const_string(g, prefix));
    leat_add_input(d, names);
    leat_add_input(d, slices);
    TF_SetAttrTypeList(d, "dtypes", &e->dtype, 1);
    TF_Output value = leat_output_of(leat_finish(d), 0);
    TF_Session *session = leat_session_new(g, st);
    TF_Tensor *t = NULL;
    const char *wrong = "not restored";
    leat_graph_status(g, st);
    if (TF_GetCode(st) == TF_OK &&
        leat_run(session, st, .fetches = leat_fetches(leat_fetch_tensor(value, &t)))) {
        wrong = compare(e, t);
        TF_DeleteTensor(t);
    }
    *skipped = TF_GetCode(st) == TF_UNIMPLEMENTED;
    leat_session_close(session);
    TF_DeleteGraph(g);
    return wrong;
}

int main(void)
{
    int passed = 0, failed = 0, skipped = 0;
    TF_Status *st = TF_NewStatus();
    struct text found = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text models = {0};
        bool skip = false;
        if (!shared_find("models", &models)) {
            skipped++;
            text_release(&models);
            continue;
        }
        text_clear(&found);
        text_printf(&found, "%.*s/%s", (int)(models.n - strlen("/models")), text_str(&models),
                    cases[i].prefix);
        text_release(&models);
        TF_SetStatus(st, TF_OK, "");
        const char *wrong = check(&cases[i], text_str(&found), st, &skip);
        if (wrong && !skip)
            printf("FAILED %s %s: %s; %s\n", cases[i].prefix, cases[i].name, wrong, TF_Message(st));
        passed += !wrong;
        skipped += skip;
        failed += wrong && !skip;
    }
    if (skipped > 0)
        printf("skipped: without the given models, or without libsnappy\n");
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    text_release(&found);
    TF_DeleteStatus(st);
    return failed != 0;
}
