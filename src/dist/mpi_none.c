/* SPDX-License-Identifier: Apache-2.0 */
/* MPI where it was left out when Leat was built: a job is one process. */
#include "config.h"
#include "dist/mpi.h"
#include "dist/mpi_link.h"

#if !LEAT_HAVE_MPI
static bool started; /* atomic */

bool mpi_init(struct status *st)
{
    if (mpi_launched_size() > 1)
        return status_unimplemented(st, "MPI: Leat was built without it (meson: -Dmpi=enabled)");
    __atomic_store_n(&started, true, __ATOMIC_RELEASE);
    return true;
}

int mpi_rank(void)
{
    return __atomic_load_n(&started, __ATOMIC_ACQUIRE) ? 0 : -1;
}

int mpi_size(void)
{
    return __atomic_load_n(&started, __ATOMIC_ACQUIRE) ? 1 : 0;
}

bool mpi_finalize(struct status *st)
{
    (void)st;
    __atomic_store_n(&started, false, __ATOMIC_RELEASE);
    return true;
}
#endif
