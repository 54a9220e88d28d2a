/* SPDX-License-Identifier: Apache-2.0 */
/* Clipping, decays, reductions, normalisations, cross-entropies and losses against TensorFlow
 * 1.15.5's numbers; dropout against its law; the collection of losses; errors. */
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
static TF_Output x, y, w, z, step;
static const struct leat_ints all = {NULL, LEAT_NOT_GIVEN};

static int set_up(void **state)
{
    static const float xs[] = {.5F, -1.5F, 2, -.25F, 1, .75F, -2, 3, -.5F, .1F, .2F, 1.25F};
    static const float ys[] = {.1F, .6F, .2F, .1F, .25F, .25F, .25F, .25F, .7F, .1F, .1F, .1F};
    static const float ws[] = {1, 0, 2};
    static const int32_t zs[] = {1, 3, 0};
    (void)state;
    g = TF_NewGraph();
    s = TF_NewStatus();
    x = leat_const_floats(g, xs, leat_shape(3, 4), .name = "x");
    y = leat_const_floats(g, ys, leat_shape(3, 4), .name = "y");
    w = leat_const_floats(g, ws, leat_shape(3, 1), .name = "w");
    z = leat_const_ints(g, zs, leat_shape(3), .name = "z");
    step = leat_placeholder(g, .dtype = TF_INT64, .shape = leat_shape());
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
    static TF_Output make_##name(void)                                                             \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
/* clang-format off */
MAKE(clip_to_range, leat_clip_to_range(g, x, -1, 1))
MAKE(clip_by_norm, leat_clip_by_norm(g, x, 2, leat_ints(1)))
MAKE(clip_by_norm_all, leat_clip_by_norm(g, x, 2, all))
MAKE(sum, leat_reduce_sum(g, x, .axis = leat_ints(0)))
MAKE(mean, leat_reduce_mean(g, x))
MAKE(max, leat_reduce_max(g, x, .axis = leat_ints(-1), .keepdims = true))
MAKE(variance, leat_moments(g, x, .axis = leat_ints(0)).variance)
MAKE(batch_norm, leat_batch_normalization(g, x, y, y, x, w))
MAKE(batch_norm_bare, leat_batch_normalization(g, x, y, y))
MAKE(l2_normalize, leat_l2_normalize(g, x, .axis = leat_ints(1)))
MAKE(l2_regularizer, leat_l2_regularizer(g, x, 0.1))
MAKE(sigmoid, leat_sigmoid_cross_entropy_with_logits(g, y, x))
MAKE(weighted, leat_weighted_cross_entropy_with_logits(g, y, x, 2.5))
MAKE(softmax, leat_softmax_cross_entropy_with_logits_v2(g, y, x))
MAKE(sparse, leat_sparse_softmax_cross_entropy(g, z, x))
MAKE(sparse_rank3, leat_sparse_softmax_cross_entropy(g, leat_reshape(g, z, leat_const_ints(g, ((int32_t[]){3, 1}), leat_shape(2))), leat_reshape(g, x, leat_const_ints(g, ((int32_t[]){3, 1, 4}), leat_shape(3)))))
MAKE(absolute, leat_losses_absolute_difference(g, y, x, 2))
MAKE(cosine, leat_losses_cosine_distance(g, y, x, .axis = 1))
MAKE(hinge, leat_losses_hinge_loss(g, y, x))
MAKE(huber, leat_losses_huber_loss(g, y, x, .delta = 0.7))
MAKE(log, leat_losses_log_loss(g, y, y))
MAKE(mse, leat_losses_mean_squared_error(g, y, x, .weights = w))
MAKE(mse_mean, leat_losses_mean_squared_error(g, y, x, .weights = w, .reduction = LEAT_REDUCTION_MEAN))
MAKE(mse_batch, leat_losses_mean_squared_error(g, y, x, .weights = w, .reduction = LEAT_REDUCTION_SUM_OVER_BATCH_SIZE))
MAKE(mse_sum, leat_losses_mean_squared_error(g, y, x, .weights = w, .reduction = LEAT_REDUCTION_SUM))
MAKE(mse_none, leat_losses_mean_squared_error(g, y, x, .weights = w, .reduction = LEAT_REDUCTION_NONE))
MAKE(loss_sigmoid, leat_losses_sigmoid_cross_entropy(g, y, x, .label_smoothing = 0.1))
MAKE(loss_softmax, leat_losses_softmax_cross_entropy(g, y, x, .label_smoothing = 0.1))
MAKE(loss_sparse, leat_losses_sparse_softmax_cross_entropy(g, z, x, .weights = w))
MAKE(exponential, leat_exponential_decay(g, step, 0.1, 100, 0.96))
MAKE(exponential_stairs, leat_exponential_decay(g, step, 0.1, 100, 0.96, .staircase = true))
MAKE(natural_exp, leat_natural_exp_decay(g, step, 0.1, 100, 0.5))
MAKE(inverse_time, leat_inverse_time_decay(g, step, 0.1, 100, 0.5))
MAKE(polynomial, leat_polynomial_decay(g, step, 0.1, 100, .end_learning_rate = 0.01, .power = 2))
MAKE(polynomial_cycle, leat_polynomial_decay(g, step, 0.1, 100, .power = 2, .cycle = true))
MAKE(cosine_decay, leat_cosine_decay(g, step, 0.1, 100, .alpha = 0.1))
MAKE(restarts, leat_cosine_decay_restarts(g, step, 0.1, 100, .m_mul = 0.9))
MAKE(restarts_even, leat_cosine_decay_restarts(g, step, 0.1, 100, .t_mul = 1, .alpha = 0.2))
MAKE(linear_cosine, leat_linear_cosine_decay(g, step, 0.1, 100))
MAKE(piecewise, leat_piecewise_constant(g, step, leat_ints(50, 149), leat_floats(.1F, .05F, .01F)))

/* What 1.15.5 makes of the same inputs. */
static const struct {
    const char *name;
    TF_Output (*make)(void);
    int n;
    float want[12];
} rows[] = {
    {"clip_to_range", make_clip_to_range, 12, {0.5F, -1.0F, 1.0F, -0.25F, 1.0F, 0.75F, -1.0F, 1.0F, -0.5F, 0.100000001F, 0.200000003F, 1.0F}},
    {"clip_by_norm", make_clip_by_norm, 12, {0.390360028F, -1.17107999F, 1.56144011F, -0.195180014F, 0.524097443F, 0.393073082F, -1.04819489F, 1.57229233F, -0.5F, 0.100000001F, 0.200000003F, 1.25F}},
    {"clip_by_norm_all", make_clip_by_norm_all, 12, {0.208571106F, -0.625713289F, 0.834284425F, -0.104285553F, 0.417142212F, 0.312856644F, -0.834284425F, 1.25142658F, -0.208571106F, 0.0417142212F, 0.0834284425F, 0.521427751F}},
    {"sum", make_sum, 4, {1.0F, -0.649999976F, 0.200000003F, 4.0F}},
    {"mean", make_mean, 1, {0.379166692F}},
    {"max", make_max, 3, {2.0F, 3.0F, 1.25F}},
    {"variance", make_variance, 4, {0.388888925F, 0.893888772F, 2.67555523F, 1.76388896F}},
    {"batch_norm", make_batch_norm, 12, {1.75863349F, -4.20883179F, 6.01489735F, -1.35130429F, 1.0F, 0.75F, -2.0F, 3.0F, -3.36650229F, 0.100000024F, 0.829316795F, 8.48714256F}},
    {"batch_norm_bare", make_batch_norm_bare, 12, {1.25863349F, -2.70883203F, 4.01489735F, -1.10130429F, 1.49700892F, 0.998005986F, -4.49102688F, 5.48903275F, -1.43325102F, 0.0F, 0.314658403F, 3.61857152F}},
    {"l2_normalize", make_l2_normalize, 12, {0.195180014F, -0.585540056F, 0.780720055F, -0.0975900069F, 0.262048721F, 0.196536541F, -0.524097443F, 0.786146164F, -0.366371661F, 0.0732743368F, 0.146548674F, 0.915929139F}},
    {"l2_regularizer", make_l2_regularizer, 1, {2.29874992F}},
    {"sigmoid", make_sigmoid, 12, {0.924076974F, 1.10141337F, 1.726928F, 0.600939453F, 1.06326175F, 0.94937098F, 0.626927972F, 2.29858732F, 0.82407701F, 0.734396696F, 0.778138876F, 1.37692904F}},
    {"weighted", make_weighted, 12, {0.995188534F, 2.63268542F, 1.76500642F, 0.724830389F, 1.18073487F, 1.09444761F, 1.42452621F, 2.31680751F, 1.84685779F, 0.831056118F, 0.867859721F, 1.41471839F}},
    {"softmax", make_softmax, 3, {2.78154802F, 2.53361964F, 2.05495477F}},
    {"sparse", make_sparse, 3, {3.80654812F, 0.221119434F, 2.35995483F}},
    {"sparse_rank3", make_sparse_rank3, 3, {3.80654812F, 0.221119434F, 2.35995483F}},
    {"absolute", make_absolute, 1, {2.2249999F}},
    {"cosine", make_cosine, 1, {0.994166672F}},
    {"hinge", make_hinge, 1, {1.37625015F}},
    {"huber", make_huber, 1, {0.579687536F}},
    {"log", make_log, 1, {0.471585959F}},
    {"mse", make_mse, 1, {1.68468738F}},
    {"mse_mean", make_mse_mean, 1, {1.12312496F}},
    {"mse_batch", make_mse_batch, 1, {1.12312496F}},
    {"mse_sum", make_mse_sum, 1, {13.477499F}},
    {"mse_none", make_mse_none, 12, {0.160000011F, 4.40999937F, 3.23999977F, 0.122499995F, 0.0F, 0.0F, 0.0F, 0.0F, 2.88000011F, 0.0F, 0.0200000014F, 2.64499998F}},
    {"loss_sigmoid", make_loss_sigmoid, 1, {1.06494153F}},
    {"loss_softmax", make_loss_softmax, 1, {2.41937423F}},
    {"loss_sparse", make_loss_sparse, 1, {4.26322889F}},
};

/* 1.15.5's rates at these steps. */
enum { NUM_STEPS = 6 };
static const int64_t steps[NUM_STEPS] = {0, 1, 50, 100, 150, 733};
static const struct {
    TF_Output (*make)(void);
    float want[NUM_STEPS];
} decays[] = {
    {make_exponential, {0.100000001F, 0.0999591872F, 0.0979795903F, 0.0960000008F, 0.0940604061F, 0.07413923F}},
    {make_exponential_stairs, {0.100000001F, 0.100000001F, 0.100000001F, 0.0960000008F, 0.0960000008F, 0.075144738F}},
    {make_natural_exp, {0.100000001F, 0.0995012447F, 0.0778800771F, 0.0606530681F, 0.0472366586F, 0.0025604174F}},
    {make_inverse_time, {0.100000001F, 0.099502489F, 0.0799999982F, 0.0666666701F, 0.0571428575F, 0.0214362275F}},
    {make_polynomial, {0.100000001F, 0.0982090011F, 0.0324999988F, 0.00999999978F, 0.00999999978F, 0.00999999978F}},
    {make_polynomial_cycle, {0.100000001F, 0.0980119929F, 0.0250749998F, 9.99999975e-05F, 0.00634374982F, 0.000800704991F}},
    {make_cosine_decay, {0.100000001F, 0.0999777913F, 0.054999996F, 0.0100000007F, 0.0100000007F, 0.0100000007F}},
    {make_restarts, {0.100000001F, 0.0999753252F, 0.049999997F, 0.0899999961F, 0.0768198073F, 0.0725943521F}},
    {make_restarts_even, {0.100000001F, 0.0999802575F, 0.0599999987F, 0.100000001F, 0.0599999987F, 0.0803616643F}},
    {make_linear_cosine, {0.100100003F, 0.0990755633F, 0.0250999983F, 0.000100000005F, 0.000100000005F, 0.000100000005F}},
    {make_piecewise, {0.100000001F, 0.100000001F, 0.100000001F, 0.0500000007F, 0.00999999978F, 0.00999999978F}},
};
/* clang-format on */

static void expect_ok(void)
{
    leat_graph_status(g, s);
    assert_string_equal(TF_Message(s), "");
}

static void expect_near(const char *name, const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5F * fabsf(want[i]) + 1e-6F))
            fail_msg("%s: element %d is %.9g, not %.9g", name, i, (double)got[i], (double)want[i]);
}

