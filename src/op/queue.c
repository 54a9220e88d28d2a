/* SPDX-License-Identifier: Apache-2.0 */
/* A queue: what waits on either side of a store of elements.
 *
 * Workload: small tuples of big values, a few threads that enqueue and one that dequeues batches.
 * An attempt joins the end of its side's list; then both sides are served from the front for as
 * long as anything moves. Attempts that are over are collected under the lock and finished without
 * it: batches are put together, values freed and callbacks called there.
 *
 * An attempt belongs to the thread that took it out of its list. One that is cancelled is taken
 * out by the cancellation's callback, which finds it gone when another thread was first; that
 * thread waits in cancel_remove for the callback to return before it frees the attempt. */
#include "op/queue_impl.h"

#include <string.h>

#include "base/mem.h"

enum progress { STUCK, MOVED, OVER };

/* --- the object --- */

const char *queue_kind_name(enum queue_kind kind)
{
    static const char *const names[] = {[QUEUE_FIFO] = "FIFOQueue",
                                        [QUEUE_PADDING] = "PaddingFIFOQueue",
                                        [QUEUE_PRIORITY] = "PriorityQueue",
                                        [QUEUE_SHUFFLE] = "RandomShuffleQueue"};
    return names[kind];
}

static void queue_release(struct resource *r)
{
    struct queue *q = (struct queue *)r;

    queue_store_release(&q->store);
    for (int i = 0; i < q->spec.num_shapes; i++)
        shape_clear((struct shape *)(uintptr_t)&q->spec.shapes[i]);
    mem_free((void *)(uintptr_t)q->spec.shapes);
    mem_free((void *)(uintptr_t)q->spec.types);
    mem_free(q->name);
    lock_release_memory(&q->lock);
    mem_free(q);
}

static void queue_describe(struct resource *r, struct strbuf *out)
{
    struct queue *q = (struct queue *)r;

    lock_take(&q->lock);
    strbuf_printf(out, "%s %s: %lld elements%s%s%s", queue_kind_name(q->spec.kind), q->name,
                  (long long)q->store.count, q->closed ? ", closed" : "",
                  q->in.first ? ", enqueues wait" : "", q->out.first ? ", dequeues wait" : "");
    lock_drop(&q->lock);
}

const struct resource_type queue_type = {
    .name = "N10tensorflow14QueueInterfaceE", .release = queue_release, .describe = queue_describe};

struct queue *queue_new(const struct queue_spec *spec, const char *name)
{
    struct queue *q = mem_new(struct queue);
    int *types = mem_new_array(int, spec->num_types);
    struct shape *shapes = mem_new_array(struct shape, spec->num_shapes);

    memcpy(types, spec->types, (size_t)spec->num_types * sizeof *types);
    for (int i = 0; i < spec->num_shapes; i++)
        shapes[i] = shape_copy(&spec->shapes[i]);
    resource_init(&q->base, &queue_type);
    q->spec = *spec;
    q->spec.types = types;
    q->spec.shapes = shapes;
    q->name = mem_strdup(name);
    lock_init(&q->lock, "queue", LOCK_RANK_RESOURCE);
    queue_store_init(&q->store, spec);
    q->in.end = &q->in.first;
    q->out.end = &q->out.first;
    return q;
}

const struct queue_spec *queue_spec(const struct queue *q)
{
    return &q->spec;
}

const char *queue_name(const struct queue *q)
{
    return q->name;
}

int64_t queue_size(struct queue *q)
{
    lock_take(&q->lock);
    int64_t n = q->store.count;
    lock_drop(&q->lock);
    return n;
}

bool queue_is_closed(struct queue *q)
{
    lock_take(&q->lock);
    bool closed = q->closed;
    lock_drop(&q->lock);
    return closed;
}

/* --- lists of attempts --- */

static void append(struct attempts *list, struct attempt *a)
{
    a->next = NULL;
    *list->end = a;
    list->end = &a->next;
}

