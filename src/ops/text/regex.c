/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* RegexReplace, RegexFullMatch and their forms whose pattern is an attr, by codec/regex.h. A
 * pattern that is an input is compiled anew only where it differs from the step's before. */
#include "codec/regex.h"
#include "base/lock.h"
#include "base/mem.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

struct patterns {
    struct regex *fixed; /* of the attr */
    struct lock lock;    /* over what follows; both are taken out while a step uses them */
    struct regex *last;
    struct strbuf last_text;
    bool ready, whole;
};

static bool patterns_init(struct kernel *k, void *state, struct status *st)
{
    struct patterns *s = state;
    lock_init(&s->lock, "regex", LOCK_RANK_KERNEL);
    s->ready = true;
    s->whole = strstr(k->op->name, "Match") != NULL;
    if (!attrs_find(k->attrs, "pattern"))
        return true;
    s->fixed = regex_new(attrs_string(k->attrs, "pattern"), s->whole, st);
    return s->fixed != NULL;
}

static void patterns_release(void *state)
{
    struct patterns *s = state;
    regex_free(s->fixed);
    regex_free(s->last);
    strbuf_release(&s->last_text);
    if (s->ready)
        lock_release_memory(&s->lock);
}

/* The pattern of this step; give_back afterwards. */
static struct regex *borrow(struct kctx *c, struct status *st)
{
    struct patterns *s = kernel_state(c);
    if (s->fixed)
        return s->fixed;
    if (!text_want_rank(kernel_in(c, 1), "Pattern", 0, st))
        return NULL;
    struct str text = tstr_view(tensor_str(kernel_in(c, 1)));
    struct regex *r = NULL;
    lock_take(&s->lock);
    if (s->last && str_eq(text, str_make(s->last_text.p, s->last_text.n))) {
        r = s->last;
        s->last = NULL;
    }
    lock_drop(&s->lock);
    return r ? r : regex_new(text, s->whole, st);
}

static void give_back(struct kctx *c, struct regex *r)
{
    struct patterns *s = kernel_state(c);
    if (!r || s->fixed)
        return;
    struct str text = tstr_view(tensor_str(kernel_in(c, 1)));
    lock_take(&s->lock);
    struct regex *old = s->last;
    s->last = r;
    strbuf_clear(&s->last_text);
    strbuf_add(&s->last_text, text.p, text.n);
    lock_drop(&s->lock);
    regex_free(old);
}

static bool match_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct regex *r = borrow(c, st);
    struct tensor *out = r ? kernel_out(c, 0, &in->shape, st) : NULL;
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < in->num_elems; i++)
        ok = regex_matches(r, tstr_view(&tensor_str(in)[i]), &tensor_bool(out)[i], st);
    give_back(c, r);
    return ok;
}

static bool replace_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    bool by_input = kernel_num_inputs(c) == 3, all = attrs_bool(kernel_attrs(c), "replace_global");
    if (by_input && !text_want_rank(kernel_in(c, 2), "Rewrite", 0, st))
        return false;
    struct str rewrite = by_input ? tstr_view(tensor_str(kernel_in(c, 2)))
                                  : attrs_string(kernel_attrs(c), "rewrite");
    struct regex *r = borrow(c, st);
    struct tensor *out = r ? kernel_out(c, 0, &in->shape, st) : NULL;
    struct strbuf b = {0};
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < in->num_elems; i++) {
        strbuf_clear(&b);
        ok = regex_replace(r, tstr_view(&tensor_str(in)[i]), rewrite, all, &b, st) &&
             text_set(&tensor_str(out)[i], str_make(b.p, b.n), st);
    }
    strbuf_release(&b);
    give_back(c, r);
    return ok;
}

static bool shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    for (int i = 1; i < infer_num_inputs(c); i++) {
        if (!infer_want_rank(c, infer_input(c, i), 0, &s, st))
            return false;
    }
    return infer_unchanged(c, st);
}

#define SYNTAX                                                                                     \
    "Patterns are RE2's: no backreferences, no lookaround. PCRE2 runs them, so that \\C is "       \
    "refused, \\pN knows PCRE2's scripts, and a match that takes too many steps is an error."
#define REGEX_OP(id, op_name, run_fn, ...)                                                         \
    OP_DEF(id) = {.name = op_name, .description = SYNTAX, .shape = shape, __VA_ARGS__};            \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct patterns),                                \
                            .init = patterns_init,                                                 \
                            .release = patterns_release,                                           \
                            .run = run_fn}

/* clang-format off */
REGEX_OP(regex_full_match, "RegexFullMatch", match_run,
         .summary = "Whether strings match a regular expression from end to end.",
         .inputs = {"input: string", "pattern: string"}, .outputs = {"output: bool"},
         .no_grad = "undefined: strings have no gradient");
REGEX_OP(static_regex_full_match, "StaticRegexFullMatch", match_run,
         .summary = "Whether strings match the regular expression of an attr from end to end.",
         .inputs = {"input: string"}, .outputs = {"output: bool"}, .attrs = {"pattern: string"},
         .no_grad = "undefined: strings have no gradient");
REGEX_OP(regex_replace, "RegexReplace", replace_run,
         .summary = "Strings with the matches of a regular expression replaced.",
         .inputs = {"input: string", "pattern: string", "rewrite: string"},
         .outputs = {"output: string"}, .attrs = {"replace_global: bool = true"},
         .no_grad = "strings have no gradient");
REGEX_OP(static_regex_replace, "StaticRegexReplace", replace_run,
         .summary = "Strings with the matches of the regular expression of an attr replaced.",
         .inputs = {"input: string"}, .outputs = {"output: string"},
         .attrs = {"pattern: string", "rewrite: string", "replace_global: bool = true"},
         .no_grad = "undefined: strings have no gradient");
/* clang-format on */
