/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 300 */
/* All-reduce between processes: this program starts itself and the example under mpirun; where
 * there is none, or it cannot start two processes, those checks are skipped and counted. What is
 * checked in a job: sums of small whole numbers (exact in any order), all ranks having the same
 * bits of sums that are not, rows that differ in number, errors of one rank reaching all, and ranks
 * that leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "leat/leat.h"
#include "program.h"

/* --- in a job --- */

static int rank, size, failures;

static void expect(int ok, const char *what)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "rank %d of %d: %s\n", rank, size, what);
}

static TF_OperationDescription *begin(TF_Graph *g, const char *op, int key)
{
    TF_OperationDescription *d = leat_begin(g, op, NULL, NULL);
    TF_SetAttrInt(d, "group_size", size);
    TF_SetAttrInt(d, "group_key", 1);
    TF_SetAttrInt(d, "instance_key", key);
    return d;
}

static TF_Output reduce(TF_Graph *g, TF_Output x, int key)
{
    TF_OperationDescription *d = begin(g, "CollectiveReduce", key);
    leat_add_input(d, x);
    TF_SetAttrString(d, "merge_op", "Add", 3);
    TF_SetAttrString(d, "final_op", "Id", 2);
    TF_SetAttrIntList(d, "subdiv_offsets", NULL, 0);
    return leat_output_of(leat_finish(d), 0);
}

static TF_Output gather(TF_Graph *g, TF_Output x, int key)
{
    const int64_t dims[] = {-1};
    TF_OperationDescription *d = begin(g, "CollectiveGather", key);
    leat_add_input(d, x);
    TF_SetAttrShape(d, "shape", dims, 1);
    return leat_output_of(leat_finish(d), 0);
}

struct job {
    TF_Status *s;
    TF_Graph *g;
    TF_Session *session;
};

static void job_new(struct job *j)
{
    j->s = TF_NewStatus();
    j->g = TF_NewGraph();
    j->session = leat_session_new(j->g, j->s);
}

static void job_free(struct job *j)
{
    leat_session_close(j->session);
    TF_DeleteGraph(j->g);
    TF_DeleteStatus(j->s);
}

/* n elements: sums, and whether all ranks have the same bits of sums that are rounded. */
static void check_sums(int n)
{
    struct job j;
    float *v = calloc((size_t)n + 1, sizeof *v), *sum = calloc((size_t)n + 1, sizeof *v),
          *bits = calloc((size_t)n * (size_t)size + 1, sizeof *v);
    job_new(&j);
    TF_Output x = leat_placeholder(j.g, .dtype = TF_FLOAT, .shape = leat_shape(n));
    TF_Output total = reduce(j.g, x, 1), all = gather(j.g, total, 2);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            v[i] = round == 0 ? (float)(i % 1000 + rank) : 0.1f * (float)(i + rank * rank);
        int ok = leat_run(
            j.session, j.s, .feeds = leat_feeds(leat_feed(x, v, leat_shape(n))),
            .fetches = leat_fetches(leat_fetch(total, sum, n), leat_fetch(all, bits, n * size)));
        expect(ok, TF_Message(j.s));
        for (int i = 0; ok && round == 0 && i < n; i++)
            ok = sum[i] == (float)((i % 1000) * size + size * (size - 1) / 2);
        expect(ok, "sums are wrong");
        for (int r = 0; r < size; r++)
            expect(memcmp(sum, bits + (size_t)r * (size_t)n, sizeof *v * (size_t)n) == 0,
                   "ranks have different bits");
    }
    job_free(&j);
    free(v);
    free(sum);
    free(bits);
}

/* Rank r brings r rows. */
static void check_rows(void)
{
    struct job j;
    int32_t mine[64], got[64 * 64];
    const int n = size * (size - 1) / 2;
    job_new(&j);
    TF_Output x = leat_placeholder(j.g, .dtype = TF_INT32, .shape = leat_shape(-1));
    TF_Output all = gather(j.g, x, 1);
    for (int i = 0; i < rank; i++)
        mine[i] = rank * 100 + i;
    int ok = leat_run(j.session, j.s, .feeds = leat_feeds(leat_feed(x, mine, leat_shape(rank))),
                      .fetches = leat_fetches(leat_fetch(all, got, n)));
    expect(ok, TF_Message(j.s));
    for (int r = 0, at = 0; ok && r < size; r++) {
        for (int i = 0; i < r; i++)
            ok = got[at++] == r * 100 + i && ok;
    }
    expect(ok, "gathered rows are wrong");
    job_free(&j);
}

