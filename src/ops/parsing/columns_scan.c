/* SPDX-License-Identifier: Apache-2.0 */
/* Finding columns in examples, and checking what they hold. Loops over examples are shared out; the
 * first wrong one is read again by itself for its message. */
#include "ops/parsing/columns_scan.h"
#include "base/map.h"

enum { EXAMPLE_NS = 2000 };

/* --- messages --- */

static struct str name_of(const struct parse_job *job, int64_t e)
{
    if (job->names && e < job->names->num_elems)
        return tstr_view(&tensor_str(job->names)[e]);
    return str_of("<unknown>");
}

static int shown(struct str s)
{
    return (int)min_i64((int64_t)s.n, 200);
}

static bool wrong(const struct parse_job *job, int64_t e, const struct column *col,
                  struct status *st, const char *why)
{
    struct str name = name_of(job, e);
    if (job->single)
        return status_invalid(st, "Key: %.*s.  %s", shown(col->key), col->key.p, why);
    return status_invalid(st, "Name: %.*s, Key: %.*s, Index: %lld.  %s", shown(name), name.p,
                          shown(col->key), col->key.p, (long long)e, why);
}

static bool wrong_type(const struct parse_job *job, int64_t e, const struct column *col, int dtype,
                       struct status *st)
{
    char why[160];
    snprintf(why, sizeof(why),
             col->dense ? "Data types don't match. Data type: %s but expected type: %s"
                        : "Data types don't match. Actual type: %s, Expected type: %s",
             dtype == DT_INVALID ? "none" : dtype_name(dtype), dtype_name(col->dtype));
    return wrong(job, e, col, st, why);
}

static bool wrong_count(const struct parse_job *job, int64_t e, const struct column *col,
                        int64_t count, struct status *st)
{
    struct strbuf why = {0};
    if (col->variable)
        strbuf_printf(&why,
                      "Number of %s values is not a multiple of stride length. Saw %lld "
                      "values but output shape is: ",
                      dtype_name(col->dtype), (long long)count);
    else
        strbuf_printf(&why,
                      "Number of %s values != expected.  Values size: %lld but output "
                      "shape: ",
                      dtype_name(col->dtype), (long long)count);
    shape_print(col->shape, &why);
    wrong(job, e, col, st, strbuf_text(&why));
    strbuf_release(&why);
    return false;
}

static bool malformed(struct str text, struct status *st)
{
    return status_invalid(st, "Could not parse example input, value: '%.*s'", shown(text), text.p);
}

/* --- one feature --- */

static bool missing(const struct parse_job *job, int64_t e, const struct column *col,
                    struct status *st)
{
    struct str name = name_of(job, e);
    if (!col->dense || col->variable || (col->def && col->def->num_elems > 0))
        return true;
    if (job->single)
        return status_invalid(st,
                              "Feature: %.*s (data type: %s) is required but could not be found.",
                              shown(col->key), col->key.p, dtype_name(col->dtype));
    return status_invalid(
        st, "Name: %.*s, Feature: %.*s (data type: %s) is required but could not be found.",
        shown(name), name.p, shown(col->key), col->key.p, dtype_name(col->dtype));
}

static bool fits(const struct column *col, int64_t count)
{
    if (!col->dense)
        return true;
    if (col->variable)
        return col->elems > 0 ? count % col->elems == 0 : count == 0;
    return count == col->elems;
}

static bool check_feature(const struct parse_job *job, int64_t e, const struct column *col,
                          struct column_view *v, struct status *st)
{
    if (v->feature.kind == FEATURE_NONE)
        v->seen = false;
    if (!v->seen)
        return missing(job, e, col, st);
    int dtype = feature_dtype(v->feature.kind);
    if (dtype != col->dtype)
        return wrong_type(job, e, col, dtype, st);
    v->count = feature_count(&v->feature);
    if (v->count < 0)
        return malformed(tstr_view(&job->texts[e]), st);
    return fits(col, v->count) || wrong_count(job, e, col, v->count, st);
}

/* --- a list of features --- */

static bool missing_list(const struct parse_job *job, int64_t e, const struct column *col,
                         struct status *st)
{
    struct str name = name_of(job, e);
    if (!col->dense || col->may_miss)
        return true;
    return status_invalid(st,
                          "Name: %.*s, Feature list '%.*s' is required but could not be found.  "
                          "Did you mean to include it in feature_list_dense_missing_assumed_empty "
                          "or feature_list_dense_defaults?",
                          shown(name), name.p, shown(col->key), col->key.p);
}

