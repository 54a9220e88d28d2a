/* SPDX-License-Identifier: Apache-2.0 */
/* See api_values.h. */
#include "api/api_values.h"

#include <string.h>

#include "base/mem.h"

void api_values_init(struct api_values *v, int num_feeds, int num_fetches)
{
    v->num_feeds = num_feeds;
    v->num_fetches = num_fetches;
    v->feeds = num_feeds <= API_VALUES_SMALL ? v->small
                                             : mem_alloc(sizeof(struct tensor) * (size_t)num_feeds);
    v->fetches = num_fetches <= API_VALUES_SMALL
                     ? v->small + API_VALUES_SMALL
                     : mem_alloc(sizeof(struct tensor) * (size_t)num_fetches);
    memset(v->feeds, 0, sizeof(struct tensor) * (size_t)num_feeds);
    memset(v->fetches, 0, sizeof(struct tensor) * (size_t)num_fetches);
}

void api_values_release(struct api_values *v)
{
    for (int i = 0; i < v->num_feeds; i++)
        tensor_clear(&v->feeds[i]);
    for (int i = 0; i < v->num_fetches; i++)
        tensor_clear(&v->fetches[i]);
    if (v->feeds != v->small)
        mem_free(v->feeds);
    if (v->fetches != v->small + API_VALUES_SMALL)
        mem_free(v->fetches);
}

bool api_values_in(struct api_values *v, const TF_Output *inputs, TF_Tensor *const *input_values,
                   struct status *st)
{
    for (int i = 0; i < v->num_feeds; i++) {
        if (!api_tensor_to_internal(input_values[i], &v->feeds[i], st)) {
            status_prepend(st, "feed %d (%s): ", i,
                           inputs[i].oper ? TF_OperationName(inputs[i].oper) : "?");
            return false;
        }
    }
    return true;
}

bool api_values_out(struct api_values *v, TF_Tensor **output_values, struct status *st)
{
    for (int i = 0; i < v->num_fetches; i++) {
        output_values[i] = api_tensor_from_internal(&v->fetches[i], st);
        if (output_values[i])
            continue;
        while (i-- > 0) {
            TF_DeleteTensor(output_values[i]);
            output_values[i] = NULL;
        }
        return false;
    }
    return true;
}
