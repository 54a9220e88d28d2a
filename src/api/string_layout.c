/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of string tensors: one for a process, settled by whoever asks first. A process that
 * loads libtensorflow.so.2 asks for TF_TString before main; one that says nothing gets 1.15's with
 * its first string. Two that contradict are remembered, and no string passes any more: nothing in a
 * tensor tells which layout it has. */
#include "api/string_layout.h"

#include <inttypes.h>
#include <string.h>

#include "api/tensor_bytes.h"
#include "leat/strings.h"
#include "tensorflow/c/tf_tstring.h"

_Static_assert(sizeof(TF_TString) == sizeof(struct tstr), "TF_TString has another size");
_Static_assert(offsetof(TF_TString, u.large.ptr) == offsetof(struct tstr, large.text),
               "TF_TString has another layout");

static int asked;        /* atomic: bits of STRINGS_*; both: a contradiction */
static int saw_tstrings; /* atomic */

static bool fail_mixed(struct status *st)
{
    return status_precondition(
        st, "String tensors: TensorFlow 1.15's layout is in use in this process and TF_TString's "
            "is, too. A process can use one of them: libtensorflow.so.2 is not to be loaded beside "
            "libtensorflow.so.1 or libleat.so");
}

int string_layout_use(struct status *st)
{
    int now = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    if (UNLIKELY(now == 0)) {
        __atomic_compare_exchange_n(&asked, &now, STRINGS_OFFSETS, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
        now = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    }
    if (now == (STRINGS_OFFSETS | STRINGS_TSTRING))
        return (int)fail_mixed(st);
    return now;
}

bool string_layout_want(int layout, struct status *st)
{
    int now = string_layout_use(st);
    if (now == 0 || now == layout)
        return now != 0;
    return status_precondition(st,
                               layout == STRINGS_OFFSETS
                                   ? "This function is for TensorFlow 1.15's string tensors, but "
                                     "the process uses TF_TString's layout (libtensorflow.so.2)"
                                   : "This function is for string tensors of TF_TString's layout, "
                                     "but the process uses TensorFlow 1.15's");
}

void string_layout_saw_tstring(void)
{
    if (UNLIKELY(!__atomic_load_n(&saw_tstrings, __ATOMIC_RELAXED)))
        __atomic_store_n(&saw_tstrings, 1, __ATOMIC_RELAXED);
}

void string_layout_hint(struct status *st)
{
    if (__atomic_load_n(&saw_tstrings, __ATOMIC_RELAXED))
        status_append(st, " (the program calls TF_TString functions, but the process uses "
                          "TensorFlow 1.15's layout: load libtensorflow.so.2, or call "
                          "leat_set_string_layout)");
}

int leat_get_string_layout(void)
{
    int now = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    return now == STRINGS_TSTRING ? LEAT_STRINGS_TSTRING : LEAT_STRINGS_OFFSETS;
}

int leat_set_string_layout(int layout, TF_Status *status)
{
    struct status st = {0};
    if (layout != LEAT_STRINGS_OFFSETS && layout != LEAT_STRINGS_TSTRING) {
        status_invalid(&st, "leat_set_string_layout: there is no layout %d", layout);
    } else if (!status) {
        if (__atomic_fetch_or(&asked, layout, __ATOMIC_ACQ_REL) & ~layout)
            (void)fail_mixed(&st);
    } else {
        int none = 0;
        if (!__atomic_compare_exchange_n(&asked, &none, layout, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE) &&
            none != layout)
            (void)fail_mixed(&st);
    }
    int ok = status_ok(&st);
    api_return(status, &st);
    return ok;
}

/* --- elements --- */

bool api_strings_fit(const TF_Tensor *t, int layout, struct status *st)
{
    size_t each = layout == STRINGS_OFFSETS ? sizeof(uint64_t) : sizeof(TF_TString);
    if ((uint64_t)t->num_elems <= t->bytes / each)
        return true;
    status_invalid(st, "Malformed TF_STRING tensor; too short to hold number of elements");
    if (layout == STRINGS_OFFSETS)
        string_layout_hint(st);
    return false;
}

/* 1.15's: offsets, then at each a length and the bytes. */
static bool offset_string(const TF_Tensor *t, int64_t i, struct str *out, struct status *st)
{
    const char *base = t->data;
    size_t head = (size_t)t->num_elems * sizeof(uint64_t), area = t->bytes - head, used;
    uint64_t offset;
    memcpy(&offset, base + (size_t)i * sizeof(offset), sizeof(offset));
    if (offset >= area)
        status_invalid(st, "Malformed TF_STRING tensor; element %" PRId64 " out of range", i);
    else if (!api_string_decode(base + head + offset, area - (size_t)offset, out, &used))
        status_invalid(st, "invalid string encoding or truncated src buffer");
    else
        return true;
    string_layout_hint(st);
    return false;
}

/* Bytes at a distance are those of the tensor's own memory, or those of an attacker. */
static bool is_inside(const TF_Tensor *t, const char *from, size_t distance, size_t n)
{
    size_t room = t->bytes - (size_t)(from - (const char *)t->data);
    return distance <= room && n <= room - distance;
}

/* The client's bytes may lie at any address. */
static bool tstring_at(const TF_Tensor *t, int64_t i, struct str *out, struct status *st)
{
    const char *from = (const char *)t->data + (size_t)i * sizeof(TF_TString);
    TF_TString s;
    memcpy(&s, from, sizeof s);
    TF_TString_Type type = TF_TString_GetType(&s);
    size_t n = TF_TString_GetSize(&s);
    bool ok = true;
    if (type == TF_TSTR_SMALL) {
        *out = str_make(from + offsetof(TF_TString, u.smll.str), n);
        ok = n < sizeof s.u.smll.str;
    } else if (type == TF_TSTR_OFFSET) {
        *out = str_make(from + s.u.offset.offset, n);
        ok = is_inside(t, from, s.u.offset.offset, n);
    } else {
        *out = str_make(TF_TString_GetDataPointer(&s), n);
        ok = n == 0 || out->p;
    }
    return ok || status_invalid(
                     st, "Malformed TF_STRING tensor; element %" PRId64 " is no TF_TString", i);
}

bool api_string_at(const TF_Tensor *t, int layout, int64_t i, struct str *out, struct status *st)
{
    return layout == STRINGS_OFFSETS ? offset_string(t, i, out, st) : tstring_at(t, i, out, st);
}

int leat_tensor_string_at(const TF_Tensor *tensor, int64_t index, const char **text, size_t *n,
                          TF_Status *status)
{
    struct status st = {0};
    struct str s = {0};
    int layout = 0;
    if (!tensor || tensor->dtype != DT_STRING)
        status_invalid(&st, "leat_tensor_string_at: no string tensor");
    else if (index < 0 || index >= tensor->num_elems)
        status_fail(&st, STATUS_OUT_OF_RANGE,
                    "leat_tensor_string_at: element %" PRId64 " of %" PRId64, index,
                    tensor->num_elems);
    else
        layout = string_layout_use(&st);
    bool ok = layout && api_strings_fit(tensor, layout, &st) &&
              api_string_at(tensor, layout, index, &s, &st);
    if (ok && text)
        *text = s.n ? s.p : "";
    if (ok && n)
        *n = s.n;
    api_return(status, &st);
    return ok;
}
