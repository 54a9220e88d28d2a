/* SPDX-License-Identifier: Apache-2.0 */
/* How many processes the launcher started, as its environment says: mpirun of Open MPI and MPICH,
 * Hydra, srun. */
#include <stdlib.h>

#include "base/str.h"
#include "dist/mpi_link.h"

static int env_number(const char *name)
{
    const char *v = getenv(name);
    int64_t n = 0;
    return v && v[0] && str_to_i64(str_of(v), &n) && n > 0 && n < 1 << 24 ? (int)n : 0;
}

int mpi_launched_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                        "PMIX_SIZE", "SLURM_STEP_NUM_TASKS"};
    int n = 1;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const int there = env_number(names[i]);
        n = there > n ? there : n;
    }
    return n;
}
