/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel and the shape function of every optimizer's op.
 *
 * Both find their inputs by the names that the op declares, so an op is no more than a definition.
 * A step reads its scalars, locks the variables together, checks shapes and updates in place;
 * when a check fails no variable has changed. */
#include "ops/training/apply.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- finding the inputs --- */

static const struct family {
    const char *name; /* the op's name after "Apply" */
    enum math_optimizer kind;
    const char *slots[APPLY_MAX_VARS - 1];
} families[] = {
    {"GradientDescent", MATH_OPT_SGD, {NULL}},
    {"Momentum", MATH_OPT_MOMENTUM, {"accum"}},
    {"Adam", MATH_OPT_ADAM, {"m", "v"}},
    {"Adagrad", MATH_OPT_ADAGRAD, {"accum"}},
    {"AdagradV2", MATH_OPT_ADAGRAD, {"accum"}},
    {"RMSProp", MATH_OPT_RMSPROP, {"ms", "mom"}},
    {"CenteredRMSProp", MATH_OPT_CENTERED_RMSPROP, {"ms", "mom", "mg"}},
    {"Ftrl", MATH_OPT_FTRL, {"accum", "linear"}},
    {"FtrlV2", MATH_OPT_FTRL, {"accum", "linear"}},
    {"Adadelta", MATH_OPT_ADADELTA, {"accum", "accum_update"}},
    {"KerasMomentum", MATH_OPT_KERAS_MOMENTUM, {"accum"}},
    {"AdaMax", MATH_OPT_ADA_MAX, {"m", "v"}},
    {"AdamWithAmsgrad", MATH_OPT_AMSGRAD, {"m", "v", "vhat"}},
    {"AddSign", MATH_OPT_ADD_SIGN, {"m"}},
    {"PowerSign", MATH_OPT_POWER_SIGN, {"m"}},
    {"ProximalGradientDescent", MATH_OPT_PROXIMAL_SGD, {NULL}},
    {"ProximalAdagrad", MATH_OPT_PROXIMAL_ADAGRAD, {"accum"}},
    {"AdagradDA", MATH_OPT_ADAGRAD_DA, {"gradient_accumulator", "gradient_squared_accumulator"}},
};

static const struct {
    const char *name;
    size_t field;
} hyper[] = {
    {"lr", offsetof(struct math_update, lr)},
    {"momentum", offsetof(struct math_update, momentum)},
    {"rho", offsetof(struct math_update, rho)},
    {"epsilon", offsetof(struct math_update, epsilon)},
    {"beta1", offsetof(struct math_update, beta1)},
    {"beta2", offsetof(struct math_update, beta2)},
    {"beta1_power", offsetof(struct math_update, beta1_power)},
    {"beta2_power", offsetof(struct math_update, beta2_power)},
    {"l1", offsetof(struct math_update, l1)},
    {"l2", offsetof(struct math_update, l2)},
    {"l2_shrinkage", offsetof(struct math_update, l2_shrinkage)},
    {"lr_power", offsetof(struct math_update, lr_power)},
    {"beta", offsetof(struct math_update, beta1)},
    {"logbase", offsetof(struct math_update, sign_base)},
    {"sign_decay", offsetof(struct math_update, sign_decay)},
    {"global_step", offsetof(struct math_update, global_step)},
    {"alpha", offsetof(struct math_update, sign_base)}, /* or lr, where there is no lr */
};

static const struct family *family_of(const char *op_name)
{
    const char *at = strstr(op_name, "Apply");
    for (size_t i = 0; at && i < ARRAY_LEN(families); i++)
        if (strcmp(families[i].name, at + strlen("Apply")) == 0)
            return &families[i];
    return NULL;
}

static int input_at(const struct kernel *k, const char *name)
{
    int first, n;
    return kernel_input_range(k, name, &first, &n) && n == 1 ? first : -1;
}

