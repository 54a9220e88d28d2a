/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in variants. */
#include "op/tensor_variant.h"

#include "base/mem.h"

struct tensor_variant {
    struct variant base;
    struct tensor t;
};

static void release(struct variant *v)
{
    struct tensor_variant *w = (struct tensor_variant *)v;
    tensor_clear(&w->t);
    mem_free(w);
}

static void print(const struct variant *v, struct strbuf *out)
{
    const struct tensor *t = &((const struct tensor_variant *)v)->t;
    strbuf_printf(out, "Tensor<type: %s shape: ", dtype_name(t->dtype));
    shape_print(&t->shape, out);
    strbuf_puts(out, ">");
}

static const struct variant_type type = {
    .name = "tensorflow::Tensor", .release = release, .print = print};

struct variant *tensor_variant_new(const struct tensor *t)
{
    struct tensor_variant *w = mem_new(struct tensor_variant);
    w->base.refs = 1;
    w->base.type = &type;
    w->t = tensor_copy(t);
    return &w->base;
}

const struct tensor *tensor_variant_get(const struct variant *v)
{
    return v && v->type == &type ? &((const struct tensor_variant *)v)->t : NULL;
}
