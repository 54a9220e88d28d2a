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

enum { MAX_ELEMS = 10000 }; /* of --tensor */

/* --- values --- */

/* Element i as a number; false: the type has none. */
static bool number_at(const struct tensor *t, int64_t i, double *out)
{
    const void *p = t->data;
    switch (t->dtype) {
    case DT_FLOAT:
        *out = (double)((const float *)p)[i];
        return true;
    case DT_DOUBLE:
        *out = ((const double *)p)[i];
        return true;
    case DT_HALF:
        *out = (double)f16_to_f32(((const struct f16 *)p)[i]);
        return true;
    case DT_BFLOAT16:
        *out = (double)bf16_to_f32(((const struct bf16 *)p)[i]);
        return true;
    case DT_INT8:
    case DT_QINT8:
        *out = ((const int8_t *)p)[i];
        return true;
    case DT_BOOL:
    case DT_UINT8:
    case DT_QUINT8:
        *out = ((const uint8_t *)p)[i];
        return true;
    case DT_INT16:
    case DT_QINT16:
        *out = ((const int16_t *)p)[i];
        return true;
    case DT_UINT16:
    case DT_QUINT16:
        *out = ((const uint16_t *)p)[i];
        return true;
    case DT_INT32:
    case DT_QINT32:
        *out = ((const int32_t *)p)[i];
        return true;
    case DT_UINT32:
        *out = ((const uint32_t *)p)[i];
        return true;
    case DT_INT64:
        *out = (double)((const int64_t *)p)[i];
        return true;
    case DT_UINT64:
        *out = (double)((const uint64_t *)p)[i];
        return true;
    default:
        return false;
    }
}

/* Mean and deviation by Welford's way: one pass, no cancellation. */
static void statistics(struct inspect *in, struct report_node *to, const struct tensor *t)
{
    double least = INFINITY, greatest = -INFINITY, mean = 0, squares = 0, x = 0;
    int64_t nans = 0, infs = 0, n = 0;
    if (t->num_elems == 0 || !number_at(t, 0, &x))
        return;
    for (int64_t i = 0; i < t->num_elems; i++) {
        (void)!number_at(t, i, &x);
        nans += isnan(x) != 0;
        infs += isinf(x) != 0; /* it is -1 of -inf */
        least = fmin(least, x);
        greatest = fmax(greatest, x);
        if (!isfinite(x))
            continue;
        double away = x - mean;
        mean += away / (double)++n;
        squares += away * (x - mean);
    }
    report_real(&in->report, to, "min", nans == t->num_elems ? NAN : least);
    report_real(&in->report, to, "max", nans == t->num_elems ? NAN : greatest);
    report_real(&in->report, to, "mean", n > 0 ? mean : NAN);
    report_real(&in->report, to, "stddev", n > 0 ? sqrt(squares / (double)n) : NAN);
    if (nans > 0)
        report_int(&in->report, to, "nan", nans);
    if (infs > 0)
        report_int(&in->report, to, "inf", infs);
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
        else if (dtype_is_integer(t->dtype) && number_at(t, i, &x))
            report_int(&in->report, list, NULL, (int64_t)x);
        else if (number_at(t, i, &x))
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
