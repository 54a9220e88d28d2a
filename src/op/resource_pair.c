/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of two strings, as queues and readers had them before resources. */
#include "op/resource_pair.h"

#include <string.h>

#include "base/mem.h"

bool resource_pair(const struct kctx *c, const char *container, const char *name,
                   struct tensor *out, struct status *st)
{
    struct shape two = shape_1(2);

    if (!container[0] && c->env->container_resources)
        container = resource_map_default(c->env->container_resources);
    if (!tensor_new(out, DT_STRING, &two, st))
        return false;
    if (tstr_set(&tensor_str(out)[0], container, strlen(container)) &&
        tstr_set(&tensor_str(out)[1], name, strlen(name)))
        return true;
    tensor_clear(out);
    return status_exhausted(st, "no memory for the handle of %s", name);
}

/* The two strings behind input i, as texts that the caller frees. */
static bool read_pair(struct kctx *c, int i, char *text[2], struct status *st)
{
    struct tensor t = {0};
    bool ok = variable_read(kernel_ref(c, i), &t, st);

    if (ok && (t.dtype != DT_STRING || t.num_elems != 2))
        ok = status_invalid(st, "Resource handle must have 2 elements");
    for (int k = 0; ok && k < 2; k++) {
        struct str s = tstr_view(&tensor_str(&t)[k]);

        text[k] = mem_strndup(s.p, s.n);
    }
    tensor_clear(&t);
    return ok;
}

struct resource *resource_from_either(struct kctx *c, int i, const struct resource_type *type,
                                      struct status *st)
{
    char *text[2] = {NULL, NULL};
    struct resource *r = NULL;

    if (!dtype_is_ref(c->in[i]->dtype))
        return resource_from_input(c, i, type, st);
    if (read_pair(c, i, text, st))
        r = resource_get(resource_scope(c, text[0]), text[0], type, text[1], st);
    mem_free(text[0]);
    mem_free(text[1]);
    return r;
}