static struct attempts *side(struct queue *q, const struct attempt *a)
{
    return a->action == DEQUEUE || a->action == DEQUEUE_MANY ? &q->out : &q->in;
}

static void unlink_attempt(struct attempts *list, struct attempt *a)
{
    struct attempt **p = &list->first;

    while (*p != a)
        p = &(*p)->next;
    *p = a->next;
    if (!a->next)
        list->end = p;
}

static struct attempt *attempt_new(struct queue *q, enum action action, const struct queue_wait *w)
{
    struct attempt *a = mem_new(struct attempt);

    resource_ref(&q->base);
    a->q = q;
    a->action = action;
    a->wait = *w;
    a->wanted = 1;
    return a;
}

static int64_t num_values(const struct attempt *a)
{
    bool gives = a->action == DEQUEUE || a->action == DEQUEUE_MANY;

    return a->values ? (gives ? a->moved : 1) * a->q->spec.num_types : 0;
}

static void attempt_free(struct attempt *a)
{
    for (int64_t i = 0, n = num_values(a); i < n; i++)
        tensor_clear(&a->values[i]);
    mem_free(a->values);
    mem_free(a->ids);
    status_clear(&a->status);
    queue_unref(a->q);
    mem_free(a);
}

/* --- one attempt moves, under the lock --- */

/* The name in messages. TensorFlow's padding queue is one of its FIFO queues in what is not about
 * batches. */
static const char *kind_name(const struct queue *q, bool batches)
{
    return queue_kind_name(q->spec.kind == QUEUE_PADDING && !batches ? QUEUE_FIFO : q->spec.kind);
}

static enum progress put_one(struct queue *q, struct attempt *a)
{
    if (q->store.count >= q->spec.capacity)
        return STUCK;
    queue_log_put(q, a->values, &(struct noted){.key = a->wait.key});
    queue_store_put(&q->store, a->values, q->next_id++);
    return OVER;
}

static bool put_row(struct queue *q, struct attempt *a)
{
    const int n = q->spec.num_types;
    struct tensor *element = mem_new_array(struct tensor, n);
    bool ok = true;

    for (int k = 0; ok && k < n; k++)
        ok = queue_row(q->spec.kind, &a->values[k], a->moved, &element[k], &a->status);
    const int64_t progress = a->wanted > 1 ? a->moved + 1 : 0;
    if (ok) {
        queue_log_put(q, element, &(struct noted){.key = a->wait.key, .progress = progress});
        queue_store_put(&q->store, element, q->next_id++);
    }
    for (int k = 0; k < n; k++)
        tensor_clear(&element[k]);
    mem_free(element);
    return ok;
}

static enum progress put_many(struct queue *q, struct attempt *a)
{
    bool moved = false;

    for (; a->wanted > 0 && q->store.count < q->spec.capacity; moved = true) {
        if (!put_row(q, a))
            return OVER;
        a->moved++;
        a->wanted--;
    }
    return a->wanted == 0 ? OVER : moved ? MOVED : STUCK;
}

static enum progress step_in(struct queue *q, struct attempt *a)
{
    if (a->action == CLOSE) {
        if (q->closed)
            status_fail(&a->status, STATUS_CANCELLED, "Queue '%s' is already closed.", q->name);
        else
            queue_log_closed(q, a->wait.key);
        q->closed = true;
        return OVER;
    }
    if (q->closed) {
        status_fail(&a->status, STATUS_CANCELLED, "%s '%s' is closed.", kind_name(q, false),
                    q->name);
        return OVER;
    }
    return a->action == ENQUEUE ? put_one(q, a) : put_many(q, a);
}

/* What a had taken goes back, last first. */
static void put_back(struct queue *q, struct attempt *a)
{
    while (a->moved > 0) {
        a->moved--;
        a->wanted++;
        queue_store_put_back(&q->store, a->values + a->moved * q->spec.num_types, a->ids[a->moved]);
    }
}

