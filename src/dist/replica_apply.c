/* SPDX-License-Identifier: Apache-2.0 */
/* Entries from the process that serves. An entry is applied when all of it is there, so what this
 * process would take over with is always what some kernels left behind, whole. Nothing in a message
 * is trusted further than a peer's words are: sizes and names are checked. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "dist/peers.h"
#include "dist/replica_impl.h"
#include "dist/service.h"
#include "dist/worker.h"
#include "op/tensor_proto.h"

#define KIND(name) PB_LEAT_PEER_CHANGE_KIND_##name
enum { MAX_BIG = 100000 };

/* --- one change --- */

struct making {
    const char *container, *name;
    const struct change *c;
};

static struct resource *make_variable(void *arg, struct status *st)
{
    const struct making *m = arg;
    (void)st;
    struct variable *v = variable_new(m->name, m->c->dtype);
    v->container = mem_strdup(m->container);
    v->shape = shape_copy(&m->c->declared);
    return &v->base;
}

static struct variable *find_variable(struct replica *r, const struct change *c, struct status *st)
{
    struct making m = {c->container, c->name, c};
    struct variable *v = (struct variable *)resource_find_or_make(
        worker_state(r->o.worker), c->container, &variable_type, c->name, make_variable, &m, st);
    if (!v || v->dtype == c->dtype)
        return v;
    status_invalid(st, "Replicate: %s is of another type here", c->name);
    variable_unref(v);
    return NULL;
}

static bool apply_value(struct replica *r, struct change *c, struct status *st)
{
    struct tensor value = {0};
    if (c->num_values > 0 && c->values[0].dtype != c->dtype)
        return status_invalid(st, "Replicate: a value of %s is of another type", c->name);
    struct variable *v = find_variable(r, c, st);
    if (!v)
        return false;
    if (c->num_values > 0)
        value = tensor_take(&c->values[0]);
    variable_assign(v, &value);
    variable_unref(v);
    return true;
}

static bool check_rows(const struct tensor *value, const struct change *c, struct status *st)
{
    const struct tensor *numbers = &c->values[0], *rows = &c->values[1];
    const int64_t have = value->shape.rank > 0 ? shape_dim(&value->shape, 0) : 0;
    bool ok = have > 0 && numbers->dtype == DT_INT64 && rows->dtype == value->dtype &&
              !dtype_is_managed(rows->dtype) &&
              rows->num_elems == numbers->num_elems * (value->num_elems / have);
    for (int64_t i = 0; ok && i < numbers->num_elems; i++) {
        int64_t row = ((const int64_t *)numbers->data)[i];
        ok = row >= 0 && row < have;
    }
    return ok || status_invalid(st, "Replicate: rows that do not fit %s", c->name);
}

static bool apply_rows(struct replica *r, struct change *c, struct status *st)
{
    struct tensor *value;
    if (c->num_values != 2)
        return status_invalid(st, "Replicate: rows without their numbers");
    struct variable *v = find_variable(r, c, st);
    if (!v || !variable_write_begin(v, false, &value, st)) {
        variable_unref(v);
        return false;
    }
    bool ok = check_rows(value, c, st);
    const int64_t have = ok ? shape_dim(&value->shape, 0) : 1;
    const size_t bytes = tensor_bytes(value) / (size_t)have;
    for (int64_t i = 0; ok && i < c->values[0].num_elems; i++)
        memcpy((char *)value->data + (size_t)((const int64_t *)c->values[0].data)[i] * bytes,
               (const char *)c->values[1].data + (size_t)i * bytes, bytes);
    variable_write_end(v);
    variable_unref(v);
    return ok;
}

static bool apply_gone(struct replica *r, const struct change *c)
{
    struct status st = {0};
    if (!resource_remove_named(worker_state(r->o.worker), c->container, c->type, c->name, &st))
        status_clear(&st); /* it is not there, as it should be */
    return true;
}

