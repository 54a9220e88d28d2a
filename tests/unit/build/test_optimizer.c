/* SPDX-License-Identifier: Apache-2.0 */
/* Each optimizer's updates against TensorFlow 1.15.5's: dense and by slices with a row named twice,
 * of reference and of resource variables, float and double; slots; the counted step; errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "leat/leat.h"

static TF_Graph *g;
static TF_Status *s;

static int set_up(void **state)
{
    (void)state;
    g = TF_NewGraph();
    s = TF_NewStatus();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return 0;
}

#define MAKE(name, ...)                                                                            \
    static leat_optimizer *make_##name(void)                                                       \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
MAKE(gradient_descent, leat_gradient_descent(g, .learning_rate = 0.1))
MAKE(momentum, leat_momentum(g, .learning_rate = 0.1, .momentum = 0.9))
MAKE(nesterov, leat_momentum(g, .learning_rate = 0.1, .use_nesterov = true))
MAKE(adam, leat_adam(g, .learning_rate = 0.1))
MAKE(adagrad, leat_adagrad(g, .learning_rate = 0.1))
MAKE(rmsprop, leat_rmsprop(g, .learning_rate = 0.1, .momentum = 0.5))
MAKE(centered_rmsprop, leat_rmsprop(g, .learning_rate = 0.1, .centered = true))
MAKE(ftrl, leat_ftrl(g, .learning_rate = 0.1, .l1 = 0.02))
MAKE(ftrl_shrinkage, leat_ftrl(g, .learning_rate = 0.1, .l2 = 0.03, .l2_shrinkage = 0.01))
MAKE(adadelta, leat_adadelta(g, .learning_rate = 0.5, .rho = 0.9, .epsilon = 1e-4))

/* What 1.15.5 makes of {{1, 2}, {3, 4}, {5, 6}} in one step and in four with the gradient
 * {{.1, -.2}, {.3, .4}, {-.5, .6}}: of all three rows, or of rows 2, 0, 2. */
