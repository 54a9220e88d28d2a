/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of the ops that parse examples. */
#include "ops/parsing/example_attrs.h"

bool attrs_same_length(const struct attrs *a, struct same_length s, struct status *st)
{
    for (int i = 0; i < 4 && s.lists[i]; i++) {
        int64_t n = attrs_list(a, s.lists[i])->n;
        if (n != s.num)
            return status_invalid(st, "num_%s (%lld) must match the size of %s (%lld)", s.of,
                                  (long long)s.num, s.lists[i], (long long)n);
    }
    return true;
}

static bool unknown_shape(const char *list, int64_t i, const struct shape *s, bool variable,
                          struct status *st)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    if (variable)
        status_invalid(st, "%s[%lld] has unknown rank or unknown inner dimensions: %s", list,
                       (long long)i, strbuf_text(&text));
    else
        status_invalid(st, "%s: Shape %s is not fully defined", list, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool attrs_dense_shapes(const struct attrs *a, const char *list, bool variable, struct status *st)
{
    const struct attr_value *v = attrs_list(a, list);
    for (int64_t i = 0; i < v->n; i++) {
        const struct shape *s = &v->shapes[i];
        bool known = s->rank != RANK_UNKNOWN;
        for (int d = variable ? 1 : 0; known && d < s->rank; d++)
            known = shape_dim(s, d) != DIM_UNKNOWN;
        if (!known)
            return unknown_shape(list, i, s, variable, st);
    }
    return true;
}

bool columns_name(struct columns *cs, struct kctx *c, int first, struct key_source from,
                  const struct attr_value *types, struct status *st)
{
    for (int i = 0; i < (int)types->n; i++) {
        struct column *col = &cs->v[first + i];
        col->dtype = types->types[i];
        if (from.list) {
            col->key = from.list->ss[i];
            continue;
        }
        const struct tensor *key = kernel_in(c, from.first_input + i);
        if (key->num_elems != 1)
            return status_invalid(st, "Expected key %d to be a scalar", i);
        col->key = tstr_view(&tensor_str(key)[0]);
    }
    return true;
}

bool columns_shapes(struct columns *cs, const struct attr_value *shapes, struct status *st)
{
    for (int k = cs->num_sparse; k < cs->num; k++) {
        if (!column_set_shape(&cs->v[k], &shapes->shapes[k - cs->num_sparse], st))
            return false;
    }
    return true;
}

static bool bad_default(const struct column *col, int i, const char *shapes, struct status *st)
{
    struct strbuf want = {0}, have = {0};
    shape_print(col->shape, &want);
    shape_print(&col->def->shape, &have);
    if (col->variable)
        status_invalid(st,
                       "dense_shape[%d] is a variable length shape: %s, therefore def_value[%d] "
                       "must contain a single element (the padding element).  But its shape is: %s",
                       i, strbuf_text(&want), i, strbuf_text(&have));
    else
        status_invalid(st, "def_value[%d].shape() == %s is not compatible with %s_[%d] == %s", i,
                       strbuf_text(&have), shapes, i, strbuf_text(&want));
    strbuf_release(&want);
    strbuf_release(&have);
    return false;
}

bool columns_defaults(struct columns *cs, struct kctx *c, int first, const char *shapes,
                      struct status *st)
{
    for (int i = 0; i < cs->num - cs->num_sparse; i++) {
        struct column *col = &cs->v[cs->num_sparse + i];
        col->def = kernel_in(c, first + i);
        if (col->def->dtype != col->dtype)
            return status_invalid(st, "def_value[%d] has type %s, expected %s", i,
                                  dtype_name(col->def->dtype), dtype_name(col->dtype));
        if (col->variable ? col->def->num_elems != 1
                          : col->def->num_elems > 0 && !shape_equal(&col->def->shape, col->shape))
            return bad_default(col, i, shapes, st);
    }
    return true;
}

bool check_names(const struct parse_job *job, const char *names, struct status *st)
{
    if (job->names->num_elems == 0 || job->names->num_elems == job->num)
        return true;
    return status_invalid(st, "Expected len(%s) == len(serialized), but got: %lld vs. %lld", names,
                          (long long)job->names->num_elems, (long long)job->num);
}

void infer_sparse_outputs(struct infer_ctx *c, int first, int n, int width)
{
    for (int i = 0; i < n; i++) {
        infer_set(c, first + i,
                  width > 0 ? infer_matrix(c, DIM_UNKNOWN, width) : infer_of_rank(c, 2));
        infer_set(c, first + n + i, infer_vector(c, DIM_UNKNOWN));
        infer_set(c, first + 2 * n + i, infer_vector(c, width > 0 ? width : DIM_UNKNOWN));
    }
}

void infer_dense_outputs(struct infer_ctx *c, int first, const struct shape *before,
                         const char *list)
{
    const struct attr_value *v = attrs_list(infer_attrs(c), list);
    for (int64_t i = 0; i < v->n; i++)
        infer_set(c, first + (int)i, infer_concat(c, before, &v->shapes[i]));
}