/* Many marks, of ops without outputs. */
static bool apply_keys(struct replica *r, const struct change *c, struct status *st)
{
    if (c->num_values == 0)
        return true;
    const struct tensor *keys = &c->values[0];
    if (keys->dtype != DT_INT64)
        return status_invalid(st, "Replicate: marks that are no numbers");
    for (int64_t i = 0; i < keys->num_elems; i++) {
        const uint64_t key = (uint64_t)((const int64_t *)keys->data)[i];
        if (key)
            replica_add_mark(r, key, NULL, 0, 0);
    }
    return true;
}

static bool apply_progress(struct replica *r, const struct change *c, uint64_t mark,
                           struct status *st)
{
    const struct tensor *t = c->values;
    if (mark == 0 || c->num_values != 1 || t->dtype != DT_INT64 || t->num_elems != 1 ||
        *tensor_i64(t) <= 0)
        return status_invalid(st, "Replicate: a progress that is none");
    replica_add_mark(r, mark, NULL, 0, *tensor_i64(t));
    return true;
}

static bool apply_change(struct replica *r, struct change *c, uint64_t mark, struct status *st)
{
    switch (c->kind) {
    case KIND(MARK):
        if (mark)
            replica_add_mark(r, mark, c->values, c->num_values, 0);
        return mark || apply_keys(r, c, st);
    case KIND(PROGRESS):
        return apply_progress(r, c, mark, st);
    case KIND(NOTE):
        return replica_apply_note(r, c, st);
    case KIND(VALUE):
        return apply_value(r, c, st);
    case KIND(ROWS):
        return apply_rows(r, c, st);
    case KIND(GONE):
        return apply_gone(r, c);
    case KIND(CLEAR):
        resource_clear_container(worker_state(r->o.worker), c->container);
        return true;
    default:
        return status_unimplemented(st, "Replicate: a change of kind %d", c->kind);
    }
}

/* --- from the message --- */

static char *dup_str(struct str s)
{
    return mem_strndup(s.n ? s.p : "", s.n);
}

/* A piece of a value goes into the change before it, which has it whole in the end. */
static bool add_piece(struct change *c, const struct pb_leat_peer_change *p, struct tensor *piece,
                      struct status *st)
{
    struct shape shape;
    if (p->value < 0 || p->value >= c->num_values || !p->shape ||
        !shape_from_proto(p->shape, &shape, st))
        return status_invalid(st, "Replicate: a piece of no value");
    bool ok = true;
    int64_t elems = 0;
    struct tensor *all = &c->values[p->value];
    if (p->offset == 0)
        ok = !dtype_is_managed(piece->dtype) && all->dtype == DT_INVALID &&
             shape_num_elems(&shape, &elems, st) && tensor_new(all, piece->dtype, &shape, st);
    shape_clear(&shape);
    ok = ok && all->dtype == piece->dtype && p->offset >= 0 && p->offset <= all->num_elems &&
         piece->num_elems <= all->num_elems - p->offset;
    if (!ok)
        return !status_ok(st) ? false : status_invalid(st, "Replicate: a piece that does not fit");
    memcpy((char *)all->data + (size_t)p->offset * dtype_size(piece->dtype), piece->data,
           tensor_bytes(piece));
    return true;
}

/* The values that are there, and room for those that come in pieces. */
static bool place_values(struct change *c, const struct pb_leat_peer_change *p,
                         struct wire_value *values, struct status *st)
{
    int64_t big = 0, given = 0;
    c->num_values = (int)(p->tensors + p->big.n);
    for (int64_t i = 0; i < c->num_values; i++) {
        if (big < p->big.n && p->big.v[big] == i)
            big++;
        else if (given < p->tensors)
            c->values[i] = tensor_take(&values[given++].value);
    }
    return (big == p->big.n && given == p->tensors) ||
           status_invalid(st, "Replicate: values without a place");
}

