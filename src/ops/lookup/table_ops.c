/* SPDX-License-Identifier: Apache-2.0 */
/* LookupTableFind, Insert, Remove, Size, Export, Import and InitializeTable, with their V2 forms:
 * the use of tables of every kind. V1 handles are references to two strings, V2 handles
 * resources; the rest is the same. */
#include "base/mem.h"
#include "ops/lookup/table.h"

/* --- find --- */

static bool find_in(struct kctx *c, struct table *t, struct status *st)
{
    const struct tensor *keys = kernel_in(c, 1), *none = kernel_in(c, 2);
    struct shape shape;
    if (!table_want_types(c, t, st) || !table_want_keys(t, keys, st))
        return false;
    if (!shape_equal(&none->shape, &t->value_shape)) {
        char *want = table_shape_text(&t->value_shape), *have = table_shape_text(&none->shape);
        status_invalid(st, "Expected shape %s for default value, got %s", want, have);
        mem_free(want);
        mem_free(have);
        return false;
    }
    if (!table_values_shape(t, keys, &shape, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out && t->kind->find(t, keys, none, out->data, st);
}

/* What was done with the inputs is logged; where it failed, what it may have left behind. */
static bool noted(struct kctx *c, struct table *t, enum table_change what, bool ok)
{
    if (!ok)
        table_log_all(c, t);
    else
        table_log(c, t, what, kernel_in(c, 1), what == TABLE_REMOVED ? NULL : kernel_in(c, 2));
    return ok;
}

static bool insert_in(struct kctx *c, struct table *t, struct status *st)
{
    return table_want_types(c, t, st) &&
           table_want_values(t, kernel_in(c, 1), kernel_in(c, 2), false, st) &&
           noted(c, t, TABLE_INSERTED, t->kind->insert(t, kernel_in(c, 1), kernel_in(c, 2), st));
}

static bool remove_in(struct kctx *c, struct table *t, struct status *st)
{
    return table_want_types(c, t, st) && table_want_keys(t, kernel_in(c, 1), st) &&
           noted(c, t, TABLE_REMOVED, t->kind->remove(t, kernel_in(c, 1), st));
}

static bool import_in(struct kctx *c, struct table *t, struct status *st)
{
    return table_want_types(c, t, st) &&
           table_want_values(t, kernel_in(c, 1), kernel_in(c, 2), true, st) &&
           noted(c, t, TABLE_ALL, t->kind->import(t, kernel_in(c, 1), kernel_in(c, 2), st));
}

static bool export_in(struct kctx *c, struct table *t, struct status *st)
{
    struct tensor keys = {0}, values = {0};
    bool ok = t->kind->take_all(t, &keys, &values, st) && table_want_types(c, t, st);
    if (ok) {
        kernel_out_take(c, 0, &keys);
        kernel_out_take(c, 1, &values);
    }
    tensor_clear(&keys);
    tensor_clear(&values);
    return ok;
}

static bool size_in(struct kctx *c, struct table *t, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (out)
        tensor_i64(out)[0] = t->kind->size(t);
    return out != NULL;
}

static bool fill_in(struct kctx *c, struct table *t, struct status *st)
{
    const struct tensor *keys = kernel_in(c, 1), *values = kernel_in(c, 2);
    if (!table_want_fillable(c, t, st) || !table_want_types(c, t, st))
        return false;
    if (tensor_rank(keys) != 1) {
        char *text = table_shape_text(&keys->shape);
        status_invalid(st, "Keys must be a vector, but received shape%s", text);
        mem_free(text);
        return false;
    }
    if (keys->num_elems != values->num_elems)
        return status_invalid(st, "Keys and values must have the same size %lld vs %lld",
                              (long long)keys->num_elems, (long long)values->num_elems);
    return table_want_values(t, keys, values, false, st) &&
           noted(c, t, TABLE_ALL, t->kind->fill(t, keys, values, st));
}

/* Run functions: the table of input 0, then what is done with it. */
#define RUN(name, in)                                                                              \
    static bool name(struct kctx *c, struct status *st)                                            \
    {                                                                                              \
        struct table *t = table_of(c, st);                                                         \
        bool ok = t && in(c, t, st);                                                               \
        if (t)                                                                                     \
            resource_unref(&t->base);                                                              \
        return ok;                                                                                 \
    }
RUN(find_run, find_in)
RUN(insert_run, insert_in)
RUN(remove_run, remove_in)
RUN(import_run, import_in)
RUN(export_run, export_in)
RUN(size_run, size_in)
RUN(fill_run, fill_in)

/* --- shapes --- */

/* What is known behind input 0: false when a type is not the table's. */
static bool behind(struct infer_ctx *c, int key_dtype, int value_dtype, struct infer_handle *h,
                   struct status *st)
{
    *h = infer_handle_in(c, 0);
    if (h->n < 2)
        return true;
    int want[] = {key_dtype, value_dtype};
    for (int i = 0; i < 2; i++)
        if (h->dtypes[i] != want[i])
            return status_invalid(st, "Trying to read value with wrong dtype. Expected %s got %s",
                                  dtype_name(h->dtypes[i]), dtype_name(want[i]));
    return true;
}

static bool find_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *none, *keys = infer_input(c, 1);
    struct infer_handle h;
    if (!table_infer_handle(c, st) || !infer_want_rank_max(c, infer_input(c, 2), 1, &none, st) ||
        !behind(c, infer_input_type(c, 1), infer_input_type(c, 2), &h, st))
        return false;
    if (h.n < 2 || h.shapes[0]->rank == RANK_UNKNOWN)
        return true;
    int rank = h.shapes[0]->rank;
    if (rank > 0)
        keys = infer_slice(c, keys, 0, -rank);
    infer_set(c, 0, infer_concat(c, keys, h.shapes[1]));
    return true;
}

static bool handle_shape(struct infer_ctx *c, struct status *st)
{
    return table_infer_handle(c, st);
}

static bool size_shape(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_scalar(c));
    return table_infer_handle(c, st);
}

