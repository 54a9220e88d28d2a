/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text form, as a recursive descent over pb_lex's tokens. Takes everything that
 * protobuf's own readers take: optional colons and separators, <> for {}, lists, several pieces of
 * a string, unknown enum numbers, an Any opened up. A singular field given twice, or two members of
 * one oneof, are errors, as in protobuf. */
#include <float.h>
#include <math.h>

#include "proto/pb_lex.h"
#include "proto/pb_wire.h"

enum { MAX_FIELDS = 128, SHOWN_BYTES = 60 };

struct parser {
    struct lexer lex;
    struct arena *arena;
    struct status *st;
    const struct pb_desc *root;
    size_t arena_limit;
    int depth;
};

/* Always false: an error at the token that comes next. */
static bool PRINTF_LIKE(2, 3) bad(struct parser *p, const char *fmt, ...)
{
    long long line, column;
    lex_place(&p->lex, p->lex.text.p, &line, &column);
    va_list ap;
    va_start(ap, fmt);
    struct status detail = {0};
    if (p->lex.kind == TOKEN_BAD)
        status_invalid(&detail, "%s", p->lex.problem);
    else
        status_vfail(&detail, STATUS_INVALID_ARGUMENT, fmt, ap);
    va_end(ap);
    status_invalid(p->st, "Error parsing text-format %s: %lld:%lld: %s", p->root->full_name, line,
                   column, status_message(&detail));
    status_clear(&detail);
    return false;
}

/* The next token as messages show it: its beginning, in ASCII. */
static const char *show(const struct parser *p, char shown[SHOWN_BYTES + 1])
{
    struct str t = p->lex.text;
    size_t n = t.n < SHOWN_BYTES ? t.n : SHOWN_BYTES;
    for (size_t i = 0; i < n; i++)
        shown[i] = t.p[i] >= 0x20 && t.p[i] < 0x7F ? t.p[i] : '?';
    shown[n] = '\0';
    return shown;
}

static bool bad_token(struct parser *p, const char *wanted)
{
    char shown[SHOWN_BYTES + 1];
    if (p->lex.kind == TOKEN_END)
        return bad(p, "expected %s, found the end of the text", wanted);
    return bad(p, "expected %s, found \"%s\"", wanted, show(p, shown));
}

static bool expect(struct parser *p, char symbol)
{
    char wanted[] = {'"', symbol, '"', '\0'};
    return lex_accept(&p->lex, symbol) || bad_token(p, wanted);
}

static bool parse_texts(struct parser *p, const struct pb_field *f, struct str *out)
{
    if (p->lex.kind != TOKEN_STRING)
        return bad_token(p, "a string");
    struct lexer ahead = p->lex;
    size_t room = 0;
    for (; ahead.kind == TOKEN_STRING; lex_next(&ahead))
        room += ahead.text.n;
    char *to = arena_alloc(p->arena, room);
    size_t n = 0;
    for (; p->lex.kind == TOKEN_STRING; lex_next(&p->lex)) {
        const char *problem = lex_unescape(p->lex.text, to, &n);
        if (problem)
            return bad(p, "%s", problem);
        if (f->type == PB_TYPE_STRING && !pb_utf8_valid(to, n))
            return bad(p, "field \"%s\" is not UTF-8", f->name);
    }
    *out = str_make(n > 0 ? to : NULL, n);
    return true;
}

/* The range of the field's type: least as a magnitude below zero, most above. */
static void int_range(const struct pb_field *f, uint64_t *least, uint64_t *most)
{
    switch (f->type) {
    case PB_TYPE_UINT32:
    case PB_TYPE_FIXED32:
        *least = 0;
        *most = UINT32_MAX;
        break;
    case PB_TYPE_UINT64:
    case PB_TYPE_FIXED64:
        *least = 0;
        *most = UINT64_MAX;
        break;
    case PB_TYPE_INT64:
    case PB_TYPE_SINT64:
    case PB_TYPE_SFIXED64:
        *least = (uint64_t)1 << 63;
        *most = INT64_MAX;
        break;
    default:
        *least = (uint64_t)1 << 31;
        *most = INT32_MAX;
    }
}

static bool parse_int(struct parser *p, const struct pb_field *f, bool negative,
                      struct pb_value *out)
{
    uint64_t magnitude, least, most;
    char shown[SHOWN_BYTES + 1];
    int_range(f, &least, &most);
    if (p->lex.kind != TOKEN_INT)
        return bad_token(p, "an integer");
    if (!lex_int(p->lex.text, &magnitude) || magnitude > (negative ? least : most))
        return bad(p, "%s%s does not fit field \"%s\"", negative ? "-" : "", show(p, shown),
                   f->name);
    out->u = negative ? 0 - magnitude : magnitude;
    lex_next(&p->lex);
    return true;
}

