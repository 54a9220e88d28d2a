/* SPDX-License-Identifier: Apache-2.0 */
/* What a running kernel asks of the framework: outputs, scratch, the end of an asynchronous call.
 *
 * Called several times per node and step with mostly small tensors, so the plain path is a few
 * tests and one visit to the allocator. Nothing here locks. */
#include "base/mem.h"
#include "op/cancel.h"
#include "op/kernel.h"

bool kernel_in_keep(const struct kctx *c, int i, struct tensor *out, struct status *st)
{
    const struct tensor *t = c->in[i];
    if (UNLIKELY(tensor_is_borrowed(t)))
        return tensor_dup(t, out, st);
    *out = tensor_copy(t);
    return true;
}

/* Empties an output slot that a planner filled with memory, or that is set again. */
static void drop_old(struct tensor *out)
{
    if (UNLIKELY(out->buf != NULL || out->dtype != DT_INVALID))
        tensor_clear(out);
}

/* Output i in the memory that the planner left there. */
static bool use_planned(struct kctx *c, int i, const struct shape *shape)
{
    struct tensor *out = &c->out[i];
    struct buffer *b = out->buf;
    int dtype = kernel_output_type(c, i);
    int64_t n, bytes;
    struct status st = {0};
    if (out->dtype != DT_INVALID || dtype_is_managed(dtype) || !buffer_is_sole(b))
        return false;
    if (!shape_num_elems(shape, &n, &st)) {
        status_clear(&st); /* the plain path says it again */
        return false;
    }
    if (!size_mul(n, (int64_t)dtype_size(dtype), &bytes) || (size_t)bytes > b->bytes)
        return false;
    *out = (struct tensor){
        .dtype = dtype, .shape = shape_copy(shape), .num_elems = n, .data = b->data, .buf = b};
    b->dtype = dtype;
    return true;
}

struct tensor *kernel_out(struct kctx *c, int i, const struct shape *shape, struct status *st)
{
    ASSERT(i >= 0 && i < c->kernel->num_outputs);
    struct tensor *out = &c->out[i];
    if (UNLIKELY(out->buf != NULL)) {
        if (use_planned(c, i, shape))
            return out;
        tensor_clear(out);
    }
    return LIKELY(tensor_new(out, kernel_output_type(c, i), shape, st)) ? out : NULL;
}

/* Whether input `in` may become output i: nobody else will read it, and the elements fit. */
static bool can_forward(const struct kctx *c, int in, int i, int64_t elems)
{
    const struct tensor *t = c->in[in];
    if (in >= 64 || !((c->in_last_use >> in) & 1) || t->num_elems != elems ||
        dtype_is_ref(t->dtype) || !tensor_is_sole(t))
        return false;
    int from = t->dtype, to = kernel_output_type(c, i);
    if (dtype_is_managed(from) || dtype_is_managed(to))
        return from == to;
    return dtype_size(from) == dtype_size(to);
}

struct tensor *kernel_out_forward(struct kctx *c, int in, int i, const struct shape *shape,
                                  struct status *st)
{
    ASSERT(in >= 0 && in < c->kernel->num_inputs && i >= 0 && i < c->kernel->num_outputs);
    int64_t elems;
    if (!shape_num_elems(shape, &elems, st))
        return NULL;
    if (!can_forward(c, in, i, elems))
        return kernel_out(c, i, shape, st);
    struct tensor *from = c->in[in], *out = &c->out[i];
    drop_old(out);
    *out = (struct tensor){.dtype = kernel_output_type(c, i),
                           .shape = shape_copy(shape),
                           .num_elems = elems,
                           .data = from->data,
                           .buf = from->buf};
    /* The input keeps a view of the same elements, which the kernel goes on reading while it
     * writes, but no longer holds the buffer. */
    from->buf = NULL;
    return out;
}

void kernel_out_share(struct kctx *c, int i, const struct tensor *t)
{
    ASSERT(i >= 0 && i < c->kernel->num_outputs);
    struct tensor copy = tensor_copy(t);
    drop_old(&c->out[i]);
    c->out[i] = copy;
}

void kernel_out_take(struct kctx *c, int i, struct tensor *t)
{
    ASSERT(i >= 0 && i < c->kernel->num_outputs);
    drop_old(&c->out[i]);
    c->out[i] = tensor_take(t);
}

