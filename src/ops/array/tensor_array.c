/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor array itself: growing, writing, adding up, reading. Values are shared with whoever
 * wrote them; a value that is added to is copied once, if others hold it. */
#include "ops/array/tensor_array.h"
#include "math/value_add.h"

#include <string.h>

#include "base/mem.h"

static void array_release(struct resource *r)
{
    struct tensor_array *a = (struct tensor_array *)r;
    tensor_array_close(a);
    shape_clear(&a->element);
    lock_release_memory(&a->lock);
    mem_free(a->name);
    mem_free(a);
}

static void array_describe(struct resource *r, struct strbuf *out)
{
    struct tensor_array *a = (struct tensor_array *)r;
    strbuf_printf(out, "TensorArray[%lld]", (long long)a->num);
}

const struct resource_type tensor_array_type = {
    .name = "N10tensorflow11TensorArrayE",
    .release = array_release,
    .describe = array_describe,
};

struct tensor_array *tensor_array_new(char *name, int dtype, int64_t num,
                                      const struct shape *element, struct status *st)
{
    struct tensor_array *a = mem_new(struct tensor_array);
    resource_init(&a->base, &tensor_array_type);
    /* a gradient's array is looked up and put into the map while its own array is held */
    lock_init(&a->lock, "tensor array", LOCK_RANK_RESOURCE_MAP - 1);
    a->name = name;
    a->dtype = dtype;
    a->element = shape_copy(element);
    if (tensor_array_resize(a, num, st))
        return a;
    resource_unref(&a->base);
    return NULL;
}

void tensor_array_close(struct tensor_array *a)
{
    for (int64_t i = 0; i < a->num; i++) {
        tensor_clear(&a->items[i].value);
        shape_clear(&a->items[i].shape);
    }
    mem_free(a->items);
    a->items = NULL;
    a->num = a->cap = 0;
    a->closed = true;
}

bool tensor_array_open(const struct tensor_array *a, struct status *st)
{
    return !a->closed || status_invalid(st, "TensorArray %s has already been closed.", a->name);
}

bool tensor_array_resize(struct tensor_array *a, int64_t num, struct status *st)
{
    if (num > a->cap) {
        int64_t cap = num > 2 * a->cap ? num : 2 * a->cap;
        struct tensor_array_item *items =
            mem_try(mem_array_bytes(cap, sizeof(*items)), "a tensor array", st);
        if (!items)
            return false;
        if (a->num)
            memcpy(items, a->items, (size_t)a->num * sizeof(*items));
        mem_free(a->items);
        a->items = items;
        a->cap = cap;
    }
    for (; a->num < num; a->num++)
        a->items[a->num] = (struct tensor_array_item){.shape = shape_unknown()};
    return true;
}

/* INVALID_ARGUMENT: words with two shapes in them; false. */
static bool fail_shapes(const struct tensor_array *a, int64_t i, const char *fmt,
                        const struct shape *x, const struct shape *y, struct status *st)
{
    struct strbuf first = {0}, second = {0}, text = {0};
    shape_print(x, &first);
    shape_print(y, &second);
    for (const char *p = fmt; *p; p++) {
        if (*p == '1' || *p == '2')
            strbuf_puts(&text, strbuf_text(*p == '1' ? &first : &second));
        else if (*p == '#')
            strbuf_printf(&text, "%lld", (long long)i);
        else
            strbuf_printf(&text, "%c", *p);
    }
    status_invalid(st, "TensorArray %s: Could not %s", a->name, strbuf_text(&text));
    strbuf_release(&first);
    strbuf_release(&second);
    strbuf_release(&text);
    return false;
}

static bool add_type_ok(int dtype)
{
    return dtype_is_float(dtype) || dtype_is_complex(dtype) || dtype_is_integer(dtype);
}

