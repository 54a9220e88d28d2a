/* SPDX-License-Identifier: Apache-2.0 */
/* The idx form of the MNIST files: two bytes 0, a byte for the type, a byte for the number of dims,
 * each dim as four bytes, the highest first, then the elements, row by row, the highest byte first
 * (http://yann.lecun.com/exdb/mnist). Only unsigned bytes (type 8), which those files hold, are
 * read. */
#ifndef LEAT_IO_IDX_H
#define LEAT_IO_IDX_H

#include "base/status.h"

enum { IDX_MAX_DIMS = 8 };

struct idx { /* points into the bytes that it was read from */
    int num_dims;
    int64_t dims[IDX_MAX_DIMS];
    int64_t num; /* elements in all */
    const uint8_t *data;
};

/* DATA_LOSS where the bytes are fewer or more than the dims say; UNIMPLEMENTED for other types.
 * `what` names the source in messages. */
MUST_CHECK bool idx_parse(const void *bytes, size_t n, const char *what, struct idx *out,
                          struct status *st);

#endif
