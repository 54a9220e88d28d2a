/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronous training: the nodes that TensorFlow 1.15.5 makes, means of workers that are threads
 * of one session, what is dropped and counted, workers that leave, restarts of the chief. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_text.h"

/* clang-format off */
/* But for Fill's value, which is read after the update. */
static const char *const nodes[] = {
    "NoOp NoOp @/job:worker",
    "sync_rep_local_step/initial_value Const @/job:worker loc:NoOp",
    "sync_rep_local_step VariableV2 @/job:worker loc:NoOp",
    "sync_rep_local_step/Assign Assign(sync_rep_local_step, sync_rep_local_step/initial_value) @/job:worker loc:NoOp",
    "sync_rep_local_step/read Identity(sync_rep_local_step) @/job:worker loc:NoOp",
    "Assign Assign(sync_rep_local_step, global_step/read) @/job:worker loc:NoOp",
    "report_uninitialized_variables/IsVariableInitialized IsVariableInitialized(global_step) @/job:ps/task:0 loc:global_step",
    "report_uninitialized_variables/IsVariableInitialized_1 IsVariableInitialized(w) @/job:ps/task:0 loc:w",
    "report_uninitialized_variables/IsVariableInitialized_2 IsVariableInitialized(e) @/job:ps/task:0 loc:e",
    "report_uninitialized_variables/stack Pack(report_uninitialized_variables/IsVariableInitialized, report_uninitialized_variables/IsVariableInitialized_1, report_uninitialized_variables/IsVariableInitialized_2) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/LogicalNot LogicalNot(report_uninitialized_variables/stack) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/Const Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Shape Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice/stack Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice/stack_1 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice/stack_2 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice StridedSlice(report_uninitialized_variables/boolean_mask/Shape, report_uninitialized_variables/boolean_mask/strided_slice/stack, report_uninitialized_variables/boolean_mask/strided_slice/stack_1, report_uninitialized_variables/boolean_mask/strided_slice/stack_2) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Prod/reduction_indices Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Prod Prod(report_uninitialized_variables/boolean_mask/strided_slice, report_uninitialized_variables/boolean_mask/Prod/reduction_indices) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Shape_1 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_1/stack Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_1/stack_1 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_1/stack_2 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_1 StridedSlice(report_uninitialized_variables/boolean_mask/Shape_1, report_uninitialized_variables/boolean_mask/strided_slice_1/stack, report_uninitialized_variables/boolean_mask/strided_slice_1/stack_1, report_uninitialized_variables/boolean_mask/strided_slice_1/stack_2) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Shape_2 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_2/stack Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_2/stack_1 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_2/stack_2 Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/strided_slice_2 StridedSlice(report_uninitialized_variables/boolean_mask/Shape_2, report_uninitialized_variables/boolean_mask/strided_slice_2/stack, report_uninitialized_variables/boolean_mask/strided_slice_2/stack_1, report_uninitialized_variables/boolean_mask/strided_slice_2/stack_2) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/concat/values_1 Pack(report_uninitialized_variables/boolean_mask/Prod) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/concat/axis Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/concat ConcatV2(report_uninitialized_variables/boolean_mask/strided_slice_1, report_uninitialized_variables/boolean_mask/concat/values_1, report_uninitialized_variables/boolean_mask/strided_slice_2, report_uninitialized_variables/boolean_mask/concat/axis) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Reshape Reshape(report_uninitialized_variables/Const, report_uninitialized_variables/boolean_mask/concat) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Reshape_1/shape Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Reshape_1 Reshape(report_uninitialized_variables/LogicalNot, report_uninitialized_variables/boolean_mask/Reshape_1/shape) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Where Where(report_uninitialized_variables/boolean_mask/Reshape_1) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/Squeeze Squeeze(report_uninitialized_variables/boolean_mask/Where) @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/GatherV2/axis Const @/job:worker/device:CPU:0",
    "report_uninitialized_variables/boolean_mask/GatherV2 GatherV2(report_uninitialized_variables/boolean_mask/Reshape, report_uninitialized_variables/boolean_mask/Squeeze, report_uninitialized_variables/boolean_mask/GatherV2/axis) @/job:worker/device:CPU:0",
    "sync_replicas/conditional_accumulator ResourceConditionalAccumulator @/job:ps/task:0",
    "sync_replicas/ResourceAccumulatorApplyGradient ResourceAccumulatorApplyGradient(sync_replicas/conditional_accumulator, sync_rep_local_step/read, gradients/MatMul_grad/MatMul_1) @/job:ps/task:0",
    "sync_replicas/ResourceAccumulatorTakeGradient/num_required Const @/job:ps/task:0",
    "sync_replicas/ResourceAccumulatorTakeGradient ResourceAccumulatorTakeGradient(sync_replicas/conditional_accumulator, sync_replicas/ResourceAccumulatorTakeGradient/num_required) @/job:ps/task:0",
    "sync_replicas/sparse_conditional_accumulator SparseConditionalAccumulator @/job:ps/task:0",
    "sync_replicas/Cast Cast(gradients/GatherV2_grad/Reshape_1) @/job:ps/task:0",
    "sync_replicas/Cast_1 Cast(gradients/GatherV2_grad/Cast) @/job:ps/task:0",
    "sync_replicas/SparseAccumulatorApplyGradient SparseAccumulatorApplyGradient(sync_replicas/sparse_conditional_accumulator, sync_rep_local_step/read, sync_replicas/Cast, gradients/GatherV2_grad/Reshape, sync_replicas/Cast_1) @/job:ps/task:0 loc:sync_replicas/sparse_conditional_accumulator",
    "sync_replicas/SparseAccumulatorTakeGradient/num_required Const @/job:ps/task:0",
    "sync_replicas/SparseAccumulatorTakeGradient SparseAccumulatorTakeGradient(sync_replicas/sparse_conditional_accumulator, sync_replicas/SparseAccumulatorTakeGradient/num_required) @/job:ps/task:0 loc:sync_replicas/sparse_conditional_accumulator",
    "GradientDescent/learning_rate Const @/job:ps/task:0",
    "GradientDescent/update_w/ApplyGradientDescent ApplyGradientDescent(w, GradientDescent/learning_rate, sync_replicas/ResourceAccumulatorTakeGradient) @/job:ps/task:0 loc:w",
    "GradientDescent/update_e/mul Mul(sync_replicas/SparseAccumulatorTakeGradient:1, GradientDescent/learning_rate) @/job:ps/task:0 loc:e",
    "GradientDescent/update_e/ScatterSub ScatterSub(e, sync_replicas/SparseAccumulatorTakeGradient, GradientDescent/update_e/mul) @/job:ps/task:0 loc:e",
    "GradientDescent/update NoOp(^GradientDescent/update_w/ApplyGradientDescent, ^GradientDescent/update_e/ScatterSub) @/job:ps/task:0",
    "GradientDescent/value Const(^GradientDescent/update) @/job:ps/task:0 loc:global_step",
    "GradientDescent AssignAdd(global_step, GradientDescent/value) @/job:ps/task:0 loc:global_step",
    "sync_token_q FIFOQueueV2 @/job:ps/task:0",
    "dummy_queue FIFOQueueV2 @/job:ps/task:0",
    "sync_token_q_Dequeue QueueDequeueV2(sync_token_q, ^sync_replicas/ResourceAccumulatorApplyGradient, ^sync_replicas/SparseAccumulatorApplyGradient) @/job:ps/task:0",
    "Assign_1 Assign(sync_rep_local_step, sync_token_q_Dequeue) @/job:worker loc:NoOp",
    "Fill/dims Const(^GradientDescent) @/job:ps/task:0",
    "Fill Fill(Fill/dims, GradientDescent) @/job:ps/task:0",
    "sync_token_q_EnqueueMany QueueEnqueueManyV2(sync_token_q, Fill) @/job:ps/task:0",
    "dummy_queue_Close QueueCloseV2(dummy_queue) @/job:ps/task:0",
    "dummy_queue_Close_1 QueueCloseV2(dummy_queue) @/job:ps/task:0",
    "sync_replicas/SetGlobalStep ResourceAccumulatorSetGlobalStep(sync_replicas/conditional_accumulator, global_step/read) @/job:ps/task:0",
    "sync_replicas/SetGlobalStep_1 AccumulatorSetGlobalStep(sync_replicas/sparse_conditional_accumulator, global_step/read) @/job:ps/task:0 loc:sync_replicas/sparse_conditional_accumulator",
    "sync_replicas/group_deps/NoOp NoOp(^sync_replicas/SetGlobalStep, ^sync_replicas/SetGlobalStep_1) @/job:ps/task:0",
    "sync_replicas/group_deps/NoOp_1 NoOp(^Assign) @/job:worker",
    "sync_replicas/group_deps NoOp(^sync_replicas/group_deps/NoOp, ^sync_replicas/group_deps/NoOp_1) @/job:worker",
    "Fill_1/dims Const @/job:ps/task:0",
    "Fill_1 Fill(Fill_1/dims, global_step/read) @/job:ps/task:0",
    "sync_token_q_EnqueueMany_1 QueueEnqueueManyV2(sync_token_q, Fill_1) @/job:ps/task:0",
};
/* clang-format on */

