/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, in the words of TensorFlow's SummarizeValue, which Print and Assert show and
 * clients match on: %g with as many digits as read back to the same value, bools as 0 and 1,
 * strings with C escapes, and a "?" for each element of types it does not print. */
#include "tensor/tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put_float(float f, struct strbuf *out)
{
    char text[32];
    snprintf(text, sizeof(text), "%.6g", (double)f);
    if (f == f && strtof(text, NULL) != f)
        snprintf(text, sizeof(text), "%.9g", (double)f);
    strbuf_puts(out, text);
}

static void put_double(double d, struct strbuf *out)
{
    char text[40];
    snprintf(text, sizeof(text), "%.15g", d);
    if (d == d && strtod(text, NULL) != d)
        snprintf(text, sizeof(text), "%.17g", d);
    strbuf_puts(out, text);
}

static void put_escaped(struct str s, struct strbuf *out)
{
    static const char special[] = "\n\r\t\"'\\", letter[] = "nrt\"'\\";
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *at = c ? strchr(special, c) : NULL;
        if (at) {
            strbuf_putc(out, '\\');
            strbuf_putc(out, letter[at - special]);
        } else if (c < 0x20 || c >= 0x7f) {
            strbuf_printf(out, "\\%03o", c);
        } else {
            strbuf_putc(out, (char)c);
        }
    }
}

static void put_variant(const struct variant *v, struct strbuf *out)
{
    if (!v) {
        strbuf_puts(out, "Variant<type:  value: [empty]>");
        return;
    }
    strbuf_printf(out, "Variant<type: %s value: ", v->type->name);
    if (v->type->print)
        v->type->print(v, out);
    else
        strbuf_putc(out, '?');
    strbuf_putc(out, '>');
}

static void put_elem(const struct tensor *t, int64_t i, struct strbuf *out)
{
    switch (t->dtype) {
#define CASE(id, type, ...)                                                                        \
    case DT_##id: {                                                                                \
        type x = ((type *)t->data)[i];                                                             \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
        CASE(FLOAT, float, put_float(x, out))
        CASE(DOUBLE, double, put_double(x, out))
        CASE(HALF, struct f16, put_float(f16_to_f32(x), out))
        CASE(INT8, int8_t, strbuf_printf(out, "%d", x))
        CASE(QINT8, int8_t, strbuf_printf(out, "%d", x))
        CASE(INT16, int16_t, strbuf_printf(out, "%d", x))
        CASE(QINT16, int16_t, strbuf_printf(out, "%d", x))
        CASE(INT32, int32_t, strbuf_printf(out, "%" PRId32, x))
        CASE(INT64, int64_t, strbuf_printf(out, "%" PRId64, x))
        CASE(UINT8, uint8_t, strbuf_printf(out, "%u", x))
        CASE(QUINT8, uint8_t, strbuf_printf(out, "%u", x))
        CASE(UINT16, uint16_t, strbuf_printf(out, "%u", x))
        CASE(QUINT16, uint16_t, strbuf_printf(out, "%u", x))
        CASE(UINT32, uint32_t, strbuf_printf(out, "%" PRIu32, x))
        CASE(UINT64, uint64_t, strbuf_printf(out, "%" PRIu64, x))
        CASE(BOOL, uint8_t, strbuf_putc(out, x ? '1' : '0'))
        CASE(STRING, struct tstr, put_escaped(tstr_view(&x), out))
        CASE(VARIANT, struct variant *, put_variant(x, out))
#undef CASE
    default:
        strbuf_putc(out, '?');
    }
}

/* Of these types the elements stand in one row, whatever the shape. */
static bool is_flat(int dtype)
{
    return dtype == DT_BFLOAT16 || dtype == DT_QINT32 || dtype_is_complex(dtype) ||
           dtype == DT_RESOURCE || dtype == DT_VARIANT;
}

struct walk {
    const struct tensor *t;
    const int64_t *dims;
    int rank;
    int64_t limit, next; /* elements to print; the next one */
    struct strbuf *out;
};

static void put_row(struct walk *w, int64_t n, bool with_dots)
{
    for (int64_t i = 0; i < n; i++) {
        if (w->next >= w->limit) {
            if (with_dots)
                strbuf_puts(w->out, "...");
            return;
        }
        if (i > 0)
            strbuf_putc(w->out, ' ');
        put_elem(w->t, w->next++, w->out);
    }
}

/* Depth is bounded by the rank, at most SHAPE_MAX_RANK. */
static void put_dim(struct walk *w, int dim)
{
    if (dim == w->rank - 1) {
        put_row(w, w->dims[dim], dim > 0);
        return;
    }
    for (int64_t i = 0; i < w->dims[dim] && w->next < w->limit; i++) {
        strbuf_putc(w->out, '[');
        put_dim(w, dim + 1);
        strbuf_putc(w->out, ']');
    }
}

void tensor_summarize(const struct tensor *t, int64_t max_elems, struct strbuf *out)
{
    int64_t limit = max_elems < 0 ? t->num_elems : min_i64(max_elems, t->num_elems);
    struct walk w = {
        .t = t, .dims = shape_dims(&t->shape), .rank = t->shape.rank, .limit = limit, .out = out};
    if (w.rank <= 0 || is_flat(t->dtype))
        put_row(&w, limit, false);
    else
        put_dim(&w, 0);
    if (limit < t->num_elems)
        strbuf_puts(out, "...");
}
