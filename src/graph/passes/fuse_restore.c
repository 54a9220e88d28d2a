/* SPDX-License-Identifier: Apache-2.0 */
/* A RestoreV2 whose tensors all go to variables becomes one node with the assignments
 * (ops/io/restore_into.c), which holds one tensor at a time rather than all of them.
 *
 * Each output may have one reader: an Assign or AssignVariableOp, perhaps behind an Identity, of
 * the same device, without control inputs, unprotected and read by nobody but control edges, whose
 * variable is a source (so never dead). What waited for an assignment waits for the node: nothing
 * that the node needs can be among that. Nothing in loops. Linear. */
#include <string.h>

#include "base/mem.h"
#include "graph/fused_node.h"
#include "graph/pass_util.h"

struct target {
    struct rnode *through, *assign; /* NULL: not there */
};

struct fuse {
    struct rgraph *g;
    struct rconsumers consumers;
    struct rnode **with; /* per node: what replaced it */
    int64_t num_nodes;   /* before the pass added any */
};

static bool may_join(const struct rnode *n, const struct rnode *restore)
{
    return !n->dropped && !n->keep && n->num_control == 0 && n->frame == 0 &&
           strcmp(n->device, restore->device) == 0;
}

/* Some consumer reads a value of n. */
static bool is_read(const struct fuse *f, const struct rnode *n)
{
    for (int64_t k = f->consumers.begin[n->id]; k < f->consumers.begin[n->id + 1]; k++)
        if (f->consumers.input[k] >= 0)
            return true;
    return false;
}

static bool is_source(const struct rnode *n)
{
    return n->num_inputs == 0 && n->num_control == 0 &&
           (rnode_is(n, "VariableV2") || rnode_is(n, "Variable") || rnode_is(n, "VarHandleOp") ||
            rnode_is(n, "_Arg"));
}

static bool is_assign(const struct fuse *f, const struct rnode *n, int input,
                      const struct rnode *restore)
{
    return input == 1 && (rnode_is(n, "Assign") || rnode_is(n, "AssignVariableOp")) &&
           may_join(n, restore) && is_source(n->inputs[0].node) && !is_read(f, n);
}

/* What reads an output of restore, at consumer k. */
static bool find_target(const struct fuse *f, const struct rnode *restore, int64_t k,
                        struct target *to)
{
    struct rnode *n = f->consumers.node[k];
    int input = f->consumers.input[k];
    struct rnode *through = NULL;
    if (rnode_is(n, "Identity") && may_join(n, restore)) {
        const int64_t begin = f->consumers.begin[n->id];
        if (f->consumers.begin[n->id + 1] - begin != 1 || f->consumers.input[begin] < 0)
            return false;
        through = n;
        n = f->consumers.node[begin];
        input = f->consumers.input[begin];
    }
    if (to->assign || !is_assign(f, n, input, restore))
        return false;
    *to = (struct target){through, n};
    return true;
}

static bool find_targets(const struct fuse *f, const struct rnode *restore, struct target *to)
{
    int found = 0;
    for (int64_t k = f->consumers.begin[restore->id]; k < f->consumers.begin[restore->id + 1];
         k++) {
        int input = f->consumers.input[k];
        if (input < 0)
            continue;
        struct redge from = f->consumers.node[k]->inputs[input];
        if (!find_target(f, restore, k, &to[from.index]))
            return false;
        found++;
    }
    return found > 0;
}

/* The inputs and attrs of the new node: of kind `handles`, or references. */
struct parts {
    struct redge *inputs;
    int64_t *at;
    bool *validate;
    struct str *names, *made;
    int *ref_types;
    int n, num_refs;
};

static void add_parts(struct parts *p, const struct rnode *restore, const struct target *to,
                      bool handles)
{
    for (int i = 0; i < restore->num_outputs; i++) {
        const struct rnode *a = to[i].assign;
        if (!a || rnode_is(a, "AssignVariableOp") != handles)
            continue;
        p->inputs[3 + p->n] = a->inputs[0];
        p->at[p->n] = i;
        p->validate[p->n] = !handles && attrs_bool(a->attrs, "validate_shape");
        p->names[p->n] = str_of(a->name);
        p->made[p->n] = str_of(a->origin ? a->origin->made_at : NULL);
        if (!handles)
            p->ref_types[p->num_refs++] = restore->output_types[i];
        p->n++;
    }
}

