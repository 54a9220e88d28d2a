/* SPDX-License-Identifier: Apache-2.0 */
/* Monitored sessions: the scaffold's nodes, hooks and their order, checkpoints restored by another
 * session, sessions made anew after a loss, waiting for a chief. */
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

/* ---- the graph ---- */

static void test_scaffold__nodes_are_those_of_tensorflow(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct leat_scaffold s = {.init_op = NULL};
    static const char *const names[] = {"init",
                                        "init_1",
                                        "group_deps",
                                        "report_uninitialized_variables/boolean_mask/GatherV2",
                                        "report_uninitialized_resources/Const",
                                        "concat",
                                        "report_uninitialized_variables_1/boolean_mask/GatherV2",
                                        "report_uninitialized_resources_1/Const",
                                        "concat_1",
                                        "init_2",
                                        "init_all_tables",
                                        "init_3",
                                        "group_deps_1",
                                        "save/restore_all"};
    (void)leat_get_or_create_global_step(g);
    assert_true(leat_valid(leat_get_or_create_global_step(g)));
    assert_int_equal(leat_get_collection(g, LEAT_GLOBAL_STEP, NULL, NULL, 0), 1);
    assert_int_equal(leat_scaffold_finalize(g, &s), 1);
    assert_no_error(m);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!TF_GraphOperationByName(g, names[i]))
            fail_msg("there is no %s", names[i]);
    assert_string_equal(TF_OperationName(s.init_op), "group_deps");
    assert_string_equal(TF_OperationName(s.local_init_op), "group_deps_1");
    assert_string_equal(TF_OperationName(s.ready_op.oper), "concat");
    assert_string_equal(TF_OperationName(s.ready_for_local_init_op.oper), "concat_1");
    assert_false(leat_valid(s.summary_op));
    leat_scaffold_release(&s);
    (void)leat_create_global_step(g);
    assert_error(m, "already exists");
}

