/* SPDX-License-Identifier: Apache-2.0 */
/* Under which names a kernel's resources live; see resource_names. Internal to op/. */
#ifndef LEAT_OP_KERNEL_NAMES_H
#define LEAT_OP_KERNEL_NAMES_H

#include "op/kernel.h"

const char *kernel_container(const struct kernel *k); /* attr container, "" where there is none */
/* Attr shared_name; where empty, the node's name or (not use_node_name) a name that no other kernel
 * has: of this process, or, with a session's handle (NULL or "": none), of any process, the same
 * for the node of that session wherever its kernel is made. Owned by the kernel. */
const char *kernel_resource_name(const struct kernel *k, bool use_node_name, const char *session);

#endif
