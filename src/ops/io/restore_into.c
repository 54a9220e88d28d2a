/* SPDX-License-Identifier: Apache-2.0 */
/* A RestoreV2 whose tensors all go to variables, together with the assignments: one node, made by
 * the optimiser (graph/passes/fuse_restore.c).
 *
 * Each tensor becomes its variable's value before the next is read, and the old value's memory is
 * there for the next: a restore takes one tensor more than the model. A variable has its old value
 * or its whole, checked new one; what can be known without reading tensors (names, types, shapes)
 * is known before the first changes. */
#include "ops/io/restore.h"

#include "base/mem.h"
#include "op/infer.h"

struct target { /* of a tensor */
    int input;  /* 0: nobody keeps it */
    bool validate;
    int place; /* of its assignment among names and made */
};
struct into_state {
    struct target *targets; /* one a tensor; owned */
    int *types;             /* owned */
    int n;
};

static bool refuse(const struct kernel *k, struct status *st)
{
    return status_invalid(st, "%s '%s': its attrs do not fit each other", k->op->name,
                          k->node_name);
}

/* The passes make it right; whoever writes a graph by hand may not. */
static bool into_init(struct kernel *k, void *state, struct status *st)
{
    struct into_state *s = state;
    const struct attr_value *types = attrs_list(k->attrs, "dtypes"),
                            *at = attrs_list(k->attrs, "at");
    const struct attr_value *validate = attrs_list(k->attrs, "validate_shape");
    int num = k->num_inputs - 3;
    if (at->n != num || validate->n != num || attrs_list(k->attrs, "names")->n != num ||
        attrs_list(k->attrs, "made")->n != num || types->n > INT32_MAX)
        return refuse(k, st);
    s->n = (int)types->n;
    s->targets = mem_new_array(struct target, types->n + 1);
    s->types = mem_new_array(int, types->n + 1);
    for (int i = 0; i < s->n; i++)
        s->types[i] = types->types[i];
    for (int i = 0; i < num; i++) {
        if (at->is[i] < 0 || at->is[i] >= s->n || s->targets[at->is[i]].input)
            return refuse(k, st);
        s->targets[at->is[i]] = (struct target){3 + i, validate->bs[i], i};
        int have = k->input_types[3 + i];
        if (have != DT_RESOURCE && dtype_base(have) != s->types[at->is[i]])
            return refuse(k, st);
    }
    return true;
}

static void into_release(void *state)
{
    struct into_state *s = state;
    mem_free(s->targets);
    mem_free(s->types);
}

struct into {
    struct kctx *c;
    const struct into_state *s;
    int64_t kept_before, largest; /* bytes */
};

/* Words an error of an assignment as if it had a node of its own. */
static bool explain(const struct into *in, const struct target *t, struct status *st)
{
    const struct attrs *a = kernel_attrs(in->c);
    struct str name = attrs_list(a, "names")->ss[t->place];
    struct str made = attrs_list(a, "made")->ss[t->place];
    bool is_ref = dtype_is_ref(in->c->kernel->input_types[t->input]);
    status_append(st, "\n\t [[{{node %.*s}}]] (op %s%s%.*s)", (int)name.n, name.p,
                  is_ref ? "Assign" : "AssignVariableOp", made.n > 0 ? ", made at " : "",
                  (int)made.n, made.n > 0 ? made.p : "");
    return false;
}

/* The variable of tensor i, referenced for the caller. */
static struct variable *find_variable(const struct into *in, int i, struct status *st)
{
    int input = in->s->targets[i].input;
    if (dtype_is_ref(in->c->kernel->input_types[input]))
        return variable_ref(kernel_ref(in->c, input));
    return variable_of_handle(in->c, input, in->s->types[i], st);
}

static bool fits(void *arg, int i, const struct shape *shape, struct status *st)
{
    const struct into *in = arg;
    const struct target *t = &in->s->targets[i];
    if (!t->input)
        return true;
    struct variable *v = find_variable(in, i, st);
    bool ok = v && (!t->validate || variable_accepts(v, shape, st));
    variable_unref(v);
    return ok || explain(in, t, st);
}

/* Old values that no later tensor has the size for are not kept: memory stays at one more. */
static void drop_leftovers(struct into *in, int64_t bytes)
{
    const int64_t slack = (int64_t)16 << 20;
    struct buffer_stats now;
    in->largest = max_i64(in->largest, bytes);
    if (bytes < (int64_t)1 << 20)
        return;
    buffer_stats(&now);
    if (now.kept - in->kept_before > max_i64(in->largest + in->largest / 4, slack))
        buffer_trim();
}

static bool take(void *arg, int i, struct tensor *t, struct status *st)
{
    struct into *in = arg;
    const struct target *target = &in->s->targets[i];
    int64_t bytes = (int64_t)tensor_bytes(t);
    struct variable *v = target->input ? find_variable(in, i, st) : NULL;
    bool ok = !target->input || (v && (!target->validate || variable_accepts(v, &t->shape, st)));
    if (ok && v)
        variable_assign(v, t);
    tensor_clear(t);
    variable_unref(v);
    drop_leftovers(in, bytes);
    return ok || explain(in, target, st);
}

static bool into_run(struct kctx *c, struct status *st)
{
    struct buffer_stats before;
    buffer_stats(&before);
    struct into in = {.c = c, .s = kernel_state(c), .kept_before = before.kept};
    const struct restore r = {
        .c = c, .types = in.s->types, .n = in.s->n, .fits = fits, .take = take, .arg = &in};
    return restore_tensors(&r, st);
}

OP_DEF(restore_into) = {
    .name = "_RestoreInto",
    .summary = "Variables take their values from a checkpoint; made by the optimiser.",
    .description = "A RestoreV2 of dtypes and the Assign (for refs) and AssignVariableOp (for "
                   "handles) nodes that take its outputs `at`, called names and made where made "
                   "says.",
    .inputs = {"prefix: string", "tensor_names: string", "shape_and_slices: string",
               "refs: Ref(ref_types)", "handles: num_handles * resource"},
    .attrs = {"dtypes: list(type)", "ref_types: list(type)", "num_handles: int", "at: list(int)",
              "validate_shape: list(bool)", "names: list(string)", "made: list(string)"},
    .flags = OP_STATEFUL | OP_UNINIT_OK,
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(restore_into_cpu) = {.op = "_RestoreInto",
                                .device = "CPU",
                                .flags = KERNEL_BLOCKING,
                                .state_bytes = sizeof(struct into_state),
                                .init = into_init,
                                .release = into_release,
                                .run = into_run};
