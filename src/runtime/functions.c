/* SPDX-License-Identifier: Apache-2.0 */
/* Running functions of the graph's library: for If, While, PartitionedCall and their like.
 *
 * A function is instantiated once per (name, attrs) of a session: its body becomes a plan, which
 * every call then runs with a step environment of its own: the caller's resources and cancellation,
 * a rendezvous of its own. Stateful nodes of the body run although no result needs them. */
#include <string.h>

#include "base/mem.h"
#include "graph/function.h"
#include "op/rendezvous.h"
#include "runtime/session_impl.h"

struct instance { /* owned by the session */
    struct function_body body;
    struct plan *plan;
};

struct functions {
    struct lock lock;
    struct strmap by_key; /* "name{attrs}" -> instance; guarded by lock */
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
    strmap_release(&s->functions->by_key);
    lock_release_memory(&s->functions->lock);
    mem_free(s->functions);
}

static char *key_of(const struct attr_func *f)
{
    struct strbuf b = {0};
    strbuf_puts(&b, f->name);
    for (int64_t i = 0; i < f->attrs.n; i++) {
        strbuf_printf(&b, "{%s=", f->attrs.items[i].name);
        attr_value_print(&f->attrs.items[i].value, &b);
        strbuf_putc(&b, '}');
    }
    return strbuf_take(&b);
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

static bool build(struct session *s, struct instance *in, const struct attr_func *f,
                  struct status *st)
{
    if (!function_instantiate(s->graph, f->name, &f->attrs, &in->body, st))
        return false;
    int n = 0;
    struct node **targets = targets_of(&in->body, &n);
    struct plan_request r = {.graph = in->body.graph,
                             .targets = targets,
                             .num_targets = n,
                             .passes = &s->config.passes,
                             .is_function = true};
    if (n > 0) {
        in->plan = plan_new(s, &r, st);
        if (in->plan)
            in->plan->num_fetches = in->body.num_rets;
    }
    mem_free(targets);
    return n == 0 || in->plan;
}

static struct instance *instantiate(struct session *s, const struct attr_func *f, struct status *st)
{
    struct functions *all = functions_of(s);
    char *key = key_of(f);
    lock_take(&all->lock);
    struct instance *in = strmap_find(&all->by_key, key);
    lock_drop(&all->lock);
    if (!in) {
        in = mem_new(struct instance);
        if (build(s, in, f, st)) {
            lock_take(&all->lock);
            struct instance *there = strmap_find(&all->by_key, key);
            if (!there)
                strmap_put(&all->by_key, key, in);
            lock_drop(&all->lock);
            if (there)
                instance_free(in);
            in = there ? there : in;
        } else {
            instance_free(in);
            in = NULL;
        }
    }
    mem_free(key);
    return in;
}

/* --- a call --- */

struct call { /* owned by itself until done */
    struct kernel_env env;
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

static void fail(function_done_fn done, void *arg, struct status *st)
{
    done(arg, st, NULL, 0);
    status_clear(st);
}

void session_run_function(struct kernel_env *env, struct kctx *caller, const struct attr_func *f,
                          const struct tensor *inputs, int num_inputs, function_done_fn done,
                          void *arg)
{
    (void)caller;
    struct status st = {0};
    struct session *s = env->runtime;
    struct instance *in = instantiate(s, f, &st);
    if (in && num_inputs != in->body.num_args)
        status_invalid(&st, "Function %s takes %d arguments, was called with %d", f->name,
                       in->body.num_args, num_inputs);
    if (!status_ok(&st)) {
        fail(done, arg, &st);
        return;
    }
    if (!in->plan) {
        done(arg, &st, NULL, 0);
        return;
    }
    struct call *c = mem_zalloc(sizeof *c + sizeof(struct tensor) * (size_t)in->body.num_rets);
    c->env = *env;
    c->env.args = inputs;
    c->env.num_args = num_inputs;
    c->env.retvals = c->rets;
    c->env.num_retvals = c->num_rets = in->body.num_rets;
    c->env.rendezvous = rendezvous_new();
    c->done = done;
    c->arg = arg;
    plan_start(in->plan, &c->env, NULL, call_over, c);
}
