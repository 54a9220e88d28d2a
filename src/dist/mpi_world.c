/* SPDX-License-Identifier: Apache-2.0 */
/* needs: mpi */
/* The thread that speaks MPI, and what it carries: collectives whose group is all processes.
 *
 * A kernel hands its part in (world_join) and the thread notes it to rank 0, whose mpi_meet.c says
 * when to go; the data then move while this thread waits. A part is out of the thread's list when
 * it is told to go or to fail. One whose step is cancelled is called back at once, its values stay
 * until rank 0 has answered: others may be on their way. Between collectives the thread sleeps;
 * while parts wait it looks every 50 us, as MPI offers nothing to sleep on. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "dist/mpi.h"
#include "dist/mpi_link.h"
#include "dist/mpi_meet.h"
#include "dist/mpi_move.h"
#include "op/collective.h"

enum { LOOK_NS = 50000, IDLE_NS = 5000000, EAGER_LOOKS = 50 };

struct part {               /* of this rank in a collective */
    struct collective *m;   /* guarded by world.lock; NULL: its step was cancelled */
    struct collective spec; /* what is needed of m when it is gone */
    struct tensor in, out;
    struct mpi_note note;
    struct part *next;
};

struct letter { /* to another rank, on its way */
    struct mpi_note note;
    struct mpi_request request;
    struct letter *next;
};

static struct {
    struct lock lock;
    struct cond changed;
    enum { NOT_STARTED, STARTING, RUNNING, LEAVING, ENDED } state; /* guarded by lock */
    struct part *joined, **joined_end;                             /* guarded: new ones */
    struct part *parts;       /* guarded: noted, without an answer */
    uint64_t *withdrawn;      /* guarded: ids */
    int64_t num_withdrawn;    /* guarded */
    uint64_t next_id;         /* guarded */
    struct status broken;     /* guarded: why nothing works any more */
    int rank, size, launched; /* set before RUNNING */
    pthread_t thread;
    bool has_thread;
    pid_t pid; /* the thread's: a fork has none */
    /* the thread's own */
    struct mpi_ranks ranks;
    struct mpi_meets meets; /* rank 0 */
    struct letter *letters;
    struct mpi_note *answers; /* of rank 0 to itself */
    int64_t num_answers, cap_answers;
    bool told_leave, bye;
} world = {.lock = LOCK_INIT("mpi", LOCK_RANK_RESOURCE), .rank = -1};

/* --- parts --- */

static void part_free(struct part *p)
{
    tensor_clear(&p->in);
    tensor_clear(&p->out);
    shape_clear(&p->spec.shape);
    mem_free(p);
}

/* The member, if its step still waits: it is the caller's to call back. */
static struct collective *part_take_member(struct part *p)
{
    lock_take(&world.lock);
    struct collective *m = p->m;
    p->m = NULL;
    lock_drop(&world.lock);
    if (m && m->token)
        cancel_remove(m->cancel, m->token);
    return m;
}

static void part_end(struct part *p, struct status *st)
{
    struct collective *m = part_take_member(p);
    if (m)
        m->done(m, st, &p->out);
    status_clear(st);
    part_free(p);
}

static struct part *part_find_out(uint64_t id)
{
    lock_take(&world.lock);
    struct part **at = &world.parts, *p;
    while (*at && (*at)->note.id != id)
        at = &(*at)->next;
    p = *at;
    if (p)
        *at = p->next;
    lock_drop(&world.lock);
    return p;
}

/* --- the data --- */

