/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a plan's parts: steps in topological order, slots, lifetimes; what the dataflow
 * executor needs is compile_flow.c's.
 *
 * A part is built in passes over its steps, each filling one kind of table; all tables live in the
 * plan's arena. Linear in nodes and edges. */
#include "runtime/compile.h"

#include "op/changes.h"

#include <string.h>

#include "base/mem.h"
#include "runtime/kernels.h"

static int kind_of(const struct rnode *n)
{
    static const struct {
        const char *op;
        int kind;
    } kinds[] = {{"Const", STEP_CONST},
                 {"_Arg", STEP_ARG},
                 {"_Retval", STEP_RETVAL},
                 {"Identity", STEP_FORWARD},
                 {"StopGradient", STEP_FORWARD},
                 {"PreventGradient", STEP_FORWARD},
                 {"ControlTrigger", STEP_TRIGGER},
                 {"Switch", STEP_SWITCH},
                 {"RefSwitch", STEP_SWITCH},
                 {"_SwitchN", STEP_SWITCH},
                 {"Merge", STEP_MERGE},
                 {"RefMerge", STEP_MERGE},
                 {"Enter", STEP_ENTER},
                 {"RefEnter", STEP_ENTER},
                 {"Exit", STEP_EXIT},
                 {"RefExit", STEP_EXIT},
                 {"NextIteration", STEP_NEXT_ITERATION},
                 {"RefNextIteration", STEP_NEXT_ITERATION},
                 {"LoopCond", STEP_LOOP_COND}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(n->op->name, kinds[i].op) == 0)
            return kinds[i].kind;
    }
    return STEP_PLAIN;
}

static bool has_refs(const struct rnode *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (dtype_is_ref(n->inputs[i].node->output_types[n->inputs[i].index]))
            return true;
    }
    return false;
}

static bool is_transfer(const struct rnode *n)
{
    const char *op = n->op->name;
    return strcmp(op, "_Send") == 0 || strcmp(op, "_Recv") == 0 || strcmp(op, "_HostSend") == 0 ||
           strcmp(op, "_HostRecv") == 0;
}

static bool check_const(const struct rnode *n, struct status *st)
{
    const struct attr_value *v = attrs_find(n->attrs, "value");
    int have = v && v->kind == ATTR_TENSOR && !v->is_list ? v->tensor.dtype : DT_INVALID;
    return have == n->output_types[0] ||
           status_invalid(st, "Type mismatch between value (%s) and dtype (%s)\n\t [[{{node %s}}]]",
                          dtype_name(have), dtype_name(n->output_types[0]), n->name);
}

/* Whoever wrote a graph may have put one in by hand; it must not reach past what a run has. */
static bool check_end(const struct part_build *b, const struct plan_step *s, const struct rnode *n,
                      struct status *st)
{
    const struct plan *p = b->plan;
    const int limit = s->kind == STEP_ARG ? p->num_args : p->num_fetches;

    if (n->origin && !n->made && !p->is_function)
        return status_invalid(st, "%s '%s' can run inside of a function only", n->op->name,
                              n->name);
    return (s->arg >= 0 && s->arg < limit) ||
           status_invalid(st, "%s '%s': there is no number %d, only %d", n->op->name, n->name,
                          s->arg, limit);
}

static bool fill_step(struct part_build *b, struct plan_step *s, struct rnode *n, struct status *st)
{
    s->name = n->name;
    s->origin = n->origin;
    s->kind = (uint8_t)kind_of(n);
    s->num_in = n->num_inputs;
    s->num_out = n->num_outputs;
    s->num_control_in = (int32_t)n->num_control;
    s->frame = n->frame;
    s->derefs = has_refs(n);
    if (s->kind == STEP_FORWARD && (s->derefs || s->num_in != 1))
        s->kind = STEP_PLAIN;
    s->ref_uninit_ok = n->op->def && (n->op->def->flags & OP_UNINIT_OK);
    s->uninit_values = n->op->def && (n->op->def->flags & OP_UNINIT_VALUES);
    if (s->kind == STEP_ARG || s->kind == STEP_RETVAL)
        s->arg = (int32_t)attrs_int(n->attrs, "index");
    if (s->kind == STEP_ENTER)
        s->constant_enter = attrs_bool(n->attrs, "is_constant");
    if (s->kind == STEP_CONST)
        return check_const(n, st);
    if (s->kind == STEP_ARG || s->kind == STEP_RETVAL)
        return check_end(b, s, n, st);
    s->kernel = plan_kernel(b->plan, n, b->part->device, st);
    if (!s->kernel)
        return false;
    s->async = s->kernel->def->flags & KERNEL_ASYNC;
    s->derefs = s->derefs || (!s->async && changes_applies(s->kernel));
    s->blocking = s->kernel->def->flags & KERNEL_BLOCKING;
    s->expensive = s->kernel->def->flags & KERNEL_EXPENSIVE;
    s->transfer = is_transfer(n);
    return true;
}

/* Steps, and the numbers of their inputs and slots. */
static bool build_steps(struct part_build *b, struct status *st)
{
    struct plan_part *p = b->part;
    p->steps = arena_array(&b->plan->arena, struct plan_step, p->num_steps + 1);
    p->tape = true;
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        if (!fill_step(b, s, b->nodes[i], st))
            return false;
        s->first_in = p->num_inputs;
        s->first_out = p->num_slots;
        p->num_inputs += s->num_in;
        p->num_slots += s->num_out;
        p->heavy = p->heavy || s->expensive || s->blocking;
        if (s->kind >= STEP_SWITCH || s->async || s->blocking)
            p->tape = false;
    }
    return true;
}

