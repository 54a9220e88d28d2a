/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner and the parsers of spec texts, shared by op_spec.c (attrs, arguments),
 * op_default.c (default values) and kernel.c (type constraints). Internal to op/. */
#ifndef LEAT_OP_OP_SPEC_H
#define LEAT_OP_OP_SPEC_H

#include "base/arena.h"
#include "op/op.h"

struct scan {
    const char *owner; /* "Op 'Foo'": who has this text */
    const char *text;  /* all of it, for messages */
    const char *p;     /* the next character */
    struct arena *arena;
};

/* Always false: "Op 'Foo': WHAT at column N of 'TEXT'". */
bool scan_fail(const struct scan *s, struct status *st, const char *fmt, ...) PRINTF_LIKE(3, 4);
void scan_space(struct scan *s);
/* Skips blanks, then takes c when it is next. */
bool scan_char(struct scan *s, char c);
bool scan_done(struct scan *s); /* nothing but blanks is left */
/* The longest run of letters, digits, '_' and '.'; empty when there is none. */
struct str scan_word(struct scan *s);
MUST_CHECK bool scan_expect(struct scan *s, char c, struct status *st);
MUST_CHECK bool scan_int(struct scan *s, int64_t *out, struct status *st);
/* A text between ' or ", with C escapes; in the arena. */
MUST_CHECK bool scan_string(struct scan *s, struct str *out, struct status *st);

/* "{float, numbertype}" after the brace, or one word: adds to the list (room for DT_NUM). */
MUST_CHECK bool scan_type_set(struct scan *s, uint8_t *list, int *n, struct status *st);
/* A word that stands for several types: numbertype, realnumbertype, quantizedtype. */
bool scan_type_group(struct str word, uint8_t *list, int *n);
dtype_set type_list_set(const uint8_t *list, int n);

/* The value after "=", as a's kind asks. */
MUST_CHECK bool spec_parse_default(struct scan *s, struct op_attr *a, struct status *st);
MUST_CHECK bool spec_parse_attr(struct scan *s, struct op_attr *a, struct status *st);
/* The attrs of op are parsed already. */
MUST_CHECK bool spec_parse_arg(struct scan *s, const struct op *op, struct op_arg *a,
                               struct status *st);

#endif
