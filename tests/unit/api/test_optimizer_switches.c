/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigProto's switches turn each optimiser pass off: what ran is read from the step's stats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse.h"

/* x is fed; `folds` could be a constant, `one` is x, `twin` is `first`, and `dead` is in a branch
 * that is never taken. */
static TF_Output build(struct bench *b, TF_Output *x)
{
    *x = m_in(b, "x", NULL, 0);
    TF_Output two = m_scalar(b, "two", 2), pred = m_bool(b, "pred", true);
    TF_Output folds = m_op1(b, "Neg", "folds", two);
    TF_Output one = m_op2(b, "Mul", "one", *x, m_scalar(b, "unit", 1));
    TF_Output first = m_op1(b, "Exp", "first", *x), twin = m_op1(b, "Exp", "twin", *x);
    TF_Output sw = m_op2(b, "Switch", "sw", *x, pred);
    TF_Output dead = m_op1(b, "Sin", "dead", sw);
    TF_Output live = m_op1(b, "Cos", "live", (TF_Output){sw.oper, 1});
    TF_OperationDescription *d = TF_NewOperation(b->g, "Merge", "merge");
    TF_AddInputList(d, (TF_Output[]){dead, live}, 2);
    TF_Output merge = {TF_FinishOperation(d, b->st), 0};
    TF_Output all[] = {folds, one, first, twin, merge};
    d = TF_NewOperation(b->g, "Pack", "all");
    TF_AddInputList(d, all, 5);
    return (TF_Output){TF_FinishOperation(d, b->st), 0};
}

static bool holds(const TF_Buffer *b, const char *word)
{
    const char *p = b->data;
    size_t n = strlen(word);
    for (size_t i = 0; i + n + 1 < b->length; i++) { /* a name's length stands before it */
        if (p[i] == (char)n && memcmp(p + i + 1, word, n) == 0)
            return true;
    }
    return false;
}

/* Which of the nodes ran, a letter each: F folds, O one, M the Merge, T both twins. */
static void ran(const char *config, const char *want)
{
    static const char full_trace[] = {8, 3};
    static const char *const nodes[] = {"folds", "one", "merge"};
    static const char *const letters[] = {"F", "O", "M"};
    struct bench b;
    char got[8] = "";
    bench_open(&b);
    TF_Output x, y = build(&b, &x);
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_SetConfig(o, config, strlen(config), b.st);
    assert_int_equal(TF_GetCode(b.st), TF_OK);
    TF_Session *s = TF_NewSession(b.g, o, b.st);
    TF_DeleteSessionOptions(o);
    TF_Buffer options = {full_trace, sizeof full_trace, NULL}, *stats = TF_NewBuffer();
    TF_Tensor *in = m_tensor(0.5f), *out = NULL;
    TF_SessionRun(s, &options, &x, &in, 1, &y, &out, 1, NULL, 0, stats, b.st);
    if (TF_GetCode(b.st) != TF_OK)
        fail_msg("%s", TF_Message(b.st));
    for (int i = 0; i < 3; i++)
        strcat(got, holds(stats, nodes[i]) ? letters[i] : "");
    strcat(got, holds(stats, "twin") && holds(stats, "first") ? "T" : "");
    if (strcmp(got, want) != 0)
        fail_msg("%s: \"%s\" ran, wanted \"%s\"", config, got, want);
    TF_DeleteTensor(in);
    TF_DeleteTensor(out);
    TF_DeleteBuffer(stats);
    TF_DeleteSession(s, b.st);
    bench_close(&b);
}

#define GRAPH_OPTIONS(text) "graph_options { rewrite_options { remapping: OFF " text " } }"

static void test_switches__turn_passes_off(void **state)
{
    (void)state;
    ran(GRAPH_OPTIONS(""), "");
    ran(GRAPH_OPTIONS("constant_folding: OFF"), "F");
    ran(GRAPH_OPTIONS("arithmetic_optimization: OFF"), "OT");
    ran(GRAPH_OPTIONS("loop_optimization: OFF"), "M");
    ran(GRAPH_OPTIONS("dependency_optimization: OFF"), "M");
    ran(GRAPH_OPTIONS("disable_meta_optimizer: true"), "FOMT");
    ran("graph_options { optimizer_options { opt_level: L0 } }", "FOMT");
    ran("graph_options { optimizer_options { opt_level: L0 do_constant_folding: true } }", "OMT");
    ran("graph_options { optimizer_options { opt_level: L0 "
        "do_common_subexpression_elimination: true } }",
        "FOM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_switches__turn_passes_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
