/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of the optimizers' ops: gradient descent, momentum, Adam, Adagrad, RMSProp,
 * FTRL and Adadelta, each dense and (where it exists) sparse, on references and on resources.
 *
 * The kernel of all is in apply.c, the arithmetic in math/optimizer.h. */
#include "ops/training/apply.h"

/* clang-format off */
#define SGD_IN(V) "var: " V, "alpha: T", "delta: T"
#define MOMENTUM_IN(V) "var: " V, "accum: " V, "lr: T", "grad: T", "momentum: T"
#define MOMENTUM_ROWS_IN(V) "var: " V, "accum: " V, "lr: T", "grad: T", "indices: Tindices", \
                            "momentum: T"
#define ADAM_IN(V) "var: " V, "m: " V, "v: " V, "beta1_power: T", "beta2_power: T", "lr: T", \
                   "beta1: T", "beta2: T", "epsilon: T", "grad: T"
#define ADAGRAD_IN(V) "var: " V, "accum: " V, "lr: T", "grad: T"
#define ADAGRAD_ROWS_IN(V) ADAGRAD_IN(V), "indices: Tindices"
#define ADAGRAD2_IN(V) "var: " V, "accum: " V, "lr: T", "epsilon: T", "grad: T"
#define ADAGRAD2_ROWS_IN(V) ADAGRAD2_IN(V), "indices: Tindices"
#define RMSPROP_REST "lr: T", "rho: T", "momentum: T", "epsilon: T", "grad: T"
#define RMSPROP_IN(V) "var: " V, "ms: " V, "mom: " V, RMSPROP_REST
#define RMSPROP_ROWS_IN(V) RMSPROP_IN(V), "indices: Tindices"
#define CENTERED_IN(V) "var: " V, "mg: " V, "ms: " V, "mom: " V, RMSPROP_REST
#define CENTERED_ROWS_IN(V) CENTERED_IN(V), "indices: Tindices"
#define FTRL_VARS(V) "var: " V, "accum: " V, "linear: " V, "grad: T"
#define FTRL_REST "lr: T", "l1: T", "l2: T", "lr_power: T"
#define FTRL2_REST "lr: T", "l1: T", "l2: T", "l2_shrinkage: T", "lr_power: T"
#define FTRL_IN(V) FTRL_VARS(V), FTRL_REST
#define FTRL_ROWS_IN(V) FTRL_VARS(V), "indices: Tindices", FTRL_REST
#define FTRL2_IN(V) FTRL_VARS(V), FTRL2_REST
#define FTRL2_ROWS_IN(V) FTRL_VARS(V), "indices: Tindices", FTRL2_REST
#define ADADELTA_IN(V) "var: " V, "accum: " V, "accum_update: " V, "lr: T", "rho: T", \
                       "epsilon: T", "grad: T"
#define ADADELTA_ROWS_IN(V) ADADELTA_IN(V), "indices: Tindices"
#define NESTEROV APPLY_LOCKING, "use_nesterov: bool = false"
#define SLOTS APPLY_LOCKING, "update_slots: bool = true"
/* clang-format on */

APPLY_DENSE(gradient_descent, "GradientDescent", "A step against the gradient", SGD_IN,
            APPLY_LOCKING, APPLY_FLOATS);
APPLY_DENSE(momentum, "Momentum", "A step along the decaying sum of gradients", MOMENTUM_IN,
            APPLY_ATTRS(NESTEROV), APPLY_FLOATS);
APPLY_SPARSE(momentum, "Momentum", "A step along the decaying sum of gradients", MOMENTUM_ROWS_IN,
             APPLY_ATTRS(NESTEROV), APPLY_FLOATS);
APPLY_DENSE(adam, "Adam", "A step of Adam", ADAM_IN, APPLY_ATTRS(NESTEROV), APPLY_FLOATS);
APPLY_DENSE(adagrad, "Adagrad", "A step of Adagrad", ADAGRAD_IN, APPLY_ATTRS(SLOTS), APPLY_FLOATS);
APPLY_SPARSE(adagrad, "Adagrad", "A step of Adagrad", ADAGRAD_ROWS_IN, APPLY_ATTRS(SLOTS),
             APPLY_FLOATS);
APPLY_DENSE(adagrad_v2, "AdagradV2", "A step of Adagrad with an epsilon", ADAGRAD2_IN,
            APPLY_ATTRS(SLOTS), APPLY_FLOATS);
APPLY_SPARSE(adagrad_v2, "AdagradV2", "A step of Adagrad with an epsilon", ADAGRAD2_ROWS_IN,
             APPLY_ATTRS(SLOTS), APPLY_FLOATS);
APPLY_DENSE(rms_prop, "RMSProp", "A step of RMSProp", RMSPROP_IN, APPLY_LOCKING, APPLY_FLOATS);
APPLY_SPARSE(rms_prop, "RMSProp", "A step of RMSProp", RMSPROP_ROWS_IN, APPLY_LOCKING,
             APPLY_FLOATS_NO_BF16);
APPLY_DENSE(centered_rms_prop, "CenteredRMSProp", "A step of centered RMSProp", CENTERED_IN,
            APPLY_LOCKING, APPLY_FLOATS);
APPLY_SPARSE(centered_rms_prop, "CenteredRMSProp", "A step of centered RMSProp", CENTERED_ROWS_IN,
             APPLY_LOCKING, APPLY_FLOATS_NO_BF16);
APPLY_DENSE(ftrl, "Ftrl", "A step of FTRL-proximal", FTRL_IN, APPLY_LOCKING, APPLY_FLOATS);
APPLY_SPARSE(ftrl, "Ftrl", "A step of FTRL-proximal", FTRL_ROWS_IN, APPLY_LOCKING, APPLY_FLOATS);
APPLY_DENSE(ftrl_v2, "FtrlV2", "A step of FTRL-proximal with shrinkage", FTRL2_IN, APPLY_LOCKING,
            APPLY_FLOATS);
APPLY_SPARSE(ftrl_v2, "FtrlV2", "A step of FTRL-proximal with shrinkage", FTRL2_ROWS_IN,
             APPLY_LOCKING, APPLY_FLOATS);
APPLY_DENSE(adadelta, "Adadelta", "A step of Adadelta", ADADELTA_IN, APPLY_LOCKING, APPLY_FLOATS);
APPLY_SPARSE(adadelta, "Adadelta", "A step of Adadelta", ADADELTA_ROWS_IN, APPLY_LOCKING,
             APPLY_FLOATS);