static void test_nn__numbers_of_1_15(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TF_Output out = rows[i].make();
        float got[12];
        expect_ok();
        TF_Session *session = leat_session_new(g, s);
        assert_non_null(session);
        if (!leat_run(session, s, .fetches = leat_fetches(leat_fetch(out, got, rows[i].n))))
            fail_msg("%s: %s", rows[i].name, TF_Message(s));
        expect_near(rows[i].name, got, rows[i].want, rows[i].n);
        leat_session_close(session);
    }
}

static void test_decay__rates_of_1_15(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof decays / sizeof decays[0]; i++) {
        TF_Output rate = decays[i].make();
        expect_ok();
        TF_Session *session = leat_session_new(g, s);
        for (int k = 0; k < NUM_STEPS; k++) {
            float got;
            assert_true(leat_run(session, s,
                                 .feeds = leat_feeds(leat_feed(step, &steps[k], leat_shape())),
                                 .fetches = leat_fetches(leat_fetch(rate, &got, 1))));
            expect_near(TF_OperationName(rate.oper), &got, &decays[i].want[k], 1);
        }
        leat_session_close(session);
    }
}

/* Around the linear cosine, by noise that is drawn anew. */
static void test_decay__noise(void **state)
{
    (void)state;
    leat_set_random_seed(g, 7);
    TF_Output noisy = leat_noisy_linear_cosine_decay(g, step, 0.1, 100);
    TF_Session *session = leat_session_new(g, s);
    struct leat_feeds feeds = leat_feeds(leat_feed_number(step, 50));
    double sum = 0, least = INFINITY, greatest = -INFINITY;
    for (int i = 0; i < 200; i++) {
        double got = leat_run_number(session, noisy, feeds, s);
        assert_true(isfinite(got));
        sum += got;
        least = fmin(least, got);
        greatest = fmax(greatest, got);
    }
    assert_true(greatest > least);
    /* 0.0251 without noise, whose deviation is 51^-0.275 / 2 * 0.1 = 0.017 */
    assert_true(fabs(sum / 200 - 0.0251) < 0.006);
    leat_session_close(session);
}

