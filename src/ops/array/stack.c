/* SPDX-License-Identifier: Apache-2.0 */
/* StackV2, StackPushV2, StackPopV2, StackCloseV2, and the old Stack, StackPush, StackPop,
 * StackClose, whose handle is a reference to two strings: values of one type, last in, first out,
 * that live for one step. Gradients of while loops keep in them what the forward loop computed.
 *
 * What is pushed is shared, not copied. Nothing here orders pushes and pops: the graph's control
 * edges do. The attr swap_memory means nothing where values are in host memory already. */
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "op/infer.h"
#include "op/kernel.h"

struct stack {
    struct resource base;
    struct lock lock;
    char *name; /* owned; for messages */
    int dtype;
    int64_t max; /* negative: no limit */
    bool closed; /* this and all below: under lock */
    struct tensor *items;
    int64_t num, cap;
};

/* Names of stacks start with it: old handles are ["_stacks", the rest]. */
#define PREFIX "_stacks"

static void drop_items(struct stack *s)
{
    for (int64_t i = 0; i < s->num; i++)
        tensor_clear(&s->items[i]);
    mem_free(s->items);
    s->items = NULL;
    s->num = s->cap = 0;
}

static void stack_release(struct resource *r)
{
    struct stack *s = (struct stack *)r;
    drop_items(s);
    lock_release_memory(&s->lock);
    mem_free(s->name);
    mem_free(s);
}

static void stack_describe(struct resource *r, struct strbuf *out)
{
    struct stack *s = (struct stack *)r;
    lock_take(&s->lock);
    strbuf_printf(out, "Stack[%lld]", (long long)s->num);
    lock_drop(&s->lock);
}

static const struct resource_type stack_type = {
    .name = "N10tensorflow5StackE",
    .release = stack_release,
    .describe = stack_describe,
};

/* --- on a locked stack --- */

static bool want_open(const struct stack *s, struct status *st)
{
    return !s->closed || status_invalid(st, "Stack[%s] has already been closed.", s->name);
}

static bool make_room(struct stack *s, struct status *st)
{
    if (s->num < s->cap)
        return true;
    int64_t cap = s->cap ? 2 * s->cap : 8;
    struct tensor *items = mem_try(mem_array_bytes(cap, sizeof(*items)), "a stack", st);
    if (!items)
        return false;
    if (s->num)
        memcpy(items, s->items, (size_t)s->num * sizeof(*items));
    mem_free(s->items);
    s->items = items;
    s->cap = cap;
    return true;
}

/* Takes *t on success. */
static bool push(struct stack *s, struct tensor *t, struct status *st)
{
    if (!want_open(s, st))
        return false;
    if (s->max >= 0 && s->num >= s->max)
        return status_invalid(st, "Stack[%s] overflowed its max_size (%lld)", s->name,
                              (long long)s->max);
    if (!make_room(s, st))
        return false;
    s->items[s->num++] = tensor_take(t);
    return true;
}

static bool pop(struct stack *s, struct tensor *out, struct status *st)
{
    if (!want_open(s, st))
        return false;
    if (s->num == 0)
        return status_invalid(st, "Stack[%s] is empty when calling Pop().", s->name);
    *out = tensor_take(&s->items[--s->num]);
    return true;
}

/* --- making --- */

static struct stack *stack_new(const struct kctx *c, int64_t max)
{
    static int64_t last; /* tells stacks of one name apart */
    const struct attrs *attrs = kernel_attrs(c);
    struct str name = attrs_string(attrs, "stack_name");
    if (name.n == 0)
        name = str_of(c->kernel->node_name);
    struct strbuf full = {0};
    strbuf_add(&full, name.p, name.n);
    strbuf_printf(&full, "_%lld", (long long)__atomic_fetch_add(&last, 1, __ATOMIC_RELAXED));
    struct stack *s = mem_new(struct stack);
    resource_init(&s->base, &stack_type);
    lock_init(&s->lock, "stack", LOCK_RANK_RESOURCE);
    s->name = strbuf_take(&full);
    s->dtype = attrs_type(attrs, "elem_type");
    s->max = max;
    return s;
}

