/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Server: a task of a cluster in this process. There is no cluster yet: a ServerDef is read and
 * checked, and then refused; so no TF_Server exists, and what asks something of one is told so. */
#include "api/api_tensor.h"
#include "proto/leat_proto.h"
#include "tensorflow/c/c_api_session.h"

static void refuse(TF_Status *status, const char *function)
{
    struct status st = {0};
    status_unimplemented(&st, "%s: servers are not there in this version of Leat", function);
    api_return(status, &st);
}

TF_Server *TF_NewServer(const void *proto, size_t proto_len, TF_Status *status)
{
    struct status st = {0}, why = {0};
    struct arena a = {0};
    struct pb_server_def *def = NULL;
    if ((!proto && proto_len) ||
        !pb_server_def_decode(&a, proto ? proto : "", proto_len, PB_BORROW, &def, &why))
        status_invalid(&st, "Could not parse provided bytes into a ServerDef protocol buffer");
    else if (!str_starts(def->protocol, "grpc"))
        status_not_found(
            &st, "No server factory registered for the given ServerDef: protocol '%.*s'",
            (int)min_i64((int64_t)def->protocol.n, 100), def->protocol.n ? def->protocol.p : "");
    else
        status_unimplemented(&st, "TF_NewServer: servers are not there in this version of Leat");
    status_clear(&why);
    arena_release(&a);
    api_return(status, &st);
    return NULL;
}

void TF_ServerStart(TF_Server *server UNUSED, TF_Status *status)
{
    refuse(status, "TF_ServerStart");
}

void TF_ServerStop(TF_Server *server UNUSED, TF_Status *status)
{
    refuse(status, "TF_ServerStop");
}

void TF_ServerJoin(TF_Server *server UNUSED, TF_Status *status)
{
    refuse(status, "TF_ServerJoin");
}

const char *TF_ServerTarget(TF_Server *server UNUSED)
{
    return "";
}

void TF_DeleteServer(TF_Server *server UNUSED)
{
}
