/* SPDX-License-Identifier: Apache-2.0 */
/* TLS, certificates of both ends, tokens over TLS and on plain channels, and who may bind where.
 * Certificates are made by the openssl command; without it, or gRPC, tests skip, counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "dist/rpc.h"
#include "dist/rpc_security.h"

#define WHO "/leat.Test/Who"

static struct status st;
static char folder[] = "/tmp/leat-rpc-XXXXXX";
static bool have_certificates;

static char *path_of(const char *name)
{
    return mem_printf("%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
    char *path = path_of(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    mem_free(path);
}

static bool command(const char *text)
{
    char *all = mem_printf("cd %s && ( %s ) >/dev/null 2>&1", folder, text);
    int rc = system(all); /* NOLINT: a fixed text */
    mem_free(all);
    return rc == 0;
}

/* Two authorities; the first signed a, the second b. */
static bool make_certificates(void)
{
    return command("set -e; for c in one two; do openssl req -x509 -newkey ec -pkeyopt "
                   "ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=$c -keyout $c.key -out "
                   "$c.pem; done; for p in one:a two:b; do c=${p%:*}; n=${p#*:}; openssl req "
                   "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$n -keyout "
                   "$n.key -out $n.csr; printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' "
                   ">$n.ext; openssl x509 -req -in $n.csr -CA $c.pem -CAkey $c.key "
                   "-CAcreateserial -days 2 -extfile $n.ext -out $n.pem; done");
}

static int make_folder(void **state UNUSED)
{
    assert_non_null(mkdtemp(folder));
    write_file("token", "open sesame\n");
    write_file("other", "open barley\n");
    write_file("empty", "\n");
    have_certificates = make_certificates();
    return 0;
}

static int remove_folder(void **state UNUSED)
{
    return command("rm -rf \"$PWD\"") ? 0 : -1;
}

/* Says whether the client is trusted. */
static void who(void *arg UNUSED, struct rpc_call *c)
{
    struct rpc_msg m = {0};
    rpc_msg_add_copy(&m, rpc_call_is_trusted(c) ? "known" : "stranger", 5);
    rpc_call_reply(c, &m, &(struct status){0});
}

static struct rpc_security security(const char *cert, const char *ca, const char *token)
{
    char *pem = cert ? mem_printf("%s.pem", cert) : NULL;
    char *key = cert ? mem_printf("%s.key", cert) : NULL;
    char *authority = ca ? mem_printf("%s.pem", ca) : NULL;
    struct rpc_security s = {.cert_file = cert ? path_of(pem) : NULL,
                             .key_file = cert ? path_of(key) : NULL,
                             .ca_file = ca ? path_of(authority) : NULL,
                             .token_file = token ? path_of(token) : NULL};
    mem_free(pem);
    mem_free(key);
    mem_free(authority);
    return s;
}

static void security_free(struct rpc_security *s)
{
    mem_free(s->cert_file);
    mem_free(s->key_file);
    mem_free(s->ca_file);
    mem_free(s->token_file);
}

static struct rpc_server *server_with(const char *address, const struct rpc_security *s)
{
    static const struct rpc_handler handlers[] = {{WHO, who, NULL}};
    const char *bind[] = {address};
    return rpc_server_new(
        &(struct rpc_server_options){
            .bind = bind, .num_bind = 1, .handlers = handlers, .num_handlers = 1, .security = s},
        &st);
}

static bool ask(struct rpc_channel *c)
{
    struct rpc_msg request = {0}, reply = {0};
    rpc_msg_add_copy(&request, "?", 1);
    bool ok = rpc_call_wait(c, WHO, &request, &(struct rpc_options){.fail_fast = true}, NULL,
                            &reply, &st);
    if (ok) {
        assert_int_equal(reply.bytes, 5);
        assert_memory_equal(reply.v[0].p, "known", 5);
    }
    rpc_msg_clear(&reply);
    return ok;
}

/* A server of one kind, asked thrice at once by a client of another: 0, or the code of the error.
 */
static int outcome(struct rpc_security server, struct rpc_security client)
{
    struct rpc_server *s = server_with("127.0.0.1:0", &server);
    assert_non_null(s);
    char *address = mem_printf("localhost:%d", rpc_server_port(s));
    struct rpc_channel *c = rpc_channel_new(address, &client, true, &st);
    assert_non_null(c);
    int code = 0;
    for (int i = 0; i < 3 && code == 0; i++)
        code = ask(c) ? 0 : st.code;
    status_clear(&st);
    rpc_channel_unref(c);
    rpc_server_free(s);
    mem_free(address);
    security_free(&server);
    security_free(&client);
    return code;
}

static void need_grpc(void)
{
    if (!rpc_available(&st)) {
        status_clear(&st);
        skip();
    }
}

static void need_certificates(void)
{
    need_grpc();
    if (!have_certificates)
        skip();
}

static void test_security__tokens_on_plain_channels(void **state UNUSED)
{
    need_grpc();
    assert_int_equal(outcome(security(NULL, NULL, "token"), security(NULL, NULL, "token")), 0);
    assert_int_equal(outcome(security(NULL, NULL, "token"), security(NULL, NULL, "other")),
                     STATUS_UNAUTHENTICATED);
    assert_int_equal(outcome(security(NULL, NULL, "token"), security(NULL, NULL, NULL)),
                     STATUS_UNAUTHENTICATED);
    assert_int_equal(outcome(security(NULL, NULL, NULL), security(NULL, NULL, "token")),
                     STATUS_UNAUTHENTICATED);
}

