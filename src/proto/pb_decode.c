/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the binary form. Trusts nothing: each length is held against what is left, nesting against
 * PB_MAX_DEPTH, memory against a multiple of the input. Workload: graphs of 100,000 nodes, and
 * messages of gigabytes in a few bytes fields, which are never copied one by one: without PB_BORROW
 * the whole input is copied once.
 *
 * Invariant: maps may hold a key twice until finish_maps, which makes a pass over all of them at
 * the end, because a message may come in many pieces. */
#include "base/mem.h"
#include "proto/pb_wire.h"

#include <stdlib.h>

struct map_ref {
    struct pb_any_list *list;
    const struct pb_desc *entry;
};

struct decoder {
    struct arena *arena;
    struct status *st;
    const uint8_t *start; /* of the input, for offsets in messages */
    size_t arena_limit;
    bool merging; /* into a message that had content */
    struct map_ref *maps;
    int64_t num_maps, cap_maps;
};

struct input {
    const uint8_t *p, *end;
};

static size_t left(const struct input *in)
{
    return (size_t)(in->end - in->p);
}

static bool bad_input(struct decoder *d, const struct input *in, const struct pb_desc *desc,
                      const char *what)
{
    return status_invalid(d->st, "protobuf: %s: %s at byte %lld", desc->full_name, what,
                          (long long)(in->p - d->start));
}

static bool bad_field(struct decoder *d, const struct input *in, const struct pb_desc *desc,
                      const struct pb_field *f, const char *what)
{
    return status_invalid(d->st, "protobuf: %s.%s: %s at byte %lld", desc->full_name, f->name, what,
                          (long long)(in->p - d->start));
}

static bool too_much(struct decoder *d, const struct pb_desc *desc)
{
    if (LIKELY(d->arena->used_bytes <= d->arena_limit))
        return false;
    status_exhausted(d->st, "protobuf: %s: the message takes more than %zu bytes of memory",
                     desc->full_name, d->arena_limit);
    return true;
}

static inline bool read_varint(struct input *in, uint64_t *v)
{
    if (LIKELY(in->p < in->end && *in->p < 0x80)) {
        *v = *in->p++;
        return true;
    }
    uint64_t bits = 0;
    const uint8_t *p = in->p;
    for (int shift = 0; shift < 7 * MAX_VARINT_BYTES && p < in->end; shift += 7) {
        uint64_t byte = *p++;
        bits |= (byte & 0x7F) << shift;
        if (byte < 0x80) {
            *v = bits;
            in->p = p;
            return true;
        }
    }
    return false;
}

/* A length and that many bytes, as an input of their own. */
static bool read_bytes(struct input *in, struct input *out)
{
    struct input at = *in;
    uint64_t n;
    if (!read_varint(&at, &n) || n > left(&at))
        return false;
    *out = (struct input){at.p, at.p + n};
    in->p = at.p + n;
    return true;
}

static bool read_number(struct input *in, int wire, uint64_t *bits)
{
    if (wire == WIRE_VARINT)
        return read_varint(in, bits);
    size_t n = wire == WIRE_FIXED64 ? 8 : 4;
    if (left(in) < n)
        return false;
    *bits = 0;
    memcpy(bits, in->p, n);
    in->p += n;
    return true;
}

static bool read_tag(struct input *in, uint32_t *number, int *wire)
{
    uint64_t tag;
    struct input at = *in;
    if (!read_varint(&at, &tag) || tag > UINT32_MAX || tag >> 3 == 0)
        return false;
    in->p = at.p;
    *number = (uint32_t)(tag >> 3);
    *wire = (int)(tag & 7);
    return true;
}

/* Steps over the value of a field; a group ends with the end mark of its number. */
static bool skip_value(struct input *in, uint32_t number, int wire, int depth)
{
    struct input piece;
    uint64_t bits;
    if (wire == WIRE_VARINT || wire == WIRE_FIXED64 || wire == WIRE_FIXED32)
        return read_number(in, wire, &bits);
    if (wire == WIRE_BYTES)
        return read_bytes(in, &piece);
    if (wire != WIRE_GROUP || depth >= PB_MAX_DEPTH)
        return false;
    uint32_t inner;
    int inner_wire;
    while (read_tag(in, &inner, &inner_wire)) {
        if (inner_wire == WIRE_END_GROUP)
            return inner == number;
        if (!skip_value(in, inner, inner_wire, depth + 1))
            return false;
    }
    return false;
}

