/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops on strings share: setting an element, checks in TensorFlow's words. */
#ifndef LEAT_OPS_TEXT_TEXT_H
#define LEAT_OPS_TEXT_TEXT_H

#include "op/kernel.h"

static inline bool text_set(struct tstr *y, struct str s, struct status *st)
{
    return tstr_set(y, s.p, s.n) || status_exhausted(st, "no memory for strings");
}

/* The blanks of C's isspace in the "C" locale, the program's own does not matter. */
static inline bool text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether t, called `name`, has this rank (0 or 1). */
MUST_CHECK bool text_want_rank(const struct tensor *t, const char *name, int rank,
                               struct status *st);

#endif
