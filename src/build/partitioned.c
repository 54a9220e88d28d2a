/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioned variables: each part an ordinary variable under NAME/part_I that knows which slice of
 * the whole it is. One dimension is cut; its first parts are one longer where it does not divide.
 */
#include <string.h>

#include "build/build.h"
#include "build/mk.h"
#include "leat/partitioned.h"

struct leat_partitioned {
    TF_Graph *g;
    char *name; /* with the variable scope's */
    TF_Output *parts;
    int n, axis;
};

void leat_partitioned_args_init(struct leat_partitioned_args *args)
{
    *args = (struct leat_partitioned_args){.made_at = NULL};
    leat_variable_args_init(&args->variable);
}

/* ---- how many parts ---- */

static bool elements(struct leat_shape shape, int64_t *n)
{
    *n = 1;
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dims[i] < 0 || __builtin_mul_overflow(*n, shape.dims[i], n))
            return false;
    }
    return shape.rank >= 0;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t by_bytes(struct leat_partitioner p, int64_t length, int64_t slice_bytes)
{
    int64_t slices = slice_bytes > 0 && p.bytes / slice_bytes > 0 ? p.bytes / slice_bytes : 1;
    int64_t n = slice_bytes > 0 ? ceil_div(length, slices) : 1;
    return p.n > 0 ? at_most(n, p.n) : n;
}

int leat_partition_count(struct leat_partitioner p, struct leat_shape shape, TF_DataType dtype)
{
    int64_t all, bytes, n = 1;
    if (p.kind == LEAT_PARTITION_NONE)
        return 1;
    if (!elements(shape, &all) || p.axis < 0 || p.axis >= shape.rank || p.n < 0 || p.bytes < 0)
        return -1;
    int64_t each = dtype == TF_STRING ? p.bytes_per_string : (int64_t)TF_DataTypeSize(dtype);
    int64_t length = shape.dims[p.axis];
    if (__builtin_mul_overflow(all, each, &bytes))
        return -1;
    if (p.kind == LEAT_PARTITION_FIXED)
        n = p.n < 1 ? -1 : at_most(p.n, length);
    else if (p.kind == LEAT_PARTITION_BY_BYTES && p.bytes > 0)
        n = length > 0 ? by_bytes(p, length, bytes / length) : 1;
    else if (p.kind == LEAT_PARTITION_MIN_MAX && p.bytes > 0 && p.n > 0)
        n = at_most(at_most(ceil_div(bytes, p.bytes), length), p.n);
    else
        return -1;
    return n > INT32_MAX ? -1 : n == 0 ? 1 : (int)n;
}

/* ---- the parts ---- */

struct cut { /* part `index` of n */
    int64_t offset, length;
};

static struct cut cut_at(int64_t whole, int n, int index)
{
    int64_t each = whole / n, more = whole % n;
    return (struct cut){each * index + at_most(index, more), each + (index < more)};
}

/* "4 3 0,2:-" */
static char *slice_spec(struct leat_shape whole, int axis, struct cut c)
{
    struct strbuf b = {0};
    for (int i = 0; i < whole.rank; i++)
        strbuf_printf(&b, "%lld ", (long long)whole.dims[i]);
    for (int i = 0; i < whole.rank; i++) {
        if (i > 0)
            strbuf_puts(&b, ":");
        if (i == axis && c.length != whole.dims[i])
            strbuf_printf(&b, "%lld,%lld", (long long)c.offset, (long long)c.length);
        else
            strbuf_puts(&b, "-");
    }
    return strbuf_take(&b);
}

static TF_Output make_part(leat_partitioned *p, const struct leat_partitioned_args *a, int index)
{
    int64_t dims[MK_MAX_RANK];
    struct cut c = {0, 0};
    struct leat_shape shape = {dims, a->shape.rank};
    memcpy(dims, a->shape.dims, sizeof *dims * (size_t)shape.rank);
    if (shape.rank > 0) {
        c = cut_at(dims[p->axis], p->n, index);
        dims[p->axis] = c.length;
    }
    struct leat_variable_args args = a->variable;
    args.initializer =
        build_initializer_of(args.initializer, a->shape, args.dtype ? args.dtype : TF_FLOAT);
    char *name = mem_printf("%s/part_%d", a->name, index);
    TF_Output v = leat_get_variable_fn(a->g, name, shape, &args);
    mem_free(name);
    char *spec = slice_spec(a->shape, p->axis, c);
    if (leat_valid(v) && !leat_set_variable_slice(a->g, v, p->name, spec))
        v = MK_NONE;
    mem_free(spec);
    return v;
}

static int count_parts(const struct leat_partitioned_args *a)
{
    if (!a->name || !a->name[0]) {
        leat_fail(a->g, NULL, TF_INVALID_ARGUMENT, "leat_get_partitioned_variable: no name");
        return -1;
    }
    int n = leat_partition_count(a->partitioner, a->shape,
                                 a->variable.dtype ? a->variable.dtype : TF_FLOAT);
    if (n < 1 || a->shape.rank > MK_MAX_RANK) {
        leat_fail(a->g, NULL, TF_INVALID_ARGUMENT,
                  "%s: a known shape of a few dimensions, and a partitioner of one of them that "
                  "makes at least one part, are wanted",
                  a->name);
        return -1;
    }
    return n;
}

leat_partitioned *leat_get_partitioned_variable_fn(const struct leat_partitioned_args *a)
{
    if (!a || !a->g)
        return NULL;
    leat_push_caller(a->g, a->made_at);
    int n = count_parts(a);
    leat_partitioned *p = NULL;
    bool ok = n > 0;
    if (ok) {
        p = mem_new(leat_partitioned);
        *p = (leat_partitioned){.g = a->g, .n = n, .axis = a->partitioner.axis};
        p->name = mem_printf("%s%s", leat_current_variable_scope(a->g, NULL), a->name);
        p->parts = mem_new_array(TF_Output, n);
    }
    for (int i = 0; ok && i < n; i++) {
        p->parts[i] = make_part(p, a, i);
        ok = leat_valid(p->parts[i]);
    }
    leat_pop(a->g);
    if (ok)
        return p;
    leat_partitioned_free(p);
    return NULL;
}

void leat_partitioned_free(leat_partitioned *p)
{
    if (!p)
        return;
    mem_free(p->name);
    mem_free(p->parts);
    mem_free(p);
}

struct leat_outputs leat_partitioned_parts(const leat_partitioned *p)
{
    return (struct leat_outputs){p ? p->parts : NULL, p ? p->n : 0};
}

static TF_Output join_parts(const leat_partitioned *p)
{
    TF_Graph *g = p->g;
    TF_Output whole = MK_NONE;
    char *scope = mem_printf("%s/ConcatPartitions/", p->name);
    leat_push_scope(g, scope);
    mem_free(scope);
    leat_with_scope(g, "concat") {
        TF_OperationDescription *d = leat_begin(g, "ConcatV2", leat_current_scope(g), NULL);
        if (d) {
            leat_add_input_list(d, p->parts, p->n);
            leat_add_input(d, mk_i32(g, "axis", p->axis));
            whole = leat_output_of(leat_finish(d), 0);
        }
    }
    leat_pop(g);
    return whole;
}

TF_Output leat_partitioned_value(const leat_partitioned *p)
{
    if (!p)
        return MK_NONE;
    TF_Output whole = p->n == 1 ? leat_variable_value(p->g, p->parts[0]) : join_parts(p);
    leat_push_scope(p->g, NULL);
    TF_Output y = leat_valid(whole) ? leat_identity(p->g, whole, .name = p->name) : MK_NONE;
    leat_pop(p->g);
    return y;
}
