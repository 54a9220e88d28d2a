/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds and fetches of one call as tensors of ours; few of them need no memory. Lives on the stack.
 */
#ifndef LEAT_API_API_VALUES_H
#define LEAT_API_API_VALUES_H

#include "api/api_impl.h"

enum { API_VALUES_SMALL = 8 };

struct api_values {
    struct tensor small[2 * API_VALUES_SMALL];
    struct tensor *feeds, *fetches;
    int num_feeds, num_fetches;
};
void api_values_init(struct api_values *v, int num_feeds, int num_fetches);
void api_values_release(struct api_values *v);
/* Feeds share the buffers of input_values. Errors name the feed. */
MUST_CHECK bool api_values_in(struct api_values *v, const TF_Output *inputs,
                              TF_Tensor *const *input_values, struct status *st);
/* Writes all fetches, or none. */
MUST_CHECK bool api_values_out(struct api_values *v, TF_Tensor **output_values, struct status *st);

#endif
