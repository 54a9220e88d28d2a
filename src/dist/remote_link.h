/* SPDX-License-Identifier: Apache-2.0 */
/* A client's way to a master: over the network, or straight to that of a server of this process.
 * Calls wait for their answers, and end early by a cancellation or when the master's task is lost.
 *
 * Sessions with one target share a link. */
#ifndef LEAT_DIST_REMOTE_LINK_H
#define LEAT_DIST_REMOTE_LINK_H

#include "dist/wire.h"
#include "op/cancel.h"
#include "runtime/config.h"

struct link;
/* target: "grpc://host:port". INVALID_ARGUMENT for another form, UNIMPLEMENTED without gRPC. */
struct link *link_get(const char *target, struct status *st) MUST_CHECK;
/* How long to wait, past the time that a step has, for the master to say that it has ended it
 * everywhere; 0 for masters that do not. */
int64_t link_patience_ms(struct link *l);
void link_put(struct link *l); /* NULL is fine */

/* handle: for the caller to mem_free. */
char *link_create(struct link *l, const struct pb_graph_def *graph, const struct config *config,
                  struct cancel *cancel, struct status *st) MUST_CHECK;
MUST_CHECK bool link_extend(struct link *l, const char *session, const struct pb_graph_def *graph,
                            int64_t *version, struct cancel *cancel, struct status *st);

struct link_step {
    const char *session;
    const struct wire_value *feeds;
    int64_t num_feeds;
    const struct str *fetches, *targets; /* each once */
    int64_t num_fetches, num_targets;
    const char *partial;               /* NULL: a whole step */
    const struct run_options *options; /* may be NULL */
};
/* values by name, in any order; names lie in the arena. metadata: may be NULL. */
MUST_CHECK bool link_run(struct link *l, const struct link_step *s, struct cancel *cancel,
                         struct arena *a, struct wire_values *values, struct strbuf *metadata,
                         struct status *st);
/* Only the names of s. The handle is for the caller to mem_free. */
char *link_partial_setup(struct link *l, const struct link_step *s, struct cancel *cancel,
                         struct status *st) MUST_CHECK;
/* The message lies in the arena. */
MUST_CHECK bool link_devices(struct link *l, const char *session, struct cancel *cancel,
                             struct arena *a, struct pb_list_devices_response **out,
                             struct status *st);
MUST_CHECK bool link_close(struct link *l, const char *session, int64_t timeout_ms,
                           struct status *st);
MUST_CHECK bool link_reset(struct link *l, const char *const *containers, int n,
                           const struct config *config, struct status *st);

#endif
