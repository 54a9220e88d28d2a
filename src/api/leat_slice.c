/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that are parts of larger ones: what a VariableDef's SaveSliceInfoDef says, as the texts
 * that checkpoints' ops take. What a MetaGraph says is checked before anybody believes it. */
#include "api/leat_builder.h"
#include "io/slice.h"
#include "leat/scope.h"
#include "proto/leat_proto.h"

#include <inttypes.h>

/* The variable's own shape, as far as it is known, is the slice's. */
static bool fits(TF_Graph *g, const struct leat_variable_parts *v, const struct slice *part,
                 struct status *st)
{
    int64_t dims[SLICE_MAX_RANK];
    int rank = leat_static_shape(g, v->read, dims, SLICE_MAX_RANK);
    bool same = rank < 0 || rank == part->rank;
    for (int i = 0; same && i < rank; i++)
        same = dims[i] < 0 || dims[i] == part->len[i];
    return same ||
           status_invalid(st, "the slice has not the shape of '%s'", TF_OperationName(v->ref.oper));
}

static struct pb_save_slice_info_def *info_of(struct arena *a, const char *name,
                                              const struct shape *whole, const struct slice *part)
{
    struct pb_save_slice_info_def *info = pb_save_slice_info_def_new(a);
    const int n = part->rank;
    int64_t *sizes = arena_array(a, int64_t, n + 1), *starts = arena_array(a, int64_t, n + 1);
    int64_t *lens = arena_array(a, int64_t, n + 1);
    for (int i = 0; i < n; i++) {
        sizes[i] = shape_dim(whole, i);
        starts[i] = part->start[i];
        lens[i] = part->len[i];
    }
    pb_set_str(a, &info->full_name, name);
    info->full_shape.v = sizes;
    info->var_offset.v = starts;
    info->var_shape.v = lens;
    info->full_shape.n = info->var_offset.n = info->var_shape.n = n;
    return info;
}

static bool set_slice(TF_Graph *g, const struct leat_variable_parts *v, const char *name,
                      const char *spec, struct status *st)
{
    struct shape whole, shape;
    struct slice listed, part;
    if (!slice_spec_parse(str_of(spec), &whole, &listed, &shape, st))
        return false;
    bool ok = slice_resolve(&listed, &whole, &part) ||
              status_invalid(st, "the slice leaves the shape: %s", spec);
    if (ok && fits(g, v, &part, st)) {
        struct arena a = {0};
        struct pb_variable_def *d = builder_describe_variable((struct graph *)g, v, &a);
        d->save_slice_info_def = info_of(&a, name, &whole, &part);
        builder_keep_variable_def((struct graph *)g, d, true);
        arena_release(&a);
    }
    shape_clear(&whole);
    shape_clear(&shape);
    return status_ok(st);
}

int leat_set_variable_slice(TF_Graph *g, TF_Output v, const char *full_name, const char *spec)
{
    struct leat_variable_parts parts;
    struct status st = {0};
    if (!g)
        return 0;
    if (!full_name || !full_name[0] || !spec || !spec[0])
        status_invalid(&st, "no name or no slice");
    else if (!v.oper || !leat_find_variable(g, v, &parts))
        status_invalid(&st, "not a variable");
    else
        (void)!set_slice(g, &parts, full_name, spec, &st);
    bool ok = status_ok(&st);
    if (!ok)
        (void)leat_fail(g, NULL, (TF_Code)st.code, "leat_set_variable_slice: %s",
                        status_message(&st));
    status_clear(&st);
    return ok;
}

/* "4 3 0,2:0,3", or nothing where the numbers do not fit each other. */
static bool spec_of(const struct pb_save_slice_info_def *info, struct strbuf *out)
{
    int64_t n = info->full_shape.n;
    if (n == 0 || info->var_offset.n != n || info->var_shape.n != n || info->full_name.n == 0)
        return false;
    for (int64_t i = 0; i < n; i++)
        strbuf_printf(out, "%" PRId64 " ", info->full_shape.v[i]);
    for (int64_t i = 0; i < n; i++)
        strbuf_printf(out, "%s%" PRId64 ",%" PRId64, i > 0 ? ":" : "", info->var_offset.v[i],
                      info->var_shape.v[i]);
    struct shape whole, part;
    struct slice slice;
    struct status st = {0};
    bool ok = slice_spec_parse(str_make(out->p, out->n), &whole, &slice, &part, &st);
    if (ok) {
        shape_clear(&whole);
        shape_clear(&part);
    }
    status_clear(&st);
    return ok;
}

int leat_variable_slice(TF_Graph *g, TF_Output v, char **full_name, char **spec)
{
    struct leat_variable_parts parts;
    struct arena a = {0};
    struct strbuf text = {0};
    if (!g || !v.oper || !leat_find_variable(g, v, &parts))
        return 0;
    const struct pb_variable_def *d = builder_variable_def((struct graph *)g, parts.ref, &a);
    const struct pb_save_slice_info_def *info = d ? d->save_slice_info_def : NULL;
    bool ok = info && spec_of(info, &text);
    if (ok && full_name)
        *full_name = mem_strndup(info->full_name.p, info->full_name.n);
    if (ok && spec)
        *spec = mem_strndup(text.p, text.n);
    strbuf_release(&text);
    arena_release(&a);
    return ok;
}
