/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes messages with tensors as they come from the network: the first byte says which message,
 * the second into what pieces the rest is cut. What is accepted is written again and must be read
 * as the same. */
#include <stdio.h>
#include <stdlib.h>

#include "dist/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kind {
    const struct pb_desc *desc;
    struct wire_tensors where;
} kinds[] = {
    {&pb_recv_tensor_response_desc, {1, false}},
    {&pb_run_graph_request_desc, {3, true}},
    {&pb_run_step_response_desc, {1, true}},
};

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool read_kind(const struct kind *k, const struct rpc_msg *m, struct arena *a,
                      struct wire_values *values)
{
    struct status st = {0};
    void *message;
    bool ok = wire_read(m, k->desc, &k->where, a, &message, values, &st);
    require(ok == status_ok(&st) && ok == (message != NULL), "a failure without a status");
    status_clear(&st);
    return ok;
}

static void write_again(const struct kind *k, const struct wire_values *values)
{
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    struct wire_values again = {0};
    for (int64_t i = 0; i < values->n; i++) {
        char *name =
            mem_strndup(values->v[i].name.n ? values->v[i].name.p : "", values->v[i].name.n);
        require(k->where.named
                    ? wire_put_named_tensor(&m, k->where.number, name, &values->v[i].value, &st)
                    : wire_put_tensor(&m, k->where.number, &values->v[i].value, &st),
                "what was read cannot be written");
        mem_free(name);
    }
    require(read_kind(k, &m, &a, &again) && again.n == values->n,
            "what was written cannot be read");
    for (int64_t i = 0; i < values->n; i++) {
        const struct tensor *x = &values->v[i].value, *y = &again.v[i].value;
        require(x->dtype == y->dtype && shape_equal(&x->shape, &y->shape), "another tensor");
        require(dtype_is_managed(x->dtype) || tensor_bytes(x) == 0 ||
                    memcmp(x->data, y->data, tensor_bytes(x)) == 0,
                "other elements");
    }
    wire_values_clear(&again);
    arena_release(&a);
    rpc_msg_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    buffer_set_limits(64 << 20, 0);
    const struct kind *k = &kinds[data[0] % ARRAY_LEN(kinds)];
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct wire_values values = {0};
    for (size_t at = 2; at < size;) {
        size_t n = 1 + data[1];
        n = n < size - at ? n : size - at;
        rpc_msg_add_copy(&m, data + at, n);
        at += n;
    }
    if (read_kind(k, &m, &a, &values) && m.bytes < 1 << 16)
        write_again(k, &values);
    wire_values_clear(&values);
    arena_release(&a);
    rpc_msg_clear(&m);
    return 0;
}
