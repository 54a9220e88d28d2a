/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* Fuzzes regular expressions: the first line is the pattern, the second a rewrite, the rest text.
 */
#include "codec/regex.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str take_line(struct str *s)
{
    const char *end = s->n > 0 ? memchr(s->p, '\n', s->n) : NULL;
    struct str line = str_make(s->p, end ? (size_t)(end - s->p) : s->n);
    size_t past = line.n + (end != NULL);
    s->p += past;
    s->n -= past;
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_make((const char *)data, size);
    struct str pattern = take_line(&text), rewrite = take_line(&text);
    for (int whole = 0; whole < 2; whole++) {
        struct status st = {0};
        struct strbuf out = {0};
        bool matches = false, ok = true;
        struct regex *r = regex_new(pattern, whole, &st);
        if (r && whole)
            ok = regex_matches(r, text, &matches, &st);
        else if (r)
            ok = regex_replace(r, text, rewrite, size & 1, &out, &st);
        if (ok != (status_ok(&st) || !r))
            __builtin_trap();
        regex_free(r);
        strbuf_release(&out);
        status_clear(&st);
    }
    return 0;
}