/* Gives the caller's reference to the step; s lives on until the step ends. */
static bool give_to_step(struct kctx *c, struct stack *s, const char *key, struct status *st)
{
    if (resource_create(c->env->step_resources, "", key, &s->base, st))
        return true;
    resource_unref(&s->base);
    return false;
}

static bool make_run(struct kctx *c, struct status *st)
{
    const struct tensor *size = kernel_in(c, 0);
    if (tensor_rank(size) != 0) {
        struct strbuf text = {0};
        shape_print(&size->shape, &text);
        status_invalid(st, "Stack size must be a scalar, but had shape: %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    struct stack *s = stack_new(c, tensor_i32(size)[0]);
    char *key = mem_printf(PREFIX "%s", s->name);
    struct tensor handle;
    bool ok = give_to_step(c, s, key, st) &&
              resource_make_handle(c, resource_map_default(c->env->step_resources), key,
                                   &stack_type, &handle, st);
    mem_free(key);
    if (ok)
        kernel_out_take(c, 0, &handle);
    return ok;
}

static bool old_handle(struct kctx *c, const char *name, struct status *st)
{
    struct shape two = shape_make((int64_t[]){2}, 1);
    struct tensor t;
    if (!tensor_new(&t, DT_STRING, &two, st))
        return false;
    if (!tstr_set(&tensor_str(&t)[0], PREFIX, strlen(PREFIX)) ||
        !tstr_set(&tensor_str(&t)[1], name, strlen(name))) {
        tensor_clear(&t);
        return status_exhausted(st, "no memory for a stack's name");
    }
    struct variable *v = variable_new(c->kernel->node_name, DT_STRING);
    variable_assign(v, &t);
    kernel_out_ref(c, 0, v);
    variable_unref(v);
    return true;
}

static bool old_make_run(struct kctx *c, struct status *st)
{
    struct stack *s = stack_new(c, -1);
    char *key = mem_printf(PREFIX "%s", s->name);
    bool ok = give_to_step(c, s, key, st) && old_handle(c, s->name, st);
    mem_free(key);
    return ok;
}

static bool make_shape(struct infer_ctx *c, struct status *st UNUSED)
{
    infer_set(c, 0, infer_vector(c, 2));
    return true;
}

OP_DEF(stack_v2) = {
    .name = "StackV2",
    .summary = "A stack of tensors that lives for one step.",
    .inputs = {"max_size: int32"},
    .outputs = {"handle: resource"},
    .attrs = {"elem_type: type", "stack_name: string = ''"},
    .flags = OP_STATEFUL,
    .shape = make_shape,
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(stack_v2_cpu) = {.op = "StackV2", .device = "CPU", .run = make_run};

OP_DEF(stack) = {
    .name = "Stack",
    .summary = "A stack of tensors that lives for one step; StackV2 takes its place.",
    .outputs = {"handle: Ref(string)"},
    .attrs = {"elem_type: type", "stack_name: string = ''"},
    .flags = OP_STATEFUL,
    .shape = make_shape,
    .no_grad = "a stack has no inputs",
};
KERNEL_DEF(stack_cpu) = {.op = "Stack", .device = "CPU", .run = old_make_run};

/* --- use --- */

static struct stack *old_find(struct kctx *c, struct status *st)
{
    struct tensor h;
    if (!variable_read(kernel_ref(c, 0), &h, st))
        return NULL;
    struct resource *r = NULL;
    if (h.num_elems != 2) {
        struct strbuf text = {0};
        shape_print(&h.shape, &text);
        status_invalid(st, "Stack handle must have two elements, but had shape: %s",
                       strbuf_text(&text));
        strbuf_release(&text);
    } else {
        struct strbuf key = {0};
        for (int i = 0; i < 2; i++)
            strbuf_add(&key, tstr_data(&tensor_str(&h)[i]), tstr_len(&tensor_str(&h)[i]));
        r = resource_get(c->env->step_resources, "", &stack_type, strbuf_text(&key), st);
        strbuf_release(&key);
    }
    tensor_clear(&h);
    return (struct stack *)r;
}

/* Input 0's stack, locked; give it to leave. */
static struct stack *enter(struct kctx *c, struct status *st)
{
    struct stack *s = dtype_is_ref(kernel_in(c, 0)->dtype)
                          ? old_find(c, st)
                          : (struct stack *)resource_from_input(c, 0, &stack_type, st);
    if (s)
        lock_take(&s->lock);
    return s;
}

static void leave(struct stack *s)
{
    lock_drop(&s->lock);
    resource_unref(&s->base);
}

static bool push_run(struct kctx *c, struct status *st)
{
    struct tensor t;
    if (!kernel_in_keep(c, 1, &t, st))
        return false;
    struct stack *s = enter(c, st);
    bool ok = s != NULL;
    if (ok && s->dtype != t.dtype)
        ok = status_invalid(st, "Must have type %d but got %d", s->dtype, t.dtype);
    ok = ok && push(s, &t, st);
    if (s)
        leave(s);
    tensor_clear(&t);
    if (ok)
        kernel_out_share(c, 0, kernel_in(c, 1));
    return ok;
}

static bool pop_run(struct kctx *c, struct status *st)
{
    struct stack *s = enter(c, st);
    if (!s)
        return false;
    struct tensor t = {0};
    bool ok = pop(s, &t, st);
    leave(s);
    int want = kernel_output_type(c, 0);
    if (ok && t.dtype != want)
        ok = status_fail(st, STATUS_INTERNAL,
                         "Output 0 of type %s does not match declared output type %s for node %s",
                         dtype_name(t.dtype), dtype_name(want), c->kernel->node_name);
    if (ok)
        kernel_out_take(c, 0, &t);
    tensor_clear(&t);
    return ok;
}

static bool close_run(struct kctx *c, struct status *st)
{
    struct stack *s = enter(c, st);
    if (!s)
        return false;
    drop_items(s);
    s->closed = true;
    leave(s);
    return true;
}

static bool close_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *handle;
    int64_t two;
    return infer_want_rank(c, infer_input(c, 0), 1, &handle, st) &&
           infer_want_dim(c, infer_dim(handle, 0), 2, &two, st);
}

static bool push_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 1));
    return true;
}

