/* SPDX-License-Identifier: Apache-2.0 */
/* TF_TString (tf_tstring.h): the strings of TensorFlow 2.4's tensors. The small and the large form
 * are struct tstr's; programs built against TensorFlow's header do the same to them inline, with
 * malloc, realloc and free. */
#include "tensorflow/c/tf_tstring.h"

#include <string.h>

#include "api/string_layout.h"

static struct tstr *own(TF_TString *s)
{
    return (struct tstr *)s;
}

TF_TString_Type TF_TString_GetType(const TF_TString *str)
{
    return (TF_TString_Type)(str ? str->u.raw.raw[0] & TF_TSTR_TYPE_MASK : TF_TSTR_SMALL);
}

void TF_TString_Init(TF_TString *str)
{
    string_layout_saw_tstring();
    if (str)
        memset(str, 0, sizeof *str);
}

void TF_TString_Dealloc(TF_TString *str)
{
    if (str)
        tstr_clear(own(str)); /* frees a large one alone */
}

void TF_TString_Copy(TF_TString *dst, const char *src, size_t size)
{
    struct tstr made = {0};
    string_layout_saw_tstring();
    if (!dst || (!src && size) || !tstr_set(&made, size ? src : "", size))
        return;
    tstr_clear(own(dst)); /* src may lie in it */
    memcpy(dst, &made, sizeof *dst);
}

void TF_TString_AssignView(TF_TString *dst, const char *src, size_t size)
{
    string_layout_saw_tstring();
    if (!dst)
        return;
    tstr_clear(own(dst));
    dst->u.view.size = size << 2 | TF_TSTR_VIEW;
    dst->u.view.ptr = src;
}

const char *TF_TString_GetDataPointer(const TF_TString *str)
{
    if (!str)
        return "";
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return str->u.smll.str;
    case TF_TSTR_LARGE:
        return str->u.large.ptr;
    case TF_TSTR_OFFSET:
        return (const char *)((uintptr_t)str + str->u.offset.offset);
    default:
        return str->u.view.ptr;
    }
}

size_t TF_TString_GetSize(const TF_TString *str)
{
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return str ? str->u.smll.size >> 2 : 0;
    case TF_TSTR_OFFSET:
        return str->u.offset.size >> 2;
    default:
        return str->u.large.size >> 2; /* a view's lies at the same place */
    }
}

size_t TF_TString_GetCapacity(const TF_TString *str)
{
    switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL:
        return sizeof str->u.smll.str - 1;
    case TF_TSTR_LARGE:
        return str->u.large.cap;
    default:
        return 0;
    }
}

/* --- the same by their other names --- */

void TF_StringInit(TF_TString *t)
{
    TF_TString_Init(t);
}

void TF_StringCopy(TF_TString *dst, const char *src, size_t size)
{
    TF_TString_Copy(dst, src, size);
}

void TF_StringAssignView(TF_TString *dst, const char *src, size_t size)
{
    TF_TString_AssignView(dst, src, size);
}

void TF_StringDealloc(TF_TString *tstr)
{
    TF_TString_Dealloc(tstr);
}

const char *TF_StringGetDataPointer(const TF_TString *tstr)
{
    return TF_TString_GetDataPointer(tstr);
}

size_t TF_StringGetSize(const TF_TString *tstr)
{
    return TF_TString_GetSize(tstr);
}

size_t TF_StringGetCapacity(const TF_TString *str)
{
    return TF_TString_GetCapacity(str);
}

TF_TString_Type TF_StringGetType(const TF_TString *str)
{
    return TF_TString_GetType(str);
}
