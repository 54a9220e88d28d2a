/* SPDX-License-Identifier: Apache-2.0 */
/* Fused trees with several outputs, operands of several types, in loops and branches; and nodes of
 * that kind in graphs from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "fuse_rig.h"
#include "pass_fixture.h"

/* --- what the pass makes --- */

static struct output op2(struct graph *g, const char *op, const char *name, struct output a,
                         struct output b)
{
    return p_op2(g, op, name, a, b);
}

static void test_fuse_outputs__a_result_read_later_becomes_an_output(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){8, 8});
    struct output a = p_op1(g, "Tanh", "a", x), y = op2(g, "Mul", "y", a, x);
    struct output m = op2(g, "MatMul", "m", y, a);
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 1, m.node);
    assert_int_equal(p_count(r, "_FusedEwise"), 1);
    p_want(r, "m", "MatMul(y,y:1)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_fuse_products__become_parts_of_sums_and_boxes(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){4, 4});
    struct output a = op2(g, "MatMul", "a", x, x), b = op2(g, "MatMul", "b", x, x);
    struct node *sum = t_list(g, "AddN", "sum", 3, x, a, b);
    struct output whole = op2(g, "MatMul", "whole", x, x);
    struct node *part = t_node(g, "Slice", "part", 3, whole, p_ints(g, "begin", 2, (int[]){1, 1}),
                               p_ints(g, "size", 2, (int[]){2, 2}));
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 2, sum, part);
    assert_int_equal(p_count(r, "_MatMulAdd"), 2);
    assert_int_equal(p_count(r, "_MatMulSlice"), 1);
    assert_int_equal(p_count(r, "MatMul"), 0);
    rgraph_free(r);
    graph_unref(g);
}

/* y and z read a, and nothing else of one another: both are roots. */
static void test_fuse_outputs__trees_that_share_an_operand_join(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){8, 8});
    struct output a = p_op1(g, "Tanh", "a", x), y = op2(g, "Mul", "y", a, x);
    struct output z = op2(g, "Sub", "z", x, a);
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 2, y.node, z.node);
    assert_int_equal(p_count(r, "_FusedEwise"), 1);
    assert_int_equal(p_count(r, "Tanh"), 0);
    rgraph_free(r);
    graph_unref(g);
}

/* p is needed for what the root needs: one node would wait for itself. */
static void test_fuse_outputs__no_cycle_is_made(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){8, 8});
    struct output p = p_op1(g, "Tanh", "p", x), m = op2(g, "MatMul", "m", p, p);
    struct output y = op2(g, "Mul", "y", p_op1(g, "Exp", "e", m), p);
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 1, y.node);
    p_want(r, "y", "_FusedEwise(p,m)");
    p_want(r, "p", "Tanh(x)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_fuse_outputs__results_under_a_switch_stay_alone(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = p_in(g, "x", DT_FLOAT, 2, (int64_t[]){8, 8});
    struct output which = p_in(g, "which", DT_BOOL, 0, NULL);
    struct output sw = op2(g, "Switch", "switch", x, which);
    struct output a = p_op1(g, "Tanh", "a", x), y = op2(g, "Mul", "y", a, sw);
    struct output z = op2(g, "MatMul", "z", a, a);
    struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 2, y.node, z.node);
    p_want(r, "y", "Mul(a,switch)");
    rgraph_free(r);
    graph_unref(g);
}

/* --- values --- */

static TF_Output matmul(struct rig *r, const char *name, TF_Output a, TF_Output b)
{
    return rig_op(r, "MatMul", name, 2, (TF_Output[]){a, b});
}

static void test_fuse_outputs__same_bits(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 7, 64, 700, 2300};
    for (size_t i = 0; i < 2 * ARRAY_LEN(sizes); i++) {
        struct rig r = rig_new(i % 2 ? TF_DOUBLE : TF_FLOAT);
        int64_t dims[] = {sizes[i / 2], 20};
        TF_Output x = rig_feed(&r, dims, 2), w = rig_feed(&r, (int64_t[]){20}, 1);
        TF_Output y = rig_feed(&r, dims, 2);
        TF_Output small =
            rig_node(&r, "Exp", 1, w, w); /* smaller than the rest, and read outside */
        TF_Output a = rig_node(&r, "Mul", 2, rig_node(&r, "Neg", 1, x, x), small);
        TF_Output b = rig_node(&r, "Tanh", 1, a, a), c = rig_node(&r, "Sub", 2, b, y);
        TF_Output d = rig_node(&r, "Square", 1, c, c), e = rig_node(&r, "Mul", 2, d, b);
        TF_Output all[] = {rig_op(&r, "Transpose", "t1", 2,
                                  (TF_Output[]){e, rig_ints(&r, "p", 2, (int32_t[]){1, 0})}),
                           rig_op(&r, "Identity", "i1", 1, &a), rig_op(&r, "Identity", "i2", 1, &b),
                           rig_op(&r, "Identity", "i3", 1, &d),
                           rig_op(&r, "Identity", "i4", 1, &small)};
        assert_int_equal(rig_compare(&r, all, 5), TF_OK);
        rig_free(&r);
    }
}

