/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar. */
#include "leat/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"

enum { BAR_WIDTH = 20, TERMINAL_NS = 100000000, LINE_NS = 1000000000 };

void leat_progress_begin(struct leat_progress *p, const char *title, int64_t total, int force)
{
    *p = (struct leat_progress){.title = title ? title : "", .total = total > 0 ? total : 0};
    p->on_terminal = isatty(STDERR_FILENO);
    p->on = force > 0 || (force == 0 && p->on_terminal);
    p->begin_ns = p->drawn_ns = clock_now_ns();
}

double leat_progress_rate(const struct leat_progress *p)
{
    double seconds = (double)(clock_now_ns() - p->begin_ns) * 1e-9;
    return seconds > 0 ? (double)p->step / seconds : 0;
}

static void draw(const struct leat_progress *p)
{
    char bar[BAR_WIDTH + 1], eta[32] = "";
    double rate = leat_progress_rate(p);
    int full = p->total ? (int)((double)BAR_WIDTH * (double)p->step / (double)p->total) : 0;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    if (p->total > p->step && rate > 0) {
        int64_t left = (int64_t)((double)(p->total - p->step) / rate + 0.5);
        snprintf(eta, sizeof eta, ", %lld:%02d to go", (long long)(left / 60), (int)(left % 60));
    }
    fprintf(stderr, "%s%s", p->on_terminal ? "\r\033[K" : "", p->title);
    if (p->total)
        fprintf(stderr, " [%s] %lld/%lld", bar, (long long)p->step, (long long)p->total);
    else
        fprintf(stderr, " %lld", (long long)p->step);
    fprintf(stderr, "%s, %.4g steps/s%s%s", p->metrics, rate, eta, p->on_terminal ? "" : "\n");
    fflush(stderr);
}

void leat_progress_tick(struct leat_progress *p, int64_t step)
{
    p->step = step > p->total && p->total ? p->total : step;
    if (!p->on)
        return;
    int64_t now = clock_now_ns();
    if (now - p->drawn_ns < (p->on_terminal ? TERMINAL_NS : LINE_NS))
        return;
    p->drawn_ns = now;
    draw(p);
}

void leat_progress_step(struct leat_progress *p, int64_t step, ...)
{
    size_t at = 0;
    const char *name;
    va_list ap;
    if (p->on) {
        va_start(ap, step);
        while ((name = va_arg(ap, const char *)) && at < sizeof p->metrics) {
            int n = snprintf(p->metrics + at, sizeof p->metrics - at, ", %s %.4g", name,
                             va_arg(ap, double));
            at += n > 0 ? (size_t)n : 0;
        }
        va_end(ap);
    }
    leat_progress_tick(p, step);
}

void leat_progress_end(struct leat_progress *p)
{
    if (!p->on)
        return;
    draw(p);
    if (p->on_terminal)
        fputc('\n', stderr);
    p->on = 0;
}
