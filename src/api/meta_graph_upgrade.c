/* SPDX-License-Identifier: Apache-2.0 */
/* What a MetaGraph of another TensorFlow needs before and after its nodes are imported, as
 * TensorFlow's importer in Python does it:
 *
 * - attrs that this build does not know, but whose value is the default that the producer's own
 *   list of ops names, or that say nothing but a name for messages, are left out;
 * - VariableDefs from before 1.9 do not say whether the variable is trainable: the collection does;
 * - under a scope, the frame of a loop is named after the loop's context, so that one graph
 * imported twice has frames of two names.
 *
 * Messages are changed in place. Linear in their size. */
#include "api/meta_graph.h"

#include <string.h>

#include "graph/graphdef.h"
#include "proto/pb_reflect.h"

/* --- attrs of newer producers --- */

static const struct pb_attr_value *producer_default(const struct pb_op_def *op, struct str attr)
{
    for (int64_t i = 0; i < op->attr.n; i++) {
        const struct pb_op_def_attr_def *d = op->attr.v[i];
        if (str_eq(d->name, attr))
            return d->default_value;
    }
    return NULL;
}

static bool may_go(const struct pb_node_def_attr_entry *e, const struct op *ours,
                   const struct pb_op_def *theirs, struct arena *a)
{
    char *name = arena_strndup(a, e->key.p ? e->key.p : "", e->key.n);
    const struct pb_attr_value *value = producer_default(theirs, e->key);
    bool equal = false;
    struct status st = {0};
    if (strcmp(name, "debug_name") ==
        0) /* of variables, in files of 2.14 and later: for messages */
        return !op_attr_find(ours, name);
    if (op_attr_find(ours, name) || !value || !e->value || !pb_equal(e->value, value, &equal, &st))
        equal = false;
    status_clear(&st);
    return equal;
}

static void drop_defaults(struct pb_node_def *n, const struct strmap *producer, struct arena *a)
{
    const struct pb_op_def *theirs = strmap_find_n(producer, n->op.p ? n->op.p : "", n->op.n);
    const struct op *ours =
        theirs ? op_find(arena_strndup(a, n->op.p ? n->op.p : "", n->op.n)) : NULL;
    int64_t kept = 0;
    for (int64_t i = 0; ours && i < n->attr.n; i++) {
        if (!may_go(n->attr.v[i], ours, theirs, a))
            n->attr.v[kept++] = n->attr.v[i];
    }
    if (ours)
        n->attr.n = kept;
}

void meta_graph_drop_defaults(struct pb_meta_graph_def *meta)
{
    const struct pb_op_list *ops = meta->meta_info_def ? meta->meta_info_def->stripped_op_list : 0;
    struct pb_graph_def *def = meta->graph_def;
    if (!ops || !def)
        return;
    struct strmap producer = {0};
    struct arena a = {0};
    for (int64_t i = 0; i < ops->op.n; i++) {
        struct str name = ops->op.v[i]->name;
        strmap_put_n(&producer, name.p ? name.p : "", name.n, ops->op.v[i]);
    }
    for (int64_t i = 0; i < def->node.n; i++)
        drop_defaults(def->node.v[i], &producer, &a);
    for (int64_t i = 0; def->library && i < def->library->function.n; i++) {
        struct pb_function_def *f = def->library->function.v[i];
        for (int64_t k = 0; k < f->node_def.n; k++)
            drop_defaults(f->node_def.v[k], &producer, &a);
    }
    strmap_release(&producer);
    arena_release(&a);
}

bool meta_graph_says_trainable(const struct pb_meta_graph_def *meta)
{
    struct str version =
        meta->meta_info_def ? meta->meta_info_def->tensorflow_version : (struct str){0};
    char text[32];
    int major = 0, minor = 0;
    snprintf(text, sizeof text, "%.*s", (int)min_i64((int64_t)version.n, 31),
             version.p ? version.p : "");
    if (sscanf(text, "%9d.%9d", &major, &minor) < 1)
        return true;
    return major > 1 || (major == 1 && minor >= 9);
}

/* --- frames --- */

static void name_frame(struct graph *g, struct str value, struct str frame)
{
    const char *colon = value.n ? memrchr(value.p, ':', value.n) : NULL;
    char *name = mem_strndup(value.p ? value.p : "", colon ? (size_t)(colon - value.p) : value.n);
    struct node *n = graph_find(g, name);
    mem_free(name);
    struct status st = {0};
    if (n && (strcmp(n->op->name, "Enter") == 0 || strcmp(n->op->name, "RefEnter") == 0) &&
        !graph_set_attr(n, "frame_name", attr_string(frame), &st))
        status_clear(&st); /* it ran already: its frames keep their name */
}

static void name_frames_within(struct graph *g, const struct pb_control_flow_context_def_vec *all)
{
    for (int64_t i = 0; i < all->n; i++) {
        if (all->v[i]->while_ctxt)
            meta_graph_name_frames(g, all->v[i]->while_ctxt);
        if (all->v[i]->cond_ctxt)
            name_frames_within(g, &all->v[i]->cond_ctxt->nested_contexts);
    }
}

/* Messages nest no deeper than the codec lets them. */
void meta_graph_name_frames(struct graph *g, const struct pb_while_context_def *w)
{
    for (int64_t i = 0; w->values_def && i < w->values_def->values.n; i++)
        name_frame(g, w->values_def->values.v[i], w->context_name);
    name_frames_within(g, &w->nested_contexts);
}

void meta_graph_name_frames_in_branch(struct graph *g, const struct pb_cond_context_def *c)
{
    name_frames_within(g, &c->nested_contexts);
}