/* Layers and their gradients: what is computed forward is read on the way back. */
static void test_fuse_outputs__gradients_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const acts[] = {"Relu", "Tanh", "Sigmoid", "Elu", "Softplus", "Relu6"};
    for (size_t i = 0; i < 2 * ARRAY_LEN(acts); i++) {
        struct rig r = rig_new(i % 2 ? TF_DOUBLE : TF_FLOAT);
        TF_Output x = rig_feed(&r, (int64_t[]){100, 30}, 2);
        TF_Output w = rig_feed(&r, (int64_t[]){30, 40}, 2), b = rig_feed(&r, (int64_t[]){40}, 1);
        TF_Output v = rig_feed(&r, (int64_t[]){40, 12}, 2),
                  t = rig_feed(&r, (int64_t[]){100, 12}, 2);
        TF_Output sum = rig_node(&r, "BiasAdd", 2, matmul(&r, "m1", x, w), b);
        TF_Output h = rig_node(&r, acts[i / 2], 1, sum, sum);
        TF_Output g = rig_node(&r, "Mul", 2, h, rig_node(&r, "Sigmoid", 1, h, h));
        TF_Output d = rig_node(&r, "SquaredDifference", 2, matmul(&r, "m2", g, v), t);
        TF_Output loss = rig_op(&r, "Mean", "loss", 2,
                                (TF_Output[]){d, rig_ints(&r, "axes", 2, (int32_t[]){0, 1})});
        TF_Output dx[4], params[] = {w, b, v, x};
        TF_AddGradients(r.g, &loss, 1, params, 4, NULL, r.st, dx);
        assert_int_equal(TF_GetCode(r.st), TF_OK);
        TF_Output all[] = {loss, dx[0], dx[1], dx[2], dx[3], h};
        assert_int_equal(rig_compare(&r, all, 6), TF_OK);
        assert_int_equal(rig_compare(&r, all, 3), TF_OK);
        rig_free(&r);
    }
}

static TF_Output cast(struct rig *r, const char *name, TF_Output x, int to)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "Cast", name);
    TF_AddInput(d, x);
    TF_SetAttrType(d, "DstT", to);
    TF_Output o = {TF_FinishOperation(d, r->st), 0};
    assert_int_equal(TF_GetCode(r->st), TF_OK);
    return o;
}

static void test_fuse_outputs__types_mix(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 5, 300, 9000, 70000};
    for (size_t i = 0; i < 2 * ARRAY_LEN(sizes); i++) {
        struct rig r = rig_new(i % 2 ? TF_DOUBLE : TF_FLOAT);
        int64_t dims[] = {sizes[i / 2], 3};
        TF_Output x = rig_feed(&r, dims, 2), y = rig_feed(&r, dims, 2), s = rig_feed(&r, NULL, 0);
        TF_Output row = rig_feed(&r, dims + 1, 1);
        TF_Output big = rig_node(&r, "Greater", 2, rig_node(&r, "Abs", 1, x, x), row);
        TF_Output fits = rig_node(&r, "LogicalAnd", 2, big, rig_node(&r, "LessEqual", 2, y, s));
        TF_Output e = rig_node(&r, "Exp", 1, y, y);
        TF_Output chosen = rig_op(&r, "Select", "chosen", 3, (TF_Output[]){fits, x, e});
        TF_Output wide =
            rig_node(&r, "Tanh", 1, cast(&r, "wide", chosen, i % 2 ? TF_FLOAT : TF_DOUBLE), x);
        TF_Output back = cast(&r, "back", wide, i % 2 ? TF_DOUBLE : TF_FLOAT);
        TF_Output mask = cast(&r, "mask", fits, i % 2 ? TF_DOUBLE : TF_FLOAT);
        TF_Output product = rig_node(&r, "Mul", 2, back, mask);
        TF_OperationDescription *d = TF_NewOperation(r.g, "AddN", "sum");
        TF_AddInputList(d, (TF_Output[]){product, x}, 2);
        TF_Output sum = {TF_FinishOperation(d, r.st), 0};
        TF_Output end = rig_op(&r, "Neg", "end", 1, &sum);
        TF_Output all[] = {end, rig_op(&r, "Identity", "i1", 1, &fits),
                           rig_op(&r, "LogicalNot", "not", 1, &big)};
        assert_int_equal(rig_compare(&r, all, 1), TF_OK);
        assert_int_equal(rig_compare(&r, all, 3), TF_OK);
        rig_free(&r);
    }
}

