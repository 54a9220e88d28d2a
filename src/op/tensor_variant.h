/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor as an element of a VARIANT tensor. */
#ifndef LEAT_OP_TENSOR_VARIANT_H
#define LEAT_OP_TENSOR_VARIANT_H

#include "tensor/tensor.h"

/* A new variant that shares t's buffer; one reference, the caller's. */
struct variant *tensor_variant_new(const struct tensor *t);
/* The tensor in it; NULL: v is NULL or holds something else. Borrowed. */
const struct tensor *tensor_variant_get(const struct variant *v);

#endif
