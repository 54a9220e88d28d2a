/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 300 */
/* Runs the frozen graphs of ../shared/conformance/graphs through TF_* calls and compares with the
 * values that TensorFlow gave. EXPECTED.tsv says what TensorFlow 1.15.5 does with each:
 * - agrees, and refused: layout (the values are a GPU's): every value has to agree;
 * - refused: reference: the import or the run has to end in INVALID_ARGUMENT;
 * - random: type, shape and range only;
 * - no golden, not a value, fetch absent: nothing is expected, and nothing run. */
#include <math.h>
#include <stdlib.h>

#include "common/files.h"
#include "common/graphs.h"
#include "common/harness.h"
#include "common/values.h"
#include "conformance/graph_case.h"

struct conformance_case {
    char *name, *expected;
};

struct conformance_list {
    struct text folder;
    struct conformance_case *cases;
    size_t num;
};

struct run {
    struct verdict *verdict;
    const struct conformance_case *what;
    struct text file;
    struct graph_scan scan;
    TF_Graph *graph;
    TF_Session *session;
    TF_Status *status;
    struct graph_case files;
};

static bool expects(const struct run *r, const char *what)
{
    return strcmp(r->what->expected, what) == 0;
}

/* ---- tolerances ---- */

static struct tolerance tolerance_of(TF_DataType dtype)
{
    switch (dtype) {
    case TF_HALF:
        return (struct tolerance){.rel = 2e-3, .abs = 1e-3};
    case TF_BFLOAT16:
        return (struct tolerance){.rel = 1.6e-2, .abs = 1e-3};
    default: /* the files have 8 decimals, so that doubles are asked for no more than floats */
        return (struct tolerance){.rel = 1e-5, .abs = 1e-6};
    }
}

/* A random value: finite, and not further out than ten times the width of the recorded ones. */
static bool in_range(const TF_Tensor *got, const TF_Tensor *want, struct text *why)
{
    TF_DataType dtype = TF_TensorType(want);
    int64_t num = TF_TensorElementCount(want);
    if (!tensors_alike(got, want, why) || (dtype != TF_FLOAT && dtype != TF_DOUBLE))
        return why->n == 0;
    double low = 0, high = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < num; i++) {
            const char *p = TF_TensorData(pass ? got : want);
            float f = 0;
            double d;
            if (dtype == TF_FLOAT) {
                memcpy(&f, p + i * 4, 4);
                d = (double)f;
            } else {
                memcpy(&d, p + i * 8, 8);
            }
            double width = 10 * (high - low) + 1;
            if (pass && !(d >= low - width && d <= high + width)) {
                text_printf(why, "%g is far from [%g, %g]", d, low, high);
                return false;
            }
            if (!pass) {
                low = d < low ? d : low;
                high = d > high ? d : high;
            }
        }
    return true;
}

/* The files were written through doubles: a copy of a 64-bit value, rounded as theirs were. What
 * was fetched may share its bytes with the library, so that it is not written to. */
static TF_Tensor *rounded_as_double(const TF_Tensor *t)
{
    int64_t dims[16], num = TF_TensorElementCount(t);
    for (int i = 0; i < TF_NumDims(t) && i < 16; i++)
        dims[i] = TF_Dim(t, i);
    bool is_signed = TF_TensorType(t) == TF_INT64;
    TF_Tensor *copy = NULL;
    if (TF_NumDims(t) <= 16)
        copy = TF_AllocateTensor(TF_TensorType(t), dims, TF_NumDims(t), (size_t)num * 8);
    const int64_t *from = TF_TensorData(t);
    int64_t *to = copy ? TF_TensorData(copy) : NULL;
    for (int64_t i = 0; copy && i < num; i++) {
        double d = is_signed ? (double)from[i] : (double)(uint64_t)from[i];
        to[i] = from[i];
        if (is_signed && fabs(d) < 0x1p63)
            to[i] = (int64_t)d;
        else if (!is_signed && d < 0x1p64)
            to[i] = (int64_t)(uint64_t)d;
    }
    return copy;
}

/* ---- running ---- */

