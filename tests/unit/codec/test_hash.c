/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes at the lengths where their ways change. Farm and Sip: what TensorFlow's bucket ops give,
 * modulo 2^63 - 1; Murmur: the formula, computed apart; Sip: the example of its paper's appendix.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/hash.h"

/* clang-format off */
static const struct { int n; uint64_t farm, sip, murmur; } known[] = {
    {0, 0x1ae16a3b2f904050, 0x726fdb47dd0e0e31, 0x9bfae0a4e613fc3c},
    {1, 0x47a24c13b17e583e, 0x6e534dc3c9ab17a2, 0x252cf3ca02e3880d},
    {3, 0x40b4412e33eefd64, 0x1cde980d15b390be, 0x5056b4b27d94716c},
    {4, 0x4107ef4cfd78de69, 0x0df2fdb2c8b2ad56, 0x603840dd98752119},
    {7, 0x6f296bc3f2781109, 0x7734d504e5272a20, 0x75cf60a7f1c2eb0d},
    {8, 0x2f3c2feaecfb8229, 0x0546f68c616d7d3a, 0x59ff517b5456d4f9},
    {15, 0x319e0df4926db491, 0x171c3157c54f1618, 0x0aa7fda4b704c9cb},
    {16, 0x0935c33c50c919d9, 0x2a0c60b4a07f04d1, 0xc655f4d15be43a64},
    {17, 0x6b5e445e8ed84690, 0x7161394e439a80ec, 0xebfcb74929ee62bf},
    {31, 0x26e1af36b767e2f3, 0x28d9168e81af93ba, 0xac7a16a92b757b84},
    {32, 0x37679234ee53fb79, 0x238e3c465d5d1c25, 0x5f6f140407fba5ba},
    {33, 0x52080bd8fd3c12ed, 0x17ae72f308e2abeb, 0x3fa7c53395decfbc},
    {64, 0x06e2391d4f3ae327, 0x08a2bae18f71d37b, 0x72500651d2a6eece},
    {65, 0x2c8a7a850513fd3d, 0x507f85ca037c86b9, 0x1214f54c6374eb2a},
    {128, 0x08d8142de17f6e45, 0x463cf500c361ff06, 0x1e348efb22ed675a},
    {129, 0x2468b69f586f98a6, 0x573560af208a6947, 0xd47ca97f6d702a6c},
    {500, 0x37557e4c26fbd9ef, 0x3adc605d4b60324f, 0x86540e987cb2f04d},
};
/* clang-format on */
static const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

static void test_hash__known_values(void **state UNUSED)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        char text[500];
        for (int k = 0; k < known[i].n; k++)
            text[k] = (char)((7 * k + known[i].n) % 251);
        struct str s = str_make(text, (size_t)known[i].n);
        assert_true(hash_farm64(s) % INT64_MAX == known[i].farm);
        assert_true(hash_sip24(s, key) % INT64_MAX == known[i].sip);
        assert_true(hash_murmur64(s, 0xe17a1465) == known[i].murmur);
    }
}

static void test_hash__sip_of_the_paper(void **state UNUSED)
{
    char text[15];
    for (int i = 0; i < 15; i++)
        text[i] = (char)i;
    assert_true(hash_sip24(str_make(text, 15), key) == 0xa129ca6149be45e5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash__known_values),
        cmocka_unit_test(test_hash__sip_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
