/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as bytes of a TensorProto, for this family. */
#ifndef LEAT_OPS_PARSING_TENSOR_BYTES_H
#define LEAT_OPS_PARSING_TENSOR_BYTES_H

#include "base/arena.h"
#include "op/tensor_proto.h"

/* Sets a string element to the bytes of a message. */
MUST_CHECK static inline bool message_to_element(const struct pb_tensor_proto *p, struct tstr *to,
                                                 struct status *st)
{
    struct strbuf bytes = {0};
    bool ok = pb_encode(p, &bytes, st);
    if (ok && !tstr_set(to, strbuf_text(&bytes), bytes.n))
        ok = status_exhausted(st, "no memory for %zu bytes", bytes.n);
    strbuf_release(&bytes);
    return ok;
}

/* Raw bytes for plain types, lists for strings, handles and variants: as TensorFlow writes them. */
MUST_CHECK static inline bool tensor_to_bytes(const struct tensor *t, struct tstr *to,
                                              struct status *st)
{
    struct arena a = {0};
    bool ok = message_to_element(tensor_to_proto_raw(&a, t), to, st);
    arena_release(&a);
    return ok;
}

static inline void varint_put(struct strbuf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_putc(out, (char)(v | 0x80));
    strbuf_putc(out, (char)v);
}

/* The same with strings raw too: all lengths, then all bytes. */
MUST_CHECK static inline bool tensor_to_bytes_raw(const struct tensor *t, struct tstr *to,
                                                  struct status *st)
{
    if (t->dtype != DT_STRING)
        return tensor_to_bytes(t, to, st);
    struct arena a = {0};
    struct strbuf content = {0};
    struct pb_tensor_proto *p = pb_tensor_proto_new(&a);
    p->dtype = t->dtype;
    p->tensor_shape = shape_to_proto(&a, &t->shape);
    for (int64_t i = 0; i < t->num_elems; i++)
        varint_put(&content, tstr_len(&tensor_str(t)[i]));
    for (int64_t i = 0; i < t->num_elems; i++)
        strbuf_add(&content, tstr_data(&tensor_str(t)[i]), tstr_len(&tensor_str(t)[i]));
    p->tensor_content = str_make(content.p, content.n);
    bool ok = message_to_element(p, to, st);
    strbuf_release(&content);
    arena_release(&a);
    return ok;
}

enum bytes_result { BYTES_OK, BYTES_NO_MESSAGE, BYTES_NO_TENSOR };

/* st says why in the other cases. */
static inline enum bytes_result tensor_from_bytes(struct str bytes, struct tensor *out,
                                                  struct status *st)
{
    struct arena a = {0};
    struct pb_tensor_proto *p;
    enum bytes_result r = BYTES_NO_MESSAGE;
    if (pb_tensor_proto_decode(&a, bytes.p, bytes.n, PB_BORROW, &p, st))
        r = tensor_from_proto(p, out, st) ? BYTES_OK : BYTES_NO_TENSOR;
    arena_release(&a);
    return r;
}

#endif
