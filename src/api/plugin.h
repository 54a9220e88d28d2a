/* SPDX-License-Identifier: Apache-2.0 */
/* What the files behind ops.h, kernels.h and TF_LoadLibrary share. */
#ifndef LEAT_API_PLUGIN_H
#define LEAT_API_PLUGIN_H

#include "op/attr.h"

/* The attr of that kind, as a shape function or a kernel of a plug-in asks for it. NULL:
 * NOT_FOUND or INVALID_ARGUMENT, in TensorFlow's words. */
const struct attr_value *plugin_attr(const struct attrs *attrs, const char *name, int kind,
                                     const char *node_name, struct status *st) MUST_CHECK;

/* Tells a load in progress on this thread, if there is one, that an op was registered or refused.
 */
void plugin_note_op(const char *name, const struct status *st);

#endif
