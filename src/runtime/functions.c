/* SPDX-License-Identifier: Apache-2.0 */
/* Running functions of the graph's library: for If, While, PartitionedCall and their like.
 *
 * A function is instantiated once per (name, attrs) of a session: its body becomes a plan, which
 * every call then runs with a step environment of its own: the caller's resources and cancellation,
 * a rendezvous of its own. Stateful nodes of the body run although no result needs them. */
#include <string.h>

#include "base/mem.h"
#include "grad/function_grad.h"
#include "graph/graphdef.h"
#include "op/rendezvous.h"
#include "proto/leat_proto.h"
#include "runtime/placer.h"
#include "runtime/session_impl.h"

enum { MAX_CALL_DEPTH = 10000, CALLS_PER_STACK = 16, MAX_OWN = 1000 };

struct instance { /* owned by the session */
    struct function_body body;
    struct plan *plan;
    struct instance *next; /* of functions->own */
};

struct functions {
    struct lock lock;
    struct instance *own; /* of one call each; guarded by lock, as is their number */
    int num_own;
    struct strmap by_key; /* the call as a message -> instance; guarded by lock */
};

static struct functions *functions_of(struct session *s)
{
    lock_take(&s->lock);
    if (!s->functions) {
        s->functions = mem_new(struct functions);
        lock_init(&s->functions->lock, "functions", LOCK_RANK_PLAN);
    }
    struct functions *f = s->functions;
    lock_drop(&s->lock);
    return f;
}

static void instance_free(struct instance *i)
{
    plan_unref(i->plan);
    function_body_clear(&i->body);
    mem_free(i);
}

void session_functions_free(struct session *s)
{
    if (!s->functions)
        return;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&s->functions->by_key, &i, &key, &value);)
        instance_free(value);
    for (struct instance *next, *in = s->functions->own; in; in = next) {
        next = in->next;
        instance_free(in);
    }
    strmap_release(&s->functions->by_key);
    lock_release_memory(&s->functions->lock);
    mem_free(s->functions);
}

/* The bytes of the call as a message, two digits each: equal for equal calls alone. */
static bool key_of(const struct attr_func *f, struct strbuf *key, struct status *st)
{
    struct arena a = {0};
    struct strbuf bytes = {0};
    struct attr_value v = {.kind = ATTR_FUNC, .func = (struct attr_func *)(uintptr_t)f};
    bool ok = pb_encode_with(attr_to_proto(&a, &v), PB_DETERMINISTIC, &bytes, st);

    for (size_t i = 0; ok && i < bytes.n; i++) {
        strbuf_putc(key, "0123456789abcdef"[(uint8_t)bytes.p[i] >> 4]);
        strbuf_putc(key, "0123456789abcdef"[(uint8_t)bytes.p[i] & 15]);
    }
    strbuf_release(&bytes);
    arena_release(&a);
    return ok;
}

/* What must run: results, what the function names, and everything stateful. */
static struct node **targets_of(const struct function_body *b, int *n)
{
    struct graph *g = b->graph;
    int64_t cap = 0, count = 0;
    struct node **t = NULL;
    for (int i = 0; i < b->num_rets + b->num_control_rets; i++) {
        t = vec_reserve(t, &cap, count + 1, sizeof *t);
        t[count++] = i < b->num_rets ? b->rets[i] : b->control_rets[i - b->num_rets];
    }
    for (int64_t i = 0; i < g->num_nodes; i++) {
        const struct op_def *d = g->nodes[i]->op->def;
        bool own = g->nodes[i]->op->name[0] == '_';
        if (!d || !(d->flags & OP_STATEFUL) || own)
            continue;
        t = vec_reserve(t, &cap, count + 1, sizeof *t);
        t[count++] = g->nodes[i];
    }
    *n = (int)count;
    return t;
}

