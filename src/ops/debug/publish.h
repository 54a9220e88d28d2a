/* SPDX-License-Identifier: Apache-2.0 */
/* Showing a watched value at debug URLs. file://FOLDER gets a file as TensorFlow's debugger reads
 * it: FOLDER/_tfdbg_device_DEVICE/NODE_SLOT_OP_MICROSECONDS (commas for the device's slashes), an
 * Event with the tensor. A file is there whole or not at all, not made durable. Any thread. */
#ifndef LEAT_OPS_DEBUG_PUBLISH_H
#define LEAT_OPS_DEBUG_PUBLISH_H

#include "op/kernel.h"

struct watched {
    struct str node; /* of the value that is looked at; borrowed from the attrs */
    int64_t slot;
    struct str device;
    const struct attr_value *urls; /* NULL: none */
    bool gated;                    /* URLs of grpc:// wait to be asked for, which nobody does */
};

/* Of a node's attrs. INVALID_ARGUMENT: a tensor_name that is none. */
MUST_CHECK bool watched_of(const struct attrs *attrs, struct watched *w, struct status *st);
/* All its URLs are shut: nothing is to be computed. */
bool watched_is_shut(const struct watched *w);
/* To every URL. UNAVAILABLE: of no kind known; UNIMPLEMENTED: grpc:// and memcbk://; INTERNAL,
 * listing what went wrong; RESOURCE_EXHAUSTED: more bytes than TFDBG_DISK_BYTES_LIMIT (100 GiB) in
 * this process. */
MUST_CHECK bool watched_publish(const struct watched *w, const char *op, const struct tensor *t,
                                struct status *st);

#endif
