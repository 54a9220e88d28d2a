/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors, item by item: EmptyTensorList, TensorListReserve, PushBack, PopBack, GetItem,
 * SetItem, Resize, Length, ElementShape. */
#include "op/grad.h"
#include "ops/list/list.h"

#define ITEM_TYPES                                                                                 \
    "element_dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "    \
    "complex64, complex128, bool, string, variant, qint16, qint32, qint8, quint16, quint8}"

static int item_type(const struct kctx *c)
{
    return attrs_type(kernel_attrs(c), "element_dtype");
}

/* --- new lists --- */

static bool new_list(struct kctx *c, bool reserve, struct status *st)
{
    struct shape s;

    if (!kernel_want_scalar(c, 1, st) || !list_shape_in(c, 0, &s, st))
        return false;
    struct list *l = list_new(item_type(c), &s);
    int64_t n = tensor_i32(kernel_in(c, 1))[0];

    shape_clear(&s);
    if (!reserve)
        l->max_items = n;
    if (reserve && (n < 0 ? !status_invalid(st,
                                            "The num_elements to reserve must be a non negative "
                                            "number, but got %lld",
                                            (long long)n)
                          : !list_resize(l, n, st))) {
        variant_unref(&l->base);
        return false;
    }
    return list_out(c, 0, l, st);
}

static bool empty_run(struct kctx *c, struct status *st)
{
    return new_list(c, false, st);
}

static bool reserve_run(struct kctx *c, struct status *st)
{
    return new_list(c, true, st);
}

static bool new_list_shape(struct infer_ctx *c, struct status *st)
{
    return list_infer_declared(c, 0, st);
}

