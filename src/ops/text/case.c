/* SPDX-License-Identifier: Apache-2.0 */
/* StringLower and StringUpper, for the letters of ASCII, or of Unicode with encoding "utf-8". */
#include "codec/unicode_case.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

struct letters {
    bool upper, unicode;
};

static bool letters_init(struct kernel *k, void *state, struct status *st)
{
    struct letters *s = state;
    struct str encoding = attrs_string(k->attrs, "encoding");
    s->upper = strcmp(k->op->name, "StringUpper") == 0;
    s->unicode = str_is(encoding, "utf-8");
    return s->unicode || encoding.n == 0 ||
           status_invalid(st, "only utf-8 or '' (no encoding) is supported, received %.*s",
                          encoding.n > 200 ? 200 : (int)encoding.n, encoding.p);
}

static bool change_ascii(struct str s, bool upper, struct tstr *y, struct status *st)
{
    char *to = tstr_resize(y, s.n);
    if (!to)
        return status_exhausted(st, "no memory for strings");
    char first = upper ? 'a' : 'A';
    for (size_t i = 0; i < s.n; i++)
        to[i] = (char)((unsigned char)(s.p[i] - first) < 26 ? s.p[i] ^ 0x20 : s.p[i]);
    return true;
}

/* As in TensorFlow a string ends at a NUL. */
static bool change_unicode(struct str s, bool upper, struct strbuf *text, struct tstr *y,
                           struct status *st)
{
    const char *nul = s.n ? memchr(s.p, 0, s.n) : NULL;
    strbuf_clear(text);
    unicode_change_case(str_make(s.p, nul ? (size_t)(nul - s.p) : s.n), upper, text);
    return tstr_set(y, text->p ? text->p : "", text->n) ||
           status_exhausted(st, "no memory for strings");
}

static bool letters_run(struct kctx *c, struct status *st)
{
    const struct letters *how = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    struct strbuf text = {0};
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < in->num_elems; i++) {
        struct str x = tstr_view(&tensor_str(in)[i]);
        struct tstr *y = &tensor_str(out)[i];
        ok = how->unicode ? change_unicode(x, how->upper, &text, y, st)
                          : change_ascii(x, how->upper, y, st);
    }
    strbuf_release(&text);
    return ok;
}

#define LETTERS(op_name, id, words)                                                                \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = words,                                                                          \
        .inputs = {"input: string"},                                                               \
        .outputs = {"output: string"},                                                             \
        .attrs = {"encoding: string = ''"},                                                        \
        .shape = infer_unchanged,                                                                  \
        .no_grad = "undefined: strings have no gradient",                                          \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct letters),                                 \
                            .init = letters_init,                                                  \
                            .run = letters_run}

LETTERS("StringLower", string_lower, "Strings with all letters small.");
LETTERS("StringUpper", string_upper, "Strings with all letters capital.");
