/* SPDX-License-Identifier: Apache-2.0 */
/* What changes: kernels that write are run here, one at a time, and leave entries and marks.
 *
 * Values are snapshots that share the variable's memory: the next update of it copies. Sparse
 * updates leave the rows that their indices name. While nobody is to be sent anything (the other
 * process is away, or there is none) marks alone are kept. */
#include <string.h>

#include "base/mem.h"
#include "dist/replica_impl.h"
#include "dist/worker.h"

#define KIND(name) PB_LEAT_PEER_CHANGE_KIND_##name

static void change_release(struct change *c)
{
    for (int i = 0; i < c->num_values; i++)
        tensor_clear(&c->values[i]);
    shape_clear(&c->declared);
    mem_free(c->values);
    mem_free(c->container);
    mem_free(c->name);
}

void entry_free(struct entry *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->n; i++)
        change_release(&e->changes[i]);
    mem_free(e->changes);
    mem_free(e);
}

static struct change *entry_add(struct entry *e, int kind, const char *container, const char *name,
                                int cap)
{
    e->changes = mem_realloc(e->changes, sizeof *e->changes * (size_t)(e->n + 1));
    struct change *c = &e->changes[e->n++];
    *c = (struct change){.kind = kind,
                         .container = mem_strdup(container),
                         .name = mem_strdup(name),
                         .type = "",
                         .declared = shape_unknown()};
    c->values = mem_new_array(struct tensor, cap + 1);
    return c;
}

/* Takes e. Under order. */
static void log_add(struct replica *r, struct entry *e)
{
    for (int i = 0; i < e->n; i++) {
        for (int k = 0; k < e->changes[i].num_values; k++)
            e->bytes += (int64_t)tensor_bytes(&e->changes[i].values[k]);
    }
    lock_take(&r->lock);
    bool wanted = e->n > 0 && r->role == REPLICA_SERVES && r->stream != STREAM_CLOSED;
    if (wanted) {
        e->number = r->next++;
        *r->tail = e;
        r->tail = &e->next;
        cond_signal(&r->wake);
    }
    lock_drop(&r->lock);
    if (!wanted)
        entry_free(e);
}

/* --- marks --- */

static void mark_free(struct mark *m)
{
    for (int i = 0; i < m->n; i++)
        tensor_clear(&m->outputs[i]);
    mem_free(m);
}

void replica_add_mark(struct replica *r, uint64_t key, struct tensor *outputs, int n)
{
    struct mark *m = mem_alloc(sizeof *m + sizeof m->outputs[0] * (size_t)n);
    m->n = n;
    for (int i = 0; i < n; i++)
        m->outputs[i] = tensor_copy(&outputs[i]);
    uint64_t *at = &r->ring[r->next_mark++ % CHANGE_MARKS_KEPT];
    struct mark *old = *at ? u64map_remove(&r->marks, *at) : NULL;
    if (old)
        mark_free(old);
    *at = key;
    old = u64map_put(&r->marks, key, m);
    if (old)
        mark_free(old);
}

void replica_clear_marks(struct replica *r)
{
    uint64_t key;
    void *value;
    for (int64_t i = 0; u64map_next(&r->marks, &i, &key, &value);)
        mark_free(value);
    u64map_release(&r->marks);
    r->marks = (struct u64map){0};
    memset(r->ring, 0, sizeof *r->ring * CHANGE_MARKS_KEPT);
}

/* 0: the step has no key, as nobody will try it again. */
static uint64_t mark_of(const struct kctx *c)
{
    const struct kernel_env *env = c->env;
    if (env->change_key == 0)
        return 0;
    const char *frame = c->frame ? c->frame : "";
    uint64_t parts[3] = {env->change_key,
                         hash_stable(c->kernel->node_name, strlen(c->kernel->node_name)),
                         hash_stable(frame, strlen(frame)) + (uint64_t)c->frame_iter};
    uint64_t key = hash_stable(parts, sizeof parts);
    return key ? key : 1;
}