/* RemoteCall: nodes that ask for no device stand on the call's. */
static bool use_target(struct session *s, struct instance *in, struct str target, struct status *st)
{
    char *name = mem_strndup(target.p, target.n);
    struct device_spec want, have;
    struct status ignored = {0};
    bool ok = device_spec_parse(name, &want, &ignored), there = false;

    for (int i = 0; ok && i < s->num_devices && !there; i++)
        there = device_spec_parse(s->devices[i].name, &have, &ignored) &&
                device_spec_matches(&want, &have);
    status_clear(&ignored);
    if (!ok)
        status_invalid(st, "Could not parse %s into a device specification.", name);
    else if (!there)
        status_internal(st, "Currently don't support instantiating functions on device: %s", name);
    for (int64_t i = 0; there && i < in->body.graph->num_nodes; i++) {
        if (!in->body.graph->nodes[i]->device[0])
            graph_set_device(in->body.graph->nodes[i], name);
    }
    mem_free(name);
    return there;
}

static bool build(struct session *s, struct instance *in, const struct attr_func *f,
                  struct status *st)
{
    if (!function_or_gradient(s->graph, f->name, &f->attrs, &in->body, st))
        return false;
    const struct attr_value *target = attrs_find(&f->attrs, "_target");
    if (target && target->kind == ATTR_STRING && !target->is_list &&
        !use_target(s, in, target->s, st))
        return false;
    int n = 0;
    struct node **targets = targets_of(&in->body, &n);
    struct plan_request r = {.graph = in->body.graph,
                             .targets = targets,
                             .num_targets = n,
                             .passes = &s->config.passes,
                             .is_function = true,
                             .num_args = in->body.num_args,
                             .num_retvals = in->body.num_rets};
    if (n > 0)
        in->plan = plan_new(s, &r, st);
    mem_free(targets);
    return n == 0 || in->plan;
}

static struct instance *find(struct functions *all, const struct strbuf *key)
{
    lock_take(&all->lock);
    struct instance *in = strmap_find_n(&all->by_key, key->p, key->n);
    lock_drop(&all->lock);
    return in;
}

/* Another thread may have made it meanwhile: the first one stays. */
static struct instance *keep(struct functions *all, const struct strbuf *key, struct instance *in)
{
    lock_take(&all->lock);
    struct instance *there = strmap_find_n(&all->by_key, key->p, key->n);
    if (!there)
        strmap_put_n(&all->by_key, key->p, key->n, in);
    lock_drop(&all->lock);
    if (there)
        instance_free(in);
    return there ? there : in;
}

static struct instance *make_shared(struct session *s, const struct attr_func *f, struct status *st)
{
    struct functions *all = functions_of(s);
    struct strbuf key = {0};
    struct instance *in = NULL;

    if (key_of(f, &key, st) && !(in = find(all, &key))) {
        in = mem_new(struct instance);
        if (build(s, in, f, st)) {
            in = keep(all, &key, in);
        } else {
            instance_free(in);
            in = NULL;
        }
    }
    strbuf_release(&key);
    return in;
}

/* Where TensorFlow puts the body in the place of the call, each call has random numbers and other
 * state of its own: there, and where that is seen, so does this. Branches and loops ask for it by
 * an attr. What calls itself cannot have it. */
static bool wants_own(struct session *s, const struct kctx *caller, const char *name)
{
    const char *op = caller->kernel->op->name;
    const struct attr_value *f = attrs_find(caller->kernel->attrs, "f");
    const struct attr_value *lowered =
        attrs_find(caller->kernel->attrs, "_lower_using_switch_merge");
    bool call = caller->kernel->op->function || strcmp(op, "PartitionedCall") == 0 ||
                strcmp(op, "StatefulPartitionedCall") == 0;
    if (strcmp(op, "SymbolicGradient") == 0 && f && f->kind == ATTR_FUNC && !f->is_list) {
        call = true;
        name = f->func->name;
    }

    if (!call && !(lowered && lowered->kind == ATTR_BOOL && !lowered->is_list && lowered->b))
        return false;
    return !function_repeatable(s->graph, name) && !function_recursive(s->graph, name);
}

static struct instance *make_own(struct session *s, const struct attr_func *f, struct status *st)
{
    struct functions *all = functions_of(s);
    struct instance *in = mem_new(struct instance);

