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

static struct tensor *at(const struct queue_store *s, int64_t i)
{
    return s->items + ((s->head + i) & (s->cap - 1)) * s->width;
}

static void move(const struct queue_store *s, struct tensor *to, struct tensor *from)
{
    memcpy(to, from, (size_t)s->width * sizeof *to);
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
    if (s->random)
        s->random->free(s->random);
}

static void grow(struct queue_store *s)
{
    struct queue_store old = *s;

    s->cap = old.cap ? old.cap * 2 : 8;
    s->items = mem_new_array(struct tensor, s->cap * s->width);
    s->head = 0;
    for (int64_t i = 0; i < s->count; i++)
        move(s, at(s, i), at(&old, i));
    mem_free(old.items);
}

/* --- the heap: smallest priority first --- */

static int64_t priority(const struct tensor *element)
{
    return *tensor_i64(&element[0]);
}

/* The hole at i rises until element fits there. */
static void rise(struct queue_store *s, int64_t i, struct tensor *element)
{
    while (i > 0 && priority(at(s, (i - 1) / 2)) > priority(element)) {
        move(s, at(s, i), at(s, (i - 1) / 2));
        i = (i - 1) / 2;
    }
    move(s, at(s, i), element);
}

/* The hole that the first element left sinks to the bottom; there the last one fills it. */
static void heap_get(struct queue_store *s, struct tensor *element)
{
    struct tensor *last;
    int64_t hole = 0, n = --s->count;

    move(s, element, at(s, 0));
    if (n == 0)
        return;
    last = mem_new_array(struct tensor, s->width);
    move(s, last, at(s, n));
    while (2 * hole + 1 < n) {
        int64_t child = 2 * hole + 2;

        if (child >= n || priority(at(s, child)) > priority(at(s, child - 1)))
            child--;
        move(s, at(s, hole), at(s, child));
        hole = child;
    }
    rise(s, hole, last);
    mem_free(last);
}

/* --- all kinds --- */

static void empty(const struct queue_store *s, struct tensor *element)
{
    memset(element, 0, (size_t)s->width * sizeof *element);
}

void queue_store_put(struct queue_store *s, struct tensor *element)
{
    if (s->count == s->cap)
        grow(s);
    s->count++;
    if (s->kind == QUEUE_PRIORITY)
        rise(s, s->count - 1, element);
    else
        move(s, at(s, s->count - 1), element);
    empty(s, element);
}

void queue_store_get(struct queue_store *s, struct tensor *element)
{
    ASSERT(s->count > 0);
    if (s->kind == QUEUE_PRIORITY) {
        heap_get(s, element);
    } else if (s->kind == QUEUE_SHUFFLE) {
        int64_t i = s->random->next(s->random) % s->count;

        move(s, element, at(s, i));
        s->count--;
        if (i < s->count)
            move(s, at(s, i), at(s, s->count));
    } else {
        move(s, element, at(s, 0));
        s->head = (s->head + 1) & (s->cap - 1);
        s->count--;
    }
}

void queue_store_put_back(struct queue_store *s, struct tensor *element)
{
    if (s->kind == QUEUE_PRIORITY || s->kind == QUEUE_SHUFFLE) {
        queue_store_put(s, element);
        return;
    }
    if (s->count == s->cap)
        grow(s);
    s->head = (s->head - 1) & (s->cap - 1);
    s->count++;
    move(s, at(s, 0), element);
    empty(s, element);
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
