/* SPDX-License-Identifier: Apache-2.0 */
/* Which sessions run elsewhere; and the devices of any session. */
#include "runtime/session_kind.h"

#include <string.h>

#include "base/mem.h"
#include "device/device.h"
#include "runtime/session_impl.h"

const struct session_kind_def *session_kind_find(const char *target)
{
    for (int i = 0; target && leat_all_session_kind_defs[i]; i++) {
        const struct session_kind_def *kind = leat_all_session_kind_defs[i];
        if (strncmp(target, kind->prefix, strlen(kind->prefix)) == 0)
            return kind;
    }
    return NULL;
}

bool session_devices(struct session *s, struct session_device_info **out, int *n, struct status *st)
{
    *out = NULL;
    *n = 0;
    if (s->kind) {
        if (!session_enter(s, st))
            return false;
        bool ok = s->kind->devices(s->remote, out, n, st);
        session_leave(s);
        return ok;
    }
    *n = s->num_devices;
    *out = mem_new_array(struct session_device_info, *n + 1);
    for (int i = 0; i < *n; i++) {
        const struct device *d = &s->devices[i];
        (*out)[i] = (struct session_device_info){mem_strdup(d->name), mem_strdup(d->def->type),
                                                 d->memory_bytes, d->incarnation};
    }
    return true;
}

void session_devices_free(struct session_device_info *v, int n)
{
    for (int i = 0; i < n; i++) {
        mem_free(v[i].name);
        mem_free(v[i].type);
    }
    mem_free(v);
}

bool sessions_reset_at(const struct config *config, const char *const *containers, int n,
                       struct status *st)
{
    const struct session_kind_def *kind = session_kind_find(config->target);
    if (kind)
        return kind->reset(config, containers, n, st);
    sessions_reset(containers, n);
    return true;
}
