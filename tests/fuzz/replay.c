/* SPDX-License-Identifier: Apache-2.0 */
/* A main() for the fuzz targets where libFuzzer is not linked: feeds them each file of the
 * folders and files given, and every file's prefixes and single-byte changes too, since a corpus
 * of whole inputs alone says little about torn ones. Counts one test a file. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILE = 1 << 24, MAX_PREFIXES = 300, MAX_CHANGES = 600 };

/* A copy of exactly size bytes, so that a sanitizer sees a read past the end. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void feed_variants(uint8_t *data, size_t size)
{
    size_t step = size / MAX_PREFIXES + 1;
    feed(data, size);
    for (size_t n = 0; n < size; n += step)
        feed(data, n);
    step = size / MAX_CHANGES + 1;
    for (size_t i = 0; i < size; i += step) {
        static const uint8_t changes[] = {0x00, 0x7f, 0x80, 0xff};
        uint8_t old = data[i];
        data[i] = changes[i / step % sizeof(changes)];
        feed(data, size);
        data[i] = old;
    }
}

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(MAX_FILE);
    if (!f || !data) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        if (f)
            fclose(f);
        free(data);
        return 0;
    }
    size_t size = fread(data, 1, MAX_FILE, f);
    fclose(f);
    feed_variants(data, size);
    free(data);
    return 1;
}

static int replay(const char *path, int *failed)
{
    struct stat info;
    int passed = 0;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        passed = replay_file(path);
        *failed += !passed;
        return passed;
    }
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char inner[4096];
        if (names[i]->d_name[0] != '.' &&
            (size_t)snprintf(inner, sizeof(inner), "%s/%s", path, names[i]->d_name) < sizeof(inner))
            passed += replay(inner, failed);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return passed;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    feed((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        passed += replay(argv[i], &failed);
    if (passed + failed == 0)
        failed = 1; /* a corpus that is not there replays nothing */
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
