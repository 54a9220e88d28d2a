/* SPDX-License-Identifier: Apache-2.0 */
/* leat/message.h over the tables and the codec of src/proto. A leat_part is a message's struct, a
 * leat_message_type its descriptor, under another name. */
#include "leat/message.h"

#include "api/api_impl.h"
#include "api/registry_proto.h"
#include "base/mem.h"
#include "proto/pb_reflect.h"

struct leat_message {
    struct arena arena;
    void *root;
};

static const struct pb_desc *desc_of(const struct leat_message_type *type)
{
    return (const struct pb_desc *)type;
}

static const struct leat_message_type *type_of(const struct pb_desc *d)
{
    return (const struct leat_message_type *)d;
}

static const struct pb_enum *enum_of(const struct leat_message_enum *e)
{
    return (const struct pb_enum *)e;
}

static const struct pb_desc *part_desc(const struct leat_part *part)
{
    return ((const struct pb_base *)part)->desc;
}

static const struct pb_field *field_of(const struct pb_desc *d, int index)
{
    return index >= 0 && index < d->num_fields ? &d->fields[index] : NULL;
}

/* ---- types ---- */

int leat_message_num_types(void)
{
    return pb_num_descs;
}

const struct leat_message_type *leat_message_type_at(int index)
{
    return index >= 0 && index < pb_num_descs ? type_of(pb_all_descs[index]) : NULL;
}

const struct leat_message_type *leat_message_type_named(const char *full_name)
{
    return full_name ? type_of(pb_find_desc(str_of(full_name))) : NULL;
}

const char *leat_message_type_name(const struct leat_message_type *type)
{
    return desc_of(type)->full_name;
}

