/* SPDX-License-Identifier: Apache-2.0 */
/* The seven optimizers: a row of what each keeps and passes to its ops, and their constructors.
 *
 * A new one that its ops describe wholly is a row, an args struct and a constructor. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "build/optimizer.h"
#include "leat/optimizer.h"

/* clang-format off */
static const struct optimizer_rule descent_rule = {
    .op = "GradientDescent", .hyper = {"learning_rate"},
    .dense = "vag", .update_sparse = optimizer_sparse_descent,
};
static const struct optimizer_rule momentum_rule = {
    .op = "Momentum", .slots = {{"momentum", START_ZEROS}}, .hyper = {"learning_rate", "momentum"},
    .dense = "vsagb", .sparse = "vsagib",
};
static const struct optimizer_rule adam_rule = {
    .op = "Adam", .slots = {{"m", START_ZEROS}, {"v", START_ZEROS}},
    .hyper = {"learning_rate", "beta1", "beta2", "epsilon"},
    .dense = "vstpqabcdg", .update_sparse = optimizer_sparse_adam,
};
static const struct optimizer_rule adagrad_rule = {
    .op = "Adagrad", .slots = {{"accumulator", START_FULL}}, .hyper = {"learning_rate"},
    .dense = "vsag", .sparse = "vsagi",
};
static const struct optimizer_rule rmsprop_rule = {
    .op = "RMSProp", .slots = {{"rms", START_ONES}, {"momentum", START_ZEROS}},
    .hyper = {"learning_rate", "decay", "momentum", "epsilon"},
    .dense = "vstabcdg", .sparse = "vstabcdgi",
};
static const struct optimizer_rule centered_rmsprop_rule = {
    .op = "CenteredRMSProp",
    .slots = {{"rms", START_ONES}, {"mg", START_ZEROS}, {"momentum", START_ZEROS}},
    .hyper = {"learning_rate", "decay", "momentum", "epsilon"},
    .dense = "vtsuabcdg", .sparse = "vtsuabcdgi",
};
#define FTRL_STATE                                                                                 \
    .slots = {{"accum", START_TENSOR}, {"linear", START_ZEROS}},                                   \
    .hyper = {"learning_rate", "l1_regularization_strength", "l2_regularization_strength",         \
              "l2_shrinkage_regularization_strength", "learning_rate_power"}
static const struct optimizer_rule ftrl_rule = {
    .op = "Ftrl", FTRL_STATE, .dense = "vstgabce", .sparse = "vstgiabce",
};
static const struct optimizer_rule ftrl_v2_rule = {
    .op = "FtrlV2", FTRL_STATE, .dense = "vstgabcde", .sparse = "vstgiabcde",
};
static const struct optimizer_rule adadelta_rule = {
    .op = "Adadelta", .slots = {{"accum", START_ZEROS}, {"accum_update", START_ZEROS}},
    .hyper = {"lr", "rho", "epsilon"},
    .dense = "vstabcg", .sparse = "vstabcgi",
};
/* clang-format on */

/* What the constructors have in common, taken from any of their arguments. */
struct common_args {
    LEAT_OPTIMIZER_ARGS_
};

static leat_optimizer *optimizer_new(const struct common_args *a, const struct optimizer_rule *rule,
                                     const char *name, const double *hyper)
{
    if (!a->g)
        return NULL;
    if (!leat_valid(a->learning_rate_tensor) && !isfinite(a->learning_rate)) {
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: .learning_rate or .learning_rate_tensor must be given", name);
        return NULL;
    }
    leat_optimizer *opt = mem_new(leat_optimizer);
    opt->g = a->g;
    opt->rule = rule;
    opt->name = mem_strdup(a->name && *a->name ? a->name : name);
    opt->rate = a->learning_rate_tensor;
    opt->use_locking = a->use_locking;
    opt->hyper[0] = a->learning_rate;
    if (hyper)
        memcpy(opt->hyper + 1, hyper, (MAX_HYPER - 1) * sizeof *hyper);
    return opt;
}

/* Every args struct begins with the common members. */
#define COMMON(args)                                                                               \
    (&(struct common_args){(args)->made_at, (args)->g, (args)->learning_rate,                      \
                           (args)->learning_rate_tensor, (args)->use_locking, (args)->name})
#define HYPER(...) ((const double[MAX_HYPER - 1]){__VA_ARGS__})