static void take_element(struct queue *q, struct attempt *a)
{
    const int n = q->spec.num_types;
    const size_t bytes = (size_t)n * sizeof *a->values;

    a->values = vec_reserve(a->values, &a->cap_values, a->moved + 1, bytes);
    a->ids = vec_reserve(a->ids, &a->cap_ids, a->moved + 1, sizeof *a->ids);
    a->ids[a->moved] = queue_store_get(&q->store, a->values + a->moved * n);
    a->moved++;
    a->wanted--;
}

/* A closed queue has less than a wants: a takes the rest if that will do. */
static enum progress drain(struct queue *q, struct attempt *a)
{
    const int64_t wanted = a->wanted, size = q->store.count;

    if (a->up_to && a->moved + size > 0) {
        while (q->store.count > 0)
            take_element(q, a);
        a->wanted = 0;
        return OVER;
    }
    put_back(q, a);
    status_fail(&a->status, STATUS_OUT_OF_RANGE,
                "%s '%s' is closed and has insufficient elements (requested %lld, "
                "current size %lld)",
                kind_name(q, a->action == DEQUEUE_MANY), q->name, (long long)wanted,
                (long long)size);
    return OVER;
}

static enum progress step_out(struct queue *q, struct attempt *a)
{
    int64_t there = q->store.count;

    if (q->closed && there < a->wanted)
        return drain(q, a);
    if (q->spec.kind == QUEUE_SHUFFLE && !q->closed)
        there -= q->spec.min_after_dequeue;
    /* the first by priority are not known before as many as are wanted have come */
    if (there <= 0 || (q->spec.kind == QUEUE_PRIORITY && there < a->wanted))
        return STUCK;
    for (; there > 0 && a->wanted > 0; there--)
        take_element(q, a);
    return a->wanted == 0 ? OVER : MOVED;
}

/* --- serving --- */

static bool serve(struct queue *q, struct attempts *list, struct attempts *over,
                  enum progress (*step)(struct queue *, struct attempt *))
{
    bool any = false;

    for (struct attempt *a; (a = list->first);) {
        enum progress p = step(q, a);

        any |= p != STUCK;
        if (p != OVER)
            break;
        unlink_attempt(list, a);
        a->waits = false;
        queue_log_leaving(q, a);
        append(over, a);
    }
    return any;
}

static void serve_all(struct queue *q, struct attempts *over)
{
    bool any;

    do {
        any = serve(q, &q->in, over, step_in);
        any |= serve(q, &q->out, over, step_out);
    } while (any);
}

/* The values of a dequeue that went well: out has one per component. */
static bool results(struct attempt *a, struct tensor *out)
{
    const struct queue_spec *spec = &a->q->spec;
    bool ok = true;

    for (int k = 0; ok && k < spec->num_types; k++) {
        if (a->action == DEQUEUE) /* copies of the queue are still told what it took */
            out[k] = a->leaves ? tensor_copy(&a->values[k]) : tensor_take(&a->values[k]);
        else
            ok = queue_join(spec, k, a->values, a->moved, &out[k], &a->status);
    }
    return ok;
}

/* Without a lock. a is in no list, and nobody else will touch it. */
static void finish(struct attempt *a)
{
    const bool gives = a->action == DEQUEUE || a->action == DEQUEUE_MANY;
    const int n = a->q->spec.num_types;
    struct tensor *out = NULL;

    if (gives && status_ok(&a->status)) {
        out = mem_new_array(struct tensor, n);
        if (!results(a, out)) {
            for (int k = 0; k < n; k++)
                tensor_clear(&out[k]);
            mem_free(out);
            out = NULL;
        }
    }
    if (a->leaves)
        queue_log_left(a, out);
    a->wait.done(a->wait.arg, &a->status, out);
    for (int k = 0; out && k < n; k++)
        tensor_clear(&out[k]);
    mem_free(out);
    attempt_free(a);
}

