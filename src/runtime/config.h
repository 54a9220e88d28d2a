/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigProto and RunOptions as the runtime reads them, from binary or text protos. */
#ifndef LEAT_RUNTIME_CONFIG_H
#define LEAT_RUNTIME_CONFIG_H

#include "base/status.h"
#include "graph/pass.h"

enum { CONFIG_MAX_PLANS = 64, CONFIG_MAX_SHAPE_SETS = 8 };

struct config {
    char *target;      /* "" or NULL: in process */
    int cpu_devices;   /* device_count["CPU"], at least 1 */
    int intra_threads; /* 0: as many as the process may use */
    int inter_threads; /* 0: the same */
    bool soft_placement, log_placement, place_pruned_graph, isolate;
    bool per_session_threads;
    int64_t operation_timeout_ms; /* 0: none */
    struct pass_options passes;
    int max_plans;
    char **device_filters;
    int num_device_filters;
    char *proto; /* the serialized ConfigProto itself, for servers; owned */
    size_t proto_bytes;
};
void config_init(struct config *c); /* the defaults */
/* Binary ConfigProto, or its text form. */
MUST_CHECK bool config_parse(struct config *c, const void *bytes, size_t n, struct status *st);
struct config config_dup(const struct config *c);
void config_clear(struct config *c);

struct run_options {
    int trace_level; /* 0 none ... 3 full: step stats are kept */
    int64_t timeout_ms;
    int inter_op_pool;
    bool output_partition_graphs;
    bool report_oom_allocations;
    struct str debug; /* a serialized DebugOptions that watches something; owned, or empty */
};
/* The caller ends with run_options_clear, also after an error. */
MUST_CHECK bool run_options_parse(struct run_options *o, const void *bytes, size_t n,
                                  struct status *st);
void run_options_clear(struct run_options *o);

#endif
