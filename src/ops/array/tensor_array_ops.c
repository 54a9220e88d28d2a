/* SPDX-License-Identifier: Apache-2.0 */
/* TensorArray, TensorArrayGrad, TensorArrayGradWithShape, TensorArrayWrite, TensorArrayRead,
 * TensorArraySize, TensorArrayClose: making, asking, one value at a time. Each op but
 * TensorArrayGradWithShape has three forms, which differ in their handles. */
#include <string.h>

#include "base/mem.h"
#include "ops/array/tensor_array_use.h"

/* --- shared --- */

bool tensor_array_infer(struct infer_ctx *c, const struct shape **element, struct status *st)
{
    const struct shape *handle;
    int64_t two;
    struct infer_handle h = infer_handle_in(c, 0);
    *element = h.n == 1 ? h.shapes[0] : NULL;
    return infer_want_rank(c, infer_input(c, 0), 1, &handle, st) &&
           infer_want_dim(c, infer_dim(handle, 0), 2, &two, st);
}

bool tensor_array_infer_use(struct infer_ctx *c, const struct shape **element, struct status *st)
{
    const struct shape *flow;
    int at, n;
    if (!tensor_array_infer(c, element, st))
        return false;
    return infer_input_type(c, 0) != DT_RESOURCE || !infer_input_range(c, "flow_in", &at, &n) ||
           infer_want_rank(c, infer_input(c, at), 0, &flow, st);
}

