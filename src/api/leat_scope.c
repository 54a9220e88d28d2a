/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes and the first error: per thread and graph, a stack of frames.
 *
 * A frame holds all that is in force when it is on top, except control dependencies, which are
 * gathered from all frames, since each decides by itself whether a node needs them. Threads are
 * told apart by a number that is never used again. */
#include <string.h>

#include "api/leat_builder.h"
#include "runtime/placer.h"

static uint64_t thread_number(void)
{
    static uint64_t last;
    static _Thread_local uint64_t mine;
    if (!mine)
        mine = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    return mine;
}

static void frame_free(struct frame *f)
{
    mem_free(f->scope);
    mem_free(f->variable_scope);
    mem_free(f->device);
    mem_free(f->own_device);
    mem_free(f->class_name);
    mem_free(f->made_at);
    mem_free(f->nodes);
    builder_attr_free(f->attr);
    u64map_release(&f->made);
    mem_free(f);
}

static void builder_free(void *p)
{
    struct builder *b = p;
    int64_t pos = 0;
    uint64_t key;
    void *value;
    while (u64map_next(&b->threads, &pos, &key, &value)) {
        struct thread_state *t = value;
        while (t->top) {
            struct frame *up = t->top->up;
            frame_free(t->top);
            t->top = up;
        }
        status_clear(&t->error);
        mem_free(t);
    }
    for (int64_t i = 0; i < b->num_owned; i++)
        mem_free(b->owned[i]);
    mem_free(b->owned);
    u64map_release(&b->threads);
    u64map_release(&b->variables);
    for (pos = 0; u64map_next(&b->defs, &pos, &key, &value);) {
        strbuf_release(value);
        mem_free(value);
    }
    u64map_release(&b->defs);
    builder_flows_release(b);
    builder_gradients_release(&b->gradients);
    lock_release_memory(&b->lock);
    mem_free(b);
}

static void forget_defs(struct builder *b, uint64_t from)
{
    struct u64map kept = {0};
    uint64_t key;
    void *value;
    for (int64_t pos = 0; u64map_next(&b->defs, &pos, &key, &value);) {
        if (key < from) {
            u64map_put(&kept, key, value);
        } else {
            strbuf_release(value);
            mem_free(value);
        }
    }
    u64map_release(&b->defs);
    b->defs = kept;
}

void builder_forget(struct graph *g, int64_t from)
{
    struct builder *b = builder_get(g);
    int64_t kept = 0;
    lock_take(&b->lock);
    for (int64_t i = 0; i < b->num_owned; i++) {
        struct leat_variable_parts *v = b->owned[i];
        if (api_node(v->ref.oper)->id < from) {
            b->owned[kept++] = v;
            continue;
        }
        u64map_remove(&b->variables, (uint64_t)api_node(v->ref.oper)->id + 1);
        if (v->read.oper)
            u64map_remove(&b->variables, (uint64_t)api_node(v->read.oper)->id + 1);
        mem_free(v);
    }
    b->num_owned = kept;
    forget_defs(b, (uint64_t)from + 1);
    lock_drop(&b->lock);
}

struct builder *builder_get(struct graph *g)
{
    lock_take(&g->lock);
    struct builder *b = g->builder;
    if (!b) {
        b = mem_new(struct builder);
        lock_init(&b->lock, "builder", LOCK_RANK_LEAF);
        g->builder = b;
        g->builder_free = builder_free;
    }
    lock_drop(&g->lock);
    return b;
}

struct thread_state *builder_thread(struct graph *g, bool make)
{
    struct builder *b = builder_get(g);
    lock_take(&b->lock);
    struct thread_state *t = u64map_find(&b->threads, thread_number());
    if (!t && make) {
        t = mem_new(struct thread_state);
        u64map_put(&b->threads, thread_number(), t);
    }
    lock_drop(&b->lock);
    return t;
}

