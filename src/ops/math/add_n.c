/* SPDX-License-Identifier: Apache-2.0 */
/* AddN and AccumulateNV2: the sum of any number of tensors of one shape, in one pass: tile by tile
 * all inputs are added while the sum stays in the first cache. */
#include "ops/math/def.h"

enum { TILE = 2048 };

struct sum_job {
    const struct ewise_loop *loop;
    struct kctx *c;
    char *out;
};

/* In the order of the inputs. The output may be input 0's memory. */
static void sum_piece(void *arg, int64_t begin, int64_t end)
{
    const struct sum_job *j = arg;
    int n = kernel_num_inputs(j->c);
    for (; begin < end; begin += TILE) {
        int64_t len = min_i64(TILE, end - begin), at = begin * j->loop->out_bytes;
        const void *sum = (const char *)kernel_in(j->c, 0)->data + at;
        for (int i = 1; i < n; i++) {
            const void *in[] = {sum, (const char *)kernel_in(j->c, i)->data + at};
            ewise_run(NULL, j->loop, j->out + at, in, 0, len);
            sum = j->out + at;
        }
    }
}

static bool fail_shapes(struct kctx *c, int i, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(&kernel_in(c, 0)->shape, &a);
    shape_print(&kernel_in(c, i)->shape, &b);
    status_invalid(st,
                   "Inputs to operation %s of type %s must have the same size and shape.  Input 0: "
                   "%s != input %d: %s",
                   c->kernel->node_name, c->kernel->op->name, strbuf_text(&a), i, strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

static bool add_n_init(struct kernel *k, void *state, struct status *st)
{
    struct ewise_loop *l = state;
    if (k->num_inputs < 2)
        return true;
    int type = dtype_base(k->input_types[0]);
    if (!ewise_loop_init(l, EW_add, 2, type, type, st))
        return false;
    l->cost_ns *= (float)(k->num_inputs - 1);
    return true;
}

static ewise_fn add_n_ewise(const struct attrs *attrs UNUSED, const int *in_types, int num_in,
                            int out_type)
{
    bool two = num_in == 2 && in_types[0] == out_type && in_types[1] == out_type;
    return two ? ewise_for_fusion(EW_add, out_type) : NULL;
}

static bool add_n_run(struct kctx *c, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    int n = kernel_num_inputs(c);
    if (n == 1) {
        kernel_out_share(c, 0, x);
        return true;
    }
    bool again = false; /* input 0 comes once more, and must outlive the first sum */
    for (int i = 1; i < n; i++) {
        if (!shape_equal(&x->shape, &kernel_in(c, i)->shape))
            return fail_shapes(c, i, st);
        again = again || kernel_in(c, i)->data == x->data;
    }
    struct tensor *out =
        again ? kernel_out(c, 0, &x->shape, st) : kernel_out_forward(c, 0, 0, &x->shape, st);
    if (!out)
        return false;
    struct sum_job job = {.loop = l, .c = c, .out = out->data};
    if ((double)out->num_elems * l->cost_ns < 30000)
        sum_piece(&job, 0, out->num_elems);
    else
        pool_loop(kernel_pool(c), out->num_elems, 8 * TILE, l->cost_ns, sum_piece, &job);
    return true;
}

/* --- variants: as their types say --- */

static bool add_variants_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    for (int i = 0; i < kernel_num_inputs(c); i++) {
        const struct tensor *in = kernel_in(c, i);
        if (in->shape.rank != 0 || !((struct variant **)in->data)[0])
            return status_invalid(st, "AddN of non-scalar Tensor with dtype=DT_VARIANT is not "
                                      "supported");
    }
    struct variant *sum = variant_ref(((struct variant **)x->data)[0]);
    for (int i = 1; sum && i < kernel_num_inputs(c); i++) {
        struct variant *v = ((struct variant **)kernel_in(c, i)->data)[0], *next = NULL;
        if (v->type != sum->type || !sum->type->add)
            status_unimplemented(st, "AddN: variants of type '%s' and '%s' cannot be added",
                                 sum->type->name, v->type->name);
        else
            next = sum->type->add(sum, v, st);
        variant_unref(sum);
        sum = next;
    }
    struct tensor *out = sum ? kernel_out(c, 0, &x->shape, st) : NULL;
    if (out)
        ((struct variant **)out->data)[0] = sum;
    else
        variant_unref(sum);
    return out != NULL;
}

static bool add_n_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    for (int i = 0; i < grad_num_inputs(g); i++)
        grad_set(g, i, dy);
    return grad_done(g, st);
}

static bool accumulate_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

#define K_SUM T_FLOATS ", int8, uint8, int16, uint16, int32, int64, " T_COMPLEX

OP_DEF(add_n) = {
    .name = "AddN",
    .summary = "The sum of all inputs, which have one shape.",
    .inputs = {"inputs: N * T"},
    .outputs = {"sum: T"},
    .attrs =
        {"N: int >= 1",
         "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
         "bfloat16, uint16, complex128, half, uint32, uint64, variant}"},
    .flags = OP_COMMUTATIVE | OP_AGGREGATE,
    .shape = infer_merged,
    .grad = add_n_grad,
};
KERNEL_DEF(add_n_variant_cpu) = {
    .op = "AddN", .device = "CPU", .types = {"T: {variant}"}, .run = add_variants_run};
KERNEL_DEF(add_n_cpu) = {.op = "AddN",
                         .device = "CPU",
                         .types = {"T: {" K_SUM "}"},
                         .state_bytes = sizeof(struct ewise_loop),
                         .init = add_n_init,
                         .run = add_n_run,
                         .flags = KERNEL_SAME_SHAPE,
                         .ewise_of = add_n_ewise};

OP_DEF(accumulate_n_v2) = {
    .name = "AccumulateNV2",
    .summary = "The sum of all inputs, which have the given shape.",
    .inputs = {"inputs: N * T"},
    .outputs = {"sum: T"},
    .attrs = {"N: int >= 1", "T: numbertype", "shape: shape"},
    .flags = OP_COMMUTATIVE | OP_AGGREGATE,
    .shape = accumulate_shape,
    .grad = add_n_grad,
};
KERNEL_DEF(accumulate_n_v2_cpu) = {.op = "AccumulateNV2",
                                   .device = "CPU",
                                   .types = {"T: {" K_SUM "}"},
                                   .state_bytes = sizeof(struct ewise_loop),
                                   .init = add_n_init,
                                   .run = add_n_run,
                                   .flags = KERNEL_SAME_SHAPE,
                                   .ewise_of = add_n_ewise};
