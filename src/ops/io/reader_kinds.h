/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of readers that there are. */
#ifndef LEAT_OPS_IO_READER_KINDS_H
#define LEAT_OPS_IO_READER_KINDS_H

#include "ops/io/reader.h"

extern const struct reader_kind reader_whole_file, reader_identity, reader_lines, reader_fixed,
    reader_records;

#endif