OP_DEF(empty_tensor_list) = {
    .name = "EmptyTensorList",
    .summary = "A list without items.",
    .inputs = {"element_shape: shape_type", "max_num_elements: int32"},
    .outputs = {"handle: variant"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = new_list_shape,
    .no_grad = "its inputs are sizes",
};
KERNEL_DEF(empty_tensor_list_cpu) = {.op = "EmptyTensorList", .device = "CPU", .run = empty_run};

OP_DEF(tensor_list_reserve) = {
    .name = "TensorListReserve",
    .summary = "A list of num_elements items that are not set yet.",
    .inputs = {"element_shape: shape_type", "num_elements: int32"},
    .outputs = {"handle: variant"},
    .attrs = {"element_dtype: type", "shape_type: {int32, int64}"},
    .shape = new_list_shape,
    .no_grad = "its inputs are sizes",
};
KERNEL_DEF(tensor_list_reserve_cpu) = {
    .op = "TensorListReserve", .device = "CPU", .run = reserve_run};

/* --- PushBack, PopBack --- */

static bool fits(const struct list *l, const struct tensor *t, const char *what, struct status *st)
{
    struct strbuf a = {0}, b = {0};

    if (shape_compatible(&l->shape, &t->shape))
        return true;
    list_shape_text(&t->shape, &a);
    list_shape_text(&l->shape, &b);
    status_invalid(st, "%s%s list shape: %s", what, strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool push_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, kernel_in(c, 1)->dtype, st);
    struct tensor item;

    if (!l || !fits(l, kernel_in(c, 1),
                    "Tried to append a tensor with incompatible shape to a list. Op element "
                    "shape: ",
                    st))
        return false;
    if (l->max_items >= 0 && l->n >= l->max_items)
        return status_invalid(st,
                              "Tried to push item into a full list list size: %lld "
                              "max_num_elements: %lld",
                              (long long)l->n, (long long)l->max_items);
    if (!kernel_in_keep(c, 1, &item, st))
        return false;
    l = list_edit(c, st);
    if (!l || !list_resize(l, l->n + 1, st)) {
        tensor_clear(&item);
        return false;
    }
    l->items[l->n - 1] = item;
    return true;
}

static bool push_shape(struct infer_ctx *c, struct status *st)
{
    struct infer_handle h = infer_handle_in(c, 0);
    const struct shape *s = infer_unknown(c);
    int dtype = attrs_type(infer_attrs(c), "element_dtype");

    if (h.n == 1 && h.dtypes[0] != dtype)
        return status_invalid(
            st,
            "Trying to push to list with wrong element dtype. List has type %s but "
            "trying to push element with type %s",
            dtype_name(h.dtypes[0]), dtype_name(dtype));
    if (h.n == 1) /* whether the item fits it is asked when it comes */
        s = h.shapes[0];
    infer_set(c, 0, infer_scalar(c));
    infer_set_handle(c, 0, (struct infer_handle){.n = 1, .dtypes = &dtype, .shapes = &s});
    return true;
}

static bool push_grad(struct grad_ctx *g, struct status *st)
{
    int type = grad_type_of(g, grad_in(g, 1));

    if (!grad_has_dy(g, 0))
        return grad_done(g, st);
    struct node *n = grad_nodev(g, "TensorListPopBack", 2,
                                (struct output[]){grad_dy(g, 0), grad_shape(g, grad_in(g, 1))}, 1,
                                (struct attr[]){{(char *)"element_dtype", attr_type(type)}});

    grad_set(g, 0, grad_node_out(g, n, 0));
    grad_set(g, 1, grad_node_out(g, n, 1));
    return grad_done(g, st);
}

OP_DEF(tensor_list_push_back) = {
    .name = "TensorListPushBack",
    .summary = "The list with one more item at its end.",
    .inputs = {"input_handle: variant", "tensor: element_dtype"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type"},
    .shape = push_shape,
    .grad = push_grad,
};
KERNEL_DEF(tensor_list_push_back_cpu) = {
    .op = "TensorListPushBack", .device = "CPU", .run = push_run};

/* An item as output i; one that was never set is zeros. */
static bool item_out(struct kctx *c, int i, const struct list *l, int64_t at, int shape_input,
                     struct status *st)
{
    struct shape want, s;

    if (l->items[at].dtype != DT_INVALID) {
        kernel_out_share(c, i, &l->items[at]);
        return true;
    }
    if (!list_shape_in(c, shape_input, &want, st))
        return false;
    bool ok = list_item_shape(l, &want, &s, st);

    shape_clear(&want);
    if (!ok)
        return false;
    for (int k = 0; k < s.rank; k++)
        ok = ok && shape_dim(&s, k) >= 0;
    if (!ok || s.rank < 0) {
        struct strbuf text = {0};

        list_shape_text(&s, &text);
        status_invalid(st,
                       "Trying to read an uninitialized tensor but element_shape is not fully "
                       "defined: %s and no uninitialized tensors in list",
                       strbuf_text(&text));
        strbuf_release(&text);
        shape_clear(&s);
        return false;
    }
    struct tensor *out = kernel_out(c, i, &s, st);

    shape_clear(&s);
    if (out && !dtype_is_managed(out->dtype))
        memset(out->data, 0, tensor_bytes(out));
    return out != NULL;
}

static bool pop_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, item_type(c), st);

    if (!l)
        return false;
    if (l->n == 0)
        return status_invalid(st, "Trying to pop from an empty list.");
    if (!item_out(c, 1, l, l->n - 1, 1, st))
        return false;
    l = list_edit(c, st);
    return l && list_resize(l, l->n - 1, st);
}

static bool pop_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    if (!list_infer_item(c, -1, &item, st)) /* element_shape counts when it runs alone, as in TF */
        return false;
    infer_set(c, 1, item);
    return list_infer_same(c, st);
}

static bool pop_grad(struct grad_ctx *g, struct status *st)
{
    /* where nobody uses what is left of the list, its gradient is as many zeros */
    struct output dlist = grad_has_dy(g, 0) ? grad_dy(g, 0) : grad_zeros_like(g, grad_out(g, 0));

    grad_set(g, 0, grad_op2(g, "TensorListPushBack", dlist, grad_dy(g, 1)));
    return grad_done(g, st);
}