static bool give_again(struct kctx *c, const struct mark *m, struct status *st)
{
    int next = 0;
    for (int i = 0; i < c->kernel->num_outputs; i++) {
        if (dtype_is_ref(c->kernel->output_types[i])) {
            if (c->kernel->num_inputs <= i || !dtype_is_ref(c->in[i]->dtype))
                return status_internal(st, "%s: no reference to give back", c->kernel->op->name);
            kernel_out_ref(c, i, kernel_ref(c, i));
        } else if (next < m->n) {
            kernel_out_share(c, i, &m->outputs[next++]);
        } else {
            return status_internal(st, "%s: what it gave is not known", c->kernel->op->name);
        }
    }
    return true;
}

/* The outputs that are values, with the mark; sends them too. */
static void note_mark(struct replica *r, uint64_t mark, const struct kctx *c, struct entry *e)
{
    struct tensor outputs[CHANGE_MAX_TENSORS];
    int n = 0;
    if (mark == 0)
        return;
    for (int i = 0; i < c->kernel->num_outputs && n < CHANGE_MAX_TENSORS; i++) {
        if (!dtype_is_ref(c->kernel->output_types[i]) && c->out[i].dtype != DT_INVALID)
            outputs[n++] = c->out[i];
    }
    replica_add_mark(r, mark, outputs, n);
    e->mark = mark;
    struct change *m = entry_add(e, KIND(MARK), "", "", n);
    for (int i = 0; i < n; i++)
        m->values[m->num_values++] = tensor_copy(&outputs[i]);
}

/* --- what a kernel wrote --- */

struct written { /* a variable, referenced */
    struct variable *v;
    char *container;
    char *name;
};

static const struct handle *handle_of(const struct tensor *t)
{
    return t->dtype == DT_RESOURCE && t->num_elems == 1 ? *(struct handle *const *)t->data : NULL;
}

/* Behind a reference or a handle; false: neither, or none that is found by a name. */
static bool find_written(const struct kctx *c, int i, struct written *out)
{
    const struct tensor *t = c->in[i];
    const struct handle *h = handle_of(t);
    if (dtype_is_ref(t->dtype)) {
        struct variable *v = kernel_ref(c, i);
        if (!v->container)
            return false;
        *out = (struct written){variable_ref(v), mem_strdup(v->container), mem_strdup(v->name)};
        return true;
    }
    if (!h || strcmp(h->type_name, variable_type.name) != 0)
        return false;
    struct resource *v =
        resource_find(c->env->container_resources, h->container, &variable_type, h->name);
    if (v)
        *out =
            (struct written){(struct variable *)v, mem_strdup(h->container), mem_strdup(h->name)};
    return v != NULL;
}

/* The numbers of the rows that a sparse update names; false: it is none, or not that simple. */
static bool sparse_rows(const struct kctx *c, struct tensor *out)
{
    int first, n;
    struct status st = {0};
    if (strstr(c->kernel->op->name, "ScatterNd") ||
        !kernel_input_range(c->kernel, "indices", &first, &n) || n != 1)
        return false;
    const struct tensor *t = c->in[first];
    struct shape s = shape_1(t->num_elems);
    if ((t->dtype != DT_INT32 && t->dtype != DT_INT64) || !tensor_new(out, DT_INT64, &s, &st)) {
        status_clear(&st);
        return false;
    }
    int64_t *rows = out->data;
    for (int64_t i = 0; i < t->num_elems; i++)
        rows[i] =
            t->dtype == DT_INT32 ? ((const int32_t *)t->data)[i] : ((const int64_t *)t->data)[i];
    return true;
}

