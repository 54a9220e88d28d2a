/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of few positions by a large float filter: the last layers of a deep net over small
 * images. What counts there is how often the filter goes through the memory: other ways lay it out
 * anew before they multiply, image by image. Here the windows of the whole batch are the rows of
 * one matrix, which is small, and the filter is read, or written, once, where it lies. */
#include <string.h>

#include "math/conv_plan.h"
#include "tensor/dtype.h"

#define FILTER_BYTES (1 << 20) /* less stays in the cache whatever is done to it */
#define POSITIONS_MAX 600      /* more: fewer products per output pay for a new layout */

static int64_t positions_of(const struct math_conv_shape *s)
{
    return s->batch * s->out_h * s->out_w;
}

bool conv_few_serves(const struct math_conv *plan)
{
    const struct math_conv_shape *s = &plan->shape;
    return s->dtype == DT_FLOAT && !conv_is_pointwise(s) && s->in_c > 0 && s->out_c > 0 &&
           positions_of(s) > 0 && positions_of(s) <= POSITIONS_MAX &&
           plan->filter_items * s->out_c * plan->item >= FILTER_BYTES;
}

int64_t conv_few_scratch_bytes(const struct math_conv *plan)
{
    return positions_of(&plan->shape) * plan->filter_items * plan->item;
}

static void lay_out_batch(const struct math_conv *plan, const void *x, char *rows)
{
    const int64_t positions = plan->shape.out_h * plan->shape.out_w;
    for (int64_t i = 0; i < plan->shape.batch; i++)
        conv_lay_out(plan, (const char *)x + i * plan->in_items * plan->item, 0, positions,
                     rows + i * positions * plan->filter_items * plan->item);
}

void conv_few_forward(const struct math_conv *plan, struct pool *pool,
                      const struct math_conv_args *a, void *scratch)
{
    const struct math_conv_shape *s = &plan->shape;
    lay_out_batch(plan, a->x, scratch);
    math_gemm(pool, s->dtype,
              &(struct math_gemm){.m = positions_of(s),
                                  .n = s->out_c,
                                  .k = plan->filter_items,
                                  .a = scratch,
                                  .b = a->filter,
                                  .c = a->y,
                                  .lda = plan->filter_items,
                                  .ldb = s->out_c,
                                  .ldc = s->out_c,
                                  .bias = a->bias,
                                  .act = a->act});
}

void conv_few_backward_data(const struct math_conv *plan, struct pool *pool,
                            const struct math_conv_args *a, void *scratch)
{
    const struct math_conv_shape *s = &plan->shape;
    const int64_t positions = s->out_h * s->out_w;
    math_gemm(pool, s->dtype,
              &(struct math_gemm){.m = positions_of(s),
                                  .n = plan->filter_items,
                                  .k = s->out_c,
                                  .a = a->dy,
                                  .b = a->filter,
                                  .c = scratch,
                                  .lda = s->out_c,
                                  .ldb = s->out_c,
                                  .ldc = plan->filter_items,
                                  .trans_b = true});
    memset(a->dx, 0, (size_t)(s->batch * plan->in_items * plan->item));
    for (int64_t i = 0; i < s->batch; i++)
        conv_fold_back(plan, (char *)scratch + i * positions * plan->filter_items * plan->item, 0,
                       positions, (char *)a->dx + i * plan->in_items * plan->item);
}

void conv_few_backward_filter(const struct math_conv *plan, struct pool *pool,
                              const struct math_conv_args *a, void *scratch)
{
    const struct math_conv_shape *s = &plan->shape;
    lay_out_batch(plan, a->x, scratch);
    math_gemm(pool, s->dtype,
              &(struct math_gemm){.m = plan->filter_items,
                                  .n = s->out_c,
                                  .k = positions_of(s),
                                  .a = scratch,
                                  .b = a->dy,
                                  .c = a->dfilter,
                                  .lda = plan->filter_items,
                                  .ldb = s->out_c,
                                  .ldc = s->out_c,
                                  .trans_a = true});
}
