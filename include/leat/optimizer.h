/* SPDX-License-Identifier: Apache-2.0 */
/* Optimizers: the nodes that change variables so that a loss falls.
 *
 *     leat_optimizer *adam = leat_adam(g, .learning_rate = 1e-3);
 *     TF_Operation *train = leat_minimize(adam, loss);
 *     leat_optimizer_free(adam);                  the nodes stay
 *
 * The nodes, their names and those of the slots ("W/Adam", "W/Adam_1", "beta1_power") are
 * TensorFlow 1.15's, so are the numbers. Gradients that are slices (of embedding_lookup, Gather)
 * touch only their rows, each once. Variables may be references or resources, float or double.
 *
 * An optimizer keeps the slots that it made: applied again, it uses them again. It is for one
 * thread; it refers to its graph, which must outlive it, and is the caller's to free. Errors are
 * the graph's (leat_graph_status): a failing function returns NULL, and NULL passes through. */
#ifndef LEAT_OPTIMIZER_H
#define LEAT_OPTIMIZER_H

#include "leat/constant.h"
#include "leat/gradients.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leat_optimizer leat_optimizer;

/* Every one begins with these. The rate is a number or, where it changes, a tensor (a decay of
 * leat/decay.h, a placeholder). name: of the nodes, NULL the optimizer's own ("Adam"). */
#define LEAT_OPTIMIZER_ARGS_                                                                       \
    const char *made_at;                                                                           \
    TF_Graph *g;                                                                                   \
    double learning_rate;                                                                          \
    TF_Output learning_rate_tensor; /* counts, if given */                                         \
    bool use_locking;                                                                              \
    const char *name;

/* w -= rate * gradient. No default of the rate. */
struct leat_gradient_descent_args {
    LEAT_OPTIMIZER_ARGS_
};
/* a = momentum * a + gradient; w -= rate * a (Nesterov's: w -= rate * (gradient + momentum * a)).
 * No default of the rate. */
struct leat_momentum_args {
    LEAT_OPTIMIZER_ARGS_
    double momentum; /* 0.9 */
    bool use_nesterov;
};
/* Kingma and Ba 2014, algorithm 1 in the form before section 2.1's: epsilon is their epsilon-hat.
 * 0.001, 0.9, 0.999, 1e-8. */
struct leat_adam_args {
    LEAT_OPTIMIZER_ARGS_
    double beta1, beta2, epsilon;
};
/* Duchi, Hazan and Singer 2011. No default of the rate; the accumulators begin at 0.1. */
struct leat_adagrad_args {
    LEAT_OPTIMIZER_ARGS_
    double initial_accumulator;
};
/* Tieleman and Hinton 2012; centered: by the variance (Graves 2013). No default of the rate; decay
 * 0.9, momentum 0, epsilon 1e-10. */
struct leat_rmsprop_args {
    LEAT_OPTIMIZER_ARGS_
    double decay, momentum, epsilon;
    bool centered;
};
/* McMahan et al. 2013, algorithm 1, with L2 shrinkage beside. No default of the rate; power -0.5,
 * accumulators 0.1, the strengths 0. */
struct leat_ftrl_args {
    LEAT_OPTIMIZER_ARGS_
    double learning_rate_power, initial_accumulator, l1, l2, l2_shrinkage;
};
/* Zeiler 2012. 0.001, rho 0.95, epsilon 1e-8. */
struct leat_adadelta_args {
    LEAT_OPTIMIZER_ARGS_
    double rho, epsilon;
};

LEAT_EXPORT void leat_gradient_descent_args_init(struct leat_gradient_descent_args *args);
LEAT_EXPORT void leat_momentum_args_init(struct leat_momentum_args *args);
LEAT_EXPORT void leat_adam_args_init(struct leat_adam_args *args);
LEAT_EXPORT void leat_adagrad_args_init(struct leat_adagrad_args *args);
LEAT_EXPORT void leat_rmsprop_args_init(struct leat_rmsprop_args *args);
LEAT_EXPORT void leat_ftrl_args_init(struct leat_ftrl_args *args);
LEAT_EXPORT void leat_adadelta_args_init(struct leat_adadelta_args *args);

/* Errors: INVALID_ARGUMENT (no rate; a value out of its range); UNIMPLEMENTED. */
LEAT_EXPORT leat_optimizer *leat_gradient_descent_fn(const struct leat_gradient_descent_args *args);
LEAT_EXPORT leat_optimizer *leat_momentum_fn(const struct leat_momentum_args *args);
LEAT_EXPORT leat_optimizer *leat_adam_fn(const struct leat_adam_args *args);
LEAT_EXPORT leat_optimizer *leat_adagrad_fn(const struct leat_adagrad_args *args);
LEAT_EXPORT leat_optimizer *leat_rmsprop_fn(const struct leat_rmsprop_args *args);
LEAT_EXPORT leat_optimizer *leat_ftrl_fn(const struct leat_ftrl_args *args);
LEAT_EXPORT leat_optimizer *leat_adadelta_fn(const struct leat_adadelta_args *args);
LEAT_EXPORT void leat_optimizer_free(leat_optimizer *opt);

/* ---- training ---- */

