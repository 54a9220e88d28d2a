/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of elementwise ops that end in a variable: which nodes join, and that the variable gets the
 * same bits, and a failure the same words, as without fusion. */
#include <math.h>
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

static struct output variable(struct graph *g, const char *name)
{
    struct node_desc *d = node_desc_new(g, "VariableV2", name);
    struct shape shape = shape_1(8);
    node_desc_attr(d, "shape", attr_shape(&shape));
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    return t_out(t_finish(d), 0);
}

static struct output input(struct graph *g, const char *name)
{
    return p_in(g, name, DT_FLOAT, 1, (int64_t[]){8});
}

static const struct pass_options fuse = {.fuse = true};

static void test_fuse_updates__a_tree_ends_in_the_variable(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = input(g, "x"), v = variable(g, "v");
    struct output y = p_op2(g, "Mul", "y", p_op1(g, "Tanh", "t", x), x);
    struct output u = p_op2(g, "AssignSub", "u", v, y);
    struct rgraph *r = p_run(g, fuse, 1, u.node);
    p_want(r, "u", "_FusedUpdate(v,x)");
    p_want(r, "y", NULL);
    assert_true(p_find(r, "u")->pinned);
    rgraph_free(r);
    graph_unref(g);
}

static void test_fuse_updates__what_is_waited_for_stays(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = input(g, "x"), v = variable(g, "v");
    struct output first = p_op2(g, "AssignAdd", "first", variable(g, "w"), x);
    struct node_desc *d = node_desc_new(g, "AssignSub", "u");
    node_desc_input(d, v);
    node_desc_input(d, p_op1(g, "Tanh", "y", x));
    node_desc_control(d, first.node);
    struct node *u = t_finish(d);
    struct node *last = p_with(g, "Identity", "last", x, NULL, (struct attr_value){0}, u).node;
    struct rgraph *r = p_run(g, fuse, 1, last);
    p_want(r, "u", "_FusedUpdate(v,x,^first)");
    p_want(r, "last", "Identity(x,^u)");
    rgraph_free(r);
    graph_unref(g);
}

static void test_fuse_updates__a_result_that_others_read_is_computed_apart(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = input(g, "x"), y = p_op1(g, "Tanh", "y", x);
    struct output u = p_op2(g, "AssignSub", "u", variable(g, "v"), y);
    struct output z = p_op2(g, "Assign", "z", variable(g, "w"), y);
    struct rgraph *r = p_run(g, fuse, 2, u.node, z.node);
    p_want(r, "u", "AssignSub(v,y)");
    p_want(r, "y", "Tanh(x)");
    rgraph_free(r);
    graph_unref(g);
}

/* By reference, a variable is read only where an update has just given it a value; and never the
 * one that is updated. */
static void test_fuse_updates__reads_by_reference(void **state)
{
    (void)state;
    struct graph *g = graph_new();
    struct output x = input(g, "x"), v = variable(g, "v"), w = variable(g, "w");
    struct output after = p_op2(g, "AssignAdd", "after", w, x);
    struct output y = p_op2(g, "Mul", "y", p_op1(g, "Sqrt", "root", after), x);
    struct output u = p_op2(g, "AssignSub", "u", v, y);
    struct output own = p_op2(g, "AssignAdd", "own", after, p_op2(g, "Mul", "z", after, x));
    struct rgraph *r = p_run(g, fuse, 2, u.node, own.node);
    p_want(r, "u", "_FusedUpdate(v,x,after)");
    p_want(r, "own", "AssignAdd(after,z)");
    rgraph_free(r);
    struct output early = p_op2(g, "Mul", "early", p_op1(g, "Tanh", "t", v), x);
    r = p_run(g, fuse, 1, early.node);
    p_want(r, "early", "Mul(t,x)");
    rgraph_free(r);
    graph_unref(g);
}

/* --- values --- */