static void find_scalars(const struct kernel *k, struct apply *a)
{
    const bool has_lr = input_at(k, "lr") >= 0;
    for (size_t i = 0; i < ARRAY_LEN(hyper); i++) {
        int at = input_at(k, hyper[i].name);
        size_t field = hyper[i].field;
        if (!has_lr && strcmp(hyper[i].name, "alpha") == 0)
            field = offsetof(struct math_update, lr);
        if (at >= 0 && a->num_scalars < APPLY_MAX_SCALARS)
            a->scalars[a->num_scalars++] = (struct apply_scalar){at, hyper[i].name, field};
    }
}

static bool flag(const struct kernel *k, const char *name)
{
    return attrs_find(k->attrs, name) && attrs_bool(k->attrs, name);
}

bool apply_init(struct kernel *k, void *state, struct status *st)
{
    struct apply *a = state;
    const struct family *f = family_of(k->op->name);
    a->grad = input_at(k, "grad");
    if (a->grad < 0)
        a->grad = input_at(k, "delta");
    a->indices = input_at(k, "indices");
    if (!f || a->grad < 0)
        return status_internal(st, "%s: not an optimizer's op", k->op->name);
    a->update = (struct math_update){
        .kind = f->kind,
        .dtype = k->input_types[a->grad],
        .nesterov = flag(k, "use_nesterov"),
        .update_slots = flag(k, "update_slots"),
    };
    a->var_names[0] = "var";
    a->num_vars = 1;
    for (int i = 0; i < APPLY_MAX_VARS - 1 && f->slots[i]; i++) {
        a->var_names[a->num_vars] = f->slots[i];
        a->vars[a->num_vars++] = input_at(k, f->slots[i]);
    }
    find_scalars(k, a);
    return true;
}

/* --- reading the inputs --- */

static double element(const struct tensor *t)
{
    switch (t->dtype) {
    case DT_DOUBLE:
        return *(const double *)t->data;
    case DT_HALF:
        return (double)f16_to_f32(*(const struct f16 *)t->data);
    case DT_BFLOAT16:
        return (double)bf16_to_f32(*(const struct bf16 *)t->data);
    case DT_INT64:
        return (double)*(const int64_t *)t->data;
    default:
        return (double)*(const float *)t->data;
    }
}

