/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised numbers: the least and the greatest integer of a type stand for the limits of a range
 * of reals, those between for reals at equal steps. */
#ifndef LEAT_OP_QRANGE_H
#define LEAT_OP_QRANGE_H

#include "op/floats.h"
#include "op/infer.h"

struct qrange {
    float min, max;
};

int64_t qtype_lowest(int dtype);
int64_t qtype_highest(int dtype);
int64_t qtype_get(const struct tensor *t, int64_t i);
void qtype_put(struct tensor *t, int64_t i, int64_t value); /* kept in the type's range */

/* Input i and the next: scalars, INVALID_ARGUMENT otherwise. */
MUST_CHECK bool qrange_in(struct kctx *c, int i, struct qrange *out, struct status *st);
/* Input 0 is x, over the range of inputs 1 and 2; output 0 becomes *y, of x's shape. */
MUST_CHECK bool qrange_unary(struct kctx *c, struct qrange *r, struct tensor **y,
                             struct status *st);
/* Output i and the next. */
MUST_CHECK bool qrange_out(struct kctx *c, int i, struct qrange r, struct status *st);
/* The real between one integer and the next. */
double qrange_step(struct qrange r, int dtype);
/* The real that an integer stands for, and the integer nearest to a real, as QuantizeV2's
 * MIN_FIRST has them: zero stands for itself. */
double qrange_real(struct qrange r, int dtype, int64_t q);
int64_t qrange_nearest(struct qrange r, int dtype, double x);
/* The integer that stands for zero, were the type wide enough: it may lie outside of it. */
int64_t qrange_zero(struct qrange r, int dtype);
/* The range of qint32 in which a step is the product of those of two ranges of `dtype`. */
struct qrange qrange_of_product(struct qrange a, struct qrange b, int dtype);

/* The same conversions in float, as TensorFlow does whole tensors. */
struct qrange_floats {
    float scale; /* steps a real */
    float step;  /* reals a step */
    float first; /* of a real's steps: the least integer's */
    float least; /* the real of integer 0 */
    float lowest, highest;
};
struct qrange_floats qrange_floats(struct qrange r, int dtype);
static inline float qrange_float_real(const struct qrange_floats *f, int64_t q)
{
    return f->least + (float)q * f->step;
}
int64_t qrange_float_nearest(const struct qrange_floats *f, float x);

/* Shape functions: input 0's shape and two scalars; inputs from `first` on are scalars. */
MUST_CHECK bool qrange_infer_scalars(struct infer_ctx *c, int first, struct status *st);
void qrange_infer_limits(struct infer_ctx *c, int first);
bool qrange_infer_unchanged(struct infer_ctx *c, struct status *st);

#define QTYPES "{qint8, quint8, qint32, qint16, quint16}"

#endif
