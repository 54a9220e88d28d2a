/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs from paths, and names looked up in them. */
#include "cli/load.h"

#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "proto/leat_proto.h"

/* --- messages in files --- */

enum message_kind { GRAPH_DEF, META_GRAPH, SAVED_MODEL };

/* Which of the three messages the bytes are: that which leaves no unknown field. Binary GraphDefs
 * begin with the tag of a node (or of versions or a library), as MetaGraphs may; so each is tried.
 */
static bool parses_as(const struct pb_desc *d, const char *bytes, size_t n, bool text)
{
    struct arena a = {0};
    struct status st = {0};
    void *msg = NULL;
    bool ok = text ? pb_text_parse(&a, d, bytes, n, &msg, &st)
                   : pb_decode(&a, d, bytes, n, PB_BORROW, &msg, &st);
    ok = ok && !((struct pb_base *)msg)->unknown;
    status_clear(&st);
    arena_release(&a);
    return ok;
}

static enum message_kind kind_of(const char *bytes, size_t n, bool *is_text)
{
    for (int text = 0; text < 2; text++) {
        *is_text = text;
        if (parses_as(&pb_graph_def_desc, bytes, n, text))
            return GRAPH_DEF;
        if (parses_as(&pb_meta_graph_def_desc, bytes, n, text))
            return META_GRAPH;
        if (parses_as(&pb_saved_model_desc, bytes, n, text))
            return SAVED_MODEL;
    }
    return GRAPH_DEF; /* the import says what is wrong with it */
}

bool load_message(struct arena *a, const char *bytes, size_t n, struct pb_graph_def **out)
{
    static const struct pb_desc *const descs[] = {&pb_graph_def_desc, &pb_meta_graph_def_desc};
    struct status st = {0};
    bool text;
    enum message_kind kind = kind_of(bytes, n, &text);
    void *msg = NULL;
    bool ok = kind != SAVED_MODEL && (text ? pb_text_parse(a, descs[kind], bytes, n, &msg, &st)
                                           : pb_decode(a, descs[kind], bytes, n, 0, &msg, &st));
    status_clear(&st);
    if (!ok || ((struct pb_base *)msg)->unknown)
        return false;
    *out = kind == GRAPH_DEF ? msg : ((struct pb_meta_graph_def *)msg)->graph_def;
    return *out != NULL;
}

static bool new_session(struct loaded *l, TF_Status *status, struct status *st)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    l->session = TF_NewSession(l->graph, options, status);
    TF_DeleteSessionOptions(options);
    return cli_ok(status, st);
}

static bool import(struct loaded *l, const char *bytes, size_t n, enum message_kind kind,
                   TF_Status *status, struct status *st)
{
    TF_Buffer buffer = {bytes, n, NULL};
    if (kind == META_GRAPH) {
        leat_import_meta_graph(l->graph, &buffer, NULL, status);
        return cli_ok(status, st);
    }
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(l->graph, &buffer, options, status);
    TF_DeleteImportGraphDefOptions(options);
    return cli_ok(status, st);
}

/* --- checkpoints beside a MetaGraph --- */

static bool file_is_there(const char *prefix, const char *suffix)
{
    char *path = mem_printf("%s%s", prefix, suffix);
    bool there = access(path, F_OK) == 0;
    mem_free(path);
    return there;
}

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
static bool restore_beside(struct loaded *l, const char *path, const char *bytes, size_t n,
                           TF_Status *status, struct status *st)
{
    char *prefix = mem_strndup(path, strlen(path) - strlen(".meta"));
    struct arena a = {0};
    struct status ignored = {0};
    struct pb_meta_graph_def *m = NULL;
    bool ok = true;
    if (file_is_there(prefix, ".index") || file_is_there(prefix, "")) {
        if (!pb_meta_graph_def_decode(&a, bytes, n, PB_BORROW, &m, &ignored) &&
            !pb_meta_graph_def_parse(&a, bytes, n, &m, &ignored))
            m = NULL;
        if (m && m->saver_def && m->saver_def->restore_op_name.n > 0)
            ok = restore(l, m->saver_def, prefix, status, st);
    }
    status_clear(&ignored);
    arena_release(&a);
    mem_free(prefix);
    return ok;
}

