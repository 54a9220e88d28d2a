/* SPDX-License-Identifier: Apache-2.0 */
/* needs: pcre2 */
/* Scripts: one pattern tries them all on a character; what it marks is the script's number. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "codec/unicode_script.h"

#include "base/mem.h"
#include "codec/unicode.h"

enum { UNKNOWN = 103 };

/* By ICU's numbers, the names of ISO 15924. Of the other numbers Unicode has no character. */
static const char names[][5] = {
    [0] = "Zyyy",   [1] = "Zinh",   [2] = "Arab",   [3] = "Armn",   [4] = "Beng",   [5] = "Bopo",
    [6] = "Cher",   [7] = "Copt",   [8] = "Cyrl",   [9] = "Dsrt",   [10] = "Deva",  [11] = "Ethi",
    [12] = "Geor",  [13] = "Goth",  [14] = "Grek",  [15] = "Gujr",  [16] = "Guru",  [17] = "Hani",
    [18] = "Hang",  [19] = "Hebr",  [20] = "Hira",  [21] = "Knda",  [22] = "Kana",  [23] = "Khmr",
    [24] = "Laoo",  [25] = "Latn",  [26] = "Mlym",  [27] = "Mong",  [28] = "Mymr",  [29] = "Ogam",
    [30] = "Ital",  [31] = "Orya",  [32] = "Runr",  [33] = "Sinh",  [34] = "Syrc",  [35] = "Taml",
    [36] = "Telu",  [37] = "Thaa",  [38] = "Thai",  [39] = "Tibt",  [40] = "Cans",  [41] = "Yiii",
    [42] = "Tglg",  [43] = "Hano",  [44] = "Buhd",  [45] = "Tagb",  [46] = "Brai",  [47] = "Cprt",
    [48] = "Limb",  [49] = "Linb",  [50] = "Osma",  [51] = "Shaw",  [52] = "Tale",  [53] = "Ugar",
    [55] = "Bugi",  [56] = "Glag",  [57] = "Khar",  [58] = "Sylo",  [59] = "Talu",  [60] = "Tfng",
    [61] = "Xpeo",  [62] = "Bali",  [63] = "Batk",  [65] = "Brah",  [66] = "Cham",  [71] = "Egyp",
    [75] = "Hmng",  [76] = "Hung",  [78] = "Java",  [79] = "Kali",  [82] = "Lepc",  [83] = "Lina",
    [84] = "Mand",  [86] = "Mero",  [87] = "Nkoo",  [88] = "Orkh",  [89] = "Perm",  [90] = "Phag",
    [91] = "Phnx",  [92] = "Miao",  [99] = "Vaii",  [101] = "Xsux", [104] = "Cari", [106] = "Lana",
    [107] = "Lyci", [108] = "Lydi", [109] = "Olck", [110] = "Rjng", [111] = "Saur", [112] = "Sgnw",
    [113] = "Sund", [115] = "Mtei", [116] = "Armi", [117] = "Avst", [118] = "Cakm", [120] = "Kthi",
    [121] = "Mani", [122] = "Phli", [123] = "Phlp", [125] = "Prti", [126] = "Samr", [127] = "Tavt",
    [130] = "Bamu", [131] = "Lisu", [133] = "Sarb", [134] = "Bass", [135] = "Dupl", [136] = "Elba",
    [137] = "Gran", [140] = "Mend", [141] = "Merc", [142] = "Narb", [143] = "Nbat", [144] = "Palm",
    [145] = "Sind", [146] = "Wara", [149] = "Mroo", [150] = "Nshu", [151] = "Shrd", [152] = "Sora",
    [153] = "Takr", [154] = "Tang", [156] = "Hluw", [157] = "Khoj", [158] = "Tirh", [159] = "Aghb",
    [160] = "Mahj", [161] = "Ahom", [162] = "Hatr", [163] = "Modi", [164] = "Mult", [165] = "Pauc",
    [166] = "Sidd", [167] = "Adlm", [168] = "Bhks", [169] = "Marc", [170] = "Newa", [171] = "Osge",
    [175] = "Gonm", [176] = "Soyo", [177] = "Zanb", [178] = "Dogr", [179] = "Gong", [180] = "Maka",
    [181] = "Medf", [182] = "Rohg", [183] = "Sogd", [184] = "Sogo", [185] = "Elym", [186] = "Hmnp",
    [187] = "Nand", [188] = "Wcho", [189] = "Chrs", [190] = "Diak", [191] = "Kits", [192] = "Yezi",
    [193] = "Cpmn", [194] = "Ougr", [195] = "Tnsa", [196] = "Toto", [197] = "Vith",
};

struct unicode_scripts {
    pcre2_code *code;
};

void unicode_scripts_free(struct unicode_scripts *s)
{
    if (!s)
        return;
    pcre2_code_free(s->code);
    mem_free(s);
}

struct unicode_scripts *unicode_scripts_new(struct status *st)
{
    struct strbuf pattern = {0};
    strbuf_puts(&pattern, "\\A(?:");
    for (int i = 0; i < (int)ARRAY_LEN(names); i++) {
        if (names[i][0])
            strbuf_printf(&pattern, "%s\\p{sc:%s}(*MARK:%d)", i ? "|" : "", names[i], i);
    }
    strbuf_puts(&pattern, ")");
    struct unicode_scripts *s = mem_alloc(sizeof *s);
    int error;
    PCRE2_SIZE at;
    s->code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, PCRE2_UTF, &error, &at, NULL);
    if (!s->code) { /* names of a later Unicode than that of this PCRE2 */
        status_unimplemented(st, "UnicodeScript: this PCRE2 does not know the script at: %.10s",
                             pattern.p + at);
        unicode_scripts_free(s);
        s = NULL;
    } else {
        pcre2_jit_compile(s->code, PCRE2_JIT_COMPLETE); /* without it all works, slower */
    }
    strbuf_release(&pattern);
    return s;
}

bool unicode_script_of(const struct unicode_scripts *s, int32_t c, int32_t *script,
                       struct status *st)
{
    *script = c < 0 || c > UNICODE_MAX ? -1 : UNKNOWN;
    if (*script < 0 || (c >= 0xd800 && c <= 0xdfff))
        return true;
    struct strbuf text = {0};
    unicode_encode(UNICODE_UTF8, c, &text);
    pcre2_match_data *m = pcre2_match_data_create(1, NULL);
    const int found =
        m ? pcre2_match(s->code, (PCRE2_SPTR)text.p, text.n, 0, PCRE2_NO_UTF_CHECK, m, NULL)
          : PCRE2_ERROR_NOMEMORY;
    int64_t marked = UNKNOWN;
    if (found > 0 && !str_to_i64(str_of((const char *)pcre2_get_mark(m)), &marked))
        marked = UNKNOWN;
    *script = (int32_t)marked;
    pcre2_match_data_free(m);
    strbuf_release(&text);
    return found > 0 || found == PCRE2_ERROR_NOMATCH ||
           status_exhausted(st, "UnicodeScript: no memory to look at a character");
}
