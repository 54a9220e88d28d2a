/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the binary form in two walks: one that measures, noting the length of each message and of
 * each packed list in the order in which they are met, and one that writes into exactly that
 * room and takes the lengths in the same order. Nothing is stored in messages, so any number of
 * threads may encode one at once. Sizes are 64-bit. */
#include "base/mem.h"
#include "proto/pb_wire.h"

enum { BY_REFERENCE_BYTES = 64 * 1024 };

struct encoder {
    bool sorted_maps, by_reference;
    int64_t *lengths; /* in the order of the walk */
    int64_t num_lengths, cap_lengths;
    int64_t referenced_bytes; /* bytes fields that are not copied */
    bool too_deep;
    /* second walk */
    int64_t next_length;
    char *p, *end;
    bool overrun; /* the message changed between the walks */
    struct arena *arena;
    struct pb_strs *parts;
    char *part_start;
};

static int64_t varint_bytes(uint64_t v)
{
    int bits = 64 - __builtin_clzll(v | 1);
    return (bits + 6) / 7;
}

static int64_t tag_bytes(const struct pb_field *f)
{
    return varint_bytes((uint64_t)f->number << 3);
}

static bool is_referenced(const struct encoder *e, size_t n)
{
    return e->by_reference && n >= BY_REFERENCE_BYTES;
}

/* The messages of a list in the order in which they are written; *owned is to be freed. */
static pb_any_ptr *in_order(const struct encoder *e, const struct pb_field *f,
                            const struct pb_any_list *list, void ***owned)
{
    *owned = NULL;
    if (f->label == PB_MAP && e->sorted_maps && list->n > 1)
        *owned = pb_map_sorted(list);
    return *owned ? (pb_any_ptr *)*owned : (pb_any_ptr *)(void *)list->v;
}

static int64_t number_bytes(int type, const void *slot)
{
    int wire = pb_types[type].wire;
    if (wire == WIRE_VARINT)
        return varint_bytes(pb_load(type, slot));
    return wire == WIRE_FIXED64 ? 8 : 4;
}

static int64_t packed_bytes(const struct pb_field *f, const struct pb_any_list *list)
{
    int64_t bytes = pb_types[f->type].bytes;
    if (pb_types[f->type].wire != WIRE_VARINT)
        return list->n * bytes;
    int64_t total = 0;
    for (int64_t i = 0; i < list->n; i++)
        total += varint_bytes(pb_load(f->type, list->v + i * bytes));
    return total;
}

static int64_t note_length(struct encoder *e, int64_t length)
{
    e->lengths = vec_reserve(e->lengths, &e->cap_lengths, e->num_lengths + 1, sizeof *e->lengths);
    e->lengths[e->num_lengths] = length;
    return e->num_lengths++;
}

static int64_t measure_message(struct encoder *e, const struct pb_base *m, int depth);

static int64_t measure_text(struct encoder *e, struct str s)
{
    if (is_referenced(e, s.n))
        e->referenced_bytes += (int64_t)s.n;
    return varint_bytes(s.n) + (int64_t)s.n;
}

static int64_t measure_sub(struct encoder *e, const struct pb_base *m, int depth)
{
    int64_t n = m ? measure_message(e, m, depth + 1) : 0;
    return varint_bytes((uint64_t)n) + n;
}

static int64_t measure_list(struct encoder *e, const struct pb_field *f,
                            const struct pb_any_list *list, int depth)
{
    int64_t total = 0;
    if (f->type == PB_TYPE_MESSAGE) {
        void **owned;
        pb_any_ptr *v = in_order(e, f, list, &owned);
        for (int64_t i = 0; i < list->n; i++)
            total += tag_bytes(f) + measure_sub(e, v[i], depth);
        mem_free(owned);
    } else if (!pb_is_number(f->type)) {
        const struct str *v = (const struct str *)(const void *)list->v;
        for (int64_t i = 0; i < list->n; i++)
            total += tag_bytes(f) + measure_text(e, v[i]);
    } else if (list->n > 0) {
        int64_t n = packed_bytes(f, list);
        note_length(e, n);
        total = tag_bytes(f) + varint_bytes((uint64_t)n) + n;
    }
    return total;
}

