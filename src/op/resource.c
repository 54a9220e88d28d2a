/* SPDX-License-Identifier: Apache-2.0 */
/* Resource maps: container -> name -> the resources of that name, one per type.
 *
 * A kernel looks its resource up once a step: a lock, two hash look-ups, and a walk over a list
 * that nearly always has one item. References are dropped outside the lock, since a dying resource
 * may take locks of its own. A container that was used stays until it is cleared: messages tell a
 * missing container from a missing resource. */
#include "op/resource.h"

#include <string.h>

#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "op/notes.h"

struct item {
    struct resource *r; /* a reference */
    struct item *next;  /* another type under the same name */
};

struct resource_map {
    struct lock lock;
    struct strmap containers; /* name -> struct strmap of struct item lists; guarded by lock */
    char *default_container;
    struct resource_watch watch;
};

void resource_init(struct resource *r, const struct resource_type *type)
{
    r->refs = 1;
    r->type = type;
    r->journal = NULL;
}

void resource_ref(struct resource *r)
{
    __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
}

void resource_unref(struct resource *r)
{
    if (r && __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) == 0) {
        struct journal *journal = r->journal;
        r->type->release(r);
        journal_free(journal);
    }
}

/* --- maps --- */

struct resource_map *resource_map_new(const char *default_container)
{
    struct resource_map *m = mem_new(struct resource_map);
    lock_init(&m->lock, "resource map", LOCK_RANK_RESOURCE_MAP);
    m->default_container = mem_strdup(default_container[0] ? default_container : "__step");
    return m;
}

struct resource_map *resource_process_map(void)
{
    static struct lock lock = LOCK_INIT("process resources", LOCK_RANK_LEAF);
    static struct resource_map *map; /* guarded by lock; lives for ever */
    lock_take(&lock);
    if (!map)
        map = resource_map_new("__process");
    struct resource_map *m = map;
    lock_drop(&lock);
    return m;
}

const char *resource_map_default(const struct resource_map *m)
{
    return m->default_container;
}

void resource_map_watch(struct resource_map *m, const struct resource_watch *w)
{
    lock_take(&m->lock);
    m->watch = *w;
    lock_drop(&m->lock);
}

/* Under the lock. NULL is fine. */
static void tell_went(struct resource_map *m, struct strmap *names)
{
    const char *key;
    void *value;
    for (int64_t i = 0; m->watch.went && names && strmap_next(names, &i, &key, &value);) {
        for (struct item *it = value; it; it = it->next)
            m->watch.went(m->watch.arg, it->r);
    }
}

/* Frees a container that is in no map any more; takes no lock. NULL is fine. */
static void free_container(struct strmap *names)
{
    if (!names)
        return;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(names, &i, &key, &value);) {
        for (struct item *it = value, *next; it; it = next) {
            next = it->next;
            resource_unref(it->r);
            mem_free(it);
        }
    }
    strmap_release(names);
    mem_free(names);
}

void resource_map_free(struct resource_map *m)
{
    if (!m)
        return;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&m->containers, &i, &key, &value);)
        free_container(value);
    strmap_release(&m->containers);
    lock_release_memory(&m->lock);
    mem_free(m->default_container);
    mem_free(m);
}

void resource_clear_container(struct resource_map *m, const char *container)
{
    lock_take(&m->lock);
    struct strmap *names =
        strmap_remove(&m->containers, container[0] ? container : m->default_container);
    tell_went(m, names);
    lock_drop(&m->lock);
    free_container(names);
}

void resource_clear_all(struct resource_map *m)
{
    lock_take(&m->lock);
    struct strmap containers = m->containers;
    const char *key;
    void *value;
    m->containers = (struct strmap){0};
    for (int64_t i = 0; strmap_next(&containers, &i, &key, &value);)
        tell_went(m, value);
    lock_drop(&m->lock);
    for (int64_t i = 0; strmap_next(&containers, &i, &key, &value);)
        free_container(value);
    strmap_release(&containers);
}

struct seen { /* a resource under its names */
    char *container, *name;
    struct resource *r; /* referenced */
};

/* All that is there now; under the lock. */
static struct seen *list_all(struct resource_map *m, int64_t *n)
{
    struct seen *all = NULL;
    const char *container, *name;
    void *names, *items;
    int64_t cap = 0;
    *n = 0;
    for (int64_t i = 0; strmap_next(&m->containers, &i, &container, &names);) {
        for (int64_t k = 0; strmap_next(names, &k, &name, &items);) {
            for (struct item *it = items; it; it = it->next) {
                if (*n == cap)
                    all = mem_realloc(all, sizeof *all * (size_t)(cap = cap * 2 + 16));
                resource_ref(it->r);
                all[(*n)++] = (struct seen){mem_strdup(container), mem_strdup(name), it->r};
            }
        }
    }
    return all;
}

void resource_each(struct resource_map *m,
                   void (*fn)(void *arg, const char *container, const char *name,
                              struct resource *r),
                   void *arg)
{
    int64_t n;
    lock_take(&m->lock);
    struct seen *all = list_all(m, &n);
    lock_drop(&m->lock);
    for (int64_t i = 0; i < n; i++) {
        fn(arg, all[i].container, all[i].name, all[i].r);
        resource_unref(all[i].r);
        mem_free(all[i].container);
        mem_free(all[i].name);
    }
    mem_free(all);
}

