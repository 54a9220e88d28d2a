/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions in RE2's syntax, run by PCRE2.
 *
 * What RE2 does not know (backreferences, lookaround, possessive and atomic groups, verbs) is
 * refused. Text that is not UTF-8 matches nowhere but around it. A match that takes more steps or
 * memory than the limits fails instead of hanging. Differs from RE2: \C is refused, and \pN knows
 * the scripts of PCRE2's Unicode version. */
#ifndef LEAT_CODEC_REGEX_H
#define LEAT_CODEC_REGEX_H

#include "base/status.h"
#include "base/str.h"

struct regex; /* immutable: any thread may use it */

struct regex *regex_new(struct str pattern, bool whole_text, struct status *st) MUST_CHECK;
void regex_free(struct regex *r); /* NULL is fine */
/* Whether text matches from end to end; r was made with whole_text. */
MUST_CHECK bool regex_matches(const struct regex *r, struct str text, bool *matches,
                              struct status *st);
/* Appends text with the first match, or all, replaced by rewrite, in which \0 to \9 are the match
 * and its groups and \\ a backslash. A rewrite that is none: with `all` nothing takes the place of
 * what cannot be had, else the text stays. */
MUST_CHECK bool regex_replace(const struct regex *r, struct str text, struct str rewrite, bool all,
                              struct strbuf *out, struct status *st);

#endif
