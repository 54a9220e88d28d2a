/* SPDX-License-Identifier: Apache-2.0 */
/* Proof of the token: the hash against published vectors, and what a server takes and refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "dist/rpc_auth.h"

static struct status st;

static void assert_fails(int code, const char *words)
{
    assert_int_equal(st.code, code);
    assert_non_null(strstr(status_message(&st), words));
    status_clear(&st);
}

static void assert_hex(const uint8_t *p, const char *hex)
{
    char text[2 * SHA256_BYTES + 1];
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", p[i]);
    assert_string_equal(text, hex);
}

static void test_hmac__agrees_with_the_standards(void **state UNUSED)
{
    uint8_t out[SHA256_BYTES];
    struct sha256 s;
    sha256_init(&s);
    sha256_add(&s, "abc", 3);
    sha256_end(&s, out);
    assert_hex(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_init(&s);
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 10; k++)
            sha256_add(&s,
                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                       100);
    sha256_end(&s, out);
    assert_hex(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    /* RFC 4231, cases 2 and 6 */
    const struct str two[] = {str_of("what do ya want "), str_of("for nothing?")};
    hmac_sha256(str_of("Jefe"), two, 2, out);
    assert_hex(out, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    char key[131];
    memset(key, 0xaa, sizeof key);
    const struct str six = str_of("Test Using Larger Than Block-Size Key - Hash Key First");
    hmac_sha256(str_make(key, sizeof key), &six, 1, out);
    assert_hex(out, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static struct auth_session begin(struct auth_server *s, const char *token)
{
    uint8_t hello[AUTH_HELLO], welcome[AUTH_WELCOME];
    struct auth_session session = {0};
    assert_true(auth_hello(hello, &st));
    assert_true(auth_welcome(s, str_make((char *)hello, sizeof hello), welcome, &st));
    if (auth_begin(str_of(token), hello, str_make((char *)welcome, sizeof welcome), &session, &st))
        assert_true(status_ok(&st));
    return session;
}

static bool check(struct auth_server *s, const char *path, const char *proof)
{
    return auth_check(s, str_of(path), str_of(proof), &st);
}

static void test_auth__proofs_hold_once_and_for_their_path(void **state UNUSED)
{
    struct auth_server *s = auth_server_new(str_of("secret"));
    struct auth_session c = begin(s, "secret");
    char one[AUTH_PROOF + 1], two[AUTH_PROOF + 1], three[AUTH_PROOF + 1];
    auth_prove(&c, "/a", one);
    auth_prove(&c, "/a", two);
    auth_prove(&c, "/b", three);
    assert_true(check(s, "/b", three));
    assert_true(check(s, "/a", one)); /* overtaken */
    assert_false(check(s, "/a", one));
    assert_fails(STATUS_UNAUTHENTICATED, "came before");
    assert_false(check(s, "/b", two));
    assert_fails(STATUS_UNAUTHENTICATED, "wrong proof");
    assert_true(check(s, "/a", two));
    for (int i = 0; i < 2 * AUTH_WINDOW; i++)
        auth_prove(&c, "/a", one);
    auth_prove(&c, "/a", two);
    assert_true(check(s, "/a", two));
    assert_true(check(s, "/a", one));
    assert_false(check(s, "/b", three));
    assert_fails(STATUS_UNAUTHENTICATED, "came before");
    auth_server_free(s);
}

static void test_auth__another_token_is_noticed_at_both_ends(void **state UNUSED)
{
    struct auth_server *s = auth_server_new(str_of("secret"));
    (void)begin(s, "other");
    assert_fails(STATUS_UNAUTHENTICATED, "another token");
    struct auth_session c = begin(s, "secret");
    char proof[AUTH_PROOF + 1];
    c.key[3] ^= 1;
    auth_prove(&c, "/a", proof);
    assert_false(check(s, "/a", proof));
    assert_fails(STATUS_UNAUTHENTICATED, "wrong proof");
    auth_server_free(s);
}

static void test_auth__a_restarted_server_knows_no_session(void **state UNUSED)
{
    struct auth_server *s = auth_server_new(str_of("secret"));
    struct auth_session c = begin(s, "secret");
    auth_server_free(s);
    s = auth_server_new(str_of("secret"));
    char proof[AUTH_PROOF + 1];
    auth_prove(&c, "/a", proof);
    assert_false(check(s, "/a", proof));
    assert_fails(STATUS_UNAVAILABLE, "restarted");
    auth_server_free(s);
}

static void test_auth__strangers_do_not_crowd_out_who_proved_himself(void **state UNUSED)
{
    struct auth_server *s = auth_server_new(str_of("secret"));
    struct auth_session c = begin(s, "secret");
    char proof[AUTH_PROOF + 1];
    auth_prove(&c, "/a", proof);
    assert_true(check(s, "/a", proof));
    uint8_t hello[AUTH_HELLO] = {AUTH_VERSION}, welcome[AUTH_WELCOME];
    for (int i = 0; i < 2 * AUTH_MAX_SESSIONS; i++)
        assert_true(auth_welcome(s, str_make((char *)hello, sizeof hello), welcome, &st));
    auth_prove(&c, "/a", proof);
    assert_true(check(s, "/a", proof));
    auth_server_free(s);
}

static void test_auth__damaged_texts_are_refused(void **state UNUSED)
{
    struct auth_server *s = auth_server_new(str_of("secret"));
    struct auth_session c = begin(s, "secret");
    uint8_t welcome[AUTH_WELCOME];
    char proof[AUTH_PROOF + 2], bad[AUTH_PROOF + 2];
    auth_prove(&c, "/a", proof);
    for (size_t n = 0; n < AUTH_PROOF; n++) {
        assert_false(auth_check(s, str_of("/a"), str_make(proof, n), &st));
        status_clear(&st);
        memcpy(bad, proof, sizeof proof);
        bad[n] = bad[n] == '0' ? '1' : bad[n] == '.' ? '0' : '.';
        assert_false(check(s, "/a", bad));
        status_clear(&st);
        assert_false(auth_welcome(s, str_make(proof, n == AUTH_HELLO ? 0 : n), welcome, &st));
        status_clear(&st);
    }
    assert_true(check(s, "/a", proof));
    auth_server_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hmac__agrees_with_the_standards),
        cmocka_unit_test(test_auth__proofs_hold_once_and_for_their_path),
        cmocka_unit_test(test_auth__another_token_is_noticed_at_both_ends),
        cmocka_unit_test(test_auth__a_restarted_server_knows_no_session),
        cmocka_unit_test(test_auth__strangers_do_not_crowd_out_who_proved_himself),
        cmocka_unit_test(test_auth__damaged_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
