/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a conformance graph; see graph_case.h. */
#include "conformance/graph_case.h"

#include <math.h>
#include <stdlib.h>

#include "common/files.h"
#include "common/graphs.h"
#include "common/values.h"

enum { MAX_RANK = 16 };

/* The output that a file name means: a whole node name, else a name and an index after its last
 * dot. The Python that wrote the files put `____` for `/`. */
static TF_Output find_output(TF_Graph *graph, const char *file, size_t n)
{
    struct text name = {0};
    for (size_t i = 0; i < n; i++)
        if (n - i >= 4 && memcmp(file + i, "____", 4) == 0) {
            text_puts(&name, "/");
            i += 3;
        } else {
            text_add(&name, file + i, 1);
        }
    TF_Output output = graph_output(graph, text_bytes(&name));
    char *dot = output.oper || !name.p ? NULL : strrchr(name.p, '.');
    if (dot) {
        *dot = ':';
        output = graph_output(graph, text_bytes(&name));
    }
    text_release(&name);
    return output;
}

/* A missing or empty file is a scalar's. -1 for one that is malformed. */
static int read_shape(const char *path, int64_t *dims)
{
    struct text file = {0};
    int num = 0;
    if (file_exists(path) && !file_read(path, &file))
        num = -1;
    struct bytes rest = text_bytes(&file), line;
    while (num >= 0 && line_next(&rest, &line)) {
        if (line.n == 0)
            continue;
        char *text = test_strndup(line.p, line.n), *end;
        long long dim = strtoll(text, &end, 10);
        bool ok = end != text && *end == 0 && dim >= 0 && dim < 1 << 24 && num < MAX_RANK;
        free(text);
        if (!ok)
            num = -1;
        else
            dims[num++] = dim;
    }
    text_release(&file);
    return num;
}

static uint16_t float_to_bfloat16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return isnan(f) ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* To the nearest, for values that a half holds nearly exactly: the files were printed from halves.
 */
static uint16_t float_to_half(float f)
{
    uint16_t best = 0, sign = signbit(f) ? 0x8000 : 0;
    float magnitude = fabsf(f);
    if (isnan(f))
        return 0x7e00;
    for (int bit = 14; bit >= 0; bit--) /* halves are ordered as their bits are */
        if (half_to_float((uint16_t)(best | 1 << bit)) <= magnitude)
            best = (uint16_t)(best | 1 << bit);
    if (best < 0x7c00 &&
        half_to_float((uint16_t)(best + 1)) - magnitude < magnitude - half_to_float(best))
        best++;
    return best | sign;
}

/* Writes the number (or True, False) in text at p; false when it is none. */
static bool store(const char *text, TF_DataType dtype, void *p)
{
    char *end;
    bool truth = strcmp(text, "True") == 0;
    double d = truth || strcmp(text, "False") == 0 ? truth : strtod(text, &end);
    if (!truth && strcmp(text, "False") != 0 && (end == text || *end))
        return false;
    float f = (float)d;
    /* Integers of 64 bits may have more digits than a double. */
    int64_t whole = strchr(text, '.') || truth ? (int64_t)d : strtoll(text, NULL, 10);
    uint64_t whole_u = dtype == TF_UINT64 ? strtoull(text, NULL, 10) : (uint64_t)whole;
    uint16_t h = dtype == TF_HALF ? float_to_half(f) : float_to_bfloat16(f);
    switch (dtype) {
    case TF_FLOAT:
        memcpy(p, &f, sizeof(f));
        return true;
    case TF_DOUBLE:
        memcpy(p, &d, sizeof(d));
        return true;
    case TF_HALF:
    case TF_BFLOAT16:
        memcpy(p, &h, sizeof(h));
        return true;
    default:
        memcpy(p, &whole_u, dtype_bytes((int)dtype)); /* the low bytes */
        return dtype_bytes((int)dtype) <= 8;
    }
}

static bool has_text(struct bytes file)
{
    for (struct bytes line; line_next(&file, &line);)
        if (line.n)
            return true;
    return false;
}

