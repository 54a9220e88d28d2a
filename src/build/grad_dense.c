/* SPDX-License-Identifier: Apache-2.0 */
/* Indexed slices made dense. */
#include "build/build.h"
#include "leat/gradients.h"

TF_Output leat_grad_dense(TF_Graph *g, struct leat_grad grad)
{
    if (!leat_grad_is_sparse(grad) || !leat_valid(grad.values))
        return grad.values;
    int32_t zero = 0, one = 1;
    int64_t n = 1;
    struct leat_shape vector = {&n, 1};
    TF_Output begin = leat_const_array_fn(g, TF_INT32, &zero, vector, NULL);
    TF_Output end = leat_const_array_fn(g, TF_INT32, &one, vector, NULL);
    TF_Output rows =
        leat_strided_slice(g, grad.dense_shape, begin, end, end, .shrink_axis_mask = 1);
    return leat_unsorted_segment_sum(g, grad.values, grad.indices, rows);
}
