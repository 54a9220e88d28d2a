/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table of ops/set: open addressing, at most half full. */
#include <string.h>

#include "base/map.h"
#include "ops/set/unique.h"

/* An element as a number that is the same for equal elements (strings: their hash). */
static uint64_t key_of(int dtype, const void *p, bool *nan)
{
    *nan = false;
    if (dtype == DT_STRING)
        return hash_stable(tstr_data(p), tstr_len(p));
    if (dtype == DT_FLOAT) {
        float f = *(const float *)p;
        uint32_t bits;
        memcpy(&bits, &f, sizeof(bits));
        *nan = f != f;
        return f == 0 ? 0 : bits;
    }
    if (dtype == DT_DOUBLE) {
        double f = *(const double *)p;
        uint64_t bits;
        memcpy(&bits, &f, sizeof(bits));
        *nan = f != f;
        return f == 0 ? 0 : bits;
    }
    if (dtype == DT_HALF || dtype == DT_BFLOAT16) {
        uint16_t bits = *(const uint16_t *)p, top = dtype == DT_HALF ? 0x7c00 : 0x7f80;
        *nan = (bits & 0x7fff) > top;
        return (bits & 0x7fff) == 0 ? 0 : bits;
    }
    switch (dtype_size(dtype)) {
    case 1:
        return *(const uint8_t *)p;
    case 2:
        return *(const uint16_t *)p;
    case 4:
        return *(const uint32_t *)p;
    default:
        return *(const uint64_t *)p;
    }
}

static const void *element(const struct items *x, int64_t o, int64_t i, int64_t k)
{
    int64_t at = (o * x->n + i) * x->inner + k;
    return (const char *)x->t->data + at * (int64_t)dtype_size(x->t->dtype);
}

static bool elements_equal(int dtype, const void *a, const void *b)
{
    bool nan_a, nan_b;
    if (dtype == DT_STRING)
        return tstr_len(a) == tstr_len(b) && memcmp(tstr_data(a), tstr_data(b), tstr_len(a)) == 0;
    uint64_t x = key_of(dtype, a, &nan_a), y = key_of(dtype, b, &nan_b);
    return x == y && !nan_a && !nan_b;
}

static bool items_equal(const struct items *x, int64_t i, const struct items *y, int64_t j)
{
    for (int64_t o = 0; o < x->outer; o++) {
        for (int64_t k = 0; k < x->inner; k++) {
            if (!elements_equal(x->t->dtype, element(x, o, i, k), element(y, o, j, k)))
                return false;
        }
    }
    return true;
}

static uint64_t item_hash(const struct items *x, int64_t i)
{
    uint64_t h = 0;
    bool nan;
    for (int64_t o = 0; o < x->outer; o++) {
        for (int64_t k = 0; k < x->inner; k++) {
            h = (h ^ key_of(x->t->dtype, element(x, o, i, k), &nan)) * 0x9e3779b97f4a7c15u;
            h ^= h >> 29;
        }
    }
    return h;
}

bool item_set_begin(struct kctx *c, struct item_set *s, struct items items, struct status *st)
{
    int64_t room = 8, bytes;
    while (room / 2 < items.n) {
        if (!size_mul(room, 2, &room))
            return status_exhausted(st, "too many elements");
    }
    if (!size_mul(room, (int64_t)sizeof(int64_t), &bytes))
        return status_exhausted(st, "too many elements");
    s->slots = kernel_scratch(c, bytes, st);
    if (!s->slots)
        return false;
    memset(s->slots, 0xff, (size_t)bytes);
    s->items = items;
    s->mask = (uint64_t)room - 1;
    return true;
}

int64_t *item_set_find(const struct item_set *s, const struct items *of, int64_t i)
{
    uint64_t at = item_hash(of, i);
    for (;; at++) {
        int64_t *slot = &s->slots[at & s->mask];
        if (*slot < 0 || items_equal(&s->items, *slot, of, i))
            return slot;
    }
}
