/* SPDX-License-Identifier: Apache-2.0 */
/* The text file "checkpoint" beside checkpoints: which is the latest, and which are kept.
 *
 * Paths in it may be relative to its folder. It is replaced as a whole, so that it names what was
 * there before or what is there now. */
#ifndef LEAT_IO_CHECKPOINT_STATE_H
#define LEAT_IO_CHECKPOINT_STATE_H

#include "io/folder.h"
#include "proto/leat_proto.h"

/* In the arena, with paths that are relative joined to the folder ("": the current one). name NULL:
 * "checkpoint". NOT_FOUND: no such file; DATA_LOSS: no CheckpointState. */
MUST_CHECK bool checkpoint_state_read(const char *folder, const char *name, struct arena *a,
                                      struct pb_checkpoint_state **out, struct status *st);
/* all: oldest first; latest is added at the end where it is not among them. relative: paths in the
 * folder are written relative to it; those given relative to the working directory always are. */
MUST_CHECK bool checkpoint_state_write(const char *folder, const char *name, const char *latest,
                                       const struct path_list *all, bool relative,
                                       struct status *st);
/* Whether there are files of a checkpoint of either format under the prefix. */
bool checkpoint_exists(const char *prefix);
/* When its file was last written, in seconds since 1970; negative: there is none. */
double checkpoint_time(const char *prefix);
/* Removes its files and PREFIX.SUFFIX (suffix NULL: none), the index first. What is not there is no
 * error. */
MUST_CHECK bool checkpoint_remove(const char *prefix, const char *suffix, struct status *st);

#endif
