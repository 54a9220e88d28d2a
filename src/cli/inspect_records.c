/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect on files of records: events by tag, examples by feature, or bytes. */
#include <math.h>
#include <stdio.h>

#include "base/map.h"
#include "base/mem.h"
#include "cli/inspect.h"
#include "io/record.h"

struct tag { /* of an event file */
    const char *kind;
    int64_t n, first_step, last_step;
    double last;
    bool has_value;
};
struct feature { /* of examples */
    const char *kind;
    int64_t n, least, most;
};
struct walk {
    struct inspect *in;
    struct arena arena; /* tags and features */
    struct strmap tags, features;
    int64_t n, bytes, examples, graphs;
    double first_time, last_time;
    struct strbuf version;
    bool events; /* the first record is an event */
};

/* --- events --- */

static const char *value_kind(const struct pb_summary_value *v)
{
    static const char *const kinds[] = {[2] = "scalar",    [3] = "old histogram", [4] = "image",
                                        [5] = "histogram", [6] = "audio",         [8] = "tensor"};
    int i = v->which_value;
    return i >= 2 && i <= 8 && kinds[i] ? kinds[i] : "empty";
}

static void add_value(struct walk *w, int64_t step, const struct pb_summary_value *v)
{
    const char *name = v->tag.p ? v->tag.p : "";
    struct tag *t = strmap_find_n(&w->tags, name, v->tag.n);
    if (!t) {
        t = arena_new(&w->arena, struct tag);
        *t = (struct tag){.kind = value_kind(v), .first_step = step};
        strmap_put_n(&w->tags, name, v->tag.n, t);
    }
    t->n++;
    t->last_step = step;
    if (v->which_value == 2) {
        t->last = (double)v->simple_value;
        t->has_value = true;
    }
}

static void add_event(struct walk *w, const struct pb_event *e)
{
    if (w->n == 1)
        w->first_time = e->wall_time;
    w->last_time = e->wall_time;
    if (e->file_version.n > 0) {
        strbuf_clear(&w->version);
        strbuf_add(&w->version, e->file_version.p, e->file_version.n);
    }
    w->graphs += e->which_what == 4 || e->which_what == 9;
    for (int64_t i = 0; e->summary && i < e->summary->value.n; i++)
        add_value(w, e->step, e->summary->value.v[i]);
}

/* --- examples --- */

static void add_feature(struct walk *w, struct str name, const struct pb_feature *f)
{
    const char *kind = f->bytes_list   ? "bytes"
                       : f->float_list ? "float"
                       : f->int64_list ? "int64"
                                       : "empty";
    int64_t n = f->bytes_list   ? f->bytes_list->value.n
                : f->float_list ? f->float_list->value.n
                : f->int64_list ? f->int64_list->value.n
                                : 0;
    struct feature *x = strmap_find_n(&w->features, name.p ? name.p : "", name.n);
    if (!x) {
        x = arena_new(&w->arena, struct feature);
        *x = (struct feature){.kind = kind, .least = n, .most = n};
        strmap_put_n(&w->features, name.p ? name.p : "", name.n, x);
    }
    x->n++;
    x->least = n < x->least ? n : x->least;
    x->most = n > x->most ? n : x->most;
    if (strcmp(x->kind, kind) != 0)
        x->kind = "of several kinds";
}

/* Whether the record is an Example with features. */
static bool add_example(struct walk *w, struct str record, struct arena *a)
{
    struct status st = {0};
    struct pb_example *e;
    bool ok = pb_example_decode(a, record.p, record.n, PB_BORROW, &e, &st) && !e->base.unknown &&
              e->features && e->features->feature.n > 0;
    status_clear(&st);
    for (int64_t i = 0; ok && i < e->features->feature.n; i++)
        add_feature(w, e->features->feature.v[i]->key, e->features->feature.v[i]->value);
    return ok;
}

/* --- the file --- */

