/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of event files. */
#include <stdlib.h>

#include "io/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_event *e;
    bool end = false;
    struct str bytes = {(const char *)data, size};
    struct record_reader *r = record_reader_of(bytes, RECORD_PLAIN, "fuzz", &st);
    while (r && event_next(r, &a, &e, &end, &st) && !end) {
        if (e->which_what == 5 && !e->summary)
            abort();
    }
    if (r && !end && status_ok(&st))
        abort();
    record_reader_free(r);
    arena_release(&a);
    /* The message by itself, since few changes keep the checksums right. */
    struct status why = {0};
    if (!pb_event_decode(&a, data, size, PB_BORROW, &e, &why))
        status_clear(&why);
    arena_release(&a);
    status_clear(&st);
    return 0;
}
