/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of SelfAdjointEigV2, Qr and Svd. */
#ifndef LEAT_OPS_MATRIX_SPECTRAL_H
#define LEAT_OPS_MATRIX_SPECTRAL_H

#include "op/grad.h"

bool spectral_eig_grad(struct grad_ctx *g, struct status *st);
bool spectral_qr_grad(struct grad_ctx *g, struct status *st);
bool spectral_svd_grad(struct grad_ctx *g, struct status *st);

#endif