/* Select has rules of its own, AddN too: they answer in their words. */
static void test_fuse_outputs__shape_rules_stay(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct rig r = rig_new(TF_FLOAT);
        TF_Output x = rig_feed(&r, (int64_t[]){4, 3}, 2),
                  y = rig_feed(&r, (int64_t[]){4, i == 3 ? 1 : 3}, 2);
        TF_Output c = rig_feed(&r, (int64_t[]){4}, i == 0 ? 0 : 1);
        TF_Output flags = rig_node(&r, "Greater", 2, c, rig_node(&r, "Neg", 1, c, c));
        TF_Output e = rig_node(&r, "Exp", 1, x, x);
        TF_Output z = rig_op(&r, "Select", "z", 3, (TF_Output[]){flags, e, y});
        TF_OperationDescription *d = TF_NewOperation(r.g, "AddN", "sum");
        TF_AddInputList(d, (TF_Output[]){rig_op(&r, "Neg", "neg", 1, &z), i == 2 ? c : x}, 2);
        TF_Output sum = {TF_FinishOperation(d, r.st), 0};
        if (TF_GetCode(r.st) == TF_OK)
            assert_int_equal(rig_compare(&r, &sum, 1), i < 2 ? TF_OK : TF_INVALID_ARGUMENT);
        rig_free(&r);
    }
}

enum { MAX_TEXT = 2000 };

static TF_Buffer *as_bytes(const char *text)
{
    struct arena a = {0};
    struct pb_graph_def *d;
    struct status st = {0};
    struct strbuf bytes = {0};
    if (!pb_graph_def_parse(&a, text, strlen(text), &d, &st) || !pb_encode(d, &bytes, &st))
        fail_msg("%s", status_message(&st));
    TF_Buffer *b = TF_NewBufferFromString(strbuf_text(&bytes), bytes.n);
    strbuf_release(&bytes);
    arena_release(&a);
    return b;
}

/* --- loops --- */

#define F32 "attr { key: 'T' value { type: DT_FLOAT } } "
#define NODE(name, op, inputs) "node { name: '" name "' op: '" op "' input: [" inputs "] " F32 "} "
#define ENTER(name, in, fixed)                                                                     \
    "node { name: '" name "' op: 'Enter' input: '" in "' " F32                                     \
    "attr { key: 'frame_name' value { s: 'loop' } } "                                              \
    "attr { key: 'is_constant' value { b: " fixed " } } } "
#define MERGE(name, inputs)                                                                        \
    "node { name: '" name "' op: 'Merge' input: [" inputs "] " F32                                 \
    "attr { key: 'N' value { i: 2 } } } "

/* while (i < x2) { i = i + x1; v = tanh(v * v) + x4 * i } for i = x0, v = x3 */
static const char loop_text[] = ENTER("one", "x1", "true") ENTER("end", "x2", "true")
    ENTER("w", "x4", "true") ENTER("i0", "x0", "false") ENTER("v0", "x3", "false")
        MERGE("i", "'i0', 'i_next'") MERGE("v", "'v0', 'v_next'") NODE(
            "less", "Less",
            "'i', 'end'") "node { name: 'cond' op: 'LoopCond' input: 'less' } " NODE("i_if",
                                                                                     "Switch",
                                                                                     "'i', 'cond'")
            NODE("v_if", "Switch", "'v', 'cond'") NODE("i_end", "Exit", "'i_if'")
                NODE("v_end", "Exit", "'v_if'") NODE("i_more", "Add", "'i_if:1', 'one'")
                    NODE("square", "Mul", "'v_if:1', 'v_if:1'") NODE("bent", "Tanh", "'square'")
                        NODE("step", "Mul", "'w', 'i_more'") NODE("v_more", "Add", "'bent', 'step'")
                            NODE("i_next", "NextIteration", "'i_more'")
                                NODE("v_next", "NextIteration", "'v_more'");

