/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that name shapes. */
#include "ops/array/text.h"

bool array_fail_shape(struct status *st, const char *before, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", before, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool array_fail_shapes(struct status *st, const char *before, const struct shape *a,
                       const char *between, const struct shape *b, const char *after)
{
    struct strbuf x = {0}, y = {0};
    shape_print(a, &x);
    shape_print(b, &y);
    status_invalid(st, "%s%s%s%s%s", before, strbuf_text(&x), between, strbuf_text(&y), after);
    strbuf_release(&x);
    strbuf_release(&y);
    return false;
}
