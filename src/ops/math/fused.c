/* SPDX-License-Identifier: Apache-2.0 */
/* _FusedEwise: a tree of elementwise ops in one kernel, made by the optimiser; and _FusedUpdate,
 * which adds the tree's result to a variable where it lies.
 *
 * A call tells values that are as big as the output from those that are smaller. Instructions on
 * small values alone run once, by their own kernels; the others tile by tile. Whatever does not fit
 * that, and every error, is left to the ops' own kernels, one after the other: so results and
 * messages are those of the nodes that were replaced. */
#include "ops/math/fused.h"

#include <string.h>

#include "base/mem.h"
#include "op/infer.h"
#include "op/variable.h"

/* --- ops by their own kernels --- */

struct apart { /* results of instructions that ran by themselves */
    struct kctx *c;
    const struct fused *f;
    struct tensor results[FUSED_MAX_OPS];
};

static struct tensor *value_of(struct apart *a, int value)
{
    return value < a->f->num_in ? a->c->in[value] : &a->results[value - a->f->num_in];
}

/* The words that the executor would have added for the node. */
static void explain(const struct fused_op *o, struct tensor *const *in, struct status *st)
{
    struct strbuf shapes = {0};
    for (int i = 0; i < o->num_args; i++) {
        strbuf_puts(&shapes, i ? ", " : "");
        if (dtype_is_ref(in[i]->dtype))
            strbuf_puts(&shapes, "ref");
        else
            shape_print(&in[i]->shape, &shapes);
    }
    const char *made = o->kernel->made_at;
    status_append(st, "\n\t [[{{node %s}}]] (op %s, input shapes: %s%s%s)", o->kernel->node_name,
                  o->kernel->op->name, strbuf_text(&shapes), made ? ", made at " : "",
                  made ? made : "");
    strbuf_release(&shapes);
}

/* dying: bit i says that nobody needs operand i after this. */
static bool run_apart(struct apart *a, int k, uint64_t dying, struct status *st)
{
    const struct fused_op *o = &a->f->ops[k];
    struct tensor *in[FUSED_ARGS];
    for (int i = 0; i < o->num_args; i++)
        in[i] = value_of(a, o->args[i]);
    struct kctx sub = {.kernel = o->kernel,
                       .in = in,
                       .out = &a->results[k],
                       .env = a->c->env,
                       .in_last_use = dying,
                       .frame = a->c->frame,
                       .frame_iter = a->c->frame_iter,
                       .expected_alive = -1};
    bool ok = o->kernel->def->run(&sub, st);
    if (sub.scratch_head)
        kernel_scratch_release(&sub);
    if (!ok)
        explain(o, in, st);
    return ok;
}

static void apart_clear(struct apart *a)
{
    for (int k = 0; k < a->f->num_ops; k++)
        tensor_clear(&a->results[k]);
}

static int last_use(const struct fused *f, int value)
{
    for (int k = f->num_ops - 1; k >= 0; k--) {
        for (int i = 0; i < f->ops[k].num_args; i++) {
            if (f->ops[k].args[i] == value)
                return k;
        }
    }
    return -1;
}

/* The value is the result of an instruction, not an output, and nobody needs it after k. */
static bool dies_at(const struct fused *f, int value, int k)
{
    return value >= f->num_in && f->ops[value - f->num_in].out < 0 && last_use(f, value) == k;
}

/* Results that die at instruction k and are its operand once. */
static uint64_t dying_at(const struct fused *f, int k)
{
    const struct fused_op *o = &f->ops[k];
    uint64_t dying = 0;
    for (int i = 0; i < o->num_args; i++) {
        int uses = 0;
        for (int j = 0; j < o->num_args; j++)
            uses += o->args[j] == o->args[i];
        if (uses == 1 && dies_at(f, o->args[i], k))
            dying |= (uint64_t)1 << i;
    }
    return dying;
}