void kernel_out_ref(struct kctx *c, int i, struct variable *v)
{
    ASSERT(i >= 0 && i < c->kernel->num_outputs);
    struct buffer *edge = variable_edge_ref(v);
    drop_old(&c->out[i]);
    c->out[i] = (struct tensor){.dtype = v->dtype + DT_REF, .data = v, .buf = edge};
}

/* --- scratch: buffers of the caching allocator, in a list whose links lie in their first bytes ---
 */

enum { SCRATCH_LINK_BYTES = 64 };

struct scratch_link {
    struct buffer *buf;
    struct scratch_link *next;
};

void *kernel_scratch(struct kctx *c, int64_t bytes, struct status *st)
{
    int64_t total;
    if (!size_add(bytes, SCRATCH_LINK_BYTES, &total)) {
        status_exhausted(st, "%s: %lld bytes of scratch", c->kernel->op->name, (long long)bytes);
        return NULL;
    }
    struct buffer *b = buffer_new(DT_UINT8, total, st);
    if (!b)
        return NULL;
    struct scratch_link *link = b->data;
    *link = (struct scratch_link){.buf = b, .next = c->scratch_head};
    c->scratch_head = link;
    return (char *)b->data + SCRATCH_LINK_BYTES;
}

void kernel_scratch_release(struct kctx *c)
{
    struct scratch_link *link = c->scratch_head;
    c->scratch_head = NULL;
    while (link) {
        struct scratch_link *next = link->next;
        buffer_unref(link->buf);
        link = next;
    }
}

bool kernel_temp(struct kctx *c UNUSED, int dtype, const struct shape *shape, struct tensor *out,
                 struct status *st)
{
    return tensor_new(out, dtype, shape, st);
}

/* --- ends --- */

void kernel_done(struct kctx *c, struct status *st)
{
    ASSERT(c->done != NULL);
    c->done(c, st);
}

bool kernel_cancelled(const struct kctx *c)
{
    return c->env && c->env->cancel && cancel_fired(c->env->cancel);
}

/* --- checks --- */

/* The declared name of expanded input i; inputs of a list share their argument's. */
static const char *input_name(const struct kctx *c, int i)
{
    const struct kernel *k = c->kernel;
    for (int a = 0; a < k->op->num_inputs; a++) {
        int first, n;
        if (kernel_input_range(k, k->op->inputs[a].name, &first, &n) && i >= first && i < first + n)
            return k->op->inputs[a].name;
    }
    return "input";
}

static bool fail_rank(const struct kctx *c, int i, const char *wanted, struct status *st)
{
    struct strbuf shape = {0};
    shape_print(&c->in[i]->shape, &shape);
    status_invalid(st, "%s must be a %s, not shape %s", input_name(c, i), wanted,
                   strbuf_text(&shape));
    strbuf_release(&shape);
    return false;
}

bool kernel_want_scalar(const struct kctx *c, int i, struct status *st)
{
    return LIKELY(tensor_rank(c->in[i]) == 0) || fail_rank(c, i, "scalar", st);
}

bool kernel_want_vector(const struct kctx *c, int i, struct status *st)
{
    return LIKELY(tensor_rank(c->in[i]) == 1) || fail_rank(c, i, "vector", st);
}

bool kernel_shape_from(const struct tensor *t, struct shape *out, struct status *st)
{
    if ((t->dtype != DT_INT32 && t->dtype != DT_INT64) || tensor_rank(t) != 1) {
        struct strbuf shape = {0};
        shape_print(&t->shape, &shape);
        status_invalid(st, "shape must be a vector of {int32,int64}, got shape %s of type %s",
                       strbuf_text(&shape), dtype_name(t->dtype));
        strbuf_release(&shape);
        return false;
    }
    if (t->num_elems > SHAPE_MAX_RANK)
        return status_invalid(st, "shape has %lld dimensions, more than %d",
                              (long long)t->num_elems, SHAPE_MAX_RANK);
    int64_t dims[SHAPE_MAX_RANK], elems;
    for (int64_t i = 0; i < t->num_elems; i++) {
        dims[i] = tensor_index(t, i);
        if (dims[i] < 0)
            return status_invalid(st, "Dimension %lld must be >= 0", (long long)dims[i]);
    }
    struct shape made = shape_make(dims, (int)t->num_elems);
    if (!shape_num_elems(&made, &elems, st)) {
        shape_clear(&made);
        return false;
    }
    *out = made;
    return true;
}
