/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which nodes are differentiated: that of tf.gradients, so that sums have the same
 * parts in the same order, and names the same numbers.
 *
 * It is a queue: a node comes when the gradients of all who read it are there, in the order in
 * which they became so. A loop counts as one node of the frame around it, which reads what enters
 * it. Linear in nodes and edges. */
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

struct queue {
    struct walk *w;
    int32_t *count;       /* per node: who reads it and has not come */
    uint8_t *in;          /* per node: 1 is of this list, 2 and ys depend on it by what xs reach */
    int32_t *exits_left;  /* per loop: exits that have not come */
    bool *counted;        /* per loop: what it reads */
    struct node_list out; /* what has come or is about to; also the queue */
};

static int loop_of_exit(const struct walk *w, const struct node *n)
{
    return w->facts && node_op_is(n, "Exit") ? w->facts[n->id].loop : 0;
}

/* Calls visit for each value that n, or the loop that n is the exit of, reads. */
static void each_input(struct queue *q, struct node *n,
                       void (*visit)(struct queue *, struct node *))
{
    struct walk *w = q->w;
    const int loop = loop_of_exit(w, n);
    if (loop > 0) {
        const struct fwd_loop *l = &w->loops[loop];
        for (int64_t i = 0; i < l->enters.n; i++)
            visit(q, l->enters.v[i]->inputs[0].node);
        return;
    }
    if (w->facts && !w->facts[n->id].open &&
        (node_op_is(n, "Enter") || (w->facts[n->id].back && node_op_is(n, "Merge"))))
        return;
    for (int i = 0; i < n->num_inputs; i++)
        visit(q, n->inputs[i].node);
}

static bool is_here(const struct queue *q, const struct node *n)
{
    return n && n->id < q->w->num_nodes && q->in[n->id] == 2;
}

static void count_input(struct queue *q, struct node *n)
{
    if (is_here(q, n))
        q->count[n->id]++;
}

static void came(struct queue *q, struct node *n)
{
    const int loop = loop_of_exit(q->w, n);
    node_list_add(&q->out, n);
    if (loop > 0)
        q->exits_left[loop]--;
}

static void reader_came(struct queue *q, struct node *n)
{
    if (is_here(q, n) && --q->count[n->id] == 0)
        came(q, n);
}

/* What nothing of the list reads. */
static void start(struct queue *q, struct node *n)
{
    if (is_here(q, n) && q->count[n->id] == 0) {
        q->count[n->id] = -1; /* is there once */
        came(q, n);
    }
}

static void run(struct queue *q)
{
    for (int64_t i = 0; i < q->out.n; i++) { /* which grows */
        struct node *n = q->out.v[i];
        const int loop = loop_of_exit(q->w, n);
        if (loop > 0 && q->exits_left[loop] > 0)
            continue; /* the last one goes on */
        if (loop > 0)
            q->exits_left[loop] = INT32_MAX; /* of several in the queue only the first */
        each_input(q, n, reader_came);
    }
}

/* Once for each loop. */
static bool counts(struct queue *q, const struct node *n)
{
    const int loop = loop_of_exit(q->w, n);
    const bool first = loop == 0 || !q->counted[loop];
    q->counted[loop] = loop > 0;
    return first;
}

static void find(struct queue *q, struct node *n)
{
    if (!n || n->id >= q->w->num_nodes || q->in[n->id] != 1 || !q->w->reached[n->id])
        return;
    q->in[n->id] = 2;
    node_list_add(&q->out, n);
}

/* Which nodes come. */
static int64_t find_all(struct queue *q, const struct output *ys, int num_ys,
                        const struct node_list *nexts)
{
    for (int i = 0; i < num_ys; i++)
        find(q, ys[i].node);
    for (int64_t i = 0; nexts && i < nexts->n; i++)
        find(q, nexts->v[i]);
    for (int64_t i = 0; i < q->out.n; i++) { /* which grows */
        struct node *n = q->out.v[i];
        const int loop = loop_of_exit(q->w, n);
        each_input(q, n, find);
        q->exits_left[loop] += loop > 0;
    }
    for (int64_t i = 0; i < q->out.n; i++) {
        if (counts(q, q->out.v[i]))
            each_input(q, q->out.v[i], count_input);
    }
    const int64_t n = q->out.n;
    q->out.n = 0;
    return n;
}

/* Reversed, as walk_list reads it. What does not come keeps away nothing: it is left in front. */
static void put_back(struct queue *q, struct node_list *l, int64_t num_in)
{
    struct walk *w = q->w;
    if (q->out.n != num_in)
        return; /* a graph that has no such order stays as it is */
    int64_t at = 0;
    for (int64_t i = 0; i < l->n; i++) {
        if (q->in[l->v[i]->id] != 2)
            l->v[at++] = l->v[i];
    }
    for (int64_t i = q->out.n - 1; i >= 0; i--) {
        struct node *n = q->out.v[i];
        const int loop = loop_of_exit(w, n);
        if (loop > 0 && q->exits_left[loop] == INT32_MAX) {
            w->loops[loop].first_exit = n; /* the last one of the queue */
            q->exits_left[loop] = 0;
        }
        l->v[at++] = n;
    }
}

static void queue_list(struct queue *q, struct node_list *l, const struct output *ys, int num_ys,
                       const struct node_list *nexts)
{
    for (int64_t i = 0; i < l->n; i++)
        q->in[l->v[i]->id] = 1;
    const int64_t num_in = find_all(q, ys, num_ys, nexts);
    for (int i = 0; i < num_ys; i++)
        start(q, ys[i].node);
    for (int64_t i = 0; nexts && i < nexts->n; i++)
        start(q, nexts->v[i]);
    run(q);
    put_back(q, l, num_in);
    for (int64_t i = 0; i < l->n; i++)
        q->in[l->v[i]->id] = 0;
    q->out.n = 0;
}

void walk_queue_order(struct walk *w)
{
    struct queue q = {.w = w,
                      .count = mem_new_array(int32_t, w->num_nodes),
                      .in = mem_new_array(uint8_t, w->num_nodes),
                      .exits_left = mem_new_array(int32_t, w->num_loops + 1),
                      .counted = mem_new_array(bool, w->num_loops + 1)};
    queue_list(&q, &w->order, w->r->ys, w->r->num_ys, NULL);
    for (int64_t i = 1; i < w->num_loops; i++)
        queue_list(&q, &w->loops[i].order, NULL, 0, &w->loops[i].nexts);
    mem_free(q.count);
    mem_free(q.in);
    mem_free(q.exits_left);
    mem_free(q.counted);
    mem_free(q.out.v);
}