static int num_nodes(TF_Graph *g)
{
    size_t pos = 0;
    int n = 0;
    while (TF_GraphNextOperation(g, &pos))
        n++;
    return n;
}

static void test_sync__nodes_are_those_of_tensorflow(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    leat_device_setter *ps = leat_replica_device_setter(.ps_tasks = 1);
    leat_with_replica_devices(g, ps)
    {
        TF_Output step = leat_get_or_create_global_step(g);
        TF_Output w = leat_get_variable(g, "w", leat_shape(3, 2), .initializer = leat_init_zeros());
        TF_Output e = leat_get_variable(g, "e", leat_shape(5, 2), .initializer = leat_init_zeros());
        TF_Output x =
            leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(2, 3), .name = "x");
        TF_Output i = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(2), .name = "i");
        TF_Output axis = leat_const_int(g, 0, .name = "GatherV2/axis");
        TF_Output rows = leat_gather_v2(g, e, i, axis);
        TF_Output loss = leat_reduce_sum(g, leat_add(g, leat_matmul(g, x, w), rows));
        leat_optimizer *sgd = leat_gradient_descent(g, .learning_rate = 0.1);
        leat_optimizer *sync =
            leat_sync_replicas(sgd, .replicas_to_aggregate = 2, .total_num_replicas = 3);
        struct leat_grad grads[2];
        assert_int_equal(
            leat_compute_gradients(sync, loss, leat_outputs(w, e), (TF_Output){NULL, 0}, grads), 1);
        int first = num_nodes(g);
        assert_non_null(leat_apply_gradients(sync, grads, leat_outputs(w, e), .global_step = step));
        assert_non_null(leat_sync_init_tokens(sync, -1));
        assert_no_error(m);
        char *text = graph_text(g, first), *end = strstr(text, "sync_token_q_Size ");
        assert_non_null(end); /* the chief's own, after TensorFlow's */
        *end = '\0';
        char *got = text;
        for (size_t k = 0; k < sizeof nodes / sizeof nodes[0]; k++) {
            char *line = strsep(&got, "\n");
            assert_string_equal(line ? line : "", nodes[k]);
        }
        assert_string_equal(got, "");
        leat_free(text);
        leat_optimizer_free(sync);
        leat_optimizer_free(sgd);
    }
    leat_device_setter_free(ps);
}