static TF_Output tf_variable(struct rig *r, const char *name)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "VariableV2", name);
    TF_SetAttrShape(d, "shape", NULL, -1);
    TF_SetAttrType(d, "dtype", r->type);
    return (TF_Output){TF_FinishOperation(d, r->st), 0};
}

static TF_Output assign(struct rig *r, const char *name, TF_Output v, TF_Output value)
{
    TF_OperationDescription *d = TF_NewOperation(r->g, "Assign", name);
    TF_AddInput(d, v);
    TF_AddInput(d, value);
    TF_SetAttrBool(d, "validate_shape", 0);
    return (TF_Output){TF_FinishOperation(d, r->st), 0};
}

/* Runs one operation; the code, and what was said. */
static TF_Code run(struct rig *r, TF_Session *s, TF_Output what, char message[1000],
                   TF_Tensor **value)
{
    TF_SessionRun(s, NULL, r->feeds, r->values, r->num_feeds, &what, value, value ? 1 : 0,
                  (const TF_Operation *const *)&what.oper, 1, NULL, r->st);
    snprintf(message, 1000, "%s", TF_Message(r->st));
    return TF_GetCode(r->st);
}

static void same_value(const TF_Tensor *a, const TF_Tensor *b, int type)
{
    const size_t bytes = TF_TensorByteSize(a);
    assert_int_equal(bytes, TF_TensorByteSize(b));
    const size_t item = TF_DataTypeSize((TF_DataType)type);
    for (size_t i = 0; i < bytes; i += item) {
        const char *x = (const char *)TF_TensorData(a) + i, *y = (const char *)TF_TensorData(b) + i;
        double p, q;
        float f;
        if (type == TF_FLOAT) {
            memcpy(&f, x, sizeof f), p = (double)f;
            memcpy(&f, y, sizeof f), q = (double)f;
        } else {
            memcpy(&p, x, sizeof p), memcpy(&q, y, sizeof q);
        }
        assert_true((isnan(p) && isnan(q)) || memcmp(x, y, item) == 0);
    }
}

/* Both sessions initialise, update three times and read the variable each time. */
static TF_Code compare(struct rig *r, TF_Output init, TF_Output update, TF_Output v)
{
    TF_Output read = rig_op(r, "Identity", "read", 1, &v);
    char said[2][1000];
    TF_Code code = TF_OK;
    assert_int_equal(run(r, r->fused, init, said[0], NULL), TF_OK);
    assert_int_equal(run(r, r->plain, init, said[1], NULL), TF_OK);
    for (int i = 0; i < 3 && code == TF_OK; i++) {
        TF_Tensor *a = NULL, *b = NULL;
        code = run(r, r->fused, update, said[0], NULL);
        assert_int_equal(run(r, r->plain, update, said[1], NULL), code);
        assert_string_equal(said[0], said[1]);
        assert_int_equal(run(r, r->fused, read, said[0], &a), TF_OK);
        assert_int_equal(run(r, r->plain, read, said[1], &b), TF_OK);
        same_value(a, b, r->type);
        TF_DeleteTensor(a);
        TF_DeleteTensor(b);
    }
    return code;
}

static void test_fuse_updates__same_bits(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{0, 3},   {1, 1},    {1, 17},     {7, 20},
                                       {64, 33}, {300, 40}, {2300, 129}, {20000, 40}};
    for (size_t i = 0; i < 4 * ARRAY_LEN(sizes); i++) {
        struct rig r = rig_new(i % 2 ? TF_DOUBLE : TF_FLOAT);
        TF_Output x = rig_feed(&r, sizes[i / 4], 2), y = rig_feed(&r, sizes[i / 4], 2);
        TF_Output row = rig_feed(&r, sizes[i / 4] + 1, 1), v = tf_variable(&r, "v");
        TF_Output w = tf_variable(&r, "w");
        TF_Output after = assign(&r, "after", w, y);
        TF_Output a = rig_node(&r, "Sqrt", 1, after, after), b = rig_node(&r, "Mul", 2, a, row);
        TF_Output c = rig_node(&r, "RealDiv", 2, rig_node(&r, "Tanh", 1, b, b), y);
        TF_Output in[] = {v, i / 2 % 2 ? c : rig_node(&r, "Mul", 2, a, y)};
        TF_Output u = rig_op(&r, i / 2 % 2 ? "AssignSub" : "AssignAdd", "u", 2, in);
        assert_int_equal(compare(&r, assign(&r, "init", v, x), u, v), TF_OK);
        rig_free(&r);
    }
}