bool tensor_array_flow_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *element;
    if (!tensor_array_infer(c, &element, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

struct tensor_array *tensor_array_take(struct kctx *c, int dtype, const char *does,
                                       struct status *st)
{
    struct tensor_array *a = tensor_array_of(c, st);
    if (!a)
        return NULL;
    lock_take(&a->lock);
    if (tensor_array_open(a, st)) {
        if (a->dtype == dtype || dtype == DT_INVALID)
            return a;
        status_invalid(st, "TensorArray dtype is %s but Op %s dtype %s.", dtype_name(a->dtype),
                       does, dtype_name(dtype));
    }
    tensor_array_drop(a);
    return NULL;
}

void tensor_array_drop(struct tensor_array *a)
{
    lock_drop(&a->lock);
    resource_unref(&a->base);
}

/* --- making --- */

static int64_t next_number(void)
{
    static int64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static bool want_scalar(const struct tensor *t, const char *what, struct status *st)
{
    if (tensor_rank(t) == 0)
        return true;
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "TensorArray %s must be scalar, but had shape: %s", what,
                   strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* Where the op gives a flow beside the handle: zero. */
static bool put_flow(struct kctx *c, struct status *st)
{
    if (kernel_num_outputs(c) < 2)
        return true;
    struct shape scalar = shape_scalar();
    struct tensor *flow = kernel_out(c, 1, &scalar, st);
    if (flow)
        tensor_f32(flow)[0] = 0;
    return flow != NULL;
}

static bool make_run(struct kctx *c, struct status *st)
{
    const struct attrs *attrs = kernel_attrs(c);
    if (!want_scalar(kernel_in(c, 0), "size", st))
        return false;
    int32_t size = tensor_i32(kernel_in(c, 0))[0];
    if (size < 0)
        return status_invalid(st, "Size should be >= 0.");
    struct str name = attrs_string(attrs, "tensor_array_name");
    if (name.n == 0)
        name = str_of(c->kernel->node_name);
    const struct shape *element;
    if (!attrs_get_shape(attrs, "element_shape", &element, st))
        return false;
    struct tensor_array *a =
        tensor_array_new(mem_printf("%.*s_%lld", (int)name.n, name.p, (long long)next_number()),
                         attrs_type(attrs, "dtype"), size, element, st);
    if (!a)
        return false;
    a->dynamic = attrs_bool(attrs, "dynamic_size");
    a->clear_after_read = attrs_bool(attrs, "clear_after_read");
    a->same_shapes = attrs_bool(attrs, "identical_element_shapes");
    if (tensor_array_put_handle(c, a->name, st) && put_flow(c, st) &&
        resource_create(c->env->step_resources, "", a->name, &a->base, st))
        return true;
    resource_unref(&a->base);
    return false;
}

static bool make_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *size, *element;
    if (!infer_want_rank(c, infer_input(c, 0), 0, &size, st) ||
        !attrs_get_shape(infer_attrs(c), "element_shape", &element, st))
        return false;
    int dtype = attrs_type(infer_attrs(c), "dtype");
    infer_set(c, 0, infer_vector(c, 2));
    if (infer_num_outputs(c) < 2)
        return true;
    infer_set(c, 1, infer_scalar(c));
    if (shape_known(element) || attrs_bool(infer_attrs(c), "identical_element_shapes"))
        infer_set_handle(c, 0, (struct infer_handle){1, &dtype, &element});
    return true;
}

#define TENSOR_ARRAY_FORM(ID, VERSION, HANDLE, AT, FLOW, ...)                                      \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArray" VERSION,                                                             \
        .summary = "An array of tensors that lives for one step.",                                 \
        .inputs = {"size: int32"},                                                                 \
        .outputs = {"handle: " HANDLE, FLOW},                                                      \
        .attrs = {"dtype: type", __VA_ARGS__},                                                     \
        .flags = OP_STATEFUL,                                                                      \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayV3" : NULL,                                         \
        .shape = make_shape,                                                                       \
        .no_grad = "the array's size has no gradient",                                             \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArray" VERSION, .device = "CPU", .run = make_run}

#define SHAPE "element_shape: shape = <unknown>"
#define DYNAMIC "dynamic_size: bool = false"
#define CLEAR "clear_after_read: bool = true"
#define NAME "tensor_array_name: string = ''"
TENSOR_ARRAY_FORM(tensor_array, "", TENSOR_ARRAY_REF, 16, NULL, DYNAMIC, CLEAR, NAME, SHAPE);
TENSOR_ARRAY_FORM(tensor_array_v2, "V2", TENSOR_ARRAY_PAIR, 26, NULL, SHAPE, DYNAMIC, CLEAR, NAME);
TENSOR_ARRAY_FORM(tensor_array_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, "flow: float", SHAPE, DYNAMIC,
                  CLEAR, "identical_element_shapes: bool = false", NAME);

/* --- a gradient's array --- */

/* before, then s; unknown where s is. */
static bool prepended(const struct tensor *before, const struct shape *s, struct shape *out,
                      struct status *st)
{
    if (s->rank == RANK_UNKNOWN || !before) {
        *out = shape_copy(s);
        return true;
    }
    int64_t n = before->num_elems;
    int64_t dims[SHAPE_MAX_RANK];
    if (n + s->rank > SHAPE_MAX_RANK)
        return status_invalid(st, "shape_to_prepend has too many dimensions: %lld", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        dims[i] = tensor_index(before, i);
        if (dims[i] < 0)
            return status_invalid(st, "shape_to_prepend must not be negative, but dim %lld is %lld",
                                  (long long)i, (long long)dims[i]);
    }
    for (int i = 0; i < s->rank; i++)
        dims[n + i] = shape_dim(s, i);
    *out = shape_make(dims, (int)n + s->rank);
    return true;
}

struct mirror_args {
    struct tensor_array *of;
    char *name;
    const struct tensor *before;
};

/* An array of the same size that adds up what is written; its values' shapes are those of `of`. */
static struct resource *make_mirror(void *arg, struct status *st)
{
    struct mirror_args *m = arg;
    struct tensor_array *of = m->of;
    struct shape element;
    if (!prepended(m->before, &of->element, &element, st))
        return NULL;
    struct tensor_array *a =
        tensor_array_new(mem_strdup(m->name), of->dtype, of->num, &element, st);
    shape_clear(&element);
    if (!a)
        return NULL;
    a->clear_after_read = of->clear_after_read;
    a->same_shapes = of->same_shapes;
    a->aggregate = true;
    for (int64_t i = 0; i < of->num; i++) {
        if (!prepended(m->before, &of->items[i].shape, &a->items[i].shape, st)) {
            a->items[i].shape = shape_unknown();
            resource_unref(&a->base);
            return NULL;
        }
    }
    return &a->base;
}

static bool mirror_locked(struct kctx *c, struct tensor_array *of, const struct tensor *before,
                          struct status *st)
{
    struct str source = attrs_string(kernel_attrs(c), "source");
    if (of->aggregated)
        return status_invalid(st,
                              "Unable to create a gradients TensorArray for %s: values were added "
                              "up in it, and whose gradient a sum's is cannot be told.",
                              of->name);
    struct mirror_args m = {of, mem_printf("%s@%.*s", of->name, (int)source.n, source.p), before};
    struct resource_map *map = c->env->step_resources;
    of->dynamic = false; /* both have the same size from now on */
    struct resource *r = resource_find(map, "", &tensor_array_type, m.name);
    bool ok = r != NULL;
    if (!ok && (r = make_mirror(&m, st)) != NULL) {
        resource_ref(r);
        ok = resource_create(map, "", m.name, r, st); /* takes one reference */
        if (!ok)
            resource_unref(r);
    }
    resource_unref(r);
    ok = ok && tensor_array_put_handle(c, m.name, st);
    mem_free(m.name);
    return ok;
}

static bool mirror_run(struct kctx *c, struct status *st)
{
    const struct tensor *before = kernel_num_inputs(c) > 2 ? kernel_in(c, 2) : NULL;
    if (before && !kernel_want_vector(c, 2, st))
        return false;
    struct tensor_array *a = tensor_array_take(c, DT_INVALID, "", st);
    if (!a)
        return false;
    bool ok = mirror_locked(c, a, before, st);
    tensor_array_drop(a);
    if (ok && kernel_num_outputs(c) > 1)
        kernel_out_share(c, 1, kernel_in(c, 1));
    return ok;
}

static bool mirror_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *element;
    if (!tensor_array_infer(c, &element, st))
        return false;
    infer_set(c, 0, infer_vector(c, 2));
    if (infer_num_outputs(c) < 2)
        return true;
    infer_set(c, 1, infer_scalar(c));
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

static bool mirror_with_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *element, *before;
    if (!mirror_shape(c, st) || !tensor_array_infer(c, &element, st) ||
        !infer_const_shape(c, 2, &before, st))
        return false;
    if (!element)
        return true;
    element = infer_concat(c, before, element);
    int dtype = infer_handle_in(c, 0).dtypes[0];
    infer_set_handle(c, 0, (struct infer_handle){1, &dtype, &element});
    return true;
}

#define TENSOR_ARRAY_GRAD_FORM(ID, VERSION, HANDLE, AT, BEHIND, FLOW)                              \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayGrad" VERSION,                                                         \
        .summary = "The array in which gradients of an array's values are added up.",              \
        .inputs = {"handle: " BEHIND, "flow_in: float"},                                           \
        .outputs = {"grad_handle: " HANDLE, FLOW},                                                 \
        .attrs = {"source: string"},                                                               \
        .flags = OP_STATEFUL,                                                                      \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayGradV3" : NULL,                                     \
        .shape = mirror_shape,                                                                     \
        .no_grad = "it stands in gradients",                                                       \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayGrad" VERSION, .device = "CPU", .run = mirror_run}

TENSOR_ARRAY_GRAD_FORM(tensor_array_grad, "", TENSOR_ARRAY_REF, 16, TENSOR_ARRAY_PAIR, NULL);
TENSOR_ARRAY_GRAD_FORM(tensor_array_grad_v2, "V2", TENSOR_ARRAY_PAIR, 26, TENSOR_ARRAY_PAIR, NULL);
TENSOR_ARRAY_GRAD_FORM(tensor_array_grad_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, TENSOR_ARRAY_RESOURCE,
                       "flow_out: float");

OP_DEF(tensor_array_grad_with_shape) = {
    .name = "TensorArrayGradWithShape",
    .summary = "The same, of values that have more dimensions in front.",
    .inputs = {"handle: resource", "flow_in: float", "shape_to_prepend: int32"},
    .outputs = {"grad_handle: resource", "flow_out: float"},
    .attrs = {"source: string"},
    .flags = OP_STATEFUL,
    .shape = mirror_with_shape,
    .no_grad = "it stands in gradients",
};
KERNEL_DEF(tensor_array_grad_with_shape_cpu) = {
    .op = "TensorArrayGradWithShape", .device = "CPU", .run = mirror_run};

/* --- one value --- */

static bool write_run(struct kctx *c, struct status *st)
{
    const struct tensor *value = kernel_in(c, 2);
    struct tensor_array *a;
    if (!want_scalar(kernel_in(c, 1), "index", st) ||
        !(a = tensor_array_take(c, value->dtype, "is trying to write", st)))
        return false;
    struct tensor t = tensor_copy(value);
    bool ok = tensor_array_write(a, tensor_i32(kernel_in(c, 1))[0], &t, st);
    tensor_array_drop(a);
    tensor_clear(&t);
    if (ok)
        kernel_out_share(c, 0, kernel_in(c, 3));
    return ok;
}

static bool write_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *element;
    if (!tensor_array_infer_use(c, &element, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &s, st) ||
        (element && !infer_merge(c, element, infer_input(c, 2), &s, st)))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

static bool write_grad(struct grad_ctx *g, struct status *st)
{
    struct output flow = grad_dy(g, 0);
    struct tensor_array_side side = tensor_array_side(g, flow);
    struct output in[] = {side.handle, grad_in(g, 1), side.flow};
    grad_set(g, 2,
             tensor_array_opv(
                 g, "Read", 3, in, 1,
                 (struct attr[]){{(char *)"dtype", attr_type(grad_type_of(g, grad_in(g, 2)))}}));
    grad_set(g, 3, flow);
    return grad_done(g, st);
}

#define TENSOR_ARRAY_WRITE_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                    \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayWrite" VERSION,                                                        \
        .summary = "Puts a value into a tensor array.",                                            \
        .inputs = {"handle: " HANDLE, "index: int32", "value: T", "flow_in: float"},               \
        .outputs = {"flow_out: float"},                                                            \
        .attrs = {"T: type"},                                                                      \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayWriteV3" : NULL,                                    \
        .shape = write_shape,                                                                      \
        .grad = write_grad,                                                                        \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayWrite" VERSION, .device = "CPU", .run = write_run}

