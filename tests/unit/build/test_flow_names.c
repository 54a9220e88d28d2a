/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of loops and branches, by steps: names, inputs, control inputs and colocation are those of
 * TensorFlow 1.15's tf.while_loop and tf.cond. Each expected line is one node of its GraphDef. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph_text.h"

static int lines_in(const char *text)
{
    int n = 0;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    return n;
}

/* Fails unless the graph has these nodes, in any order, and no others. */
static void assert_nodes(struct made *m, const char *lines)
{
    assert_no_error(m);
    char *text = graph_text(m->g, 0), *found = mem_printf("\n%s", text);
    for (const char *p = lines; *p;) {
        const size_t n = (size_t)(strchr(p, '\n') - p);
        char *line = mem_printf("\n%.*s\n", (int)n, p);
        if (!strstr(found, line))
            fail_msg("no node%sin:%s", line, found);
        mem_free(line);
        p += n + 1;
    }
    if (lines_in(text) != lines_in(lines))
        fail_msg("%d nodes, not %d:%s", lines_in(text), lines_in(lines), found);
    leat_free(text);
    mem_free(found);
}

/* x = Const, p = Placeholder */
static TF_Output one(struct made *m)
{
    return leat_const_float(m->g, 1);
}

static TF_Output truth(struct made *m)
{
    return leat_placeholder(m->g, .dtype = TF_BOOL, .shape = leat_shape());
}

static TF_Output below_ten(TF_Graph *g, TF_Output v)
{
    return leat_less(g, v, leat_const_float(g, 10, .name = "Less/y"));
}

#define LOOP_HEAD                                                                                  \
    "while/Merge Merge(while/Enter, while/NextIteration)\n"                                        \
    "while/Less/y Const(^while/Merge)\n"                                                           \
    "while/Less Less(while/Merge, while/Less/y)\n"                                                 \
    "while/LoopCond LoopCond(while/Less)\n"                                                        \
    "while/Switch Switch(while/Merge, while/LoopCond) loc:while/Merge\n"                           \
    "while/Identity Identity(while/Switch:1)\n"                                                    \
    "while/Exit Exit(while/Switch)\n"

static void test_flow_names__a_loop_in_a_loop(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), v, w[2], y, z[2];
    struct leat_loop *l = leat_loop_begin(g, &x, 1, &v, NULL);
    assert_int_equal(leat_loop_body_begin(l, below_ten(g, v), &v), 1);
    struct leat_loop *in = leat_loop_begin(g, (TF_Output[]){x, v}, 2, w, NULL);
    assert_int_equal(leat_loop_body_begin(in, leat_less(g, w[0], v), w), 1);
    assert_int_equal(leat_loop_end(in, (TF_Output[]){leat_add(g, w[0], x), w[1]}, z), 1);
    TF_Output next = leat_add(g, v, z[0]);
    assert_int_equal(leat_loop_end(l, &next, &y), 1);
    assert_nodes(m, "Const Const\nwhile/Enter Enter(Const)\n" LOOP_HEAD
                    "while/while/Enter Enter(Const)\n"
                    "while/while/Enter_1 Enter(while/while/Enter, ^while/Identity)\n"
                    "while/while/Enter_2 Enter(while/Identity)\n"
                    "while/while/Merge Merge(while/while/Enter_1, while/while/NextIteration)\n"
                    "while/while/Merge_1 Merge(while/while/Enter_2, while/while/NextIteration_1)\n"
                    "while/while/Less Less(while/while/Merge, while/while/Less/Enter)\n"
                    "while/while/Less/Enter Enter(while/Identity)\n"
                    "while/while/LoopCond LoopCond(while/while/Less)\n"
                    "while/while/Switch Switch(while/while/Merge, while/while/LoopCond) "
                    "loc:while/while/Merge\n"
                    "while/while/Switch_1 Switch(while/while/Merge_1, while/while/LoopCond) "
                    "loc:while/while/Merge_1\n"
                    "while/while/Identity Identity(while/while/Switch:1)\n"
                    "while/while/Identity_1 Identity(while/while/Switch_1:1)\n"
                    "while/while/Add Add(while/while/Identity, while/while/Add/Enter)\n"
                    "while/while/Add/Enter Enter(while/while/Enter)\n"
                    "while/while/NextIteration NextIteration(while/while/Add)\n"
                    "while/while/NextIteration_1 NextIteration(while/while/Identity_1)\n"
                    "while/while/Exit Exit(while/while/Switch)\n"
                    "while/while/Exit_1 Exit(while/while/Switch_1)\n"
                    "while/Add Add(while/Identity, while/while/Exit)\n"
                    "while/NextIteration NextIteration(while/Add)\n");
}