static void test_fuse_outputs__works_in_a_loop(void **state)
{
    (void)state;
    struct rig r = rig_new(TF_FLOAT);
    for (int i = 0; i < 3; i++) {
        (void)rig_feed(&r, NULL, 0);
        *(float *)TF_TensorData(r.values[i]) = (float[]){0, 1, 5}[i];
    }
    (void)rig_feed(&r, (int64_t[]){50, 20}, 2);
    (void)rig_feed(&r, (int64_t[]){20}, 1);
    TF_Buffer *b = as_bytes(loop_text);
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", i);
        TF_ImportGraphDefOptionsAddInputMapping(o, name, 0, r.feeds[i]);
    }
    TF_GraphImportGraphDef(r.g, b, o, r.st);
    if (TF_GetCode(r.st) != TF_OK)
        fail_msg("%s", TF_Message(r.st));
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(b);
    TF_Output out[] = {{TF_GraphOperationByName(r.g, "v_end"), 0},
                       {TF_GraphOperationByName(r.g, "i_end"), 0}};
    assert_int_equal(rig_compare(&r, out, 2), TF_OK);
    TF_Output after = rig_op(&r, "Neg", "after", 1, out);
    after = rig_op(&r, "Exp", "last", 1, &after);
    assert_int_equal(rig_compare(&r, &after, 1), TF_OK);
    rig_free(&r);
}

/* --- from outside --- */

/* The message of the step, or of the import if that fails already. */
static void run_def(const char *text, char *message)
{
    TF_Status *st = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Buffer *b = as_bytes(text);
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(g, b, o, st);
    if (TF_GetCode(st) == TF_OK) {
        TF_SessionOptions *so = TF_NewSessionOptions();
        TF_Session *s = TF_NewSession(g, so, st);
        TF_Output x = {TF_GraphOperationByName(g, "x"), 0},
                  y = {TF_GraphOperationByName(g, "y"), 0};
        TF_Tensor *in = TF_AllocateTensor(TF_FLOAT, (int64_t[]){4}, 1, 16), *out = NULL;
        memset(TF_TensorData(in), 0, 16);
        TF_SessionRun(s, NULL, &x, &in, 1, &y, &out, 1, NULL, 0, NULL, st);
        TF_DeleteTensor(in);
        if (out)
            TF_DeleteTensor(out);
        TF_Status *gone = TF_NewStatus();
        TF_DeleteSession(s, gone);
        TF_DeleteStatus(gone);
        TF_DeleteSessionOptions(so);
    }
    snprintf(message, MAX_TEXT, "%s", TF_Message(st));
    TF_DeleteImportGraphDefOptions(o);
    TF_DeleteBuffer(b);
    TF_DeleteGraph(g);
    TF_DeleteStatus(st);
}

#define FUNC(text) "func { name: '" text "' attr { key: 'T' value { type: DT_FLOAT } } } "
#define EWISE(inputs, tin, tout, nodes, operands, results, names, made)                            \
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "         \
    "node { name: 'y' op: '_FusedEwise' " inputs "attr { key: 'Tin' value { list { " tin "} } } "  \
    "attr { key: 'Tout' value { list { " tout "} } } "                                             \
    "attr { key: 'nodes' value { list { " nodes "} } } "                                           \
    "attr { key: 'operands' value { list { " operands "} } } "                                     \
    "attr { key: 'results' value { list { " results "} } } "                                       \
    "attr { key: 'names' value { list { " names "} } } "                                           \
    "attr { key: 'made' value { list { " made "} } } }"
#define ONE "type: DT_FLOAT "

