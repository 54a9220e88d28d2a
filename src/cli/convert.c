/* SPDX-License-Identifier: Apache-2.0 */
/* leat convert: one file into another: graphs between binary and text, parts of them, frozen, made
 * ready for inference; V1 checkpoints into V2. */
#include "cli/convert.h"
#include "cli/message.h"

#include <stdio.h>

#include "base/mem.h"
#include "io/bundle.h"
#include "io/folder.h"
#include "io/saved_model.h"
#include "io/slices_v1.h"

const char convert_usage[] =
    "leat convert FROM TO [--inputs A,B] [--outputs Y,Z] [--freeze] [--strip] [--optimize]\n"
    "             [--tags serve]\n"
    "leat convert OLD_CHECKPOINT NEW_PREFIX --checkpoint\n"
    "Writes the graph of FROM (a GraphDef, a MetaGraph, a SavedModel folder) as a GraphDef: as "
    "text\n"
    "when TO ends in .pbtxt, else binary.\n"
    "  --outputs Y,Z  keep only what these nodes need\n"
    "  --inputs A,B   and cut there: these nodes become placeholders\n"
    "  --freeze       variables become constants, with the values of the checkpoint beside "
    "FROM.meta\n"
    "                 or of the SavedModel\n"
    "  --strip        take out Identity, CheckNumerics and the like, devices and private "
    "attributes\n"
    "  --optimize     --strip, and fold constant batch normalisations into convolutions\n"
    "  --tags A,B     the tags of a SavedModel's graph (serve)\n"
    "  --checkpoint   FROM is a V1 checkpoint (a file, or a pattern of its parts): write it as "
    "V2\n";

struct convert {
    const char *from, *to, *tags;
    bool freeze, strip, optimize, checkpoint;
    struct names inputs, outputs;
    struct arena arena;
    struct loaded loaded;
    struct message message; /* of a graph that is not loaded, and the bytes that it borrows from */
    char *bytes;
};

/* --- arguments --- */

static bool parse_option(struct convert *c, struct args args, int *i, struct status *st)
{
    const char *word = args.words[*i];
    bool *flag = strcmp(word, "--freeze") == 0       ? &c->freeze
                 : strcmp(word, "--strip") == 0      ? &c->strip
                 : strcmp(word, "--optimize") == 0   ? &c->optimize
                 : strcmp(word, "--checkpoint") == 0 ? &c->checkpoint
                                                     : NULL;
    if (flag) {
        *flag = true;
        return true;
    }
    struct names *names = strcmp(word, "--inputs") == 0    ? &c->inputs
                          : strcmp(word, "--outputs") == 0 ? &c->outputs
                                                           : NULL;
    if (!names && strcmp(word, "--tags") != 0)
        return args_unknown("convert", word, st);
    const char *value = args_value(args, i, st);
    if (value && names && names->n == 0)
        names_split(&c->arena, value, names);
    else if (value && names)
        return status_invalid(st, "%s is given twice: names go with commas between them", word);
    else
        c->tags = value;
    return value != NULL;
}

static bool parse_args(struct convert *c, struct args args, struct status *st)
{
    for (int i = 0; i < args.n; i++) {
        if (args.words[i][0] == '-') {
            if (!parse_option(c, args, &i, st))
                return false;
        } else if (!c->from) {
            c->from = args.words[i];
        } else if (!c->to) {
            c->to = args.words[i];
        } else {
            return args_unknown("convert", args.words[i], st);
        }
    }
    if (!c->from || !c->to)
        return status_invalid(st, "name two files: leat convert FROM TO");
    bool part = c->freeze || c->strip || c->optimize || c->inputs.n > 0;
    if (c->checkpoint && (part || c->outputs.n > 0))
        return status_invalid(st, "--checkpoint goes with no other option");
    return !part || c->outputs.n > 0 || status_invalid(st, "say what to keep: --outputs NAME,NAME");
}

/* --- graphs --- */

static bool graph_of(struct convert *c, struct pb_graph_def **out, struct status *st)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *b = TF_NewBuffer();
    bool ok = load_path(c->from, c->tags, &c->loaded, st);
    if (ok) {
        TF_GraphToGraphDef(c->loaded.graph, b, status);
        ok = cli_ok(status, st);
    }
    if (ok) {
        const char *bytes = arena_memdup(&c->arena, b->data, b->length);
        ok = pb_graph_def_decode(&c->arena, bytes, b->length, PB_BORROW, out, st);
    }
    TF_DeleteBuffer(b);
    TF_DeleteStatus(status);
    return ok;
}