static int64_t measure_message(struct encoder *e, const struct pb_base *m, int depth)
{
    if (depth > PB_MAX_DEPTH) {
        e->too_deep = true;
        return 0;
    }
    const struct pb_desc *d = m->desc;
    int64_t place = note_length(e, 0), total = 0;
    for (int i = 0; i < d->num_fields && !e->too_deep; i++) {
        const struct pb_field *f = &d->fields[i];
        const void *slot = pb_slot(m, f);
        if (f->label != PB_SINGULAR)
            total += measure_list(e, f, slot, depth);
        else if (!pb_present(m, f))
            continue;
        else if (f->type == PB_TYPE_MESSAGE)
            total += tag_bytes(f) + measure_sub(e, pb_sub(m, f), depth);
        else if (!pb_is_number(f->type))
            total += tag_bytes(f) + measure_text(e, *(const struct str *)slot);
        else
            total += tag_bytes(f) + number_bytes(f->type, slot);
    }
    if (m->unknown)
        total += (int64_t)m->unknown->n;
    e->lengths[place] = total;
    return total;
}

static bool has_room(struct encoder *e, size_t n)
{
    if (UNLIKELY((size_t)(e->end - e->p) < n))
        e->overrun = true;
    return !e->overrun;
}

static void put_bytes(struct encoder *e, const void *p, size_t n)
{
    if (n > 0 && has_room(e, n)) {
        memcpy(e->p, p, n);
        e->p += n;
    }
}

static void put_varint(struct encoder *e, uint64_t v)
{
    if (!has_room(e, (size_t)varint_bytes(v)))
        return;
    for (; v >= 0x80; v >>= 7)
        *e->p++ = (char)(v | 0x80);
    *e->p++ = (char)v;
}

static void put_tag(struct encoder *e, const struct pb_field *f, int wire)
{
    put_varint(e, (uint64_t)f->number << 3 | (unsigned)wire);
}

static void put_number(struct encoder *e, int type, const void *slot)
{
    if (pb_types[type].wire == WIRE_VARINT)
        put_varint(e, pb_load(type, slot));
    else
        put_bytes(e, slot, pb_types[type].bytes);
}

static void put_part(struct encoder *e, const char *p, size_t n)
{
    struct str *slot = pb_list_room(e->arena, e->parts, sizeof *slot, 1);
    *slot = str_make(p, n);
    e->parts->n++;
}

static void end_part(struct encoder *e)
{
    if (e->p > e->part_start)
        put_part(e, e->part_start, (size_t)(e->p - e->part_start));
    e->part_start = e->p;
}

static void put_text(struct encoder *e, struct str s)
{
    put_varint(e, s.n);
    if (!is_referenced(e, s.n)) {
        put_bytes(e, s.p, s.n);
        return;
    }
    end_part(e);
    put_part(e, s.p, s.n);
}

static int64_t take_length(struct encoder *e)
{
    if (e->next_length >= e->num_lengths) {
        e->overrun = true;
        return 0;
    }
    return e->lengths[e->next_length++];
}

static void write_fields(struct encoder *e, const struct pb_base *m);

static void write_sub(struct encoder *e, const struct pb_field *f, const struct pb_base *m)
{
    put_tag(e, f, WIRE_BYTES);
    put_varint(e, m ? (uint64_t)take_length(e) : 0);
    if (m)
        write_fields(e, m);
}

static void write_list(struct encoder *e, const struct pb_field *f, const struct pb_any_list *list)
{
    if (f->type == PB_TYPE_MESSAGE) {
        void **owned;
        pb_any_ptr *v = in_order(e, f, list, &owned);
        for (int64_t i = 0; i < list->n && !e->overrun; i++)
            write_sub(e, f, v[i]);
        mem_free(owned);
    } else if (!pb_is_number(f->type)) {
        const struct str *v = (const struct str *)(const void *)list->v;
        for (int64_t i = 0; i < list->n; i++) {
            put_tag(e, f, WIRE_BYTES);
            put_text(e, v[i]);
        }
    } else if (list->n > 0) {
        int64_t bytes = pb_types[f->type].bytes;
        put_tag(e, f, WIRE_BYTES);
        put_varint(e, (uint64_t)take_length(e));
        if (pb_types[f->type].wire != WIRE_VARINT)
            put_bytes(e, list->v, (size_t)(list->n * bytes));
        else
            for (int64_t i = 0; i < list->n; i++)
                put_number(e, f->type, list->v + i * bytes);
    }
}