/* The value in path + ".csv" with the shape of path + ".shape"; NULL, with why left empty, when it
 * holds fewer numbers than that. What wrote the files gave scalars the shape "0": a number under
 * that shape is a scalar. */
static TF_Tensor *read_value(const char *path, TF_DataType dtype, struct text *why)
{
    struct text name = {0}, file = {0};
    int64_t dims[MAX_RANK], num = 0, count = 1;
    text_printf(&name, "%s.shape", path);
    int num_dims = read_shape(text_str(&name), dims);
    text_clear(&name);
    text_printf(&name, "%s.csv", path);
    size_t size = dtype_bytes((int)dtype);
    bool ok = num_dims >= 0 && size > 0 && file_read(text_str(&name), &file);
    if (num_dims == 1 && dims[0] == 0 && has_text(text_bytes(&file)))
        num_dims = 0;
    for (int i = 0; i < num_dims; i++)
        count = count < 1 << 24 ? count * dims[i] : count;
    ok = ok && count < 1 << 24;
    TF_Tensor *t = ok ? TF_AllocateTensor(dtype, dims, num_dims, (size_t)count * size) : NULL;
    struct bytes rest = text_bytes(&file), line;
    while (t && ok && line_next(&rest, &line)) {
        char *text = test_strndup(line.p, line.n);
        if (line.n && num < count)
            ok = store(text, dtype, (char *)TF_TensorData(t) + (size_t)num++ * size);
        free(text);
    }
    if ((!ok || !t) && why->n == 0)
        text_printf(why, "%s: cannot be read as %s", text_str(&name), dtype_name((int)dtype));
    if (t && (!ok || num < count)) {
        TF_DeleteTensor(t);
        t = NULL;
    }
    text_release(&name);
    text_release(&file);
    return t;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* Reads the values of all files NAME + ending. */
static struct golden *read_all(const char *folder, const struct names *names, const char *ending,
                               TF_Graph *graph, size_t *num, struct text *why)
{
    struct golden *all = test_alloc(names->num, sizeof(*all));
    struct text path = {0};
    *num = 0;
    for (size_t i = 0; i < names->num; i++) {
        if (!ends_with(names->items[i], ending))
            continue;
        size_t n = strlen(names->items[i]);
        struct golden *g = &all[(*num)++];
        g->file = test_strndup(names->items[i], n - 4); /* without .csv */
        g->output = find_output(graph, names->items[i], n - strlen(ending));
        text_clear(&path);
        text_printf(&path, "%s/%s", folder, g->file);
        int dtype = g->output.oper ? (int)TF_OperationOutputType(g->output) % 100 : TF_STRING;
        if (g->output.oper && dtype_bytes(dtype))
            g->value = read_value(text_str(&path), (TF_DataType)dtype, why);
    }
    text_release(&path);
    return all;
}

static void release_all(struct golden *all, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (all[i].value)
            TF_DeleteTensor(all[i].value);
        free(all[i].file);
    }
    free(all);
}

bool graph_case_read(struct graph_case *c, const char *folder, TF_Graph *graph, struct text *why)
{
    struct names names = folder_names(folder);
    c->feeds = read_all(folder, &names, ".placeholder.csv", graph, &c->num_feeds, why);
    c->goldens = read_all(folder, &names, ".prediction.csv", graph, &c->num_goldens, why);
    if (c->num_goldens == 0) {
        free(c->goldens);
        c->goldens = read_all(folder, &names, ".prediction_inbw.csv", graph, &c->num_goldens, why);
    }
    for (size_t i = 0; i < c->num_feeds && why->n == 0; i++)
        if (!c->feeds[i].value)
            text_printf(why, "%s: nothing to feed", c->feeds[i].file);
    names_free(&names);
    return why->n == 0;
}

void graph_case_release(struct graph_case *c)
{
    release_all(c->goldens, c->num_goldens);
    release_all(c->feeds, c->num_feeds);
    *c = (struct graph_case){0};
}
