/* SPDX-License-Identifier: Apache-2.0 */
/* Which script a character is of, by PCRE2's tables. */
#ifndef LEAT_CODEC_UNICODE_SCRIPT_H
#define LEAT_CODEC_UNICODE_SCRIPT_H

#include "base/status.h"

/* Immutable: any thread may use it. */
struct unicode_scripts;
struct unicode_scripts *unicode_scripts_new(struct status *st) MUST_CHECK;
void unicode_scripts_free(struct unicode_scripts *s); /* NULL is fine */
/* The number that ICU has for the script of c; -1 where c is no code point. */
MUST_CHECK bool unicode_script_of(const struct unicode_scripts *s, int32_t c, int32_t *script,
                                  struct status *st);

#endif
