/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes .npy files: what is accepted is written, read again and has the same bytes; and it can be
 * shown. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/npy.h"
#include "cli/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const struct status *st)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, status_message(st));
    abort();
}

static void check_again(const TF_Tensor *t)
{
    struct status st = {0};
    char path[64], *bytes;
    size_t n, size = TF_TensorByteSize(t);
    int file = memfd_create("fuzz", 0);
    require(file >= 0, "no file in memory", &st);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    require(npy_write(t, path, &st), "write", &st);
    require(cli_read_file(path, &bytes, &n, &st), "read the file", &st);
    TF_Tensor *again = npy_parse(bytes, n, TF_TensorType(t), "again", &st);
    require(again, "parse what was written", &st);
    require(TF_NumDims(again) == TF_NumDims(t) && TF_TensorByteSize(again) == size, "sizes", &st);
    require(size == 0 || memcmp(TF_TensorData(again), TF_TensorData(t), size) == 0, "bytes", &st);
    TF_DeleteTensor(again);
    mem_free(bytes);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    TF_Tensor *t = npy_parse((const char *)data, size, 0, "fuzz", &st);
    if (t) {
        struct strbuf text = {0};
        values_print(t, &text);
        strbuf_release(&text);
        check_again(t);
        TF_DeleteTensor(t);
    } else {
        require(st.code != STATUS_OK, "an error that is none", &st);
    }
    status_clear(&st);
    return 0;
}