static bool remove_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *keys;
    return table_infer_handle(c, st) && infer_want_rank_min(c, infer_input(c, 1), 1, &keys, st);
}

/* Keys and values are vectors of one length. */
static bool fill_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *keys;
    return table_infer_handle(c, st) && infer_want_rank(c, infer_input(c, 1), 1, &keys, st) &&
           infer_merge(c, keys, infer_input(c, 2), &keys, st);
}

/* A dense table, which says so with a third part, keeps scalars as rows of one. */
static bool export_shape(struct infer_ctx *c, struct status *st)
{
    struct infer_handle h;
    if (!table_infer_handle(c, st) ||
        !behind(c, infer_output_type(c, 0), infer_output_type(c, 1), &h, st))
        return false;
    const struct shape *some = infer_vector(c, -1), *one = infer_vector(c, 1);
    bool dense = h.n == 3;
    infer_set(c, 0, dense ? infer_matrix(c, -1, -1) : some);
    if (h.n >= 2 && h.shapes[1]->rank != RANK_UNKNOWN)
        infer_set(c, 1, infer_concat(c, some, dense && h.shapes[1]->rank == 0 ? one : h.shapes[1]));
    return true;
}

/* --- the ops --- */

#define LIST(...) __VA_ARGS__
#define OP(id, op_name, run_fn, shape_fn, more, why, text, ins, outs, types)                       \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {ins},                                                                           \
        .outputs = {outs},                                                                         \
        .attrs = {types},                                                                          \
        .flags = more,                                                                             \
        .shape = shape_fn,                                                                         \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = run_fn}
#define BOTH(id, op_name, run_fn, shape_fn, why, text, ins, outs, types)                           \
    OP(id##_v2, op_name "V2", run_fn, shape_fn, OP_STATEFUL, why, text ".",                        \
       LIST("table_handle: resource", ins), LIST(outs), LIST(types));                              \
    OP(id, op_name, run_fn, shape_fn, 0, why, text "; " op_name "V2 takes its place.",             \
       LIST("table_handle: Ref(string)", ins), LIST(outs), LIST(types))

#define FLAT "what a table holds has no gradient"
#define NONE "undefined: TensorFlow has none"
BOTH(lookup_table_find, "LookupTableFind", find_run, find_shape, FLAT,
     "The values that a table has for keys, and a default for the keys it does not have",
     LIST("keys: Tin", "default_value: Tout"), "values: Tout", LIST("Tin: type", "Tout: type"));
BOTH(lookup_table_insert, "LookupTableInsert", insert_run, handle_shape, FLAT,
     "Puts keys and their values into a table, over what it had for them",
     LIST("keys: Tin", "values: Tout"), NULL, LIST("Tin: type", "Tout: type"));
OP(lookup_table_remove_v2, "LookupTableRemoveV2", remove_run, remove_shape, OP_STATEFUL, NONE,
   "Takes keys out of a table; those it does not have are passed over.",
   LIST("table_handle: resource", "keys: Tin"), NULL, "Tin: type");
BOTH(lookup_table_size, "LookupTableSize", size_run, size_shape, FLAT,
     "The number of keys in a table", NULL, "size: int64", NULL);
BOTH(lookup_table_export, "LookupTableExport", export_run, export_shape, NONE,
     "All keys of a table and their values: sorted by key, but as its buckets lie for a dense one",
     NULL, LIST("keys: Tkeys", "values: Tvalues"), LIST("Tkeys: type", "Tvalues: type"));
BOTH(lookup_table_import, "LookupTableImport", import_run, fill_shape, NONE,
     "Puts what an export gave in place of all that a table holds",
     LIST("keys: Tin", "values: Tout"), NULL, LIST("Tin: type", "Tout: type"));
BOTH(initialize_table, "InitializeTable", fill_run, fill_shape, FLAT,
     "Fills a table that is filled once", LIST("keys: Tkey", "values: Tval"), NULL,
     LIST("Tkey: type", "Tval: type"));
