/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: lists of entries, whose keys a reader makes unique when a message is complete. Workload:
 * attrs of nodes, mostly fewer than ten; those are compared in pairs, others are sorted. */
#include "base/mem.h"
#include "proto/pb_wire.h"

#include <stdlib.h>

enum { FEW_ENTRIES = 12 };

static int compare_text(struct str x, struct str y)
{
    size_t n = x.n < y.n ? x.n : y.n;
    int c = n > 0 ? memcmp(x.p, y.p, n) : 0;
    return c != 0 ? c : (x.n > y.n) - (x.n < y.n);
}

/* By key, as protobuf orders them: texts by bytes, numbers by value. */
static int compare_keys(const void *x, const void *y)
{
    const struct pb_field *key = &((const struct pb_base *)x)->desc->fields[0];
    const void *kx = pb_slot(x, key), *ky = pb_slot(y, key);
    if (key->type == PB_TYPE_STRING)
        return compare_text(*(const struct str *)kx, *(const struct str *)ky);
    uint64_t ux = pb_load(key->type, kx), uy = pb_load(key->type, ky);
    switch (key->type) {
    case PB_TYPE_INT32:
    case PB_TYPE_INT64:
    case PB_TYPE_SFIXED64:
        return ((int64_t)ux > (int64_t)uy) - ((int64_t)ux < (int64_t)uy);
    case PB_TYPE_SFIXED32:
        return ((int32_t)ux > (int32_t)uy) - ((int32_t)ux < (int32_t)uy);
    case PB_TYPE_SINT32:
    case PB_TYPE_SINT64: {
        int64_t sx, sy;
        pb_store(PB_TYPE_SINT64, &sx, ux);
        pb_store(PB_TYPE_SINT64, &sy, uy);
        return (sx > sy) - (sx < sy);
    }
    default:
        return (ux > uy) - (ux < uy);
    }
}

struct ranked {
    void *entry;
    int64_t at; /* place in the list */
};

static int compare_ranked(const void *x, const void *y)
{
    const struct ranked *rx = x, *ry = y;
    int c = compare_keys(rx->entry, ry->entry);
    return c != 0 ? c : (rx->at > ry->at) - (rx->at < ry->at);
}

static struct ranked *rank_entries(const struct pb_any_list *l)
{
    struct ranked *r = mem_new_array(struct ranked, l->n);
    pb_any_ptr *v = (pb_any_ptr *)(void *)l->v;
    for (int64_t i = 0; i < l->n; i++)
        r[i] = (struct ranked){v[i], i};
    qsort(r, (size_t)l->n, sizeof *r, compare_ranked);
    return r;
}

void **pb_map_sorted(const void *list)
{
    const struct pb_any_list *l = list;
    void **sorted = mem_new_array(void *, l->n + 1);
    if (l->n == 0)
        return sorted;
    struct ranked *r = rank_entries(l);
    for (int64_t i = 0; i < l->n; i++)
        sorted[i] = r[i].entry;
    mem_free(r);
    return sorted;
}

/* Sets to NULL each entry whose key a later one has. */
static bool drop_few(pb_any_ptr *v, int64_t n)
{
    bool dropped = false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i + 1; k < n && v[i]; k++)
            if (compare_keys(v[i], v[k]) == 0) {
                v[i] = NULL;
                dropped = true;
            }
    return dropped;
}

static bool drop_many(const struct pb_any_list *l, pb_any_ptr *v)
{
    struct ranked *r = rank_entries(l);
    bool dropped = false;
    for (int64_t i = 0; i + 1 < l->n; i++)
        if (compare_keys(r[i].entry, r[i + 1].entry) == 0) {
            v[r[i].at] = NULL;
            dropped = true;
        }
    mem_free(r);
    return dropped;
}

void pb_map_finish(struct arena *a, void *list, const struct pb_desc *entry)
{
    struct pb_any_list *l = list;
    pb_any_ptr *v = (pb_any_ptr *)(void *)l->v;
    bool dropped = l->n <= FEW_ENTRIES ? drop_few(v, l->n) : drop_many(l, v);
    int64_t kept = 0;
    for (int64_t i = 0; dropped && i < l->n; i++)
        if (v[i])
            v[kept++] = v[i];
    if (dropped)
        l->n = kept;
    const struct pb_field *value = &entry->fields[1];
    for (int64_t i = 0; value->message && i < l->n; i++)
        (void)pb_mutable(a, v[i], value);
}

void *pb_map_find(const void *list, struct str key)
{
    const struct pb_any_list *l = list;
    pb_any_ptr *v = (pb_any_ptr *)(void *)l->v;
    for (int64_t i = 0; i < l->n; i++) {
        const struct pb_field *f = &((struct pb_base *)v[i])->desc->fields[0];
        if (str_eq(*(struct str *)pb_slot(v[i], f), key))
            return v[i];
    }
    return NULL;
}

void *pb_map_put(struct arena *a, void *list, const struct pb_desc *entry, struct str key)
{
    void *e = pb_map_find(list, key);
    if (e)
        return e;
    e = pb_add_msg(a, list, entry);
    *(struct str *)pb_slot(e, &entry->fields[0]) = pb_str_dup(a, key);
    if (entry->fields[1].message)
        (void)pb_mutable(a, e, &entry->fields[1]);
    return e;
}
