/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes. */
#ifndef LEAT_IO_FILE_H
#define LEAT_IO_FILE_H

#include "base/status.h"

/* The whole file, unpacked when it is a gzip file; at most `limit` bytes of either form. The caller
 * frees *bytes with mem_free. NOT_FOUND, PERMISSION_DENIED, DATA_LOSS and RESOURCE_EXHAUSTED name
 * the path. */
MUST_CHECK bool file_read(const char *path, size_t limit, char **bytes, size_t *n,
                          struct status *st);

#endif
