/* SPDX-License-Identifier: Apache-2.0 */
/* The protobuf wire format; see wire.h. */
#include "common/wire.h"

static bool take_varint(struct bytes *rest, uint64_t *value)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 70 && rest->n; shift += 7) {
        uint8_t byte = *rest->p++;
        rest->n--;
        if (shift < 64)
            v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = v;
            return true;
        }
    }
    return false;
}

static bool take_fixed(struct bytes *rest, size_t width, uint64_t *value)
{
    if (rest->n < width)
        return false;
    *value = 0;
    for (size_t i = 0; i < width; i++)
        *value |= (uint64_t)rest->p[i] << (8 * i);
    rest->p += width;
    rest->n -= width;
    return true;
}

static bool take_value(struct bytes *rest, struct wire_field *f)
{
    switch (f->type) {
    case WIRE_VARINT:
        return take_varint(rest, &f->value);
    case WIRE_FIXED64:
        return take_fixed(rest, 8, &f->value);
    case WIRE_FIXED32:
        return take_fixed(rest, 4, &f->value);
    case WIRE_BYTES:
        if (!take_varint(rest, &f->value) || f->value > rest->n)
            return false;
        f->bytes = (struct bytes){rest->p, (size_t)f->value};
        rest->p += f->bytes.n;
        rest->n -= f->bytes.n;
        return true;
    }
    return false;
}

bool wire_next(struct bytes *rest, struct wire_field *f)
{
    if (rest->n == 0)
        return false;
    struct bytes r = *rest;
    uint64_t tag;
    if (!take_varint(&r, &tag) || tag >> 3 == 0 || tag >> 35 != 0)
        return false;
    *f = (struct wire_field){.number = (uint32_t)(tag >> 3), .type = (enum wire_type)(tag & 7)};
    if (!take_value(&r, f))
        return false;
    f->whole = (struct bytes){rest->p, rest->n - r.n};
    *rest = r;
    return true;
}

bool wire_find(struct bytes message, uint32_t number, struct wire_field *f)
{
    bool found = false;
    for (struct wire_field g; wire_next(&message, &g);)
        if (g.number == number) {
            *f = g;
            found = true;
        }
    return found;
}

struct bytes wire_get_bytes(struct bytes message, uint32_t number)
{
    struct wire_field f;
    return wire_find(message, number, &f) ? f.bytes : (struct bytes){0};
}

uint64_t wire_get_number(struct bytes message, uint32_t number)
{
    struct wire_field f;
    return wire_find(message, number, &f) ? f.value : 0;
}

bool wire_next_packed(struct bytes *packed, enum wire_type type, uint64_t *value)
{
    if (packed->n == 0)
        return false;
    struct wire_field f = {.type = type};
    if (type == WIRE_BYTES || !take_value(packed, &f))
        return false;
    *value = f.value;
    return true;
}

void wire_put_varint(struct text *out, uint64_t value)
{
    for (; value >= 128; value >>= 7) {
        uint8_t byte = (uint8_t)(value | 128);
        text_add(out, &byte, 1);
    }
    uint8_t last = (uint8_t)value;
    text_add(out, &last, 1);
}

void wire_put_bytes(struct text *out, uint32_t number, struct bytes value)
{
    wire_put_varint(out, (uint64_t)number << 3 | WIRE_BYTES);
    wire_put_varint(out, value.n);
    text_add(out, value.p, value.n);
}
