/* SPDX-License-Identifier: Apache-2.0 */
/* Partial runs: TF_SessionPRunSetup, TF_SessionPRun, TF_DeletePRunHandle (runtime/partial.c). */
#include <string.h>

#include "api/api_values.h"
#include "base/mem.h"

static bool arrays_ok(TF_Session *session, const void *const *arrays, const int *counts, int n,
                      struct status *st)
{
    for (int i = 0; i < n; i++) {
        if (counts[i] < 0 || (counts[i] > 0 && !arrays[i]))
            return status_invalid(st, "partial run: a count of %d, or no array", counts[i]);
    }
    return session || status_invalid(st, "partial run: no session");
}

void TF_SessionPRunSetup(TF_Session *session, const TF_Output *inputs, int ninputs,
                         const TF_Output *outputs, int noutputs,
                         const TF_Operation *const *target_opers, int ntargets, const char **handle,
                         TF_Status *status)
{
    struct status st = {0};
    const void *const arrays[] = {inputs, outputs, target_opers, handle};
    if (handle)
        *handle = NULL;
    if (arrays_ok(session, arrays, (int[]){ninputs, noutputs, ntargets, 1}, 4, &st)) {
        struct run_args a = {.feeds = api_outputs(inputs),
                             .num_feeds = ninputs,
                             .fetches = api_outputs(outputs),
                             .num_fetches = noutputs,
                             .targets = (struct node *const *)(uintptr_t)target_opers,
                             .num_targets = ntargets};
        *handle = session_partial_setup(session->s, &a, &st);
    }
    api_return(status, &st);
}

void TF_SessionPRun(TF_Session *session, const char *handle, const TF_Output *inputs,
                    TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                    TF_Tensor **output_values, int noutputs,
                    const TF_Operation *const *target_opers, int ntargets, TF_Status *status)
{
    struct status st = {0};
    const void *const arrays[] = {inputs, input_values, outputs, output_values, target_opers};
    if (output_values && noutputs > 0)
        memset(output_values, 0, sizeof *output_values * (size_t)noutputs);
    if (!arrays_ok(session, arrays, (int[]){ninputs, ninputs, noutputs, noutputs, ntargets}, 5,
                   &st)) {
        api_return(status, &st);
        return;
    }
    struct api_values v;
    api_values_init(&v, ninputs, noutputs);
    struct run_args a = {.feeds = api_outputs(inputs),
                         .feed_values = v.feeds,
                         .num_feeds = ninputs,
                         .fetches = api_outputs(outputs),
                         .fetch_values = v.fetches,
                         .num_fetches = noutputs};
    bool ok = api_values_in(&v, inputs, input_values, &st) &&
              session_partial_run(session->s, handle, &a, &st) &&
              api_values_out(&v, output_values, &st);
    (void)ok; /* st says it */
    api_values_release(&v);
    api_return(status, &st);
}

void TF_DeletePRunHandle(const char *handle)
{
    mem_free((char *)(uintptr_t)handle);
}
