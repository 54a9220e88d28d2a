/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and runs scripts through the C API. The texts are our own: a malformed one ends the
 * program. */
#include "op_script.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "op_check.h"
#include "op_text.h"

enum { MAX_NODES = 96, MAX_FETCH = 8 };

struct play { /* one script being played */
    const struct op_script *s;
    TF_Graph *graph;
    TF_Session *session;
    TF_Status *st;
    char names[MAX_NODES][32];
    TF_Output nodes[MAX_NODES]; /* by those names; output 0, but for gradients */
    int num_nodes;
    TF_Output fed[MAX_NODES];
    TF_Tensor *feeds[MAX_NODES];
    int num_feeds;
    const char *line; /* at work on it */
    int devices;      /* CPUs that the session has */
    bool failed;
};

static void complain(struct play *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("FAILED script of %s%s%s, at \"%s\": ", p->s->ops, p->s->note ? ", " : "",
           p->s->note ? p->s->note : "", p->line ? p->line : "");
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    p->failed = true;
}

static bool ok(const struct play *p)
{
    return TF_GetCode(p->st) == TF_OK;
}

/* --- nodes --- */

static TF_Output find(struct play *p, struct str text)
{
    struct str name = text;
    int index = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == ':') {
            name.n = i;
            index = (int)strtol(text.p + i + 1, NULL, 10);
        }
    }
    for (int i = 0; i < p->num_nodes; i++) {
        if (str_is(name, p->names[i]))
            return (TF_Output){p->nodes[i].oper, p->nodes[i].index + index};
    }
    case_bad(p->line, "an unknown name");
    return (TF_Output){0};
}

/* The next piece of a list, up to a comma that is in no bracket, brace or quote. */
static bool next_item(struct str *rest, struct str *item)
{
    size_t n = 0;
    int depth = 0;
    bool quoted = false;
    *rest = str_trim(*rest);
    if (rest->n == 0)
        return false;
    for (; n < rest->n && (depth > 0 || quoted || rest->p[n] != ','); n++) {
        char ch = rest->p[n];
        if (quoted && ch == '\\')
            n++;
        else if (ch == '\'')
            quoted = !quoted;
        else if (!quoted)
            depth += (ch == '[' || ch == '{') - (ch == ']' || ch == '}');
    }
    *item = str_trim(str_make(rest->p, n));
    *rest = n < rest->n ? str_make(rest->p + n + 1, rest->n - n - 1) : str_make(rest->p + n, 0);
    return true;
}

static struct case_tensor literal(struct str item)
{
    char *text = strndup(item.p + 1, item.n - 2);
    struct case_tensor t = case_tensor_parse(text);
    free(text);
    return t;
}

static TF_Output source(struct play *p, struct str item)
{
    if (item.p[0] != '{')
        return find(p, item);
    char name[32];
    struct case_tensor t = literal(item);
    snprintf(name, sizeof name, "literal%d", p->num_nodes);
    TF_OperationDescription *d = TF_NewOperation(p->graph, "Const", name);
    TF_SetAttrTensor(d, "value", t.t, p->st);
    TF_SetAttrType(d, "dtype", TF_TensorType(t.t));
    TF_Operation *op = TF_FinishOperation(d, p->st);
    snprintf(p->names[p->num_nodes], sizeof p->names[0], "%s", name);
    p->nodes[p->num_nodes++] = (TF_Output){op, 0};
    TF_DeleteTensor(t.t);
    return (TF_Output){op, 0};
}

static void add_input(struct play *p, TF_OperationDescription *d, struct str item)
{
    if (item.p[0] == '^') {
        TF_AddControlInput(d, find(p, str_make(item.p + 1, item.n - 1)).oper);
    } else if (item.p[0] == '[') {
        TF_Output list[16];
        int n = 0;
        struct str rest = str_make(item.p + 1, item.n - 2), one;
        while (n < 16 && next_item(&rest, &one))
            list[n++] = source(p, one);
        TF_AddInputList(d, list, n);
    } else {
        TF_AddInput(d, source(p, item));
    }
}

