/* SPDX-License-Identifier: Apache-2.0 */
/* Variables cut into parts along one dimension, so that several parameter servers share them.
 *
 *     struct leat_partitioner four = leat_fixed_size_partitioner(4);
 *     leat_partitioned *w = leat_get_partitioned_variable(g, "w", leat_shape(1000000, 64), four);
 *     rows = leat_embedding_lookup(g, leat_partitioned_parts(w), ids,
 *                                  .partition_strategy = LEAT_PARTITION_DIV);
 *     y = leat_matmul(g, x, leat_partitioned_value(w));
 *     leat_partitioned_free(w);                                   the nodes stay
 *
 * Parts are variables w/part_0, w/part_1..., as those of TensorFlow 1.15; savers save them as
 * slices of w, and restore w in any other partition. Each part begins as the same part of the whole
 * would be scaled (Glorot's by the whole's shape). A leat_partitioned is the caller's, for one
 * thread, and refers to its graph. Errors: the graph's (leat_graph_status), and NULL, which passes
 * through. */
#ifndef LEAT_PARTITIONED_H
#define LEAT_PARTITIONED_H

#include "leat/variable.h"

#ifdef __cplusplus
extern "C" {
#endif

enum leat_partitioner_kind {
    LEAT_PARTITION_NONE = 0, /* one part */
    LEAT_PARTITION_FIXED,    /* n parts, or as many as there is to cut */
    LEAT_PARTITION_BY_BYTES, /* parts of at most `bytes`, at most n where n > 0 */
    LEAT_PARTITION_MIN_MAX,  /* at most n parts, of at least `bytes` each */
};
struct leat_partitioner {
    enum leat_partitioner_kind kind;
    int n, axis;
    int64_t bytes;
    int64_t bytes_per_string; /* how long a string is taken for */
};
/* As tf.fixed_size_partitioner, tf.variable_axis_size_partitioner and
 * tf.min_max_variable_partitioner. */
static inline struct leat_partitioner leat_partitioner_of(enum leat_partitioner_kind kind, int n,
                                                          int axis, int64_t bytes)
{
    struct leat_partitioner p;
    p.kind = kind;
    p.n = n;
    p.axis = axis;
    p.bytes = bytes;
    p.bytes_per_string = 16;
    return p;
}
#define leat_fixed_size_partitioner(shards) leat_partitioner_of(LEAT_PARTITION_FIXED, shards, 0, 0)
#define leat_variable_axis_size_partitioner(max_shard_bytes)                                       \
    leat_partitioner_of(LEAT_PARTITION_BY_BYTES, 0, 0, max_shard_bytes)
#define leat_min_max_variable_partitioner(max_partitions, min_slice_bytes)                         \
    leat_partitioner_of(LEAT_PARTITION_MIN_MAX, max_partitions, 0, min_slice_bytes)
/* Into how many parts p cuts a variable of this shape; -1: the shape or p makes no sense. */
LEAT_EXPORT int leat_partition_count(struct leat_partitioner p, struct leat_shape shape,
                                     TF_DataType dtype);

typedef struct leat_partitioned leat_partitioned;

struct leat_partitioned_args {
    const char *made_at;
    TF_Graph *g;
    const char *name;
    struct leat_shape shape; /* of the whole; known */
    struct leat_partitioner partitioner;
    struct leat_variable_args variable; /* what leat_get_variable takes */
};
LEAT_EXPORT void leat_partitioned_args_init(struct leat_partitioned_args *args);
/* Under the current variable scope, made or found again as that says. Errors: those of
 * leat_get_variable, and INVALID_ARGUMENT for a shape that is not known or no part at all. */
LEAT_EXPORT leat_partitioned *
leat_get_partitioned_variable_fn(const struct leat_partitioned_args *args);
LEAT_EXPORT void leat_partitioned_free(leat_partitioned *p); /* NULL is fine */

/* The variables, in order; the array is p's. */
LEAT_EXPORT struct leat_outputs leat_partitioned_parts(const leat_partitioned *p);
/* The whole as a tensor: new nodes NAME/ConcatPartitions/concat and NAME. */
LEAT_EXPORT TF_Output leat_partitioned_value(const leat_partitioned *p);

#ifdef __cplusplus
}
#else

/* (g, "w", leat_shape(1000, 64), .partitioner, .variable.initializer, .variable.dtype ...) */
#define leat_get_partitioned_variable(...)                                                         \
    LEAT_CALL_(leat_get_partitioned_variable_fn, leat_partitioned_args,                            \
               LEAT_PARTITIONED_DEFAULTS_, .g, __VA_ARGS__)
#define LEAT_PARTITIONED_DEFAULTS_ .variable = {.trainable = 1, .validate_shape = 1},

#endif

#endif
