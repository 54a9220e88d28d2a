/* SPDX-License-Identifier: Apache-2.0 */
/* What resources say of themselves (op/notes.h), as entries; and from entries, copies of them.
 *
 * Resources log under their own locks, whenever they change, so everything here is taken after
 * those. A note counts for the stream that has all of the resource: what it said before that is in
 * what it tells then. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "dist/replica_impl.h"
#include "dist/worker.h"

#define KIND(name) PB_LEAT_PEER_CHANGE_KIND_##name

/* --- out --- */

static void add_note(struct entry *e, const struct journal *j, struct note *n)
{
    struct change *c = entry_add(e, KIND(NOTE), j->container, j->name, 0);
    mem_free(c->values);
    c->type = j->def->type->name;
    c->note = n->kind;
    c->values = n->values;
    c->num_values = n->n;
    *n = (struct note){0};
}

/* Whether what it says now is wanted. */
static bool is_told(struct replica *r, const struct journal *j)
{
    lock_take(&r->lock);
    const bool told = !j->gone && j->stream == r->stream_id && r->stream != STREAM_CLOSED &&
                      r->role == REPLICA_SERVES;
    lock_drop(&r->lock);
    return told;
}

void replica_log_notes(struct changes *h, struct journal *j, struct note *notes, int n,
                       const struct noted *op)
{
    struct replica *r = (struct replica *)h;
    const bool told = is_told(r, j);
    struct entry *e = mem_new(struct entry);
    bool failed = false;
    for (int i = 0; i < n; i++) {
        failed |= notes[i].failed;
        if (told)
            add_note(e, j, &notes[i]);
    }
    if (op && op->key) {
        replica_add_mark(r, op->key, op->outputs, op->num_outputs, op->progress);
        if (told)
            replica_put_mark(e, op->key, op->outputs, op->num_outputs, op->progress);
    }
    if (told && failed)
        replica_give_up_stream(r);
    replica_log_add(r, e, j);
}

struct telling {
    struct replica *r;
    struct journal *j;
};

static void say(void *arg, struct note *n)
{
    struct telling *t = arg;
    struct replica *r = t->r;
    if (n->kind == NOTE_MAKE) {
        lock_take(&r->lock);
        t->j->stream = r->stream_id;
        lock_drop(&r->lock);
    }
    struct entry *e = mem_new(struct entry);
    if (n->failed)
        replica_give_up_stream(r);
    add_note(e, t->j, n);
    replica_log_add(r, e, t->j);
}

void replica_log_resource(struct replica *r, struct resource *res)
{
    struct telling t = {r, res->journal};
    if (t.j && replica_is_sending(r))
        t.j->def->tell(res, say, &t);
}

/* --- journals --- */

static void came(void *arg, const char *container, const char *name, struct resource *res)
{
    struct replica *r = arg;
    const struct replicated_def *def = replicated_find(res->type->name);
    if (!def || res->journal)
        return;
    res->journal = journal_new(&r->hook, def, container, name);
    replica_log_resource(r, res);
}

static void went(void *arg, struct resource *res)
{
    struct journal *j = res->journal;
    if (!j)
        return;
    struct entry *e = mem_new(struct entry);
    entry_add(e, KIND(GONE), j->container, j->name, 0)->type = j->def->type->name;
    replica_log_add(arg, e, j);
}

void replica_watch(struct replica *r)
{
    resource_map_watch(worker_state(r->o.worker),
                       &(struct resource_watch){.came = came, .went = went, .arg = r});
}

/* --- in --- */

static bool make_copy(struct replica *r, const struct replicated_def *def, const struct change *c,
                      struct note_reader *in, struct status *st)
{
    struct resource_map *m = worker_state(r->o.worker);
    struct status none = {0};
    struct resource *res = def->make(c->name, in, st);
    if (!res)
        return false;
    if (!resource_remove(m, c->container, def->type, c->name, &none))
        status_clear(&none); /* it is new */
    if (resource_create(m, c->container, c->name, res, st))
        return true;
    resource_unref(res);
    return false;
}

bool replica_apply_note(struct replica *r, struct change *c, struct status *st)
{
    const struct replicated_def *def = replicated_find(c->type);
    struct note_reader in = {.values = c->values, .n = c->num_values};
    if (!def)
        return status_unimplemented(st, "Replicate: %s is of a type that is not known: %s", c->name,
                                    c->type);
    if (c->note == NOTE_MAKE)
        return make_copy(r, def, c, &in, st);
    struct resource *res =
        resource_get(worker_state(r->o.worker), c->container, def->type, c->name, st);
    const bool ok = res && def->apply(res, c->note, &in, st);
    resource_unref(res);
    return ok;
}
