/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect: finds out what a path is, and prints the report. */
#include "cli/inspect.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/npy.h"
#include "io/checkpoint_state.h"
#include "io/saved_model.h"
#include "io/table.h"

const char inspect_usage[] =
    "leat inspect PATH [--json] [--tensor NAME] [--verify] [--list]\n"
    "Says what PATH is and what is in it: a graph (GraphDef, MetaGraph, SavedModel; binary or\n"
    "text), a checkpoint (its prefix, a file of it, or the folder or state file that names it), "
    "an\n"
    "event file, a record file (TFRecord, packed or not), or a NumPy array.\n"
    "  --tensor NAME  the elements of this tensor of a checkpoint\n"
    "  --list         names and shapes alone: no values are read\n"
    "  --verify       check every checksum; the exit code is 1 when something is damaged\n"
    "  --json         one line of JSON instead of text; NaN and infinities are null\n";

void inspect_damage(struct inspect *in, struct report_node *at, struct status *st)
{
    report_words(&in->report, at, "damaged", status_message(st));
    if (in->num_damaged++ == 0)
        strbuf_puts(&in->first_damage, status_message(st));
    status_clear(st);
}

void inspect_type(struct inspect *in, struct report_node *to, int dtype, const int64_t *dims,
                  int rank)
{
    struct strbuf text = {0};
    npy_print_type(&text, (TF_DataType)dtype, dims, rank);
    report_text(&in->report, to, "type", str_make(text.p, text.n));
    strbuf_release(&text);
}

/* --- what a path is --- */

/* Whether there is a V2 checkpoint of this prefix. */
static bool has_index(const char *prefix)
{
    char *path = mem_printf("%s.index", prefix);
    bool there = file_exists_at(path);
    mem_free(path);
    return there;
}

/* The prefix of the checkpoint whose index or part the file is, by its name: PREFIX.index,
 * PREFIX.data-00000-of-00001. The caller frees; NULL: it is neither. */
static char *prefix_of(const char *path)
{
    static const char like[] = ".data-00000-of-00000";
    size_t n = strlen(path), tail = sizeof like - 1;
    if (str_ends(str_of(path), ".index"))
        return mem_strndup(path, n - strlen(".index"));
    if (n <= tail)
        return NULL;
    for (size_t i = 0; i < tail; i++) {
        char c = path[n - tail + i];
        if (like[i] == '0' ? c < '0' || c > '9' : c != like[i])
            return NULL;
    }
    return mem_strndup(path, n - tail);
}

/* Whether the file's last bytes are a sorted table's. */
static bool is_table(const char *path)
{
    uint64_t magic = 0;
    FILE *f = fopen(path, "rb");
    bool table =
        f && fseek(f, -8, SEEK_END) == 0 && fread(&magic, 8, 1, f) == 1 && magic == TABLE_MAGIC;
    if (f)
        fclose(f);
    return table;
}

/* The state file in a folder: which checkpoints there are; the newest is looked into. */
static bool inspect_state(struct inspect *in, const char *folder, struct status *st)
{
    struct arena a = {0};
    struct pb_checkpoint_state *s;
    bool ok = checkpoint_state_read(folder, NULL, &a, &s, st);
    if (ok) {
        report_words(&in->report, in->root, "kind", "checkpoints");
        report_text(&in->report, in->root, "latest", s->model_checkpoint_path);
        struct report_node *all = report_list(&in->report, in->root, "all");
        for (int64_t i = 0; i < s->all_model_checkpoint_paths.n; i++)
            report_text(&in->report, all, NULL, s->all_model_checkpoint_paths.v[i]);
        char *prefix = mem_printf("%.*s", (int)s->model_checkpoint_path.n,
                                  s->model_checkpoint_path.n > 0 ? s->model_checkpoint_path.p : "");
        if (has_index(prefix))
            ok = inspect_bundle(in, prefix, report_object(&in->report, in->root, "checkpoint"), st);
        else if (checkpoint_exists(prefix))
            ok = inspect_old_checkpoint(in, prefix,
                                        report_object(&in->report, in->root, "checkpoint"), st);
        else
            report_words(&in->report, in->root, "checkpoint", "is not there");
        mem_free(prefix);
    }
    arena_release(&a);
    return ok;
}

static bool inspect_folder(struct inspect *in, struct status *st)
{
    if (saved_model_exists(in->path))
        return inspect_saved_model(in, in->path, st);
    char *state = mem_printf("%s/checkpoint", in->path);
    bool ok = file_exists_at(state)
                  ? inspect_state(in, in->path, st)
                  : status_not_found(st,
                                     "%s: a folder with neither saved_model.pb nor a file "
                                     "`checkpoint`: name a file in it",
                                     in->path);
    mem_free(state);
    return ok;
}

