/* SPDX-License-Identifier: Apache-2.0 */
/* Which workers take part in synchronous training, and whose gradients were taken: nodes. */
#include "base/mem.h"
#include "build/build.h"
#include "build/sync_replicas.h"

static TF_Output counter(TF_Graph *g, const char *name, TF_Output first)
{
    return leat_variable(g, name, first, .trainable = 0);
}

/* A vector with a place for each worker. */
static TF_Output per_worker(leat_optimizer *opt, const char *name, TF_DataType dtype, double first)
{
    TF_Output zeros = mk_full(opt->g, "initial_value", dtype, leat_shape(opt->sync->total), first);
    return counter(opt->g, name, zeros);
}

static bool make_variables(leat_optimizer *opt)
{
    struct sync_membership *m = &opt->sync->m;
    m->pushed = per_worker(opt, "pushed", TF_INT64, 0);
    m->accepted = per_worker(opt, "accepted", TF_INT64, 0);
    m->members = per_worker(opt, "members", TF_INT32, 1);
    m->quorum = counter(opt->g, "quorum", mk_i32(opt->g, "initial_value", opt->sync->required));
    return leat_valid(m->pushed) && leat_valid(m->accepted) && leat_valid(m->members) &&
           leat_valid(m->quorum);
}

static bool make_gate(leat_optimizer *opt)
{
    TF_Graph *g = opt->g;
    struct sync_membership *m = &opt->sync->m;
    m->gate = leat_resource_conditional_accumulator(
        g, .dtype = TF_FLOAT, .shape = leat_shape(opt->sync->total), .reduction_type = "SUM",
        .shared_name = "sync_replicas/gate", .name = "gate");
    m->gate_sum = leat_resource_accumulator_take_gradient(
        g, m->gate, leat_variable_value(g, m->quorum), .dtype = TF_FLOAT, .name = "take_gate");
    TF_Output taken = leat_cast(g, m->gate_sum, .DstT = TF_INT64, .name = "taken");
    m->count_accepted = leat_assign_add(g, m->accepted, taken, .name = "count_accepted").oper;
    return m->count_accepted != NULL;
}

/* What the functions on sessions run. */
static bool make_changes(leat_optimizer *opt)
{
    TF_Graph *g = opt->g;
    struct sync_membership *m = &opt->sync->m;
    m->which = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(), .name = "which");
    m->value = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(), .name = "value");
    m->set_member =
        leat_scatter_update(g, m->members, m->which, m->value, .name = "set_member").oper;
    m->set_quorum = leat_assign(g, m->quorum, m->value, .name = "set_quorum").oper;
    TF_Output none = mk_full(g, "nobody", TF_FLOAT, leat_shape(opt->sync->total), 0);
    m->fill_gate = leat_resource_accumulator_apply_gradient(
        g, m->gate, leat_variable_value(g, opt->sync->step), none, .name = "fill_gate");
    return m->set_member && m->set_quorum && m->fill_gate;
}

bool sync_membership_make(leat_optimizer *opt)
{
    TF_Graph *g = opt->g;
    bool ok = true;
    if (opt->sync->worker < 0)
        return true;
    leat_with_device(g, TF_OperationDevice(opt->sync->step.oper))
        leat_with_scope(g, "membership")
            ok = make_variables(opt) && make_gate(opt) && make_changes(opt);
    return ok;
}

bool sync_membership_push(leat_optimizer *opt, TF_Operation *const *pushes, int n)
{
    TF_Graph *g = opt->g;
    struct sync_membership *m = &opt->sync->m;
    const int worker = opt->sync->worker, total = opt->sync->total;
    if (worker < 0)
        return true;
    float *mine = mem_new_array(float, total);
    mine[worker] = 1;
    leat_with_device(g, TF_OperationDevice(opt->sync->step.oper))
        leat_with_scope(g, "membership")
            leat_with_control_dependencies(g, pushes, n) {
                TF_Output at = mk_i32(g, "worker", worker);
                TF_Output one = mk_scalar(g, "one", TF_INT64, 1);
                m->count_push =
                    leat_scatter_add(g, m->pushed, at, one, .use_locking = 1, .name = "count_push")
                        .oper;
                TF_Output vector = leat_const_floats(g, mine, leat_shape(total), .name = "mine");
                m->push_gate = leat_resource_accumulator_apply_gradient(
                    g, m->gate, leat_variable_value(g, opt->sync->parts.local_step), vector,
                    .name = "push_gate");
            }
    mem_free(mine);
    return m->count_push && m->push_gate;
}
