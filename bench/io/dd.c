/* SPDX-License-Identifier: Apache-2.0 */
/* What `dd` gives for the bytes of `leat bench --case checkpoint`: 1,000 MiB of random bytes, from
 * a file in the page cache to one beside it with conv=fsync ("save"), and from there to nowhere
 * ("restore"). One dd a question, so that run.py's samples alternate with ours.
 *
 *     build/bench/io-dd [--serve]          the folder: $BENCH_FOLDER, or the current one
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/str.h"

enum { MEGABYTES = 1000, PIECE = 1 << 20 };

static char *random_path, *copy_path;

static bool write_random(void)
{
    uint64_t *piece = mem_new_array(uint64_t, PIECE / 8), x = 88172645463325252u;
    FILE *f = fopen(random_path, "wb");
    bool ok = f != NULL;
    for (int i = 0; ok && i < MEGABYTES; i++) {
        for (int k = 0; k < PIECE / 8; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            piece[k] = x;
        }
        ok = fwrite(piece, 1, PIECE, f) == PIECE;
    }
    ok = ok && fflush(f) == 0 && fsync(fileno(f)) == 0;
    if (f)
        fclose(f);
    mem_free(piece);
    return ok;
}

/* GB/s; 0 when dd fails. */
static double dd(const char *from, const char *to, const char *more)
{
    char *command = mem_printf("exec dd if='%s' of='%s' bs=1M %s 2>/dev/null", from, to, more);
    int64_t start = clock_now_ns();
    bool ok = system(command) == 0;
    double took = (double)(clock_now_ns() - start);
    mem_free(command);
    return ok ? (double)MEGABYTES * PIECE / took : 0;
}

static void answer(const char *part)
{
    struct stat about;
    double rate = 0;
    if (stat(random_path, &about) == 0 || write_random()) {
        if (strcmp(part, "save") == 0)
            rate = dd(random_path, copy_path, "conv=fsync");
        else if (strcmp(part, "restore") == 0)
            rate = dd(random_path, "/dev/null", "");
    }
    if (rate > 0)
        printf("{\"part\": \"%s\", \"unit\": \"GB/s\", \"codes\": {\"dd\": %.6g}}\n", part, rate);
    else
        puts("{\"error\": \"no such part here, or dd failed\"}");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("BENCH_FOLDER");
    char line[256], *rest;
    random_path = mem_printf("%s/dd-random.%d", folder ? folder : ".", (int)getpid());
    copy_path = mem_printf("%s.copy", random_path);
    if (argc > 1 && strcmp(argv[1], "--serve") == 0) {
        puts("{\"ready\": []}");
        fflush(stdout);
        while (fgets(line, sizeof line, stdin)) {
            line[strcspn(line, "\n")] = 0;
            (void)strtod(line, &rest);
            answer(rest + (*rest == ' '));
        }
    } else {
        answer("save");
        answer("restore");
    }
    unlink(random_path);
    unlink(copy_path);
    mem_free(random_path);
    mem_free(copy_path);
    return 0;
}
