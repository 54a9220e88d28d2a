/* SPDX-License-Identifier: Apache-2.0 */
/* TF_ApiDefMap: for each op of a list how it appears in a client language, first as its definition
 * says, then as overlays given as text say. Generators of wrappers use it, once, offline.
 *
 * An overlay that contradicts its op changes nothing (1.15 applies what comes before the error). */
#include <string.h>

#include "api/api_tensor.h"
#include "api/registry_proto.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "op/attr_print.h"
#include "proto/leat_proto.h"
#include "proto/pb_reflect.h"

struct TF_ApiDefMap {
    struct lock lock;
    struct arena arena;  /* guarded by lock, as all that follows */
    struct strmap by_op; /* struct pb_api_def */
    bool was_read;
};

/* --- what the definition says --- */

static void add_arg(struct arena *a, const struct pb_op_def_arg_def *from,
                    struct pb_api_def_arg_vec *list)
{
    struct pb_api_def_arg *p = pb_api_def_arg_add(a, list);
    p->name = p->rename_to = from->name;
    p->description = from->description;
}

static struct pb_api_def *base_def(struct arena *a, const struct pb_op_def *op)
{
    struct pb_api_def *p = pb_api_def_new(a);
    p->graph_op_name = op->name;
    p->visibility = PB_API_DEF_VISIBILITY_VISIBLE;
    pb_api_def_endpoint_add(a, &p->endpoint)->name = op->name;
    for (int64_t i = 0; i < op->input_arg.n; i++) {
        add_arg(a, op->input_arg.v[i], &p->in_arg);
        pb_add_str(a, &p->arg_order, op->input_arg.v[i]->name);
    }
    for (int64_t i = 0; i < op->output_arg.n; i++)
        add_arg(a, op->output_arg.v[i], &p->out_arg);
    for (int64_t i = 0; i < op->attr.n; i++) {
        const struct pb_op_def_attr_def *from = op->attr.v[i];
        struct pb_api_def_attr *to = pb_api_def_attr_add(a, &p->attr);
        to->name = to->rename_to = from->name;
        to->default_value = from->default_value;
        to->description = from->description;
    }
    p->summary = op->summary;
    p->description = op->description;
    return p;
}

TF_ApiDefMap *TF_NewApiDefMap(TF_Buffer *op_list_buffer, TF_Status *status)
{
    struct status st = {0}, why = {0};
    struct pb_op_list *ops = NULL;
    TF_ApiDefMap *map = mem_new(struct TF_ApiDefMap);
    lock_init(&map->lock, "an ApiDef map", LOCK_RANK_RESOURCE);
    if (!op_list_buffer || (!op_list_buffer->data && op_list_buffer->length) ||
        !pb_op_list_decode(&map->arena, op_list_buffer->data ? op_list_buffer->data : "",
                           op_list_buffer->length, 0, &ops, &why)) {
        status_invalid(&st, "Unparseable OpList%s%s", why.message ? ": " : "",
                       status_message(&why));
        TF_DeleteApiDefMap(map);
        map = NULL;
    }
    for (int64_t i = 0; map && i < ops->op.n; i++) {
        struct str name = ops->op.v[i]->name;
        strmap_put_n(&map->by_op, name.n ? name.p : "", name.n,
                     base_def(&map->arena, ops->op.v[i]));
    }
    status_clear(&why);
    api_return(status, &st);
    return map;
}

void TF_DeleteApiDefMap(TF_ApiDefMap *apimap)
{
    if (!apimap)
        return;
    strmap_release(&apimap->by_op);
    arena_release(&apimap->arena);
    lock_release_memory(&apimap->lock);
    mem_free(apimap);
}

/* --- texts that go over lines --- */