static void test_flow_names__branches_in_a_loop(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), p = truth(m), v, r, k, y;
    struct leat_loop *l = leat_loop_begin(g, &x, 1, &v, NULL);
    assert_int_equal(leat_loop_body_begin(l, below_ten(g, v), &v), 1);
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    r = leat_add(g, v, x);
    assert_int_equal(leat_branches_other(b, &r, 1), 1);
    assert_int_equal(leat_branches_end(b, &v, 1, &k), 1);
    assert_int_equal(leat_loop_end(l, &k, &y), 1);
    assert_nodes(m, "Const Const\nPlaceholder Placeholder\nwhile/Enter Enter(Const)\n" LOOP_HEAD
                    "while/cond/Switch Switch(while/cond/Switch/Enter, while/cond/Switch/Enter, "
                    "^while/Identity)\n"
                    "while/cond/Switch/Enter Enter(Placeholder)\n"
                    "while/cond/switch_t Identity(while/cond/Switch:1)\n"
                    "while/cond/switch_f Identity(while/cond/Switch)\n"
                    "while/cond/pred_id Identity(while/cond/Switch/Enter, ^while/Identity)\n"
                    "while/cond/Add Add(while/cond/Add/Switch:1, while/cond/Add/Switch_1:1)\n"
                    "while/cond/Add/Switch Switch(while/Identity, while/cond/pred_id) "
                    "loc:while/Identity\n"
                    "while/cond/Add/Enter Enter(Const)\n"
                    "while/cond/Add/Switch_1 Switch(while/cond/Add/Enter, while/cond/pred_id) "
                    "loc:while/cond/Add/Enter\n"
                    "while/cond/Switch_1 Switch(while/Identity, while/cond/pred_id) "
                    "loc:while/Identity\n"
                    "while/cond/Merge Merge(while/cond/Switch_1, while/cond/Add)\n"
                    "while/NextIteration NextIteration(while/cond/Merge)\n");
}

static void test_flow_names__branches_in_a_branch(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), p = truth(m), r, y;
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    struct leat_branches *in = leat_branches_begin(g, p, NULL);
    r = leat_neg(g, x);
    assert_int_equal(leat_branches_other(in, &r, 1), 1);
    r = leat_abs(g, x);
    assert_int_equal(leat_branches_end(in, &r, 1, &r), 1);
    assert_int_equal(leat_branches_other(b, &r, 1), 1);
    assert_int_equal(leat_branches_end(b, &x, 1, &y), 1);
    assert_nodes(m, "Const Const\nPlaceholder Placeholder\n"
                    "cond/Switch Switch(Placeholder, Placeholder)\n"
                    "cond/switch_t Identity(cond/Switch:1)\n"
                    "cond/switch_f Identity(cond/Switch)\n"
                    "cond/pred_id Identity(Placeholder)\n"
                    "cond/cond/Switch Switch(cond/cond/Switch/Switch:1, "
                    "cond/cond/Switch/Switch:1)\n"
                    "cond/cond/Switch/Switch Switch(Placeholder, cond/pred_id) loc:Placeholder\n"
                    "cond/cond/switch_t Identity(cond/cond/Switch:1)\n"
                    "cond/cond/switch_f Identity(cond/cond/Switch)\n"
                    "cond/cond/pred_id Identity(cond/cond/Switch/Switch:1)\n"
                    "cond/cond/Neg Neg(cond/cond/Neg/Switch_1:1)\n"
                    "cond/cond/Neg/Switch Switch(Const, cond/pred_id) loc:Const\n"
                    "cond/cond/Neg/Switch_1 Switch(cond/cond/Neg/Switch:1, cond/cond/pred_id) "
                    "loc:Const\n"
                    "cond/cond/Abs Abs(cond/cond/Abs/Switch)\n"
                    "cond/cond/Abs/Switch Switch(cond/cond/Neg/Switch:1, cond/cond/pred_id) "
                    "loc:Const\n"
                    "cond/cond/Merge Merge(cond/cond/Abs, cond/cond/Neg)\n"
                    "cond/Switch_1 Switch(Const, cond/pred_id) loc:Const\n"
                    "cond/Merge Merge(cond/Switch_1, cond/cond/Merge)\n");
}

