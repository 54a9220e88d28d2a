/* SPDX-License-Identifier: Apache-2.0 */
/* Running and timing one part of a benchmark case.
 *
 * A sample is as many runs as take some milliseconds; the figures are the median and the tenth and
 * ninetieth percentiles of the samples, so a machine that others use shifts them little. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/mem.h"
#include "cli/bench.h"

#define SAMPLE_NS 5e6
enum { MIN_SAMPLES = 5, MAX_SAMPLES = 4096 };

static size_t type_bytes(TF_DataType type)
{
    return TF_DataTypeSize(type);
}

/* Fills every batch; the same numbers each time. */
static void fill(struct bench_feed *f, int64_t limit)
{
    uint64_t seed = 7;
    const size_t n = f->bytes * (size_t)f->num_batches / type_bytes(f->type);
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = maker_random(&seed);
        if (f->type == TF_INT32)
            ((int32_t *)f->data)[i] = (int32_t)(r % (uint64_t)limit);
        else if (f->type == TF_FLOAT)
            ((float *)f->data)[i] = (float)((double)(r >> 11) * 0x1p-52 - 1.0);
        else
            f->data[i] = 1;
    }
}

TF_Output bench_input(struct bench_part *p, TF_DataType type, const int64_t *dims, int num_dims,
                      int64_t limit)
{
    ASSERT(p->num_feeds < BENCH_MAX_FEEDS && num_dims <= 4);
    struct bench_feed *f = &p->feeds[p->num_feeds++];
    *f = (struct bench_feed){.type = type, .num_dims = num_dims, .num_batches = BENCH_BATCHES};
    size_t bytes = type_bytes(type);
    for (int i = 0; i < num_dims; i++) {
        f->dims[i] = dims[i];
        bytes *= (size_t)dims[i];
    }
    f->bytes = (bytes + 63) / 64 * 64;
    f->data = aligned_alloc(64, f->bytes * (size_t)f->num_batches);
    f->at = make_input(&p->m, type, dims, num_dims);
    if (f->data)
        fill(f, limit);
    else if (TF_GetCode(p->m.s) == TF_OK)
        TF_SetStatus(p->m.s, TF_RESOURCE_EXHAUSTED, "no memory for a benchmark's data");
    return f->at;
}

void bench_target(struct bench_part *p, TF_Operation *const *after, int n)
{
    p->target = make(&p->m, &(struct make_node){.op = "NoOp", .after = after, .num_after = n}).oper;
}

bool bench_part_start(struct bench_part *p, const struct bench_case *c, int threads,
                      struct status *st)
{
    char config[256];
    if (p->call && !p->m.target)
        return cli_ok(p->m.s, st);
    /* The cost of a node is asked for, so chains of nodes may not be made one. */
    const bool plain = c->unit == BENCH_NS && !p->m.target;
    snprintf(config, sizeof config,
             "intra_op_parallelism_threads: %d inter_op_parallelism_threads: %d%s", threads,
             threads,
             plain ? " graph_options { optimizer_options { opt_level: L0 } rewrite_options { "
                     "disable_meta_optimizer: true } }"
                   : "");
    p->m.config = config;
    const bool ok = maker_start(&p->m, st);
    p->m.config = NULL;
    return ok;
}

static void keep(void *data, size_t n, void *arg)
{
    (void)data;
    (void)n;
    (void)arg;
}

bool bench_part_run(struct bench_part *p, TF_Buffer *options, TF_Buffer *metadata,
                    struct status *st)
{
    TF_Output at[BENCH_MAX_FEEDS];
    TF_Tensor *in[BENCH_MAX_FEEDS], *out = NULL;
    if (p->call)
        return p->call(p, st);
    for (int i = 0; i < p->num_feeds; i++) {
        struct bench_feed *f = &p->feeds[i];
        int64_t bytes = (int64_t)type_bytes(f->type);
        for (int k = 0; k < f->num_dims; k++)
            bytes *= f->dims[k];
        at[i] = f->at;
        in[i] = TF_NewTensor(f->type, f->dims, f->num_dims,
                             f->data + (size_t)(p->runs % f->num_batches) * f->bytes, (size_t)bytes,
                             keep, NULL);
    }
    TF_SessionRun(p->m.session, options, at, in, p->num_feeds, &p->fetch, &out,
                  p->fetch.oper ? 1 : 0, &p->target, p->target ? 1 : 0, metadata, p->m.s);
    for (int i = 0; i < p->num_feeds; i++)
        TF_DeleteTensor(in[i]);
    if (out)
        p->last = (double)*(const float *)TF_TensorData(out);
    TF_DeleteTensor(out);
    if (p->runs++ == 0)
        p->first = p->last;
    return cli_ok(p->m.s, st);
}

void bench_part_release(struct bench_part *p)
{
    maker_release(&p->m);
    if (p->release)
        p->release(p);
    TF_DeleteBuffer(p->graph_def);
    for (int i = 0; i < p->num_feeds; i++)
        free(p->feeds[i].data);
}

static bool time_runs(struct bench_part *p, int64_t n, double *ns, struct status *st)
{
    const int64_t start = clock_now_ns();
    for (int64_t i = 0; i < n; i++)
        if (!bench_part_run(p, NULL, NULL, st))
            return false;
    *ns = (double)(clock_now_ns() - start) / (double)n;
    return true;
}

static double in_unit(const struct bench_part *p, enum bench_unit unit, double ns)
{
    if (unit == BENCH_NS)
        return ns / p->work;
    return unit == BENCH_STEPS ? p->work * 1e9 / ns : p->work / ns * 1e9;
}

bool bench_measure(struct bench_part *p, enum bench_unit unit, double seconds,
                   struct bench_figures *out, struct status *st)
{
    double *v = mem_new_array(double, MAX_SAMPLES), once = 0;
    const int64_t end = clock_now_ns() + (int64_t)(seconds * 1e9);
    int n = 0;
    bool ok = true;
    if (p->runs == 0) /* plans are made, pages are touched */
        ok = time_runs(p, 2, &once, st);
    ok = ok && time_runs(p, 1, &once, st);
    const int64_t repeat = (int64_t)(SAMPLE_NS / (once + 1)) + 1;
    const int least = repeat > 1 ? MIN_SAMPLES : 1;
    if (repeat == 1 && seconds == 0) /* asked for one run, where that is a sample */
        v[n++] = once;
    while (ok && n < MAX_SAMPLES && (clock_now_ns() < end || n < least))
        ok = time_runs(p, repeat, &v[n++], st);
    if (ok) {
        qsort(v, (size_t)n, sizeof *v, cli_by_size);
        const double low = in_unit(p, unit, v[n / 10]);
        const double high = in_unit(p, unit, v[n - 1 - n / 10]);
        out->median = in_unit(p, unit, (v[(n - 1) / 2] + v[n / 2]) / 2);
        out->p10 = low < high ? low : high;
        out->p90 = low < high ? high : low;
    }
    mem_free(v);
    if (ok && p->training && !isfinite(p->last))
        return status_internal(st, "the loss is %g after %lld steps", p->last, (long long)p->runs);
    return ok;
}

const char *bench_unit_name(enum bench_unit unit)
{
    static const char *const names[] = {"ns", "GFLOP/s", "GB/s", "steps/s"};
    return names[unit];
}
