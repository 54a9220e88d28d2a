/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that stands for every function call node. */
#ifndef LEAT_RUNTIME_CALL_KERNEL_H
#define LEAT_RUNTIME_CALL_KERNEL_H

#include "op/kernel.h"

extern const struct kernel_def call_kernel_def;

#endif
