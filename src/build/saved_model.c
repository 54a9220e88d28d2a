/* SPDX-License-Identifier: Apache-2.0 */
/* SavedModels written: a MetaGraph with tags and signatures, a checkpoint, copies of assets.
 *
 * Everything goes into a folder beside the wanted one, which takes its name when it is complete and
 * on disk: killed at any instant, there is a whole model or none (and a folder NAME.tempPID). */
#include "leat/saved_model.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build/build.h"
#include "io/folder.h"
#include "io/input.h"
#include "io/output.h"
#include "proto/leat_proto.h"

struct writing {
    struct arena a;
    TF_Graph *g;
    TF_Session *session;
    TF_Status *status; /* own */
    const struct leat_saved_model_save_args *args;
    leat_saver *saver;
    bool own_saver;
    const char *folder; /* the temporary one */
    struct pb_meta_graph_def *meta;
};

void leat_saved_model_save_args_init(struct leat_saved_model_save_args *args)
{
    *args = (struct leat_saved_model_save_args){0};
}

static bool ok_so_far(struct writing *w, struct status *st)
{
    return TF_GetCode(w->status) == TF_OK ||
           status_fail(st, (int)TF_GetCode(w->status), "%s", TF_Message(w->status));
}

/* --- what the MetaGraph says --- */

static bool tensor_info(struct writing *w, TF_Output t, const char *what,
                        struct pb_tensor_info *out, struct status *st)
{
    int64_t dims[254];
    TF_GraphGetTensorNumDims(w->g, t, w->status); /* says whether it is of the graph */
    if (!t.oper || !ok_so_far(w, st))
        return status_invalid(st, "'%s' is no tensor of the graph", what);
    out->which_encoding = 1;
    out->name = str_of(arena_printf(&w->a, "%s:%d", TF_OperationName(t.oper), t.index));
    out->dtype = (int32_t)leat_dtype(w->g, t);
    out->tensor_shape = pb_tensor_shape_proto_new(&w->a);
    int rank = leat_static_shape(w->g, t, dims, 254);
    out->tensor_shape->unknown_rank = rank < 0;
    for (int i = 0; i < rank; i++)
        pb_tensor_shape_proto_dim_add(&w->a, &out->tensor_shape->dim)->size = dims[i];
    return true;
}

static bool add_signature(struct writing *w, const struct leat_signature_def *s, struct status *st)
{
    const char *name = s->name ? s->name : "serving_default";
    if (pb_map_find(&w->meta->signature_def, str_of(name)))
        return status_invalid(st, "two signatures '%s'", name);
    struct pb_signature_def *d = ((struct pb_meta_graph_def_signature_def_entry *)pb_map_put(
                                      &w->a, &w->meta->signature_def,
                                      &pb_meta_graph_def_signature_def_entry_desc, str_of(name)))
                                     ->value;
    d->method_name =
        str_of(arena_strdup(&w->a, s->method ? s->method : "tensorflow/serving/predict"));
    for (int i = 0; i < s->num_inputs + s->num_outputs; i++) {
        bool input = i < s->num_inputs;
        const leat_named_output *t = input ? &s->inputs[i] : &s->outputs[i - s->num_inputs];
        if (!t->name)
            return status_invalid(st, "signature '%s': a tensor without a name", name);
        struct pb_tensor_info *info;
        if (input)
            info = ((struct pb_signature_def_inputs_entry *)pb_map_put(
                        &w->a, &d->inputs, &pb_signature_def_inputs_entry_desc, str_of(t->name)))
                       ->value;
        else
            info = ((struct pb_signature_def_outputs_entry *)pb_map_put(
                        &w->a, &d->outputs, &pb_signature_def_outputs_entry_desc, str_of(t->name)))
                       ->value;
        if (!tensor_info(w, t->tensor, t->name, info, st))
            return false;
    }
    return true;
}