/* All of it, one op after the other. */
static bool run_unfused(struct kctx *c, struct status *st)
{
    struct apart a = {.c = c, .f = kernel_state(c)};
    bool ok = true;
    for (int k = 0; ok && k < a.f->num_ops; k++) {
        ok = run_apart(&a, k, dying_at(a.f, k), st);
        for (int i = 0; i < a.f->ops[k].num_args; i++) {
            int v = a.f->ops[k].args[i];
            if (dies_at(a.f, v, k))
                tensor_clear(&a.results[v - a.f->num_in]);
        }
    }
    for (int i = 0; ok && i < a.f->num_outs; i++)
        kernel_out_take(c, i, &a.results[a.f->results[i]]);
    apart_clear(&a);
    return ok;
}

/* --- what the values are --- */

/* The input that has the output's shape if the others are like it or single. */
static const struct tensor *biggest(const struct kctx *c)
{
    const struct tensor *big = kernel_in(c, 0);
    for (int i = 1; i < kernel_num_inputs(c); i++) {
        const struct tensor *t = kernel_in(c, i);
        if (t->shape.rank > big->shape.rank ||
            (t->shape.rank == big->shape.rank && t->num_elems > big->num_elems))
            big = t;
    }
    return big;
}

/* Kinds of the results, from those of the inputs. small: some instructions run apart. */
static bool sort_results(const struct fused *f, struct fused_call *call, bool *small)
{
    *small = false;
    for (int k = 0; k < f->num_ops; k++) {
        const struct fused_op *o = &f->ops[k];
        int full = 0;
        for (int i = 0; i < o->num_args; i++) {
            int kind = call->values[o->args[i]].kind;
            full += kind == FUSED_FULL || kind == FUSED_TILE;
        }
        if (full > 0 && full < o->num_args && o->same_shape)
            return false;
        call->values[f->num_in + k].kind = full > 0 ? FUSED_TILE : FUSED_SINGLE;
        *small = *small || full == 0;
    }
    return true;
}

/* Every input has the shape of the output or is a single element of no higher rank. */
static bool plan_alike(const struct kctx *c, const struct tensor *big, struct fused_call *call,
                       bool *small)
{
    const struct fused *f = call->f;
    for (int i = 0; i < f->num_in; i++) {
        const struct tensor *t = kernel_in(c, i);
        struct fused_value *v = &call->values[i];
        v->data = t->data;
        if (shape_equal(&t->shape, &big->shape))
            v->kind = FUSED_FULL;
        else if (t->num_elems == 1 && t->shape.rank <= big->shape.rank)
            v->kind = FUSED_SINGLE;
        else
            return false;
    }
    call->n = big->num_elems;
    return sort_results(f, call, small) &&
           call->values[f->num_in + f->num_ops - 1].kind == FUSED_TILE;
}

enum { MAX_DIMS = 8 };

struct dims {
    int rank;
    int64_t elems, d[MAX_DIMS];
};

/* s grows to the broadcast of both; false where they do not fit or become too big. */
static bool join(struct dims *s, const struct dims *t)
{
    struct dims r = {.rank = t->rank > s->rank ? t->rank : s->rank, .elems = 1};
    for (int i = 1; i <= r.rank; i++) {
        int64_t a = i <= s->rank ? s->d[s->rank - i] : 1, b = i <= t->rank ? t->d[t->rank - i] : 1;
        if (a != b && a != 1 && b != 1)
            return false;
        r.d[r.rank - i] = a == 1 ? b : a;
    }
    for (int i = 0; i < r.rank; i++) {
        if (!size_mul(r.elems, r.d[i], &r.elems))
            return false;
    }
    *s = r;
    return true;
}

/* Results of roots that are not operands of one another may differ in any way. */
static bool all_fit(const struct dims *dims, int num, const struct dims *out)
{
    for (int i = 0; i < num; i++) {
        struct dims both = *out;
        if (!join(&both, &dims[i]) || both.elems != out->elems)
            return false;
    }
    return true;
}

