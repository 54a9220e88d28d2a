/* SPDX-License-Identifier: Apache-2.0 */
/* The shape context and the running of a shape function.
 *
 * A node's shape function runs once when the node is made and again when an input's shape grows
 * known: thousands of times while a graph is built, so a context is a few pointers into one arena
 * that is dropped at the end. Constant inputs are computed only when asked for, once. */
#include "op/infer.h"

#include <string.h>

#include "base/mem.h"
#include "op/infer_ctx.h"

enum { CONST_ELEMS_SHOWN = 256 };

/* --- what a shape function reads --- */

int infer_num_inputs(const struct infer_ctx *c)
{
    return c->call->num_inputs;
}

int infer_num_outputs(const struct infer_ctx *c)
{
    return c->call->num_outputs;
}

const struct shape *infer_input(const struct infer_ctx *c, int i)
{
    ASSERT(i >= 0 && i < c->call->num_inputs);
    return &c->call->input_shapes[i];
}

int infer_input_type(const struct infer_ctx *c, int i)
{
    return dtype_base(c->call->input_types[i]);
}

int infer_output_type(const struct infer_ctx *c, int i)
{
    return dtype_base(c->call->output_types[i]);
}

const struct attrs *infer_attrs(const struct infer_ctx *c)
{
    return c->call->attrs;
}

int infer_producer_version(const struct infer_ctx *c)
{
    return c->call->producer_version;
}

const struct op *infer_op(const struct infer_ctx *c)
{
    return c->call->op;
}

const char *infer_node_name(const struct infer_ctx *c)
{
    return c->call->node_name ? c->call->node_name : "";
}

bool infer_input_range(const struct infer_ctx *c, const char *name, int *first, int *n)
{
    const struct op *op = c->call->op;
    int64_t begin = 0, len = 0;
    for (int i = 0; i < op->num_inputs; i++) {
        struct status st = {0};
        if (!op_arg_len(op, &op->inputs[i], c->call->attrs, &len, &st)) {
            status_clear(&st);
            return false;
        }
        if (strcmp(op->inputs[i].name, name) == 0) {
            *first = (int)begin;
            *n = (int)len;
            return true;
        }
        begin += len;
    }
    return false;
}

const struct tensor *infer_const(struct infer_ctx *c, int i)
{
    struct const_state *s = &c->consts[i];
    const struct infer_source *from = &c->call->source;
    if (!s->asked && from->constant)
        s->value = from->constant(from->arg, i);
    s->asked = true;
    return s->value;
}

/* The known part of input i as a shape, from the graph's arithmetic; NULL: nothing. */
static const struct shape *partial_shape(struct infer_ctx *c, int i)
{
    struct const_state *s = &c->consts[i];
    const struct infer_source *from = &c->call->source;
    struct shape found;
    if (!s->partial_asked && from->partial_shape && from->partial_shape(from->arg, i, &found))
        s->partial = infer_keep(c, found);
    s->partial_asked = true;
    return s->partial;
}

/* A constant shape vector as a shape. */
static bool shape_of_value(struct infer_ctx *c, const struct tensor *t, const struct shape **out,
                           struct status *st)
{
    if (t->dtype != DT_INT32 && t->dtype != DT_INT64)
        return status_invalid(st, "Input tensor must be int32 or int64, but was %s",
                              dtype_name(t->dtype));
    if (tensor_rank(t) != 1)
        return status_invalid(st, "Input tensor must be rank 1, but was rank %d", tensor_rank(t));
    if (t->num_elems > SHAPE_MAX_RANK)
        return status_invalid(st, "Shape has %lld dimensions, more than %d",
                              (long long)t->num_elems, SHAPE_MAX_RANK);
    int64_t dims[SHAPE_MAX_RANK];
    for (int64_t i = 0; i < t->num_elems; i++) {
        dims[i] = tensor_index(t, i);
        if (dims[i] < DIM_UNKNOWN)
            return status_invalid(st, "Invalid value in tensor used for shape: %lld",
                                  (long long)dims[i]);
    }
    *out = infer_make(c, dims, (int)t->num_elems);
    return true;
}

