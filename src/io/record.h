/* SPDX-License-Identifier: Apache-2.0 */
/* TFRecord files: pieces of bytes one after another, each with its length (8 bytes), the masked
 * CRC-32C of those 8, the bytes, and their masked CRC-32C; all of it perhaps in a zlib or gzip
 * stream.
 *
 * Made for reading from the page cache at the speed of a copy: a record is handed out where it lies
 * in the reader's buffer. A length counts only after its CRC was checked, and memory grows with
 * the bytes that come, not with what a length says. Readers and writers belong to one thread. */
#ifndef LEAT_IO_RECORD_H
#define LEAT_IO_RECORD_H

#include "base/status.h"
#include "base/str.h"

enum record_form { RECORD_PLAIN, RECORD_ZLIB, RECORD_GZIP };

/* Of TensorFlow's names: "", "ZLIB", "GZIP". INVALID_ARGUMENT for others. */
MUST_CHECK bool record_form_named(struct str name, enum record_form *out, struct status *st);

enum { RECORD_HEAD_BYTES = 12, RECORD_FOOT_BYTES = 4 };

/* --- reading --- */

struct record_reader;
/* NOT_FOUND, PERMISSION_DENIED... with the path. */
struct record_reader *record_reader_open(const char *path, enum record_form form,
                                         struct status *st) MUST_CHECK;
/* Of bytes in memory, which stay the caller's and outlive the reader. */
struct record_reader *record_reader_of(struct str bytes, enum record_form form, const char *what,
                                       struct status *st) MUST_CHECK;
/* The next record, valid until the next call. At the end: true with *end set. DATA_LOSS with file
 * and offset: "corrupted record at N" (a CRC is wrong), "truncated record at N". After an error, or
 * the end, a further call tries the same place again: a plain file may have grown. */
MUST_CHECK bool record_reader_next(struct record_reader *r, struct str *record, bool *end,
                                   struct status *st);
uint64_t record_reader_offset(const struct record_reader *r); /* of the next, when unpacked */
/* Plain files only: the next record is the one that begins at this offset. */
MUST_CHECK bool record_reader_seek(struct record_reader *r, uint64_t offset, struct status *st);
void record_reader_free(struct record_reader *r); /* NULL is fine */

/* --- writing --- */

struct record_writer;
/* Makes the file, or empties one that is there. */
struct record_writer *record_writer_open(const char *path, enum record_form form,
                                         struct status *st) MUST_CHECK;
/* After an error the file ends in a torn record and every further call fails. */
MUST_CHECK bool record_writer_add(struct record_writer *w, struct str record, struct status *st);
/* What was added is in the file: read() by others sees it. */
MUST_CHECK bool record_writer_flush(struct record_writer *w, struct status *st);
/* Flushes, ends the stream, closes and frees w (NULL is fine), also on failure. */
MUST_CHECK bool record_writer_close(struct record_writer *w, struct status *st);
/* The frame around a record: what stands before and after it. */
void record_frame(struct str record, uint8_t head[RECORD_HEAD_BYTES],
                  uint8_t foot[RECORD_FOOT_BYTES]);

#endif
