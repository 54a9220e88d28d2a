/* SPDX-License-Identifier: Apache-2.0 */
/* What all tables have in common: making and finding them, and the checks before their calls. */
#include "ops/lookup/table.h"

#include <string.h>

#include "base/mem.h"

static void table_release(struct resource *r)
{
    struct table *t = (struct table *)r;
    t->kind->release(t);
}

static void table_describe(struct resource *r, struct strbuf *out)
{
    struct table *t = (struct table *)r;
    strbuf_printf(out, "Table[%s to %s, %lld]", dtype_name(t->key_dtype),
                  dtype_name(t->value_dtype), (long long)t->kind->size(t));
}

const struct resource_type table_type = {
    .name = "N10tensorflow6lookup15LookupInterfaceE",
    .release = table_release,
    .describe = table_describe,
};

bool table_init_facts(struct table *t, const struct table_kind *kind, const struct table_facts *f,
                      struct status *st)
{
    if (!shape_num_elems(&f->key_shape, &t->key_elems, st) ||
        !shape_num_elems(&f->value_shape, &t->value_elems, st))
        return false;
    if (t->key_elems == 0)
        return status_invalid(st, "A table's keys must have elements");
    resource_init(&t->base, &table_type);
    rwlock_init(&t->lock, "table", LOCK_RANK_RESOURCE);
    t->kind = kind;
    t->key_dtype = f->key_dtype;
    t->value_dtype = f->value_dtype;
    t->key_shape = shape_copy(&f->key_shape);
    t->value_shape = shape_copy(&f->value_shape);
    return true;
}

bool table_init(struct table *t, const struct table_kind *kind, const struct kctx *c,
                const struct shape *key_shape, const struct shape *value_shape, struct status *st)
{
    const struct table_facts f = {.key_dtype = attrs_type(kernel_attrs(c), "key_dtype"),
                                  .value_dtype = attrs_type(kernel_attrs(c), "value_dtype"),
                                  .key_shape = *key_shape, /* borrowed */
                                  .value_shape = *value_shape};
    return table_init_facts(t, kind, &f, st);
}

void table_release_common(struct table *t)
{
    rwlock_release_memory(&t->lock);
    shape_clear(&t->key_shape);
    shape_clear(&t->value_shape);
}

/* --- handles --- */

struct make_args {
    struct kctx *c;
    struct table *(*make)(struct kctx *c, struct status *st);
};

static struct resource *make_table(void *arg, struct status *st)
{
    struct make_args *m = arg;
    struct table *t = m->make(m->c, st);
    return t ? &t->base : NULL;
}

/* The old handle: a reference to the names of container and table. */
static bool give_names(struct kctx *c, const char *container, const char *name, struct status *st)
{
    struct shape two = shape_1(2);
    struct tensor t;
    if (!tensor_new(&t, DT_STRING, &two, st))
        return false;
    if (!container[0] && c->env->container_resources)
        container = resource_map_default(c->env->container_resources);
    if (!tstr_set(&tensor_str(&t)[0], container, strlen(container)) ||
        !tstr_set(&tensor_str(&t)[1], name, strlen(name))) {
        tensor_clear(&t);
        return status_exhausted(st, "no memory for a table's name");
    }
    struct variable *v = variable_new(c->kernel->node_name, DT_STRING);
    variable_assign(v, &t);
    kernel_out_ref(c, 0, v);
    variable_unref(v);
    return true;
}

static bool give_handle(struct kctx *c, const char *container, const char *name, struct status *st)
{
    struct tensor handle;
    if (!resource_make_handle(c, container, name, &table_type, &handle, st))
        return false;
    kernel_out_take(c, 0, &handle);
    return true;
}

bool table_give(struct kctx *c, struct table *(*make)(struct kctx *c, struct status *st),
                struct status *st)
{
    const struct attrs *attrs = kernel_attrs(c);
    const char *container, *name;
    resource_names(c, attrs_bool(attrs, "use_node_name_sharing"), &container, &name);
    struct make_args m = {c, make};
    struct table *t = (struct table *)resource_find_or_make(c->env->container_resources, container,
                                                            &table_type, name, make_table, &m, st);
    if (!t)
        return false;
    int key = attrs_type(attrs, "key_dtype"), value = attrs_type(attrs, "value_dtype");
    bool ok = t->key_dtype == key && t->value_dtype == value;
    if (!ok)
        status_invalid(st, "Conflicting key/value dtypes %s->%s with %s-%s for table %s",
                       dtype_name(key), dtype_name(value), dtype_name(t->key_dtype),
                       dtype_name(t->value_dtype), name);
    resource_unref(&t->base);
    if (!ok)
        return false;
    return dtype_is_ref(c->kernel->output_types[0]) ? give_names(c, container, name, st)
                                                    : give_handle(c, container, name, st);
}

struct place {
    char *container, *name; /* owned */
};

/* What the old handle in input 0 says. */
static bool read_names(struct kctx *c, struct place *out, struct status *st)
{
    struct tensor h;
    if (!variable_read(kernel_ref(c, 0), &h, st))
        return false;
    bool ok = h.num_elems == 2 && h.dtype == DT_STRING;
    if (ok) {
        struct str container = tstr_view(&tensor_str(&h)[0]), name = tstr_view(&tensor_str(&h)[1]);
        *out = (struct place){mem_strndup(container.p, container.n), mem_strndup(name.p, name.n)};
    } else {
        char *text = table_shape_text(&h.shape);
        status_invalid(st, "Lookup table handle must be scalar, but had shape: %s", text);
        mem_free(text);
    }
    tensor_clear(&h);
    return ok;
}

