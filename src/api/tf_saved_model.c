/* SPDX-License-Identifier: Apache-2.0 */
/* TF_LoadSessionFromSavedModel.
 *
 * Order: the MetaGraph is found and imported; when the folder has variables, the restore op runs
 * with their path; then the init op runs. Both get the paths of the assets. Codes and words of
 * errors are those of TensorFlow 1.15's loader; as there, after an error the graph is empty again,
 * and may be loaded into. */
#include <string.h>

#include "api/leat_builder.h"
#include "api/meta_graph.h"
#include "api/saved_model.h"
#include "base/mem.h"
#include "graph/undo.h"
#include "io/saved_model.h"

struct loading {
    struct arena *a;
    struct graph *g;
    struct session *s;
    const struct load_args *args;
    struct pb_meta_graph_def *meta;
    struct output *feeds; /* in the arena: the assets, then room for one more */
    struct tensor *values;
    int num_feeds;
};

static const char *arena_text(struct arena *a, struct str s)
{
    return arena_strndup(a, s.p ? s.p : "", s.n);
}

/* Adds a feed of a scalar text. */
static bool feed_text(struct loading *l, const char *name, const char *text, struct status *st)
{
    struct tensor *t = &l->values[l->num_feeds];
    struct shape scalar = shape_scalar();
    if (!graph_get_output(l->g, name, &l->feeds[l->num_feeds], st) ||
        !tensor_new(t, DT_STRING, &scalar, st))
        return false;
    l->num_feeds++;
    return tstr_set(t->data, text, strlen(text)) ||
           status_exhausted(st, "no memory for the text '%.64s'", text);
}

static bool feed_assets(struct loading *l, struct status *st)
{
    struct pb_asset_file_def_vec assets;
    if (!saved_model_assets(l->a, l->meta, &assets, st))
        return false;
    l->feeds = arena_array(l->a, struct output, assets.n + 1);
    l->values = arena_array(l->a, struct tensor, assets.n + 1);
    memset(l->values, 0, (size_t)(assets.n + 1) * sizeof *l->values);
    for (int64_t i = 0; i < assets.n; i++) {
        const struct pb_asset_file_def *d = assets.v[i];
        const char *path =
            arena_printf(l->a, "%s/assets/%s", l->args->dir, arena_text(l->a, d->filename));
        struct str name = d->tensor_info ? d->tensor_info->name : str_make("", 0);
        if (!feed_text(l, arena_text(l->a, name), path, st)) {
            status_prepend(st, "asset %s: ", arena_text(l->a, d->filename));
            return false;
        }
    }
    return true;
}

/* Runs the node that `name` says, "NODE" or "NODE:0". */
static bool run_node(struct loading *l, const char *name, struct status *st)
{
    const char *colon = strrchr(name, ':');
    struct node *n =
        graph_get(l->g, colon ? arena_strndup(l->a, name, (size_t)(colon - name)) : name, st);
    struct run_args run = {.feeds = l->feeds,
                           .feed_values = l->values,
                           .num_feeds = l->num_feeds,
                           .targets = &n,
                           .num_targets = 1,
                           .options = l->args->run_options};
    return n && session_run(l->s, &run, st);
}

static bool restore(struct loading *l, struct status *st)
{
    const struct pb_saver_def *saver = l->meta->saver_def;
    if (!saved_model_has_variables(l->args->dir))
        return true;
    if (!saver || saver->filename_tensor_name.n == 0 || saver->restore_op_name.n == 0)
        return status_invalid(st,
                              "%s has variables, but its meta graph has no saver that restores "
                              "them",
                              l->args->dir);
    const char *path = arena_printf(l->a, "%s/variables/variables", l->args->dir);
    int assets = l->num_feeds;
    bool ok = feed_text(l, arena_text(l->a, saver->filename_tensor_name), path, st) &&
              run_node(l, arena_text(l->a, saver->restore_op_name), st);
    for (; l->num_feeds > assets; l->num_feeds--) /* the init op gets the assets alone */
        tensor_clear(&l->values[l->num_feeds - 1]);
    return ok;
}