/* As 1.15 says it, and as older loaders look for it. */
static void add_init_op(struct writing *w, TF_Operation *op)
{
    static const char key[] = "__saved_model_init_op", old[] = "saved_model_main_op";
    struct pb_signature_def *d = ((struct pb_meta_graph_def_signature_def_entry *)pb_map_put(
                                      &w->a, &w->meta->signature_def,
                                      &pb_meta_graph_def_signature_def_entry_desc, str_of(key)))
                                     ->value;
    struct pb_tensor_info *info =
        ((struct pb_signature_def_outputs_entry *)pb_map_put(
             &w->a, &d->outputs, &pb_signature_def_outputs_entry_desc, str_of(key)))
            ->value;
    info->which_encoding = 1;
    info->name = str_of(arena_strdup(&w->a, TF_OperationName(op)));
    info->tensor_shape = pb_tensor_shape_proto_new(&w->a);
    info->tensor_shape->unknown_rank = true;
    struct pb_collection_def *c = ((struct pb_meta_graph_def_collection_def_entry *)pb_map_put(
                                       &w->a, &w->meta->collection_def,
                                       &pb_meta_graph_def_collection_def_entry_desc, str_of(old)))
                                      ->value;
    *c = (struct pb_collection_def){.base = c->base, .which_kind = 1};
    c->node_list = pb_collection_def_node_list_new(&w->a);
    pb_add_str(&w->a, &c->node_list->value, info->name);
}

/* --- files --- */

static bool copy_file(const char *from, const char *to, struct status *st)
{
    enum { PIECE = 1 << 20 };
    struct input in = {0};
    struct output out = {0};
    if (!input_open(&in, from, st))
        return false;
    char *piece = mem_alloc(PIECE);
    bool ok = output_open(&out, to, st);
    for (int64_t at = 0; ok && at < in.size; at += PIECE) {
        int64_t n = min_i64(PIECE, in.size - at);
        ok = input_read(&in, at, piece, n, "an asset", st) &&
             output_write(&out, piece, (size_t)n, st);
    }
    if (ok)
        ok = output_commit(&out, st);
    else
        output_abandon(&out);
    mem_free(piece);
    input_close(&in);
    return ok;
}

static bool copy_asset(struct writing *w, const struct leat_asset *asset, struct status *st)
{
    struct str name = path_name(asset->path);
    for (int64_t i = 0; i < w->meta->asset_file_def.n; i++) {
        if (str_eq(w->meta->asset_file_def.v[i]->filename, name))
            return status_invalid(st, "two assets whose files are named %.*s", (int)name.n, name.p);
    }
    struct pb_asset_file_def *d = pb_asset_file_def_add(&w->a, &w->meta->asset_file_def);
    d->filename = pb_str_dup(&w->a, name);
    d->tensor_info = pb_tensor_info_new(&w->a);
    const char *to = arena_printf(&w->a, "%s/assets/%.*s", w->folder, (int)name.n, name.p);
    return tensor_info(w, asset->tensor, asset->path, d->tensor_info, st) &&
           folder_make(arena_printf(&w->a, "%s/assets", w->folder), st) &&
           copy_file(asset->path, to, st);
}

/* Makes the saver where there are variables and none was given; the nodes are part of the graph
 * that is written. */
static bool make_saver(struct writing *w, struct status *st)
{
    w->saver = w->args->saver;
    if (w->saver || leat_get_collection(w->g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0) == 0)
        return true;
    w->saver = leat_saver_new(w->g, .sharded = 1);
    w->own_saver = true;
    leat_graph_status(w->g, w->status);
    return ok_so_far(w, st) && w->saver;
}

static bool save_variables(struct writing *w, struct status *st)
{
    if (!w->saver)
        return true;
    if (!folder_make(arena_printf(&w->a, "%s/variables", w->folder), st))
        return false;
    char *path = leat_saver_save(w->saver, w->session,
                                 arena_printf(&w->a, "%s/variables/variables", w->folder),
                                 w->status, .write_meta_graph = 0, .write_state = 0);
    leat_free(path);
    return ok_so_far(w, st);
}

static bool make_meta(struct writing *w, struct status *st)
{
    TF_Buffer *saver_def = w->saver ? leat_saver_def(w->saver) : NULL;
    TF_Buffer *meta = leat_export_meta_graph(w->g, saver_def, w->status);
    TF_DeleteBuffer(saver_def);
    bool ok = ok_so_far(w, st);
    if (ok) {
        const char *bytes = arena_memdup(&w->a, meta->data, meta->length);
        ok = pb_meta_graph_def_decode(&w->a, bytes, meta->length, PB_BORROW, &w->meta, st);
    }
    TF_DeleteBuffer(meta);
    return ok;
}

