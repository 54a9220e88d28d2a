/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a queue: what the journal of one is told, and how that is applied to another.
 *
 * An element has an id. It is in a copy from when it is put until whoever took it is about to be
 * told: what was taken and given to nobody, since the process ended, is in the queue still. So a
 * dequeue that takes elements as they come, and may put them back, is nothing to log before it is
 * over; and then its elements and what it gives go into one entry. */
#include "op/queue_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NOTE_PUT = 1, NOTE_TAKEN, NOTE_CLOSED };
enum { KIND, CAPACITY, NUM_TYPES, NUM_SHAPES, REMAIN, SEED, SEED2, CLOSED, NEXT_ID, NUM_NUMBERS };
enum { MAX_COMPONENTS = 100000, MAX_RANDOM_BYTES = 256 };

/* --- what is told --- */

static struct note note_of_element(const struct queue *q, const struct tensor *element, int64_t id)
{
    struct note n = {.kind = NOTE_PUT};

    note_put_int(&n, id);
    for (int k = 0; k < q->spec.num_types; k++)
        note_put(&n, &element[k]);
    return n;
}

/* The place in the order of a shuffling queue; of others nothing. */
static void note_random(struct note *n, const struct queue *q)
{
    uint8_t state[MAX_RANDOM_BYTES];
    const struct queue_random *r = q->store.random;

    if (r && r->bytes <= sizeof state) {
        r->save(r, state);
        note_put_bytes(n, state, r->bytes);
    }
}

void queue_log_put(struct queue *q, const struct tensor *element, const struct noted *op)
{
    if (!changes_logged(&q->base))
        return;
    struct note n = note_of_element(q, element, q->next_id);

    changes_log(&q->base, &n, 1, op);
}

void queue_log_closed(struct queue *q, uint64_t key)
{
    if (!changes_logged(&q->base))
        return;
    struct note n = {.kind = NOTE_CLOSED};

    changes_log(&q->base, &n, 1, &(struct noted){.key = key});
}

void queue_log_leaving(struct queue *q, struct attempt *a)
{
    const bool took = (a->action == DEQUEUE || a->action == DEQUEUE_MANY) && a->moved > 0;

    if (!took || !changes_logged(&q->base))
        return;
    a->leaves = true;
    a->next_leaving = q->leaving;
    q->leaving = a;
}

void queue_log_left(struct attempt *a, const struct tensor *out)
{
    struct queue *q = a->q;
    const struct noted op = {
        .key = out ? a->wait.key : 0, .outputs = out, .num_outputs = out ? q->spec.num_types : 0};
    struct note n = {.kind = NOTE_TAKEN};

    lock_take(&q->lock);
    struct attempt **p = &q->leaving;

    while (*p != a)
        p = &(*p)->next_leaving;
    *p = a->next_leaving;
    a->leaves = false;
    note_put_ints(&n, a->ids, a->moved);
    note_random(&n, q);
    changes_log(&q->base, &n, 1, &op);
    lock_drop(&q->lock);
}

/* --- all there is --- */

struct held { /* an element of the queue as its copies have it */
    const struct tensor *element;
    int64_t id;
};

static struct held *add_held(struct held *all, int64_t *num, int64_t *cap, struct held one)
{
    all = vec_reserve(all, cap, *num + 1, sizeof *all);
    all[(*num)++] = one;
    return all;
}

static struct held *add_taken(struct held *all, int64_t *num, int64_t *cap, const struct attempt *a)
{
    for (int64_t i = 0; a->ids && i < a->moved; i++)
        all =
            add_held(all, num, cap, (struct held){a->values + i * a->q->spec.num_types, a->ids[i]});
    return all;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct held *)a)->id, y = ((const struct held *)b)->id;

    return x < y ? -1 : x > y;
}

/* Those that lie there, then those that somebody took; a line in its order. */
static struct held *list_held(struct queue *q, int64_t *num)
{
    struct held *all = NULL, one;
    int64_t cap = 0;

