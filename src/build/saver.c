/* SPDX-License-Identifier: Apache-2.0 */
/* Savers: the session's part of saving and restoring, the list of what is kept, and the state file.
 *
 * The order of a save is what makes it safe: the files of the checkpoint and its graph are durable
 * before the state file names them, and what that no longer names is removed after. */
#include "build/saver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "io/checkpoint_state.h"
#include "io/output.h"
#include "leat/run.h"
#include "leat/saved_model.h"
#include "leat/strings.h"

struct kept {
    char *path;
    double saved_at; /* seconds since 1970 */
};
struct kept_list {
    struct kept *v;
    int64_t n, cap;
};

struct leat_saver {
    TF_Graph *g;
    struct saver_nodes nodes;
    int max_to_keep, version;
    bool sharded, pad_step, relative;
    float every_n_hours;
    double next_kept_at;      /* what was saved after that is kept for good */
    struct kept_list last;    /* oldest first */
    struct kept_list to_drop; /* no longer among the last, still on disk */
};

static double now(void)
{
    return (double)clock_wall_us() * 1e-6;
}

/* st becomes the caller's status; false where it holds an error. */
static bool give(TF_Status *status, struct status *st)
{
    bool ok = status_ok(st);
    if (status)
        TF_SetStatus(status, (TF_Code)st->code, status_message(st));
    status_clear(st);
    return ok;
}

/* --- lists of checkpoints --- */

static void kept_add(struct kept_list *l, const char *path, double saved_at)
{
    l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = (struct kept){mem_strdup(path), saved_at};
}

/* The caller frees the path. */
static struct kept kept_take(struct kept_list *l, int64_t i)
{
    struct kept k = l->v[i];
    memmove(&l->v[i], &l->v[i + 1], (size_t)(l->n - i - 1) * sizeof *l->v);
    l->n--;
    return k;
}

static void kept_release(struct kept_list *l)
{
    for (int64_t i = 0; i < l->n; i++)
        mem_free(l->v[i].path);
    mem_free(l->v);
    *l = (struct kept_list){0};
}

/* --- making one --- */

void leat_saver_args_init(struct leat_saver_args *args)
{
    *args = (struct leat_saver_args){
        .max_to_keep = 5, .keep_every_n_hours = 10000, .version = LEAT_SAVER_V2};
}

void leat_save_args_init(struct leat_save_args *args)
{
    *args = (struct leat_save_args){
        .global_step = LEAT_INT_NOT_GIVEN, .write_meta_graph = 1, .write_state = 1};
}

struct items {
    struct saver_item *v;
    int n;
};

static void items_release(struct items *items)
{
    for (int i = 0; i < items->n; i++) {
        mem_free(items->v[i].name);
        mem_free(items->v[i].spec);
    }
    mem_free(items->v);
}

static bool refuse(TF_Graph *g, const char *fmt, const char *name)
{
    (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, fmt, name);
    return false;
}

/* One variable and what the arguments say of it. */
static bool add_item(TF_Graph *g, const struct leat_saver_args *a, TF_Output v, int i,
                     struct items *items)
{
    struct saver_item item = {.place = i};
    if (!leat_valid(v))
        return refuse(g, "leat_saver_new: %s", "a variable is not a valid output");
    if (!leat_find_variable(g, v, &item.v))
        return refuse(g, "leat_saver_new: '%s' is not a variable", TF_OperationName(v.oper));
    const char *own = TF_OperationName(item.v.ref.oper);
    const char *name = a->names.v ? a->names.v[i] : own;
    const char *spec = a->slices.v && a->slices.v[i] ? a->slices.v[i] : "";
    if (!name || !name[0])
        return refuse(g, "leat_saver_new: no name for '%s'", own);
    if (a->names.v || a->slices.v || !leat_variable_slice(g, v, &item.name, &item.spec)) {
        item.name = mem_strdup(name);
        item.spec = mem_strdup(spec);
    }
    item.device = TF_OperationDevice(item.v.ref.oper);
    items->v[items->n++] = item;
    return true;
}

