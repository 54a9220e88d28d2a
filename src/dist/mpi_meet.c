/* SPDX-License-Identifier: Apache-2.0 */
/* needs: mpi */
/* What rank 0 keeps: the collectives that some ranks have joined and others have not yet. */
#include "dist/mpi_meet.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "op/collective.h"

struct meet {
    struct mpi_note first; /* of whoever came first */
    uint64_t *ids;         /* of each rank that came */
    bool *came;
    int num_came, root; /* root -1: nobody sends */
    bool failed;
    int code;
    char *why;
    struct meet *next;
};

size_t mpi_note_bytes(const struct mpi_note *n)
{
    const size_t rest =
        n->what == NOTE_JOIN ? sizeof n->dims[0] * (size_t)n->rank : (size_t)n->text_bytes;
    return offsetof(struct mpi_note, dims) + rest;
}

bool mpi_note_valid(const struct mpi_note *n)
{
    return n->what >= NOTE_JOIN && n->what <= NOTE_BYE && n->rank >= 0 &&
           n->rank <= SHAPE_MAX_RANK && n->text_bytes >= 0 && n->text_bytes < (int)sizeof n->text &&
           n->kind >= COLLECTIVE_REDUCE && n->kind <= COLLECTIVE_GATHER;
}

void mpi_meets_init(struct mpi_meets *m, int size,
                    void (*tell)(void *arg, int rank, const struct mpi_note *n), void *arg)
{
    *m = (struct mpi_meets){.size = size, .tell = tell, .arg = arg};
    m->left = mem_zalloc(sizeof *m->left * (size_t)size);
    m->end = &m->first;
}

static void meet_free(struct meet *t)
{
    mem_free(t->ids);
    mem_free(t->came);
    mem_free(t->why);
    mem_free(t);
}

void mpi_meets_release(struct mpi_meets *m)
{
    for (struct meet *t = m->first, *next; t; t = next) {
        next = t->next;
        meet_free(t);
    }
    mem_free(m->left);
}

static void drop(struct mpi_meets *m, struct meet *t)
{
    struct meet **at = &m->first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    if (!t->next)
        m->end = at;
    meet_free(t);
}

static struct meet *make(struct mpi_meets *m, const struct mpi_note *n)
{
    struct meet *t = mem_new(struct meet);
    *t = (struct meet){.first = *n, .root = -1};
    t->ids = mem_zalloc(sizeof *t->ids * (size_t)m->size);
    t->came = mem_zalloc(sizeof *t->came * (size_t)m->size);
    *m->end = t;
    m->end = &t->next;
    return t;
}

/* --- answers --- */

static void tell_failed(struct mpi_meets *m, const struct meet *t, int rank)
{
    struct mpi_note n = {.what = NOTE_FAIL, .id = t->ids[rank], .code = t->code};
    const size_t bytes = strlen(t->why);
    n.text_bytes = (int32_t)(bytes < sizeof n.text ? bytes : sizeof n.text - 1);
    memcpy(n.text, t->why, (size_t)n.text_bytes);
    m->tell(m->arg, rank, &n);
}

/* Takes st. It stays until all have come, so that they all hear of it. */
static void fail_meet(struct mpi_meets *m, struct meet *t, struct status *st)
{
    if (!t->failed) {
        t->failed = true;
        t->code = st->code;
        t->why = mem_strdup(status_message(st));
        for (int r = 0; r < m->size; r++) {
            if (t->came[r])
                tell_failed(m, t, r);
        }
    }
    status_clear(st);
}

static void end_if_all_came(struct mpi_meets *m, struct meet *t)
{
    if (t->num_came < m->size)
        return;
    struct status st = {0};
    if (!t->failed && t->first.kind == COLLECTIVE_BROADCAST && t->root < 0) {
        status_internal(&st, "Instance %lld found no source for broadcast: all %d members receive",
                        (long long)t->first.instance_key, m->size);
        fail_meet(m, t, &st);
    }
    for (int r = 0; r < m->size && !t->failed; r++) {
        const struct mpi_note n = {.what = NOTE_GO, .id = t->ids[r], .root = t->root};
        m->tell(m->arg, r, &n);
    }
    drop(m, t);
}

/* --- notes --- */

