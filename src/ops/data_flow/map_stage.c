/* SPDX-License-Identifier: Apache-2.0 */
/* MapStage and its company: staging areas of tuples by key. A tuple may come in parts and leave in
 * parts; it can be taken once all of it has come.
 *
 * The ordered form gives the smallest key first to whoever names none, the other the newest.
 * Whoever finds no tuple, or no room, waits without a thread. Made for the few tuples that a
 * pipeline holds: keys are searched for one after another. */
#include "ops/data_flow/map_area.h"

#include <string.h>

#include "base/mem.h"

/* --- items: in a list, smallest key or newest first --- */

static void item_free(struct map_item *it)
{
    for (int i = 0; it && i < it->n; i++)
        tensor_clear(&it->values[i]);
    mem_free(it);
}

static void free_all(struct map_item *first)
{
    for (struct map_item *it = first, *next; it; it = next) {
        next = it->next;
        item_free(it);
    }
}

static struct map_item **find_item(struct map_item **list, int64_t key)
{
    while (*list && (*list)->key != key)
        list = &(*list)->next;
    return list;
}

static struct map_item *unlink_item(struct map_item **at)
{
    struct map_item *it = *at;

    *at = it->next;
    it->next = NULL;
    return it;
}

/* --- the object --- */

static void release(struct resource *r)
{
    struct map_area *a = (struct map_area *)r;

    free_all(a->whole);
    free_all(a->parts);
    waits_release(&a->waits);
    mem_free(a);
}

static void describe(struct resource *r, struct strbuf *out)
{
    struct map_area *a = (struct map_area *)r;

    lock_take(&a->waits.lock);
    strbuf_printf(out, "staging area by key: %lld tuples, %lld incomplete%s",
                  (long long)a->num_whole, (long long)a->num_parts,
                  a->waits.first ? ", steps wait" : "");
    lock_drop(&a->waits.lock);
}

static const struct resource_type map_type = {
    .name = "StagingMap<false>", .release = release, .describe = describe};
static const struct resource_type ordered_type = {
    .name = "StagingMap<true>", .release = release, .describe = describe};

static struct resource *make(const struct area_room *room, const struct resource_type *type)
{
    struct map_area *a = mem_new(struct map_area);

    resource_init(&a->base, type);
    waits_init(&a->waits, "map stage");
    a->room = *room;
    a->ordered = type == &ordered_type;
    return &a->base;
}

static struct resource *make_map(void *arg, struct status *st)
{
    (void)st;
    return make(arg, &map_type);
}

static struct resource *make_ordered(void *arg, struct status *st)
{
    (void)st;
    return make(arg, &ordered_type);
}

struct map_area *map_area_find(struct kctx *c, struct status *st)
{
    const bool ordered = strncmp(c->kernel->op->name, "Ordered", 7) == 0;

    return (struct map_area *)area_find(c, ordered ? &ordered_type : &map_type,
                                        ordered ? make_ordered : make_map, st);
}

/* --- visits --- */

void map_visit_free(struct map_visit *v)
{
    for (int i = 0; i < v->n; i++)
        tensor_clear(&v->values[i]);
    tensor_clear(&v->indices);
    item_free(v->fresh);
    mem_free(v);
}

struct map_visit *map_visit_new(struct kctx *c, int num_values)
{
    struct map_visit *v = mem_zalloc(sizeof *v + (size_t)num_values * sizeof v->values[0]);

    v->c = c;
    v->num_types = (int)attrs_list(kernel_attrs(c), "dtypes")->n;
    return v;
}

static void visit_done(struct waiter *w)
{
    struct map_visit *v = (struct map_visit *)w;
    struct kctx *c = v->c;
    struct status st = {0};

    status_move(&st, &w->status);
    map_visit_free(v);
    kernel_done(c, &st);
    status_clear(&st);
}

void map_visit_begin(struct map_visit *v, bool (*attempt)(struct waiter *w))
{
    struct map_area *a = v->a;

    v->base = (struct waiter){.attempt = attempt,
                              .done = visit_done,
                              .cancel = v->c->env->cancel,
                              .cancelled = "Staging area operation was cancelled",
                              .owner = &a->base};
    waits_start(&a->waits, &v->base);
    resource_unref(&a->base);
}

static const int32_t *index_of(const struct map_visit *v)
{
    return tensor_i32(&v->indices);
}

static bool fail_index(const struct map_visit *v, int32_t index, int n, struct status *st)
{
    return status_invalid(st, "Index '%llu' for key '%lld' was out of bounds '%d'.",
                          (unsigned long long)(int64_t)index, (long long)v->key, n);
}

bool map_check_indices(const struct map_visit *v, struct status *st)
{
    for (int64_t i = 0; i + 1 < v->indices.num_elems; i++) {
        if (index_of(v)[i] >= index_of(v)[i + 1])
            return status_invalid(st, "Indices are not strictly ordered");
    }
    return true;
}

/* --- in --- */

/* A tuple whose key is there already is dropped, as TensorFlow drops it. */
static void add_whole(struct map_area *a, struct map_item *it)
{
    struct map_item **at = &a->whole;

    if (*find_item(&a->whole, it->key)) {
        a->bytes -= it->bytes;
        item_free(it);
        return;
    }
    while (a->ordered && *at && (*at)->key < it->key)
        at = &(*at)->next;
    it->next = *at;
    *at = it;
    a->num_whole++;
}