static bool run_error(struct run *r, const char *where)
{
    if (verdict_lacks(r->verdict, &r->scan, r->status, false))
        return false;
    return verdict_wrong(r->verdict, "%s: error %d: %s", where, (int)TF_GetCode(r->status),
                         TF_Message(r->status));
}

static bool value_agrees(const struct run *r, const struct golden *g, const TF_Tensor *got,
                         struct text *why)
{
    if (expects(r, "random"))
        return in_range(got, g->value, why);
    TF_DataType dtype = TF_TensorType(got);
    TF_Tensor *copy = NULL;
    if (dtype == TF_INT64 || dtype == TF_UINT64)
        copy = rounded_as_double(got);
    bool ok = tensors_agree(copy ? copy : got, g->value, tolerance_of(dtype), PHASE_NONE, why);
    if (copy)
        TF_DeleteTensor(copy);
    return ok;
}

static bool check_value(struct run *r, const struct golden *g, const TF_Tensor *got)
{
    struct text why = {0};
    bool ok = got && value_agrees(r, g, got, &why);
    if (!ok)
        verdict_wrong(r->verdict, "%s (%s): %s", g->file, TF_OperationOpType(g->output.oper),
                      got ? text_str(&why) : "no value");
    text_release(&why);
    return ok;
}

/* Fetches the goldens [from, to) that have values in one run. */
static bool run_goldens(struct run *r, size_t from, size_t to)
{
    const struct graph_case *c = &r->files;
    TF_Output *feeds = test_alloc(c->num_feeds, sizeof(*feeds));
    TF_Tensor **fed = test_alloc(c->num_feeds, sizeof(TF_Tensor *));
    TF_Output *fetches = test_alloc(to - from, sizeof(*fetches));
    TF_Tensor **fetched = test_alloc(to - from, sizeof(TF_Tensor *));
    const struct golden **goldens = test_alloc(to - from, sizeof(*goldens));
    int num = 0;
    for (size_t i = 0; i < c->num_feeds; i++) {
        feeds[i] = c->feeds[i].output;
        fed[i] = c->feeds[i].value;
    }
    for (size_t i = from; i < to; i++)
        if (c->goldens[i].value) {
            fetches[num] = c->goldens[i].output;
            goldens[num++] = &c->goldens[i];
        }
    TF_SessionRun(r->session, NULL, feeds, fed, (int)c->num_feeds, fetches, fetched, num, NULL, 0,
                  NULL, r->status);
    bool ok = TF_GetCode(r->status) == TF_OK || run_error(r, goldens[0]->file);
    for (int i = 0; i < num; i++) {
        ok = ok && check_value(r, goldens[i], fetched[i]);
        if (fetched[i])
            TF_DeleteTensor(fetched[i]);
    }
    r->verdict->num_runs += num;
    free(feeds);
    free(fed);
    free(fetches);
    free(fetched);
    free(goldens);
    return ok;
}

/* Each value by itself, where the optimiser has most freedom, then all at once. */
static bool run_all(struct run *r)
{
    const struct graph_case *c = &r->files;
    size_t num = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < c->num_goldens; i++)
        if (c->goldens[i].value) {
            num++;
            ok = run_goldens(r, i, i + 1);
        }
    if (num == 0)
        return verdict_wrong(r->verdict, "no file holds an expected value");
    return ok && (num == 1 || run_goldens(r, 0, c->num_goldens));
}

static bool open_session(struct run *r)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    r->session = TF_NewSession(r->graph, options, r->status);
    TF_DeleteSessionOptions(options);
    return r->session || run_error(r, "session");
}

static bool run_graph(struct run *r, const char *folder)
{
    struct text why = {0};
    bool ok = graph_case_read(&r->files, folder, r->graph, &why);
    if (!ok)
        verdict_wrong(r->verdict, "%s", text_str(&why));
    text_release(&why);
    return ok && open_session(r) && run_all(r);
}

/* A value stands where a reference must: the import or the run has to say INVALID_ARGUMENT. */
static void check_refused(struct run *r, const char *folder)
{
    if (r->graph)
        run_graph(r, folder);
    if (TF_GetCode(r->status) != TF_INVALID_ARGUMENT) {
        text_clear(&r->verdict->why);
        r->verdict->outcome = OUTCOME_PASSED;
        verdict_wrong(r->verdict, "code %d: %s; a value stands where a reference must",
                      (int)TF_GetCode(r->status), TF_Message(r->status));
    } else {
        r->verdict->outcome = OUTCOME_PASSED;
        text_clear(&r->verdict->why);
    }
}

