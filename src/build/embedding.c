/* SPDX-License-Identifier: Apache-2.0 */
/* embedding_lookup: rows of one table, or of several that share the rows out. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "build/mk.h"
#include "leat/clip.h"
#include "leat/nn.h"

void leat_embedding_lookup_args_init(struct leat_embedding_lookup_args *args)
{
    *args = (struct leat_embedding_lookup_args){.made_at = NULL};
}

/* What a table is: the node to stand with, its value's shape. */
struct table {
    TF_Output params; /* a variable, or a tensor */
    struct leat_variable_parts parts;
    bool is_variable, is_resource;
    TF_Output value; /* a tensor of the table's shape */
    int64_t dims[MK_MAX_RANK];
    int rank;
};

static bool open_table(TF_Graph *g, TF_Output params, struct table *t)
{
    if (!leat_valid(params)) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT, "embedding_lookup: a table is an invalid output");
        return false;
    }
    *t = (struct table){.params = params, .value = params};
    t->is_variable = leat_find_variable(g, params, &t->parts) != 0;
    if (t->is_variable) {
        t->is_resource = t->parts.is_resource;
        t->value = leat_valid(t->parts.read) ? t->parts.read : params;
        t->params = t->parts.ref;
    }
    t->rank = mk_dims(g, t->value, t->dims);
    return true;
}

/* Rows of a table, where it stands. name ends in a slash where the node is named as its scope. */
static TF_Output gather(TF_Graph *g, const struct table *t, TF_Output ids, const char *name)
{
    TF_Output y = MK_NONE;
    leat_with_colocation(g, t->params.oper) {
        if (t->is_resource) {
            TF_OperationDescription *d = leat_begin(g, "ResourceGather", name, NULL);
            if (!d)
                return MK_NONE;
            leat_add_input(d, t->params);
            leat_add_input(d, ids);
            TF_SetAttrType(d, "dtype", t->parts.dtype);
            y = mk_unary(g, "Identity", NULL, leat_output_of(leat_finish(d), 0));
        } else {
            size_t n = strlen(name);
            if (n && name[n - 1] == '/') { /* the scope is open */
                TF_Output axis = mk_i32(g, "axis", 0);
                y = mk_op(g, "GatherV2", name, leat_outputs(t->value, ids, axis));
            } else {
                leat_with_scope(g, name) {
                    TF_Output axis = mk_i32(g, "axis", 0);
                    y = mk_op(g, "GatherV2", leat_current_scope(g),
                              leat_outputs(t->value, ids, axis));
                }
            }
        }
    }
    return y;
}

/* Rows [.., dims of a row...] scaled to at most max_norm each. */
static TF_Output clip_rows(TF_Graph *g, TF_Output rows, TF_Output ids, double max_norm)
{
    int64_t axes[MK_MAX_RANK], dims[MK_MAX_RANK];
    int ids_rank = mk_dims(g, ids, dims), rank = mk_dims(g, rows, dims), n = 0;
    if (!(max_norm > 0) || !leat_valid(rows))
        return rows;
    if (ids_rank < 0 || rank < 0)
        return leat_fail(g, NULL, TF_UNIMPLEMENTED,
                         "embedding_lookup: max_norm with ids or tables of unknown rank");
    for (int i = ids_rank; i < rank; i++)
        axes[n++] = i;
    return leat_clip_by_norm(g, rows, max_norm, (struct leat_ints){axes, n});
}

static TF_Output lookup_one(const struct leat_embedding_lookup_args *a)
{
    TF_Graph *g = a->g;
    struct table t;
    TF_Output rows = MK_NONE;
    if (!open_table(g, a->params.v[0], &t))
        return MK_NONE;
    rows = gather(g, &t, a->ids, leat_current_scope(g));
    if (leat_valid(rows))
        leat_with_colocation(g, t.params.oper)
            rows = clip_rows(g, rows, a->ids, a->max_norm);
    return mk_unary(g, "Identity", NULL, rows);
}

/* ---- several tables ---- */

/* How many rows the tables have together; -1 when it is not known. */
static int64_t total_rows(const struct table *tables, int n)
{
    int64_t total = 0;
    for (int i = 0; i < n; i++)
        if (tables[i].rank < 1 || tables[i].dims[0] < 0 ||
            __builtin_add_overflow(total, tables[i].dims[0], &total))
            return -1;
    return total;
}

/* The table and the row in it of each of ids, which lie one after the other in the tables. */
static bool assign_div(TF_Graph *g, TF_Output ids, int64_t rows, int n, TF_Output *table,
                       TF_Output *row)
{
    TF_DataType dtype = leat_dtype(g, ids);
    if (rows < 0) {
        leat_fail(g, NULL, TF_UNIMPLEMENTED,
                  "embedding_lookup: division among tables whose number of rows is not known");
        return false;
    }
    TF_Output all = mk_scalar(g, "Const", dtype, (double)rows);
    TF_Output each = mk_math(g, "FloorDiv", "floordiv", mk_t(all), mk_n(n));
    TF_Output extra = mk_math(g, "FloorMod", "mod", mk_t(all), mk_n(n));
    TF_Output more = mk_math(g, "AddV2", "add", mk_t(each), mk_n(1));
    TF_Output among_long = mk_math(g, "FloorDiv", "floordiv", mk_t(ids), mk_t(more));
    TF_Output past = mk_math(g, "Sub", "sub", mk_t(ids), mk_t(extra));
    TF_Output among_short = mk_math(g, "FloorDiv", "floordiv", mk_t(past), mk_t(each));
    *table = mk_op(g, "Maximum", NULL, leat_outputs(among_long, among_short));
    TF_Output in_long = mk_op(g, "Less", NULL, leat_outputs(*table, extra));
    TF_Output more_again = mk_math(g, "AddV2", "add", mk_t(each), mk_n(1));
    TF_Output row_long = mk_math(g, "FloorMod", "mod", mk_t(ids), mk_t(more_again));
    TF_Output past_again = mk_math(g, "Sub", "sub", mk_t(ids), mk_t(extra));
    TF_Output row_short = mk_math(g, "FloorMod", "mod", mk_t(past_again), mk_t(each));
    *row = mk_op(g, "Select", NULL, leat_outputs(in_long, row_long, row_short));
    return leat_valid(*row);
}