static void fill_attrs(const struct parts *p, const struct rnode *restore, struct attrs *attrs)
{
    attrs_set(attrs, "dtypes", attr_list(ATTR_TYPE, restore->output_types, restore->num_outputs));
    attrs_set(attrs, "ref_types", attr_list(ATTR_TYPE, p->ref_types, p->num_refs));
    attrs_set(attrs, "num_handles", attr_int(p->n - p->num_refs));
    attrs_set(attrs, "at", attr_list(ATTR_INT, p->at, p->n));
    attrs_set(attrs, "validate_shape", attr_list(ATTR_BOOL, p->validate, p->n));
    attrs_set(attrs, "names", attr_list(ATTR_STRING, p->names, p->n));
    attrs_set(attrs, "made", attr_list(ATTR_STRING, p->made, p->n));
}

static struct rnode *make_node(struct fuse *f, struct rnode *restore, const struct target *to,
                               struct status *st)
{
    const int n = restore->num_outputs;
    struct attrs attrs = {0};
    struct parts p = {.inputs = mem_new_array(struct redge, n + 3),
                      .at = mem_new_array(int64_t, n),
                      .validate = mem_new_array(bool, n),
                      .names = mem_new_array(struct str, n),
                      .made = mem_new_array(struct str, n),
                      .ref_types = mem_new_array(int, n)};
    memcpy(p.inputs, restore->inputs, 3 * sizeof *p.inputs);
    add_parts(&p, restore, to, false);
    add_parts(&p, restore, to, true);
    fill_attrs(&p, restore, &attrs);
    struct rnode *fused =
        fused_node_add(f->g, restore, "_RestoreInto", &attrs, p.inputs, 3 + p.n, st);
    attrs_clear(&attrs);
    mem_free(p.inputs);
    mem_free(p.at);
    mem_free(p.validate);
    mem_free(p.names);
    mem_free(p.made);
    mem_free(p.ref_types);
    return fused;
}

static void replace(struct fuse *f, struct rnode *restore, const struct target *to,
                    struct status *st)
{
    struct rnode *fused = make_node(f, restore, to, st);
    if (!fused)
        return;
    fused->pinned = true;
    for (int64_t k = 0; k < restore->num_control; k++)
        rnode_add_control(f->g, fused, restore->control[k]);
    f->with[restore->id] = fused;
    for (int i = 0; i < restore->num_outputs; i++) {
        if (to[i].through) {
            rgraph_drop(f->g, to[i].through);
            f->with[to[i].through->id] = fused;
        }
        if (to[i].assign) {
            rgraph_drop(f->g, to[i].assign);
            f->with[to[i].assign->id] = fused;
        }
    }
}

static bool is_restore(const struct rnode *n)
{
    return rnode_is(n, "RestoreV2") && !n->dropped && !n->keep && n->frame == 0 &&
           fused_node_on_cpu(n) && n->num_inputs == 3;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct fuse f = {.g = g, .num_nodes = g->num_nodes};
    bool any = false;
    for (int64_t i = 0; i < g->num_nodes && !any; i++)
        any = is_restore(g->nodes[i]);
    if (!any)
        return true;
    f.consumers = rgraph_consumers(g);
    f.with = mem_new_array(struct rnode *, f.num_nodes + 1);
    for (int64_t i = 0; i < f.num_nodes && status_ok(st); i++) {
        struct rnode *n = g->nodes[i];
        if (!is_restore(n))
            continue;
        struct target *to = mem_new_array(struct target, n->num_outputs + 1);
        if (find_targets(&f, n, to))
            replace(&f, n, to, st);
        mem_free(to);
    }
    if (status_ok(st) && g->num_nodes > f.num_nodes) {
        fused_node_reconnect(g, &(struct fused_nodes){.with = f.with, .n = f.num_nodes});
        rgraph_compact(g);
    }
    mem_free(f.with);
    return status_ok(st);
}

static bool enabled(const struct pass_options *o)
{
    return o->fuse;
}

PASS_DEF(fuse_restore) = {
    .name = "fuse_restore",
    .summary = "A RestoreV2 and the assignments of what it reads become one node.",
    .order = 450,
    .enabled = enabled,
    .run = run,
};
