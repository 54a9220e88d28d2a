/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs from paths, and names looked up in them. */
#include "cli/load.h"

#include <inttypes.h>
#include <limits.h>

#include "base/mem.h"
#include "cli/message.h"
#include "io/checkpoint_state.h"
#include "io/saved_model.h"

/* --- files --- */

static bool new_session(struct loaded *l, TF_Status *status, struct status *st)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    l->session = TF_NewSession(l->graph, options, status);
    TF_DeleteSessionOptions(options);
    return cli_ok(status, st);
}

/* What is no message at all goes this way too: the import says what is wrong with it. */
static bool import(struct loaded *l, const char *bytes, size_t n, enum message_kind kind,
                   TF_Status *status, struct status *st)
{
    TF_Buffer buffer = {bytes, n, NULL};
    if (kind == MESSAGE_META_GRAPH) {
        leat_import_meta_graph(l->graph, &buffer, NULL, status);
        return cli_ok(status, st);
    }
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(l->graph, &buffer, options, status);
    TF_DeleteImportGraphDefOptions(options);
    return cli_ok(status, st);
}

/* --- checkpoints beside a MetaGraph --- */

static TF_Tensor *text_tensor(const char *text, TF_Status *status)
{
    size_t n = strlen(text), size = TF_StringEncodedSize(n);
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, NULL, 0, 8 + size);
    memset(TF_TensorData(t), 0, 8);
    TF_StringEncode(text, n, (char *)TF_TensorData(t) + 8, size, status);
    return t;
}

static bool restore(struct loaded *l, const struct pb_saver_def *saver, const char *prefix,
                    TF_Status *status, struct status *st)
{
    TF_Output name;
    struct str file = saver->filename_tensor_name;
    char *op = mem_strndup(saver->restore_op_name.p, saver->restore_op_name.n);
    const TF_Operation *restore_op = load_operation(l->graph, op, st);
    bool ok = restore_op && load_output(l->graph, file.p, file.n, &name, st);
    mem_free(op);
    if (!ok)
        return false;
    TF_Tensor *value = text_tensor(prefix, status);
    TF_SessionRun(l->session, NULL, &name, &value, 1, NULL, NULL, 0, &restore_op, 1, NULL, status);
    TF_DeleteTensor(value);
    return cli_ok(status, st);
}

/* Restores the checkpoint whose prefix is the path without .meta, if it is there. */
static bool restore_beside(struct loaded *l, const char *path, const struct pb_meta_graph_def *m,
                           TF_Status *status, struct status *st)
{
    if (!str_ends(str_of(path), ".meta") || !m->saver_def || m->saver_def->restore_op_name.n == 0)
        return true;
    char *prefix = mem_strndup(path, strlen(path) - strlen(".meta"));
    bool ok = !checkpoint_exists(prefix) || restore(l, m->saver_def, prefix, status, st);
    mem_free(prefix);
    return ok;
}

static bool load_file(struct loaded *l, const char *path, TF_Status *status, struct status *st)
{
    char *bytes;
    size_t n;
    struct message m;
    bool ok;
    if (!cli_read_file(path, &bytes, &n, st))
        return false;
    message_read(bytes, n, &m);
    if (m.kind == MESSAGE_SAVED_MODEL) {
        ok = status_invalid(st, "is the main file of a SavedModel: give its folder");
    } else {
        l->graph = TF_NewGraph();
        ok = import(l, bytes, n, m.kind, status, st) && new_session(l, status, st) &&
             (m.kind != MESSAGE_META_GRAPH || restore_beside(l, path, m.meta_graph, status, st));
    }
    message_release(&m);
    mem_free(bytes);
    if (!ok)
        status_prepend(st, "%s: ", path);
    return ok;
}

/* --- folders --- */

static bool load_model(struct loaded *l, const char *path, const char *tags, TF_Status *status,
                       struct status *st)
{
    struct arena a = {0};
    struct names list = {0}; /* none: serve */
    if (tags)
        names_split(&a, tags, &list);
    l->model = leat_saved_model_load(path, (struct leat_strings){list.v, list.n}, status);
    arena_release(&a);
    if (!cli_ok(status, st))
        return false;
    l->graph = leat_saved_model_graph(l->model);
    l->session = leat_saved_model_session(l->model);
    return true;
}