static bool check_step(const struct parse_job *job, int64_t e, const struct column *col,
                       struct str message, struct column_view *v, struct status *st)
{
    struct feature f;
    if (!feature_of(message, &f))
        return malformed(tstr_view(&job->texts[e]), st);
    int dtype = feature_dtype(f.kind);
    if (dtype != col->dtype && (col->dense || f.kind != FEATURE_NONE))
        return wrong_type(job, e, col, dtype, st);
    int64_t count = feature_count(&f);
    if (count < 0)
        return malformed(tstr_view(&job->texts[e]), st);
    v->num_steps++;
    v->count += count;
    v->longest = max_i64(v->longest, count);
    return fits(col, count) || wrong_count(job, e, col, count, st);
}

static bool check_list(const struct parse_job *job, int64_t e, const struct column *col,
                       struct column_view *v, struct status *st)
{
    struct wire_field f;
    enum wire_result r;
    struct str rest = v->list;
    if (!v->seen)
        return missing_list(job, e, col, st);
    while ((r = wire_next(&rest, &f)) == WIRE_FIELD) {
        if (f.number == 1 && f.type == 2 && !check_step(job, e, col, f.bytes, v, st))
            return false;
    }
    return r == WIRE_END || malformed(tstr_view(&job->texts[e]), st);
}

/* --- an example --- */

static int32_t find(const struct columns *cs, struct str key)
{
    for (uint64_t at = hash_bytes(key.p, key.n, 1);; at++) {
        int32_t k = cs->table[at & cs->mask];
        if (k < 0 || str_eq(cs->v[k].key, key))
            return k;
    }
}

static void fill_table(struct columns *cs)
{
    for (uint64_t i = 0; i <= cs->mask; i++)
        cs->table[i] = -1;
    for (int32_t k = 0; k < cs->num; k++) {
        int32_t *same = NULL;
        uint64_t at = hash_bytes(cs->v[k].key.p, cs->v[k].key.n, 1);
        while (!same) {
            int32_t *slot = &cs->table[at++ & cs->mask];
            if (*slot < 0 || str_eq(cs->v[*slot].key, cs->v[k].key))
                same = slot;
        }
        cs->v[k].same_key = *same;
        *same = k;
    }
}

static bool find_columns(struct columns *cs, int64_t e, struct str text, uint32_t number,
                         struct status *st)
{
    struct map_walk w = map_walk_of(text, number);
    struct str key, value;
    enum wire_result r;
    for (int k = 0; k < cs->num; k++)
        *column_view_at(cs, e, k) = (struct column_view){0};
    while ((r = map_walk_next(&w, &key, &value)) == WIRE_FIELD) {
        for (int32_t k = find(cs, key); k >= 0; k = cs->v[k].same_key) {
            struct column_view *v = column_view_at(cs, e, k); /* the last of a key counts */
            v->seen = true;
            v->list = value;
            if (number == 1 && !feature_of(value, &v->feature))
                return malformed(text, st);
        }
    }
    return r == WIRE_END || malformed(text, st);
}

static bool scan_example(struct parse_job *job, int64_t e, struct status *st)
{
    struct str text = tstr_view(&job->texts[e]);
    if (!find_columns(&job->features, e, text, 1, st))
        return false;
    for (int k = 0; k < job->features.num; k++) {
        if (!check_feature(job, e, &job->features.v[k], column_view_at(&job->features, e, k), st))
            return false;
    }
    if (job->lists.num > 0 && !find_columns(&job->lists, e, text, 2, st))
        return false;
    for (int k = 0; k < job->lists.num; k++) {
        if (!check_list(job, e, &job->lists.v[k], column_view_at(&job->lists, e, k), st))
            return false;
    }
    return true;
}

static void scan_some(void *arg, int64_t begin, int64_t end)
{
    struct parse_job *job = arg;
    struct status st = {0};
    for (int64_t e = begin; e < end; e++) {
        if (!scan_example(job, e, &st)) {
            int64_t first = __atomic_load_n(&job->first_wrong, __ATOMIC_RELAXED);
            while (e < first && !__atomic_compare_exchange_n(&job->first_wrong, &first, e, true,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            }
            status_clear(&st);
            return;
        }
    }
}

static bool views_new(struct columns *cs, struct parse_job *job, struct status *st)
{
    int64_t n;
    if (!size_mul(job->num, max_i64(cs->num, 1), &n) ||
        !size_mul(n, (int64_t)sizeof(*cs->views), &n))
        return status_exhausted(st, "too many examples");
    cs->views = kernel_scratch(job->c, n, st);
    if (cs->num)
        fill_table(cs);
    return cs->views != NULL;
}

bool parse_job_scan(struct parse_job *job, struct status *st)
{
    if (!views_new(&job->features, job, st) || !views_new(&job->lists, job, st))
        return false;
    job->first_wrong = job->num;
    kernel_loop(job->c, job->num, EXAMPLE_NS, scan_some, job);
    return job->first_wrong == job->num || scan_example(job, job->first_wrong, st);
}
