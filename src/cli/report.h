/* SPDX-License-Identifier: Apache-2.0 */
/* What a command found, as a tree that is printed as text for people or as JSON for programs.
 *
 * Objects have named members in the order in which they were added; lists have items. All lives in
 * the report's arena. Texts are copied; bytes that are no UTF-8 are printed as \xNN. */
#ifndef LEAT_CLI_REPORT_H
#define LEAT_CLI_REPORT_H

#include "base/arena.h"
#include "base/str.h"

struct report_node;
struct report {
    struct arena arena;
    struct report_node *root; /* an object */
};

void report_init(struct report *r);
void report_release(struct report *r);

/* Members of an object; with key NULL, items of a list. */
struct report_node *report_object(struct report *r, struct report_node *in, const char *key);
struct report_node *report_list(struct report *r, struct report_node *in, const char *key);
void report_text(struct report *r, struct report_node *in, const char *key, struct str value);
void report_int(struct report *r, struct report_node *in, const char *key, int64_t value);
void report_real(struct report *r, struct report_node *in, const char *key, double value);
void report_bool(struct report *r, struct report_node *in, const char *key, bool value);
static inline void report_words(struct report *r, struct report_node *in, const char *key,
                                const char *value)
{
    report_text(r, in, key, str_of(value));
}

/* One line of JSON. Numbers that JSON lacks (NaN, infinities) are null. */
void report_print_json(const struct report *r, struct strbuf *out);
/* Indented lines: "key: value"; an object of plain values inside a list is one line. */
void report_print_text(const struct report *r, struct strbuf *out);

#endif
