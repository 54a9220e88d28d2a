/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of case tables, parsed. Tables are written by us: a malformed text ends the program. */
#include "op_text.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor.h"

void case_bad(const char *text, const char *why)
{
    printf("malformed case text: %s: %s\n", why, text);
    exit(2);
}

static const char *skip(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

const char *case_type_name(int dtype)
{
    return dtype_name(dtype);
}

static int parse_type(const char **p)
{
    const char *s = skip(*p), *e = s;
    int type;
    while (isalnum((unsigned char)*e) || *e == '_')
        e++;
    if (!dtype_from_name(str_make(s, (size_t)(e - s)), &type))
        return 0;
    *p = e;
    return type;
}

static int parse_dims(const char **p, int64_t *dims)
{
    const char *s = skip(*p);
    int n = 0;
    if (*s != '[')
        case_bad(*p, "a shape in brackets is missing");
    s = skip(s + 1);
    while (*s && *s != ']') {
        char *e;
        dims[n++] = strtoll(s, &e, 10);
        if (e == s || n >= 254)
            case_bad(*p, "not a dimension");
        s = skip(e);
        if (*s == ',')
            s = skip(s + 1);
    }
    *p = *s ? s + 1 : s;
    return n;
}

struct number {
    double re, im;
    int64_t i; /* the integer, exactly */
    uint64_t u;
};

static bool parse_number(const char **p, struct number *out)
{
    const char *s = skip(*p);
    char *e;
    if (strncmp(s, "true", 4) == 0 || strncmp(s, "false", 5) == 0) {
        *out = (struct number){.re = *s == 't', .i = *s == 't', .u = *s == 't'};
        *p = s + (*s == 't' ? 4 : 5);
        return true;
    }
    out->re = strtod(s, &e);
    if (e == s)
        return false;
    out->i = strtoll(s, NULL, 10);
    out->u = *s == '-' ? (uint64_t)out->i : strtoull(s, NULL, 10);
    out->im = 0;
    if (*e == 'i') {
        out->im = out->re;
        out->re = 0;
        e++;
    } else if (*e == '+' || *e == '-') {
        char *e2;
        out->im = strtod(e, &e2);
        if (*e2 != 'i')
            case_bad(s, "a complex number ends with i");
        e = e2 + 1;
    }
    *p = e;
    return true;
}

static void put_number(void *data, int dtype, int64_t i, const struct number *v)
{
    switch (dtype) {
    case DT_FLOAT:
        ((float *)data)[i] = (float)v->re;
        break;
    case DT_DOUBLE:
        ((double *)data)[i] = v->re;
        break;
    case DT_HALF:
        ((struct f16 *)data)[i] = f16_from_f32((float)v->re);
        break;
    case DT_BFLOAT16:
        ((struct bf16 *)data)[i] = bf16_from_f32((float)v->re);
        break;
    case DT_COMPLEX64:
        ((struct c64 *)data)[i] = (struct c64){(float)v->re, (float)v->im};
        break;
    case DT_COMPLEX128:
        ((struct c128 *)data)[i] = (struct c128){v->re, v->im};
        break;
    case DT_BOOL:
        ((bool *)data)[i] = v->re != 0;
        break;
    case DT_UINT64:
        ((uint64_t *)data)[i] = v->u;
        break;
    default:
        switch (dtype_size(dtype)) {
        case 1:
            ((int8_t *)data)[i] = (int8_t)v->i;
            break;
        case 2:
            ((int16_t *)data)[i] = (int16_t)v->i;
            break;
        case 4:
            ((int32_t *)data)[i] = (int32_t)v->i;
            break;
        default:
            ((int64_t *)data)[i] = v->i;
        }
    }
}

/* 'text' with \\, \' and \xHH; the bytes go to out. */
static bool parse_quoted(const char **p, struct strbuf *out)
{
    const char *s = skip(*p);
    if (*s != '\'')
        return false;
    for (s++; *s && *s != '\''; s++) {
        if (*s == '\\' && s[1] == 'x') {
            char hex[3] = {s[2], s[3], 0};
            strbuf_putc(out, (char)strtol(hex, NULL, 16));
            s += 3;
        } else {
            s += *s == '\\';
            strbuf_putc(out, *s);
        }
    }
    if (*s != '\'')
        case_bad(*p, "a quote is not closed");
    *p = s + 1;
    return true;
}

static TF_Tensor *parse_strings(const char *p, const int64_t *dims, int rank, int64_t n)
{
    struct strbuf *items = calloc((size_t)n + 1, sizeof *items);
    int64_t have = 0;
    size_t bytes = (size_t)n * 8;
    while (have < n && parse_quoted(&p, &items[have]))
        have++;
    for (int64_t i = have; i < n && have > 0; i++)
        strbuf_add(&items[i], items[have - 1].p, items[have - 1].n);
    for (int64_t i = 0; i < n; i++)
        bytes += TF_StringEncodedSize(items[i].n);
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims, rank, bytes);
    TF_Status *st = TF_NewStatus();
    char *base = (char *)TF_TensorData(t) + n * 8, *at = base;
    for (int64_t i = 0; i < n; i++) {
        ((uint64_t *)TF_TensorData(t))[i] = (uint64_t)(at - base);
        at += TF_StringEncode(items[i].n ? items[i].p : "", items[i].n, at,
                              TF_StringEncodedSize(items[i].n), st);
        strbuf_release(&items[i]);
    }
    TF_DeleteStatus(st);
    free(items);
    return t;
}

