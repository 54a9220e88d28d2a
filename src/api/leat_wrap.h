/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated op wrappers (leat/leat_ops.h) call: one builder, driven by a table per op.
 *
 * A wrapper hands over pointers to its inputs and its struct of arguments; the table says where in
 * the struct the value of each attr lies. Not given means what leat/types.h says. */
#ifndef LEAT_API_LEAT_WRAP_H
#define LEAT_API_LEAT_WRAP_H

#include "leat/op.h"

struct leat_wrap_field {
    uint8_t attr;    /* index in the op's definition */
    uint16_t offset; /* in the struct of arguments */
};

struct leat_wrap { /* constant, one per op */
    const char *op;
    const struct leat_wrap_field *fields;
    int num_fields;
    int num_inputs;
};

struct leat_wrap_input {
    const TF_Output *v;
    int n; /* of a list; -1: one output */
};

struct leat_wrap_head { /* how every struct of arguments begins */
    const char *name;
    const char *made_at;
};

/* args: a struct that begins with leat_wrap_head, or NULL for the defaults. */
TF_Operation *wrap_call(const struct leat_wrap *w, TF_Graph *g,
                        const struct leat_wrap_input *inputs, const void *args);

#endif