struct leat_minimize_args {
    const char *made_at;
    leat_optimizer *opt;
    TF_Output loss;               /* any shape: the sum of its elements falls */
    struct leat_outputs var_list; /* not given: the trainable variables */
    TF_Output global_step;        /* a variable that is increased by one after the updates */
    TF_Output grad_loss;          /* the gradient of what is minimised by loss; not given: ones */
    const char *name;
};
LEAT_EXPORT void leat_minimize_args_init(struct leat_minimize_args *args);
/* The operation that computes the gradients and updates the variables: leat_compute_gradients, then
 * leat_apply_gradients. Errors: theirs. */
LEAT_EXPORT TF_Operation *leat_minimize_fn(const struct leat_minimize_args *args);

/* The gradients of loss by vars into grads[0, vars.n), those that do not depend on it being
 * invalid outputs. 1, or 0 after an error. */
LEAT_EXPORT int leat_compute_gradients(leat_optimizer *opt, TF_Output loss,
                                       struct leat_outputs vars, TF_Output grad_loss,
                                       struct leat_grad *grads);

struct leat_apply_gradients_args {
    const char *made_at;
    leat_optimizer *opt;
    const struct leat_grad *grads; /* of each of vars; an invalid one: vars[i] stays as it is */
    struct leat_outputs vars;
    TF_Output global_step;
    const char *name;
};
LEAT_EXPORT void leat_apply_gradients_args_init(struct leat_apply_gradients_args *args);
/* The operation that updates vars; added to the collection train_op. Errors: INVALID_ARGUMENT (no
 * gradient at all; what is no variable), UNIMPLEMENTED (a variable whose shape is not known). */
LEAT_EXPORT TF_Operation *leat_apply_gradients_fn(const struct leat_apply_gradients_args *args);

/* The slot of a variable, as a variable: "momentum" (Momentum); "m", "v" (Adam); "accumulator"
 * (Adagrad); "rms", "mg", "momentum" (RMSProp); "accum", "linear" (Ftrl); "accum", "accum_update"
 * (Adadelta). The invalid output where there is none (yet). */
LEAT_EXPORT TF_Output leat_get_slot(leat_optimizer *opt, TF_Output var, const char *slot);

#ifdef __cplusplus
}
#else

#define LEAT_RATE_NOT_GIVEN_ .learning_rate = __builtin_nan("")
#define LEAT_GRADIENT_DESCENT_DEFAULTS_ LEAT_RATE_NOT_GIVEN_,
#define LEAT_MOMENTUM_DEFAULTS_ LEAT_RATE_NOT_GIVEN_, .momentum = 0.9,
#define LEAT_ADAM_DEFAULTS_ .learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8,
#define LEAT_ADAGRAD_DEFAULTS_ LEAT_RATE_NOT_GIVEN_, .initial_accumulator = 0.1,
#define LEAT_RMSPROP_DEFAULTS_ LEAT_RATE_NOT_GIVEN_, .decay = 0.9, .epsilon = 1e-10,
#define LEAT_FTRL_DEFAULTS_                                                                        \
    LEAT_RATE_NOT_GIVEN_, .learning_rate_power = -0.5, .initial_accumulator = 0.1,
#define LEAT_ADADELTA_DEFAULTS_ .learning_rate = 1e-3, .rho = 0.95, .epsilon = 1e-8,
#define LEAT_MINIMIZE_DEFAULTS_ .var_list = {NULL, LEAT_NOT_GIVEN},

#define leat_gradient_descent(...)                                                                 \
    LEAT_CALL_(leat_gradient_descent_fn, leat_gradient_descent_args,                               \
               LEAT_GRADIENT_DESCENT_DEFAULTS_, .g, __VA_ARGS__)
#define leat_momentum(...)                                                                         \
    LEAT_CALL_(leat_momentum_fn, leat_momentum_args, LEAT_MOMENTUM_DEFAULTS_, .g, __VA_ARGS__)
#define leat_adam(...)                                                                             \
    LEAT_CALL_(leat_adam_fn, leat_adam_args, LEAT_ADAM_DEFAULTS_, .g, __VA_ARGS__)
#define leat_adagrad(...)                                                                          \
    LEAT_CALL_(leat_adagrad_fn, leat_adagrad_args, LEAT_ADAGRAD_DEFAULTS_, .g, __VA_ARGS__)
#define leat_rmsprop(...)                                                                          \
    LEAT_CALL_(leat_rmsprop_fn, leat_rmsprop_args, LEAT_RMSPROP_DEFAULTS_, .g, __VA_ARGS__)
#define leat_ftrl(...)                                                                             \
    LEAT_CALL_(leat_ftrl_fn, leat_ftrl_args, LEAT_FTRL_DEFAULTS_, .g, __VA_ARGS__)
#define leat_adadelta(...)                                                                         \
    LEAT_CALL_(leat_adadelta_fn, leat_adadelta_args, LEAT_ADADELTA_DEFAULTS_, .g, __VA_ARGS__)
#define leat_minimize(...)                                                                         \
    LEAT_CALL_(leat_minimize_fn, leat_minimize_args, LEAT_MINIMIZE_DEFAULTS_, .opt, __VA_ARGS__)
#define leat_apply_gradients(...)                                                                  \
    LEAT_CALL_(leat_apply_gradients_fn, leat_apply_gradients_args, LEAT_NO_DEFAULTS_, .opt,        \
               __VA_ARGS__)

#endif

#endif