int leat_message_type_index(const struct leat_message_type *type)
{
    int low = 0, high = pb_num_descs;
    while (low < high) {
        int mid = (low + high) / 2;
        if (strcmp(pb_all_descs[mid]->full_name, desc_of(type)->full_name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int leat_message_is_map_entry(const struct leat_message_type *type)
{
    return desc_of(type)->is_map_entry;
}

int leat_message_num_fields(const struct leat_message_type *type)
{
    return desc_of(type)->num_fields;
}

int leat_message_field_at(const struct leat_message_type *type, int index,
                          struct leat_message_field *out)
{
    const struct pb_desc *d = desc_of(type);
    const struct pb_field *f = field_of(d, index);
    if (!f)
        return 0;
    *out = (struct leat_message_field){
        .name = f->name,
        .number = (int)f->number,
        .type = f->type,
        .label = f->label,
        .oneof = f->oneof >= 0 ? d->oneofs[f->oneof].name : NULL,
        .message = type_of(f->message),
        .enumeration = (const struct leat_message_enum *)f->enumeration,
    };
    return 1;
}

int leat_message_field_named(const struct leat_message_type *type, const char *name)
{
    const struct pb_field *f = name ? pb_find_field(desc_of(type), str_of(name)) : NULL;
    return f ? (int)(f - desc_of(type)->fields) : -1;
}

/* ---- enums ---- */

int leat_message_num_enums(void)
{
    return pb_num_enums;
}

const struct leat_message_enum *leat_message_enum_at(int index)
{
    if (index < 0 || index >= pb_num_enums)
        return NULL;
    return (const struct leat_message_enum *)pb_all_enums[index];
}

const struct leat_message_enum *leat_message_enum_named(const char *full_name)
{
    return full_name ? (const struct leat_message_enum *)pb_find_enum(str_of(full_name)) : NULL;
}

const char *leat_message_enum_name(const struct leat_message_enum *e)
{
    return enum_of(e)->full_name;
}

int leat_message_enum_size(const struct leat_message_enum *e)
{
    return enum_of(e)->num_values;
}

int leat_message_enum_value(const struct leat_message_enum *e, int index, const char **name,
                            int *number)
{
    if (index < 0 || index >= enum_of(e)->num_values)
        return 0;
    *name = enum_of(e)->values[index].name;
    *number = enum_of(e)->values[index].number;
    return 1;
}

/* ---- messages ---- */

struct leat_message *leat_message_new(const struct leat_message_type *type)
{
    struct leat_message *m = mem_new(struct leat_message);
    m->root = pb_new(&m->arena, desc_of(type));
    return m;
}

/* m, or NULL with m deleted. */
static struct leat_message *made(struct leat_message *m, bool ok)
{
    if (ok)
        return m;
    leat_message_delete(m);
    return NULL;
}

struct leat_message *leat_message_decode(const struct leat_message_type *type, const void *bytes,
                                         size_t n, int borrow, TF_Status *status)
{
    struct leat_message *m = mem_new(struct leat_message);
    status_clear(&status->s);
    return made(m, pb_decode(&m->arena, desc_of(type), bytes, n, borrow ? PB_BORROW : 0, &m->root,
                             &status->s));
}

struct leat_message *leat_message_parse(const struct leat_message_type *type, const char *text,
                                        size_t n, TF_Status *status)
{
    struct leat_message *m = mem_new(struct leat_message);
    status_clear(&status->s);
    return made(m, pb_text_parse(&m->arena, desc_of(type), text, n, &m->root, &status->s));
}

void leat_message_delete(struct leat_message *message)
{
    if (!message)
        return;
    arena_release(&message->arena);
    mem_free(message);
}

struct leat_part *leat_message_root(struct leat_message *message)
{
    return message->root;
}

TF_Buffer *leat_message_encode(struct leat_message *message, int sorted, TF_Status *status)
{
    struct strbuf b = {0};
    status_clear(&status->s);
    TF_Buffer *out = TF_NewBuffer();
    if (pb_encode_with(message->root, sorted ? PB_DETERMINISTIC : 0, &b, &status->s) &&
        api_fill_buffer(out, &b, &status->s))
        return out;
    strbuf_release(&b);
    TF_DeleteBuffer(out);
    return NULL;
}

char *leat_message_print(struct leat_message *message, int as_str, size_t *n, TF_Status *status)
{
    struct strbuf b = {0};
    status_clear(&status->s);
    *n = 0;
    if (!pb_text_print_with(message->root, as_str ? PB_AS_STR : 0, &b, &status->s)) {
        strbuf_release(&b);
        return NULL;
    }
    *n = b.n;
    return strbuf_take(&b);
}

/* ---- parts ---- */

const struct leat_message_type *leat_part_type(const struct leat_part *part)
{
    return type_of(part_desc(part));
}

int64_t leat_part_count(const struct leat_part *part, int field)
{
    const struct pb_field *f = field_of(part_desc(part), field);
    return f ? pb_count(part, f) : 0;
}

int leat_part_get(const struct leat_part *part, int field, int64_t at,
                  union leat_message_value *out)
{
    const struct pb_field *f = field_of(part_desc(part), field);
    *out = (union leat_message_value){.s = {0}};
    if (!f)
        return 0;
    int64_t n = pb_count(part, f);
    if (at < 0 || at >= (f->label == PB_SINGULAR ? 1 : n))
        return 0;
    struct pb_value v = pb_get(part, f, at);
    if (f->type == PB_TYPE_BOOL)
        out->i = v.b;
    else if (f->type == PB_TYPE_STRING || f->type == PB_TYPE_BYTES)
        out->s = (struct leat_message_text){v.s.p, v.s.n};
    else if (f->type == PB_TYPE_MESSAGE)
        out->m = v.m;
    else if (f->type == PB_TYPE_DOUBLE || f->type == PB_TYPE_FLOAT)
        out->d = v.d;
    else
        out->u = v.u;
    return n > 0;
}

int leat_part_put(struct leat_message *message, struct leat_part *part, int field,
                  union leat_message_value value, int copy)
{
    const struct pb_field *f = field_of(part_desc(part), field);
    if (!f || f->type == PB_TYPE_MESSAGE)
        return 0;
    struct pb_value v = {.u = value.u};
    if (f->type == PB_TYPE_BOOL) {
        v.b = value.i != 0;
    } else if (f->type == PB_TYPE_STRING || f->type == PB_TYPE_BYTES) {
        v.s = str_make(value.s.p, value.s.n);
        if (copy)
            v.s = pb_str_dup(&message->arena, v.s);
    } else if (f->type == PB_TYPE_DOUBLE || f->type == PB_TYPE_FLOAT) {
        v.d = value.d;
    }
    if (f->label == PB_SINGULAR)
        pb_set(part, f, 0, v);
    else
        pb_append(&message->arena, part, f, v);
    return 1;
}

struct leat_part *leat_part_add(struct leat_message *message, struct leat_part *part, int field)
{
    const struct pb_field *f = field_of(part_desc(part), field);
    if (!f || f->type != PB_TYPE_MESSAGE)
        return NULL;
    if (f->label == PB_SINGULAR)
        return pb_mutable(&message->arena, part, f);
    void *made_part = pb_new(&message->arena, f->message);
    pb_append(&message->arena, part, f, (struct pb_value){.m = made_part});
    return made_part;
}

struct leat_message_text leat_part_unknown(const struct leat_part *part)
{
    const struct pb_unknown *u = ((const struct pb_base *)part)->unknown;
    return u ? (struct leat_message_text){u->p, u->n} : (struct leat_message_text){NULL, 0};
}

int leat_part_merge(struct leat_message *message, struct leat_part *part, const void *bytes,
                    size_t n, TF_Status *status)
{
    status_clear(&status->s);
    return pb_merge_bytes(&message->arena, part, bytes, n, 0, &status->s);
}
