/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the main file of a SavedModel, and finding in a MetaGraph what loading it takes. */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/saved_model.h"

static bool has_file(const char *dir, const char *name)
{
    char *path = path_join(str_of(dir), str_of(name));
    bool there = file_exists_at(path);
    mem_free(path);
    return there;
}

bool saved_model_exists(const char *dir)
{
    return has_file(dir, "saved_model.pb") || has_file(dir, "saved_model.pbtxt");
}

/* Reads a file that is there. The bytes go into the arena: the message borrows from them. */
static bool read_message(struct arena *a, const char *path, bool is_text,
                         struct pb_saved_model **out, struct status *st)
{
    char *bytes;
    size_t n;
    if (!file_read(path, SIZE_MAX / 8, &bytes, &n, st))
        return false;
    struct status why = {0};
    bool ok;
    if (is_text) {
        ok = pb_saved_model_parse(a, bytes, n, out, &why);
    } else {
        char *own = arena_memdup(a, bytes, n);
        ok = pb_saved_model_decode(a, own, n, PB_BORROW, out, &why);
    }
    mem_free(bytes);
    if (!ok)
        status_fail(st, STATUS_DATA_LOSS, "Can't parse %s as %s proto: %s", path,
                    is_text ? "text" : "binary", status_message(&why));
    status_clear(&why);
    return ok;
}

bool saved_model_read(struct arena *a, const char *dir, struct pb_saved_model **out,
                      struct status *st)
{
    bool binary = has_file(dir, "saved_model.pb");
    if (binary || has_file(dir, "saved_model.pbtxt"))
        return read_message(a, arena_printf(a, "%s/saved_model.pb%s", dir, binary ? "" : "txt"),
                            !binary, out, st);
    return status_not_found(
        st, "Could not find SavedModel .pb or .pbtxt at supplied export directory path: %s", dir);
}

/* --- tags --- */

static bool has_tag(const struct pb_meta_graph_def *m, const char *tag)
{
    const struct pb_strs *tags = m->meta_info_def ? &m->meta_info_def->tags : NULL;
    for (int64_t i = 0; tags && i < tags->n; i++) {
        if (str_is(tags->v[i], tag))
            return true;
    }
    return false;
}

static bool wanted_tag(struct str tag, const char *const *tags, int n)
{
    for (int i = 0; i < n; i++) {
        if (str_is(tag, tags[i]))
            return true;
    }
    return false;
}

static bool same_tags(const struct pb_meta_graph_def *m, const char *const *tags, int n)
{
    for (int i = 0; i < n; i++) {
        if (!has_tag(m, tags[i]))
            return false;
    }
    const struct pb_strs *own = m->meta_info_def ? &m->meta_info_def->tags : NULL;
    for (int64_t i = 0; own && i < own->n; i++) {
        if (!wanted_tag(own->v[i], tags, n))
            return false;
    }
    return true;
}

static bool no_such_tags(const struct pb_saved_model *m, const char *const *tags, int n,
                         struct status *st)
{
    enum { SHOWN = 16 };
    struct strbuf text = {0};
    strbuf_puts(&text, "Could not find meta graph def matching supplied tags: { ");
    for (int i = 0; i < n; i++)
        strbuf_printf(&text, "%s ", tags[i]);
    strbuf_puts(&text, "}. The SavedModel has");
    for (int64_t i = 0; i < m->meta_graphs.n && i < SHOWN; i++) {
        const struct pb_meta_graph_def *g = m->meta_graphs.v[i];
        strbuf_puts(&text, i > 0 ? ", { " : " { ");
        for (int64_t k = 0; g->meta_info_def && k < g->meta_info_def->tags.n; k++)
            strbuf_printf(&text, "%.*s ", (int)g->meta_info_def->tags.v[k].n,
                          g->meta_info_def->tags.v[k].p);
        strbuf_puts(&text, "}");
    }
    if (m->meta_graphs.n == 0)
        strbuf_puts(&text, " no meta graph at all");
    else if (m->meta_graphs.n > SHOWN)
        strbuf_puts(&text, ", ...");
    status_not_found(st, "%s", text.p);
    strbuf_release(&text);
    return false;
}

bool saved_model_pick(const struct pb_saved_model *m, const char *const *tags, int num_tags,
                      struct pb_meta_graph_def **out, struct status *st)
{
    for (int64_t i = 0; i < m->meta_graphs.n; i++) {
        if (same_tags(m->meta_graphs.v[i], tags, num_tags)) {
            *out = m->meta_graphs.v[i];
            return true;
        }
    }
    return no_such_tags(m, tags, num_tags, st);
}

/* --- assets and the init op --- */

static const struct pb_collection_def *collection(const struct pb_meta_graph_def *meta,
                                                  const char *name)
{
    const struct pb_meta_graph_def_collection_def_entry *e =
        pb_map_find(&meta->collection_def, str_of(name));
    return e ? e->value : NULL;
}

bool saved_model_assets(struct arena *a, const struct pb_meta_graph_def *meta,
                        struct pb_asset_file_def_vec *out, struct status *st)
{
    *out = meta->asset_file_def;
    const struct pb_collection_def *c = collection(meta, "saved_model_assets");
    if (out->n > 0 || !c)
        return true;
    *out = (struct pb_asset_file_def_vec){0};
    for (int64_t i = 0; c->any_list && i < c->any_list->value.n; i++) {
        struct status why = {0};
        struct str bytes = c->any_list->value.v[i]->value;
        if (!pb_merge_bytes(a, pb_asset_file_def_add(a, out), bytes.p ? bytes.p : "", bytes.n,
                            PB_BORROW, &why)) {
            status_invalid(st, "collection saved_model_assets: item %lld is no AssetFileDef: %s",
                           (long long)i, status_message(&why));
            status_clear(&why);
            return false;
        }
    }
    return true;
}

bool saved_model_init_op(struct arena *a, const struct pb_meta_graph_def *meta, const char *dir,
                         const char **out, struct status *st)
{
    static const char key[] = "__saved_model_init_op";
    static const char *const collections[] = {"saved_model_main_op", "legacy_init_op"};
    const struct pb_meta_graph_def_signature_def_entry *sig =
        pb_map_find(&meta->signature_def, str_of(key));
    const struct pb_signature_def_outputs_entry *y =
        sig ? pb_map_find(&sig->value->outputs, str_of(key)) : NULL;
    *out = "";
    if (y) {
        *out = arena_strndup(a, y->value->name.p, y->value->name.n);
        return true;
    }
    for (int i = 0; i < 2; i++) {
        const struct pb_collection_def *c = collection(meta, collections[i]);
        if (!c)
            continue;
        const struct pb_strs *names = c->node_list ? &c->node_list->value : NULL;
        if (!names || names->n != 1)
            return status_fail(st, STATUS_FAILED_PRECONDITION,
                               "Expected exactly one main op in : %s", dir);
        *out = arena_strndup(a, names->v[0].p, names->v[0].n);
        return true;
    }
    return true;
}

bool saved_model_has_variables(const char *dir)
{
    return has_file(dir, "variables/variables.index");
}
