/* SPDX-License-Identifier: Apache-2.0 */
/* Reading attrs of an operation. Arrays are the caller's; what fits is filled in. */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

static const struct attr_value *find(TF_Operation *oper, const char *name, struct status *st)
{
    struct node *n = api_node(oper);
    const struct attr_value *v = n && name ? attrs_find(&n->attrs, name) : NULL;
    if (!n || !name)
        status_invalid(st, "no operation or no attr name");
    else if (!v)
        status_invalid(st, "Operation '%s' has no attr named '%s'.", n->name, name);
    return v;
}

/* TensorFlow says NOT_FOUND where it reads the value straight into the caller's type. */
static bool absent(TF_Operation *oper, const char *name, int kind, bool is_list, struct status *st)
{
    struct node *n = api_node(oper);
    bool direct = kind == ATTR_SHAPE || kind == ATTR_TENSOR || (kind != ATTR_STRING && !is_list);
    if (!n || !name || !direct || attrs_find(&n->attrs, name))
        return false;
    return !status_fail(st, STATUS_NOT_FOUND, "No attr named '%s' in NodeDef:\n\t [[{{node %s}}]]",
                        name, n->name);
}

static const char *kind_name(int kind)
{
    static const char *const names[] = {"string", "int",    "float",       "bool", "type",
                                        "shape",  "tensor", "placeholder", "func"};
    return kind >= 0 && kind < (int)ARRAY_LEN(names) ? names[kind] : "nothing";
}

/* The attr, of that kind. */
static const struct attr_value *get(TF_Operation *oper, const char *name, int kind, bool is_list,
                                    struct status *st)
{
    const struct attr_value *v =
        absent(oper, name, kind, is_list, st) ? NULL : find(oper, name, st);
    if (v && (v->is_list != is_list || (v->kind != kind && !(is_list && v->n == 0)))) {
        status_invalid(st, "Value for '%s' is not %s%s%s: it is %s%s", name,
                       is_list ? "a list of " : "a ", kind_name(kind), is_list ? "s" : "",
                       v->is_list ? "a list of " : "a ", kind_name(v->kind));
        return NULL;
    }
    return v;
}

static int64_t total_size(const struct attr_value *v)
{
    int64_t sum = 0;
    if (!v->is_list) {
        if (v->kind == ATTR_STRING || v->kind == ATTR_PLACEHOLDER)
            return (int64_t)v->s.n;
        return v->kind == ATTR_SHAPE ? v->shape.rank : -1;
    }
    if (v->kind != ATTR_STRING && v->kind != ATTR_SHAPE)
        return -1;
    for (int64_t i = 0; i < v->n; i++)
        sum += v->kind == ATTR_STRING ? (int64_t)v->ss[i].n : max_i64(v->shapes[i].rank, 0);
    return sum;
}

/* An empty list says nothing of its kind: the op's definition does. */
static int declared_kind(TF_Operation *oper, const char *name, const struct attr_value *v)
{
    const struct op_attr *a = op_attr_find(api_node(oper)->op, name);
    return v->is_list && v->n == 0 && a ? a->kind : v->kind;
}

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation *oper, const char *attr_name,
                                            TF_Status *status)
{
    struct status st = {0};
    TF_AttrMetadata m = {0};
    const struct attr_value *v = find(oper, attr_name, &st);
    if (v) {
        m.is_list = v->is_list;
        m.list_size = v->is_list ? v->n : -1;
        m.type = (TF_AttrType)declared_kind(oper, attr_name, v);
        m.total_size = v->is_list && v->n == 0 ? 0 : total_size(v);
    }
    api_return(status, &st);
    return m;
}

void TF_OperationGetAttrString(TF_Operation *oper, const char *attr_name, void *value,
                               size_t max_length, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = get(oper, attr_name, ATTR_STRING, false, &st);
    if (v && value && max_length > 0)
        memcpy(value, v->s.p, v->s.n < max_length ? v->s.n : max_length);
    api_return(status, &st);
}

void TF_OperationGetAttrStringList(TF_Operation *oper, const char *attr_name, void **values,
                                   size_t *lengths, int max_values, void *storage,
                                   size_t storage_size, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = get(oper, attr_name, ATTR_STRING, true, &st);
    char *at = storage;
    size_t left = storage ? storage_size : 0;
    for (int64_t i = 0; v && values && lengths && i < v->n && i < max_values; i++) {
        size_t n = v->ss[i].n;
        if (n > left) {
            status_invalid(&st, "Not enough storage to hold the requested list of strings");
            break;
        }
        values[i] = at;
        lengths[i] = n;
        if (n)
            memcpy(at, v->ss[i].p, n);
        at += n;
        left -= n;
    }
    api_return(status, &st);
}

/* clang-format off */
/* X(name of the C function, C type, kind, union member, list member) */
#define SCALAR_TABLE(X) \
    X(Int, int64_t, ATTR_INT, i, is) \
    X(Float, float, ATTR_FLOAT, f, fs) \
    X(Bool, unsigned char, ATTR_BOOL, b, bs) \
    X(Type, TF_DataType, ATTR_TYPE, type, types)
