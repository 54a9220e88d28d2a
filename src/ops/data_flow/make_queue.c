/* SPDX-License-Identifier: Apache-2.0 */
/* The ops that make queues: a queue lives in the session's container under its shared name, or
 * under one that no other node has.
 *
 * The kernel finds or makes its queue in the first step that needs it and keeps it; a queue that
 * another node made under the same name must be of the same kind and say the same of itself. */
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "math/rng.h"
#include "op/grad.h"
#include "op/resource_pair.h"
#include "ops/data_flow/queue_ops.h"

struct make_state {
    struct queue_spec spec; /* arrays owned */
    struct lock lock;
    struct queue *queue;   /* guarded by lock, like handle */
    struct tensor handle;  /* V2 */
    struct variable *pair; /* V1: container and name */
};

/* --- the order of a shuffling queue --- */

struct philox_random {
    struct queue_random base;
    struct math_philox_stream stream;
};

static uint32_t philox_next(struct queue_random *r)
{
    return math_philox_u32(&((struct philox_random *)r)->stream);
}

static void philox_free(struct queue_random *r)
{
    mem_free(r);
}

static void philox_save(const struct queue_random *r, void *out)
{
    const struct math_philox_stream *s = &((const struct philox_random *)r)->stream;

    memset(out, 0, sizeof *s); /* padding, if any */
    memcpy(out, s, sizeof *s);
}

static bool philox_load(struct queue_random *r, const void *in)
{
    struct math_philox_stream s;

    memcpy(&s, in, sizeof s);
    if (s.used < 0 || s.used > (int)ARRAY_LEN(s.words))
        return false;
    ((struct philox_random *)r)->stream = s;
    return true;
}

struct queue_random *queue_random_new(uint64_t seed, uint64_t seed2)
{
    struct philox_random *r = mem_new(struct philox_random);
    struct math_philox gen;

    if (seed == 0 && seed2 == 0) {
        seed = math_random_seed();
        seed2 = math_random_seed();
    }
    math_philox_init(&gen, seed, seed2);
    math_philox_stream_init(&r->stream, &gen);
    r->base = (struct queue_random){.next = philox_next,
                                    .free = philox_free,
                                    .bytes = sizeof r->stream,
                                    .save = philox_save,
                                    .load = philox_load};
    return &r->base;
}

/* --- what the attrs say --- */

static enum queue_kind kind_of(const char *op)
{
    if (strncmp(op, "Padding", 7) == 0)
        return QUEUE_PADDING;
    if (strncmp(op, "Priority", 8) == 0)
        return QUEUE_PRIORITY;
    return strncmp(op, "Random", 6) == 0 ? QUEUE_SHUFFLE : QUEUE_FIFO;
}

/* Types and shapes; a priority queue has its priorities before those that the node names. */
static void copy_components(const struct kernel *k, struct queue_spec *spec)
{
    const struct attr_value *types = attrs_list(k->attrs, "component_types");
    const struct attr_value *shapes = attrs_list(k->attrs, "shapes");
    const int extra = spec->kind == QUEUE_PRIORITY;
    int *t = mem_new_array(int, types->n + extra);
    struct shape *s = mem_new_array(struct shape, shapes->n + extra);

    for (int64_t i = 0; i < types->n; i++)
        t[i + extra] = types->types[i];
    for (int64_t i = 0; i < shapes->n; i++)
        s[i + extra] = shape_copy(&shapes->shapes[i]);
    if (extra)
        t[0] = DT_INT64;
    spec->num_types = (int)types->n + extra;
    spec->types = t;
    spec->num_shapes = shapes->n > 0 || spec->kind == QUEUE_PRIORITY ? (int)shapes->n + extra : 0;
    spec->shapes = s;
}

static void print_shapes(const struct queue_spec *spec, struct strbuf *b)
{
    strbuf_puts(b, "[");
    for (int i = 0; i < spec->num_shapes; i++) {
        strbuf_puts(b, i > 0 ? ", " : "");
        shape_print(&spec->shapes[i], b);
    }
    strbuf_puts(b, "]");
}

static void print_types(const struct queue_spec *spec, struct strbuf *b)
{
    for (int i = 0; i < spec->num_types; i++)
        strbuf_printf(b, "%s%s", i > 0 ? ", " : "", dtype_name(spec->types[i]));
}

static bool fail_count(const struct queue_spec *spec, struct status *st)
{
    struct strbuf types = {0}, shapes = {0};

    if (spec->kind == QUEUE_PADDING)
        return status_invalid(st,
                              "Shapes must be provided for all components, but received %d dtypes "
                              "and %d shapes.",
                              spec->num_types, spec->num_shapes);
    print_types(spec, &types);
    print_shapes(spec, &shapes);
    status_invalid(st, "Different number of component types.  Types: %s, Shapes: %s",
                   strbuf_text(&types), strbuf_text(&shapes));
    strbuf_release(&types);
    strbuf_release(&shapes);
    return false;
}

