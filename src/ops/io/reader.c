/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: ReaderRead and ReaderReadUpTo, and the reader that they share.
 *
 * A read first waits for its turn, an element of the reader's own queue; then it takes records, and
 * names of files from the queue it was given when there is no file in progress. Files are read by
 * the step's own thread, or by the pool's where a wait came between: never by the thread of another
 * step that happened to enqueue a name. */
#include "ops/io/reader.h"

#include <string.h>

#include "base/mem.h"
#include "op/grad.h"
#include "op/resource_pair.h"

/* --- the reader --- */

static void no_work(struct reader *r)
{
    if (r->kind->close)
        r->kind->close(r);
    mem_free(r->work);
    r->work = NULL;
}

static void reader_release(struct resource *base)
{
    struct reader *r = (struct reader *)base;

    no_work(r);
    tensor_clear(&r->next);
    queue_unref(r->turn);
    lock_release_memory(&r->lock);
    mem_free(r->name);
    mem_free(r);
}

const struct resource_type reader_type = {.name = "N10tensorflow15ReaderInterfaceE",
                                          .release = reader_release};

static void nothing(void *arg, struct status *st, struct tensor *values)
{
    (void)arg;
    (void)st;
    (void)values;
}

static void give_turn(struct reader *r, struct tensor *turn)
{
    queue_enqueue(r->turn, turn, &(struct queue_wait){.done = nothing});
}

struct reader *reader_new(const struct reader_kind *kind, const char *name,
                          const struct attrs *attrs, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor turn = {0};
    struct reader *r = mem_zalloc(kind->bytes);

    resource_init(&r->base, &reader_type);
    r->kind = kind;
    r->name = mem_strdup(name);
    lock_init(&r->lock, "reader", LOCK_RANK_RESOURCE);
    r->turn = queue_new(
        &(struct queue_spec){
            .kind = QUEUE_FIFO, .capacity = 1, .num_types = 1, .types = (int[]){DT_BOOL}},
        name);
    if ((kind->init && !kind->init(r, attrs, st)) || !tensor_new(&turn, DT_BOOL, &scalar, st)) {
        reader_unref(r);
        return NULL;
    }
    *tensor_bool(&turn) = true;
    give_turn(r, &turn);
    return r;
}

struct reader *reader_of_input(struct kctx *c, struct status *st)
{
    return (struct reader *)resource_from_either(c, 0, &reader_type, st);
}

void reader_unref(struct reader *r)
{
    resource_unref((struct resource *)r);
}

void reader_reset(struct reader *r)
{
    no_work(r);
    r->started = r->ended = r->records = 0;
}

/* --- a read --- */

enum wait_state { WAITS, CAME, LEFT };

struct read {
    struct kctx *c;
    struct reader *r; /* a reference, like names */
    struct queue *names;
    int64_t wanted, got; /* records */
    bool many;
    struct tstr *keys, *values; /* got of each */
    int64_t cap_keys, cap_values;
    struct tensor turn; /* while it is this read's turn */
    struct tensor name; /* of the next file, when it has come */
    struct status status;
    int state; /* atomic; enum wait_state: whether the answer or the end of the call was first */
};

static void go_on(void *arg);

/* One answer came. Its reader goes on in the call that asked, or by the pool. */
static void came(struct read *d)
{
    if (__atomic_exchange_n(&d->state, CAME, __ATOMIC_ACQ_REL) == LEFT)
        pool_submit(kernel_pool(d->c), go_on, d);
}

static void take(struct tensor *to, struct read *d, struct status *st, struct tensor *values)
{
    if (values)
        *to = tensor_take(&values[0]);
    else
        status_move(&d->status, st);
    came(d);
}

static void on_turn(void *arg, struct status *st, struct tensor *values)
{
    struct read *d = arg;

    take(&d->turn, d, st, values);
}

static void on_name(void *arg, struct status *st, struct tensor *values)
{
    struct read *d = arg;

    take(&d->name, d, st, values);
}

