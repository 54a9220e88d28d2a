/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups in the tables, values through descriptors, and whole messages copied, merged and
 * compared. Lookups are binary searches; those of enum values are walks (the longest enum has 50).
 */
#include "proto/pb_reflect.h"

#include "base/mem.h"
#include "proto/pb_wire.h"

static int compare_name(const char *name, struct str s)
{
    size_t n = strlen(name);
    int c = memcmp(name, s.p ? s.p : "", n < s.n ? n : s.n);
    return c != 0 ? c : (n > s.n) - (n < s.n);
}

const struct pb_desc *pb_find_desc(struct str full_name)
{
    int low = 0, high = pb_num_descs;
    while (low < high) {
        int mid = (low + high) / 2;
        int c = compare_name(pb_all_descs[mid]->full_name, full_name);
        if (c == 0)
            return pb_all_descs[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct pb_enum *pb_find_enum(struct str full_name)
{
    for (int i = 0; i < pb_num_enums; i++)
        if (str_is(full_name, pb_all_enums[i]->full_name))
            return pb_all_enums[i];
    return NULL;
}

const struct pb_field *pb_find_field(const struct pb_desc *d, struct str name)
{
    int low = 0, high = d->num_fields;
    while (low < high) {
        int mid = (low + high) / 2;
        const struct pb_field *f = &d->fields[d->by_name[mid]];
        int c = compare_name(f->name, name);
        if (c == 0)
            return f;
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct pb_field *pb_find_number(const struct pb_desc *d, uint32_t number)
{
    int low = 0, high = d->num_fields;
    while (low < high) {
        int mid = (low + high) / 2;
        if (d->fields[mid].number == number)
            return &d->fields[mid];
        if (d->fields[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct pb_enum_value *pb_enum_by_name(const struct pb_enum *e, struct str name)
{
    for (int i = 0; i < e->num_values; i++)
        if (str_is(name, e->values[i].name))
            return &e->values[i];
    return NULL;
}

const struct pb_enum_value *pb_enum_by_number(const struct pb_enum *e, int32_t number)
{
    for (int i = 0; i < e->num_values; i++)
        if (e->values[i].number == number)
            return &e->values[i];
    return NULL;
}

int64_t pb_count(const void *msg, const struct pb_field *f)
{
    if (f->label == PB_SINGULAR)
        return pb_present(msg, f);
    return ((const struct pb_any_list *)pb_slot(msg, f))->n;
}

static char *element(const void *msg, const struct pb_field *f, int64_t index)
{
    char *slot = pb_slot(msg, f);
    if (f->label == PB_SINGULAR)
        return slot;
    return ((struct pb_any_list *)(void *)slot)->v + index * pb_types[f->type].bytes;
}

static struct pb_value load_value(const struct pb_field *f, const void *slot)
{
    struct pb_value v = {.u = 0};
    float f32;
    switch (f->type) {
    case PB_TYPE_MESSAGE:
        v.m = *(const pb_any_ptr *)slot;
        break;
    case PB_TYPE_STRING:
    case PB_TYPE_BYTES:
        v.s = *(const struct str *)slot;
        break;
    case PB_TYPE_FLOAT:
        memcpy(&f32, slot, sizeof f32);
        v.d = (double)f32;
        break;
    case PB_TYPE_DOUBLE:
        memcpy(&v.d, slot, sizeof v.d);
        break;
    case PB_TYPE_BOOL:
        v.b = *(const bool *)slot;
        break;
    case PB_TYPE_SINT32:
    case PB_TYPE_SFIXED32:
        v.i = *(const int32_t *)slot;
        break;
    case PB_TYPE_SINT64:
        v.i = *(const int64_t *)slot;
        break;
    default:
        v.u = pb_load(f->type, slot);
    }
    return v;
}

static void store_value(const struct pb_field *f, void *slot, struct pb_value v)
{
    float f32;
    uint32_t low;
    switch (f->type) {
    case PB_TYPE_MESSAGE:
        *(pb_any_ptr *)slot = v.m;
        break;
    case PB_TYPE_STRING:
    case PB_TYPE_BYTES:
        *(struct str *)slot = v.s;
        break;
    case PB_TYPE_FLOAT:
        f32 = (float)v.d;
        memcpy(slot, &f32, sizeof f32);
        break;
    case PB_TYPE_BOOL:
        *(bool *)slot = v.b;
        break;
    default:
        low = (uint32_t)v.u;
        if (pb_types[f->type].bytes == 4)
            memcpy(slot, &low, sizeof low);
        else
            memcpy(slot, &v.u, sizeof v.u);
    }
}

struct pb_value pb_get(const void *msg, const struct pb_field *f, int64_t index)
{
    return load_value(f, element(msg, f, index));
}

void pb_set(void *msg, const struct pb_field *f, int64_t index, struct pb_value v)
{
    if (f->label == PB_SINGULAR)
        pb_select(msg, f);
    store_value(f, element(msg, f, index), v);
}

void pb_append(struct arena *a, void *msg, const struct pb_field *f, struct pb_value v)
{
    struct pb_any_list *list = pb_slot(msg, f);
    store_value(f, pb_list_room(a, list, pb_types[f->type].bytes, 1), v);
    list->n++;
}

void *pb_mutable(struct arena *a, void *msg, const struct pb_field *f)
{
    pb_select(msg, f);
    pb_any_ptr *slot = pb_slot(msg, f);
    if (!*slot)
        *slot = pb_new(a, f->message);
    return *slot;
}

void pb_clear_field(void *msg, const struct pb_field *f)
{
    if (f->oneof >= 0) {
        const struct pb_desc *d = ((struct pb_base *)msg)->desc;
        int *which = pb_which_slot(msg, &d->oneofs[f->oneof]);
        if (*which == (int)f->number)
            *which = 0;
    }
    size_t n = f->label == PB_SINGULAR ? pb_types[f->type].bytes : sizeof(struct pb_any_list);
    memset(pb_slot(msg, f), 0, n);
}

const struct pb_field *pb_which(const void *msg, const struct pb_oneof *o)
{
    int which = *pb_which_slot(msg, o);
    const struct pb_desc *d = ((const struct pb_base *)msg)->desc;
    return which > 0 ? pb_find_number(d, (uint32_t)which) : NULL;
}

static bool merge_at(struct arena *a, void *dst, const void *src, int depth, struct status *st);

static bool merge_sub(struct arena *a, void *dst, const void *src, int depth, struct status *st)
{
    return src == NULL || merge_at(a, dst, src, depth + 1, st);
}

static bool merge_list(struct arena *a, void *dst, const void *src, const struct pb_field *f,
                       int depth, struct status *st)
{
    const struct pb_any_list from = *(const struct pb_any_list *)pb_slot(src, f);
    struct pb_any_list *to = pb_slot(dst, f);
    if (from.n == 0)
        return true;
    if (pb_is_number(f->type)) {
        size_t bytes = pb_types[f->type].bytes;
        memcpy(pb_list_room(a, to, bytes, from.n), from.v, (size_t)from.n * bytes);
        to->n += from.n;
        return true;
    }
    for (int64_t i = 0; i < from.n; i++) {
        if (f->type != PB_TYPE_MESSAGE) {
            pb_add_str(a, pb_slot(dst, f), ((const struct str *)(const void *)from.v)[i]);
            continue;
        }
        void *m = pb_add_msg(a, to, f->message);
        if (!merge_sub(a, m, ((const pb_any_ptr *)(const void *)from.v)[i], depth, st))
            return false;
    }
    if (f->label == PB_MAP)
        pb_map_finish(a, to, f->message);
    return true;
}

static bool merge_at(struct arena *a, void *dst, const void *src, int depth, struct status *st)
{
    const struct pb_base *from = src;
    if (depth > PB_MAX_DEPTH)
        return status_invalid(st, "protobuf: %s: messages nested more than %d deep",
                              from->desc->full_name, PB_MAX_DEPTH);
    for (int i = 0; i < from->desc->num_fields; i++) {
        const struct pb_field *f = &from->desc->fields[i];
        if (f->label != PB_SINGULAR) {
            if (!merge_list(a, dst, src, f, depth, st))
                return false;
            continue;
        }
        if (!pb_present(src, f))
            continue;
        if (f->type == PB_TYPE_MESSAGE) {
            if (!merge_sub(a, pb_mutable(a, dst, f), pb_sub(src, f), depth, st))
                return false;
            continue;
        }
        pb_select(dst, f);
        if (pb_is_number(f->type))
            memcpy(pb_slot(dst, f), pb_slot(src, f), pb_types[f->type].bytes);
        else
            *(struct str *)pb_slot(dst, f) = pb_str_dup(a, *(struct str *)pb_slot(src, f));
    }
    if (from->unknown && from->unknown->n > 0)
        pb_unknown_add(a, dst, from->unknown->p, from->unknown->n);
    return true;
}

bool pb_merge(struct arena *a, void *dst, const void *src, struct status *st)
{
    const struct pb_desc *to = ((struct pb_base *)dst)->desc;
    const struct pb_desc *from = ((const struct pb_base *)src)->desc;
    if (to != from)
        return status_invalid(st, "protobuf: a %s cannot be merged into a %s", from->full_name,
                              to->full_name);
    if (dst == src)
        return status_invalid(st, "protobuf: a %s cannot be merged into itself", to->full_name);
    return merge_at(a, dst, src, 0, st);
}

bool pb_dup(struct arena *a, const void *msg, void **out, struct status *st)
{
    void *copy = pb_new(a, ((const struct pb_base *)msg)->desc);
    *out = NULL;
    if (!merge_at(a, copy, msg, 0, st))
        return false;
    *out = copy;
    return true;
}

bool pb_equal(const void *x, const void *y, bool *equal, struct status *st)
{
    struct strbuf bx = {0}, by = {0};
    bool ok = pb_encode_with(x, PB_DETERMINISTIC, &bx, st) &&
              pb_encode_with(y, PB_DETERMINISTIC, &by, st);
    *equal = ok && ((const struct pb_base *)x)->desc == ((const struct pb_base *)y)->desc &&
             bx.n == by.n && (bx.n == 0 || memcmp(bx.p, by.p, bx.n) == 0);
    strbuf_release(&bx);
    strbuf_release(&by);
    return ok;
}
