/* SPDX-License-Identifier: Apache-2.0 */
/* leat run: what a path holds, some feeds, some fetches, and steps. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/mem.h"
#include "cli/load.h"
#include "cli/npy.h"
#include "cli/values.h"
#include "io/folder.h"
#include "leat/run.h"

const char run_usage[] =
    "leat run PATH [--feed NAME[:K]=VALUE]... [--target NAME]... --fetch NAME[:K]...\n"
    "         [--out DIR] [--trace FILE] [--repeat N] [--time]\n"
    "leat run MODEL [--tags serve] [--signature NAME] [--feed NAME=VALUE]... [--fetch NAME]...\n"
    "leat run PATH --list\n"
    "Runs a step of a graph and shows the fetched tensors. PATH is a GraphDef (.pb, .pbtxt), a\n"
    "MetaGraph (.meta, with the checkpoint beside it), a folder of checkpoints, or a SavedModel.\n"
    "  --list                 show the nodes instead: name, op, and type and shape of outputs\n"
    "  --feed NAME[:K]=VALUE  the value of output K (0) of node NAME: FILE.npy, or numbers or\n"
    "                         strings: 3, [[1, 2], [3, 4]], [\"a\", \"b c\"]\n"
    "  --fetch NAME[:K]       a tensor to compute; may be given again\n"
    "  --target NAME          a node to run in a step before that of the fetches, such as the one\n"
    "                         that initialises the variables\n"
    "  --tags A,B             the tags of a SavedModel's graph (serve)\n"
    "  --signature NAME       names are those of this signature (serving_default when nothing is\n"
    "                         fetched); without --fetch all of its outputs are shown\n"
    "  --out DIR              write each fetch to DIR/NAME_K.npy, / as ____, instead of text\n"
    "  --repeat N             run the step of the fetches N times\n"
    "  --time                 say how long a step took: the first, and the median of the others\n"
    "  --trace FILE           write what ran when, for chrome://tracing or ui.perfetto.dev\n";

enum { MAX_ITEMS = 1024 };

struct run {
    const char *path, *out, *trace, *tags, *signature_name;
    const char *feeds[MAX_ITEMS], *fetches[MAX_ITEMS], *targets[MAX_ITEMS];
    int num_feeds, num_fetches, num_targets;
    int64_t repeat;
    bool list, time;
    struct loaded l;
    const struct leat_signature *signature; /* NULL: names are the graph's */
    TF_Status *status;
    TF_Buffer *metadata; /* of the last step; NULL: no trace is wanted */
    TF_Output inputs[MAX_ITEMS], outputs[MAX_ITEMS];
    TF_Tensor *input_values[MAX_ITEMS], *output_values[MAX_ITEMS];
    const TF_Operation *target_opers[MAX_ITEMS];
};

static bool add_item(const char **items, int *n, const char *option, const char *value,
                     struct status *st)
{
    if (*n == MAX_ITEMS)
        return status_invalid(st, "%s is given more than %d times", option, MAX_ITEMS);
    items[(*n)++] = value;
    return true;
}

static bool parse_option(struct run *r, struct args args, int *i, struct status *st)
{
    const struct {
        const char *option, **value;
    } texts[] = {{"--out", &r->out},
                 {"--trace", &r->trace},
                 {"--tags", &r->tags},
                 {"--signature", &r->signature_name}};
    const struct {
        const char *option, **items;
        int *n;
    } lists[] = {{"--feed", r->feeds, &r->num_feeds},
                 {"--fetch", r->fetches, &r->num_fetches},
                 {"--target", r->targets, &r->num_targets}};
    const char *option = args.words[*i], *value;
    for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
        if (strcmp(option, texts[k].option) == 0)
            return (*texts[k].value = args_value(args, i, st)) != NULL;
    }
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        if (strcmp(option, lists[k].option) == 0)
            return (value = args_value(args, i, st)) &&
                   add_item(lists[k].items, lists[k].n, option, value, st);
    }
    if (strcmp(option, "--repeat") != 0)
        return args_unknown("run", option, st);
    value = args_value(args, i, st);
    return value && ((str_to_i64(str_of(value), &r->repeat) && r->repeat > 0) ||
                     status_invalid(st, "--repeat %s: a number of steps is wanted", value));
}

static bool parse_args(struct run *r, struct args args, struct status *st)
{
    for (int i = 0; i < args.n; i++) {
        if (strcmp(args.words[i], "--list") == 0) {
            r->list = true;
        } else if (strcmp(args.words[i], "--time") == 0) {
            r->time = true;
        } else if (args.words[i][0] == '-') {
            if (!parse_option(r, args, &i, st))
                return false;
        } else if (r->path) {
            return args_unknown("run", args.words[i], st);
        } else {
            r->path = args.words[i];
        }
    }
    return r->path || status_invalid(st, "name the graph: leat run PATH --fetch NAME");
}

