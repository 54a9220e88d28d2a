/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of gRPC core that Leat calls, found by name in the opened library, and the threads
 * that serve the network. Included by rpc_grpc_*.c alone, where the library's header is at hand.
 *
 * There is one completion queue in the process and a fixed few threads on it, started by the first
 * server or channel and kept for good. What they pop is a struct net_tag, embedded in whatever
 * waits for the event. */
#ifndef LEAT_DIST_RPC_GRPC_API_H
#define LEAT_DIST_RPC_GRPC_API_H

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>

#include "dist/rpc.h"
#include "dist/rpc_security.h"

/* clang-format off */
#define RPC_GRPC_TABLE(X) \
    X(grpc_init) X(grpc_completion_queue_create_for_next) X(grpc_completion_queue_next)     \
    X(grpc_channel_create) X(grpc_channel_destroy) X(grpc_channel_create_call)              \
    X(grpc_call_start_batch) X(grpc_call_cancel) X(grpc_call_unref) X(grpc_call_get_peer)   \
    X(grpc_server_create) X(grpc_server_register_completion_queue)                          \
    X(grpc_server_register_method) X(grpc_server_request_registered_call)                   \
    X(grpc_server_request_call) X(grpc_server_add_http2_port) X(grpc_server_start)          \
    X(grpc_server_shutdown_and_notify) X(grpc_server_cancel_all_calls)                      \
    X(grpc_server_destroy)                                                                  \
    X(grpc_insecure_credentials_create) X(grpc_insecure_server_credentials_create)          \
    X(grpc_channel_credentials_release) X(grpc_server_credentials_release)                  \
    X(grpc_ssl_credentials_create_ex) X(grpc_ssl_server_credentials_create_ex)              \
    X(grpc_metadata_array_init) X(grpc_metadata_array_destroy)                              \
    X(grpc_call_details_init) X(grpc_call_details_destroy)                                  \
    X(grpc_raw_byte_buffer_create) X(grpc_byte_buffer_destroy) X(grpc_byte_buffer_length)   \
    X(grpc_byte_buffer_reader_init) X(grpc_byte_buffer_reader_peek)                         \
    X(grpc_byte_buffer_reader_destroy)                                                      \
    X(grpc_slice_new_with_user_data) X(grpc_slice_from_copied_buffer)                       \
    X(grpc_slice_from_static_buffer) X(grpc_slice_unref)                                    \
    X(gpr_now) X(gpr_time_add) X(gpr_time_from_millis) X(gpr_inf_future) X(gpr_inf_past)    \
    X(gpr_free) X(gpr_set_log_function)
/* clang-format on */

struct rpc_grpc {
#define X(name) __typeof__(&name) name;
    RPC_GRPC_TABLE(X)
#undef X
    grpc_completion_queue *queue;
};

/* What a popped event calls; it may free itself. ok: false where the operation failed. Whoever
 * hands a tag to gRPC calls net_tag_begin first: what was written before is then seen by the thread
 * that pops it (gRPC's own order between threads is not seen by thread checkers). */
struct net_tag {
    void (*fire)(struct net_tag *tag, bool ok);
    bool begun; /* atomic */
};
static inline void *net_tag_begin(struct net_tag *tag)
{
    __atomic_store_n(&tag->begun, true, __ATOMIC_RELEASE);
    return tag;
}

/* The library, with its threads running. NULL: UNIMPLEMENTED saying what is missing, or
 * FAILED_PRECONDITION in the child of a fork. */
const struct rpc_grpc *rpc_grpc_start(struct status *st) MUST_CHECK;
/* Whether the calling thread is one of those that serve the network. */
bool rpc_grpc_on_network_thread(void);

/* TLS where the secrets have a certificate (of the client: or an authority), else plain text. A
 * server whose secrets have an authority wants certificates of its clients. NULL: not PEM. */
grpc_channel_credentials *rpc_grpc_channel_credentials(const struct rpc_secrets *s);
grpc_server_credentials *rpc_grpc_server_credentials(const struct rpc_secrets *s);
/* The value of a metadata key; empty: not there. */
struct str rpc_grpc_metadata_find(const grpc_metadata_array *a, const char *key);

/* The message as gRPC's slices, not copied; m is empty after. */
grpc_byte_buffer *rpc_grpc_pack(struct rpc_msg *m);
/* The pieces of what was received; the buffer (may be NULL) is the message's from here on. */
void rpc_grpc_unpack(grpc_byte_buffer *buffer, struct rpc_msg *m);
/* Milliseconds from now; 0: never. */
gpr_timespec rpc_grpc_deadline(int64_t timeout_ms);
/* The arguments that servers and channels share. */
enum { RPC_GRPC_MAX_ARGS = 24 };
struct rpc_grpc_args {
    grpc_arg v[RPC_GRPC_MAX_ARGS];
    size_t n;
};
void rpc_grpc_arg_int(struct rpc_grpc_args *args, const char *key, int value);
void rpc_grpc_common_args(struct rpc_grpc_args *args);

#endif
