/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers or strings as tensors, and back. Reading keeps each number as a double, and
 * beside it as an integer where it is one, so that 64-bit integers stay exact. */
#include "cli/values.h"

#include <inttypes.h>
#include <math.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/npy.h"

enum { MAX_DIMS = 32, MAX_SHOWN = 100 };

struct number {
    double real;
    int64_t whole;
    bool is_whole;
    struct str text; /* of a string, without its quotes; the bytes it says */
};

struct reader {
    struct str rest;
    struct number *numbers;
    int64_t n, cap;
    int64_t dims[MAX_DIMS];
    int num_dims;       /* -1 until the first number is met */
    bool strings;       /* elements are strings */
    struct arena texts; /* of those that had escapes */
};

static void skip_blanks(struct reader *r)
{
    r->rest = str_trim(r->rest);
}

static bool next_is(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->rest.n == 0 || r->rest.p[0] != c)
        return false;
    r->rest = str_make(r->rest.p + 1, r->rest.n - 1);
    return true;
}

/* Where the string that begins at p, after its opening quote, has its closing one; NULL: nowhere.
 */
static const char *closing_quote(struct str text, bool *escapes)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"')
            return text.p + i;
        if (text.p[i] == '\\') {
            *escapes = true;
            i++;
        }
    }
    return NULL;
}

/* The number of n hexadecimal digits at *at, which moves past them; -1: they are not there. */
static int32_t hex_digits(struct str s, size_t *at, int n)
{
    int32_t v = 0;
    for (int i = 0; i < n; i++, (*at)++) {
        char c = *at < s.n ? s.p[*at] : 0;
        if (c >= '0' && c <= '9')
            v = v * 16 + (c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            v = v * 16 + ((c | 32) - 'a' + 10);
        else
            return -1;
    }
    return v;
}

/* The character after "\u" at *at, which may take two of them. */
static bool put_unicode(struct str s, size_t *at, struct strbuf *out)
{
    int32_t c = hex_digits(s, at, 4);
    if (c >= 0xd800 && c < 0xdc00 && *at + 1 < s.n && s.p[*at] == '\\' && s.p[*at + 1] == 'u') {
        *at += 2;
        int32_t low = hex_digits(s, at, 4);
        if (low < 0xdc00 || low > 0xdfff)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c < 0 || (c >= 0xd800 && c <= 0xdfff)) {
        return false;
    }
    strbuf_put_utf8(out, (uint32_t)c);
    return true;
}

/* What stands after a backslash: JSON's escapes, and \xHH for any byte. */
static bool put_escape(struct str s, size_t *at, struct strbuf *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = s.p[(*at)++];
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        strbuf_putc(out, to[known - from]);
        return true;
    }
    if (c == 'u')
        return put_unicode(s, at, out);
    int32_t byte = c == 'x' ? hex_digits(s, at, 2) : -1;
    if (byte >= 0)
        strbuf_putc(out, (char)byte);
    return byte >= 0;
}

static bool unescape(struct reader *r, struct str *text, const char *name, struct status *st)
{
    struct strbuf out = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < text->n;) {
        size_t begin = i;
        if (text->p[i++] != '\\')
            strbuf_putc(&out, text->p[i - 1]);
        else if (!put_escape(*text, &i, &out))
            ok = status_invalid(st, "%s: '%.*s' is no escape of JSON", name,
                                (int)(i < text->n ? i - begin : text->n - begin), text->p + begin);
    }
    if (ok)
        *text = str_make(arena_memdup(&r->texts, out.p ? out.p : "", out.n), out.n);
    strbuf_release(&out);
    return ok;
}

/* A string in double quotes, as JSON has it, or a word. */
static bool read_string(struct reader *r, size_t word_bytes, struct number *x, const char *name,
                        struct status *st)
{
    if (!next_is(r, '"')) {
        x->text = str_make(r->rest.p, word_bytes);
        r->rest = str_make(r->rest.p + word_bytes, r->rest.n - word_bytes);
        return true;
    }
    bool escapes = false;
    const char *end = closing_quote(r->rest, &escapes);
    if (!end)
        return status_invalid(st, "%s: a string without its closing quote", name);
    x->text = str_make(r->rest.p, (size_t)(end - r->rest.p));
    r->rest = str_make(end + 1, r->rest.n - x->text.n - 1);
    return !escapes || unescape(r, &x->text, name, st);
}

