/* SPDX-License-Identifier: Apache-2.0 */
/* Queue runners. A graph has them in a collection of operations: a queue, those that fill it, the
 * one that closes it, the one that cancels. */
#include <string.h>

#include "base/mem.h"
#include "build/coordinator.h"
#include "leat/scope.h"

static const char COLLECTION[] = "leat_queue_runners";

static bool begins(const TF_Operation *op, const char *with)
{
    return strncmp(TF_OperationOpType((TF_Operation *)(uintptr_t)op), with, strlen(with)) == 0;
}

static void add(TF_Graph *g, TF_Operation *op)
{
    leat_add_to_collection(g, COLLECTION, (TF_Output){op, 0});
}

void leat_add_queue_runner(TF_Graph *g, struct leat_queue_runner r)
{
    bool ok = r.queue && r.close_op && r.cancel_op && r.enqueue_ops.n > 0;

    for (int i = 0; ok && i < r.enqueue_ops.n; i++)
        ok = r.enqueue_ops.v[i] && !begins(r.enqueue_ops.v[i], "QueueClose");
    if (!ok || !begins(r.close_op, "QueueClose") || !begins(r.cancel_op, "QueueClose")) {
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                        "leat_add_queue_runner: a queue, an operation that fills it, one that "
                        "closes it and one that cancels are needed");
        return;
    }
    add(g, r.queue);
    for (int i = 0; i < r.enqueue_ops.n; i++)
        add(g, r.enqueue_ops.v[i]);
    add(g, r.close_op);
    add(g, r.cancel_op);
}

/* --- the threads --- */

struct filler { /* one thread's */
    TF_Session *session;
    TF_Operation *op, *close_op;
    struct queue_run *run;
};

/* Whether this was the last of its queue. */
static bool left(leat_coordinator *c, struct queue_run *run)
{
    coordinator_lock(c);
    bool last = --run->live == 0;
    coordinator_unlock(c);
    return last;
}

static void run_quietly(TF_Session *session, TF_Operation *op)
{
    TF_Status *ignored = TF_NewStatus();

    (void)leat_run_op(session, op, leat_no_feeds(), ignored);
    TF_DeleteStatus(ignored);
}

/* Until the queue is at its end, a stop is requested, or something fails. What a stop did to the
 * step, cancelling the queue under it, is no error. */
static void fill(leat_coordinator *c, void *arg, TF_Status *status)
{
    struct filler *f = arg;
    bool ok = true;

    while (ok && !leat_should_stop(c))
        ok = leat_run_op(f->session, f->op, leat_no_feeds(), status);
    bool ended = !ok && TF_GetCode(status) == TF_OUT_OF_RANGE;

    if (left(c, f->run) && ended)
        run_quietly(f->session, f->close_op);
    if (ended)
        TF_SetStatus(status, TF_OK, "");
    mem_free(f);
}

struct stopper {
    TF_Session *session;
    TF_Operation *cancel_op;
    struct queue_run *run;
};

static void cancel_on_stop(leat_coordinator *c, void *arg, TF_Status *status)
{
    struct stopper *s = arg;

    (void)status;
    (void)leat_wait_for_stop(c, -1);
    run_quietly(s->session, s->cancel_op);
    mem_free(s);
}

/* --- starting --- */

struct runner_span { /* in the collection's items */
    const TF_Output *queue;
    int num_enqueues;
};

static int start_filler(TF_Session *session, const struct runner_span *r, int i,
                        struct queue_run *run, leat_coordinator *c, TF_Status *status)
{
    struct filler *f = mem_new(struct filler);
    TF_Operation *op = r->queue[1 + i].oper;

    *f = (struct filler){session, op, r->queue[1 + r->num_enqueues].oper, run};
    coordinator_lock(c);
    run->live++;
    coordinator_unlock(c);
    if (leat_coordinator_thread(c, TF_OperationName(op), fill, f, status))
        return 1;
    (void)left(c, run);
    mem_free(f);
    return 0;
}

static int start_runner(TF_Session *session, const struct runner_span *r, leat_coordinator *c,
                        TF_Status *status)
{
    int n = 0;

    coordinator_lock(c);
    struct queue_run *run = coordinator_run(c, session, r->queue->oper);
    bool runs = run->live > 0;

    run->live += !runs; /* held until all threads are there */
    coordinator_unlock(c);
    if (runs)
        return 0;
    for (int i = 0; i < r->num_enqueues; i++) {
        if (!start_filler(session, r, i, run, c, status))
            break;
        n++;
    }
    struct stopper *s = mem_new(struct stopper);

    *s = (struct stopper){session, r->queue[2 + r->num_enqueues].oper, run};
    if (n < r->num_enqueues ||
        !leat_coordinator_thread(c, TF_OperationName(s->cancel_op), cancel_on_stop, s, status)) {
        mem_free(s);
        n = -1;
    }
    if (left(c, run) && n > 0)
        run_quietly(session, r->queue[1 + r->num_enqueues].oper);
    return n < 0 ? -1 : n + 1;
}

int leat_start_queue_runners(TF_Session *session, TF_Graph *g, leat_coordinator *c,
                             TF_Status *status)
{
    const int num = leat_get_collection(g, COLLECTION, NULL, NULL, 0);
    TF_Output *items = mem_new_array(TF_Output, num);
    int total = 0;

    (void)leat_get_collection(g, COLLECTION, NULL, items, num);
    if (status)
        TF_SetStatus(status, TF_OK, "");
    for (int at = 0; at < num && total >= 0;) {
        struct runner_span r = {.queue = &items[at]};

        while (at + 1 + r.num_enqueues < num &&
               !begins(items[at + 1 + r.num_enqueues].oper, "QueueClose"))
            r.num_enqueues++;
        at += r.num_enqueues + 3;
        if (at > num)
            break;
        int n = start_runner(session, &r, c, status);

        total = n < 0 ? -1 : total + n;
    }
    mem_free(items);
    return total;
}