/* How many rows each rank brings, where they go, and whether there is memory everywhere. */
static bool gather_room(struct part *p, size_t *at, struct status *st)
{
    const int size = world.size;
    const struct shape *s = &p->in.shape;
    int64_t *rows = mem_new_array(int64_t, size), dims[SHAPE_MAX_RANK] = {0}, total = 0;
    size_t *eights = mem_new_array(size_t, size + 1), row = dtype_size(p->in.dtype);
    struct status mine = {0};
    bool sums = true;
    for (int r = 0; r <= size; r++)
        eights[r] = (size_t)r * sizeof *rows;
    rows[world.rank] = shape_dim(s, 0);
    bool ok = mpi_move_gather(&world.ranks, rows, eights, st);
    memcpy(dims, shape_dims(s), sizeof *dims * (size_t)s->rank);
    for (int i = 1; i < s->rank; i++)
        sums = sums && !__builtin_mul_overflow(row, (size_t)dims[i], &row);
    for (int r = 0; ok && r < size; r++) {
        size_t bytes = 0;
        sums = sums && !__builtin_add_overflow(total, rows[r], &total) &&
               !__builtin_mul_overflow(row, (size_t)rows[r], &bytes) &&
               !__builtin_add_overflow(at[r], bytes, &at[r + 1]);
    }
    dims[0] = total;
    struct shape whole = shape_make(dims, s->rank);
    bool here = ok && sums &&
                (shape_compatible(&p->spec.shape, &whole) ||
                 collective_shape_differs(&p->spec, &whole, &mine)) &&
                tensor_new(&p->out, p->in.dtype, &whole, &mine);
    rows[world.rank] = here;
    ok = ok && mpi_move_gather(&world.ranks, rows, eights, st);
    for (int r = 0; ok && here && r < size; r++)
        here = rows[r] ||
               status_exhausted(&mine, "CollectiveGather: rank %d cannot take the result", r);
    if (ok && !here)
        ok = !status_ok(&mine) ? (status_move(st, &mine), false)
                               : status_invalid(st, "CollectiveGather: too many rows");
    status_clear(&mine);
    shape_clear(&whole);
    mem_free(rows);
    mem_free(eights);
    return ok;
}

/* *st: the network's error, or *own: one that all ranks found alike. */
static bool move_gather(struct part *p, struct status *st)
{
    size_t *at = mem_new_array(size_t, world.size + 1);
    bool ok = gather_room(p, at, st);
    if (ok && tensor_bytes(&p->in) > 0)
        memcpy((char *)p->out.data + at[world.rank], p->in.data, tensor_bytes(&p->in));
    ok = ok && mpi_move_gather(&world.ranks, p->out.data, at, st);
    mem_free(at);
    return ok;
}

static bool move_reduce(struct part *p, struct status *st)
{
    if (tensor_bytes(&p->in) > 0)
        memcpy(p->out.data, p->in.data, tensor_bytes(&p->in));
    const struct mpi_values v = {p->out.data, p->out.num_elems, p->out.dtype, p->spec.merge};
    if (!mpi_move_reduce(&world.ranks, &v, st))
        return false;
    if (p->spec.divide)
        collective_divide(v.data, v.n, v.dtype, world.size);
    return true;
}

static bool move_broadcast(struct part *p, int root, struct status *st)
{
    if (p->spec.sends && tensor_bytes(&p->in) > 0)
        memcpy(p->out.data, p->in.data, tensor_bytes(&p->in));
    return mpi_move_broadcast(&world.ranks, p->out.data, tensor_bytes(&p->out), root, st);
}

static void go(const struct mpi_note *n)
{
    struct status st = {0};
    struct part *p = part_find_out(n->id);
    if (!p)
        return;
    bool ok = p->spec.kind == COLLECTIVE_REDUCE   ? move_reduce(p, &st)
              : p->spec.kind == COLLECTIVE_GATHER ? move_gather(p, &st)
                                                  : move_broadcast(p, n->root, &st);
    if (!ok && st.code == STATUS_UNAVAILABLE) { /* what else is on its way cannot be told apart */
        lock_take(&world.lock);
        if (status_ok(&world.broken))
            status_copy(&world.broken, &st);
        lock_drop(&world.lock);
    }
    part_end(p, &st);
}

static void fail(const struct mpi_note *n)
{
    struct status st = {0};
    struct part *p = part_find_out(n->id);
    if (!p)
        return;
    status_fail(&st, n->code, "%.*s", n->text_bytes, n->text);
    part_end(p, &st);
}

static void hear(const struct mpi_note *n)
{
    if (n->what == NOTE_GO)
        go(n);
    else if (n->what == NOTE_FAIL)
        fail(n);
    else if (n->what == NOTE_BYE)
        world.bye = true;
}

/* --- notes --- */

static void break_world(struct status *st)
{
    lock_take(&world.lock);
    status_move(&world.broken, st);
    lock_drop(&world.lock);
    status_clear(st);
}

static void post(int to, const struct mpi_note *n)
{
    struct letter *l = mem_new(struct letter);
    struct status st = {0};
    memcpy(&l->note, n, mpi_note_bytes(n));
    if (!mpi_link_send(&l->request, &l->note, mpi_note_bytes(n), to, MPI_TAG_CONTROL, &st)) {
        mem_free(l);
        break_world(&st);
        return;
    }
    l->next = world.letters;
    world.letters = l;
}

