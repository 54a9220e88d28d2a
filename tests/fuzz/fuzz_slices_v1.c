/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes V1 checkpoints, and the texts of slices. */
#include <stdlib.h>

#include "base/mem.h"
#include "io/slices_v1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct v1_reader *r)
{
    const char *name;
    void *value;
    for (int64_t i = 0; strmap_next(&r->tensors, &i, &name, &value);) {
        const struct v1_tensor *t = value;
        struct slice all, want;
        struct tensor out;
        struct status st = {0};
        if (t->shape.rank > SLICE_MAX_RANK)
            continue;
        all = slice_whole(t->shape.rank);
        if (slice_resolve(&all, &t->shape, &want) && v1_read(r, str_of(name), t, &want, &out, &st))
            tensor_clear(&out);
        status_clear(&st);
    }
}

static void parse_text(struct str text)
{
    struct status st = {0};
    struct shape whole, part;
    struct slice s;
    if (slice_spec_parse(text, &whole, &s, &part, &st)) {
        struct strbuf out = {0};
        slice_print(&s, &out);
        struct slice again;
        if (!slice_parse(str_make(out.p, out.n), &again, &st) || again.rank != s.rank)
            abort();
        strbuf_release(&out);
        shape_clear(&whole);
        shape_clear(&part);
    }
    status_clear(&st);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    struct input in;
    struct v1_reader r;
    parse_text(str_make((const char *)data, size));
    input_memory(&in, data, size, "fuzz");
    if (v1_open_input(&r, &in, &st)) {
        read_all(&r);
        v1_close(&r);
    }
    status_clear(&st);
    return 0;
}
