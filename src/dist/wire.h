/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with tensors in them, written and read without copies of the tensors' bytes.
 *
 * Writing: the small part of a message is encoded by the codec as ever; fields that hold tensors
 * are then appended by the functions below (the order of fields is free). Numbers lie in the
 * message as slices of the tensor's own buffer; strings and other managed types are encoded.
 * Variants that only Leat knows cannot be sent (UNIMPLEMENTED).
 *
 * Reading: wire_read walks over the pieces of a message once. Fields that hold tensors go to the
 * callback, their bytes copied once, from the network's pieces into the tensor's new buffer; all
 * other fields are gathered in one array for the codec. Nothing in the bytes is trusted. */
#ifndef LEAT_DIST_WIRE_H
#define LEAT_DIST_WIRE_H

#include "dist/rpc.h"
#include "proto/leat_proto.h"

/* Encodes a message of the codec into one piece. */
MUST_CHECK bool wire_put(struct rpc_msg *m, const void *message, struct status *st);
/* Field `number` of type TensorProto; of type NamedTensorProto. */
MUST_CHECK bool wire_put_tensor(struct rpc_msg *m, uint32_t number, const struct tensor *t,
                                struct status *st);
MUST_CHECK bool wire_put_named_tensor(struct rpc_msg *m, uint32_t number, const char *name,
                                      const struct tensor *t, struct status *st);
/* At least the bytes that wire_put_tensor would add, by a few: to keep below RPC_MAX_MESSAGE. */
size_t wire_tensor_bytes(const struct tensor *t);

/* Where the tensors of a message are: field `number`, of type NamedTensorProto or TensorProto. */
struct wire_tensors {
    uint32_t number;
    bool named;
};
struct wire_value {
    struct str name; /* "" where not named; in the arena */
    struct tensor value;
};
struct wire_values {
    struct wire_value *v; /* owned: wire_values_clear */
    int64_t n, cap;
};
void wire_values_clear(struct wire_values *v);
/* Reads m as a message of kind desc, to whose pointer (struct pb_x **) out points; it lies in the
 * arena. Its tensors go into *values (empty before) in the order in which they came. where NULL:
 * it has none. INVALID_ARGUMENT where the bytes are no such message, RESOURCE_EXHAUSTED where its
 * tensors together would take more than RPC_HARD_MAX; nothing is left in *values then. */
MUST_CHECK bool wire_read(const struct rpc_msg *m, const struct pb_desc *desc,
                          const struct wire_tensors *where, struct arena *a, void *out,
                          struct wire_values *values, struct status *st);

#endif
