/* SPDX-License-Identifier: Apache-2.0 */
/* leat run: a saved GraphDef, some feeds, some fetches, one step. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/npy.h"
#include "cli/values.h"
#include "leat/run.h"

const char run_usage[] =
    "leat run GRAPH.pb [--feed NAME[:K]=VALUE]... [--target NAME]... --fetch NAME[:K]...\n"
    "         [--out DIR] [--trace FILE]\n"
    "leat run GRAPH.pb --list\n"
    "Runs a step of the graph (a GraphDef, binary or text) and shows the fetched tensors.\n"
    "  --list                 show the nodes instead: name, op, and type and shape of outputs\n"
    "  --feed NAME[:K]=VALUE  the value of output K (0) of node NAME: FILE.npy, or numbers or\n"
    "                         strings: 3, [[1, 2], [3, 4]], [\"a\", \"b c\"]\n"
    "  --fetch NAME[:K]       a tensor to compute; may be given again\n"
    "  --target NAME          a node to run in a step before that of the fetches, such as the one\n"
    "                         that initialises the variables\n"
    "  --out DIR              write each fetch to DIR/NAME_K.npy, / as ____, instead of text\n"
    "  --trace FILE           write what ran when, for chrome://tracing or ui.perfetto.dev\n";

enum { MAX_ITEMS = 1024 };

struct run {
    const char *graph_path, *out, *trace;
    const char *feeds[MAX_ITEMS], *fetches[MAX_ITEMS], *targets[MAX_ITEMS];
    int num_feeds, num_fetches, num_targets;
    bool list;
    TF_Graph *graph;
    TF_Session *session;
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
    const char *option = args.words[*i];
    bool feed = strcmp(option, "--feed") == 0, fetch = strcmp(option, "--fetch") == 0;
    bool target = strcmp(option, "--target") == 0, out = strcmp(option, "--out") == 0;
    bool trace = strcmp(option, "--trace") == 0;
    if (!feed && !fetch && !target && !out && !trace)
        return args_unknown("run", option, st);
    const char *value = args_value(args, i, st);
    if (!value)
        return false;
    if (feed)
        return add_item(r->feeds, &r->num_feeds, option, value, st);
    if (fetch)
        return add_item(r->fetches, &r->num_fetches, option, value, st);
    if (target)
        return add_item(r->targets, &r->num_targets, option, value, st);
    *(out ? &r->out : &r->trace) = value;
    return true;
}

static bool parse_args(struct run *r, struct args args, struct status *st)
{
    for (int i = 0; i < args.n; i++) {
        if (strcmp(args.words[i], "--list") == 0) {
            r->list = true;
        } else if (args.words[i][0] == '-') {
            if (!parse_option(r, args, &i, st))
                return false;
        } else if (r->graph_path) {
            return args_unknown("run", args.words[i], st);
        } else {
            r->graph_path = args.words[i];
        }
    }
    if (!r->graph_path)
        return status_invalid(st, "name the graph: leat run GRAPH.pb --fetch NAME");
    if (r->num_fetches + r->num_targets == 0 && !r->list)
        return status_invalid(st, "say what to compute: --fetch NAME; --list shows the names");
    return true;
}

/* The name in the graph that may have been meant; NULL when none is near. */
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

static TF_Operation *find_operation(struct run *r, const char *name, struct status *st)
{
    TF_Operation *op = TF_GraphOperationByName(r->graph, name);
    if (op)
        return op;
    const char *near = nearest_name(r->graph, name);
    if (near)
        status_not_found(st, "the graph has no node '%s'; did you mean '%s'?", name, near);
    else
        status_not_found(st, "the graph has no node '%s'; --list shows those that it has", name);
    return NULL;
}

/* "NAME" or "NAME:K", n bytes. */
static bool find_output(struct run *r, const char *text, size_t n, TF_Output *out,
                        struct status *st)
{
    const char *colon = memrchr(text, ':', n);
    int64_t index = 0;
    if (colon && (!str_to_i64(str_make(colon + 1, (size_t)(text + n - colon - 1)), &index) ||
                  index < 0 || index > INT32_MAX))
        return status_invalid(st, "'%.*s': NAME or NAME:K with a number K is wanted", (int)n, text);
    char *name = mem_strndup(text, colon ? (size_t)(colon - text) : n);
    TF_Operation *op = find_operation(r, name, st);
    bool ok = op != NULL;
    if (ok && index >= TF_OperationNumOutputs(op))
        ok = status_invalid(st, "node '%s' has %d output%s; there is no output %" PRId64, name,
                            TF_OperationNumOutputs(op), TF_OperationNumOutputs(op) == 1 ? "" : "s",
                            index);
    *out = (TF_Output){op, (int)index};
    mem_free(name);
    return ok;
}