static void finish_all(struct attempts *over)
{
    for (struct attempt *a = over->first, *next; a; a = next) {
        next = a->next;
        if (a->token)
            cancel_remove(a->wait.cancel, a->token);
        finish(a);
    }
}

static void say_cancelled(struct attempt *a)
{
    const bool gives = a->action == DEQUEUE || a->action == DEQUEUE_MANY;
    struct status why = {0};

    /* a deadline has words of its own */
    if (a->wait.cancel && !cancel_check(a->wait.cancel, &why) && why.code != STATUS_CANCELLED)
        status_move(&a->status, &why);
    else
        status_fail(&a->status, STATUS_CANCELLED, "%s operation was cancelled",
                    gives                ? "Dequeue"
                    : a->action == CLOSE ? "Close"
                                         : "Enqueue");
    status_clear(&why);
}

/* Takes a out of its list, to end as cancelled. */
static void withdraw(struct queue *q, struct attempt *a)
{
    unlink_attempt(side(q, a), a);
    a->waits = false;
    if (side(q, a) == &q->out)
        put_back(q, a);
}

static void on_cancel(void *arg)
{
    struct attempt *a = arg;
    struct queue *q = a->q;
    struct attempts over = {.end = &over.first};

    lock_take(&q->lock);
    const bool mine = a->waits;
    if (mine) {
        withdraw(q, a);
        serve_all(q, &over);
    }
    lock_drop(&q->lock);
    if (!mine)
        return; /* whoever took it out waits for this callback: a and q are there until then */
    finish_all(&over);
    say_cancelled(a);
    finish(a);
}

/* a joins its side and is served, now or later. */
static void start(struct attempt *a)
{
    struct queue *q = a->q;
    struct attempts over = {.end = &over.first};
    bool cancelled = false;

    lock_take(&q->lock);
    a->waits = true;
    append(side(q, a), a);
    serve_all(q, &over);
    if (a->waits && a->wait.cancel) {
        a->token = cancel_add(a->wait.cancel, on_cancel, a);
        cancelled = a->token == 0;
        if (cancelled) {
            withdraw(q, a);
            serve_all(q, &over);
        }
    }
    lock_drop(&q->lock);
    finish_all(&over);
    if (cancelled) {
        say_cancelled(a);
        finish(a);
    }
}

/* --- what a caller may ask --- */

