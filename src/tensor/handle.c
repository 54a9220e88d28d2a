/* SPDX-License-Identifier: Apache-2.0 */
/* What RESOURCE and VARIANT elements point to. Any thread. */
#include "base/mem.h"
#include "tensor/tensor.h"

static char *dup_or_empty(const char *s)
{
    return mem_strdup(s ? s : "");
}

struct handle *handle_new(const char *device, const char *container, const char *name,
                          const char *type_name, uint64_t hash_code)
{
    struct handle *h = mem_new(struct handle);
    *h = (struct handle){.refs = 1,
                         .device = dup_or_empty(device),
                         .container = dup_or_empty(container),
                         .name = dup_or_empty(name),
                         .type_name = dup_or_empty(type_name),
                         .hash_code = hash_code};
    return h;
}

struct handle *handle_ref(struct handle *h)
{
    if (h)
        __atomic_fetch_add(&h->refs, 1, __ATOMIC_RELAXED);
    return h;
}

void handle_unref(struct handle *h)
{
    if (!h || __atomic_sub_fetch(&h->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (h->object && h->object_unref)
        h->object_unref(h->object);
    if (h->shapes)
        for (int i = 0; i < h->num_parts; i++)
            shape_clear(&h->shapes[i]);
    mem_free(h->shapes);
    mem_free(h->dtypes);
    mem_free(h->device);
    mem_free(h->container);
    mem_free(h->name);
    mem_free(h->type_name);
    mem_free(h);
}

struct variant *variant_ref(struct variant *v)
{
    if (v)
        __atomic_fetch_add(&v->refs, 1, __ATOMIC_RELAXED);
    return v;
}

void variant_unref(struct variant *v)
{
    if (v && __atomic_sub_fetch(&v->refs, 1, __ATOMIC_ACQ_REL) == 0)
        v->type->release(v);
}

/* --- variants kept as they came --- */

struct opaque_variant {
    struct variant base;
    struct strbuf bytes;
};

static void opaque_release(struct variant *v)
{
    strbuf_release(&((struct opaque_variant *)v)->bytes);
    mem_free(v);
}

static const struct variant_type opaque_type = {.name = "opaque", .release = opaque_release};

struct variant *variant_opaque(const void *bytes, size_t n)
{
    struct opaque_variant *o = mem_new(struct opaque_variant);
    o->base = (struct variant){.refs = 1, .type = &opaque_type};
    strbuf_add(&o->bytes, bytes, n);
    return &o->base;
}

bool variant_opaque_bytes(const struct variant *v, struct str *bytes)
{
    if (!v || v->type != &opaque_type)
        return false;
    const struct opaque_variant *o = (const struct opaque_variant *)v;
    *bytes = str_make(o->bytes.p, o->bytes.n);
    return true;
}
