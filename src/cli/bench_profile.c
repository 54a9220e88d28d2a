/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a benchmark's run goes: step stats of some runs, summed by op. Of an op the
 * least of the runs is printed, so that a machine that others use shifts the figures little. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/bench.h"
#include "proto/leat_proto.h"

enum { PROFILE_RUNS = 60, MAX_KINDS = 512 };

struct kind {
    char op[64];
    double us, least; /* of this run, of all so far */
    int64_t nodes;    /* of all runs */
};
struct profile {
    struct kind kinds[MAX_KINDS];
    int n;
};

/* The op of a node that the graph has; a name of the runtime's own without its number, else. */
static void op_of(TF_Graph *graph, struct str node, char op[64])
{
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)(node.n < 511 ? node.n : 511), node.p);
    TF_Operation *found = TF_GraphOperationByName(graph, name);
    if (found) {
        snprintf(op, 64, "%s", TF_OperationOpType(found));
        return;
    }
    size_t n = strlen(name);
    while (n > 1 && ((name[n - 1] >= '0' && name[n - 1] <= '9') || name[n - 1] == '_'))
        n--;
    snprintf(op, 64, "(%.*s)", (int)(n < 60 ? n : 60), name);
}

static void add(struct profile *p, const char *op, double us)
{
    int i = 0;
    while (i < p->n && strcmp(p->kinds[i].op, op) != 0)
        i++;
    if (i == MAX_KINDS)
        return;
    if (i == p->n)
        snprintf(p->kinds[p->n++].op, sizeof p->kinds[i].op, "%s", op);
    p->kinds[i].us += us;
    p->kinds[i].nodes++;
}

static bool add_run(struct profile *p, TF_Graph *graph, const TF_Buffer *metadata,
                    struct status *st)
{
    struct arena a = {0};
    void *msg = NULL;
    bool ok = pb_decode(&a, &pb_run_metadata_desc, metadata->data, metadata->length, 0, &msg, st);
    const struct pb_run_metadata *meta = msg;
    for (int i = 0; i < p->n; i++)
        p->kinds[i].us = 0;
    for (int64_t d = 0; ok && meta->step_stats && d < meta->step_stats->dev_stats.n; d++) {
        const struct pb_device_step_stats *dev = meta->step_stats->dev_stats.v[d];
        for (int64_t i = 0; i < dev->node_stats.n; i++) {
            const struct pb_node_exec_stats *s = dev->node_stats.v[i];
            char op[64];
            op_of(graph, s->node_name, op);
            add(p, op, (double)(s->op_end_rel_nanos - s->op_start_rel_nanos) / 1e3);
        }
    }
    for (int i = 0; i < p->n; i++) {
        struct kind *k = &p->kinds[i];
        k->least = k->least == 0 || k->us < k->least ? k->us : k->least;
    }
    arena_release(&a);
    return ok;
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const struct kind *)a)->least, y = ((const struct kind *)b)->least;
    return (x < y) - (x > y);
}

bool bench_profile(struct bench_part *p, struct status *st)
{
    if (p->call)
        return status_invalid(st, "--profile: it runs no steps; take another case");
    struct profile *sum = mem_new(struct profile);
    static const char full[] = {8, 3}; /* RunOptions.trace_level: FULL_TRACE */
    TF_Buffer *options = TF_NewBufferFromString(full, sizeof full);
    bool ok = true;
    for (int i = 0; ok && i < PROFILE_RUNS; i++) {
        TF_Buffer *metadata = TF_NewBuffer();
        ok = bench_part_run(p, options, metadata, st) && add_run(sum, p->m.graph, metadata, st);
        TF_DeleteBuffer(metadata);
    }
    TF_DeleteBuffer(options);
    qsort(sum->kinds, (size_t)sum->n, sizeof *sum->kinds, by_time);
    double all = 0;
    for (int i = 0; i < sum->n; i++)
        all += sum->kinds[i].least;
    if (ok)
        printf("  %.1f us in nodes a run\n", all);
    for (int i = 0; ok && i < sum->n; i++)
        printf("  %10.1f us %5.1f%% %5d x %s\n", sum->kinds[i].least,
               100 * sum->kinds[i].least / all, (int)(sum->kinds[i].nodes / PROFILE_RUNS),
               sum->kinds[i].op);
    mem_free(sum);
    return ok;
}
