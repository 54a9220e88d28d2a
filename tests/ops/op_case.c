/* SPDX-License-Identifier: Apache-2.0 */
/* Runs case tables: builds each row's graph through the C API, runs it with and without the
 * optimiser, compares, checks shapes, and checks gradients by central differences in float64. */
#include "op_case.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "op_check.h"
#include "op_text.h"

enum { MAX_IN = 16, MAX_OUT = 8 };

struct run { /* one row being checked */
    const struct op_case *c;
    TF_Graph *graph;
    TF_Session *session;
    TF_Status *st;
    struct case_tensor in[MAX_IN];
    TF_Output source[MAX_IN]; /* what stands for each input */
    TF_Operation *inits[MAX_IN];
    TF_Output reads[MAX_IN]; /* the values of variables after the op */
    int num_in, num_inits, num_reads;
    TF_Operation *op;
    bool failed;
};

static void complain(struct run *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("FAILED %s(%s", r->c->op, r->c->attrs ? r->c->attrs : "");
    for (int i = 0; i < MAX_IN && r->c->in[i]; i++)
        printf("; %s", r->c->in[i]);
    printf(")%s%s: ", r->c->note ? " " : "", r->c->note ? r->c->note : "");
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    r->failed = true;
}

static bool ok(struct run *r)
{
    return TF_GetCode(r->st) == TF_OK;
}

static void dims_of(const TF_Tensor *t, int64_t *dims)
{
    for (int i = 0; i < TF_NumDims(t); i++)
        dims[i] = TF_Dim(t, i);
}

/* --- building --- */

/* A variable and, among the inits, what assigns the input's value to it. */
static TF_Operation *make_var(struct run *r, int i, const char *name)
{
    struct case_tensor *t = &r->in[i];
    int64_t dims[254];
    char sub[64];
    dims_of(t->t, dims);
    TF_OperationDescription *d =
        TF_NewOperation(r->graph, t->is_resource ? "VarHandleOp" : "VariableV2", name);
    TF_SetAttrType(d, "dtype", TF_TensorType(t->t));
    TF_SetAttrShape(d, "shape", dims, t->unknown_shape ? -1 : TF_NumDims(t->t));
    TF_Operation *var = TF_FinishOperation(d, r->st);
    if (!ok(r))
        return NULL;
    snprintf(sub, sizeof sub, "%s/value", name);
    d = TF_NewOperation(r->graph, "Const", sub);
    TF_SetAttrTensor(d, "value", t->t, r->st);
    TF_SetAttrType(d, "dtype", TF_TensorType(t->t));
    TF_Operation *value = TF_FinishOperation(d, r->st);
    if (!ok(r))
        return NULL;
    snprintf(sub, sizeof sub, "%s/assign", name);
    d = TF_NewOperation(r->graph, t->is_resource ? "AssignVariableOp" : "Assign", sub);
    TF_AddInput(d, (TF_Output){var, 0});
    TF_AddInput(d, (TF_Output){value, 0});
    r->inits[r->num_inits++] = TF_FinishOperation(d, r->st);
    return var;
}

/* What reads each variable after the op. */
static bool make_reads(struct run *r)
{
    for (int i = 0; i < r->num_in; i++) {
        char name[32];
        if (!r->in[i].is_resource && !r->in[i].is_var)
            continue;
        snprintf(name, sizeof name, "in%d_after", i);
        TF_OperationDescription *d =
            TF_NewOperation(r->graph, r->in[i].is_resource ? "ReadVariableOp" : "Identity", name);
        TF_AddInput(d, r->source[i]);
        TF_AddControlInput(d, r->op);
        if (r->in[i].is_resource)
            TF_SetAttrType(d, "dtype", TF_TensorType(r->in[i].t));
        r->reads[r->num_reads++] = (TF_Output){TF_FinishOperation(d, r->st), 0};
        if (!ok(r))
            return false;
    }
    return true;
}