/* Copies the rows out; false: the whole value is as cheap, or has no such rows. */
static bool gather_rows(struct variable *v, const struct tensor *numbers, struct tensor *out)
{
    const struct tensor *t = &v->value;
    const int64_t *rows = numbers->data;
    struct status st = {0};
    if (t->dtype == DT_INVALID || dtype_is_managed(t->dtype) || t->shape.rank < 1)
        return false;
    const int64_t have = shape_dim(&t->shape, 0), n = numbers->num_elems;
    if (n > have / 2)
        return false;
    for (int64_t i = 0; i < n; i++) {
        if (rows[i] < 0 || rows[i] >= have)
            return false;
    }
    const size_t bytes = have > 0 ? tensor_bytes(t) / (size_t)have : 0;
    struct shape s = shape_2(n, have > 0 ? t->num_elems / have : 0);
    bool ok = tensor_new(out, t->dtype, &s, &st);
    status_clear(&st);
    for (int64_t i = 0; ok && i < n; i++)
        memcpy((char *)out->data + (size_t)i * bytes,
               (const char *)t->data + (size_t)rows[i] * bytes, bytes);
    return ok;
}

/* Its value, or nothing where it has none. */
static bool add_value(struct entry *e, const struct written *w, const struct tensor *rows)
{
    struct variable *v = w->v;
    struct status st = {0};
    struct tensor part = {0};
    bool ok = true;
    lock_take(&v->lock);
    const bool some = rows && gather_rows(v, rows, &part);
    struct change *c = entry_add(e, some ? KIND(ROWS) : KIND(VALUE), w->container, w->name, 2);
    c->dtype = v->dtype;
    c->type = variable_type.name;
    c->declared = shape_copy(&v->shape);
    if (some) {
        c->values[c->num_values++] = tensor_copy(rows);
        c->values[c->num_values++] = part;
    } else if (v->value.dtype != DT_INVALID) {
        ok = !v->copy_on_read || tensor_dup(&v->value, &part, &st);
        c->values[c->num_values++] = ok && v->copy_on_read ? part : tensor_copy(&v->value);
    }
    lock_drop(&v->lock);
    status_clear(&st);
    return ok;
}

static bool sends(struct replica *r)
{
    lock_take(&r->lock);
    bool sends = r->role == REPLICA_SERVES && r->stream != STREAM_CLOSED;
    lock_drop(&r->lock);
    return sends;
}

static void add_gone(struct entry *e, const struct kctx *c)
{
    const struct handle *h = c->kernel->num_inputs > 0 ? handle_of(c->in[0]) : NULL;
    if (h)
        entry_add(e, KIND(GONE), h->container, h->name, 0)->type = variable_type.name;
}

/* The list is made before the kernel runs, as its inputs may be gone afterwards. */
static int list_written(const struct kctx *c, struct written *all)
{
    int n = 0;
    for (int i = 0; i < c->kernel->num_inputs; i++)
        n += find_written(c, i, &all[n]);
    return n;
}

/* A variable that a handle names may be made by the kernel itself. */
static int list_made(const struct kctx *c, struct written *all, int n)
{
    return n > 0 ? n : list_written(c, all);
}

static bool run_noted(struct replica *r, struct kctx *c, uint64_t mark, struct status *st)
{
    struct written *all = mem_new_array(struct written, c->kernel->num_inputs + 1);
    struct tensor rows = {0};
    const bool gone = strcmp(c->kernel->op->name, "DestroyResourceOp") == 0;
    int n = list_written(c, all);
    bool sparse = !gone && sparse_rows(c, &rows);
    struct entry *e = mem_new(struct entry);
    if (gone)
        add_gone(e, c);
    bool ok = c->kernel->def->run(c, st);
    n = list_made(c, all, n);
    for (int i = 0; i < n && !gone; i++) {
        if (!add_value(e, &all[i], sparse && ok ? &rows : NULL) && ok)
            ok = status_exhausted(st, "no memory to replicate %s", all[i].name);
    }
    for (int i = 0; i < n; i++) {
        variable_unref(all[i].v);
        mem_free(all[i].container);
        mem_free(all[i].name);
    }
    if (ok)
        note_mark(r, mark, c, e);
    mem_free(all);
    tensor_clear(&rows);
    log_add(r, e);
    return ok;
}

static bool run_marked(struct replica *r, struct kctx *c, uint64_t mark, struct status *st)
{
    struct entry none = {0};
    bool ok = c->kernel->def->run(c, st);
    if (ok)
        note_mark(r, mark, c, &none);
    for (int i = 0; i < none.n; i++)
        change_release(&none.changes[i]);
    mem_free(none.changes);
    return ok;
}

