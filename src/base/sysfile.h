/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the small text files in which Linux tells about itself (/proc, /sys). */
#ifndef LEAT_BASE_SYSFILE_H
#define LEAT_BASE_SYSFILE_H

#include "base/base.h"
#include "base/str.h"

/* The text of the file of that name, at most 16 KiB of it; empty when it cannot be read. The
 * caller releases it. */
struct strbuf sysfile_read(const char *path_fmt, ...) PRINTF_LIKE(1, 2);

/* The trimmed text of b, borrowed. */
static inline struct str sysfile_text(const struct strbuf *b)
{
    return str_trim(str_make(b->p, b->n));
}

#endif
