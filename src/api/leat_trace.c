/* SPDX-License-Identifier: Apache-2.0 */
/* leat_chrome_trace: a step's RunMetadata in the form that trace viewers read. */
#include "api/api_impl.h"
#include "base/mem.h"
#include "leat/run.h"
#include "runtime/trace.h"

TF_Buffer *leat_chrome_trace(const TF_Buffer *run_metadata, TF_Status *status)
{
    struct status st = {0};
    struct strbuf json = {0};
    TF_Buffer *out = NULL;
    if (!run_metadata || (!run_metadata->data && run_metadata->length > 0)) {
        status_invalid(&st, "leat_chrome_trace: no RunMetadata");
    } else if (trace_chrome(run_metadata->data, run_metadata->length, &json, &st)) {
        out = TF_NewBuffer();
        if (!api_fill_buffer(out, &json, &st)) {
            TF_DeleteBuffer(out);
            out = NULL;
        }
    }
    strbuf_release(&json);
    api_return(status, &st);
    return out;
}
