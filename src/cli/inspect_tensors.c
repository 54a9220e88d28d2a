/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect on checkpoints: each tensor with its statistics; the elements of one. One tensor is
 * in memory at a time. */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "cli/inspect.h"
#include "cli/npy.h"
#include "io/bundle.h"
#include "io/slices_v1.h"

enum {
    MAX_ELEMS = 10000, /* of --tensor */
    BLOCK_ELEMS = 2048,
    LANES = 8,
};

/* --- values --- */

/* Elements as numbers from the one at `at` on; false: the type has none. */
static bool numbers_at(const struct tensor *t, int64_t at, int64_t n, double *out)
{
    switch (t->dtype) {
#define CASE(type, ctype, number)                                                                  \
    case type: {                                                                                   \
        const ctype *p = (const ctype *)t->data + at;                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = (double)number(p[i]);                                                         \
        return true;                                                                               \
    }
        CASE(DT_FLOAT, float, )
        CASE(DT_DOUBLE, double, )
        CASE(DT_HALF, struct f16, f16_to_f32)
        CASE(DT_BFLOAT16, struct bf16, bf16_to_f32)
        CASE(DT_INT8, int8_t, )
        CASE(DT_QINT8, int8_t, )
        CASE(DT_BOOL, uint8_t, )
        CASE(DT_UINT8, uint8_t, )
        CASE(DT_QUINT8, uint8_t, )
        CASE(DT_INT16, int16_t, )
        CASE(DT_QINT16, int16_t, )
        CASE(DT_UINT16, uint16_t, )
        CASE(DT_QUINT16, uint16_t, )
        CASE(DT_INT32, int32_t, )
        CASE(DT_QINT32, int32_t, )
        CASE(DT_UINT32, uint32_t, )
        CASE(DT_INT64, int64_t, )
        CASE(DT_UINT64, uint64_t, )
#undef CASE
    default:
        return false;
    }
}

struct summary {
    double least, greatest, mean, squares; /* squares: of the distances from the mean */
    int64_t finite, nans, infs;
};

/* Of x - from, or of its squares; in LANES sums, so that no addition waits for the one before. */
static double sum_of(const double *x, int n, double from, bool squared)
{
    double sums[LANES] = {0}, sum = 0;
    int i = 0;
    for (; squared && i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++)
            sums[j] += (x[i + j] - from) * (x[i + j] - from);
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++)
            sums[j] += x[i + j] - from;
    for (; i < n; i++)
        sum += squared ? (x[i] - from) * (x[i] - from) : x[i] - from;
    for (int j = 0; j < LANES; j++)
        sum += sums[j];
    return sum;
}

/* Two passes over a block, which stays in the cache; blocks are joined as Chan, Golub and LeVeque
 * join samples. x is written over: its finite elements come to stand first. */
static void summarise(struct summary *s, double *x, int n)
{
    int finite = 0;
    for (int i = 0; i < n; i++) {
        double v = x[i];
        s->least = v < s->least ? v : s->least; /* NaN is neither */
        s->greatest = v > s->greatest ? v : s->greatest;
        s->nans += isnan(v) != 0;
        s->infs += isinf(v) != 0; /* it is -1 of -inf */
        x[finite] = v;
        finite += isfinite(v) != 0;
    }
    if (finite == 0)
        return;
    /* about the first element: a sum of numbers near the greatest would leave their range */
    double mean = x[0] + sum_of(x, finite, x[0], false) / finite;
    double squares = sum_of(x, finite, mean, true), away = mean - s->mean;
    double before = (double)s->finite, all = before + finite;
    s->mean += away * (finite / all);
    s->squares += squares + away * away * (before * finite / all);
    s->finite += finite;
}

static void statistics(struct inspect *in, struct report_node *to, const struct tensor *t)
{
    struct summary s = {.least = INFINITY, .greatest = -INFINITY};
    double block[BLOCK_ELEMS];
    for (int64_t i = 0; i < t->num_elems; i += BLOCK_ELEMS) {
        int n = (int)min_i64(BLOCK_ELEMS, t->num_elems - i);
        if (!numbers_at(t, i, n, block))
            return;
        summarise(&s, block, n);
    }
    if (t->num_elems == 0)
        return;
    report_real(&in->report, to, "min", s.nans == t->num_elems ? NAN : s.least);
    report_real(&in->report, to, "max", s.nans == t->num_elems ? NAN : s.greatest);
    report_real(&in->report, to, "mean", s.finite > 0 ? s.mean : NAN);
    report_real(&in->report, to, "stddev", s.finite > 0 ? sqrt(s.squares / (double)s.finite) : NAN);
    if (s.nans > 0)
        report_int(&in->report, to, "nan", s.nans);
    if (s.infs > 0)
        report_int(&in->report, to, "inf", s.infs);
}

static void elements(struct inspect *in, struct report_node *to, const struct tensor *t)
{
    struct report_node *list = report_list(&in->report, to, "elements");
    for (int64_t i = 0; i < t->num_elems && i < MAX_ELEMS; i++) {
        double x;
        if (t->dtype == DT_STRING)
            report_text(&in->report, list, NULL, tstr_view((const struct tstr *)t->data + i));
        else if (t->dtype == DT_INT64)
            report_int(&in->report, list, NULL, ((const int64_t *)t->data)[i]);
        else if (dtype_is_integer(t->dtype) && numbers_at(t, i, 1, &x))
            report_int(&in->report, list, NULL, (int64_t)x);
        else if (numbers_at(t, i, 1, &x))
            report_real(&in->report, list, NULL, x);
    }
    if (t->num_elems > MAX_ELEMS)
        report_int(&in->report, to, "elements_left_out", t->num_elems - MAX_ELEMS);
}

