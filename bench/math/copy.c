/* SPDX-License-Identifier: Apache-2.0 */
/* GB/s of copying an array, read and write counted: what a chain of elementwise ops is held
 * against. "copy" is libc's memcpy of the whole, the way to write that it picks by itself. A part
 * is "NM floats". One thread. */
#include <string.h>

#include "bare.h"

static float *from, *to;
static size_t bytes;

static void run_copy(void)
{
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
}

static double prepare(const char *part, struct bare_code codes[BARE_MAX_CODES])
{
    int millions;
    if (sscanf(part, "%dM floats", &millions) != 1 || millions < 1 || millions > 1024)
        return 0;
    bytes = (size_t)millions << 22;
    free(from);
    free(to);
    from = bare_array((int64_t)millions << 20, sizeof(float), false);
    to = bare_array((int64_t)millions << 20, sizeof(float), false);
    codes[0] = (struct bare_code){"copy", run_copy};
    return 2e-9 * (double)bytes;
}

int main(int argc, char **argv)
{
    const struct bare program = {"GB/s", prepare};
    return bare_main(&program, argc, argv);
}
