/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that several ops on strings make. */
#include "ops/text/text.h"

bool text_want_rank(const struct tensor *t, const char *name, int rank, struct status *st)
{
    if (tensor_rank(t) == rank)
        return true;
    struct strbuf b = {0};
    shape_print(&t->shape, &b);
    status_invalid(st, "%s must be a %s, got shape: %s", name, rank ? "vector" : "scalar",
                   strbuf_text(&b));
    strbuf_release(&b);
    return false;
}