/* Asks a queue. True: the answer is there; else d is no longer the caller's. */
static bool ask(struct read *d, struct queue *q, queue_done_fn done)
{
    __atomic_store_n(&d->state, WAITS, __ATOMIC_RELEASE);
    queue_dequeue(q, &(struct queue_wait){.done = done, .arg = d, .cancel = d->c->env->cancel});
    return __atomic_exchange_n(&d->state, LEFT, __ATOMIC_ACQ_REL) == CAME;
}

/* --- under the reader's lock --- */

static bool begin_work(struct read *d)
{
    struct reader *r = d->r;
    struct tensor t = tensor_take(&r->next);
    bool ok = t.dtype == DT_STRING && t.num_elems == 1;

    if (ok) {
        struct str s = tstr_view(tensor_str(&t));

        mem_free(r->work);
        r->work = mem_strndup(s.p, s.n);
        ok = strlen(r->work) == s.n ||
             status_invalid(&d->status, "The name of a file has a zero byte: %s", r->work);
    } else {
        status_invalid(&d->status, "Expected to dequeue a one-element string tensor");
    }
    tensor_clear(&t);
    if (ok && (!r->kind->open || r->kind->open(r, &d->status))) {
        r->started++;
        return true;
    }
    no_work(r);
    return false;
}

static bool next_record(struct read *d, bool *end)
{
    struct reader *r = d->r;
    bool got = false;

    d->keys = vec_reserve(d->keys, &d->cap_keys, d->got + 1, sizeof *d->keys);
    d->values = vec_reserve(d->values, &d->cap_values, d->got + 1, sizeof *d->values);
    struct tstr *key = &d->keys[d->got], *value = &d->values[d->got];

    *key = *value = (struct tstr){0};
    bool ok = r->kind->next(r, key, value, &got, end, &d->status);

    if (ok && got) {
        d->got++;
        r->records++;
    } else {
        tstr_clear(key);
        tstr_clear(value);
    }
    if (ok && *end) {
        no_work(r);
        r->ended++;
    }
    return ok;
}

/* Takes records until d has what it wants. False: it needs the name of another file. */
static bool take_records(struct read *d)
{
    struct reader *r = d->r;

    if (d->name.dtype != DT_INVALID)
        r->next = tensor_take(&d->name);
    while (d->got < d->wanted) {
        bool end;

        if (!r->work && d->got > 0)
            break; /* what a file gave is not held back until there is another */
        if (!r->work && r->next.dtype == DT_INVALID)
            return false;
        if ((!r->work && !begin_work(d)) || !next_record(d, &end) ||
            !cancel_check(d->c->env->cancel, &d->status))
            break;
    }
    return true;
}

/* --- the end --- */

/* The texts move to output i. */
static bool put_strings(struct read *d, int i, struct tstr *texts)
{
    struct shape shape = d->many ? shape_1(d->got) : shape_scalar();
    struct tensor *out = kernel_out(d->c, i, &shape, &d->status);

    for (int64_t k = 0; out && k < d->got; k++) {
        tensor_str(out)[k] = texts[k];
        texts[k] = (struct tstr){0};
    }
    return out != NULL;
}

static void end_read(struct read *d)
{
    struct kctx *c = d->c;

    /* records that were read before an error came are given: the next read meets it again */
    if (d->many && d->got > 0 && !kernel_cancelled(c))
        status_clear(&d->status);
    if (status_ok(&d->status) && put_strings(d, 0, d->keys))
        (void)!put_strings(d, 1, d->values);
    if (d->turn.dtype != DT_INVALID)
        give_turn(d->r, &d->turn);
    for (int64_t k = 0; k < d->got; k++) {
        tstr_clear(&d->keys[k]);
        tstr_clear(&d->values[k]);
    }
    mem_free(d->keys);
    mem_free(d->values);
    tensor_clear(&d->turn);
    tensor_clear(&d->name);
    reader_unref(d->r);
    queue_unref(d->names);
    kernel_done(c, &d->status);
    status_clear(&d->status);
    mem_free(d);
}

