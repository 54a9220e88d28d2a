/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map of tables: chains of row numbers, rows without gaps. */
#include "ops/lookup/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

enum { FIRST_ROWS = 16 };

void store_init(struct store *s, int key_dtype, int value_dtype, int64_t value_elems)
{
    *s = (struct store){.key_dtype = key_dtype,
                        .value_dtype = value_dtype,
                        .value_elems = value_elems,
                        .value_bytes = (size_t)value_elems * dtype_size(value_dtype)};
}

void store_release(struct store *s)
{
    if (s->key_dtype == DT_STRING)
        elems_release(DT_STRING, s->keys, s->num);
    elems_release(s->value_dtype, s->values, s->num * s->value_elems);
    mem_free(s->keys);
    mem_free(s->values);
    mem_free(s->hashes);
    mem_free(s->next);
    mem_free(s->heads);
    store_init(s, s->key_dtype, s->value_dtype, s->value_elems);
}

/* --- room --- */

static size_t key_bytes(const struct store *s)
{
    return s->key_dtype == DT_STRING ? sizeof(struct tstr) : sizeof(int64_t);
}

static void link_row(struct store *s, int64_t row)
{
    int64_t *head = &s->heads[s->hashes[row] & (uint64_t)(s->num_heads - 1)];
    s->next[row] = *head;
    *head = row;
}

/* `used` bytes of *p in a block of `bytes`; managed elements may lie anywhere. */
static bool moved(void **p, size_t used, size_t bytes, struct status *st)
{
    void *to = mem_try(bytes ? bytes : 1, "a table", st);
    if (!to)
        return false;
    if (used)
        memcpy(to, *p, used);
    mem_free(*p);
    *p = to;
    return true;
}

static bool grow_heads(struct store *s, int64_t cap, struct status *st)
{
    int64_t num = max_i64(s->num_heads, FIRST_ROWS);
    while (num < cap)
        num *= 2;
    if (num == s->num_heads)
        return true;
    int64_t *heads = mem_try(mem_array_bytes(num, sizeof(*heads)), "a table", st);
    if (!heads)
        return false;
    memset(heads, 0xff, (size_t)num * sizeof(*heads));
    mem_free(s->heads);
    s->heads = heads;
    s->num_heads = num;
    for (int64_t i = 0; i < s->num; i++)
        link_row(s, i);
    return true;
}

bool store_reserve(struct store *s, int64_t more, struct status *st)
{
    if (more <= s->cap - s->num)
        return true;
    int64_t cap = max_i64(s->cap, FIRST_ROWS), need;
    if (__builtin_add_overflow(s->num, more, &need) || need > INT64_MAX / 4)
        return status_exhausted(st, "A table of %lld more rows", (long long)more);
    while (cap < need)
        cap *= 2;
    size_t n = (size_t)s->num;
    void *hashes = s->hashes, *next = s->next, *values = s->values;
    bool ok =
        moved(&s->keys, n * key_bytes(s), mem_array_bytes(cap, key_bytes(s)), st) &&
        moved(&values, n * s->value_bytes, mem_array_bytes(cap, s->value_bytes), st) &&
        moved(&hashes, n * sizeof(*s->hashes), mem_array_bytes(cap, sizeof(*s->hashes)), st) &&
        moved(&next, n * sizeof(*s->next), mem_array_bytes(cap, sizeof(*s->next)), st);
    s->hashes = hashes;
    s->next = next;
    s->values = values;
    if (!ok || !grow_heads(s, cap, st))
        return false;
    s->cap = cap;
    return true;
}

/* --- keys --- */

static int64_t int_key(const struct store *s, const void *keys, int64_t i)
{
    return s->key_dtype == DT_INT32 ? ((const int32_t *)keys)[i] : ((const int64_t *)keys)[i];
}

static uint64_t hash_key(const struct store *s, const void *keys, int64_t i)
{
    if (s->key_dtype == DT_STRING) {
        const struct tstr *key = (const struct tstr *)keys + i;
        return hash_bytes(tstr_data(key), tstr_len(key), 0);
    }
    int64_t key = int_key(s, keys, i);
    return hash_bytes(&key, sizeof key, 0);
}

static bool key_is(const struct store *s, int64_t row, const void *keys, int64_t i)
{
    if (s->key_dtype != DT_STRING)
        return ((const int64_t *)s->keys)[row] == int_key(s, keys, i);
    return str_eq(tstr_view((const struct tstr *)s->keys + row),
                  tstr_view((const struct tstr *)keys + i));
}

int64_t store_find(const struct store *s, const void *keys, int64_t i)
{
    if (s->num == 0)
        return -1;
    uint64_t hash = hash_key(s, keys, i);
    int64_t row = s->heads[hash & (uint64_t)(s->num_heads - 1)];
    while (row >= 0 && !(s->hashes[row] == hash && key_is(s, row, keys, i)))
        row = s->next[row];
    return row;
}

