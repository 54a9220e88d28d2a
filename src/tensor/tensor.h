/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: a type, a known shape, and a counted buffer.
 *
 * struct tensor is a small value (72 bytes): executors keep arrays of them. Copying shares
 * the buffer (tensor_copy adds a reference; tensor_clear drops one). A zeroed struct is "no
 * tensor" (dtype DT_INVALID). The elements lie at `data`, inside buf, row-major, 64-byte aligned
 * unless the tensor is a slice or was fed. Whoever holds the only reference to the buffer
 * (tensor_is_sole) may write to it; all others only read.
 *
 * Managed elements (struct tstr, handle *, variant *) belong to the buffer: it is cleared when
 * made and releases them when the last reference goes. */
#ifndef LEAT_TENSOR_TENSOR_H
#define LEAT_TENSOR_TENSOR_H

#include "base/base.h"
#include "base/status.h"
#include "base/str.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tstr.h"

struct buffer { /* one cache line */
    int refs;   /* atomic */
    int16_t dtype;
    bool borrowed; /* a client can reach the bytes: never written, and copied to outlive a step */
    void *data;
    size_t bytes;  /* usable at data */
    int64_t elems; /* managed elements to release at the end; 0 for plain types */
    void (*release)(struct buffer *b); /* gives back data and the struct itself */
    union {
        void *owner;       /* for release */
        size_t size_class; /* the allocator's own */
    };
    void *owner_arg; /* for release */
    void (*owner_free)(void *data, size_t len, void *arg);
};

struct tensor {
    int32_t dtype;      /* enum dtype, never a reference type */
    struct shape shape; /* fully known */
    int64_t num_elems;
    void *data;
    struct buffer *buf; /* counted; never NULL in a tensor that has elements */
};

/* --- buffers: a caching allocator behind them keeps freed blocks for the next step --- */

/* Any thread. RESOURCE_EXHAUSTED when the memory cannot be had, or exceeds the cgroup's. Plain
 * types are not cleared; data is never NULL and 64-byte aligned, also for no elements. Failpoint:
 * buffer_new. */
struct buffer *buffer_new(int dtype, int64_t elems, struct status *st) MUST_CHECK;
/* A buffer over memory of others; free_fn (may be NULL) is called once, when the last reference
 * goes. Elements of managed types in it are free_fn's to release. Who may not see the bytes change
 * sets `borrowed`. Cannot fail. */
struct buffer *buffer_wrap(int dtype, void *data, size_t bytes,
                           void (*free_fn)(void *data, size_t len, void *arg), void *arg);
struct buffer *buffer_ref(struct buffer *b); /* NULL stays NULL */
void buffer_unref(struct buffer *b);         /* NULL is fine */
/* The caller holds the only reference, and nobody else can reach the bytes: they may be written. */
static inline bool buffer_is_sole(const struct buffer *b)
{
    return __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) == 1 && !b->borrowed;
}
/* Bytes in use, the highest they were (to within 256 KiB a thread), bytes kept for reuse, and
 * blocks handed out so far; all process-wide. Wrapped memory does not count. */
struct buffer_stats {
    int64_t in_use, peak, kept, num_allocs;
};
void buffer_stats(struct buffer_stats *out);
/* Gives kept blocks back to the system: all big ones, and the small ones of the calling thread. */
void buffer_trim(void);
/* The most bytes that buffers may take in all, and of them the most big ones kept for reuse;
 * negative: the default (what the process may use; the lesser of 4 GiB and a quarter of that). */
void buffer_set_limits(int64_t max_bytes, int64_t max_kept);
/* For tests: the n-th allocation from now fails, once; 0: none. */
void buffer_fail_after(int64_t n);

/* --- tensors --- */

/* Uninitialised elements (managed ones: empty). shape is copied. False: *t untouched. */
MUST_CHECK bool tensor_new(struct tensor *t, int dtype, const struct shape *shape,
                           struct status *st);
struct tensor tensor_copy(const struct tensor *t); /* shares the buffer */
void tensor_clear(struct tensor *t);
static inline struct tensor tensor_take(struct tensor *t) /* moves; *t is empty after */
{
    struct tensor r = *t;
    *t = (struct tensor){0};
    return r;
}
/* Own elements in *out (managed ones copied too). */
MUST_CHECK bool tensor_dup(const struct tensor *t, struct tensor *out, struct status *st);
/* The same elements under another shape with as many elements. */
MUST_CHECK bool tensor_reshaped(const struct tensor *t, const struct shape *shape,
                                struct tensor *out, struct status *st);