static bool bad_shape(struct status *st, const char *what, const struct tensor *t)
{
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "%s: %s", what, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool read_scalars(struct kctx *c, const struct apply *a, struct math_update *u,
                         struct status *st)
{
    for (int i = 0; i < a->num_scalars; i++) {
        const struct apply_scalar *s = &a->scalars[i];
        const struct tensor *t = kernel_in(c, s->input);
        if (tensor_rank(t) != 0) {
            char what[64];
            snprintf(what, sizeof(what), "%s is not a scalar", s->name);
            return bad_shape(st, what, t);
        }
        double value = element(t);
        memcpy((char *)u + s->field, &value, sizeof(value));
    }
    return true;
}

static bool regularized_range(const struct math_update *u, struct status *st)
{
    if (!(u->lr > 0))
        return status_invalid(st, "lr is not a positive scalar: []");
    if (!(u->l1 >= 0))
        return status_invalid(st, "l1 regularization strength is not a non-negative scalar: []");
    if (!(u->l2 >= 0))
        return status_invalid(st, "l2 regularization strength is not a non-negative scalar: []");
    if (!(u->l2_shrinkage >= 0))
        return status_invalid(st, "l2 shrinkage regularization strength is not a non-negative "
                                  "scalar: []");
    return u->lr_power <= 0 || status_invalid(st, "lr_power is not a non-positive scalar: []");
}

static bool ranges_hold(const struct math_update *u, struct status *st)
{
    const bool limited = u->kind == MATH_OPT_FTRL || u->kind == MATH_OPT_PROXIMAL_ADAGRAD;
    return !limited || regularized_range(u, st);
}

/* The variables in v, each referenced; *n of them also when one is missing. */
static bool find_variables(struct kctx *c, const struct apply *a, struct variable **v, int *n,
                           struct status *st)
{
    bool resources = c->kernel->input_types[0] == DT_RESOURCE;
    for (*n = 0; *n < a->num_vars; (*n)++) {
        int at = a->vars[*n];
        v[*n] = resources ? (struct variable *)resource_from_input(c, at, &variable_type, st)
                          : variable_ref(kernel_ref(c, at));
        if (!v[*n])
            return false;
        if (v[*n]->dtype != a->update.dtype) {
            status_invalid(st, "%s is a variable of type %s, not %s", a->var_names[*n],
                           dtype_name(v[*n]->dtype), dtype_name(a->update.dtype));
            (*n)++;
            return false;
        }
    }
    return true;
}

/* --- dense and sparse updates, the variables locked --- */

static bool slots_match(const struct apply *a, struct tensor *const *value, struct status *st)
{
    for (int i = 1; i < a->num_vars; i++)
        if (!shape_equal(&value[0]->shape, &value[i]->shape))
            return status_invalid(st, "var and %s do not have the same shape", a->var_names[i]);
    return true;
}

static bool update_dense(struct kctx *c, const struct apply *a, struct math_update *u,
                         const struct tensor *var, struct status *st)
{
    const struct tensor *grad = kernel_in(c, a->grad);
    if (!shape_equal(&var->shape, &grad->shape))
        return status_invalid(st, "var and %s do not have the same shape",
                              a->update.kind == MATH_OPT_SGD ? "delta" : "grad");
    u->n = var->num_elems;
    if (u->n > 0)
        math_update(kernel_pool(c), u);
    return true;
}

static bool rows_match(const struct tensor *var, const struct tensor *grad,
                       const struct tensor *indices, struct status *st)
{
    if (tensor_rank(var) < 1)
        return status_invalid(st, "var must be at least 1 dimensional");
    if (tensor_rank(indices) != 1)
        return status_invalid(st, "indices must be one-dimensional");
    if (tensor_rank(grad) != tensor_rank(var))
        return status_invalid(st, "var and grad must have the same number of dimensions");
    for (int i = 1; i < tensor_rank(var); i++)
        if (tensor_dim(var, i) != tensor_dim(grad, i))
            return status_invalid(st, "var and grad must match in dimension %d", i);
    return tensor_dim(grad, 0) == tensor_dim(indices, 0) ||
           status_invalid(st, "grad must be the same size as indices in the first dimension.");
}

/* Which sparse updates TensorFlow refuses for rows without elements. */
static bool wants_columns(enum math_optimizer kind)
{
    return kind == MATH_OPT_ADAGRAD || kind == MATH_OPT_FTRL || kind == MATH_OPT_PROXIMAL_SGD ||
           kind == MATH_OPT_PROXIMAL_ADAGRAD || kind == MATH_OPT_ADAGRAD_DA;
}

static bool update_sparse(struct kctx *c, const struct apply *a, struct math_update *u,
                          const struct tensor *var, struct status *st)
{
    const struct tensor *grad = kernel_in(c, a->grad), *indices = kernel_in(c, a->indices);
    if (!rows_match(var, grad, indices, st))
        return false;
    struct math_sparse_rows rows = {
        .index_dtype = indices->dtype,
        .indices = indices->data,
        .num = indices->num_elems,
        .limit = tensor_dim(var, 0),
        .row_items = 1,
    };
    for (int i = 1; i < tensor_rank(var); i++)
        rows.row_items *= tensor_dim(var, i);
    if (rows.row_items == 0 && wants_columns(u->kind))
        return status_invalid(st, "Inner dimension should be greater than zero.");
    if (rows.num == 0)
        return true;
    int64_t bad = math_update_sparse(kernel_pool(c), u, &rows);
    return bad < 0 || status_invalid(st, "Index %lld at offset %lld in indices is out of range",
                                     (long long)tensor_index(indices, bad), (long long)bad);
}

static bool update_locked(struct kctx *c, struct variable *const *v, struct math_update *u,
                          struct status *st)
{
    const struct apply *a = kernel_state(c);
    struct tensor *value[APPLY_MAX_VARS];
    bool sparse = a->indices >= 0;
    if (!variable_write_begin_all(v, a->num_vars, sparse, value, st))
        return false;
    bool ok = slots_match(a, value, st);
    u->var = value[0]->data;
    for (int i = 1; i < a->num_vars; i++)
        u->slot[i - 1] = value[i]->data;
    ok =
        ok && (sparse ? update_sparse(c, a, u, value[0], st) : update_dense(c, a, u, value[0], st));
    variable_write_end_all(v, a->num_vars);
    return ok;
}

bool apply_run(struct kctx *c, struct status *st)
{
    const struct apply *a = kernel_state(c);
    struct variable *v[APPLY_MAX_VARS];
    int found = 0;
    struct math_update u = a->update;
    u.grad = kernel_in(c, a->grad)->data;
    bool ok = read_scalars(c, a, &u, st) && ranges_hold(&u, st) &&
              find_variables(c, a, v, &found, st) && update_locked(c, v, &u, st);
    if (ok && kernel_num_outputs(c) > 0)
        kernel_out_ref(c, 0, v[0]);
    for (int i = 0; i < found; i++)
        variable_unref(v[i]);
    return ok;
}

/* --- shapes --- */

/* The shape of a variable's input: of a reference its own, of a resource what its handle says. */
static const struct shape *variable_shape(struct infer_ctx *c, int i)
{
    if (infer_input_type(c, i) != DT_RESOURCE)
        return infer_input(c, i);
    struct infer_handle h = infer_handle_in(c, i);
    return h.n > 0 ? h.shapes[0] : infer_unknown(c);
}

static int shape_input(const struct infer_ctx *c, const char *name)
{
    int first, n;
    return infer_input_range(c, name, &first, &n) && n == 1 ? first : -1;
}

static bool merge_variables(struct infer_ctx *c, const struct shape **s, struct status *st)
{
    static const char *const slots[] = {"accum",
                                        "m",
                                        "v",
                                        "vhat",
                                        "ms",
                                        "mom",
                                        "mg",
                                        "linear",
                                        "accum_update",
                                        "gradient_accumulator",
                                        "gradient_squared_accumulator"};
    *s = variable_shape(c, 0);
    for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
        int at = shape_input(c, slots[i]);
        if (at >= 0 && !infer_merge(c, *s, variable_shape(c, at), s, st))
            return false;
    }
    return true;
}

