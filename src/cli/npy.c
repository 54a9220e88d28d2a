/* SPDX-License-Identifier: Apache-2.0 */
/* .npy reader and writer. The format: "\x93NUMPY", major and minor version, the head's length (2 or
 * 4 bytes, little-endian), a head that is a Python dict with the keys descr, fortran_order and
 * shape, and the elements. No length in the file is trusted. */
#include "cli/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/cli.h"

enum { MAX_DIMS = 32 };

/* clang-format off */
static const struct npy_type {
    TF_DataType type;
    const char *code; /* kind and bytes */
    const char *name;
    int part; /* bytes that a byte order is about */
} types[] = {
    {TF_FLOAT, "f4", "float32", 4},        {TF_DOUBLE, "f8", "float64", 8},
    {TF_HALF, "f2", "float16", 2},         {TF_INT8, "i1", "int8", 1},
    {TF_INT16, "i2", "int16", 2},          {TF_INT32, "i4", "int32", 4},
    {TF_INT64, "i8", "int64", 8},          {TF_UINT8, "u1", "uint8", 1},
    {TF_UINT16, "u2", "uint16", 2},        {TF_UINT32, "u4", "uint32", 4},
    {TF_UINT64, "u8", "uint64", 8},        {TF_BOOL, "b1", "bool", 1},
    {TF_COMPLEX64, "c8", "complex64", 4},  {TF_COMPLEX128, "c16", "complex128", 8},
    {TF_BFLOAT16, "V2", "bfloat16", 2},    {TF_QINT8, "i1", "qint8", 1},
    {TF_QUINT8, "u1", "quint8", 1},        {TF_QINT16, "i2", "qint16", 2},
    {TF_QUINT16, "u2", "quint16", 2},      {TF_QINT32, "i4", "qint32", 4},
};
/* clang-format on */

static const struct npy_type *type_of(TF_DataType t)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (types[i].type == t)
            return &types[i];
    }
    return NULL;
}

const char *npy_type_name(TF_DataType t)
{
    const struct npy_type *found = type_of(t);
    return found              ? found->name
           : t == TF_STRING   ? "string"
           : t == TF_RESOURCE ? "resource"
           : t == TF_VARIANT  ? "variant"
                              : "an unknown type";
}

void npy_print_type(struct strbuf *out, TF_DataType t, const int64_t *dims, int rank)
{
    bool ref = (int)t > 100;
    strbuf_printf(out, "%s%s [%s", npy_type_name((TF_DataType)((int)t - (ref ? 100 : 0))),
                  ref ? "_ref" : "", rank < 0 ? "..." : "");
    for (int i = 0; i < rank; i++)
        strbuf_printf(out, dims[i] < 0 ? "%s?" : "%s%" PRId64, i > 0 ? ", " : "", dims[i]);
    strbuf_putc(out, ']');
}

struct head {
    char order; /* '<', '>' or '|' */
    struct str code;
    bool fortran, has_shape;
    int64_t dims[MAX_DIMS];
    int num_dims;
};

/* What follows `'key':` in the dict, blanks skipped; n 0 when the key is absent. */
static struct str value_after(struct str text, const char *key)
{
    char quoted[32];
    int n = snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = text.n > 0 ? memmem(text.p, text.n, quoted, (size_t)n) : NULL;
    if (!at)
        return str_make(NULL, 0);
    at += n;
    while (at < text.p + text.n && *at == ' ')
        at++;
    return str_make(at, (size_t)(text.p + text.n - at));
}

static bool parse_shape(struct str v, struct head *h)
{
    const char *close = v.n > 0 && v.p[0] == '(' ? memchr(v.p, ')', v.n) : NULL;
    if (!close)
        return false;
    struct str rest = str_make(v.p + 1, (size_t)(close - v.p - 1)), piece;
    while (str_split(&rest, ',', &piece)) {
        piece = str_trim(piece);
        if (piece.n == 0 && rest.n == 0)
            break;
        if (piece.n > 0 && piece.p[piece.n - 1] == 'L')
            piece.n--;
        if (h->num_dims == MAX_DIMS || !str_to_i64(piece, &h->dims[h->num_dims]) ||
            h->dims[h->num_dims] < 0)
            return false;
        h->num_dims++;
    }
    return true;
}

static bool parse_dict(struct str text, struct head *h, const char *name, struct status *st)
{
    struct str descr = value_after(text, "descr");
    const char *end =
        descr.n > 2 && descr.p[0] == '\'' ? memchr(descr.p + 1, '\'', descr.n - 1) : NULL;
    if (!end || end - descr.p < 3)
        return status_invalid(st, "%s: not a .npy file of plain elements (descr)", name);
    h->order = descr.p[1] == '=' ? '<' : descr.p[1];
    h->code = str_make(descr.p + 2, (size_t)(end - descr.p - 2));
    struct str order = value_after(text, "fortran_order");
    h->fortran = str_starts(order, "True");
    if (!h->fortran && !str_starts(order, "False"))
        return status_invalid(st, "%s: not a .npy file (fortran_order)", name);
    if (!parse_shape(value_after(text, "shape"), h))
        return status_invalid(st, "%s: not a .npy file (shape, at most %d dimensions)", name,
                              MAX_DIMS);
    return true;
}

