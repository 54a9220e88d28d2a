/* SPDX-License-Identifier: Apache-2.0 */
/* What the system said about a file, as a status. */
#ifndef LEAT_IO_OS_ERROR_H
#define LEAT_IO_OS_ERROR_H

#include "base/status.h"

/* "PATH; No such file or directory", with TensorFlow's code for this errno. Always false. */
bool os_error(const char *path, int error, struct status *st);
/* The same with a text of its own: "PATH: writing at offset 7; No space left on device". */
bool os_fail(struct status *st, int error, const char *what_fmt, ...) PRINTF_LIKE(3, 4);

#endif
