/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's protocol messages without protobuf: every type by name ("tensorflow.GraphDef"), its
 * fields as a table, and messages read from and written to the binary and the text form.
 *
 * For what binds messages to another language. Types, fields, enums and their texts belong to the
 * library and live as long as the process. A message belongs to whoever made it, with all messages
 * inside it; it may be read by many threads and changed by one. Fields are told by their index in
 * the type (0 .. leat_message_num_fields - 1, by rising number). Fields that a type does not know
 * are kept and written again. Errors in bytes and text from outside come back in a status. */
#ifndef LEAT_MESSAGE_H
#define LEAT_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LEAT_EXPORT
#define LEAT_EXPORT __attribute__((visibility("default")))
#endif

struct leat_message_type; /* a type */
struct leat_message_enum;
struct leat_message; /* an outermost message: owns its memory */
struct leat_part;    /* a message, outermost or inside one: borrowed from the outermost */

enum leat_message_label { LEAT_MESSAGE_SINGULAR, LEAT_MESSAGE_REPEATED, LEAT_MESSAGE_MAP };

struct leat_message_field {
    const char *name;
    int number;
    int type;          /* FieldDescriptorProto.Type: 1 double ... 18 sint64; 11 for maps too */
    int label;         /* enum leat_message_label */
    const char *oneof; /* the oneof that it is in, or NULL */
    const struct leat_message_type *message; /* of fields of type 11; a map's: that of its entries,
                                                whose fields are key and value */
    const struct leat_message_enum *enumeration; /* of fields of type 14 */
};

struct leat_message_text {
    const char *p; /* not NUL-terminated */
    size_t n;
};
/* The value of a field, or one element of it. Defaults are 0, "" and no message. */
union leat_message_value {
    int64_t i;  /* int32, int64, sint, sfixed, enum, bool */
    uint64_t u; /* uint32, uint64, fixed */
    double d;   /* double, float */
    struct leat_message_text s;
    struct leat_part *m; /* a message; of a map, an entry */
};

/* Types, sorted by name; map entries are among them. */
LEAT_EXPORT int leat_message_num_types(void);
LEAT_EXPORT const struct leat_message_type *leat_message_type_at(int index); /* NULL: none */
LEAT_EXPORT const struct leat_message_type *leat_message_type_named(const char *full_name);
LEAT_EXPORT const char *leat_message_type_name(const struct leat_message_type *type);
/* Its place in the list, for tables of the caller's own. */
LEAT_EXPORT int leat_message_type_index(const struct leat_message_type *type);
LEAT_EXPORT int leat_message_is_map_entry(const struct leat_message_type *type);
LEAT_EXPORT int leat_message_num_fields(const struct leat_message_type *type);
/* Fills *out: 1, or 0 when there is no field of that index. */
LEAT_EXPORT int leat_message_field_at(const struct leat_message_type *type, int index,
                                      struct leat_message_field *out);
/* The index, or -1. */
LEAT_EXPORT int leat_message_field_named(const struct leat_message_type *type, const char *name);

/* Enums, sorted by name. */
LEAT_EXPORT int leat_message_num_enums(void);
/* NULL: there is none of that index. */
LEAT_EXPORT const struct leat_message_enum *leat_message_enum_at(int index);
/* NULL: there is none of that name. */
LEAT_EXPORT const struct leat_message_enum *leat_message_enum_named(const char *full_name);
/* "tensorflow.DataType" */
LEAT_EXPORT const char *leat_message_enum_name(const struct leat_message_enum *e);
/* How many values it has. */
LEAT_EXPORT int leat_message_enum_size(const struct leat_message_enum *e);
/* The values as declared: 1, or 0 when there is none of that index. */
LEAT_EXPORT int leat_message_enum_value(const struct leat_message_enum *e, int index,
                                        const char **name, int *number);

/* An empty message. Never NULL for a type. */
LEAT_EXPORT struct leat_message *leat_message_new(const struct leat_message_type *type);
/* A new message from its bytes, or from its text. NULL with TF_INVALID_ARGUMENT for bytes (a text,
 * at line:column) that are no such message, TF_RESOURCE_EXHAUSTED for those that ask for memory out
 * of proportion. With borrow, texts and bytes stay where they are in the input, which must outlive
 * the message. */
LEAT_EXPORT struct leat_message *leat_message_decode(const struct leat_message_type *type,
                                                     const void *bytes, size_t n, int borrow,
                                                     TF_Status *status);
LEAT_EXPORT struct leat_message *leat_message_parse(const struct leat_message_type *type,
                                                    const char *text, size_t n, TF_Status *status);
LEAT_EXPORT void leat_message_delete(struct leat_message *message); /* NULL is allowed */
LEAT_EXPORT struct leat_part *leat_message_root(struct leat_message *message);
/* A new buffer with the encoded message; map entries by rising key when sorted is not 0. NULL
 * with TF_INVALID_ARGUMENT: it is nested too deeply. */
LEAT_EXPORT TF_Buffer *leat_message_encode(struct leat_message *message, int sorted,
                                           TF_Status *status);
/* The text form, with a NUL, as protobuf's text_format writes it or, with as_str not 0, as str() of
 * a message in Python does: floats have all digits of a double, and keys and values of maps are
 * there also when they are the default. Freed with leat_free (leat/scope.h). */
LEAT_EXPORT char *leat_message_print(struct leat_message *message, int as_str, size_t *n,
                                     TF_Status *status);

/* The type of a message that is there. */
LEAT_EXPORT const struct leat_message_type *leat_part_type(const struct leat_part *part);
/* Elements of a repeated or map field; for another 1 when it is there, else 0. 0 for a field that
 * there is not. */
LEAT_EXPORT int64_t leat_part_count(const struct leat_part *part, int field);
/* Element `at` (0 for singular fields) into *out: 1, or 0 when there is none; texts are borrowed
 * from the message. A singular field that is not there gives its default, and 0. */
LEAT_EXPORT int leat_part_get(const struct leat_part *part, int field, int64_t at,
                              union leat_message_value *out);
/* Sets a singular field or appends to a repeated one that holds no messages: 1, or 0 for another.
 * Numbers are cut to the field's width. Texts are copied when copy is not 0; else they must outlive
 * the message. `message` is the one that part is in. */
LEAT_EXPORT int leat_part_put(struct leat_message *message, struct leat_part *part, int field,
                              union leat_message_value value, int copy);
/* The message in a singular field, made when absent; of a repeated or map field a new last element.
 * NULL for a field without messages. */
LEAT_EXPORT struct leat_part *leat_part_add(struct leat_message *message, struct leat_part *part,
                                            int field);
/* The fields not known to the type, as encoded; empty when there are none. */
LEAT_EXPORT struct leat_message_text leat_part_unknown(const struct leat_part *part);
/* Merges n encoded bytes into the part: 1, or 0 with TF_INVALID_ARGUMENT or TF_RESOURCE_EXHAUSTED,
 * as decoding does. */
LEAT_EXPORT int leat_part_merge(struct leat_message *message, struct leat_part *part,
                                const void *bytes, size_t n, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
