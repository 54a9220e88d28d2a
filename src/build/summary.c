/* SPDX-License-Identifier: Apache-2.0 */
/* Summary nodes with TensorFlow 1.15's names: a scope of the summary's name, in which the tag is a
 * constant, and the op named as the scope itself. */
#include "leat/summary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "build/build.h"
#include "leat/strings.h"
#include "proto/leat_proto.h"

enum { DEFAULT_OUTPUTS = 3, MAX_SUMMARIES = 1 << 16 };

void leat_summary_args_init(struct leat_summary_args *args)
{
    *args = (struct leat_summary_args){.max_outputs = DEFAULT_OUTPUTS};
}

/* ---- the scope of one ---- */

struct building {
    const struct leat_summary_args *args;
    char *tag; /* owned */
};

static char *clean_name(const char *name)
{
    while (*name == '/')
        name++;
    char *clean = mem_strdup(name);
    for (char *c = clean; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("-_./", *c))
            *c = '_';
    }
    return clean;
}

static bool begin(struct building *b, const struct leat_summary_args *args, const char *what)
{
    *b = (struct building){.args = args};
    if (!args || !args->g)
        return false;
    if (!args->name || !leat_valid(args->x)) {
        (void)leat_fail(args->g, args->made_at, TF_INVALID_ARGUMENT, "leat_summary_%s: %s", what,
                        args->name ? "the input is an invalid output" : "there is no name");
        return false;
    }
    char *name = clean_name(args->name);
    char *base = args->family ? mem_printf("%s/%s", args->family, name) : mem_strdup(name);
    leat_push_composite(args->g, base, "Summary", args->made_at);
    const char *scope = leat_current_scope(args->g);
    size_t n = strlen(scope);
    n -= n > 0 && scope[n - 1] == '/';
    b->tag =
        args->family ? mem_printf("%s/%.*s", args->family, (int)n, scope) : mem_strndup(scope, n);
    mem_free(base);
    mem_free(name);
    return true;
}

static TF_Output end(struct building *b, TF_Output y)
{
    const char *collection = b->args->collection ? b->args->collection : LEAT_SUMMARIES;
    leat_pop(b->args->g);
    if (*collection && leat_valid(y))
        leat_add_to_collection(b->args->g, collection, y);
    mem_free(b->tag);
    return y;
}

static TF_Output bytes_const(TF_Graph *g, struct str bytes, const char *name)
{
    TF_Status *s = TF_NewStatus();
    const char *text = bytes.n ? bytes.p : "";
    TF_Tensor *t = leat_string_tensor(&text, &bytes.n, NULL, 0, s);
    TF_Output y = {NULL, 0};
    if (t)
        y = leat_constant_fn(g, t, &(struct leat_const_args){.name = name});
    else
        y = leat_fail(g, NULL, TF_GetCode(s), "%s", TF_Message(s));
    TF_DeleteTensor(t);
    TF_DeleteStatus(s);
    return y;
}

static TF_Output tag_const(const struct building *b, const char *name)
{
    return bytes_const(b->args->g, str_of(b->tag), name);
}

static TF_OperationDescription *start(const struct building *b, const char *op)
{
    return leat_begin(b->args->g, op, leat_current_scope(b->args->g), NULL);
}

/* op(tag, x). */
static TF_Output tagged(const struct leat_summary_args *args, const char *what, const char *op,
                        const char *tag_name)
{
    struct building b;
    if (!begin(&b, args, what))
        return (TF_Output){NULL, 0};
    TF_Output tag = tag_const(&b, tag_name), y = {NULL, 0};
    TF_OperationDescription *d = start(&b, op);
    if (d) {
        leat_add_input(d, tag);
        leat_add_input(d, args->x);
        if (strcmp(op, "ImageSummary") == 0)
            TF_SetAttrInt(d, "max_images", args->max_outputs);
        y = leat_output_of(leat_finish(d), 0);
    }
    return end(&b, y);
}

/* ---- kinds ---- */

TF_Output leat_summary_scalar_fn(const struct leat_summary_args *args)
{
    return tagged(args, "scalar", "ScalarSummary", "tags");
}

TF_Output leat_summary_histogram_fn(const struct leat_summary_args *args)
{
    return tagged(args, "histogram", "HistogramSummary", "tag");
}

TF_Output leat_summary_image_fn(const struct leat_summary_args *args)
{
    return tagged(args, "image", "ImageSummary", "tag");
}

