/* SPDX-License-Identifier: Apache-2.0 */
/* Room in staging areas, and the way to one. */
#include "ops/data_flow/area.h"

struct resource *area_find(struct kctx *c, const struct resource_type *type,
                           struct resource *(*make)(void *arg, struct status *st),
                           struct status *st)
{
    struct area_room room = {.capacity = attrs_int(kernel_attrs(c), "capacity"),
                             .memory_limit = attrs_int(kernel_attrs(c), "memory_limit")};
    const char *container, *name;

    resource_names(c, true, &container, &name);
    return resource_find_or_make(c->env->container_resources, container, type, name, make, &room,
                                 st);
}

/* A string counts with its bytes. */
int64_t area_bytes(const struct tensor *t)
{
    int64_t bytes = (int64_t)tensor_bytes(t);

    for (int64_t i = 0; t->dtype == DT_STRING && i < t->num_elems; i++)
        bytes += (int64_t)tstr_view(&tensor_str(t)[i]).n;
    return bytes;
}

bool area_fits(const struct area_room *room, int64_t bytes, struct status *st)
{
    return room->memory_limit <= 0 || bytes <= room->memory_limit ||
           status_exhausted(st,
                            "Attempted to insert tensors with combined size of '%lld' bytes into "
                            "Staging Area with a memory limit of '%lld'.",
                            (long long)bytes, (long long)room->memory_limit);
}

bool area_has_room(const struct area_room *room, int64_t count, int64_t held, int64_t more)
{
    return (room->capacity <= 0 || count < room->capacity) &&
           (room->memory_limit <= 0 || held + more <= room->memory_limit);
}

bool area_give(struct kctx *c, int i, const struct tensor *t, struct status *st)
{
    if (t->dtype != kernel_output_type(c, i))
        return status_internal(st, "Output %d of type %s does not match declared output type %s", i,
                               dtype_name(t->dtype), dtype_name(kernel_output_type(c, i)));
    kernel_out_share(c, i, t);
    return true;
}
