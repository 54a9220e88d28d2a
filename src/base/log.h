/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines to stderr, "YYYY-MM-DD hh:mm:ss.uuuuuu: L file:line] text", filtered by
 * TF_CPP_MIN_LOG_LEVEL (0 all, 1 no info, 2 no warnings, 3 no errors) and widened by LEAT_DEBUG:
 * from 1 on what was decided for each plan, from 2 on graphs after each pass, from 3 on each node
 * as it ran, from 4 on the first elements of what it gave. One line is one write. Any thread; both
 * variables are read once. */
#ifndef LEAT_BASE_LOG_H
#define LEAT_BASE_LOG_H

#include "base/base.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR };

void log_write(enum log_level level, const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
#define log_info(...) log_write(LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __FILE__, __LINE__, __VA_ARGS__)
#define log_error(...) log_write(LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)

int log_debug_level(void); /* LEAT_DEBUG, 0 when unset */

/* Listeners (TF_RegisterLogListener) are for what graphs print, not for these lines. They are
 * called in the order they were added, with no lock held, and stay for the process's life. */
void log_add_listener(void (*listener)(const char *text));
/* Gives text to every listener; false when there is none, and the caller prints it himself. */
bool log_to_listeners(const char *text);

#endif