/* The three ops on a stack: handles are `type`. */
#define USE(id, suffix, type, more, why)                                                           \
    OP_DEF(stack_push##id) = {                                                                     \
        .name = "StackPush" suffix,                                                                \
        .summary = "Puts a value on a stack and gives it back.",                                   \
        .inputs = {"handle: " type, "elem: T"},                                                    \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"T: type", "swap_memory: bool = false"},                                         \
        .flags = more,                                                                             \
        .shape = push_shape,                                                                       \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(stack_push##id##_cpu) = {                                                           \
        .op = "StackPush" suffix, .device = "CPU", .run = push_run};                               \
    OP_DEF(stack_pop##id) = {                                                                      \
        .name = "StackPop" suffix,                                                                 \
        .summary = "Takes the last value off a stack.",                                            \
        .inputs = {"handle: " type},                                                               \
        .outputs = {"elem: elem_type"},                                                            \
        .attrs = {"elem_type: type"},                                                              \
        .flags = more,                                                                             \
        .shape = infer_unknown_outputs,                                                            \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(stack_pop##id##_cpu) = {.op = "StackPop" suffix, .device = "CPU", .run = pop_run};  \
    OP_DEF(stack_close##id) = {                                                                    \
        .name = "StackClose" suffix,                                                               \
        .summary = "Drops a stack's values before the step ends.",                                 \
        .inputs = {"handle: " type},                                                               \
        .flags = more,                                                                             \
        .shape = close_shape,                                                                      \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(stack_close##id##_cpu) = {                                                          \
        .op = "StackClose" suffix, .device = "CPU", .run = close_run}
USE(_v2, "V2", "resource", OP_STATEFUL, "undefined: TensorFlow has none");
USE(, "", "Ref(string)", 0, "it stands in gradients");
