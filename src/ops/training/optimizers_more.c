/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of the optimizers' ops that are used less: AdaMax, AMSGrad, AddSign, PowerSign,
 * Keras's momentum, the proximal ones and dual averaging. As in optimizers.c. */
#include "ops/training/apply.h"

/* clang-format off */
#define ADA_MAX_IN(V) "var: " V, "m: " V, "v: " V, "beta1_power: T", "lr: T", "beta1: T", \
                      "beta2: T", "epsilon: T", "grad: T"
#define AMSGRAD_IN(V) "var: " V, "m: " V, "v: " V, "vhat: " V, "beta1_power: T", \
                      "beta2_power: T", "lr: T", "beta1: T", "beta2: T", "epsilon: T", "grad: T"
#define ADD_SIGN_IN(V) "var: " V, "m: " V, "lr: T", "alpha: T", "sign_decay: T", "beta: T", \
                       "grad: T"
#define POWER_SIGN_IN(V) "var: " V, "m: " V, "lr: T", "logbase: T", "sign_decay: T", "beta: T", \
                         "grad: T"
#define KERAS_IN(V) "var: " V, "accum: " V, "lr: T", "grad: T", "momentum: T"
#define KERAS_ROWS_IN(V) "var: " V, "accum: " V, "lr: T", "grad: T", "indices: Tindices", \
                         "momentum: T"
#define PROXIMAL_IN(V) "var: " V, "alpha: T", "l1: T", "l2: T", "delta: T"
#define PROXIMAL_ROWS_IN(V) "var: " V, "alpha: T", "l1: T", "l2: T", "grad: T", \
                            "indices: Tindices"
#define PROXIMAL_ADAGRAD_IN(V) "var: " V, "accum: " V, "lr: T", "l1: T", "l2: T", "grad: T"
#define PROXIMAL_ADAGRAD_ROWS_IN(V) PROXIMAL_ADAGRAD_IN(V), "indices: Tindices"
#define DA_VARS(V) "var: " V, "gradient_accumulator: " V, "gradient_squared_accumulator: " V, \
                   "grad: T"
#define DA_REST "lr: T", "l1: T", "l2: T", "global_step: int64"
#define DA_IN(V) DA_VARS(V), DA_REST
#define DA_ROWS_IN(V) DA_VARS(V), "indices: Tindices", DA_REST
#define NESTEROV APPLY_LOCKING, "use_nesterov: bool = false"
/* clang-format on */
#define FLOAT_DOUBLE "T: {float, double}"

APPLY_DENSE(ada_max, "AdaMax", "A step of AdaMax", ADA_MAX_IN, APPLY_LOCKING, APPLY_FLOATS_NO_BF16);
APPLY_RESOURCE_OP(resource_apply_adam_with_amsgrad, "ResourceApplyAdamWithAmsgrad",
                  "A step of AMSGrad, by resource handles.", AMSGRAD_IN, APPLY_LOCKING);
APPLY_KERNEL(resource_apply_adam_with_amsgrad, "ResourceApplyAdamWithAmsgrad", APPLY_FLOATS);
APPLY_DENSE(add_sign, "AddSign", "A step of AddSign", ADD_SIGN_IN, APPLY_LOCKING, APPLY_FLOATS);
APPLY_DENSE(power_sign, "PowerSign", "A step of PowerSign", POWER_SIGN_IN, APPLY_LOCKING,
            APPLY_FLOATS);
APPLY_RESOURCE_OP(resource_apply_keras_momentum, "ResourceApplyKerasMomentum",
                  "A step of momentum with the rate inside the sum, by resource handles.", KERAS_IN,
                  APPLY_ATTRS(NESTEROV));
APPLY_KERNEL(resource_apply_keras_momentum, "ResourceApplyKerasMomentum", APPLY_FLOATS);
APPLY_RESOURCE_OP(resource_sparse_apply_keras_momentum, "ResourceSparseApplyKerasMomentum",
                  "The same for some rows.", KERAS_ROWS_IN, APPLY_ATTRS(APPLY_INDICES, NESTEROV));
APPLY_KERNEL(resource_sparse_apply_keras_momentum, "ResourceSparseApplyKerasMomentum",
             APPLY_FLOATS);
APPLY_DENSE(proximal_gradient_descent, "ProximalGradientDescent",
            "A step against the gradient, then shrinking", PROXIMAL_IN, APPLY_LOCKING,
            FLOAT_DOUBLE);
APPLY_SPARSE(proximal_gradient_descent, "ProximalGradientDescent",
             "A step against the gradient, then shrinking", PROXIMAL_ROWS_IN, APPLY_LOCKING,
             FLOAT_DOUBLE);
APPLY_DENSE(proximal_adagrad, "ProximalAdagrad", "A step of Adagrad, then shrinking",
            PROXIMAL_ADAGRAD_IN, APPLY_LOCKING, FLOAT_DOUBLE);
APPLY_SPARSE(proximal_adagrad, "ProximalAdagrad", "A step of Adagrad, then shrinking",
             PROXIMAL_ADAGRAD_ROWS_IN, APPLY_LOCKING, FLOAT_DOUBLE);
APPLY_DENSE(adagrad_da, "AdagradDA", "A step of Adagrad with dual averaging", DA_IN, APPLY_LOCKING,
            FLOAT_DOUBLE);
APPLY_SPARSE(adagrad_da, "AdagradDA", "A step of Adagrad with dual averaging", DA_ROWS_IN,
             APPLY_LOCKING, FLOAT_DOUBLE);
