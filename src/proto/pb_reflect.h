/* SPDX-License-Identifier: Apache-2.0 */
/* Messages handled without knowing their type: descriptors by name, fields by name and number, and
 * values got and set through them. For what binds messages to another language, and for options
 * given as text. Nothing here checks that a value's type is the field's: the caller asks the
 * descriptor. */
#ifndef LEAT_PROTO_PB_REFLECT_H
#define LEAT_PROTO_PB_REFLECT_H

#include "proto/pb.h"

/* All messages (map entries too) and enums, sorted by full name. */
extern const struct pb_desc *const pb_all_descs[];
extern const int pb_num_descs;
extern const struct pb_enum *const pb_all_enums[];
extern const int pb_num_enums;

/* "tensorflow.NodeDef"; NULL when there is none. */
const struct pb_desc *pb_find_desc(struct str full_name);
const struct pb_enum *pb_find_enum(struct str full_name);
const struct pb_field *pb_find_field(const struct pb_desc *d, struct str name);
const struct pb_field *pb_find_number(const struct pb_desc *d, uint32_t number);
const struct pb_enum_value *pb_enum_by_name(const struct pb_enum *e, struct str name);
const struct pb_enum_value *pb_enum_by_number(const struct pb_enum *e, int32_t number);

/* The value of one field, or one element of a repeated one, by the field's type. */
struct pb_value {
    union {
        int64_t i;  /* int32, int64, sint, sfixed, enum */
        uint64_t u; /* uint32, uint64, fixed */
        double d;   /* double, float */
        bool b;
        struct str s; /* string, bytes */
        void *m;      /* message; NULL: absent */
    };
};
/* Elements of a repeated or map field; for a singular one 1 when it is there (a message that is not
 * NULL, a scalar that is not the default, a set member of a oneof), else 0. */
int64_t pb_count(const void *msg, const struct pb_field *f);
/* index counts elements and is 0 for singular fields; it must be below pb_count for lists. The
 * default where a singular field is absent. */
struct pb_value pb_get(const void *msg, const struct pb_field *f, int64_t index);
/* Numbers outside the field's range are cut to its width. Texts and messages are not copied. A
 * member of a oneof becomes the set one. */
void pb_set(void *msg, const struct pb_field *f, int64_t index, struct pb_value v);
void pb_append(struct arena *a, void *msg, const struct pb_field *f, struct pb_value v);
/* The message in a singular field, made when absent. */
void *pb_mutable(struct arena *a, void *msg, const struct pb_field *f);
void pb_clear_field(void *msg, const struct pb_field *f);
/* The set member of a oneof; NULL: none. */
const struct pb_field *pb_which(const void *msg, const struct pb_oneof *o);

/* A deep copy in arena a, and one message merged into another of its kind, as merging their
 * encodings does; texts are copied too. */
MUST_CHECK bool pb_dup(struct arena *a, const void *msg, void **out, struct status *st);
MUST_CHECK bool pb_merge(struct arena *a, void *dst, const void *src, struct status *st);
/* Equal as protobuf compares: by encoding, maps without order. */
MUST_CHECK bool pb_equal(const void *x, const void *y, bool *equal, struct status *st);

#endif
