/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a checkpoint, without a graph: names, types, shapes, values; of both formats.
 *
 *     leat_checkpoint *c = leat_checkpoint_open("model/ckpt-1000", status);
 *     TF_Tensor *weights = leat_checkpoint_read(c, "weights", status);
 *
 * A damaged file gives DATA_LOSS with its name. A checkpoint that is open may be asked by one
 * thread at a time. Variables are sorted by name, and belong to the checkpoint. */
#ifndef LEAT_CHECKPOINT_H
#define LEAT_CHECKPOINT_H

#include <stdint.h>

#include "tensorflow/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LEAT_EXPORT
#define LEAT_EXPORT __attribute__((visibility("default")))
#endif

typedef struct leat_checkpoint leat_checkpoint;

struct leat_checkpoint_variable {
    const char *name;
    TF_DataType dtype;
    int num_dims;
    const int64_t *dims;
};

/* prefix: that of the files of format V2, or the name (or a pattern of the names) of those of V1.
 * NULL after an error: NOT_FOUND, DATA_LOSS, INVALID_ARGUMENT. */
LEAT_EXPORT leat_checkpoint *leat_checkpoint_open(const char *prefix, TF_Status *status);
LEAT_EXPORT void leat_checkpoint_close(leat_checkpoint *checkpoint);        /* NULL is fine */
LEAT_EXPORT int leat_checkpoint_version(const leat_checkpoint *checkpoint); /* 1 or 2 */

/* How many there are; 0 for NULL. */
LEAT_EXPORT int64_t leat_checkpoint_num_variables(const leat_checkpoint *checkpoint);
/* NULL: no such index, or name. */
LEAT_EXPORT const struct leat_checkpoint_variable *
leat_checkpoint_variable_at(const leat_checkpoint *checkpoint, int64_t index);
LEAT_EXPORT const struct leat_checkpoint_variable *
leat_checkpoint_variable_named(const leat_checkpoint *checkpoint, const char *name);

/* The whole value, put together where it was saved in slices; the caller deletes it. NULL after an
 * error: NOT_FOUND for a name that is not there. */
LEAT_EXPORT TF_Tensor *leat_checkpoint_read(leat_checkpoint *checkpoint, const char *name,
                                            TF_Status *status);

#ifdef __cplusplus
}
#endif
#endif
