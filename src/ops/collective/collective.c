/* SPDX-License-Identifier: Apache-2.0 */
/* CollectiveReduce, CollectiveBcastSend, CollectiveBcastRecv, CollectiveGather: each member's part
 * is handed to whoever carries the group (op/collective.h). */
#include "op/collective.h"
#include "base/mem.h"
#include "op/infer.h"
#include "op/kernel.h"

struct collective_state {
    int kind, merge;
    bool divide, sends;
    int64_t group_size, group_key, instance_key;
    struct shape shape; /* declared; unknown for a reduction */
    char *hint;
};

struct joined { /* one call */
    struct collective member;
    struct kctx *c;
};

static bool read_merge(const struct kernel *k, struct collective_state *s, struct status *st)
{
    static const char *const names[] = {"Add", "Mul", "Min", "Max"};
    struct str merge, final;
    if (!attrs_get_string(k->attrs, "merge_op", &merge, st) ||
        !attrs_get_string(k->attrs, "final_op", &final, st))
        return false;
    for (s->merge = 0; s->merge < 4; s->merge++) {
        if (str_is(merge, names[s->merge]))
            break;
    }
    if (s->merge == 4)
        return status_invalid(st, "merge_op must be one of {\"Add\", \"Mul\", \"Min\", \"Max\"}");
    s->divide = str_is(final, "Div");
    return s->divide || str_is(final, "Id") ||
           status_invalid(st, "final_op must be one of {\"Id\", \"Div\"}");
}

static bool read_group(const struct kernel *k, struct collective_state *s, struct status *st)
{
    struct str hint;
    if (!attrs_get_int(k->attrs, "group_size", &s->group_size, st) ||
        !attrs_get_int(k->attrs, "group_key", &s->group_key, st) ||
        !attrs_get_int(k->attrs, "instance_key", &s->instance_key, st) ||
        !attrs_get_string(k->attrs, "communication_hint", &hint, st))
        return false;
    s->hint = mem_printf("%.*s", (int)min_i64((int64_t)hint.n, 100), hint.n ? hint.p : "");
    return true;
}

static bool reduce_init(struct kernel *k, void *state, struct status *st)
{
    struct collective_state *s = state;
    s->kind = COLLECTIVE_REDUCE;
    s->shape = shape_unknown();
    return read_group(k, s, st) && read_merge(k, s, st);
}

static bool shaped_init(struct kernel *k, struct collective_state *s, int kind, struct status *st)
{
    const struct shape *shape;
    s->kind = kind;
    if (!attrs_get_shape(k->attrs, "shape", &shape, st))
        return false;
    s->shape = shape_copy(shape);
    return read_group(k, s, st);
}

static bool send_init(struct kernel *k, void *state, struct status *st)
{
    ((struct collective_state *)state)->sends = true;
    return shaped_init(k, state, COLLECTIVE_BROADCAST, st);
}

static bool recv_init(struct kernel *k, void *state, struct status *st)
{
    struct collective_state *s = state;
    return shaped_init(k, s, COLLECTIVE_BROADCAST, st) &&
           (shape_known(&s->shape) ||
            status_invalid(st, "CollectiveBcastRecv: attr shape must be fully known"));
}

static bool gather_init(struct kernel *k, void *state, struct status *st)
{
    return shaped_init(k, state, COLLECTIVE_GATHER, st);
}

static void collective_release(void *state)
{
    struct collective_state *s = state;
    shape_clear(&s->shape);
    mem_free(s->hint);
}

static void collective_done(struct collective *m, struct status *st, struct tensor *out)
{
    struct joined *j = m->arg;
    struct kctx *c = j->c;
    struct status mine = {0};
    status_move(&mine, st);
    if (status_ok(&mine))
        kernel_out_take(c, 0, out);
    shape_clear(&m->shape);
    mem_free(j);
    kernel_done(c, &mine);
    status_clear(&mine);
}

static bool declared_right(const struct collective_state *s, const struct tensor *in,
                           struct status *st)
{
    return !s->sends || shape_compatible(&s->shape, &in->shape) ||
           status_internal(st, "Declared shape of op CollectiveBcastSend does not match shape of "
                               "input");
}

