/* SPDX-License-Identifier: Apache-2.0 */
/* Input pipelines of queues: the nodes that are TensorFlow 1.15's, what flows through them, and
 * coordinators. Nothing here depends on how long anything takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "leat/leat.h"

static void must(TF_Status *s)
{
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%s", TF_Message(s));
}

static void graph_must(TF_Graph *g)
{
    TF_Status *s = TF_NewStatus();

    leat_graph_status(g, s);
    must(s);
    TF_DeleteStatus(s);
}

/* Every node of the graph, in order: "name Op\n". */
static void assert_nodes(TF_Graph *g, const char *const *want, int n)
{
    TF_Operation *op;
    size_t at = 0;
    int i = 0;

    for (; (op = TF_GraphNextOperation(g, &at)); i++) {
        char line[256];

        snprintf(line, sizeof line, "%s %s", TF_OperationName(op), TF_OperationOpType(op));
        if (i < n)
            assert_string_equal(line, want[i]);
        else
            fail_msg("and %s", line);
    }
    assert_int_equal(i, n);
}

static void test_input__batch_has_the_nodes_of_tensorflow(void **state)
{
    static const char *const want[] = {
        "Const Const",
        "shuffle_batch/Const Const",
        "shuffle_batch/random_shuffle_queue RandomShuffleQueueV2",
        "shuffle_batch/random_shuffle_queue_enqueue QueueEnqueueV2",
        "shuffle_batch/random_shuffle_queue_Close QueueCloseV2",
        "shuffle_batch/random_shuffle_queue_Close_1 QueueCloseV2",
        "shuffle_batch/random_shuffle_queue_Size QueueSizeV2",
        "shuffle_batch/sub/y Const",
        "shuffle_batch/sub Sub",
        "shuffle_batch/Maximum/x Const",
        "shuffle_batch/Maximum Maximum",
        "shuffle_batch/Cast Cast",
        "shuffle_batch/mul/y Const",
        "shuffle_batch/mul Mul",
        "shuffle_batch/fraction_over_8_of_24_full/tags Const",
        "shuffle_batch/fraction_over_8_of_24_full ScalarSummary",
        "shuffle_batch/n Const",
        "shuffle_batch QueueDequeueManyV2",
    };
    (void)state;
    TF_Graph *g = TF_NewGraph();
    TF_Output out[1], x = leat_const_float(g, 1, .name = "Const");

    leat_shuffle_batch(g, .tensors = leat_outputs(x), .batch_size = 4, .out = out,
                       .min_after_dequeue = 8, .seed = 3);
    graph_must(g);
    assert_nodes(g, want, sizeof want / sizeof *want);
    TF_DeleteGraph(g);
}

static void test_input__a_producer_has_the_nodes_of_tensorflow(void **state)
{
    static const char *const want[] = {
        "input_producer/range/start Const",
        "input_producer/range/limit Const",
        "input_producer/range/delta Const",
        "input_producer/range Range",
        "input_producer/RandomShuffle RandomShuffle",
        "input_producer/limit_epochs/Const Const",
        "input_producer/limit_epochs/epochs VariableV2",
        "input_producer/limit_epochs/epochs/Assign Assign",
        "input_producer/limit_epochs/epochs/read Identity",
        "input_producer/limit_epochs/CountUpTo CountUpTo",
        "input_producer/limit_epochs Identity",
        "input_producer FIFOQueueV2",
        "input_producer/input_producer_EnqueueMany QueueEnqueueManyV2",
        "input_producer/input_producer_Close QueueCloseV2",
        "input_producer/input_producer_Close_1 QueueCloseV2",
        "input_producer/input_producer_Size QueueSizeV2",
        "input_producer/Cast Cast",
        "input_producer/mul/y Const",
        "input_producer/mul Mul",
        "input_producer/fraction_of_32_full/tags Const",
        "input_producer/fraction_of_32_full ScalarSummary",
    };
    (void)state;
    TF_Graph *g = TF_NewGraph();

    leat_range_input_producer(g, .limit = 5, .num_epochs = 2, .seed = 3);
    graph_must(g);
    assert_nodes(g, want, sizeof want / sizeof *want);
    TF_DeleteGraph(g);
}

static TF_Session *start(TF_Graph *g, leat_coordinator *c, TF_Status *s)
{
    TF_Output local[4];
    int n = leat_get_collection(g, LEAT_LOCAL_VARIABLES, NULL, local, 4);
    TF_Operation *ready = leat_variables_initializer(g, local, n, "init_local");
    TF_Session *session = leat_session_new(g, s);

    graph_must(g);
    must(s);
    leat_run_op(session, ready, leat_no_feeds(), s);
    must(s);
    assert_true(leat_start_queue_runners(session, g, c, s) > 0);
    return session;
}

static void stop(TF_Session *session, leat_coordinator *c, TF_Status *s)
{
    leat_request_stop(c, s);
    assert_true(leat_join(c, -1, s));
    leat_coordinator_free(c);
    leat_session_close(session);
}