/* What is added is made of the variable itself: a read by value, as programs make them. */
static void test_fuse_updates__of_the_variables_own_value(void **state)
{
    (void)state;
    struct rig r = rig_new(TF_FLOAT);
    TF_Output x = rig_feed(&r, (int64_t[]){50, 70}, 2), v = tf_variable(&r, "v");
    TF_Output now = rig_op(&r, "Identity", "now", 1, &v);
    TF_Output a = rig_node(&r, "Mul", 2, now, x), b = rig_node(&r, "Tanh", 1, a, a);
    TF_Output in[] = {v, b}, u = rig_op(&r, "AssignSub", "u", 2, in);
    assert_int_equal(compare(&r, assign(&r, "init", v, x), u, v), TF_OK);
    rig_free(&r);
}

static void test_fuse_updates__errors_have_the_same_words(void **state)
{
    (void)state;
    static const struct {
        int64_t v[2], x[2];
    } cases[] = {{{4, 5}, {4, 1}}, {{1, 5}, {4, 5}}, {{4, 5}, {5, 4}}, {{1, 1}, {0, 1}}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r = rig_new(TF_FLOAT);
        TF_Output first = rig_feed(&r, cases[i].v, 2), x = rig_feed(&r, cases[i].x, 2);
        TF_Output v = tf_variable(&r, "v"), a = rig_node(&r, "Tanh", 1, x, x);
        TF_Output in[] = {v, rig_node(&r, "Mul", 2, a, x)};
        TF_Output u = rig_op(&r, "AssignSub", "u", 2, in);
        assert_int_equal(compare(&r, assign(&r, "init", v, first), u, v), TF_INVALID_ARGUMENT);
        rig_free(&r);
    }
    struct rig r = rig_new(TF_FLOAT);
    TF_Output x = rig_feed(&r, (int64_t[]){3}, 1), y = rig_feed(&r, (int64_t[]){4}, 1);
    TF_Output v = tf_variable(&r, "v"), w = tf_variable(&r, "w");
    TF_Output b = rig_node(&r, "Mul", 2, x, y), c = rig_node(&r, "Mul", 2, x, x);
    TF_Output in[] = {v, rig_node(&r, "Tanh", 1, b, b)}, u = rig_op(&r, "AssignAdd", "u", 2, in);
    assert_int_equal(compare(&r, assign(&r, "init", v, x), u, v), TF_INVALID_ARGUMENT);
    TF_Output none[] = {w, rig_node(&r, "Tanh", 1, c, c)};
    char said[1000];
    assert_int_equal(run(&r, r.fused, rig_op(&r, "AssignSub", "none", 2, none), said, NULL),
                     TF_FAILED_PRECONDITION);
    assert_non_null(strstr(said, "Attempting to use uninitialized value w"));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fuse_updates__a_tree_ends_in_the_variable),
        cmocka_unit_test(test_fuse_updates__what_is_waited_for_stays),
        cmocka_unit_test(test_fuse_updates__a_result_that_others_read_is_computed_apart),
        cmocka_unit_test(test_fuse_updates__reads_by_reference),
        cmocka_unit_test(test_fuse_updates__same_bits),
        cmocka_unit_test(test_fuse_updates__of_the_variables_own_value),
        cmocka_unit_test(test_fuse_updates__errors_have_the_same_words),
    };
    return cmocka_run_group_tests_name("graph/fuse_updates", tests, NULL, NULL);
}
