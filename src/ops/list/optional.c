/* SPDX-License-Identifier: Apache-2.0 */
/* Values that may be absent: OptionalFromValue, OptionalNone, OptionalHasValue, OptionalGetValue.
 * TensorFlow's gradients of branches hand through what only one branch computes so. */
#include "base/mem.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct optional { /* counted, as variants are; immutable */
    struct variant base;
    bool has_value;
    int n;
    struct tensor values[];
};

static void optional_release(struct variant *v)
{
    struct optional *o = (struct optional *)v;

    for (int i = 0; i < o->n; i++)
        tensor_clear(&o->values[i]);
    mem_free(o);
}

static struct variant *optional_zeros(const struct variant *v, struct status *st);
static struct variant *optional_add(const struct variant *a, const struct variant *b,
                                    struct status *st);

static const struct variant_type optional_type = {.name = "tensorflow::data::Optional",
                                                  .release = optional_release,
                                                  .zeros = optional_zeros,
                                                  .add = optional_add};

static struct optional *optional_new(int n, bool has_value)
{
    struct optional *o = mem_zalloc(sizeof *o + sizeof(struct tensor) * (size_t)n);

    o->base = (struct variant){.refs = 1, .type = &optional_type};
    o->has_value = has_value;
    o->n = n;
    return o;
}

static struct variant *optional_zeros(const struct variant *v, struct status *st)
{
    const struct optional *from = (const struct optional *)v;
    struct optional *o = optional_new(from->n, from->has_value);

    for (int i = 0; i < o->n; i++) {
        if (dtype_is_managed(from->values[i].dtype)) {
            status_unimplemented(st, "ZerosLike: zeros of an optional %s",
                                 dtype_name(from->values[i].dtype));
        } else if (tensor_new(&o->values[i], from->values[i].dtype, &from->values[i].shape, st)) {
            memset(o->values[i].data, 0, tensor_bytes(&o->values[i]));
            continue;
        }
        variant_unref(&o->base);
        return NULL;
    }
    return &o->base;
}

static bool add_floats(const struct tensor *a, const struct tensor *b, struct tensor *out,
                       struct status *st)
{
    if (a->dtype != b->dtype || !shape_equal(&a->shape, &b->shape))
        return status_invalid(st, "Trying to add optionals of different types or shapes");
    if (a->dtype != DT_FLOAT && a->dtype != DT_DOUBLE)
        return status_unimplemented(st, "Optionals of %s cannot be added", dtype_name(a->dtype));
    if (!tensor_new(out, a->dtype, &a->shape, st))
        return false;
    for (int64_t i = 0; i < a->num_elems; i++) {
        if (a->dtype == DT_FLOAT)
            tensor_f32(out)[i] = tensor_f32(a)[i] + tensor_f32(b)[i];
        else
            tensor_f64(out)[i] = tensor_f64(a)[i] + tensor_f64(b)[i];
    }
    return true;
}

static struct variant *optional_add(const struct variant *a, const struct variant *b,
                                    struct status *st)
{
    const struct optional *x = (const struct optional *)a, *y = (const struct optional *)b;

    if (x->has_value != y->has_value) {
        status_invalid(st, "Cannot add optionals because one has a value and the other doesn't.");
        return NULL;
    }
    if (x->n != y->n) {
        status_invalid(st,
                       "Cannot add optionals because they have different numbers of components "
                       "(%d vs. %d).",
                       x->n, y->n);
        return NULL;
    }
    struct optional *o = optional_new(x->n, x->has_value);

    for (int i = 0; i < o->n; i++) {
        if (!add_floats(&x->values[i], &y->values[i], &o->values[i], st)) {
            variant_unref(&o->base);
            return NULL;
        }
    }
    return &o->base;
}

static bool optional_out(struct kctx *c, struct optional *o, struct status *st)
{
    const struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);

    if (out)
        ((struct variant **)out->data)[0] = &o->base;
    else
        variant_unref(&o->base);
    return out != NULL;
}

static bool from_value_run(struct kctx *c, struct status *st)
{
    struct optional *o = optional_new(kernel_num_inputs(c), true);

    for (int i = 0; i < o->n; i++) {
        if (!kernel_in_keep(c, i, &o->values[i], st)) {
            variant_unref(&o->base);
            return false;
        }
    }
    return optional_out(c, o, st);
}

static bool none_run(struct kctx *c, struct status *st)
{
    return optional_out(c, optional_new(0, false), st);
}

static const struct optional *optional_in(const struct kctx *c, struct status *st)
{
    const struct tensor *t = kernel_in(c, 0);
    const struct variant *v =
        t->shape.rank == 0 && t->num_elems == 1 ? ((struct variant **)t->data)[0] : NULL;

    if (v && v->type == &optional_type)
        return (const struct optional *)v;
    status_invalid(st, "Input to OptionalHasValue must be %s OptionalVariant object.",
                   t->shape.rank == 0 ? "an" : "a scalar tensor containing an");
    return NULL;
}

static bool has_value_run(struct kctx *c, struct status *st)
{
    const struct optional *o = optional_in(c, st);
    const struct shape scalar = shape_scalar();
    struct tensor *out = o ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out)
        tensor_bool(out)[0] = o->has_value;
    return out != NULL;
}