static bool same_key(const struct mpi_note *a, const struct mpi_note *b)
{
    return a->group_key == b->group_key && a->instance_key == b->instance_key &&
           a->iter == b->iter && a->frame == b->frame;
}

static struct collective part_of(const struct mpi_note *n, const char *who)
{
    return (struct collective){.kind = n->kind,
                               .merge = n->merge,
                               .divide = n->divide,
                               .dtype = n->dtype,
                               .group_size = n->group_size,
                               .group_key = n->group_key,
                               .instance_key = n->instance_key,
                               .device = who,
                               .shape = shape_make(n->dims, n->rank)};
}

static bool shapes_fit(const struct mpi_note *a, const struct mpi_note *b)
{
    const int skip = a->kind == COLLECTIVE_GATHER ? 1 : 0;
    return a->rank == b->rank &&
           (a->rank <= skip || memcmp(a->dims + skip, b->dims + skip,
                                      sizeof a->dims[0] * (size_t)(a->rank - skip)) == 0);
}

static bool fits(const struct meet *t, int rank, const struct mpi_note *n, struct status *st)
{
    char who[32];
    snprintf(who, sizeof who, "rank %d", rank);
    struct collective mine = part_of(n, who), its = part_of(&t->first, "");
    bool ok = collective_matches(&mine, &its, st) &&
              (shapes_fit(n, &t->first) || collective_shape_differs(&mine, &its.shape, st));
    if (ok && n->sends && t->root >= 0)
        ok = status_internal(st,
                             "Instance %lld already has source %d, received second claim from %d",
                             (long long)n->instance_key, t->root, rank);
    shape_clear(&mine.shape);
    shape_clear(&its.shape);
    return ok;
}

static bool nobody_left(const struct mpi_meets *m, const struct meet *t, struct status *st)
{
    for (int r = 0; r < m->size; r++) {
        if (m->left[r] && !t->came[r])
            return status_fail(st, STATUS_UNAVAILABLE,
                               "collective instance %lld: rank %d has left the job",
                               (long long)t->first.instance_key, r);
    }
    return true;
}

static void note_join(struct mpi_meets *m, int rank, const struct mpi_note *n)
{
    struct status st = {0};
    struct meet *t = m->first;
    while (t && (t->came[rank] || !same_key(&t->first, n)))
        t = t->next;
    const bool is_first = !t;
    if (is_first)
        t = make(m, n);
    t->ids[rank] = n->id;
    t->came[rank] = true;
    t->num_came++;
    if (t->failed)
        tell_failed(m, t, rank);
    else if ((!is_first && !fits(t, rank, n, &st)) || !nobody_left(m, t, &st))
        fail_meet(m, t, &st);
    else if (n->sends)
        t->root = rank;
    end_if_all_came(m, t);
}

/* Unknown: it was told to go, or to fail, before it withdrew. */
static void note_withdraw(struct mpi_meets *m, int rank, uint64_t id)
{
    struct status st = {0};
    for (struct meet *t = m->first; t; t = t->next) {
        if (!t->came[rank] || t->ids[rank] != id)
            continue;
        status_fail(&st, STATUS_ABORTED,
                    "collective instance %lld: the step of rank %d was cancelled",
                    (long long)t->first.instance_key, rank);
        fail_meet(m, t, &st);
        return;
    }
}

static void note_leave(struct mpi_meets *m, int rank)
{
    if (m->left[rank])
        return;
    m->left[rank] = true;
    m->num_left++;
    for (struct meet *t = m->first; t; t = t->next) {
        struct status st = {0};
        if (!nobody_left(m, t, &st))
            fail_meet(m, t, &st);
    }
    const struct mpi_note bye = {.what = NOTE_BYE};
    for (int r = 0; r < m->size && m->num_left == m->size; r++)
        m->tell(m->arg, r, &bye);
}

void mpi_meets_note(struct mpi_meets *m, int rank, const struct mpi_note *n)
{
    if (n->what == NOTE_JOIN)
        note_join(m, rank, n);
    else if (n->what == NOTE_WITHDRAW)
        note_withdraw(m, rank, n->id);
    else if (n->what == NOTE_LEAVE)
        note_leave(m, rank);
}
