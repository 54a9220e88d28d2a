/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of record files, in each form that they come in. */
#include <stdlib.h>

#include "io/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int form = 0; form < 3; form++) {
        struct status st = {0};
        struct str bytes = {(const char *)data, size}, got;
        struct record_reader *r = record_reader_of(bytes, (enum record_form)form, "fuzz", &st);
        bool end = false;
        size_t total = 0;
        while (r && total < 1 << 22 && record_reader_next(r, &got, &end, &st) && !end)
            total += got.n + 16;
        if (form == 0 && total > size)
            abort();
        if (r && !status_ok(&st) && record_reader_next(r, &got, &end, &st))
            abort(); /* a broken place stays one */
        record_reader_free(r);
        status_clear(&st);
    }
    return 0;
}
