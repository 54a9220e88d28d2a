/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels by node name, and a list for each. All that were ever made stay until the store goes, as
 * plans point to them. */
#include "runtime/kernel_store.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"
#include "runtime/kernels.h"

struct kept {
    struct kernel *kernel;
    uint64_t attrs_hash;
    struct kept *older;
};

struct kernel_store {
    struct lock lock;
    struct strmap by_name; /* -> struct kept; guarded by lock */
};

struct kernel_store *kernel_store_new(void)
{
    struct kernel_store *s = mem_new(struct kernel_store);
    lock_init(&s->lock, "kernel store", LOCK_RANK_LEAF);
    return s;
}

void kernel_store_free(struct kernel_store *s)
{
    if (!s)
        return;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&s->by_name, &i, &key, &value);) {
        for (struct kept *older, *k = value; k; k = older) {
            older = k->older;
            kernel_free(k->kernel);
            mem_free(k);
        }
    }
    strmap_release(&s->by_name);
    lock_release_memory(&s->lock);
    mem_free(s);
}

static bool is_transfer(const struct op *op)
{
    return strcmp(op->name, "_Send") == 0 || strcmp(op->name, "_Recv") == 0 ||
           strcmp(op->name, "_HostSend") == 0 || strcmp(op->name, "_HostRecv") == 0;
}

bool kernel_store_wants(const struct op *op, const struct attrs *attrs)
{
    if (op->function || !op->def || !(op->def->flags & OP_STATEFUL) || is_transfer(op))
        return false;
    for (int64_t i = 0; i < attrs->n; i++) {
        if (attrs->items[i].value.kind == ATTR_FUNC)
            return false; /* what it calls belongs to one graph */
    }
    return true;
}

/* Attrs that begin with '_' are about the graph and not about what the kernel does. */
static bool hash_attrs(const struct attrs *attrs, uint64_t *out, struct status *st)
{
    struct arena a = {0};
    struct strbuf b = {0};
    uint64_t sum = 0;
    bool ok = true;
    for (int64_t i = 0; ok && i < attrs->n; i++) {
        const char *name = attrs->items[i].name;
        if (name[0] == '_')
            continue;
        strbuf_clear(&b);
        strbuf_add(&b, name, strlen(name) + 1);
        ok = pb_encode_with(attr_to_proto(&a, &attrs->items[i].value), PB_DETERMINISTIC, &b, st);
        sum += hash_bytes(b.p, b.n, 0); /* whatever their order */
    }
    *out = sum;
    strbuf_release(&b);
    arena_release(&a);
    return ok;
}

static struct kernel *find(struct kernel_store *s, const struct rnode *n,
                           const struct device *device, uint64_t hash)
{
    struct kept *k = strmap_find(&s->by_name, n->name);
    while (k && (k->kernel->op != n->op || k->attrs_hash != hash ||
                 strcmp(k->kernel->device, device->name) != 0))
        k = k->older;
    return k ? k->kernel : NULL;
}

struct kernel *kernel_store_get(struct kernel_store *s, const struct rnode *n,
                                const struct device *device, struct status *st)
{
    uint64_t hash;
    if (!hash_attrs(n->attrs, &hash, st))
        return NULL;
    lock_take(&s->lock);
    struct kernel *there = find(s, n, device, hash);
    lock_drop(&s->lock);
    if (there)
        return there;
    struct kernel *made = kernel_for_node(n, device, st);
    if (!made)
        return NULL;
    made->made_at = NULL; /* the graph's, which may go */
    lock_take(&s->lock);
    there = find(s, n, device, hash); /* another thread may have made it meanwhile */
    if (!there) {
        struct kept *k = mem_new(struct kept);
        *k = (struct kept){made, hash, strmap_find(&s->by_name, n->name)};
        strmap_put(&s->by_name, n->name, k);
    }
    lock_drop(&s->lock);
    if (there)
        kernel_free(made);
    return there ? there : made;
}