static bool dims_equal(const struct dims *a, const struct dims *b)
{
    return a->rank == b->rank && memcmp(a->d, b->d, sizeof a->d[0] * (size_t)a->rank) == 0;
}

/* Whether the op takes operands of these dims, broadcasting apart. */
static bool op_takes(const struct fused_op *o, const struct dims *x, const struct dims *y)
{
    if (o->same_shape)
        return dims_equal(x, y);
    if (o->like_first)
        return y->rank == 0 || dims_equal(x, y);
    return !o->bias || (x->rank >= 2 && y->rank == 1 && y->d[0] == x->d[x->rank - 1]);
}

static bool find_dims(const struct kctx *c, const struct fused *f, struct dims *dims)
{
    for (int i = 0; i < f->num_in; i++) {
        const struct tensor *t = kernel_in(c, i);
        if (t->shape.rank > MAX_DIMS || t->num_elems == 0)
            return false;
        dims[i].rank = t->shape.rank;
        dims[i].elems = t->num_elems;
        memcpy(dims[i].d, shape_dims(&t->shape), sizeof dims[i].d[0] * (size_t)t->shape.rank);
    }
    for (int k = 0; k < f->num_ops; k++) {
        const struct fused_op *o = &f->ops[k];
        struct dims *d = &dims[f->num_in + k];
        *d = dims[o->args[0]];
        for (int i = 1; i < o->num_args; i++) {
            if (!op_takes(o, &dims[o->args[0]], &dims[o->args[i]]) || !join(d, &dims[o->args[i]]))
                return false;
        }
    }
    return true;
}

/* Any broadcasting. A value that has fewer elements than the output is single or spread. */
static bool plan_general(const struct kctx *c, struct fused_call *call, const struct dims *dims,
                         bool *small)
{
    const struct fused *f = call->f;
    int num = f->num_in + f->num_ops;
    const struct dims *out = &dims[num - 1];
    *small = false;
    if (f->num_outs > 1 && !all_fit(dims, num, out))
        return false;
    for (int i = 0; i < num; i++) {
        struct fused_value *v = &call->values[i];
        bool full = dims[i].elems == out->elems;
        v->kind = full ? (i < f->num_in ? FUSED_FULL : FUSED_TILE)
                       : (dims[i].elems == 1 ? FUSED_SINGLE : FUSED_SPREAD);
        v->data = i < f->num_in ? kernel_in(c, i)->data : NULL;
        *small = *small || (i >= f->num_in && !full);
    }
    for (int k = 0; k < f->num_ops; k++) {
        const struct fused_op *o = &f->ops[k];
        if (o->by_one_value && call->values[o->args[1]].kind == FUSED_SPREAD)
            return false;
    }
    call->n = out->elems;
    return true;
}

/* How a value of shape t is seen by an output of this shape; false: too many dims or spreads. */
static bool add_spread(struct fused_call *call, struct fused_value *v, const struct shape *t,
                       const struct shape *out)
{
    struct bcast b;
    struct status st = {0};
    const struct shape *shapes[] = {t, out};
    if (call->num_spreads == FUSED_MAX_SPREADS || !bcast_make(&b, shapes, 2, &st) ||
        b.rank > FUSED_MAX_DIMS) {
        status_clear(&st);
        return false;
    }
    v->spread = (uint8_t)call->num_spreads;
    struct fused_spread *s = &call->spreads[call->num_spreads++];
    s->rank = b.rank;
    memcpy(s->dims, b.dims, sizeof s->dims[0] * (size_t)b.rank);
    memcpy(s->steps, b.stride[0], sizeof s->steps[0] * (size_t)b.rank);
    return true;
}

/* Whether some instruction of the tiles reads the value. */
static bool in_tiles(const struct fused_call *call, int value)
{
    const struct fused *f = call->f;
    for (int k = 0; k < f->num_ops; k++) {
        for (int i = 0; i < f->ops[k].num_args; i++) {
            if (f->ops[k].args[i] == value && call->values[f->num_in + k].kind == FUSED_TILE)
                return true;
        }
    }
    return false;
}