leat_optimizer *leat_gradient_descent_fn(const struct leat_gradient_descent_args *a)
{
    return optimizer_new(COMMON(a), &descent_rule, "GradientDescent", NULL);
}

leat_optimizer *leat_momentum_fn(const struct leat_momentum_args *a)
{
    leat_optimizer *opt = optimizer_new(COMMON(a), &momentum_rule, "Momentum", HYPER(a->momentum));
    if (opt) {
        opt->has_nesterov = true;
        opt->use_nesterov = a->use_nesterov;
    }
    return opt;
}

leat_optimizer *leat_adam_fn(const struct leat_adam_args *a)
{
    return optimizer_new(COMMON(a), &adam_rule, "Adam", HYPER(a->beta1, a->beta2, a->epsilon));
}

leat_optimizer *leat_adagrad_fn(const struct leat_adagrad_args *a)
{
    if (!(a->initial_accumulator > 0)) {
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT,
                  "initial_accumulator_value must be positive: %g", a->initial_accumulator);
        return NULL;
    }
    leat_optimizer *opt = optimizer_new(COMMON(a), &adagrad_rule, "Adagrad", NULL);
    if (opt)
        opt->initial_accumulator = a->initial_accumulator;
    return opt;
}

leat_optimizer *leat_rmsprop_fn(const struct leat_rmsprop_args *a)
{
    return optimizer_new(COMMON(a), a->centered ? &centered_rmsprop_rule : &rmsprop_rule, "RMSProp",
                         HYPER(a->decay, a->momentum, a->epsilon));
}

/* NULL, or what is wrong with Ftrl's values. */
static const char *ftrl_fault(const struct leat_ftrl_args *a)
{
    if (!(a->initial_accumulator >= 0))
        return "initial_accumulator_value needs to be positive or zero";
    if (!(a->learning_rate_power <= 0))
        return "learning_rate_power needs to be negative or zero";
    if (!(a->l1 >= 0))
        return "l1_regularization_strength needs to be positive or zero";
    if (!(a->l2 >= 0))
        return "l2_regularization_strength needs to be positive or zero";
    return a->l2_shrinkage >= 0 ? NULL
                                : "l2_shrinkage_regularization_strength needs to be positive or "
                                  "zero";
}

leat_optimizer *leat_ftrl_fn(const struct leat_ftrl_args *a)
{
    const char *fault = ftrl_fault(a);
    if (fault) {
        leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "Ftrl: %s", fault);
        return NULL;
    }
    leat_optimizer *opt =
        optimizer_new(COMMON(a), a->l2_shrinkage > 0 ? &ftrl_v2_rule : &ftrl_rule, "Ftrl",
                      HYPER(a->l1, a->l2, a->l2_shrinkage, a->learning_rate_power));
    if (opt)
        opt->initial_accumulator = a->initial_accumulator;
    return opt;
}

leat_optimizer *leat_adadelta_fn(const struct leat_adadelta_args *a)
{
    return optimizer_new(COMMON(a), &adadelta_rule, "Adadelta", HYPER(a->rho, a->epsilon));
}

void leat_optimizer_free(leat_optimizer *opt)
{
    if (!opt)
        return;
    mem_free(opt->slots);
    mem_free(opt->sync);
    mem_free(opt->name);
    mem_free(opt);
}

#define DEFINE_INIT(name, defaults)                                                                \
    void leat_##name##_args_init(struct leat_##name##_args *args)                                  \
    {                                                                                              \
        *args = (struct leat_##name##_args){defaults};                                             \
    }
DEFINE_INIT(gradient_descent, LEAT_GRADIENT_DESCENT_DEFAULTS_)
DEFINE_INIT(momentum, LEAT_MOMENTUM_DEFAULTS_)
DEFINE_INIT(adam, LEAT_ADAM_DEFAULTS_)
DEFINE_INIT(adagrad, LEAT_ADAGRAD_DEFAULTS_)
DEFINE_INIT(rmsprop, LEAT_RMSPROP_DEFAULTS_)
DEFINE_INIT(ftrl, LEAT_FTRL_DEFAULTS_)
DEFINE_INIT(adadelta, LEAT_ADADELTA_DEFAULTS_)
DEFINE_INIT(minimize, LEAT_MINIMIZE_DEFAULTS_)
void leat_apply_gradients_args_init(struct leat_apply_gradients_args *args)
{
    *args = (struct leat_apply_gradients_args){.made_at = NULL};
}
