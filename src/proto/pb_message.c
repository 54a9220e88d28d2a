/* SPDX-License-Identifier: Apache-2.0 */
/* Messages made and filled by hand: new ones, growing lists, texts, and the slots that the reader,
 * the writer and reflection go through. Lists double, in the arena. */
#include "proto/pb_wire.h"

const struct pb_type_info pb_types[NUM_PB_TYPES] = {
    [PB_TYPE_DOUBLE] = {WIRE_FIXED64, 8},
    [PB_TYPE_FLOAT] = {WIRE_FIXED32, 4},
    [PB_TYPE_INT64] = {WIRE_VARINT, 8},
    [PB_TYPE_UINT64] = {WIRE_VARINT, 8},
    [PB_TYPE_INT32] = {WIRE_VARINT, 4},
    [PB_TYPE_FIXED64] = {WIRE_FIXED64, 8},
    [PB_TYPE_FIXED32] = {WIRE_FIXED32, 4},
    [PB_TYPE_BOOL] = {WIRE_VARINT, sizeof(bool)},
    [PB_TYPE_STRING] = {WIRE_BYTES, sizeof(struct str)},
    [PB_TYPE_MESSAGE] = {WIRE_BYTES, sizeof(void *)},
    [PB_TYPE_BYTES] = {WIRE_BYTES, sizeof(struct str)},
    [PB_TYPE_UINT32] = {WIRE_VARINT, 4},
    [PB_TYPE_ENUM] = {WIRE_VARINT, 4},
    [PB_TYPE_SFIXED32] = {WIRE_FIXED32, 4},
    [PB_TYPE_SFIXED64] = {WIRE_FIXED64, 8},
    [PB_TYPE_SINT32] = {WIRE_VARINT, 4},
    [PB_TYPE_SINT64] = {WIRE_VARINT, 8},
};

void *pb_new(struct arena *a, const struct pb_desc *d)
{
    struct pb_base *m = arena_alloc(a, d->struct_bytes);
    m->desc = d;
    return m;
}

uint64_t pb_load(int type, const void *slot)
{
    uint64_t v64 = 0;
    uint32_t v32 = 0;
    switch (type) {
    case PB_TYPE_BOOL:
        return *(const bool *)slot;
    case PB_TYPE_FLOAT:
    case PB_TYPE_FIXED32:
    case PB_TYPE_SFIXED32:
    case PB_TYPE_UINT32:
        memcpy(&v32, slot, sizeof v32);
        return v32;
    case PB_TYPE_INT32:
    case PB_TYPE_ENUM:
        memcpy(&v32, slot, sizeof v32);
        return (uint64_t)(int64_t)(int32_t)v32;
    case PB_TYPE_SINT32: /* zigzag: the sign goes into the lowest bit */
        memcpy(&v32, slot, sizeof v32);
        return (v32 << 1) ^ (v32 >> 31 ? UINT32_MAX : 0);
    case PB_TYPE_SINT64:
        memcpy(&v64, slot, sizeof v64);
        return (v64 << 1) ^ (v64 >> 63 ? UINT64_MAX : 0);
    default:
        memcpy(&v64, slot, sizeof v64);
        return v64;
    }
}

void pb_store(int type, void *slot, uint64_t bits)
{
    if (type == PB_TYPE_SINT32)
        bits = ((uint32_t)bits >> 1) ^ (bits & 1 ? UINT32_MAX : 0);
    else if (type == PB_TYPE_SINT64)
        bits = (bits >> 1) ^ (bits & 1 ? UINT64_MAX : 0);
    uint32_t low = (uint32_t)bits;
    if (type == PB_TYPE_BOOL)
        *(bool *)slot = bits != 0;
    else if (pb_types[type].bytes == 4)
        memcpy(slot, &low, sizeof low);
    else
        memcpy(slot, &bits, sizeof bits);
}

bool pb_present(const void *msg, const struct pb_field *f)
{
    const struct pb_desc *d = ((const struct pb_base *)msg)->desc;
    if (d->is_map_entry)
        return true;
    if (f->oneof >= 0)
        return *pb_which_slot(msg, &d->oneofs[f->oneof]) == (int)f->number;
    if (f->type == PB_TYPE_MESSAGE)
        return pb_sub(msg, f) != NULL;
    if (!pb_is_number(f->type))
        return ((const struct str *)pb_slot(msg, f))->n > 0;
    return pb_load(f->type, pb_slot(msg, f)) != 0;
}

