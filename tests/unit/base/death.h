/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of what ends the process: runs a function in a child and keeps what it said. */
#ifndef LEAT_TESTS_DEATH_H
#define LEAT_TESTS_DEATH_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

/* The wait status of a child that ran fn(arg) (0 when it came back from it); the first bytes of
 * its stderr in text. */
static inline int run_in_child(void (*fn)(void *arg), void *arg, char *text, size_t text_bytes)
{
    int fds[2];
    if (pipe(fds) != 0)
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        close(fds[0]);
        close(fds[1]);
        fn(arg);
        _exit(0);
    }
    close(fds[1]);
    size_t n = 0;
    ssize_t got;
    while (n + 1 < text_bytes && (got = read(fds[0], text + n, text_bytes - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(fds[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

#endif