static void collective_start(struct kctx *c)
{
    const struct collective_state *s = kernel_state(c);
    const struct tensor *in = kernel_num_inputs(c) > 0 ? kernel_in(c, 0) : NULL;
    struct status st = {0};
    if (!declared_right(s, in, &st)) {
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    const bool as_input = in && s->kind != COLLECTIVE_GATHER;
    struct joined *j = mem_new(struct joined);
    *j = (struct joined){.c = c};
    j->member = (struct collective){
        .kind = s->kind,
        .merge = s->merge,
        .divide = s->divide,
        .sends = s->sends,
        .dtype = kernel_output_type(c, 0),
        .group_size = s->group_size,
        .group_key = s->group_key,
        .instance_key = s->instance_key,
        .hint = s->hint,
        .device = c->kernel->device,
        .frame = c->frame ? c->frame : "",
        .iter = c->frame_iter,
        .in = in,
        .shape = shape_copy(as_input ? &in->shape : &s->shape),
        .pool = c->env->pool,
        .cancel = c->env->cancel,
        .done = collective_done,
        .arg = j,
    };
    collective_join(c->env, &j->member);
}

static bool declared_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    infer_set(c, 0, infer_copy(c, s));
    return true;
}

/* As TensorFlow's: the members' inputs are taken to be alike. Where the attribute leaves the number
 * of rows open they need not be. */
static bool gathered_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *declared, *in = infer_input(c, 0);
    if (!attrs_get_shape(infer_attrs(c), "shape", &declared, st))
        return false;
    if (!infer_want_rank_min(c, in, 1, &in, st))
        return false;
    if (in->rank < 0) {
        infer_set(c, 0, infer_unknown(c));
        return true;
    }
    int64_t rows = infer_dim(in, 0), all = -1;
    bool open = declared->rank < 0 || (declared->rank > 0 && shape_dim(declared, 0) < 0);
    if (open || rows < 0 ||
        __builtin_mul_overflow(rows, attrs_int(infer_attrs(c), "group_size"), &all))
        all = -1;
    infer_set(c, 0, infer_with_dim(c, in, 0, all));
    return true;
}

/* clang-format off */
#define GROUP "group_size: int", "group_key: int", "instance_key: int"
#define HINT "communication_hint: string = 'auto'"
#define TYPES "T: {float, half, double, int32, int64}"
/* clang-format on */

OP_DEF(collective_reduce) = {
    .name = "CollectiveReduce",
    .summary = "Merges the inputs of all members of a group and gives every member the result.",
    .inputs = {"input: T"},
    .outputs = {"data: T"},
    .attrs = {TYPES, GROUP, "merge_op: {'Min', 'Max', 'Mul', 'Add'}", "final_op: {'Id', 'Div'}",
              "subdiv_offsets: list(int)", "wait_for: list(int) = []", HINT},
    .flags = OP_STATEFUL,
    .shape = infer_unchanged,
    .no_grad = "TensorFlow registers none",
};
OP_DEF(collective_bcast_send) = {
    .name = "CollectiveBcastSend",
    .summary = "Gives its input to all members of a group.",
    .inputs = {"input: T"},
    .outputs = {"data: T"},
    .attrs = {TYPES, GROUP, "shape: shape", HINT},
    .flags = OP_STATEFUL,
    .shape = declared_shape,
    .no_grad = "TensorFlow registers none",
};
OP_DEF(collective_bcast_recv) = {
    .name = "CollectiveBcastRecv",
    .summary = "Receives what the sender of a group gives.",
    .outputs = {"data: T"},
    .attrs = {TYPES, GROUP, "shape: shape", HINT},
    .flags = OP_STATEFUL,
    .shape = declared_shape,
    .no_grad = "TensorFlow registers none",
};
OP_DEF(collective_gather) = {
    .name = "CollectiveGather",
    .summary = "Joins the inputs of all members of a group along their first dimension.",
    .inputs = {"input: T"},
    .outputs = {"data: T"},
    .attrs = {TYPES, GROUP, "shape: shape", HINT},
    .flags = OP_STATEFUL,
    .shape = gathered_shape,
    .no_grad = "TensorFlow registers none",
};

#define COLLECTIVE_KERNEL(id, op_name, init_fn)                                                    \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .flags = KERNEL_ASYNC,                                                 \
                            .state_bytes = sizeof(struct collective_state),                        \
                            .init = init_fn,                                                       \
                            .release = collective_release,                                         \
                            .run_async = collective_start}
COLLECTIVE_KERNEL(collective_reduce, "CollectiveReduce", reduce_init);
COLLECTIVE_KERNEL(collective_bcast_send, "CollectiveBcastSend", send_init);
COLLECTIVE_KERNEL(collective_bcast_recv, "CollectiveBcastRecv", recv_init);
COLLECTIVE_KERNEL(collective_gather, "CollectiveGather", gather_init);