static bool make_source(struct run *r, int i)
{
    struct case_tensor *t = &r->in[i];
    char name[32];
    int64_t dims[254];
    dims_of(t->t, dims);
    snprintf(name, sizeof name, "in%d", i);
    if (t->is_var || t->is_resource) {
        r->source[i] = (TF_Output){make_var(r, i, name), 0};
        return ok(r);
    }
    TF_OperationDescription *d =
        TF_NewOperation(r->graph, t->is_const ? "Const" : "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_TensorType(t->t));
    if (t->is_const)
        TF_SetAttrTensor(d, "value", t->t, r->st);
    else
        TF_SetAttrShape(d, "shape", t->unknown_shape ? NULL : dims,
                        t->unknown_shape ? -1 : TF_NumDims(t->t));
    r->source[i] = (TF_Output){TF_FinishOperation(d, r->st), 0};
    return ok(r);
}

static bool build(struct run *r)
{
    for (r->num_in = 0; r->num_in < MAX_IN && r->c->in[r->num_in]; r->num_in++)
        r->in[r->num_in] = case_tensor_parse(r->c->in[r->num_in]);
    for (int i = 0; i < r->num_in; i++) {
        if (!make_source(r, i))
            return false;
    }
    TF_OperationDescription *d = TF_NewOperation(r->graph, r->c->op, "op");
    for (int i = 0; i < r->num_in;) {
        if (r->in[i].empty_list) {
            TF_AddInputList(d, NULL, 0);
            i++;
        } else if (r->in[i].list > 0) {
            TF_AddInputList(d, &r->source[i], r->in[i].list);
            i += r->in[i].list;
        } else {
            TF_AddInput(d, r->source[i++]);
        }
    }
    case_attrs_set(d, r->c->attrs);
    r->op = TF_FinishOperation(d, r->st);
    return ok(r) && make_reads(r);
}

/* --- running --- */

static bool run_outputs(struct run *r, const TF_Output *fetches, int n, TF_Tensor **values)
{
    TF_Output feeds[MAX_IN];
    TF_Tensor *fed[MAX_IN];
    int num = 0;
    for (int i = 0; i < r->num_in; i++) {
        if (r->in[i].is_const || r->in[i].is_var || r->in[i].is_resource)
            continue;
        feeds[num] = r->source[i];
        fed[num++] = r->in[i].t;
    }
    if (r->num_inits)
        TF_SessionRun(r->session, NULL, NULL, NULL, 0, NULL, NULL, 0,
                      (const TF_Operation *const *)r->inits, r->num_inits, NULL, r->st);
    if (!ok(r))
        return false;
    const TF_Operation *target = r->op;
    TF_SessionRun(r->session, NULL, feeds, fed, num, fetches, values, n, &target, n == 0, NULL,
                  r->st);
    return ok(r);
}

static void check_values(struct run *r)
{
    TF_Output fetches[MAX_OUT];
    TF_Tensor *got[MAX_OUT] = {0};
    int n = 0;
    for (; n < MAX_OUT && r->c->out[n]; n++) {
        int read = n - TF_OperationNumOutputs(r->op);
        fetches[n] = read >= 0 && read < r->num_reads ? r->reads[read] : (TF_Output){r->op, n};
    }
    if (!run_outputs(r, fetches, n, got)) {
        if (!r->c->error)
            complain(r, "%s", TF_Message(r->st));
        return;
    }
    for (int i = 0; i < n; i++) {
        struct case_tensor want = case_tensor_parse(r->c->out[i]);
        bool same = check_same_shape(got[i], want.t) &&
                    (want.any_value || check_same_values(got[i], want.t, r->c->rel, r->c->abs));
        if (!same) {
            complain(r, "output %d is", i);
            case_print(got[i]);
            printf("  wanted ");
            case_print(want.t);
        }
        if (!check_inferred_shape(r->graph, fetches[i], got[i], r->st))
            complain(r, "the inferred shape of output %d contradicts the value's", i);
        TF_DeleteTensor(want.t);
        TF_DeleteTensor(got[i]);
    }
}

/* --- gradients --- */

/* Weights of an output's elements in the scalar that is differentiated: fixed, all different. */
static double weight(int output, long i)
{
    return 0.5 + 0.37 * output + 0.61 * (double)((i * 7 + 3) % 11) / 11.0;
}

static double weighted_sum(struct run *r, const TF_Output *ys, int n)
{
    TF_Tensor *v[MAX_OUT] = {0};
    double sum = 0;
    if (!run_outputs(r, ys, n, v))
        return NAN;
    for (int k = 0; k < n; k++) {
        for (long i = 0; i < TF_TensorElementCount(v[k]); i++)
            sum += weight(k, i) * case_elem(v[k], i, 0);
        TF_DeleteTensor(v[k]);
    }
    return sum;
}

static TF_Output weights_const(struct run *r, const TF_Tensor *like, int k)
{
    char name[32];
    int64_t dims[254];
    dims_of(like, dims);
    const TF_DataType type = TF_TensorType(like);
    TF_Tensor *w = TF_AllocateTensor(type, dims, TF_NumDims(like), TF_TensorByteSize(like));
    for (long i = 0; i < TF_TensorElementCount(like); i++)
        case_elem_set(w, i, weight(k, i));
    snprintf(name, sizeof name, "weights%d", k);
    TF_OperationDescription *d = TF_NewOperation(r->graph, "Const", name);
    TF_SetAttrTensor(d, "value", w, r->st);
    TF_SetAttrType(d, "dtype", type);
    TF_DeleteTensor(w);
    return (TF_Output){TF_FinishOperation(d, r->st), 0};
}

static void compare_gradient(struct run *r, int input, const TF_Tensor *dx, const TF_Output *ys,
                             int n)
{
    TF_Tensor *x = r->in[input].t;
    /* in float, for ops that have no double, steps must be long */
    const bool wide = TF_TensorType(x) == TF_DOUBLE;
    const double eps = wide ? 1e-6 : 0.0625, rel = wide ? 1e-5 : 1e-3, abs = wide ? 1e-6 : 1e-4;
    for (long i = 0; i < TF_TensorElementCount(x); i++) {
        double at = case_elem(x, i, 0);
        case_elem_set(x, i, at + eps);
        double up = weighted_sum(r, ys, n);
        case_elem_set(x, i, at - eps);
        double down = weighted_sum(r, ys, n);
        case_elem_set(x, i, at);
        double want = (up - down) / (2 * eps), got = case_elem(dx, i, 0);
        if (!(fabs(got - want) <= rel * fmax(1, fabs(want)) + abs)) {
            complain(r, "gradient by input %d, element %ld: %.12g, finite differences give %.12g",
                     input, i, got, want);
            return;
        }
    }
}

static void check_gradient(struct run *r)
{
    TF_Output ys[MAX_OUT], dys[MAX_OUT];
    TF_Tensor *v[MAX_OUT] = {0};
    int n = 0;
    for (int k = 0; k < TF_OperationNumOutputs(r->op) && n < MAX_OUT; k++) {
        const TF_DataType type = TF_OperationOutputType((TF_Output){r->op, k});
        if ((type == TF_DOUBLE || type == TF_FLOAT) && r->c->out[k])
            ys[n++] = (TF_Output){r->op, k};
    }
    if (n == 0 || !run_outputs(r, ys, n, v)) {
        complain(r, "no output to differentiate: %s", TF_Message(r->st));
        return;
    }
    for (int k = 0; k < n; k++) {
        dys[k] = weights_const(r, v[k], k);
        TF_DeleteTensor(v[k]);
    }
    for (int i = 0; i < r->num_in && !r->failed; i++) {
        if (!(r->c->grad & (1u << i)))
            continue;
        TF_Output dx = {0};
        TF_Tensor *value = NULL;
        TF_AddGradients(r->graph, ys, n, &r->source[i], 1, dys, r->st, &dx);
        if (!ok(r) && !LEAT_HAVE_OPENBLAS && strstr(TF_Message(r->st), "not registered"))
            return; /* it goes through an op that this build has not */
        if (!ok(r) || !dx.oper)
            complain(r, "no gradient by input %d: %s", i, TF_Message(r->st));
        else if (!run_outputs(r, &dx, 1, &value))
            complain(r, "gradient by input %d: %s", i, TF_Message(r->st));
        else if (TF_TensorElementCount(value) != TF_TensorElementCount(r->in[i].t))
            complain(r, "the gradient by input %d has %lld elements", i,
                     (long long)TF_TensorElementCount(value));
        else
            compare_gradient(r, i, value, ys, n);
        TF_DeleteTensor(value);
    }
}

/* --- rows --- */

static bool run_row(const struct op_case *c, bool optimise)
{
    struct run r = {.c = c, .graph = check_new_graph(c->producer), .st = TF_NewStatus()};
    if (build(&r)) {
        r.session = check_open_session(r.graph, optimise, 1, r.st);
        if (!ok(&r))
            complain(&r, "%s", TF_Message(r.st));
        else
            check_values(&r);
        if (c->grad && !r.failed && optimise)
            check_gradient(&r);
    } else if (!c->error) {
        complain(&r, "building: %s", TF_Message(r.st));
    }
    if (c->error && !r.failed && !check_error_is(r.st, c->error))
        complain(&r, "ended with %s (%s), wanted %s", check_code_name(r.st), TF_Message(r.st),
                 c->error);
    if (r.session)
        TF_DeleteSession(r.session, r.st);
    for (int i = 0; i < r.num_in; i++)
        TF_DeleteTensor(r.in[i].t);
    TF_DeleteGraph(r.graph);
    TF_DeleteStatus(r.st);
    return !r.failed;
}

static void print_row(const struct op_case *c)
{
    char grad[16];
    printf("row\t%s", c->op);
    check_print_field("attrs", c->attrs);
    for (int i = 0; i < MAX_IN && c->in[i]; i++)
        check_print_field("in", c->in[i]);
    for (int i = 0; i < MAX_OUT && c->out[i]; i++)
        check_print_field("out", c->out[i]);
    check_print_field("error", c->error);
    snprintf(grad, sizeof grad, "%u", c->grad);
    check_print_field("grad", c->grad ? grad : NULL);
    snprintf(grad, sizeof grad, "%d", c->producer);
    check_print_field("producer", c->producer ? grad : NULL);
    printf("\n");
}

/* With an argument, only the rows of ops whose name contains it; --list prints them all instead. */
int op_cases_main(const struct op_case *cases, size_t n, int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < n; i++)
            print_row(&cases[i]);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (argc > 1 && !strstr(cases[i].op, argv[1]))
            continue;
        if (!check_op_exists(cases[i].op)) {
            printf("skipped %s: this build has no such op\n", cases[i].op);
            skipped++;
        } else if (run_row(&cases[i], true) && run_row(&cases[i], false)) {
            passed++;
        } else {
            failed++;
        }
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
