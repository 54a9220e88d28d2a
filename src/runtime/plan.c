/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: made from a signature, run by the executors, their run states reused.
 *
 * plan_new: prune, place, optimise, partition, compile. plan_start: a plan of one tape runs right
 * here; else every part that is a tape or a dataflow run is started, and the last one to end calls
 * done. */
#include "runtime/plan.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "op/cancel.h"
#include "op/rendezvous.h"
#include "runtime/compile.h"
#include "runtime/debug_watch.h"
#include "runtime/home.h"
#include "runtime/partition.h"
#include "runtime/placer.h"
#include "runtime/prune.h"

enum { MAX_FREE_STATES = 16 };

static bool build(struct plan *p, const struct plan_request *r, struct status *st)
{
    struct rgraph *rg = p->rgraph;
    if (!prune(rg, r, st) || !place_rgraph(p->session, rg, st) ||
        (r->debug.n > 0 && !debug_watch_insert(rg, r->debug, st)) || !passes_run(rg, r->passes, st))
        return false;
    struct partition parts = {0};
    bool ok = partition_rgraph(p->session, rg, &parts, st) &&
              plan_compile(p, parts.part_of, parts.devices, parts.num_parts, st);
    partition_clear(&parts);
    return ok;
}

struct plan *plan_new(struct session *s, const struct plan_request *r, struct status *st)
{
    struct plan *p = mem_new(struct plan);
    p->refs = 1;
    p->session = s;
    p->rgraph = rgraph_new(r->graph);
    p->is_function = r->is_function;
    p->num_args = r->is_function ? r->num_args : r->num_feeds;
    p->num_fetches = r->is_function ? r->num_retvals : r->num_fetches;
    lock_init(&p->lock, "plan", LOCK_RANK_PLAN);
    p->args_from = arena_memdup(&p->arena, r->feeds, sizeof *r->feeds * (size_t)r->num_feeds);
    if (build(p, r, st))
        return p;
    plan_unref(p);
    return NULL;
}

struct plan *plan_ref(struct plan *p)
{
    __atomic_fetch_add(&p->refs, 1, __ATOMIC_RELAXED);
    return p;
}

/* --- run states --- */

static void state_free(struct plan *p, struct plan_state *s)
{
    for (int i = 0; i < p->num_parts; i++) {
        for (int k = 0; s->slots[i] && k < p->parts[i].num_slots; k++)
            tensor_clear(&s->slots[i][k]);
        mem_free(s->slots[i]);
        mem_free(s->in[i]);
        flow_free(s->flows[i]);
    }
    mem_free(s->flows);
    mem_free(s->slots);
    mem_free(s->in);
    mem_free(s);
}

static void state_fill_part(const struct plan_part *part, struct plan_state *s, int i)
{
    s->slots[i] = mem_new_array(struct tensor, part->num_slots + 1);
    s->in[i] = mem_new_array(struct tensor *, part->num_inputs + 1);
    for (int k = 0; k < part->num_slots; k++) {
        if (part->constants[k].dtype != DT_INVALID)
            s->slots[i][k] = tensor_copy(&part->constants[k]);
    }
    for (int k = 0; k < part->num_inputs; k++)
        s->in[i][k] = &s->slots[i][part->in_slots[k]];
}

struct plan_state *plan_state_take(struct plan *p)
{
    lock_take(&p->lock);
    struct plan_state *s = p->free_states;
    if (s) {
        p->free_states = s->next;
        p->num_free_states--;
    }
    lock_drop(&p->lock);
    if (s)
        return s;
    s = mem_new(struct plan_state);
    s->slots = mem_new_array(struct tensor *, p->num_parts);
    s->in = mem_new_array(struct tensor **, p->num_parts);
    s->flows = mem_new_array(struct flow *, p->num_parts);
    for (int i = 0; i < p->num_parts; i++) {
        if (p->parts[i].tape)
            state_fill_part(&p->parts[i], s, i);
        else
            s->flows[i] = flow_new(&p->parts[i]);
    }
    return s;
}