bool infer_const_shape(struct infer_ctx *c, int i, const struct shape **out, struct status *st)
{
    const struct shape *vector;
    if (!infer_want_rank(c, infer_input(c, i), 1, &vector, st))
        return false;
    const struct tensor *t = infer_const(c, i);
    if (t) {
        if (!shape_of_value(c, t, out, st))
            return false;
        c->consts[i].partial = *out;
        return true;
    }
    *out = partial_shape(c, i);
    int64_t rank = infer_dim(vector, 0);
    if (!*out)
        *out = rank == DIM_UNKNOWN || rank > SHAPE_MAX_RANK ? infer_unknown(c)
                                                            : infer_of_rank(c, (int)rank);
    return true;
}

bool infer_const_int(struct infer_ctx *c, int i, bool *known, int64_t *value, struct status *st)
{
    *known = false;
    const struct shape *scalar;
    if (!infer_want_rank(c, infer_input(c, i), 0, &scalar, st))
        return false;
    const struct tensor *t = infer_const(c, i);
    if (!t)
        return true;
    if (tensor_rank(t) != 0)
        return status_invalid(st, "Input must be scalar but has rank %d", tensor_rank(t));
    if (t->dtype != DT_INT32 && t->dtype != DT_INT64)
        return status_invalid(st, "Scalar input for dim size must be int32 or int64");
    *known = true;
    *value = tensor_index(t, 0);
    return true;
}

bool infer_dim_from(struct infer_ctx *c, int i, int64_t *dim, struct status *st)
{
    *dim = DIM_UNKNOWN;
    const struct tensor *t = infer_const(c, i);
    if (!t)
        return true;
    if (tensor_rank(t) != 0)
        return status_invalid(st, "Input must be scalar but has rank %d", tensor_rank(t));
    if (t->dtype != DT_INT32 && t->dtype != DT_INT64)
        return status_invalid(st, "Scalar input for dim size must be int32 or int64");
    const int64_t value = tensor_index(t, 0);
    if (value < 0)
        return status_invalid(
            st, "Dimension size, given by scalar input %d, must be non-negative but is %lld", i,
            (long long)value);
    *dim = value;
    return true;
}

struct infer_handle infer_handle_in(const struct infer_ctx *c, int i)
{
    return c->call->input_handles ? c->call->input_handles[i] : (struct infer_handle){0};
}

/* --- what it sets --- */

void infer_set(struct infer_ctx *c, int i, const struct shape *s)
{
    ASSERT(i >= 0 && i < c->call->num_outputs);
    c->outputs[i] = s;
}

void infer_set_handle(struct infer_ctx *c, int i, struct infer_handle h)
{
    ASSERT(i >= 0 && i < c->call->num_outputs);
    c->any_handle = c->any_handle || h.n > 0;
    if (h.n > 0) { /* the arrays may be the caller's locals */
        h.dtypes = arena_memdup(&c->arena, h.dtypes, sizeof *h.dtypes * (size_t)h.n);
        h.shapes = arena_memdup(&c->arena, h.shapes, sizeof *h.shapes * (size_t)h.n);
    }
    c->handles_out[i] = h;
}

/* --- running --- */

/* " for 'n' (op: 'MatMul') with input shapes: [1,2], [3,2] and with computed ..." */
static void add_context(const struct infer_ctx *c, struct status *st)
{
    const struct infer_call *call = c->call;
    struct strbuf shapes = {0}, consts = {0}, partial = {0};
    for (int i = 0; i < call->num_inputs; i++) {
        strbuf_puts(&shapes, i ? ", " : "");
        if (call->input_shapes[i].rank < 0)
            strbuf_putc(&shapes, '?');
        else
            shape_print(&call->input_shapes[i], &shapes);
        const struct const_state *s = &c->consts[i];
        if (s->partial) {
            strbuf_printf(&partial, "%sinput[%d] = ", partial.n ? ", " : "", i);
            shape_print(s->partial, &partial);
        } else if (s->value) {
            strbuf_printf(&consts, "%sinput[%d] = <", consts.n ? ", " : "", i);
            tensor_summarize(s->value, CONST_ELEMS_SHOWN, &consts);
            strbuf_putc(&consts, '>');
        }
    }
    status_append(st, " for '%s' (op: '%s') with input shapes: %s%s%s%s%s.",
                  call->node_name ? call->node_name : "", call->op->name, strbuf_text(&shapes),
                  consts.n ? " and with computed input tensors: " : "", strbuf_text(&consts),
                  partial.n ? " and with input tensors computed as partial shapes: " : "",
                  strbuf_text(&partial));
    strbuf_release(&shapes);
    strbuf_release(&consts);
    strbuf_release(&partial);
}