static void test_flow_names__a_loop_in_a_branch(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), p = truth(m), v, y;
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    struct leat_loop *l = leat_loop_begin(g, &x, 1, &v, NULL);
    assert_int_equal(leat_loop_body_begin(l, below_ten(g, v), &v), 1);
    v = leat_add(g, v, x);
    assert_int_equal(leat_loop_end(l, &v, &y), 1);
    assert_int_equal(leat_branches_other(b, &y, 1), 1);
    assert_int_equal(leat_branches_end(b, &x, 1, &y), 1);
    assert_nodes(m, "Const Const\nPlaceholder Placeholder\n"
                    "cond/Switch Switch(Placeholder, Placeholder)\n"
                    "cond/switch_t Identity(cond/Switch:1)\n"
                    "cond/switch_f Identity(cond/Switch)\n"
                    "cond/pred_id Identity(Placeholder)\n"
                    "cond/while/Switch Switch(Const, cond/pred_id) loc:Const\n"
                    "cond/while/Enter Enter(cond/while/Switch:1)\n"
                    "cond/while/Merge Merge(cond/while/Enter, cond/while/NextIteration)\n"
                    "cond/while/Less/y Const(^cond/while/Merge)\n"
                    "cond/while/Less Less(cond/while/Merge, cond/while/Less/y)\n"
                    "cond/while/LoopCond LoopCond(cond/while/Less)\n"
                    "cond/while/Switch_1 Switch(cond/while/Merge, cond/while/LoopCond) "
                    "loc:cond/while/Merge\n"
                    "cond/while/Identity Identity(cond/while/Switch_1:1)\n"
                    "cond/while/Add Add(cond/while/Identity, cond/while/Add/Enter)\n"
                    "cond/while/Add/Enter Enter(cond/while/Switch:1)\n"
                    "cond/while/NextIteration NextIteration(cond/while/Add)\n"
                    "cond/while/Exit Exit(cond/while/Switch_1)\n"
                    "cond/Switch_1 Switch(Const, cond/pred_id) loc:Const\n"
                    "cond/Merge Merge(cond/Switch_1, cond/while/Exit)\n");
}

static void test_flow_names__control_dependencies_of_a_loop(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), z = leat_const_float(g, 2), v, y;
    TF_Operation *n = leat_no_op(g);
    leat_push_control_dependencies(g, &n, 1);
    struct leat_loop *l = leat_loop_begin(g, &x, 1, &v, NULL);
    assert_int_equal(leat_loop_body_begin(l, below_ten(g, v), &v), 1);
    leat_push_control_dependencies(g, (TF_Operation *[]){x.oper, z.oper, n}, 3);
    (void)leat_const_float(g, 2);
    y = leat_add(g, v, v);
    leat_push_control_dependencies(g, NULL, 0);
    assert_int_equal(leat_current_flow(g, 0, NULL), 0);
    (void)leat_const_float(g, 5, .name = "free");
    leat_pop(g);
    leat_pop(g);
    TF_Output next = leat_add(g, y, z);
    assert_int_equal(leat_loop_end(l, &next, &y), 1);
    leat_pop(g);
    assert_nodes(m, "Const Const\nConst_1 Const\nNoOp NoOp\n"
                    "while/Enter Enter(Const, ^NoOp)\n" LOOP_HEAD
                    "while/Const Const(^while/Identity, ^while/Identity_1, ^while/Identity_2)\n"
                    "while/Identity_1 Identity(while/Identity_1/Enter, ^while/Identity)\n"
                    "while/Identity_1/Enter Enter(Const)\n"
                    "while/Identity_2 Identity(while/Identity_2/Enter, ^while/Identity)\n"
                    "while/Identity_2/Enter Enter(Const_1)\n"
                    "while/Add Add(while/Identity, while/Identity, ^while/Add/Identity, "
                    "^while/Add/Identity_1)\n"
                    "while/Add/Identity Identity(while/Identity_1/Enter, ^while/Identity)\n"
                    "while/Add/Identity_1 Identity(while/Identity_2/Enter, ^while/Identity)\n"
                    "while/free Const\n"
                    "while/Add_1 Add(while/Add, while/Identity_2/Enter)\n"
                    "while/NextIteration NextIteration(while/Add_1)\n");
}