/* The newest checkpoint that the folder's state file names: its .meta. */
static bool load_checkpoint_folder(struct loaded *l, const char *path, TF_Status *status,
                                   struct status *st)
{
    struct arena a = {0};
    struct pb_checkpoint_state *s;
    bool ok = checkpoint_state_read(path, NULL, &a, &s, st);
    if (ok && s->model_checkpoint_path.n == 0) {
        ok = status_invalid(st, "%s/checkpoint names no checkpoint: give a file .meta", path);
    } else if (ok) {
        struct str prefix = s->model_checkpoint_path;
        ok = load_file(l, arena_printf(&a, "%.*s.meta", (int)prefix.n, prefix.p), status, st);
    }
    arena_release(&a);
    return ok;
}

bool load_path(const char *path, const char *tags, struct loaded *out, struct status *st)
{
    TF_Status *status = TF_NewStatus();
    char *state = mem_printf("%s/checkpoint", path);
    bool ok;
    *out = (struct loaded){0};
    if (!folder_exists(path))
        ok = load_file(out, path, status, st);
    else if (file_exists_at(state) && !saved_model_exists(path))
        ok = load_checkpoint_folder(out, path, status, st);
    else
        ok = load_model(out, path, tags, status, st);
    mem_free(state);
    TF_DeleteStatus(status);
    return ok;
}

void load_release(struct loaded *l)
{
    if (l->model) {
        leat_saved_model_free(l->model);
    } else {
        if (l->session)
            TF_DeleteSession(l->session, NULL);
        if (l->graph)
            TF_DeleteGraph(l->graph);
    }
    *l = (struct loaded){0};
}

/* --- names --- */

static const char *nearest_name(TF_Graph *graph, const char *name)
{
    const char *best = NULL;
    int edits = INT_MAX;
    size_t pos = 0;
    for (TF_Operation *op; (op = TF_GraphNextOperation(graph, &pos));) {
        if (str_nearer(name, TF_OperationName(op), &edits))
            best = TF_OperationName(op);
    }
    return best;
}

TF_Operation *load_operation(TF_Graph *g, const char *name, struct status *st)
{
    TF_Operation *op = TF_GraphOperationByName(g, name);
    if (op)
        return op;
    const char *near = nearest_name(g, name);
    if (near)
        status_not_found(st, "the graph has no node '%s'; did you mean '%s'?", name, near);
    else
        status_not_found(st, "the graph has no node '%s'; --list shows those that it has", name);
    return NULL;
}

bool load_output(TF_Graph *g, const char *text, size_t n, TF_Output *out, struct status *st)
{
    const char *colon = memrchr(text, ':', n);
    int64_t index = 0;
    if (colon && (!str_to_i64(str_make(colon + 1, (size_t)(text + n - colon - 1)), &index) ||
                  index < 0 || index > INT32_MAX))
        return status_invalid(st, "'%.*s': NAME or NAME:K with a number K is wanted", (int)n, text);
    char *name = mem_strndup(text, colon ? (size_t)(colon - text) : n);
    TF_Operation *op = load_operation(g, name, st);
    bool ok = op != NULL;
    if (ok && index >= TF_OperationNumOutputs(op))
        ok = status_invalid(st, "node '%s' has %d output%s; there is no output %" PRId64, name,
                            TF_OperationNumOutputs(op), TF_OperationNumOutputs(op) == 1 ? "" : "s",
                            index);
    *out = (TF_Output){op, (int)index};
    mem_free(name);
    return ok;
}

const struct leat_signature *load_signature(const struct loaded *l, const char *name,
                                            struct status *st)
{
    if (!l->model) {
        status_invalid(st, "--signature %s: only SavedModels have signatures", name);
        return NULL;
    }
    TF_Status *status = TF_NewStatus();
    const struct leat_signature *found = leat_saved_model_signature(l->model, name, status);
    if (!cli_ok(status, st))
        found = NULL;
    TF_DeleteStatus(status);
    return found;
}