TF_Output leat_summary_audio_fn(const struct leat_summary_args *args)
{
    struct building b;
    if (!begin(&b, args, "audio"))
        return (TF_Output){NULL, 0};
    TF_Output rate = build_number(args->g, args->sample_rate, TF_FLOAT, "sample_rate");
    TF_Output tag = tag_const(&b, "tag"), y = {NULL, 0};
    TF_OperationDescription *d = start(&b, "AudioSummaryV2");
    if (d) {
        leat_add_input(d, tag);
        leat_add_input(d, args->x);
        leat_add_input(d, rate);
        TF_SetAttrInt(d, "max_outputs", args->max_outputs);
        y = leat_output_of(leat_finish(d), 0);
    }
    return end(&b, y);
}

static TF_Output with_metadata(const struct leat_summary_args *args, const char *what,
                               struct str metadata)
{
    struct building b;
    if (!begin(&b, args, what))
        return (TF_Output){NULL, 0};
    TF_Output tag = tag_const(&b, "tag"), y = {NULL, 0};
    TF_Output about = bytes_const(args->g, metadata, "serialized_summary_metadata");
    TF_OperationDescription *d = start(&b, "TensorSummaryV2");
    if (d) {
        leat_add_input(d, tag);
        leat_add_input(d, args->x);
        leat_add_input(d, about);
        y = leat_output_of(leat_finish(d), 0);
    }
    return end(&b, y);
}

static TF_Output tensor(const struct leat_summary_args *args, const char *what, const char *plugin)
{
    struct arena a = {0};
    struct strbuf bytes = {0};
    struct status st = {0};
    TF_Output y = {NULL, 0};
    if (!args || !args->g)
        return y;
    struct pb_summary_metadata *m = pb_summary_metadata_new(&a);
    m->display_name = str_of(args->display_name);
    m->summary_description = str_of(args->description);
    if (plugin || args->plugin_content.n) {
        m->plugin_data = pb_summary_metadata_plugin_data_new(&a);
        m->plugin_data->plugin_name = str_of(plugin);
        m->plugin_data->content = str_make(args->plugin_content.bytes, args->plugin_content.n);
    }
    if (pb_encode(m, &bytes, &st))
        y = with_metadata(args, what, str_make(bytes.p, bytes.n));
    else
        y = leat_fail(args->g, args->made_at, (TF_Code)st.code, "%s", status_message(&st));
    status_clear(&st);
    strbuf_release(&bytes);
    arena_release(&a);
    return y;
}

TF_Output leat_summary_tensor_fn(const struct leat_summary_args *args)
{
    return tensor(args, "tensor", args ? args->plugin_name : NULL);
}

TF_Output leat_summary_text_fn(const struct leat_summary_args *args)
{
    if (args && args->g && leat_valid(args->x) && leat_dtype(args->g, args->x) != TF_STRING)
        return leat_fail(args->g, args->made_at, TF_INVALID_ARGUMENT,
                         "leat_summary_text: the input is of no string type");
    return tensor(args, "text", "text");
}

/* ---- merging ---- */

TF_Output leat_summary_merge(TF_Graph *g, struct leat_outputs summaries, const char *name)
{
    TF_Output y = {NULL, 0};
    if (!g || summaries.n < 1 || !summaries.v)
        return g ? leat_fail(g, NULL, TF_INVALID_ARGUMENT, "leat_summary_merge: no summaries") : y;
    for (int i = 0; i < summaries.n; i++) {
        if (!leat_valid(summaries.v[i]))
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                             "leat_summary_merge: input %d is an invalid output", i);
    }
    leat_push_scope(g, name ? name : "Merge");
    TF_OperationDescription *d = leat_begin(g, "MergeSummary", name ? name : "MergeSummary", NULL);
    if (d) {
        leat_add_input_list(d, summaries.v, summaries.n);
        y = leat_output_of(leat_finish(d), 0);
    }
    leat_pop(g);
    return y;
}

TF_Output leat_summary_merge_all(TF_Graph *g)
{
    TF_Output y = {NULL, 0};
    int n = g ? leat_get_collection(g, LEAT_SUMMARIES, NULL, NULL, 0) : 0;
    if (n < 1 || n > MAX_SUMMARIES)
        return y;
    TF_Output *all = mem_new_array(TF_Output, n);
    int have = leat_get_collection(g, LEAT_SUMMARIES, NULL, all, n);
    y = leat_summary_merge(g, (struct leat_outputs){all, have < n ? have : n}, NULL);
    mem_free(all);
    return y;
}
