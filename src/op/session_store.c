/* SPDX-License-Identifier: Apache-2.0 */
/* A store is a resource of the session, found by one name; a step that offers values has a store
 * of its own among its resources, which dies with it. */
#include "op/session_store.h"

#include <string.h>

#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"

struct store {
    struct resource base;
    struct lock lock;
    struct strmap tensors; /* handle -> struct tensor, mem_alloc'd; guarded by lock */
    int64_t next_id;       /* atomic; of the session's store */
};

static const char STORE_NAME[] = "__session_tensors";

static void free_tensor(struct tensor *t)
{
    if (t)
        tensor_clear(t);
    mem_free(t);
}

static void release(struct resource *r)
{
    struct store *s = (struct store *)r;
    const char *key;
    void *t;

    for (int64_t i = 0; strmap_next(&s->tensors, &i, &key, &t);)
        free_tensor(t);
    strmap_release(&s->tensors);
    lock_release_memory(&s->lock);
    mem_free(s);
}

static const struct resource_type store_type = {.name = "SessionState", .release = release};

static struct resource *make(void *arg, struct status *st)
{
    struct store *s = mem_new(struct store);

    (void)arg;
    (void)st;
    resource_init(&s->base, &store_type);
    lock_init(&s->lock, "session tensors", LOCK_RANK_RESOURCE);
    return &s->base;
}

static struct store *store_of(struct resource_map *m, struct status *st)
{
    return (struct store *)resource_find_or_make(m, "", &store_type, STORE_NAME, make, NULL, st);
}

/* t is taken. */
static void put(struct store *s, const char *handle, struct tensor *t)
{
    struct tensor *kept = mem_new(struct tensor);

    *kept = tensor_take(t);
    lock_take(&s->lock);
    struct tensor *old = strmap_put(&s->tensors, handle, kept);
    lock_drop(&s->lock);
    free_tensor(old);
}

static struct tensor *take_out(struct store *s, struct str handle)
{
    lock_take(&s->lock);
    struct tensor *t = strmap_find_n(&s->tensors, handle.p, handle.n);

    if (t) {
        char *key = mem_strndup(handle.p, handle.n);

        strmap_remove(&s->tensors, key);
        mem_free(key);
    }
    lock_drop(&s->lock);
    return t;
}

/* Numbers count within a session, as TensorFlow's do: the handles of the same steps are the same.
 */
static bool new_id(struct kctx *c, int64_t *id, struct status *st)
{
    struct store *s = store_of(c->env->container_resources, st);
    if (!s)
        return false;
    *id = __atomic_fetch_add(&s->next_id, 1, __ATOMIC_RELAXED);
    resource_unref(&s->base);
    return true;
}

bool session_store_offer(struct kctx *c, struct tensor *t, char **handle, struct status *st)
{
    int64_t id = 0;
    struct store *s = new_id(c, &id, st) ? store_of(c->env->step_resources, st) : NULL;

    if (!s)
        return false;
    *handle = mem_printf("%s;%lld;%s", c->kernel->node_name, (long long)id, c->kernel->device);
    put(s, *handle, t);
    resource_unref(&s->base);
    return true;
}

static struct str handle_text(const struct tensor *t)
{
    if (t->dtype == DT_STRING && t->num_elems == 1)
        return tstr_view(tensor_str(t));
    if (t->dtype == DT_RESOURCE && t->num_elems == 1) {
        const struct handle *h = *(struct handle *const *)t->data;

        return str_of(h && h->name ? h->name : "");
    }
    return str_of("");
}

void session_store_keep(struct resource_map *step, struct resource_map *session, const char *op,
                        const struct tensor *fetched)
{
    struct status st = {0};

    if ((fetched->dtype != DT_STRING && fetched->dtype != DT_RESOURCE) ||
        strncmp(op, "GetSessionHandle", 16) != 0)
        return;
    struct resource *offered = resource_find(step, "", &store_type, STORE_NAME);
    struct store *kept = offered ? store_of(session, &st) : NULL;
    const struct str handle = handle_text(fetched);
    struct tensor *t = kept ? take_out((struct store *)offered, handle) : NULL;

    if (t) {
        char *key = mem_strndup(handle.p, handle.n);

        put(kept, key, t);
        mem_free(key);
        mem_free(t);
    }
    resource_unref(offered);
    resource_unref(kept ? &kept->base : NULL);
    status_clear(&st);
}

void session_store_keep_all(struct resource_map *step, struct resource_map *session)
{
    struct status st = {0};
    struct store *offered = (struct store *)resource_find(step, "", &store_type, STORE_NAME);
    struct store *kept = offered ? store_of(session, &st) : NULL;
    const char *key;
    void *value;
    for (int64_t i = 0; kept && strmap_next(&offered->tensors, &i, &key, &value);)
        put(kept, key, value); /* the step is over: nobody else looks at it */
    resource_unref(offered ? &offered->base : NULL);
    resource_unref(kept ? &kept->base : NULL);
    status_clear(&st);
}

static struct store *kept_of(struct kctx *c)
{
    return (struct store *)resource_find(c->env->container_resources, "", &store_type, STORE_NAME);
}

bool session_store_get(struct kctx *c, struct str handle, struct tensor *out, struct status *st)
{
    struct store *s = kept_of(c);
    struct tensor *t = NULL;

    if (s) {
        lock_take(&s->lock);
        t = strmap_find_n(&s->tensors, handle.p, handle.n);
        if (t)
            *out = tensor_copy(t);
        lock_drop(&s->lock);
        resource_unref(&s->base);
    }
    return t || status_invalid(st, "The tensor with handle '%.*s' is not in the session store.",
                               (int)handle.n, handle.p);
}

bool session_store_delete(struct kctx *c, struct str handle, struct status *st)
{
    struct store *s = kept_of(c);
    struct tensor *t = s ? take_out(s, handle) : NULL;

    resource_unref(s ? &s->base : NULL);
    if (!t)
        return status_invalid(st,
                              "Failed to delete a tensor with handle '%.*s' in the session store.",
                              (int)handle.n, handle.p);
    free_tensor(t);
    return true;
}
