/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives over MPI: the processes that mpirun or srun started together are a group.
 *
 * libmpi is opened at run time, Open MPI or one with MPICH's binary interface (MPICH, Intel MPI,
 * MVAPICH), and only bytes are sent from one process to another by it: what is added up, and in
 * which order, is our own, so that every process has the same bits in every run. All of MPI is used
 * on one thread, which starts with mpi_init and ends with mpi_finalize. */
#ifndef LEAT_DIST_MPI_H
#define LEAT_DIST_MPI_H

#include "base/status.h"

/* Joins the processes of this job; where no launcher started this one, it is a job of one, and no
 * library is opened. A second call does nothing. UNIMPLEMENTED: this build has no MPI; NOT_FOUND:
 * there is no library; FAILED_PRECONDITION: library and launcher are not each other's, or
 * mpi_finalize was called. From now on groups of mpi_size() members are carried (op/collective.h).
 */
MUST_CHECK bool mpi_init(struct status *st);
/* -1 and 0 when mpi_init was not called, or failed. */
int mpi_rank(void);
int mpi_size(void);
/* Leaves the job, when all processes have called it: what others still wait for fails. Nothing when
 * mpi_init was not called. */
MUST_CHECK bool mpi_finalize(struct status *st);

#endif
