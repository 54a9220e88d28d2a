/* SPDX-License-Identifier: Apache-2.0 */
/* Building operations: TF_NewOperation, inputs, attrs, TF_FinishOperation.
 *
 * A description is our own node_desc; it collects the first error of its setters and
 * TF_FinishOperation reports it. NULL descriptions pass through, so that one check at the end is
 * enough. */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

static struct node_desc *desc_of(TF_OperationDescription *d)
{
    return (struct node_desc *)d;
}

TF_OperationDescription *TF_NewOperation(TF_Graph *graph, const char *op_type,
                                         const char *oper_name)
{
    if (!graph || !op_type || !oper_name)
        return NULL;
    return (TF_OperationDescription *)node_desc_new(api_graph(graph), op_type, oper_name);
}

void TF_SetDevice(TF_OperationDescription *desc, const char *device)
{
    if (!desc)
        return;
    mem_free(desc_of(desc)->device);
    desc_of(desc)->device = mem_strdup(device ? device : "");
}

void TF_AddInput(TF_OperationDescription *desc, TF_Output input)
{
    if (desc)
        node_desc_input(desc_of(desc), api_output(input));
}

void TF_AddInputList(TF_OperationDescription *desc, const TF_Output *inputs, int num_inputs)
{
    if (!desc)
        return;
    if (num_inputs < 0 || (num_inputs > 0 && !inputs))
        status_invalid(&desc_of(desc)->first_error, "TF_AddInputList: a list of %d inputs",
                       num_inputs);
    else
        node_desc_input_list(desc_of(desc), api_outputs(inputs), num_inputs);
}

void TF_AddControlInput(TF_OperationDescription *desc, TF_Operation *input)
{
    if (desc && input)
        node_desc_control(desc_of(desc), api_node(input));
    else if (desc)
        status_invalid(&desc_of(desc)->first_error, "TF_AddControlInput: no operation");
}

void TF_ColocateWith(TF_OperationDescription *desc, TF_Operation *op)
{
    if (desc && op)
        node_desc_colocate(desc_of(desc), api_node(op));
    else if (desc)
        status_invalid(&desc_of(desc)->first_error, "TF_ColocateWith: no operation");
}

TF_Operation *TF_FinishOperation(TF_OperationDescription *desc, TF_Status *status)
{
    struct status st = {0};
    struct node *n = NULL;
    if (desc)
        n = node_finish(desc_of(desc), &st);
    else
        status_invalid(&st,
                       "TF_FinishOperation: no description (TF_NewOperation was given a NULL)");
    api_return(status, &st);
    return api_oper(n);
}

/* --- attrs --- */

static void set_attr(TF_OperationDescription *desc, const char *name, struct attr_value v)
{
    if (desc && name) {
        node_desc_attr(desc_of(desc), name, v);
        return;
    }
    attr_value_clear(&v);
    if (desc)
        status_invalid(&desc_of(desc)->first_error, "an attr without a name");
}

/* A list of n items at p: checked. */
static bool list_ok(TF_OperationDescription *desc, const char *name, const void *p, int n)
{
    if (!desc)
        return false;
    if (n >= 0 && (n == 0 || p))
        return true;
    status_invalid(&desc_of(desc)->first_error, "attr '%s': a list of %d values", name ? name : "",
                   n);
    return false;
}

static bool bytes_ok(TF_OperationDescription *desc, const char *name, const void *p, size_t n)
{
    if (p || n == 0)
        return true;
    if (desc)
        status_invalid(&desc_of(desc)->first_error, "attr '%s': %zu bytes at NULL",
                       name ? name : "", n);
    return false;
}

void TF_SetAttrString(TF_OperationDescription *desc, const char *attr_name, const void *value,
                      size_t length)
{
    if (bytes_ok(desc, attr_name, value, length))
        set_attr(desc, attr_name, attr_string(str_make(value, length)));
}

void TF_SetAttrStringList(TF_OperationDescription *desc, const char *attr_name,
                          const void *const *values, const size_t *lengths, int num_values)
{
    if (!list_ok(desc, attr_name, values, num_values) ||
        !list_ok(desc, attr_name, lengths, num_values))
        return;
    struct str *s = mem_new_array(struct str, num_values + 1);
    bool ok = true;
    for (int i = 0; i < num_values && ok; i++) {
        ok = bytes_ok(desc, attr_name, values[i], lengths[i]);
        s[i] = str_make(values[i], ok ? lengths[i] : 0);
    }
    if (ok)
        set_attr(desc, attr_name, attr_list(ATTR_STRING, s, num_values));
    mem_free(s);
}

