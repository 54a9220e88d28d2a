/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a queue: a ring of tuples, which serves as a line, as a heap or as a bag.
 *
 * The heap and the bag move their elements exactly as TensorFlow's do, so that elements of equal
 * priority, and seeded shuffles, come out in its order. Rows of a batch share its memory in a line,
 * where they leave one after another; elsewhere one row could keep a whole batch alive for long, so
 * rows are copied. */
#include "op/queue_store.h"

#include <string.h>

#include "base/mem.h"

static int64_t slot(const struct queue_store *s, int64_t i)
{
    return (s->head + i) & (s->cap - 1);
}

static struct tensor *at(const struct queue_store *s, int64_t i)
{
    return s->items + slot(s, i) * s->width;
}

static void move(const struct queue_store *s, struct tensor *to, struct tensor *from)
{
    memcpy(to, from, (size_t)s->width * sizeof *to);
}

static void set(const struct queue_store *s, int64_t i, struct tensor *from, int64_t id)
{
    move(s, at(s, i), from);
    s->ids[slot(s, i)] = id;
}

static void shift(const struct queue_store *s, int64_t to, int64_t from)
{
    set(s, to, at(s, from), s->ids[slot(s, from)]);
}

void queue_store_init(struct queue_store *s, const struct queue_spec *spec)
{
    *s = (struct queue_store){.kind = spec->kind, .width = spec->num_types, .random = spec->random};
}

void queue_store_release(struct queue_store *s)
{
    for (int64_t i = 0; i < s->count; i++)
        for (int k = 0; k < s->width; k++)
            tensor_clear(&at(s, i)[k]);
    mem_free(s->items);
    mem_free(s->ids);
    if (s->random)
        s->random->free(s->random);
}

static void grow(struct queue_store *s)
{
    struct queue_store old = *s;

    s->cap = old.cap ? old.cap * 2 : 8;
    s->items = mem_new_array(struct tensor, s->cap * s->width);
    s->ids = mem_new_array(int64_t, s->cap);
    s->head = 0;
    for (int64_t i = 0; i < s->count; i++)
        set(s, i, at(&old, i), old.ids[slot(&old, i)]);
    mem_free(old.items);
    mem_free(old.ids);
}

/* --- the heap: smallest priority first --- */

static int64_t priority(const struct tensor *element)
{
    return *tensor_i64(&element[0]);
}

