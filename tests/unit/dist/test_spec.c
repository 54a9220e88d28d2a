/* SPDX-License-Identifier: Apache-2.0 */
/* Cluster specifications: from text, messages, TF_CONFIG and Slurm; what is wrong is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "dist/spec.h"

static struct status st;
static struct spec s;

static int tear_down(void **state)
{
    (void)state;
    status_clear(&st);
    spec_clear(&s);
    return 0;
}

static void check_task(const char *job, int index, const char *address)
{
    const struct spec_task *t = spec_find(&s, job, index);
    if (!t)
        fail_msg("there is no %s %d", job, index);
    else
        assert_string_equal(t->address, address);
}

static void check_refused(bool ok, const char *word)
{
    assert_false(ok);
    if (!strstr(status_message(&st), word))
        fail_msg("'%s' is not in: %s", word, status_message(&st));
    status_clear(&st);
    assert_null(s.tasks);
}

static void test_spec__text(void **state)
{
    (void)state;
    assert_true(spec_from_text("ps=h1:2222,[::1]:2223; worker = h3:0", &s, &st));
    assert_int_equal(s.num_tasks, 3);
    check_task("ps", 0, "h1:2222");
    check_task("ps", 1, "[::1]:2223");
    check_task("worker", 0, "h3:0");
    assert_null(spec_find(&s, "worker", 1));
    assert_true(spec_set_task(&s, "worker", 0, &st));
    assert_false(spec_set_task(&s, "worker", 1, &st));
    assert_string_equal(status_message(&st), "Task 1 was not defined in job \"worker\"");
}

static void test_spec__text_refused(void **state)
{
    (void)state;
    check_refused(spec_from_text("", &s, &st), "no tasks");
    check_refused(spec_from_text("ps", &s, &st), "JOB=HOST:PORT");
    check_refused(spec_from_text("ps=", &s, &st), "no tasks");
    check_refused(spec_from_text("ps=h", &s, &st), "Could not interpret \"h\" as a host-port");
    check_refused(spec_from_text("ps=h:70000", &s, &st), "host-port");
    check_refused(spec_from_text("ps=h:+1", &s, &st), "host-port");
    check_refused(spec_from_text("ps=:1", &s, &st), "host-port");
    check_refused(spec_from_text("ps=a b:1", &s, &st), "host-port");
    check_refused(spec_from_text("ps=::1:1", &s, &st), "host-port");
    check_refused(spec_from_text("ps=a:1;ps=b:1", &s, &st), "Duplicate job ID");
    check_refused(spec_from_text("p/s=a:1", &s, &st), "name of a job");
}

static void test_spec__messages(void **state)
{
    struct arena a = {0};
    struct spec back;
    (void)state;
    assert_true(spec_from_text("ps=h1:2222;worker=h3:1,h4:1", &s, &st));
    assert_true(spec_set_task(&s, "worker", 1, &st));
    assert_true(spec_from_server_def(spec_to_server_def(&s, &a), &back, &st));
    assert_string_equal(back.job, "worker");
    assert_int_equal(back.index, 1);
    assert_int_equal(back.num_tasks, 3);
    assert_string_equal(back.tasks[2].address, "h4:1");
    struct pb_server_def *def = spec_to_server_def(&back, &a);
    spec_clear(&back);
    spec_clear(&s);

    def->task_index = 7;
    check_refused(spec_from_server_def(def, &s, &st), "Task 7 was not defined in job \"worker\"");
    def->job_name = str_of("chief");
    check_refused(spec_from_server_def(def, &s, &st), "Job \"chief\" was not defined in cluster");
    def->cluster->job.v[1]->name = str_of("ps");
    check_refused(spec_from_server_def(def, &s, &st), "Duplicate job ID");
    arena_release(&a);
}

static void test_spec__gaps_are_kept_and_sorted(void **state)
{
    struct arena a = {0};
    struct pb_cluster_def *def = pb_new(&a, &pb_cluster_def_desc);
    struct pb_job_def *job = pb_add_msg(&a, &def->job, &pb_job_def_desc);
    (void)state;
    job->name = str_of("w");
    for (int k = 2; k >= 0; k -= 2) {
        struct pb_job_def_tasks_entry *e =
            pb_add_msg(&a, &job->tasks, &pb_job_def_tasks_entry_desc);
        e->key = k;
        e->value = str_of(k ? "b:1" : "a:1");
    }
    assert_true(spec_from_cluster_def(def, &s, &st));
    assert_int_equal(s.tasks[0].index, 0);
    assert_int_equal(s.tasks[1].index, 2);
    spec_clear(&s);
    job->tasks.v[0]->key = 0;
    check_refused(spec_from_cluster_def(def, &s, &st), "Task 0 of job \"w\" is there twice");
    job->tasks.v[0]->key = -1;
    check_refused(spec_from_cluster_def(def, &s, &st), "Task -1");
    job->tasks.v[0]->key = 1;
    job->tasks.v[0]->value = str_make("a\0:1", 4);
    check_refused(spec_from_cluster_def(def, &s, &st), "a NUL");
    arena_release(&a);
}

static void test_spec__tf_config(void **state)
{
    (void)state;
    assert_true(spec_from_tf_config(
        "{\"environment\": \"cloud\", \"cluster\": {\"chief\": [\"a:1\"], \"evaluator\": [\"z:9\"],"
        " \"ps\": {\"0\": \"b:1\", \"2\": \"c:1\"}}, \"task\": {\"type\": \"ps\", \"index\": "
        "\"2\"}}",
        &s, &st));
    assert_int_equal(s.num_tasks, 3);
    assert_string_equal(s.job, "ps");
    assert_int_equal(s.index, 2);
    check_task("ps", 2, "c:1");
    spec_clear(&s);
    assert_true(spec_from_tf_config("{\"task\":{\"type\":\"evaluator\",\"index\":0},"
                                    "\"cluster\":{\"chief\":[\"a:1\"]}}",
                                    &s, &st));
    assert_string_equal(s.job, "evaluator");
    spec_clear(&s);
    assert_true(spec_from_tf_config("{}", &s, &st));
    assert_int_equal(s.num_tasks, 0);
}

static void test_spec__tf_config_refused(void **state)
{
    (void)state;
    check_refused(spec_from_tf_config("", &s, &st), "TF_CONFIG: JSON: an object is wanted");
    check_refused(spec_from_tf_config("{\"cluster\": {\"ps\": \"a:1\"}}", &s, &st), "JSON");
    check_refused(spec_from_tf_config("{\"cluster\": {\"ps\": [\"a\"]}}", &s, &st), "host-port");
    check_refused(spec_from_tf_config("{\"cluster\": {\"ps\": {\"x\": \"a:1\"}}}", &s, &st),
                  "number");
    check_refused(spec_from_tf_config("{\"cluster\": {\"ps\": [\"a:1\"]}, \"task\": {\"type\": "
                                      "\"ps\", \"index\": 1}}",
                                      &s, &st),
                  "Task 1 was not defined");
    check_refused(
        spec_from_tf_config("{\"cluster\": {\"ps\": [\"a:1\"], \"ps\": [\"b:1\"]}}", &s, &st),
        "twice");
    check_refused(spec_from_tf_config("{} x", &s, &st), "nothing more");
}

/* --- Slurm --- */