/* Finds the head's text and where the elements begin. */
static bool find_head(const char *bytes, size_t n, struct str *text, size_t *data, const char *name,
                      struct status *st)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (n < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return status_invalid(st, "%s: not a .npy file", name);
    if (b[6] != 1 && b[6] != 2)
        return status_unimplemented(st, "%s: .npy version %d; versions 1 and 2 can be read", name,
                                    b[6]);
    size_t start = b[6] == 1 ? 10 : 12;
    size_t length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] == 2 && n >= start)
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (n < start || length > n - start)
        return status_invalid(st, "%s: a .npy file that ends within its head", name);
    *text = str_make(bytes + start, length);
    *data = start + length;
    return true;
}

static const struct npy_type *find_type(const struct head *h, TF_DataType want, const char *name,
                                        struct status *st)
{
    const struct npy_type *found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_is(h->code, types[i].code) && (!found || types[i].type == want))
            found = &types[i];
    }
    bool order = h->order == '<' || h->order == '>' || h->order == '|';
    if (!found || !order) {
        status_unimplemented(st, "%s: elements of type '%c%.*s' cannot be read", name, h->order,
                             (int)min_i64((int64_t)h->code.n, 40), h->code.p);
        return NULL;
    }
    if (want != 0 && found->type != want) {
        status_invalid(st, "%s holds %s, but %s is wanted: save it with .astype('%s')", name,
                       found->name, npy_type_name(want), npy_type_name(want));
        return NULL;
    }
    return found;
}

static void swap_bytes(char *p, size_t n, int part)
{
    for (size_t i = 0; i + (size_t)part <= n; i += (size_t)part) {
        for (int j = 0; j < part / 2; j++) {
            char c = p[i + (size_t)j];
            p[i + (size_t)j] = p[i + (size_t)(part - 1 - j)];
            p[i + (size_t)(part - 1 - j)] = c;
        }
    }
}

TF_Tensor *npy_parse(const char *bytes, size_t n, TF_DataType want, const char *name,
                     struct status *st)
{
    struct str text;
    size_t data = 0;
    struct head h = {0};
    if (!find_head(bytes, n, &text, &data, name, st) || !parse_dict(text, &h, name, st))
        return NULL;
    if (h.fortran) {
        status_unimplemented(st, "%s: in Fortran order; save numpy.ascontiguousarray(x)", name);
        return NULL;
    }
    const struct npy_type *type = find_type(&h, want, name, st);
    if (!type)
        return NULL;
    int64_t size = (int64_t)TF_DataTypeSize(type->type);
    for (int i = 0; i < h.num_dims; i++) {
        if (!size_mul(size, h.dims[i], &size)) {
            status_invalid(st, "%s: its shape has too many elements", name);
            return NULL;
        }
    }
    if ((uint64_t)size != n - data) {
        status_invalid(st, "%s: its shape wants %" PRId64 " bytes of elements, the file has %zu",
                       name, size, n - data);
        return NULL;
    }
    TF_Tensor *t = TF_AllocateTensor(type->type, h.dims, h.num_dims, (size_t)size);
    if (!t) {
        status_exhausted(st, "%s: no memory for %" PRId64 " bytes", name, size);
        return NULL;
    }
    if (size > 0)
        memcpy(TF_TensorData(t), bytes + data, (size_t)size);
    if (h.order == '>')
        swap_bytes(TF_TensorData(t), (size_t)size, type->part);
    for (int64_t i = 0; type->type == TF_BOOL && i < size; i++)
        ((char *)TF_TensorData(t))[i] = ((char *)TF_TensorData(t))[i] != 0;
    return t;
}

/* The whole head, so padded that the elements begin at a multiple of 64. */
static void make_head(const TF_Tensor *t, const char *code, int part, struct strbuf *out)
{
    struct strbuf dict = {0};
    strbuf_printf(&dict, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                  part == 1 ? '|' : '<', code);
    for (int i = 0; i < TF_NumDims(t); i++)
        strbuf_printf(&dict, "%s%" PRId64, i > 0 ? ", " : "", TF_Dim(t, i));
    strbuf_puts(&dict, TF_NumDims(t) == 1 ? ",), }" : "), }");
    bool wide = dict.n + 80 > 65535;
    size_t start = wide ? 12 : 10;
    while ((start + dict.n + 1) % 64 != 0)
        strbuf_putc(&dict, ' ');
    strbuf_putc(&dict, '\n');
    strbuf_add(out, "\x93NUMPY", 6);
    strbuf_putc(out, wide ? 2 : 1);
    strbuf_putc(out, 0);
    for (int i = 0; i < (wide ? 4 : 2); i++)
        strbuf_putc(out, (char)(dict.n >> (8 * i) & 255));
    strbuf_add(out, dict.p, dict.n);
    strbuf_release(&dict);
}

bool npy_write(const TF_Tensor *t, const char *path, struct status *st)
{
    const struct npy_type *type = type_of(TF_TensorType(t));
    if (!type)
        return status_unimplemented(st,
                                    "%s: %s cannot be written to .npy; leave --out away to "
                                    "see it as text",
                                    path, npy_type_name(TF_TensorType(t)));
    FILE *f = fopen(path, "wb");
    if (!f)
        return status_fail(st, STATUS_PERMISSION_DENIED, "%s: %s", path, strerror(errno));
    struct strbuf head = {0};
    make_head(t, type->code, type->part, &head);
    size_t n = TF_TensorByteSize(t);
    bool ok = fwrite(head.p, 1, head.n, f) == head.n &&
              (n == 0 || fwrite(TF_TensorData(t), 1, n, f) == n);
    ok = cli_close(f, ok, path, st);
    strbuf_release(&head);
    return ok;
}