static bool read_packed_varints(struct decoder *d, const struct pb_field *f,
                                struct pb_any_list *list, struct input in)
{
    int64_t count = 0;
    for (const uint8_t *p = in.p; p < in.end; p++)
        count += *p < 0x80;
    if (count == 0)
        return false; /* bytes, and no number that ends */
    size_t bytes = pb_types[f->type].bytes;
    char *slot = pb_list_room(d->arena, list, bytes, count);
    for (int64_t i = 0; i < count; i++, slot += bytes) {
        uint64_t bits;
        if (!read_varint(&in, &bits))
            return false;
        pb_store(f->type, slot, bits);
        list->n++;
    }
    return in.p == in.end;
}

static bool read_packed(struct decoder *d, const struct pb_field *f, struct pb_any_list *list,
                        struct input in)
{
    size_t bytes = pb_types[f->type].bytes;
    if (left(&in) == 0)
        return true;
    if (pb_types[f->type].wire == WIRE_VARINT)
        return read_packed_varints(d, f, list, in);
    if (left(&in) % bytes != 0)
        return false;
    int64_t count = (int64_t)(left(&in) / bytes);
    memcpy(pb_list_room(d->arena, list, bytes, count), in.p, left(&in));
    list->n += count;
    return true;
}

static bool decode_message(struct decoder *d, struct pb_base *m, struct input in, int depth);

static void note_map(struct decoder *d, struct pb_any_list *list, const struct pb_desc *entry)
{
    bool known = d->num_maps > 0 && d->maps[d->num_maps - 1].list == list;
    if (known || (list->n > 0 && !d->merging))
        return;
    d->maps = vec_reserve(d->maps, &d->cap_maps, d->num_maps + 1, sizeof *d->maps);
    d->maps[d->num_maps++] = (struct map_ref){list, entry};
}

static bool decode_sub(struct decoder *d, struct pb_base *m, const struct pb_field *f,
                       struct input *in, int depth)
{
    struct input body;
    if (!read_bytes(in, &body))
        return bad_field(d, in, m->desc, f, "length beyond the end");
    if (depth >= PB_MAX_DEPTH)
        return bad_field(d, in, m->desc, f, "messages nested more than 100 deep");
    void *sub;
    if (f->label == PB_SINGULAR) {
        sub = pb_mutable(d->arena, m, f);
    } else {
        if (f->label == PB_MAP)
            note_map(d, pb_slot(m, f), f->message);
        sub = pb_add_msg(d->arena, pb_slot(m, f), f->message);
    }
    return decode_message(d, sub, body, depth + 1);
}

static bool decode_text(struct decoder *d, struct pb_base *m, const struct pb_field *f,
                        struct input *in)
{
    struct input body;
    if (!read_bytes(in, &body))
        return bad_field(d, in, m->desc, f, "length beyond the end");
    struct str s = str_make((const char *)body.p, left(&body));
    if (f->type == PB_TYPE_STRING && !pb_utf8_valid(s.p, s.n))
        return bad_field(d, &body, m->desc, f, "a string that is not UTF-8");
    struct pb_any_list *list = pb_slot(m, f);
    struct str *slot;
    if (f->label == PB_SINGULAR) {
        pb_select(m, f);
        slot = pb_slot(m, f);
    } else {
        slot = pb_list_room(d->arena, list, sizeof s, 1);
        list->n++;
    }
    *slot = s;
    return true;
}

static bool decode_number(struct decoder *d, struct pb_base *m, const struct pb_field *f, int wire,
                          struct input *in)
{
    struct pb_any_list *list = pb_slot(m, f);
    if (wire == WIRE_BYTES) {
        struct input body;
        if (!read_bytes(in, &body))
            return bad_field(d, in, m->desc, f, "length beyond the end");
        if (!read_packed(d, f, list, body))
            return bad_field(d, &body, m->desc, f, "broken packed numbers");
        return true;
    }
    uint64_t bits;
    if (!read_number(in, wire, &bits))
        return bad_field(d, in, m->desc, f, "broken number");
    if (f->label == PB_SINGULAR) {
        pb_select(m, f);
        pb_store(f->type, pb_slot(m, f), bits);
    } else {
        pb_store(f->type, pb_list_room(d->arena, list, pb_types[f->type].bytes, 1), bits);
        list->n++;
    }
    return true;
}