static bool read_number(struct reader *r, int depth, const char *name, struct status *st)
{
    skip_blanks(r);
    size_t n = 0;
    while (n < r->rest.n && !strchr(",[] \t\n\r", r->rest.p[n]))
        n++;
    struct str word = str_make(r->rest.p, n);
    struct number x = {0};
    if (r->strings) {
        if (!read_string(r, n, &x, name, st))
            return false;
        n = 0;
    } else if (str_is(word, "true") || str_is(word, "false"))
        x = (struct number){.real = str_is(word, "true"), str_is(word, "true"), true};
    else if ((x.is_whole = str_to_i64(word, &x.whole)))
        x.real = (double)x.whole;
    else if (!str_to_double(word, &x.real))
        return status_invalid(st, "%s: '%.*s' is not a number", name, (int)(n < 40 ? n : 40),
                              word.p ? word.p : "");
    if (r->num_dims >= 0 && r->num_dims != depth)
        return status_invalid(st, "%s: values stand at different depths of the list", name);
    r->num_dims = depth;
    r->numbers = vec_reserve(r->numbers, &r->cap, r->n + 1, sizeof *r->numbers);
    r->numbers[r->n++] = x;
    r->rest = str_make(r->rest.p + n, r->rest.n - n);
    return true;
}

static bool read_value(struct reader *r, int depth, const char *name, struct status *st)
{
    if (!next_is(r, '['))
        return read_number(r, depth, name, st);
    if (depth == MAX_DIMS)
        return status_invalid(st, "%s: a list nested more than %d deep", name, MAX_DIMS);
    int64_t len = 0;
    if (next_is(r, ']')) {
        if (r->num_dims >= 0 && r->num_dims != depth + 1)
            return status_invalid(st, "%s: an empty list beside longer ones", name);
        r->num_dims = depth + 1;
    } else {
        do {
            if (!read_value(r, depth + 1, name, st))
                return false;
            len++;
        } while (next_is(r, ','));
        if (!next_is(r, ']'))
            return status_invalid(st, "%s: a list without its ']'", name);
    }
    if (r->dims[depth] >= 0 && r->dims[depth] != len)
        return status_invalid(st, "%s: lists of %" PRId64 " and of %" PRId64 " values side by side",
                              name, r->dims[depth], len);
    r->dims[depth] = len;
    return true;
}

/* Whether x is an integer in [low, high]. */
static bool fits(const struct number *x, int64_t low, int64_t high)
{
    return x->is_whole && x->whole >= low && x->whole <= high;
}

/* Element i of data becomes x; false when it does not fit the type. */
static bool store(TF_DataType type, void *data, int64_t i, const struct number *x)
{
    switch (type) {
    case TF_FLOAT:
        ((float *)data)[i] = (float)x->real;
        return true;
    case TF_DOUBLE:
        ((double *)data)[i] = x->real;
        return true;
    case TF_COMPLEX64:
        ((float *)data)[2 * i] = (float)x->real;
        ((float *)data)[2 * i + 1] = 0;
        return true;
    case TF_COMPLEX128:
        ((double *)data)[2 * i] = x->real;
        ((double *)data)[2 * i + 1] = 0;
        return true;
    case TF_INT8:
        ((int8_t *)data)[i] = (int8_t)x->whole;
        return fits(x, INT8_MIN, INT8_MAX);
    case TF_UINT8:
        ((uint8_t *)data)[i] = (uint8_t)x->whole;
        return fits(x, 0, UINT8_MAX);
    case TF_INT16:
        ((int16_t *)data)[i] = (int16_t)x->whole;
        return fits(x, INT16_MIN, INT16_MAX);
    case TF_UINT16:
        ((uint16_t *)data)[i] = (uint16_t)x->whole;
        return fits(x, 0, UINT16_MAX);
    case TF_INT32:
        ((int32_t *)data)[i] = (int32_t)x->whole;
        return fits(x, INT32_MIN, INT32_MAX);
    case TF_UINT32:
        ((uint32_t *)data)[i] = (uint32_t)x->whole;
        return fits(x, 0, UINT32_MAX);
    case TF_INT64:
        ((int64_t *)data)[i] = x->whole;
        return fits(x, INT64_MIN, INT64_MAX);
    case TF_UINT64:
        ((uint64_t *)data)[i] = (uint64_t)x->whole;
        return fits(x, 0, INT64_MAX);
    case TF_BOOL:
        ((uint8_t *)data)[i] = x->whole == 1;
        return fits(x, 0, 1);
    default:
        return false;
    }
}