static bool read_change(struct entry *e, const struct pb_leat_peer_change *p,
                        struct wire_value *values, struct status *st)
{
    if (p->kind == KIND(PIECE)) {
        if (e->n == 0 || p->tensors != 1)
            return status_invalid(st, "Replicate: a piece without what is before it");
        return add_piece(&e->changes[e->n - 1], p, &values[0].value, st);
    }
    e->changes = mem_realloc(e->changes, sizeof *e->changes * (size_t)(e->n + 1));
    struct change *c = &e->changes[e->n++];
    *c = (struct change){.kind = p->kind,
                         .container = dup_str(p->container),
                         .name = dup_str(p->name),
                         .note = (int)p->note,
                         .dtype = p->dtype};
    char *type = dup_str(p->type);
    const struct replicated_def *def = replicated_find(type);
    c->type = def ? def->type->name : variable_type.name;
    const bool known = def || p->kind != KIND(NOTE);
    if (!known)
        status_unimplemented(st, "Replicate: a resource of type %s", type);
    mem_free(type);
    c->values = mem_new_array(struct tensor, (size_t)(p->tensors + p->big.n) + 1);
    c->declared = shape_unknown();
    return known && (!p->declared || shape_from_proto(p->declared, &c->declared, st)) &&
           place_values(c, p, values, st);
}

/* What came in pieces is there. */
static bool is_complete(const struct change *c)
{
    bool complete = true;
    for (int i = 0; complete && i < c->num_values; i++)
        complete = c->values[i].dtype != DT_INVALID;
    return complete;
}

static bool apply_entry(struct replica *r, struct entry *e, struct status *st)
{
    bool ok = true;
    for (int i = 0; ok && i < e->n; i++)
        ok = is_complete(&e->changes[i])
                 ? apply_change(r, &e->changes[i], e->mark, st)
                 : status_invalid(st, "Replicate: pieces of %s are missing", e->changes[i].name);
    return ok;
}

/* All changes of a message; those of entries before `expected` are passed over. Under order. */
static bool apply_all(struct replica *r, const struct pb_leat_peer_replicate_request *q,
                      struct wire_values *values, uint64_t *expected, struct status *st)
{
    uint64_t number = q->first;
    int64_t at = 0;
    if (q->part == 0) {
        entry_free(r->unfinished);
        r->unfinished = NULL;
    }
    for (int64_t i = 0; i < q->change.n; i++) {
        const struct pb_leat_peer_change *p = q->change.v[i];
        if (p->tensors < 0 || p->tensors > values->n - at)
            return status_invalid(st, "Replicate: tensors are missing");
        if (!r->unfinished)
            r->unfinished = mem_new(struct entry);
        r->unfinished->mark = p->mark;
        if (p->big.n > MAX_BIG)
            return status_invalid(st, "Replicate: a change of too many pieces");
        struct wire_value none = {.value = {0}};
        bool ok = read_change(r->unfinished, p, p->tensors ? &values->v[at] : &none, st);
        at += p->tensors;
        if (!ok)
            return false;
        if (!p->last)
            continue;
        struct entry *e = r->unfinished;
        r->unfinished = NULL;
        ok = number < *expected || apply_entry(r, e, st);
        entry_free(e);
        if (!ok)
            return false;
        if (number >= *expected)
            *expected = number + 1;
        number++;
    }
    return true;
}

/* --- a message --- */

/* Whether who serves heard this process within a lease: where its words arrive and no answer does,
 * it is as good as gone. */
static bool hears(const struct replica *r, const struct pb_leat_peer_replicate_request *q)
{
    return q->silence_ms < max_i64(r->lease_ns / 1000000, 1);
}

/* Under lock: whether what is in it is to be applied; else `again`, or nothing. */
static bool accept(struct replica *r, const struct pb_leat_peer_replicate_request *q, bool *again,
                   struct status *st)
{
    if (q->epoch < r->epoch || q->hello || r->role == REPLICA_SERVES)
        return false;
    if (r->asking)
        return status_fail(st, STATUS_UNAVAILABLE, "%s: the witness was asked who serves", r->task);
    if (r->role == REPLICA_STARTING)
        r->role = REPLICA_STANDS_BY;
    r->epoch = q->epoch;
    if (hears(r, q))
        r->heard_ns = clock_now_ns();
    r->other_fresh = false;
    if (q->reset && q->part == 0) {
        r->from = q->incarnation;
        r->expected = q->first;
        r->holds = false;
        r->next_part = 0;
        return true;
    }
    *again = q->incarnation != r->from || q->first > r->expected ||
             (q->part != 0 && q->part != r->next_part);
    return !*again;
}