void TF_SetAttrInt(TF_OperationDescription *desc, const char *attr_name, int64_t value)
{
    set_attr(desc, attr_name, attr_int(value));
}

void TF_SetAttrIntList(TF_OperationDescription *desc, const char *attr_name, const int64_t *values,
                       int num_values)
{
    if (list_ok(desc, attr_name, values, num_values))
        set_attr(desc, attr_name, attr_list(ATTR_INT, values, num_values));
}

void TF_SetAttrFloat(TF_OperationDescription *desc, const char *attr_name, float value)
{
    set_attr(desc, attr_name, attr_float(value));
}

void TF_SetAttrFloatList(TF_OperationDescription *desc, const char *attr_name, const float *values,
                         int num_values)
{
    if (list_ok(desc, attr_name, values, num_values))
        set_attr(desc, attr_name, attr_list(ATTR_FLOAT, values, num_values));
}

void TF_SetAttrBool(TF_OperationDescription *desc, const char *attr_name, unsigned char value)
{
    set_attr(desc, attr_name, attr_bool(value != 0));
}

void TF_SetAttrBoolList(TF_OperationDescription *desc, const char *attr_name,
                        const unsigned char *values, int num_values)
{
    if (!list_ok(desc, attr_name, values, num_values))
        return;
    bool *b = mem_new_array(bool, num_values + 1);
    for (int i = 0; i < num_values; i++)
        b[i] = values[i] != 0;
    set_attr(desc, attr_name, attr_list(ATTR_BOOL, b, num_values));
    mem_free(b);
}

void TF_SetAttrType(TF_OperationDescription *desc, const char *attr_name, TF_DataType value)
{
    set_attr(desc, attr_name, attr_type((int)value));
}

void TF_SetAttrTypeList(TF_OperationDescription *desc, const char *attr_name,
                        const TF_DataType *values, int num_values)
{
    if (!list_ok(desc, attr_name, values, num_values))
        return;
    int *t = mem_new_array(int, num_values + 1);
    for (int i = 0; i < num_values; i++)
        t[i] = (int)values[i];
    set_attr(desc, attr_name, attr_list(ATTR_TYPE, t, num_values));
    mem_free(t);
}

void TF_SetAttrPlaceholder(TF_OperationDescription *desc, const char *attr_name,
                           const char *placeholder)
{
    struct attr_value v = attr_string(str_of(placeholder ? placeholder : ""));
    v.kind = ATTR_PLACEHOLDER;
    set_attr(desc, attr_name, v);
}

void TF_SetAttrFuncName(TF_OperationDescription *desc, const char *attr_name, const char *value,
                        size_t length)
{
    char *name = mem_strndup(value ? value : "", value ? length : 0);
    set_attr(desc, attr_name, attr_func(name, NULL));
    mem_free(name);
}

static bool rank_ok(TF_OperationDescription *desc, const char *name, const int64_t *dims,
                    int num_dims)
{
    if (num_dims <= SHAPE_MAX_RANK && (num_dims <= 0 || dims))
        return true;
    status_invalid(&desc_of(desc)->first_error, "attr '%s': a shape of %d dims (at most %d)",
                   name ? name : "", num_dims, SHAPE_MAX_RANK);
    return false;
}

void TF_SetAttrShape(TF_OperationDescription *desc, const char *attr_name, const int64_t *dims,
                     int num_dims)
{
    if (!desc || !rank_ok(desc, attr_name, dims, num_dims))
        return;
    struct shape s = num_dims < 0 ? shape_unknown() : shape_make(dims, num_dims);
    set_attr(desc, attr_name, attr_shape(&s));
    shape_clear(&s);
}

void TF_SetAttrShapeList(TF_OperationDescription *desc, const char *attr_name,
                         const int64_t *const *dims, const int *num_dims, int num_shapes)
{
    if (!list_ok(desc, attr_name, dims, num_shapes) ||
        !list_ok(desc, attr_name, num_dims, num_shapes))
        return;
    struct shape *s = mem_new_array(struct shape, num_shapes + 1);
    bool ok = true;
    for (int i = 0; ok && i < num_shapes; i++) {
        ok = rank_ok(desc, attr_name, dims[i], num_dims[i]);
        if (ok)
            s[i] = num_dims[i] < 0 ? shape_unknown() : shape_make(dims[i], num_dims[i]);
    }
    if (ok)
        set_attr(desc, attr_name, attr_list(ATTR_SHAPE, s, num_shapes));
    for (int i = 0; i < num_shapes; i++)
        shape_clear(&s[i]);
    mem_free(s);
}