static TF_Output make_feed(struct play *p, const char *name, struct str inputs)
{
    int64_t dims[254];
    struct case_tensor t = literal(inputs);
    TF_OperationDescription *d = TF_NewOperation(p->graph, "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_TensorType(t.t));
    for (int i = 0; i < TF_NumDims(t.t); i++)
        dims[i] = TF_Dim(t.t, i);
    TF_SetAttrShape(d, "shape", dims, t.unknown_shape ? -1 : TF_NumDims(t.t));
    TF_Output made = {TF_FinishOperation(d, p->st), 0};
    p->fed[p->num_feeds] = made;
    p->feeds[p->num_feeds++] = t.t;
    return made;
}

static TF_Output make_gradient(struct play *p, struct str inputs)
{
    struct str y, x = {0};
    if (!next_item(&inputs, &y) || !next_item(&inputs, &x))
        case_bad(p->line, "Gradient(y, x)");
    TF_Output ys = find(p, y), xs = find(p, x), dx = {0};
    TF_AddGradients(p->graph, &ys, 1, &xs, 1, NULL, p->st, &dx);
    return dx;
}

static TF_Output make_op(struct play *p, const char *name, struct str op, struct str inputs,
                         const char *attrs, int device)
{
    char *type = strndup(op.p, op.n);
    struct str item;
    TF_OperationDescription *d = TF_NewOperation(p->graph, type, name);
    free(type);
    if (device >= 0) {
        char text[32];
        snprintf(text, sizeof text, "/cpu:%d", device);
        TF_SetDevice(d, text);
        p->devices = device >= p->devices ? device + 1 : p->devices;
    }
    while (next_item(&inputs, &item))
        add_input(p, d, item);
    case_attrs_set(d, attrs);
    return (TF_Output){TF_FinishOperation(d, p->st), 0};
}

/* "name = Op(inputs) attrs" */
static void make_node(struct play *p, const char *line)
{
    const char *equals = strstr(line, " = "), *open = strchr(line, '('), *close = open;
    bool quoted = false;
    p->line = line;
    if (!equals || !open || p->num_nodes + 16 > MAX_NODES)
        case_bad(line, "not name = Op(inputs) attrs");
    for (close++; *close && (quoted || *close != ')'); close++)
        quoted ^= *close == '\'' && close[-1] != '\\';
    struct str op = str_make(equals + 3, (size_t)(open - equals - 3));
    struct str inputs = str_trim(str_make(open + 1, (size_t)(close - open - 1)));
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(equals - line), line);
    char *at = strchr(name, '@');
    const int device = at ? at[1] - '0' : -1;
    if (at)
        *at = 0;
    TF_Output made = str_is(op, "Feed") ? make_feed(p, name, inputs)
                     : str_is(op, "Gradient")
                         ? make_gradient(p, inputs)
                         : make_op(p, name, op, inputs, *close ? close + 1 : "", device);
    snprintf(p->names[p->num_nodes], sizeof p->names[0], "%s", name);
    p->nodes[p->num_nodes++] = made;
    if (ok(p) && !made.oper)
        complain(p, "there is no gradient");
}

/* --- runs --- */

static void compare(struct play *p, TF_Output o, const TF_Tensor *got, struct str text)
{
    char *copy = strndup(text.p, text.n);
    struct case_tensor want = case_tensor_parse(copy);
    free(copy);
    if (!check_same_shape(got, want.t) ||
        (!want.any_value && !check_same_values(got, want.t, 0, 0))) {
        complain(p, "output %d of %s is", o.index, TF_OperationName(o.oper));
        case_print(got);
        printf("  wanted ");
        case_print(want.t);
    }
    if (!check_inferred_shape(p->graph, o, got, p->st))
        complain(p, "the inferred shape of %s contradicts the value's", TF_OperationName(o.oper));
    TF_DeleteTensor(want.t);
}

/* The next text of values, up to a bar outside of quotes. */
static struct str next_value(struct str *rest)
{
    size_t n = 0;
    bool quoted = false;
    for (; n < rest->n && (quoted || rest->p[n] != '|'); n++)
        quoted ^= rest->p[n] == '\'' && (n == 0 || rest->p[n - 1] != '\\');
    struct str one = str_trim(str_make(rest->p, n));
    *rest = n < rest->n ? str_make(rest->p + n + 1, rest->n - n - 1) : str_make(rest->p + n, 0);
    return one;
}

