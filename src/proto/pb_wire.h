/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the codec share and nobody else includes: the wire's types, fields of any type
 * as 64 bits, lists of any type, and the guard against input that asks for too much memory. */
#ifndef LEAT_PROTO_PB_WIRE_H
#define LEAT_PROTO_PB_WIRE_H

#include "proto/pb.h"
#include "proto/pb_reflect.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "fixed-width fields are copied as they are");

enum wire {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_GROUP = 3,
    WIRE_END_GROUP = 4,
    WIRE_FIXED32 = 5,
};
enum { NUM_PB_TYPES = 19, MAX_VARINT_BYTES = 10 };

struct pb_type_info {
    uint8_t wire;  /* enum wire */
    uint8_t bytes; /* of the C type */
};
extern const struct pb_type_info pb_types[NUM_PB_TYPES]; /* by enum pb_type */

PB_LIST(pb_any_list, char);
typedef void *__attribute__((may_alias)) pb_any_ptr;

static inline void *pb_slot(const void *msg, const struct pb_field *f)
{
    return (char *)(uintptr_t)msg + f->offset;
}
static inline void *pb_sub(const void *msg, const struct pb_field *f)
{
    return *(pb_any_ptr *)pb_slot(msg, f);
}
static inline int *pb_which_slot(const void *msg, const struct pb_oneof *o)
{
    return (int *)(void *)((char *)(uintptr_t)msg + o->offset);
}
static inline bool pb_is_number(int type) /* not text, not a message */
{
    return pb_types[type].wire != WIRE_BYTES;
}

/* The number in a slot as the wire carries it, and back; bits beyond the type's width are cut. */
uint64_t pb_load(int type, const void *slot);
void pb_store(int type, void *slot, uint64_t bits);

/* Whether a singular field would be written. */
bool pb_present(const void *msg, const struct pb_field *f);
/* Makes f the set member of its oneof, clearing another; nothing for other fields. */
void pb_select(void *msg, const struct pb_field *f);

/* The place of element n, after making room for it; n stays. */
void *pb_list_room(struct arena *a, void *list, size_t elem_bytes, int64_t more);
void pb_unknown_add(struct arena *a, struct pb_base *m, const void *p, size_t n);
bool pb_utf8_valid(const char *p, size_t n);

/* Keeps the last of the entries that have one key, and gives each an own value message. */
void pb_map_finish(struct arena *a, void *list, const struct pb_desc *entry);
/* The entries by rising key, the caller frees (mem_free). */
void **pb_map_sorted(const void *list);

/* The most bytes that input of n bytes may make an arena hold: honest messages need up to some
 * thirty times their encoding, large empty messages in a row a hundred times. */
static inline size_t pb_arena_limit(const struct arena *a, size_t n)
{
    size_t limit = 64u << 20;
    if (__builtin_mul_overflow(n, (size_t)64, &n) || __builtin_add_overflow(limit, n, &limit) ||
        __builtin_add_overflow(limit, a->used_bytes, &limit))
        return SIZE_MAX;
    return limit;
}

/* Shortest text that reads back as the same number, laid out as protobuf's text form has it. */
void pb_put_double(struct strbuf *out, double v);
void pb_put_float(struct strbuf *out, float v);

#endif