/* A file whose graph only changes its form is not imported: nothing is filled in or left out, and
 * ops that are not in this build stay. NULL: it is not such a file. */
static const struct pb_graph_def *graph_as_it_is(struct convert *c)
{
    size_t n = 0;
    struct status st = {0};
    bool changed = c->freeze || c->strip || c->optimize || c->inputs.n > 0 || c->outputs.n > 0;
    bool ok = !changed && !folder_exists(c->from) && cli_read_file(c->from, &c->bytes, &n, &st);
    status_clear(&st);
    if (ok)
        message_read(c->bytes, n, &c->message);
    return c->message.kind == MESSAGE_GRAPH        ? c->message.graph
           : c->message.kind == MESSAGE_META_GRAPH ? c->message.meta_graph->graph_def
                                                   : NULL;
}

static bool write_graph(struct convert *c, const struct pb_graph_def *g, struct status *st)
{
    struct strbuf bytes = {0};
    bool text = str_ends(str_of(c->to), ".pbtxt") || str_ends(str_of(c->to), ".txt");
    bool ok = (text ? pb_text_print(g, &bytes, st) : pb_encode(g, &bytes, st)) &&
              cli_write_file(c->to, strbuf_text(&bytes), bytes.n, st);
    if (ok)
        printf("%s: %lld nodes, %zu bytes\n", c->to, (long long)g->node.n, bytes.n);
    strbuf_release(&bytes);
    return ok;
}

static bool convert_graph(struct convert *c, struct status *st)
{
    const struct pb_graph_def *same = graph_as_it_is(c);
    struct pb_graph_def *g;
    if (same)
        return write_graph(c, same, st);
    if (!graph_of(c, &g, st))
        return false;
    bool ok = c->outputs.n == 0 || convert_extract(&c->arena, g, &c->inputs, &c->outputs, st);
    if (ok && c->freeze)
        ok = convert_freeze(&c->arena, g, &c->loaded, st);
    if (ok && (c->strip || c->optimize))
        ok = convert_strip(&c->arena, g, &c->outputs, st);
    if (ok && c->optimize) { /* what was folded leaves constants that nobody reads */
        struct names none = {0};
        ok = convert_fold_norms(&c->arena, g, st) &&
             convert_extract(&c->arena, g, &none, &c->outputs, st);
    }
    return ok && write_graph(c, g, st);
}

/* --- checkpoints --- */

static bool copy_tensor(struct v1_reader *r, struct bundle_writer *w, const char *name,
                        const struct v1_tensor *v, struct status *st)
{
    struct slice whole = slice_whole(v->shape.rank), all;
    struct tensor t = {0};
    bool ok = (slice_resolve(&whole, &v->shape, &all) ||
               status_fail(st, STATUS_DATA_LOSS, "a shape that is none")) &&
              v1_read(r, str_of(name), v, &all, &t, st) && bundle_write(w, str_of(name), &t, st);
    tensor_clear(&t);
    if (!ok)
        status_prepend(st, "tensor '%s': ", name);
    return ok;
}

static bool convert_checkpoint(struct convert *c, struct status *st)
{
    struct v1_reader r = {0};
    struct bundle_writer w;
    const char *name;
    void *value;
    int64_t pos = 0, n = 0;
    if (!v1_open(&r, c->from, st))
        return false;
    bool ok = bundle_writer_open(&w, c->to, st);
    if (ok) {
        while (ok && strmap_next(&r.tensors, &pos, &name, &value)) {
            ok = copy_tensor(&r, &w, name, value, st);
            n++;
        }
        if (ok)
            ok = bundle_writer_finish(&w, st);
        else
            bundle_writer_abandon(&w);
    }
    v1_close(&r);
    if (ok)
        printf("%s: %lld tensors\n", c->to, (long long)n);
    return ok;
}

bool convert_main(struct args args, struct status *st)
{
    struct convert c = {0};
    bool ok = parse_args(&c, args, st) &&
              (c.checkpoint ? convert_checkpoint(&c, st) : convert_graph(&c, st));
    load_release(&c.loaded);
    message_release(&c.message);
    mem_free(c.bytes);
    arena_release(&c.arena);
    return ok;
}
