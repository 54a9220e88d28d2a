/* SPDX-License-Identifier: Apache-2.0 */
/* Restoring from V1 checkpoints, for RestoreV2 too. */
#ifndef LEAT_OPS_IO_V1_H
#define LEAT_OPS_IO_V1_H

#include "io/slices_v1.h"

/* The tensor of that name, or the slice that spec ("": all) says; with TensorFlow's words where it
 * is not there, or of another type or shape. */
MUST_CHECK bool io_restore_v1(struct v1_reader *r, struct str name, struct str spec, int dtype,
                              struct tensor *out, struct status *st);

#endif