/* One session, many collectives in whatever order the steps come to them. */
static void check_many(void)
{
    enum { NUM = 24 };
    struct job j;
    TF_Operation *ops[NUM];
    job_new(&j);
    for (int i = 0; i < NUM; i++) {
        const int key = rank % 2 ? NUM - 1 - i : i;
        ops[i] = reduce(j.g, leat_const_float(j.g, (float)key), key).oper;
    }
    TF_Operation *all = leat_group(j.g, ops, NUM, NULL);
    for (int i = 0; i < 20; i++)
        expect(leat_run_op(j.session, all, leat_no_feeds(), j.s), TF_Message(j.s));
    job_free(&j);
}

static void expect_error(struct job *j, TF_Operation *op, TF_Code code, const char *words)
{
    int ok = leat_run_op(j->session, op, leat_no_feeds(), j->s);
    expect(!ok && TF_GetCode(j->s) == code && strstr(TF_Message(j->s), words) != NULL,
           ok ? "a step did not fail" : TF_Message(j->s));
}

/* What does not fit fails everywhere, and the next step works. */
static void check_errors(void)
{
    struct job j;
    job_new(&j);
    TF_Output shape = reduce(j.g, leat_ones(j.g, leat_shape(rank == 0 ? 2 : 3)), 1);
    TF_Output after = reduce(j.g, leat_ones(j.g, leat_shape(2)), 2);
    TF_OperationDescription *d = begin(j.g, "CollectiveBcastRecv", 3);
    TF_SetAttrType(d, "T", TF_FLOAT);
    TF_SetAttrShape(d, "shape", NULL, 0);
    TF_Operation *recv = leat_finish(d);
    expect_error(&j, shape.oper, TF_INVALID_ARGUMENT,
                 "Shape mismatch in the collective instance 1");
    expect_error(&j, recv, TF_INTERNAL, "Instance 3 found no source for broadcast");
    expect(leat_run_op(j.session, after.oper, leat_no_feeds(), j.s), TF_Message(j.s));
    job_free(&j);
}

/* Rank 0's step is cancelled (its other half fails): the others' are aborted. */
static void check_cancelled(void)
{
    struct job j;
    job_new(&j);
    TF_Output x = leat_placeholder(j.g, .dtype = TF_FLOAT, .shape = leat_shape(1));
    TF_Output total = reduce(j.g, leat_ones(j.g, leat_shape(1)), 1);
    TF_Output checked = leat_check_numerics(j.g, x, .message = "not finite");
    TF_Operation *both = leat_group(j.g, (TF_Operation *[]){total.oper, checked.oper}, 2, NULL);
    const float bad[] = {rank == 0 ? __builtin_nanf("") : 1};
    int ok = leat_run_op(j.session, both, leat_feeds(leat_feed(x, bad, leat_shape(1))), j.s);
    if (rank == 0)
        expect(!ok && TF_GetCode(j.s) == TF_INVALID_ARGUMENT, "rank 0's step did not fail");
    else /* where rank 0 failed before it joined, it is told so when it leaves */
        expect(!ok && (TF_GetCode(j.s) == TF_ABORTED || TF_GetCode(j.s) == TF_UNAVAILABLE),
               ok ? "a step did not fail" : TF_Message(j.s));
    job_free(&j);
}

