/* SPDX-License-Identifier: Apache-2.0 */
/* Ridge regression on Iris: the petal's width from the other three lengths. The weights solve
 * (X'X + aI) w = X'y; gradient descent on (|Xw - y|^2 + a |w|^2) / 2n goes to the same place. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/demo.h"

enum { FEATURES = 4, STEPS = 2000 };
static const float alpha = 1.0f, rate = 0.3f;

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

struct ridge {
    TF_Output closed, weights, loss;
    const TF_Operation *train;
};

static TF_Output transposed(struct maker *m, TF_Output x)
{
    return make_op(m, "Transpose", 2, (TF_Output[]){x, make_ints(m, (int32_t[]){1, 0}, 2)});
}

static struct ridge build(struct maker *m, const float *xs, const float *ys, int64_t rows)
{
    struct ridge r = {0};
    float diagonal[FEATURES * FEATURES] = {0};
    for (int i = 0; i < FEATURES; i++)
        diagonal[i * FEATURES + i] = alpha;
    TF_Output x = make_floats(m, xs, rows, FEATURES), y = make_floats(m, ys, rows, 1);
    TF_Output xt = transposed(m, x);
    TF_Output xtx = make_op(m, "MatMul", 2, (TF_Output[]){xt, x});
    TF_Output left =
        make_op(m, "Add", 2, (TF_Output[]){xtx, make_floats(m, diagonal, FEATURES, FEATURES)});
    TF_Output right = make_op(m, "MatMul", 2, (TF_Output[]){xt, y});
    r.closed = make_op(m, "MatrixSolve", 2, (TF_Output[]){left, right});

    TF_Output w = make_variable(m, (int64_t[]){FEATURES, 1}, 2, 0.0f);
    TF_Output axes = make_ints(m, (int32_t[]){0, 1}, 2);
    TF_Output guess = make_op(m, "MatMul", 2, (TF_Output[]){x, w});
    TF_Output error = make_op(m, "Sub", 2, (TF_Output[]){guess, y});
    TF_Output fit = make_op(m, "Sum", 2, (TF_Output[]){make_op(m, "Square", 1, &error), axes});
    TF_Output size = make_op(m, "Sum", 2, (TF_Output[]){make_op(m, "Square", 1, &w), axes});
    TF_Output total = make_op(
        m, "Add", 2,
        (TF_Output[]){fit, make_op(m, "Mul", 2, (TF_Output[]){size, make_scalar(m, alpha)})});
    r.loss = make_op(m, "Mul", 2, (TF_Output[]){total, make_scalar(m, 0.5f / (float)rows)});
    TF_Output gradient = {0};
    if (TF_GetCode(m->s) == TF_OK)
        TF_AddGradients(m->graph, &r.loss, 1, &w, 1, NULL, m->s, &gradient);
    r.train = make_op(m, "ApplyGradientDescent", 3,
                      (TF_Output[]){m->vars[m->num_vars - 1], make_scalar(m, rate), gradient})
                  .oper;
    r.weights = w;
    return r;
}

bool demo_ridge(const struct table *iris, struct figures *f, struct status *st)
{
    float *x = mem_new_array(float, iris->rows *FEATURES), *y = mem_new_array(float, iris->rows);
    standardise(iris, x, y);
    struct maker m;
    maker_init(&m);
    struct ridge r = build(&m, x, y, iris->rows);
    mem_free(x);
    mem_free(y);
    bool ok = maker_start(&m, st);
    for (int i = 0; ok && i < STEPS; i++) {
        TF_SessionRun(m.session, NULL, NULL, NULL, 0, NULL, NULL, 0, &r.train, 1, NULL, m.s);
        ok = cli_ok(m.s, st);
    }
    TF_Tensor *v[3] = {0};
    if (ok)
        TF_SessionRun(m.session, NULL, NULL, NULL, 0, (TF_Output[]){r.closed, r.weights, r.loss}, v,
                      3, NULL, 0, NULL, m.s);
    ok = ok && cli_ok(m.s, st);
    if (ok) {
        const float *a = TF_TensorData(v[0]), *b = TF_TensorData(v[1]);
        double apart = 0;
        for (int i = 0; i < FEATURES; i++) {
            double d = fabs((double)a[i] - (double)b[i]);
            apart = d > apart || isnan(d) ? d : apart;
        }
        figure_add(f, "ridge", "loss", (double)*(const float *)TF_TensorData(v[2]));
        figure_add(f, "ridge", "largest_weight_difference", apart);
        if (!(apart <= 1e-3))
            ok = status_internal(st, "gradient descent ends %g from the closed form", apart);
    }
    for (int i = 0; i < 3; i++)
        TF_DeleteTensor(v[i]);
    maker_release(&m);
    return ok;
}
