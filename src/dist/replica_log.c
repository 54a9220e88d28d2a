/* SPDX-License-Identifier: Apache-2.0 */
/* What changes: kernels that write variables and tables are run here, one at a time, and leave
 * entries and marks. (Other resources log by themselves: replica_notes.c.)
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

struct change *entry_add(struct entry *e, int kind, const char *container, const char *name,
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

void replica_log_add(struct replica *r, struct entry *e, struct journal *j)
{
    for (int i = 0; i < e->n; i++) {
        for (int k = 0; k < e->changes[i].num_values; k++)
            e->bytes += (int64_t)tensor_bytes(&e->changes[i].values[k]);
    }
    lock_take(&r->lock);
    bool wanted = e->n > 0 && r->role == REPLICA_SERVES && r->stream != STREAM_CLOSED &&
                  (!j || (!j->gone && j->stream == r->stream_id));
    if (j && e->n > 0 && e->changes[0].kind == KIND(GONE))
        j->gone = true;
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

void replica_give_up_stream(struct replica *r)
{
    lock_take(&r->lock);
    replica_close_stream(r);
    lock_drop(&r->lock);
}

bool replica_is_sending(struct replica *r)
{
    lock_take(&r->lock);
    bool sends = r->role == REPLICA_SERVES && r->stream != STREAM_CLOSED;
    lock_drop(&r->lock);
    return sends;
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

static void add_gone(struct entry *e, const struct kctx *c)
{
    const struct handle *h = c->kernel->num_inputs > 0 ? handle_of(c->in[0]) : NULL;
    if (h && strcmp(h->type_name, variable_type.name) == 0) /* others say so themselves */
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

/* The outputs that are values, with the mark; sends them too. A table's journal has done so. */
static void note_mark(struct replica *r, uint64_t mark, const struct kctx *c, struct entry *e)
{
    struct tensor outputs[CHANGE_MAX_TENSORS];
    if (mark == 0 || replica_has_mark(r, mark))
        return;
    const int n = replica_list_outputs(c, outputs, CHANGE_MAX_TENSORS);
    replica_add_mark(r, mark, outputs, n, 0);
    replica_put_mark(e, mark, outputs, n, 0);
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
    replica_log_add(r, e, NULL);
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
    const uint64_t mark = changes_key(c);
    if (c->kernel->def->flags & KERNEL_NOTES)
        return replica_run_noted(r, c, st);
    lock_take(&r->order);
    const enum run_before before = replica_look_back(r, c, mark, st);
    bool ok = before == RUN_AGAIN;
    if (before == RUN_NEW)
        ok = replica_is_sending(r) ? run_noted(r, c, mark, st) : run_marked(r, c, mark, st);
    lock_drop(&r->order);
    return ok;
}

void replica_clear_container(struct replica *r, const char *container)
{
    lock_take(&r->order);
    resource_clear_container(worker_state(r->o.worker), container);
    struct entry *e = mem_new(struct entry);
    entry_add(e, KIND(CLEAR), container, "", 0);
    replica_log_add(r, e, NULL);
    lock_drop(&r->order);
}

/* --- everything --- */

static void log_resource(void *arg, const char *container, const char *name, struct resource *v)
{
    struct replica *r = arg;
    if (v->type != &variable_type) {
        replica_log_resource(r, v);
        return;
    }
    struct entry *e = mem_new(struct entry);
    struct written w = {(struct variable *)v, mem_strdup(container), mem_strdup(name)};
    if (!add_value(e, &w, NULL))
        replica_give_up_stream(r);
    mem_free(w.container);
    mem_free(w.name);
    replica_log_add(r, e, NULL);
}

struct keys { /* of marks without outputs: they go as the tensor of a MARK of no op */
    struct replica *r;
    int64_t *v, n, cap;
};

static void log_mark(void *arg, uint64_t key, const struct mark *m)
{
    struct keys *k = arg;
    if (m->n == 0 && m->progress == 0) {
        k->v = vec_reserve(k->v, &k->cap, k->n + 1, sizeof *k->v);
        k->v[k->n++] = (int64_t)key;
        return;
    }
    struct entry *e = mem_new(struct entry);
    replica_put_mark(e, key, m->outputs, m->n, m->progress);
    replica_log_add(k->r, e, NULL);
}

static void log_keys(struct keys *k)
{
    struct shape shape = shape_1(k->n);
    struct status st = {0};
    struct entry *e = mem_new(struct entry);
    struct change *c = entry_add(e, KIND(MARK), "", "", 1);
    if (k->n > 0 && tensor_new(&c->values[0], DT_INT64, &shape, &st)) {
        c->num_values = 1;
        memcpy(c->values[0].data, k->v, (size_t)k->n * sizeof *k->v);
    }
    if (!status_ok(&st))
        replica_give_up_stream(k->r);
    status_clear(&st);
    replica_log_add(k->r, e, NULL);
    mem_free(k->v);
}

void replica_log_everything(struct replica *r)
{
    lock_take(&r->lock);
    replica_close_stream(r);
    r->stream = STREAM_OPENING;
    r->stream_id++;
    r->reset = true;
    lock_drop(&r->lock);
    resource_each(worker_state(r->o.worker), log_resource, r);
    struct keys keys = {.r = r};
    replica_each_mark(r, log_mark, &keys);
    log_keys(&keys);
    struct entry *end = mem_new(struct entry);
    end->whole = true;
    entry_add(end, KIND(MARK), "", "", 0); /* so that there is something to count */
    replica_log_add(r, end, NULL);
    lock_take(&r->lock);
    r->whole_at = r->next;
    lock_drop(&r->lock);
}
