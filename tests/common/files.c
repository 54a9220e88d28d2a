/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders for tests; see files.h. */
#include "common/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool file_exists(const char *path)
{
    return access(path, R_OK) == 0;
}

bool shared_find(const char *what, struct text *path)
{
    const char *given = getenv("LEAT_SHARED");
    text_clear(path);
    text_printf(path, "%s/%s", given && *given ? given : "../shared", what);
    return file_exists(text_str(path));
}

bool file_read(const char *path, struct text *out)
{
    text_clear(out);
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char buf[65536];
    for (size_t n; (n = fread(buf, 1, sizeof(buf), f)) > 0;)
        text_add(out, buf, n);
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

bool line_next(struct bytes *rest, struct bytes *line)
{
    if (rest->n == 0)
        return false;
    const uint8_t *end = memchr(rest->p, '\n', rest->n);
    line->p = rest->p;
    line->n = end ? (size_t)(end - rest->p) : rest->n;
    size_t taken = end ? line->n + 1 : line->n;
    rest->p += taken;
    rest->n -= taken;
    if (line->n && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}

bool piece_next(struct bytes *rest, char sep, struct bytes *piece)
{
    if (!rest->p)
        return false;
    const uint8_t *end = rest->n ? memchr(rest->p, sep, rest->n) : NULL;
    *piece = *rest;
    if (!end) {
        *rest = (struct bytes){0};
        return true;
    }
    piece->n = (size_t)(end - rest->p);
    rest->p = end + 1;
    rest->n -= piece->n + 1;
    return true;
}

bool record_next(struct bytes *rest, struct bytes *record)
{
    if (rest->n < 16)
        return false;
    uint64_t n = 0;
    for (int i = 0; i < 8; i++)
        n |= (uint64_t)rest->p[i] << (8 * i);
    if (n > rest->n - 16)
        return false;
    *record = (struct bytes){rest->p + 12, (size_t)n};
    rest->p += 16 + n;
    rest->n -= 16 + (size_t)n;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names folder_names(const char *path)
{
    struct names names = {0};
    DIR *d = opendir(path);
    if (!d)
        return names;
    size_t cap = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        if (names.num == cap) {
            size_t more = cap ? cap * 2 : 64;
            char **items = test_alloc(more, sizeof(*items));
            if (names.num)
                memcpy(items, names.items, names.num * sizeof(*items));
            free(names.items);
            names.items = items;
            cap = more;
        }
        names.items[names.num++] = test_strndup(e->d_name, strlen(e->d_name));
    }
    closedir(d);
    if (names.num)
        qsort(names.items, names.num, sizeof(*names.items), compare_names);
    return names;
}

void names_free(struct names *n)
{
    for (size_t i = 0; i < n->num; i++)
        free(n->items[i]);
    free(n->items);
    *n = (struct names){0};
}