static bool check_place(const struct map_visit *v, const struct map_item *there, int64_t i,
                        struct status *st)
{
    const int32_t index = index_of(v)[i];

    if (index < 0 || index >= v->num_types)
        return fail_index(v, index, v->num_types, st);
    return !there || there->values[index].dtype == DT_INVALID ||
           status_invalid(st,
                          "The tensor for index '%d' for key '%lld' was already initialized '%d'.",
                          index, (long long)v->key, v->num_types);
}

static bool put_parts(struct map_visit *v, struct status *st)
{
    struct map_area *a = v->a;
    struct map_item **at = find_item(&a->parts, v->key);
    int missing = 0;

    for (int64_t i = 0; i < v->indices.num_elems; i++) {
        if (!check_place(v, *at, i, st))
            return false;
    }
    if (!*at) {
        *at = v->fresh;
        v->fresh = NULL;
        a->num_parts++;
    }
    struct map_item *it = *at;

    for (int64_t i = 0; i < v->indices.num_elems; i++)
        it->values[index_of(v)[i]] = tensor_take(&v->values[i]);
    it->bytes += v->bytes;
    a->bytes += v->bytes;
    for (int i = 0; i < it->n; i++)
        missing += it->values[i].dtype == DT_INVALID;
    if (missing == 0) {
        a->num_parts--;
        add_whole(a, unlink_item(at));
    }
    return true;
}

bool map_try_put(struct waiter *w)
{
    struct map_visit *v = (struct map_visit *)w;
    struct map_area *a = v->a;
    const bool whole = v->indices.num_elems == v->num_types;
    /* parts do not count as tuples */
    if (!area_has_room(&a->room, whole ? a->num_whole : -1, a->bytes, v->bytes))
        return false;
    if (!whole) {
        (void)!put_parts(v, &w->status);
        return true;
    }
    for (int64_t i = 0; i < v->num_types; i++) {
        if (!check_place(v, NULL, i, &w->status))
            return true;
    }
    for (int i = 0; i < v->num_types; i++)
        v->fresh->values[index_of(v)[i]] = tensor_take(&v->values[i]);
    v->fresh->bytes = v->bytes;
    a->bytes += v->bytes;
    add_whole(a, v->fresh);
    v->fresh = NULL;
    return true;
}

struct map_item *map_item_new(int64_t key, int n)
{
    struct map_item *it = mem_zalloc(sizeof *it + (size_t)n * sizeof it->values[0]);

    it->key = key;
    it->n = n;
    return it;
}

/* --- out --- */

static bool check_there(const struct map_visit *v, const struct map_item *it, struct status *st)
{
    const int first = kernel_num_outputs(v->c) - v->num_types;

    if (v->indices.num_elems != v->num_types)
        return status_invalid(st, "output/indices size mismatch: %d vs. %lld", v->num_types,
                              (long long)v->indices.num_elems);
    for (int64_t i = 0; i < v->indices.num_elems; i++) {
        const int32_t index = index_of(v)[i];

        if (index < 0 || index >= it->n)
            return fail_index(v, index, it->n, st);
        if (it->values[index].dtype == DT_INVALID)
            return status_invalid(st,
                                  "Tensor at index '%d' for key '%lld' has already been removed.",
                                  index, (long long)it->key);
        if (!area_give(v->c, first + (int)i, &it->values[index], st))
            return false;
    }
    return true;
}

static void remove_given(struct map_visit *v, struct map_item **at)
{
    struct map_area *a = v->a;
    struct map_item *it = *at;
    int left = 0;

    for (int64_t i = 0; i < v->indices.num_elems; i++) {
        struct tensor *t = &it->values[index_of(v)[i]];
        const int64_t bytes = area_bytes(t);

        it->bytes -= bytes;
        a->bytes -= bytes;
        tensor_clear(t);
    }
    for (int i = 0; i < it->n; i++)
        left += it->values[i].dtype != DT_INVALID;
    if (left == 0) {
        a->num_whole--;
        item_free(unlink_item(at));
    }
}

bool map_try_get(struct waiter *w)
{
    struct map_visit *v = (struct map_visit *)w;
    struct map_area *a = v->a;
    struct map_item **at = v->any_key ? &a->whole : find_item(&a->whole, v->key);

    if (!*at)
        return false;
    if (v->any_key) {
        struct shape scalar = shape_scalar();
        struct tensor *key = kernel_out(v->c, 0, &scalar, &w->status);

        if (!key)
            return true;
        v->key = *tensor_i64(key) = (*at)->key;
    }
    if (check_there(v, *at, &w->status) && !v->stays)
        remove_given(v, at);
    return true;
}

/* --- without waiting --- */

void map_clear(struct map_area *a)
{
    waits_begin(&a->waits);
    struct map_item *whole = a->whole, *parts = a->parts;

    a->whole = a->parts = NULL;
    a->num_whole = a->num_parts = a->bytes = 0;
    waits_end(&a->waits);
    free_all(whole);
    free_all(parts);
}
