/* SPDX-License-Identifier: Apache-2.0 */
/* The optimizers of the training cases: the nodes that TensorFlow 1.15's minimize makes. */
#include "base/mem.h"
#include "cli/bench_layers.h"

enum { MAX_UPDATES = 256 };

struct trainer {
    struct maker *m;
    enum train_rule rule;
    TF_Output rate, beta[2], power[2], epsilon; /* Adam; power: references */
    TF_Operation *updates[MAX_UPDATES];
    int n;
};

static const float betas[2] = {0.9f, 0.999f};

static TF_Output zeros(struct trainer *t, const int64_t *dims, int n)
{
    int32_t shape[4];
    for (int i = 0; i < n; i++)
        shape[i] = (int32_t)dims[i];
    return make_slot(t->m, dims, n,
                     op2(t->m, "Fill", make_ints(t->m, shape, n), make_scalar(t->m, 0)));
}

static void keep_update(struct trainer *t, TF_Output update)
{
    ASSERT(t->n < MAX_UPDATES);
    t->updates[t->n++] = update.oper;
}

static void trainer_begin(struct trainer *t, struct maker *m, enum train_rule rule, float rate)
{
    *t = (struct trainer){.m = m, .rule = rule, .rate = make_scalar(m, rate)};
    if (rule != TRAIN_ADAM)
        return;
    t->epsilon = make_scalar(m, 1e-8f);
    for (int i = 0; i < 2; i++) {
        t->beta[i] = make_scalar(m, betas[i]);
        t->power[i] = make_slot(m, NULL, 0, make_scalar(m, betas[i]));
    }
}

/* The variable's shape, from the graph. */
static int shape_of(struct maker *m, TF_Output var, int64_t dims[4])
{
    if (TF_GetCode(m->s) != TF_OK)
        return 0;
    const int n = TF_GraphGetTensorNumDims(m->graph, var, m->s);
    if (n > 4 || n < 0)
        return 0;
    TF_GraphGetTensorShape(m->graph, var, dims, n, m->s);
    return n;
}

static void update_dense(struct trainer *t, TF_Output var, TF_Output gradient)
{
    int64_t dims[4] = {0};
    struct maker *m = t->m;
    const int n = shape_of(m, var, dims);
    if (t->rule == TRAIN_SGD) {
        keep_update(t, op3(m, "ApplyGradientDescent", var, t->rate, gradient));
    } else if (t->rule == TRAIN_MOMENTUM) {
        const TF_Output in[] = {var, zeros(t, dims, n), t->rate, gradient, make_scalar(m, 0.9f)};
        keep_update(t, make_op(m, "ApplyMomentum", 5, in));
    } else {
        const TF_Output in[] = {var,
                                zeros(t, dims, n),
                                zeros(t, dims, n),
                                op1(m, "Identity", t->power[0]),
                                op1(m, "Identity", t->power[1]),
                                t->rate,
                                t->beta[0],
                                t->beta[1],
                                t->epsilon,
                                gradient};
        keep_update(t, make_op(m, "ApplyAdam", 10, in));
    }
}

/* Repeated ids become one row each, their gradients summed. */
static void unique_rows(struct maker *m, TF_Output *ids, TF_Output *rows)
{
    const TF_Output unique = op1(m, "Unique", *ids);
    const TF_Output where = {unique.oper, 1};
    const TF_Output shape = op1(m, "Shape", unique);
    const TF_Output first[] = {shape, make_ints(m, (int32_t[]){0}, 1),
                               make_ints(m, (int32_t[]){1}, 1), make_ints(m, (int32_t[]){1}, 1)};
    const struct make_attr shrink = attr_int("shrink_axis_mask", 1);
    const TF_Output num = make(m, &(struct make_node){.op = "StridedSlice",
                                                      .inputs = first,
                                                      .num_inputs = 4,
                                                      .attrs = &shrink,
                                                      .num_attrs = 1});
    *rows = op3(m, "UnsortedSegmentSum", *rows, where, num);
    *ids = unique;
}

