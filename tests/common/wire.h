/* SPDX-License-Identifier: Apache-2.0 */
/* The protobuf wire format, read field by field out of borrowed bytes, and written again with
 * fields left out. Only what the replayers need; the library's own codec is among what they judge.
 * Never reads beyond the bytes. */
#ifndef LEAT_TESTS_COMMON_WIRE_H
#define LEAT_TESTS_COMMON_WIRE_H

#include "common/text.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;     /* of the three numeric types */
    struct bytes bytes; /* of WIRE_BYTES */
    struct bytes whole; /* the field with its tag */
};

/* Takes the next field off the front of *rest. False at the end, and, with *rest left not empty, at
 * malformed bytes. */
bool wire_next(struct bytes *rest, struct wire_field *f);

/* The last field with that number; false when there is none. */
bool wire_find(struct bytes message, uint32_t number, struct wire_field *f);
/* As bytes ("" when absent) and as a number (0 when absent). */
struct bytes wire_get_bytes(struct bytes message, uint32_t number);
uint64_t wire_get_number(struct bytes message, uint32_t number);

/* Takes one value of a repeated number off *packed, whose elements are of that type. */
bool wire_next_packed(struct bytes *packed, enum wire_type type, uint64_t *value);

/* Appends a varint, and a WIRE_BYTES field. */
void wire_put_varint(struct text *out, uint64_t value);
void wire_put_bytes(struct text *out, uint32_t number, struct bytes value);

#endif
