/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Server: a task of a cluster in this process, from a ServerDef (TF_NewServer) or from what
 * leat_server_new takes. */
#include <stdlib.h>
#include <string.h>

#include "api/api_tensor.h"
#include "base/mem.h"
#include "dist/server.h"
#include "leat/cluster.h"
#include "proto/leat_proto.h"
#include "tensorflow/c/c_api_session.h"

enum { SLURM_PORT = 8888 };

struct TF_Server {
    struct server *s;
};

static TF_Server *wrap(struct server *s)
{
    TF_Server *out = s ? mem_new(TF_Server) : NULL;
    if (out)
        out->s = s;
    return out;
}

/* --- from a ServerDef --- */

static bool spec_from_bytes(const void *proto, size_t n, struct spec *out, struct status *st)
{
    struct arena a = {0};
    struct pb_server_def *def = NULL;
    struct status why = {0};
    bool ok = false;
    *out = (struct spec){0};
    if ((!proto && n) || !pb_server_def_decode(&a, proto ? proto : "", n, PB_BORROW, &def, &why))
        status_invalid(st, "Could not parse provided bytes into a ServerDef protocol buffer");
    else if (!str_starts(def->protocol, "grpc"))
        status_not_found(
            st, "No server factory registered for the given ServerDef: protocol '%.*s'",
            (int)min_i64((int64_t)def->protocol.n, 100), def->protocol.n ? def->protocol.p : "");
    else
        ok = spec_from_server_def(def, out, st);
    status_clear(&why);
    arena_release(&a);
    return ok;
}

TF_Server *TF_NewServer(const void *proto, size_t proto_len, TF_Status *status)
{
    struct status st = {0};
    struct spec spec;
    TF_Server *out = NULL;
    if (spec_from_bytes(proto, proto_len, &spec, &st))
        out = wrap(server_new(&(struct server_options){.spec = &spec}, &st));
    spec_clear(&spec);
    api_return(status, &st);
    return out;
}

/* --- from flags and the environment --- */

static const char *get_env(const char *name)
{
    const char *v = getenv(name);
    return v && v[0] ? v : NULL;
}

static bool read_spec(const struct leat_server_args *a, struct spec *out, struct status *st)
{
    const char *tf_config = a->tf_config ? a->tf_config : get_env("TF_CONFIG");
    int port = a->slurm_port > 0 ? a->slurm_port : SLURM_PORT;
    *out = (struct spec){0};
    if (a->cluster)
        return spec_from_text(a->cluster, out, st);
    if (a->server_def)
        return spec_from_bytes(a->server_def->data, a->server_def->length, out, st);
    if (a->slurm && !a->tf_config)
        return spec_from_slurm(a->slurm, port, get_env, out, st);
    if (tf_config)
        return spec_from_tf_config(tf_config, out, st);
    if (get_env("SLURM_PROCID"))
        return spec_from_slurm(get_env("LEAT_SLURM") ? get_env("LEAT_SLURM") : "ps=1;worker=*",
                               port, get_env, out, st);
    return status_invalid(st, "no cluster is given: neither here, nor by TF_CONFIG, nor by Slurm");
}

static bool read_task(const struct leat_server_args *a, struct spec *spec, struct status *st)
{
    if (a->job)
        return spec_set_task(spec, a->job, a->task, st);
    return spec->job || status_invalid(st, "which task of the cluster this is was not said");
}

/* Of those that a ServerDef may name, Leat has these. */
static bool read_protocol(const struct leat_server_args *a, struct spec *spec, struct status *st)
{
    const char *wanted = a->protocol      ? a->protocol
                         : spec->protocol ? NULL
                                          : get_env("LEAT_PROTOCOL");
    if (!wanted)
        return true;
    if (strcmp(wanted, "grpc") != 0 && strcmp(wanted, "grpc+ucx") != 0)
        return status_not_found(st,
                                "No server factory registered for protocol '%.100s'; there "
                                "are grpc and grpc+ucx",
                                wanted);
    mem_free(spec->protocol);
    spec->protocol = mem_strdup(wanted);
    return true;
}

static char *unconst(const char *s)
{
    return (char *)(uintptr_t)s;
}

TF_Server *leat_server_new(const struct leat_server_args *args, TF_Status *status)
{
    static const struct leat_server_args none;
    const struct leat_server_args *a = args ? args : &none;
    struct status st = {0};
    struct spec spec;
    struct rpc_security security = {.cert_file = unconst(a->tls_cert),
                                    .key_file = unconst(a->tls_key),
                                    .ca_file = unconst(a->tls_ca),
                                    .token_file = unconst(a->token_file),
                                    .insecure = a->insecure != 0};
    bool own = a->tls_cert || a->tls_key || a->tls_ca || a->token_file || a->insecure;
    struct server_options o = {
        .spec = &spec,
        .bind = a->bind,
        .security = own ? &security : NULL,
        .standbys = a->standbys,
        .standby_of = a->standby_of,
        .witness = a->witness,
        .deadlines = {.failure_ms = a->failure_deadline_ms, .start_ms = a->start_timeout_ms}};
    TF_Server *out = NULL;
    if (read_spec(a, &spec, &st) && read_task(a, &spec, &st) && read_protocol(a, &spec, &st))
        out = wrap(server_new(&o, &st));
    spec_clear(&spec);
    api_return(status, &st);
    return out;
}

const char *leat_server_name(const TF_Server *server)
{
    return server ? server_name(server->s) : "";
}

/* --- life --- */

static void on_server(TF_Server *server, bool (*f)(struct server *s, struct status *st),
                      const char *function, TF_Status *status)
{
    struct status st = {0};
    if (server)
        (void)!f(server->s, &st);
    else
        status_invalid(&st, "%s: no server", function);
    api_return(status, &st);
}

void TF_ServerStart(TF_Server *server, TF_Status *status)
{
    on_server(server, server_start, "TF_ServerStart", status);
}

void TF_ServerStop(TF_Server *server, TF_Status *status)
{
    on_server(server, server_stop, "TF_ServerStop", status);
}

void TF_ServerJoin(TF_Server *server, TF_Status *status)
{
    on_server(server, server_join, "TF_ServerJoin", status);
}

const char *TF_ServerTarget(TF_Server *server)
{
    return server ? server_target(server->s) : "";
}

void TF_DeleteServer(TF_Server *server)
{
    if (!server)
        return;
    server_free(server->s);
    mem_free(server);
}
