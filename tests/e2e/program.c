/* SPDX-License-Identifier: Apache-2.0 */
/* Running programs through the shell. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

char program_scratch[64], program_output[1 << 20];
static char folder[4096];

int program_set_up(void **state)
{
    (void)state;
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    char *slash = n > 0 ? memrchr(folder, '/', (size_t)n) : NULL;
    if (!slash)
        return -1;
    *slash = 0;
    snprintf(program_scratch, sizeof program_scratch, "/tmp/leat-e2e-XXXXXX");
    return mkdtemp(program_scratch) ? 0 : -1;
}

int program_tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", program_scratch);
    return system(command);
}

const char *program_path(const char *where)
{
    static char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, where);
    return path;
}

int program_run(const char *where, const char *words)
{
    char command[16000];
    const char *path = program_path(where);
    if (access(path, X_OK) != 0)
        skip();
    size_t n = (size_t)snprintf(command, sizeof command, "exec 2>&1; '%s' ", path);
    for (const char *p = words; *p; p++) {
        assert_true(n + sizeof program_scratch < sizeof command);
        if (*p == '@')
            n += (size_t)snprintf(command + n, sizeof command - n, "%s", program_scratch);
        else
            command[n++] = *p;
    }
    command[n] = 0;
    FILE *f = popen(command, "r");
    assert_non_null(f);
    n = fread(program_output, 1, sizeof program_output - 1, f);
    program_output[n] = 0;
    int code = pclose(f);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

void program_says(const char *text)
{
    if (!strstr(program_output, text))
        fail_msg("wanted \"%s\" in:\n%s", text, program_output);
}

int leat(const char *words)
{
    return program_run("../bin/leat", words);
}

void leat_works(const char *words)
{
    if (leat(words) != 0)
        fail_msg("leat %s: %s", words, program_output);
}