static bool wire_fits(const struct pb_field *f, int wire)
{
    return wire == pb_types[f->type].wire ||
           (wire == WIRE_BYTES && f->label == PB_REPEATED && pb_is_number(f->type));
}

/* Fields mostly come in order: the one looked for is the last one or one soon after it. */
static const struct pb_field *find_field(const struct pb_desc *desc, uint32_t number, int *hint)
{
    for (int i = *hint; i < desc->num_fields && i < *hint + 4; i++)
        if (desc->fields[i].number == number) {
            *hint = i;
            return &desc->fields[i];
        }
    const struct pb_field *f = pb_find_number(desc, number);
    if (f)
        *hint = (int)(f - desc->fields);
    return f;
}

static bool decode_message(struct decoder *d, struct pb_base *m, struct input in, int depth)
{
    const struct pb_desc *desc = m->desc;
    int hint = 0;
    while (in.p < in.end) {
        const uint8_t *field_start = in.p;
        uint32_t number;
        int wire;
        if (!read_tag(&in, &number, &wire))
            return bad_input(d, &in, desc, "broken field tag");
        const struct pb_field *f = find_field(desc, number, &hint);
        bool ok;
        if (!f || !wire_fits(f, wire)) {
            if (!skip_value(&in, number, wire, depth))
                return bad_input(d, &in, desc, "broken unknown field");
            pb_unknown_add(d->arena, m, field_start, (size_t)(in.p - field_start));
            ok = true;
        } else if (f->type == PB_TYPE_MESSAGE) {
            ok = decode_sub(d, m, f, &in, depth);
        } else if (!pb_is_number(f->type)) {
            ok = decode_text(d, m, f, &in);
        } else {
            ok = decode_number(d, m, f, wire, &in);
        }
        if (!ok || too_much(d, desc))
            return false;
    }
    return true;
}

static int compare_refs(const void *x, const void *y)
{
    uintptr_t px = (uintptr_t)((const struct map_ref *)x)->list;
    uintptr_t py = (uintptr_t)((const struct map_ref *)y)->list;
    return (px > py) - (px < py);
}

static void finish_maps(struct decoder *d)
{
    if (d->merging && d->num_maps > 1)
        qsort(d->maps, (size_t)d->num_maps, sizeof *d->maps, compare_refs);
    for (int64_t i = 0; i < d->num_maps; i++)
        if (i == 0 || d->maps[i].list != d->maps[i - 1].list)
            pb_map_finish(d->arena, d->maps[i].list, d->maps[i].entry);
    mem_free(d->maps);
}

static bool decode_into(struct arena *a, struct pb_base *m, const void *bytes, size_t n,
                        unsigned flags, bool merging, struct status *st)
{
    if (n > 0 && !bytes)
        return status_invalid(st, "protobuf: %s: NULL in place of %zu bytes", m->desc->full_name,
                              n);
    if (n > INT64_MAX)
        return status_invalid(st, "protobuf: %s: %zu bytes", m->desc->full_name, n);
    if (n == 0)
        return true;
    const uint8_t *p = flags & PB_BORROW ? bytes : arena_memdup(a, bytes, n);
    struct decoder d = {
        .arena = a, .st = st, .start = p, .arena_limit = pb_arena_limit(a, n), .merging = merging};
    bool ok = decode_message(&d, m, (struct input){p, p + n}, 0);
    finish_maps(&d);
    return ok;
}

bool pb_decode(struct arena *a, const struct pb_desc *desc, const void *bytes, size_t n,
               unsigned flags, void **out, struct status *st)
{
    *out = NULL;
    struct pb_base *m = pb_new(a, desc);
    if (!decode_into(a, m, bytes, n, flags, false, st))
        return false;
    *out = m;
    return true;
}

bool pb_merge_bytes(struct arena *a, void *msg, const void *bytes, size_t n, unsigned flags,
                    struct status *st)
{
    return decode_into(a, msg, bytes, n, flags, true, st);
}