static bool read_feed(struct run *r, int i, struct status *st)
{
    const char *text = r->feeds[i], *equals = strchr(text, '=');
    if (!equals)
        return status_invalid(st, "--feed %s: NAME=VALUE is wanted", text);
    if (!find_output(r, text, (size_t)(equals - text), &r->inputs[i], st))
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
    char *bytes;
    size_t n;
    if (!cli_read_file(r->graph_path, &bytes, &n, st))
        return false;
    r->graph = TF_NewGraph();
    TF_Buffer buffer = {bytes, n, NULL};
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(r->graph, &buffer, options, r->status);
    TF_DeleteImportGraphDefOptions(options);
    mem_free(bytes);
    if (cli_ok(r->status, st))
        return true;
    status_prepend(st, "%s: ", r->graph_path);
    return false;
}

static bool resolve_names(struct run *r, struct status *st)
{
    for (int i = 0; i < r->num_feeds; i++) {
        if (!read_feed(r, i, st))
            return false;
    }
    for (int i = 0; i < r->num_fetches; i++) {
        if (!find_output(r, r->fetches[i], strlen(r->fetches[i]), &r->outputs[i], st))
            return false;
    }
    for (int i = 0; i < r->num_targets; i++) {
        r->target_opers[i] = find_operation(r, r->targets[i], st);
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
    TF_SessionRun(r->session, r->trace ? &options : NULL, r->inputs, r->input_values, r->num_feeds,
                  r->outputs, r->output_values, num_fetches, r->target_opers, num_targets,
                  r->metadata, r->status);
    return step_ok(r, st);
}

/* Targets run in a step of their own: an initialiser is done before anything is fetched. */
static bool run_graph(struct run *r, struct status *st)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    r->session = TF_NewSession(r->graph, options, r->status);
    TF_DeleteSessionOptions(options);
    return cli_ok(r->status, st) && (r->num_targets == 0 || run_step(r, 0, r->num_targets, st)) &&
           (r->num_fetches == 0 || run_step(r, r->num_fetches, 0, st));
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

static bool write_value(struct run *r, int i, struct status *st)
{
    const char *name = TF_OperationName(r->outputs[i].oper);
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
    if (r->out && !cli_make_folder(r->out, st))
        return false;
    for (int i = 0; i < r->num_fetches; i++) {
        if (r->out) {
            if (!write_value(r, i, st))
                return false;
            continue;
        }
        struct strbuf text = {0};
        values_print(r->output_values[i], &text);
        printf("%s:%d = %s", TF_OperationName(r->outputs[i].oper), r->outputs[i].index, text.p);
        strbuf_release(&text);
    }
    return true;
}

static void print_output(struct run *r, TF_Output y)
{
    enum { SHOWN = 8 };
    int64_t dims[SHOWN];
    struct strbuf text = {0};
    int rank = TF_GraphGetTensorNumDims(r->graph, y, r->status);
    if (rank > 0 && rank <= SHOWN)
        TF_GraphGetTensorShape(r->graph, y, dims, rank, r->status);
    for (int i = 0; i < rank && rank <= SHOWN; i++)
        strbuf_printf(&text, dims[i] < 0 ? "%s?" : "%s%" PRId64, i > 0 ? ", " : "", dims[i]);
    int type = (int)TF_OperationOutputType(y);
    printf("  %s%s [%s]", npy_type_name((TF_DataType)(type % 100)), type > 100 ? "_ref" : "",
           rank < 0       ? "..."
           : rank > SHOWN ? "a shape of many dims"
                          : strbuf_text(&text));
    strbuf_release(&text);
}

static bool list_nodes(struct run *r)
{
    size_t pos = 0;
    for (TF_Operation *op; (op = TF_GraphNextOperation(r->graph, &pos));) {
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
    if (r->session)
        TF_DeleteSession(r->session, r->status);
    if (r->graph)
        TF_DeleteGraph(r->graph);
    TF_DeleteBuffer(r->metadata);
    TF_DeleteStatus(r->status);
    mem_free(r);
}

bool run_main(struct args args, struct status *st)
{
    struct run *r = mem_new(struct run);
    r->status = TF_NewStatus();
    bool ok = parse_args(r, args, st) && load_graph(r, st);
    if (ok && r->list)
        ok = list_nodes(r);
    else
        ok = ok && resolve_names(r, st) && run_graph(r, st) && show_values(r, st) &&
             write_trace(r, st);
    run_release(r);
    return ok;
}