/* --- a call --- */

static bool add_spreads(struct fused_call *call, struct apart *a, const struct shape *out)
{
    for (int i = 0; i < call->f->num_in + call->f->num_ops; i++) {
        struct fused_value *v = &call->values[i];
        if (v->kind != FUSED_SPREAD)
            continue;
        if (!in_tiles(call, i))
            v->kind = FUSED_SINGLE; /* nobody looks */
        else if (!add_spread(call, v, &value_of(a, i)->shape, out))
            return false;
    }
    return true;
}

/* Output 0, in the memory of a full input that dies here if there is one: it is written when a
 * tile's other results have been computed. */
static struct tensor *new_output(struct kctx *c, const struct fused_call *call,
                                 const struct shape *shape, struct status *st)
{
    const struct fused *f = call->f;
    uint64_t dying = c->in_last_use;
    for (int i = 0; dying && i < f->num_in; i++, dying >>= 1) {
        if ((dying & 1) && call->values[i].kind == FUSED_FULL && tensor_is_sole(c->in[i]) &&
            f->bytes[i] == f->bytes[f->num_in + f->num_ops - 1])
            return kernel_out_forward(c, i, 0, shape, st);
    }
    return kernel_out(c, 0, shape, st);
}

/* dims: of all values, or NULL where results have the shape `like`. */
static bool make_outputs(struct kctx *c, struct fused_call *call, const struct dims *dims,
                         const struct shape *like, struct status *st)
{
    const struct fused *f = call->f;
    if (call->target) { /* same_shape has seen to it that the result is as big */
        call->out[0] = call->target->data;
        return true;
    }
    for (int i = 0; i < f->num_outs; i++) {
        int value = f->num_in + f->results[i];
        if (call->values[value].kind != FUSED_TILE)
            continue;
        struct shape shape = dims ? shape_make(dims[value].d, dims[value].rank) : shape_copy(like);
        struct tensor *out =
            i == 0 ? new_output(c, call, &shape, st) : kernel_out(c, i, &shape, st);
        shape_clear(&shape);
        if (!out)
            return false;
        call->out[i] = out->data;
    }
    return true;
}

static void run_tiles(struct kctx *c, struct fused_call *call)
{
    call->stream = true;
    for (int i = 0; i < call->f->num_in; i++)
        call->stream = call->stream && call->values[i].data != call->out[0];
    if (call->n > 0)
        fused_run_tiles(kernel_pool(c), call);
}

/* With instructions on small values first, or values that are spread. */
static bool run_mixed(struct kctx *c, struct fused_call *call, const struct dims *dims,
                      const struct shape *like, struct status *st)
{
    const struct fused *f = call->f;
    struct apart a = {.c = c, .f = f};
    struct shape shape =
        dims ? shape_make(dims[f->num_in + f->num_ops - 1].d, dims[f->num_in + f->num_ops - 1].rank)
             : shape_copy(like);
    bool ok = true;
    for (int k = 0; ok && k < f->num_ops; k++) {
        struct fused_value *v = &call->values[f->num_in + k];
        if (v->kind == FUSED_TILE)
            continue;
        ok = run_apart(&a, k, 0, st);
        v->data = a.results[k].data;
    }
    if (ok && !add_spreads(call, &a, &shape)) {
        call->gives_up = true;
    } else if (ok && (ok = make_outputs(c, call, dims, like, st))) {
        run_tiles(c, call);
        for (int i = 1; i < f->num_outs; i++) {
            if (call->values[f->num_in + f->results[i]].kind != FUSED_TILE)
                kernel_out_take(c, i, &a.results[f->results[i]]);
        }
    }
    shape_clear(&shape);
    apart_clear(&a);
    return ok;
}

/* All results as big as the output. */
static bool run_alike(struct kctx *c, struct fused_call *call, const struct shape *shape,
                      struct status *st)
{
    if (!make_outputs(c, call, NULL, shape, st))
        return false;
    run_tiles(c, call);
    return true;
}