bool replica_run_kernel(struct changes *h, struct kctx *c, struct status *st)
{
    struct replica *r = (struct replica *)h;
    const uint64_t mark = mark_of(c);
    bool ok;
    lock_take(&r->order);
    lock_take(&r->lock);
    bool serves = r->role == REPLICA_SERVES;
    uint64_t epoch = r->epoch;
    lock_drop(&r->lock);
    struct mark *m = mark ? u64map_find(&r->marks, mark) : NULL;
    if (!serves)
        ok = status_fail(st, STATUS_ABORTED, "%s: another process serves now (epoch %llu)", r->task,
                         (unsigned long long)epoch);
    else if (m)
        ok = give_again(c, m, st);
    else
        ok = sends(r) ? run_noted(r, c, mark, st) : run_marked(r, c, mark, st);
    lock_drop(&r->order);
    return ok;
}

void replica_clear_container(struct replica *r, const char *container)
{
    lock_take(&r->order);
    resource_clear_container(worker_state(r->o.worker), container);
    struct entry *e = mem_new(struct entry);
    entry_add(e, KIND(CLEAR), container, "", 0);
    log_add(r, e);
    lock_drop(&r->order);
}

/* --- everything --- */

static void log_variable(void *arg, const char *container, const char *name, struct resource *v)
{
    struct replica *r = arg;
    if (v->type != &variable_type)
        return;
    struct entry *e = mem_new(struct entry);
    struct written w = {(struct variable *)v, mem_strdup(container), mem_strdup(name)};
    if (!add_value(e, &w, NULL)) {
        lock_take(&r->lock);
        replica_close_stream(r); /* no memory: later, perhaps */
        lock_drop(&r->lock);
    }
    mem_free(w.container);
    mem_free(w.name);
    log_add(r, e);
}

/* Marks without outputs: their keys, as the tensor of a MARK of no op. */
static void log_keys(struct replica *r, const int64_t *keys, int64_t n)
{
    struct shape shape = shape_1(n);
    struct status st = {0};
    struct entry *e = mem_new(struct entry);
    struct change *c = entry_add(e, KIND(MARK), "", "", 1);
    if (n > 0 && tensor_new(&c->values[0], DT_INT64, &shape, &st)) {
        c->num_values = 1;
        memcpy(c->values[0].data, keys, (size_t)n * sizeof *keys);
    }
    if (!status_ok(&st)) {
        lock_take(&r->lock);
        replica_close_stream(r); /* no memory: later, perhaps */
        lock_drop(&r->lock);
        status_clear(&st);
    }
    log_add(r, e);
}

static void log_marks(struct replica *r)
{
    uint64_t key;
    void *value;
    int64_t n = 0;
    int64_t *keys = mem_new_array(int64_t, r->marks.num_live + 1);
    for (int64_t i = 0; u64map_next(&r->marks, &i, &key, &value);) {
        const struct mark *m = value;
        if (m->n == 0) {
            keys[n++] = (int64_t)key;
            continue;
        }
        struct entry *e = mem_new(struct entry);
        e->mark = key;
        struct change *c = entry_add(e, KIND(MARK), "", "", m->n);
        for (int k = 0; k < m->n; k++)
            c->values[c->num_values++] = tensor_copy(&m->outputs[k]);
        log_add(r, e);
    }
    log_keys(r, keys, n);
    mem_free(keys);
}

void replica_log_everything(struct replica *r)
{
    lock_take(&r->lock);
    replica_close_stream(r);
    r->stream = STREAM_OPENING;
    r->reset = true;
    lock_drop(&r->lock);
    resource_each(worker_state(r->o.worker), log_variable, r);
    log_marks(r);
    struct entry *end = mem_new(struct entry);
    end->whole = true;
    entry_add(end, KIND(MARK), "", "", 0); /* so that there is something to count */
    log_add(r, end);
    lock_take(&r->lock);
    r->whole_at = r->next;
    lock_drop(&r->lock);
}
