/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and branches as the WhileContextDefs and CondContextDefs of MetaGraphs.
 *
 * What TensorFlow 1.15 counts as a context's values: what nodes directly in it give, the names of
 * what was brought in from outside, and, of the branches in it, what nodes in those give (a loop
 * in it keeps its nodes to itself). Of a Switch that brings a value into a branch only the output
 * of the branch counts, unless the value is itself a result. Sorted, each once. */
#include <stdlib.h>
#include <string.h>

#include "api/leat_flow.h"
#include "api/meta_graph.h"
#include "proto/pb.h"

struct flow_writer {
    struct graph *g;
    struct builder *b;
    struct arena *a;
    struct strmap seen; /* the names that are among the values */
};

static struct str name_of(struct flow_writer *w, struct output o)
{
    return str_of(o.node ? arena_printf(w->a, "%s:%d", o.node->name, o.index) : "");
}

static struct str first_of(struct flow_writer *w, struct node *n)
{
    return name_of(w, (struct output){n, 0});
}

static void add_value(struct flow_writer *w, struct pb_values_def *v, struct output o)
{
    struct str name = name_of(w, o);
    if (!strmap_find(&w->seen, name.p)) {
        strmap_put(&w->seen, name.p, w);
        pb_add_str(w->a, &v->values, name);
    }
}

static void add_external(struct flow_writer *w, struct pb_values_def *v, struct output outside,
                         struct output inside)
{
    struct pb_values_def_external_values_entry *e = pb_map_put(
        w->a, &v->external_values, &pb_values_def_external_values_entry_desc, name_of(w, outside));
    e->value = name_of(w, inside);
    add_value(w, v, outside);
}

/* What the nodes directly in r give, and those of the branches in it. Flows nest as deep as their
 * callers did. */
static void add_inside(struct flow_writer *w, struct pb_values_def *v, const struct flow_record *r)
{
    struct u64map entries = {0}; /* node id + 1 of a branch's Switch -> what it brings */
    for (int64_t i = 0; !r->loop && i < r->num_brought; i++) {
        if (!r->brought[i].is_result)
            u64map_put(&entries, (uint64_t)r->brought[i].inside.node->id + 1,
                       (void *)(uintptr_t)&r->brought[i]);
    }
    for (int64_t i = 0; i < r->num_nodes; i++) {
        struct node *n = r->nodes[i];
        if (u64map_find(&w->b->flow_of, (uint64_t)n->id + 1) != r)
            continue;
        const struct brought *one = u64map_find(&entries, (uint64_t)n->id + 1);
        for (int k = 0; k < n->num_outputs; k++) {
            if (!one || one->inside.index == k)
                add_value(w, v, (struct output){n, k});
        }
    }
    u64map_release(&entries);
    for (int64_t i = 0; i < w->b->num_flows; i++) {
        if (w->b->flows[i]->outer == r && !w->b->flows[i]->loop)
            add_inside(w, v, w->b->flows[i]);
    }
}