TENSOR_ARRAY_WRITE_FORM(tensor_array_write, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_WRITE_FORM(tensor_array_write_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_WRITE_FORM(tensor_array_write_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);

static bool read_run(struct kctx *c, struct status *st)
{
    struct tensor_array *a;
    struct tensor value;
    if (!want_scalar(kernel_in(c, 1), "index", st) ||
        !(a = tensor_array_take(c, kernel_output_type(c, 0), "requested", st)))
        return false;
    bool ok = tensor_array_read(a, tensor_i32(kernel_in(c, 1))[0], &value, st);
    tensor_array_drop(a);
    if (ok)
        kernel_out_take(c, 0, &value);
    return ok;
}

static bool read_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s, *element;
    if (!tensor_array_infer_use(c, &element, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &s, st))
        return false;
    if (element)
        infer_set(c, 0, element);
    return true;
}

static bool read_grad(struct grad_ctx *g, struct status *st)
{
    struct tensor_array_side side = tensor_array_side(g, grad_in(g, 2));
    struct output in[] = {side.handle, grad_in(g, 1), grad_dy(g, 0), side.flow};
    grad_set(g, 2, tensor_array_opv(g, "Write", 4, in, 0, NULL));
    return grad_done(g, st);
}

#define TENSOR_ARRAY_READ_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                     \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayRead" VERSION,                                                         \
        .summary = "A value of a tensor array.",                                                   \
        .inputs = {"handle: " HANDLE, "index: int32", "flow_in: float"},                           \
        .outputs = {"value: dtype"},                                                               \
        .attrs = {"dtype: type"},                                                                  \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayReadV3" : NULL,                                     \
        .shape = read_shape,                                                                       \
        .grad = read_grad,                                                                         \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayRead" VERSION, .device = "CPU", .run = read_run}