/* clang-format on */

#define X(name, ctype, kind_id, one, list)                                                         \
    void TF_OperationGetAttr##name(TF_Operation *oper, const char *attr_name, ctype *value,        \
                                   TF_Status *status)                                              \
    {                                                                                              \
        struct status st = {0};                                                                    \
        const struct attr_value *v = get(oper, attr_name, kind_id, false, &st);                    \
        if (v && value)                                                                            \
            *value = (ctype)v->one;                                                                \
        api_return(status, &st);                                                                   \
    }                                                                                              \
    void TF_OperationGetAttr##name##List(TF_Operation *oper, const char *attr_name, ctype *values, \
                                         int max_values, TF_Status *status)                        \
    {                                                                                              \
        struct status st = {0};                                                                    \
        const struct attr_value *v = get(oper, attr_name, kind_id, true, &st);                     \
        for (int64_t i = 0; v && values && i < v->n && i < max_values; i++)                        \
            values[i] = (ctype)v->list[i];                                                         \
        api_return(status, &st);                                                                   \
    }
SCALAR_TABLE(X)
#undef X

static void copy_dims(const struct shape *s, int64_t *out, int max)
{
    for (int i = 0; out && i < s->rank && i < max; i++)
        out[i] = shape_dim(s, i);
}

void TF_OperationGetAttrShape(TF_Operation *oper, const char *attr_name, int64_t *value,
                              int num_dims, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = get(oper, attr_name, ATTR_SHAPE, false, &st);
    if (v)
        copy_dims(&v->shape, value, num_dims);
    api_return(status, &st);
}

void TF_OperationGetAttrShapeList(TF_Operation *oper, const char *attr_name, int64_t **dims,
                                  int *num_dims, int num_shapes, int64_t *storage, int storage_size,
                                  TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = get(oper, attr_name, ATTR_SHAPE, true, &st);
    int64_t left = storage ? storage_size : 0;
    for (int64_t i = 0; v && dims && num_dims && i < v->n && i < num_shapes; i++) {
        const struct shape *s = &v->shapes[i];
        num_dims[i] = s->rank;
        dims[i] = storage;
        if (s->rank <= 0)
            continue;
        if (s->rank > left) {
            status_invalid(&st, "Not enough storage to hold the requested list of shapes");
            break;
        }
        copy_dims(s, storage, s->rank);
        storage += s->rank;
        left -= s->rank;
    }
    api_return(status, &st);
}

/* A message into a buffer. */
static void put(const void *msg, TF_Buffer *out, struct status *st)
{
    struct strbuf b = {0};
    if (!pb_encode(msg, &b, st) || !api_fill_buffer(out, &b, st))
        strbuf_release(&b);
}

void TF_OperationGetAttrTensorShapeProto(TF_Operation *oper, const char *attr_name,
                                         TF_Buffer *value, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    const struct attr_value *v =
        find(oper, attr_name, &st) ? get(oper, attr_name, ATTR_SHAPE, false, &st) : NULL;
    if (v)
        put(shape_to_proto(&a, &v->shape), value, &st);
    arena_release(&a);
    api_return(status, &st);
}

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation *oper, const char *attr_name,
                                             TF_Buffer **values, int max_values, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    const struct attr_value *v =
        find(oper, attr_name, &st) ? get(oper, attr_name, ATTR_SHAPE, true, &st) : NULL;
    int64_t n = v && values ? min_i64(v->n, max_values) : 0, done = 0;
    for (; done < n && status_ok(&st); done++) {
        values[done] = TF_NewBuffer();
        put(shape_to_proto(&a, &v->shapes[done]), values[done], &st);
    }
    for (int64_t i = 0; i < done && !status_ok(&st); i++) {
        TF_DeleteBuffer(values[i]);
        values[i] = NULL;
    }
    arena_release(&a);
    api_return(status, &st);
}

void TF_OperationGetAttrTensor(TF_Operation *oper, const char *attr_name, TF_Tensor **value,
                               TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = get(oper, attr_name, ATTR_TENSOR, false, &st);
    if (value)
        *value = v ? api_tensor_from_internal(&v->tensor, &st) : NULL;
    api_return(status, &st);
}

void TF_OperationGetAttrTensorList(TF_Operation *oper, const char *attr_name, TF_Tensor **values,
                                   int max_values, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = get(oper, attr_name, ATTR_TENSOR, true, &st);
    int64_t n = v && values ? min_i64(v->n, max_values) : 0;
    for (int64_t i = 0; i < n; i++)
        values[i] = status_ok(&st) ? api_tensor_from_internal(&v->tensors[i], &st) : NULL;
    for (int64_t i = 0; i < n && !status_ok(&st); i++) {
        TF_DeleteTensor(values[i]);
        values[i] = NULL;
    }
    api_return(status, &st);
}

void TF_OperationGetAttrValueProto(TF_Operation *oper, const char *attr_name,
                                   TF_Buffer *output_attr_value, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    const struct attr_value *v = find(oper, attr_name, &st);
    if (v)
        put(attr_to_proto(&a, v), output_attr_value, &st);
    arena_release(&a);
    api_return(status, &st);
}
