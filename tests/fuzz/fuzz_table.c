/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of sorted tables: walked, and searched for the last key it gave. */
#include <stdlib.h>

#include "base/mem.h"
#include "io/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    struct input in;
    struct table t;
    struct table_cursor c = {0}, again = {0};
    struct strbuf key = {0};
    input_memory(&in, data, size, "fuzz");
    if (!table_open(&t, &in, &st)) {
        status_clear(&st);
        return 0;
    }
    bool ok = table_seek(&c, &t, str_of(""), &st);
    while (ok && c.valid) {
        strbuf_clear(&key);
        strbuf_add(&key, c.key.p, c.key.n);
        ok = table_next(&c, &st);
    }
    status_clear(&st);
    if (table_seek(&again, &t, str_make(key.p, key.n), &st) && again.valid &&
        str_compare(again.key, str_make(key.p, key.n)) < 0)
        abort(); /* not less than what was asked */
    table_cursor_release(&c);
    table_cursor_release(&again);
    table_close(&t);
    strbuf_release(&key);
    status_clear(&st);
    return 0;
}
