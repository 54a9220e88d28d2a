/* SPDX-License-Identifier: Apache-2.0 */
/* What the composites share: the public API, and small constants. */
#ifndef LEAT_BUILD_BUILD_H
#define LEAT_BUILD_BUILD_H

#include "base/base.h"
#include "base/mem.h"
#include "base/str.h"
#include "leat/constant.h"
#include "leat/leat_ops.h"
#include "leat/op.h"
#include "leat/scope.h"
#include "leat/variable.h"

/* The dims as an int32 vector called `name` under the current scope. */
TF_Output build_shape_const(TF_Graph *g, struct leat_shape shape, const char *name);
/* A scalar of this type. */
TF_Output build_number(TF_Graph *g, double value, TF_DataType dtype, const char *name);

/* init for a part of a variable of shape `whole`: scaled by the whole. */
struct leat_initializer build_initializer_of(struct leat_initializer init, struct leat_shape whole,
                                             TF_DataType dtype);

#endif
