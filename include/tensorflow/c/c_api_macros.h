/* SPDX-License-Identifier: Apache-2.0 */
/* What all public C headers share: symbol visibility and C linkage, and the words that their
 * comments use.
 *
 * Each comment says what a function does, then, where it is not plain, who owns what, from which
 * threads it may be called, and how it fails:
 * - "Any thread": at any time, while other threads use the same objects.
 * - "One thread": the caller sees to it that no other thread uses the object during the call.
 * - A pointer that is passed in stays the caller's and is not kept after the return, unless the
 *   comment says "takes" or "keeps". "The caller frees with X" is said of what is returned.
 * - A TF_Status belongs to one thread. A function that has one sets it, to TF_OK too; the other
 *   outputs mean something only when it is TF_OK. "Errors" names the codes to be expected.
 * - A release function (TF_Delete...) accepts NULL and does nothing then. */
#ifndef TENSORFLOW_C_C_API_MACROS_H_
#define TENSORFLOW_C_C_API_MACROS_H_

#ifndef TF_CAPI_EXPORT
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#endif