/* ---- workers that are threads of one session, with a graph each of the same names ---- */

enum { WORKERS = 3, ROWS = 4, STEPS = 5 };

static const float inputs[WORKERS * ROWS][2] = {{1, 2},    {3, 1},  {-1, 1}, {2, 2},
                                                {0, 1},    {1, -1}, {2, 1},  {.5F, .25F},
                                                {-2, .5F}, {1, 1},  {3, -1}, {0, -2}};
static const float labels[WORKERS * ROWS] = {1, 2, 0, 1, -1, 2, 1, 0, -1, 1, 2, 0};

/* The squared error of rows [from, from + n) on average. */
static TF_Output make_loss(TF_Graph *g, TF_Output w, int from, int n)
{
    TF_Output x = leat_const_floats(g, inputs[from], leat_shape(n, 2));
    TF_Output y = leat_const_floats(g, labels + from, leat_shape(n, 1));
    return leat_reduce_mean(g, leat_square(g, leat_sub(g, leat_matmul(g, x, w), y)));
}

struct model {
    TF_Output step, w;
    TF_Operation *init;
    TF_Session *session;
    leat_coordinator *c;
};

static void start_model(struct made *m, struct model *model)
{
    model->init = leat_global_variables_initializer(m->g);
    assert_no_error(m);
    model->session = leat_session_new(m->g, m->st);
    assert_non_null(model->session);
    assert_int_equal(leat_run_op(model->session, model->init, leat_no_feeds(), m->st), 1);
    model->c = leat_coordinator_new();
}

