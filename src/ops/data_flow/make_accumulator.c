/* SPDX-License-Identifier: Apache-2.0 */
/* The ops that make accumulators, and those that ask one for a number or set its step.
 *
 * As in TensorFlow, one that another node made under the same name is taken as it is. */
#include <string.h>

#include "base/mem.h"
#include "op/resource_pair.h"
#include "ops/data_flow/accumulator.h"
#include "ops/data_flow/maker.h"

/* --- the object --- */

static void release(struct resource *r)
{
    struct accumulator *a = (struct accumulator *)r;

    tensor_clear(&a->sum);
    mem_free(a->rows.indices);
    mem_free(a->rows.counts);
    shape_clear(&a->shape);
    waits_release(&a->waits);
    mem_free(a->name);
    mem_free(a);
}

static void describe(struct resource *r, struct strbuf *out)
{
    struct accumulator *a = (struct accumulator *)r;

    lock_take(&a->waits.lock);
    strbuf_printf(out, "%sConditionalAccumulator %s: step %lld, %lld gradients%s",
                  a->sparse ? "Sparse" : "", a->name, (long long)a->step, (long long)a->count,
                  a->waits.first ? ", steps wait" : "");
    lock_drop(&a->waits.lock);
}

const struct resource_type accumulator_type = {
    .name = "N10tensorflow26ConditionalAccumulatorBaseE", .release = release, .describe = describe};

/* --- making one --- */

struct accumulator *accumulator_new(const char *name, int dtype, const struct shape *shape)
{
    struct accumulator *a = mem_new(struct accumulator);

    resource_init(&a->base, &accumulator_type);
    waits_init(&a->waits, "accumulator");
    a->dtype = dtype;
    a->shape = shape_copy(shape);
    a->name = mem_strdup(name);
    return a;
}

static struct resource *make(void *arg, struct status *st)
{
    const struct maker_args *m = arg;
    const struct shape *shape;

    if (!attrs_get_shape(m->k->attrs, "shape", &shape, st))
        return NULL;
    struct accumulator *a = accumulator_new(m->name, attrs_type(m->k->attrs, "dtype"), shape);

    a->sparse = strncmp(m->k->op->name, "Sparse", 6) == 0;
    a->mean = str_is(attrs_string(m->k->attrs, "reduction_type"), "MEAN");
    return &a->base;
}

static bool make_run(struct kctx *c, struct status *st)
{
    return maker_run(c, &accumulator_type, make, st);
}

/* --- from a handle to its accumulator --- */

struct accumulator *accumulator_of(struct kctx *c, struct status *st)
{
    return (struct accumulator *)resource_from_either(c, 0, &accumulator_type, st);
}

bool accumulator_want_sparse(const struct accumulator *a, bool sparse, struct status *st)
{
    return a->sparse == sparse ||
           status_invalid(st, "Accumulator '%s' is of %s gradients, not of %s ones", a->name,
                          a->sparse ? "sparse" : "dense", sparse ? "sparse" : "dense");
}

static void print_types(struct strbuf *b, int n, const int *types, int at, int other)
{
    for (int i = 0; i < n; i++) {
        const char *name = dtype_name(dtype_base(i == at ? other : types[i]));

        strbuf_printf(b, "%s%s%s", i > 0 ? ", " : "", name, dtype_is_ref(types[i]) ? "_ref" : "");
    }
}

bool accumulator_check_type(const struct kctx *c, const struct accumulator *a, bool ins, int value,
                            struct status *st)
{
    const struct kernel *k = c->kernel;
    const int *types = ins ? k->input_types : k->output_types;
    struct strbuf b = {0};

    if (dtype_base(types[value]) == a->dtype)
        return true;
    print_types(&b, k->num_inputs, k->input_types, -1, 0);
    strbuf_puts(&b, "->");
    print_types(&b, k->num_outputs, k->output_types, -1, 0);
    strbuf_puts(&b, " expected: ");
    print_types(&b, k->num_inputs, k->input_types, ins ? value : -1, a->dtype);
    strbuf_puts(&b, "->");
    print_types(&b, k->num_outputs, k->output_types, ins ? -1 : value, a->dtype);
    status_invalid(st, "Signature mismatch, have: %s", strbuf_text(&b));
    strbuf_release(&b);
    return false;
}