/* A new folder, whose name begins with path. */
static void make_folder(char *path)
{
    strcpy(path, "/tmp/monitored-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static void remove_folder(const char *path)
{
    assert_int_equal(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* ---- hooks ---- */

struct spy { /* writes down what it is called for */
    struct leat_hook hook;
    char id, *log;
    int lose; /* so many times a step fails as if a task was lost */
    TF_Code code;
    int *num_freed;
};

static void note(struct spy *s, char what)
{
    size_t n = strlen(s->log);
    s->log[n] = s->id;
    s->log[n + 1] = what;
    s->log[n + 2] = '\0';
}
static int spy_begin(struct leat_hook *h, TF_Graph *g, struct leat_scaffold *s, TF_Status *st)
{
    (void)g, (void)s, (void)st;
    note((struct spy *)h, 'b');
    return 1;
}
static int spy_created(struct leat_hook *h, TF_Session *session, leat_coordinator *c, TF_Status *st)
{
    (void)session, (void)c, (void)st;
    note((struct spy *)h, 'c');
    return 1;
}
static int spy_before(struct leat_hook *h, struct leat_step *step, TF_Status *st)
{
    (void)step, (void)st;
    note((struct spy *)h, '<');
    return 1;
}
static int spy_after(struct leat_hook *h, struct leat_step *step, TF_Status *st)
{
    struct spy *s = (struct spy *)h;
    (void)step;
    note(s, '>');
    if (s->lose-- <= 0)
        return 1;
    TF_SetStatus(st, s->code, "a task was lost");
    return 0;
}
static int spy_end(struct leat_hook *h, TF_Session *session, TF_Status *st)
{
    (void)session, (void)st;
    note((struct spy *)h, 'e');
    return 1;
}
static void spy_free(struct leat_hook *h)
{
    ++*((struct spy *)h)->num_freed;
}
static const struct leat_hook_type spy_type = {spy_begin, spy_created, spy_before,
                                               spy_after, spy_end,     spy_free};

struct count { /* a model that counts: w += 1 a step */
    TF_Output step, w;
    TF_Operation *train;
};

static void make_count(struct made *m, struct count *k)
{
    TF_Graph *g = m->g;
    k->step = leat_get_or_create_global_step(g);
    k->w = leat_get_variable(g, "w", leat_shape(), .initializer = leat_init_zeros());
    leat_optimizer *sgd = leat_gradient_descent(g, .learning_rate = 1);
    k->train =
        leat_minimize(sgd, leat_neg(g, leat_variable_value(g, k->w)), .global_step = k->step);
    leat_optimizer_free(sgd);
    assert_no_error(m);
}

static void must(struct made *m, int ok)
{
    if (!ok)
        fail_msg("%s", TF_Message(m->st));
}

/* Steps until something stops; how many. */
static int train(struct made *m, leat_monitored_session *ms, const struct count *k)
{
    int n = 0;
    for (; !leat_monitored_should_stop(ms); n++)
        must(m, leat_monitored_run(ms, m->st, .targets = leat_opers(k->train)));
    return n;
}

static void test_monitored__hooks_are_called_in_order(void **state)
{
    struct made *m = *state;
    struct count k;
    char log[200] = "";
    int freed = 0;
    struct spy a = {{&spy_type}, 'a', log, 0, 0, &freed}, b = {{&spy_type}, 'b', log, 0, 0, &freed};
    make_count(m, &k);
    leat_monitored_session *ms = leat_monitored_session_new(
        m->g, m->st, .hooks = leat_hooks(&a.hook, leat_stop_at_step_hook(2, 0)),
        .chief_only_hooks = leat_hooks(&b.hook));
    must(m, ms != NULL);
    assert_int_equal(train(m, ms, &k), 2);
    assert_int_equal(leat_monitored_run(ms, m->st, .targets = leat_opers(k.train)), 0);
    assert_int_equal(TF_GetCode(m->st), TF_FAILED_PRECONDITION);
    must(m, leat_monitored_session_close(ms, m->st));
    assert_string_equal(log, "bbabbcacb<a<b>a>b<a<b>a>beae");
    assert_int_equal(freed, 2);
}

static void test_monitored__lost_session_is_made_anew_and_the_step_repeated(void **state)
{
    struct made *m = *state;
    struct count k;
    char log[200] = "", dir[40];
    int freed = 0;
    struct spy a = {{&spy_type}, 'a', log, 2, TF_UNAVAILABLE, &freed};
    make_folder(dir);
    make_count(m, &k);
    leat_monitored_session *ms = leat_monitored_session_new(
        m->g, m->st, .checkpoint_dir = dir, .save_checkpoint = {1, 0}, .log_step_count_steps = 0,
        .hooks = leat_hooks(leat_stop_at_step_hook(0, 3), &a.hook));
    must(m, ms != NULL);
    float w = 0;
    must(m, leat_monitored_run(ms, m->st, .targets = leat_opers(k.train)));
    assert_int_equal(freed, 0);
    assert_string_equal(log, "abaca<a>aca<a>aca<a>");
    must(m, train(m, ms, &k) >= 0);
    must(m, leat_run(leat_monitored_session_raw(ms), m->st,
                     .fetches = leat_fetches(leat_fetch(k.w, &w, 1))));
    assert_true(w == 3); /* the checkpoint of each step was restored */
    must(m, leat_monitored_session_close(ms, m->st));
    remove_folder(dir);
}

static void test_monitored__other_errors_end_the_training(void **state)
{
    struct made *m = *state;
    struct count k;
    char log[200] = "";
    int freed = 0;
    struct spy a = {{&spy_type}, 'a', log, 1, TF_INTERNAL, &freed};
    make_count(m, &k);
    leat_monitored_session *ms =
        leat_monitored_session_new(m->g, m->st, .hooks = leat_hooks(&a.hook));
    must(m, ms != NULL);
    assert_int_equal(leat_monitored_run(ms, m->st, .targets = leat_opers(k.train)), 0);
    assert_int_equal(TF_GetCode(m->st), TF_INTERNAL);
    assert_true(leat_monitored_should_stop(ms));
    must(m, leat_monitored_session_close(ms, m->st));
    assert_string_equal(log, "abaca<a>"); /* no end */
}

static void test_monitored__another_process_goes_on_from_the_checkpoint(void **state)
{
    struct made *m = *state;
    char dir[40];
    make_folder(dir);
    for (int life = 0; life < 2; life++) {
        struct made own = {TF_NewGraph(), TF_NewStatus()};
        struct count k;
        make_count(&own, &k);
        (void)leat_summary_scalar(own.g, "w", leat_variable_value(own.g, k.w));
        leat_monitored_session *ms = leat_monitored_session_new(
            own.g, own.st, .checkpoint_dir = dir, .save_checkpoint = {2, 0},
            .save_summaries = {1, 0}, .log_step_count_steps = 1,
            .hooks = leat_hooks(
                leat_stop_at_step_hook(3, 0), leat_profiler_hook(dir, (struct leat_every){1, 0}),
                leat_logging_hook(leat_outputs(k.w), leat_strings("w"), (struct leat_every){1, 0}),
                leat_nan_hook(leat_variable_value(own.g, k.w), true)));
        must(&own, ms != NULL);
        assert_int_equal(train(&own, ms, &k), 3);
        float w;
        must(&own, leat_run(leat_monitored_session_raw(ms), own.st,
                            .fetches = leat_fetches(leat_fetch(k.w, &w, 1))));
        assert_true(w == 3.0F * (float)(life + 1));
        must(&own, leat_monitored_session_close(ms, own.st));
        TF_DeleteGraph(own.g);
        TF_DeleteStatus(own.st);
    }
    char *latest = leat_latest_checkpoint(dir, NULL);
    assert_non_null(latest);
    assert_non_null(strstr(latest, "/model.ckpt-6"));
    leat_free(latest);
    remove_folder(dir);
    (void)m;
}

static void test_monitored__nan_ends_the_training(void **state)
{
    struct made *m = *state;
    struct count k;
    make_count(m, &k);
    TF_Output x = leat_placeholder(m->g, .dtype = TF_FLOAT, .shape = leat_shape());
    TF_Output loss = leat_identity(m->g, x);
    leat_monitored_session *ms =
        leat_monitored_session_new(m->g, m->st, .hooks = leat_hooks(leat_nan_hook(loss, true)));
    must(m, ms != NULL);
    must(m, leat_monitored_run(ms, m->st, .feeds = leat_feeds(leat_feed_number(x, 1))));
    assert_int_equal(
        leat_monitored_run(ms, m->st, .feeds = leat_feeds(leat_feed_number(x, (double)NAN))), 0);
    assert_string_equal(TF_Message(m->st), "NaN loss during training.");
    must(m, leat_monitored_session_close(ms, m->st));
}

/* ---- the start ---- */

static void test_start__who_is_not_chief_waits_and_says_for_what(void **state)
{
    struct made *m = *state;
    struct count k;
    make_count(m, &k);
    leat_monitored_session *ms =
        leat_monitored_session_new(m->g, m->st, .is_chief = false, .max_wait_secs = 0.01);
    assert_null(ms);
    assert_int_equal(TF_GetCode(m->st), TF_DEADLINE_EXCEEDED);
    assert_non_null(strstr(TF_Message(m->st), "Session was not ready after waiting"));
    assert_non_null(strstr(TF_Message(m->st), "Variables not initialized: global_step, w"));
}

static void test_start__initialisers_that_leave_something_out_are_an_error(void **state)
{
    struct made *m = *state;
    struct count k;
    make_count(m, &k);
    struct leat_scaffold s = {
        .init_op = leat_variables_initializer(m->g, (TF_Output[]){k.step}, 1, "part")};
    assert_null(leat_monitored_session_new(m->g, m->st, .scaffold = &s));
    assert_int_equal(TF_GetCode(m->st), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(TF_Message(m->st), "Variables not initialized: w"));
    leat_scaffold_release(&s);
}

static void test_supervisor__saves_and_goes_on(void **state)
{
    struct made *m = *state;
    struct count k;
    char dir[40];
    make_folder(dir);
    make_count(m, &k);
    (void)leat_summary_scalar(m->g, "w", leat_variable_value(m->g, k.w));
    struct leat_scaffold s = {.init_op = NULL};
    for (int life = 0; life < 2; life++) {
        leat_supervisor *sv =
            leat_supervisor_new(m->g, m->st, .checkpoint_dir = dir, .scaffold = &s);
        must(m, sv != NULL);
        TF_Session *session = leat_supervisor_session(sv, m->st);
        must(m, session != NULL);
        for (int i = 0; i < 3 && !leat_supervisor_should_stop(sv); i++)
            must(m, leat_run_op(session, k.train, leat_no_feeds(), m->st));
        must(m, leat_supervisor_stop(sv, NULL, m->st));
    }
    leat_scaffold_release(&s);
    char *latest = leat_latest_checkpoint(dir, NULL);
    assert_non_null(latest);
    assert_non_null(strstr(latest, "/model.ckpt-6"));
    leat_free(latest);
    remove_folder(dir);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_scaffold__nodes_are_those_of_tensorflow),
        TEST(test_monitored__hooks_are_called_in_order),
        TEST(test_monitored__lost_session_is_made_anew_and_the_step_repeated),
        TEST(test_monitored__other_errors_end_the_training),
        TEST(test_monitored__another_process_goes_on_from_the_checkpoint),
        TEST(test_monitored__nan_ends_the_training),
        TEST(test_start__who_is_not_chief_waits_and_says_for_what),
        TEST(test_start__initialisers_that_leave_something_out_are_an_error),
        TEST(test_supervisor__saves_and_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