void builder_thread_done(struct graph *g, struct thread_state *t)
{
    if (!t || t->top || !status_ok(&t->error))
        return;
    struct builder *b = builder_get(g);
    lock_take(&b->lock);
    u64map_remove(&b->threads, thread_number());
    lock_drop(&b->lock);
    mem_free(t);
}

const struct frame *builder_frame(struct graph *g)
{
    struct thread_state *t = builder_thread(g, false);
    return t ? t->top : NULL;
}

/* --- errors --- */

void builder_record(struct graph *g, struct status *st, const char *what, const char *made_at)
{
    if (status_ok(st))
        return;
    const struct frame *f = builder_frame(g);
    const char *at = f && f->made_at ? f->made_at : made_at;
    struct thread_state *t = builder_thread(g, true);
    if (status_ok(&t->error)) {
        if (what)
            status_append(st, " [%s%s%s]", what, at ? " made at " : "", at ? at : "");
        else if (at)
            status_append(st, " [made at %s]", at);
        status_move(&t->error, st);
    }
    status_clear(st);
}

void leat_graph_status(TF_Graph *g, TF_Status *status)
{
    struct status st = {0};
    struct thread_state *t = g ? builder_thread(api_graph(g), false) : NULL;
    if (!g)
        status_invalid(&st, "leat_graph_status: no graph");
    else if (t)
        status_copy(&st, &t->error);
    api_return(status, &st);
}

int leat_graph_ok(TF_Graph *g)
{
    struct thread_state *t = g ? builder_thread(api_graph(g), false) : NULL;
    return g && (!t || status_ok(&t->error));
}

void leat_graph_clear_status(TF_Graph *g)
{
    struct thread_state *t = g ? builder_thread(api_graph(g), false) : NULL;
    if (!t)
        return;
    status_clear(&t->error);
    builder_thread_done(api_graph(g), t);
}

TF_Output leat_fail(TF_Graph *g, const char *made_at, TF_Code code, const char *format, ...)
{
    struct status st = {0};
    va_list ap;
    va_start(ap, format);
    status_vfail(&st, code == TF_OK ? STATUS_UNKNOWN : (int)code, format, ap);
    va_end(ap);
    if (g)
        builder_record(api_graph(g), &st, NULL, made_at);
    status_clear(&st);
    return (TF_Output){NULL, 0};
}

/* --- frames --- */

struct frame *builder_push(TF_Graph *graph, enum frame_kind kind)
{
    struct thread_state *t = builder_thread(api_graph(graph), true);
    struct frame *f = mem_new(struct frame);
    f->kind = kind;
    f->up = t->top;
    f->scope = mem_strdup(t->top ? t->top->scope : "");
    f->variable_scope = mem_strdup(t->top ? t->top->variable_scope : "");
    f->reuse = t->top ? t->top->reuse : LEAT_NO_REUSE;
    f->device = mem_strdup(t->top ? t->top->device : "");
    f->asks = t->top && t->top->asks;
    if (t->top && t->top->made_at)
        f->made_at = mem_strdup(t->top->made_at);
    t->top = f;
    return f;
}

/* The prefix that a scope called `name` opens. */
static char *scope_prefix(struct graph *g, const char *above, const char *name)
{
    if (!name || !name[0])
        return mem_strdup("");
    if (name[strlen(name) - 1] == '/')
        return mem_strdup(name);
    char *full = mem_printf("%s%s", above, name);
    char *unique = graph_unique_name(g, full, true);
    char *prefix = mem_printf("%s/", unique);
    mem_free(full);
    mem_free(unique);
    return prefix;
}

static void set_scope(TF_Graph *g, struct frame *f, const char *name)
{
    const char *bad = name && name[0] == '/' ? name : NULL;
    if (name && name[0] && !bad) {
        char *full = mem_printf("%s%s", name[strlen(name) - 1] == '/' ? "" : f->scope, name);
        bad = graph_name_valid(full) ? NULL : name;
        mem_free(full);
    }
    if (bad) {
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, "'%s' is not a valid scope name", bad);
        return;
    }
    char *prefix = scope_prefix(api_graph(g), f->scope, name);
    mem_free(f->scope);
    f->scope = prefix;
}

