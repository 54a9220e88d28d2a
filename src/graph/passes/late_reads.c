/* SPDX-License-Identifier: Apache-2.0 */
/* When variables are read. A node that waits for others and reads a variable by an Identity that
 * does not takes the reference itself, and so the value of when it starts.
 *
 *     with tf.control_dependencies([w.assign_add(1.)]): y = tf.identity(w)
 *
 * reads 'w/read', an Identity made with the variable, which may run before the assignment. In
 * TensorFlow that Identity shares the variable's buffer, which the assignment then changes: y is
 * the value after it, and programs count on that. Here a value that was read stays what it was, so
 * the reader itself has to read.
 *
 * A node waits when it has control inputs, or when a node that it reads has some (the constant of
 * `w * 2.`, say: the product is then given none), an Identity apart: gradients stand behind those,
 * and what they read is safe. It holds of nodes outside of loops, on the variable's device; an
 * Identity that is fed or has control inputs stays between. In a branch of a cond the read comes by
 * a Switch, and what waits there (or any reader, where the predicate waits) gets the reference by a
 * RefSwitch of its own. Linear in the edges; always runs, since it is about what a graph means. */
#include <string.h>

#include "base/mem.h"
#include "graph/fused_node.h"
#include "graph/pass_util.h"

static bool is_read(const struct rnode *p)
{
    return !p->dropped && !p->keep && p->num_control == 0 && p->frame == 0 && p->num_inputs == 1 &&
           rnode_is(p, "Identity") && rnode_reads_ref(p);
}

/* Some of what p is computed of waits, and all of it is constants, as the Range of all dims is. */
static bool of_waiting_consts(const struct rnode *p)
{
    bool found = false;
    for (int i = 0; i < p->num_inputs; i++) {
        if (!rnode_is(p->inputs[i].node, "Const"))
            return false;
        found |= p->inputs[i].node->num_control > 0;
    }
    return found;
}

static bool waits(const struct rnode *n)
{
    if (n->num_control > 0)
        return true;
    for (int i = 0; i < n->num_inputs; i++) {
        const struct rnode *p = n->inputs[i].node;
        if (rnode_is(p, "Identity") || rnode_is_control_flow(p))
            continue;
        if (p->num_control > 0 || of_waiting_consts(p))
            return true;
    }
    return false;
}

/* A read on its way into a branch. */
static bool is_branch_read(const struct rnode *p)
{
    return !p->dropped && !p->keep && p->num_control == 0 && p->frame == 0 && p->num_inputs == 2 &&
           rnode_is(p, "Switch") && fused_node_on_cpu(p) && is_read(p->inputs[0].node) &&
           strcmp(p->inputs[0].node->device, p->device) == 0;
}

/* The reference that is read goes where the Switch goes. NULL: failed. */
static struct rnode *ref_switch(struct rgraph *g, const struct rnode *p, struct status *st)
{
    const struct op *op = op_get("RefSwitch", st);
    if (!op)
        return NULL;
    const struct redge inputs[] = {p->inputs[0].node->inputs[0], p->inputs[1]};
    char *name = mem_printf("%s/ref", p->name);
    struct rnode *made = rgraph_add(g, name, op, p->attrs, inputs, 2, st);
    if (made)
        made->device = p->device;
    mem_free(name);
    return made;
}

static bool read_late(struct rgraph *g, struct rnode *n, struct status *st)
{
    bool after = waits(n);
    for (int i = 0; i < n->num_inputs; i++) {
        const struct rnode *p = n->inputs[i].node;
        if (strcmp(p->device, n->device) != 0)
            continue;
        if (after && is_read(p)) {
            n->inputs[i] = p->inputs[0];
        } else if (is_branch_read(p) && (after || p->inputs[1].node->num_control > 0)) {
            n->inputs[i].node = ref_switch(g, p, st);
            if (!n->inputs[i].node)
                return false;
        }
    }
    return true;
}

/* A reference that is fetched is read when what writes it is done, as far as that always runs: else
 * the order of the two would be left to chance. */
static void fetch_late(struct rgraph *g, const struct rconsumers *c, const bool *conditional,
                       struct rnode *fetch)
{
    const struct rnode *v = fetch->inputs[0].node;
    for (int64_t k = c->begin[v->id]; k < c->begin[v->id + 1]; k++) {
        struct rnode *n = c->node[k];
        int i = c->input[k];
        if (i >= 0 && n != fetch && !n->dropped && n->frame == 0 && !conditional[n->id] &&
            dtype_is_ref(n->input_types[i]) && !rnode_is_control_flow(n) &&
            strcmp(n->device, fetch->device) == 0)
            rnode_add_control(g, fetch, n);
    }
}

static bool is_fetch_of_ref(const struct rnode *n)
{
    return !n->dropped && n->frame == 0 && rnode_is(n, "_Retval") && rnode_reads_ref(n) &&
           n->inputs[0].node->num_inputs == 0;
}

static bool fetches_late(struct rgraph *g, struct status *st)
{
    bool any = false;
    for (int64_t i = 0; i < g->num_nodes && !any; i++)
        any = is_fetch_of_ref(g->nodes[i]);
    if (!any)
        return true;
    struct rnode **order;
    if (!rgraph_sort(g, &order, st))
        return false;
    bool *conditional = rgraph_find_conditional(g, order);
    struct rconsumers c = rgraph_consumers(g);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (is_fetch_of_ref(g->nodes[i]))
            fetch_late(g, &c, conditional, g->nodes[i]);
    }
    mem_free(conditional);
    return true;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    for (int64_t i = 0, end = g->num_nodes; i < end; i++) {
        struct rnode *n = g->nodes[i];
        if (!n->dropped && n->frame == 0 && !rnode_is_control_flow(n) && !read_late(g, n, st))
            return false;
    }
    return fetches_late(g, st);
}

static bool enabled(const struct pass_options *o UNUSED)
{
    return true;
}

PASS_DEF(late_reads) = {
    .name = "late_reads",
    .summary = "What waits and then reads a variable reads it after the wait.",
    .order = 20,
    .enabled = enabled,
    .run = run,
};