static void make_model(struct made *m, struct model *model)
{
    model->step = leat_get_or_create_global_step(m->g);
    model->w = leat_get_variable(m->g, "w", leat_shape(2, 1), .initializer = leat_init_zeros());
}

static void stop_model(struct made *m, struct model *model)
{
    leat_request_stop(model->c, NULL);
    TF_CloseSession(model->session, m->st);
    assert_int_equal(leat_join(model->c, 60, m->st), 1);
    leat_coordinator_free(model->c);
    leat_session_close(model->session);
}

struct worker {
    pthread_barrier_t *together; /* else one might take two tokens of a step */
    struct model *model;
    TF_Operation *train;
};

static void train_steps(leat_coordinator *c, void *arg, TF_Status *status)
{
    struct worker *w = arg;
    (void)c;
    for (int i = 0, ok = 1; i < STEPS; i++) {
        ok = ok && leat_run_op(w->model->session, w->train, leat_no_feeds(), status);
        (void)pthread_barrier_wait(w->together);
    }
}

static void big_batch(float *w)
{
    TF_Graph *g = TF_NewGraph();
    TF_Status *st = TF_NewStatus();
    struct made m = {g, st};
    struct model model;
    make_model(&m, &model);
    leat_optimizer *opt = leat_momentum(g, .learning_rate = 0.05);
    TF_Operation *train = leat_minimize(opt, make_loss(g, model.w, 0, WORKERS * ROWS));
    start_model(&m, &model);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(leat_run_op(model.session, train, leat_no_feeds(), st), 1);
    assert_int_equal(
        leat_run(model.session, st, .fetches = leat_fetches(leat_fetch(model.w, w, 2))), 1);
    stop_model(&m, &model);
    leat_optimizer_free(opt);
    TF_DeleteStatus(st);
    TF_DeleteGraph(g);
}

static void test_sync__mean_of_workers_is_the_step_of_the_big_batch(void **state)
{
    struct made *m = *state;
    struct model model;
    struct worker workers[WORKERS];
    pthread_barrier_t together;
    leat_optimizer *opts[WORKERS][2];
    make_model(m, &model);
    assert_int_equal(pthread_barrier_init(&together, NULL, WORKERS), 0);
    for (int i = 0; i < WORKERS; i++) {
        opts[i][0] = leat_momentum(m->g, .learning_rate = 0.05);
        opts[i][1] = leat_sync_replicas(opts[i][0], .replicas_to_aggregate = WORKERS);
        workers[i].together = &together;
        workers[i].model = &model;
        workers[i].train = leat_minimize(opts[i][1], make_loss(m->g, model.w, i * ROWS, ROWS),
                                         .global_step = model.step);
    }
    TF_Operation *tokens = leat_sync_init_tokens(opts[0][1], 0);
    start_model(m, &model);
    TF_Status *st = m->st;
    for (int i = 1; i < WORKERS; i++)
        assert_int_equal(leat_sync_start_worker(opts[i][1], model.session, st), 1);
    leat_coordinator *c = leat_coordinator_new();
    if (!leat_sync_start_chief(opts[0][1], model.session, model.c, tokens, st))
        fail_msg("%s", TF_Message(st));
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(leat_coordinator_thread(c, "worker", train_steps, &workers[i], st), 1);
    if (!leat_join(c, 60, st))
        fail_msg("%s", TF_Message(st));
    leat_coordinator_free(c);
    float got[2], want[2];
    int64_t step;
    assert_int_equal(leat_run(model.session, st,
                              .fetches = leat_fetches(leat_fetch(model.w, got, 2),
                                                      leat_fetch(model.step, &step, 1))),
                     1);
    assert_int_equal(step, STEPS);
    (void)pthread_barrier_destroy(&together);
    big_batch(want);
    for (int i = 0; i < 2; i++)
        assert_true(fabsf(got[i] - want[i]) <= 1e-5F * fabsf(want[i]) + 1e-6F);
    stop_model(m, &model);
    for (int i = 0; i < WORKERS; i++) {
        leat_optimizer_free(opts[i][1]);
        leat_optimizer_free(opts[i][0]);
    }
}