OP_DEF(tensor_list_pop_back) = {
    .name = "TensorListPopBack",
    .summary = "The list without its last item, and that item.",
    .inputs = {"input_handle: variant", "element_shape: int32"},
    .outputs = {"output_handle: variant", "tensor: element_dtype"},
    .attrs = {"element_dtype: type"},
    .shape = pop_shape,
    .grad = pop_grad,
};
KERNEL_DEF(tensor_list_pop_back_cpu) = {
    .op = "TensorListPopBack", .device = "CPU", .types = {ITEM_TYPES}, .run = pop_run};

/* --- GetItem, SetItem --- */

static bool check_index(struct kctx *c, const struct list *l, const char *what, int64_t *at,
                        struct status *st)
{
    if (!kernel_want_scalar(c, 1, st))
        return false;
    *at = tensor_i32(kernel_in(c, 1))[0];
    return (*at >= 0 && *at < l->n) ||
           status_invalid(st, "Trying to %s element %lld in a list with %lld elements.", what,
                          (long long)*at, (long long)l->n);
}

static bool get_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, item_type(c), st);
    int64_t at;

    return l && check_index(c, l, "access", &at, st) && item_out(c, 0, l, at, 2, st);
}

static bool get_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *item;

    if (!list_infer_item(c, 2, &item, st))
        return false;
    infer_set(c, 0, item);
    return true;
}

static bool get_grad(struct grad_ctx *g, struct status *st)
{
    struct output list = grad_in(g, 0), index = grad_in(g, 1), dy = grad_dy(g, 0);
    struct output shape = grad_opv(g, "TensorListElementShape", 1, &list, 1,
                                   (struct attr[]){{(char *)"shape_type", attr_type(DT_INT32)}});
    struct output empty = grad_opv(
        g, "TensorListReserve", 2, (struct output[]){shape, grad_op1(g, "TensorListLength", list)},
        1, (struct attr[]){{(char *)"element_dtype", attr_type(grad_type_of(g, dy))}});

    grad_set(g, 0, grad_op3(g, "TensorListSetItem", empty, index, dy));
    return grad_done(g, st);
}

OP_DEF(tensor_list_get_item) = {
    .name = "TensorListGetItem",
    .summary = "The item of that index.",
    .inputs = {"input_handle: variant", "index: int32", "element_shape: int32"},
    .outputs = {"item: element_dtype"},
    .attrs = {"element_dtype: type"},
    .shape = get_shape,
    .grad = get_grad,
};
KERNEL_DEF(tensor_list_get_item_cpu) = {
    .op = "TensorListGetItem", .device = "CPU", .types = {ITEM_TYPES}, .run = get_run};

static bool set_run(struct kctx *c, struct status *st)
{
    struct list *l = list_of(c, 0, kernel_in(c, 2)->dtype, st);
    struct tensor item;
    int64_t at;

    if (!l || !check_index(c, l, "modify", &at, st) ||
        !fits(l, kernel_in(c, 2),
              "Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
              st) ||
        !kernel_in_keep(c, 2, &item, st))
        return false;
    l = list_edit(c, st);
    if (!l) {
        tensor_clear(&item);
        return false;
    }
    tensor_clear(&l->items[at]);
    l->items[at] = item;
    return true;
}

static bool set_shape(struct infer_ctx *c, struct status *st)
{
    struct infer_handle h = infer_handle_in(c, 0);
    const struct shape *merged;

    return (h.n != 1 || infer_merge(c, infer_input(c, 2), h.shapes[0], &merged, st)) &&
           list_infer_same(c, st);
}

static bool set_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), index = grad_in(g, 1), item = grad_in(g, 2);

    grad_set(g, 0, grad_op3(g, "TensorListSetItem", dy, index, grad_zeros_like(g, item)));
    grad_set(
        g, 2,
        grad_opv(g, "TensorListGetItem", 3, (struct output[]){dy, index, grad_shape(g, item)}, 1,
                 (struct attr[]){{(char *)"element_dtype", attr_type(grad_type_of(g, item))}}));
    return grad_done(g, st);
}