static struct table *find_named(struct kctx *c, struct status *st)
{
    struct place p;
    if (!read_names(c, &p, st))
        return NULL;
    struct resource *r =
        resource_get(resource_scope(c, p.container), p.container, &table_type, p.name, st);
    mem_free(p.container);
    mem_free(p.name);
    return (struct table *)r;
}

struct table *table_of(struct kctx *c, struct status *st)
{
    if (dtype_is_ref(kernel_in(c, 0)->dtype))
        return find_named(c, st);
    return (struct table *)resource_from_input(c, 0, &table_type, st);
}

/* --- checks --- */

bool table_want_fillable(struct kctx *c, const struct table *t, struct status *st)
{
    if (t->kind->fill)
        return true;
    if (dtype_is_ref(kernel_in(c, 0)->dtype)) {
        struct place p;
        if (!read_names(c, &p, st))
            return false;
        status_invalid(st, "Table %s %s is not initializable", p.container, p.name);
        mem_free(p.container);
        mem_free(p.name);
        return false;
    }
    const struct handle *h = *(struct handle *const *)kernel_in(c, 0)->data;
    return status_invalid(st, "Table %s %s is not initializable", h->container, h->name);
}

char *table_shape_text(const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    return strbuf_take(&text);
}

static void add_types(struct strbuf *b, const int *types, int n)
{
    for (int i = 0; i < n; i++)
        strbuf_printf(b, "%s%s", i ? ", " : "", dtype_name(types[i]));
}

bool table_want_types(const struct kctx *c, const struct table *t, struct status *st)
{
    const struct kernel *k = c->kernel;
    int in[] = {k->input_types[0], t->key_dtype, t->value_dtype};
    int keys_and_values[] = {t->key_dtype, t->value_dtype};
    /* a sole output of a table's op is a value */
    const int *out = keys_and_values + (k->num_outputs == 1);
    bool ok = k->num_inputs <= 3 && k->num_outputs <= 2;
    for (int i = 1; ok && i < k->num_inputs; i++)
        ok = k->input_types[i] == in[i];
    for (int i = 0; ok && i < k->num_outputs; i++)
        ok = k->output_types[i] == out[i];
    if (ok)
        return true;
    struct strbuf text = {0};
    strbuf_puts(&text, "Signature mismatch, have: ");
    add_types(&text, k->input_types, k->num_inputs);
    strbuf_puts(&text, "->");
    add_types(&text, k->output_types, k->num_outputs);
    strbuf_puts(&text, " expected: ");
    add_types(&text, in, k->num_inputs);
    strbuf_puts(&text, "->");
    add_types(&text, out, k->num_outputs);
    status_invalid(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool table_want_keys(const struct table *t, const struct tensor *keys, struct status *st)
{
    int rank = t->key_shape.rank, skip = tensor_rank(keys) - rank;
    bool ok = skip >= 0;
    for (int i = 0; ok && i < rank; i++)
        ok = tensor_dim(keys, skip + i) == shape_dim(&t->key_shape, i);
    if (ok)
        return true;
    char *have = table_shape_text(&keys->shape), *want = table_shape_text(&t->key_shape);
    status_invalid(st, "Input key shape %s must end with the table's key shape %s", have, want);
    mem_free(have);
    mem_free(want);
    return false;
}

/* The dims of keys but the last `skip`, then those of one value. */
static bool joined(const struct tensor *keys, int skip, const struct shape *value,
                   struct shape *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int lead = (int)max_i64(tensor_rank(keys) - skip, 0);
    if (lead + value->rank > SHAPE_MAX_RANK)
        return status_invalid(st, "The values of such keys have too many dimensions: %d",
                              lead + value->rank);
    for (int i = 0; i < lead; i++)
        dims[i] = tensor_dim(keys, i);
    for (int i = 0; i < value->rank; i++)
        dims[lead + i] = shape_dim(value, i);
    *out = shape_make(dims, lead + value->rank);
    return true;
}

bool table_values_shape(const struct table *t, const struct tensor *keys, struct shape *out,
                        struct status *st)
{
    return joined(keys, t->key_shape.rank, &t->value_shape, out, st);
}

bool table_want_values(const struct table *t, const struct tensor *keys,
                       const struct tensor *values, bool stored, struct status *st)
{
    if (!table_want_keys(t, keys, st))
        return false;
    struct shape value = shape_copy(&t->value_shape), want = {0};
    int key_rank = t->key_shape.rank;
    if (stored && t->kind->scalar_is_row) {
        key_rank = (int)max_i64(key_rank, 1);
        if (value.rank == 0)
            value = shape_1(1);
    }
    bool ok = joined(keys, key_rank, &value, &want, st);
    shape_clear(&value);
    if (!ok)
        return false;
    ok = shape_equal(&want, &values->shape);
    if (!ok) {
        char *w = table_shape_text(&want), *have = table_shape_text(&values->shape);
        status_invalid(st, "Expected shape %s for value, got %s", w, have);
        mem_free(w);
        mem_free(have);
    }
    shape_clear(&want);
    return ok;
}

/* --- shapes --- */

bool table_infer_handle(struct infer_ctx *c, struct status *st)
{
    const struct shape *h;
    if (infer_input_type(c, 0) == DT_RESOURCE)
        return infer_want_rank(c, infer_input(c, 0), 0, &h, st);
    int64_t two;
    return infer_want_rank(c, infer_input(c, 0), 1, &h, st) &&
           infer_want_dim(c, infer_dim(h, 0), 2, &two, st);
}

bool table_infer_make(struct infer_ctx *c, struct status *st)
{
    (void)st;
    bool old = infer_output_type(c, 0) == DT_STRING;
    infer_set(c, 0, old ? infer_vector(c, 2) : infer_scalar(c));
    return true;
}
