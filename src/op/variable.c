/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: reading by snapshot, writing in place where nobody else looks.
 *
 * Made for one dense read and one update of each variable in a step, from several threads: a read
 * is a lock, a count and an unlock, and after the step's readers are done the update finds itself
 * alone and works in place.
 *
 * Lifetime: memory goes when the edge buffer's count does. That count holds one for all resource
 * references together (given back when the last of them goes, taken again if a reference edge
 * brings the variable back) and one for each reference value under way. */
#include "op/variable.h"

#include "base/mem.h"

enum { MAX_SPARSE_COPIES = 2 };

static void free_variable(struct buffer *edge)
{
    struct variable *v = edge->owner_arg;
    tensor_clear(&v->value);
    shape_clear(&v->shape);
    lock_release_memory(&v->lock);
    mem_free(v->name);
    mem_free(v->container);
    mem_free(v);
}

static void release_variable(struct resource *r)
{
    buffer_unref(&((struct variable *)r)->edge);
}

static void describe_variable(struct resource *r, struct strbuf *out)
{
    struct variable *v = (struct variable *)r;
    lock_take(&v->lock);
    strbuf_printf(out, "variable %s of %s, shape ", v->name, dtype_name(v->dtype));
    if (v->value.dtype == DT_INVALID)
        strbuf_puts(out, "unknown (uninitialized)");
    else
        shape_print(&v->value.shape, out);
    lock_drop(&v->lock);
}

const struct resource_type variable_type = {
    .name = "N10tensorflow3VarE",
    .release = release_variable,
    .describe = describe_variable,
};

struct variable *variable_new(const char *name, int dtype)
{
    struct variable *v = mem_new(struct variable);
    resource_init(&v->base, &variable_type);
    lock_init(&v->lock, "variable", LOCK_RANK_VARIABLE);
    v->dtype = dtype;
    v->shape = shape_unknown();
    v->name = mem_strdup(name ? name : "");
    v->edge = (struct buffer){.refs = 1, .data = v, .owner_arg = v, .release = free_variable};
    return v;
}

struct variable *variable_ref(struct variable *v)
{
    if (__atomic_fetch_add(&v->base.refs, 1, __ATOMIC_RELAXED) == 0)
        buffer_ref(
            &v->edge); /* a reference value kept it alive after its last resource reference */
    return v;
}

struct buffer *variable_edge_ref(struct variable *v)
{
    return buffer_ref(&v->edge);
}

bool variable_initialized(struct variable *v)
{
    lock_take(&v->lock);
    bool is = v->value.dtype != DT_INVALID;
    lock_drop(&v->lock);
    return is;
}

static bool fail_uninitialized(const struct variable *v, struct status *st)
{
    return status_precondition(st, "Attempting to use uninitialized value %s", v->name);
}

bool variable_read(struct variable *v, struct tensor *out, struct status *st)
{
    lock_take(&v->lock);
    bool initialized = v->value.dtype != DT_INVALID, ok = initialized;
    if (LIKELY(initialized && !v->copy_on_read))
        *out = tensor_copy(&v->value);
    else if (initialized)
        ok = tensor_dup(&v->value, out, st);
    lock_drop(&v->lock);
    return LIKELY(initialized) ? ok : fail_uninitialized(v, st);
}

void variable_assign(struct variable *v, struct tensor *t)
{
    ASSERT(!tensor_is_borrowed(t));
    struct tensor mine = tensor_take(t);
    lock_take(&v->lock);
    struct tensor old = v->value;
    v->value = mine;
    lock_drop(&v->lock);
    tensor_clear(&old);
}

/* Makes the locked variable's value writable. */
static bool make_writable(struct variable *v, bool sparse, struct tensor **value, struct status *st)
{
    if (v->value.dtype == DT_INVALID)
        return fail_uninitialized(v, st);
    const bool shared = v->value.num_elems > 0 && !tensor_is_sole(&v->value);
    if (shared) {
        struct tensor own;
        if (!tensor_dup(&v->value, &own, st))
            return false;
        tensor_clear(&v->value);
        v->value = own;
    }
    if (sparse)
        v->sparse_copies = shared ? v->sparse_copies + 1 : 0;
    v->copy_on_read = v->copy_on_read || v->sparse_copies >= MAX_SPARSE_COPIES;
    *value = &v->value;
    return true;
}

bool variable_write_begin(struct variable *v, bool sparse, struct tensor **value, struct status *st)
{
    lock_take(&v->lock);
    if (make_writable(v, sparse, value, st))
        return true;
    lock_drop(&v->lock);
    return false;
}

void variable_write_end(struct variable *v)
{
    lock_drop(&v->lock);
}

enum { MAX_AT_ONCE = 8 };

/* The distinct ones of v[0..n) in address order. */
static int in_address_order(struct variable *const *v, int n, struct variable **sorted)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        int at = m;
        while (at > 0 && (uintptr_t)sorted[at - 1] > (uintptr_t)v[i])
            at--;
        if (at > 0 && sorted[at - 1] == v[i])
            continue;
        for (int j = m; j > at; j--)
            sorted[j] = sorted[j - 1];
        sorted[at] = v[i];
        m++;
    }
    return m;
}

bool variable_write_begin_all(struct variable *const *v, int n, bool sparse, struct tensor **values,
                              struct status *st)
{
    struct variable *sorted[MAX_AT_ONCE];
    ASSERT(n <= MAX_AT_ONCE);
    int m = in_address_order(v, n, sorted);
    for (int i = 0; i < m; i++)
        lock_take(&sorted[i]->lock);
    for (int i = 0; i < n; i++) {
        if (!make_writable(v[i], sparse, &values[i], st)) {
            variable_write_end_all(v, n);
            return false;
        }
    }
    return true;
}

void variable_write_end_all(struct variable *const *v, int n)
{
    struct variable *sorted[MAX_AT_ONCE];
    for (int i = in_address_order(v, n, sorted) - 1; i >= 0; i--)
        lock_drop(&sorted[i]->lock);
}
