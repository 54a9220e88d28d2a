/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers as text: the fewest digits that read back as the same number, in the
 * layout of Python's text_format (3.0, 1e-05, 1e+16, inf, nan), in any locale. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/pb_wire.h"

enum { MAX_DIGITS = 17 };

struct decimal {
    char digits[MAX_DIGITS + 1]; /* d.ddd without the point, no zeros at the end */
    int num_digits, exponent;    /* of the first digit */
};

static void round_decimal(double magnitude, int num_digits, struct decimal *out)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", num_digits - 1, magnitude);
    out->num_digits = 0;
    const char *p = text;
    for (; *p && *p != 'e'; p++) /* the point may be any text in some locales */
        if (*p >= '0' && *p <= '9' && out->num_digits < MAX_DIGITS)
            out->digits[out->num_digits++] = *p;
    int64_t exponent = 0;
    if (*p)
        p += p[1] == '+' ? 2 : 1;
    out->exponent = str_to_i64(str_of(p), &exponent) ? (int)exponent : 0;
}

/* The next decimal of as many digits above it. */
static void step_up(struct decimal *d)
{
    int i = d->num_digits - 1;
    while (i >= 0 && d->digits[i] == '9')
        d->digits[i--] = '0';
    if (i >= 0) {
        d->digits[i]++;
        return;
    }
    d->digits[0] = '1';
    d->exponent++;
}

static double decimal_value(const struct decimal *d)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.*se%d", d->num_digits, d->digits,
                     d->exponent - d->num_digits + 1);
    double v;
    return str_to_double(str_make(text, (size_t)n), &v) ? v : HUGE_VAL;
}

static bool reads_back(const struct decimal *d, double magnitude, bool is_float)
{
    double v = decimal_value(d);
    return is_float ? (float)v == (float)magnitude : v == magnitude;
}

/* A decimal of up to 15 digits (6 for float) survives a trip through the number, so when that many
 * suffice the zeros at their end show how few do; subnormal doubles hold fewer. Just above a power
 * of two the neighbour below is nearer, and the decimal rounded up may serve where the nearest does
 * not. */
static void shortest(double magnitude, bool is_float, struct decimal *out)
{
    int most = is_float ? 9 : MAX_DIGITS;
    int first = is_float ? 6 : magnitude < DBL_MIN ? 1 : 15;
    for (int n = first; n <= most; n++) {
        round_decimal(magnitude, n, out);
        if (n == most || reads_back(out, magnitude, is_float))
            break;
        struct decimal up = *out;
        step_up(&up);
        if (!is_float && reads_back(&up, magnitude, is_float)) {
            *out = up;
            break;
        }
    }
    while (out->num_digits > 1 && out->digits[out->num_digits - 1] == '0')
        out->num_digits--;
}

static void put_decimal(struct strbuf *out, const struct decimal *d)
{
    int n = d->num_digits, e = d->exponent;
    if (e < -4 || e >= 16) {
        strbuf_putc(out, d->digits[0]);
        if (n > 1) {
            strbuf_putc(out, '.');
            strbuf_add(out, d->digits + 1, (size_t)n - 1);
        }
        strbuf_printf(out, "e%c%02d", e < 0 ? '-' : '+', abs(e));
        return;
    }
    int whole = e + 1; /* digits before the point; none or less: zeros after it */
    strbuf_puts(out, whole <= 0 ? "0." : "");
    for (int i = whole; i < 0; i++)
        strbuf_putc(out, '0');
    for (int i = 0; i < n || i < whole; i++) {
        if (i == whole && whole > 0)
            strbuf_putc(out, '.');
        strbuf_putc(out, i < n ? d->digits[i] : '0');
    }
    if (whole >= n)
        strbuf_puts(out, ".0");
}

static void put_number(struct strbuf *out, double v, bool is_float)
{
    if (isnan(v)) {
        strbuf_puts(out, "nan");
        return;
    }
    if (signbit(v))
        strbuf_putc(out, '-');
    if (isinf(v)) {
        strbuf_puts(out, "inf");
        return;
    }
    struct decimal d;
    shortest(fabs(v), is_float, &d);
    put_decimal(out, &d);
}

void pb_put_double(struct strbuf *out, double v)
{
    put_number(out, v, false);
}

void pb_put_float(struct strbuf *out, float v)
{
    put_number(out, (double)v, true);
}
