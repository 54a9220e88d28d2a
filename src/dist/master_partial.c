/* SPDX-License-Identifier: Apache-2.0 */
/* Piecewise steps of a master's sessions: what has been fed and asked for, and each piece as a step
 * of the same id.
 *
 * A piece that does not fit (fed twice, not from what was fed) changes nothing; one that fails ends
 * the run, as the one does that leaves nothing to feed or fetch. The plan that the first piece went
 * by is kept for the others. */
#include <string.h>

#include "base/mem.h"
#include "dist/master_impl.h"
#include "runtime/session_impl.h"

struct master_partial {             /* counted: the session's table, pieces under way */
    int refs;                       /* atomic */
    struct master_session *session; /* holds no reference: the table is the session's */
    char *handle;
    struct arena arena;
    struct signature names;
    struct output *feeds, *fetches;
    int64_t step_id;
    /* --- guarded by the session's lock --- */
    bool *fed, *asked;
    bool *part_started; /* its items atomic */
    struct master_plan *plan;
};

struct running_piece { /* owned by itself until the answer */
    struct piece piece;
    struct master_partial *partial;
    int *feed_index, *fetch_index;
    struct wire_value *feeds;
    int64_t num_feeds;
    master_step_fn done;
    void *arg;
};

/* --- life --- */

static void partial_unref(struct master_partial *p)
{
    if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    master_plan_unref(p->plan);
    mem_free(p->part_started);
    mem_free(p->handle);
    arena_release(&p->arena);
    mem_free(p);
}

/* They hold plans, which hold the session: they go when it is closed. */
void master_partials_drop_all(struct master_session *s)
{
    for (;;) {
        const char *key;
        void *value = NULL;
        int64_t at = 0;
        lock_take(&s->lock);
        struct master_partial *p =
            strmap_next(&s->partials, &at, &key, &value) ? strmap_remove(&s->partials, key) : NULL;
        lock_drop(&s->lock);
        if (!p)
            return;
        partial_unref(p);
    }
}

static const struct str *keep_names(struct arena *a, const struct pb_strs *names)
{
    struct str *out = arena_array(a, struct str, names->n + 1);
    for (int64_t i = 0; i < names->n; i++)
        out[i] = str_make(arena_strndup(a, names->v[i].p ? names->v[i].p : "", names->v[i].n),
                          names->v[i].n);
    return out;
}

static bool find_all(struct master_partial *p, struct status *st)
{
    struct graph *g = p->session->graph;
    p->feeds = arena_array(&p->arena, struct output, p->names.num_feeds + 1);
    p->fetches = arena_array(&p->arena, struct output, p->names.num_fetches + 1);
    for (int64_t i = 0; i < p->names.num_feeds; i++) {
        if (!graph_get_output(g, p->names.feeds[i].p, &p->feeds[i], st))
            return false;
    }
    for (int64_t i = 0; i < p->names.num_fetches; i++) {
        if (!graph_get_output(g, p->names.fetches[i].p, &p->fetches[i], st))
            return false;
    }
    for (int64_t i = 0; i < p->names.num_targets; i++) {
        if (!graph_get(g, p->names.targets[i].p, st))
            return false;
    }
    return true;
}

static struct master_partial *partial_new(struct master_session *s,
                                          const struct pb_partial_run_setup_request *r,
                                          struct status *st)
{
    struct master_partial *p = mem_new(struct master_partial);
    p->refs = 1;
    p->session = s;
    p->step_id = master_new_step_id();
    p->names = (struct signature){.feeds = keep_names(&p->arena, &r->feed),
                                  .fetches = keep_names(&p->arena, &r->fetch),
                                  .targets = keep_names(&p->arena, &r->target),
                                  .num_feeds = r->feed.n,
                                  .num_fetches = r->fetch.n,
                                  .num_targets = r->target.n,
                                  .partial = true};
    p->fed = arena_array(&p->arena, bool, r->feed.n + 1);
    p->asked = arena_array(&p->arena, bool, r->fetch.n + 1);
    if (master_check_names(&p->names, st) && find_all(p, st))
        return p;
    partial_unref(p);
    return NULL;
}

