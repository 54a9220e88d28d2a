/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of RFFT, RFFT2D and of IRFFT, IRFFT2D (rank 1 and 2). */
#ifndef LEAT_OPS_SPECTRAL_REAL_GRAD_H
#define LEAT_OPS_SPECTRAL_REAL_GRAD_H

#include "op/grad.h"

MUST_CHECK bool spectral_rfft_grad(struct grad_ctx *g, int rank, struct status *st);
MUST_CHECK bool spectral_irfft_grad(struct grad_ctx *g, int rank, struct status *st);

#endif