/* "  key: <<END" in three parts: true, and the delimiter. */
static bool opens_block(struct str line, size_t *key_bytes, struct str *delimiter)
{
    const char *colon = line.n ? memchr(line.p, ':', line.n) : NULL;
    if (!colon)
        return false;
    struct str rest = str_make(colon + 1, (size_t)(line.p + line.n - colon - 1));
    while (rest.n && (*rest.p == ' ' || *rest.p == '\t'))
        rest = str_make(rest.p + 1, rest.n - 1);
    if (!str_starts(rest, "<<"))
        return false;
    *key_bytes = (size_t)(colon - line.p);
    *delimiter = str_make(rest.p + 2, rest.n - 2);
    return true;
}

static bool starts_with(struct str s, struct str prefix)
{
    return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

/* `key: <<END`, lines, `END` become `key: "lines"`. Plain proto text is left as it is. */
static bool unfold_blocks(struct str text, struct strbuf *out, struct status *st)
{
    struct str line, delimiter;
    size_t key;
    while (text.n && str_split(&text, '\n', &line)) {
        if (!opens_block(line, &key, &delimiter)) {
            strbuf_add(out, line.p, line.n);
            strbuf_putc(out, '\n');
            continue;
        }
        strbuf_add(out, line.p, key);
        strbuf_puts(out, ": \"");
        struct str opened = line;
        bool closed = false;
        for (const char *between = ""; text.n && !closed; between = "\\n") {
            (void)str_split(&text, '\n', &line);
            closed = delimiter.n && starts_with(line, delimiter);
            if (!closed) {
                strbuf_puts(out, between);
                attr_print_escaped(line, out);
            }
        }
        if (!closed)
            return status_invalid(st, "ApiDefs: the text that begins with '%.*s' has no end",
                                  (int)min_i64((int64_t)opened.n, 80), opened.p);
        strbuf_putc(out, '"');
        strbuf_add(out, line.p + delimiter.n, line.n - delimiter.n);
        strbuf_putc(out, '\n');
    }
    return true;
}

/* --- overlays --- */

static struct pb_api_def_arg *find_arg(const struct pb_api_def_arg_vec *list, struct str name)
{
    for (int64_t i = 0; i < list->n; i++) {
        if (str_eq(list->v[i]->name, name))
            return list->v[i];
    }
    return NULL;
}

static struct pb_api_def_attr *find_attr(const struct pb_api_def *p, struct str name)
{
    for (int64_t i = 0; i < p->attr.n; i++) {
        if (str_eq(p->attr.v[i]->name, name))
            return p->attr.v[i];
    }
    return NULL;
}

static bool fail_absent(const char *what, struct str name, const struct pb_api_def *base,
                        struct status *st)
{
    return status_precondition(st, "%s %.*s not defined in base api for %.*s", what, (int)name.n,
                               name.p ? name.p : "", (int)base->graph_op_name.n,
                               base->graph_op_name.p ? base->graph_op_name.p : "");
}

static bool check_args(const struct pb_api_def_arg_vec *base, const struct pb_api_def_arg_vec *more,
                       const struct pb_api_def *op, struct status *st)
{
    for (int64_t i = 0; i < more->n; i++) {
        if (!find_arg(base, more->v[i]->name))
            return fail_absent("Argument", more->v[i]->name, op, st);
    }
    return true;
}

static void print_names(const struct pb_strs *names, struct strbuf *out)
{
    for (int64_t i = 0; i < names->n; i++) {
        strbuf_puts(out, i ? ", " : "");
        strbuf_add(out, names->v[i].p, names->v[i].n);
    }
}

static int64_t count_name(const struct pb_strs *names, struct str name)
{
    int64_t n = 0;
    for (int64_t i = 0; i < names->n; i++)
        n += str_eq(names->v[i], name);
    return n;
}

static bool check_order(const struct pb_api_def *base, const struct pb_strs *order,
                        struct status *st)
{
    struct str op = base->graph_op_name;
    if (order->n == 0)
        return true;
    if (order->n != base->arg_order.n)
        return status_precondition(st, "Invalid number of arguments %lld for %.*s. Expected: %lld",
                                   (long long)order->n, (int)op.n, op.p,
                                   (long long)base->arg_order.n);
    for (int64_t i = 0; i < order->n; i++) {
        if (count_name(order, order->v[i]) == count_name(&base->arg_order, order->v[i]))
            continue;
        struct strbuf given = {0}, wanted = {0};
        print_names(order, &given);
        print_names(&base->arg_order, &wanted);
        status_precondition(st,
                            "Invalid arg_order: %s for %.*s. All elements in arg_order override "
                            "must match base arg_order: %s",
                            strbuf_text(&given), (int)op.n, op.p, strbuf_text(&wanted));
        strbuf_release(&given);
        strbuf_release(&wanted);
        return false;
    }
    return true;
}

static bool check_overlay(const struct pb_api_def *base, const struct pb_api_def *more,
                          struct status *st)
{
    if (!check_args(&base->in_arg, &more->in_arg, base, st) ||
        !check_args(&base->out_arg, &more->out_arg, base, st))
        return false;
    for (int64_t i = 0; i < more->attr.n; i++) {
        if (!find_attr(base, more->attr.v[i]->name))
            return fail_absent("Attribute", more->attr.v[i]->name, base, st);
    }
    return check_order(base, &more->arg_order, st);
}

static void replace(struct str *text, struct str by)
{
    if (by.n)
        *text = by;
}

static void apply_args(const struct pb_api_def_arg_vec *base, const struct pb_api_def_arg_vec *more)
{
    for (int64_t i = 0; i < more->n; i++) {
        struct pb_api_def_arg *arg = find_arg(base, more->v[i]->name);
        replace(&arg->rename_to, more->v[i]->rename_to);
        replace(&arg->description, more->v[i]->description);
    }
}

static struct str join(struct arena *a, struct str first, struct str second)
{
    struct strbuf b = {0};
    strbuf_add(&b, first.p, first.n);
    strbuf_putc(&b, '\n');
    strbuf_add(&b, second.p, second.n);
    struct str joined = pb_str_dup(a, str_make(b.p, b.n));
    strbuf_release(&b);
    return joined;
}

/* more is checked, and lies in the map's arena. */
static void apply_overlay(struct arena *a, struct pb_api_def *base, const struct pb_api_def *more)
{
    if (more->visibility != PB_API_DEF_VISIBILITY_DEFAULT_VISIBILITY)
        base->visibility = more->visibility;
    if (more->endpoint.n)
        base->endpoint = more->endpoint;
    apply_args(&base->in_arg, &more->in_arg);
    apply_args(&base->out_arg, &more->out_arg);
    for (int64_t i = 0; i < more->attr.n; i++) {
        const struct pb_api_def_attr *from = more->attr.v[i];
        struct pb_api_def_attr *attr = find_attr(base, from->name);
        replace(&attr->rename_to, from->rename_to);
        replace(&attr->description, from->description);
        if (from->default_value)
            attr->default_value = from->default_value;
    }
    if (more->arg_order.n)
        base->arg_order = more->arg_order;
    replace(&base->summary, more->summary);
    replace(&base->description, more->description);
    if (more->description_prefix.n)
        base->description = join(a, more->description_prefix, base->description);
    if (more->description_suffix.n)
        base->description = join(a, base->description, more->description_suffix);
}

static struct pb_api_def *find_def(const struct TF_ApiDefMap *map, struct str name)
{
    return strmap_find_n(&map->by_op, name.n ? name.p : "", name.n);
}

static bool put_locked(struct TF_ApiDefMap *map, struct str text, struct status *st)
{
    struct pb_api_defs *defs = NULL;
    struct strbuf plain = {0};
    if (map->was_read)
        return status_precondition(
            st, "TF_ApiDefMapPut cannot be called after TF_ApiDefMapGet has been called.");
    bool ok = unfold_blocks(text, &plain, st) &&
              pb_api_defs_parse(&map->arena, strbuf_text(&plain), plain.n, &defs, st);
    strbuf_release(&plain);
    for (int64_t i = 0; ok && i < defs->op.n; i++) {
        struct pb_api_def *base = find_def(map, defs->op.v[i]->graph_op_name);
        ok = !base || check_overlay(base, defs->op.v[i], st);
        if (ok && base)
            apply_overlay(&map->arena, base, defs->op.v[i]);
    }
    return ok;
}

void TF_ApiDefMapPut(TF_ApiDefMap *api_def_map, const char *text, size_t text_len,
                     TF_Status *status)
{
    struct status st = {0};
    if (!api_def_map || (!text && text_len)) {
        status_invalid(&st, "TF_ApiDefMapPut: the map or the text is NULL");
    } else {
        lock_take(&api_def_map->lock);
        (void)put_locked(api_def_map, str_make(text, text_len), &st);
        lock_drop(&api_def_map->lock);
    }
    api_return(status, &st);
}

/* --- reading --- */

enum { RENAMED_MAX_BYTES = 1 << 24 }; /* renames that feed each other could go on doubling */

/* Each `from` in the text, quotes included, becomes `to`. */
static void rename_in(struct arena *a, struct str *text, struct str from, struct str to)
{
    struct strbuf b = {0};
    size_t width = from.n + 2, at = 0;
    bool found = false;
    while (at < text->n && b.n < RENAMED_MAX_BYTES) {
        const char *p = text->p + at;
        if (text->n - at >= width && *p == '`' && p[width - 1] == '`' &&
            memcmp(p + 1, from.p, from.n) == 0) {
            strbuf_putc(&b, '`');
            strbuf_add(&b, to.p, to.n);
            strbuf_putc(&b, '`');
            at += width;
            found = true;
        } else {
            strbuf_putc(&b, *p);
            at++;
        }
    }
    if (found && at == text->n)
        *text = pb_str_dup(a, str_make(b.p, b.n));
    strbuf_release(&b);
}

static void rename_everywhere(struct arena *a, struct pb_api_def *p, struct str from, struct str to)
{
    if (str_eq(from, to) || !from.n)
        return;
    for (int64_t i = 0; i < p->in_arg.n; i++)
        rename_in(a, &p->in_arg.v[i]->description, from, to);
    for (int64_t i = 0; i < p->out_arg.n; i++)
        rename_in(a, &p->out_arg.v[i]->description, from, to);
    for (int64_t i = 0; i < p->attr.n; i++)
        rename_in(a, &p->attr.v[i]->description, from, to);
    rename_in(a, &p->summary, from, to);
    rename_in(a, &p->description, from, to);
}

/* The documentation speaks of the op and its arguments by their new names. */
static void update_docs(struct arena *a, struct pb_api_def *p)
{
    if (p->endpoint.n)
        rename_everywhere(a, p, p->graph_op_name, p->endpoint.v[0]->name);
    for (int64_t i = 0; i < p->in_arg.n; i++)
        rename_everywhere(a, p, p->in_arg.v[i]->name, p->in_arg.v[i]->rename_to);
    for (int64_t i = 0; i < p->out_arg.n; i++)
        rename_everywhere(a, p, p->out_arg.v[i]->name, p->out_arg.v[i]->rename_to);
    for (int64_t i = 0; i < p->attr.n; i++)
        rename_everywhere(a, p, p->attr.v[i]->name, p->attr.v[i]->rename_to);
}

TF_Buffer *TF_ApiDefMapGet(TF_ApiDefMap *api_def_map, const char *name, size_t name_len,
                           TF_Status *status)
{
    struct status st = {0};
    TF_Buffer *out = NULL;
    if (!api_def_map || !name) {
        status_invalid(&st, "TF_ApiDefMapGet: the map or the name is NULL");
        api_return(status, &st);
        return NULL;
    }
    lock_take(&api_def_map->lock);
    const char *key;
    void *def;
    for (int64_t i = 0; !api_def_map->was_read && strmap_next(&api_def_map->by_op, &i, &key, &def);)
        update_docs(&api_def_map->arena, def);
    api_def_map->was_read = true;
    def = find_def(api_def_map, str_make(name, name_len));
    if (def)
        out = api_buffer_of(def, &st);
    lock_drop(&api_def_map->lock);
    api_return(status, &st);
    return out;
}
