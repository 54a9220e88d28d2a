/* SPDX-License-Identifier: Apache-2.0 */
/* Where the given data lies, and files read whole. */
#ifndef LEAT_TESTS_COMMON_FILES_H
#define LEAT_TESTS_COMMON_FILES_H

#include "common/text.h"

/* The path of `what` inside the folder of given data: $LEAT_SHARED, else ../shared. False when
 * there is no such file. */
bool shared_find(const char *what, struct text *path);

/* The whole file; false when it cannot be read. The caller releases out. */
bool file_read(const char *path, struct text *out);
bool file_exists(const char *path);

static inline struct bytes text_bytes(const struct text *t)
{
    return (struct bytes){(const uint8_t *)t->p, t->n};
}

/* Takes the next line, without its end, off *rest; false at the end. */
bool line_next(struct bytes *rest, struct bytes *line);
/* The piece up to the next sep, which *rest loses; false when *rest is at its end (p NULL). */
bool piece_next(struct bytes *rest, char sep, struct bytes *piece);

/* Takes the next record off a TFRecord file's bytes; false at the end or at malformed bytes (*rest
 * not empty then). The checksums are not verified: the reader under test does that. */
bool record_next(struct bytes *rest, struct bytes *record);

/* The names in a folder, sorted; the caller frees with names_free. num is 0 when it cannot be
 * read. */
struct names {
    char **items;
    size_t num;
};
struct names folder_names(const char *path);
void names_free(struct names *n);

#endif