static bool inspect_npy(struct inspect *in, const char *bytes, size_t n, struct status *st)
{
    TF_Tensor *t = npy_parse(bytes, n, (TF_DataType)0, in->path, st);
    if (!t)
        return false;
    report_words(&in->report, in->root, "kind", "NumPy array");
    report_words(&in->report, in->root, "dtype", npy_type_name(TF_TensorType(t)));
    struct report_node *dims = report_list(&in->report, in->root, "shape");
    for (int i = 0; i < TF_NumDims(t); i++)
        report_int(&in->report, dims, NULL, TF_Dim(t, i));
    TF_DeleteTensor(t);
    return true;
}

/* By what is in it, and nothing that its name says. */
static bool inspect_content(struct inspect *in, struct status *st)
{
    bool known = false, ok;
    char *bytes;
    size_t n;
    if (is_table(in->path))
        return inspect_old_checkpoint(in, in->path, in->root, st);
    if (!inspect_records(in, &known, st) || known)
        return known;
    if (!cli_read_file(in->path, &bytes, &n, st))
        return false;
    if (n > 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        ok = inspect_npy(in, bytes, n, st);
    else
        ok = inspect_message(in, bytes, n) ||
             status_invalid(st,
                            "%s: none of the kinds that are known (graph, checkpoint, records, "
                            "events, NumPy array)",
                            in->path);
    mem_free(bytes);
    return ok;
}

static bool inspect_file(struct inspect *in, struct status *st)
{
    char *prefix = prefix_of(in->path);
    struct str folder = path_folder(in->path);
    bool ok;
    if (str_is(path_name(in->path), "checkpoint")) {
        char *name = mem_strndup(folder.p, folder.n);
        ok = inspect_state(in, name, st);
        mem_free(name);
    } else if (prefix && has_index(prefix)) {
        ok = inspect_bundle(in, prefix, in->root, st);
    } else {
        ok = inspect_content(in, st);
        if (!ok && prefix)
            status_append(st,
                          "; by its name it is a part of a checkpoint, but %s.index is not there",
                          prefix);
    }
    mem_free(prefix);
    return ok;
}

static bool inspect_path(struct inspect *in, struct status *st)
{
    if (folder_exists(in->path))
        return inspect_folder(in, st);
    if (file_exists_at(in->path))
        return inspect_file(in, st);
    return has_index(in->path)
               ? inspect_bundle(in, in->path, in->root, st)
               : status_not_found(st, "%s: no such file, folder or checkpoint", in->path);
}

/* --- the command --- */

static bool parse_args(struct inspect *in, struct args args, struct status *st)
{
    for (int i = 0; i < args.n; i++) {
        const char *word = args.words[i];
        bool *flag = strcmp(word, "--json") == 0     ? &in->json
                     : strcmp(word, "--verify") == 0 ? &in->verify
                     : strcmp(word, "--list") == 0   ? &in->list
                                                     : NULL;
        if (flag) {
            *flag = true;
        } else if (strcmp(word, "--tensor") == 0) {
            in->tensor = args_value(args, &i, st);
            if (!in->tensor)
                return false;
        } else if (word[0] == '-' || in->path) {
            return args_unknown("inspect", word, st);
        } else {
            in->path = word;
        }
    }
    return in->path || status_invalid(st, "name a file or folder: leat inspect PATH");
}

bool inspect_main(struct args args, struct status *st)
{
    struct inspect in = {0};
    report_init(&in.report);
    in.root = in.report.root;
    bool ok = parse_args(&in, args, st) && inspect_path(&in, st);
    if (ok && in.verify)
        report_int(&in.report, in.root, "damaged_parts", in.num_damaged);
    if (ok) {
        struct strbuf text = {0};
        if (in.json)
            report_print_json(&in.report, &text);
        else
            report_print_text(&in.report, &text);
        fputs(strbuf_text(&text), stdout);
        strbuf_release(&text);
    }
    if (ok && in.num_damaged > 0)
        ok = status_fail(st, STATUS_DATA_LOSS, "%" PRId64 " damaged part%s; the first: %s",
                         in.num_damaged, in.num_damaged == 1 ? "" : "s", in.first_damage.p);
    strbuf_release(&in.first_damage);
    report_release(&in.report);
    return ok;
}
