/* SPDX-License-Identifier: Apache-2.0 */
/* Names of imported nodes: valid, prefixed, made unique, as TensorFlow's importer does it.
 *
 * A name also counts as taken when it is a scope: "a" is taken by a node "a/b". The scopes of a
 * graph are kept as hashes and brought up to date by each import, so that many small imports into
 * a large graph stay cheap. */
#include "graph/import.h"

#include <ctype.h>

enum { MAX_SCOPES = 256 }; /* of one name that are looked at */

bool import_name_ok(struct str name, bool internal)
{
    if (name.n == 0 ||
        !(isalnum((unsigned char)name.p[0]) || name.p[0] == '.' || (internal && name.p[0] == '_')))
        return false;
    for (size_t i = 1; i < name.n; i++)
        if (!isalnum((unsigned char)name.p[i]) && !memchr("_.-/", name.p[i], 4))
            return false;
    return true;
}

void import_add_prefixes(struct u64map *set, struct str name)
{
    int scopes = 0;

    for (size_t i = 0; i < name.n && scopes < MAX_SCOPES; i++) {
        if (name.p[i] != '/')
            continue;
        scopes++;
        u64map_put(set, hash_bytes(name.p, i, 0), set);
    }
}

static void update_graph_scopes(struct graph *g)
{
    for (; g->num_scoped < g->num_nodes; g->num_scoped++)
        import_add_prefixes(&g->scopes, str_of(g->nodes[g->num_scoped]->name));
}

static bool taken_in_graph(const struct importer *im, struct str name)
{
    return strmap_find_n(&im->g->by_name, name.p, name.n) ||
           u64map_find(&im->g->scopes, hash_bytes(name.p, name.n, 0));
}

static bool taken_in_def(struct importer *im, struct str name)
{
    if (!im->has_prefixes) {
        for (int64_t i = 0; i < im->def->node.n; i++)
            import_add_prefixes(&im->prefixes, im->def->node.v[i]->name);
        im->has_prefixes = true;
    }
    return strmap_find_n(&im->index, name.p, name.n) ||
           u64map_find(&im->prefixes, hash_bytes(name.p, name.n, 0));
}

static char *find_unique(struct importer *im, const char *name)
{
    char *result = mem_strdup(name);

    for (long long n = 0;
         taken_in_graph(im, str_of(result)) || (n > 0 && taken_in_def(im, str_of(result)));) {
        mem_free(result);
        result = mem_printf("%s_%lld", name, ++n);
    }
    return result;
}

static bool set_prefix(struct importer *im, struct status *st)
{
    const char *want = im->o->prefix ? im->o->prefix : "";
    size_t n = strlen(want);

    if (n == 0) {
        im->prefix = mem_strdup("");
        return true;
    }
    if (want[n - 1] == '/')
        n--;
    if (!import_name_ok(str_make(want, n), false)) {
        im->prefix = mem_strdup("");
        return status_invalid(
            st, "Imported node name prefix '%.*s/' would lead to invalid node names", (int)n, want);
    }
    char *bare = mem_strndup(want, n);

    if (im->o->uniquify_prefix) {
        char *unique = find_unique(im, bare);

        mem_free(bare);
        bare = unique;
    }
    im->prefix = mem_printf("%s/", bare);
    mem_free(bare);
    return true;
}

bool import_check_names(struct importer *im, struct status *st)
{
    if (!im->internal)
        update_graph_scopes(im->g);
    if (!set_prefix(im, st))
        return false;
    if (im->prefix[0] || im->internal || im->o->uniquify_names || im->g->num_nodes == 0)
        return true;
    for (int64_t i = 0; i < im->def->node.n; i++) {
        struct str name = im->def->node.v[i]->name;

        if (taken_in_graph(im, name))
            return status_invalid(st, "Node name '%.*s' already exists in the Graph", (int)name.n,
                                  name.p);
    }
    return true;
}

char *import_name(struct importer *im, struct str name)
{
    char *full = mem_printf("%s%.*s", im->prefix, (int)name.n, name.p);

    if (!im->o->uniquify_names || (im->prefix[0] && im->o->uniquify_prefix) ||
        !taken_in_graph(im, str_of(full)))
        return full;
    char *unique = find_unique(im, full);

    mem_free(strmap_put(&im->renamed, full, mem_strdup(unique)));
    mem_free(full);
    return unique;
}

/* "loc:@old" in _class follows the node that was renamed. */
void import_fix_colocation(struct importer *im)
{
    if (!im->renamed.num_live)
        return;
    for (int64_t i = im->first_node; i < im->g->num_nodes; i++) {
        const struct attr_value *v = attrs_find(&im->g->nodes[i]->attrs, "_class");

        if (!v || !v->is_list || v->kind != ATTR_STRING)
            continue;
        struct attr_value changed = attr_value_dup(v);

        for (int64_t k = 0; k < changed.n; k++) {
            const char *now = str_starts(changed.ss[k], "loc:@")
                                  ? strmap_find(&im->renamed, changed.ss[k].p + 5)
                                  : NULL;
            if (!now)
                continue;
            char *text = mem_printf("loc:@%s", now);

            mem_free((char *)(uintptr_t)changed.ss[k].p);
            changed.ss[k] = str_of(text);
        }
        attrs_set(&im->g->nodes[i]->attrs, "_class", changed);
    }
}