static bool add_to(struct tensor_array *a, int64_t i, const struct tensor *t, struct status *st)
{
    struct tensor_array_item *item = &a->items[i];
    if (!shape_equal(&item->value.shape, &t->shape))
        return fail_shapes(a, i,
                           "aggregate to TensorArray index # because the existing shape is 1 but "
                           "the new input shape is 2.",
                           &item->value.shape, &t->shape, st);
    if (!add_type_ok(a->dtype))
        return status_invalid(st, "tensor_array::AddToTensor type not supported: %s",
                              dtype_name(a->dtype));
    if (!tensor_is_sole(&item->value)) {
        struct tensor own;
        if (!tensor_dup(&item->value, &own, st))
            return false;
        tensor_clear(&item->value);
        item->value = own;
    }
    value_add_of(a->dtype)(item->value.data, t->data, t->num_elems);
    a->aggregated = true;
    return true;
}

static bool write_allowed(struct tensor_array *a, int64_t i, const struct tensor *t,
                          struct status *st)
{
    const struct tensor_array_item *item = &a->items[i];
    if (!shape_compatible(&a->element, &t->shape))
        return fail_shapes(a, i,
                           "write to TensorArray index # because the value shape is 1 which is "
                           "incompatible with the TensorArray's inferred element shape: 2 "
                           "(consider setting infer_shape=False).",
                           &t->shape, &a->element, st);
    if (item->cleared)
        return status_invalid(
            st,
            "TensorArray %s: Could not write to TensorArray index %lld because it "
            "has already been read.",
            a->name, (long long)i);
    if (item->written && !a->aggregate)
        return status_invalid(
            st,
            "TensorArray %s: Could not write to TensorArray index %lld because it "
            "has already been written to.",
            a->name, (long long)i);
    return true;
}

bool tensor_array_write(struct tensor_array *a, int64_t i, struct tensor *t, struct status *st)
{
    if (!tensor_array_open(a, st))
        return false;
    if (i < 0 || (i >= a->num && !a->dynamic))
        return status_invalid(st,
                              "TensorArray %s: Tried to write to index %lld but array is not "
                              "resizeable and size is: %lld",
                              a->name, (long long)i, (long long)a->num);
    if (i >= a->num && !tensor_array_resize(a, i + 1, st))
        return false;
    if (!write_allowed(a, i, t, st))
        return false;
    struct tensor_array_item *item = &a->items[i];
    if (item->written) {
        bool ok = add_to(a, i, t, st);
        tensor_clear(t);
        return ok;
    }
    if (a->same_shapes && !shape_known(&a->element)) {
        shape_clear(&a->element);
        a->element = shape_copy(&t->shape);
    }
    shape_clear(&item->shape);
    item->shape = shape_copy(&t->shape);
    tensor_clear(&item->value);
    item->value = tensor_take(t);
    item->written = true;
    return true;
}

static bool zeros_for(struct tensor_array *a, int64_t i, struct status *st)
{
    struct tensor_array_item *item = &a->items[i];
    const struct shape *s = shape_known(&item->shape) ? &item->shape : &a->element;
    if (!shape_known(s)) {
        struct strbuf text = {0};
        shape_print(&a->element, &text);
        status_invalid(st,
                       "TensorArray %s: Could not read from TensorArray index %lld.  Furthermore, "
                       "the element shape is not fully defined: %s.  It is possible that the array "
                       "grew past what was written, or that a gradient which would have been "
                       "written was stopped; with a full element_shape zeros would be read.",
                       a->name, (long long)i, strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    if (!tensor_new(&item->value, a->dtype, s, st))
        return false;
    if (!dtype_is_managed(a->dtype))
        memset(item->value.data, 0, tensor_bytes(&item->value));
    return true;
}

bool tensor_array_read(struct tensor_array *a, int64_t i, struct tensor *out, struct status *st)
{
    if (!tensor_array_open(a, st))
        return false;
    if (i < 0 || i >= a->num)
        return status_invalid(st, "Tried to read from index %lld but array size is: %lld",
                              (long long)i, (long long)a->num);
    struct tensor_array_item *item = &a->items[i];
    if (item->cleared)
        return status_invalid(st,
                              "TensorArray %s: Could not read index %lld twice because it was "
                              "cleared after a previous read (perhaps try setting clear_after_read "
                              "= false?).",
                              a->name, (long long)i);
    if (item->value.dtype == DT_INVALID && !zeros_for(a, i, st))
        return false;
    if (a->clear_after_read) {
        *out = tensor_take(&item->value);
        item->cleared = true;
    } else {
        *out = tensor_copy(&item->value);
    }
    return true;
}
