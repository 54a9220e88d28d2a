/* SPDX-License-Identifier: Apache-2.0 */
/* V1 checkpoints: each file is one sorted table whose first entry (the empty key) lists the tensors
 * and their slices, and whose others hold one slice each, as a message.
 *
 * A checkpoint in parts is read through a pattern of their names. Values are lists of numbers, so a
 * slice costs its message besides its elements while it is read or written. Errors: NOT_FOUND,
 * DATA_LOSS, INVALID_ARGUMENT, with the file. */
#ifndef LEAT_IO_SLICES_V1_H
#define LEAT_IO_SLICES_V1_H

#include "base/arena.h"
#include "base/map.h"
#include "io/folder.h"
#include "io/slice.h"
#include "io/table.h"

/* --- reading; one thread at a time --- */

struct v1_slice {
    struct slice slice; /* resolved */
    struct slice listed;
    int64_t file;
};
struct v1_tensor {
    int dtype;
    struct shape shape;
    struct v1_slice *slices;
    int64_t num_slices, cap_slices;
};
struct v1_reader { /* a zeroed struct is closed */
    char *pattern;
    struct table *files;
    int64_t num_files;
    struct strmap tensors; /* name -> struct v1_tensor, owned */
};
/* NOT_FOUND "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ..."
 */
MUST_CHECK bool v1_open(struct v1_reader *r, const char *pattern, struct status *st);
/* One file in memory: takes *in. */
MUST_CHECK bool v1_open_input(struct v1_reader *r, struct input *in, struct status *st);
void v1_close(struct v1_reader *r);
/* NULL: not there. */
const struct v1_tensor *v1_find(const struct v1_reader *r, struct str name);
/* The part `want` (resolved) of the tensor. INVALID_ARGUMENT "Error copying slice data" where the
 * slices do not have all of it. */
MUST_CHECK bool v1_read(struct v1_reader *r, struct str name, const struct v1_tensor *t,
                        const struct slice *want, struct tensor *out, struct status *st);

/* --- writing --- */

struct v1_part {
    struct str name, key;
    struct slice slice;
    struct tensor value; /* shares the elements */
};
struct v1_writer {
    struct arena arena;
    struct v1_part *parts;
    int64_t num_parts, cap_parts;
    struct strmap known; /* name -> struct pb_saved_slice_meta */
    struct pb_saved_tensor_slice_meta *meta;
};
void v1_writer_init(struct v1_writer *w);
/* Notes a slice of a tensor of shape `whole`; nothing is written yet. UNIMPLEMENTED: a type that
 * the format has not. */
MUST_CHECK bool v1_add(struct v1_writer *w, struct str name, const struct shape *whole,
                       const struct slice *slice, const struct tensor *t, struct status *st);
/* Writes the file, whole or not at all. */
MUST_CHECK bool v1_write(struct v1_writer *w, const char *path, struct status *st);
void v1_writer_release(struct v1_writer *w);

/* --- inside: elements as lists of numbers; slices_v1_values.c --- */

struct pb_tensor_proto;
bool v1_has_type(int dtype);
/* n elements into `to`. False: the list is shorter, or there is no memory. */
MUST_CHECK bool v1_values_in(const struct pb_tensor_proto *p, int dtype, void *to, int64_t n);
void v1_values_out(struct arena *a, const struct tensor *t, struct pb_tensor_proto *p);

#endif