static void set_caller(struct frame *f, const char *made_at)
{
    if (!f->made_at && made_at)
        f->made_at = mem_strdup(made_at);
}

void leat_push_scope(TF_Graph *g, const char *name)
{
    if (g)
        set_scope(g, builder_push(g, FRAME_NAMES), name);
}

void leat_push_composite(TF_Graph *g, const char *name, const char *fallback, const char *made_at)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_NAMES);
    set_caller(f, made_at);
    set_scope(g, f, name ? name : fallback);
}

void leat_push_caller(TF_Graph *g, const char *made_at)
{
    if (g)
        set_caller(builder_push(g, FRAME_NAMES), made_at);
}

static void spec_merge(struct device_spec *to, const struct device_spec *over)
{
    if (over->job[0])
        memcpy(to->job, over->job, sizeof to->job);
    if (over->replica >= 0)
        to->replica = over->replica;
    if (over->task >= 0)
        to->task = over->task;
    if (over->type[0])
        memcpy(to->type, over->type, sizeof to->type);
    if (over->index >= 0)
        to->index = over->index;
}

static char *spec_print(const struct device_spec *s)
{
    struct strbuf b = {0};
    if (s->job[0])
        strbuf_printf(&b, "/job:%s", s->job);
    if (s->replica >= 0)
        strbuf_printf(&b, "/replica:%d", s->replica);
    if (s->task >= 0)
        strbuf_printf(&b, "/task:%d", s->task);
    if (s->type[0] && s->index >= 0)
        strbuf_printf(&b, "/device:%s:%d", s->type, s->index);
    else if (s->type[0])
        strbuf_printf(&b, "/device:%s:*", s->type);
    return b.p ? strbuf_take(&b) : mem_strdup("");
}

/* *inner becomes the device `outer` with what *inner says over it. */
static bool overlay(struct device_spec *inner, const char *outer, struct status *st)
{
    struct device_spec spec;
    if (!device_spec_parse(outer, &spec, st))
        return false;
    spec_merge(&spec, inner);
    *inner = spec;
    return true;
}

void leat_push_device(TF_Graph *g, const char *device)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_DEVICE);
    struct status st = {0};
    struct device_spec around, inner;
    if (device && device_spec_parse(f->device, &around, &st) &&
        device_spec_parse(device, &inner, &st))
        spec_merge(&around, &inner);
    if (!status_ok(&st)) {
        builder_record(api_graph(g), &st, NULL, NULL);
        return;
    }
    mem_free(f->device);
    f->device = device ? spec_print(&around) : mem_strdup("");
    f->own_device = device ? mem_strdup(device) : NULL;
    f->asks = f->asks && device;
}

void leat_push_device_function(TF_Graph *g, leat_device_fn fn, void *arg)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_DEVICE);
    f->own_device = mem_strdup("");
    f->device_fn = fn;
    f->device_arg = arg;
    f->asks = f->asks || fn;
}

char *leat_merge_devices(const char *outer, const char *inner, TF_Status *status)
{
    struct status st = {0};
    struct device_spec spec;
    char *out = NULL;
    if (device_spec_parse(inner ? inner : "", &spec, &st) &&
        overlay(&spec, outer ? outer : "", &st))
        out = spec_print(&spec);
    api_return(status, &st);
    return out;
}

/* Bytes of an output by the attributes shape and dtype, or -1. */
static int64_t described_bytes(const struct node_desc *d)
{
    const struct attr_value *shape = attrs_find(&d->attrs, "shape"),
                            *type = attrs_find(&d->attrs, "dtype");
    if (!shape || shape->kind != ATTR_SHAPE || shape->is_list || shape->shape.rank < 0 || !type ||
        type->kind != ATTR_TYPE || type->is_list)
        return -1;
    int64_t bytes = (int64_t)dtype_size(dtype_base((int)type->i));
    for (int i = 0; i < shape->shape.rank; i++) {
        int64_t dim = shape_dim(&shape->shape, i);
        if (dim < 0)
            return -1;
        if (__builtin_mul_overflow(bytes, dim, &bytes))
            return INT64_MAX;
    }
    return bytes;
}

