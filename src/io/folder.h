/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and names of files. Any thread. */
#ifndef LEAT_IO_FOLDER_H
#define LEAT_IO_FOLDER_H

#include "base/status.h"
#include "base/str.h"

/* The parts of a path, borrowed: "a/b" is "a" and "b"; "b" is "" and "b"; "/b" is "/" and "b". */
struct str path_folder(const char *path);
struct str path_name(const char *path);
/* `name` in `folder` ("": name alone; an absolute name stays). The caller frees (mem_free). */
char *path_join(struct str folder, struct str name);

/* Passed before every change of what is on disk. For tests: failpoint io_kill ends the process
 * there as kill -9 does. */
void io_step(void);

bool file_exists_at(const char *path); /* a file, a folder or anything else */
bool folder_exists(const char *path);
/* The folder and those around it that are missing. "" is there. */
MUST_CHECK bool folder_make(const char *path, struct status *st);
/* Removes an empty folder. */
MUST_CHECK bool folder_remove(const char *path, struct status *st);
MUST_CHECK bool file_remove(const char *path, struct status *st);
MUST_CHECK bool folder_rename(const char *from, const char *to, struct status *st);
/* The names in the folder that holds `path` are on disk. */
MUST_CHECK bool folder_sync_of(const char *path, struct status *st);

/* Names: a list that its holder frees. */
struct path_list {
    char **v; /* owned, each too */
    int64_t n, cap;
};
void path_list_add(struct path_list *l, const char *path);
void path_list_release(struct path_list *l);
/* What matches a pattern of *, ?, [a-z] and \x in any part, sorted bytewise; as TensorFlow has it,
 * "x*" gives "./x1", and what ends with a slash nothing. INVALID_ARGUMENT: over a million names. */
MUST_CHECK bool path_glob(const char *pattern, struct path_list *out, struct status *st);
/* Whether the text has any of the four characters that mean something in a pattern. */
bool path_is_pattern(const char *path);

#endif
