/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the saver share. */
#ifndef LEAT_BUILD_SAVER_H
#define LEAT_BUILD_SAVER_H

#include "build/build.h"
#include "leat/saver.h"

struct saver_item {
    char *name; /* in the checkpoint; owned */
    char *spec; /* "" or a shape_and_slice; owned */
    struct leat_variable_parts v;
    int place;          /* as given: slices of one name keep that order */
    const char *device; /* the variable's; the graph's */
};
struct saver_nodes { /* names of what was made; owned */
    char *filename, *save, *restore;
};

/* Adds the nodes of items (sorted by name) under the scope; false: the graph has the error. */
bool saver_build(TF_Graph *g, const struct saver_item *items, int n,
                 const struct leat_saver_args *args, struct saver_nodes *out);

#endif