static void do_run(struct play *p, const char *line)
{
    const char *arrow = strstr(line, " -> "), *error = strstr(line, " ! ");
    const char *end = arrow ? arrow : error ? error : line + strlen(line);
    struct str names = str_make(line, (size_t)(end - line)), name;
    struct str values = str_of(arrow ? arrow + 4 : "");
    TF_Output wanted[MAX_FETCH];
    const TF_Operation *targets[MAX_FETCH];
    TF_Tensor *got[MAX_FETCH] = {0};
    int n = 0, num_targets = 0;
    const bool targets_only = !arrow && !error;
    p->line = line;
    while (names.n && str_split(&names, ' ', &name)) {
        if (n == MAX_FETCH || num_targets == MAX_FETCH)
            case_bad(line, "too many fetches");
        if (name.n == 0)
            continue;
        TF_Output o = find(p, name);
        if (!targets_only && TF_OperationNumOutputs(o.oper) > 0)
            wanted[n++] = o;
        else
            targets[num_targets++] = o.oper;
    }
    TF_SessionRun(p->session, NULL, p->fed, p->feeds, p->num_feeds, wanted, got, n, targets,
                  num_targets, NULL, p->st);
    if (error ? !check_error_is(p->st, error + 3) : !ok(p))
        complain(p, "ended with %s (%s)", check_code_name(p->st), TF_Message(p->st));
    for (int i = 0; i < n && ok(p); i++) {
        if (arrow)
            compare(p, wanted[i], got[i], next_value(&values));
        TF_DeleteTensor(got[i]);
    }
    TF_SetStatus(p->st, TF_OK, "");
}

static bool play_script(const struct op_script *s, bool optimise)
{
    static const char building[] = "building ! ";
    struct play p = {
        .s = s, .graph = check_new_graph(s->producer), .st = TF_NewStatus(), .devices = 1};
    const char *refused = s->runs[0] && strncmp(s->runs[0], building, sizeof building - 1) == 0
                              ? s->runs[0] + sizeof building - 1
                              : NULL;
    for (int i = 0; i < (int)(sizeof s->nodes / sizeof *s->nodes) && s->nodes[i] && ok(&p); i++)
        make_node(&p, s->nodes[i]);
    if (refused ? !check_error_is(p.st, refused) : !ok(&p))
        complain(&p, "building: %s (%s)", check_code_name(p.st), TF_Message(p.st));
    if (!refused && !p.failed) {
        p.session = check_open_session(p.graph, optimise, p.devices, p.st);
        for (int i = 0; i < (int)(sizeof s->runs / sizeof *s->runs) && s->runs[i] && !p.failed; i++)
            do_run(&p, s->runs[i]);
    }
    if (p.session)
        TF_DeleteSession(p.session, p.st);
    for (int i = 0; i < p.num_feeds; i++)
        TF_DeleteTensor(p.feeds[i]);
    TF_DeleteGraph(p.graph);
    TF_DeleteStatus(p.st);
    return !p.failed;
}

/* --- tables --- */

static void print_script(const struct op_script *s)
{
    printf("script\t%s", s->ops);
    for (int i = 0; i < (int)(sizeof s->nodes / sizeof *s->nodes) && s->nodes[i]; i++)
        check_print_field("node", s->nodes[i]);
    for (int i = 0; i < (int)(sizeof s->runs / sizeof *s->runs) && s->runs[i]; i++)
        check_print_field("run", s->runs[i]);
    printf("\n");
}

/* The first op of the script that this build lacks, or NULL; mem is the caller's. */
static const char *missing_op(const struct op_script *s, char *name, size_t size)
{
    struct str rest = str_of(s->ops), op;
    while (rest.n && str_split(&rest, ' ', &op)) {
        snprintf(name, size, "%.*s", (int)op.n, op.p);
        if (op.n && !check_op_exists(name))
            return name;
    }
    return NULL;
}

/* With an argument, only the scripts of ops whose name contains it; --list prints them all instead.
 */
int op_scripts_main(const struct op_script *scripts, size_t n, int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    for (size_t i = 0; i < n; i++) {
        char name[64];
        if (list) {
            print_script(&scripts[i]);
        } else if (argc > 1 && !strstr(scripts[i].ops, argv[1])) {
            continue;
        } else if (missing_op(&scripts[i], name, sizeof name)) {
            printf("skipped: this build has no op %s\n", name);
            skipped++;
        } else if (play_script(&scripts[i], true) && play_script(&scripts[i], false)) {
            passed++;
        } else {
            failed++;
        }
    }
    if (!list)
        printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
