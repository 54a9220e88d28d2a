/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes both readers of the protobuf codec. The first byte chooses the message and the form; what
 * is accepted must be written again, read again, and mean the same. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/leat_proto.h"
#include "proto/pb_reflect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct pb_desc *const kinds[] = {
    &pb_graph_def_desc,
    &pb_tensor_proto_desc,
    &pb_meta_graph_def_desc,
    &pb_config_proto_desc,
    &pb_event_desc,
    &pb_saved_model_desc,
    &pb_saved_object_graph_desc,
    &pb_run_metadata_desc,
    &pb_run_step_request_desc,
    &pb_example_desc,
    &pb_function_def_desc,
    &pb_run_graph_request_desc,
    &pb_any_desc,
    &pb_bundle_entry_proto_desc,
    &pb_cluster_def_desc,
    &pb_checkpoint_state_desc,
};

static void require(bool holds, const char *what, const struct status *st)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, status_message(st));
    abort();
}

static void require_same(const struct strbuf *x, const struct strbuf *y, const char *what)
{
    static const struct status none;
    require(x->n == y->n && (x->n == 0 || memcmp(x->p, y->p, x->n) == 0), what, &none);
}

/* Written, read and written again. */
static void check_binary(struct arena *a, const struct pb_desc *d, const void *msg)
{
    struct status st = {0};
    struct strbuf once = {0}, twice = {0};
    struct pb_strs parts = {0};
    void *again;
    require(pb_encode_with(msg, PB_DETERMINISTIC, &once, &st), "encode", &st);
    require(pb_encoded_size(msg) == (int64_t)once.n, "size", &st);
    require(pb_decode(a, d, once.p, once.n, 0, &again, &st), "decode what was encoded", &st);
    require(pb_encode_with(again, PB_DETERMINISTIC, &twice, &st), "encode again", &st);
    require_same(&once, &twice, "binary round trip");
    strbuf_clear(&twice);
    require(pb_encode_parts(a, msg, PB_DETERMINISTIC, &parts, &st), "encode parts", &st);
    for (int64_t i = 0; i < parts.n; i++)
        strbuf_add(&twice, parts.v[i].p, parts.v[i].n);
    require_same(&once, &twice, "parts");
    strbuf_clear(&twice);
    require(pb_dup(a, msg, &again, &st), "copy", &st);
    require(pb_encode_with(again, PB_DETERMINISTIC, &twice, &st), "encode the copy", &st);
    require_same(&once, &twice, "copy");
    strbuf_release(&once);
    strbuf_release(&twice);
}

/* Printed, parsed and printed again. */
static void check_text(struct arena *a, const struct pb_desc *d, const void *msg)
{
    struct status st = {0};
    struct strbuf once = {0}, twice = {0};
    void *again;
    require(pb_text_print(msg, &once, &st), "print", &st);
    require(pb_text_parse(a, d, strbuf_text(&once), once.n, &again, &st), "parse what was printed",
            &st);
    require(pb_text_print(again, &twice, &st), "print again", &st);
    require_same(&once, &twice, "text round trip");
    strbuf_release(&once);
    strbuf_release(&twice);
}

/* Merging bytes is merging the message that they are. */
static void check_merge(struct arena *a, const struct pb_desc *d, void *msg)
{
    struct status st = {0};
    struct strbuf once = {0}, x = {0}, y = {0};
    void *other;
    require(pb_encode(msg, &once, &st), "encode", &st);
    require(pb_dup(a, msg, &other, &st) && pb_merge(a, other, msg, &st), "merge", &st);
    require(pb_merge_bytes(a, msg, once.p, once.n, 0, &st), "merge bytes", &st);
    require(pb_encode_with(msg, PB_DETERMINISTIC, &x, &st), "encode the merged", &st);
    require(pb_encode_with(other, PB_DETERMINISTIC, &y, &st), "encode the merged", &st);
    require_same(&x, &y, "merge");
    require(((struct pb_base *)msg)->desc == d, "merge changed the kind", &st);
    strbuf_release(&once);
    strbuf_release(&x);
    strbuf_release(&y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct pb_desc *d = kinds[(data[0] + 15u) % ARRAY_LEN(kinds)];
    bool is_text = data[0] & 0x20;
    struct arena a = {0};
    struct status st = {0};
    void *msg;
    bool ok = is_text ? pb_text_parse(&a, d, (const char *)data + 1, size - 1, &msg, &st)
                      : pb_decode(&a, d, data + 1, size - 1, size & 1 ? PB_BORROW : 0, &msg, &st);
    if (ok) {
        check_binary(&a, d, msg);
        check_text(&a, d, msg);
        check_merge(&a, d, msg);
    } else {
        require(st.code == STATUS_INVALID_ARGUMENT || st.code == STATUS_RESOURCE_EXHAUSTED,
                "an error that is none", &st);
    }
    status_clear(&st);
    arena_release(&a);
    return 0;
}
