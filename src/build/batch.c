/* SPDX-License-Identifier: Apache-2.0 */
/* leat_batch and its kin: examples into a queue, batches out of it. */
#include "base/mem.h"
#include "build/input.h"
#include "leat/constant.h"
#include "leat/queue_runner.h"

void leat_batch_args_init(struct leat_batch_args *args)
{
    *args = (struct leat_batch_args){LEAT_BATCH_DEFAULTS_};
}

static bool check(const struct leat_batch_args *a, const char *what)
{
    const char *wrong = a->batch_size < 1    ? "batch_size must be at least 1"
                        : a->num_threads < 1 ? "num_threads must be at least 1"
                        : a->num_joined < 1 || a->tensors.n < 1 || a->tensors.n % a->num_joined
                            ? "tensors must be so many examples, of the same number of values"
                        : a->capacity < 1 ? "capacity must be at least 1"
                        : !a->out         ? "out is required"
                                          : NULL;

    if (wrong)
        (void)leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "%s: %s", what, wrong);
    return !wrong;
}

/* All examples go in by operations of their own; one example by as many threads as are asked for.
 */
static void fill(const struct leat_batch_args *a, const struct input_queue *q, TF_Output queue,
                 int joined)
{
    const int n = a->tensors.n / joined, num = joined > 1 ? joined : a->num_threads;
    TF_Operation **fillers = mem_new_array(TF_Operation *, num);

    for (int i = 0; i < joined; i++)
        fillers[i] = input_enqueue(q, queue, (struct leat_outputs){a->tensors.v + i * n, n});
    for (int i = joined; i < num; i++)
        fillers[i] = fillers[0];
    input_run(q, queue, fillers, num);
    mem_free(fillers);
}

/* The op itself tells nothing of shapes: what is known of the examples is. */
static void set_shape(const struct leat_batch_args *a, TF_Output y, TF_Output example)
{
    int64_t *dims = mem_new_array(int64_t, MK_MAX_RANK + 1);
    const int skip = a->enqueue_many, rank = mk_dims(a->g, example, dims + 1 - skip) - skip;
    TF_Status *ignored = TF_NewStatus(); /* any shape fits what is not known */

    dims[0] = a->allow_smaller_final_batch ? -1 : a->batch_size;
    if (rank >= 0 && rank < MK_MAX_RANK)
        TF_GraphSetTensorShape(a->g, y, dims, rank + 1, ignored);
    TF_DeleteStatus(ignored);
    mem_free(dims);
}

static TF_Output dequeue(const struct leat_batch_args *a, TF_Output queue, int n)
{
    TF_Output size = mk_i32(a->g, "n", a->batch_size);
    const char *op = a->allow_smaller_final_batch ? "QueueDequeueUpToV2" : "QueueDequeueManyV2";
    TF_OperationDescription *d = leat_valid(queue) && leat_valid(size)
                                     ? leat_begin(a->g, op, leat_current_scope(a->g), NULL)
                                     : NULL;
    TF_DataType *types = mem_new_array(TF_DataType, n);
    TF_Operation *made = NULL;

    if (d) {
        for (int i = 0; i < n; i++)
            types[i] = leat_dtype(a->g, a->tensors.v[i]);
        leat_add_input(d, queue);
        leat_add_input(d, size);
        TF_SetAttrTypeList(d, "component_types", types, n);
        made = leat_finish(d);
    }
    mem_free(types);
    for (int i = 0; i < n; i++)
        a->out[i] = leat_output_of(made, i);
    for (int i = 0; made && i < n; i++)
        set_shape(a, a->out[i], a->tensors.v[i]);
    return leat_output_of(made, 0);
}

static TF_Output batch(const struct leat_batch_args *a, const char *what, const char *op,
                       const char *queue_name, int joined)
{
    TF_Output y = MK_NONE;

    if (!a || !a->g || !check(a, what))
        return y;
    struct input_queue q = {.g = a->g,
                            .op = op,
                            .name = queue_name,
                            .capacity = a->capacity,
                            .min_after_dequeue = a->min_after_dequeue,
                            .example = {a->tensors.v, a->tensors.n / joined},
                            .rows = a->enqueue_many,
                            .partial = a->dynamic_pad};

    leat_get_seed(a->g, a->seed, &q.seed, &q.seed2);
    leat_push_composite(a->g, a->name, what, a->made_at);
    (void)leat_const_bool(a->g, 1, .name = "Const"); /* keep_input, which nothing reads */
    TF_Output queue = input_queue_make(&q);

    fill(a, &q, queue, joined);
    input_summary(&q, queue);
    y = dequeue(a, queue, q.example.n);
    leat_pop(a->g);
    return y;
}

TF_Output leat_batch_fn(const struct leat_batch_args *args)
{
    const bool pad = args && args->dynamic_pad;

    return batch(args, "batch", pad ? "PaddingFIFOQueueV2" : "FIFOQueueV2",
                 pad ? "padding_fifo_queue" : "fifo_queue", 1);
}

TF_Output leat_shuffle_batch_fn(const struct leat_batch_args *args)
{
    if (args && args->g &&
        (args->min_after_dequeue < 0 || args->min_after_dequeue >= args->capacity))
        return leat_fail(args->g, args->made_at, TF_INVALID_ARGUMENT,
                         "shuffle_batch: min_after_dequeue must be less than capacity");
    return batch(args, "shuffle_batch", "RandomShuffleQueueV2", "random_shuffle_queue", 1);
}

TF_Output leat_batch_join_fn(const struct leat_batch_args *args)
{
    const bool pad = args && args->dynamic_pad;

    return batch(args, "batch_join", pad ? "PaddingFIFOQueueV2" : "FIFOQueueV2",
                 pad ? "padding_fifo_queue" : "fifo_queue",
                 args && args->num_joined > 0 ? args->num_joined : 1);
}