/* Rank 0 tells itself after this turn, so that the others hear first. */
static void tell(void *arg, int rank, const struct mpi_note *n)
{
    (void)arg;
    if (rank != 0) {
        post(rank, n);
        return;
    }
    world.answers = vec_reserve(world.answers, &world.cap_answers, world.num_answers + 1,
                                sizeof *world.answers);
    world.answers[world.num_answers++] = *n;
}

static void note(const struct mpi_note *n)
{
    if (world.rank == 0)
        mpi_meets_note(&world.meets, 0, n);
    else
        post(0, n);
}

static void forget_sent(void)
{
    for (struct letter **at = &world.letters; *at;) {
        struct letter *l = *at;
        struct status st = {0};
        bool over = false, ok = mpi_link_test(&l->request, &over, &st);
        if (!ok)
            break_world(&st);
        if (!ok || over) {
            *at = l->next;
            mem_free(l);
        } else {
            at = &l->next;
        }
    }
}

/* True: there was one. */
static bool receive(void)
{
    struct mpi_note n = {0};
    struct mpi_request r;
    struct status st = {0};
    int from = -1;
    bool over = false;
    if (!mpi_link_probe(MPI_TAG_CONTROL, &from, &st)) {
        break_world(&st);
        return false;
    }
    if (from < 0)
        return false;
    bool ok = mpi_link_recv(&r, &n, sizeof n, from, MPI_TAG_CONTROL, &st);
    while (ok && !over)
        ok = mpi_link_test(&r, &over, &st);
    if (ok && (!mpi_note_valid(&n) || from >= world.size))
        ok = status_internal(&st, "MPI: rank %d sends what is no note", from);
    if (!ok)
        break_world(&st);
    else if (world.rank == 0)
        mpi_meets_note(&world.meets, from, &n);
    else
        hear(&n);
    return ok;
}

/* --- the thread --- */

static struct part *take_joined(uint64_t **withdrawn, int64_t *num)
{
    lock_take(&world.lock);
    struct part *list = world.joined;
    world.joined = NULL;
    world.joined_end = &world.joined;
    *withdrawn = world.withdrawn;
    *num = world.num_withdrawn;
    world.withdrawn = NULL;
    world.num_withdrawn = 0;
    lock_drop(&world.lock);
    return list;
}

/* True: there was something. */
static bool note_new(void)
{
    uint64_t *withdrawn;
    int64_t num;
    struct part *list = take_joined(&withdrawn, &num);
    const bool any = list || num > 0;
    for (struct part *p = list, *next; p; p = next) {
        next = p->next;
        lock_take(&world.lock);
        p->next = world.parts;
        world.parts = p;
        lock_drop(&world.lock);
        note(&p->note);
    }
    for (int64_t i = 0; i < num; i++) {
        const struct mpi_note n = {.what = NOTE_WITHDRAW, .id = withdrawn[i]};
        note(&n);
    }
    mem_free(withdrawn);
    return any;
}

static bool answer_self(void)
{
    const bool any = world.num_answers > 0;
    for (int64_t i = 0; i < world.num_answers; i++)
        hear(&world.answers[i]);
    world.num_answers = 0;
    return any;
}

/* Nothing works any more: whoever waits, or comes, is told why. */
static void fail_all(void)
{
    lock_take(&world.lock);
    struct part *lists[] = {world.parts, world.joined};
    world.parts = world.joined = NULL;
    world.joined_end = &world.joined;
    lock_drop(&world.lock);
    for (int i = 0; i < 2; i++) {
        for (struct part *p = lists[i], *next; p; p = next) {
            struct status st = {0};
            next = p->next;
            lock_take(&world.lock);
            status_copy(&st, &world.broken);
            lock_drop(&world.lock);
            part_end(p, &st);
        }
    }
}

static void rest(int idle_turns)
{
    lock_take(&world.lock);
    if (!world.joined && world.num_withdrawn == 0 && idle_turns > EAGER_LOOKS) {
        const bool waits = world.parts || world.letters || world.told_leave;
        if (world.state == LEAVING && !world.told_leave)
            ; /* it was just asked for */
        else if (waits)
            cond_wait_until(&world.changed, &world.lock, clock_now_ns() + LOOK_NS);
        else
            cond_wait_until(&world.changed, &world.lock,
                            world.rank == 0 ? clock_now_ns() + IDLE_NS : INT64_MAX);
    }
    lock_drop(&world.lock);
}

