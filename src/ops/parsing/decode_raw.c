/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeRaw and DecodePaddedRaw: the bytes of strings as numbers. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"

/* Size of what the bytes of an element are turned over in: each part of a complex number. */
static size_t part_bytes(int dtype)
{
    return dtype == DT_COMPLEX64 ? 4 : dtype == DT_COMPLEX128 ? 8 : dtype_size(dtype);
}

static void turn_over(char *p, size_t bytes, size_t part)
{
    for (size_t i = 0; i + part <= bytes; i += part) {
        for (size_t j = 0; j < part / 2; j++) {
            char c = p[i + j];
            p[i + j] = p[i + part - 1 - j];
            p[i + part - 1 - j] = c;
        }
    }
}

/* The bytes as stored: in the host's order, and of bools 0 or 1. */
static void finish(const struct kctx *c, char *p, size_t bytes)
{
    int dtype = kernel_output_type(c, 0);
    size_t part = part_bytes(dtype);
    if (part > 1 && !attrs_bool(kernel_attrs(c), "little_endian"))
        turn_over(p, bytes, part);
    for (size_t i = 0; dtype == DT_BOOL && i < bytes; i++)
        p[i] = p[i] != 0;
}

/* Output 0: the input's shape and one dim more. */
static struct tensor *out_rows(struct kctx *c, int64_t dim, struct status *st)
{
    const struct shape *s = &kernel_in(c, 0)->shape;
    int64_t dims[SHAPE_MAX_RANK];
    if (s->rank == SHAPE_MAX_RANK) {
        status_invalid(st, "more than %d dimensions", SHAPE_MAX_RANK);
        return NULL;
    }
    for (int i = 0; i < s->rank; i++)
        dims[i] = shape_dim(s, i);
    dims[s->rank] = dim;
    struct shape shape = shape_make(dims, s->rank + 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out;
}

static bool raw_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct tstr *s = tensor_str(in);
    size_t len = in->num_elems ? tstr_len(&s[0]) : 0, size = dtype_size(kernel_output_type(c, 0));
    for (int64_t i = 1; i < in->num_elems; i++) {
        if (tstr_len(&s[i]) != len)
            return status_invalid(st,
                                  "DecodeRaw requires input strings to all be the same size, but "
                                  "element %lld has size %zu != %zu",
                                  (long long)i, len, tstr_len(&s[i]));
    }
    if (len % size)
        return status_invalid(
            st, "Input to DecodeRaw has length %zu that is not a multiple of %zu, the size of %s",
            len, size, dtype_name(kernel_output_type(c, 0)));
    struct tensor *out = out_rows(c, (int64_t)(len / size), st);
    if (!out)
        return false;
    for (int64_t i = 0; i < in->num_elems; i++) {
        char *to = (char *)out->data + (size_t)i * len;
        memcpy(to, tstr_data(&s[i]), len);
        finish(c, to, len);
    }
    return true;
}

static bool raw_shape(struct infer_ctx *c, struct status *st UNUSED)
{
    infer_set(c, 0, infer_concat(c, infer_input(c, 0), infer_vector(c, DIM_UNKNOWN)));
    return true;
}

OP_DEF(decode_raw) = {
    .name = "DecodeRaw",
    .summary = "The bytes of each string as a vector of numbers.",
    .inputs = {"bytes: string"},
    .outputs = {"output: out_type"},
    .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
              "complex64, complex128, bool}",
              "little_endian: bool = true"},
    .shape = raw_shape,
    .no_grad = "bytes have no gradient",
};
KERNEL_DEF(decode_raw_cpu) = {.op = "DecodeRaw", .device = "CPU", .run = raw_run};

/* --- DecodePaddedRaw --- */

static bool padded_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *fixed = kernel_in(c, 1);
    int dtype = kernel_output_type(c, 0);
    if (tensor_rank(fixed) != 0) {
        struct strbuf text = {0};
        shape_print(&fixed->shape, &text);
        status_invalid(st, "k must be scalar, got shape %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    int32_t len = tensor_i32(fixed)[0];
    if (len <= 0)
        return status_invalid(st, "fixed_length (%d) must be greater than zero.", len);
    if ((size_t)len % dtype_size(dtype))
        return status_invalid(st,
                              "fixed_length (%d) must be a multiple of the size of out_type (%zu)",
                              len, dtype_size(dtype));
    struct tensor *out = out_rows(c, len / (int64_t)dtype_size(dtype), st);
    if (!out)
        return false;
    for (int64_t i = 0; i < in->num_elems; i++) {
        const struct tstr *s = &tensor_str(in)[i];
        char *to = (char *)out->data + (size_t)i * (size_t)len;
        size_t have = tstr_len(s) < (size_t)len ? tstr_len(s) : (size_t)len;
        memcpy(to, tstr_data(s), have);
        memset(to + have, 0, (size_t)len - have);
        finish(c, to, (size_t)len);
    }
    return true;
}

static bool padded_shape(struct infer_ctx *c, struct status *st)
{
    int type = infer_output_type(c, 0);
    int64_t len, dim = DIM_UNKNOWN;
    if (!infer_dim_from(c, 1, &len, st))
        return false;
    if (len == 0)
        return status_invalid(st, "`fixed_length` must be greater than zero");
    if (dtype_size(type) && !infer_dim_div(len, (int64_t)dtype_size(type), &dim, st))
        return false;
    infer_set(c, 0, infer_concat(c, infer_input(c, 0), infer_vector(c, dim)));
    return true;
}

OP_DEF(decode_padded_raw) = {
    .name = "DecodePaddedRaw",
    .summary = "A fixed number of bytes of each string, cut or filled with zeros, as numbers.",
    .inputs = {"input_bytes: string", "fixed_length: int32"},
    .outputs = {"output: out_type"},
    .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64}",
              "little_endian: bool = true"},
    .shape = padded_shape,
    .no_grad = "bytes have no gradient",
};
KERNEL_DEF(decode_padded_raw_cpu) = {
    .op = "DecodePaddedRaw",
    .device = "CPU",
    .types = {"out_type: {float, double, int8, uint8, int16, uint16, int32, int64}"},
    .run = padded_run,
};
