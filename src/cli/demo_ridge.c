/* SPDX-License-Identifier: Apache-2.0 */
/* Ridge regression on Iris: the petal's width from the other three lengths. The weights solve
 * (X'X + aI) w = X'y; gradient descent on (|Xw - y|^2 + a |w|^2) / 2n goes to the same place. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/demo.h"

enum { FEATURES = 4, STEPS = 2000 };
static const float alpha = 1.0f, rate = 0.3f;

struct ridge {
    TF_Output closed, weights, loss;
    TF_Operation *train, *init;
};

/* Columns 0-2 with mean 0 and deviation 1, and a column of ones; y is column 3. */
static void standardise(const struct table *t, float *x, float *y)
{
    for (int c = 0; c < FEATURES; c++) {
        double mean = 0, squares = 0;
        for (int64_t r = 0; r < t->rows; r++)
            mean += (double)t->values[r * t->cols + c] / (double)t->rows;
        for (int64_t r = 0; r < t->rows; r++) {
            double off = (double)t->values[r * t->cols + c] - mean;
            squares += off * off;
        }
        double deviation = sqrt(squares / (double)t->rows);
        for (int64_t r = 0; r < t->rows; r++) {
            float v = t->values[r * t->cols + c];
            if (c == FEATURES - 1)
                y[r] = v;
            x[r * FEATURES + c] =
                c == FEATURES - 1 ? 1.0f : (float)(((double)v - mean) / deviation);
        }
    }
}

static TF_Output sum_of_squares(TF_Graph *g, TF_Output x)
{
    return leat_sum(g, leat_square(g, x), leat_const_ints(g, ((int32_t[]){0, 1}), leat_shape(2)));
}

/* By name: a build without LAPACK has no such wrapper. */
static TF_Output matrix_solve(TF_Graph *g, TF_Output left, TF_Output right)
{
    TF_OperationDescription *d = leat_begin(g, "MatrixSolve", NULL, LEAT_HERE);
    leat_add_input(d, left);
    leat_add_input(d, right);
    return leat_output_of(leat_finish(d), 0);
}

static bool can_solve(void)
{
    char *doc = leat_op_doc("MatrixSolve");
    leat_free(doc);
    return doc != NULL;
}

static struct ridge build(TF_Graph *g, const float *xs, const float *ys, int64_t rows)
{
    struct ridge r = {0};
    TF_Output x = leat_const_floats(g, xs, leat_shape(rows, FEATURES), .name = "x");
    TF_Output y = leat_const_floats(g, ys, leat_shape(rows, 1), .name = "y");
    TF_Output a = leat_const_float(g, alpha, .name = "alpha");
    leat_with_scope(g, "closed_form") {
        TF_Output diagonal = leat_matrix_diag(
            g, leat_fill(g, leat_const_ints(g, ((int32_t[]){FEATURES}), leat_shape(1)), a));
        TF_Output left = leat_add(g, leat_matmul(g, x, x, .transpose_a = true), diagonal);
        r.closed = matrix_solve(g, left, leat_matmul(g, x, y, .transpose_a = true));
    }
    r.weights = leat_variable(g, "w", leat_zeros(g, leat_shape(FEATURES, 1)));
    TF_Output error = leat_sub(g, leat_matmul(g, x, r.weights), y);
    TF_Output total =
        leat_add(g, sum_of_squares(g, error), leat_mul(g, a, sum_of_squares(g, r.weights)));
    r.loss = leat_mul(g, total, leat_const_float(g, 0.5f / (float)rows), .name = "loss");
    leat_optimizer *descent = leat_gradient_descent(g, .learning_rate = (double)rate);
    r.train = leat_minimize(descent, r.loss);
    leat_optimizer_free(descent);
    r.init = leat_global_variables_initializer(g);
    return r;
}

static bool report(TF_Session *session, const struct ridge *r, struct figures *f, TF_Status *s,
                   struct status *st)
{
    float loss, closed[FEATURES], found[FEATURES];
    double apart = 0;
    if (!leat_run(session, s,
                  .fetches = leat_fetches(leat_fetch(r->loss, &loss, 1),
                                          leat_fetch(r->closed, closed, FEATURES),
                                          leat_fetch(r->weights, found, FEATURES))))
        return cli_ok(s, st);
    for (int i = 0; i < FEATURES; i++) {
        double d = fabs((double)closed[i] - (double)found[i]);
        apart = d > apart || isnan(d) ? d : apart;
    }
    figure_add(f, "ridge", "loss", (double)loss);
    figure_add(f, "ridge", "largest_weight_difference", apart);
    return apart <= 1e-3 ||
           status_internal(st, "gradient descent ends %g from the closed form", apart);
}

bool demo_ridge(const struct table *iris, struct figures *f, struct status *st)
{
    if (!can_solve()) {
        fprintf(stderr, "ridge: left out, as this build has no LAPACK for the closed form\n");
        return true;
    }
    float *x = mem_new_array(float, iris->rows *FEATURES), *y = mem_new_array(float, iris->rows);
    standardise(iris, x, y);
    TF_Graph *g = TF_NewGraph();
    TF_Status *s = TF_NewStatus();
    struct ridge r = build(g, x, y, iris->rows);
    mem_free(x);
    mem_free(y);
    TF_Session *session = leat_session_new(g, s);
    bool ok = session && leat_run_op(session, r.init, leat_no_feeds(), s);
    for (int i = 0; ok && i < STEPS; i++)
        ok = leat_run_op(session, r.train, leat_no_feeds(), s);
    ok = ok ? report(session, &r, f, s, st) : cli_ok(s, st);
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok;
}