static bool parse_shape(const void *proto, size_t n, struct shape *out, struct status *st)
{
    struct arena a = {0};
    struct pb_tensor_shape_proto *p = NULL;
    if (!proto && n > 0)
        return status_invalid(st, "%zu bytes at NULL", n);
    bool ok = pb_tensor_shape_proto_decode(&a, proto, n, PB_BORROW, &p, st) &&
              shape_from_proto(p, out, st);
    arena_release(&a);
    return ok;
}

void TF_SetAttrTensorShapeProto(TF_OperationDescription *desc, const char *attr_name,
                                const void *proto, size_t proto_len, TF_Status *status)
{
    struct status st = {0};
    struct shape s = {0};
    if (parse_shape(proto, proto_len, &s, &st)) {
        set_attr(desc, attr_name, attr_shape(&s));
        shape_clear(&s);
    } else {
        status_prepend(&st, "Unparseable TensorShapeProto: ");
    }
    api_return(status, &st);
}

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription *desc, const char *attr_name,
                                    const void *const *protos, const size_t *proto_lens,
                                    int num_shapes, TF_Status *status)
{
    struct status st = {0};
    int done = 0;
    if (!list_ok(desc, attr_name, protos, num_shapes) ||
        !list_ok(desc, attr_name, proto_lens, num_shapes)) {
        status_invalid(&st, "attr '%s': a list of %d shapes", attr_name ? attr_name : "",
                       num_shapes);
        api_return(status, &st);
        return;
    }
    struct shape *s = mem_new_array(struct shape, num_shapes + 1);
    while (done < num_shapes && parse_shape(protos[done], proto_lens[done], &s[done], &st))
        done++;
    if (done == num_shapes)
        set_attr(desc, attr_name, attr_list(ATTR_SHAPE, s, num_shapes));
    for (int i = 0; i < done; i++)
        shape_clear(&s[i]);
    mem_free(s);
    api_return(status, &st);
}

void TF_SetAttrTensor(TF_OperationDescription *desc, const char *attr_name, TF_Tensor *value,
                      TF_Status *status)
{
    struct status st = {0};
    struct tensor borrowed = {0}, own = {0};
    /* a copy: the client may change its tensor later */
    if (api_tensor_to_internal(value, &borrowed, &st) && tensor_dup(&borrowed, &own, &st))
        set_attr(desc, attr_name, attr_tensor(&own));
    tensor_clear(&borrowed);
    tensor_clear(&own);
    api_return(status, &st);
}

void TF_SetAttrTensorList(TF_OperationDescription *desc, const char *attr_name,
                          TF_Tensor *const *values, int num_values, TF_Status *status)
{
    struct status st = {0};
    if (!list_ok(desc, attr_name, values, num_values)) {
        status_invalid(&st, "attr '%s': a list of %d tensors", attr_name ? attr_name : "",
                       num_values);
        api_return(status, &st);
        return;
    }
    struct tensor *t = mem_new_array(struct tensor, num_values + 1);
    bool ok = true;
    for (int i = 0; ok && i < num_values; i++) {
        struct tensor borrowed = {0};
        ok = api_tensor_to_internal(values[i], &borrowed, &st) && tensor_dup(&borrowed, &t[i], &st);
        tensor_clear(&borrowed);
    }
    if (ok)
        set_attr(desc, attr_name, attr_list(ATTR_TENSOR, t, num_values));
    for (int i = 0; i < num_values; i++)
        tensor_clear(&t[i]);
    mem_free(t);
    api_return(status, &st);
}

void TF_SetAttrValueProto(TF_OperationDescription *desc, const char *attr_name, const void *proto,
                          size_t proto_len, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_attr_value *p = NULL;
    struct attr_value v = {0};
    if (!proto && proto_len > 0)
        status_invalid(&st, "Unparseable AttrValue proto: %zu bytes at NULL", proto_len);
    else if (!pb_attr_value_decode(&a, proto, proto_len, PB_BORROW, &p, &st))
        status_prepend(&st, "Unparseable AttrValue proto: ");
    else if (attr_from_proto(p, &v, &st))
        set_attr(desc, attr_name, v);
    arena_release(&a);
    api_return(status, &st);
}
