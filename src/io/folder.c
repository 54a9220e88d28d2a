/* SPDX-License-Identifier: Apache-2.0 */
/* Folders, and patterns of names matched part by part. */
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "io/os_error.h"

enum { MAX_MATCHES = 1000000 };

struct str path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return str_make(path, 0);
    return str_make(path, slash == path ? 1 : (size_t)(slash - path));
}

struct str path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return str_of(slash ? slash + 1 : path);
}

char *path_join(struct str folder, struct str name)
{
    bool alone = folder.n == 0 || (name.n > 0 && name.p[0] == '/');
    bool slash = !alone && folder.p[folder.n - 1] != '/';
    return mem_printf("%.*s%s%.*s", alone ? 0 : (int)folder.n, folder.p ? folder.p : "",
                      slash ? "/" : "", (int)name.n, name.p ? name.p : "");
}

void io_step(void)
{
    if (FAILPOINT("io_kill"))
        kill(getpid(), SIGKILL);
}

bool file_exists_at(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool folder_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool folder_make(const char *path, struct status *st)
{
    char *part = mem_strdup(path);
    bool ok = true;
    io_step();
    for (char *p = part; ok && *p;) {
        p += strspn(p, "/");
        p += strcspn(p, "/");
        char end = *p;
        *p = '\0';
        if (*part && mkdir(part, 0777) != 0 && errno != EEXIST && !folder_exists(part))
            ok = os_fail(st, errno, "%s", part);
        *p = end;
    }
    if (ok && *path && !folder_exists(path))
        ok = os_fail(st, ENOTDIR, "%s", path);
    mem_free(part);
    return ok;
}

bool folder_remove(const char *path, struct status *st)
{
    io_step();
    return rmdir(path) == 0 || os_fail(st, errno, "%s", path);
}

bool file_remove(const char *path, struct status *st)
{
    io_step();
    return unlink(path) == 0 || os_fail(st, errno, "%s", path);
}

bool folder_rename(const char *from, const char *to, struct status *st)
{
    io_step();
    return rename(from, to) == 0 || os_fail(st, errno, "%s to %s", from, to);
}

bool folder_sync_of(const char *path, struct status *st)
{
    struct str folder = path_folder(path);
    char *name = folder.n > 0 ? mem_strndup(folder.p, folder.n) : mem_strdup(".");
    io_step();
    int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* a file system that cannot sync folders says EINVAL; it has no more to give */
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    if (!ok)
        os_fail(st, errno, "%s: fsync", name);
    if (fd >= 0)
        close(fd);
    mem_free(name);
    return ok;
}

void path_list_add(struct path_list *l, const char *path)
{
    l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = mem_strdup(path);
}

void path_list_release(struct path_list *l)
{
    for (int64_t i = 0; i < l->n; i++)
        mem_free(l->v[i]);
    mem_free(l->v);
    *l = (struct path_list){0};
}

bool path_is_pattern(const char *path)
{
    return strpbrk(path, "*?[\\") != NULL;
}

/* The names in `folder` that match `part`, each added to `out` as a path. */
static bool match_in(const char *folder, const char *part, struct path_list *out, struct status *st)
{
    DIR *dir = opendir(*folder ? folder : ".");
    const struct dirent *entry;
    bool ok = true;
    while (dir && ok && (entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || fnmatch(part, name, 0) != 0)
            continue;
        char *path = path_join(str_of(folder), str_of(name));
        if (out->n < MAX_MATCHES)
            path_list_add(out, path);
        else
            ok = status_invalid(st, "%s: more than %d names match", part, MAX_MATCHES);
        mem_free(path);
    }
    if (dir)
        closedir(dir);
    return ok;
}

/* What becomes of each path of `in` when the part of the pattern comes after it. */
static bool match_part(const struct path_list *in, struct str part, struct path_list *out,
                       struct status *st)
{
    char *text = mem_strndup(part.p, part.n);
    bool ok = true;
    for (int64_t i = 0; ok && i < in->n; i++) {
        if (path_is_pattern(text)) {
            ok = match_in(in->v[i], text, out, st);
            continue;
        }
        char *path = path_join(str_of(in->v[i]), part);
        if (file_exists_at(path))
            path_list_add(out, path);
        mem_free(path);
    }
    mem_free(text);
    return ok;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The length of what comes before the part with the first sign of a pattern, or before the last
 * part: up to and without a slash. */
static size_t fixed_part(const char *pattern)
{
    size_t n = strcspn(pattern, "*?[\\");
    while (n > 0 && pattern[n - 1] != '/')
        n--;
    return n > 1 ? n - 1 : n;
}

bool path_glob(const char *pattern, struct path_list *out, struct status *st)
{
    struct path_list now = {0};
    size_t fixed = fixed_part(pattern), n = strlen(pattern);
    struct str rest = str_of(pattern + fixed), part;
    bool ok = true;
    *out = (struct path_list){0};
    if (n == 0 || pattern[n - 1] == '/')
        return true;
    char *start = fixed > 0 ? mem_strndup(pattern, fixed) : mem_strdup(".");
    path_list_add(&now, start);
    mem_free(start);
    while (ok && str_split(&rest, '/', &part)) {
        struct path_list next = {0};
        if (part.n == 0)
            continue;
        ok = match_part(&now, part, &next, st);
        path_list_release(&now);
        now = next;
    }
    if (!ok) {
        path_list_release(&now);
        return false;
    }
    if (now.n > 0)
        qsort(now.v, (size_t)now.n, sizeof *now.v, compare_paths);
    *out = now;
    return true;
}