struct case_tensor case_tensor_parse(const char *text)
{
    struct case_tensor c = {0};
    const char *p = skip(text);
    int64_t dims[254], n = 1;
    if (*p == '*') {
        c.list = (int)strtol(p + 1, (char **)&p, 10);
        p = skip(p);
        if (c.list == 0) { /* an empty list: a placeholder that nothing uses stands for it */
            c.empty_list = true;
            p = "bool [] 0";
        }
    }
    if (strncmp(p, "const ", 6) == 0) {
        c.is_const = true;
        p = skip(p + 6);
    }
    if (strncmp(p, "var ", 4) == 0) {
        c.is_var = true;
        p = skip(p + 4);
    }
    if (strncmp(p, "res ", 4) == 0) {
        c.is_resource = true;
        p = skip(p + 4);
    }
    if (*p == '?') {
        c.unknown_shape = true;
        p++;
    }
    int type = parse_type(&p);
    if (!type)
        case_bad(text, "no type");
    int rank = parse_dims(&p, dims);
    for (int i = 0; i < rank; i++)
        n *= dims[i];
    p = skip(p);
    c.any_value = *p == '~';
    if (type == DT_STRING) {
        c.t = parse_strings(p, dims, rank, n);
        return c;
    }
    c.t = TF_AllocateTensor((TF_DataType)type, dims, rank, (size_t)n * dtype_size(type));
    struct number v = {0};
    for (int64_t i = 0; i < n; i++) {
        struct number next;
        if (!c.any_value && parse_number(&p, &next)) /* none left: the last repeats */
            v = next;
        put_number(TF_TensorData(c.t), type, i, &v);
    }
    p = skip(p);
    if (*p && !c.any_value)
        case_bad(text, "more values than the shape has");
    return c;
}

/* --- attrs --- */

static void set_one(TF_OperationDescription *d, const char *name, const char **p)
{
    const char *s = skip(*p);
    struct strbuf b = {0};
    struct number v;
    int type;
    if (*s == '\'' && parse_quoted(&s, &b)) {
        TF_SetAttrString(d, name, strbuf_text(&b), b.n);
        strbuf_release(&b);
    } else if (*s == '(') {
        const char *e = strchr(s, ')');
        char *text = strndup(s + 1, (size_t)(e - s - 1));
        struct case_tensor c = case_tensor_parse(text);
        TF_Status *st = TF_NewStatus();
        TF_SetAttrTensor(d, name, c.t, st);
        TF_DeleteStatus(st);
        TF_DeleteTensor(c.t);
        free(text);
        s = e + 1;
    } else if (strncmp(s, "true", 4) == 0 || strncmp(s, "false", 5) == 0) {
        TF_SetAttrBool(d, name, *s == 't');
        s += *s == 't' ? 4 : 5;
    } else if ((type = parse_type(&s)) != 0) {
        TF_SetAttrType(d, name, (TF_DataType)type);
    } else {
        const char *from = s;
        if (!parse_number(&s, &v))
            case_bad(from, "not an attr value");
        bool real = memchr(from, '.', (size_t)(s - from)) ||
                    memchr(from, 'e', (size_t)(s - from)) || memchr(from, 'n', (size_t)(s - from));
        if (real)
            TF_SetAttrFloat(d, name, (float)v.re);
        else
            TF_SetAttrInt(d, name, v.i);
    }
    *p = s;
}

/* [1,2] ints, [0.5] floats, ['a'] strings, [float] types, [[2],[]] shapes; `shape=[2]` is given as
 * shape:[2]. */
static void set_list(TF_OperationDescription *d, const char *name, const char **p)
{
    const char *s = skip(*p + 1);
    int64_t ints[64];
    float floats[64];
    TF_DataType types[64];
    struct strbuf strs[64] = {0};
    int64_t dims[64][8];
    const int64_t *shapes[64];
    int ranks[64];
    int n = 0, num_types = 0, num_strs = 0, num_shapes = 0;
    bool real = false;
    while (*s && *s != ']') {
        struct number v;
        int type = 0;
        if (*s == '[') {
            shapes[num_shapes] = dims[num_shapes];
            ranks[num_shapes] = parse_dims(&s, dims[num_shapes]);
            num_shapes++;
        } else if (*s == '\'' && parse_quoted(&s, &strs[num_strs])) {
            num_strs++;
        } else if (isalpha((unsigned char)*s) && strncmp(s, "nan", 3) && strncmp(s, "inf", 3) &&
                   (type = parse_type(&s))) {
            types[num_types++] = (TF_DataType)type;
        } else {
            const char *from = s;
            if (n == 64 || !parse_number(&s, &v))
                case_bad(from, "not a list item");
            real = real || memchr(from, '.', (size_t)(s - from));
            ints[n] = v.i;
            floats[n++] = (float)v.re;
        }
        s = skip(s);
        if (*s == ',')
            s = skip(s + 1);
    }
    if (num_shapes) {
        TF_SetAttrShapeList(d, name, shapes, ranks, num_shapes);
    } else if (num_types) {
        TF_SetAttrTypeList(d, name, types, num_types);
    } else if (num_strs) {
        const void *values[64];
        size_t lengths[64];
        for (int i = 0; i < num_strs; i++) {
            values[i] = strbuf_text(&strs[i]);
            lengths[i] = strs[i].n;
        }
        TF_SetAttrStringList(d, name, values, lengths, num_strs);
    } else if (real) {
        TF_SetAttrFloatList(d, name, floats, n);
    } else {
        TF_SetAttrIntList(d, name, ints, n);
    }
    for (int i = 0; i < num_strs; i++)
        strbuf_release(&strs[i]);
    *p = *s ? s + 1 : s;
}