static void build_constants(struct part_build *b)
{
    struct plan_part *p = b->part;
    p->constants = arena_array(&b->plan->arena, struct tensor, p->num_slots + 1);
    for (int i = 0; i < p->num_steps; i++) {
        const struct attr_value *v = attrs_find(b->nodes[i]->attrs, "value");
        if (p->steps[i].kind == STEP_CONST && v && v->kind == ATTR_TENSOR)
            p->constants[p->steps[i].first_out] =
                v->tensor; /* borrowed: the node's attrs keep it */
    }
}

static int slot_of(const struct part_build *b, struct redge e)
{
    return b->part->steps[b->step_of[e.node->id]].first_out + e.index;
}

static void build_inputs(struct part_build *b)
{
    struct plan_part *p = b->part;
    p->in_slots = arena_array(&b->plan->arena, int32_t, p->num_inputs + 1);
    for (int i = 0; i < p->num_steps; i++) {
        for (int k = 0; k < p->steps[i].num_in; k++)
            p->in_slots[p->steps[i].first_in + k] = slot_of(b, b->nodes[i]->inputs[k]);
    }
}

/* Tape only: which step uses each slot last, and what may be overwritten or dies there. */
static void build_lifetimes(struct part_build *b)
{
    struct plan_part *p = b->part;
    int *last = mem_new_array(int, p->num_slots + 1);
    int *count = mem_new_array(int, p->num_steps + 1);
    for (int i = 0; i < p->num_steps; i++) {
        for (int k = 0; k < p->steps[i].num_out; k++)
            last[p->steps[i].first_out + k] = i;
        for (int k = 0; k < p->steps[i].num_in; k++)
            last[p->in_slots[p->steps[i].first_in + k]] = i;
    }
    for (int slot = 0; slot < p->num_slots; slot++)
        count[last[slot]] += p->constants[slot].dtype == DT_INVALID;
    p->frees = arena_array(&b->plan->arena, int32_t, p->num_slots + 1);
    for (int i = 0, at = 0; i < p->num_steps; i++) {
        p->steps[i].first_free = at;
        at += count[i];
    }
    for (int slot = 0; slot < p->num_slots; slot++) {
        struct plan_step *s = &p->steps[last[slot]];
        if (p->constants[slot].dtype == DT_INVALID)
            p->frees[s->first_free + s->num_free++] = slot;
    }
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        for (int k = 0; k < s->num_in && k < 64; k++) {
            int32_t slot = p->in_slots[s->first_in + k];
            bool twice = false;
            for (int j = 0; j < s->num_in && j < 64; j++)
                twice = twice || (j != k && p->in_slots[s->first_in + j] == slot);
            if (last[slot] == i && !twice && p->constants[slot].dtype == DT_INVALID)
                s->last_use |= (uint64_t)1 << k;
        }
    }
    mem_free(last);
    mem_free(count);
}

static bool build_part(struct part_build *b, struct rnode *const *order, const int *part_of,
                       int index, struct status *st)
{
    struct rgraph *g = b->plan->rgraph;
    b->nodes = mem_new_array(struct rnode *, g->num_nodes + 1);
    b->step_of = mem_new_array(int, g->num_nodes + 1);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (part_of && part_of[order[i]->id] != index)
            continue;
        b->step_of[order[i]->id] = b->part->num_steps;
        b->nodes[b->part->num_steps++] = order[i];
    }
    bool ok = build_steps(b, st);
    if (ok) {
        build_constants(b);
        build_inputs(b);
        if (b->part->tape)
            build_lifetimes(b);
        else
            ok = compile_flow(b, st);
    }
    mem_free(b->nodes);
    mem_free(b->step_of);
    return ok;
}

/* A fetch: a result, or, in a part that a master made, what is sent to it. */
static bool goes_to_client(const struct rnode *n)
{
    const struct attr_value *v = attrs_find(n->attrs, "client_terminated");
    return kind_of(n) == STEP_RETVAL ||
           (n->num_outputs == 0 && is_transfer(n) && v && v->kind == ATTR_BOOL && v->b);
}

/* A fetched reference is read when everything else of the step is over, so that it shows the step's
 * own updates: such results go to the end. Nothing waits for them. */
static void read_references_last(struct rnode **order, int64_t n)
{
    struct rnode **late = mem_new_array(struct rnode *, n + 1);
    int64_t kept = 0, num_late = 0;
    for (int64_t i = 0; i < n; i++) {
        if (goes_to_client(order[i]) && has_refs(order[i]))
            late[num_late++] = order[i];
        else
            order[kept++] = order[i];
    }
    for (int64_t i = 0; i < num_late; i++)
        order[kept++] = late[i];
    mem_free(late);
}

bool plan_compile(struct plan *p, const int *part_of, const struct device *const *devices,
                  int num_parts, struct status *st)
{
    struct rnode **order;
    if (!rgraph_sort(p->rgraph, &order, st))
        return false;
    read_references_last(order, p->rgraph->num_nodes);
    p->parts = arena_array(&p->arena, struct plan_part, num_parts);
    p->num_parts = num_parts;
    for (int i = 0; i < num_parts; i++) {
        p->parts[i].device = devices[i];
        struct part_build b = {.plan = p, .part = &p->parts[i]};
        if (!build_part(&b, order, part_of, i, st))
            return false;
    }
    return true;
}
