/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes AttrValue messages, binary and text, and so the tensors, shapes and names in them: what is
 * accepted is equal to its copy, comes back from its own message, and can be shown. */
#include <stdio.h>
#include <stdlib.h>

#include "graph/graphdef.h"
#include "op/attr_print.h"
#include "proto/leat_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const struct status *st)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, status_message(st));
    abort();
}

/* By their bytes: two handles of one resource are not one object. */
static void require_same(struct arena *a, const struct attr_value *v, const struct attr_value *w)
{
    struct status st = {0};
    struct strbuf x = {0}, y = {0};

    require(pb_encode_with(attr_to_proto(a, v), PB_DETERMINISTIC, &x, &st), "encode", &st);
    require(pb_encode_with(attr_to_proto(a, w), PB_DETERMINISTIC, &y, &st), "encode", &st);
    require(x.n == y.n && (x.n == 0 || memcmp(x.p, y.p, x.n) == 0), "another value", &st);
    strbuf_release(&x);
    strbuf_release(&y);
}

static void check_value(struct arena *a, const struct attr_value *v)
{
    struct status st = {0};
    struct attr_value copy = attr_value_dup(v), again;
    struct strbuf text = {0};

    require(attr_value_equal(v, &copy), "a copy is another", &st);
    require(attr_from_proto(attr_to_proto(a, v), &again, &st), "read what was written", &st);
    require_same(a, v, &again);
    attr_value_print(v, &text);
    attr_print_kind(v, &text);
    strbuf_release(&text);
    attr_value_clear(&again);
    attr_value_clear(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    bool is_text = data[0] & 1;
    struct arena a = {0};
    struct status st = {0};
    void *msg;
    bool ok = is_text ? pb_text_parse(&a, &pb_attr_value_desc, (const char *)data + 1, size - 1,
                                      &msg, &st)
                      : pb_decode(&a, &pb_attr_value_desc, data + 1, size - 1, 0, &msg, &st);
    struct attr_value v;
    if (ok && attr_from_proto(msg, &v, &st)) {
        check_value(&a, &v);
        attr_value_clear(&v);
    }
    status_clear(&st);
    arena_release(&a);
    return 0;
}