static void test_flow_names__control_dependencies_of_branches(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Operation *n = leat_no_op(g);
    TF_Output c = one(m), p = truth(m), a, y;
    leat_push_control_dependencies(g, &n, 1);
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    a = leat_const_float(g, 1);
    leat_push_control_dependencies(g, &c.oper, 1);
    (void)leat_const_float(g, 1);
    a = leat_add(g, a, c);
    leat_pop(g);
    assert_int_equal(leat_branches_other(b, &a, 1), 1);
    a = leat_const_float(g, 2);
    assert_int_equal(leat_branches_end(b, &a, 1, &y), 1);
    leat_pop(g);
    assert_nodes(m, "NoOp NoOp\nConst Const\nPlaceholder Placeholder\n"
                    "cond/Switch Switch(Placeholder, Placeholder, ^NoOp)\n"
                    "cond/switch_t Identity(cond/Switch:1)\n"
                    "cond/switch_f Identity(cond/Switch)\n"
                    "cond/pred_id Identity(Placeholder, ^NoOp)\n"
                    "cond/Const Const(^NoOp, ^cond/switch_t)\n"
                    "cond/Const_1 Const(^Const, ^NoOp, ^cond/switch_t)\n"
                    "cond/Add Add(cond/Const, cond/Add/Switch:1)\n"
                    "cond/Add/Switch Switch(Const, cond/pred_id) loc:Const\n"
                    "cond/Const_2 Const(^NoOp, ^cond/switch_f)\n"
                    "cond/Merge Merge(cond/Const_2, cond/Add)\n");
}

static void test_flow_names__references(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output v = leat_variable(g, "v", leat_const_float(g, 1)), p = truth(m), a, y;
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    a = leat_assign_add(g, v, leat_const_float(g, 1, .name = "AssignAdd/value"));
    assert_int_equal(leat_branches_other(b, &a, 1), 1);
    assert_int_equal(leat_branches_end(b, &v, 1, &y), 1);
    assert_no_error(m);
    char *text = graph_text(g, 0);
    assert_non_null(strstr(text, "cond/AssignAdd AssignAdd(cond/AssignAdd/Switch:1, "
                                 "cond/AssignAdd/value) loc:v\n"));
    assert_non_null(strstr(text, "cond/AssignAdd/Switch RefSwitch(v, cond/pred_id) loc:v\n"));
    assert_non_null(strstr(text, "cond/Switch_1 Switch(v/read, cond/pred_id) loc:v\n"));
    assert_non_null(strstr(text, "cond/Merge Merge(cond/Switch_1, cond/AssignAdd)\n"));
    leat_free(text);
}

/* --- asking, and what goes wrong --- */

static void test_flow_names__what_is_being_built(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), p = truth(m), v, k, y;
    struct leat_flow f, of;
    assert_int_equal(leat_current_flow(g, 0, &f), 0);
    struct leat_loop *l = leat_loop_begin(g, &x, 1, &v, NULL);
    assert_int_equal(leat_current_flow(g, 0, &f), 1);
    assert_true(f.is_loop && f.depth == 1 && f.pivot.oper == v.oper);
    assert_true(f.parallel_iterations == 10 && f.back_prop && !f.swap_memory);
    assert_string_equal(f.name, "while/while_context");
    assert_int_equal(leat_loop_body_begin(l, below_ten(g, v), &v), 1);
    assert_int_equal(leat_current_flow(g, 0, &f), 1);
    assert_ptr_equal(f.pivot.oper, v.oper);
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    assert_int_equal(leat_current_flow(g, 0, &f), 1);
    assert_true(!f.is_loop && f.depth == 2 && f.branch == 1);
    assert_string_equal(f.name, "while/cond/cond_text");
    assert_string_equal(TF_OperationName(f.pivot.oper), "while/cond/switch_t");
    assert_string_equal(TF_OperationName(f.pred.oper), "while/cond/pred_id");
    TF_Output r = leat_add(g, v, x);
    assert_int_equal(leat_flow_of(g, r.oper, 0, &of), 1);
    assert_ptr_equal(of.id, f.id);
    assert_int_equal(leat_flow_of(g, r.oper, 1, &of), 1);
    assert_true(of.is_loop);
    assert_int_equal(leat_flow_of(g, r.oper, 2, &of), 0);
    assert_int_equal(leat_branches_other(b, &r, 1), 1);
    assert_int_equal(leat_current_flow(g, 0, &f), 1);
    assert_int_equal(f.branch, 0);
    assert_int_equal(leat_branches_end(b, &v, 1, &k), 1);
    assert_int_equal(leat_flow_of(g, k.oper, 0, &of), 1);
    assert_true(of.is_loop);
    assert_int_equal(leat_loop_end(l, &k, &y), 1);
    assert_int_equal(leat_flow_of(g, y.oper, 0, &of), 0);
    assert_int_equal(leat_flow_of(g, NULL, 0, &of), 0);
    assert_int_equal(leat_flow_of(NULL, y.oper, 0, &of), 0);
    assert_int_equal(leat_current_flow(NULL, 0, &of), 0);
}