static void test_fuse_outputs__nonsense_from_outside_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg") FUNC("Exp"), "i: [0, 1] ", "i: 1 ",
               "s: ['a', 'b'] ", "s: ['', ''] "),
         ""},
        {EWISE("input: 'x' ", ONE, ONE, "", "", "", "", ""), "differ in number"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: 0 ", "i: 0 ", "", "s: '' "),
         "differ in number"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: 7 ", "i: 0 ", "s: 'a' ", "s: '' "),
         "an operand that is not there"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: -1 ", "i: 0 ", "s: 'a' ", "s: '' "),
         "an operand that is not there"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: 1 ", "i: 0 ", "s: 'a' ", "s: '' "),
         "an operand that is not there"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: [0, 0] ", "i: 0 ", "s: 'a' ", "s: '' "),
         "more operands"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: 0 ", "i: 4 ", "s: 'a' ", "s: '' "),
         "not its outputs"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("Neg"), "i: 0 ", "", "s: 'a' ", "s: '' "),
         "not its outputs"},
        {EWISE("input: 'x' ", ONE, ONE ONE, FUNC("Neg"), "i: 0 ", "i: [0, 0] ", "s: 'a' ",
               "s: '' "),
         "a result that is not there"},
        {EWISE("input: 'x' ", ONE, ONE ONE, FUNC("Neg"), "i: 0 ", "i: [0, -3] ", "s: 'a' ",
               "s: '' "),
         "a result that is not there"},
        {EWISE("input: 'x' ", ONE, "type: DT_INT32 ", FUNC("Neg"), "i: 0 ", "i: 0 ", "s: 'a' ",
               "s: '' "),
         "another type"},
        {EWISE("input: 'x' ", ONE, "type: DT_DOUBLE ",
               "func { name: 'Neg' attr { key: 'T' value { type: DT_DOUBLE } } } ", "i: 0 ",
               "i: 0 ", "s: 'a' ", "s: '' "),
         "an operand of another type"},
        {EWISE("input: ['x', 'x'] ", ONE ONE, ONE, FUNC("Neg"), "i: 0 ", "i: 0 ", "s: 'a' ",
               "s: '' "),
         "a value that nothing reads"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("MatMul"), "i: [0, 0] ", "i: 0 ", "s: 'a' ", "s: '' "),
         "cannot hold this MatMul"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("NoSuchOp"), "i: 0 ", "i: 0 ", "s: 'a' ", "s: '' "),
         "cannot hold this NoSuchOp"},
        {EWISE("input: 'x' ", ONE, ONE, FUNC("_FusedEwise"), "i: 0 ", "i: 0 ", "s: 'a' ", "s: '' "),
         "_FusedEwise"},
        {EWISE("input: 'x' ", ONE, ONE, "func { name: 'Neg' } ", "i: 0 ", "i: 0 ", "s: 'a' ",
               "s: '' "),
         "attr"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char message[MAX_TEXT];
        run_def(cases[i].text, message);
        if (cases[i].words[0] ? !strstr(message, cases[i].words) : message[0] != 0)
            fail_msg("case %zu: '%s'", i, message);
    }
}

#define UPDATE(inputs, tin, nodes, operands)                                                       \
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "         \
    "node { name: 'v' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } } "            \
    "attr { key: 'shape' value { shape { dim { size: 4 } } } } } "                                 \
    "node { name: 'w' op: 'Assign' input: ['v', 'x'] attr { key: 'T' value { type: DT_FLOAT } } "  \
    "} node { name: 'u' op: '_FusedUpdate' input: [" inputs "] "                                   \
    "attr { key: 'T' value { type: DT_FLOAT } } "                                                  \
    "attr { key: 'Tin' value { list { " tin "} } } "                                               \
    "attr { key: 'nodes' value { list { " nodes "} } } "                                           \
    "attr { key: 'operands' value { list { " operands "} } } "                                     \
    "attr { key: 'results' value { list { i: 0 } } } "                                             \
    "attr { key: 'names' value { list { s: 'a' } } } "                                             \
    "attr { key: 'made' value { list { s: '' } } } } "                                             \
    "node { name: 'y' op: 'Identity' input: 'u' attr { key: 'T' value { type: DT_FLOAT } } }"

static void test_fuse_updates__nonsense_from_outside_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {UPDATE("'w', 'x'", ONE, FUNC("AssignAdd"), "i: [0, 1] "), ""},
        {UPDATE("'w', 'x'", ONE, FUNC("AssignAdd"), "i: [1, 0] "), "another type"},
        {UPDATE("'w', 'x'", ONE, FUNC("AssignAdd"), "i: [0, 0] "), "another type"},
        {UPDATE("'w', 'x'", ONE, FUNC("Add"), "i: [0, 1] "), "cannot hold this Add"},
        {UPDATE("'w', 'x'", ONE, FUNC("Assign"), "i: [0, 1] "), "cannot hold this Assign"},
        {UPDATE("'w', 'x'", ONE, FUNC("Neg"), "i: 1 "), ""},
        {UPDATE("'w', 'v', 'x'", "type: DT_FLOAT_REF " ONE, FUNC("AssignSub"), "i: [1, 2] "), ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char message[MAX_TEXT];
        run_def(cases[i].text, message);
        if (i == 0 ? message[0] != 0 : !message[0] || !strstr(message, cases[i].words))
            fail_msg("case %zu: '%s'", i, message);
    }
}

