/* SPDX-License-Identifier: Apache-2.0 */
/* TFRecord files: pieces of bytes with checksums, one after another, plain or packed by zlib.
 *
 *     leat_record_reader *r = leat_record_reader_open("train.tfrecord", "GZIP", status);
 *     while (leat_record_reader_next(r, &record, &n, status) > 0)
 *         use(record, n);
 *     leat_record_reader_close(r);
 *
 * A damaged file gives DATA_LOSS with its name and the offset, whatever it holds. A reader or a
 * writer may be used by one thread at a time. */
#ifndef LEAT_RECORD_H
#define LEAT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LEAT_EXPORT
#define LEAT_EXPORT __attribute__((visibility("default")))
#endif

typedef struct leat_record_reader leat_record_reader;
typedef struct leat_record_writer leat_record_writer;

/* compression: "" or NULL, "ZLIB", "GZIP". NULL after an error: INVALID_ARGUMENT, NOT_FOUND... */
LEAT_EXPORT leat_record_reader *leat_record_reader_open(const char *path, const char *compression,
                                                        TF_Status *status);
/* 1: *record and *bytes tell of the next record, valid until the next call; 0: the end; -1: an
 * error, after which, as after the end, a further call tries the same place again. */
LEAT_EXPORT int leat_record_reader_next(leat_record_reader *reader, const void **record,
                                        size_t *bytes, TF_Status *status);
/* Where the next record begins, in the unpacked stream. */
LEAT_EXPORT uint64_t leat_record_reader_offset(const leat_record_reader *reader);
LEAT_EXPORT void leat_record_reader_close(leat_record_reader *reader); /* NULL is fine */

/* Makes the file, or empties one that is there. NULL after an error. */
LEAT_EXPORT leat_record_writer *leat_record_writer_open(const char *path, const char *compression,
                                                        TF_Status *status);
/* 1, or 0 after an error, after which every further call fails. */
LEAT_EXPORT int leat_record_writer_add(leat_record_writer *writer, const void *record, size_t bytes,
                                       TF_Status *status);
/* What was added can be read by others (of packed files: once they are closed). 1, or 0 after an
 * error: of the disk, or no writer. */
LEAT_EXPORT int leat_record_writer_flush(leat_record_writer *writer, TF_Status *status);
/* Ends the file, and frees the writer (NULL is fine) also after an error. */
LEAT_EXPORT int leat_record_writer_close(leat_record_writer *writer, TF_Status *status);

/* The CRC-32C of bytes, begun with that of the bytes before them (0: none), not masked. */
LEAT_EXPORT uint32_t leat_crc32c(uint32_t before, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
