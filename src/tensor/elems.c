/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in bulk: copying and releasing, with care for those that own memory. */
#include "tensor/tensor.h"

#include <string.h>

static bool copy_strings(struct tstr *dst, const struct tstr *src, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!tstr_set(&dst[i], tstr_data(&src[i]), tstr_len(&src[i])))
            return false;
    return true;
}

/* The new reference is taken first: both may be the same object. */
static void copy_handles(struct handle **dst, struct handle *const *src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct handle *old = dst[i];
        dst[i] = handle_ref(src[i]);
        handle_unref(old);
    }
}

static void copy_variants(struct variant **dst, struct variant *const *src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct variant *old = dst[i];
        dst[i] = variant_ref(src[i]);
        variant_unref(old);
    }
}

bool elems_copy(int dtype, void *dst, const void *src, int64_t n)
{
    if (n <= 0)
        return true;
    switch (dtype) {
    case DT_STRING:
        return copy_strings(dst, src, n);
    case DT_RESOURCE:
        copy_handles(dst, src, n);
        return true;
    case DT_VARIANT:
        copy_variants(dst, src, n);
        return true;
    default:
        memcpy(dst, src, (size_t)n * dtype_size(dtype));
        return true;
    }
}

void elems_release(int dtype, void *elems, int64_t n)
{
    if (dtype == DT_STRING)
        for (int64_t i = 0; i < n; i++)
            tstr_clear((struct tstr *)elems + i);
    else if (dtype == DT_RESOURCE)
        for (int64_t i = 0; i < n; i++) {
            struct handle **h = (struct handle **)elems + i;
            handle_unref(*h);
            *h = NULL;
        }
    else if (dtype == DT_VARIANT)
        for (int64_t i = 0; i < n; i++) {
            struct variant **v = (struct variant **)elems + i;
            variant_unref(*v);
            *v = NULL;
        }
}
