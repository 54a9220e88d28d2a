/* SPDX-License-Identifier: Apache-2.0 */
/* MapDefun: a function called with each row of its arguments; the results are rows of the outputs.
 *
 * One call after another; a call that ends at once is followed by the next one in the same stack
 * frame, any other goes on from its own callback. */
#include "base/mem.h"
#include "op/cancel.h"
#include "ops/function/functions.h"

enum { CALL_STARTED = 1, CALL_OVER = 2 };

struct map { /* owned by itself until the kernel is done */
    struct kctx *c;
    const struct attr_func *f;
    const struct attr_value *shapes; /* that results must have */
    int num_args;                    /* the first inputs: those that have rows */
    int64_t n, at;                   /* rows, and the one that the running call is for */
    int sync;                        /* atomic: as in loop.c */
    struct status status;
    struct tensor *given;
};

static void map_run(struct map *m);

static void map_end(struct map *m)
{
    struct kctx *c = m->c;
    struct status st = {0};

    status_move(&st, &m->status);
    for (int i = 0; i < kernel_num_inputs(c); i++)
        tensor_clear(&m->given[i]);
    mem_free(m->given);
    mem_free(m);
    kernel_done(c, &st);
    status_clear(&st);
}

/* --- rows --- */

static bool row(const struct tensor *t, int64_t k, struct tensor *out, struct status *st)
{
    struct tensor rows = tensor_rows(t, k, k + 1);
    int64_t dims[SHAPE_MAX_RANK];

    for (int i = 1; i < t->shape.rank; i++)
        dims[i - 1] = shape_dim(&t->shape, i);
    struct shape s = shape_make(dims, t->shape.rank - 1);
    bool ok = tensor_reshaped(&rows, &s, out, st);

    shape_clear(&s);
    tensor_clear(&rows);
    return ok;
}

/* Output i: n rows of that shape. */
static struct tensor *add_output(struct map *m, int i, const struct shape *item, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK] = {m->n};

    if (item->rank >= SHAPE_MAX_RANK) {
        status_invalid(st, "MapDefun: results of rank %d have no rows", item->rank);
        return NULL;
    }
    for (int k = 0; k < item->rank; k++)
        dims[k + 1] = shape_dim(item, k);
    struct shape s = shape_make(dims, item->rank + 1);
    struct tensor *out = kernel_out(m->c, i, &s, st);

    shape_clear(&s);
    return out;
}

