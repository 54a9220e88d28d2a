/* SPDX-License-Identifier: Apache-2.0 */
/* The ops on barriers: their inputs checked, and the wait for a batch. */
#include "base/mem.h"
#include "op/resource_pair.h"
#include "ops/data_flow/barrier.h"

static struct barrier *barrier_of(struct kctx *c, struct status *st)
{
    return (struct barrier *)resource_from_either(c, 0, &barrier_type, st);
}

static void drop(struct barrier *b)
{
    resource_unref(b ? &b->base : NULL);
}

static void end(struct kctx *c, struct barrier *b, struct status *st)
{
    drop(b);
    kernel_done(c, st);
    status_clear(st);
}

/* --- insert --- */

static bool check_component(const struct kctx *c, const struct barrier *b, int64_t component,
                            struct status *st)
{
    const int type = dtype_base(c->kernel->input_types[2]);

    if (component < 0)
        return status_invalid(st, "The component ID may not be negative: %lld",
                              (long long)component);
    if (component >= b->num_types)
        return status_invalid(st, "The component ID is out of range %lld > num_components (= %d)",
                              (long long)component, b->num_types);
    return type == b->types[component] ||
           status_invalid(st,
                          "Signature mismatch, have: string_ref, string, %s-> expected: "
                          "string_ref, string, %s->",
                          dtype_name(type), dtype_name(b->types[component]));
}

static bool fail_shape(const struct barrier *b, const char *what, const struct shape *s,
                       struct status *st)
{
    struct strbuf text = {0};

    shape_print(s, &text);
    status_invalid(st, "%s %s: received shape %s", what, b->name, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* TensorFlow lets values of any shape in and ends the process later; here they must fit. */
static bool check_values(const struct barrier *b, int component, const struct tensor *keys,
                         const struct tensor *values, struct status *st)
{
    const struct shape *want = &b->shapes[component];

    if (keys->num_elems > 0 && values->num_elems == 0)
        return fail_shape(b, "Tensors with no elements are not supported", &values->shape, st);
    if (tensor_rank(values) < 1 || tensor_dim(values, 0) != keys->num_elems)
        return fail_shape(b, "There must be one value for each key in barrier", &values->shape, st);
    struct shape row = shape_make(shape_dims(&values->shape) + 1, tensor_rank(values) - 1);
    bool ok = shape_compatible(want, &row) ||
              fail_shape(b, "Values are not of the component's shape in barrier", &row, st);

    shape_clear(&row);
    return ok;
}

static bool insert_run(struct kctx *c, struct status *st)
{
    const int64_t component = attrs_int(kernel_attrs(c), "component_index");
    struct barrier *b = barrier_of(c, st);
    bool ok = b && check_component(c, b, component, st) &&
              check_values(b, (int)component, kernel_in(c, 1), kernel_in(c, 2), st) &&
              barrier_insert(b, kernel_in(c, 1), kernel_in(c, 2), (int)component,
                             &(struct noted){.key = changes_key(c)}, st);

    drop(b);
    return ok;
}

/* --- take --- */

static bool check_types(const struct kctx *c, const struct barrier *b, struct status *st)
{
    const struct attr_value *types = attrs_list(kernel_attrs(c), "component_types");
    bool same = types->n == b->num_types;
    struct strbuf have = {0}, want = {0};

    for (int i = 0; same && i < b->num_types; i++)
        same = types->types[i] == b->types[i];
    if (same)
        return true;
    for (int64_t i = 0; i < types->n; i++)
        strbuf_printf(&have, ", %s", dtype_name(types->types[i]));
    for (int i = 0; i < b->num_types; i++)
        strbuf_printf(&want, ", %s", dtype_name(b->types[i]));
    status_invalid(st,
                   "Signature mismatch, have: string_ref, int32->int64, string%s expected: "
                   "string_ref, int32->int64, string%s",
                   strbuf_text(&have), strbuf_text(&want));
    strbuf_release(&have);
    strbuf_release(&want);
    return false;
}

static bool take_size(const struct kctx *c, int64_t *n, struct status *st)
{
    const struct tensor *t = kernel_in(c, 1);

    if (tensor_rank(t) != 0)
        return status_invalid(st, "num_elements must be a scalar.");
    *n = *tensor_i32(t);
    return *n >= 0 || status_invalid(st, "num_elements may not be negative: %lld", (long long)*n);
}

struct taking {
    struct kctx *c;
    struct barrier *b; /* a reference */
};

static void on_taken(void *arg, struct status *st, struct tensor *values)
{
    struct taking *t = arg;
    struct kctx *c = t->c;

    if (values)
        barrier_log_taken(t->b, values,
                          &(struct noted){.key = changes_key(c),
                                          .outputs = values,
                                          .num_outputs = kernel_num_outputs(c)});
    drop(t->b);
    mem_free(t);
    for (int i = 0; values && i < kernel_num_outputs(c); i++)
        kernel_out_take(c, i, &values[i]);
    kernel_done(c, st);
}

static void take_start(struct kctx *c)
{
    const bool small = attrs_bool(kernel_attrs(c), "allow_small_batch");
    struct status st = {0};
    struct barrier *b = barrier_of(c, &st);
    int64_t n = 0;

    if (!b || !check_types(c, b, &st) || !take_size(c, &n, &st) ||
        !barrier_check_take(b, small, &n, &st)) {
        end(c, b, &st);
        return;
    }
    struct taking *t = mem_new(struct taking);
    struct queue *ready = b->ready;

    *t = (struct taking){c, b};
    resource_ref((struct resource *)ready); /* the taking may be over, and the barrier gone */
    queue_dequeue_many(ready, n, small,
                       &(struct queue_wait){.done = on_taken, .arg = t, .cancel = c->env->cancel});
    queue_unref(ready);
}

static bool take_init(struct kernel *k, void *state, struct status *st)
{
    (void)state;
    return attrs_int(k->attrs, "timeout_ms") == -1 ||
           status_invalid(st, "Timeout not supported yet.");
}

/* --- the rest --- */

static bool close_run(struct kctx *c, struct status *st)
{
    struct barrier *b = barrier_of(c, st);
    bool ok = b && barrier_close(b, attrs_bool(kernel_attrs(c), "cancel_pending_enqueues"),
                                 &(struct noted){.key = changes_key(c)}, st);

    drop(b);
    return ok;
}

static bool ready_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct barrier *b = barrier_of(c, st);
    struct tensor *out = b ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out)
        *tensor_i32(out) = (int32_t)queue_size(b->ready);
    drop(b);
    return out != NULL;
}