char *master_partial_setup(struct master *m, const struct pb_partial_run_setup_request *r,
                           struct status *st)
{
    struct master_session *s = master_find(m, r->session_handle, st);
    struct master_partial *p = s ? partial_new(s, r, st) : NULL;
    char *handle = NULL;
    if (p) {
        lock_take(&s->lock);
        bool open = !s->closed;
        if (open) {
            p->handle = mem_printf("%s;%lld", s->handle, (long long)++s->next_partial);
            handle = mem_strdup(p->handle);
            strmap_put(&s->partials, p->handle, p);
        }
        lock_drop(&s->lock);
        if (!open) {
            status_fail(st, STATUS_CANCELLED, "Session has been closed.");
            partial_unref(p);
        }
    }
    master_session_unref(s);
    return handle;
}

/* --- a piece --- */

static int find_name(const struct str *names, int64_t n, struct str name)
{
    for (int64_t i = 0; i < n; i++) {
        if (str_eq(names[i], name))
            return (int)i;
    }
    return -1;
}

static bool used_before(const int *index, int64_t n, int want)
{
    for (int64_t i = 0; i < n; i++) {
        if (index[i] == want)
            return true;
    }
    return false;
}

static bool name_feeds(struct running_piece *r, const struct master_step *step, struct status *st)
{
    const struct master_partial *p = r->partial;
    for (int64_t i = 0; i < step->num_feeds; i++) {
        struct str name = step->feeds[i].name;
        int at = find_name(p->names.feeds, p->names.num_feeds, name);
        if (at < 0)
            return status_invalid(st, "The feed %.*s was not specified in partial_run_setup.",
                                  (int)name.n, name.p ? name.p : "");
        if (p->fed[at] || used_before(r->feed_index, i, at))
            return status_invalid(st, "The feed %.*s has already been fed.", (int)name.n, name.p);
        r->feed_index[i] = at;
    }
    return true;
}

static bool name_fetches(struct running_piece *r, const struct master_step *step, struct status *st)
{
    const struct master_partial *p = r->partial;
    for (int64_t i = 0; i < step->num_fetches; i++) {
        struct str name = step->fetches[i];
        int at = find_name(p->names.fetches, p->names.num_fetches, name);
        if (at < 0)
            return status_invalid(st, "The fetch %.*s was not specified in partial_run_setup.",
                                  (int)name.n, name.p ? name.p : "");
        if (p->asked[at] || used_before(r->fetch_index, i, at))
            return status_invalid(st, "The fetch %.*s has already been fetched.", (int)name.n,
                                  name.p);
        r->fetch_index[i] = at;
    }
    return true;
}

/* Under the session's lock: marks what the piece feeds and asks for, if all of it fits. */
static bool mark(struct running_piece *r, const struct master_step *step, struct status *st)
{
    struct master_partial *p = r->partial;
    if (!name_feeds(r, step, st) || !name_fetches(r, step, st))
        return false;
    struct output *fetches = mem_new_array(struct output, step->num_fetches + 1);
    for (int64_t i = 0; i < step->num_fetches; i++)
        fetches[i] = p->fetches[r->fetch_index[i]];
    for (int64_t i = 0; i < step->num_feeds; i++)
        p->fed[r->feed_index[i]] = true;
    bool ok = partial_can_fetch(p->session->graph, p->feeds, p->fed, (int)p->names.num_feeds,
                                fetches, (int)step->num_fetches, st);
    for (int64_t i = 0; !ok && i < step->num_feeds; i++)
        p->fed[r->feed_index[i]] = false;
    for (int64_t i = 0; ok && i < step->num_fetches; i++)
        p->asked[r->fetch_index[i]] = true;
    r->piece.last = true;
    for (int64_t i = 0; i < p->names.num_feeds; i++)
        r->piece.last = r->piece.last && p->fed[i];
    for (int64_t i = 0; i < p->names.num_fetches; i++)
        r->piece.last = r->piece.last && p->asked[i];
    mem_free(fetches);
    return ok;
}

static void keep_plan(struct piece *piece, struct master_plan *plan)
{
    struct running_piece *r = (struct running_piece *)piece;
    struct master_partial *p = r->partial;
    lock_take(&p->session->lock);
    if (!p->plan) {
        p->plan = master_plan_ref(plan);
        p->part_started = mem_new_array(bool, plan->num_parts + 1);
    }
    piece->part_started = p->part_started;
    lock_drop(&p->session->lock);
}