static bool describe(struct writing *w, struct status *st)
{
    const struct leat_saved_model_save_args *args = w->args;
    const struct leat_strings serve = {(const char *const[]){"serve"}, 1};
    const struct leat_strings *tags = args->tags.n > 0 ? &args->tags : &serve;
    if (!w->meta->meta_info_def)
        w->meta->meta_info_def = pb_meta_graph_def_meta_info_def_new(&w->a);
    for (int i = 0; i < tags->n; i++)
        pb_add_str(&w->a, &w->meta->meta_info_def->tags, str_of(tags->v[i]));
    for (int i = 0; i < args->num_signatures; i++) {
        if (!add_signature(w, &args->signatures[i], st))
            return false;
    }
    for (int i = 0; i < args->num_assets; i++) {
        if (!args->assets[i].path)
            return status_invalid(st, "asset %d has no path", i);
        if (!copy_asset(w, &args->assets[i], st))
            return false;
    }
    if (args->init_op)
        add_init_op(w, args->init_op);
    return true;
}

static bool write_main(struct writing *w, struct status *st)
{
    struct pb_saved_model *m = pb_saved_model_new(&w->a);
    struct strbuf bytes = {0};
    m->saved_model_schema_version = 1;
    m->meta_graphs = (struct pb_meta_graph_def_vec){&w->meta, 1, 0};
    const char *path =
        arena_printf(&w->a, "%s/saved_model.%s", w->folder, w->args->as_text ? "pbtxt" : "pb");
    bool ok = (w->args->as_text ? pb_text_print(m, &bytes, st) : pb_encode(m, &bytes, st)) &&
              output_file(path, strbuf_text(&bytes), bytes.n, st);
    strbuf_release(&bytes);
    return ok;
}

/* What a failed save leaves. */
static void remove_folder(struct writing *w)
{
    static const char *const parts[] = {"variables", "assets", NULL};
    struct status st = {0};
    for (int i = 0; i < 3; i++) {
        struct path_list l = {0};
        const char *folder =
            parts[i] ? arena_printf(&w->a, "%s/%s", w->folder, parts[i]) : w->folder;
        if (path_glob(arena_printf(&w->a, "%s/*", folder), &l, &st)) {
            for (int64_t k = 0; k < l.n; k++)
                (void)!file_remove(l.v[k], &st);
        }
        path_list_release(&l);
        (void)!folder_remove(folder, &st);
    }
    status_clear(&st);
}

static bool save(struct writing *w, const char *dir, struct status *st)
{
    if (file_exists_at(dir))
        return status_fail(st, STATUS_ALREADY_EXISTS,
                           "Export directory already exists. Please specify a different export "
                           "directory: %s",
                           dir);
    w->folder = arena_printf(&w->a, "%s.temp%d", dir, (int)getpid());
    bool ok = make_saver(w, st) && folder_make(w->folder, st);
    if (!ok)
        return false;
    ok = save_variables(w, st) && make_meta(w, st) && describe(w, st) && write_main(w, st) &&
         folder_rename(w->folder, dir, st) && folder_sync_of(dir, st);
    if (!ok)
        remove_folder(w);
    return ok;
}

int leat_saved_model_save_fn(TF_Graph *g, TF_Session *session, const char *dir, TF_Status *status,
                             const struct leat_saved_model_save_args *args)
{
    static const struct leat_saved_model_save_args defaults;
    struct writing w = {.g = g, .session = session, .args = args ? args : &defaults};
    struct status st = {0};
    w.status = TF_NewStatus();
    bool ok = (g && session && dir && dir[0]) ||
              status_invalid(&st, "leat_saved_model_save: no graph, session or folder");
    ok = ok && save(&w, dir, &st);
    if (status)
        TF_SetStatus(status, (TF_Code)st.code, status_message(&st));
    if (w.own_saver)
        leat_saver_free(w.saver);
    TF_DeleteStatus(w.status);
    status_clear(&st);
    arena_release(&w.a);
    return ok;
}