static bool resize_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *size;

    return infer_want_rank(c, infer_input(c, 1), 0, &size, st) && list_infer_same(c, st);
}

OP_DEF(tensor_list_set_item) = {
    .name = "TensorListSetItem",
    .summary = "The list with another item at that index.",
    .inputs = {"input_handle: variant", "index: int32", "item: element_dtype"},
    .outputs = {"output_handle: variant"},
    .attrs = {"element_dtype: type"},
    .shape = set_shape,
    .grad = set_grad,
};
KERNEL_DEF(tensor_list_set_item_cpu) = {.op = "TensorListSetItem", .device = "CPU", .run = set_run};

/* --- sizes --- */

static bool resize_run(struct kctx *c, struct status *st)
{
    if (!list_in(c, 0, st) || !kernel_want_scalar(c, 1, st))
        return false;
    int64_t n = tensor_i32(kernel_in(c, 1))[0];

    if (n < 0)
        return status_invalid(st, "TensorListSlice expects size to be non-negative. Got: %lld",
                              (long long)n);
    struct list *l = list_edit(c, st);

    return l && list_resize(l, n, st);
}

static bool resize_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0,
             grad_op2(g, "TensorListResize", grad_dy(g, 0),
                      grad_op1(g, "TensorListLength", grad_in(g, 0))));
    return grad_done(g, st);
}

OP_DEF(tensor_list_resize) = {
    .name = "TensorListResize",
    .summary = "The list with size items: cut, or with items that are not set at its end.",
    .inputs = {"input_handle: variant", "size: int32"},
    .outputs = {"output_handle: variant"},
    .flags = OP_STATEFUL,
    .shape = resize_shape,
    .grad = resize_grad,
};
KERNEL_DEF(tensor_list_resize_cpu) = {.op = "TensorListResize", .device = "CPU", .run = resize_run};

static bool length_run(struct kctx *c, struct status *st)
{
    struct list *l = list_in(c, 0, st);
    const struct shape scalar = shape_scalar();
    struct tensor *out = l ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out)
        tensor_i32(out)[0] = (int32_t)l->n;
    return out != NULL;
}

OP_DEF(tensor_list_length) = {
    .name = "TensorListLength",
    .summary = "How many items the list has.",
    .inputs = {"input_handle: variant"},
    .outputs = {"length: int32"},
    .shape = infer_scalars,
    .no_grad = "a number of items",
};
KERNEL_DEF(tensor_list_length_cpu) = {.op = "TensorListLength", .device = "CPU", .run = length_run};

static bool item_shape_run(struct kctx *c, struct status *st)
{
    struct list *l = list_in(c, 0, st);

    if (!l)
        return false;
    int64_t n = l->shape.rank;
    struct shape s = n < 0 ? shape_scalar() : shape_make(&n, 1);
    struct tensor *out = kernel_out(c, 0, &s, st);

    shape_clear(&s);
    for (int64_t i = 0; out && i < out->num_elems; i++) {
        int64_t dim = n < 0 ? -1 : shape_dim(&l->shape, (int)i);

        if (out->dtype == DT_INT32)
            tensor_i32(out)[i] = (int32_t)dim;
        else
            tensor_i64(out)[i] = dim;
    }
    return out != NULL;
}

static bool item_shape_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    struct infer_handle h = infer_handle_in(c, 0);

    if (h.n == 1 && h.shapes[0]->rank >= 0) /* else it may be the scalar -1 */
        infer_set(c, 0, infer_vector(c, h.shapes[0]->rank));
    return true;
}

OP_DEF(tensor_list_element_shape) = {
    .name = "TensorListElementShape",
    .summary = "The shape of the list's items, -1 where it is not known.",
    .inputs = {"input_handle: variant"},
    .outputs = {"element_shape: shape_type"},
    .attrs = {"shape_type: {int32, int64}"},
    .shape = item_shape_shape,
    .no_grad = "a shape",
};
KERNEL_DEF(tensor_list_element_shape_cpu) = {
    .op = "TensorListElementShape", .device = "CPU", .run = item_shape_run};