static bool same_word(struct str s, const char *word)
{
    if (s.n != strlen(word))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] | 0x20) != word[i])
            return false;
    return true;
}

static bool parse_float(struct parser *p, const struct pb_field *f, bool negative,
                        struct pb_value *out)
{
    struct str t = p->lex.text;
    double v = 0;
    if (p->lex.kind == TOKEN_NAME) {
        if (same_word(t, "inf") || same_word(t, "infinity") || same_word(t, "inff") ||
            same_word(t, "infinityf"))
            v = HUGE_VAL;
        else if (same_word(t, "nan") || same_word(t, "nanf"))
            v = (double)NAN;
        else
            return bad_token(p, "a number");
    } else if (p->lex.kind == TOKEN_INT || p->lex.kind == TOKEN_FLOAT) {
        if (t.n > 1 && (t.p[1] == 'x' || t.p[1] == 'X'))
            return bad_token(p, "a decimal number");
        if (t.n > 4000)
            return bad(p, "a number of %zu digits", t.n);
        char last = t.p[t.n - 1];
        struct str digits = str_make(t.p, t.n - (last == 'f' || last == 'F'));
        if (!str_to_double(digits, &v))
            v = HUGE_VAL; /* well-formed, so too large */
    } else {
        return bad_token(p, "a number");
    }
    /* Halfway between the largest float and what would come after it. */
    if (f->type == PB_TYPE_FLOAT && v >= (double)FLT_MAX + 0x1p103)
        v = HUGE_VAL;
    out->d = negative ? -v : v;
    lex_next(&p->lex);
    return true;
}

static bool parse_bool(struct parser *p, struct pb_value *out)
{
    struct str t = p->lex.text;
    bool yes = str_is(t, "true") || str_is(t, "True") || str_is(t, "t");
    bool no = str_is(t, "false") || str_is(t, "False") || str_is(t, "f");
    uint64_t v = 2;
    if (p->lex.kind == TOKEN_INT && lex_int(t, &v) && v < 2)
        yes = v == 1;
    else if (p->lex.kind != TOKEN_NAME || !(yes || no))
        return bad_token(p, "true or false");
    out->u = 0;
    out->b = yes;
    lex_next(&p->lex);
    return true;
}

static bool parse_enum(struct parser *p, const struct pb_field *f, struct pb_value *out)
{
    char shown[SHOWN_BYTES + 1];
    const struct pb_enum_value *v = pb_enum_by_name(f->enumeration, p->lex.text);
    if (!v)
        return bad(p, "Enum type \"%s\" has no value named %s", f->enumeration->full_name,
                   show(p, shown));
    out->i = v->number;
    lex_next(&p->lex);
    return true;
}

static bool parse_scalar(struct parser *p, const struct pb_field *f, struct pb_value *out)
{
    if (!pb_is_number(f->type))
        return parse_texts(p, f, &out->s);
    if (f->type == PB_TYPE_BOOL)
        return parse_bool(p, out);
    bool negative = lex_accept(&p->lex, '-');
    if (f->type == PB_TYPE_FLOAT || f->type == PB_TYPE_DOUBLE)
        return parse_float(p, f, negative, out);
    if (f->type == PB_TYPE_ENUM && p->lex.kind == TOKEN_NAME && !negative)
        return parse_enum(p, f, out);
    return parse_int(p, f, negative, out);
}

static bool parse_fields(struct parser *p, struct pb_base *m, char closing);

/* "{ ... }" or "< ... >" into m. */
static bool parse_body(struct parser *p, struct pb_base *m)
{
    char closing = lex_is(&p->lex, '<') ? '>' : '}';
    if (!lex_is(&p->lex, '{') && !lex_is(&p->lex, '<'))
        return bad_token(p, "\"{\"");
    if (p->depth >= PB_MAX_DEPTH)
        return bad(p, "messages nested more than %d deep", PB_MAX_DEPTH);
    lex_next(&p->lex);
    p->depth++;
    bool ok = parse_fields(p, m, closing);
    p->depth--;
    return ok && expect(p, closing);
}

static bool parse_value(struct parser *p, struct pb_base *m, const struct pb_field *f)
{
    if (f->type == PB_TYPE_MESSAGE) {
        void *sub = f->label == PB_SINGULAR ? pb_mutable(p->arena, m, f)
                                            : pb_add_msg(p->arena, pb_slot(m, f), f->message);
        return parse_body(p, sub);
    }
    struct pb_value v = {.u = 0};
    if (!parse_scalar(p, f, &v))
        return false;
    if (f->label == PB_SINGULAR)
        pb_set(m, f, 0, v);
    else
        pb_append(p->arena, m, f, v);
    return true;
}

