/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: RESOURCE elements that name a resource, and the way back from one to its resource. */
#include <string.h>

#include "base/map.h"
#include "op/kernel.h"
#include "op/kernel_names.h"
#include "op/resource.h"

struct resource_map *resource_scope(const struct kctx *c, const char *container)
{
    const struct kernel_env *env = c->env;
    if (env->step_resources && strcmp(container, resource_map_default(env->step_resources)) == 0)
        return env->step_resources;
    if (env->process_resources &&
        strcmp(container, resource_map_default(env->process_resources)) == 0)
        return env->process_resources;
    return env->container_resources;
}

bool resource_make_handle(struct kctx *c, const char *container, const char *name,
                          const struct resource_type *type, struct tensor *out, struct status *st)
{
    if ((!container || !container[0]) && c->env->container_resources)
        container = resource_map_default(c->env->container_resources);
    struct shape scalar = shape_scalar();
    struct tensor t;
    if (!tensor_new(&t, DT_RESOURCE, &scalar, st))
        return false;
    uint64_t hash = hash_stable(type->name, strlen(type->name));
    *(struct handle **)t.data =
        handle_new(c->kernel->device, container ? container : "", name, type->name, hash);
    *out = t;
    return true;
}

static const struct handle *input_handle(const struct kctx *c, int i, struct status *st)
{
    const struct tensor *t = c->in[i];
    if (t->dtype != DT_RESOURCE || t->num_elems != 1) {
        struct strbuf shape = {0};
        shape_print(&t->shape, &shape);
        status_invalid(st, "input %d must be a resource scalar, not %s of shape %s", i,
                       dtype_name(t->dtype), strbuf_text(&shape));
        strbuf_release(&shape);
        return NULL;
    }
    const struct handle *h = *(struct handle *const *)t->data;
    if (!h)
        status_invalid(st, "input %d is a resource handle that stands for nothing", i);
    return h;
}

static bool check_handle(const struct kctx *c, const struct handle *h,
                         const struct resource_type *type, struct status *st)
{
    const char *device = c->kernel->device;
    if (device && device[0] && h->device && h->device[0] && strcmp(device, h->device) != 0)
        return status_invalid(st,
                              "Trying to access resource %s located in device %s from device %s",
                              h->name, h->device, device);
    if (h->type_name && h->type_name[0] && strcmp(h->type_name, type->name) != 0)
        return status_invalid(st,
                              "Trying to access resource using the wrong type. Expected %s got %s",
                              h->type_name, type->name);
    return true;
}

struct resource *resource_from_input(struct kctx *c, int i, const struct resource_type *type,
                                     struct status *st)
{
    const struct handle *h = input_handle(c, i, st);
    if (!h || !check_handle(c, h, type, st))
        return NULL;
    if (h->object) {
        struct resource *r = h->object;
        resource_ref(r);
        return r;
    }
    const char *container = h->container ? h->container : "";
    return resource_get(resource_scope(c, container), container, type, h->name ? h->name : "", st);
}

void resource_names(const struct kctx *c, bool use_node_name, const char **container,
                    const char **name)
{
    *container = kernel_container(c->kernel);
    *name = kernel_resource_name(c->kernel, use_node_name,
                                 c->env->changes ? c->env->session_handle : NULL);
}