TENSOR_ARRAY_READ_FORM(tensor_array_read, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_READ_FORM(tensor_array_read_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_READ_FORM(tensor_array_read_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);

/* --- asking and closing --- */

static bool size_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    struct tensor_array *a = out ? tensor_array_take(c, DT_INVALID, "", st) : NULL;
    if (!a)
        return false;
    tensor_i32(out)[0] = (int32_t)a->num;
    tensor_array_drop(a);
    return true;
}

#define TENSOR_ARRAY_SIZE_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                     \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArraySize" VERSION,                                                         \
        .summary = "How many values a tensor array has room for now.",                             \
        .inputs = {"handle: " HANDLE, "flow_in: float"},                                           \
        .outputs = {"size: int32"},                                                                \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArraySizeV3" : NULL,                                     \
        .shape = tensor_array_flow_shape,                                                          \
        .no_grad = "a size has no gradient",                                                       \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArraySize" VERSION, .device = "CPU", .run = size_run}

TENSOR_ARRAY_SIZE_FORM(tensor_array_size, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_SIZE_FORM(tensor_array_size_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_SIZE_FORM(tensor_array_size_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);

static bool close_run(struct kctx *c, struct status *st)
{
    struct tensor_array *a = tensor_array_of(c, st);
    if (!a)
        return false;
    lock_take(&a->lock);
    tensor_array_close(a);
    tensor_array_drop(a);
    return true;
}

static bool close_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *element;
    return tensor_array_infer(c, &element, st);
}

#define TENSOR_ARRAY_CLOSE_FORM(ID, VERSION, HANDLE, AT, FLAGS)                                    \
    OP_DEF(ID) = {                                                                                 \
        .name = "TensorArrayClose" VERSION,                                                        \
        .summary = "Drops a tensor array's values before the step ends.",                          \
        .inputs = {"handle: " HANDLE},                                                             \
        .flags = FLAGS,                                                                            \
        .deprecated_at = AT,                                                                       \
        .deprecated_why = AT ? "Use TensorArrayCloseV3" : NULL,                                    \
        .shape = close_shape,                                                                      \
        .no_grad = "it has no outputs",                                                            \
    };                                                                                             \
    KERNEL_DEF(ID##_cpu) = {.op = "TensorArrayClose" VERSION, .device = "CPU", .run = close_run}

TENSOR_ARRAY_CLOSE_FORM(tensor_array_close, "", TENSOR_ARRAY_REF, 16, 0);
TENSOR_ARRAY_CLOSE_FORM(tensor_array_close_v2, "V2", TENSOR_ARRAY_PAIR, 26, 0);
TENSOR_ARRAY_CLOSE_FORM(tensor_array_close_v3, "V3", TENSOR_ARRAY_RESOURCE, 0, OP_STATEFUL);
