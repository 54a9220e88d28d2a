/* SPDX-License-Identifier: Apache-2.0 */
/* What the system said about a file, as a status. */
#ifndef LEAT_IO_OS_ERROR_H
#define LEAT_IO_OS_ERROR_H

#include "base/status.h"

/* "PATH; No such file or directory", with TensorFlow's code for this errno. Always false. */
bool os_error(const char *path, int error, struct status *st);

#endif