/* ---- counts, members, restarts: one worker, in whose graph others leave ---- */

struct counted {
    struct model model;
    leat_optimizer *sgd, *sync;
    TF_Operation *train, *tokens;
    TF_Output old_step;
    TF_Operation *go_back; /* the worker's step becomes 0 again */
};

static void make_counted(struct made *m, struct counted *k, int required, int total, bool elastic,
                         int tokens)
{
    TF_Graph *g = m->g;
    struct leat_sync_parts parts;
    make_model(m, &k->model);
    k->sgd = leat_gradient_descent(g, .learning_rate = 0.05);
    k->sync = leat_sync_replicas(k->sgd, .replicas_to_aggregate = required,
                                 .total_num_replicas = total, .worker = 0, .elastic = elastic);
    k->train =
        leat_minimize(k->sync, make_loss(g, k->model.w, 0, ROWS), .global_step = k->model.step);
    k->tokens = leat_sync_init_tokens(k->sync, tokens);
    assert_no_error(m);
    assert_int_equal(leat_sync_parts_of(k->sync, &parts), 1);
    int64_t zero = 0;
    k->go_back =
        leat_assign(g, parts.local_step, leat_const_array(g, TF_INT64, &zero, leat_shape())).oper;
    start_model(m, &k->model);
    if (!leat_sync_start_chief(k->sync, k->model.session, k->model.c, k->tokens, m->st))
        fail_msg("%s", TF_Message(m->st));
}

static void end_counted(struct made *m, struct counted *k)
{
    stop_model(m, &k->model);
    leat_optimizer_free(k->sync);
    leat_optimizer_free(k->sgd);
}

static void run(struct made *m, struct counted *k, TF_Operation *op)
{
    if (!leat_run_op(k->model.session, op, leat_no_feeds(), m->st))
        fail_msg("%s", TF_Message(m->st));
}

static struct leat_sync_count count_of(struct made *m, struct counted *k, int worker)
{
    struct leat_sync_count counts[WORKERS];
    if (!leat_sync_counts(k->sync, k->model.session, counts, m->st))
        fail_msg("%s", TF_Message(m->st));
    return counts[worker];
}

static void test_sync__stale_gradients_are_dropped_and_counted(void **state)
{
    struct made *m = *state;
    struct counted k;
    make_counted(m, &k, 1, 2, false, 1); /* two tokens a step: this worker never waits for ever */
    for (int i = 0; i < 3; i++)          /* the second may be in the first step, or late for it */
        run(m, &k, k.train);
    assert_int_equal(count_of(m, &k, 0).pushed, 3);
    run(m, &k, k.go_back);
    run(m, &k, k.train); /* on step 0, which is over */
    struct leat_sync_count after = count_of(m, &k, 0);
    assert_int_equal(after.pushed, 4);
    assert_in_range(after.accepted, 2, 3);
    assert_int_equal(after.member, 1);
    end_counted(m, &k);
}