static void copy_handle(struct arena *a, const struct infer_handle *from, struct infer_handle *to)
{
    struct shape *shapes = arena_array(a, struct shape, from->n);
    const struct shape **pointers = arena_array(a, const struct shape *, from->n);
    for (int i = 0; i < from->n; i++) {
        shapes[i] = from->shapes[i] ? shape_copy(from->shapes[i]) : shape_unknown();
        pointers[i] = &shapes[i];
    }
    to->n = from->n;
    to->dtypes = arena_memdup(a, from->dtypes, sizeof(int) * (size_t)from->n);
    to->shapes = pointers;
}

static void fill_result(const struct infer_ctx *c, struct infer_result *out)
{
    int n = c->call->num_outputs;
    out->num_outputs = n;
    out->shapes = mem_new_array(struct shape, n ? n : 1);
    for (int i = 0; i < n; i++)
        out->shapes[i] = shape_copy(c->outputs[i]);
    if (!c->any_handle)
        return;
    out->arena = mem_new(struct arena);
    out->handles = arena_array(out->arena, struct infer_handle, n);
    for (int i = 0; i < n; i++) {
        if (c->handles_out[i].n > 0)
            copy_handle(out->arena, &c->handles_out[i], &out->handles[i]);
    }
}

static void ctx_release(struct infer_ctx *c)
{
    for (struct kept_shape *k = c->kept; k; k = k->next)
        shape_clear(k->shape);
    arena_release(&c->arena);
}

/* TensorFlow first infers without constants: what is wrong even so is said without them. */
static void fail_without_constants(const struct infer_call *call, struct status *st)
{
    struct infer_call blind = *call;
    struct infer_result unused;
    struct status first = {0};
    blind.source = (struct infer_source){0};
    if (infer_run(&blind, &unused, &first)) {
        infer_result_clear(&unused);
        return;
    }
    status_clear(st);
    status_move(st, &first);
}

bool infer_run(const struct infer_call *call, struct infer_result *out, struct status *st)
{
    struct infer_ctx c = {.call = call, .unknown = shape_unknown()};
    *out = (struct infer_result){0};
    c.outputs = arena_array(&c.arena, const struct shape *, call->num_outputs);
    c.handles_out = arena_array(&c.arena, struct infer_handle, call->num_outputs);
    c.consts = arena_array(&c.arena, struct const_state, call->num_inputs);
    for (int i = 0; i < call->num_outputs; i++)
        c.outputs[i] = &c.unknown;
    bool ok = !call->op->def->shape || call->op->def->shape(&c, st);
    if (ok)
        fill_result(&c, out);
    else if (status_ok(st))
        status_internal(st, "The shape function of %s failed without saying why", call->op->name);
    else
        add_context(&c, st);
    ctx_release(&c);
    if (!ok && (call->source.constant || call->source.partial_shape))
        fail_without_constants(call, st);
    return ok;
}

void infer_handles_free(struct infer_handle *handles, int n, struct arena *arena)
{
    for (int i = 0; handles && i < n; i++) {
        for (int j = 0; j < handles[i].n; j++)
            shape_clear((struct shape *)(uintptr_t)handles[i].shapes[j]);
    }
    if (arena)
        arena_release(arena);
    mem_free(arena);
}

void infer_result_clear(struct infer_result *r)
{
    for (int i = 0; i < r->num_outputs; i++)
        shape_clear(&r->shapes[i]);
    mem_free(r->shapes);
    infer_handles_free(r->handles, r->num_outputs, r->arena);
    *r = (struct infer_result){0};
}