static void test_flow_names__invariants(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x[2] = {one(m), leat_zeros(g, leat_shape(1, 1))}, v[2], y[2];
    int64_t dims[2];
    struct leat_while_loop_args a = {
        .shape_invariants = (struct leat_shape[]){{NULL, LEAT_NOT_GIVEN}, leat_shape(-1, 1)}};
    struct leat_loop *l = leat_loop_begin(g, x, 2, v, &a);
    assert_int_equal(leat_static_shape(g, v[0], dims, 2), 0);
    assert_int_equal(leat_static_shape(g, v[1], dims, 2), 2);
    assert_true(dims[0] == -1 && dims[1] == 1);
    assert_int_equal(leat_loop_body_begin(l, below_ten(g, v[0]), v), 1);
    v[1] = leat_concat(g, leat_const_int(g, 0), (TF_Output[]){v[1], v[1]}, 2);
    assert_int_equal(leat_loop_end(l, v, y), 1);
    assert_int_equal(leat_static_shape(g, y[1], dims, 2), 2);
    assert_true(dims[0] == -1 && dims[1] == 1);
    a.shape_invariants = (struct leat_shape[]){{NULL, LEAT_NOT_GIVEN}, leat_shape(-7)};
    assert_null(leat_loop_begin(g, x, 2, v, &a));
    assert_error(m, "the invariant of value 1 is no shape");
    assert_null(v[0].oper);
}

static void test_flow_names__given_up(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    TF_Output x = one(m), p = truth(m), v, y;
    struct leat_loop *l = leat_loop_begin(g, &x, 1, &v, NULL);
    leat_push_scope(g, "left");
    struct leat_branches *b = leat_branches_begin(g, p, NULL);
    leat_push_device(g, "/cpu:0");
    leat_branches_abandon(b);
    assert_string_equal(leat_current_scope(g), "while/left/");
    leat_loop_abandon(l);
    assert_string_equal(leat_current_scope(g), "");
    assert_int_equal(leat_current_flow(g, 0, NULL), 0);
    assert_no_error(m);
    l = leat_loop_begin(g, &x, 1, &v, NULL);
    assert_int_equal(leat_loop_end(l, &v, &y), 0);
    assert_null(y.oper);
    assert_error(m, "the loop has no condition yet");
    b = leat_branches_begin(g, p, NULL);
    assert_int_equal(leat_branches_other(b, &x, 1), 1);
    assert_int_equal(leat_branches_end(b, (TF_Output[]){x, x}, 2, (TF_Output[2]){{NULL, 0}}), 0);
    assert_error(m, "the branches give 1 and 2 results");
    b = leat_branches_begin(g, p, NULL);
    assert_int_equal(leat_branches_other(b, &x, 0), 0);
    leat_branches_abandon(b);
    assert_error(m, "0 results");
    b = leat_branches_begin(g, p, NULL);
    assert_int_equal(leat_branches_end(b, &x, 1, &y), 0);
    assert_error(m, "the branches give 0 and 1 results");
    assert_null(leat_branches_begin(g, x, NULL));
    leat_graph_clear_status(g);
    assert_null(leat_loop_begin(g, &x, 0, &v, NULL));
    leat_graph_clear_status(g);
    assert_null(leat_branches_begin(NULL, p, NULL));
    assert_null(leat_loop_begin(NULL, &x, 1, &v, NULL));
    assert_int_equal(leat_loop_body_begin(NULL, x, &v), 0);
    assert_int_equal(leat_loop_end(NULL, &x, &v), 0);
    assert_int_equal(leat_branches_other(NULL, &x, 1), 0);
    assert_int_equal(leat_branches_end(NULL, &x, 1, &v), 0);
    leat_loop_abandon(NULL);
    leat_branches_abandon(NULL);
    assert_string_equal(leat_current_scope(g), "");
    (void)leat_neg(g, x);
    assert_no_error(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(test_flow_names__##name, made_setup, made_teardown)
        T(a_loop_in_a_loop),
        T(branches_in_a_loop),
        T(branches_in_a_branch),
        T(a_loop_in_a_branch),
        T(control_dependencies_of_a_loop),
        T(control_dependencies_of_branches),
        T(references),
        T(what_is_being_built),
        T(invariants),
        T(given_up),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