static void leave_if_asked(void)
{
    lock_take(&world.lock);
    const bool leaves = world.state == LEAVING && !world.joined;
    lock_drop(&world.lock);
    if (!leaves || world.told_leave)
        return;
    world.told_leave = true;
    const struct mpi_note n = {.what = NOTE_LEAVE};
    note(&n);
}

static bool is_broken(void)
{
    lock_take(&world.lock);
    const bool broken = !status_ok(&world.broken), leaves = world.state == LEAVING;
    lock_drop(&world.lock);
    if (broken) {
        fail_all();
        world.bye = world.bye || leaves;
    }
    return broken;
}

static void serve(void)
{
    int idle = 0;
    while (!world.bye || world.letters) {
        bool busy = note_new();
        leave_if_asked();
        busy |= receive();
        forget_sent();
        busy |= answer_self();
        if (is_broken() && world.bye)
            return;
        idle = busy ? 0 : idle + 1;
        if (idle > 0)
            rest(idle);
    }
}

static bool start_world(struct status *st)
{
    if (!mpi_link_start(&world.rank, &world.size, st))
        return false;
    if (world.size != world.launched && world.size == 1)
        return status_precondition(
            st,
            "MPI: the launcher started %d processes, but the MPI library sees 1: it belongs to "
            "another launcher (LEAT_MPI names the library; with srun, see srun --mpi=list)",
            world.launched);
    world.ranks = (struct mpi_ranks){world.rank, world.size, mem_try(MPI_PIECE, "MPI: pieces", st)};
    return world.ranks.piece != NULL;
}

static void *run(void *arg)
{
    struct status st = {0};
    (void)arg;
    cpu_float_mode_enter();
    bool ok = start_world(&st);
    mpi_meets_init(&world.meets, ok ? world.size : 1, tell, NULL);
    lock_take(&world.lock);
    status_move(&world.broken, &st);
    world.state = ok ? RUNNING : ENDED;
    cond_broadcast(&world.changed);
    lock_drop(&world.lock);
    if (ok) {
        serve();
        if (!is_broken() && !mpi_link_stop(&st))
            break_world(&st);
    }
    mpi_meets_release(&world.meets);
    mem_free(world.ranks.piece);
    mem_free(world.answers);
    return NULL;
}

/* --- members --- */

static bool world_covers(const struct collective *m, struct status *st)
{
    lock_take(&world.lock);
    const bool runs = world.state == RUNNING || world.state == LEAVING || world.state == ENDED;
    lock_drop(&world.lock);
    const bool wanted = strcmp(m->hint, "mpi") == 0;
    if (!runs || world.size < 2)
        return false;
    if (wanted && m->group_size != world.size)
        return status_invalid(st, "a collective over MPI has group size %lld, the job %d processes",
                              (long long)m->group_size, world.size);
    return m->group_size == world.size && strcmp(m->hint, "local") != 0;
}

static void on_cancel(void *arg)
{
    struct part *p = arg;
    struct status st = {0};
    struct tensor none = {0};
    lock_take(&world.lock);
    struct collective *m = p->m;
    p->m = NULL;
    if (m) {
        world.withdrawn = mem_realloc(world.withdrawn,
                                      sizeof *world.withdrawn * (size_t)(world.num_withdrawn + 1));
        world.withdrawn[world.num_withdrawn++] = p->note.id;
        cond_broadcast(&world.changed);
    }
    lock_drop(&world.lock);
    if (!m)
        return; /* the thread has it and waits for this callback */
    if (cancel_check(m->cancel, &st))
        status_fail(&st, STATUS_CANCELLED, "the step was cancelled");
    m->done(m, &st, &none);
    status_clear(&st);
}

static struct mpi_note note_of(const struct collective *m)
{
    const struct shape *s = m->kind == COLLECTIVE_GATHER ? &m->in->shape : &m->shape;
    struct mpi_note n = {.what = NOTE_JOIN,
                         .kind = m->kind,
                         .merge = m->merge,
                         .divide = m->divide,
                         .sends = m->sends,
                         .dtype = m->dtype,
                         .rank = s->rank,
                         .root = -1,
                         .group_size = m->group_size,
                         .group_key = m->group_key,
                         .instance_key = m->instance_key,
                         .iter = m->iter,
                         .frame = hash_stable(m->frame, strlen(m->frame))};
    memcpy(n.dims, shape_dims(s), sizeof n.dims[0] * (size_t)s->rank);
    return n;
}