static bool fail_shape(int k, const struct shape *want, const struct shape *got, struct status *st)
{
    struct strbuf a = {0}, b = {0};

    shape_print(want, &a);
    shape_print(got, &b);
    status_invalid(st, "Shape mismatch in tuple component %d. Expected %s, got %s", k,
                   strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

/* want, for a batch of n. */
static bool check_component(const struct shape *want, int64_t n, int k, const struct tensor *t,
                            struct status *st)
{
    int64_t *dims;
    bool ok;

    if (n < 0)
        return shape_compatible(want, &t->shape) || fail_shape(k, want, &t->shape, st);
    if (want->rank < 0)
        return true;
    if (want->rank >= SHAPE_MAX_RANK)
        return status_invalid(st, "Elements of rank %d cannot come in batches", want->rank);
    dims = mem_new_array(int64_t, want->rank + 1);
    dims[0] = n;
    memcpy(dims + 1, shape_dims(want), (size_t)want->rank * sizeof *dims);
    struct shape all = shape_make(dims, want->rank + 1);
    ok = shape_compatible(&all, &t->shape) || fail_shape(k, &all, &t->shape, st);
    shape_clear(&all);
    mem_free(dims);
    return ok;
}

static bool check_batches(const struct queue_spec *spec, const struct tensor *tuple, int64_t n,
                          struct status *st)
{
    for (int k = 0; k < spec->num_types; k++) {
        if (tensor_rank(&tuple[k]) < 1)
            return status_invalid(st, "Input %d to enqueue_many must have a first dimension", k);
        if (tensor_dim(&tuple[k], 0) != n)
            return status_invalid(st,
                                  "All input tensors must have the same size in the 0th "
                                  "dimension. Component %d has %lld, and should have %lld",
                                  k, (long long)tensor_dim(&tuple[k], 0), (long long)n);
    }
    return true;
}

bool queue_check_tuple(const struct queue_spec *spec, const struct tensor *tuple, int64_t n,
                       struct status *st)
{
    for (int k = 0; k < spec->num_shapes; k++)
        if (!check_component(&spec->shapes[k], n, k, &tuple[k], st))
            return false;
    if (spec->kind == QUEUE_PRIORITY && tensor_rank(&tuple[0]) != (n < 0 ? 0 : 1))
        return status_invalid(st, "The priority of an element must be a scalar");
    return n < 0 || check_batches(spec, tuple, n, st);
}

/* Ends an attempt that was refused, or that has nothing to do. */
static void end_now(const struct queue_wait *w, struct status *st)
{
    w->done(w->arg, st, NULL);
    status_clear(st);
}

static void enqueue(struct queue *q, enum action action, struct tensor *tuple, int64_t n,
                    const struct queue_wait *w)
{
    struct attempt *a = attempt_new(q, action, w);

    a->moved = w->progress > 0 && w->progress < n ? w->progress : 0;
    a->wanted = n - a->moved;
    a->values = mem_new_array(struct tensor, q->spec.num_types);
    for (int k = 0; k < q->spec.num_types; k++)
        a->values[k] = tensor_take(&tuple[k]);
    start(a);
}

void queue_enqueue(struct queue *q, struct tensor *tuple, const struct queue_wait *w)
{
    struct status st = {0};

    if (queue_check_tuple(&q->spec, tuple, -1, &st))
        enqueue(q, ENQUEUE, tuple, 1, w);
    else
        end_now(w, &st);
}

void queue_enqueue_many(struct queue *q, struct tensor *tuple, const struct queue_wait *w)
{
    struct status st = {0};
    int64_t n = tensor_rank(&tuple[0]) > 0 ? tensor_dim(&tuple[0], 0) : 0;

    if (tensor_rank(&tuple[0]) == 0)
        status_invalid(&st, "Input 0 to enqueue_many must have a first dimension");
    if (!status_ok(&st) || !queue_check_tuple(&q->spec, tuple, n, &st) || n == 0)
        end_now(w, &st);
    else
        enqueue(q, ENQUEUE_MANY, tuple, n, w);
}

void queue_dequeue(struct queue *q, const struct queue_wait *w)
{
    start(attempt_new(q, DEQUEUE, w));
}

void queue_dequeue_many(struct queue *q, int64_t n, bool up_to, const struct queue_wait *w)
{
    struct status st = {0};
    struct attempt *a;

    if (q->spec.num_shapes == 0) {
        status_invalid(&st,
                       "%s's DequeueMany and DequeueUpTo require the components to have "
                       "specified shapes.",
                       queue_kind_name(q->spec.kind));
        end_now(w, &st);
        return;
    }
    a = attempt_new(q, DEQUEUE_MANY, w);
    a->wanted = n;
    a->up_to = up_to;
    if (n > 0)
        start(a);
    else
        finish(a);
}

void queue_close(struct queue *q, bool cancel_pending, const struct queue_wait *w)
{
    struct attempts over = {.end = &over.first};
    struct status st = {0};

    if (!cancel_pending) {
        start(attempt_new(q, CLOSE, w));
        return;
    }
    lock_take(&q->lock);
    queue_log_closed(q, w->key);
    q->closed = true;
    struct attempts cancelled = q->in;
    q->in = (struct attempts){.end = &q->in.first};
    for (struct attempt *a = cancelled.first; a; a = a->next) {
        a->waits = false;
        status_fail(&a->status, STATUS_CANCELLED, "%s operation was cancelled",
                    a->action == CLOSE ? "Close" : "Enqueue");
    }
    serve_all(q, &over);
    lock_drop(&q->lock);
    finish_all(&cancelled);
    finish_all(&over);
    end_now(w, &st);
}
