/* SPDX-License-Identifier: Apache-2.0 */
/* How attr values and types are written in messages: TensorFlow's spellings. All append. */
#ifndef LEAT_OP_ATTR_PRINT_H
#define LEAT_OP_ATTR_PRINT_H

#include "op/attr.h"

void attr_print_dtype(int dtype, struct strbuf *out); /* "DT_FLOAT" */
void attr_print_float(float f,
                      struct strbuf *out); /* the shortest of %.6g and %.8g that is exact */
void attr_print_escaped(struct str s, struct strbuf *out); /* C escapes, no quotes */
/* "int", "list(shape)"; "" where no value is set. */
void attr_print_kind(const struct attr_value *v, struct strbuf *out);
const char *attr_kind_name(int kind);
/* "[T=DT_FLOAT, _kernel="x"]" without the brackets. */
void attrs_print(const struct attrs *a, struct strbuf *out);
/* Types as "DT_FLOAT, DT_INT32"; long lists lose their middle. */
void attr_print_types(const uint8_t *types, int64_t n, struct strbuf *out);

#endif
