/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing tensors; see compare.h. Inexact values are compared as complex doubles. */
#include "common/compare.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "common/values.h"

typedef double complex cdouble;

static bool is_inexact(TF_DataType dtype)
{
    return dtype == TF_FLOAT || dtype == TF_DOUBLE || dtype == TF_HALF || dtype == TF_BFLOAT16 ||
           dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128;
}

static cdouble complex_of(double re, double im)
{
    double parts[2] = {re, im}; /* re + im * I would turn an infinite im into a NaN re */
    cdouble z;
    memcpy(&z, parts, sizeof(z));
    return z;
}

static cdouble element(const void *data, TF_DataType dtype, int64_t i)
{
    float f[2];
    double d[2];
    uint16_t h;
    const char *p = data;
    switch (dtype) {
    case TF_FLOAT:
        memcpy(f, p + i * 4, 4);
        return complex_of((double)f[0], 0);
    case TF_DOUBLE:
        memcpy(d, p + i * 8, 8);
        return complex_of(d[0], 0);
    case TF_COMPLEX64:
        memcpy(f, p + i * 8, 8);
        return complex_of((double)f[0], (double)f[1]);
    case TF_COMPLEX128:
        memcpy(d, p + i * 16, 16);
        return complex_of(d[0], d[1]);
    default:
        memcpy(&h, p + i * 2, 2);
        return complex_of((double)(dtype == TF_HALF ? half_to_float(h) : bfloat16_to_float(h)), 0);
    }
}

static bool finite_element(cdouble z)
{
    return isfinite(creal(z)) && isfinite(cimag(z));
}