static TF_Operation *partition(TF_Graph *g, TF_Output data, TF_Output table, int n)
{
    TF_OperationDescription *d = leat_begin(g, "DynamicPartition", NULL, NULL);
    if (!d)
        return NULL;
    leat_add_input(d, data);
    leat_add_input(d, table);
    TF_SetAttrInt(d, "num_partitions", n);
    return leat_finish(d);
}

/* The rows that were gathered from each table, back in the order of ids, which are flat. */
static TF_Output stitch(TF_Graph *g, TF_Operation *places, const TF_Output *rows, int n)
{
    TF_OperationDescription *d =
        leat_begin(g, "ParallelDynamicStitch", leat_current_scope(g), NULL);
    if (!d)
        return MK_NONE;
    TF_Output *indices = mem_new_array(TF_Output, n);
    for (int i = 0; i < n; i++)
        indices[i] = leat_output_of(places, i);
    leat_add_input_list(d, indices, n);
    leat_add_input_list(d, rows, n);
    mem_free(indices);
    return leat_output_of(leat_finish(d), 0);
}

/* rows with the shape of ids and then of a row. */
static TF_Output shape_as_ids(TF_Graph *g, TF_Output rows, TF_Output ids, const struct table *t)
{
    TF_Output shape = mk_shape(g, "Shape", ids), dims = MK_NONE;
    bool known = t->rank >= 1;
    for (int i = 1; i < t->rank; i++)
        known = known && t->dims[i] >= 0;
    TF_Output whole = known ? MK_NONE : mk_shape(g, "Shape", t->value);
    TF_Output rest = known ? MK_NONE : mk_slice1(g, "strided_slice", whole, 1, 0, false);
    leat_with_scope(g, "concat") {
        if (known)
            rest = mk_i32s(g, "values_1", (struct leat_ints){t->dims + 1, t->rank - 1});
        TF_Output axis = mk_i32(g, "axis", 0);
        TF_OperationDescription *d = leat_begin(g, "ConcatV2", leat_current_scope(g), NULL);
        if (d) {
            leat_add_input_list(d, (const TF_Output[]){shape, rest}, 2);
            leat_add_input(d, axis);
            dims = leat_output_of(leat_finish(d), 0);
        }
    }
    return mk_op(g, "Reshape", NULL, leat_outputs(rows, dims));
}

static TF_Output lookup_tables(const struct leat_embedding_lookup_args *a,
                               const struct table *tables, TF_Output *rows)
{
    TF_Graph *g = a->g;
    int n = a->params.n;
    TF_Output table, row;
    TF_Output flat = mk_reshape(g, "Reshape", a->ids, leat_ints(-1));
    TF_Output places = mk_range(g, "range", mk_size(g, "Size", flat));
    if (a->partition_strategy == LEAT_PARTITION_DIV) {
        if (!assign_div(g, flat, total_rows(tables, n), n, &table, &row))
            return MK_NONE;
    } else {
        table = mk_math(g, "FloorMod", "mod", mk_t(flat), mk_n(n));
        row = mk_math(g, "FloorDiv", "floordiv", mk_t(flat), mk_n(n));
    }
    table = mk_cast(g, table, TF_INT32);
    TF_Operation *rows_of = partition(g, row, table, n);
    TF_Operation *places_of = partition(g, places, table, n);
    if (!rows_of || !places_of)
        return MK_NONE;
    for (int i = 0; i < n; i++)
        rows[i] = gather(g, &tables[i], leat_output_of(rows_of, i),
                         tables[i].is_resource ? "Gather" : "GatherV2");
    TF_Output all = stitch(g, places_of, rows, n);
    return clip_rows(g, shape_as_ids(g, all, a->ids, &tables[0]), a->ids, a->max_norm);
}

TF_Output leat_embedding_lookup_fn(const struct leat_embedding_lookup_args *a)
{
    TF_Output y = MK_NONE;
    if (!a || !a->g)
        return y;
    if (a->params.n < 1 || !a->params.v || !leat_valid(a->ids))
        return leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                         "embedding_lookup: Need at least one param, and ids");
    leat_with_composite(a->g, a->name, "embedding_lookup", a->made_at) {
        if (a->params.n == 1) {
            y = lookup_one(a);
        } else {
            struct table *tables = mem_new_array(struct table, a->params.n);
            TF_Output *rows = mem_new_array(TF_Output, a->params.n);
            bool ok = true;
            for (int i = 0; ok && i < a->params.n; i++)
                ok = open_table(a->g, a->params.v[i], &tables[i]);
            if (ok)
                y = lookup_tables(a, tables, rows);
            mem_free(rows);
            mem_free(tables);
        }
    }
    return y;
}