static const char *or_default(const struct resource_map *m, const char *container)
{
    return container && container[0] ? container : m->default_container;
}

static bool same_type(const struct resource_type *a, const struct resource_type *b)
{
    return a == b || strcmp(a->name, b->name) == 0;
}

/* The list item for (name, type) of a locked map's container, or NULL. */
static struct item *find_item(struct strmap *names, const struct resource_type *type,
                              const char *name)
{
    struct item *it = names ? strmap_find(names, name) : NULL;
    while (it && !same_type(it->r->type, type))
        it = it->next;
    return it;
}

static void put_item(struct resource_map *m, const char *container, const char *name,
                     struct resource *r)
{
    struct strmap *names = strmap_find(&m->containers, container);
    if (!names) {
        names = mem_new(struct strmap);
        strmap_put(&m->containers, container, names);
    }
    struct item *it = mem_new(struct item);
    it->r = r;
    it->next = strmap_find(names, name);
    strmap_put(names, name, it);
    if (m->watch.came)
        m->watch.came(m->watch.arg, container, name, r);
}

/* --- finding --- */

/* Referenced, or NULL; *has_container says whether the container is there. */
static struct resource *look_up(struct resource_map *m, const char *container,
                                const struct resource_type *type, const char *name,
                                bool *has_container)
{
    lock_take(&m->lock);
    struct strmap *names = strmap_find(&m->containers, or_default(m, container));
    struct item *it = find_item(names, type, name);
    if (it)
        resource_ref(it->r);
    struct resource *r = it ? it->r : NULL;
    lock_drop(&m->lock);
    *has_container = names != NULL;
    return r;
}

struct resource *resource_find(struct resource_map *m, const char *container,
                               const struct resource_type *type, const char *name)
{
    bool has_container;
    return m ? look_up(m, container, type, name, &has_container) : NULL;
}

static bool fail_no_map(const char *name, struct status *st)
{
    return status_precondition(st, "Resource %s: resources cannot be used here", name);
}

static bool fail_missing(const char *container, const char *type, const char *name,
                         bool has_container, struct status *st)
{
    if (!has_container)
        return status_not_found(st, "Container %s does not exist.", container);
    return status_not_found(st, "Resource %s/%s/%s does not exist.", container, name, type);
}

struct resource *resource_get(struct resource_map *m, const char *container,
                              const struct resource_type *type, const char *name, struct status *st)
{
    if (!m) {
        (void)fail_no_map(name, st);
        return NULL;
    }
    bool has_container;
    struct resource *r = look_up(m, container, type, name, &has_container);
    if (r)
        return r;
    container = or_default(m, container);
    (void)fail_missing(container, type->name, name, has_container, st);
    status_append(st, " (Could not find resource: %s/%s)", container, name);
    return NULL;
}

/* --- making --- */

bool resource_create(struct resource_map *m, const char *container, const char *name,
                     struct resource *r, struct status *st)
{
    if (!m)
        return fail_no_map(name, st);
    container = or_default(m, container);
    lock_take(&m->lock);
    bool taken = find_item(strmap_find(&m->containers, container), r->type, name) != NULL;
    if (!taken)
        put_item(m, container, name, r);
    lock_drop(&m->lock);
    return !taken || status_fail(st, STATUS_ALREADY_EXISTS, "Resource %s/%s/%s", container, name,
                                 r->type->name);
}

struct resource *resource_find_or_make(struct resource_map *m, const char *container,
                                       const struct resource_type *type, const char *name,
                                       struct resource *(*make)(void *arg, struct status *st),
                                       void *arg, struct status *st)
{
    if (!m) {
        (void)fail_no_map(name, st);
        return NULL;
    }
    container = or_default(m, container);
    lock_take(&m->lock);
    struct item *it = find_item(strmap_find(&m->containers, container), type, name);
    struct resource *r = it ? it->r : make(arg, st);
    if (!it && r)
        put_item(m, container, name, r);
    if (r)
        resource_ref(r);
    lock_drop(&m->lock);
    return r;
}

/* --- removing --- */

/* Takes the item for (type name, name) out of the list; the map's reference is the caller's. */
static struct resource *unlink_item(struct strmap *names, const char *type_name, const char *name)
{
    struct item *head = names ? strmap_find(names, name) : NULL;
    for (struct item **at = &head; *at; at = &(*at)->next) {
        struct item *it = *at;
        if (strcmp(it->r->type->name, type_name) != 0)
            continue;
        struct resource *r = it->r;
        *at = it->next;
        mem_free(it);
        if (head)
            strmap_put(names, name, head);
        else
            strmap_remove(names, name);
        return r;
    }
    return NULL;
}

bool resource_remove_named(struct resource_map *m, const char *container, const char *type_name,
                           const char *name, struct status *st)
{
    if (!m)
        return fail_no_map(name, st);
    container = or_default(m, container);
    lock_take(&m->lock);
    struct strmap *names = strmap_find(&m->containers, container);
    struct resource *r = unlink_item(names, type_name, name);
    if (r && m->watch.went)
        m->watch.went(m->watch.arg, r);
    lock_drop(&m->lock);
    if (!r)
        return fail_missing(container, type_name, name, names != NULL, st);
    resource_unref(r);
    return true;
}

bool resource_remove(struct resource_map *m, const char *container,
                     const struct resource_type *type, const char *name, struct status *st)
{
    return resource_remove_named(m, container, type->name, name, st);
}