static void test_input__slices_come_in_batches_until_the_epochs_end(void **state)
{
    (void)state;
    static const float values[] = {1, 2, 3, 4, 5};
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    leat_coordinator *c = leat_coordinator_new();
    TF_Output row[1], out[1], all = leat_const_floats(g, values, leat_shape(5));
    float sum = 0, v[2];
    int num = 0;

    leat_slice_input_producer(g, .tensors = leat_outputs(all), .out = row, .num_epochs = 2,
                              .shuffle = 1);
    leat_batch(g, .tensors = leat_outputs(row[0]), .batch_size = 2, .out = out, .capacity = 3);
    TF_Session *session = start(g, c, s);

    for (; leat_run(session, s, .fetches = leat_fetches(leat_fetch(out[0], v, 2))); num++)
        sum += v[0] + v[1];
    assert_int_equal(TF_GetCode(s), TF_OUT_OF_RANGE);
    assert_int_equal(num, 5);
    assert_true(sum == 30);
    stop(session, c, s);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
}

static void test_input__a_stop_ends_threads_that_wait_for_room(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    leat_coordinator *c = leat_coordinator_new();
    TF_Tensor *t = leat_string_tensor(names, NULL, (const int64_t[]){2}, 1, s);
    TF_Output x = leat_constant(g, t), y = leat_const_float(g, 1), z = leat_const_float(g, 2);
    TF_Output out[1];
    float v[3];

    must(s);
    leat_string_input_producer(g, .strings = x, .shuffle = 0, .capacity = 3);
    leat_batch_join(g, .tensors = leat_outputs(y, z), .num_joined = 2, .batch_size = 3, .out = out,
                    .capacity = 3);
    TF_Session *session = start(g, c, s);

    assert_int_equal(leat_start_queue_runners(session, g, c, s), 0); /* they run already */
    leat_run(session, s, .fetches = leat_fetches(leat_fetch(out[0], v, 3)));
    must(s);
    stop(session, c, s);
    TF_DeleteTensor(t);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
}

/* --- coordinators --- */

static void fails(leat_coordinator *c, void *arg, TF_Status *status)
{
    (void)c;
    TF_SetStatus(status, *(TF_Code *)arg, "said the thread");
}

static void waits(leat_coordinator *c, void *arg, TF_Status *status)
{
    (void)status;
    *(bool *)arg = leat_wait_for_stop(c, -1);
}

static void test_input__the_first_error_stops_all_threads(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    leat_coordinator *c = leat_coordinator_new();
    TF_Code code = TF_DATA_LOSS;
    bool stopped = false;

    assert_true(leat_coordinator_thread(c, "waits", waits, &stopped, s));
    assert_false(leat_wait_for_stop(c, 0));
    assert_true(leat_coordinator_thread(c, "fails", fails, &code, s));
    assert_false(leat_join(c, -1, s));
    assert_int_equal(TF_GetCode(s), TF_DATA_LOSS);
    assert_string_equal(TF_Message(s), "said the thread");
    assert_true(stopped && leat_should_stop(c));
    leat_clear_stop(c);
    assert_false(leat_should_stop(c));
    code = TF_OUT_OF_RANGE; /* an end, no error */
    assert_true(leat_coordinator_thread(c, "ends", fails, &code, s));
    assert_true(leat_join(c, -1, s));
    leat_coordinator_free(c);
    TF_DeleteStatus(s);
}

struct gate {
    leat_coordinator *open;
};

static void stays(leat_coordinator *c, void *arg, TF_Status *status)
{
    (void)c;
    (void)status;
    (void)leat_wait_for_stop(((struct gate *)arg)->open, -1);
}

static void test_input__join_names_threads_that_do_not_end(void **state)
{
    (void)state;
    TF_Status *s = TF_NewStatus();
    leat_coordinator *c = leat_coordinator_new();
    struct gate gate = {leat_coordinator_new()};

    assert_true(leat_coordinator_thread(c, "stubborn", stays, &gate, s));
    leat_request_stop(c, NULL);
    assert_false(leat_join(c, 0, s));
    assert_int_equal(TF_GetCode(s), TF_UNKNOWN);
    assert_non_null(strstr(TF_Message(s), "threads still running: stubborn"));
    leat_request_stop(gate.open, NULL);
    assert_true(leat_join(c, -1, s));
    leat_coordinator_free(c);
    leat_coordinator_free(gate.open);
    TF_DeleteStatus(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input__batch_has_the_nodes_of_tensorflow),
        cmocka_unit_test(test_input__a_producer_has_the_nodes_of_tensorflow),
        cmocka_unit_test(test_input__slices_come_in_batches_until_the_epochs_end),
        cmocka_unit_test(test_input__a_stop_ends_threads_that_wait_for_room),
        cmocka_unit_test(test_input__the_first_error_stops_all_threads),
        cmocka_unit_test(test_input__join_names_threads_that_do_not_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