void case_attrs_set(TF_OperationDescription *d, const char *text)
{
    const char *p = text ? skip(text) : "";
    while (*p) {
        char name[64];
        int n = 0;
        while ((isalnum((unsigned char)*p) || *p == '_') && n < 63)
            name[n++] = *p++;
        name[n] = 0;
        if (*p == ':') { /* a shape, or unknown rank */
            p = skip(p + 1);
            int64_t dims[254];
            if (*p == '?') {
                TF_SetAttrShape(d, name, NULL, -1);
                p++;
            } else {
                int rank = parse_dims(&p, dims);
                TF_SetAttrShape(d, name, dims, rank);
            }
        } else if (*p == '=') {
            p = skip(p + 1);
            if (*p == '[')
                set_list(d, name, &p);
            else
                set_one(d, name, &p);
        } else {
            case_bad(text, "attrs are name=value or name:[shape]");
        }
        p = skip(p);
    }
}

/* --- elements --- */

double case_elem(const TF_Tensor *t, long i, int part)
{
    const void *d = TF_TensorData(t);
    switch ((int)TF_TensorType(t)) {
    case DT_FLOAT:
        return ((const float *)d)[i];
    case DT_DOUBLE:
        return ((const double *)d)[i];
    case DT_HALF:
        return f16_to_f32(((const struct f16 *)d)[i]);
    case DT_BFLOAT16:
        return bf16_to_f32(((const struct bf16 *)d)[i]);
    case DT_COMPLEX64:
        return part ? ((const struct c64 *)d)[i].im : ((const struct c64 *)d)[i].re;
    case DT_COMPLEX128:
        return part ? ((const struct c128 *)d)[i].im : ((const struct c128 *)d)[i].re;
    case DT_BOOL:
    case DT_UINT8:
    case DT_QUINT8:
        return ((const uint8_t *)d)[i];
    case DT_INT8:
    case DT_QINT8:
        return ((const int8_t *)d)[i];
    case DT_INT16:
    case DT_QINT16:
        return ((const int16_t *)d)[i];
    case DT_UINT16:
    case DT_QUINT16:
        return ((const uint16_t *)d)[i];
    case DT_INT32:
    case DT_QINT32:
        return ((const int32_t *)d)[i];
    case DT_UINT32:
        return ((const uint32_t *)d)[i];
    case DT_UINT64:
        return (double)((const uint64_t *)d)[i];
    default:
        return (double)((const int64_t *)d)[i];
    }
}

void case_elem_set(TF_Tensor *t, long i, double v)
{
    struct number n = {.re = v, .i = (int64_t)v, .u = (uint64_t)(int64_t)v};
    put_number(TF_TensorData(t), (int)TF_TensorType(t), i, &n);
}

const char *case_string(const TF_Tensor *t, long i, size_t *n)
{
    int64_t count = TF_TensorElementCount(t);
    const char *base = (const char *)TF_TensorData(t) + count * 8, *out = "";
    uint64_t offset = ((const uint64_t *)TF_TensorData(t))[i];
    TF_Status *st = TF_NewStatus();
    *n = 0;
    TF_StringDecode(base + offset, TF_TensorByteSize(t) - (size_t)count * 8 - offset, &out, n, st);
    TF_DeleteStatus(st);
    return out;
}

void case_print(const TF_Tensor *t)
{
    printf("%s [", dtype_name((int)TF_TensorType(t)));
    for (int i = 0; i < TF_NumDims(t); i++)
        printf("%s%lld", i ? "," : "", (long long)TF_Dim(t, i));
    printf("]");
    for (long i = 0; i < TF_TensorElementCount(t) && i < 32; i++) {
        size_t n;
        if (TF_TensorType(t) == TF_STRING) {
            const char *s = case_string(t, i, &n);
            printf(" '%.*s'", (int)n, s);
        } else if (dtype_is_complex((int)TF_TensorType(t))) {
            printf(" %.9g%+.9gi", case_elem(t, i, 0), case_elem(t, i, 1));
        } else {
            printf(" %.17g", case_elem(t, i, 0));
        }
    }
    printf("\n");
}