/* The tensor that a --feed or --fetch names: of the signature, else of the graph. */
static bool find_output(struct run *r, bool input, const char *text, size_t n, TF_Output *out,
                        struct status *st)
{
    const struct leat_signature *s = r->signature;
    const struct leat_signature_tensor *list = !s ? NULL : input ? s->inputs : s->outputs;
    int count = !s ? 0 : input ? s->num_inputs : s->num_outputs;
    struct strbuf known = {0};
    for (int i = 0; i < count; i++) {
        if (str_eq(str_of(list[i].name), str_make(text, n)) && list[i].tensor.oper) {
            *out = list[i].tensor;
            strbuf_release(&known);
            return true;
        }
        strbuf_printf(&known, "%s%s", i > 0 ? ", " : "", list[i].name);
    }
    bool ok = load_output(r->l.graph, text, n, out, st);
    if (!ok && s)
        status_append(st, "; signature %s has the %s %s", s->name, input ? "inputs" : "outputs",
                      strbuf_text(&known));
    strbuf_release(&known);
    return ok;
}

static bool read_feed(struct run *r, int i, struct status *st)
{
    const char *text = r->feeds[i], *equals = strchr(text, '=');
    if (!equals)
        return status_invalid(st, "--feed %s: NAME=VALUE is wanted", text);
    if (!find_output(r, true, text, (size_t)(equals - text), &r->inputs[i], st))
        return false;
    TF_DataType type = TF_OperationOutputType(r->inputs[i]);
    type = (int)type > 100 ? (TF_DataType)((int)type - 100) : type;
    struct str value = str_of(equals + 1);
    if (!str_ends(value, ".npy")) {
        r->input_values[i] = values_parse(value, type, text, st);
        return r->input_values[i] != NULL;
    }
    char *bytes;
    size_t n;
    if (!cli_read_file(value.p, &bytes, &n, st))
        return false;
    r->input_values[i] = npy_parse(bytes, n, type, value.p, st);
    mem_free(bytes);
    return r->input_values[i] != NULL;
}

static bool load_graph(struct run *r, struct status *st)
{
    if (!load_path(r->path, r->tags, &r->l, st))
        return false;
    if (!r->signature_name && r->num_fetches + r->num_targets > 0)
        return true;
    if (r->list && !r->signature_name)
        return true;
    if (!r->signature_name && !r->l.model)
        return status_invalid(st, "say what to compute: --fetch NAME; --list shows the names");
    r->signature =
        load_signature(&r->l, r->signature_name ? r->signature_name : "serving_default", st);
    if (!r->signature)
        return false;
    for (int i = 0; r->num_fetches + r->num_targets == 0 && i < r->signature->num_outputs; i++) {
        if (r->num_fetches < MAX_ITEMS)
            r->fetches[r->num_fetches++] = r->signature->outputs[i].name;
    }
    return true;
}

static bool resolve_names(struct run *r, struct status *st)
{
    for (int i = 0; i < r->num_feeds; i++) {
        if (!read_feed(r, i, st))
            return false;
    }
    for (int i = 0; i < r->num_fetches; i++) {
        if (!find_output(r, false, r->fetches[i], strlen(r->fetches[i]), &r->outputs[i], st))
            return false;
    }
    for (int i = 0; i < r->num_targets; i++) {
        r->target_opers[i] = load_operation(r->l.graph, r->targets[i], st);
        if (!r->target_opers[i])
            return false;
    }
    return true;
}

/* What the library says, and which option of the command mends it. */
static bool step_ok(struct run *r, struct status *st)
{
    if (cli_ok(r->status, st))
        return true;
    const char *why = TF_Message(r->status);
    const char *hint = strstr(why, "uninitialized value")
                           ? "run its initialiser first: --target NAME"
                       : strstr(why, "You must feed a value") ? "give it with --feed NAME=VALUE"
                                                              : NULL;
    if (!hint)
        return false;
    struct strbuf text = {0};
    strbuf_printf(&text, "%s\n%s; --list shows the names", why, hint);
    status_clear(st);
    status_fail(st, (int)TF_GetCode(r->status), "%s", text.p);
    strbuf_release(&text);
    return false;
}

/* A step with the feeds; with --trace it fills r->metadata. */
static bool run_step(struct run *r, int num_fetches, int num_targets, struct status *st)
{
    static const char full_trace[] = {8, 3}; /* RunOptions { trace_level: FULL_TRACE } */
    TF_Buffer options = {full_trace, sizeof full_trace, NULL};
    if (r->trace) {
        TF_DeleteBuffer(r->metadata);
        r->metadata = TF_NewBuffer();
    }
    TF_SessionRun(r->l.session, r->trace ? &options : NULL, r->inputs, r->input_values,
                  r->num_feeds, r->outputs, r->output_values, num_fetches, r->target_opers,
                  num_targets, r->metadata, r->status);
    return step_ok(r, st);
}