char *builder_device(struct graph *g, const struct frame *f, const struct node_desc *d)
{
    struct device_spec all;
    struct status st = {0};
    bool ok = device_spec_parse("", &all, &st);
    for (; ok && f; f = f->up) {
        if (f->kind == FRAME_COLOCATE && (f->lift || f->num_nodes > 0))
            break;
        if (f->kind != FRAME_DEVICE)
            continue;
        if (!f->own_device)
            break;
        if (!f->device_fn) {
            ok = overlay(&all, f->own_device, &st);
            continue;
        }
        char *so_far = spec_print(&all);
        struct leat_device_request r = {(TF_Graph *)g, d ? d->op_name : "NoOp", d ? d->name : "",
                                        so_far, d ? described_bytes(d) : -1};
        const char *said = f->device_fn(f->device_arg, &r);
        ok = device_spec_parse(said ? said : "", &all, &st);
        mem_free(so_far);
    }
    builder_record(g, &st, d ? d->name : NULL, NULL);
    return spec_print(&all);
}

void leat_push_control_dependencies(TF_Graph *g, TF_Operation *const *ops, int n)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_CONTROL);
    f->lift = !ops;
    if (!ops || n <= 0)
        return;
    f->nodes = mem_new_array(struct node *, n);
    for (int i = 0; i < n; i++) {
        if (ops[i] && api_node(ops[i])->graph == api_graph(g))
            f->nodes[f->num_nodes++] = api_node(ops[i]);
        else
            (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                            "control dependency %d is not an operation of the graph", i);
    }
}

void leat_push_colocation(TF_Graph *g, TF_Operation *op)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_COLOCATE);
    f->lift = !op;
    f->asks = false;
    mem_free(f->device);
    f->device = mem_strdup("");
    if (op && api_node(op)->graph == api_graph(g)) {
        f->nodes = mem_new_array(struct node *, 1);
        f->nodes[f->num_nodes++] = api_node(op);
    } else if (op) {
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, "colocation with a node of another graph");
    }
}

void leat_push_colocation_name(TF_Graph *g, const char *name)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_COLOCATE);
    f->class_name = name ? mem_strdup(name) : NULL;
    f->lift = !name;
}

void leat_push_variable_scope(TF_Graph *g, const char *name, int reuse)
{
    if (!g)
        return;
    struct frame *f = builder_push(g, FRAME_NAMES);
    if (f->reuse != LEAT_REUSE && reuse != LEAT_NO_REUSE)
        f->reuse = reuse;
    if (!name || !name[0])
        return;
    char *prefix = mem_printf("%s%s/", f->variable_scope, name);
    mem_free(f->variable_scope);
    f->variable_scope = prefix;
    set_scope(g, f, name);
}

const char *leat_current_variable_scope(TF_Graph *g, int *reuse)
{
    const struct frame *f = g ? builder_frame(api_graph(g)) : NULL;
    if (reuse)
        *reuse = f ? f->reuse : LEAT_NO_REUSE;
    return f ? f->variable_scope : "";
}

void leat_pop(TF_Graph *g)
{
    struct thread_state *t = g ? builder_thread(api_graph(g), false) : NULL;
    if (!t || !t->top)
        return;
    struct frame *f = t->top;
    t->top = f->up;
    frame_free(f);
    builder_thread_done(api_graph(g), t);
}

const char *leat_current_scope(TF_Graph *g)
{
    const struct frame *f = g ? builder_frame(api_graph(g)) : NULL;
    return f ? f->scope : "";
}

char *leat_unique_name(TF_Graph *g, const char *name)
{
    if (!g || !name)
        return NULL;
    char *full = mem_printf("%s%s", leat_current_scope(g), name);
    char *unique = graph_unique_name(api_graph(g), full, true);
    mem_free(full);
    return unique;
}

void leat_free(void *p)
{
    mem_free(p);
}