bool accumulator_number(const struct kctx *c, const char *what, int64_t *out, struct status *st)
{
    const struct tensor *t = kernel_in(c, 1);
    struct strbuf b = {0};

    if (tensor_rank(t) == 0) {
        *out = tensor_index(t, 0);
        return true;
    }
    shape_print(&t->shape, &b);
    status_invalid(st, "Argument %s must be scalar, but had bad shape %s", what, strbuf_text(&b));
    strbuf_release(&b);
    return false;
}

/* --- numbers and steps --- */

static bool count_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct accumulator *a = accumulator_of(c, st);
    struct tensor *out = a ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out) {
        lock_take(&a->waits.lock);
        *tensor_i32(out) = (int32_t)a->count;
        lock_drop(&a->waits.lock);
    }
    accumulator_unref(a);
    return out != NULL;
}

/* The step may also go back. */
static bool set_step_run(struct kctx *c, struct status *st)
{
    struct accumulator *a = accumulator_of(c, st);
    int64_t step;
    /* the name in the message is TensorFlow's */
    bool ok = a && accumulator_number(c, "num_required", &step, st);

    if (ok) {
        lock_take(&a->waits.lock);
        a->step = step;
        accumulator_log(a, c);
        lock_drop(&a->waits.lock);
    }
    accumulator_unref(a);
    return ok;
}

/* --- the ops --- */

static bool handle_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_vector(c, 2)); /* TensorFlow says so of either form */
    return true;
}

static bool set_step_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    return infer_want_rank(c, infer_input(c, 1), 0, &s, st);
}

#define MAKE(id, op_name, text, handle)                                                            \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .outputs = {handle},                                                                       \
        .attrs = {"dtype: numbertype", "shape: shape", "container: string = ''",                   \
                  "shared_name: string = ''", "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"},         \
        .flags = OP_STATEFUL,                                                                      \
        .shape = handle_shape,                                                                     \
        .no_grad = ACCUMULATOR_NO_GRAD,                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"dtype: {half, float, double}"},                             \
                            .state_bytes = sizeof(struct maker),                                   \
                            .init = maker_init,                                                    \
                            .release = maker_release,                                              \
                            .run = make_run}
MAKE(conditional_accumulator, "ConditionalAccumulator",
     "Adds gradients up until somebody takes their mean or sum.", "handle: Ref(string)");
MAKE(resource_conditional_accumulator, "ResourceConditionalAccumulator",
     "Adds gradients up until somebody takes their mean or sum.", "handle: resource");
MAKE(sparse_conditional_accumulator, "SparseConditionalAccumulator",
     "Adds gradients of some rows up until somebody takes their mean or sum.",
     "handle: Ref(string)");

#define COUNT(id, op_name, handle, op_flags)                                                       \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "How many gradients an accumulator has added up.",                              \
        .inputs = {handle},                                                                        \
        .outputs = {"num_accumulated: int32"},                                                     \
        .flags = op_flags,                                                                         \
        .shape = infer_scalars,                                                                    \
        .no_grad = ACCUMULATOR_NO_GRAD,                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = count_run}
COUNT(accumulator_num_accumulated, "AccumulatorNumAccumulated", "handle: Ref(string)", 0);
COUNT(resource_accumulator_num_accumulated, "ResourceAccumulatorNumAccumulated", "handle: resource",
      OP_STATEFUL);

#define SET_STEP(id, op_name, handle, op_flags)                                                    \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "Sets the step of an accumulator, below which gradients are too late.",         \
        .inputs = {handle, "new_global_step: int64"},                                              \
        .flags = op_flags,                                                                         \
        .shape = set_step_shape,                                                                   \
        .no_grad = ACCUMULATOR_NO_GRAD,                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_NOTES, .run = set_step_run}
SET_STEP(accumulator_set_global_step, "AccumulatorSetGlobalStep", "handle: Ref(string)", 0);
SET_STEP(resource_accumulator_set_global_step, "ResourceAccumulatorSetGlobalStep",
         "handle: resource", OP_STATEFUL);