static bool type_has_text(TF_DataType t)
{
    char room[16];
    return store(t, room, 0, &(struct number){.is_whole = true});
}

static TF_Tensor *make_tensor(const struct reader *r, TF_DataType type, const char *name,
                              struct status *st)
{
    TF_Tensor *t =
        TF_AllocateTensor(type, r->dims, r->num_dims, (size_t)r->n * TF_DataTypeSize(type));
    if (!t) {
        status_exhausted(st, "%s: no memory for %" PRId64 " numbers", name, r->n);
        return NULL;
    }
    for (int64_t i = 0; i < r->n; i++) {
        if (!store(type, TF_TensorData(t), i, &r->numbers[i])) {
            status_invalid(st, "%s: %g is no value of type %s", name, r->numbers[i].real,
                           npy_type_name(type));
            TF_DeleteTensor(t);
            return NULL;
        }
    }
    return t;
}

/* Offsets of eight bytes, then the strings, each after its length: TensorFlow 1.15's layout. */
static TF_Tensor *make_strings(const struct reader *r, const char *name, struct status *st)
{
    size_t bytes = (size_t)r->n * 8;
    for (int64_t i = 0; i < r->n; i++)
        bytes += TF_StringEncodedSize(r->numbers[i].text.n);
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, r->dims, r->num_dims, bytes);
    TF_Status *s = TF_NewStatus();
    char *data = t ? TF_TensorData(t) : NULL, *at = t ? data + 8 * r->n : NULL;
    for (int64_t i = 0; t && i < r->n; i++) {
        struct str text = r->numbers[i].text;
        uint64_t offset = (uint64_t)(at - data) - 8 * (uint64_t)r->n;
        memcpy(data + 8 * i, &offset, 8);
        at += TF_StringEncode(text.p ? text.p : "", text.n, at, (size_t)(data + bytes - at), s);
    }
    TF_DeleteStatus(s);
    if (!t)
        status_exhausted(st, "%s: no memory for %" PRId64 " strings", name, r->n);
    return t;
}

TF_Tensor *values_parse(struct str text, TF_DataType type, const char *name, struct status *st)
{
    if (type == 0)
        type = TF_FLOAT;
    if (type != TF_STRING && !type_has_text(type)) {
        status_unimplemented(st, "%s: %s cannot be written as numbers; give a .npy file", name,
                             npy_type_name(type));
        return NULL;
    }
    struct reader r = {.rest = text, .num_dims = -1, .strings = type == TF_STRING};
    for (int i = 0; i < MAX_DIMS; i++)
        r.dims[i] = -1;
    TF_Tensor *t = NULL;
    if (read_value(&r, 0, name, st)) {
        skip_blanks(&r);
        if (r.rest.n > 0)
            status_invalid(st, "%s: more text after the value", name);
        else
            t = r.strings ? make_strings(&r, name, st) : make_tensor(&r, type, name, st);
    }
    mem_free(r.numbers);
    arena_release(&r.texts);
    return t;
}

/* --- printing --- */

static void print_string(const TF_Tensor *t, int64_t i, struct strbuf *out)
{
    const char *data = TF_TensorData(t), *text = "";
    size_t bytes = TF_TensorByteSize(t), offsets = (size_t)TF_TensorElementCount(t) * 8, n = 0;
    uint64_t at = 0;
    memcpy(&at, data + 8 * i, 8);
    TF_Status *s = TF_NewStatus();
    if (offsets <= bytes && at <= bytes - offsets)
        TF_StringDecode(data + offsets + at, bytes - offsets - at, &text, &n, s);
    strbuf_putc(out, '"');
    for (size_t k = 0; k < n; k++) {
        unsigned char c = (unsigned char)text[k];
        if (c == '"' || c == '\\')
            strbuf_printf(out, "\\%c", c);
        else if (c < 32 || c == 127)
            strbuf_printf(out, "\\u%04x", c);
        else
            strbuf_putc(out, (char)c);
    }
    strbuf_putc(out, '"');
    TF_DeleteStatus(s);
}