static void test_clip__global_norm(void **state)
{
    (void)state;
    struct leat_grad grads[3] = {{.values = x}, {.values = {NULL, 0}}, {.values = y, .indices = z}};
    TF_Output norm = leat_clip_by_global_norm(g, grads, 3, 2, grads);
    expect_ok();
    TF_Session *session = leat_session_new(g, s);
    float got_norm, got[12], was[12]; /* the squares of x and y: 22.9875 and 1.19 */
    assert_true(leat_run(session, s,
                         .fetches = leat_fetches(leat_fetch(norm, &got_norm, 1),
                                                 leat_fetch(grads[0].values, got, 12),
                                                 leat_fetch(x, was, 12))));
    expect_near("norm", &got_norm, &(const float){4.91706228F}, 1);
    for (int i = 0; i < 12; i++)
        was[i] *= 2 / 4.91706228F;
    expect_near("clipped", got, was, 12);
    assert_false(leat_valid(grads[1].values));
    assert_ptr_equal(grads[2].indices.oper, z.oper);
    leat_session_close(session);
}

static void test_dropout__keeps_its_part_and_the_mean(void **state)
{
    (void)state;
    enum { N = 10000 };
    static float got[N];
    TF_Output ones = leat_ones(g, leat_shape(N));
    TF_Output kept = leat_dropout(g, ones, .rate = 0.3, .seed = 5);
    TF_Output training = leat_placeholder(g, .dtype = TF_BOOL, .shape = leat_shape());
    TF_Output layer = leat_layers_dropout(g, ones, .rate = 0.3, .training_tensor = training);
    expect_ok();
    TF_Session *session = leat_session_new(g, s);
    assert_true(leat_run(session, s, .fetches = leat_fetches(leat_fetch(kept, got, N))));
    int num_kept = 0;
    for (int i = 0; i < N; i++) {
        assert_true(got[i] == 0 || fabsf(got[i] - 1 / .7F) < 1e-6F);
        num_kept += got[i] != 0;
    }
    assert_in_range(num_kept, 6800, 7200);
    for (int on = 0; on < 2; on++) {
        assert_true(leat_run(session, s, .feeds = leat_feeds(leat_feed_number(training, on)),
                             .fetches = leat_fetches(leat_fetch(layer, got, N))));
        num_kept = 0;
        for (int i = 0; i < N; i++)
            num_kept += got[i] != 0;
        assert_true(on ? num_kept > 6800 && num_kept < 7200 : num_kept == N && got[0] == 1);
    }
    leat_session_close(session);
}

