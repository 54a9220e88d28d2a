/* SPDX-License-Identifier: Apache-2.0 */
/* Example and SequenceExample messages read where they lie, without building anything: entries of
 * their maps, and the lists in them.
 *
 * Messages are those of proto/example.proto. Unknown fields are passed over; of a Feature the first
 * list counts. Nothing here allocates. */
#ifndef LEAT_OPS_PARSING_EXAMPLE_H
#define LEAT_OPS_PARSING_EXAMPLE_H

#include "base/str.h"

/* --- the wire --- */

enum wire_result { WIRE_FIELD, WIRE_END, WIRE_BROKEN };
struct wire_field {
    uint32_t number;
    int type; /* protobuf's wire type: 0 varint, 1 and 5 fixed, 2 bytes */
    uint64_t value;
    struct str bytes; /* of type 1, 2 and 5 */
};
/* The next field of a message, which *rest loses. */
enum wire_result wire_next(struct str *rest, struct wire_field *f);

/* --- maps --- */

/* Goes over entries (key, value) in field 1 of the messages in field `number` of `message`:
 * Example.features and SequenceExample.context are 1, SequenceExample.feature_lists 2. */
struct map_walk {
    struct str message, map;
    uint32_t number;
};
static inline struct map_walk map_walk_of(struct str message, uint32_t number)
{
    return (struct map_walk){.message = message, .number = number};
}
enum wire_result map_walk_next(struct map_walk *w, struct str *key, struct str *value);

/* --- features --- */

enum feature_kind { FEATURE_NONE, FEATURE_BYTES, FEATURE_FLOAT, FEATURE_INT64 };
struct feature {
    enum feature_kind kind;
    struct str list; /* BytesList, FloatList or Int64List */
};
/* False: malformed. */
MUST_CHECK bool feature_of(struct str message, struct feature *f);
/* Its values; -1: malformed. */
int64_t feature_count(const struct feature *f);
/* Writes them to `to`: float, int64_t, or struct tstr (empty before). False: no memory. The list
 * was counted. */
MUST_CHECK bool feature_read(const struct feature *f, void *to);
int feature_dtype(enum feature_kind kind); /* DT_INVALID for none */

#endif
