/* SPDX-License-Identifier: Apache-2.0 */
/* Step stats: what ran when, on which thread; for RunMetadata and the Chrome trace. */
#ifndef LEAT_RUNTIME_TRACE_H
#define LEAT_RUNTIME_TRACE_H

#include "base/lock.h"
#include "runtime/plan.h"

struct trace_event {
    const struct plan_step *step;
    const struct plan_part *part;
    int64_t start_ns, end_ns, scheduled_ns;
    uint32_t thread;
    int num_outputs;
    int64_t bytes[4]; /* of the first outputs */
};
struct step_trace { /* one run's; thread-safe */
    struct lock lock;
    struct trace_event *events; /* guarded by lock */
    int64_t n, cap;
    int64_t begin_ns, begin_wall_us;
};
void trace_init(struct step_trace *t);
void trace_release(struct step_trace *t);
/* outputs may be NULL: nothing is said about them. */
void trace_add(struct step_trace *t, const struct plan_part *part, const struct plan_step *s,
               int64_t start_ns, int64_t end_ns, const struct tensor *outputs);
/* Appends a serialized RunMetadata with the StepStats to out. */
void trace_metadata(struct step_trace *t, const struct plan *p, struct strbuf *out);
/* The Chrome trace event form (chrome://tracing) of a serialized RunMetadata; appends JSON. */
MUST_CHECK bool trace_chrome(const void *metadata, size_t n, struct strbuf *out, struct status *st);

#endif
