/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a V1 checkpoint: the list of their type in a TensorProto that says neither type nor
 * shape. Types that are wider in the list are converted; the others are lists of the tensor's own
 * memory. */
#include "io/slices_v1.h"
#include "proto/leat_proto.h"

enum list { LIST_NONE, LIST_OWN, LIST_INT, LIST_HALF, LIST_STRING };

static enum list list_of(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
    case DT_DOUBLE:
    case DT_INT64:
    case DT_BOOL:
    case DT_COMPLEX64:
    case DT_COMPLEX128:
    case DT_INT32:
    case DT_QINT32:
        return LIST_OWN;
    case DT_UINT8:
    case DT_INT8:
    case DT_INT16:
    case DT_UINT16:
    case DT_QINT8:
    case DT_QUINT8:
        return LIST_INT;
    case DT_HALF:
        return LIST_HALF;
    case DT_STRING:
        return LIST_STRING;
    default:
        return LIST_NONE;
    }
}

bool v1_has_type(int dtype)
{
    return list_of(dtype) != LIST_NONE;
}

struct numbers { /* a list whose elements have the memory of the tensor's */
    void **v;
    int64_t *n;
    int64_t per_elem; /* numbers in an element */
};

static struct numbers own_list(struct pb_tensor_proto *p, int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return (struct numbers){(void **)&p->float_val.v, &p->float_val.n, 1};
    case DT_DOUBLE:
        return (struct numbers){(void **)&p->double_val.v, &p->double_val.n, 1};
    case DT_INT64:
        return (struct numbers){(void **)&p->int64_val.v, &p->int64_val.n, 1};
    case DT_BOOL:
        return (struct numbers){(void **)&p->bool_val.v, &p->bool_val.n, 1};
    case DT_COMPLEX64:
        return (struct numbers){(void **)&p->scomplex_val.v, &p->scomplex_val.n, 2};
    case DT_COMPLEX128:
        return (struct numbers){(void **)&p->dcomplex_val.v, &p->dcomplex_val.n, 2};
    default:
        return (struct numbers){(void **)&p->int_val.v, &p->int_val.n, 1};
    }
}

static void store_int(int dtype, void *to, int64_t i, int32_t v)
{
    switch (dtype) {
    case DT_INT8:
    case DT_QINT8:
    case DT_UINT8:
    case DT_QUINT8:
        ((uint8_t *)to)[i] = (uint8_t)v;
        break;
    default:
        ((uint16_t *)to)[i] = (uint16_t)v;
        break;
    }
}

static int32_t load_int(int dtype, const void *from, int64_t i)
{
    switch (dtype) {
    case DT_INT8:
    case DT_QINT8:
        return ((const int8_t *)from)[i];
    case DT_UINT8:
    case DT_QUINT8:
        return ((const uint8_t *)from)[i];
    case DT_INT16:
        return ((const int16_t *)from)[i];
    default:
        return ((const uint16_t *)from)[i];
    }
}

bool v1_values_in(const struct pb_tensor_proto *p, int dtype, void *to, int64_t n)
{
    enum list list = list_of(dtype);
    if (list == LIST_OWN) {
        struct numbers l = own_list((struct pb_tensor_proto *)(uintptr_t)p, dtype);
        if (*l.n / l.per_elem < n)
            return false;
        if (n > 0)
            memcpy(to, *l.v, (size_t)n * dtype_size(dtype));
        return true;
    }
    const struct pb_i32s *ints = list == LIST_HALF ? &p->half_val : &p->int_val;
    if (list == LIST_NONE || (list == LIST_STRING ? p->string_val.n : ints->n) < n)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (list != LIST_STRING)
            store_int(dtype, to, i, ints->v[i]);
        else if (!tstr_set(&((struct tstr *)to)[i],
                           p->string_val.v[i].p ? p->string_val.v[i].p : "", p->string_val.v[i].n))
            return false;
    return true;
}

void v1_values_out(struct arena *a, const struct tensor *t, struct pb_tensor_proto *p)
{
    enum list list = list_of(t->dtype);
    int64_t n = t->num_elems;
    if (n == 0 || list == LIST_NONE)
        return;
    if (list == LIST_OWN) {
        struct numbers l = own_list(p, t->dtype);
        *l.v = t->data;
        *l.n = n * l.per_elem;
    } else if (list == LIST_STRING) {
        p->string_val = (struct pb_strs){.v = arena_array(a, struct str, n), .n = n};
        for (int64_t i = 0; i < n; i++)
            p->string_val.v[i] = tstr_view(&tensor_str(t)[i]);
    } else {
        struct pb_i32s *ints = list == LIST_HALF ? &p->half_val : &p->int_val;
        *ints = (struct pb_i32s){.v = arena_array(a, int32_t, n), .n = n};
        for (int64_t i = 0; i < n; i++)
            ints->v[i] = load_int(t->dtype, t->data, i);
    }
}
