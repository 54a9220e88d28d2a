/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as bytes of a TensorProto, for this family. */
#ifndef LEAT_OPS_PARSING_TENSOR_BYTES_H
#define LEAT_OPS_PARSING_TENSOR_BYTES_H

#include "base/arena.h"
#include "op/tensor_proto.h"

/* Raw bytes for plain types, lists for strings, handles and variants: as TensorFlow writes them. */
MUST_CHECK static inline bool tensor_to_bytes(const struct tensor *t, struct tstr *to,
                                              struct status *st)
{
    struct arena a = {0};
    struct strbuf bytes = {0};
    bool ok = pb_encode(tensor_to_proto_raw(&a, t), &bytes, st);
    if (ok && !tstr_set(to, strbuf_text(&bytes), bytes.n))
        ok = status_exhausted(st, "no memory for %zu bytes", bytes.n);
    strbuf_release(&bytes);
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
