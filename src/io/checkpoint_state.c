/* SPDX-License-Identifier: Apache-2.0 */
/* The state file, and the files of a checkpoint looked for and removed. */
#include "io/checkpoint_state.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/file.h"
#include "io/output.h"

enum { MAX_STATE_BYTES = 64 << 20 };

static char *state_path(const char *folder, const char *name)
{
    return path_join(str_of(folder), str_of(name ? name : "checkpoint"));
}

static void make_whole(struct arena *a, const char *folder, struct str *path)
{
    char *joined = path_join(str_of(folder), *path);
    pb_set_str(a, path, joined);
    mem_free(joined);
}

bool checkpoint_state_read(const char *folder, const char *name, struct arena *a,
                           struct pb_checkpoint_state **out, struct status *st)
{
    char *bytes, *path = state_path(folder, name);
    size_t n;
    struct pb_checkpoint_state *s = NULL;
    bool ok = file_read(path, MAX_STATE_BYTES, &bytes, &n, st);
    if (ok && !pb_checkpoint_state_parse(a, bytes ? bytes : "", n, &s, st)) {
        st->code = STATUS_DATA_LOSS;
        status_prepend(st, "%s: ", path);
        ok = false;
    }
    mem_free(bytes);
    mem_free(path);
    if (!ok)
        return false;
    if (s->model_checkpoint_path.n > 0)
        make_whole(a, folder, &s->model_checkpoint_path);
    for (int64_t i = 0; i < s->all_model_checkpoint_paths.n; i++)
        make_whole(a, folder, &s->all_model_checkpoint_paths.v[i]);
    *out = s;
    return true;
}

/* The path as seen from the folder, where it lies in it; else as it is. */
static const char *seen_from(const char *folder, const char *path, bool relative)
{
    size_t n = strlen(folder);
    bool absolute = path[0] == '/';
    while (n > 1 && folder[n - 1] == '/')
        n--;
    if ((absolute && !relative) || n == 0 || strncmp(path, folder, n) != 0)
        return path;
    if (folder[n - 1] != '/' && path[n] != '/')
        return path;
    path += n;
    return path + strspn(path, "/");
}

bool checkpoint_state_write(const char *folder, const char *name, const char *latest,
                            const struct path_list *all, bool relative, struct status *st)
{
    struct arena a = {0};
    struct strbuf text = {0};
    struct pb_checkpoint_state *s = pb_checkpoint_state_new(&a);
    char *path = state_path(folder, name);
    bool listed = false;
    pb_set_str(&a, &s->model_checkpoint_path, seen_from(folder, latest, relative));
    for (int64_t i = 0; i < all->n; i++) {
        pb_add_str(&a, &s->all_model_checkpoint_paths,
                   str_of(seen_from(folder, all->v[i], relative)));
        listed = strcmp(all->v[i], latest) == 0;
    }
    if (!listed)
        pb_add_str(&a, &s->all_model_checkpoint_paths, s->model_checkpoint_path);
    bool ok = pb_text_print(s, &text, st) && output_file(path, text.p, text.n, st);
    strbuf_release(&text);
    mem_free(path);
    arena_release(&a);
    return ok;
}

/* --- files of a checkpoint --- */

/* PREFIX followed by `tail`, which is a pattern; the prefix itself is none. */
static struct path_list files_of(const char *prefix, const char *tail)
{
    struct path_list found = {0};
    struct strbuf pattern = {0};
    struct status st = {0};
    for (const char *p = prefix; *p; p++) {
        if (strchr("*?[\\", *p))
            strbuf_putc(&pattern, '\\');
        strbuf_putc(&pattern, *p);
    }
    strbuf_puts(&pattern, tail);
    if (!path_glob(strbuf_text(&pattern), &found, &st))
        status_clear(&st);
    strbuf_release(&pattern);
    return found;
}

bool checkpoint_exists(const char *prefix)
{
    return checkpoint_time(prefix) >= 0;
}

double checkpoint_time(const char *prefix)
{
    struct stat about;
    double when = -1;
    char *index = mem_printf("%s.index", prefix);
    if (stat(index, &about) == 0 || (stat(prefix, &about) == 0 && S_ISREG(about.st_mode)))
        when = (double)about.st_mtim.tv_sec + (double)about.st_mtim.tv_nsec * 1e-9;
    mem_free(index);
    struct path_list parts = {0};
    if (when < 0) /* of format V1, in parts; or given as the pattern of the parts */
        parts = files_of(prefix, "-[0-9]*-of-[0-9]*");
    if (when < 0 && parts.n == 0) {
        struct status st = {0};
        path_list_release(&parts);
        if (!path_glob(prefix, &parts, &st))
            status_clear(&st);
    }
    if (parts.n > 0 && stat(parts.v[0], &about) == 0 && S_ISREG(about.st_mode))
        when = (double)about.st_mtim.tv_sec + (double)about.st_mtim.tv_nsec * 1e-9;
    path_list_release(&parts);
    return when;
}

static bool remove_all(struct path_list *l, struct status *st)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < l->n; i++)
        ok = !file_exists_at(l->v[i]) || file_remove(l->v[i], st);
    path_list_release(l);
    return ok;
}

bool checkpoint_remove(const char *prefix, const char *suffix, struct status *st)
{
    struct path_list own = {0}, data, parts;
    char *index = mem_printf("%s.index", prefix);
    char *beside = suffix ? mem_printf("%s.%s", prefix, suffix) : NULL;
    path_list_add(&own, index);
    if (beside)
        path_list_add(&own, beside);
    if (!folder_exists(prefix))
        path_list_add(&own, prefix);
    data = files_of(prefix, ".data-[0-9]*-of-[0-9]*");
    parts = files_of(prefix, "-[0-9]*-of-[0-9]*");
    bool ok = remove_all(&own, st);
    ok = remove_all(&data, st) && ok;
    ok = remove_all(&parts, st) && ok;
    mem_free(index);
    mem_free(beside);
    return ok;
}