/* Rows [begin, end) of dimension 0, sharing the buffer. Rank >= 1. */
struct tensor tensor_rows(const struct tensor *t, int64_t begin, int64_t end);
static inline bool tensor_is_sole(const struct tensor *t)
{
    return t->buf && buffer_is_sole(t->buf);
}
/* A fed value: whoever keeps it past the step (a variable, a queue) takes a tensor_dup. */
static inline bool tensor_is_borrowed(const struct tensor *t)
{
    return t->buf && t->buf->borrowed;
}
static inline size_t tensor_bytes(const struct tensor *t)
{
    return (size_t)t->num_elems * dtype_size(t->dtype);
}
static inline int tensor_rank(const struct tensor *t)
{
    return t->shape.rank;
}
static inline int64_t tensor_dim(const struct tensor *t, int i)
{
    return shape_dim(&t->shape, i);
}

/* Typed views: tensor_f32(t)[i]. The dtype must match (asserted). */
#define TENSOR_VIEW(name, type, id)                                                                \
    static inline type *tensor_##name(const struct tensor *t)                                      \
    {                                                                                              \
        ASSERT(t->dtype == DT_##id);                                                               \
        return (type *)t->data;                                                                    \
    }
TENSOR_VIEW(f32, float, FLOAT)
TENSOR_VIEW(f64, double, DOUBLE)
TENSOR_VIEW(i32, int32_t, INT32)
TENSOR_VIEW(i64, int64_t, INT64)
TENSOR_VIEW(bool, bool, BOOL)
TENSOR_VIEW(str, struct tstr, STRING)
#undef TENSOR_VIEW

/* Element i of an INT32 or INT64 tensor (index tensors come as either). */
static inline int64_t tensor_index(const struct tensor *t, int64_t i)
{
    return t->dtype == DT_INT32 ? ((const int32_t *)t->data)[i] : ((const int64_t *)t->data)[i];
}

/* Small makers for tests, folding and composites: false only for lack of memory. */
MUST_CHECK bool tensor_from(struct tensor *t, int dtype, const int64_t *dims, int rank,
                            const void *elems, struct status *st);
/* Copies n elements from src to dst, which do not overlap. Managed: what dst held is released, and
 * false, with the rest of dst as it was, when there is no memory for a string; plain types: true.
 */
bool elems_copy(int dtype, void *dst, const void *src, int64_t n);
void elems_release(int dtype, void *elems, int64_t n); /* managed: frees each, leaves zeros */
/* "[1 2 3][4 5 6]", at most max_elems (negative: all), as TensorFlow's SummarizeValue prints them:
 * no outer brackets (Print and Assert add those), "..." where elements are left out. Appends. */
void tensor_summarize(const struct tensor *t, int64_t max_elems, struct strbuf *out);

/* --- RESOURCE and VARIANT elements: counted objects --- */

struct handle { /* what a RESOURCE element points to; immutable once made */
    int refs;   /* atomic */
    char *device, *container, *name, *type_name; /* owned */
    uint64_t hash_code;
    int num_parts; /* dtypes and shapes known behind it */
    int *dtypes;
    struct shape *shapes;
    void *object; /* an anonymous resource that lives as long as the handle; else NULL */
    void (*object_unref)(void *object);
};
struct handle *handle_new(const char *device, const char *container, const char *name,
                          const char *type_name, uint64_t hash_code);
struct handle *handle_ref(struct handle *h); /* NULL stays NULL */
void handle_unref(struct handle *h);

struct variant;
struct variant_type {
    const char *name;                   /* TensorFlow's type_name, "tensorflow::TensorList" */
    void (*release)(struct variant *v); /* frees payload and struct */
    /* Appends what Print shows as the value; NULL: "?". */
    void (*print)(const struct variant *v, struct strbuf *out);
    /* Zeros like v, and the sum of two of this type: new ones, NULL with st set; NULL members: not
     * to be had. */
    struct variant *(*zeros)(const struct variant *v, struct status *st);
    struct variant *(*add)(const struct variant *a, const struct variant *b, struct status *st);
};
struct variant { /* what a VARIANT element points to; immutable once shared */
    int refs;    /* atomic */
    const struct variant_type *type;
    /* the payload follows in the type's own struct, whose first member this is */
};
struct variant *variant_ref(struct variant *v); /* NULL stays NULL */
void variant_unref(struct variant *v);
/* One whose type nobody here knows: an encoded VariantTensorDataProto, copied and kept as it is. */
struct variant *variant_opaque(const void *bytes, size_t n);
/* Its bytes, borrowed; false: v is of another kind. */
bool variant_opaque_bytes(const struct variant *v, struct str *bytes);

#endif