#define PRODUCT(nodes, names)                                                                      \
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "         \
    "node { name: 'y' op: '_FusedMatMul' input: ['x', 'x', 'x'] "                                  \
    "attr { key: 'T' value { type: DT_FLOAT } } "                                                  \
    "attr { key: 'nodes' value { list { " nodes "} } } "                                           \
    "attr { key: 'names' value { list { " names "} } } "                                           \
    "attr { key: 'made' value { list { " names "} } } }"

static void test_fuse_epilogue__nonsense_from_outside_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {PRODUCT("", ""), "differ in number"},
        {PRODUCT(FUNC("MatMul"), "s: 'a' "), "differ in number"},
        {PRODUCT(FUNC("MatMul") FUNC("BiasAdd"), "s: 'a' "), "differ in number"},
        {PRODUCT(FUNC("BiasAdd") FUNC("MatMul"), "s: ['a', 'b'] "), "cannot hold this BiasAdd"},
        {PRODUCT(FUNC("MatMul") FUNC("_FusedMatMul"), "s: ['a', 'b'] "),
         "cannot hold this _FusedMatMul"},
        {PRODUCT(FUNC("MatMul") FUNC("BiasAdd") FUNC("Exp"), "s: ['a', 'b', 'c'] "),
         "cannot hold this Exp"},
        {PRODUCT(FUNC("MatMul") FUNC("BiasAdd"), "s: ['a', 'b'] "), "{{node a}}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char message[MAX_TEXT];
        run_def(cases[i].text, message);
        if (!strstr(message, cases[i].words))
            fail_msg("case %zu: '%s'", i, message);
    }
}

/* Add of a vector whose length is known to be that of the rows. */
static void test_fuse_epilogue__adds_a_vector(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct graph *g = graph_new();
        struct output a = p_in(g, "a", DT_FLOAT, 2, (int64_t[]){-1, 8});
        struct output b = p_in(g, "b", DT_FLOAT, 2, (int64_t[]){8, 5});
        struct output v = p_in(g, "v", DT_FLOAT, 1, (int64_t[]){5});
        struct output u = p_in(g, "u", DT_FLOAT, 1, (int64_t[]){-1});
        struct output m = p_op2(g, "MatMul", "m", a, b), n = p_op2(g, "MatMul", "n", a, b);
        struct output sum = first ? p_op2(g, "Add", "s", v, m) : p_op2(g, "AddV2", "s", m, v);
        struct output y = p_op1(g, "Relu", "y", sum), z = p_op2(g, "Add", "z", n, u);
        struct rgraph *r = p_run(g, (struct pass_options){.fuse = true}, 2, y.node, z.node);
        p_want(r, "y", "_FusedMatMul(a,b,v)");
        p_want(r, "z", "Add(n,u)");
        rgraph_free(r);
        graph_unref(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fuse_outputs__a_result_read_later_becomes_an_output),
        cmocka_unit_test(test_fuse_outputs__trees_that_share_an_operand_join),
        cmocka_unit_test(test_fuse_outputs__no_cycle_is_made),
        cmocka_unit_test(test_fuse_outputs__results_under_a_switch_stay_alone),
        cmocka_unit_test(test_fuse_outputs__same_bits),
        cmocka_unit_test(test_fuse_outputs__gradients_have_the_same_bits),
        cmocka_unit_test(test_fuse_outputs__types_mix),
        cmocka_unit_test(test_fuse_outputs__shape_rules_stay),
        cmocka_unit_test(test_fuse_outputs__works_in_a_loop),
        cmocka_unit_test(test_fuse_products__become_parts_of_sums_and_boxes),
        cmocka_unit_test(test_fuse_outputs__nonsense_from_outside_is_refused),
        cmocka_unit_test(test_fuse_updates__nonsense_from_outside_is_refused),
        cmocka_unit_test(test_fuse_epilogue__nonsense_from_outside_is_refused),
        cmocka_unit_test(test_fuse_epilogue__adds_a_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