static int by_text(const void *x, const void *y)
{
    const struct str *a = x, *b = y;
    const int order = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

static struct pb_values_def *values_out(struct flow_writer *w, const struct flow_record *r)
{
    struct pb_values_def *v = pb_values_def_new(w->a);
    add_inside(w, v, r);
    for (int64_t i = 0; i < r->num_brought; i++) {
        const struct brought *one = &r->brought[i];
        if (!r->loop && r->outer)
            add_external(w, v, one->by, one->by);
        add_external(w, v, one->outside, one->inside);
    }
    if (r->loop) {
        for (int i = 0; i < r->n; i++)
            add_value(w, v, (struct output){r->exits[i], 0});
    } else {
        add_external(w, v, api_output(r->pred), api_output(r->pred));
        add_value(w, v, (struct output){r->pivot, 0});
    }
    strmap_release(&w->seen);
    w->seen = (struct strmap){0};
    if (v->values.n > 1)
        qsort(v->values.v, (size_t)v->values.n, sizeof *v->values.v, by_text);
    return v;
}

static void context_out(struct flow_writer *w, const struct flow_record *r,
                        struct pb_control_flow_context_def *out);

static void nested_out(struct flow_writer *w, const struct flow_record *r,
                       struct pb_control_flow_context_def_vec *list)
{
    for (int64_t i = 0; i < w->b->num_flows; i++) {
        if (w->b->flows[i]->outer == r && w->b->flows[i]->done)
            context_out(w, w->b->flows[i], pb_control_flow_context_def_add(w->a, list));
    }
}

static void loop_out(struct flow_writer *w, const struct flow_record *r,
                     struct pb_while_context_def *d)
{
    d->context_name = str_of(arena_strdup(w->a, r->name));
    d->parallel_iterations = (int32_t)r->parallel;
    d->back_prop = r->back_prop;
    d->swap_memory = r->swap_memory;
    d->pivot_name = first_of(w, r->pivot);
    d->pivot_for_pred_name = first_of(w, r->pred_pivot);
    d->pivot_for_body_name = first_of(w, r->last_pivot);
    d->maximum_iterations_name = name_of(w, api_output(r->maximum));
    for (int i = 0; i < r->n; i++) {
        pb_add_str(w->a, &d->loop_exit_names, first_of(w, r->exits[i]));
        pb_add_str(w->a, &d->loop_enter_names, first_of(w, r->enters[i]));
    }
    d->values_def = values_out(w, r);
    nested_out(w, r, &d->nested_contexts);
}

static void branch_out(struct flow_writer *w, const struct flow_record *r,
                       struct pb_cond_context_def *d)
{
    d->context_name = str_of(arena_strdup(w->a, r->name));
    d->pred_name = name_of(w, api_output(r->pred));
    d->pivot_name = first_of(w, r->pivot);
    d->branch = r->branch;
    d->values_def = values_out(w, r);
    nested_out(w, r, &d->nested_contexts);
}

static void context_out(struct flow_writer *w, const struct flow_record *r,
                        struct pb_control_flow_context_def *out)
{
    out->which_ctxt = r->loop ? 2 : 1;
    if (r->loop)
        loop_out(w, r, out->while_ctxt = pb_while_context_def_new(w->a));
    else
        branch_out(w, r, out->cond_ctxt = pb_cond_context_def_new(w->a));
}

/* The bytes of one context. builder->lock is held. */
static bool encode_flow(struct flow_writer *w, const struct flow_record *r, struct strbuf *out,
                        struct status *st)
{
    struct pb_control_flow_context_def *d = pb_control_flow_context_def_new(w->a);
    context_out(w, r, d);
    return r->loop ? pb_encode(d->while_ctxt, out, st) : pb_encode(d->cond_ctxt, out, st);
}

void meta_graph_flows_out(struct graph *g, struct arena *a, struct pb_meta_graph_def *m)
{
    struct builder *b = builder_get(g);
    struct flow_writer w = {.g = g, .b = b, .a = a};
    lock_take(&b->lock);
    for (int64_t i = 0; i < b->num_flows; i++) {
        const struct flow_record *r = b->flows[i];
        struct strbuf bytes = {0};
        struct status st = {0};
        if (!r->done || r->outer)
            continue;
        struct pb_meta_graph_def_collection_def_entry *e =
            pb_map_put(a, &m->collection_def, &pb_meta_graph_def_collection_def_entry_desc,
                       str_of(r->loop ? "while_context" : "cond_context"));
        struct pb_collection_def *c = e->value;
        if (!c->bytes_list) {
            c->which_kind = 2;
            c->bytes_list = pb_collection_def_bytes_list_new(a);
        }
        if (c->which_kind == 2 && encode_flow(&w, r, &bytes, &st))
            pb_add_str(a, &c->bytes_list->value, str_make(bytes.p, bytes.n));
        strbuf_release(&bytes);
        status_clear(&st);
    }
    lock_drop(&b->lock);
}

TF_Buffer *leat_flow_def(TF_Graph *g, const void *id, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct strbuf bytes = {0};
    TF_Buffer *out = NULL;
    bool ok = g || status_invalid(&st, "leat_flow_def: no graph");
    if (ok) {
        struct builder *b = builder_get(api_graph(g));
        struct flow_writer w = {.g = api_graph(g), .b = b, .a = &a};
        const struct flow_record *r = NULL;
        lock_take(&b->lock);
        for (int64_t i = 0; i < b->num_flows && !r; i++)
            r = b->flows[i] == id ? b->flows[i] : NULL;
        ok = r ? r->done || status_fail(&st, STATUS_FAILED_PRECONDITION,
                                        "leat_flow_def: '%s' is not built to its end", r->name)
               : status_invalid(&st, "leat_flow_def: no loop or branch of the graph");
        ok = ok && encode_flow(&w, r, &bytes, &st);
        lock_drop(&b->lock);
    }
    if (ok) {
        out = TF_NewBuffer();
        ok = api_fill_buffer(out, &bytes, &st);
    }
    strbuf_release(&bytes);
    arena_release(&a);
    api_return(status, &st);
    return out;
}
