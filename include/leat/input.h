/* SPDX-License-Identifier: Apache-2.0 */
/* Input pipelines of queues, as tf.train has them: producers of names, numbers and slices, and
 * batches. Each makes a queue and adds a queue runner that fills it (leat/queue_runner.h): nothing
 * flows before leat_start_queue_runners. Nodes, names and summaries are those of TensorFlow 1.15.
 * Errors: leat_graph_status; the result is then the invalid output. Any thread. */
#ifndef LEAT_INPUT_H
#define LEAT_INPUT_H

#include "leat/op.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_producer_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output strings;           /* strings: a vector, of which one at least must be there */
    int64_t limit;               /* range: 0 to limit - 1 */
    struct leat_outputs tensors; /* slices: all of the same first dim */
    int64_t num_epochs; /* so often, then the queue closes; LEAT_INT_NOT_GIVEN: for ever. Counts in
                           a local variable (LEAT_LOCAL_VARIABLES), to be initialized */
    int shuffle;        /* 1: each epoch anew */
    int64_t seed;       /* LEAT_INT_NOT_GIVEN: by the graph's */
    int64_t capacity;   /* 32 */
    const char *name;
    TF_Output *out; /* slices: one for each of tensors */
};
LEAT_EXPORT void leat_producer_args_init(struct leat_producer_args *args);
/* A queue of strings, for readers. */
LEAT_EXPORT TF_Output leat_string_input_producer_fn(const struct leat_producer_args *args);
/* A queue of int32 numbers. */
LEAT_EXPORT TF_Output leat_range_input_producer_fn(const struct leat_producer_args *args);
/* out[i]: a row of tensors.v[i], the same row of each. Returns the first. */
LEAT_EXPORT TF_Output leat_slice_input_producer_fn(const struct leat_producer_args *args);

struct leat_batch_args {
    const char *made_at;
    TF_Graph *g;
    struct leat_outputs tensors; /* an example; of batch_join: one after another */
    int64_t batch_size;
    TF_Output *out;            /* one batch for each value of an example */
    int num_threads;           /* that fill the queue: 1 */
    int num_joined;            /* batch_join: examples in tensors; a thread for each */
    int64_t capacity;          /* 32 */
    int64_t min_after_dequeue; /* shuffle_batch: stay behind, so that there is choice */
    int64_t seed;              /* of shuffle_batch; LEAT_INT_NOT_GIVEN: by the graph's */
    bool enqueue_many;         /* tensors are batches already: their rows are the examples */
    bool dynamic_pad;          /* batch: unknown dims are padded to the largest of the batch */
    bool allow_smaller_final_batch;
    const char *name;
};
LEAT_EXPORT void leat_batch_args_init(struct leat_batch_args *args);
/* All return the first of out. The shapes of values must be known, but for dynamic_pad. */
LEAT_EXPORT TF_Output leat_batch_fn(const struct leat_batch_args *args);
LEAT_EXPORT TF_Output leat_shuffle_batch_fn(const struct leat_batch_args *args);
LEAT_EXPORT TF_Output leat_batch_join_fn(const struct leat_batch_args *args);

#ifdef __cplusplus
}
#else

#define LEAT_PRODUCER_DEFAULTS_                                                                    \
    .num_epochs = LEAT_INT_NOT_GIVEN, .shuffle = 1, .seed = LEAT_INT_NOT_GIVEN, .capacity = 32,
#define LEAT_PRODUCER_CALL_(f, ...)                                                                \
    LEAT_CALL_(f, leat_producer_args, LEAT_PRODUCER_DEFAULTS_, .g, __VA_ARGS__)
/* (g, .strings = names, .num_epochs, .shuffle, .seed, .capacity, .name) */
#define leat_string_input_producer(...)                                                            \
    LEAT_PRODUCER_CALL_(leat_string_input_producer_fn, __VA_ARGS__)
/* (g, .limit = n, ...) */
#define leat_range_input_producer(...)                                                             \
    LEAT_PRODUCER_CALL_(leat_range_input_producer_fn, __VA_ARGS__)
/* (g, .tensors = leat_outputs(images, labels), .out = slices, ...) */
#define leat_slice_input_producer(...)                                                             \
    LEAT_PRODUCER_CALL_(leat_slice_input_producer_fn, __VA_ARGS__)

#define LEAT_BATCH_DEFAULTS_                                                                       \
    .num_threads = 1, .num_joined = 1, .capacity = 32, .seed = LEAT_INT_NOT_GIVEN,
#define LEAT_BATCH_CALL_(f, ...)                                                                   \
    LEAT_CALL_(f, leat_batch_args, LEAT_BATCH_DEFAULTS_, .g, __VA_ARGS__)
/* (g, leat_outputs(image, label), 64, batches, .num_threads, .capacity, ...) */
#define leat_batch(...) LEAT_BATCH_CALL_(leat_batch_fn, __VA_ARGS__)
/* (g, leat_outputs(image, label), 64, batches, .capacity = 2000, .min_after_dequeue = 1000, ...) */
#define leat_shuffle_batch(...) LEAT_BATCH_CALL_(leat_shuffle_batch_fn, __VA_ARGS__)
/* (g, leat_outputs(image1, label1, image2, label2), 64, batches, .num_joined = 2, ...) */
#define leat_batch_join(...) LEAT_BATCH_CALL_(leat_batch_join_fn, __VA_ARGS__)

#endif

#endif