static bool incomplete_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct barrier *b = barrier_of(c, st);
    struct tensor *out = b ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out)
        *tensor_i32(out) = (int32_t)barrier_num_incomplete(b);
    drop(b);
    return out != NULL;
}

/* --- the ops --- */

static bool check_handle(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int64_t dim;

    return infer_want_rank(c, infer_input(c, 0), 1, &s, st) &&
           infer_want_dim(c, infer_dim(s, 0), 2, &dim, st);
}

static bool insert_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *keys, *values;
    int64_t n;

    return check_handle(c, st) && infer_want_rank(c, infer_input(c, 1), 1, &keys, st) &&
           infer_want_rank_min(c, infer_input(c, 2), 1, &values, st) &&
           infer_merge_dim(infer_dim(keys, 0), infer_dim(values, 0), &n, st);
}

static bool size_shape(struct infer_ctx *c, struct status *st)
{
    return check_handle(c, st) && infer_scalars(c, st);
}

OP_DEF(barrier_insert_many) = {
    .name = "BarrierInsertMany",
    .summary = "Gives a barrier the values of one component for some keys.",
    .inputs = {"handle: Ref(string)", "keys: string", "values: T"},
    .attrs = {"T: type", "component_index: int"},
    .shape = insert_shape,
    .no_grad = BARRIER_NO_GRAD,
};
KERNEL_DEF(barrier_insert_many_cpu) = {
    .op = "BarrierInsertMany", .device = "CPU", .flags = KERNEL_NOTES, .run = insert_run};

OP_DEF(barrier_take_many) = {
    .name = "BarrierTakeMany",
    .summary = "Waits for a number of whole tuples of a barrier, and takes them.",
    .inputs = {"handle: Ref(string)", "num_elements: int32"},
    .outputs = {"indices: int64", "keys: string", "values: component_types"},
    .attrs = {"component_types: list(type) >= 1", "allow_small_batch: bool = false",
              "wait_for_incomplete: bool = false", "timeout_ms: int = -1"},
    .shape = infer_unknown_outputs,
    .no_grad = BARRIER_NO_GRAD,
};
KERNEL_DEF(barrier_take_many_cpu) = {.op = "BarrierTakeMany",
                                     .device = "CPU",
                                     .flags = KERNEL_ASYNC | KERNEL_NOTES,
                                     .init = take_init,
                                     .run_async = take_start};

OP_DEF(barrier_close) = {
    .name = "BarrierClose",
    .summary = "Closes a barrier: no new keys come, and what waits for more than it will have "
               "fails.",
    .inputs = {"handle: Ref(string)"},
    .attrs = {"cancel_pending_enqueues: bool = false"},
    .shape = check_handle,
    .no_grad = BARRIER_NO_GRAD,
};
KERNEL_DEF(barrier_close_cpu) = {
    .op = "BarrierClose", .device = "CPU", .flags = KERNEL_NOTES, .run = close_run};

OP_DEF(barrier_ready_size) = {
    .name = "BarrierReadySize",
    .summary = "How many whole tuples a barrier holds.",
    .inputs = {"handle: Ref(string)"},
    .outputs = {"size: int32"},
    .shape = size_shape,
    .no_grad = BARRIER_NO_GRAD,
};
KERNEL_DEF(barrier_ready_size_cpu) = {.op = "BarrierReadySize", .device = "CPU", .run = ready_run};

OP_DEF(barrier_incomplete_size) = {
    .name = "BarrierIncompleteSize",
    .summary = "How many keys of a barrier still lack components.",
    .inputs = {"handle: Ref(string)"},
    .outputs = {"size: int32"},
    .shape = size_shape,
    .no_grad = BARRIER_NO_GRAD,
};
KERNEL_DEF(barrier_incomplete_size_cpu) = {
    .op = "BarrierIncompleteSize", .device = "CPU", .run = incomplete_run};