    if (!build(s, in, f, st)) {
        instance_free(in);
        return NULL;
    }
    lock_take(&all->lock);
    in->next = all->own;
    all->own = in;
    all->num_own++;
    lock_drop(&all->lock);
    return in;
}

static struct instance *make(struct session *s, const struct kctx *caller,
                             const struct attr_func *f, struct status *st)
{
    struct functions *all = functions_of(s);

    lock_take(&all->lock);
    bool room = all->num_own < MAX_OWN;
    lock_drop(&all->lock);
    return room && wants_own(s, caller, f->name) ? make_own(s, f, st) : make_shared(s, f, st);
}

/* What was made for f stays with it: instances live as long as the session. */
static struct instance *instantiate(struct session *s, const struct kctx *caller,
                                    const struct attr_func *f, struct status *st)
{
    struct attr_func *own = (struct attr_func *)(uintptr_t)f;
    void *had = NULL;
    struct instance *in = __atomic_load_n(&own->instance, __ATOMIC_ACQUIRE);

    if (in)
        return in;
    in = make(s, caller, f, st);
    if (in && !__atomic_compare_exchange_n(&own->instance, &had, in, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE))
        in = had;
    return in;
}

/* --- a call --- */

struct call { /* owned by itself until done */
    struct kernel_env env;
    struct plan *plan;
    function_done_fn done;
    void *arg;
    int num_rets;
    struct tensor rets[];
};

static void call_over(void *arg, struct status *st)
{
    struct call *c = arg;
    for (int i = 0; i < c->num_rets && status_ok(st); i++) {
        if (c->rets[i].dtype == DT_INVALID)
            status_invalid(st, "Retval[%d] does not have value", i);
    }
    rendezvous_unref(c->env.rendezvous);
    c->done(c->arg, st, c->rets, c->num_rets);
    for (int i = 0; i < c->num_rets; i++)
        tensor_clear(&c->rets[i]);
    mem_free(c);
}

static bool check_call(const struct instance *in, const char *name, const struct kernel_env *env,
                       const struct tensor *inputs, int n, struct status *st)
{
    if (env->depth >= MAX_CALL_DEPTH)
        return status_exhausted(st,
                                "Function %s: calls are nested more than %d deep (a recursion that "
                                "does not end?)",
                                name, MAX_CALL_DEPTH);
    if (n != in->body.num_args)
        return status_invalid(st, "Function %s: Expects %d arguments, but %d is provided", name,
                              in->body.num_args, n);
    for (int i = 0; i < n; i++) {
        int want = dtype_base(in->body.args[i]->output_types[0]);
        if (inputs[i].dtype != want)
            return status_invalid(st, "Function %s: Expects arg[%d] to be %s but %s is provided",
                                  name, i, dtype_name(want), dtype_name(inputs[i].dtype));
    }
    return true;
}

static void start_call(void *arg)
{
    struct call *c = arg;
    plan_start(c->plan, &c->env, NULL, call_over, c);
}

/* Calls within calls use up the thread's stack: now and then one goes on with another's. */
void session_run_function(struct kernel_env *env, struct kctx *caller, const struct attr_func *f,
                          struct tensor *inputs, int num_inputs, function_done_fn done, void *arg)
{
    struct status st = {0};
    struct session *s = env->runtime;
    struct instance *in = instantiate(s, caller, f, &st);
    if (!in || !check_call(in, f->name, env, inputs, num_inputs, &st) || !in->plan) {
        done(arg, &st, NULL, 0);
        status_clear(&st);
        return;
    }
    struct call *c = mem_zalloc(sizeof *c + sizeof(struct tensor) * (size_t)in->body.num_rets);
    c->env = *env;
    c->env.args = inputs;
    c->env.num_args = num_inputs;
    c->env.take_args = true;
    c->env.retvals = c->rets;
    c->env.num_retvals = c->num_rets = in->body.num_rets;
    c->env.rendezvous = rendezvous_new();
    c->env.depth = env->depth + 1;
    c->plan = in->plan;
    c->done = done;
    c->arg = arg;
    if (c->env.depth % CALLS_PER_STACK == 0)
        pool_submit(env->pool, start_call, c);
    else
        start_call(c);
}