static bool collect(TF_Graph *g, const struct leat_saver_args *a, struct items *items)
{
    bool given = a->variables.v != NULL;
    int n = given ? a->variables.n : leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0);
    if (n <= 0)
        return refuse(g, "leat_saver_new: %s", "No variables to save");
    if ((a->names.v && a->names.n != n) || (a->slices.v && a->slices.n != n))
        return refuse(g, "leat_saver_new: %s", "not as many names or slices as variables");
    TF_Output *all = mem_new_array(TF_Output, n);
    if (!given)
        n = (int)min_i64(n, leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, all, n));
    items->v = mem_new_array(struct saver_item, n);
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = add_item(g, a, given ? a->variables.v[i] : all[i], i, items);
    mem_free(all);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    const struct saver_item *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_device(const void *a, const void *b)
{
    const struct saver_item *x = a, *y = b;
    int order = strcmp(x->device, y->device);
    return order ? order : by_name(a, b);
}

static bool sort_items(TF_Graph *g, const struct leat_saver_args *a, struct items *items)
{
    qsort(items->v, (size_t)items->n, sizeof *items->v, by_name);
    for (int i = 1; i < items->n; i++) {
        const struct saver_item *x = &items->v[i - 1], *y = &items->v[i];
        if (strcmp(x->name, y->name) == 0 && (!x->spec[0] || !y->spec[0]))
            return refuse(g, "At least two variables have the same name: %s", y->name);
    }
    if (a->sharded)
        qsort(items->v, (size_t)items->n, sizeof *items->v, by_device);
    return true;
}

static leat_saver *saver_of(TF_Graph *g, const struct leat_saver_args *a)
{
    leat_saver *s = mem_new(leat_saver);
    *s = (leat_saver){.g = g,
                      .max_to_keep = a->max_to_keep,
                      .version = a->version,
                      .sharded = a->sharded != 0,
                      .pad_step = a->pad_step_number != 0,
                      .relative = a->save_relative_paths != 0,
                      .every_n_hours = (float)a->keep_every_n_hours,
                      .next_kept_at = now() + a->keep_every_n_hours * 3600};
    return s;
}

leat_saver *leat_saver_new_fn(TF_Graph *g, const struct leat_saver_args *args)
{
    struct leat_saver_args a;
    struct items items = {0};
    struct saver_nodes nodes = {0};
    leat_saver_args_init(&a);
    if (args)
        a = *args;
    if (!g)
        return NULL;
    leat_push_composite(g, a.name, "save", a.made_at);
    bool ok = a.version == LEAT_SAVER_V1 || a.version == LEAT_SAVER_V2 ||
              refuse(g, "leat_saver_new: %s", "the version is neither V1 nor V2");
    ok = ok && leat_graph_ok(g) && collect(g, &a, &items) && sort_items(g, &a, &items) &&
         saver_build(g, items.v, items.n, &a, &nodes);
    leat_pop(g);
    items_release(&items);
    if (!ok)
        return NULL;
    leat_saver *s = saver_of(g, &a);
    s->nodes = nodes;
    return s;
}

static char *text_of(struct str s)
{
    return mem_strndup(s.p ? s.p : "", s.n);
}

leat_saver *leat_saver_from_def(TF_Graph *g, const TF_Buffer *saver_def, TF_Status *status)
{
    struct status st = {0}, text = {0};
    struct arena arena = {0};
    struct pb_saver_def *def = NULL;
    leat_saver *s = NULL;
    if (!g || !saver_def || !saver_def->data) {
        status_invalid(&st, "leat_saver_from_def: no graph or no SaverDef");
    } else if (!pb_saver_def_decode(&arena, saver_def->data, saver_def->length, 0, &def, &st) &&
               pb_saver_def_parse(&arena, saver_def->data, saver_def->length, &def, &text)) {
        status_clear(&st);
    }
    if (def && status_ok(&st) && (def->filename_tensor_name.n == 0 || def->restore_op_name.n == 0))
        status_invalid(&st, "leat_saver_from_def: the SaverDef names no nodes");
    if (def && status_ok(&st)) {
        struct leat_saver_args a = {.max_to_keep = def->max_to_keep,
                                    .version = def->version == 1 ? LEAT_SAVER_V1 : LEAT_SAVER_V2,
                                    .sharded = def->sharded,
                                    .keep_every_n_hours =
                                        (double)def->keep_checkpoint_every_n_hours};
        s = saver_of(g, &a);
        s->nodes =
            (struct saver_nodes){text_of(def->filename_tensor_name), text_of(def->save_tensor_name),
                                 text_of(def->restore_op_name)};
    }
    status_clear(&text);
    arena_release(&arena);
    (void)give(status, &st);
    return s;
}

