/* SPDX-License-Identifier: Apache-2.0 */
/* Loops, branches and queue runners in MetaGraphs: the messages are those of TensorFlow 1.15's
 * export_meta_graph, and come back as what they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"
#include "leat/message.h"

static char *print(const char *type, const void *bytes, size_t n, TF_Status *st)
{
    size_t size;
    struct leat_message *msg = leat_message_decode(leat_message_type_named(type), bytes, n, 0, st);
    if (!msg)
        fail_msg("%s: %s", type, TF_Message(st));
    char *text = leat_message_print(msg, 0, &size, st);
    leat_message_delete(msg);
    return text;
}

/* The text of the first loop or branch that op is in. */
static char *context_of(struct made *m, const char *op, const char *type)
{
    struct leat_flow f;
    assert_true(leat_flow_of(m->g, TF_GraphOperationByName(m->g, op), 0, &f));
    TF_Buffer *b = leat_flow_def(m->g, f.id, m->st);
    if (!b)
        fail_msg("%s", TF_Message(m->st));
    char *text = print(type, b->data, b->length, m->st);
    TF_DeleteBuffer(b);
    return text;
}

static void assert_lines(const char *text, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!strstr(text, lines[i]))
            fail_msg("no %s in %s", lines[i], text);
    }
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
        n++;
    return n;
}

/* --- cond in while --- */

struct values {
    TF_Output a, r;
};

static void half(TF_Graph *g, TF_Output *out, void *data)
{
    out[0] = leat_div(g, ((struct values *)data)->r, leat_const_float(g, 2, .name = "truediv/y"),
                      .name = "truediv");
}

static void product(TF_Graph *g, TF_Output *out, void *data)
{
    const struct values *v = data;
    out[0] = leat_mul(g, v->r, v->a, .name = "mul");
}

static TF_Output below(TF_Graph *g, const TF_Output *v, void *data)
{
    (void)data;
    return leat_less(g, v[0], leat_const_float(g, 10, .name = "Less/y"));
}

static void turn(TF_Graph *g, const TF_Output *v, TF_Output *next, void *data)
{
    struct values inner = {((struct values *)data)->a, v[0]};
    TF_Output big = leat_greater(g, v[0], leat_const_float(g, 3, .name = "Greater/y"));
    (void)leat_cond(g, big, half, product, next, 1, .data = &inner);
}

static void build_loop(struct made *m)
{
    struct values v = {.a = leat_const_float(m->g, 2, .name = "a")};
    TF_Output start = leat_const_float(m->g, 1), end;
    assert_true(leat_while_loop(m->g, below, turn, &start, 1, &end, .data = &v));
    assert_no_error(m);
}

static void test_context_defs__a_branch_in_a_loop(void **state)
{
    static const char *const loop[] = {
        "context_name: \"while/while_context\"",
        "parallel_iterations: 10",
        "back_prop: true",
        "pivot_name: \"while/LoopCond:0\"",
        "pivot_for_pred_name: \"while/Merge:0\"",
        "pivot_for_body_name: \"while/Identity:0\"",
        "loop_exit_names: \"while/Exit:0\"",
        "loop_enter_names: \"while/Enter:0\"",
        "key: \"a:0\"\n    value: \"while/cond/mul/Enter:0\"",
    };
    static const char *const branch[] = {
        "context_name: \"while/cond/cond_text_1\"\npred_name: \"while/cond/pred_id:0\"\n"
        "pivot_name: \"while/cond/switch_f:0\"\n",
        "values: \"a:0\"\n  values: \"while/Identity:0\"\n  values: \"while/cond/mul/Enter:0\"\n"
        "  values: \"while/cond/mul/Switch:0\"\n  values: \"while/cond/mul/Switch_1:0\"\n"
        "  values: \"while/cond/mul:0\"\n  values: \"while/cond/pred_id:0\"\n"
        "  values: \"while/cond/switch_f:0\"\n",
        "key: \"a:0\"\n    value: \"while/cond/mul/Switch_1:0\"",
        "key: \"while/Identity:0\"\n    value: \"while/cond/mul/Switch:0\"",
        "key: \"while/cond/mul/Enter:0\"\n    value: \"while/cond/mul/Enter:0\"",
        "key: \"while/cond/pred_id:0\"\n    value: \"while/cond/pred_id:0\"",
    };
    struct made *m = *state;
    build_loop(m);
    char *text = context_of(m, "while/Merge", "tensorflow.WhileContextDef");
    assert_lines(text, loop, sizeof loop / sizeof *loop);
    assert_int_equal(count(text, "cond_ctxt"), 2);
    leat_free(text);
    text = context_of(m, "while/cond/mul", "tensorflow.CondContextDef");
    assert_lines(text, branch, sizeof branch / sizeof *branch);
    assert_int_equal(count(text, "values: "), 8);
    leat_free(text);
    assert_null(leat_flow_def(m->g, m, m->st));
    assert_int_equal(TF_GetCode(m->st), TF_INVALID_ARGUMENT);
    TF_SetStatus(m->st, TF_OK, "");
}

/* --- MetaGraphs --- */

static char *exported(struct made *m, TF_Graph *g, TF_Buffer **bytes)
{
    *bytes = leat_export_meta_graph(g, NULL, m->st);
    if (!*bytes)
        fail_msg("%s", TF_Message(m->st));
    return print("tensorflow.MetaGraphDef", (*bytes)->data, (*bytes)->length, m->st);
}

static TF_Operation *node(TF_Graph *g, const char *op, const char *name, TF_Output in,
                          TF_Output two)
{
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    leat_add_raw_input(d, in);
    if (leat_valid(two))
        TF_AddInputList(d, &two, 1);
    return leat_finish(d);
}

static void test_context_defs__in_metagraphs(void **state)
{
    struct made *m = *state;
    build_loop(m);
    TF_OperationDescription *d = leat_begin(m->g, "FIFOQueueV2", "queue", NULL);
    TF_SetAttrTypeList(d, "component_types", (TF_DataType[]){TF_FLOAT}, 1);
    TF_Operation *queue = leat_finish(d);
    TF_Output q = {queue, 0}, none = {NULL, 0};
    TF_Operation *fill = node(m->g, "QueueEnqueueV2", "fill", q, leat_const_float(m->g, 1));
    leat_add_queue_runner(m->g, (struct leat_queue_runner){
                                    .queue = queue,
                                    .enqueue_ops = leat_opers(fill, fill),
                                    .close_op = node(m->g, "QueueCloseV2", "close", q, none),
                                    .cancel_op = node(m->g, "QueueCloseV2", "cancel", q, none)});
    assert_no_error(m);
    TF_Buffer *bytes, *again;
    char *text = exported(m, m->g, &bytes);
    assert_int_equal(count(text, "key: \"while_context\""), 1);
    assert_int_equal(count(text, "key: \"queue_runners\""), 1);
    assert_int_equal(count(text, "leat_queue_runners"), 0);
    TF_Graph *copy = TF_NewGraph();
    assert_true(leat_import_meta_graph(copy, bytes, NULL, m->st));
    char *second = exported(m, copy, &again);
    assert_string_equal(text, second);
    assert_non_null(strstr(
        text,
        "\\n\\005queue\\022\\004fill\\022\\004fill\\032\\005close\\\"\\006cancel*\\001\\013"));
    leat_free(text);
    leat_free(second);
    TF_DeleteBuffer(bytes);
    TF_DeleteBuffer(again);
    TF_DeleteGraph(copy);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_context_defs__a_branch_in_a_loop),
        TEST(test_context_defs__in_metagraphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