static bool wrong_shape(const struct shape *have, const struct shape *want, struct status *st)
{
    struct strbuf a = {0}, b = {0};

    shape_print(have, &a);
    shape_print(want, &b);
    status_invalid(st, "Mismatch in function retval shape, %s, and expected output shape, %s.",
                   strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool take_result(struct map *m, int i, const struct tensor *t, struct status *st)
{
    struct tensor *out = &m->c->out[i];

    if (t->dtype != kernel_output_type(m->c, i))
        return status_internal(st, "Output %d of type %s does not match declared output type %s", i,
                               dtype_name(t->dtype), dtype_name(kernel_output_type(m->c, i)));
    if (i < m->shapes->n && !shape_compatible(&m->shapes->shapes[i], &t->shape))
        return wrong_shape(&t->shape, &m->shapes->shapes[i], st);
    if (m->at == 0 && !add_output(m, i, &t->shape, st))
        return false;
    if (out->num_elems != t->num_elems * m->n || out->shape.rank != t->shape.rank + 1)
        return status_invalid(st, "MapDefun: result %d has another shape in row %lld", i,
                              (long long)m->at);
    char *to = (char *)out->data + (size_t)(m->at * t->num_elems) * dtype_size(t->dtype);

    return elems_copy(t->dtype, to, t->data, t->num_elems) ||
           status_exhausted(st, "no memory for the strings of a result");
}

static void call_over(void *arg, struct status *st, struct tensor *results, int n)
{
    struct map *m = arg;
    bool ok = status_ok(st);

    status_move(&m->status, st);
    if (ok && n != kernel_num_outputs(m->c))
        ok = status_internal(&m->status, "MapDefun: %d results, %d are declared", n,
                             kernel_num_outputs(m->c));
    for (int i = 0; ok && i < n; i++)
        ok = take_result(m, i, &results[i], &m->status);
    m->at++;
    if (__atomic_exchange_n(&m->sync, CALL_OVER, __ATOMIC_ACQ_REL) == CALL_STARTED)
        map_run(m);
}

static bool give_row(struct map *m)
{
    for (int i = 0; i < kernel_num_inputs(m->c); i++) {
        tensor_clear(&m->given[i]);
        if (i >= m->num_args)
            m->given[i] = tensor_copy(kernel_in(m->c, i));
        else if (!row(kernel_in(m->c, i), m->at, &m->given[i], &m->status))
            return false;
    }
    return true;
}

static void map_run(struct map *m)
{
    struct kernel_env *env = m->c->env;

    for (;;) {
        bool go = status_ok(&m->status) && m->at < m->n &&
                  (!env->cancel || cancel_check(env->cancel, &m->status));

        if (!go || !give_row(m)) {
            map_end(m);
            return;
        }
        __atomic_store_n(&m->sync, 0, __ATOMIC_RELAXED);
        env->run_function(env, m->c, m->f, m->given, kernel_num_inputs(m->c), call_over, m);
        if (__atomic_exchange_n(&m->sync, CALL_STARTED, __ATOMIC_ACQ_REL) != CALL_OVER)
            return; /* call_over goes on */
    }
}

/* --- the kernel --- */

static bool check_rows(struct map *m, struct status *st)
{
    for (int i = 0; i < m->num_args; i++) {
        const struct tensor *t = kernel_in(m->c, i);

        if (t->shape.rank < 1)
            return status_invalid(
                st, "All inputs must have rank at least 1. Input %d has a rank of 0", i);
        if (i == 0)
            m->n = shape_dim(&t->shape, 0);
        else if (shape_dim(&t->shape, 0) != m->n)
            return status_invalid(st,
                                  "All inputs must have the same dimension 0. Input %d has leading "
                                  "dimension %lld, while all previous inputs have leading "
                                  "dimension %lld",
                                  i, (long long)shape_dim(&t->shape, 0), (long long)m->n);
    }
    return true;
}

/* Without rows the declared shapes are all that is known of the results. */
static bool add_empty(struct map *m, struct status *st)
{
    for (int i = 0; i < kernel_num_outputs(m->c); i++) {
        const struct shape *s = i < m->shapes->n ? &m->shapes->shapes[i] : NULL;
        bool known = s && s->rank >= 0;

        for (int k = 0; known && k < s->rank; k++)
            known = shape_dim(s, k) >= 0;
        if (!known)
            return status_internal(st, "Missing %d-th output from {{node %s}}", i,
                                   m->c->kernel->node_name);
        if (!add_output(m, i, s, st))
            return false;
    }
    return true;
}

static void map_start(struct kctx *c)
{
    struct map *m = mem_new(struct map);
    const struct function_state *s = kernel_state(c);

    m->c = c;
    m->f = s->f;
    m->shapes = attrs_list(kernel_attrs(c), "output_shapes");
    m->num_args = (int)attrs_list(kernel_attrs(c), "Targuments")->n;
    m->given = mem_new_array(struct tensor, kernel_num_inputs(c));
    if (!check_rows(m, &m->status) || (m->n == 0 && !add_empty(m, &m->status)))
        m->n = 0;
    map_run(m);
}

static bool map_shape(struct infer_ctx *c, struct status *st)
{
    const struct attr_value *shapes = attrs_list(infer_attrs(c), "output_shapes");
    const int num_args = (int)attrs_list(infer_attrs(c), "Targuments")->n;
    int64_t rows = -1;

    if (shapes->n != infer_num_outputs(c))
        return status_invalid(
            st, "`output_shapes` must be the same length as `output_types` (%lld vs. %d)",
            (long long)shapes->n, infer_num_outputs(c));
    for (int i = 0; i < num_args; i++) {
        if (infer_input(c, i)->rank == 0)
            return status_invalid(
                st, "Arguments must have rank at least 1. Input %d has rank of 0.", i);
        if (!infer_merge_dim(rows, infer_dim(infer_input(c, i), 0), &rows, st))
            return false;
    }
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_concat(c, infer_vector(c, rows), &shapes->shapes[i]));
    return true;
}

OP_DEF(map_defun) = {
    .name = "MapDefun",
    .summary = "Calls a function with each row of its arguments; results become rows.",
    .inputs = {"arguments: Targuments", "captured_inputs: Tcaptured"},
    .outputs = {"output: output_types"},
    .attrs = {"Targuments: list(type) >= 1", "Tcaptured: list(type) >= 0 = []",
              "output_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "f: func",
              "max_intra_op_parallelism: int = 1"},
    .shape = map_shape,
    .no_grad = "undefined: TensorFlow registers none for it",
};
KERNEL_DEF(map_defun_cpu) = {.op = "MapDefun",
                             .device = "CPU",
                             .flags = KERNEL_ASYNC,
                             .state_bytes = sizeof(struct function_state),
                             .init = function_state_init,
                             .run_async = map_start};
