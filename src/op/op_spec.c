/* SPDX-License-Identifier: Apache-2.0 */
/* Attr and argument specs, as op_def.h has them, into struct op_attr and struct op_arg.
 *
 * Read by recursive descent with one character of look-ahead; every error says where. Specs are
 * ours, a plug-in's, or made from a FunctionDef. */
#include "op/op_spec.h"

#include <string.h>

/* --- attrs --- */

static bool parse_allowed_strings(struct scan *s, struct op_attr *a, struct status *st)
{
    struct str found[64];
    int n = 0;
    do {
        if (n == (int)ARRAY_LEN(found))
            return scan_fail(s, st, "more than %d allowed texts", n);
        if (!scan_string(s, &found[n], st))
            return false;
        n++;
    } while (scan_char(s, ','));
    a->kind = ATTR_STRING;
    a->strings = arena_memdup(s->arena, found, sizeof found[0] * (size_t)n);
    a->num_strings = n;
    return scan_expect(s, '}', st);
}

static void keep_types(struct scan *s, struct op_attr *a, const uint8_t *list, int n)
{
    a->kind = ATTR_TYPE;
    a->types = type_list_set(list, n);
    a->type_list = arena_memdup(s->arena, list, (size_t)n);
    a->num_types = n;
}

/* "{...}": allowed types or allowed texts. */
static bool parse_braces(struct scan *s, struct op_attr *a, struct status *st)
{
    const char *begin = s->p;
    if (!scan_expect(s, '{', st))
        return false;
    scan_space(s);
    if (*s->p == '\'' || *s->p == '"')
        return parse_allowed_strings(s, a, st);
    s->p = begin;
    uint8_t list[DT_NUM];
    int n = 0;
    if (!scan_type_set(s, list, &n, st))
        return false;
    keep_types(s, a, list, n);
    return true;
}

static bool parse_item_type(struct scan *s, struct op_attr *a, struct status *st)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {
        {"type", ATTR_TYPE},   {"int", ATTR_INT},       {"bool", ATTR_BOOL},
        {"float", ATTR_FLOAT}, {"shape", ATTR_SHAPE},   {"string", ATTR_STRING},
        {"func", ATTR_FUNC},   {"tensor", ATTR_TENSOR},
    };
    scan_space(s);
    if (*s->p == '{')
        return parse_braces(s, a, st);
    const char *begin = s->p;
    struct str word = scan_word(s);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (str_is(word, kinds[i].name)) {
            a->kind = kinds[i].kind;
            return true;
        }
    }
    uint8_t list[DT_NUM];
    int n = 0;
    if (scan_type_group(word, list, &n)) {
        keep_types(s, a, list, n);
        return true;
    }
    s->p = begin;
    return scan_fail(s, st, "unknown attr type '%.*s'", (int)word.n, word.p);
}

static bool parse_attr_type(struct scan *s, struct op_attr *a, struct status *st)
{
    scan_space(s);
    const char *begin = s->p;
    struct str word = scan_word(s);
    if (!str_is(word, "list") || !scan_char(s, '(')) {
        s->p = begin;
        return parse_item_type(s, a, st);
    }
    a->is_list = true;
    return parse_item_type(s, a, st) && scan_expect(s, ')', st);
}

static bool parse_min(struct scan *s, struct op_attr *a, struct status *st)
{
    if (!scan_char(s, '>'))
        return true;
    if (*s->p != '=')
        return scan_fail(s, st, "'>=' expected");
    s->p++;
    if (!a->is_list && a->kind != ATTR_INT)
        return scan_fail(s, st, "only ints and lists have a minimum, not a %s",
                         a->kind == ATTR_TYPE ? "type" : "value of this kind");
    a->has_min = true;
    return scan_int(s, &a->min, st);
}

bool spec_parse_attr(struct scan *s, struct op_attr *a, struct status *st)
{
    *a = (struct op_attr){.kind = ATTR_NONE, .default_value = {.kind = ATTR_NONE}};
    struct str name = scan_word(s);
    if (name.n == 0)
        return scan_fail(s, st, "an attr name expected");
    a->name = arena_strndup(s->arena, name.p, name.n);
    if (!scan_expect(s, ':', st) || !parse_attr_type(s, a, st) || !parse_min(s, a, st))
        return false;
    if (scan_char(s, '=') && !spec_parse_default(s, a, st))
        return false;
    return scan_done(s) || scan_fail(s, st, "unexpected text");
}

/* --- arguments --- */

static int find_attr(const struct op *op, struct str name)
{
    for (int i = 0; i < op->num_attrs; i++) {
        if (str_is(name, op->attrs[i].name))
            return i;
    }
    return -1;
}

/* "T", "float", "Tlist" */
static bool parse_value_type(struct scan *s, const struct op *op, struct op_arg *a,
                             struct status *st)
{
    scan_space(s);
    const char *begin = s->p;
    struct str word = scan_word(s);
    int attr = find_attr(op, word);
    if (attr >= 0) {
        const struct op_attr *t = &op->attrs[attr];
        if (t->kind != ATTR_TYPE || (t->is_list && a->number_attr >= 0)) {
            s->p = begin;
            return scan_fail(s, st, "attr '%s' is no type", t->name);
        }
        a->type_attr = attr;
        a->is_list_type = t->is_list;
        return true;
    }
    if (word.n && dtype_from_name(word, &a->type) && !dtype_is_ref(a->type))
        return true;
    s->p = begin;
    return scan_fail(s, st, "'%.*s' is neither a type nor an attr", (int)word.n, word.p);
}

/* "N * TYPE" or "TYPE" */
static bool parse_counted_type(struct scan *s, const struct op *op, struct op_arg *a,
                               struct status *st)
{
    scan_space(s);
    const char *begin = s->p;
    struct str word = scan_word(s);
    if (scan_char(s, '*')) {
        int attr = find_attr(op, word);
        if (attr < 0 || op->attrs[attr].kind != ATTR_INT || op->attrs[attr].is_list) {
            s->p = begin;
            return scan_fail(s, st, "'%.*s' is no int attr", (int)word.n, word.p);
        }
        a->number_attr = attr;
        begin = (scan_space(s), s->p);
        word = scan_word(s);
    }
    if (str_is(word, "Ref") && !a->is_ref && scan_char(s, '(')) {
        a->is_ref = true;
        return parse_counted_type(s, op, a, st) && scan_expect(s, ')', st);
    }
    s->p = begin;
    return parse_value_type(s, op, a, st);
}

bool spec_parse_arg(struct scan *s, const struct op *op, struct op_arg *a, struct status *st)
{
    *a = (struct op_arg){.type = DT_INVALID, .type_attr = -1, .number_attr = -1};
    struct str name = scan_word(s);
    if (name.n == 0)
        return scan_fail(s, st, "an argument name expected");
    a->name = arena_strndup(s->arena, name.p, name.n);
    if (!scan_expect(s, ':', st) || !parse_counted_type(s, op, a, st))
        return false;
    return scan_done(s) || scan_fail(s, st, "unexpected text");
}