/* d has its turn, or the name that it asked for, or an error. */
static void go_on(void *arg)
{
    struct read *d = arg;
    bool over;

    do {
        over = !status_ok(&d->status);
        if (!over) {
            lock_take(&d->r->lock);
            over = take_records(d);
            lock_drop(&d->r->lock);
        }
        if (over) {
            end_read(d);
            return;
        }
    } while (ask(d, d->names, on_name));
}

static bool count_wanted(const struct kctx *c, int64_t *n, struct status *st)
{
    const struct tensor *t = kernel_in(c, 2);

    if (t->num_elems != 1)
        return status_invalid(st, "num_records must be a scalar");
    *n = *tensor_i64(t);
    return *n >= 0 || status_invalid(st, "num_records must be >= 0, not %lld", (long long)*n);
}

static bool check_names(const struct queue *names, struct status *st)
{
    const struct queue_spec *s = queue_spec(names);

    return (s->num_types == 1 && s->types[0] == DT_STRING) ||
           status_invalid(st, "Expected a queue of strings: '%s' has %d components, the first %s",
                          queue_name(names), s->num_types, dtype_name(s->types[0]));
}

static void start(struct kctx *c, bool many)
{
    struct read *d = mem_new(struct read);
    struct status *st = &d->status;

    d->c = c;
    d->many = many;
    d->wanted = 1;
    d->r = reader_of_input(c, st);
    d->names = d->r ? (struct queue *)resource_from_either(c, 1, &queue_type, st) : NULL;
    bool ok = d->names && check_names(d->names, st) && (!many || count_wanted(c, &d->wanted, st));

    if (!ok || d->wanted == 0)
        end_read(d);
    else if (ask(d, d->r->turn, on_turn))
        go_on(d);
}

static void read_start(struct kctx *c)
{
    start(c, false);
}

static void read_up_to_start(struct kctx *c)
{
    start(c, true);
}

/* --- definitions --- */

bool reader_check_handle(struct infer_ctx *c, int k, struct status *st)
{
    const bool v2 = infer_input_type(c, k) == DT_RESOURCE;
    const struct shape *s;
    int64_t dim;

    return infer_want_rank(c, infer_input(c, k), v2 ? 0 : 1, &s, st) &&
           (v2 || infer_want_dim(c, infer_dim(s, 0), 2, &dim, st));
}

static bool read_shape(struct infer_ctx *c, struct status *st)
{
    if (!reader_check_handle(c, 0, st) || !reader_check_handle(c, 1, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    infer_set(c, 1, infer_scalar(c));
    return true;
}

static bool read_up_to_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    if (!reader_check_handle(c, 0, st) || !reader_check_handle(c, 1, st) ||
        !infer_want_rank(c, infer_input(c, 2), 0, &s, st))
        return false;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    return true;
}

/* clang-format off */
#define READ(id, op_name, form, op_flags, why)                                                     \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "The next record of the files that a queue names; waits for a name.",           \
        .inputs = {"reader_handle: " form, "queue_handle: " form},                                 \
        .outputs = {"key: string", "value: string"},                                               \
        .flags = op_flags,                                                                         \
        .shape = read_shape,                                                                       \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_ASYNC, .run_async = read_start}
#define READ_UP_TO(id, op_name, form, op_flags, why)                                               \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "At most num_records records of one of the files that a queue names.",          \
        .inputs = {"reader_handle: " form, "queue_handle: " form, "num_records: int64"},           \
        .outputs = {"keys: string", "values: string"},                                             \
        .flags = op_flags,                                                                         \
        .shape = read_up_to_shape,                                                                 \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_ASYNC, .run_async = read_up_to_start}
/* clang-format on */
READ(reader_read, "ReaderRead", "Ref(string)", 0, "records are no numbers");
READ(reader_read_v2, "ReaderReadV2", "resource", OP_STATEFUL, "undefined: files have no gradient");
READ_UP_TO(reader_read_up_to, "ReaderReadUpTo", "Ref(string)", 0, "records are no numbers");
READ_UP_TO(reader_read_up_to_v2, "ReaderReadUpToV2", "resource", OP_STATEFUL,
           "undefined: files have no gradient");