void inspect_values(struct inspect *in, struct report_node *to, const struct tensor *t)
{
    statistics(in, to, t);
    if (in->tensor)
        elements(in, to, t);
}

/* --- an entry of either format --- */

static void type_of(struct inspect *in, struct report_node *to, int dtype,
                    const struct shape *shape)
{
    int64_t *dims = arena_array(&in->report.arena, int64_t, shape->rank);
    for (int i = 0; i < shape->rank; i++)
        dims[i] = shape_dim(shape, i);
    inspect_type(in, to, dtype, dims, shape->rank);
}

static bool wanted(const struct inspect *in, struct str name)
{
    return !in->tensor || str_is(name, in->tensor);
}

/* The tensor that asked for is not there: the nearest name is told. */
static bool no_tensor(const struct inspect *in, const char *near, struct status *st)
{
    return status_not_found(st, "%s: no tensor '%s'%s%s", in->path, in->tensor,
                            near ? "; did you mean " : "; --list shows those that there are",
                            near ? near : "");
}

/* --- V2 --- */

static void bundle_entry(struct inspect *in, struct bundle *b, struct str key,
                         const struct bundle_entry *e, struct report_node *list)
{
    struct status st = {0};
    struct tensor t = {0};
    struct report_node *item = report_object(&in->report, list, NULL);
    report_text(&in->report, item, "name", key);
    type_of(in, item, e->p->dtype, &e->shape);
    if (e->p->slices.n > 0)
        report_int(&in->report, item, "slices", e->p->slices.n);
    if (in->list && !in->verify && !in->tensor)
        return;
    if (bundle_read(b, key, e, NULL, &t, &st))
        inspect_values(in, item, &t);
    else
        inspect_damage(in, item, &st);
    tensor_clear(&t);
}

static bool walk_bundle(struct inspect *in, struct bundle *b, struct report_node *to,
                        struct status *st)
{
    struct report_node *list = report_list(&in->report, to, "tensors");
    struct strbuf key = {0}, near = {0};
    int64_t n = 0, params = 0, found = 0;
    int edits = INT32_MAX;
    bool more = true, ok = bundle_first(b, st);
    while (ok && more) {
        struct bundle_entry e;
        ok = bundle_next(b, &key, &e, &more, st);
        if (!ok || !more)
            break;
        struct str name = str_make(key.p, key.n);
        n++;
        params += e.num_elems;
        if (in->tensor && str_nearer(in->tensor, strbuf_text(&key), &edits)) {
            strbuf_clear(&near);
            strbuf_add(&near, key.p, key.n);
        }
        if (wanted(in, name)) {
            found++;
            bundle_entry(in, b, name, &e, list);
        }
        bundle_entry_release(&e);
    }
    report_int(&in->report, to, "num_tensors", n);
    report_int(&in->report, to, "num_elements", params);
    if (ok && in->tensor && found == 0)
        ok = no_tensor(in, near.n > 0 ? near.p : NULL, st);
    strbuf_release(&key);
    strbuf_release(&near);
    return ok;
}

bool inspect_bundle(struct inspect *in, const char *prefix, struct report_node *to,
                    struct status *st)
{
    struct bundle b = {0};
    if (!bundle_open(&b, prefix, NULL, st))
        return false;
    report_words(&in->report, to, "kind", "checkpoint, V2");
    report_words(&in->report, to, "prefix", prefix);
    report_int(&in->report, to, "shards", b.num_shards);
    bool ok = walk_bundle(in, &b, to, st);
    bundle_close(&b);
    return ok;
}

/* --- V1 --- */

static void old_tensor(struct inspect *in, struct v1_reader *r, const char *name,
                       const struct v1_tensor *v, struct report_node *list)
{
    struct status st = {0};
    struct tensor t = {0};
    struct slice whole = slice_whole(v->shape.rank), all;
    struct report_node *item = report_object(&in->report, list, NULL);
    report_words(&in->report, item, "name", name);
    type_of(in, item, v->dtype, &v->shape);
    if (v->num_slices > 1)
        report_int(&in->report, item, "slices", v->num_slices);
    if (in->list && !in->verify && !in->tensor)
        return;
    bool ok = slice_resolve(&whole, &v->shape, &all) ||
              status_fail(&st, STATUS_DATA_LOSS, "%s: a shape that is none", name);
    if (ok && v1_read(r, str_of(name), v, &all, &t, &st))
        inspect_values(in, item, &t);
    else
        inspect_damage(in, item, &st);
    tensor_clear(&t);
}

bool inspect_old_checkpoint(struct inspect *in, const char *path, struct report_node *to,
                            struct status *st)
{
    struct v1_reader r = {0};
    const char *name, *near = NULL;
    void *value;
    int64_t pos = 0, found = 0;
    int edits = INT32_MAX;
    if (!v1_open(&r, path, st))
        return false;
    report_words(&in->report, to, "kind", "checkpoint, V1");
    struct report_node *list = report_list(&in->report, to, "tensors");
    while (strmap_next(&r.tensors, &pos, &name, &value)) {
        if (in->tensor && str_nearer(in->tensor, name, &edits))
            near = name;
        if (!wanted(in, str_of(name)))
            continue;
        found++;
        old_tensor(in, &r, name, value, list);
    }
    bool ok = !in->tensor || found > 0 || no_tensor(in, near, st);
    v1_close(&r);
    return ok;
}
