/* SPDX-License-Identifier: Apache-2.0 */
/* Messages written: the codec's part in one piece, tensors as slices of their own buffers.
 *
 * A tensor's numbers are its tensor_content. What is small is copied, since a slice of its own
 * costs more than that. */
#include "dist/wire.h"
#include "op/tensor_proto.h"

enum { COPY_BYTES = 4096, MAX_VARINT = 10 };

/* TensorProto's fields, as tags of bytes or numbers. */
enum { TAG_DTYPE = 1 << 3, TAG_SHAPE = 2 << 3 | 2, TAG_CONTENT = 4 << 3 | 2 };
enum { TAG_DIM = 2 << 3 | 2, TAG_DIM_SIZE = 1 << 3 };
enum { TAG_NAMED_NAME = 1 << 3 | 2, TAG_NAMED_TENSOR = 2 << 3 | 2 };

static size_t varint_bytes(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

static void put_varint(struct strbuf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_putc(b, (char)(v | 0x80));
    strbuf_putc(b, (char)v);
}

static void put_length(struct strbuf *b, uint64_t tag, uint64_t n)
{
    put_varint(b, tag);
    put_varint(b, n);
}

bool wire_put(struct rpc_msg *m, const void *message, struct status *st)
{
    struct strbuf b = {0};
    bool ok = pb_encode(message, &b, st);
    if (ok)
        rpc_msg_add_strbuf(m, &b);
    strbuf_release(&b);
    return ok;
}

/* --- a tensor of numbers --- */

static size_t dim_bytes(int64_t dim)
{
    return dim == 0 ? 0 : 1 + varint_bytes((uint64_t)dim);
}

static size_t shape_bytes(const struct tensor *t)
{
    size_t n = 0;
    for (int i = 0; i < tensor_rank(t); i++)
        n += 2 + dim_bytes(tensor_dim(t, i));
    return n;
}

/* All of the TensorProto but the content's bytes. */
static void put_head(struct strbuf *b, const struct tensor *t)
{
    put_varint(b, TAG_DTYPE);
    put_varint(b, (uint64_t)t->dtype);
    put_length(b, TAG_SHAPE, shape_bytes(t));
    for (int i = 0; i < tensor_rank(t); i++) {
        put_length(b, TAG_DIM, dim_bytes(tensor_dim(t, i)));
        if (tensor_dim(t, i) != 0) {
            put_varint(b, TAG_DIM_SIZE);
            put_varint(b, (uint64_t)tensor_dim(t, i));
        }
    }
    if (tensor_bytes(t) > 0)
        put_length(b, TAG_CONTENT, tensor_bytes(t));
}

static size_t head_bytes(const struct tensor *t)
{
    size_t shape = shape_bytes(t), content = tensor_bytes(t);
    return 1 + varint_bytes((uint64_t)t->dtype) + 1 + varint_bytes(shape) + shape +
           (content > 0 ? 1 + varint_bytes(content) : 0);
}

/* --- tensors of anything --- */

static bool variants_can_be_sent(const struct tensor *t, struct status *st)
{
    struct variant *const *v = t->data;
    struct str bytes;
    for (int64_t i = 0; t->dtype == DT_VARIANT && i < t->num_elems; i++)
        if (v[i] && !variant_opaque_bytes(v[i], &bytes))
            return status_unimplemented(st, "A variant of type %s cannot be sent to another task",
                                        v[i]->type->name);
    return true;
}

static bool put_managed(struct strbuf *body, const struct tensor *t, struct status *st)
{
    struct arena a = {0};
    bool ok = variants_can_be_sent(t, st) && pb_encode(tensor_to_proto_raw(&a, t), body, st);
    arena_release(&a);
    return ok;
}

/* What stands before a TensorProto of n bytes: its field, or that of the message which names it. */
static void put_front(struct strbuf *b, uint32_t number, const char *name, size_t n)
{
    if (name) {
        size_t name_bytes = strlen(name);
        put_length(b, (uint64_t)number << 3 | 2,
                   1 + varint_bytes(name_bytes) + name_bytes + 1 + varint_bytes(n) + n);
        put_length(b, TAG_NAMED_NAME, name_bytes);
        strbuf_add(b, name, name_bytes);
        put_length(b, TAG_NAMED_TENSOR, n);
    } else {
        put_length(b, (uint64_t)number << 3 | 2, n);
    }
}

static bool put_tensor(struct rpc_msg *m, uint32_t number, const char *name, const struct tensor *t,
                       struct status *st)
{
    struct strbuf front = {0}, body = {0};
    if (dtype_is_managed(t->dtype)) {
        bool ok = put_managed(&body, t, st);
        if (ok) {
            put_front(&front, number, name, body.n);
            rpc_msg_add_strbuf(m, &front);
            rpc_msg_add_strbuf(m, &body);
        }
        strbuf_release(&body);
        return ok;
    }
    const size_t bytes = tensor_bytes(t);
    put_front(&front, number, name, head_bytes(t) + bytes);
    put_head(&front, t);
    if (bytes <= COPY_BYTES)
        strbuf_add(&front, t->data, bytes);
    rpc_msg_add_strbuf(m, &front);
    if (bytes > COPY_BYTES)
        rpc_msg_add_buffer(m, t->buf, t->data, bytes);
    return true;
}

bool wire_put_tensor(struct rpc_msg *m, uint32_t number, const struct tensor *t, struct status *st)
{
    return put_tensor(m, number, NULL, t, st);
}

bool wire_put_named_tensor(struct rpc_msg *m, uint32_t number, const char *name,
                           const struct tensor *t, struct status *st)
{
    return put_tensor(m, number, name ? name : "", t, st);
}

size_t wire_tensor_bytes(const struct tensor *t)
{
    size_t n = head_bytes(t);
    if (!dtype_is_managed(t->dtype)) {
        n += tensor_bytes(t);
    } else if (t->dtype == DT_STRING) {
        for (int64_t i = 0; i < t->num_elems; i++) {
            size_t len = tstr_len(&tensor_str(t)[i]);
            n += 1 + varint_bytes(len) + len;
        }
    } else {
        struct arena a = {0};
        int64_t encoded = pb_encoded_size(tensor_to_proto_raw(&a, t));
        n = encoded < 0 ? 0 : (size_t)encoded;
        arena_release(&a);
    }
    return 1 + MAX_VARINT + n; /* the field's tag and length, at most */
}