static void piece_free(struct running_piece *r)
{
    for (int64_t i = 0; i < r->num_feeds; i++)
        tensor_clear(&r->feeds[i].value);
    partial_unref(r->partial);
    mem_free(r->feeds);
    mem_free(r->feed_index);
    mem_free(r->fetch_index);
    mem_free(r);
}

static void piece_over(void *arg, const struct status *st, struct wire_values *values,
                       struct strbuf *metadata)
{
    struct running_piece *r = arg;
    struct master_partial *p = r->partial;
    if (!status_ok(st) || r->piece.last) {
        lock_take(&p->session->lock);
        bool mine = strmap_find(&p->session->partials, p->handle) == p;
        if (mine)
            strmap_remove(&p->session->partials, p->handle);
        lock_drop(&p->session->lock);
        if (mine)
            partial_unref(p);
    }
    r->done(r->arg, st, values, metadata);
    piece_free(r);
}

/* What the client can reach is copied: the step outlives the call. */
static bool copy_feeds(struct running_piece *r, const struct master_step *step, struct status *st)
{
    for (int64_t i = 0; i < step->num_feeds; i++) {
        const struct tensor *from = &step->feeds[i].value;
        struct wire_value *to = &r->feeds[r->num_feeds++];
        to->name = step->feeds[i].name;
        if (!tensor_is_borrowed(from))
            to->value = tensor_copy(from);
        else if (!tensor_dup(from, &to->value, st))
            return false;
    }
    return true;
}

static struct running_piece *piece_new(struct master_session *s, const struct master_step *step,
                                       struct status *st)
{
    struct running_piece *r = mem_new(struct running_piece);
    r->feed_index = mem_new_array(int, step->num_feeds + 1);
    r->fetch_index = mem_new_array(int, step->num_fetches + 1);
    r->feeds = mem_new_array(struct wire_value, step->num_feeds + 1);
    bool ok = copy_feeds(r, step, st);
    lock_take(&s->lock);
    struct master_partial *p =
        strmap_find_n(&s->partials, step->partial_handle.p, step->partial_handle.n);
    if (p) {
        r->partial = p;
        __atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
    }
    lock_drop(&s->lock);
    if (ok && !p)
        ok = status_invalid(st, "Must run PartialRunSetup before performing partial runs");
    for (int64_t i = 0; ok && i < step->num_feeds; i++) {
        int at = find_name(p->names.feeds, p->names.num_feeds, step->feeds[i].name);
        ok = at < 0 || session_check_feeds(&p->feeds[at], &step->feeds[i].value, 1, st);
    }
    if (ok) {
        lock_take(&s->lock);
        ok = mark(r, step, st);
        r->piece.plan = p->plan;
        lock_drop(&s->lock);
    }
    if (ok)
        return r;
    piece_free(r);
    return NULL;
}

void master_run_piece(struct master_session *s, const struct master_step *step,
                      struct cancel *cancel, master_step_fn done, void *arg)
{
    struct status st = {0};
    struct running_piece *r = piece_new(s, step, &st);
    if (!r) {
        master_refuse(s, done, arg, &st);
        status_clear(&st);
        return;
    }
    r->done = done;
    r->arg = arg;
    r->piece.step_id = r->partial->step_id;
    r->piece.feed_index = r->feed_index;
    r->piece.fetch_index = r->fetch_index;
    r->piece.num_feeds = step->num_feeds;
    r->piece.num_fetches = step->num_fetches;
    r->piece.keep = keep_plan;
    const struct pb_run_options *o = step->options;
    const struct question q = {.names = r->partial->names,
                               .feeds = r->feeds,
                               .fetches = step->fetches,
                               .piece = &r->piece,
                               .timeout_ms = master_timeout(s, o ? o->timeout_in_ms : 0),
                               .traced = o && o->trace_level > 0,
                               .elsewhere = step->elsewhere,
                               .cancel = cancel,
                               .done = piece_over,
                               .arg = r};
    master_ask(s, &q, NULL);
}