static bool init(struct loading *l, struct status *st)
{
    const char *name;
    if (!saved_model_init_op(l->a, l->meta, l->args->dir, &name, st))
        return false;
    return name[0] == 0 || run_node(l, name, st);
}

static bool load(struct loading *l, struct status *st)
{
    struct pb_saved_model *file;
    if (!saved_model_read(l->a, l->args->dir, &file, st) ||
        !saved_model_pick(file, l->args->tags, l->args->num_tags, &l->meta, st) ||
        !meta_graph_in(l->g, l->meta, "", st))
        return false;
    l->s = session_new(l->g, l->args->config, st);
    return l->s && feed_assets(l, st) && restore(l, st) && init(l, st);
}

struct session *load_saved_model(struct arena *a, struct graph *g, const struct load_args *args,
                                 struct pb_meta_graph_def **meta, struct status *st)
{
    struct loading l = {.a = a, .g = g, .args = args};
    struct graph_undo undo;
    graph_undo_begin(g, &undo);
    bool ok = load(&l, st);
    for (int i = 0; i < l.num_feeds; i++)
        tensor_clear(&l.values[i]);
    if (!ok && l.s)
        session_free(l.s);
    if (!ok) {
        builder_forget(g, undo.num_nodes);
        graph_undo(g, &undo);
    }
    graph_undo_release(&undo);
    *meta = l.meta;
    return ok ? l.s : NULL;
}

static bool tags_ok(const char *const *tags, int n, struct status *st)
{
    if (n < 0 || (n > 0 && !tags))
        return status_invalid(st, "TF_LoadSessionFromSavedModel: %d tags, but no array", n);
    for (int i = 0; i < n; i++) {
        if (!tags[i])
            return status_invalid(st, "TF_LoadSessionFromSavedModel: tag %d is NULL", i);
    }
    return true;
}

static TF_Session *load_session(TF_Graph *graph, const struct load_args *args,
                                const TF_Buffer *run_options, TF_Buffer *meta_graph_def,
                                struct status *st)
{
    struct run_options options = {0};
    struct load_args own = *args;
    struct arena a = {0};
    struct pb_meta_graph_def *meta;
    struct strbuf bytes = {0};
    bool parsed =
        !run_options || run_options_parse(&options, run_options->data, run_options->length, st);
    own.run_options = run_options ? &options : NULL;
    struct session *s = parsed ? load_saved_model(&a, api_graph(graph), &own, &meta, st) : NULL;
    run_options_clear(&options);
    bool ok = s != NULL;
    if (ok && meta_graph_def)
        ok = pb_encode(meta, &bytes, st) && api_fill_buffer(meta_graph_def, &bytes, st);
    strbuf_release(&bytes);
    arena_release(&a);
    if (!ok) {
        if (s)
            session_free(s);
        return NULL;
    }
    TF_Session *out = mem_new(TF_Session);
    out->s = s;
    return out;
}

TF_Session *TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options,
                                         const TF_Buffer *run_options, const char *export_dir,
                                         const char *const *tags, int tags_len, TF_Graph *graph,
                                         TF_Buffer *meta_graph_def, TF_Status *status)
{
    struct status st = {0};
    struct config defaults;
    TF_Session *out = NULL;
    config_init(&defaults);
    struct load_args args = {.dir = export_dir,
                             .tags = tags,
                             .num_tags = tags_len,
                             .config = session_options ? &session_options->config : &defaults};
    if (!graph || !export_dir)
        status_invalid(&st, "TF_LoadSessionFromSavedModel: no graph or no folder");
    else if (__atomic_load_n(&api_graph(graph)->num_nodes, __ATOMIC_ACQUIRE) > 0)
        status_invalid(&st, "Graph is non-empty.");
    else if (meta_graph_def && meta_graph_def->data)
        status_invalid(&st, "Passing non-empty TF_Buffer is invalid.");
    else if (tags_ok(tags, tags_len, &st))
        out = load_session(graph, &args, run_options, meta_graph_def, &st);
    api_return(status, &st);
    return out;
}
