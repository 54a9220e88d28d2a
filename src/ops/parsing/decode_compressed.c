/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeCompressed: each string unpacked. */
#include "base/mem.h"
#include "codec/zstream.h"
#include "op/infer.h"
#include "op/kernel.h"

struct state {
    bool packed;
    enum zform form;
};

static bool init(struct kernel *k, void *state, struct status *st)
{
    struct state *s = state;
    struct str type = attrs_string(k->attrs, "compression_type");
    s->packed = type.n > 0;
    s->form = str_is(type, "GZIP") ? ZFORM_GZIP : ZFORM_ZLIB;
    if (s->packed && s->form == ZFORM_ZLIB && !str_is(type, "ZLIB"))
        return status_invalid(st, "Only ZLIB, GZIP or NONE are supported compressions");
    return true;
}

static bool run(struct kctx *c, struct status *st)
{
    const struct state *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    if (!s->packed) {
        kernel_out_share(c, 0, in);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        char *text = NULL;
        size_t n;
        struct str packed = tstr_view(&tensor_str(in)[i]);
        bool ok = zstream_unpack(s->form, packed, &text, &n, st);
        if (ok && n && !tstr_set(&tensor_str(out)[i], text, n))
            ok = status_exhausted(st, "no memory for %zu bytes", n);
        mem_free(text);
        if (!ok)
            return false;
    }
    return out != NULL;
}

OP_DEF(decode_compressed) = {
    .name = "DecodeCompressed",
    .summary = "Strings that hold zlib or gzip streams, unpacked.",
    .description = "A stream that is cut short is DATA_LOSS. Bytes after its end do not count.",
    .inputs = {"bytes: string"},
    .outputs = {"output: string"},
    .attrs = {"compression_type: string = ''"},
    .shape = infer_unchanged,
    .no_grad = "undefined: bytes have no gradient",
};
KERNEL_DEF(decode_compressed_cpu) = {
    .op = "DecodeCompressed",
    .device = "CPU",
    .flags = KERNEL_EXPENSIVE,
    .state_bytes = sizeof(struct state),
    .init = init,
    .run = run,
};
