/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the bytes of tensors that clients hand over, whose strings and resources are encoded: the
 * first bytes are the type and the shape, the rest the elements. An accepted one comes back with
 * the same strings. */
#include <stdio.h>
#include <stdlib.h>

#include "api/api_tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_same(const struct tensor *x, const struct tensor *y)
{
    if (x->dtype != y->dtype || !shape_equal(&x->shape, &y->shape))
        abort();
    for (int64_t i = 0; x->dtype == DT_STRING && i < x->num_elems; i++) {
        if (!str_eq(tstr_view(&tensor_str(x)[i]), tstr_view(&tensor_str(y)[i])))
            abort();
    }
}

static void check(const struct tensor *x)
{
    struct status st = {0};
    struct tensor again = {0};
    struct strbuf text = {0};
    TF_Tensor *t = api_tensor_from_internal(x, &st);
    if (!t) {
        status_clear(&st);
        return;
    }
    if (!api_tensor_to_internal(t, &again, &st)) {
        fprintf(stderr, "%s\n", status_message(&st));
        abort();
    }
    require_same(x, &again);
    tensor_summarize(&again, 20, &text);
    strbuf_release(&text);
    tensor_clear(&again);
    TF_DeleteTensor(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const TF_DataType types[] = {TF_STRING, TF_RESOURCE, TF_STRING, TF_FLOAT,
                                        TF_BOOL,   TF_VARIANT,  TF_HALF,   TF_COMPLEX128};
    int rank = size > 0 ? data[0] >> 3 & 3 : 0;
    if (size < (size_t)rank + 1)
        return 0;
    TF_DataType type = types[data[0] & 7];
    int64_t dims[3];
    for (int i = 0; i < rank; i++)
        dims[i] = data[i + 1] > 250 ? INT64_MAX - data[i + 1] : data[i + 1] & 15;
    size_t n = size - 1 - (size_t)rank;
    struct status st = {0};
    struct tensor x = {0};
    TF_Tensor *t = TF_AllocateTensor(type, dims, rank, n);
    if (!t)
        return 0;
    if (TF_TensorByteSize(t) != n)
        abort();
    if (n > 0)
        memcpy(TF_TensorData(t), data + size - n, n);
    if (api_tensor_to_internal(t, &x, &st)) {
        check(&x);
        tensor_clear(&x);
    }
    status_clear(&st);
    TF_DeleteTensor(t);
    return 0;
}
