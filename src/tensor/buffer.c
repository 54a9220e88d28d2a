/* SPDX-License-Identifier: Apache-2.0 */
/* Counted buffers over blocks or over memory of others. Any thread. */
#include "tensor/block.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/failpoint.h"
#include "base/mem.h"

_Static_assert(sizeof(struct buffer) == BLOCK_ALIGN, "data follows the header, aligned");

static void release_block(struct buffer *b)
{
    if (UNLIKELY(b->elems))
        elems_release(b->dtype, b->data, b->elems);
    block_give(b);
}

struct buffer *buffer_try(int dtype, int64_t elems)
{
    int64_t bytes;
    if (UNLIKELY(!size_mul(elems, (int64_t)dtype_size(dtype), &bytes) || FAILPOINT("buffer_new")))
        return NULL;
    struct buffer *b = block_take((size_t)bytes);
    if (UNLIKELY(!b))
        return NULL;
    b->refs = 1;
    b->dtype = (int16_t)dtype;
    b->borrowed = false;
    b->elems = 0;
    b->release = release_block;
    if (UNLIKELY(dtype_is_managed(dtype))) {
        b->elems = elems;
        memset(b->data, 0, (size_t)bytes);
    }
    return b;
}

struct buffer *buffer_new(int dtype, int64_t elems, struct status *st)
{
    struct buffer *b = buffer_try(dtype, elems);
    if (UNLIKELY(!b))
        status_exhausted(st, "OOM when allocating %" PRId64 " elements of type %s", elems,
                         dtype_name(dtype));
    return b;
}

static void release_wrapped(struct buffer *b)
{
    if (b->owner_free)
        b->owner_free(b->data, b->bytes, b->owner_arg);
    mem_free(b);
}

struct buffer *buffer_wrap(int dtype, void *data, size_t bytes,
                           void (*free_fn)(void *data, size_t len, void *arg), void *arg)
{
    struct buffer *b = mem_new(struct buffer);
    *b = (struct buffer){.refs = 1,
                         .dtype = (int16_t)dtype,
                         .data = data,
                         .bytes = bytes,
                         .release = release_wrapped,
                         .owner_arg = arg,
                         .owner_free = free_fn};
    return b;
}

struct buffer *buffer_ref(struct buffer *b)
{
    if (b)
        __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
    return b;
}

/* The only holder needs no read-modify-write: nobody else can take a reference any more. */
void buffer_unref(struct buffer *b)
{
    if (!b)
        return;
    if (__atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) == 1 ||
        __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) == 0)
        b->release(b);
}

void buffer_fail_after(int64_t n)
{
    char spec[24] = "off";
    if (n > 0)
        snprintf(spec, sizeof(spec), "%" PRId64, n);
    bool known = failpoint_set("buffer_new", spec);
    ASSERT(known);
    (void)known;
}