/* Runs the step of the fetches as often as asked for. */
static bool repeat_step(struct run *r, struct status *st)
{
    double *ms = mem_new_array(double, r->repeat);
    bool ok = true;
    for (int64_t i = 0; ok && i < r->repeat; i++) {
        for (int k = 0; k < r->num_fetches; k++) {
            TF_DeleteTensor(r->output_values[k]);
            r->output_values[k] = NULL;
        }
        int64_t begin = clock_now_ns();
        ok = run_step(r, r->num_fetches, 0, st);
        ms[i] = (double)(clock_now_ns() - begin) * 1e-6;
    }
    if (ok && r->time) {
        fprintf(stderr, "first step %.3f ms", ms[0]);
        if (r->repeat > 1) {
            qsort(ms + 1, (size_t)r->repeat - 1, sizeof *ms, cli_by_size);
            fprintf(stderr, ", then %.3f ms (median of %" PRId64 ")", ms[1 + (r->repeat - 1) / 2],
                    r->repeat - 1);
        }
        fputc('\n', stderr);
    }
    mem_free(ms);
    return ok;
}

/* Targets run in a step of their own: an initialiser is done before anything is fetched. */
static bool run_graph(struct run *r, struct status *st)
{
    return (r->num_targets == 0 || run_step(r, 0, r->num_targets, st)) &&
           (r->num_fetches == 0 || repeat_step(r, st));
}

static bool write_trace(struct run *r, struct status *st)
{
    if (!r->trace)
        return true;
    TF_Buffer *json = leat_chrome_trace(r->metadata, r->status);
    bool ok = cli_ok(r->status, st) && cli_write_file(r->trace, json->data, json->length, st);
    TF_DeleteBuffer(json);
    return ok;
}

/* A fetch by the name in the signature, where it is one of that. */
static const char *shown_name(const struct run *r, int i)
{
    for (int k = 0; r->signature && k < r->signature->num_outputs; k++) {
        if (strcmp(r->signature->outputs[k].name, r->fetches[i]) == 0)
            return r->fetches[i];
    }
    return TF_OperationName(r->outputs[i].oper);
}

static bool write_value(struct run *r, int i, struct status *st)
{
    const char *name = shown_name(r, i);
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/", r->out);
    for (const char *p = name; *p; p++)
        strbuf_puts(&path, *p == '/' ? "____" : (char[]){*p, 0});
    strbuf_printf(&path, "_%d.npy", r->outputs[i].index);
    bool ok = npy_write(r->output_values[i], path.p, st);
    strbuf_release(&path);
    return ok;
}

static bool show_values(struct run *r, struct status *st)
{
    if (r->out && !folder_make(r->out, st))
        return false;
    for (int i = 0; i < r->num_fetches; i++) {
        if (r->out) {
            if (!write_value(r, i, st))
                return false;
            continue;
        }
        struct strbuf text = {0};
        values_print(r->output_values[i], &text);
        if (r->signature)
            printf("%s = %s", r->fetches[i], text.p);
        else
            printf("%s:%d = %s", shown_name(r, i), r->outputs[i].index, text.p);
        strbuf_release(&text);
    }
    return true;
}

static void print_output(struct run *r, TF_Output y)
{
    struct strbuf text = {0};
    int rank = TF_GraphGetTensorNumDims(r->l.graph, y, r->status);
    int64_t *dims = mem_new_array(int64_t, rank > 0 ? rank : 1);
    if (rank > 0)
        TF_GraphGetTensorShape(r->l.graph, y, dims, rank, r->status);
    npy_print_type(&text, TF_OperationOutputType(y), dims, rank);
    printf("  %s", text.p);
    strbuf_release(&text);
    mem_free(dims);
}

static bool list_nodes(struct run *r)
{
    size_t pos = 0;
    for (TF_Operation *op; (op = TF_GraphNextOperation(r->l.graph, &pos));) {
        printf("%s  %s", TF_OperationName(op), TF_OperationOpType(op));
        for (int i = 0; i < TF_OperationNumOutputs(op); i++)
            print_output(r, (TF_Output){op, i});
        putchar('\n');
    }
    return true;
}

static void run_release(struct run *r)
{
    for (int i = 0; i < r->num_feeds; i++)
        TF_DeleteTensor(r->input_values[i]);
    for (int i = 0; i < r->num_fetches; i++)
        TF_DeleteTensor(r->output_values[i]);
    load_release(&r->l);
    TF_DeleteBuffer(r->metadata);
    TF_DeleteStatus(r->status);
    mem_free(r);
}

bool run_main(struct args args, struct status *st)
{
    struct run *r = mem_new(struct run);
    r->status = TF_NewStatus();
    r->repeat = 1;
    bool ok = parse_args(r, args, st) && load_graph(r, st);
    if (ok && r->list)
        ok = list_nodes(r);
    else
        ok = ok && resolve_names(r, st) && run_graph(r, st) && show_values(r, st) &&
             write_trace(r, st);
    run_release(r);
    return ok;
}