static bool fail_shape(const struct shape *s, const char *before, const char *after,
                       struct status *st)
{
    struct strbuf b = {0};

    shape_print(s, &b);
    status_invalid(st, "%s %s %s", before, strbuf_text(&b), after);
    strbuf_release(&b);
    return false;
}

static bool check_shapes(const struct queue_spec *spec, struct status *st)
{
    const bool padding = spec->kind == QUEUE_PADDING;

    if (spec->num_shapes != spec->num_types && (padding || spec->num_shapes > 0))
        return fail_count(spec, st);
    for (int i = 0; i < spec->num_shapes; i++) {
        const struct shape *s = &spec->shapes[i];

        if (padding && s->rank < 0)
            return fail_shape(s, "shape", "must have known rank.", st);
        if (!padding && !shape_known(s))
            return fail_shape(s, "Shape", "is not fully defined", st);
    }
    return true;
}

static bool check_remains(const struct queue_spec *spec, struct status *st)
{
    if (spec->min_after_dequeue < 0)
        return status_invalid(st, "min_after_dequeue %lld must be >= 0",
                              (long long)spec->min_after_dequeue);
    return spec->min_after_dequeue < spec->capacity ||
           status_invalid(st, "min_after_dequeue %lld must be < capacity %lld",
                          (long long)spec->min_after_dequeue, (long long)spec->capacity);
}

static bool make_init(struct kernel *k, void *state, struct status *st)
{
    struct make_state *s = state;
    struct queue_spec *spec = &s->spec;
    int64_t capacity = attrs_int(k->attrs, "capacity");

    lock_init(&s->lock, "queue kernel", LOCK_RANK_PLAN);
    spec->kind = kind_of(k->op->name);
    spec->capacity = capacity < 0 ? INT32_MAX : capacity;
    copy_components(k, spec);
    if (spec->kind == QUEUE_SHUFFLE) {
        spec->min_after_dequeue = attrs_int(k->attrs, "min_after_dequeue");
        spec->seed = attrs_int(k->attrs, "seed");
        spec->seed2 = attrs_int(k->attrs, "seed2");
        if (!check_remains(spec, st))
            return false;
    }
    return check_shapes(spec, st);
}

static void make_release(void *state)
{
    struct make_state *s = state;

    queue_unref(s->queue);
    tensor_clear(&s->handle);
    variable_unref(s->pair);
    for (int i = 0; i < s->spec.num_shapes; i++)
        shape_clear((struct shape *)(uintptr_t)&s->spec.shapes[i]);
    mem_free((void *)(uintptr_t)s->spec.shapes);
    mem_free((void *)(uintptr_t)s->spec.types);
    lock_release_memory(&s->lock);
}

/* --- a queue that is there already --- */

static bool same_types(const struct queue_spec *a, const struct queue_spec *b)
{
    return a->num_types == b->num_types &&
           memcmp(a->types, b->types, (size_t)a->num_types * sizeof *a->types) == 0;
}

static bool same_shapes(const struct queue_spec *a, const struct queue_spec *b)
{
    bool same = a->num_shapes == b->num_shapes;

    for (int i = 0; same && i < a->num_shapes; i++)
        same = shape_equal(&a->shapes[i], &b->shapes[i]);
    return same;
}