static void test_losses__are_collected(void **state)
{
    (void)state;
    TF_Output a = leat_losses_mean_squared_error(g, y, x);
    TF_Output b = leat_losses_absolute_difference(g, y, x, .loss_collection = NULL);
    TF_Output c = leat_losses_huber_loss(g, y, x), got[3];
    assert_int_equal(leat_get_collection(g, LEAT_LOSSES, NULL, got, 3), 2);
    assert_ptr_equal(got[0].oper, a.oper);
    assert_ptr_equal(got[1].oper, c.oper);
    leat_add_to_collection(g, LEAT_REGULARIZATION_LOSSES, b);
    TF_Output total = leat_losses_get_total_loss(g, true);
    expect_ok();
    TF_Session *session = leat_session_new(g, s);
    double sum = leat_run_number(session, a, leat_no_feeds(), s) +
                 leat_run_number(session, b, leat_no_feeds(), s) +
                 leat_run_number(session, c, leat_no_feeds(), s);
    assert_true(fabs(leat_run_number(session, total, leat_no_feeds(), s) - sum) < 1e-5);
    leat_session_close(session);
}

static void expect_error(const char *part)
{
    leat_graph_status(g, s);
    assert_int_not_equal(TF_GetCode(s), TF_OK);
    if (!strstr(TF_Message(s), part) || !strstr(TF_Message(s), "test_nn.c:"))
        fail_msg("'%s' lacks '%s' or the line", TF_Message(s), part);
    leat_graph_clear_status(g);
}

