/* SPDX-License-Identifier: Apache-2.0 */
/* Names, shapes and their texts for the ops on files. */
#include "ops/io/common.h"

#include "base/mem.h"

char *io_path(const struct kctx *c, int k, int64_t i, struct status *st)
{
    struct str s = tstr_view(&tensor_str(kernel_in(c, k))[i]);
    if (memchr(s.p, 0, s.n)) {
        status_invalid(st, "The name of a file has a zero byte: %.*s...",
                       (int)min_i64((int64_t)s.n, 200), s.p);
        return NULL;
    }
    return mem_strndup(s.p, s.n);
}

bool io_want_rank(struct infer_ctx *c, int k, int rank, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, k), rank, &s, st);
}

bool io_want_names(struct infer_ctx *c, int k, int n, struct status *st)
{
    const struct shape *s;
    int64_t dim;
    return infer_want_rank(c, infer_input(c, k), 1, &s, st) &&
           infer_want_dim(c, infer_dim(s, 0), n, &dim, st);
}

bool io_slice_shapes(struct infer_ctx *c, int k, struct status *st)
{
    const struct tensor *t = infer_const(c, k);
    int n = infer_num_outputs(c);
    for (int i = 0; i < n; i++)
        infer_set(c, i, infer_unknown(c));
    if (!t)
        return true;
    if (t->num_elems != n)
        return status_invalid(st, "The number of shape_and_slice doesn't match tensor outputs.");
    for (int i = 0; i < n; i++) {
        struct shape whole, part;
        struct slice slice;
        struct str text = tstr_view(&tensor_str(t)[i]);
        if (text.n == 0)
            continue;
        if (!slice_spec_parse(text, &whole, &slice, &part, st))
            return false;
        infer_set(c, i, infer_copy(c, &part));
        shape_clear(&whole);
        shape_clear(&part);
    }
    return true;
}

char *io_shape_text(const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    return text.p ? strbuf_take(&text) : mem_strdup("");
}