/* Messages since the first one of the entry that the next message goes on with: this one, where an
 * entry ended in it and another began. */
static int64_t next_part(const struct pb_leat_peer_replicate_request *q)
{
    for (int64_t i = 0; i < q->change.n; i++) {
        if (q->change.v[i]->last)
            return 1;
    }
    return q->part + 1;
}

static void take_in(struct replica *r, const struct pb_leat_peer_replicate_request *q,
                    struct wire_values *values, struct pb_leat_peer_replicate_response *out)
{
    struct status st = {0};
    lock_take(&r->order);
    lock_take(&r->lock);
    uint64_t expected = r->expected;
    lock_drop(&r->lock);
    if (q->reset && q->part == 0) {
        resource_clear_all(worker_state(r->o.worker));
        replica_clear_marks(r);
    }
    bool ok = apply_all(r, q, values, &expected, &st);
    if (!ok)
        log_error("%s: a change cannot be taken over: %s", r->task, status_message(&st));
    status_clear(&st);
    lock_take(&r->lock);
    r->expected = expected;
    r->next_part = next_part(q);
    if (!ok)
        r->from = 0; /* from the beginning */
    r->holds = ok && (r->holds || q->whole);
    if (hears(r, q))
        r->heard_ns = clock_now_ns();
    out->again = !ok;
    out->holds = r->holds;
    lock_drop(&r->lock);
    lock_drop(&r->order);
}

static void receive_job(void *arg)
{
    struct serving *s = arg;
    struct replica *r = s->owner;
    const struct pb_leat_peer_replicate_request *q = s->request;
    struct pb_leat_peer_replicate_response *out = pb_leat_peer_replicate_response_new(&s->arena);
    struct status st = {0};
    struct safe_wait *waits = NULL;
    lock_take(&r->lock);
    const bool known = str_is(q->task, r->task);
    const bool was_starting = r->role == REPLICA_STARTING;
    const bool fenced = known && r->role == REPLICA_SERVES && q->epoch > r->epoch;
    if (fenced)
        replica_fence(r, q->epoch, &waits);
    if (known && r->role == REPLICA_STANDS_BY && q->hello && q->epoch == 0)
        r->other_fresh = true; /* it has just been started */
    bool again = false, leaving = known && q->leaving && q->epoch >= r->epoch;
    bool take = known && !leaving && accept(r, q, &again, &st);
    out->epoch = r->epoch;
    out->serves = r->role == REPLICA_SERVES;
    out->holds = r->holds;
    out->again = again;
    out->no_lease = !hears(r, q);
    out->incarnation = r->o.incarnation;
    const bool decided = was_starting && r->role != REPLICA_STARTING;
    lock_drop(&r->lock);
    if (!known)
        status_precondition(&st, "%s answers here", r->task);
    if (fenced)
        replica_fenced(r, waits);
    if (decided)
        r->o.decided(r->o.arg);
    if (take)
        take_in(r, q, &s->values, out);
    for (int64_t i = 0; take && i < q->left.n; i++) /* who is to end when all have left */
        peers_heard(r->o.peers, q->left.v[i], 0, true);
    if (leaving)
        r->o.over(r->o.arg);
    serving_reply_message(s, out, &st);
    status_clear(&st);
}

/* The pool, as values are copied, and kernels of former steps may hold the order. */
void replica_receive(void *arg, struct rpc_call *c)
{
    static const struct wire_tensors where = {.number = 11, .named = true};
    struct replica *r = arg;
    struct serving *s = serving_new(c, r, &pb_leat_peer_replicate_request_desc, &where);
    if (s)
        pool_submit(worker_pool(r->o.worker), receive_job, s);
}

int replica_handlers(struct replica *r, struct rpc_handler *out, int cap)
{
    ASSERT(cap >= 1);
    out[0] = (struct rpc_handler){"/leat.Peer/Replicate", replica_receive, r};
    return 1;
}