static void test_sync__step_goes_on_without_a_worker_that_leaves(void **state)
{
    struct made *m = *state;
    struct counted k;
    make_counted(m, &k, 2, 2, true, 2);
    run(m, &k, k.train); /* tokens are there; the chief waits for the other's gradient */
    run(m, &k, k.train);
    assert_int_equal(leat_sync_leave(k.sync, k.model.session, 1, m->st), 1);
    for (int i = 0; i < 4; i++)
        run(m, &k, k.train);
    assert_int_equal(count_of(m, &k, 0).pushed, 6);
    assert_int_equal(count_of(m, &k, 1).member, 0);
    assert_int_equal(leat_sync_check(k.sync, k.model.session, m->st), 1);
    assert_int_equal(leat_sync_enter(k.sync, k.model.session, 1, m->st), 1);
    assert_int_equal(count_of(m, &k, 1).member, 1);
    assert_int_equal(leat_sync_leave(k.sync, k.model.session, 7, m->st), 0);
    end_counted(m, &k);
}

static void test_sync__too_few_workers_fail_with_the_numbers(void **state)
{
    struct made *m = *state;
    struct counted k;
    make_counted(m, &k, 3, 3, false, 1);
    assert_int_equal(leat_sync_check(k.sync, k.model.session, m->st), 1);
    assert_int_equal(leat_sync_leave(k.sync, k.model.session, 1, m->st), 1);
    int ok = 1; /* the tokens that are left may be used */
    for (int i = 0; ok && i < 2; i++)
        ok = leat_run_op(k.model.session, k.train, leat_no_feeds(), m->st);
    assert_int_equal(ok, 0);
    assert_int_equal(TF_GetCode(m->st), TF_OUT_OF_RANGE);
    assert_int_equal(leat_sync_check(k.sync, k.model.session, m->st), 0);
    assert_int_equal(TF_GetCode(m->st), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(TF_Message(m->st), "3 gradients are required a step, 2 of 3 workers"));
    end_counted(m, &k);
}

/* ---- two workers, each with a graph and a session of its own, on one server ---- */

struct task {
    struct made m;
    struct model model;
    leat_optimizer *sgd, *sync;
    TF_Operation *train, *tokens;
};

static void make_task(struct task *t, int worker)
{
    t->m = (struct made){TF_NewGraph(), TF_NewStatus()};
    TF_Graph *g = t->m.g;
    make_model(&t->m, &t->model);
    t->sgd = leat_gradient_descent(g, .learning_rate = 0.05);
    t->sync = leat_sync_replicas(t->sgd, .replicas_to_aggregate = 2, .worker = worker);
    t->train = leat_minimize(t->sync, make_loss(g, t->model.w, worker * ROWS, ROWS),
                             .global_step = t->model.step);
    t->tokens = worker == 0 ? leat_sync_init_tokens(t->sync, 0) : NULL;
    t->model.init = leat_global_variables_initializer(g);
    assert_no_error(&t->m);
}

static void ok(struct task *t, int done)
{
    if (!done)
        fail_msg("%s", TF_Message(t->m.st));
}

/* A session of its own on the server, and this worker's part in it. */
static void open_task(struct task *t, TF_Server *server, bool first)
{
    TF_Status *st = t->m.st;
    t->model.session = leat_session_new(t->m.g, st, .target = TF_ServerTarget(server));
    ok(t, t->model.session != NULL);
    t->model.c = leat_coordinator_new();
    if (first)
        ok(t, leat_run_op(t->model.session, t->model.init, leat_no_feeds(), st));
    ok(t, t->tokens ? leat_sync_start_chief(t->sync, t->model.session, t->model.c, t->tokens, st)
                    : leat_sync_start_worker(t->sync, t->model.session, st));
}

static void free_task(struct task *t)
{
    leat_optimizer_free(t->sync);
    leat_optimizer_free(t->sgd);
    TF_DeleteStatus(t->m.st);
    TF_DeleteGraph(t->m.g);
}

