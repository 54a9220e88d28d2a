/* SPDX-License-Identifier: Apache-2.0 */
/* How a case gets its verdict; see harness.h. */
#include <stdarg.h>
#include <stdio.h>

#include "common/graphs.h"
#include "common/harness.h"

bool verdict_wrong(struct verdict *v, const char *fmt, ...)
{
    if (v->outcome != OUTCOME_PASSED)
        return false;
    char line[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    v->outcome = OUTCOME_WRONG;
    text_puts(&v->why, line);
    return false;
}

bool verdict_lacks(struct verdict *v, const struct graph_scan *scan, const TF_Status *status,
                   bool gradient)
{
    const char *message = TF_Message(status), *kind = NULL;
    TF_Code code = TF_GetCode(status);
    if (strstr(message, "No OpKernel was registered") || strstr(message, "No registered '"))
        kind = "kernel of";
    else if (gradient && (code == TF_NOT_FOUND || code == TF_UNIMPLEMENTED))
        kind = strstr(message, "radient") ? "gradient of" : NULL;
    else if (code == TF_UNIMPLEMENTED)
        kind = "part of";
    struct bytes op = graph_op_in_message(scan, message);
    if (v->outcome != OUTCOME_PASSED || !kind || op.n == 0)
        return false;
    v->outcome = OUTCOME_MISSING;
    text_printf(&v->missing, "%s %.*s\n", kind, (int)op.n, (const char *)op.p);
    text_puts(&v->why, message);
    return true;
}

bool verdict_ops_absent(struct verdict *v, const struct graph_scan *scan)
{
    if (v->outcome != OUTCOME_PASSED || graph_missing_ops(scan, &v->missing) == 0)
        return false;
    v->outcome = OUTCOME_MISSING;
    return true;
}
