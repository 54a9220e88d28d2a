/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oneDNN that convolution calls, found by name in the opened library. Included by
 * conv_dnnl*.c alone, where the library's header is at hand. */
#ifndef LEAT_MATH_CONV_DNNL_API_H
#define LEAT_MATH_CONV_DNNL_API_H

#include <oneapi/dnnl/dnnl.h>

#include "base/base.h"

/* clang-format off */
#define DNNL_TABLE(X) \
    X(engine_create) X(stream_create) X(stream_destroy)                             \
    X(memory_desc_init_by_tag) X(memory_desc_get_size) X(memory_desc_equal)         \
    X(memory_create) X(memory_destroy)                                              \
    X(dilated_convolution_forward_desc_init)                                        \
    X(dilated_convolution_backward_data_desc_init)                                  \
    X(dilated_convolution_backward_weights_desc_init)                               \
    X(primitive_attr_create) X(primitive_attr_destroy)                              \
    X(primitive_attr_set_scratchpad_mode)                                           \
    X(primitive_desc_create) X(primitive_desc_destroy) X(primitive_desc_query)      \
    X(primitive_desc_query_md) X(reorder_primitive_desc_create)                     \
    X(primitive_create) X(primitive_destroy) X(primitive_execute)                   \
    X(set_max_cpu_isa)
/* clang-format on */

struct dnnl_api {
#define X(name) __typeof__(&dnnl_##name) name;
    DNNL_TABLE(X)
#undef X
    dnnl_engine_t engine; /* the CPU; for good */
};

/* NULL when the library is absent, or is another version. */
const struct dnnl_api *dnnl_api_find(void);

#endif