static void run_end(struct run *r)
{
    graph_case_release(&r->files);
    if (r->session) {
        TF_CloseSession(r->session, r->status);
        TF_DeleteSession(r->session, r->status);
    }
    if (r->graph)
        TF_DeleteGraph(r->graph);
    TF_DeleteStatus(r->status);
    graph_scan_release(&r->scan);
    text_release(&r->file);
}

static bool ignored(const char *expected)
{
    return strcmp(expected, "no golden") == 0 || strcmp(expected, "not a value") == 0 ||
           strcmp(expected, "fetch absent") == 0;
}

static void run_case(const struct suite *s, const struct harness_options *o, size_t i,
                     struct verdict *v)
{
    const struct conformance_list *list = s->data;
    struct run r = {.verdict = v, .what = &list->cases[i], .status = TF_NewStatus()};
    struct text folder = {0}, path = {0};
    text_printf(&folder, "%s/%s", text_str(&list->folder), r.what->name);
    text_printf(&path, "%s/frozen_model.pb", text_str(&folder));
    bool ok = file_read(text_str(&path), &r.file);
    graph_scan_init(&r.scan, text_bytes(&r.file));
    if (ignored(r.what->expected))
        v->outcome = OUTCOME_IGNORED;
    else if (!ok || !r.scan.ok)
        verdict_wrong(v, "%s: no GraphDef", text_str(&path));
    else if (!verdict_ops_absent(v, &r.scan) && !o->ops_needed) {
        r.graph = graph_import(text_bytes(&r.file), r.status);
        if (expects(&r, "refused: reference"))
            check_refused(&r, text_str(&folder));
        else if (r.graph)
            run_graph(&r, text_str(&folder));
        else
            run_error(&r, "import");
    }
    run_end(&r);
    text_release(&folder);
    text_release(&path);
}

/* ---- the list ---- */

static const char *case_name(const struct suite *s, size_t i)
{
    return ((const struct conformance_list *)s->data)->cases[i].name;
}

static const char *case_group(const struct suite *s, size_t i)
{
    (void)i;
    return s->title;
}

/* EXPECTED.tsv: a line of headings, then case, what TensorFlow does, its error. */
static void read_list(struct conformance_list *list, struct bytes file)
{
    struct bytes rest = file, line, name, expected;
    size_t num_lines = 0;
    while (line_next(&rest, &line))
        num_lines++;
    list->cases = test_alloc(num_lines, sizeof(*list->cases));
    line_next(&file, &line);
    while (line_next(&file, &line))
        if (piece_next(&line, '\t', &name) && piece_next(&line, '\t', &expected))
            list->cases[list->num++] = (struct conformance_case){
                test_strndup(name.p, name.n), test_strndup(expected.p, expected.n)};
}

int main(int argc, char **argv)
{
    struct harness_options o;
    struct text expected = {0}, path = {0};
    struct conformance_list list = {0};
    if (!harness_parse(&o, argc, argv, "Compares frozen graphs with TensorFlow's values."))
        return 2;
    bool found = shared_find("conformance/graphs", &list.folder);
    if (!found || !shared_find("conformance/EXPECTED.tsv", &path) ||
        !file_read(text_str(&path), &expected)) {
        int rc = harness_absent("graphs", text_str(found ? &path : &list.folder));
        text_release(&list.folder);
        text_release(&path);
        return rc;
    }
    read_list(&list, text_bytes(&expected));
    struct suite suite = {.title = "graphs",
                          .num_cases = list.num,
                          .data = &list,
                          .case_name = case_name,
                          .case_group = case_group,
                          .run = run_case};
    int rc = harness_run(&suite, &o);
    for (size_t i = 0; i < list.num; i++) {
        free(list.cases[i].name);
        free(list.cases[i].expected);
    }
    free(list.cases);
    text_release(&list.folder);
    text_release(&expected);
    text_release(&path);
    return rc;
}