static bool run_general(struct kctx *c, struct fused_call *call, struct status *st)
{
    struct dims dims[FUSED_MAX_VALUES];
    bool small;
    if (!find_dims(c, call->f, dims) || !plan_general(c, call, dims, &small)) {
        call->gives_up = true;
        return true;
    }
    return run_mixed(c, call, dims, NULL, st);
}

static bool run_fused(struct kctx *c, struct fused_call *call, struct status *st)
{
    const struct tensor *big = biggest(c);
    bool small;
    if (call->f->particular || !plan_alike(c, big, call, &small))
        return run_general(c, call, st);
    return small ? run_mixed(c, call, NULL, &big->shape, st) : run_alike(c, call, &big->shape, st);
}

static bool fused_run(struct kctx *c, struct status *st)
{
    struct fused_call call;
    call.f = kernel_state(c);
    call.num_spreads = 0;
    call.gives_up = !call.f->whole;
    call.target = NULL;
    if (!call.gives_up && !run_fused(c, &call, st))
        return false;
    return !call.gives_up || run_unfused(c, st);
}

/* The variable's value stands for its reference while its lock is held. Where a tree's operand is
 * that very value, the variable goes to a new buffer. */
static bool update_in_place(struct kctx *c, struct fused_call *call, struct status *st)
{
    struct variable *v = kernel_ref(c, 0);
    struct tensor *in[FUSED_MAX_INPUTS];
    struct kctx inner = *c;
    if (!variable_write_begin(v, false, &call->target, st))
        return false;
    memcpy(in, c->in, sizeof in[0] * (size_t)call->f->num_in);
    in[0] = call->target;
    inner.in = in;
    bool ok = run_fused(&inner, call, st);
    c->scratch_head = inner.scratch_head;
    variable_write_end(v);
    return ok;
}

static bool update_run(struct kctx *c, struct status *st)
{
    struct fused_call call;
    call.f = kernel_state(c);
    call.num_spreads = 0;
    call.gives_up = !call.f->whole;
    if (!call.gives_up && !update_in_place(c, &call, st))
        return false;
    if (call.gives_up)
        return run_unfused(c, st);
    kernel_out_ref(c, 0, kernel_ref(c, 0));
    return true;
}

OP_DEF(fused_ewise) = {
    .name = "_FusedEwise",
    .summary = "A tree of elementwise ops in one pass over memory; made by the optimiser.",
    .description = "operands: for each node its operands, inputs first, then the results of the "
                   "nodes. results: the nodes that give the outputs; the last node gives output "
                   "0. names and made say what each node is called and where it was made, for "
                   "messages.",
    .inputs = {"inputs: Tin"},
    .outputs = {"outputs: Tout"},
    .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "nodes: list(func)",
              "operands: list(int)", "results: list(int)", "names: list(string)",
              "made: list(string)"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(fused_ewise_cpu) = {.op = "_FusedEwise",
                               .device = "CPU",
                               .state_bytes = sizeof(struct fused),
                               .init = fused_init,
                               .release = fused_release,
                               .run = fused_run};

OP_DEF(fused_update) = {
    .name = "_FusedUpdate",
    .summary = "Adds the result of a tree of elementwise ops to a variable; made by the optimiser.",
    .description = "As _FusedEwise; the last node is an AssignAdd or an AssignSub of the first "
                   "input.",
    .inputs = {"ref: Ref(T)", "inputs: Tin"},
    .outputs = {"output_ref: Ref(T)"},
    .attrs = {"T: {float, double}", "Tin: list(type) >= 1", "nodes: list(func)",
              "operands: list(int)", "results: list(int)", "names: list(string)",
              "made: list(string)"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(fused_update_cpu) = {.op = "_FusedUpdate",
                                .device = "CPU",
                                .state_bytes = sizeof(struct fused),
                                .init = fused_init,
                                .release = fused_release,
                                .run = update_run};
