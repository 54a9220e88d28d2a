/* SPDX-License-Identifier: Apache-2.0 */
/* Queue runners of the graph as QueueRunnerDefs, and back.
 *
 * A graph has them in a collection of operations (leat/queue_runner.h): a queue, what fills it,
 * what closes it, what cancels. A QueueRunnerDef that says no more than that, and whose operations
 * are there, becomes one; another is kept as it came. */
#include <string.h>

#include "api/leat_builder.h"
#include "api/meta_graph.h"
#include "proto/pb.h"

enum { OUT_OF_RANGE_CODE = 11 };

const char meta_graph_queue_runners[] = "leat_queue_runners";

static struct node *node_of(struct graph *g, struct str name)
{
    char *text = mem_strndup(name.p ? name.p : "", name.n);
    char *colon = strrchr(text, ':');
    if (colon)
        *colon = '\0';
    struct node *n = graph_find(g, text);
    mem_free(text);
    return n;
}

static bool closes(const struct node *n)
{
    return n && strncmp(n->op->name, "QueueClose", strlen("QueueClose")) == 0;
}

/* --- in --- */

static bool ends_as_ours(const struct pb_queue_runner_def *d)
{
    return d->queue_closed_exception_types.n == 0 ||
           (d->queue_closed_exception_types.n == 1 &&
            d->queue_closed_exception_types.v[0] == OUT_OF_RANGE_CODE);
}

static bool is_runnable(struct graph *g, const struct pb_queue_runner_def *d)
{
    bool ok = ends_as_ours(d) && d->enqueue_op_name.n > 0 && node_of(g, d->queue_name) &&
              closes(node_of(g, d->close_op_name)) && closes(node_of(g, d->cancel_op_name));
    for (int64_t i = 0; ok && i < d->enqueue_op_name.n; i++) {
        const struct node *n = node_of(g, d->enqueue_op_name.v[i]);
        ok = n && !closes(n);
    }
    return ok;
}

static void collect(struct graph *g, struct str name)
{
    struct node *n = node_of(g, name);
    leat_add_to_collection((TF_Graph *)g, meta_graph_queue_runners, (TF_Output){api_oper(n), 0});
}

bool meta_graph_queue_runner_in(struct graph *g, const struct pb_queue_runner_def *d)
{
    if (!is_runnable(g, d))
        return false;
    collect(g, d->queue_name);
    for (int64_t i = 0; i < d->enqueue_op_name.n; i++)
        collect(g, d->enqueue_op_name.v[i]);
    collect(g, d->close_op_name);
    collect(g, d->cancel_op_name);
    return true;
}

/* --- out --- */

static struct str item_op(struct arena *a, const struct strbuf *item)
{
    const char *colon = memchr(item->p, ':', item->n);
    const size_t n = colon ? (size_t)(colon - item->p) : item->n;
    return str_make(arena_strndup(a, item->p, n), n);
}

/* The number of items that it takes; 0: there is no whole one. */
static int64_t one_out(struct graph *g, struct arena *a, const struct strbuf *items, int64_t n,
                       struct pb_queue_runner_def *d)
{
    int64_t at = 1;
    d->queue_name = item_op(a, &items[0]);
    for (; at < n && !closes(node_of(g, item_op(a, &items[at]))); at++)
        pb_add_str(a, &d->enqueue_op_name, item_op(a, &items[at]));
    if (at + 2 > n)
        return 0;
    d->close_op_name = item_op(a, &items[at]);
    d->cancel_op_name = item_op(a, &items[at + 1]);
    pb_add_i32(a, &d->queue_closed_exception_types, OUT_OF_RANGE_CODE);
    return at + 2;
}

void meta_graph_queue_runners_out(struct graph *g, struct arena *a, struct pb_meta_graph_def *m)
{
    const struct collection *c = graph_collection(g, meta_graph_queue_runners);
    if (!c || c->kind != COLLECTION_NAMES)
        return;
    struct pb_meta_graph_def_collection_def_entry *e =
        pb_map_put(a, &m->collection_def, &pb_meta_graph_def_collection_def_entry_desc,
                   str_of("queue_runners"));
    struct pb_collection_def *out = e->value;
    if (!out->bytes_list) {
        out->which_kind = 2;
        out->bytes_list = pb_collection_def_bytes_list_new(a);
    }
    for (int64_t at = 0, used = 1; at < c->n && used > 0; at += used) {
        struct pb_queue_runner_def *d = pb_queue_runner_def_new(a);
        struct strbuf bytes = {0};
        struct status st = {0};
        used = one_out(g, a, c->items + at, c->n - at, d);
        if (used > 0 && out->which_kind == 2 && pb_encode(d, &bytes, &st))
            pb_add_str(a, &out->bytes_list->value, str_make(bytes.p, bytes.n));
        strbuf_release(&bytes);
        status_clear(&st);
    }
}
