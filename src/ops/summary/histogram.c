/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: counts in buckets whose limits are +-1e-12 * 1.1^k up to 1e20, 0, and the greatest
 * finite numbers. */
#include <float.h>
#include <math.h>
#include <pthread.h>

#include "ops/summary/build.h"

enum { MAX_SIDE = 800, MAX_BUCKETS = 2 * MAX_SIDE + 1 };

static double limits[MAX_BUCKETS];
static int num_limits;

static void make_limits(void)
{
    double side[MAX_SIDE];
    int n = 0;
    for (double v = 1.0e-12; v < 1e20; v *= 1.1)
        side[n++] = v;
    side[n++] = DBL_MAX;
    ASSERT(n <= MAX_SIDE);
    for (int i = n - 1; i >= 0; i--)
        limits[num_limits++] = -side[i];
    limits[num_limits++] = 0;
    for (int i = 0; i < n; i++)
        limits[num_limits++] = side[i];
}

/* The first limit above v; the last one for the greatest. */
static int bucket_of(double v)
{
    int low = 0, high = num_limits - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (limits[mid] > v)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool count(const struct tensor *t, double *counts, struct pb_histogram_proto *h,
                  const char *name, struct status *st)
{
    h->min = DBL_MAX;
    h->max = -DBL_MAX;
    for (int64_t i = 0; i < t->num_elems; i++) {
        double v = summary_number(t, i);
        if (isnan(v))
            return status_invalid(st, "Nan in summary histogram for: %s", name);
        if (isinf(v))
            return status_invalid(st, "Infinity in summary histogram for: %s", name);
        counts[bucket_of(v)] += 1;
        if (v < h->min)
            h->min = v;
        if (v > h->max)
            h->max = v;
        h->num += 1;
        h->sum += v;
        h->sum_squares += v * v;
    }
    return true;
}

bool summary_add_histogram(struct summary_to *s, struct str tag, const struct tensor *values,
                           const char *name, struct status *st)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_limits);
    double counts[MAX_BUCKETS] = {0};
    struct pb_summary_value *v = pb_summary_value_add(s->arena, &s->message->value);
    v->tag = pb_str_dup(s->arena, tag);
    v->which_value = 5;
    v->histo = pb_histogram_proto_new(s->arena);
    if (!count(values, counts, v->histo, name, st))
        return false;
    for (int i = 0; i < num_limits; i++) {
        while (counts[i] == 0 && i + 1 < num_limits && counts[i + 1] == 0)
            i++; /* a run of empty buckets is one */
        pb_add_f64(s->arena, &v->histo->bucket_limit, limits[i]);
        pb_add_f64(s->arena, &v->histo->bucket, counts[i]);
    }
    return true;
}
