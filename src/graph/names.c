/* SPDX-License-Identifier: Apache-2.0 */
/* Names: which are valid, and unique ones as TensorFlow's Python makes them.
 *
 * Names are unique without regard to case. A name is in use when a node has it or a scope was
 * opened under it; name_uses counts how often it was asked for, so that the next free number is
 * found at once in the common case. */
#include "graph/graph_impl.h"

#include <ctype.h>

static bool name_first(char c)
{
    return isalnum((unsigned char)c) || c == '.';
}

static bool name_later(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-' || c == '/';
}

bool graph_name_valid(const char *name)
{
    if (!name_first(name[0]))
        return false;
    for (const char *p = name + 1; *p; p++)
        if (!name_later(*p))
            return false;
    return true;
}

char *name_lower(const char *name)
{
    char *lower = mem_strdup(name);

    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return lower;
}

static bool is_lower(const char *name)
{
    for (; *name; name++)
        if (isupper((unsigned char)*name))
            return false;
    return true;
}

void graph_mark_name(struct graph *g, struct node *n)
{
    if (is_lower(n->name)) /* by_name says it */
        return;
    char *lower = name_lower(n->name);

    if (!strmap_find(&g->name_uses, lower)) {
        strmap_put(&g->name_uses, lower, (void *)1);
        n->name_marked = true;
    }
    mem_free(lower);
}

/* How often the lower-cased name was used; 0: it is free. */
static intptr_t uses(struct graph *g, const char *lower)
{
    intptr_t n = (intptr_t)strmap_find(&g->name_uses, lower);

    return n ? n : strmap_has(&g->by_name, lower);
}

char *graph_unique_name(struct graph *g, const char *name, bool mark)
{
    lock_take(&g->lock);
    char *key = name_lower(name);
    intptr_t n = uses(g, key);
    char *result;

    if (mark)
        strmap_put(&g->name_uses, key, (void *)(n + 1));
    if (n == 0) {
        result = mem_strdup(name);
    } else {
        char *candidate = NULL;

        for (;; n++) {
            mem_free(candidate);
            candidate = mem_printf("%s_%lld", key, (long long)n);
            if (!uses(g, candidate))
                break;
        }
        if (mark) {
            strmap_put(&g->name_uses, candidate, (void *)1);
            strmap_put(&g->name_uses, key, (void *)(n + 1));
        }
        mem_free(candidate);
        result = mem_printf("%s_%lld", name, (long long)n);
    }
    mem_free(key);
    lock_drop(&g->lock);
    return result;
}
