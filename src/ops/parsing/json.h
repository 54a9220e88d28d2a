/* SPDX-License-Identifier: Apache-2.0 */
/* An Example message as JSON, to its bytes. */
#ifndef LEAT_OPS_PARSING_JSON_H
#define LEAT_OPS_PARSING_JSON_H

#include "base/status.h"
#include "base/str.h"

/* Appends the message. Accepts what protobuf's reader does: names in either case style, single
 * quotes, keys without quotes, a comma at the end of a list, numbers as strings. INVALID_ARGUMENT
 * ("Error while parsing JSON: ..."), and out as it was. */
MUST_CHECK bool json_example(struct str json, struct strbuf *out, struct status *st);

#endif