/* clang-format off */
static const struct {
    leat_optimizer *(*make)(void);
    bool sparse;
    float after1[6], after4[6];
} rows[] = {
    {make_gradient_descent, false, {0.99000001F, 2.01999998F, 2.97000003F, 3.96000004F, 5.05000019F, 5.94000006F}, {0.960000038F, 2.07999992F, 2.88000011F, 3.84000015F, 5.20000076F, 5.76000023F}},
    {make_gradient_descent, true, {0.970000029F, 1.96000004F, 3.0F, 4.0F, 5.03999996F, 5.96000004F}, {0.880000114F, 1.84000015F, 3.0F, 4.0F, 5.15999985F, 5.84000015F}},
    {make_momentum, false, {0.99000001F, 2.01999998F, 2.97000003F, 3.96000004F, 5.05000019F, 5.94000006F}, {0.909510016F, 2.18097997F, 2.72853017F, 3.63804007F, 5.4524498F, 5.45706034F}},
    {make_momentum, true, {0.970000029F, 1.96000004F, 3.0F, 4.0F, 5.03999996F, 5.96000004F}, {0.728530049F, 1.63804007F, 3.0F, 4.0F, 5.36195993F, 5.63804007F}},
    {make_nesterov, false, {0.981000006F, 2.03800011F, 2.94300008F, 3.92400002F, 5.09499979F, 5.88600016F}, {0.878558993F, 2.24288201F, 2.6356771F, 3.51423597F, 5.60720444F, 5.2713542F}},
    {make_nesterov, true, {0.943000019F, 1.92400002F, 3.0F, 4.0F, 5.07600021F, 5.92399979F}, {0.63567704F, 1.51423597F, 3.0F, 4.0F, 5.48576403F, 5.51423597F}},
    {make_adam, false, {0.900000334F, 2.0999999F, 2.9000001F, 3.9000001F, 5.0999999F, 5.9000001F}, {0.600002229F, 2.39999819F, 2.60000157F, 3.60000157F, 5.39999866F, 5.60000134F}},
    {make_adam, true, {0.900000095F, 1.9000001F, 3.0F, 4.0F, 5.0999999F, 5.9000001F}, {0.600001574F, 1.60000145F, 3.0F, 4.0F, 5.39999866F, 5.60000181F}},
    {make_adagrad, false, {0.969848871F, 2.05345225F, 2.93117523F, 3.92155361F, 5.08451557F, 5.91153479F}, {0.886520207F, 2.18245602F, 2.78092813F, 3.76081061F, 5.25097132F, 5.74169207F}},
    {make_adagrad, true, {0.931175292F, 1.92155361F, 3.0F, 4.0F, 5.07844639F, 5.92155361F}, {0.780928314F, 1.76081073F, 3.0F, 4.0F, 5.23918962F, 5.76081038F}},
    {make_rmsprop, false, {0.989464939F, 2.02103519F, 2.96853423F, 3.95820618F, 5.05198765F, 5.93798256F}, {0.930975974F, 2.13746309F, 2.79523659F, 3.72957301F, 5.33403349F, 5.60475111F}},
    {make_rmsprop, true, {0.968534172F, 1.95820618F, 3.0F, 4.0F, 5.04179382F, 5.95820618F}, {0.795236707F, 1.72957301F, 3.0F, 4.0F, 5.27042723F, 5.72957277F}},
    {make_centered_rmsprop, false, {0.989464343F, 2.02103972F, 2.9685185F, 3.9581697F, 5.05205774F, 5.93786287F}, {0.954342961F, 2.0909996F, 2.86427402F, 3.82044315F, 5.22224617F, 5.73641348F}},
    {make_centered_rmsprop, true, {0.968518555F, 1.95816958F, 3.0F, 4.0F, 5.04183054F, 5.95816946F}, {0.864274204F, 1.82044327F, 3.0F, 4.0F, 5.17955685F, 5.82044315F}},
    {make_ftrl, false, {0.0103560472F, 0.357798547F, 0.750158191F, 1.43693674F, 2.40852237F, 3.11107183F}, {-0.0614256002F, 0.48680234F, 0.599911273F, 1.27619374F, 2.57497787F, 2.94122887F}},
    {make_ftrl, true, {0.201110706F, 0.677284002F, 3.0F, 4.0F, 1.97365594F, 2.19658947F}, {0.0508637577F, 0.516541064F, 3.0F, 4.0F, 2.13439918F, 2.03584671F}},
    {make_ftrl_shrinkage, false, {0.0101720272F, 0.346890688F, 0.730920434F, 1.40859485F, 2.37095404F, 3.0691762F}, {-0.0715083629F, 0.469305038F, 0.575443327F, 1.23837113F, 2.52028441F, 2.88337517F}},
    {make_ftrl_shrinkage, true, {0.198380008F, 0.665530384F, 3.0F, 4.0F, 1.93519545F, 2.15165925F}, {0.048166208F, 0.501214921F, 3.0F, 4.0F, 2.07883215F, 1.97552752F}},
    {make_adadelta, false, {0.984924436F, 2.01561737F, 2.98427582F, 3.98423791F, 5.01577997F, 5.98421049F}, {0.937862813F, 2.06443644F, 2.93510985F, 3.93494868F, 5.0651269F, 5.93483257F}},
    {make_adadelta, true, {0.984275699F, 1.98423779F, 3.0F, 4.0F, 5.01576233F, 5.98423767F}, {0.935109496F, 1.93494844F, 3.0F, 4.0F, 5.06505203F, 5.93494797F}},
};
/* clang-format on */

static const float start[] = {1, 2, 3, 4, 5, 6}, slope[] = {.1F, -.2F, .3F, .4F, -.5F, .6F};
static const int32_t rows_of_slope[] = {2, 0, 2};

static void expect_ok(void)
{
    leat_graph_status(g, s);
    assert_string_equal(TF_Message(s), "");
    assert_int_equal(TF_GetCode(s), TF_OK);
}

static void expect_near(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5F * fabsf(want[i]) + 1e-6F))
            fail_msg("element %d is %.9g, not %.9g", i, (double)got[i], (double)want[i]);
}