/* A moving average: all of it decays, the step's rows get their share. The reference, after. */
static TF_Output decay(struct trainer *t, const struct train_table *table, int which, TF_Output ids,
                       TF_Output share)
{
    struct maker *m = t->m;
    const TF_Output slot = zeros(t, table->dims, table->num_dims);
    const TF_Output decayed =
        op2(m, "Assign", slot, op2(m, "Mul", op1(m, "Identity", slot), t->beta[which]));
    const TF_Output in[] = {slot, ids, op2(m, "Mul", share, make_scalar(m, 1 - betas[which]))};
    return make(m, &(struct make_node){.op = "ScatterAdd",
                                       .inputs = in,
                                       .num_inputs = 3,
                                       .after = &decayed.oper,
                                       .num_after = 1});
}

static TF_Output corrected_rate(struct trainer *t)
{
    struct maker *m = t->m;
    const TF_Output one = make_scalar(m, 1);
    const TF_Output below = op2(m, "Sub", one, op1(m, "Identity", t->power[0]));
    const TF_Output above = op2(m, "Sub", one, op1(m, "Identity", t->power[1]));
    return op2(m, "RealDiv", op2(m, "Mul", t->rate, op1(m, "Sqrt", above)), below);
}

static void update_rows(struct trainer *t, const struct train_table *table, TF_Output gradient)
{
    struct maker *m = t->m;
    TF_Output ids = table->ids;
    if (t->rule == TRAIN_SGD) {
        keep_update(t, op3(m, "ScatterSub", table->table, ids, op2(m, "Mul", gradient, t->rate)));
        return;
    }
    unique_rows(m, &ids, &gradient);
    const TF_Output mean = decay(t, table, 0, ids, gradient);
    const TF_Output spread = decay(t, table, 1, ids, op2(m, "Mul", gradient, gradient));
    const TF_Output root = op2(m, "Add", op1(m, "Sqrt", spread), t->epsilon);
    const TF_Output by = op2(m, "RealDiv", op2(m, "Mul", corrected_rate(t), mean), root);
    keep_update(t, op2(m, "AssignSub", table->table, by));
}

/* Adam's powers move on after every update has read them. */
static void trainer_end(struct trainer *t, struct bench_part *p)
{
    const int n = t->n;
    for (int i = 0; t->rule == TRAIN_ADAM && i < 2; i++) {
        const TF_Output in[] = {t->power[i],
                                op2(t->m, "Mul", op1(t->m, "Identity", t->power[i]), t->beta[i])};
        keep_update(t, make(t->m, &(struct make_node){.op = "Assign",
                                                      .inputs = in,
                                                      .num_inputs = 2,
                                                      .after = t->updates,
                                                      .num_after = n}));
    }
    bench_target(p, t->updates, t->n);
}

void bench_train(struct bench_part *p, TF_Output loss, enum train_rule rule, float rate,
                 const struct train_table *tables, int num_tables)
{
    struct maker *m = &p->m;
    const int vars = m->num_vars, n = vars + num_tables;
    TF_Output *xs = mem_new_array(TF_Output, n), *dxs = mem_new_array(TF_Output, n);
    struct trainer *t = mem_new(struct trainer);
    for (int i = 0; i < n; i++)
        xs[i] = i < vars ? m->vars[i] : tables[i - vars].rows;
    make_gradients(m, loss, xs, n, dxs);
    trainer_begin(t, m, rule, rate);
    for (int i = 0; i < n; i++) {
        if (i < vars)
            update_dense(t, xs[i], dxs[i]);
        else
            update_rows(t, &tables[i - vars], dxs[i]);
    }
    for (int i = 0; i < p->num_extra; i++)
        keep_update(t, (TF_Output){p->extra[i], 0});
    trainer_end(t, p);
    p->fetch = loss;
    p->training = true;
    p->work = 1;
    mem_free(t);
    mem_free(xs);
    mem_free(dxs);
}
