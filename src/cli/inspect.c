/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect: finds out what a path is, and prints the report. */
#include "cli/inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/npy.h"
#include "io/table.h"

const char inspect_usage[] =
    "leat inspect PATH [--json] [--tensor NAME] [--verify] [--list]\n"
    "Says what PATH is and what is in it: a graph (GraphDef, MetaGraph, SavedModel; binary or\n"
    "text), a checkpoint (its prefix, its .index, or the folder or state file that names it), an\n"
    "event file, a record file (TFRecord, packed or not), or a NumPy array.\n"
    "  --tensor NAME  the elements of this tensor of a checkpoint\n"
    "  --list         names and shapes alone: no values are read\n"
    "  --verify       check every checksum; the exit code is 1 when something is damaged\n"
    "  --json         one line of JSON instead of text\n";

void inspect_damage(struct inspect *in, struct report_node *at, struct status *st)
{
    report_words(&in->report, at, "damaged", status_message(st));
    if (in->num_damaged++ == 0)
        strbuf_puts(&in->first_damage, status_message(st));
    status_clear(st);
}

void inspect_type(struct report *r, struct report_node *to, int dtype,
                  const struct pb_tensor_shape_proto *shape)
{
    struct strbuf text = {0};
    const char *type = npy_type_name((TF_DataType)(dtype % 100));
    strbuf_printf(&text, "%s%s ", type ? type : "?", dtype > 100 ? "_ref" : "");
    if (!shape || shape->unknown_rank)
        strbuf_puts(&text, "[...]");
    else
        strbuf_putc(&text, '[');
    for (int64_t i = 0; shape && !shape->unknown_rank && i < shape->dim.n; i++) {
        int64_t size = shape->dim.v[i]->size;
        strbuf_printf(&text, size < 0 ? "%s?" : "%s%" PRId64, i > 0 ? ", " : "", size);
    }
    if (shape && !shape->unknown_rank)
        strbuf_putc(&text, ']');
    report_text(r, to, "type", str_make(text.p, text.n));
    strbuf_release(&text);
}

/* --- what a path is --- */

static bool is_there(const char *path, const char *suffix)
{
    char *full = mem_printf("%s%s", path, suffix);
    bool there = access(full, F_OK) == 0;
    mem_free(full);
    return there;
}

/* A file whose last bytes are a sorted table's: 1 with the suffix .index, 2 without. */
static int is_table(const char *path)
{
    uint64_t magic = 0;
    FILE *f = fopen(path, "rb");
    bool table =
        f && fseek(f, -8, SEEK_END) == 0 && fread(&magic, 8, 1, f) == 1 && magic == TABLE_MAGIC;
    if (f)
        fclose(f);
    return !table ? 0 : str_ends(str_of(path), ".index") ? 1 : 2;
}

/* The state file: which checkpoints there are; the newest is looked into. */
static bool inspect_state(struct inspect *in, const char *folder, const char *file,
                          struct status *st)
{
    char *bytes;
    size_t n;
    struct arena a = {0};
    struct pb_checkpoint_state *s;
    if (!cli_read_file(file, &bytes, &n, st))
        return false;
    bool ok = pb_checkpoint_state_parse(&a, bytes, n, &s, st);
    if (ok) {
        report_words(&in->report, in->root, "kind", "checkpoints");
        report_text(&in->report, in->root, "latest", s->model_checkpoint_path);
        struct report_node *all = report_list(&in->report, in->root, "all");
        for (int64_t i = 0; i < s->all_model_checkpoint_paths.n; i++)
            report_text(&in->report, all, NULL, s->all_model_checkpoint_paths.v[i]);
        struct str name = s->model_checkpoint_path;
        bool absolute = name.n > 0 && name.p[0] == '/';
        char *prefix = mem_printf("%s%s%.*s", absolute ? "" : folder, absolute ? "" : "/",
                                  (int)name.n, name.p);
        if (is_there(prefix, ".index"))
            ok = inspect_bundle(in, prefix, report_object(&in->report, in->root, "checkpoint"), st);
        mem_free(prefix);
    } else {
        status_prepend(st, "%s: ", file);
    }
    arena_release(&a);
    mem_free(bytes);
    return ok;
}

static bool inspect_folder(struct inspect *in, struct status *st)
{
    if (is_there(in->path, "/saved_model.pb") || is_there(in->path, "/saved_model.pbtxt"))
        return inspect_saved_model(in, in->path, st);
    if (!is_there(in->path, "/checkpoint"))
        return status_not_found(
            st, "%s: a folder with neither saved_model.pb nor a file `checkpoint`", in->path);
    char *state = mem_printf("%s/checkpoint", in->path);
    bool ok = inspect_state(in, in->path, state, st);
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

static bool inspect_file(struct inspect *in, struct status *st)
{
    bool known = false;
    char *bytes;
    size_t n;
    if (str_ends(str_of(in->path), "/checkpoint") || strcmp(in->path, "checkpoint") == 0) {
        const char *slash = strrchr(in->path, '/');
        char *folder = mem_strndup(slash ? in->path : ".", slash ? (size_t)(slash - in->path) : 1);
        bool ok = inspect_state(in, folder, in->path, st);
        mem_free(folder);
        return ok;
    }
    if (is_table(in->path) == 1) {
        char *prefix = mem_strndup(in->path, strlen(in->path) - strlen(".index"));
        bool ok = inspect_bundle(in, prefix, in->root, st);
        mem_free(prefix);
        return ok;
    }
    if (is_table(in->path) == 2)
        return inspect_old_checkpoint(in, st);
    if (!inspect_records(in, &known, st) || known)
        return known;
    if (!cli_read_file(in->path, &bytes, &n, st))
        return false;
    bool ok = n > 6 && memcmp(bytes, "\x93NUMPY", 6) == 0
                  ? inspect_npy(in, bytes, n, st)
                  : inspect_message(in, bytes, n, &known, st) &&
                        (known ||
                         status_invalid(st,
                                        "%s: none of the kinds that are known (graph, checkpoint, "
                                        "records, events, NumPy array)",
                                        in->path));
    mem_free(bytes);
    return ok;
}

static bool inspect_path(struct inspect *in, struct status *st)
{
    struct stat about;
    if (stat(in->path, &about) != 0)
        return is_there(in->path, ".index")
                   ? inspect_bundle(in, in->path, in->root, st)
                   : status_not_found(st, "%s: no such file, folder or checkpoint", in->path);
    return S_ISDIR(about.st_mode) ? inspect_folder(in, st) : inspect_file(in, st);
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