static struct part *part_new(struct collective *m, struct status *st)
{
    struct part *p = mem_new(struct part);
    p->m = m;
    p->note = note_of(m);
    p->spec = *m;
    p->spec.shape = shape_copy(&m->shape);
    bool ok = true;
    if (m->in && tensor_is_borrowed(m->in))
        ok = tensor_dup(m->in, &p->in, st);
    else if (m->in)
        p->in = tensor_copy(m->in);
    if (ok && m->kind != COLLECTIVE_GATHER)
        ok = tensor_new(&p->out, m->dtype, &m->shape, st);
    if (ok)
        return p;
    part_free(p);
    return NULL;
}

/* Under the lock: true when the thread has it. */
static bool hand_in(struct part *p, struct collective *m, struct status *st)
{
    if (world.pid != getpid())
        return status_precondition(st, "MPI was in use before this process was forked");
    if (!status_ok(&world.broken) || world.state != RUNNING) {
        status_copy(st, &world.broken);
        return !status_ok(st)
                   ? false
                   : status_fail(st, STATUS_UNAVAILABLE, "this process left the MPI job");
    }
    m->token = m->cancel ? cancel_add(m->cancel, on_cancel, p) : 0;
    if (m->cancel && !m->token)
        return cancel_check(m->cancel, st) &&
               status_fail(st, STATUS_CANCELLED, "the step was cancelled");
    p->note.id = ++world.next_id;
    *world.joined_end = p;
    world.joined_end = &p->next;
    cond_broadcast(&world.changed);
    return true;
}

static void world_join(struct collective *m)
{
    struct status st = {0};
    struct tensor none = {0};
    struct part *p = part_new(m, &st);
    if (p) {
        lock_take(&world.lock);
        bool in = hand_in(p, m, &st);
        lock_drop(&world.lock);
        if (in)
            return;
        part_free(p);
    }
    m->done(m, &st, &none);
    status_clear(&st);
}

static const struct collectives world_collectives = {.covers = world_covers, .join = world_join};

/* --- begin and end --- */

static bool start_thread(struct status *st)
{
    sigset_t all, saved;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    world.has_thread = pthread_create(&world.thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    if (world.has_thread)
        pthread_setname_np(world.thread, "leat-mpi");
    return world.has_thread || status_exhausted(st, "MPI: no thread can be started");
}

static bool start(struct status *st)
{
    world.launched = mpi_launched_size();
    world.joined_end = &world.joined;
    world.pid = getpid();
    if (world.launched == 1) {
        world.rank = 0;
        world.size = 1;
        world.state = RUNNING;
        return true;
    }
    if (!mpi_link_open(st))
        return false;
    world.state = STARTING;
    if (!start_thread(st)) {
        world.state = NOT_STARTED;
        return false;
    }
    while (world.state == STARTING)
        cond_wait(&world.changed, &world.lock);
    return true;
}

bool mpi_init(struct status *st)
{
    lock_take(&world.lock);
    if (world.state == NOT_STARTED)
        cond_init(&world.changed);
    bool ok = world.state != NOT_STARTED || start(st);
    while (world.state == STARTING)
        cond_wait(&world.changed, &world.lock);
    if (ok && world.state != RUNNING) {
        if (status_ok(&world.broken))
            status_precondition(st, "MPI cannot be used again after it was left");
        else
            status_copy(st, &world.broken);
        ok = false;
    }
    lock_drop(&world.lock);
    if (ok && world.size > 1)
        collectives_offer(&world_collectives);
    return ok;
}

int mpi_rank(void)
{
    lock_take(&world.lock);
    const int rank = world.state == RUNNING ? world.rank : -1;
    lock_drop(&world.lock);
    return rank;
}

int mpi_size(void)
{
    lock_take(&world.lock);
    const int size = world.state == RUNNING ? world.size : 0;
    lock_drop(&world.lock);
    return size;
}

bool mpi_finalize(struct status *st)
{
    lock_take(&world.lock);
    const bool runs = world.state == RUNNING && world.pid == getpid();
    if (runs)
        world.state = LEAVING;
    cond_broadcast(&world.changed);
    lock_drop(&world.lock);
    if (!runs)
        return true;
    if (world.has_thread)
        pthread_join(world.thread, NULL);
    lock_take(&world.lock);
    world.state = ENDED;
    status_copy(st, &world.broken);
    lock_drop(&world.lock);
    return status_ok(st);
}