static void add_record(struct walk *w, struct str record)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_event *e = NULL;
    w->n++;
    w->bytes += (int64_t)record.n;
    bool event = (w->n == 1 || w->events) && record.n > 0 &&
                 pb_event_decode(&a, record.p, record.n, PB_BORROW, &e, &st) && !e->base.unknown;
    if (w->n == 1)
        w->events = event && e->file_version.n > 0;
    status_clear(&st);
    if (w->events && event)
        add_event(w, e);
    else if (!w->events && record.n > 0)
        w->examples += add_example(w, record, &a);
    arena_release(&a);
}

static void report_tags(struct walk *w)
{
    struct report *r = &w->in->report;
    const char *name;
    void *value;
    int64_t pos = 0;
    report_text(r, w->in->root, "version", str_make(w->version.p, w->version.n));
    report_int(r, w->in->root, "first_second", (int64_t)fmin(fmax(w->first_time, 0), 1e15));
    report_int(r, w->in->root, "last_second", (int64_t)fmin(fmax(w->last_time, 0), 1e15));
    report_int(r, w->in->root, "graphs", w->graphs);
    struct report_node *list = report_list(r, w->in->root, "tags");
    while (strmap_next(&w->tags, &pos, &name, &value)) {
        const struct tag *t = value;
        struct report_node *item = report_object(r, list, NULL);
        report_words(r, item, "tag", name);
        report_words(r, item, "kind", t->kind);
        report_int(r, item, "values", t->n);
        report_int(r, item, "first_step", t->first_step);
        report_int(r, item, "last_step", t->last_step);
        if (t->has_value)
            report_real(r, item, "last_value", t->last);
    }
}

static void report_features(struct walk *w)
{
    struct report *r = &w->in->report;
    const char *name;
    void *value;
    int64_t pos = 0;
    report_int(r, w->in->root, "examples", w->examples);
    struct report_node *list = report_list(r, w->in->root, "features");
    while (strmap_next(&w->features, &pos, &name, &value)) {
        const struct feature *f = value;
        struct report_node *item = report_object(r, list, NULL);
        report_words(r, item, "feature", name);
        report_words(r, item, "kind", f->kind);
        report_int(r, item, "in", f->n);
        report_int(r, item, "fewest_values", f->least);
        report_int(r, item, "most_values", f->most);
    }
}

static enum record_form packed_as(const char *path)
{
    unsigned char head[2] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, 2, f) : 0;
    if (f)
        fclose(f);
    bool gzip = n == 2 && head[0] == 0x1f && head[1] == 0x8b;
    bool zlib = n == 2 && (head[0] & 15) == 8 && (head[0] << 8 | head[1]) % 31 == 0;
    return gzip ? RECORD_GZIP : zlib ? RECORD_ZLIB : RECORD_PLAIN;
}

bool inspect_records(struct inspect *in, bool *known, struct status *st)
{
    static const char *const forms[] = {"plain", "zlib", "gzip"};
    struct walk w = {.in = in};
    enum record_form form = packed_as(in->path);
    struct status why = {0};
    struct str record;
    bool end = false;
    *known = false;
    struct record_reader *r = record_reader_open(in->path, form, st);
    if (!r)
        return false;
    while (record_reader_next(r, &record, &end, &why) && !end)
        add_record(&w, record);
    *known = w.n > 0;
    if (*known) {
        report_words(&in->report, in->root, "kind", w.events ? "event file" : "TFRecord file");
        report_words(&in->report, in->root, "packed", forms[form]);
        report_int(&in->report, in->root, "records", w.n);
        report_int(&in->report, in->root, "record_bytes", w.bytes);
        if (w.events)
            report_tags(&w);
        else
            report_features(&w);
        if (!status_ok(&why))
            inspect_damage(in, in->root, &why);
    }
    status_clear(&why);
    record_reader_free(r);
    strmap_release(&w.tags);
    strmap_release(&w.features);
    strbuf_release(&w.version);
    arena_release(&w.arena);
    return true;
}
