/* SPDX-License-Identifier: Apache-2.0 */
/* SavedModel folders: the file saved_model.pb or .pbtxt, and what its MetaGraphs say about loading.
 *
 *   DIR/saved_model.pb            a SavedModel message (or saved_model.pbtxt, its text)
 *   DIR/variables/variables.*     a checkpoint that the MetaGraph's restore op reads
 *   DIR/assets/NAME               files whose paths are fed to the graph
 *
 * Messages live in the caller's arena. The codes and words of errors that clients of TensorFlow
 * know (no model, no such tags, more than one init op) are TensorFlow's. Layout:
 * facts/formats.md, section 5. */
#ifndef LEAT_IO_SAVED_MODEL_H
#define LEAT_IO_SAVED_MODEL_H

#include "base/status.h"
#include "proto/leat_proto.h"

/* Whether dir has a file of such a message. */
bool saved_model_exists(const char *dir);
/* The file's message. NOT_FOUND: there is none in dir; DATA_LOSS: it is no such message; memory in
 * proportion to the file. */
MUST_CHECK bool saved_model_read(struct arena *a, const char *dir, struct pb_saved_model **out,
                                 struct status *st);
/* The MetaGraph whose tags are just these, in any order; NOT_FOUND names the tags there are. */
MUST_CHECK bool saved_model_pick(const struct pb_saved_model *m, const char *const *tags,
                                 int num_tags, struct pb_meta_graph_def **out, struct status *st);
/* The tensors that want paths of assets, and the files' names: the MetaGraph's own list, or that in
 * its collections as files before 1.14 have it. */
MUST_CHECK bool saved_model_assets(struct arena *a, const struct pb_meta_graph_def *meta,
                                   struct pb_asset_file_def_vec *out, struct status *st);
/* The node to run after the variables are restored; "" when there is none. dir: for the error when
 * the file names several. */
MUST_CHECK bool saved_model_init_op(struct arena *a, const struct pb_meta_graph_def *meta,
                                    const char *dir, const char **out, struct status *st);
/* Whether DIR/variables/variables.index is there. */
bool saved_model_has_variables(const char *dir);

#endif
