/* SPDX-License-Identifier: Apache-2.0 */
/* Betainc: arguments are scalars or of one shape. */
#include "ops/math/def.h"
#include "ops/math/special.h"

#define BETAINC(name, T)                                                                           \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        const T *a = in[0], *b = in[1], *x = in[2];                                                \
        T *z = out;                                                                                \
        const int64_t da = !(scalars & 1), db = !(scalars & 2), dx = !(scalars & 4);               \
        for (int64_t i = 0; i < n; i++)                                                            \
            z[i] = (T)special_betainc((double)a[i * da], (double)b[i * db], (double)x[i * dx]);    \
    }
BETAINC(betainc_f32, float)
BETAINC(betainc_f64, double)

static bool betainc_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    int type = dtype_base(k->input_types[0]);
    uint8_t bytes = (uint8_t)dtype_size(type);
    *(struct ewise_loop *)state =
        (struct ewise_loop){.fn = type == DT_FLOAT ? betainc_f32 : betainc_f64,
                            .num_in = 3,
                            .bytes = {bytes, bytes, bytes},
                            .out_bytes = bytes,
                            .cost_ns = 300};
    return true;
}

static bool betainc_run(struct kctx *c, struct status *st)
{
    static const char *const names[] = {"a", "b", "x"};
    const void *in[3];
    unsigned scalars = 0;
    int first = -1;
    for (int i = 0; i < 3; i++) {
        const struct tensor *t = kernel_in(c, i);
        in[i] = t->data;
        if (t->shape.rank == 0) {
            scalars |= 1u << i;
        } else if (first < 0) {
            first = i;
        } else if (!shape_equal(&t->shape, &kernel_in(c, first)->shape)) {
            struct strbuf text = {0};
            strbuf_printf(&text, "Shapes of %s and %s are inconsistent: ", names[first], names[i]);
            shape_print(&kernel_in(c, first)->shape, &text);
            strbuf_puts(&text, " vs. ");
            shape_print(&t->shape, &text);
            status_invalid(st, "%s", strbuf_text(&text));
            strbuf_release(&text);
            return false;
        }
    }
    const struct tensor *like = kernel_in(c, first < 0 ? 0 : first);
    struct tensor *out = ewise_out(c, kernel_state(c), &like->shape, like->num_elems, st);
    if (!out)
        return false;
    ewise_run(kernel_pool(c), kernel_state(c), out->data, in, scalars, out->num_elems);
    return true;
}

/* What is known of the three, scalars aside. */
static bool betainc_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out = infer_unknown(c);
    bool open = false;
    int known = 0;
    for (int i = 0; i < 3; i++) {
        const struct shape *s = infer_input(c, i);
        open |= s->rank < 0;
        if (s->rank <= 0)
            continue;
        known++;
        if (!infer_merge(c, out, s, &out, st))
            return false;
    }
    infer_set(c, 0, known || open ? out : infer_scalar(c));
    return true;
}

/* By x alone: x^(a-1) (1-x)^(b-1) / B(a, b), by way of its logarithm. */
static bool betainc_grad(struct grad_ctx *g, struct status *st)
{
    struct output a = grad_in(g, 0), b = grad_in(g, 1), x = grad_in(g, 2);
    struct output one = grad_const_like(g, x, 1);
    struct output log_beta =
        grad_sub(g, grad_add(g, grad_op1(g, "Lgamma", a), grad_op1(g, "Lgamma", b)),
                 grad_op1(g, "Lgamma", grad_add(g, a, b)));
    struct output right = grad_mul(g, grad_sub(g, b, one), grad_op1(g, "Log", grad_sub(g, one, x)));
    struct output left = grad_mul(g, grad_sub(g, a, one), grad_op1(g, "Log", x));
    struct output pdf = grad_op1(g, "Exp", grad_sub(g, grad_add(g, right, left), log_beta));
    struct output dx = grad_op2(g, "MulNoNan", pdf, grad_dy(g, 0)), shape = grad_shape(g, x);
    struct output shapes[] = {grad_shape(g, grad_out(g, 0)), shape};
    struct node *axes = grad_nodev(g, "BroadcastGradientArgs", 2, shapes, 0, NULL);
    grad_set(g, 2, grad_reshape(g, grad_op2(g, "Sum", dx, grad_node_out(g, axes, 1)), shape));
    return grad_done(g, st);
}

OP_DEF(betainc) = {
    .name = "Betainc",
    .summary = "The regularised incomplete beta function.",
    .inputs = {"a: T", "b: T", "x: T"},
    .outputs = {"z: T"},
    .attrs = {"T: {float, double}"},
    .shape = betainc_shape,
    .grad = betainc_grad,
};
KERNEL_DEF(betainc_cpu) = {.op = "Betainc",
                           .device = "CPU",
                           .state_bytes = sizeof(struct ewise_loop),
                           .init = betainc_init,
                           .run = betainc_run};
