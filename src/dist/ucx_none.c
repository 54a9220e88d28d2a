/* SPDX-License-Identifier: Apache-2.0 */
/* UCX where it was left out when Leat was built: tensors between hosts travel by gRPC. */
#include "config.h"
#include "dist/plane_impl.h"

#if !LEAT_HAVE_UCX
static bool ucx_open(struct planes *p, struct status *st)
{
    if (!p->security || !p->security->insecure)
        return false; /* it would not be used */
    return status_unimplemented(st, "Leat was built without it (Debian: libucx-dev; meson: "
                                    "-Ducx=enabled)");
}

const struct plane_ops plane_ucx = {
    .name = "UCX", .word = "ucx", .number = PB_LEAT_PEER_PLANE_UCX, .open = ucx_open};
#endif
