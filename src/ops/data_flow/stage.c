/* SPDX-License-Identifier: Apache-2.0 */
/* Stage and its company: a line of tuples between the steps of a session, with room for so many
 * tuples or bytes.
 *
 * Whoever finds it full, or empty, or with too few tuples, waits without a thread. The first op
 * that names a staging area decides how much room it has. */
#include "base/mem.h"
#include "ops/data_flow/area.h"

struct tuple {
    struct tuple *next;
    int n;
    int64_t bytes;
    struct tensor values[];
};

struct stage {
    struct resource base;
    struct area_room room;
    struct waits waits;
    struct tuple *first, **end; /* guarded by waits, like what follows */
    int64_t count, bytes;
};

static void tuple_free(struct tuple *t)
{
    for (int i = 0; t && i < t->n; i++)
        tensor_clear(&t->values[i]);
    mem_free(t);
}

static void free_all(struct tuple *first)
{
    for (struct tuple *t = first, *next; t; t = next) {
        next = t->next;
        tuple_free(t);
    }
}

static void stage_release(struct resource *r)
{
    struct stage *s = (struct stage *)r;

    free_all(s->first);
    waits_release(&s->waits);
    mem_free(s);
}

static void stage_describe(struct resource *r, struct strbuf *out)
{
    struct stage *s = (struct stage *)r;

    lock_take(&s->waits.lock);
    strbuf_printf(out, "staging area: %lld tuples%s", (long long)s->count,
                  s->waits.first ? ", steps wait" : "");
    lock_drop(&s->waits.lock);
}

static const struct resource_type stage_type = {
    .name = "Buffer", .release = stage_release, .describe = stage_describe};

static struct resource *make(void *arg, struct status *st)
{
    const struct area_room *room = arg;
    struct stage *s = mem_new(struct stage);

    (void)st;
    resource_init(&s->base, &stage_type);
    waits_init(&s->waits, "stage");
    s->room = *room;
    s->end = &s->first;
    return &s->base;
}

static struct stage *find(struct kctx *c, struct status *st)
{
    return (struct stage *)area_find(c, &stage_type, make, st);
}

/* --- waiting --- */

struct visit {
    struct waiter base;
    struct kctx *c;
    struct stage *s;
    struct tuple *tuple; /* what goes in, or what came out */
    int64_t index;
};

static void visit_done(struct waiter *w)
{
    struct visit *v = (struct visit *)w;
    struct kctx *c = v->c;
    struct status st = {0};

    status_move(&st, &w->status);
    tuple_free(v->tuple);
    mem_free(v);
    kernel_done(c, &st);
    status_clear(&st);
}

static void begin(struct kctx *c, struct stage *s, const struct visit *what,
                  bool (*attempt)(struct waiter *))
{
    struct visit *v = mem_new(struct visit);

    *v = *what;
    v->c = c;
    v->s = s;
    v->base = (struct waiter){.attempt = attempt,
                              .done = visit_done,
                              .cancel = c->env->cancel,
                              .cancelled = "Staging area operation was cancelled",
                              .owner = &s->base};
    waits_start(&s->waits, &v->base);
    resource_unref(&s->base);
}

static void refuse(struct kctx *c, struct stage *s, struct status *st)
{
    resource_unref(s ? &s->base : NULL);
    kernel_done(c, st);
    status_clear(st);
}

/* --- in --- */

static bool try_put(struct waiter *w)
{
    struct visit *v = (struct visit *)w;
    struct stage *s = v->s;

    if (!area_has_room(&s->room, s->count, s->bytes, v->tuple->bytes))
        return false;
    *s->end = v->tuple;
    s->end = &v->tuple->next;
    s->count++;
    s->bytes += v->tuple->bytes;
    v->tuple = NULL;
    return true;
}

static void put_start(struct kctx *c)
{
    struct status st = {0};
    struct stage *s = find(c, &st);
    const int n = kernel_num_inputs(c);
    struct visit v = {.tuple = mem_alloc(sizeof *v.tuple + (size_t)n * sizeof(struct tensor))};

    *v.tuple = (struct tuple){.n = 0};
    bool ok = s != NULL;

    for (int i = 0; ok && i < n; i++) {
        ok = kernel_in_keep(c, i, &v.tuple->values[i], &st);
        v.tuple->n += ok;
        v.tuple->bytes += ok ? area_bytes(&v.tuple->values[i]) : 0;
    }
    if (ok && area_fits(&s->room, v.tuple->bytes, &st)) {
        begin(c, s, &v, try_put);
        return;
    }
    tuple_free(v.tuple);
    refuse(c, s, &st);
}

/* --- out --- */

static bool give(struct kctx *c, const struct tuple *t, struct status *st)
{
    if (t->n != kernel_num_outputs(c))
        return status_invalid(st, "Mismatch stage/unstage: %d vs. %d", t->n, kernel_num_outputs(c));
    for (int i = 0; i < t->n; i++) {
        if (!area_give(c, i, &t->values[i], st))
            return false;
    }
    return true;
}