void leat_saver_free(leat_saver *s)
{
    if (!s)
        return;
    kept_release(&s->last);
    kept_release(&s->to_drop);
    mem_free(s->nodes.filename);
    mem_free(s->nodes.save);
    mem_free(s->nodes.restore);
    mem_free(s);
}

TF_Buffer *leat_saver_def(const leat_saver *s)
{
    struct arena a = {0};
    struct status st = {0};
    struct strbuf bytes = {0};
    struct pb_saver_def *def = pb_saver_def_new(&a);
    pb_set_str(&a, &def->filename_tensor_name, s->nodes.filename);
    pb_set_str(&a, &def->save_tensor_name, s->nodes.save);
    pb_set_str(&a, &def->restore_op_name, s->nodes.restore);
    def->max_to_keep = s->max_to_keep;
    def->sharded = s->sharded;
    def->keep_checkpoint_every_n_hours = s->every_n_hours;
    def->version = s->version;
    TF_Buffer *out = pb_encode(def, &bytes, &st) ? TF_NewBufferFromString(bytes.p, bytes.n) : NULL;
    status_clear(&st);
    strbuf_release(&bytes);
    arena_release(&a);
    return out;
}

/* --- running --- */

/* The output called "node:k". */
static TF_Output find_output(const leat_saver *s, const char *name, struct status *st)
{
    TF_Output out = {NULL, 0};
    const char *colon = strrchr(name, ':');
    int64_t k = 0;
    char *node = colon ? mem_strndup(name, (size_t)(colon - name)) : mem_strdup(name);
    if (colon && !str_to_i64(str_of(colon + 1), &k))
        k = 0;
    out.oper = TF_GraphOperationByName(s->g, node);
    out.index = (int)k;
    if (!out.oper || k < 0 || k >= max_i64(1, TF_OperationNumOutputs(out.oper))) {
        status_not_found(st, "The saver's node '%s' is not in the graph", name);
        out.oper = NULL;
    }
    mem_free(node);
    return out;
}

/* One step with the name of the checkpoint fed: runs `restore`, or fetches the name that a save
 * gives into *saved. */
static bool run_with_name(const leat_saver *s, TF_Session *session, const char *path, char **saved,
                          struct status *st)
{
    TF_Status *status = TF_NewStatus();
    TF_Output feed = find_output(s, s->nodes.filename, st);
    TF_Output target = find_output(s, saved ? s->nodes.save : s->nodes.restore, st);
    TF_Tensor *name = NULL, *result = NULL;
    if (feed.oper && target.oper)
        name = leat_string_tensor(&path, NULL, NULL, 0, status);
    if (name) {
        const TF_Operation *op = target.oper;
        TF_SessionRun(session, NULL, &feed, &name, 1, saved ? &target : NULL, &result,
                      saved ? 1 : 0, &op, saved ? 0 : 1, NULL, status);
    }
    const char *text;
    size_t n;
    if (result && leat_tensor_string_at(result, 0, &text, &n, status))
        *saved = mem_strndup(text, n);
    if (TF_GetCode(status) != TF_OK)
        status_fail(st, TF_GetCode(status), "%s", TF_Message(status));
    if (result)
        TF_DeleteTensor(result);
    if (name)
        TF_DeleteTensor(name);
    TF_DeleteStatus(status);
    return status_ok(st);
}

