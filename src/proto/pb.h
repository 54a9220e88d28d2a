/* SPDX-License-Identifier: Apache-2.0 */
/* The one protobuf codec: messages as plain C structs, read and written through descriptor tables.
 *
 * The structs, enums and tables are made from the .proto files of this folder at build time by
 * `tools/gen_proto.py OUTDIR file.proto...`, which writes OUTDIR/leat_proto.h and
 * OUTDIR/leat_proto.c; everybody else includes "proto/leat_proto.h". How a message looks in C:
 *
 *   message NodeDef              struct pb_node_def { struct pb_base base; ... }, pb_node_def_desc
 *   nested TensorShapeProto.Dim  struct pb_tensor_shape_proto_dim
 *   int64, bool, float, enum     int64_t, bool, float, int32_t (enum values: PB_DATA_TYPE_DT_FLOAT)
 *   string, bytes                struct str, not NUL-terminated, borrowed from arena or input
 *   Message m                    struct pb_m *m, NULL when absent
 *   repeated string s            struct pb_strs { struct str *v; int64_t n, cap; } (pb_i64s, ...)
 *   repeated Message m           struct pb_m_vec { struct pb_m **v; int64_t n, cap; }, no NULL in
 * v map<K, V> m                  the same, of struct pb_<message>_m_entry { base; key; value; }
 *   oneof kind                   int which_kind (a field number, 0: none) and all of its members
 *
 * A message belongs to its arena and is never freed by itself. It may be read by many threads, and
 * changed by one. After decoding, a map has no key twice and the value of an entry is not NULL.
 * Nothing in bytes or text from outside can crash: nesting, lengths, UTF-8 and the memory that
 * small input asks for are bounded. There is no limit of 2 GiB. Unknown fields are kept and written
 * again after the known ones. Hosts are little-endian (tensor bytes are too). */
#ifndef LEAT_PROTO_PB_H
#define LEAT_PROTO_PB_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

enum { PB_MAX_DEPTH = 100 }; /* messages inside messages, for every reader and writer */

/* Numbers of protobuf's FieldDescriptorProto.Type. */
enum pb_type {
    PB_TYPE_DOUBLE = 1,
    PB_TYPE_FLOAT = 2,
    PB_TYPE_INT64 = 3,
    PB_TYPE_UINT64 = 4,
    PB_TYPE_INT32 = 5,
    PB_TYPE_FIXED64 = 6,
    PB_TYPE_FIXED32 = 7,
    PB_TYPE_BOOL = 8,
    PB_TYPE_STRING = 9,
    PB_TYPE_MESSAGE = 11,
    PB_TYPE_BYTES = 12,
    PB_TYPE_UINT32 = 13,
    PB_TYPE_ENUM = 14,
    PB_TYPE_SFIXED32 = 15,
    PB_TYPE_SFIXED64 = 16,
    PB_TYPE_SINT32 = 17,
    PB_TYPE_SINT64 = 18,
};
enum pb_label { PB_SINGULAR, PB_REPEATED, PB_MAP };

struct pb_enum_value {
    const char *name;
    int32_t number;
};
struct pb_enum {
    const char *full_name; /* "tensorflow.DataType" */
    int num_values;
    const struct pb_enum_value *values; /* as declared; the first is the default */
};
struct pb_field {
    const char *name;
    uint32_t number;
    uint8_t type, label; /* enum pb_type, enum pb_label */
    int16_t oneof;       /* index in the message's oneofs, or -1 */
    uint32_t offset;     /* of the value (or list) in the struct */
    const struct pb_desc *message;
    const struct pb_enum *enumeration;
};
struct pb_oneof {
    const char *name;
    uint32_t offset; /* of the int that holds the number of the set member */
};
struct pb_desc {
    const char *full_name; /* "tensorflow.TensorShapeProto.Dim" */
    const char *package;   /* "tensorflow" */
    uint32_t struct_bytes;
    int num_fields, num_oneofs;
    bool is_map_entry;
    const struct pb_field *fields; /* sorted by number */
    const uint16_t *by_name;       /* indices of fields, sorted by name */
    const struct pb_oneof *oneofs;
};

struct pb_unknown { /* raw fields, tags included, in the order in which they came */
    char *p;
    size_t n, cap;
};
struct pb_base { /* every message begins with it */
    const struct pb_desc *desc;
    struct pb_unknown *unknown; /* NULL: none */
};

/* Lists. v may be an array of the caller's own, with cap 0: it is copied to grow.
 */
#define PB_LIST(name, type)                                                                        \
    struct __attribute__((may_alias)) name {                                                       \
        type *v;                                                                                   \
        int64_t n, cap;                                                                            \
    }
PB_LIST(pb_strs, struct str);
PB_LIST(pb_i32s, int32_t); /* enums too */
PB_LIST(pb_i64s, int64_t);
PB_LIST(pb_u32s, uint32_t);
PB_LIST(pb_u64s, uint64_t);
PB_LIST(pb_f32s, float);
PB_LIST(pb_f64s, double);
PB_LIST(pb_bools, bool);