static int in_a_job(void)
{
    static const int sizes[] = {0, 1, 2, 7, 4096, 4097, 20000, 700001};
    TF_Status *s = TF_NewStatus();
    expect(leat_allreduce_init(s), TF_Message(s));
    if (failures)
        return 77; /* the job cannot be had here */
    rank = leat_allreduce_rank();
    size = leat_allreduce_size();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_sums(sizes[i]);
    check_rows();
    check_many();
    check_errors();
    check_cancelled();
    expect(leat_allreduce_finalize(s), TF_Message(s));
    expect(leat_allreduce_rank() == -1 && leat_allreduce_size() == 0, "it is still in the job");
    expect(!leat_allreduce_init(s) && TF_GetCode(s) == TF_FAILED_PRECONDITION, "it came back");
    TF_DeleteStatus(s);
    printf("rank %d of %d: %d failures\n", rank, size, failures);
    return failures > 0;
}

/* --- from outside --- */

static int mpirun(int n, const char *program, const char *words)
{
    char command[9000];
    const char *path = program_path(program);
    if (access("/usr/bin/mpirun", X_OK) != 0 || access(path, X_OK) != 0)
        skip();
    /* MPI's own plug-ins leave memory behind, and are gone by the time that it is looked for */
    snprintf(command, sizeof command,
             "exec 2>&1; ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMPI_ALLOW_RUN_AS_ROOT=1 "
             "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
             "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 120 /usr/bin/mpirun -n %d '%s' %s",
             n, path, words);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    program_output[fread(program_output, 1, sizeof program_output - 1, f)] = 0;
    const int code = pclose(f);
    if (strstr(program_output, "Leat was built without"))
        skip();
    return code;
}

static bool mpirun_works(void)
{
    static int works = -1;
    if (works < 0)
        works = access("/usr/bin/mpirun", X_OK) == 0 &&
                system("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                       "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 60 "
                       "/usr/bin/mpirun -n 2 true >/dev/null 2>&1") == 0;
    return works;
}

static void run_job(int n)
{
    char end[64];
    if (!mpirun_works())
        skip();
    int code = mpirun(n, "e2e-test_allreduce", "job");
    if (WIFEXITED(code) && WEXITSTATUS(code) == 77)
        skip();
    if (code != 0)
        fail_msg("%s", program_output);
    for (int r = 0; r < n; r++) {
        snprintf(end, sizeof end, "rank %d of %d: 0 failures", r, n);
        program_says(end);
    }
}

static void test_allreduce__two_processes(void **state)
{
    (void)state;
    run_job(2);
}

static void test_allreduce__five_processes(void **state)
{
    (void)state;
    run_job(5);
}

static void test_allreduce__example_trains_alone(void **state)
{
    (void)state;
    assert_int_equal(program_run("../examples/allreduce", ""), 0);
    program_says("1 processes: w = [1.000 -2.000 0.500], table = [0.000 1.000 2.000 3.000 4.000]");
}

static void test_allreduce__example_trains_in_a_job(void **state)
{
    (void)state;
    if (!mpirun_works())
        skip();
    if (mpirun(2, "../examples/allreduce", "") != 0)
        fail_msg("%s", program_output);
    program_says("2 processes: w = [1.000 -2.000 0.500], table = [0.000 1.000 2.000 3.000 4.000]");
    program_says("rank 0 of 2: 128 rows, weights as rank 0's");
    program_says("rank 1 of 2: 128 rows, weights as rank 0's");
}

/* Told of two processes by the environment alone, without a launcher behind it. */
static void test_allreduce__library_and_launcher_that_do_not_belong_together(void **state)
{
    (void)state;
    setenv("LEAT_MPI", "none", 1);
    setenv("PMI_SIZE", "2", 1);
    assert_int_equal(program_run("../examples/allreduce", ""), 1);
    program_says("MPI");
    const bool built = !strstr(program_output, "Leat was built without");
    setenv("LEAT_MPI", "/nonexistent/libmpi.so", 1);
    assert_int_equal(program_run("../examples/allreduce", ""), 1);
    if (built)
        program_says("/nonexistent/libmpi.so");
    unsetenv("LEAT_MPI");
    unsetenv("PMI_SIZE");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "job") == 0)
        return in_a_job();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allreduce__two_processes),
        cmocka_unit_test(test_allreduce__five_processes),
        cmocka_unit_test(test_allreduce__example_trains_alone),
        cmocka_unit_test(test_allreduce__example_trains_in_a_job),
        cmocka_unit_test(test_allreduce__library_and_launcher_that_do_not_belong_together),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
