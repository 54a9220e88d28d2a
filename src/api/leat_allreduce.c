/* SPDX-License-Identifier: Apache-2.0 */
/* leat_allreduce_init and what belongs to it: dist/mpi.h for a client. */
#include "api/api_tensor.h"
#include "dist/mpi.h"
#include "leat/allreduce.h"

int leat_allreduce_init(TF_Status *status)
{
    struct status st = {0};
    int ok = mpi_init(&st);
    api_return(status, &st);
    return ok;
}

int leat_allreduce_rank(void)
{
    return mpi_rank();
}

int leat_allreduce_size(void)
{
    return mpi_size();
}

int leat_allreduce_finalize(TF_Status *status)
{
    struct status st = {0};
    int ok = mpi_finalize(&st);
    api_return(status, &st);
    return ok;
}