static bool try_get(struct waiter *w)
{
    struct visit *v = (struct visit *)w;
    struct stage *s = v->s;
    struct tuple *t = s->first;

    if (!t)
        return false;
    s->first = t->next;
    if (!t->next)
        s->end = &s->first;
    s->count--;
    s->bytes -= t->bytes;
    v->tuple = t;
    (void)!give(v->c, t, &w->status);
    return true;
}

static bool try_peek(struct waiter *w)
{
    struct visit *v = (struct visit *)w;
    const struct tuple *t = v->s->first;

    if (v->index >= v->s->count)
        return false;
    for (int64_t i = 0; i < v->index; i++)
        t = t->next;
    (void)!give(v->c, t, &w->status);
    return true;
}

static void get_start(struct kctx *c)
{
    struct status st = {0};
    struct stage *s = find(c, &st);
    struct visit v = {0};

    if (s)
        begin(c, s, &v, try_get);
    else
        refuse(c, s, &st);
}

/* A negative index is beyond any number of tuples, as TensorFlow's unsigned one is. */
static void peek_start(struct kctx *c)
{
    struct status st = {0};
    struct stage *s = find(c, &st);

    if (s && kernel_want_scalar(c, 0, &st)) {
        struct visit v = {.index = *tensor_i32(kernel_in(c, 0))};

        if (v.index < 0)
            v.index = INT64_MAX;
        begin(c, s, &v, try_peek);
    } else {
        refuse(c, s, &st);
    }
}

/* --- without waiting --- */

static bool size_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct stage *s = find(c, st);
    struct tensor *out = s ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out) {
        waits_begin(&s->waits);
        *tensor_i32(out) = (int32_t)s->count;
        waits_end(&s->waits);
    }
    resource_unref(s ? &s->base : NULL);
    return out != NULL;
}

static bool clear_run(struct kctx *c, struct status *st)
{
    struct stage *s = find(c, st);

    if (!s)
        return false;
    waits_begin(&s->waits);
    struct tuple *all = s->first;
    s->first = NULL;
    s->end = &s->first;
    s->count = s->bytes = 0;
    waits_end(&s->waits);
    free_all(all);
    resource_unref(&s->base);
    return true;
}

/* --- the ops --- */

#define STAGE_NO_GRAD "undefined: no gradient is registered for a staging area's ops"
#define STAGE_ATTRS(types)                                                                         \
    "capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0", types, "container: string = ''",       \
        "shared_name: string = ''"

OP_DEF(stage) = {
    .name = "Stage",
    .summary = "Puts a tuple at the end of a staging area.",
    .inputs = {"values: dtypes"},
    .attrs = {STAGE_ATTRS("dtypes: list(type) >= 1")},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = STAGE_NO_GRAD,
};
KERNEL_DEF(stage_cpu) = {
    .op = "Stage", .device = "CPU", .flags = KERNEL_ASYNC, .run_async = put_start};

OP_DEF(unstage) = {
    .name = "Unstage",
    .summary = "Takes the first tuple out of a staging area.",
    .outputs = {"values: dtypes"},
    .attrs = {STAGE_ATTRS("dtypes: list(type) >= 1")},
    .flags = OP_STATEFUL,
    .shape = infer_unknown_outputs,
    .no_grad = STAGE_NO_GRAD,
};
KERNEL_DEF(unstage_cpu) = {
    .op = "Unstage", .device = "CPU", .flags = KERNEL_ASYNC, .run_async = get_start};

OP_DEF(stage_peek) = {
    .name = "StagePeek",
    .summary = "Shows a tuple of a staging area, counted from the first; it stays there.",
    .inputs = {"index: int32"},
    .outputs = {"values: dtypes"},
    .attrs = {STAGE_ATTRS("dtypes: list(type) >= 1")},
    .flags = OP_STATEFUL,
    .shape = infer_unknown_outputs,
    .no_grad = STAGE_NO_GRAD,
};
KERNEL_DEF(stage_peek_cpu) = {
    .op = "StagePeek", .device = "CPU", .flags = KERNEL_ASYNC, .run_async = peek_start};

OP_DEF(stage_size) = {
    .name = "StageSize",
    .summary = "How many tuples a staging area holds.",
    .outputs = {"size: int32"},
    .attrs = {STAGE_ATTRS("dtypes: list(type)")},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = STAGE_NO_GRAD,
};
KERNEL_DEF(stage_size_cpu) = {.op = "StageSize", .device = "CPU", .run = size_run};

OP_DEF(stage_clear) = {
    .name = "StageClear",
    .summary = "Takes every tuple out of a staging area.",
    .attrs = {STAGE_ATTRS("dtypes: list(type)")},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = STAGE_NO_GRAD,
};
KERNEL_DEF(stage_clear_cpu) = {.op = "StageClear", .device = "CPU", .run = clear_run};
