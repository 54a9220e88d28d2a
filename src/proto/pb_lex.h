/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of protobuf's text form. A lexer holds the token that comes next; the text is the
 * caller's. Blanks and comments (# to the end of the line) part tokens. */
#ifndef LEAT_PROTO_PB_LEX_H
#define LEAT_PROTO_PB_LEX_H

#include "base/status.h"
#include "base/str.h"

enum token {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_INT,    /* decimal, octal or hexadecimal, without sign */
    TOKEN_FLOAT,  /* has a point, an exponent or an f */
    TOKEN_STRING, /* quotes included */
    TOKEN_SYMBOL, /* one byte */
    TOKEN_BAD,    /* no token at all; `problem` says why */
};

struct lexer {
    const char *start, *p, *end; /* p: after the token */
    enum token kind;
    struct str text; /* of the token */
    const char *problem;
};

void lex_init(struct lexer *l, const char *text, size_t n); /* reads the first token */
void lex_next(struct lexer *l);
bool lex_is(const struct lexer *l, char symbol);
/* Steps over the symbol when it comes next. */
bool lex_accept(struct lexer *l, char symbol);
/* After '[', which comes next: appends the URL that follows, blanks left out, and steps behind it.
 */
void lex_url(struct lexer *l, struct strbuf *url);
bool lex_in_url(char c);
void lex_place(const struct lexer *l, const char *p, long long *line, long long *column);

/* The number of a TOKEN_INT; false when it leaves 64 bits. */
MUST_CHECK bool lex_int(struct str text, uint64_t *out);
/* Appends what the quoted text means to to[*n]; to has room for text.n bytes. NULL, or what is
 * wrong. */
const char *lex_unescape(struct str text, char *to, size_t *n);

#endif
