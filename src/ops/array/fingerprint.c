/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprint: FarmHash's 64 bits of each row, lowest byte first. A row of strings is hashed by the
 * hashes of its strings, unless it is a single one. */
#include "codec/hash.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/array/text.h"

static void put(uint64_t hash, uint8_t *y)
{
    for (int i = 0; i < 8; i++)
        y[i] = (uint8_t)(hash >> (8 * i));
}

static bool hash_strings(struct kctx *c, const struct tensor *x, int64_t rows, uint8_t *y,
                         struct status *st)
{
    uint8_t *each = rows == x->num_elems ? y : kernel_scratch(c, 8 * x->num_elems + 1, st);
    if (!each)
        return false;
    for (int64_t i = 0; i < x->num_elems; i++)
        put(hash_farm64(tstr_view(&tensor_str(x)[i])), each + 8 * i);
    const size_t bytes = 8 * (size_t)(x->num_elems / rows);
    for (int64_t r = 0; each != y && r < rows; r++)
        put(hash_farm64(str_make((const char *)each + (size_t)r * bytes, bytes)), y + 8 * r);
    return true;
}

static bool fingerprint_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *method = kernel_in(c, 1);
    if (tensor_rank(method) != 0)
        return array_fail_shape(st, "`method` should be a scalar string: ", &method->shape);
    struct str name = tstr_view(tensor_str(method));
    if (!str_is(name, "farmhash64"))
        return status_invalid(st, "Unsupported method: %.*s", name.n > 100 ? 100 : (int)name.n,
                              name.p);
    if (tensor_rank(x) < 1)
        return array_fail_shape(st, "`data` should have at least one dimension: ", &x->shape);
    if (dtype_is_managed(x->dtype) && x->dtype != DT_STRING)
        return status_invalid(st, "Data type not supported: %s", dtype_name(x->dtype));
    const int64_t rows = tensor_dim(x, 0), dims[] = {rows, 8};
    struct shape shape = shape_make(dims, 2);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || rows == 0)
        return out != NULL;
    if (x->dtype == DT_STRING)
        return hash_strings(c, x, rows, out->data, st);
    const size_t bytes = (size_t)(x->num_elems / rows) * dtype_size(x->dtype);
    for (int64_t r = 0; r < rows; r++)
        put(hash_farm64(bytes ? str_make((const char *)x->data + (size_t)r * bytes, bytes)
                              : str_of("")),
            (uint8_t *)out->data + 8 * r);
    return true;
}

static bool fingerprint_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *data, *scalar;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &data, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &scalar, st))
        return false;
    const struct tensor *method = infer_const(c, 1);
    if (method && !str_is(tstr_view(tensor_str(method)), "farmhash64"))
        return status_invalid(st, "Unsupported method: %.*s",
                              (int)(tstr_len(tensor_str(method)) % 100),
                              tstr_data(tensor_str(method)));
    infer_set(c, 0, infer_matrix(c, infer_dim(data, 0), method ? 8 : -1));
    return true;
}

OP_DEF(fingerprint) = {
    .name = "Fingerprint",
    .summary = "A hash of each row, as bytes.",
    .inputs = {"data: T", "method: string"},
    .outputs = {"fingerprint: uint8"},
    .attrs = {"T: type"},
    .shape = fingerprint_shape,
    .no_grad = "undefined: it gives bytes",
};
KERNEL_DEF(fingerprint_cpu) = {.op = "Fingerprint", .device = "CPU", .run = fingerprint_run};
