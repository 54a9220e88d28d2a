/* SPDX-License-Identifier: Apache-2.0 */
/* Device names: parsed from the full form and from the old short ones. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime/placer.h"

static bool bad(const char *name, struct status *st)
{
    return status_invalid(st, "Malformed device specification '%s'", name);
}

static bool read_number(struct str s, int *out)
{
    int64_t v;
    if (str_is(s, "*")) {
        *out = -1;
        return true;
    }
    if (!str_to_i64(s, &v) || v < 0 || v > INT32_MAX)
        return false;
    *out = (int)v;
    return true;
}

static bool read_word(struct str s, char *out, size_t cap)
{
    if (s.n == 0 || s.n >= cap)
        return false;
    if (str_is(s, "*")) {
        out[0] = 0;
        return true;
    }
    memcpy(out, s.p, s.n);
    out[s.n] = 0;
    return true;
}

/* "CPU:0", "cpu:0" (old), "*": type and index. */
static bool read_device(struct str s, struct device_spec *out)
{
    struct str type;
    if (!str_split(&s, ':', &type) || !read_word(type, out->type, sizeof out->type))
        return false;
    for (char *p = out->type; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return s.n == 0 || read_number(s, &out->index);
}

static bool read_piece(struct str piece, struct device_spec *out)
{
    struct str key, rest = piece;
    if (!str_split(&rest, ':', &key))
        return false;
    if (str_is(key, "job"))
        return read_word(rest, out->job, sizeof out->job);
    if (str_is(key, "replica"))
        return read_number(rest, &out->replica);
    if (str_is(key, "task"))
        return read_number(rest, &out->task);
    if (str_is(key, "device"))
        return read_device(rest, out);
    return read_device(piece, out);
}

bool device_spec_parse(const char *name, struct device_spec *out, struct status *st)
{
    *out = (struct device_spec){.replica = -1, .task = -1, .index = -1};
    struct str rest = str_of(name), piece;
    if (rest.n == 0)
        return true;
    if (rest.p[0] != '/')
        return bad(name, st);
    rest.p++;
    rest.n--;
    while (rest.n > 0) {
        if (!str_split(&rest, '/', &piece) || !read_piece(piece, out))
            return bad(name, st);
    }
    return true;
}

bool device_spec_matches(const struct device_spec *spec, const struct device_spec *full)
{
    return (!spec->job[0] || strcmp(spec->job, full->job) == 0) &&
           (!spec->type[0] || strcasecmp(spec->type, full->type) == 0) &&
           (spec->replica < 0 || spec->replica == full->replica) &&
           (spec->task < 0 || spec->task == full->task) &&
           (spec->index < 0 || spec->index == full->index);
}

static bool same_or_open(int a, int b)
{
    return a < 0 || b < 0 || a == b;
}

bool device_spec_compatible(const struct device_spec *a, const struct device_spec *b)
{
    return (!a->job[0] || !b->job[0] || strcmp(a->job, b->job) == 0) &&
           (!a->type[0] || !b->type[0] || strcasecmp(a->type, b->type) == 0) &&
           same_or_open(a->replica, b->replica) && same_or_open(a->task, b->task) &&
           same_or_open(a->index, b->index);
}