static bool parse_list(struct parser *p, struct pb_base *m, const struct pb_field *f)
{
    if (!expect(p, '['))
        return false;
    if (lex_accept(&p->lex, ']'))
        return true;
    do {
        if (!parse_value(p, m, f))
            return false;
    } while (lex_accept(&p->lex, ','));
    return expect(p, ']');
}

/* [prefix/type.name] { ... }: parsed as that type and packed. */
static bool parse_any(struct parser *p, struct pb_base *m)
{
    if (strcmp(m->desc->full_name, "google.protobuf.Any") != 0)
        return bad(p, "Message type \"%s\" has no extensions", m->desc->full_name);
    struct strbuf url = {0}, packed = {0};
    lex_url(&p->lex, &url);
    const char *slash = strrchr(strbuf_text(&url), '/');
    const struct pb_desc *d = slash ? pb_find_desc(str_of(slash + 1)) : NULL;
    void *inner = d ? pb_new(p->arena, d) : NULL;
    bool ok = inner || bad(p, "no message type is known as [%s]", strbuf_text(&url));
    ok = ok && expect(p, ']');
    if (ok)
        lex_accept(&p->lex, ':');
    ok = ok && parse_body(p, inner) && pb_encode(inner, &packed, p->st);
    if (ok) {
        struct str *slot = pb_slot(m, &m->desc->fields[0]);
        *slot = pb_str_dup(p->arena, str_make(url.p, url.n));
        slot = pb_slot(m, &m->desc->fields[1]);
        *slot = pb_str_dup(p->arena, str_make(packed.p, packed.n));
    }
    strbuf_release(&url);
    strbuf_release(&packed);
    return ok;
}

static bool check_once(struct parser *p, const struct pb_base *m, const struct pb_field *f,
                       uint64_t *seen)
{
    int index = (int)(f - m->desc->fields);
    ASSERT(index < MAX_FIELDS);
    if (f->label != PB_SINGULAR)
        return true;
    if (seen[index / 64] >> (index % 64) & 1)
        return bad(p, "Non-repeated field \"%s\" is specified multiple times.", f->name);
    seen[index / 64] |= (uint64_t)1 << (index % 64);
    const struct pb_field *other = f->oneof >= 0 ? pb_which(m, &m->desc->oneofs[f->oneof]) : NULL;
    if (other)
        return bad(p,
                   "Field \"%s\" is specified along with field \"%s\", another member of oneof "
                   "\"%s\".",
                   f->name, other->name, m->desc->oneofs[f->oneof].name);
    return true;
}

static bool parse_field(struct parser *p, struct pb_base *m, uint64_t *seen)
{
    char shown[SHOWN_BYTES + 1];
    if (lex_is(&p->lex, '['))
        return parse_any(p, m);
    if (p->lex.kind != TOKEN_NAME)
        return bad_token(p, "a field name");
    const struct pb_field *f = pb_find_field(m->desc, p->lex.text);
    if (!f)
        return bad(p, "Message type \"%s\" has no field named \"%s\".", m->desc->full_name,
                   show(p, shown));
    if (!check_once(p, m, f, seen))
        return false;
    lex_next(&p->lex);
    bool colon = lex_accept(&p->lex, ':');
    if (!colon && f->type != PB_TYPE_MESSAGE)
        return bad_token(p, "\":\"");
    if (f->label != PB_SINGULAR && lex_is(&p->lex, '['))
        return parse_list(p, m, f);
    return parse_value(p, m, f);
}

static bool parse_fields(struct parser *p, struct pb_base *m, char closing)
{
    uint64_t seen[MAX_FIELDS / 64] = {0};
    while (p->lex.kind != TOKEN_END && !(closing && lex_is(&p->lex, closing))) {
        if (!parse_field(p, m, seen))
            return false;
        if (!lex_accept(&p->lex, ','))
            lex_accept(&p->lex, ';');
        if (p->arena->used_bytes > p->arena_limit)
            return status_exhausted(p->st, "protobuf: %s: the text takes more than %zu bytes",
                                    p->root->full_name, p->arena_limit);
    }
    for (int i = 0; i < m->desc->num_fields; i++)
        if (m->desc->fields[i].label == PB_MAP)
            pb_map_finish(p->arena, pb_slot(m, &m->desc->fields[i]), m->desc->fields[i].message);
    return true;
}

bool pb_text_parse(struct arena *a, const struct pb_desc *d, const char *text, size_t n, void **out,
                   struct status *st)
{
    struct parser p = {.arena = a, .st = st, .root = d, .arena_limit = pb_arena_limit(a, n)};
    *out = NULL;
    if (n > 0 && !text)
        return status_invalid(st, "protobuf: %s: NULL in place of %zu bytes of text", d->full_name,
                              n);
    lex_init(&p.lex, text, n);
    void *m = pb_new(a, d);
    if (!parse_fields(&p, m, 0))
        return false;
    *out = m;
    return true;
}