static const char *nodes = "n[01-02,5],m", *per_node = "2(x3),1", *proc = "4";

static const char *fake_env(const char *name)
{
    return strcmp(name, "SLURM_JOB_NODELIST") == 0     ? nodes
           : strcmp(name, "SLURM_TASKS_PER_NODE") == 0 ? per_node
           : strcmp(name, "SLURM_PROCID") == 0         ? proc
                                                       : NULL;
}

static void test_spec__slurm(void **state)
{
    (void)state;
    assert_true(spec_from_slurm("ps=2;worker=*", 9000, fake_env, &s, &st));
    assert_int_equal(s.num_tasks, 7);
    check_task("ps", 0, "n01:9000");
    check_task("ps", 1, "n01:9001");
    check_task("worker", 0, "n02:9000");
    check_task("worker", 2, "n5:9000");
    check_task("worker", 4, "m:9000");
    assert_string_equal(s.job, "worker");
    assert_int_equal(s.index, 2);
}

static void test_spec__slurm_refused(void **state)
{
    (void)state;
    check_refused(spec_from_slurm("ps=8", 9000, fake_env, &s, &st), "more tasks than Slurm's 7");
    check_refused(spec_from_slurm("ps=2", 9000, fake_env, &s, &st), "SLURM_PROCID 4 is none");
    check_refused(spec_from_slurm("ps=*;worker=*", 9000, fake_env, &s, &st), "only one");
    check_refused(spec_from_slurm("ps", 9000, fake_env, &s, &st), "JOB=COUNT");
    per_node = "2(x9)";
    check_refused(spec_from_slurm("ps=*", 9000, fake_env, &s, &st), "more counts than nodes");
    nodes = "n[1-";
    check_refused(spec_from_slurm("ps=*", 9000, fake_env, &s, &st), "'[' without ']'");
    nodes = "n[3-1]";
    check_refused(spec_from_slurm("ps=*", 9000, fake_env, &s, &st), "no range");
    nodes = "n[0-999999999]";
    check_refused(spec_from_slurm("ps=*", 9000, fake_env, &s, &st), "more than");
    nodes = NULL;
    check_refused(spec_from_slurm("ps=*", 9000, fake_env, &s, &st), "srun");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_spec__text, tear_down),
        cmocka_unit_test_teardown(test_spec__text_refused, tear_down),
        cmocka_unit_test_teardown(test_spec__messages, tear_down),
        cmocka_unit_test_teardown(test_spec__gaps_are_kept_and_sorted, tear_down),
        cmocka_unit_test_teardown(test_spec__tf_config, tear_down),
        cmocka_unit_test_teardown(test_spec__tf_config_refused, tear_down),
        cmocka_unit_test_teardown(test_spec__slurm, tear_down),
        cmocka_unit_test_teardown(test_spec__slurm_refused, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