static bool same_special(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static bool element_agrees(cdouble got, cdouble want, struct tolerance t, double top)
{
    if (!finite_element(got) || !finite_element(want)) {
        /* the parts that are finite still have to be near each other */
        double parts[2][2] = {{creal(got), creal(want)}, {cimag(got), cimag(want)}};
        for (int i = 0; i < 2; i++) {
            double a = parts[i][0], b = parts[i][1];
            if (!same_special(a, b) && !(fabs(a - b) <= t.rel * fabs(b) + t.top * top + t.abs))
                return false;
        }
        return true;
    }
    return cabs(got - want) <= t.rel * cabs(want) + t.top * top + t.abs;
}

bool tensors_alike(const TF_Tensor *got, const TF_Tensor *want, struct text *why)
{
    if (TF_TensorType(got) != TF_TensorType(want)) {
        text_printf(why, "type %s", dtype_name((int)TF_TensorType(got)));
        text_printf(why, ", recorded %s", dtype_name((int)TF_TensorType(want)));
        return false;
    }
    bool same = TF_NumDims(got) == TF_NumDims(want);
    for (int i = 0; same && i < TF_NumDims(got); i++)
        same = TF_Dim(got, i) == TF_Dim(want, i);
    if (!same) {
        text_puts(why, "shape ");
        tensor_print_shape(why, got);
        text_puts(why, ", recorded ");
        tensor_print_shape(why, want);
    }
    return same;
}

static void print_text(struct text *why, struct bytes s)
{
    text_puts(why, "\"");
    for (size_t i = 0; i < s.n && i < 60; i++)
        if (s.p[i] >= 32 && s.p[i] < 127)
            text_printf(why, "%c", s.p[i]);
        else
            text_printf(why, "\\x%02x", s.p[i]);
    text_puts(why, s.n > 60 ? "\"..." : "\"");
}

static bool strings_agree(const TF_Tensor *got, const TF_Tensor *want, struct text *why)
{
    int64_t num = TF_TensorElementCount(want);
    for (int64_t i = 0; i < num; i++) {
        struct bytes a, b;
        if (!tensor_string(want, i, &b) || !tensor_string(got, i, &a)) {
            text_printf(why, "string %lld is malformed", (long long)i);
            return false;
        }
        if (!bytes_eq(a, b)) {
            text_printf(why, "[%lld] ", (long long)i);
            print_text(why, a);
            text_puts(why, ", recorded ");
            print_text(why, b);
            return false;
        }
    }
    return true;
}

static void print_exact(struct text *why, const uint8_t *p, TF_DataType dtype)
{
    uint64_t bits = 0;
    size_t size = dtype_bytes((int)dtype);
    memcpy(&bits, p, size < 8 ? size : 8);
    bool is_signed = dtype == TF_INT8 || dtype == TF_INT16 || dtype == TF_INT32 ||
                     dtype == TF_INT64 || dtype == TF_QINT8 || dtype == TF_QINT16 ||
                     dtype == TF_QINT32;
    int shift = 64 - 8 * (int)size;
    if (is_signed)
        text_printf(why, "%lld", (long long)((int64_t)(bits << shift) >> shift));
    else
        text_printf(why, "%llu", (unsigned long long)bits);
}

static bool exact_agree(const TF_Tensor *got, const TF_Tensor *want, struct text *why)
{
    TF_DataType dtype = TF_TensorType(want);
    size_t size = dtype_bytes((int)dtype);
    int64_t num = TF_TensorElementCount(want);
    const uint8_t *a = TF_TensorData(got), *b = TF_TensorData(want);
    for (int64_t i = 0; i < num; i++)
        if (memcmp(a + (size_t)i * size, b + (size_t)i * size, size) != 0) {
            text_printf(why, "[%lld] ", (long long)i);
            print_exact(why, a + (size_t)i * size, dtype);
            text_puts(why, ", recorded ");
            print_exact(why, b + (size_t)i * size, dtype);
            return false;
        }
    return true;
}

/* ---- inexact values ---- */

static cdouble *elements(const TF_Tensor *t)
{
    int64_t num = TF_TensorElementCount(t);
    cdouble *z = test_alloc((size_t)num, sizeof(*z));
    for (int64_t i = 0; i < num; i++)
        z[i] = element(TF_TensorData(t), TF_TensorType(t), i);
    return z;
}

/* Turns the vector got[0], got[step], ... by the factor of modulus 1 that brings it nearest to
 * want's. */
static void align_vector(cdouble *got, const cdouble *want, int64_t num, int64_t step)
{
    cdouble dot = 0;
    for (int64_t i = 0; i < num; i++)
        dot += conj(got[i * step]) * want[i * step];
    if (!finite_element(dot) || cabs(dot) == 0)
        return;
    cdouble factor = dot / cabs(dot);
    for (int64_t i = 0; i < num; i++)
        got[i * step] *= factor;
}

static void align_phases(cdouble *got, const cdouble *want, const TF_Tensor *t, enum phase phase)
{
    int rank = TF_NumDims(t);
    int64_t total = TF_TensorElementCount(t);
    if (phase == PHASE_NONE || rank < 2 || total == 0)
        return;
    int64_t rows = TF_Dim(t, rank - 2), columns = TF_Dim(t, rank - 1);
    int64_t skip = phase == PHASE_COLUMNS_BELOW_ROW ? 1 : 0;
    for (int64_t at = 0; at < total; at += rows * columns) {
        if (phase == PHASE_ROWS)
            for (int64_t i = 0; i < rows; i++)
                align_vector(got + at + i * columns, want + at + i * columns, columns, 1);
        else
            for (int64_t j = 0; j < columns; j++)
                align_vector(got + at + skip * columns + j, want + at + skip * columns + j,
                             rows - skip, columns);
    }
}

static void print_number(struct text *why, cdouble z, TF_DataType dtype)
{
    text_printf(why, "%.9g", creal(z));
    if (dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128)
        text_printf(why, "%+.9gi", cimag(z));
}

static bool inexact_agree(const cdouble *got, const cdouble *want, const TF_Tensor *like,
                          struct tolerance tolerance, struct text *why)
{
    int64_t num = TF_TensorElementCount(like), num_off = 0, first = 0;
    double top = 0;
    for (int64_t i = 0; i < num; i++)
        if (finite_element(want[i]) && cabs(want[i]) > top)
            top = cabs(want[i]);
    for (int64_t i = 0; i < num; i++)
        if (!element_agrees(got[i], want[i], tolerance, top) && num_off++ == 0)
            first = i;
    if (num_off == 0)
        return true;
    text_printf(why, "[%lld] ", (long long)first);
    print_number(why, got[first], TF_TensorType(like));
    text_puts(why, ", recorded ");
    print_number(why, want[first], TF_TensorType(like));
    text_printf(why, " (%lld of %lld off, largest %.3g)", (long long)num_off, (long long)num, top);
    return false;
}

bool tensors_agree(const TF_Tensor *got, const TF_Tensor *want, struct tolerance tolerance,
                   enum phase phase, struct text *why)
{
    if (!tensors_alike(got, want, why))
        return false;
    TF_DataType dtype = TF_TensorType(want);
    if (dtype == TF_STRING)
        return strings_agree(got, want, why);
    if (!is_inexact(dtype))
        return exact_agree(got, want, why);
    cdouble *a = elements(got), *b = elements(want);
    align_phases(a, b, want, phase);
    bool ok = inexact_agree(a, b, want, tolerance, why);
    free(a);
    free(b);
    return ok;
}
