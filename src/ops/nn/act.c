/* SPDX-License-Identifier: Apache-2.0 */
/* The loop behind activation ops: see act.h. */
#include "ops/nn/act.h"

#include "math/vec.h"

enum { BLOCK = 512 };

bool act_init(struct kernel *k, void *state, const struct act_fns *fns, struct status *st)
{
    struct act_state *s = state;
    int type = dtype_base(k->input_types[0]);
    s->narrow = type == DT_HALF || type == DT_BFLOAT16 ? type : 0;
    s->cost_ns = s->narrow ? 4 : 1;
    s->alpha = attrs_find(k->attrs, "alpha") ? attrs_float(k->attrs, "alpha") : 0;
    switch (s->narrow ? DT_FLOAT : type) {
    case DT_FLOAT:
        s->fn = s->narrow == DT_HALF && fns->half ? fns->half : fns->f32;
        break;
    case DT_DOUBLE:
        s->fn = fns->f64;
        break;
    case DT_INT8:
        s->fn = fns->i8;
        break;
    case DT_UINT8:
        s->fn = fns->u8;
        break;
    case DT_INT16:
        s->fn = fns->i16;
        break;
    case DT_UINT16:
        s->fn = fns->u16;
        break;
    case DT_INT32:
        s->fn = fns->i32;
        break;
    case DT_INT64:
        s->fn = fns->i64;
        break;
    default:
        break;
    }
    return s->fn || status_unimplemented(st, "%s of %s", k->op->name, dtype_name(type));
}

struct job {
    const struct act_state *s;
    size_t bytes; /* of an element */
    char *z;
    const char *a, *b; /* b NULL: one argument */
};

static void widen(int type, const void *x, float *y, int64_t n)
{
    if (type == DT_HALF)
        math_f16_to_f32(x, y, n);
    else
        math_bf16_to_f32(x, y, n);
}

static void run_narrow(const struct job *j, int64_t begin, int64_t end)
{
    float a[BLOCK], b[BLOCK];
    for (int64_t i = begin; i < end; i += BLOCK) {
        int64_t n = end - i < BLOCK ? end - i : BLOCK;
        widen(j->s->narrow, j->a + i * 2, a, n);
        if (j->b)
            widen(j->s->narrow, j->b + i * 2, b, n);
        j->s->fn(a, a, j->b ? b : NULL, n, j->s->alpha);
        if (j->s->narrow == DT_HALF)
            math_f32_to_f16(a, (struct f16 *)(j->z + i * 2), n);
        else
            math_f32_to_bf16(a, (struct bf16 *)(j->z + i * 2), n);
    }
}

static void run_part(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    if (j->s->narrow) {
        run_narrow(j, begin, end);
        return;
    }
    size_t at = (size_t)begin * j->bytes;
    j->s->fn(j->z + at, j->a + at, j->b ? j->b + at : NULL, end - begin, j->s->alpha);
}

static void run(struct kctx *c, const struct tensor *out, const void *a, const void *b)
{
    const struct act_state *s = kernel_state(c);
    struct job j = {s, dtype_size(out->dtype), out->data, a, b};
    if (out->num_elems > 0)
        kernel_loop(c, out->num_elems, s->cost_ns, run_part, &j);
}

void act_tile(act_fn fn, size_t bytes, void *out, const void *const *in, bool two, unsigned scalars,
              int64_t n)
{
    const char *a = in[0], *b = two ? in[1] : NULL;
    if (scalars == 0) {
        fn(out, a, b, n, 0);
        return;
    }
    const size_t da = scalars & 1 ? 0 : bytes, db = two && !(scalars & 2) ? bytes : 0;
    for (int64_t i = 0; i < n; i++, a += da, b = b ? b + db : NULL)
        fn((char *)out + (size_t)i * bytes, a, b, 1, 0);
}

bool act_run_unary(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    const void *data = x->data;
    struct tensor *out = kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!out)
        return false;
    run(c, out, data, NULL);
    return true;
}

bool act_run_grad(struct kctx *c, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    if (!shape_equal(&a->shape, &b->shape)) {
        struct strbuf text = {0};
        shape_print(&a->shape, &text);
        strbuf_printf(&text, " != input 1: ");
        shape_print(&b->shape, &text);
        status_invalid(st,
                       "Inputs to operation %s of type %s must have the same size and shape.  "
                       "Input 0: %s",
                       c->kernel->node_name, c->kernel->op->name, strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    const void *pa = a->data, *pb = b->data;
    struct tensor *out = kernel_out_forward(c, 0, 0, &a->shape, st);
    if (!out)
        return false;
    run(c, out, pa, pb);
    return true;
}

bool act_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_merge(c, infer_input(c, 0), infer_input(c, 1), &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

bool act_set_grad(struct grad_ctx *g, const char *op, bool with_y, struct status *st)
{
    grad_set(g, 0, grad_op2(g, op, grad_dy(g, 0), with_y ? grad_out(g, 0) : grad_in(g, 0)));
    return grad_done(g, st);
}
