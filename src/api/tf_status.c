/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Status: struct status in the hands of a client. NULL is accepted everywhere. */
#include "api/api_tensor.h"
#include "base/mem.h"

void api_return(TF_Status *out, struct status *st)
{
    if (!out) {
        status_clear(st);
        return;
    }
    status_clear(&out->s);
    status_move(&out->s, st);
}

TF_Status *TF_NewStatus(void)
{
    return mem_new(struct TF_Status);
}

void TF_DeleteStatus(TF_Status *s)
{
    if (s)
        status_clear(&s->s);
    mem_free(s);
}

void TF_SetStatus(TF_Status *s, TF_Code code, const char *msg)
{
    struct status st = {0};
    if (code != TF_OK)
        status_fail(&st, (int)code, "%s", msg ? msg : "");
    api_return(s, &st);
}

TF_Code TF_GetCode(const TF_Status *s)
{
    return s ? (TF_Code)s->s.code : TF_INVALID_ARGUMENT;
}

const char *TF_Message(const TF_Status *s)
{
    return s ? status_message(&s->s) : "";
}