/* The gradient as floats or doubles, dense or slices. */
static struct leat_grad make_gradient(bool sparse, TF_DataType dtype)
{
    TF_Output values = leat_const_floats(g, slope, leat_shape(3, 2));
    struct leat_grad d = {.values = values};
    if (dtype != TF_FLOAT)
        d.values = leat_cast(g, values, .DstT = dtype);
    if (sparse)
        d.indices = leat_const_ints(g, rows_of_slope, leat_shape(3));
    return d;
}

static TF_Session *start_session(void)
{
    TF_Operation *init = leat_global_variables_initializer(g);
    expect_ok();
    TF_Session *session = leat_session_new(g, s);
    assert_non_null(session);
    assert_true(leat_run_op(session, init, leat_no_feeds(), s));
    return session;
}

static void run_row(int row, bool resource, TF_DataType dtype)
{
    TF_Output first = leat_const_floats(g, start, leat_shape(3, 2));
    if (dtype != TF_FLOAT)
        first = leat_cast(g, first, .DstT = dtype);
    TF_Output w = leat_variable(g, "w", first, .resource = resource);
    struct leat_grad d = make_gradient(rows[row].sparse, dtype);
    leat_optimizer *opt = rows[row].make();
    TF_Operation *train = leat_apply_gradients(opt, &d, leat_outputs(w));
    leat_optimizer_free(opt);
    TF_Output value = leat_variable_value(g, w);
    if (dtype != TF_FLOAT)
        value = leat_cast(g, value, .DstT = TF_FLOAT);
    TF_Session *session = start_session();
    float got[6];
    for (int step = 1; step <= 4; step++) {
        assert_true(leat_run_op(session, train, leat_no_feeds(), s));
        assert_true(leat_run(session, s, .fetches = leat_fetches(leat_fetch(value, got, 6))));
        if (step == 1)
            expect_near(got, rows[row].after1, 6);
    }
    expect_near(got, rows[row].after4, 6);
    leat_session_close(session);
}

static void run_all(bool resource, TF_DataType dtype)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TF_DeleteGraph(g);
        g = TF_NewGraph();
        run_row((int)i, resource, dtype);
    }
}

static void test_optimizer__reference_variables(void **state)
{
    (void)state;
    run_all(false, TF_FLOAT);
}

static void test_optimizer__resource_variables(void **state)
{
    (void)state;
    run_all(true, TF_FLOAT);
}

static void test_optimizer__double_variables(void **state)
{
    (void)state;
    run_all(false, TF_DOUBLE);
    run_all(true, TF_DOUBLE);
}

/* (w - 3)^2 falls to nothing; the step counts; a rate may be a tensor that is fed. */
static void minimize(bool resource)
{
    TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(2)), .resource = resource);
    TF_Output step = leat_get_variable(g, "step", leat_shape(), .dtype = TF_INT64, .trainable = 0,
                                       .initializer = leat_init_zeros(), .resource = resource);
    TF_Output rate = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape());
    TF_Output error = leat_sub(g, w, leat_const_float(g, 3));
    leat_optimizer *opt = leat_gradient_descent(g, .learning_rate_tensor = rate);
    TF_Operation *train = leat_minimize(opt, leat_square(g, error), .global_step = step);
    leat_optimizer_free(opt);
    TF_Output count = leat_variable_value(g, step), value = leat_variable_value(g, w);
    TF_Session *session = start_session();
    struct leat_feeds feeds = leat_feeds(leat_feed_number(rate, 0.25));
    float got[2];
    int64_t steps;
    for (int i = 0; i < 30; i++)
        assert_true(leat_run_op(session, train, feeds, s));
    assert_true(
        leat_run(session, s,
                 .fetches = leat_fetches(leat_fetch(value, got, 2), leat_fetch(count, &steps, 1))));
    assert_int_equal(steps, 30);
    expect_near(got, (const float[]){3, 3}, 2);
    leat_session_close(session);
}

static void test_optimizer__minimize_counts_steps(void **state)
{
    (void)state;
    minimize(false);
    TF_DeleteGraph(g);
    g = TF_NewGraph();
    minimize(true);
}