/* An empty message; cleared, with base set. Never NULL. */
void *pb_new(struct arena *a, const struct pb_desc *d);
/* Appends an empty message to a list of messages of that kind. */
void *pb_add_msg(struct arena *a, void *list, const struct pb_desc *d);
struct str pb_str_dup(struct arena *a, struct str s);
void pb_set_str(struct arena *a, struct str *field, const char *text); /* copies */
void pb_add_str(struct arena *a, struct pb_strs *list, struct str s);  /* copies */
void pb_add_i32(struct arena *a, struct pb_i32s *list, int32_t v);
void pb_add_i64(struct arena *a, struct pb_i64s *list, int64_t v);
void pb_add_u32(struct arena *a, struct pb_u32s *list, uint32_t v);
void pb_add_u64(struct arena *a, struct pb_u64s *list, uint64_t v);
void pb_add_f32(struct arena *a, struct pb_f32s *list, float v);
void pb_add_f64(struct arena *a, struct pb_f64s *list, double v);
void pb_add_bool(struct arena *a, struct pb_bools *list, bool v);
/* Entries of a map with text keys, by a walk: put finds the entry or appends one whose key is a
 * copy; a message value is then an empty message. */
void *pb_map_find(const void *list, struct str key);
void *pb_map_put(struct arena *a, void *list, const struct pb_desc *entry, struct str key);

enum pb_flags {
    PB_BORROW =
        1, /* decode: texts and bytes point into the input, which must outlive the message */
    PB_DETERMINISTIC = 2, /* encode: map entries by rising key; else in the order of the list */
    PB_AS_STR = 4, /* print: as str() of a message in Python, floats with all digits of a double and
                      map entries whole; else as text_format, which leaves defaults out of them */
};

/* Reads n bytes into a new message. INVALID_ARGUMENT, with the message, field and offset, for bytes
 * that are no such message; RESOURCE_EXHAUSTED for those that ask for memory out of proportion. */
MUST_CHECK bool pb_decode(struct arena *a, const struct pb_desc *d, const void *bytes, size_t n,
                          unsigned flags, void **out, struct status *st);
/* Merges into a message that exists (a's): repeated fields grow, singular ones are replaced,
 * messages merge. After an error the message holds what came before it. */
MUST_CHECK bool pb_merge_bytes(struct arena *a, void *msg, const void *bytes, size_t n,
                               unsigned flags, struct status *st);

/* Appends the encoded message; on error out is as before. Fails only for nesting beyond
 * PB_MAX_DEPTH and for memory. */
MUST_CHECK bool pb_encode(const void *msg, struct strbuf *out, struct status *st);
MUST_CHECK bool pb_encode_with(const void *msg, unsigned flags, struct strbuf *out,
                               struct status *st);
/* The encoded message as pieces to be sent one after another: bytes fields of 64 KiB and more stay
 * where they are, the rest is written to the arena. */
MUST_CHECK bool pb_encode_parts(struct arena *a, const void *msg, unsigned flags,
                                struct pb_strs *parts, struct status *st);
int64_t pb_encoded_size(const void *msg); /* -1: nested too deeply */

/* Text form, as protobuf's text_format writes it (unknown fields are left out). */
MUST_CHECK bool pb_text_print(const void *msg, struct strbuf *out, struct status *st);
MUST_CHECK bool pb_text_print_with(const void *msg, unsigned flags, struct strbuf *out,
                                   struct status *st);
/* Reads all of protobuf's text syntax. Errors say line:column. Copies what it keeps. */
MUST_CHECK bool pb_text_parse(struct arena *a, const struct pb_desc *d, const char *text, size_t n,
                              void **out, struct status *st);

/* The same functions with the message's own type, one set per message: pb_graph_def_new,
 * pb_graph_def_add, pb_graph_def_decode, pb_graph_def_parse. */
#define PB_TYPED(name)                                                                             \
    static inline UNUSED struct name *name##_new(struct arena *a)                                  \
    {                                                                                              \
        return pb_new(a, &name##_desc);                                                            \
    }                                                                                              \
    static inline UNUSED struct name *name##_add(struct arena *a, struct name##_vec *list)         \
    {                                                                                              \
        return pb_add_msg(a, list, &name##_desc);                                                  \
    }                                                                                              \
    MUST_CHECK static inline UNUSED bool name##_decode(struct arena *a, const void *bytes,         \
                                                       size_t n, unsigned flags,                   \
                                                       struct name **out, struct status *st)       \
    {                                                                                              \
        void *msg = NULL;                                                                          \
        bool ok = pb_decode(a, &name##_desc, bytes, n, flags, &msg, st);                           \
        *out = msg;                                                                                \
        return ok;                                                                                 \
    }                                                                                              \
    MUST_CHECK static inline UNUSED bool name##_parse(struct arena *a, const char *text, size_t n, \
                                                      struct name **out, struct status *st)        \
    {                                                                                              \
        void *msg = NULL;                                                                          \
        bool ok = pb_text_parse(a, &name##_desc, text, n, &msg, st);                               \
        *out = msg;                                                                                \
        return ok;                                                                                 \
    }

#endif