bool store_find_rows(const struct store *s, const struct tensor *keys, const void *none, void *out,
                     struct status *st)
{
    bool managed = dtype_is_managed(s->value_dtype);
    char *to = out;
    for (int64_t i = 0; i < keys->num_elems; i++, to += s->value_bytes) {
        int64_t row = store_find(s, keys->data, i);
        const void *from = row >= 0 ? store_row(s, row) : none;
        if (managed && !elems_copy(s->value_dtype, to, from, s->value_elems))
            return status_exhausted(st, "no memory for what a table gives");
        if (!managed && s->value_bytes == 8)
            memcpy(to, from, 8);
        else if (!managed && s->value_bytes == 4)
            memcpy(to, from, 4);
        else if (!managed && s->value_bytes)
            memcpy(to, from, s->value_bytes);
    }
    return true;
}

/* --- changes --- */

int64_t store_add(struct store *s, const void *keys, int64_t i)
{
    ASSERT(s->num < s->cap);
    int64_t row = s->num;
    if (s->key_dtype == DT_STRING) {
        struct tstr *to = (struct tstr *)s->keys + row;
        const struct tstr *key = (const struct tstr *)keys + i;
        *to = (struct tstr){0};
        if (!tstr_set(to, tstr_data(key), tstr_len(key)))
            return -1;
    } else {
        ((int64_t *)s->keys)[row] = int_key(s, keys, i);
    }
    if (s->value_bytes)
        memset(store_row(s, row), 0, s->value_bytes);
    s->hashes[row] = hash_key(s, keys, i);
    link_row(s, row);
    s->num++;
    return row;
}

bool store_set(struct store *s, int64_t row, const void *value, struct status *st)
{
    return elems_copy(s->value_dtype, store_row(s, row), value, s->value_elems) ||
           status_exhausted(st, "no memory for a table's value");
}

/* The place that holds `row` in its chain. */
static int64_t *link_to(struct store *s, int64_t row)
{
    int64_t *at = &s->heads[s->hashes[row] & (uint64_t)(s->num_heads - 1)];
    while (*at != row)
        at = &s->next[*at];
    return at;
}

void store_remove(struct store *s, int64_t row)
{
    *link_to(s, row) = s->next[row];
    if (s->key_dtype == DT_STRING)
        tstr_clear((struct tstr *)s->keys + row);
    elems_release(s->value_dtype, store_row(s, row), s->value_elems);
    int64_t last = s->num - 1;
    if (row != last) {
        *link_to(s, last) = row;
        size_t k = key_bytes(s);
        memcpy((char *)s->keys + (size_t)row * k, (char *)s->keys + (size_t)last * k, k);
        memcpy(store_row(s, row), store_row(s, last), s->value_bytes);
        s->hashes[row] = s->hashes[last];
        s->next[row] = s->next[last];
    }
    s->num--;
}

/* --- all of it --- */

struct sort_key {
    struct str s;
    int64_t i, row;
};

static int by_key(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    size_t n = x->s.n < y->s.n ? x->s.n : y->s.n;
    int order = n ? memcmp(x->s.p, y->s.p, n) : 0;
    return order ? order : (x->s.n > y->s.n) - (x->s.n < y->s.n);
}

static struct sort_key *sorted(const struct store *s, struct status *st)
{
    struct sort_key *k = mem_try(mem_array_bytes(s->num + 1, sizeof(*k)), "a table's export", st);
    for (int64_t i = 0; k && i < s->num; i++) {
        k[i] = (struct sort_key){.row = i};
        if (s->key_dtype == DT_STRING)
            k[i].s = tstr_view((const struct tstr *)s->keys + i);
        else
            k[i].i = ((const int64_t *)s->keys)[i];
    }
    if (k)
        qsort(k, (size_t)s->num, sizeof(*k), by_key);
    return k;
}

static bool copy_row(const struct store *s, const struct sort_key *k, int64_t i,
                     struct tensor *keys, struct tensor *values)
{
    if (s->key_dtype == DT_INT32)
        tensor_i32(keys)[i] = (int32_t)k->i;
    else if (s->key_dtype == DT_INT64)
        tensor_i64(keys)[i] = k->i;
    else if (!tstr_set(&tensor_str(keys)[i], k->s.p, k->s.n))
        return false;
    return elems_copy(s->value_dtype, (char *)values->data + (size_t)i * s->value_bytes,
                      store_row(s, k->row), s->value_elems);
}

bool store_sorted(const struct store *s, struct tensor *keys, struct tensor *values,
                  const struct shape *value_shape, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK] = {s->num};
    if (value_shape->rank >= SHAPE_MAX_RANK)
        return status_invalid(st, "A table's values have too many dimensions");
    for (int i = 0; i < value_shape->rank; i++)
        dims[i + 1] = shape_dim(value_shape, i);
    struct shape rows = shape_1(s->num), all = shape_make(dims, value_shape->rank + 1);
    struct sort_key *order = sorted(s, st);
    bool ok = order && tensor_new(keys, s->key_dtype, &rows, st) &&
              tensor_new(values, s->value_dtype, &all, st);
    for (int64_t i = 0; ok && i < s->num; i++)
        if (!copy_row(s, &order[i], i, keys, values))
            ok = status_exhausted(st, "no memory for a table's export");
    shape_clear(&all);
    mem_free(order);
    return ok;
}