void plan_state_give(struct plan *p, struct plan_state *s)
{
    lock_take(&p->lock);
    bool keep = p->num_free_states < MAX_FREE_STATES;
    if (keep) {
        s->next = p->free_states;
        p->free_states = s;
        p->num_free_states++;
    }
    lock_drop(&p->lock);
    if (!keep)
        state_free(p, s);
}

void plan_unref(struct plan *p)
{
    if (!p || __atomic_fetch_sub(&p->refs, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    while (p->free_states) {
        struct plan_state *s = p->free_states;
        p->free_states = s->next;
        state_free(p, s);
    }
    for (int64_t i = 0; i < p->num_own_kernels; i++)
        kernel_free(p->own_kernels[i]);
    mem_free(p->own_kernels);
    lock_release_memory(&p->lock);
    rgraph_free(p->rgraph);
    arena_release(&p->arena);
    mem_free(p);
}

/* --- running --- */

struct multi_run { /* a run of more than one part, or of a dataflow part; owned by itself */
    struct plan *plan;
    struct plan_state *state;
    struct kernel_env *env;
    struct step_trace *trace;
    plan_done_fn done;
    void *done_arg;
    int left; /* atomic: parts that run, and the starter */
    struct lock lock;
    struct status status; /* guarded by lock: the first error */
};

static void part_done(void *arg, struct status *st)
{
    struct multi_run *m = arg;
    if (!status_ok(st)) {
        lock_take(&m->lock);
        bool first = status_ok(&m->status);
        status_move(&m->status, st);
        lock_drop(&m->lock);
        if (first && m->env->rendezvous)
            rendezvous_abort(m->env->rendezvous, &m->status);
        if (first && m->env->cancel)
            cancel_fire(m->env->cancel, STATUS_CANCELLED, "another part of the step failed");
    }
    if (__atomic_fetch_sub(&m->left, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    struct status final = {0};
    status_move(&final, &m->status);
    plan_state_give(m->plan, m->state);
    lock_release_memory(&m->lock);
    plan_done_fn done = m->done;
    void *done_arg = m->done_arg;
    mem_free(m);
    done(done_arg, &final);
    status_clear(&final);
}

static void run_tape_part(struct multi_run *m, int i)
{
    struct status st = {0};
    bool ok =
        tape_run(&m->plan->parts[i], m->state->slots[i], m->state->in[i], m->env, m->trace, &st);
    (void)ok; /* st says it */
    part_done(m, &st);
    status_clear(&st);
}

struct tape_job {
    struct multi_run *run;
    int part;
};

static void run_tape_job(void *arg)
{
    struct tape_job job = *(struct tape_job *)arg;
    mem_free(arg);
    run_tape_part(job.run, job.part);
}

/* elsewhere: on another thread where that may be worth it. */
static void start_part(struct multi_run *m, int i, struct home *home, bool elsewhere)
{
    const struct plan_part *part = &m->plan->parts[i];
    if (!part->tape) {
        flow_start(m->state->flows[i], m->env, m->trace, home, elsewhere, part_done, m);
    } else if (elsewhere && part->heavy && pool_num_threads(m->env->pool) > 1) {
        struct tape_job *job = mem_new(struct tape_job);
        *job = (struct tape_job){m, i};
        pool_submit(m->env->pool, run_tape_job, job);
    } else {
        run_tape_part(m, i);
    }
}

/* Tapes never wait for another part: those with a Recv run as dataflow. They come last, as flows
 * wait for what they send. Once the last part has started, the plan may be gone. */
static void start_parts(struct plan *p, struct kernel_env *env, struct step_trace *trace,
                        struct home *home, plan_done_fn done, void *arg)
{
    struct multi_run *m = mem_new(struct multi_run);
    *m = (struct multi_run){.plan = p, .env = env, .trace = trace, .done = done, .done_arg = arg};
    lock_init(&m->lock, "run", LOCK_RANK_STEP);
    m->state = plan_state_take(p);
    m->left = p->num_parts;
    for (int turn = 0, to_start = p->num_parts; turn < 2; turn++) {
        for (int i = 0; to_start > 0 && i < p->num_parts; i++) {
            if (p->parts[i].tape == (turn == 1))
                start_part(m, i, home, --to_start > 0);
        }
        if (to_start == 0)
            return;
    }
}

/* What fetch `index` reads, or NULL. */
static const struct rnode *fetched_node(const struct plan *p, int index, int *output)
{
    for (int64_t i = 0; i < p->rgraph->num_nodes; i++) {
        const struct rnode *n = p->rgraph->nodes[i];
        if (strcmp(n->op->name, "_Retval") == 0 && attrs_int(n->attrs, "index") == index) {
            *output = n->inputs[0].index;
            return n->inputs[0].node;
        }
    }
    return NULL;
}

static bool fails_dead(const struct plan *p, int index, struct status *st)
{
    int output = 0;
    const struct rnode *n = fetched_node(p, index, &output);
    if (!n)
        return status_invalid(st, "Retval[%d] does not have value", index);
    return status_invalid(st,
                          "Retval[%d] does not have value: '%s:%d' (op: '%s') is dead, it lies in "
                          "a branch that this run did not take",
                          index, n->name, output, n->op->name);
}

static bool check_retvals(struct plan *p, struct kernel_env *env, struct status *st)
{
    for (int i = 0; i < p->num_fetches; i++) {
        if (env->retvals[i].dtype == DT_INVALID)
            return fails_dead(p, i, st);
    }
    return true;
}

/* A variable that is fetched with what updates it gives its value at the end of the step, whatever
 * order its nodes ran in: programs fetch [train_op, global_step] and count on it. */
static bool read_refs(struct plan *p, struct kernel_env *env, struct status *st)
{
    for (int i = 0; i < p->num_fetches; i++) {
        struct tensor ref = env->retvals[i];
        if (!dtype_is_ref(ref.dtype))
            continue;
        env->retvals[i] = (struct tensor){0};
        bool ok = variable_read(ref.data, &env->retvals[i], st);
        tensor_clear(&ref);
        if (!ok)
            return false;
    }
    return true;
}

static void clear_retvals(struct plan *p, struct kernel_env *env)
{
    for (int i = 0; i < p->num_fetches; i++)
        tensor_clear(&env->retvals[i]);
}

void plan_start(struct plan *p, struct kernel_env *env, struct step_trace *trace, plan_done_fn done,
                void *arg)
{
    if (p->num_parts != 1 || !p->parts[0].tape) {
        start_parts(p, env, trace, NULL, done, arg);
        return;
    }
    struct status st = {0};
    struct plan_state *s = plan_state_take(p);
    bool ok = tape_run(&p->parts[0], s->slots[0], s->in[0], env, trace, &st);
    plan_state_give(p, s);
    (void)ok; /* st says it */
    done(arg, &st);
    status_clear(&st);
}

static bool run_and_wait(struct plan *p, struct kernel_env *env, struct step_trace *trace,
                         struct status *st)
{
    struct home home;
    home_init(&home, env->cancel);
    start_parts(p, env, trace, &home, home_over, &home);
    bool ok = home_wait(&home, st);
    home_release(&home);
    return ok;
}

bool plan_run(struct plan *p, struct kernel_env *env, struct step_trace *trace, struct status *st)
{
    bool ok;
    if (p->num_parts == 1 && p->parts[0].tape) {
        struct plan_state *s = plan_state_take(p);
        ok = tape_run(&p->parts[0], s->slots[0], s->in[0], env, trace, st);
        plan_state_give(p, s);
    } else {
        ok = run_and_wait(p, env, trace, st);
    }
    ok = ok && read_refs(p, env, st) && check_retvals(p, env, st);
    if (!ok)
        clear_retvals(p, env);
    return ok;
}
