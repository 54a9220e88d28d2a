/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Buffer: bytes, and how to free them. */
#include <string.h>

#include "base/mem.h"
#include "tensorflow/c/c_api_base.h"

static void free_data(void *data, size_t length)
{
    (void)length;
    mem_free(data);
}

TF_Buffer *TF_NewBuffer(void)
{
    return mem_new(TF_Buffer);
}

TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len)
{
    struct status st = {0};
    if (!proto)
        proto_len = 0;
    void *copy = mem_try(proto_len ? proto_len : 1, "a TF_Buffer", &st);
    status_clear(&st);
    if (!copy)
        return NULL;
    if (proto_len)
        memcpy(copy, proto, proto_len);
    TF_Buffer *b = TF_NewBuffer();
    *b = (TF_Buffer){.data = copy, .length = proto_len, .data_deallocator = free_data};
    return b;
}

void TF_DeleteBuffer(TF_Buffer *b)
{
    if (b && b->data_deallocator)
        b->data_deallocator((void *)b->data, b->length);
    mem_free(b);
}

TF_Buffer TF_GetBuffer(TF_Buffer *b)
{
    return b ? *b : (TF_Buffer){0};
}
