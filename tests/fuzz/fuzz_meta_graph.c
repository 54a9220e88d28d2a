/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reading of MetaGraphs, binary and text, and of the SavedModels that hold them: what is
 * taken is written, and what was written is taken and says the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/saved_model.h"
#include "leat/leat.h"
#include "proto/leat_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, TF_Status *s)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, TF_Message(s));
    abort();
}

/* The graph of the MetaGraph, which is there or an error; written. NULL: it was refused. */
static TF_Buffer *through(const TF_Buffer *meta, const char *scope, TF_Status *s)
{
    TF_Graph *g = TF_NewGraph();
    int took = leat_import_meta_graph(g, meta, scope, s);
    require(took == (TF_GetCode(s) == TF_OK), "an error without a code", s);
    TF_Buffer *out = NULL;
    if (took) {
        out = leat_export_meta_graph(g, NULL, s);
        require(out != NULL, "export", s);
    }
    TF_DeleteGraph(g);
    return out;
}

static void check_meta_graph(const void *bytes, size_t n)
{
    TF_Status *s = TF_NewStatus();
    TF_Buffer meta = {bytes, n, NULL};
    TF_Buffer *once = through(&meta, NULL, s);
    if (once) {
        TF_Buffer *twice = through(once, NULL, s);
        require(twice != NULL, "import what was exported", s);
        require(twice->length == once->length, "the same", s);
        TF_DeleteBuffer(twice);
        TF_DeleteBuffer(once);
    }
    once = through(&meta, "a/b", s);
    if (once)
        TF_DeleteBuffer(once);
    TF_DeleteStatus(s);
}

static void check_saved_model(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_saved_model *m;
    bool ok = pb_saved_model_decode(&a, data, size, 0, &m, &st);
    for (int64_t i = 0; ok && i < m->meta_graphs.n && i < 4; i++) {
        struct pb_asset_file_def_vec assets;
        struct strbuf bytes = {0};
        struct status why = {0};
        const char *init;
        if (saved_model_assets(&a, m->meta_graphs.v[i], &assets, &why) &&
            saved_model_init_op(&a, m->meta_graphs.v[i], "fuzz", &init, &why) &&
            pb_encode(m->meta_graphs.v[i], &bytes, &why))
            check_meta_graph(bytes.p ? bytes.p : "", bytes.n);
        strbuf_release(&bytes);
        status_clear(&why);
    }
    status_clear(&st);
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_meta_graph(data, size);
    check_saved_model(data, size);
    return 0;
}
