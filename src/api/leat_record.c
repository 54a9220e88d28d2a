/* SPDX-License-Identifier: Apache-2.0 */
/* leat/record.h over io/record.h: readers and writers are those, under other names. */
#include "leat/record.h"

#include "api/api_tensor.h"
#include "codec/crc32c.h"
#include "io/record.h"

static struct record_reader *reader_of(leat_record_reader *r)
{
    return (struct record_reader *)r;
}

static struct record_writer *writer_of(leat_record_writer *w)
{
    return (struct record_writer *)w;
}

static bool form_of(const char *path, const char *compression, enum record_form *form,
                    struct status *st)
{
    if (!path)
        return status_invalid(st, "records: no path");
    return record_form_named(str_of(compression ? compression : ""), form, st);
}

leat_record_reader *leat_record_reader_open(const char *path, const char *compression,
                                            TF_Status *status)
{
    struct status st = {0};
    enum record_form form;
    struct record_reader *r = NULL;
    if (form_of(path, compression, &form, &st))
        r = record_reader_open(path, form, &st);
    api_return(status, &st);
    return (leat_record_reader *)r;
}

int leat_record_reader_next(leat_record_reader *reader, const void **record, size_t *bytes,
                            TF_Status *status)
{
    struct status st = {0};
    struct str next = {0};
    bool end = false, ok;
    if (!reader)
        ok = status_invalid(&st, "leat_record_reader_next: no reader");
    else
        ok = record_reader_next(reader_of(reader), &next, &end, &st);
    api_return(status, &st);
    if (!ok)
        return -1;
    *record = next.p;
    *bytes = next.n;
    return !end;
}

uint64_t leat_record_reader_offset(const leat_record_reader *reader)
{
    return reader ? record_reader_offset((const struct record_reader *)reader) : 0;
}

void leat_record_reader_close(leat_record_reader *reader)
{
    record_reader_free(reader_of(reader));
}

leat_record_writer *leat_record_writer_open(const char *path, const char *compression,
                                            TF_Status *status)
{
    struct status st = {0};
    enum record_form form;
    struct record_writer *w = NULL;
    if (form_of(path, compression, &form, &st))
        w = record_writer_open(path, form, &st);
    api_return(status, &st);
    return (leat_record_writer *)w;
}

int leat_record_writer_add(leat_record_writer *writer, const void *record, size_t bytes,
                           TF_Status *status)
{
    struct status st = {0};
    bool ok;
    if (!writer || (!record && bytes > 0))
        ok = status_invalid(&st, "leat_record_writer_add: no writer or no record");
    else
        ok = record_writer_add(writer_of(writer), (struct str){record, bytes}, &st);
    api_return(status, &st);
    return ok;
}

int leat_record_writer_flush(leat_record_writer *writer, TF_Status *status)
{
    struct status st = {0};
    bool ok = writer ? record_writer_flush(writer_of(writer), &st)
                     : status_invalid(&st, "leat_record_writer_flush: no writer");
    api_return(status, &st);
    return ok;
}

int leat_record_writer_close(leat_record_writer *writer, TF_Status *status)
{
    struct status st = {0};
    bool ok = record_writer_close(writer_of(writer), &st);
    api_return(status, &st);
    return ok;
}

uint32_t leat_crc32c(uint32_t before, const void *data, size_t bytes)
{
    return bytes > 0 ? crc32c_extend(before, data, bytes) : before;
}