    *num = 0;
    for (int64_t i = 0; i < q->store.count; i++) {
        one.element = queue_store_at(&q->store, i, &one.id);
        all = add_held(all, num, &cap, one);
    }
    for (const struct attempt *a = q->out.first; a; a = a->next)
        all = add_taken(all, num, &cap, a);
    for (const struct attempt *a = q->leaving; a; a = a->next_leaving)
        all = add_taken(all, num, &cap, a);
    if (*num > 1 && (q->spec.kind == QUEUE_FIFO || q->spec.kind == QUEUE_PADDING))
        qsort(all, (size_t)*num, sizeof *all, by_id);
    return all;
}

static struct note note_of_queue(const struct queue *q)
{
    const struct queue_spec *s = &q->spec;
    const int64_t numbers[NUM_NUMBERS] = {[KIND] = s->kind,
                                          [CAPACITY] = s->capacity,
                                          [NUM_TYPES] = s->num_types,
                                          [NUM_SHAPES] = s->num_shapes,
                                          [REMAIN] = s->min_after_dequeue,
                                          [SEED] = s->seed,
                                          [SEED2] = s->seed2,
                                          [CLOSED] = q->closed,
                                          [NEXT_ID] = q->next_id};
    struct note n = {.kind = NOTE_MAKE};
    int64_t *types = mem_new_array(int64_t, s->num_types);

    for (int k = 0; k < s->num_types; k++)
        types[k] = s->types[k];
    note_put_ints(&n, numbers, NUM_NUMBERS);
    note_put_ints(&n, types, s->num_types);
    for (int k = 0; k < s->num_shapes; k++)
        note_put_shape(&n, &s->shapes[k]);
    note_random(&n, q);
    mem_free(types);
    return n;
}

void queue_tell(struct queue *q, note_say_fn say, void *arg)
{
    int64_t num;

    lock_take(&q->lock);
    struct note n = note_of_queue(q);
    struct held *all = list_held(q, &num);

    say(arg, &n);
    for (int64_t i = 0; i < num; i++) {
        n = note_of_element(q, all[i].element, all[i].id);
        say(arg, &n);
    }
    lock_drop(&q->lock);
    mem_free(all);
}

/* --- a copy --- */

static bool check_numbers(const int64_t *v, struct status *st)
{
    bool ok = v[KIND] >= QUEUE_FIFO && v[KIND] <= QUEUE_SHUFFLE && v[CAPACITY] >= 0 &&
              v[NUM_TYPES] > 0 && v[NUM_TYPES] <= MAX_COMPONENTS &&
              (v[NUM_SHAPES] == 0 || v[NUM_SHAPES] == v[NUM_TYPES]) && v[REMAIN] >= 0 &&
              v[NEXT_ID] >= 0;

    return ok || status_invalid(st, "A note of a queue has numbers that are out of range");
}

static bool read_types(struct note_reader *in, int *types, int64_t num, int kind, struct status *st)
{
    int64_t have;
    const int64_t *v = note_get_list(in, &have, st);
    bool ok = v && have == num && (kind != QUEUE_PRIORITY || v[0] == DT_INT64);

    for (int64_t i = 0; ok && i < num; i++) {
        ok = v[i] > 0 && v[i] < DT_REF && dtype_size((int)v[i]) > 0;
        types[i] = (int)v[i];
    }
    return ok || (v ? status_invalid(st, "A note of a queue has types that are none") : false);
}

static bool read_random(struct note_reader *in, struct queue_random *r, struct status *st)
{
    uint8_t state[MAX_RANDOM_BYTES];

    if (!r || r->bytes > sizeof state)
        return status_invalid(st, "A note of a queue has an order that is not known");
    return note_get_bytes(in, state, r->bytes, st) &&
           (r->load(r, state) || status_invalid(st, "A note of a queue has an order that is none"));
}