/* --- saving --- */

/* "path", or "path-STEP"; the caller frees. */
static char *checkpoint_name(const leat_saver *s, TF_Session *session, const char *path,
                             const struct leat_save_args *a, struct status *st)
{
    int64_t step = a->global_step;
    if (leat_valid(a->global_step_value)) {
        TF_Status *status = TF_NewStatus();
        double value = leat_run_number(session, a->global_step_value, leat_no_feeds(), status);
        if (TF_GetCode(status) != TF_OK)
            status_fail(st, TF_GetCode(status), "%s", TF_Message(status));
        step = TF_GetCode(status) == TF_OK ? (int64_t)value : 0;
        TF_DeleteStatus(status);
    }
    if (!status_ok(st))
        return NULL;
    if (step == LEAT_INT_NOT_GIVEN)
        return mem_strdup(path);
    return mem_printf(s->pad_step ? "%s-%08lld" : "%s-%lld", path, (long long)step);
}

static bool check_save(const leat_saver *s, TF_Session *session, const char *path,
                       const struct leat_save_args *a, struct status *st)
{
    if (!s || !session || !path || !path[0])
        return status_invalid(st, "leat_saver_save: no saver, session or path");
    const char *latest = a->latest_filename ? a->latest_filename : "checkpoint";
    if (!latest[0] || strchr(latest, '/'))
        return status_invalid(st, "'latest_filename' must not contain path components: '%s'",
                              latest);
    if (a->global_step == LEAT_INT_NOT_GIVEN && !leat_valid(a->global_step_value) && !s->sharded &&
        str_is(path_name(path), latest))
        return status_invalid(st, "'latest_filename' collides with 'save_path': '%s' and '%s'",
                              latest, path);
    return path_name(path).n > 0 ||
           status_invalid(st, "'%s' names a folder, not a checkpoint", path);
}

static bool write_meta(const leat_saver *s, const char *name, struct status *st)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *def = leat_saver_def(s);
    TF_Buffer *meta = leat_export_meta_graph(s->g, def, status);
    char *path = mem_printf("%s.meta", name);
    if (!meta)
        status_fail(st, TF_GetCode(status), "%s", TF_Message(status));
    bool ok = meta && output_file(path, meta->data, meta->length, st);
    mem_free(path);
    if (meta)
        TF_DeleteBuffer(meta);
    TF_DeleteBuffer(def);
    TF_DeleteStatus(status);
    return ok;
}

/* The checkpoint is the newest of the last ones. */
static void record(leat_saver *s, const char *name)
{
    if (s->max_to_keep <= 0)
        return;
    for (int64_t i = 0; i < s->last.n; i++)
        if (strcmp(s->last.v[i].path, name) == 0) {
            mem_free(kept_take(&s->last, i).path);
            break;
        }
    kept_add(&s->last, name, now());
    while (s->last.n > s->max_to_keep) {
        struct kept k = kept_take(&s->last, 0);
        kept_add(&s->to_drop, k.path, k.saved_at);
        mem_free(k.path);
    }
}

static bool write_state(const leat_saver *s, const char *name, const char *latest_filename,
                        struct status *st)
{
    struct path_list all = {0};
    struct str folder = path_folder(name);
    char *in = mem_strndup(folder.p, folder.n);
    for (int64_t i = 0; i < s->last.n; i++)
        path_list_add(&all, s->last.v[i].path);
    bool ok = checkpoint_state_write(in, latest_filename, name, &all, s->relative, st);
    path_list_release(&all);
    mem_free(in);
    return ok;
}

/* Those that are no longer among the last go, but one for every n hours. */
static bool drop_old(leat_saver *s, struct status *st)
{
    bool ok = true;
    while (ok && s->to_drop.n > 0) {
        struct kept k = kept_take(&s->to_drop, 0);
        if (k.saved_at > s->next_kept_at)
            s->next_kept_at += (double)s->every_n_hours * 3600;
        else
            ok = checkpoint_remove(k.path, "meta", st);
        mem_free(k.path);
    }
    return ok;
}