static float half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float v = exponent == 0    ? ldexpf((float)fraction, -24)
              : exponent == 31 ? (fraction ? NAN : INFINITY)
                               : ldexpf((float)(1024 + fraction), exponent - 25);
    return h >> 15 ? -v : v;
}

static float bfloat16_value(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

static bool print_integer(TF_DataType type, const void *data, int64_t i, struct strbuf *out)
{
    switch (type) {
    case TF_INT8:
    case TF_QINT8:
        strbuf_printf(out, "%d", ((const int8_t *)data)[i]);
        return true;
    case TF_UINT8:
    case TF_QUINT8:
        strbuf_printf(out, "%u", ((const uint8_t *)data)[i]);
        return true;
    case TF_INT16:
    case TF_QINT16:
        strbuf_printf(out, "%d", ((const int16_t *)data)[i]);
        return true;
    case TF_UINT16:
    case TF_QUINT16:
        strbuf_printf(out, "%u", ((const uint16_t *)data)[i]);
        return true;
    case TF_INT32:
    case TF_QINT32:
        strbuf_printf(out, "%" PRId32, ((const int32_t *)data)[i]);
        return true;
    case TF_UINT32:
        strbuf_printf(out, "%" PRIu32, ((const uint32_t *)data)[i]);
        return true;
    case TF_INT64:
        strbuf_printf(out, "%" PRId64, ((const int64_t *)data)[i]);
        return true;
    case TF_UINT64:
        strbuf_printf(out, "%" PRIu64, ((const uint64_t *)data)[i]);
        return true;
    case TF_BOOL:
        strbuf_puts(out, ((const char *)data)[i] ? "true" : "false");
        return true;
    default:
        return false;
    }
}

static void print_element(const TF_Tensor *t, int64_t i, struct strbuf *out)
{
    TF_DataType type = TF_TensorType(t);
    const void *data = TF_TensorData(t);
    if (print_integer(type, data, i, out))
        return;
    if (type == TF_FLOAT)
        strbuf_printf(out, "%.9g", ((const float *)data)[i]);
    else if (type == TF_DOUBLE)
        strbuf_printf(out, "%.17g", ((const double *)data)[i]);
    else if (type == TF_HALF)
        strbuf_printf(out, "%.5g", half_value(((const uint16_t *)data)[i]));
    else if (type == TF_BFLOAT16)
        strbuf_printf(out, "%.4g", bfloat16_value(((const uint16_t *)data)[i]));
    else if (type == TF_COMPLEX64)
        strbuf_printf(out, "%.9g%+.9gj", ((const float *)data)[2 * i],
                      ((const float *)data)[2 * i + 1]);
    else if (type == TF_COMPLEX128)
        strbuf_printf(out, "%.17g%+.17gj", ((const double *)data)[2 * i],
                      ((const double *)data)[2 * i + 1]);
    else if (type == TF_STRING)
        print_string(t, i, out);
    else
        strbuf_putc(out, '?');
}

/* Brackets open before element i and close after it wherever i is at a boundary of a dimension. */
static int boundaries(const TF_Tensor *t, int64_t i)
{
    int n = 0;
    int64_t block = 1;
    for (int d = TF_NumDims(t) - 1; d >= 0; d--) {
        block *= TF_Dim(t, d);
        if (i % block != 0)
            break;
        n++;
    }
    return n;
}

void values_print(const TF_Tensor *t, struct strbuf *out)
{
    int rank = TF_NumDims(t);
    int64_t *dims = mem_new_array(int64_t, rank + 1);
    for (int i = 0; i < rank; i++)
        dims[i] = TF_Dim(t, i);
    npy_print_type(out, TF_TensorType(t), dims, rank);
    mem_free(dims);
    strbuf_putc(out, '\n');
    int64_t n = TF_TensorElementCount(t), shown = min_i64(n, MAX_SHOWN);
    for (int64_t i = 0; i < shown; i++) {
        for (int b = boundaries(t, i); b > 0; b--)
            strbuf_putc(out, '[');
        print_element(t, i, out);
        int closing = boundaries(t, i + 1);
        for (int b = closing; b > 0; b--)
            strbuf_putc(out, ']');
        if (i + 1 < n)
            strbuf_puts(out, closing > 0 ? ",\n" : ", ");
    }
    if (shown < n)
        strbuf_printf(out, "... %" PRId64 " more", n - shown);
    if (n > 0)
        strbuf_putc(out, '\n');
}
