/* SPDX-License-Identifier: Apache-2.0 */
/* One call of tf.gradients, as recorded, made again by TF_AddGradients: the graph, which holds the
 * gradients that TensorFlow's Python made, gets ours beside them, and the steps are run with ours
 * fetched in the place of theirs. */
#include <stdlib.h>

#include "common/files.h"
#include "traces/trace.h"

enum { MAX_OUTPUTS = 64 };

struct gradients {
    struct text file;
    struct bytes results[MAX_OUTPUTS]; /* names, in file */
    bool seen[MAX_OUTPUTS];            /* compared in some step */
    TF_Output ys[MAX_OUTPUTS], xs[MAX_OUTPUTS], grad_ys[MAX_OUTPUTS], dys[MAX_OUTPUTS];
    int num_ys, num_xs, num_grad_ys, num_results;
};

/* Outputs whose names are joined by commas, "-" for none; -1 when one is not in the graph. */
static int read_outputs(TF_Graph *graph, struct bytes list, TF_Output *out)
{
    int num = 0;
    if (bytes_are(list, "-"))
        return 0;
    for (struct bytes name; num < MAX_OUTPUTS && piece_next(&list, ',', &name);) {
        out[num] = graph_output(graph, name);
        if (!out[num++].oper)
            return -1;
    }
    return num;
}

static bool read_line(struct gradients *g, const struct trace_case *what, struct bytes *columns)
{
    struct text path = {0};
    text_printf(&path, "%s.gradients", what->path);
    bool ok = file_read(text_str(&path), &g->file);
    text_release(&path);
    struct bytes rest = text_bytes(&g->file), line = {0};
    for (int i = 0; ok && i < what->gradients; i++)
        ok = line_next(&rest, &line);
    for (int i = 0; ok && i < 4; i++)
        ok = piece_next(&line, '\t', &columns[i]);
    return ok;
}

static bool gradients_read(struct trace *t, struct gradients *g)
{
    struct bytes columns[4] = {{0}};
    bool ok = read_line(g, t->what, columns);
    if (ok) {
        g->num_ys = read_outputs(t->graph, columns[0], g->ys);
        g->num_xs = read_outputs(t->graph, columns[1], g->xs);
        g->num_grad_ys = read_outputs(t->graph, columns[2], g->grad_ys);
        struct bytes name;
        while (g->num_results < MAX_OUTPUTS && piece_next(&columns[3], ',', &name))
            g->results[g->num_results++] = name;
        ok = g->num_ys > 0 && g->num_xs == g->num_results &&
             (g->num_grad_ys == 0 || g->num_grad_ys == g->num_ys);
    }
    return ok || verdict_wrong(t->verdict, "the line of gradients does not fit the graph");
}

static bool gradients_add(struct trace *t, struct gradients *g)
{
    TF_AddGradients(t->graph, g->ys, g->num_ys, g->xs, g->num_xs,
                    g->num_grad_ys ? g->grad_ys : NULL, t->status, g->dys);
    if (TF_GetCode(t->status) != TF_OK)
        return trace_error(t, "TF_AddGradients", true);
    for (int i = 0; i < g->num_xs; i++)
        if (!g->dys[i].oper)
            return verdict_wrong(t->verdict, "TF_AddGradients: y does not depend on x[%d]", i);
    return true;
}

static int find_result(const struct gradients *g, struct bytes name)
{
    for (int i = 0; i < g->num_results; i++)
        if (bytes_eq(g->results[i], name))
            return i;
    return -1;
}

/* Runs the step with our gradients in the place of the recorded ones and compares those. */
static bool run_step(struct trace *t, struct gradients *g, struct step *s)
{
    bool any = false;
    for (int i = 0; i < s->num_fetches; i++) {
        int result = find_result(g, s->fetch_names[i]);
        if (result >= 0)
            s->fetches[i] = g->dys[result];
        any = any || result >= 0;
    }
    step_run(t, s);
    if (!any || step_recorded_code(s) != TF_OK)
        return true;
    if (TF_GetCode(t->status) != TF_OK)
        return trace_error(t, "run", false);
    for (int i = 0; i < s->num_fetches; i++) {
        int result = find_result(g, s->fetch_names[i]);
        if (result < 0)
            continue;
        g->seen[result] = true;
        if (!step_check_value(t, s, i))
            return false;
    }
    return true;
}

static bool all_seen(const struct gradients *g)
{
    for (int i = 0; i < g->num_results; i++)
        if (!g->seen[i])
            return false;
    return true;
}

void gradients_replay(struct trace *t)
{
    struct gradients *g = test_alloc(1, sizeof(*g));
    bool ok = trace_import(t) && gradients_read(t, g) && gradients_add(t, g) && trace_start(t);
    for (struct step s; ok && step_next(t, &s); step_release(&s))
        ok = step_prepare(t, &s) && run_step(t, g, &s);
    if (ok && !all_seen(g))
        verdict_wrong(t->verdict, "no step fetches all results");
    text_release(&g->file);
    free(g);
}