static bool run_save(leat_saver *s, TF_Session *session, const char *name, char **saved,
                     struct status *st)
{
    if (run_with_name(s, session, name, saved, st))
        return true;
    struct str folder = path_folder(name);
    char *in = mem_strndup(folder.p, folder.n);
    if ((st->code == STATUS_NOT_FOUND || st->code == STATUS_FAILED_PRECONDITION) && in[0] &&
        !folder_exists(in)) {
        status_clear(st);
        status_invalid(st, "Parent directory of %s doesn't exist, can't save.", name);
    }
    mem_free(in);
    return false;
}

char *leat_saver_save_fn(leat_saver *s, TF_Session *session, const char *path, TF_Status *status,
                         const struct leat_save_args *args)
{
    struct status st = {0};
    struct leat_save_args a;
    char *saved = NULL, *name = NULL;
    leat_save_args_init(&a);
    if (args)
        a = *args;
    if (check_save(s, session, path, &a, &st))
        name = checkpoint_name(s, session, path, &a, &st);
    bool ok = name && run_save(s, session, name, &saved, &st) &&
              (!a.write_meta_graph || write_meta(s, name, &st));
    if (ok && a.write_state) {
        record(s, saved);
        ok = write_state(s, saved, a.latest_filename, &st) && drop_old(s, &st);
    }
    mem_free(name);
    if (!ok) {
        mem_free(saved);
        saved = NULL;
    }
    (void)give(status, &st);
    return saved;
}

/* --- restoring --- */

int leat_saver_restore(leat_saver *s, TF_Session *session, const char *path, TF_Status *status)
{
    struct status st = {0};
    if (!s || !session)
        status_invalid(&st, "leat_saver_restore: no saver or session");
    else if (!path)
        status_invalid(&st, "Can't load save_path when it is None.");
    else if (!checkpoint_exists(path))
        status_invalid(&st, "The passed save_path is not a valid checkpoint: %s", path);
    else
        (void)run_with_name(s, session, path, NULL, &st);
    return give(status, &st);
}

/* --- the last ones --- */

int leat_saver_last_checkpoints(const leat_saver *s, const char **paths, int max)
{
    int n = s ? (int)min_i64(s->last.n, INT_MAX) : 0;
    for (int i = 0; paths && i < n && i < max; i++)
        paths[i] = s->last.v[i].path;
    return n;
}

static void recover(leat_saver *s, const char *path)
{
    double when = checkpoint_time(path);
    if (when >= 0)
        kept_add(&s->last, path, when);
}

int leat_saver_recover_last_checkpoints(leat_saver *s, const char *folder, const char *const *paths,
                                        int n, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_checkpoint_state *state = NULL;
    if (!s)
        status_invalid(&st, "leat_saver_recover_last_checkpoints: no saver");
    if (s && !paths && !checkpoint_state_read(folder ? folder : "", NULL, &a, &state, &st) &&
        st.code == STATUS_NOT_FOUND)
        status_clear(&st); /* nothing was saved yet */
    if (status_ok(&st) && s) {
        kept_release(&s->last);
        for (int i = 0; paths && i < n; i++)
            recover(s, paths[i]);
        for (int64_t i = 0; state && i < state->all_model_checkpoint_paths.n; i++) {
            char *path = text_of(state->all_model_checkpoint_paths.v[i]);
            recover(s, path);
            mem_free(path);
        }
    }
    arena_release(&a);
    return give(status, &st);
}

char *leat_latest_checkpoint(const char *folder, const char *latest_filename)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_checkpoint_state *state;
    char *path = NULL;
    if (checkpoint_state_read(folder ? folder : "", latest_filename, &a, &state, &st) &&
        state->model_checkpoint_path.n > 0)
        path = text_of(state->model_checkpoint_path);
    if (path && !checkpoint_exists(path)) {
        mem_free(path);
        path = NULL;
    }
    status_clear(&st);
    arena_release(&a);
    return path;
}

int leat_checkpoint_exists(const char *path)
{
    return path && checkpoint_exists(path);
}