static void test_optimizer__slots(void **state)
{
    (void)state;
    TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(2)));
    TF_Output v = leat_variable(g, "v", leat_zeros(g, leat_shape(2)));
    struct leat_grad d = {.values = leat_ones(g, leat_shape(2))};
    leat_optimizer *opt = leat_adam(g);
    leat_apply_gradients(opt, &d, leat_outputs(w));
    int num_ops = 0;
    expect_ok();
    TF_Output m = leat_get_slot(opt, w, "m");
    assert_string_equal(TF_OperationName(m.oper), "w/Adam");
    assert_string_equal(TF_OperationName(leat_get_slot(opt, w, "v").oper), "w/Adam_1");
    assert_false(leat_valid(leat_get_slot(opt, w, "momentum")));
    assert_false(leat_valid(leat_get_slot(opt, v, "m")));
    /* applied again, the slots are those that there are */
    assert_non_null(leat_apply_gradients(opt, &d, leat_outputs(w)));
    assert_ptr_equal(leat_get_slot(opt, w, "m").oper, m.oper);
    assert_null(TF_GraphOperationByName(g, "w/Adam_2"));
    leat_optimizer_free(opt);
    /* slots are not trained */
    num_ops = leat_get_collection(g, LEAT_TRAINABLE_VARIABLES, NULL, NULL, 0);
    assert_int_equal(num_ops, 2);
    assert_int_equal(leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0), 6);
    assert_int_equal(leat_get_collection(g, "train_op", NULL, NULL, 0), 2);
}

static void expect_error(const char *part)
{
    leat_graph_status(g, s);
    assert_int_not_equal(TF_GetCode(s), TF_OK);
    if (!strstr(TF_Message(s), part) || !strstr(TF_Message(s), "test_optimizer.c:"))
        fail_msg("'%s' lacks '%s' or the line", TF_Message(s), part);
    leat_graph_clear_status(g);
}

static void test_optimizer__errors_say_what_and_where(void **state)
{
    (void)state;
    TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(2)));
    TF_Output c = leat_const_float(g, 1);
    assert_null(leat_gradient_descent(g));
    expect_error("learning_rate");
    assert_null(leat_adagrad(g, .learning_rate = 1, .initial_accumulator = 0));
    expect_error("initial_accumulator");
    assert_null(leat_ftrl(g, .learning_rate = 1, .l1 = -1));
    expect_error("l1_regularization_strength");
    leat_optimizer *opt = leat_gradient_descent(g, 0.1);
    assert_null(leat_minimize(opt, c));
    expect_error("No gradients provided");
    assert_null(leat_minimize(opt, c, .var_list = leat_outputs(c)));
    expect_error("is not a variable");
    assert_null(leat_minimize(opt, (TF_Output){NULL, 0}));
    expect_error("invalid output");
    struct leat_grad none = {.values = {NULL, 0}};
    assert_null(leat_apply_gradients(opt, &none, leat_outputs(w)));
    expect_error("No gradients provided");
    assert_null(leat_minimize(NULL, c));
    leat_optimizer_free(opt);
    leat_optimizer_free(NULL);
}

static void test_optimizer__imported_variables(void **state)
{
    (void)state;
    TF_Output w = leat_variable(g, "w", leat_zeros(g, leat_shape(2)));
    TF_Output y = leat_square(g, leat_sub(g, w, leat_const_float(g, 1)));
    expect_ok();
    TF_Buffer *def = TF_NewBuffer();
    TF_GraphToGraphDef(g, def, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_Graph *g2 = TF_NewGraph();
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(g2, def, options, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    TF_Output w2 = {TF_GraphOperationByName(g2, "w"), 0};
    TF_Output y2 = {TF_GraphOperationByName(g2, TF_OperationName(y.oper)), 0};
    leat_optimizer *opt = leat_momentum(g2, 0.1);
    assert_non_null(leat_minimize(opt, y2, .var_list = leat_outputs(w2)));
    assert_non_null(TF_GraphOperationByName(g2, "w/Momentum"));
    leat_optimizer_free(opt);
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteBuffer(def);
    TF_DeleteGraph(g2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_optimizer__reference_variables),
        TEST(test_optimizer__resource_variables),
        TEST(test_optimizer__double_variables),
        TEST(test_optimizer__minimize_counts_steps),
        TEST(test_optimizer__slots),
        TEST(test_optimizer__errors_say_what_and_where),
        TEST(test_optimizer__imported_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