static bool fail_lists(const char *name, const char *what, const struct queue_spec *have,
                       const struct queue_spec *want, struct status *st)
{
    void (*print)(const struct queue_spec *, struct strbuf *) =
        strcmp(what, "types") == 0 ? print_types : print_shapes;
    struct strbuf a = {0}, b = {0};

    print(have, &a);
    print(want, &b);
    status_invalid(st, "Shared queue '%s' has component %s %s but requested component %s were %s",
                   name, what, strbuf_text(&a), what, strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool check_same(const struct queue *q, const struct queue_spec *want, struct status *st)
{
    const struct queue_spec *have = queue_spec(q);
    const char *name = queue_name(q);

    if (have->kind != want->kind)
        return status_invalid(st, "Expected %s, found %sV2", queue_kind_name(have->kind),
                              queue_kind_name(want->kind));
    if (have->capacity != want->capacity)
        return status_invalid(st,
                              "Shared queue '%s' has capacity %lld but requested capacity was %lld",
                              name, (long long)have->capacity, (long long)want->capacity);
    if (have->min_after_dequeue != want->min_after_dequeue)
        return status_invalid(st,
                              "Shared queue '%s' has min_after_dequeue %lld but requested "
                              "min_after_dequeue was %lld.",
                              name, (long long)have->min_after_dequeue,
                              (long long)want->min_after_dequeue);
    if (have->seed != want->seed || have->seed2 != want->seed2)
        return status_invalid(st,
                              "Shared queue '%s' has random seeds (%lld, %lld) but requested "
                              "seeds are (%lld, %lld).",
                              name, (long long)have->seed, (long long)have->seed2,
                              (long long)want->seed, (long long)want->seed2);
    if (!same_types(have, want))
        return fail_lists(name, "types", have, want, st);
    return same_shapes(have, want) || fail_lists(name, "shapes", have, want, st);
}

/* --- the run --- */

struct make_args {
    const struct queue_spec *spec;
    const char *name;
};

static struct resource *make(void *arg, struct status *st)
{
    const struct make_args *m = arg;
    struct queue_spec spec = *m->spec;

    (void)st;
    if (spec.kind == QUEUE_SHUFFLE)
        spec.random = queue_random_new((uint64_t)spec.seed, (uint64_t)spec.seed2);
    return (struct resource *)queue_new(&spec, m->name);
}

static bool make_pair(struct kctx *c, struct make_state *s, const char *container, const char *name,
                      struct status *st)
{
    struct tensor t;

    if (!resource_pair(c, container, name, &t, st))
        return false;
    s->pair = variable_new(c->kernel->node_name, DT_STRING);
    variable_assign(s->pair, &t);
    return true;
}

/* Under the state's lock. */
static bool find_queue(struct kctx *c, struct make_state *s, struct status *st)
{
    const char *container, *name;
    bool ok;

    resource_names(c, false, &container, &name);
    struct make_args m = {&s->spec, name};
    struct queue *q = (struct queue *)resource_find_or_make(c->env->container_resources, container,
                                                            &queue_type, name, make, &m, st);

    if (!q)
        return false;
    ok = check_same(q, &s->spec, st) &&
         (dtype_is_ref(c->kernel->output_types[0])
              ? make_pair(c, s, container, name, st)
              : resource_make_handle(c, container, name, &queue_type, &s->handle, st));
    if (ok)
        s->queue = q;
    else
        queue_unref(q);
    return ok;
}

static bool make_run(struct kctx *c, struct status *st)
{
    struct make_state *s = kernel_state(c);

    lock_take(&s->lock);
    bool ok = s->queue || find_queue(c, s, st);
    lock_drop(&s->lock);
    if (!ok)
        return false;
    if (s->pair)
        kernel_out_ref(c, 0, s->pair);
    else
        kernel_out_share(c, 0, &s->handle);
    return true;
}

/* clang-format off */
#define QUEUE(id, op_name, text, ...)                                                              \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .outputs = {"handle: Ref(string)"},                                                        \
        .attrs = {__VA_ARGS__},                                                                    \
        .flags = OP_STATEFUL,                                                                      \
        .shape = queue_infer_handle_v1,                                                            \
        .no_grad = "a queue has no inputs",                                                        \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct make_state),                              \
                            .init = make_init,                                                     \
                            .release = make_release,                                               \
                            .run = make_run};                                                      \
    OP_DEF(id##_v2) = {                                                                            \
        .name = op_name "V2",                                                                      \
        .summary = text,                                                                           \
        .outputs = {"handle: resource"},                                                           \
        .attrs = {__VA_ARGS__},                                                                    \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_scalars,                                                                    \
        .no_grad = "a queue has no inputs",                                                        \
    };                                                                                             \
    KERNEL_DEF(id##_v2_cpu) = {.op = op_name "V2",                                                 \
                               .device = "CPU",                                                    \
                               .state_bytes = sizeof(struct make_state),                           \
                               .init = make_init,                                                  \
                               .release = make_release,                                            \
                               .run = make_run}

QUEUE(fifo_queue, "FIFOQueue", "A queue whose elements come out in the order they went in.",
      "component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []", "capacity: int = -1",
      "container: string = ''", "shared_name: string = ''");
QUEUE(padding_fifo_queue, "PaddingFIFOQueue",
      "A first-in first-out queue that pads the elements of a batch to the largest of them.",
      "component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []", "capacity: int = -1",
      "container: string = ''", "shared_name: string = ''");
QUEUE(priority_queue, "PriorityQueue",
      "A queue whose elements come out by their first component, the smallest number first.",
      "component_types: list(type) >= 0 = []", "shapes: list(shape) >= 0", "capacity: int = -1",
      "container: string = ''", "shared_name: string = ''");
QUEUE(random_shuffle_queue, "RandomShuffleQueue",
      "A queue whose elements come out in random order.",
      "component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []", "capacity: int = -1",
      "min_after_dequeue: int = 0", "seed: int = 0", "seed2: int = 0", "container: string = ''",
      "shared_name: string = ''");
/* clang-format on */