static bool wrong_shape(const struct shape *want, const struct shape *has, int i, struct status *st)
{
    struct strbuf a = {0};
    struct strbuf b = {0};

    shape_print(want, &a);
    shape_print(has, &b);
    status_invalid(st,
                   "The given optional does not match the expected shape for component %d. "
                   "Expected: %s. Actual: %s.",
                   i, strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool get_value_run(struct kctx *c, struct status *st)
{
    const struct optional *o = optional_in(c, st);
    const struct attr_value *shapes = attrs_list(kernel_attrs(c), "output_shapes");

    if (!o)
        return false;
    if (!o->has_value)
        return status_invalid(st, "The given optional does not have a value.");
    if (o->n != kernel_num_outputs(c))
        return status_invalid(st, "The given optional has %d components, expected %d.", o->n,
                              kernel_num_outputs(c));
    for (int i = 0; i < o->n; i++) {
        if (o->values[i].dtype != kernel_output_type(c, i))
            return status_invalid(st,
                                  "The given optional does not match the expected type for "
                                  "component %d. Expected: %s. Actual: %s.",
                                  i, dtype_name(kernel_output_type(c, i)),
                                  dtype_name(o->values[i].dtype));
        if (i < shapes->n && !shape_compatible(&shapes->shapes[i], &o->values[i].shape))
            return wrong_shape(&shapes->shapes[i], &o->values[i].shape, i, st);
    }
    for (int i = 0; i < o->n; i++)
        kernel_out_share(c, i, &o->values[i]);
    return true;
}

static bool get_value_shape(struct infer_ctx *c, struct status *st)
{
    const struct attr_value *shapes = attrs_list(infer_attrs(c), "output_shapes");
    const struct shape *handle;

    if (!infer_want_rank(c, infer_input(c, 0), 0, &handle, st))
        return false;
    if (shapes->n != infer_num_outputs(c))
        return status_invalid(st,
                              "`output_shapes` must be the same length as `output_types` (%lld "
                              "vs. %d)",
                              (long long)shapes->n, infer_num_outputs(c));
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, &shapes->shapes[i]);
    return true;
}

static bool from_value_grad(struct grad_ctx *g, struct status *st)
{
    const int n = grad_num_inputs(g);

    if (!grad_has_dy(g, 0))
        return grad_done(g, st);
    struct shape *shapes = mem_new_array(struct shape, n);
    int *types = mem_new_array(int, n);

    for (int i = 0; i < n; i++) {
        shapes[i] = *grad_shape_of(g, grad_in(g, i));
        types[i] = grad_type_of(g, grad_in(g, i));
    }
    struct output dy = grad_dy(g, 0);
    struct node *node =
        grad_nodev(g, "OptionalGetValue", 1, &dy, 2,
                   (struct attr[]){{(char *)"output_types", attr_list(ATTR_TYPE, types, n)},
                                   {(char *)"output_shapes", attr_list(ATTR_SHAPE, shapes, n)}});

    for (int i = 0; i < n; i++)
        grad_set(g, i, grad_node_out(g, node, i));
    mem_free(shapes);
    mem_free(types);
    return grad_done(g, st);
}

static bool get_value_grad(struct grad_ctx *g, struct status *st)
{
    const int n = grad_num_outputs(g);
    struct output *dys = mem_new_array(struct output, n);

    for (int i = 0; i < n; i++)
        dys[i] = grad_dy(g, i);
    struct node *node = grad_node(
        g, &(struct grad_build){
               .op = "OptionalFromValue", .inputs = dys, .num_inputs = n, .list_sizes = &n});

    mem_free(dys);
    grad_set(g, 0, grad_node_out(g, node, 0));
    return grad_done(g, st);
}

OP_DEF(optional_from_value) = {
    .name = "OptionalFromValue",
    .summary = "An optional that has these values.",
    .inputs = {"components: Toutput_types"},
    .outputs = {"optional: variant"},
    .attrs = {"Toutput_types: list(type) >= 1"},
    .shape = infer_scalars,
    .grad = from_value_grad,
};
KERNEL_DEF(optional_from_value_cpu) = {
    .op = "OptionalFromValue", .device = "CPU", .run = from_value_run};

OP_DEF(optional_none) = {
    .name = "OptionalNone",
    .summary = "An optional without a value.",
    .outputs = {"optional: variant"},
    .shape = infer_scalars,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(optional_none_cpu) = {.op = "OptionalNone", .device = "CPU", .run = none_run};

OP_DEF(optional_has_value) = {
    .name = "OptionalHasValue",
    .summary = "Whether the optional has a value.",
    .inputs = {"optional: variant"},
    .outputs = {"has_value: bool"},
    .shape = infer_scalars,
    .no_grad = "undefined: TensorFlow registers none for it",
};
KERNEL_DEF(optional_has_value_cpu) = {
    .op = "OptionalHasValue", .device = "CPU", .run = has_value_run};

OP_DEF(optional_get_value) = {
    .name = "OptionalGetValue",
    .summary = "The values of an optional; an error where it has none.",
    .inputs = {"optional: variant"},
    .outputs = {"components: output_types"},
    .attrs = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"},
    .shape = get_value_shape,
    .grad = get_value_grad,
};
KERNEL_DEF(optional_get_value_cpu) = {
    .op = "OptionalGetValue", .device = "CPU", .run = get_value_run};