static void test_security__a_restarted_server_gets_a_new_session(void **state UNUSED)
{
    need_grpc();
    struct rpc_security both = security(NULL, NULL, "token");
    struct rpc_server *s = server_with("127.0.0.1:0", &both);
    char *address = mem_printf("127.0.0.1:%d", rpc_server_port(s));
    struct rpc_channel *c = rpc_channel_new(address, &both, true, &st);
    assert_true(ask(c));
    rpc_server_free(s);
    s = server_with(address, &both);
    assert_non_null(s);
    int tries = 0;
    while (!ask(c)) { /* the connection is lost, then the session */
        assert_int_equal(st.code, STATUS_UNAVAILABLE);
        status_clear(&st);
        assert_true(tries++ < 1000);
        usleep(1000);
    }
    rpc_channel_unref(c);
    rpc_server_free(s);
    mem_free(address);
    security_free(&both);
}

static void test_security__tls_of_one_end_and_of_both(void **state UNUSED)
{
    need_certificates();
    assert_int_equal(outcome(security("a", NULL, NULL), security(NULL, "one", NULL)), 0);
    assert_int_equal(outcome(security("a", "one", NULL), security("a", "one", NULL)), 0);
    /* another authority's server; a client without, and with another authority's certificate; no
     * TLS at all */
    assert_int_equal(outcome(security("b", NULL, NULL), security(NULL, "one", NULL)),
                     STATUS_UNAVAILABLE);
    assert_int_equal(outcome(security("a", "one", NULL), security(NULL, "one", NULL)),
                     STATUS_UNAVAILABLE);
    assert_int_equal(outcome(security("a", "one", NULL), security("b", "one", NULL)),
                     STATUS_UNAVAILABLE);
    assert_int_equal(outcome(security("a", NULL, NULL), security(NULL, NULL, NULL)),
                     STATUS_UNAVAILABLE);
}

static void test_security__tokens_over_tls(void **state UNUSED)
{
    need_certificates();
    assert_int_equal(outcome(security("a", NULL, "token"), security(NULL, "one", "token")), 0);
    assert_int_equal(outcome(security("a", NULL, "token"), security(NULL, "one", "other")),
                     STATUS_UNAUTHENTICATED);
    assert_int_equal(outcome(security("a", NULL, "token"), security(NULL, "one", NULL)),
                     STATUS_UNAUTHENTICATED);
}

static void test_security__files_that_are_none(void **state UNUSED)
{
    need_grpc();
    struct rpc_security s = security("nowhere", NULL, NULL);
    assert_null(server_with("127.0.0.1:0", &s));
    assert_int_equal(st.code, STATUS_NOT_FOUND);
    assert_non_null(strstr(status_message(&st), "nowhere.pem"));
    status_clear(&st);
    security_free(&s);
    s = security(NULL, NULL, "empty");
    assert_null(server_with("127.0.0.1:0", &s));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    assert_null(rpc_channel_new("127.0.0.1:1", &s, false, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    security_free(&s);
}

static void test_security__beyond_the_loopback_tls_is_needed(void **state UNUSED)
{
    need_grpc();
    struct rpc_security s = {0};
    assert_null(server_with("0.0.0.0:0", &s));
    assert_int_equal(st.code, STATUS_PERMISSION_DENIED);
    assert_non_null(strstr(status_message(&st), "export LEAT_INSECURE=1"));
    assert_non_null(strstr(status_message(&st), "export LEAT_TLS_CERT="));
    status_clear(&st);
    s.insecure = true;
    struct rpc_server *server = server_with("0.0.0.0:0", &s);
    assert_non_null(server);
    rpc_server_free(server);
}

static void test_security__loopback_is_known(void **state UNUSED)
{
    assert_true(rpc_is_loopback("127.0.0.1:0"));
    assert_true(rpc_is_loopback("127.3.2.1:2222"));
    assert_true(rpc_is_loopback("localhost:1"));
    assert_true(rpc_is_loopback("[::1]:1"));
    assert_true(rpc_is_loopback("unix:/run/x"));
    assert_false(rpc_is_loopback("0.0.0.0:0"));
    assert_false(rpc_is_loopback("[::]:0"));
    assert_false(rpc_is_loopback("128.0.0.1:0"));
    assert_false(rpc_is_loopback("127.evil.example:0"));
    assert_false(rpc_is_loopback("localhost.example:0"));
    assert_false(rpc_is_loopback(":0"));
    assert_false(rpc_is_loopback(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_security__tokens_on_plain_channels),
        cmocka_unit_test(test_security__a_restarted_server_gets_a_new_session),
        cmocka_unit_test(test_security__tls_of_one_end_and_of_both),
        cmocka_unit_test(test_security__tokens_over_tls),
        cmocka_unit_test(test_security__files_that_are_none),
        cmocka_unit_test(test_security__beyond_the_loopback_tls_is_needed),
        cmocka_unit_test(test_security__loopback_is_known),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
