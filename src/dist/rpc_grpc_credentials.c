/* SPDX-License-Identifier: Apache-2.0 */
/* needs: grpc */
/* Secrets in gRPC's form. */
#include "dist/rpc_grpc_api.h"

grpc_channel_credentials *rpc_grpc_channel_credentials(const struct rpc_secrets *s)
{
    struct status st = {0};
    const struct rpc_grpc *g = rpc_grpc_start(&st);
    status_clear(&st);
    if (!g)
        return NULL;
    if (!s->cert && !s->ca)
        return g->grpc_insecure_credentials_create();
    grpc_ssl_pem_key_cert_pair pair = {.private_key = s->key, .cert_chain = s->cert};
    return g->grpc_ssl_credentials_create_ex(s->ca, s->cert ? &pair : NULL, NULL, NULL);
}

grpc_server_credentials *rpc_grpc_server_credentials(const struct rpc_secrets *s)
{
    struct status st = {0};
    const struct rpc_grpc *g = rpc_grpc_start(&st);
    status_clear(&st);
    if (!g)
        return NULL;
    if (!s->cert)
        return g->grpc_insecure_server_credentials_create();
    grpc_ssl_pem_key_cert_pair pair = {.private_key = s->key, .cert_chain = s->cert};
    return g->grpc_ssl_server_credentials_create_ex(
        s->ca, &pair, 1,
        s->ca ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
              : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
        NULL);
}

static struct str slice_text(const grpc_slice *s)
{
    return str_make((const char *)GRPC_SLICE_START_PTR(*s), GRPC_SLICE_LENGTH(*s));
}

struct str rpc_grpc_metadata_find(const grpc_metadata_array *a, const char *key)
{
    for (size_t i = 0; i < a->count; i++)
        if (str_is(slice_text(&a->metadata[i].key), key))
            return slice_text(&a->metadata[i].value);
    return str_make("", 0);
}