static void train_together(struct task *tasks)
{
    TF_Status *st = TF_NewStatus();
    pthread_barrier_t together;
    struct worker workers[2];
    leat_coordinator *c = leat_coordinator_new();
    assert_int_equal(pthread_barrier_init(&together, NULL, 2), 0);
    for (int i = 0; i < 2; i++) {
        workers[i] = (struct worker){&together, &tasks[i].model, tasks[i].train};
        assert_int_equal(leat_coordinator_thread(c, "worker", train_steps, &workers[i], st), 1);
    }
    if (!leat_join(c, 60, st))
        fail_msg("%s", TF_Message(st));
    leat_coordinator_free(c);
    (void)pthread_barrier_destroy(&together);
    TF_DeleteStatus(st);
}

static void test_sync__sessions_on_a_server_and_a_chief_that_restarts(void **state)
{
    struct made *m = *state;
    struct leat_server_args args = {.cluster = "worker=localhost:0", .job = "worker"};
    TF_Server *server = leat_server_new(&args, m->st);
    if (!server && TF_GetCode(m->st) == TF_UNIMPLEMENTED) {
        print_message("skipped: %s\n", TF_Message(m->st));
        return;
    }
    if (!server)
        fail_msg("%s", TF_Message(m->st));
    TF_ServerStart(server, m->st);
    struct task tasks[2];
    struct leat_sync_count counts[2];
    for (int i = 0; i < 2; i++)
        make_task(&tasks[i], i);
    open_task(&tasks[0], server, true);
    open_task(&tasks[1], server, false);
    train_together(tasks);
    stop_model(&tasks[0].m, &tasks[0].model); /* the chief is lost, the server stays */
    open_task(&tasks[0], server, false);
    train_together(tasks);
    ok(&tasks[1], leat_sync_counts(tasks[1].sync, tasks[1].model.session, counts, tasks[1].m.st));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(counts[i].pushed, 2 * STEPS);
        assert_int_equal(counts[i].accepted, 2 * STEPS);
    }
    assert_true(leat_run_number(tasks[1].model.session, tasks[1].model.step, leat_no_feeds(),
                                tasks[1].m.st) == 2 * STEPS);
    for (int i = 0; i < 2; i++) {
        stop_model(&tasks[i].m, &tasks[i].model);
        free_task(&tasks[i]);
    }
    TF_DeleteServer(server);
}

static void test_sync__numbers_that_are_none_are_errors(void **state)
{
    struct made *m = *state;
    TF_Graph *g = m->g;
    struct model model;
    make_model(m, &model);
    leat_optimizer *sgd = leat_gradient_descent(g, .learning_rate = 0.05);
    assert_null(leat_sync_replicas(sgd));
    assert_error(m, "0 gradients");
    assert_null(leat_sync_replicas(sgd, .replicas_to_aggregate = 2, .worker = 2));
    assert_error(m, "worker 2");
    leat_optimizer *sync =
        leat_sync_replicas(sgd, .replicas_to_aggregate = 3, .total_num_replicas = 2);
    assert_null(leat_sync_init_tokens(sync, 1));
    assert_error(m, "after apply_gradients");
    assert_null(leat_minimize(sync, make_loss(g, model.w, 0, ROWS)));
    assert_error(m, "Global step is required to check staleness");
    assert_non_null(leat_minimize(sync, make_loss(g, model.w, 0, ROWS), .global_step = model.step));
    assert_null(leat_sync_init_tokens(sync, 0));
    assert_error(m, "Too few tokens to finish the first step: 0 (given) vs 1 (needed)");
    assert_int_equal(leat_sync_counts(sync, NULL, NULL, m->st), 0);
    assert_int_equal(TF_GetCode(m->st), TF_UNIMPLEMENTED);
    leat_optimizer_free(sync);
    leat_optimizer_free(sgd);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sync__nodes_are_those_of_tensorflow),
        TEST(test_sync__mean_of_workers_is_the_step_of_the_big_batch),
        TEST(test_sync__stale_gradients_are_dropped_and_counted),
        TEST(test_sync__step_goes_on_without_a_worker_that_leaves),
        TEST(test_sync__too_few_workers_fail_with_the_numbers),
        TEST(test_sync__sessions_on_a_server_and_a_chief_that_restarts),
        TEST(test_sync__numbers_that_are_none_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