/* Weights whose shape shows only in a step are checked there. */
static void test_losses__weights_must_fit(void **state)
{
    (void)state;
    TF_Output wrong = leat_ones(g, leat_shape(4));
    leat_losses_mean_squared_error(g, y, x, .weights = wrong);
    expect_error("weights can not be broadcast");
    TF_Output late = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_unknown_shape());
    TF_Output loss = leat_losses_mean_squared_error(g, y, x, .weights = late);
    expect_ok();
    TF_Session *session = leat_session_new(g, s);
    static const float ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct leat_feeds good = leat_feeds(leat_feed(late, ones, leat_shape(3, 1)));
    struct leat_feeds bad = leat_feeds(leat_feed(late, ones, leat_shape(2, 3, 1)));
    assert_true(isfinite(leat_run_number(session, loss, good, s)));
    assert_true(isnan(leat_run_number(session, loss, bad, s)));
    assert_int_not_equal(TF_GetCode(s), TF_OK);
    leat_session_close(session);
}

static void test_nn__errors_say_what_and_where(void **state)
{
    (void)state;
    const TF_Output none = {NULL, 0};
    leat_losses_mean_squared_error(g, y, z);
    expect_error("incompatible");
    leat_losses_cosine_distance(g, y, x);
    expect_error("axis");
    leat_dropout(g, x);
    expect_error("rate");
    leat_moments(g, x);
    expect_error("axis");
    leat_sigmoid_cross_entropy_with_logits(g, none, x);
    expect_error("labels");
    leat_sparse_softmax_cross_entropy(g, x, x);
    expect_error("Rank mismatch");
    leat_exponential_decay(g, step, 0.1);
    expect_error("decay_steps");
    leat_cosine_decay(g, none, 0.1, 100);
    expect_error("global_step");
    leat_reduce_sum(g, none);
    expect_error("invalid output");
    leat_layers_dense(g, x, 0);
    expect_error("units");
    leat_layers_dense(g, step, 3);
    expect_error("last dimension");
    leat_layers_conv2d(g, x, 3, leat_ints(2));
    expect_error("channel dimension");
    leat_layers_max_pooling2d(g, x, leat_ints(0));
    expect_error("pool_size");
    leat_embedding_lookup(g, leat_outputs(none), z);
    expect_error("invalid output");
    leat_nce_loss(g, leat_outputs(x), y, z, w, 0, 4);
    expect_error("num_sampled");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nn__numbers_of_1_15),
        TEST(test_decay__rates_of_1_15),
        TEST(test_decay__noise),
        TEST(test_clip__global_norm),
        TEST(test_dropout__keeps_its_part_and_the_mean),
        TEST(test_losses__are_collected),
        TEST(test_losses__weights_must_fit),
        TEST(test_nn__errors_say_what_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
