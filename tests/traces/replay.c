/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of recorded conversations: which cases there are, and what is asked of each.
 *
 * Three things are: its steps give what was recorded; the shapes that are inferred without the
 * recorded ones never contradict them; and, where a .gradients file lies beside it, each line of it
 * is a case of its own: what TF_AddGradients makes of (ys, xs, grad_ys) has the values that were
 * recorded for the results. */
#include <stdlib.h>

#include "common/files.h"
#include "traces/trace.h"

/* ---- the list of cases ---- */

struct trace_list {
    struct trace_case *cases;
    size_t num, cap;
};

static struct trace_case *list_add(struct trace_list *list)
{
    if (list->num == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 1024;
        struct trace_case *cases = test_alloc(list->cap, sizeof(*cases));
        if (list->num)
            memcpy(cases, list->cases, list->num * sizeof(*cases));
        free(list->cases);
        list->cases = cases;
    }
    return &list->cases[list->num++];
}

static void list_add_gradients(struct trace_list *list, const char *path, const char *name,
                               bool random)
{
    struct text file = {0}, full = {0};
    text_printf(&full, "%s.gradients", path);
    if (file_exists(text_str(&full)) && file_read(text_str(&full), &file)) {
        struct bytes rest = text_bytes(&file), line;
        for (int i = 1; line_next(&rest, &line); i++) {
            struct trace_case *c = list_add(list);
            text_clear(&full);
            text_printf(&full, "%s#gradients.%d", name, i);
            *c = (struct trace_case){.name = test_strndup(full.p, full.n),
                                     .path = test_strndup(path, strlen(path)),
                                     .gradients = i,
                                     .random = random};
        }
    }
    text_release(&file);
    text_release(&full);
}

/* On a server a part of them is enough for every day; and the numbers in handles of kept tensors go
 * on from session to session there. */
static bool left_out(struct bytes name)
{
    static const char handles[] = "kernel_tests.session_ops_test/";
    const char *tier = getenv("LEAT_TIER");
    static size_t lines;
    if (!replay_on_server)
        return false;
    if (name.n > sizeof handles && memcmp(name.p, handles, sizeof handles - 1) == 0)
        return true;
    return (!tier || strcmp(tier, "full") != 0) && lines++ % 8 != 0;
}

/* A line of INDEX.tsv: trace, random, needs_config. */
static void list_add_line(struct trace_list *list, const char *folder, struct bytes line)
{
    static const char ending[] = ".tfrecord";
    size_t ending_bytes = sizeof(ending) - 1;
    struct bytes name, random = {0};
    piece_next(&line, '\t', &name);
    piece_next(&line, '\t', &random);
    if (name.n <= ending_bytes || memcmp(name.p + name.n - ending_bytes, ending, ending_bytes) != 0)
        return;
    if (left_out(name))
        return;
    struct text path = {0};
    name.n -= ending_bytes;
    text_printf(&path, "%s/%.*s", folder, (int)name.n, (const char *)name.p);
    struct trace_case *c = list_add(list);
    *c = (struct trace_case){.name = test_strndup(name.p, name.n),
                             .path = test_strndup(path.p, path.n),
                             .random = bytes_are(random, "random")};
    char *own = test_strndup(name.p, name.n);
    if (!replay_on_server)
        list_add_gradients(list, text_str(&path), own, bytes_are(random, "random"));
    free(own);
    text_release(&path);
}

static void list_release(struct trace_list *list)
{
    for (size_t i = 0; i < list->num; i++) {
        free(list->cases[i].name);
        free(list->cases[i].path);
    }
    free(list->cases);
}

/* ---- a case ---- */

/* The shapes are looked at in a graph of their own, which was not told the recorded ones. */
static bool check_shapes(struct trace *t)
{
    struct text bare = {0}, why = {0};
    graph_without_attr(t->graph_def, "_output_shapes", &bare);
    TF_Graph *graph = graph_import(text_bytes(&bare), t->status);
    if (graph) {
        struct shape_tally tally = graph_compare_shapes(&t->scan, graph, &why);
        t->verdict->shapes_compared = tally.compared;
        t->verdict->shapes_contradicting = tally.contradicting;
        if (tally.contradicting)
            verdict_wrong(t->verdict, "%s", text_str(&why));
        TF_DeleteGraph(graph);
    } else {
        trace_error(t, "import without _output_shapes", false);
    }
    text_release(&bare);
    text_release(&why);
    return t->verdict->outcome == OUTCOME_PASSED;
}

static void replay_steps(struct trace *t)
{
    bool ok = (replay_on_server || check_shapes(t)) && trace_import(t) && trace_start(t);
    for (struct step s; ok && step_next(t, &s); step_release(&s)) {
        ok = step_prepare(t, &s);
        if (ok) {
            step_run(t, &s);
            ok = step_check(t, &s);
        }
    }
}

static const char *case_name(const struct suite *s, size_t i)
{
    return ((const struct trace_list *)s->data)->cases[i].name;
}

static const char *case_group(const struct suite *s, size_t i)
{
    return ((const struct trace_list *)s->data)->cases[i].gradients ? "gradients" : "traces";
}

static void run_case(const struct suite *s, const struct harness_options *o, size_t i,
                     struct verdict *v)
{
    struct trace t;
    const struct trace_case *what = &((const struct trace_list *)s->data)->cases[i];
    if (trace_open(&t, what, o, v) && !verdict_ops_absent(v, &t.scan) && !o->ops_needed) {
        if (what->gradients)
            gradients_replay(&t);
        else
            replay_steps(&t);
    }
    trace_close(&t);
}

int replay_main(int argc, char **argv, bool drop_optimizer)
{
    struct harness_options o;
    struct text path = {0}, index = {0};
    if (!harness_parse(&o, argc, argv, "Replays recorded sessions of TensorFlow's own tests."))
        return 2;
    o.drop_optimizer = o.drop_optimizer || drop_optimizer;
    if (!shared_find("conformance/traces/INDEX.tsv", &path)) {
        int rc = harness_absent("traces", text_str(&path));
        text_release(&path);
        return rc;
    }
    struct trace_list list = {0};
    bool ok = file_read(text_str(&path), &index);
    path.n = (size_t)(strrchr(path.p, '/') - path.p);
    path.p[path.n] = 0;
    struct bytes rest = text_bytes(&index), line;
    while (line_next(&rest, &line))
        list_add_line(&list, text_str(&path), line);
    struct suite suite = {.title = "traces",
                          .num_cases = list.num,
                          .data = &list,
                          .case_name = case_name,
                          .case_group = case_group,
                          .run = run_case};
    int rc = ok ? harness_run(&suite, &o) : 1;
    list_release(&list);
    text_release(&index);
    text_release(&path);
    return rc;
}
