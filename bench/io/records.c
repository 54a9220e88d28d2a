/* SPDX-License-Identifier: Apache-2.0 */
/* TFRecord files read from the page cache by one thread, every CRC checked: GB/s (the best and the
 * median of several passes) for records of several sizes. The goal is 1 GB/s. Argument: a folder
 * for the file, /tmp if there is none. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"
#include "io/record.h"

enum { FILE_BYTES = 1 << 28, PASSES = 7 };

static struct status st;

static void must(bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", status_message(&st));
    exit(1);
}

static void write_file(const char *path, size_t size)
{
    struct record_writer *w = record_writer_open(path, RECORD_PLAIN, &st);
    must(w != NULL);
    char *data = mem_alloc(size);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i * 7 + (i >> 8));
    for (size_t done = 0; done < FILE_BYTES; done += size + 16)
        must(record_writer_add(w, str_make(data, size), &st));
    must(record_writer_close(w, &st));
    mem_free(data);
}

static double read_file(const char *path)
{
    struct str record;
    bool end = false;
    int64_t begin = clock_now_ns(), bytes = 0;
    struct record_reader *r = record_reader_open(path, RECORD_PLAIN, &st);
    must(r != NULL);
    while (record_reader_next(r, &record, &end, &st) && !end)
        bytes += (int64_t)record.n + 16;
    must(end);
    record_reader_free(r);
    return (double)bytes / (double)(clock_now_ns() - begin);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {50, 200, 1000, 10000, 200000, 10000000};
    char *path = mem_printf("%s/leat_bench_records.%d", argc > 1 ? argv[1] : "/tmp", (int)getpid());
    printf("%10s %8s %8s  GB/s\n", "record", "median", "best");
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        double rates[PASSES];
        write_file(path, sizes[i]);
        for (int k = 0; k < PASSES; k++)
            rates[k] = read_file(path);
        qsort(rates, PASSES, sizeof(*rates), by_value);
        printf("%10zu %8.2f %8.2f\n", sizes[i], rates[PASSES / 2], rates[PASSES - 1]);
        unlink(path);
    }
    mem_free(path);
    return 0;
}