/* Merges the gradient into s; its first dim is that of the indices where there are some. */
static bool merge_gradient(struct infer_ctx *c, const struct shape **s, struct status *st)
{
    int grad = shape_input(c, "grad"), indices = shape_input(c, "indices");
    const struct shape *g = infer_input(c, grad >= 0 ? grad : shape_input(c, "delta"));
    if (indices < 0)
        return infer_merge(c, *s, g, s, st);
    const struct shape *rows;
    int64_t n;
    if (!infer_want_rank(c, infer_input(c, indices), 1, &rows, st) ||
        !infer_merge_dim(infer_dim(rows, 0), infer_dim(g, 0), &n, st))
        return false;
    if (g->rank < 1)
        return true;
    return infer_merge(c, *s, infer_with_dim(c, g, 0, DIM_UNKNOWN), s, st);
}

bool apply_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *scalar;
    if (!merge_variables(c, &s, st))
        return false;
    for (int at = 1; at < infer_num_inputs(c); at++) {
        bool is_scalar = false;
        for (size_t i = 0; i < ARRAY_LEN(hyper) && !is_scalar; i++)
            is_scalar = shape_input(c, hyper[i].name) == at;
        if (is_scalar && !infer_want_rank(c, infer_input(c, at), 0, &scalar, st))
            return false;
    }
    if (!merge_gradient(c, &s, st))
        return false;
    if (infer_num_outputs(c) > 0)
        infer_set(c, 0, s);
    return true;
}