/* Its depth is what measure_message found it to be. */
static void write_fields(struct encoder *e, const struct pb_base *m)
{
    const struct pb_desc *d = m->desc;
    for (int i = 0; i < d->num_fields && !e->overrun; i++) {
        const struct pb_field *f = &d->fields[i];
        const void *slot = pb_slot(m, f);
        if (f->label != PB_SINGULAR) {
            write_list(e, f, slot);
        } else if (!pb_present(m, f)) {
            continue;
        } else if (f->type == PB_TYPE_MESSAGE) {
            write_sub(e, f, pb_sub(m, f));
        } else {
            put_tag(e, f, pb_types[f->type].wire);
            if (pb_is_number(f->type))
                put_number(e, f->type, slot);
            else
                put_text(e, *(const struct str *)slot);
        }
    }
    if (m->unknown)
        put_bytes(e, m->unknown->p, m->unknown->n);
}

static bool measure(struct encoder *e, const struct pb_base *m, int64_t *total, struct status *st)
{
    *total = measure_message(e, m, 0);
    if (e->too_deep)
        return status_invalid(st, "protobuf: %s: messages nested more than %d deep",
                              m->desc->full_name, PB_MAX_DEPTH);
    return true;
}

static bool write_message(struct encoder *e, const struct pb_base *m, struct status *st)
{
    (void)take_length(e);
    write_fields(e, m);
    if (e->overrun || e->p != e->end)
        return status_internal(st, "protobuf: %s: the message changed while it was encoded",
                               m->desc->full_name);
    return true;
}

/* Room for n more bytes and a NUL, or RESOURCE_EXHAUSTED. */
static bool reserve(struct strbuf *out, int64_t n, struct status *st)
{
    size_t need;
    if (__builtin_add_overflow(out->n, (size_t)n + 1, &need))
        return status_exhausted(st, "protobuf: a message of %lld bytes", (long long)n);
    if (out->cap >= need)
        return true;
    char *p = mem_try(need, "an encoded message", st);
    if (!p)
        return false;
    if (out->n > 0)
        memcpy(p, out->p, out->n);
    mem_free(out->p);
    out->p = p;
    out->cap = need;
    return true;
}

bool pb_encode_with(const void *msg, unsigned flags, struct strbuf *out, struct status *st)
{
    struct encoder e = {.sorted_maps = flags & PB_DETERMINISTIC};
    int64_t total;
    bool ok = measure(&e, msg, &total, st) && reserve(out, total, st);
    if (ok) {
        e.p = out->p + out->n;
        e.end = e.p + total;
        ok = write_message(&e, msg, st);
        out->n += ok ? (size_t)total : 0;
        out->p[out->n] = '\0';
    }
    mem_free(e.lengths);
    return ok;
}

bool pb_encode(const void *msg, struct strbuf *out, struct status *st)
{
    return pb_encode_with(msg, 0, out, st);
}

bool pb_encode_parts(struct arena *a, const void *msg, unsigned flags, struct pb_strs *parts,
                     struct status *st)
{
    struct encoder e = {
        .sorted_maps = flags & PB_DETERMINISTIC, .by_reference = true, .arena = a, .parts = parts};
    int64_t total;
    bool ok = measure(&e, msg, &total, st);
    if (ok) {
        int64_t copied = total - e.referenced_bytes;
        e.p = e.part_start = arena_alloc(a, (size_t)copied);
        e.end = e.p + copied;
        ok = write_message(&e, msg, st);
        end_part(&e);
    }
    mem_free(e.lengths);
    return ok;
}

int64_t pb_encoded_size(const void *msg)
{
    struct encoder e = {0};
    struct status st = {0};
    int64_t total;
    bool ok = measure(&e, msg, &total, &st);
    mem_free(e.lengths);
    status_clear(&st);
    return ok ? total : -1;
}