static bool load_file(struct loaded *l, const char *path, TF_Status *status, struct status *st)
{
    char *bytes;
    size_t n;
    if (!cli_read_file(path, &bytes, &n, st))
        return false;
    bool is_text;
    enum message_kind kind = kind_of(bytes, n, &is_text);
    bool ok;
    if (kind == SAVED_MODEL) {
        ok = status_invalid(st, "is the main file of a SavedModel: give its folder");
    } else {
        l->graph = TF_NewGraph();
        ok = import(l, bytes, n, kind, status, st) && new_session(l, status, st) &&
             (!str_ends(str_of(path), ".meta") || restore_beside(l, path, bytes, n, status, st));
    }
    mem_free(bytes);
    if (!ok)
        status_prepend(st, "%s: ", path);
    return ok;
}

/* --- folders --- */

static bool load_model(struct loaded *l, const char *path, const char *tags, TF_Status *status,
                       struct status *st)
{
    enum { MAX_TAGS = 32 };
    struct strbuf text = {0};
    const char *list[MAX_TAGS];
    int n = 0;
    strbuf_puts(&text, tags ? tags : "serve");
    char *own = strbuf_take(&text), *save = NULL;
    for (char *tag = strtok_r(own, ",", &save); tag && n < MAX_TAGS;
         tag = strtok_r(NULL, ",", &save))
        list[n++] = tag;
    l->model = leat_saved_model_load(path, (struct leat_strings){list, n}, status);
    mem_free(own);
    if (!cli_ok(status, st))
        return false;
    l->graph = leat_saved_model_graph(l->model);
    l->session = leat_saved_model_session(l->model);
    return true;
}

/* The newest checkpoint that the folder's state file names: its .meta. */
static bool load_checkpoint_folder(struct loaded *l, const char *path, const char *state,
                                   TF_Status *status, struct status *st)
{
    char *bytes;
    size_t n;
    struct arena a = {0};
    struct pb_checkpoint_state *s;
    if (!cli_read_file(state, &bytes, &n, st))
        return false;
    bool ok = pb_checkpoint_state_parse(&a, bytes, n, &s, st);
    if (ok) {
        struct str name = s->model_checkpoint_path;
        bool absolute = name.n > 0 && name.p[0] == '/';
        char *meta = mem_printf("%s%s%.*s.meta", absolute ? "" : path, absolute ? "" : "/",
                                (int)name.n, name.p);
        ok = load_file(l, meta, status, st);
        mem_free(meta);
    } else {
        status_prepend(st, "%s: ", state);
    }
    arena_release(&a);
    mem_free(bytes);
    return ok;
}

bool load_path(const char *path, const char *tags, struct loaded *out, struct status *st)
{
    struct stat about;
    TF_Status *status = TF_NewStatus();
    char *state = mem_printf("%s/checkpoint", path);
    bool ok;
    *out = (struct loaded){0};
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        ok = load_file(out, path, status, st);
    else if (file_is_there(state, "") && !file_is_there(path, "/saved_model.pb") &&
             !file_is_there(path, "/saved_model.pbtxt"))
        ok = load_checkpoint_folder(out, path, state, status, st);
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
    const struct leat_signature *list = NULL;
    int n = l->model ? leat_saved_model_signatures(l->model, &list) : 0;
    struct strbuf known = {0};
    for (int i = 0; i < n; i++) {
        if (strcmp(list[i].name, name) == 0) {
            strbuf_release(&known);
            return &list[i];
        }
        strbuf_printf(&known, "%s%s", i > 0 ? ", " : "", list[i].name);
    }
    if (l->model)
        status_not_found(st, "the model has no signature '%s'; it has: %s", name,
                         known.n > 0 ? known.p : "none");
    else
        status_invalid(st, "--signature %s: only SavedModels have signatures", name);
    strbuf_release(&known);
    return NULL;
}