void pb_select(void *msg, const struct pb_field *f)
{
    if (f->oneof < 0)
        return;
    const struct pb_desc *d = ((struct pb_base *)msg)->desc;
    int *which = pb_which_slot(msg, &d->oneofs[f->oneof]);
    if (*which == (int)f->number)
        return;
    const struct pb_field *old = *which > 0 ? pb_find_number(d, (uint32_t)*which) : NULL;
    if (old)
        memset(pb_slot(msg, old), 0, pb_types[old->type].bytes);
    *which = (int)f->number;
}

void *pb_list_room(struct arena *a, void *list, size_t elem_bytes, int64_t more)
{
    struct pb_any_list *l = list;
    if (l->cap - l->n < more) {
        int64_t cap = max_i64(max_i64(l->n + more, l->n * 2), 2);
        char *v = arena_alloc(a, (size_t)cap * elem_bytes);
        if (l->n > 0)
            memcpy(v, l->v, (size_t)l->n * elem_bytes);
        l->v = v;
        l->cap = cap;
    }
    return l->v + (size_t)l->n * elem_bytes;
}

void *pb_add_msg(struct arena *a, void *list, const struct pb_desc *d)
{
    struct pb_any_list *l = list;
    pb_any_ptr *slot = pb_list_room(a, list, sizeof(void *), 1);
    void *m = pb_new(a, d);
    *slot = m;
    l->n++;
    return m;
}

struct str pb_str_dup(struct arena *a, struct str s)
{
    return s.n == 0 ? str_make(NULL, 0) : str_make(arena_memdup(a, s.p, s.n), s.n);
}

void pb_set_str(struct arena *a, struct str *field, const char *text)
{
    *field = pb_str_dup(a, str_of(text));
}

void pb_add_str(struct arena *a, struct pb_strs *list, struct str s)
{
    *(struct str *)pb_list_room(a, list, sizeof s, 1) = pb_str_dup(a, s);
    list->n++;
}

#define ADD(name, list_type, type)                                                                 \
    void pb_add_##name(struct arena *a, struct list_type *list, type v)                            \
    {                                                                                              \
        *(type *)pb_list_room(a, list, sizeof v, 1) = v;                                           \
        list->n++;                                                                                 \
    }
ADD(i32, pb_i32s, int32_t)
ADD(i64, pb_i64s, int64_t)
ADD(u32, pb_u32s, uint32_t)
ADD(u64, pb_u64s, uint64_t)
ADD(f32, pb_f32s, float)
ADD(f64, pb_f64s, double)
ADD(bool, pb_bools, bool)
#undef ADD

void pb_unknown_add(struct arena *a, struct pb_base *m, const void *p, size_t n)
{
    if (!m->unknown)
        m->unknown = arena_new(a, struct pb_unknown);
    struct pb_unknown *u = m->unknown;
    if (u->cap - u->n < n) {
        size_t cap = u->n * 2 > u->n + n ? u->n * 2 : u->n + n;
        char *grown = arena_alloc(a, cap);
        if (u->n > 0)
            memcpy(grown, u->p, u->n);
        u->p = grown;
        u->cap = cap;
    }
    memcpy(u->p + u->n, p, n);
    u->n += n;
}

/* The bytes that a UTF-8 sequence has beyond its first; -1 where none begins with c. */
static int continuation_bytes(unsigned char c)
{
    if (c < 0x80)
        return 0;
    if (c < 0xC2)
        return -1;
    return c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
}

bool pb_utf8_valid(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + n;
    while (p < end) {
        uint64_t eight;
        if (end - p >= 8 && (memcpy(&eight, p, 8), (eight & 0x8080808080808080u) == 0)) {
            p += 8;
            continue;
        }
        int more = continuation_bytes(*p);
        if (more < 0 || end - p <= more)
            return false;
        for (int i = 1; i <= more; i++)
            if ((p[i] & 0xC0) != 0x80)
                return false;
        /* Too long a form, a surrogate half, or beyond U+10FFFF. */
        if ((*p == 0xE0 && p[1] < 0xA0) || (*p == 0xED && p[1] > 0x9F) ||
            (*p == 0xF0 && p[1] < 0x90) || (*p == 0xF4 && p[1] > 0x8F))
            return false;
        p += more + 1;
    }
    return true;
}
