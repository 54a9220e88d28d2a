/* SPDX-License-Identifier: Apache-2.0 */
/* Learning rates that change with the step: a float scalar, for an optimizer's
 * .learning_rate_tensor.
 *
 *     TF_Output rate = leat_exponential_decay(g, step, .learning_rate = 0.1, .decay_steps = 1000,
 *                                             .decay_rate = 0.96);
 *     opt = leat_gradient_descent(g, .learning_rate_tensor = rate);
 *
 * step is a variable or a tensor of any number type. In the formulas r is the learning rate, t the
 * step, T decay_steps, k decay_rate, x the part min(t, T) / T. All are tf.train's of
 * TensorFlow 1.15. Errors (INVALID_ARGUMENT: decay_steps is not given or not positive):
 * leat_graph_status. Any thread. */
#ifndef LEAT_DECAY_H
#define LEAT_DECAY_H

#include "leat/constant.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_decay_args {
    const char *made_at;
    TF_Graph *g;
    TF_Output global_step;
    double learning_rate;
    double decay_steps, decay_rate;
    bool staircase;           /* t / T is rounded down */
    double end_learning_rate; /* polynomial: 0.0001 */
    double power;             /* polynomial: 1 */
    bool cycle;               /* polynomial: T grows to the next multiple that t has not reached */
    double alpha;             /* cosine: the least, as a part of r; the linear ones: 0 */
    double beta;              /* the linear ones: 0.001 */
    double num_periods;       /* the linear ones: 0.5 */
    double t_mul, m_mul;      /* restarts: 2, 1 */
    double initial_variance, variance_decay; /* noisy: 1, 0.55 */
    const char *name;
};
LEAT_EXPORT void leat_decay_args_init(struct leat_decay_args *args);

/* r k^(t/T) */
LEAT_EXPORT TF_Output leat_exponential_decay_fn(const struct leat_decay_args *args);
/* r e^(-k t/T) */
LEAT_EXPORT TF_Output leat_natural_exp_decay_fn(const struct leat_decay_args *args);
/* r / (1 + k t/T) */
LEAT_EXPORT TF_Output leat_inverse_time_decay_fn(const struct leat_decay_args *args);
/* (r - end) (1 - x)^power + end */
LEAT_EXPORT TF_Output leat_polynomial_decay_fn(const struct leat_decay_args *args);
/* r ((1 - alpha) (1 + cos(pi x)) / 2 + alpha) */
LEAT_EXPORT TF_Output leat_cosine_decay_fn(const struct leat_decay_args *args);
/* The same, starting again: each period is t_mul times as long and m_mul times as high as the one
 * before (Loshchilov and Hutter 2016). */
LEAT_EXPORT TF_Output leat_cosine_decay_restarts_fn(const struct leat_decay_args *args);
/* r ((alpha + 1 - x) (1 + cos(2 pi num_periods x)) / 2 + beta) (Bello et al. 2017) */
LEAT_EXPORT TF_Output leat_linear_cosine_decay_fn(const struct leat_decay_args *args);
/* With noise of variance initial_variance / (1 + t)^variance_decay on 1 - x. */
LEAT_EXPORT TF_Output leat_noisy_linear_cosine_decay_fn(const struct leat_decay_args *args);
/* values.v[i] while t <= boundaries.v[i], the last one after: one value more than boundaries. */
LEAT_EXPORT TF_Output leat_piecewise_constant(TF_Graph *g, TF_Output global_step,
                                              struct leat_ints boundaries,
                                              struct leat_floats values);

#ifdef __cplusplus
}
#else

#define LEAT_DECAY_DEFAULTS_                                                                       \
    .end_learning_rate = 1e-4, .power = 1, .beta = 1e-3, .num_periods = 0.5, .t_mul = 2,           \
    .m_mul = 1, .initial_variance = 1, .variance_decay = 0.55,
#define LEAT_DECAY_CALL_(f, ...)                                                                   \
    LEAT_CALL_(f, leat_decay_args, LEAT_DECAY_DEFAULTS_, .g, __VA_ARGS__)
/* (g, step, .learning_rate = r, .decay_steps = T, .decay_rate = k, ...) */
#define leat_exponential_decay(...) LEAT_DECAY_CALL_(leat_exponential_decay_fn, __VA_ARGS__)
#define leat_natural_exp_decay(...) LEAT_DECAY_CALL_(leat_natural_exp_decay_fn, __VA_ARGS__)
#define leat_inverse_time_decay(...) LEAT_DECAY_CALL_(leat_inverse_time_decay_fn, __VA_ARGS__)
#define leat_polynomial_decay(...) LEAT_DECAY_CALL_(leat_polynomial_decay_fn, __VA_ARGS__)
#define leat_cosine_decay(...) LEAT_DECAY_CALL_(leat_cosine_decay_fn, __VA_ARGS__)
#define leat_cosine_decay_restarts(...) LEAT_DECAY_CALL_(leat_cosine_decay_restarts_fn, __VA_ARGS__)
#define leat_linear_cosine_decay(...) LEAT_DECAY_CALL_(leat_linear_cosine_decay_fn, __VA_ARGS__)
#define leat_noisy_linear_cosine_decay(...)                                                        \
    LEAT_DECAY_CALL_(leat_noisy_linear_cosine_decay_fn, __VA_ARGS__)

#endif

#endif