struct queue *queue_from_note(const char *name, struct note_reader *in, struct queue_random *random,
                              struct status *st)
{
    int64_t v[NUM_NUMBERS];
    struct queue *q = NULL;
    bool ok = note_get_ints(in, v, NUM_NUMBERS, st) && check_numbers(v, st);
    const int64_t num = ok ? v[NUM_TYPES] : 0;
    int *types = mem_new_array(int, num + 1);
    struct shape *shapes = mem_new_array(struct shape, num + 1);

    ok = ok && read_types(in, types, num, (int)v[KIND], st);
    for (int64_t k = 0; ok && k < v[NUM_SHAPES]; k++)
        ok = note_get_shape(in, &shapes[k], st);
    if (ok && v[KIND] == QUEUE_SHUFFLE)
        ok = read_random(in, random, st);
    if (ok) {
        const bool keeps = v[KIND] == QUEUE_SHUFFLE;
        const struct queue_spec spec = {.kind = (enum queue_kind)v[KIND],
                                        .capacity = v[CAPACITY],
                                        .num_types = (int)num,
                                        .types = types,
                                        .num_shapes = (int)v[NUM_SHAPES],
                                        .shapes = shapes,
                                        .min_after_dequeue = v[REMAIN],
                                        .seed = v[SEED],
                                        .seed2 = v[SEED2],
                                        .random = keeps ? random : NULL};

        q = queue_new(&spec, name);
        q->closed = v[CLOSED] != 0;
        q->next_id = v[NEXT_ID];
        random = keeps ? NULL : random;
    }
    if (random)
        random->free(random);
    for (int64_t k = 0; k < num; k++)
        shape_clear(&shapes[k]);
    mem_free(shapes);
    mem_free(types);
    return q;
}

static bool apply_put(struct queue *q, struct note_reader *in, struct status *st)
{
    const int n = q->spec.num_types;
    int64_t id;

    if (!note_get_ints(in, &id, 1, st))
        return false;
    if (in->n - in->at != n || id < 0 || id == INT64_MAX)
        return status_invalid(st, "An element of queue '%s' has %d components, not %d", q->name,
                              in->n - in->at, n);
    struct tensor *element = in->values + in->at;

    for (int k = 0; k < n; k++) {
        if (element[k].dtype != q->spec.types[k])
            return status_invalid(st, "An element of queue '%s' is of another type", q->name);
    }
    if (!queue_check_tuple(&q->spec, element, -1, st))
        return false;
    lock_take(&q->lock);
    queue_store_put(&q->store, element, id);
    q->next_id = max_i64(q->next_id, id + 1);
    lock_drop(&q->lock);
    return true;
}

static bool apply_taken(struct queue *q, struct note_reader *in, struct status *st)
{
    int64_t num;
    const int64_t *ids = note_get_list(in, &num, st);

    if (!ids)
        return false;
    lock_take(&q->lock);
    bool ok = q->spec.kind != QUEUE_SHUFFLE || read_random(in, q->store.random, st);
    for (int64_t i = 0; ok && i < num; i++)
        ok = queue_store_drop(&q->store, ids[i]) ||
             status_invalid(st, "Queue '%s' has no element %lld", q->name, (long long)ids[i]);
    lock_drop(&q->lock);
    return ok;
}

bool queue_apply(struct queue *q, int kind, struct note_reader *in, struct status *st)
{
    if (kind == NOTE_PUT)
        return apply_put(q, in, st);
    if (kind == NOTE_TAKEN)
        return apply_taken(q, in, st);
    if (kind != NOTE_CLOSED)
        return status_unimplemented(st, "A change of kind %d of a queue", kind);
    lock_take(&q->lock);
    q->closed = true;
    lock_drop(&q->lock);
    return true;
}

bool queue_drop(struct queue *q, bool (*is)(const struct tensor *element, const void *arg),
                const void *arg)
{
    bool found = false;

    lock_take(&q->lock);
    for (int64_t i = 0, id; !found && i < q->store.count; i++) {
        found = is(queue_store_at(&q->store, i, &id), arg);
        if (found)
            (void)queue_store_drop(&q->store, id);
    }
    lock_drop(&q->lock);
    return found;
}