/* The hole at i rises until element fits there. */
static void rise(struct queue_store *s, int64_t i, struct tensor *element, int64_t id)
{
    while (i > 0 && priority(at(s, (i - 1) / 2)) > priority(element)) {
        shift(s, i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
    set(s, i, element, id);
}

/* The hole that element i left sinks to the bottom; there the last one fills it. */
static void close_hole(struct queue_store *s, int64_t hole)
{
    struct tensor *last;
    const int64_t n = --s->count;

    if (hole == n)
        return;
    const int64_t id = s->ids[slot(s, n)];

    last = mem_new_array(struct tensor, s->width);
    move(s, last, at(s, n));
    while (2 * hole + 1 < n) {
        int64_t child = 2 * hole + 2;

        if (child >= n || priority(at(s, child)) > priority(at(s, child - 1)))
            child--;
        shift(s, hole, child);
        hole = child;
    }
    rise(s, hole, last, id);
    mem_free(last);
}

/* --- all kinds --- */

static void empty(const struct queue_store *s, struct tensor *element)
{
    memset(element, 0, (size_t)s->width * sizeof *element);
}

void queue_store_put(struct queue_store *s, struct tensor *element, int64_t id)
{
    if (s->count == s->cap)
        grow(s);
    s->count++;
    if (s->kind == QUEUE_PRIORITY)
        rise(s, s->count - 1, element, id);
    else
        set(s, s->count - 1, element, id);
    empty(s, element);
}

/* The place of element i, which is no longer there, is closed. */
static void close_gap(struct queue_store *s, int64_t i)
{
    if (s->kind == QUEUE_PRIORITY) {
        close_hole(s, i);
    } else if (s->kind == QUEUE_SHUFFLE) {
        s->count--;
        if (i < s->count)
            shift(s, i, s->count);
    } else {
        for (; i > 0; i--) /* mostly it is the first one */
            shift(s, i, i - 1);
        s->head = (s->head + 1) & (s->cap - 1);
        s->count--;
    }
}

int64_t queue_store_get(struct queue_store *s, struct tensor *element)
{
    ASSERT(s->count > 0);
    const int64_t i = s->kind == QUEUE_SHUFFLE ? s->random->next(s->random) % s->count : 0;
    const int64_t id = s->ids[slot(s, i)];

    move(s, element, at(s, i));
    close_gap(s, i);
    return id;
}

void queue_store_put_back(struct queue_store *s, struct tensor *element, int64_t id)
{
    if (s->kind == QUEUE_PRIORITY || s->kind == QUEUE_SHUFFLE) {
        queue_store_put(s, element, id);
        return;
    }
    if (s->count == s->cap)
        grow(s);
    s->head = (s->head - 1) & (s->cap - 1);
    s->count++;
    set(s, 0, element, id);
    empty(s, element);
}

const struct tensor *queue_store_at(const struct queue_store *s, int64_t i, int64_t *id)
{
    *id = s->ids[slot(s, i)];
    return at(s, i);
}

bool queue_store_drop(struct queue_store *s, int64_t id)
{
    int64_t i = 0;

    while (i < s->count && s->ids[slot(s, i)] != id)
        i++;
    if (i == s->count)
        return false;
    for (int k = 0; k < s->width; k++)
        tensor_clear(&at(s, i)[k]);
    close_gap(s, i);
    return true;
}

/* --- rows and batches --- */

bool queue_row(enum queue_kind kind, const struct tensor *batch, int64_t i, struct tensor *out,
               struct status *st)
{
    const bool shares = kind == QUEUE_FIFO || kind == QUEUE_PADDING;
    struct tensor row = tensor_rows(batch, i, i + 1);
    struct shape shape = shape_make(shape_dims(&batch->shape) + 1, batch->shape.rank - 1);
    bool ok;

    if (shares) {
        ok = tensor_reshaped(&row, &shape, out, st);
    } else {
        ok = tensor_new(out, batch->dtype, &shape, st);
        if (ok && !elems_copy(batch->dtype, out->data, row.data, row.num_elems)) {
            ok = status_exhausted(st, "no memory for an element of a queue");
            tensor_clear(out);
        }
    }
    shape_clear(&shape);
    tensor_clear(&row);
    return ok;
}

struct block { /* the same dims of a small array and of the larger one it goes into */
    int dtype, rank;
    const int64_t *small, *large;
};

/* Copies src's elements to the low corner of dst, whose other elements stay. */
static bool copy_corner(const struct block *b, int dim, char *dst, const char *src)
{
    size_t size = dtype_size(b->dtype), dst_step = size, src_step = size;

    if (dim >= b->rank - 1)
        return elems_copy(b->dtype, dst, src, b->rank == 0 ? 1 : b->small[dim]);
    for (int i = dim + 1; i < b->rank; i++) {
        dst_step *= (size_t)b->large[i];
        src_step *= (size_t)b->small[i];
    }
    for (int64_t i = 0; i < b->small[dim]; i++)
        if (!copy_corner(b, dim + 1, dst + (size_t)i * dst_step, src + (size_t)i * src_step))
            return false;
    return true;
}

/* The shape of the joined value: elements first, then the declared dims, or the largest there is.
 */
static bool joined_shape(const struct queue_spec *spec, int which, const struct tensor *elements,
                         int64_t n, struct shape *out, struct status *st)
{
    const struct shape *declared = &spec->shapes[which];
    const int rank = declared->rank;
    int64_t *dims = mem_new_array(int64_t, rank + 1);
    bool ok;

    dims[0] = n;
    for (int d = 0; d < rank; d++) {
        int64_t dim = shape_dim(declared, d);

        for (int64_t i = 0; dim < 0 && i < n; i++) {
            int64_t have = tensor_dim(&elements[i * spec->num_types + which], d);

            if (have > dims[d + 1])
                dims[d + 1] = have;
        }
        if (dim >= 0)
            dims[d + 1] = dim;
    }
    *out = (struct shape){0};
    ok = rank < SHAPE_MAX_RANK ||
         status_invalid(st, "A batch of elements of rank %d would have too many dimensions", rank);
    if (ok)
        *out = shape_make(dims, rank + 1);
    mem_free(dims);
    return ok;
}

static bool copy_elements(const struct queue_spec *spec, int which, const struct tensor *elements,
                          int64_t n, struct tensor *out)
{
    size_t bytes = n > 0 ? tensor_bytes(out) / (size_t)n : 0;
    struct block b = {
        .dtype = out->dtype, .rank = out->shape.rank - 1, .large = shape_dims(&out->shape) + 1};

    for (int64_t i = 0; i < n; i++) {
        const struct tensor *t = &elements[i * spec->num_types + which];
        char *dst = (char *)out->data + (size_t)i * bytes;

        b.small = shape_dims(&t->shape);
        if (t->num_elems * (int64_t)dtype_size(t->dtype) == (int64_t)bytes) {
            if (!elems_copy(t->dtype, dst, t->data, t->num_elems))
                return false;
        } else if (t->num_elems > 0 && !copy_corner(&b, 0, dst, t->data)) {
            return false;
        }
    }
    return true;
}

bool queue_join(const struct queue_spec *spec, int which, const struct tensor *elements, int64_t n,
                struct tensor *out, struct status *st)
{
    struct shape shape;
    bool ok = joined_shape(spec, which, elements, n, &shape, st);

    ok = ok && tensor_new(out, spec->types[which], &shape, st);
    shape_clear(&shape);
    if (!ok)
        return false;
    if (spec->kind == QUEUE_PADDING && !dtype_is_managed(out->dtype) && out->num_elems > 0)
        memset(out->data, 0, tensor_bytes(out));
    if (copy_elements(spec, which, elements, n, out))
        return true;
    tensor_clear(out);
    return status_exhausted(st, "no memory for a batch of %lld elements", (long long)n);
}
