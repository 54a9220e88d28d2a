/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* Case table: regular expressions, and the scripts of characters. */
#include "op_case.h"

#define TEXTS "string [6] 'abc' 'aaa' 'xyz123' '' 'a.b' 'foo=bar'"
#define REPLACE(pattern, rewrite, result)                                                          \
    {                                                                                              \
        .op = "RegexReplace", .in = {TEXTS, "string [] '" pattern "'", "string [] '" rewrite "'"}, \
        .out = {                                                                                   \
            "string [6] " result                                                                   \
        }                                                                                          \
    }
#define REFUSED(pattern, why)                                                                      \
    {                                                                                              \
        .op = "RegexReplace", .in = {TEXTS, "string [] '" pattern "'", "string [] ''"},            \
        .error = "INVALID_ARGUMENT: " why                                                          \
    }

/* The results are those of TensorFlow 1.15.5. */
static const struct op_case cases[] = {
    {.op = "UnicodeScript",
     .in = {"int32 [12] 65 32 0 1024 19968 -1 1114112 55296 880 66816 125184 8204"},
     .out = {"int32 [12] 25 0 0 8 17 -1 -1 103 14 136 167 1"}},
    {.op = "UnicodeScript", .in = {"int32 [0]"}, .out = {"int32 [0]"}},
    REPLACE("a", "Y", "'Ybc' 'YYY' 'xyz123' '' 'Y.b' 'foo=bYr'"),
    REPLACE("a*", "-", "'-b-c-' '-' '-x-y-z-1-2-3-' '-' '-.-b-' '-f-o-o-=-b-r-'"),
    REPLACE("(\\\\w)(\\\\d)", "\\\\2\\\\1", "'abc' 'aaa' 'xy1z32' '' 'a.b' 'foo=bar'"),
    REPLACE("b", "\\\\0\\\\0", "'abbc' 'aaa' 'xyz123' '' 'a.bb' 'foo=bbar'"),
    REPLACE("(a)", "\\\\2", "'bc' '' 'xyz123' '' '.b' 'foo=br'"),
    REPLACE("(a)", "x\\\\", "'xbc' 'xxx' 'xyz123' '' 'x.b' 'foo=bxr'"),
    REPLACE("(?P<n>[a-z]+)=", "<\\\\1>", "'abc' 'aaa' 'xyz123' '' 'a.b' '<foo>bar'"),
    REPLACE("\\\\Qa.b\\\\E", "Q", "'abc' 'aaa' 'xyz123' '' 'Q' 'foo=bar'"),
    REPLACE("\\\\pN+", "N", "'abc' 'aaa' 'xyzN' '' 'a.b' 'foo=bar'"),
    REPLACE("(?i)ABC", "i", "'i' 'aaa' 'xyz123' '' 'a.b' 'foo=bar'"),
    REPLACE("[[:alpha:]]+", "A", "'A' 'A' 'A123' '' 'A.A' 'A=A'"),
    REPLACE("^", "^", "'^abc' '^aaa' '^xyz123' '^' '^a.b' '^foo=bar'"),
    REPLACE("\\\\z", "z", "'abcz' 'aaaz' 'xyz123z' 'z' 'a.bz' 'foo=barz'"),
    REPLACE("a|", "x", "'xbxcx' 'xxx' 'xxxyxzx1x2x3x' 'x' 'x.xbx' 'xfxoxox=xbxrx'"),
    REPLACE("[^a]", "x", "'axx' 'aaa' 'xxxxxx' '' 'axx' 'xxxxxax'"),
    REPLACE("(?U)a+", "u", "'ubc' 'uuu' 'xyz123' '' 'u.b' 'foo=bur'"),
    REPLACE("\\\\142", "o", "'aoc' 'aaa' 'xyz123' '' 'a.o' 'foo=oar'"),
    REFUSED("(", "Invalid pattern: ("),
    REFUSED(")", "Invalid pattern: )"),
    REFUSED("a(?=b)", "Invalid pattern: a(?=b), error: invalid perl operator: (?="),
    REFUSED("(a)\\\\1", "Invalid pattern: (a)\\1, error: invalid escape sequence: \\1"),
    REFUSED("(?<n>a)", "Invalid pattern: (?<n>a), error: invalid perl operator: (?<"),
    REFUSED("(?>a)", "Invalid pattern: (?>a), error: invalid perl operator: (?>"),
    REFUSED("(?1)", "Invalid pattern: (?1), error: invalid perl operator: (?1"),
    REFUSED("a++", "Invalid pattern: a++, error: bad repetition operator: ++"),
    REFUSED("a**", "Invalid pattern: a**, error: bad repetition operator: **"),
    REFUSED("(*UTF8)a", "Invalid pattern: (*UTF8)a, error: no argument for repetition operator: *"),
    REFUSED("a{1001}", "Invalid pattern: a{1001}, error: invalid repetition size: {1001}"),
    REFUSED("\\\\Z", "Invalid pattern: \\Z, error: invalid escape sequence: \\Z"),
    REFUSED("\\\\h", "Invalid pattern: \\h, error: invalid escape sequence: \\h"),
    REFUSED("[a", "Invalid pattern: [a, error: missing ]: [a"),
    REFUSED("\\\\", "Invalid pattern: \\"),
    {.op = "RegexReplace",
     .attrs = "replace_global=false",
     .in = {TEXTS, "string [] 'a|'", "string [] 'x'"},
     .out = {"string [6] 'xbc' 'xaa' 'xxyz123' 'x' 'x.b' 'xfoo=bar'"}},
    {.op = "RegexReplace",
     .attrs = "replace_global=false",
     .in = {TEXTS, "string [] '(a)'", "string [] 'x\\\\'"},
     .out = {"string [6] 'abc' 'aaa' 'xyz123' '' 'a.b' 'foo=bar'"},
     .note = "a rewrite that is none"},
    {.op = "RegexReplace",
     .in = {"string [2] 'a\xc3\xa9\n\xe2\x82\xac' '\xff\xfe"
            "a'",
            "string [] '.'", "string [] 'x'"},
     .out = {"string [2] 'xx\nx' '\xff\xfex'"},
     .note = "what is not UTF-8 stays"},
    {.op = "RegexReplace",
     .in = {"string [0]", "string [] 'a'", "string [] 'x'"},
     .out = {"string [0]"}},
    {.op = "RegexReplace",
     .in = {"string [] 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'",
            "string [] '(a|a)*(a|a)*(a|a)*c$'", "string [] 'x'"},
     .out = {"string [] 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'"}},
    {.op = "RegexFullMatch",
     .in = {"string [4] 'a\n' 'a' '' 'ab'", "string [] 'a.*'"},
     .out = {"bool [4] 0 1 0 1"}},
    {.op = "RegexFullMatch",
     .in = {"string [] 'ab'", "string [] 'a|ab'"},
     .out = {"bool [] 1"},
     .note = "the second branch, since the first does not reach the end"},
    {.op = "RegexFullMatch", .in = {"string [0]", "string [] 'a'"}, .out = {"bool [0]"}},
    {.op = "RegexFullMatch",
     .in = {"string [1] 'a'", "? string [1] 'a'"},
     .error = "INVALID_ARGUMENT: Pattern must be a scalar"},
    {.op = "StaticRegexFullMatch",
     .attrs = "pattern='a+'",
     .in = {"string [3] 'a' 'aab' 'aa'"},
     .out = {"bool [3] 1 0 1"}},
    {.op = "StaticRegexFullMatch",
     .attrs = "pattern='a+'",
     .in = {"string [0]"},
     .out = {"bool [0]"}},
    {.op = "StaticRegexFullMatch",
     .attrs = "pattern='('",
     .in = {"string [0]"},
     .error = "INVALID_ARGUMENT: Invalid pattern: ("},
    {.op = "StaticRegexReplace",
     .attrs = "pattern='a' rewrite='b\\\\\\\\0'",
     .in = {"string [2] 'xax' ''"},
     .out = {"string [2] 'xb\\\\0x' ''"}},
    {.op = "StaticRegexReplace",
     .attrs = "pattern='a' rewrite='b'",
     .in = {"string [0]"},
     .out = {"string [0]"}},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
