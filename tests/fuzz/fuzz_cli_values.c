/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes tensors as lists of numbers, and tables of numbers with commas between them. The first
 * byte is the type of the tensor. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/demo.h"
#include "cli/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(struct str text, TF_DataType type)
{
    struct status st = {0};
    struct strbuf shown = {0};
    TF_Tensor *t = values_parse(text, type, "fuzz", &st);
    if (t) {
        values_print(t, &shown);
        TF_DeleteTensor(t);
    } else if (st.code == STATUS_OK) {
        abort();
    }
    strbuf_release(&shown);
    status_clear(&st);
}

static void check_table(struct str text)
{
    struct status st = {0};
    struct table t;
    if (table_parse(text, "fuzz", &t, &st)) {
        if (t.rows < 1 || t.cols < 1)
            abort();
        for (int64_t i = 0; i < t.rows * t.cols; i++) {
            if (!isfinite(t.values[i]))
                abort();
        }
    } else if (st.code == STATUS_OK) {
        abort();
    }
    mem_free(t.values);
    status_clear(&st);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct str text = str_make((const char *)data + 1, size - 1);
    check_values(text, (TF_DataType)(data[0] & 31));
    check_table(text);
    return 0;
}
