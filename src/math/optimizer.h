/* SPDX-License-Identifier: Apache-2.0 */
/* One training update of n parameters in one pass over memory.
 *
 * Formulas are those of TensorFlow 1.15's Apply* ops, evaluated in the variable's own type (half
 * and bfloat16: in float, rounded on store). Hyperparameters are given as double and rounded to
 * that type first. Elementwise, so any split gives the same bits. Sparse updates call these on
 * rows. */
#ifndef LEAT_MATH_OPTIMIZER_H
#define LEAT_MATH_OPTIMIZER_H

#include "base/base.h"
#include "base/pool.h"

enum math_optimizer {
    MATH_OPT_SGD,              /* var -= lr * g */
    MATH_OPT_MOMENTUM,         /* acc = acc * momentum + g; var -= lr * acc (nesterov: lr
                                * g + momentum * lr * acc) */
    MATH_OPT_ADAM,             /* m, v; alpha = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
                                */
    MATH_OPT_ADAGRAD,          /* acc += g^2 (where update_slots); var -= lr * g /
                                  sqrt(acc) */
    MATH_OPT_RMSPROP,          /* ms, mom */
    MATH_OPT_CENTERED_RMSPROP, /* ms, mom, mg */
    MATH_OPT_FTRL,             /* acc, linear */
    MATH_OPT_ADADELTA,         /* acc, acc_update */
    MATH_OPT_KERAS_MOMENTUM,   /* acc = acc * momentum - lr * g; var += acc (nesterov: acc *
                                * momentum - lr * g) */
    MATH_OPT_ADA_MAX,          /* m, v: the greatest |g|, decaying */
    MATH_OPT_AMSGRAD,          /* as ADAM, by vhat, the greatest v so far */
    MATH_OPT_ADD_SIGN,         /* m; var -= lr * (base + decay * sign(g) * sign(m)) * g */
    MATH_OPT_POWER_SIGN,       /* m; var -= lr * exp(base * decay * sign(g) * sign(m)) * g */
    MATH_OPT_PROXIMAL_SGD,     /* SGD, then shrinking by l1 and l2 */
    MATH_OPT_PROXIMAL_ADAGRAD, /* ADAGRAD, then shrinking by l1 and l2 */
    MATH_OPT_ADAGRAD_DA,       /* sums of g and of g^2 since the start, l1, l2, global_step */
};

/* slot[] holds, in this order: momentum {acc}, adam {m, v}, adagrad {acc}, rmsprop {ms, mom},
 * centered {ms, mom, mg}, ftrl {acc, linear}, adadelta {acc, acc_update}, keras {acc}, ada max {m,
 * v}, amsgrad {m, v, vhat}, add and power sign {m}, proximal adagrad {acc}, adagrad da {sum, sum of
 * squares}. */
struct math_update {
    enum math_optimizer kind;
    int dtype;
    int64_t n;
    void *var;
    void *slot[3];
    const void *grad;
    double lr;
    double momentum; /* momentum, rmsprop */
    double rho;      /* rmsprop, adadelta */
    double epsilon;  /* adam, rmsprop, adadelta; adagrad V2 (0: none) */
    double beta1, beta2, beta1_power, beta2_power; /* beta1: add and power sign's beta too */
    double l1, l2, l2_shrinkage, lr_power;         /* ftrl, proximal, adagrad da */
    double sign_base, sign_decay;                  /* add and power sign */
    double global_step;                            /* adagrad da */
    bool nesterov;                                 /* momentum, adam, keras momentum */
    bool update_slots;                             /* adagrad */
    bool rows;                                     /* set by math_update_sparse */
};

bool math_optimizer_supports(int dtype);
void math_update(struct pool *pool, const struct math_update *u);

/* var[indices[i]] updated with row i of grad (u->grad: num x row_items; u->n is ignored). For all
 * kinds but ADAM, ADA_MAX, AMSGRAD and the two of signs. Repeated indices apply one after another.
 * Returns -1, or the position of the first index outside [0, limit), and then changes nothing. */
struct math_sparse_rows {
    int index_dtype;
    const void *indices;
    int64_t num, limit, row_items;
};
int64_t math_update_sparse(struct pool *pool, const struct math_update *u,
                           const struct math_sparse_rows *rows);

#endif
